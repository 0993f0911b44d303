//! The CUDA driver through cust. What cust wraps only for typed memory or not at all goes through `cust::sys`.
//!
//! Which driver answers, `libcuda.so.1` or the SIMT device, is decided by cuda-shim; nothing here depends on it but
//! the [`Backend`] that messages and the choice of images need.

mod compile;
mod foreign;

use super::foreign::Foreign;
use super::{
    AllocKind, Backend, Device, DeviceError, DevicePtr, DeviceResult, EventHandle, FunctionAttributes,
    FunctionHandle, ImageHandle, Launch, NoDevices, Properties, QueueHandle,
};
use crate::env::{DeviceChoice, PtxChoice, Settings};
use crate::image::{Arch, Capability, ImageKind, stack};
use crate::jit;
use core::ffi::{CStr, c_char, c_uint, c_void};
use core::ptr::null_mut;
use cust::context::{Context, CurrentContext, ResourceLimit};
use cust::device::DeviceAttribute;
use cust::error::CudaError;
use cust::sys;
use std::sync::Once;

/// Most bytes of stack that a thread gets without being asked for: the recursion of a task that makes tasks ten levels deep.
const MOST_STACK: u64 = 16 << 10;
/// The part of the device's memory that stacks may take then, all threads that run at once together.
const MEMORY_FOR_STACKS: u64 = 32;

/// Keys of the `extra` list of `cuLaunchKernel` (cuda.h: `CU_LAUNCH_PARAM_*`): small numbers as pointers.
const LAUNCH_PARAM_END: *mut c_void = null_mut();
const LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = core::ptr::without_provenance_mut(1);
const LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = core::ptr::without_provenance_mut(2);

/// All devices of the driver.
pub fn open(settings: &Settings) -> Result<Vec<Box<dyn Device>>, NoDevices> {
    let fatal = settings.device != DeviceChoice::Auto;
    let no_devices = |reason: String| NoDevices { reason, fatal };
    let is_simt = match (cuda_shim::backend(), settings.device) {
        (cuda_shim::Backend::Unavailable { reason, .. }, _) => return Err(no_devices(reason.clone())),
        (cuda_shim::Backend::Simt, DeviceChoice::Cuda) => {
            return Err(no_devices("OMPTARGET_DEVICE=cuda: there is no GPU with a driver".into()));
        }
        (backend, _) => *backend == cuda_shim::Backend::Simt,
    };
    let failed = |what: &'static str| move |error| no_devices(describe(what, error).to_string());
    cust::init(cust::CudaFlags::empty()).map_err(failed("cuInit"))?;
    let count = cust::device::Device::num_devices().map_err(failed("cuDeviceGetCount"))?;
    let backend = match is_simt {
        true => Backend::Simt,
        false => {
            let mut driver_version = 0;
            // SAFETY: the argument is a place for the result.
            let code = unsafe { sys::cuDriverGetVersion(&mut driver_version) };
            check("cuDriverGetVersion", code).map_err(|error| no_devices(error.to_string()))?;
            Backend::Cuda { driver_version }
        }
    };
    let open = |ordinal| CudaDevice::open(ordinal, backend, settings);
    (0..count)
        .map(|ordinal| Ok(Box::new(open(ordinal)?) as Box<dyn Device>))
        .collect::<DeviceResult<_>>()
        .map_err(|error| no_devices(error.to_string()))
}

/// One device of the driver, with its primary context.
pub struct CudaDevice {
    ordinal: i32,
    properties: Properties,
    capability: Capability,
    multiprocessors: u32,
    context: Context,
    jit: jit::Options,
    ptx: PtxChoice,
    /// Whether the program has said how much stack a thread gets.
    stack_is_set: bool,
    /// That it gets more than the driver gives it, see [`CudaDevice::give_stack`].
    more_stack: Once,
}

/// Handles cross the trait as plain numbers.
macro_rules! raw {
    ($handle:expr) => {
        $handle.0 as *mut _
    };
}

/// What the driver says about a function.
fn function_attribute(function: FunctionHandle, attribute: sys::CUfunction_attribute) -> DeviceResult<u32> {
    let mut value = 0;
    // SAFETY: a function of the driver and a place for the result.
    let code = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, raw!(function)) };
    check("cuFuncGetAttribute", code).map(|()| value as u32)
}

