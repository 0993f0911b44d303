//! Contexts, the stack of a thread, and what becomes of a context's things.

use super::*;
use std::thread;

fn current() -> CUcontext {
    let mut context = null_mut();
    ok!(cuCtxGetCurrent(&mut context));
    context
}

#[test]
fn the_stack_of_a_thread() {
    let a = TestContext::new();
    let b = TestContext::new();
    assert_eq!(current(), b.0, "a new context is current");
    ok!(cuCtxPushCurrent_v2(a.0));
    assert_eq!(current(), a.0);
    let mut popped = null_mut();
    ok!(cuCtxPopCurrent_v2(&mut popped));
    assert_eq!((popped, current()), (a.0, b.0));
    ok!(cuCtxSetCurrent(a.0));
    assert_eq!(current(), a.0, "the top is replaced");
    ok!(cuCtxPopCurrent_v2(null_mut()));
    assert_eq!(current(), a.0, "what was pushed first");
    ok!(cuCtxSetCurrent(null_mut()));
    assert!(current().is_null());
    fails!(INVALID_CONTEXT, cuCtxPopCurrent_v2(&mut popped));
    fails!(INVALID_CONTEXT, cuCtxSynchronize());
    for handle in wrong_handles() {
        fails!(INVALID_CONTEXT, cuCtxPushCurrent_v2(handle));
        fails!(INVALID_CONTEXT, cuCtxDestroy_v2(handle));
    }
    fails!(INVALID_CONTEXT, cuCtxSetCurrent(wrong_handles()[2]));
}

#[test]
fn a_context_is_current_in_one_thread_only_until_another_sets_it() {
    let context = TestContext::new();
    let handle = context.0.addr();
    thread::spawn(move || {
        fails!(INVALID_CONTEXT, cuMemAlloc_v2(&mut 0, 16));
        ok!(cuCtxSetCurrent(std::ptr::without_provenance_mut(handle)));
        let address = alloc(16);
        ok!(cuMemFree_v2(address));
    })
    .join()
    .unwrap();
}

#[test]
fn destroying_a_context_ends_what_is_in_it() {
    let outer = TestContext::new();
    let inner = TestContext::new();
    let (stream, event, address) = (stream(0), event(0), alloc(64));
    let handle = inner.0;
    drop(inner);
    assert_eq!(current(), outer.0, "the destroyed context leaves the stack");
    fails!(INVALID_HANDLE, cuStreamSynchronize(stream));
    fails!(INVALID_HANDLE, cuEventQuery(event));
    fails!(INVALID_VALUE, cuMemFree_v2(address));
    fails!(INVALID_CONTEXT, cuCtxSetCurrent(handle));
    fails!(INVALID_CONTEXT, cuCtxDestroy_v2(handle));
}

#[test]
fn a_destroyed_context_that_is_still_current_elsewhere_is_no_context() {
    let context = TestContext::new();
    ok!(cuCtxPushCurrent_v2(context.0));
    drop(context);
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 16)), CUresult::INVALID_CONTEXT);
    ok!(cuCtxSetCurrent(null_mut()));
}

#[test]
fn limits_and_settings_are_kept() {
    let _context = TestContext::new();
    let mut value = 0;
    ok!(cuCtxGetLimit(&mut value, 2));
    assert_eq!(value, 8 << 20);
    ok!(cuCtxSetLimit(2, 64 << 20));
    ok!(cuCtxGetLimit(&mut value, 2));
    assert_eq!(value, 64 << 20);
    // The heap is the device's.
    assert_eq!(crate::driver::state::driver().unwrap().device.heap().limit, 64 << 20);
    fails!(UNSUPPORTED_LIMIT, cuCtxGetLimit(&mut value, 3));
    fails!(UNSUPPORTED_LIMIT, cuCtxSetLimit(4, 1));
    fails!(INVALID_VALUE, cuCtxSetLimit(7, 1));
    fails!(INVALID_VALUE, cuCtxSetLimit(-1, 1));

    let mut config = -1;
    ok!(cuCtxSetCacheConfig(2));
    ok!(cuCtxGetCacheConfig(&mut config));
    assert_eq!(config, 2);
    fails!(INVALID_VALUE, cuCtxSetCacheConfig(4));
    ok!(cuCtxSetSharedMemConfig(1));
    ok!(cuCtxGetSharedMemConfig(&mut config));
    assert_eq!(config, 1);
    fails!(INVALID_VALUE, cuCtxSetSharedMemConfig(3));

    let (mut flags, mut version, mut device) = (99, 0, -1);
    ok!(cuCtxSetFlags(4));
    ok!(cuCtxGetFlags(&mut flags));
    ok!(cuCtxGetApiVersion(null_mut(), &mut version));
    ok!(cuCtxGetDevice(&mut device));
    assert_eq!((flags, version, device), (4, 3020, 0));
    fails!(INVALID_VALUE, cuCtxSetFlags(3));
    fails!(INVALID_VALUE, cuCtxSetFlags(0x100));

    let (mut least, mut greatest) = (1, 1);
    ok!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
    ok!(cuCtxGetStreamPriorityRange(null_mut(), null_mut()));
    assert_eq!((least, greatest), (0, 0));
}

