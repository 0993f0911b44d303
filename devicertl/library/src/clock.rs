//! `<time.h>`, `<sys/time.h>` and what waits: all clocks are the one of the GPU, which counts nanoseconds and which drivers start at the
//! time of day. It tells time and not work: a thread does not know how long it waited for others.

use super::process::invalid;
use core::ffi::{c_int, c_long, c_uint};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// `struct timespec`, and `struct timeval` with microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Whole seconds.
    pub seconds: i64,
    /// The rest.
    pub rest: c_long,
}

impl Time {
    fn of(nanoseconds: u64) -> Self {
        Self { seconds: (nanoseconds / SECOND) as i64, rest: (nanoseconds % SECOND) as c_long }
    }

    /// Nanoseconds, as far as they can be counted; nothing if it is no time that can pass.
    fn nanoseconds(self) -> Option<u64> {
        let rest = u64::try_from(self.rest).ok().filter(|rest| *rest < SECOND)?;
        Some(u64::try_from(self.seconds).ok()?.saturating_mul(SECOND).saturating_add(rest))
    }
}

/// What the clock says, in nanoseconds.
fn now() -> u64 {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            safe fn __omptarget_nanoseconds() -> u64;
        }
        __omptarget_nanoseconds()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // Tests only look at how it is told.
        1_700_000_000_123_456_789
    }
}

/// Lets so many nanoseconds pass, of one thread alone.
fn wait(nanoseconds: u64) {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            safe fn __omptarget_pause(nanoseconds: u32);
        }
        /// What the instruction takes at most.
        const MOST: u64 = 1_000_000;
        let start = now();
        while let left @ 1.. = nanoseconds.saturating_sub(now().wrapping_sub(start)) {
            __omptarget_pause(left.min(MOST) as u32);
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("no clock of a device that counts {nanoseconds}")
}

/// The clocks of Linux that can be asked for; a thread's and a process' are the device's.
const CLOCKS: core::ops::RangeInclusive<c_int> = 0..=7;

super::c_functions! {
    /// Microseconds, as `CLOCKS_PER_SEC` of POSIX has it, of time and not of work.
    fn clock() -> c_long { (now() / 1000) as c_long }
    fn time(to: *mut i64) -> i64 {
        let seconds = Time::of(now()).seconds;
        if !to.is_null() {
            to.write(seconds);
        }
        seconds
    }
    fn difftime(end: i64, start: i64) -> f64 { end.wrapping_sub(start) as f64 }
    fn clock_gettime(clock: c_int, to: *mut Time) -> c_int {
        if !CLOCKS.contains(&clock) {
            invalid();
            return -1;
        }
        to.write(Time::of(now()));
        0
    }
    /// The zone is not told, as glibc does not.
    fn gettimeofday(to: *mut Time, _zone: *mut u8) -> c_int {
        let Time { seconds, rest } = Time::of(now());
        to.write(Time { seconds, rest: rest / 1000 });
        0
    }
    /// `TIME_UTC` is the only base.
    fn timespec_get(to: *mut Time, base: c_int) -> c_int {
        if base != 1 {
            return 0;
        }
        to.write(Time::of(now()));
        base
    }
    /// Nothing interrupts it, so nothing of `_rest` is left.
    fn nanosleep(time: *const Time, _rest: *mut Time) -> c_int {
        let Some(nanoseconds) = time.read().nanoseconds() else {
            invalid();
            return -1;
        };
        wait(nanoseconds);
        0
    }
    fn usleep(microseconds: c_uint) -> c_int {
        wait(u64::from(microseconds) * 1000);
        0
    }
    fn sleep(seconds: c_uint) -> c_uint {
        wait(u64::from(seconds) * SECOND);
        0
    }
}
