//! cust, unmodified, on the SIMT device: what a program does first, and what it sees when things go wrong.

use cuda_shim::Backend;
use cust::context::{Context, CurrentContext};
use cust::device::{Device, DeviceAttribute};
use cust::error::CudaError;
use cust::event::{Event, EventFlags};
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use std::ffi::c_void;

const PTX: &str = "
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .b32 factor = 3;

.visible .entry scale(
	.param .u64 scale_param_0,
	.param .u32 scale_param_1
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [scale_param_0];
	ld.param.u32 	%r1, [scale_param_1];
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %tid.x;
	mad.lo.s32 	%r5, %r2, %r3, %r4;
	setp.ge.u32 	%p1, %r5, %r1;
	@%p1 bra 	$L_end;
	cvta.to.global.u64 	%rd2, %rd1;
	mul.wide.u32 	%rd3, %r5, 4;
	add.s64 	%rd4, %rd2, %rd3;
	ld.global.u32 	%r6, [%rd4];
	ld.global.u32 	%r7, [factor];
	mul.lo.s32 	%r6, %r6, %r7;
	st.global.u32 	[%rd4], %r6;
$L_end:
	ret;
}

.visible .entry stop()
{
	trap;
	ret;
}
";

/// The SIMT device, whatever this machine has; all tests share its primary context.
fn context() -> Context {
    // SAFETY: every test sets the same value before its first driver call reads it.
    unsafe { std::env::set_var("OMPTARGET_DEVICE", "simt") };
    let context = cust::quick_init().unwrap();
    assert_eq!(*cuda_shim::backend(), Backend::Simt);
    context
}

/// One test, because a process has one primary context and one of the steps breaks it.
#[test]
fn a_program_from_initialisation_to_a_broken_context() {
    let context = context();
    device_and_memory();
    kernels();
    errors_have_texts();
    a_failed_kernel_is_seen_by_later_calls();
    drop(context);
}

fn device_and_memory() {
    let device = Device::get_device(0).unwrap();
    assert_eq!(Device::num_devices().unwrap(), 1);
    assert_eq!(device.name().unwrap(), "SIMT device (CPU)");
    assert_eq!(device.get_attribute(DeviceAttribute::WarpSize).unwrap(), 32);
    assert_eq!(device.get_attribute(DeviceAttribute::ComputeCapabilityMajor).unwrap(), 9);
    assert!(device.total_memory().unwrap() > 0);
    let version = cust::CudaApiVersion::get().unwrap();
    assert_eq!((version.major(), version.minor()), (13, 0));

    let buffer = DeviceBuffer::from_slice(&[1.5_f64, -2.0, 3.25]).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [1.5, -2.0, 3.25]);
    let mut pinned = cust::memory::LockedBuffer::new(&0.0_f64, 3).unwrap();
    buffer.copy_to(&mut pinned[..]).unwrap();
    assert_eq!(pinned.as_slice(), [1.5, -2.0, 3.25]);
    let unified = cust::memory::UnifiedBuffer::new(&7_u32, 4).unwrap();
    assert_eq!(unified.as_slice(), [7; 4]);
}

fn kernels() {
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let module = Module::from_ptx(PTX, &[]).unwrap();
    let scale = module.get_function("scale").unwrap();
    let values: Vec<u32> = (0..1000).collect();
    let buffer = DeviceBuffer::from_slice(&values).unwrap();
    let (begin, end) = (Event::new(EventFlags::DEFAULT).unwrap(), Event::new(EventFlags::DEFAULT).unwrap());
    begin.record(&stream).unwrap();
    let (mut address, mut count) = (buffer.as_device_ptr().as_raw(), 1000_u32);
    let arguments: [*mut c_void; 2] = [(&raw mut address).cast(), (&raw mut count).cast()];
    // SAFETY: the kernel takes an address and a count, and the buffer has that many elements.
    unsafe { stream.launch(&scale, 8, 128, 0, &arguments) }.unwrap();
    end.record(&stream).unwrap();
    stream.synchronize().unwrap();
    assert!(end.elapsed_time_f32(&begin).unwrap() > 0.0);
    let tripled: Vec<u32> = values.iter().map(|value| value * 3).collect();
    assert!(buffer.as_host_vec().unwrap() == tripled, "every element is tripled");
    assert!(matches!(module.get_function("missing"), Err(CudaError::NotFound)));
    let (grid, block) = scale.suggested_launch_configuration(0, 0.into()).unwrap();
    assert!(grid > 0 && block > 0 && block <= 1024);
}

fn errors_have_texts() {
    let error = Module::from_ptx("nonsense", &[]).map(|_| ()).unwrap_err();
    assert_eq!(error, CudaError::InvalidPtx);
    assert_eq!(error.to_string(), "\"the PTX cannot be compiled\"");
    // A code that cust does not tell apart arrives as the unknown one, which has a text too.
    assert_eq!(CudaError::UnknownError.to_string(), "\"unknown error\"");
}

fn a_failed_kernel_is_seen_by_later_calls() {
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let module = Module::from_ptx(PTX, &[]).unwrap();
    let stop = module.get_function("stop").unwrap();
    // SAFETY: the kernel takes no argument.
    let launched = unsafe { stream.launch(&stop, 1, 1, 0, &[]) };
    assert_eq!(launched, Err(CudaError::LaunchFailed));
    assert_eq!(stream.synchronize(), Err(CudaError::LaunchFailed));
    assert_eq!(CurrentContext::synchronize(), Err(CudaError::LaunchFailed));
}
