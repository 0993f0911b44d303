//! Streams, events, and host functions in streams.

use super::*;
use std::sync::mpsc;
use std::thread;

#[test]
fn streams_have_flags_and_one_priority() {
    let _context = TestContext::new();
    let (blocking, free) = (stream(0), stream(1));
    let mut with_priority = null_mut();
    ok!(cuStreamCreateWithPriority(&mut with_priority, 1, -5));
    for (handle, expected) in [(blocking, 0), (free, 1), (with_priority, 1), (DEFAULT, 0)] {
        let (mut flags, mut priority, mut capturing) = (99, 99, 99);
        ok!(cuStreamGetFlags(handle, &mut flags));
        ok!(cuStreamGetPriority(handle, &mut priority));
        ok!(cuStreamIsCapturing(handle, &mut capturing));
        ok!(cuStreamQuery(handle));
        ok!(cuStreamSynchronize(handle));
        assert_eq!((flags, priority, capturing), (expected, 0, 0));
    }
    for special in [CU_STREAM_LEGACY, CU_STREAM_PER_THREAD] {
        ok!(cuStreamSynchronize(std::ptr::without_provenance_mut(special)));
    }
    fails!(INVALID_VALUE, cuStreamCreate(null_mut(), 0));
    fails!(INVALID_VALUE, cuStreamCreate(&mut with_priority, 2));
}

#[test]
fn a_wrong_handle_is_refused_by_every_function() {
    let _context = TestContext::new();
    let (stream, event) = (stream(0), event(0));
    for wrong in wrong_handles().into_iter().skip(1).chain([event]) {
        fails!(INVALID_HANDLE, cuStreamSynchronize(wrong));
        fails!(INVALID_HANDLE, cuStreamQuery(wrong));
        fails!(INVALID_HANDLE, cuStreamDestroy_v2(wrong));
        fails!(INVALID_HANDLE, cuMemAllocAsync(&mut 0, 16, wrong));
        fails!(INVALID_HANDLE, cuEventRecord(event, wrong));
        fails!(INVALID_HANDLE, cuStreamWaitEvent(wrong, event, 0));
    }
    for wrong in wrong_handles().into_iter().chain([stream]) {
        fails!(INVALID_HANDLE, cuEventSynchronize(wrong));
        fails!(INVALID_HANDLE, cuEventDestroy_v2(wrong));
        fails!(INVALID_HANDLE, cuEventRecord(wrong, stream));
        fails!(INVALID_HANDLE, cuEventElapsedTime(&mut 0.0, event, wrong));
        fails!(INVALID_HANDLE, cuStreamWaitEvent(stream, wrong, 0));
        fails!(INVALID_HANDLE, cuModuleUnload(wrong));
        fails!(INVALID_HANDLE, cuModuleGetGlobal_v2(&mut 0, null_mut(), wrong, c"x".as_ptr()));
        fails!(INVALID_HANDLE, cuModuleGetFunction(&mut null_mut(), wrong, c"x".as_ptr()));
        fails!(INVALID_HANDLE, cuFuncGetAttribute(&mut 0, 0, wrong));
        fails!(INVALID_HANDLE, cuLaunchKernel(wrong, 1, 1, 1, 1, 1, 1, 0, DEFAULT, null_mut(), null_mut()));
        fails!(INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut 0, wrong, 32, 0));
        fails!(INVALID_VALUE, cuMemPoolTrimTo(wrong, 0));
    }
    ok!(cuStreamDestroy_v2(stream));
    ok!(cuEventDestroy(event));
    fails!(INVALID_HANDLE, cuStreamDestroy_v2(stream));
    fails!(INVALID_HANDLE, cuEventDestroy_v2(event));
    fails!(INVALID_HANDLE, cuStreamDestroy_v2(DEFAULT));
}

#[test]
fn an_old_handle_does_not_name_its_successor() {
    let _context = TestContext::new();
    let old: Vec<_> = (0..50).map(|_| stream(0)).collect();
    old.iter().for_each(|&stream| ok!(cuStreamDestroy_v2(stream)));
    let new: Vec<_> = (0..50).map(|_| stream(0)).collect();
    assert!(old.iter().all(|handle| !new.contains(handle)));
    old.iter().for_each(|&stream| fails!(INVALID_HANDLE, cuStreamQuery(stream)));
}

#[test]
fn a_stream_belongs_to_its_context() {
    let _outer = TestContext::new();
    let (outer_stream, outer_event) = (stream(0), event(0));
    let _inner = TestContext::new();
    ok!(cuStreamSynchronize(outer_stream));
    fails!(INVALID_HANDLE, cuMemAllocAsync(&mut 0, 16, outer_stream));
    fails!(INVALID_HANDLE, cuEventRecord(outer_event, DEFAULT));
    ok!(cuStreamWaitEvent(DEFAULT, outer_event, 0));
}

unsafe extern "C" fn add_one(data: *mut c_void) {
    // SAFETY: the tests pass a live i32.
    unsafe { *data.cast::<i32>() += 1 };
}

unsafe extern "C" fn status_of_a_call(data: *mut c_void) {
    let code = cu!(cuCtxSynchronize());
    // SAFETY: the tests pass a live code.
    unsafe { *data.cast::<CUresult>() = code };
}