/// Most bytes of shared memory that a block can have, if its function is allowed to.
fn shared_memory_of_block(ordinal: i32) -> DeviceResult<u32> {
    let attribute = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    let mut bytes = 0;
    // SAFETY: a place for the result.
    let code = unsafe { sys::cuDeviceGetAttribute(&mut bytes, attribute, ordinal) };
    check("cuDeviceGetAttribute", code).map(|()| bytes as u32)
}

impl CudaDevice {
    fn open(ordinal: u32, backend: Backend, settings: &Settings) -> DeviceResult<Self> {
        let device =
            cust::device::Device::get_device(ordinal).map_err(|error| describe("cuDeviceGet", error))?;
        let attribute = |attribute| {
            let value = device.get_attribute(attribute);
            value.map(|value| value as u32).map_err(|error| describe("cuDeviceGetAttribute", error))
        };
        let multiprocessors = attribute(DeviceAttribute::MultiprocessorCount)?;
        let threads_each = attribute(DeviceAttribute::MaxThreadsPerMultiprocessor)?;
        let capability = Capability {
            major: attribute(DeviceAttribute::ComputeCapabilityMajor)?,
            minor: attribute(DeviceAttribute::ComputeCapabilityMinor)?,
        };
        let properties = Properties {
            name: device.name().map_err(|error| describe("cuDeviceGetName", error))?,
            backend,
            arch: Arch::Gpu(capability),
            max_threads: attribute(DeviceAttribute::MaxThreadsPerBlock)?,
            max_blocks: attribute(DeviceAttribute::MaxGridDimX)?,
            hardware_parallelism: u64::from(multiprocessors) * u64::from(threads_each),
            shared_memory: shared_memory_of_block(device.as_raw())?,
        };
        let context = Context::new(device).map_err(|error| describe("cuDevicePrimaryCtxRetain", error))?;
        let limits = [
            (ResourceLimit::StackSize, settings.stack_size),
            (ResourceLimit::MallocHeapSize, settings.heap_size),
        ];
        for (limit, value) in limits {
            if let Some(value) = value {
                CurrentContext::set_resource_limit(limit, value)
                    .map_err(|error| describe("cuCtxSetLimit", error))?;
            }
        }
        Ok(Self {
            ordinal: device.as_raw(),
            properties,
            capability,
            multiprocessors,
            context,
            jit: settings.jit.clone(),
            ptx: settings.ptx,
            stack_is_set: settings.stack_size.is_some(),
            more_stack: Once::new(),
        })
    }

    /// Lets launches of a function have that many bytes of dynamic shared memory. Without asking static and dynamic memory can be 48 KiB
    /// in all (CUDA C++ Programming Guide, 20.7). Of a function that needs more it allows all that the device has: other
    /// threads may launch it, too, and with more.
    fn allow_dynamic_shared_memory(&self, function: FunctionHandle, bytes: u32) -> DeviceResult<()> {
        use sys::CUfunction_attribute_enum::{
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as MOST,
            CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES as STATIC,
        };
        if bytes <= function_attribute(function, MOST)? {
            return Ok(());
        }
        let all =
            self.properties.shared_memory.saturating_sub(function_attribute(function, STATIC)?).max(bytes);
        // SAFETY: a function of the driver.
        let code = unsafe { sys::cuFuncSetAttribute(raw!(function), MOST, all as i32) };
        check("cuFuncSetAttribute", code)
    }

    /// Gives threads more stack than the driver's 1 KiB, for kernels of which it does not know how much they need: of the
    /// device's memory it is taken for all threads that can run at once. A driver that has less gives less.
    fn give_stack(&self) {
        self.more_stack.call_once(|| {
            let total = self.memory().ok().flatten().map_or(0, |(_, total)| total);
            let mut wanted = stack_of_thread(total, self.properties.hardware_parallelism);
            let there = CurrentContext::get_resource_limit(ResourceLimit::StackSize).unwrap_or(usize::MAX);
            while wanted > there
                && CurrentContext::set_resource_limit(ResourceLimit::StackSize, wanted).is_err()
            {
                wanted /= 2;
            }
        });
    }
}

