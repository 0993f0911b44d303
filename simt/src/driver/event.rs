//! Events: points in a stream, with the time of the host's clock.

use super::error::{CUresult, CuResult, put};
use super::object::{Event, Handle, Object};
use super::state::driver;
use super::types::{CUevent, CUstream, c_uint};
use std::time::Instant;

/// `CU_EVENT_DISABLE_TIMING`
const DISABLE_TIMING: c_uint = 2;
/// `CU_EVENT_INTERPROCESS`
const INTERPROCESS: c_uint = 4;

/// `cuEventCreate`
pub(super) unsafe fn create(event: *mut CUevent, flags: c_uint) -> CuResult {
    let driver = driver()?;
    let context = driver.current()?;
    if flags > 7 || event.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & INTERPROCESS != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let handle = driver.state().insert(Object::Event(Event { context, flags, recorded: None }));
    // SAFETY: not null, so valid, as the API demands.
    unsafe { put(event, handle.to_c()) }
}

/// `cuEventDestroy`
pub(super) fn destroy(event: CUevent) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    driver.state().remove::<Event>(Handle::from_c(event)).map(|_| ())
}

/// `cuEventRecord`: event and stream must be of the same context.
pub(super) fn record(event: CUevent, stream: CUstream) -> CuResult {
    let driver = driver()?;
    let context = driver.current()?;
    let order = driver.stream(stream)?;
    let handle = Handle::from_c(event);
    if driver.state().get::<Event>(handle)?.context != context {
        return Err(CUresult::INVALID_HANDLE);
    }
    let now = order.run(Instant::now);
    driver.state().get_mut::<Event>(handle)?.recorded = Some(now);
    Ok(())
}

/// `cuEventRecordWithFlags`: 1 is `CU_EVENT_RECORD_EXTERNAL`, which matters to stream capture only.
pub(super) fn record_with_flags(event: CUevent, stream: CUstream, flags: c_uint) -> CuResult {
    if flags <= 1 { record(event, stream) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuEventQuery` and `cuEventSynchronize`: an event that was recorded, or never was, is complete.
pub(super) fn complete(event: CUevent) -> CuResult {
    let driver = driver()?;
    let state = driver.state();
    let context = state.get::<Event>(Handle::from_c(event))?.context;
    state.usable(context).map(|_| ())
}

/// `cuEventElapsedTime`, in milliseconds of the host's clock; both events must have been recorded with timing on.
pub(super) unsafe fn elapsed(milliseconds: *mut f32, start: CUevent, end: CUevent) -> CuResult {
    let driver = driver()?;
    let state = driver.state();
    let time = |event| {
        let event = state.get::<Event>(Handle::from_c(event))?;
        if event.flags & DISABLE_TIMING != 0 {
            return Err(CUresult::INVALID_HANDLE);
        }
        event.recorded.ok_or(CUresult::INVALID_HANDLE)
    };
    let (start, end) = (time(start)?, time(end)?);
    let forward = end.saturating_duration_since(start).as_secs_f64();
    let backward = start.saturating_duration_since(end).as_secs_f64();
    // SAFETY: null or valid, as the API demands.
    unsafe { put(milliseconds, ((forward - backward) * 1e3) as f32) }
}
