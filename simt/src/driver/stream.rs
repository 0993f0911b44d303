//! Streams and the host functions in them.

use super::error::{CUresult, CuResult, put};
use super::object::{Event, Handle, Object, Stream};
use super::order::StreamOrder;
use super::state::{driver, host_function};
use super::types::{CUevent, CUhostFn, CUstream, CUstreamCallback, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex};

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the default stream.
pub(super) const NON_BLOCKING: c_uint = 1;

/// `cuStreamCreate`, `cuStreamCreateWithPriority`: there is one priority, and others are taken as it.
pub(super) unsafe fn create(stream: *mut CUstream, flags: c_uint) -> CuResult {
    let driver = driver()?;
    let context = driver.current()?;
    if flags & !NON_BLOCKING != 0 || stream.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let object = Stream { context, flags, lock: Arc::new(Mutex::new(())) };
    let handle = driver.state().insert(Object::Stream(object));
    // SAFETY: not null, so valid, as the API demands.
    unsafe { put(stream, handle.to_c()) }
}

/// `cuStreamDestroy`: the default streams cannot be destroyed.
pub(super) fn destroy(stream: CUstream) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    driver.state().remove::<Stream>(Handle::from_c(stream)).map(|_| ())
}

/// `cuStreamSynchronize`: waits for an operation that another thread has under way in the stream.
pub(super) fn synchronize(stream: CUstream) -> CuResult {
    let driver = driver()?;
    driver.stream_to_wait_for(stream)?.run(|| {});
    // The operation that was waited for may have failed.
    driver.stream_to_wait_for(stream).map(|_| ())
}

/// `cuStreamQuery`
pub(super) fn query(stream: CUstream) -> CuResult {
    if driver()?.stream_to_wait_for(stream)?.idle() { Ok(()) } else { Err(CUresult::NOT_READY) }
}

/// `cuStreamWaitEvent`: a recorded event is complete when `cuEventRecord` returns, so there is nothing to wait for.
pub(super) fn wait_event(stream: CUstream, event: CUevent, flags: c_uint) -> CuResult {
    let driver = driver()?;
    driver.stream_to_wait_for(stream)?;
    driver.state().get::<Event>(Handle::from_c(event))?;
    // 1 is CU_EVENT_WAIT_EXTERNAL, which matters to stream capture only.
    if flags <= 1 { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuStreamGetFlags`
pub(super) unsafe fn flags(stream: CUstream, flags: *mut c_uint) -> CuResult {
    let order = driver()?.stream(stream)?;
    let found = if matches!(order, StreamOrder::NonBlocking(_)) { NON_BLOCKING } else { 0 };
    // SAFETY: null or valid, as the API demands.
    unsafe { put(flags, found) }
}

/// `cuStreamGetPriority`
pub(super) unsafe fn priority(stream: CUstream, priority: *mut c_int) -> CuResult {
    driver()?.stream(stream)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(priority, 0) }
}

/// `cuStreamIsCapturing`: never, because capture cannot be begun.
pub(super) unsafe fn is_capturing(stream: CUstream, status: *mut c_int) -> CuResult {
    driver()?.stream(stream)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(status, 0) }
}

/// `cuLaunchHostFunc`: runs in this thread, before the call returns.
pub(super) unsafe fn launch_host_function(
    stream: CUstream,
    function: CUhostFn,
    data: *mut c_void,
) -> CuResult {
    let order = driver()?.stream(stream)?;
    let function = function.ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: the caller gives a function that may be called with `data`, once.
    order.run(|| host_function(|| unsafe { function(data) }));
    Ok(())
}

/// `cuStreamAddCallback`: as [`launch_host_function`], with the stream and the state of its context. The handle that
/// the callback gets is the one that was passed.
pub(super) unsafe fn add_callback(
    stream: CUstream,
    callback: CUstreamCallback,
    data: *mut c_void,
    flags: c_uint,
) -> CuResult {
    let order = driver()?.stream(stream)?;
    let callback = callback.ok_or(CUresult::INVALID_VALUE)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the caller gives a function that may be called with `data`, once.
    order.run(|| host_function(|| unsafe { callback(stream, CUresult::SUCCESS, data) }));
    Ok(())
}
