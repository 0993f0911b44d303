//! Constructs with `nowait`: the target task leaves its thread while the device works (LLVM: `TaskAsyncInfoWrapperTy`).
//!
//! libomp has a place for a handle in each target task. A construct whose device work is not done puts what is left of it
//! there. libomp then lets the thread run other tasks and asks by `__tgt_target_nowait_query` from time to time, until
//! the place is empty again; only then the task is complete and its dependences are fulfilled.

use crate::env::QueryCount;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::libomp;
use crate::region::Region;
use core::cell::Cell;
use core::ffi::c_void;
use std::sync::Arc;

/// A construct of which only the device's work and what comes behind it is left.
#[derive(Debug)]
pub(crate) struct Unfinished<'d> {
    pub region: Region<'d>,
    /// The kernel that was launched, if any.
    pub kernel: Option<Arc<Kernel>>,
}

impl Unfinished<'_> {
    /// Waits for the device and completes the construct.
    pub fn finish(self) -> Result<()> {
        let Self { region, kernel } = self;
        let location = region.location;
        region.finish().map_err(|error| match kernel {
            Some(kernel) => kernel.failed_at_end(location, error),
            None => error,
        })
    }

    /// Whether there is nothing to wait for. Errors come out when the construct is finished.
    fn is_done(&mut self) -> bool {
        self.region.is_done().unwrap_or(true)
    }
}

/// Completes a construct, or leaves it to later queries if it has `nowait`, is in a target task and is not done.
pub(crate) fn finish(mut unfinished: Unfinished<'static>, nowait: bool) -> Result<()> {
    if nowait
        && let Some(place) = libomp::async_handle()
        && !unfinished.is_done()
    {
        // SAFETY: the place of this thread's task, which is empty and lives as long as the task.
        unsafe { place.write(leave(unfinished)) };
        return Ok(());
    }
    unfinished.finish()
}

fn leave(unfinished: Unfinished<'static>) -> *mut c_void {
    Box::into_raw(Box::new(unfinished)).cast()
}

/// Asks for a construct that was left; waits for it when this thread has asked in vain too often. The place is empty
/// again when the construct is complete, or has failed.
///
/// # Safety
/// `place` holds what [`finish`] put there, and nobody else uses it now.
pub(crate) unsafe fn query(place: *mut *mut c_void, count: QueryCount) -> Result<()> {
    // SAFETY: the contract of this function.
    let left = unsafe { place.read() }.cast::<Unfinished<'static>>();
    // SAFETY: as above.
    let unfinished = unsafe { &mut *left };
    // The task may have come to another thread.
    unfinished.region.device.device.bind()?;
    let done = asked_too_often(count) || unfinished.is_done();
    note_answer(count, done);
    if !done {
        return Ok(());
    }
    // SAFETY: made by `leave`; the place is emptied, so nobody finds it again.
    let unfinished = unsafe {
        place.write(core::ptr::null_mut());
        Box::from_raw(left)
    };
    unfinished.finish()
}

thread_local! {
    /// Questions of this thread that were in vain, less what good answers took away.
    static IN_VAIN: Cell<u32> = const { Cell::new(0) };
}

fn asked_too_often(count: QueryCount) -> bool {
    IN_VAIN.get() > count.threshold
}

fn note_answer(count: QueryCount, done: bool) {
    IN_VAIN.set(match (done, IN_VAIN.get()) {
        (true, questions) => (questions as f32 * count.backoff_factor) as u32,
        (false, questions) => count.max.min(questions + 1),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, addr_mut, location, owned};
    use core::ptr::null_mut;

    const PATIENT: QueryCount = QueryCount { max: 10, threshold: 5, backoff_factor: 0.5 };

    /// A construct that copies `data` back at its end, left behind.
    fn left_behind(fixture: &'static Fixture, data: &mut [u64; 1]) -> *mut c_void {
        let map = [(addr_mut(data), addr_mut(data), 8, 0x3)];
        fixture.begin(&map).unwrap();
        fixture.set_device_u64(map[0].0, 7);
        let mut region = Region::start(&fixture.offload, location()).unwrap();
        let mut maps = owned(&map);
        // SAFETY: the tests keep the memory until the construct is complete.
        region.end(&unsafe { maps.view() }).unwrap();
        fixture.recorder.take_calls();
        leave(Unfinished { region, kernel: None })
    }

    fn fixture() -> &'static Fixture {
        Box::leak(Box::new(Fixture::new()))
    }

    #[test]
    fn the_place_is_emptied_when_the_device_is_done() {
        let (fixture, mut data) = (fixture(), [1_u64]);
        let mut place = left_behind(fixture, &mut data);
        fixture.recorder.set_busy(true);
        // SAFETY: the place holds what was left.
        unsafe { query(&mut place, PATIENT) }.unwrap();
        assert!(!place.is_null());
        assert_eq!(fixture.recorder.count("synchronize"), 0);
        assert_eq!(fixture.count(data.as_ptr().addr()), "0", "the entry stays while the copy runs");
        fixture.recorder.set_busy(false);
        // SAFETY: as above.
        unsafe { query(&mut place, PATIENT) }.unwrap();
        assert_eq!((place, data), (null_mut(), [7]));
        assert_eq!(fixture.count(data.as_ptr().addr()), "-");
    }

    #[test]
    fn who_asks_too_often_waits() {
        let (fixture, mut data) = (fixture(), [1_u64]);
        let mut place = left_behind(fixture, &mut data);
        fixture.recorder.set_busy(true);
        let mut questions = 0;
        while !place.is_null() {
            questions += 1;
            // SAFETY: the place holds what was left.
            unsafe { query(&mut place, PATIENT) }.unwrap();
        }
        assert_eq!((questions, fixture.recorder.count("synchronize")), (7, 1), "six in vain");
        assert_eq!(IN_VAIN.get(), 3);
    }

    #[test]
    fn an_error_empties_the_place_too() {
        let (fixture, mut data) = (fixture(), [1_u64]);
        let mut place = left_behind(fixture, &mut data);
        fixture.recorder.fail("query");
        // SAFETY: the place holds what was left.
        unsafe { query(&mut place, PATIENT) }.unwrap();
        assert!(place.is_null(), "a question that failed is followed by a wait, which tells errors");
        let mut place = left_behind(fixture, &mut data);
        fixture.recorder.fail("synchronize");
        fixture.recorder.set_busy(true);
        IN_VAIN.set(PATIENT.max);
        // SAFETY: as above.
        let error = unsafe { query(&mut place, PATIENT) }.unwrap_err();
        assert!(place.is_null() && error.to_string().contains("synchronize"));
    }
}