#[test]
fn creation_checks_device_and_flags() {
    ok!(cuInit(0));
    let mut context = null_mut();
    fails!(INVALID_DEVICE, cuCtxCreate_v2(&mut context, 0, 1));
    fails!(INVALID_VALUE, cuCtxCreate_v2(&mut context, 3, 0));
    fails!(INVALID_VALUE, cuCtxCreate_v2(null_mut(), 0, 0));
    fails!(UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v3(&mut context, null_mut(), 1, 0, 0));
    fails!(NOT_SUPPORTED, cuCtxCreate_v4(&mut context, (&raw mut context).cast(), 0, 0));
    ok!(cuCtxCreate_v4(&mut context, null_mut(), 0, 0));
    ok!(cuCtxDestroy_v2(context));
    assert!(current().is_null());
}

/// One test, because there is one primary context in the process.
#[test]
fn the_primary_context() {
    ok!(cuInit(0));
    let state = || {
        let (mut flags, mut active) = (99, 99);
        ok!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        (flags, active)
    };
    assert_eq!(state(), (0, 0));
    fails!(INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    ok!(cuDevicePrimaryCtxSetFlags_v2(0, 4));
    fails!(INVALID_VALUE, cuDevicePrimaryCtxSetFlags_v2(0, 6));

    let (mut primary, mut again) = (null_mut(), null_mut());
    ok!(cuDevicePrimaryCtxRetain(&mut primary, 0));
    ok!(cuDevicePrimaryCtxRetain(&mut again, 0));
    assert_eq!((primary, state()), (again, (4, 1)));
    assert!(current().is_null(), "retaining makes nothing current");
    ok!(cuCtxSetCurrent(primary));
    fails!(INVALID_CONTEXT, cuCtxDestroy_v2(primary));

    let kept = stream(0);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    ok!(cuStreamQuery(kept));
    ok!(cuDevicePrimaryCtxReset_v2(0));
    fails!(INVALID_HANDLE, cuStreamQuery(kept));
    assert_eq!(state(), (4, 1), "who retained it goes on with it");
    alloc(16);

    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(state(), (4, 0));
    fails!(CONTEXT_IS_DESTROYED, cuMemAlloc_v2(&mut 0, 16));
    fails!(INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    ok!(cuDevicePrimaryCtxRetain(&mut again, 0));
    assert_eq!(again, primary, "the handle stays");
    alloc(16);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    fails!(INVALID_DEVICE, cuDevicePrimaryCtxRetain(&mut again, 1));
}

#[test]
fn nobody_is_a_peer() {
    let a = TestContext::new();
    let b = TestContext::new();
    let mut can = 1;
    ok!(cuDeviceCanAccessPeer(&mut can, 0, 0));
    assert_eq!(can, 0);
    fails!(INVALID_DEVICE, cuDeviceCanAccessPeer(&mut can, 0, 1));
    fails!(PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(a.0, 0));
    fails!(INVALID_CONTEXT, cuCtxEnablePeerAccess(b.0, 0));
    fails!(INVALID_VALUE, cuCtxEnablePeerAccess(a.0, 1));
}