unsafe extern "C" fn callback(stream: CUstream, status: CUresult, data: *mut c_void) {
    // SAFETY: the tests pass a live pair.
    unsafe { *data.cast::<(CUstream, CUresult)>() = (stream, status) };
}

#[test]
fn host_functions_run_once_and_must_not_call_the_driver() {
    let _context = TestContext::new();
    let own = stream(1);
    let mut count = 0;
    ok!(cuLaunchHostFunc(own, Some(add_one), (&raw mut count).cast()));
    ok!(cuLaunchHostFunc(DEFAULT, Some(add_one), (&raw mut count).cast()));
    assert_eq!(count, 2);
    fails!(INVALID_VALUE, cuLaunchHostFunc(own, None, null_mut()));

    let mut code = CUresult::SUCCESS;
    ok!(cuLaunchHostFunc(own, Some(status_of_a_call), (&raw mut code).cast()));
    assert_eq!(code, CUresult::NOT_PERMITTED);
    ok!(cuCtxSynchronize());

    let mut seen = (null_mut(), CUresult::UNKNOWN);
    ok!(cuStreamAddCallback(own, Some(callback), (&raw mut seen).cast(), 0));
    assert_eq!(seen, (own, CUresult::SUCCESS));
    fails!(INVALID_VALUE, cuStreamAddCallback(own, Some(callback), null_mut(), 1));
    fails!(INVALID_VALUE, cuStreamAddCallback(own, None, null_mut(), 0));
}

/// A host function that says that it runs and goes on when told to.
unsafe extern "C" fn stay(data: *mut c_void) {
    // SAFETY: the test passes live channels.
    let (started, go) = unsafe { &*data.cast::<(mpsc::Sender<()>, mpsc::Receiver<()>)>() };
    started.send(()).unwrap();
    go.recv().unwrap();
}

#[test]
fn a_stream_with_work_of_another_thread_is_not_ready() {
    let context = TestContext::new();
    let (busy, other, independent) = (stream(0), stream(0), stream(1));
    let (started, has_started) = mpsc::channel::<()>();
    let (go, wait) = mpsc::channel::<()>();
    let handles = [context.0.addr(), busy.addr()];
    thread::scope(|scope| {
        scope.spawn(move || {
            let [context, busy] = handles.map(std::ptr::without_provenance_mut);
            ok!(cuCtxSetCurrent(context));
            let mut channels = (started, wait);
            ok!(cuLaunchHostFunc(busy, Some(stay), (&raw mut channels).cast()));
        });
        has_started.recv().unwrap();
        fails!(NOT_READY, cuStreamQuery(busy));
        fails!(NOT_READY, cuStreamQuery(DEFAULT));
        ok!(cuStreamQuery(other));
        ok!(cuStreamSynchronize(other));
        ok!(cuStreamSynchronize(independent));
        go.send(()).unwrap();
        ok!(cuStreamSynchronize(busy));
    });
    ok!(cuStreamQuery(busy));
    ok!(cuStreamQuery(DEFAULT));
}

#[test]
fn events_measure_time_between_records() {
    let _context = TestContext::new();
    let (start, end, untimed) = (event(0), event(1), event(2));
    let mut time = -1.0;
    ok!(cuEventQuery(start));
    ok!(cuEventSynchronize(start));
    fails!(INVALID_HANDLE, cuEventElapsedTime(&mut time, start, end));
    ok!(cuEventRecord(start, DEFAULT));
    fails!(INVALID_HANDLE, cuEventElapsedTime(&mut time, start, end));
    ok!(cuEventRecord(end, stream(1)));
    ok!(cuEventElapsedTime(&mut time, start, end));
    assert!(time > 0.0 && time < 3.6e6, "{time} ms");
    let mut back = 0.0;
    ok!(cuEventElapsedTime_v2(&mut back, end, start));
    assert_eq!(back, -time);
    ok!(cuEventElapsedTime(&mut time, start, start));
    assert_eq!(time, 0.0);
    ok!(cuEventRecord(untimed, DEFAULT));
    fails!(INVALID_HANDLE, cuEventElapsedTime(&mut time, start, untimed));
    fails!(INVALID_VALUE, cuEventElapsedTime(null_mut(), start, end));
    fails!(INVALID_VALUE, cuEventCreate(&mut null_mut(), 8));
    fails!(NOT_SUPPORTED, cuEventCreate(&mut null_mut(), 6));
}

#[test]
fn a_thread_without_a_context_may_wait_for_streams_that_have_one() {
    let _context = TestContext::new();
    let (stream, event) = (stream(1).addr(), event(0).addr());
    ok!(cuEventRecord(std::ptr::without_provenance_mut(event), std::ptr::without_provenance_mut(stream)));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (stream, event) =
                (std::ptr::without_provenance_mut(stream), std::ptr::without_provenance_mut(event));
            ok!(cuStreamWaitEvent(stream, event, 0));
            ok!(cuStreamQuery(stream));
            ok!(cuStreamSynchronize(stream));
            ok!(cuEventSynchronize(event));
            fails!(INVALID_CONTEXT, cuStreamSynchronize(DEFAULT));
            fails!(INVALID_CONTEXT, cuEventRecord(event, stream));
        });
    });
}
