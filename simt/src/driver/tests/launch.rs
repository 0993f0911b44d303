//! Launches: both forms of arguments, shapes, and what a failed kernel does to its context.

use super::*;
use std::ffi::CStr;

/// `fill` writes `add + index` to `out[0..n]`, `store` a word, `small` nothing; the others fail. In `wait` each warp is at
/// a barrier of its own.
const PTX: &CStr = c"
.version 7.8
.target sm_80
.address_size 64

.visible .entry fill(
	.param .u64 fill_param_0,
	.param .u32 fill_param_1,
	.param .u8 fill_param_2
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [fill_param_0];
	ld.param.u32 	%r1, [fill_param_1];
	ld.param.u8 	%r2, [fill_param_2];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r6, %r3, %r4, %r5;
	setp.ge.u32 	%p1, %r6, %r1;
	@%p1 bra 	$L_end;
	cvta.to.global.u64 	%rd2, %rd1;
	mul.wide.u32 	%rd3, %r6, 4;
	add.s64 	%rd4, %rd2, %rd3;
	add.s32 	%r7, %r6, %r2;
	st.global.u32 	[%rd4], %r7;
$L_end:
	ret;
}

.visible .entry stop()
{
	trap;
	ret;
}

.visible .entry store(
	.param .u64 store_param_0
)
{
	.reg .b32 	%r<2>;
	.reg .b64 	%rd<3>;
	ld.param.u64 	%rd1, [store_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	mov.u32 	%r1, 1;
	st.global.u32 	[%rd2], %r1;
	ret;
}

.extern .func __assertfail
(
	.param .b64 __assertfail_param_0,
	.param .b64 __assertfail_param_1,
	.param .b32 __assertfail_param_2,
	.param .b64 __assertfail_param_3,
	.param .b64 __assertfail_param_4
);

.global .align 1 .b8 text[5] = {109, 105, 110, 101, 0};

.visible .entry check()
{
	.reg .b64 	%rd<4>;
	.reg .b32 	%r<2>;
	mov.u64 	%rd1, text;
	cvta.global.u64 	%rd2, %rd1;
	mov.u64 	%rd3, 1;
	mov.u32 	%r1, 12;
	{
	.param .b64 param0;
	st.param.b64 	[param0], %rd2;
	.param .b64 param1;
	st.param.b64 	[param1], %rd2;
	.param .b32 param2;
	st.param.b32 	[param2], %r1;
	.param .b64 param3;
	st.param.b64 	[param3], %rd2;
	.param .b64 param4;
	st.param.b64 	[param4], %rd3;
	call.uni
	__assertfail,
	(
	param0,
	param1,
	param2,
	param3,
	param4
	);
	}
	ret;
}

.visible .entry wait()
{
	.reg .b32 	%r<3>;
	mov.u32 	%r1, %tid.x;
	shr.u32 	%r2, %r1, 5;
	bar.sync 	%r2, 64;
	ret;
}

.visible .entry small()
.maxntid 64, 1, 1
{
	ret;
}
";

fn kernel(name: &CStr) -> CUfunction {
    let (mut module, mut function) = (null_mut(), null_mut());
    ok!(cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
    ok!(cuModuleGetFunction(&mut function, module, name.as_ptr()));
    function
}

/// Launches a kernel on one thread, with one argument of 64 bits.
fn launch_with(function: CUfunction, argument: u64) -> CUresult {
    launch_block(function, 1, argument)
}

fn launch_block(function: CUfunction, threads: c_uint, mut argument: u64) -> CUresult {
    let mut params = [(&raw mut argument).cast()];
    cu!(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, DEFAULT, params.as_mut_ptr(), null_mut()))
}

fn expected(add: u32) -> Vec<u8> {
    (0..100_u32).flat_map(|index| (index + add).to_ne_bytes()).collect()
}

#[test]
fn arguments_by_pointers() {
    let _context = TestContext::new();
    let fill = kernel(c"fill");
    let mut out = alloc(400);
    let (mut n, mut add) = (100_u32, 5_u8);
    let mut params = [(&raw mut out).cast(), (&raw mut n).cast(), (&raw mut add).cast()];
    ok!(cuLaunchKernel(fill, 4, 1, 1, 32, 1, 1, 0, stream(1), params.as_mut_ptr(), null_mut()));
    assert!(read(out, 400) == expected(5));
    fails!(INVALID_VALUE, cuLaunchKernel(fill, 4, 1, 1, 32, 1, 1, 0, DEFAULT, null_mut(), null_mut()));
}

#[test]
fn arguments_in_a_buffer() {
    let _context = TestContext::new();
    let fill = kernel(c"fill");
    let out = alloc(400);
    let mut buffer = [0_u8; 16];
    buffer[..8].copy_from_slice(&out.to_ne_bytes());
    buffer[8..12].copy_from_slice(&100_u32.to_ne_bytes());
    buffer[12] = 250;
    let mut size = 13_usize;
    let key = std::ptr::without_provenance_mut;
    let mut extra = [key(1), buffer.as_mut_ptr().cast(), key(2), (&raw mut size).cast(), key(0)];
    ok!(cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, DEFAULT, null_mut(), extra.as_mut_ptr()));
    assert!(read(out, 400) == expected(250));
    size = 12;
    extra[3] = (&raw mut size).cast();
    fails!(
        INVALID_VALUE,
        cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, DEFAULT, null_mut(), extra.as_mut_ptr())
    );
}