/// Bytes of stack for each of `threads` threads, whole KiB, on a device with `memory` bytes.
fn stack_of_thread(memory: u64, threads: u64) -> usize {
    let share = (memory / MEMORY_FOR_STACKS).checked_div(threads).unwrap_or(0);
    (share.min(MOST_STACK) >> 10 << 10) as usize
}

impl Device for CudaDevice {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn foreign(&self) -> Option<&dyn Foreign> {
        Some(self)
    }

    fn bind(&self) -> DeviceResult<()> {
        CurrentContext::set_current(&self.context).map_err(|error| describe("cuCtxSetCurrent", error))
    }

    fn share_host_memory(&self) -> DeviceResult<bool> {
        if self.properties.backend == Backend::Simt {
            return Ok(cuda_shim::share_host_memory());
        }
        let mut value = 0;
        let attribute = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
        // SAFETY: a place for the result.
        let code = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.ordinal) };
        check("cuDeviceGetAttribute", code).map(|()| value != 0)
    }

    fn load(&self, image: &[u8], kind: &ImageKind) -> DeviceResult<ImageHandle> {
        let compiled;
        let image = match kind {
            ImageKind::Bitcode { .. } => {
                let failed = |text| DeviceError { call: "JIT".into(), text };
                compiled = self.jit.ptx(image, self.capability).map_err(failed)?;
                &compiled
            }
            _ => image,
        };
        // The SIMT device compiles each function once.
        let is_gpu = self.properties.backend != Backend::Simt;
        let module = match kind {
            ImageKind::Ptx { .. } | ImageKind::Bitcode { .. } => compile::ptx(image, self.ptx, is_gpu)?,
            _ => compile::machine_code(image)?,
        };
        if !self.stack_is_set && !stack::is_known(image, kind) {
            self.give_stack();
        }
        Ok(ImageHandle(module as usize))
    }

    fn unload(&self, image: ImageHandle) -> DeviceResult<()> {
        // SAFETY: a module of `load`; the runtime forgets it.
        check("cuModuleUnload", unsafe { sys::cuModuleUnload(raw!(image)) })
    }

    fn global(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(DevicePtr, usize)>> {
        let (mut address, mut size) = (0, 0);
        // SAFETY: a module of `load`, a C string, and places for the results.
        let code = unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut size, raw!(image), name.as_ptr()) };
        found("cuModuleGetGlobal", name, code, || (DevicePtr(address), size))
    }

    fn function(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(FunctionHandle, u32)>> {
        let mut function = null_mut();
        // SAFETY: a module of `load`, a C string, and a place for the result.
        let code = unsafe { sys::cuModuleGetFunction(&mut function, raw!(image), name.as_ptr()) };
        let Some(function) = found("cuModuleGetFunction", name, code, || function)? else { return Ok(None) };
        let function = FunctionHandle(function as usize);
        let most_threads = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        Ok(Some((function, function_attribute(function, most_threads)?)))
    }

    fn attributes(&self, function: FunctionHandle) -> DeviceResult<FunctionAttributes> {
        use sys::CUfunction_attribute_enum::{
            CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        };
        let registers = function_attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        Ok(FunctionAttributes {
            // The SIMT device gives 0: PTX has as many registers as it likes.
            registers: Some(registers).filter(|registers| *registers > 0),
            static_shared_memory: function_attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        })
    }

    fn threads_at_once(&self, function: FunctionHandle, block: u32, shared_memory: u32) -> Option<u64> {
        let (mut blocks, threads) = (0, i32::try_from(block).ok()?);
        // SAFETY: a function of the driver and a place for the result.
        let code = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                raw!(function),
                threads,
                shared_memory as usize,
            )
        };
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor", code).ok()?;
        let blocks = u64::try_from(blocks).ok().filter(|blocks| *blocks > 0)?;
        Some(blocks * u64::from(block) * u64::from(self.multiprocessors))
    }

    fn memory(&self) -> DeviceResult<Option<(u64, u64)>> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: places for the results.
        check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok(Some((free as u64, total as u64)))
    }

    fn is_accessible(&self, address: usize, bytes: usize) -> bool {
        self.reaches_range(address, bytes)
    }

    fn alloc(&self, bytes: usize, kind: AllocKind) -> DeviceResult<DevicePtr> {
        let wanted = |mut error: DeviceError| {
            error.text = format!("{} ({bytes} bytes)", error.text);
            error
        };
        let bytes = bytes.max(1);
        match kind {
            AllocKind::Device => {
                let mut address = 0;
                // SAFETY: a place for the result.
                check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, bytes) }).map_err(wanted)?;
                Ok(DevicePtr(address))
            }
            AllocKind::Host => {
                let mut address = null_mut();
                // SAFETY: a place for the result.
                check("cuMemAllocHost", unsafe { sys::cuMemAllocHost_v2(&mut address, bytes) })
                    .map_err(wanted)?;
                Ok(DevicePtr(address as u64))
            }
            AllocKind::Shared => {
                let mut address = 0;
                let global = sys::CUmemAttach_flags_enum::CU_MEM_ATTACH_GLOBAL as c_uint;
                // SAFETY: a place for the result.
                let code = unsafe { sys::cuMemAllocManaged(&mut address, bytes, global) };
                check("cuMemAllocManaged", code).map_err(wanted)?;
                Ok(DevicePtr(address))
            }
        }
    }

    fn free(&self, address: DevicePtr, kind: AllocKind) -> DeviceResult<()> {
        match kind {
            AllocKind::Host => {
                // SAFETY: an address of `alloc` with this kind, by the contract of the trait.
                check("cuMemFreeHost", unsafe { sys::cuMemFreeHost(address.0 as *mut c_void) })
            }
            AllocKind::Device | AllocKind::Shared => {
                // SAFETY: as above.
                check("cuMemFree", unsafe { sys::cuMemFree_v2(address.0) })
            }
        }
    }

    fn create_queue(&self) -> DeviceResult<QueueHandle> {
        let mut stream = null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: a place for the result.
        check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        Ok(QueueHandle(stream as usize))
    }

    unsafe fn submit(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: *const u8,
        bytes: usize,
    ) -> DeviceResult<()> {
        // SAFETY: the source by the contract of the trait; a wrong device address is the driver's to refuse.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(destination.0, source.cast(), bytes, raw!(queue)) };
        check("cuMemcpyHtoDAsync", code)
    }

    unsafe fn retrieve(
        &self,
        queue: QueueHandle,
        destination: *mut u8,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        // SAFETY: the destination by the contract of the trait; a wrong device address is the driver's to refuse.
        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(destination.cast(), source.0, bytes, raw!(queue)) };
        check("cuMemcpyDtoHAsync", code)
    }

    fn exchange(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        // SAFETY: wrong device addresses are the driver's to refuse.
        let code = unsafe { sys::cuMemcpyDtoDAsync_v2(destination.0, source.0, bytes, raw!(queue)) };
        check("cuMemcpyDtoDAsync", code)
    }

    fn fill(&self, queue: QueueHandle, destination: DevicePtr, value: u8, bytes: usize) -> DeviceResult<()> {
        // SAFETY: a wrong device address is the driver's to refuse.
        let code = unsafe { sys::cuMemsetD8Async(destination.0, value, bytes, raw!(queue)) };
        check("cuMemsetD8Async", code)
    }

    fn launch(&self, queue: QueueHandle, launch: &Launch, arguments: &[u64]) -> DeviceResult<()> {
        let Launch { function, grid, block, shared_memory } = *launch;
        if shared_memory > 0 {
            self.allow_dynamic_shared_memory(function, shared_memory)?;
        }
        let mut size = size_of_val(arguments);
        // The slots as they lie in memory.
        let mut extra = [
            LAUNCH_PARAM_BUFFER_POINTER,
            arguments.as_ptr().cast_mut().cast(),
            LAUNCH_PARAM_BUFFER_SIZE,
            (&raw mut size).cast(),
            LAUNCH_PARAM_END,
        ];
        // SAFETY: a function of the driver; the buffer has the size that `extra` says, and lives during the call.
        let code = unsafe {
            sys::cuLaunchKernel(
                raw!(function),
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared_memory,
                raw!(queue),
                null_mut(),
                extra.as_mut_ptr(),
            )
        };
        check("cuLaunchKernel", code)
    }

    fn synchronize(&self, queue: QueueHandle) -> DeviceResult<()> {
        // SAFETY: a stream of `create_queue`, none of which is ever destroyed.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(raw!(queue)) })
    }

    fn query(&self, queue: QueueHandle) -> DeviceResult<bool> {
        // SAFETY: a stream of `create_queue`, none of which is ever destroyed.
        match unsafe { sys::cuStreamQuery(raw!(queue)) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => check("cuStreamQuery", code).map(|()| true),
        }
    }

    fn create_event(&self) -> DeviceResult<EventHandle> {
        let mut event = null_mut();
        let flags = sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as c_uint;
        // SAFETY: a place for the result.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(EventHandle(event as usize))
    }

    fn record(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()> {
        // SAFETY: stream and event of this device, which are never destroyed.
        check("cuEventRecord", unsafe { sys::cuEventRecord(raw!(event), raw!(queue)) })
    }

    fn wait(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()> {
        // SAFETY: stream and event of this device, which are never destroyed.
        check("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(raw!(queue), raw!(event), 0) })
    }
}

fn check(call: &str, code: sys::CUresult) -> DeviceResult<()> {
    if code == sys::CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    Err(DeviceError { call: call.to_owned(), text: text_of(code) })
}

/// A symbol that is not in the image is `None`.
fn found<T>(
    call: &str,
    name: &CStr,
    code: sys::CUresult,
    value: impl FnOnce() -> T,
) -> DeviceResult<Option<T>> {
    if code == sys::CUresult::CUDA_ERROR_NOT_FOUND {
        return Ok(None);
    }
    check(&format!("{call}('{}')", name.to_string_lossy()), code)?;
    Ok(Some(value()))
}

/// An error that came through cust. Its `Display` may fail and so must not be used: the name has to do.
fn describe(call: &str, error: CudaError) -> DeviceError {
    DeviceError { call: call.to_owned(), text: format!("{error:?}") }
}

/// `<the driver's words> (<name of the code>)`.
fn text_of(code: sys::CUresult) -> String {
    let (mut name, mut text) = (core::ptr::null(), core::ptr::null());
    // SAFETY: places for the results, which are static C strings or stay null.
    unsafe {
        let _ = sys::cuGetErrorName(code, &mut name);
        let _ = sys::cuGetErrorString(code, &mut text);
    }
    let string = |start: *const c_char| match start.is_null() {
        true => "unknown".into(),
        // SAFETY: not null, so a static C string of the driver.
        false => unsafe { CStr::from_ptr(start) }.to_string_lossy(),
    };
    format!("{} ({})", string(text), string(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_take_a_part_of_the_memory() {
        let of = |memory: u64, multiprocessors: u64, threads: u64| {
            stack_of_thread(memory, multiprocessors * threads)
        };
        assert_eq!(of(141 << 30, 132, 2048), 16 << 10, "H200");
        assert_eq!(of(80 << 30, 132, 2048), 9 << 10, "H100");
        assert_eq!(of(8 << 30, 46, 1536), 3 << 10, "RTX 3070");
        assert_eq!(of(1 << 30, 132, 2048), 0, "the driver's is kept");
        assert_eq!(of(1 << 30, 0, 0), 0);
    }

    #[test]
    fn kernels_of_unknown_depth_get_more_stack() {
        let text = |body: &str| {
            let head = ".version 7.8\n.target sm_70\n.address_size 64\n.func f()\n;\n";
            format!(
                "{head}.visible .entry k()\n{{\ncall.uni f, ();\nret;\n}}\n.func f()\n{{\n{body}ret;\n}}\n"
            )
        };
        let devices = open(&Settings::default()).unwrap_or_else(|error| panic!("{}", error.reason));
        let device = &devices[0];
        device.bind().unwrap();
        let stack = || CurrentContext::get_resource_limit(ResourceLimit::StackSize).unwrap();
        let before = stack();
        let load = |body| {
            let image = text(body);
            device.load(image.as_bytes(), &ImageKind::of(image.as_bytes())).unwrap();
        };
        load("");
        assert_eq!(stack(), before);
        load("call.uni f, ();\n");
        let total = device.memory().unwrap().unwrap().1;
        let wanted = stack_of_thread(total, device.properties().hardware_parallelism);
        assert!(wanted > before, "{wanted} bytes");
        assert_eq!(stack(), wanted);
    }
}