#[test]
fn a_launch_by_configuration() {
    let _context = TestContext::new();
    let fill = kernel(c"fill");
    let mut out = alloc(400);
    let (mut n, mut add) = (100_u32, 1_u8);
    let mut params = [(&raw mut out).cast(), (&raw mut n).cast(), (&raw mut add).cast()];
    let mut attributes = [CUlaunchAttribute { id: 8, pad: [0; 4], value: [0; 8] }];
    let mut config = CUlaunchConfig {
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 128,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: DEFAULT,
        attrs: attributes.as_mut_ptr(),
        numAttrs: 1,
    };
    ok!(cuLaunchKernelEx(&config, fill, params.as_mut_ptr(), null_mut()));
    assert!(read(out, 400) == expected(1));
    const ONE_AND_ONE: u64 = 1 << 32 | 1;
    for (id, value, code) in [
        (2, [0, 0], CUresult::SUCCESS),
        (2, [1, 0], CUresult::NOT_SUPPORTED),
        (4, [ONE_AND_ONE, 1], CUresult::SUCCESS),
        (4, [ONE_AND_ONE, 2], CUresult::NOT_SUPPORTED),
        (4, [2 << 32 | 1, 1], CUresult::NOT_SUPPORTED),
        (6, [1, 0], CUresult::SUCCESS),
        (9, [0, 0], CUresult::SUCCESS),
        (9, [1 << 8, 0], CUresult::NOT_SUPPORTED),
        (10, [0, 0], CUresult::SUCCESS),
        (10, [1, 0], CUresult::NOT_SUPPORTED),
        (14, [50, 0], CUresult::SUCCESS),
        (7, [0, 0], CUresult::NOT_SUPPORTED),
    ] {
        attributes[0].id = id;
        attributes[0].value[..2].copy_from_slice(&value);
        config.attrs = attributes.as_mut_ptr();
        let found = cu!(cuLaunchKernelEx(&config, fill, params.as_mut_ptr(), null_mut()));
        assert_eq!(found, code, "{id} {value:x?}");
    }
    fails!(INVALID_VALUE, cuLaunchKernelEx(std::ptr::null(), fill, params.as_mut_ptr(), null_mut()));
}

#[test]
fn a_wrong_shape_is_refused_and_does_no_harm() {
    let _context = TestContext::new();
    let small = kernel(c"small");
    let code = |grid: [u32; 3], block: [u32; 3], shared| {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        cu!(cuLaunchKernel(small, gx, gy, gz, bx, by, bz, shared, DEFAULT, null_mut(), null_mut()))
    };
    for (grid, block, shared) in [
        ([0, 1, 1], [1, 1, 1], 0),
        ([1, 65536, 1], [1, 1, 1], 0),
        ([1, 1, 1], [1, 0, 1], 0),
        ([1, 1, 1], [1, 1, 65], 0),
        ([1, 1, 1], [1025, 1, 1], 0),
        ([1, 1, 1], [65, 1, 1], 0),
        ([1, 1, 1], [8, 8, 2], 0),
        ([1, 1, 1], [1, 1, 1], (48 << 10) + 1),
    ] {
        assert_eq!(code(grid, block, shared), CUresult::INVALID_VALUE, "{grid:?} {block:?} {shared}");
    }
    assert_eq!(code([2, 2, 2], [8, 8, 1], 48 << 10), CUresult::SUCCESS);
    ok!(cuFuncSetAttribute(small, 8, 100 << 10));
    assert_eq!(code([1, 1, 1], [1, 1, 1], 100 << 10), CUresult::SUCCESS);
}

#[test]
fn a_failed_kernel_leaves_its_error_in_the_context() {
    let _context = TestContext::new();
    let (kept, out) = (stream(0), alloc(4));
    let store = kernel(c"store");
    assert_eq!(launch_with(store, out), CUresult::SUCCESS);
    assert_eq!(read(out, 4), [1, 0, 0, 0]);
    fails!(LAUNCH_FAILED, cuLaunchKernel(kernel(c"stop"), 1, 1, 1, 1, 1, 1, 0, kept, null_mut(), null_mut()));
    fails!(LAUNCH_FAILED, cuCtxSynchronize());
    fails!(LAUNCH_FAILED, cuStreamSynchronize(kept));
    fails!(LAUNCH_FAILED, cuMemAlloc_v2(&mut 0, 16));
    fails!(LAUNCH_FAILED, cuMemcpyDtoD_v2(out, out, 4));
    fails!(LAUNCH_FAILED, cuMemFree_v2(out));
    assert_eq!(launch_with(store, out), CUresult::LAUNCH_FAILED);
    // Another context is not concerned.
    let _other = TestContext::new();
    assert_eq!(launch_with(kernel(c"store"), out), CUresult::SUCCESS);
}

#[test]
fn what_a_kernel_did_is_told_by_the_code() {
    for (offset, code) in [(4, CUresult::ILLEGAL_ADDRESS), (2, CUresult::MISALIGNED_ADDRESS)] {
        let _context = TestContext::new();
        let out = alloc(4);
        assert_eq!(launch_with(kernel(c"store"), out + offset), code);
        fails!(INVALID_VALUE, cuCtxSetLimit(9, 0));
        assert_eq!(cu!(cuCtxSynchronize()), code);
    }
    for (name, code) in [
        (c"store", CUresult::ILLEGAL_ADDRESS),
        (c"check", CUresult::ASSERT),
        (c"wait", CUresult::LAUNCH_TIMEOUT),
        (c"stop", CUresult::LAUNCH_FAILED),
    ] {
        let _context = TestContext::new();
        assert_eq!(launch_block(kernel(name), 64, 0), code, "{name:?}");
    }
}

#[test]
fn a_kernel_runs_in_its_own_context() {
    let _outer = TestContext::new();
    let small = kernel(c"small");
    let _inner = TestContext::new();
    fails!(INVALID_HANDLE, cuLaunchKernel(small, 1, 1, 1, 1, 1, 1, 0, DEFAULT, null_mut(), null_mut()));
}
