//! Critical sections, simple locks and nestable locks.
//!
//! A simple lock and the name of a critical section are a word: 0 is free, 1 is taken. Teams exclude each other too, as
//! programs expect of a name, so all of it has the scope of the device: taking is an acquire, releasing a release.
//! Lanes of one warp may wait for each other: the one that has the lock goes on while the others pause.
//!
//! Hints do not change the meaning (OpenMP 5.2, 15.1), and there is one way to wait.
//!
//! With the checks of [`crate::debug`] a taken lock holds its thread instead of 1, so misuse is found.

use crate::{
    arch::{self, Failure},
    config, debug,
};
use abi::ident::Ident;
use core::ptr::null;

/// A lock that nobody has.
pub const FREE: u32 = 0;
const TAKEN: u32 = 1;
/// Bit of a lock that holds a thread.
const OWNED: u32 = 1 << 31;
/// Longest pause between two attempts, in nanoseconds.
const LONGEST_PAUSE: u32 = 1024;

/// Tries until `attempt` succeeds, with longer and longer pauses.
#[inline(always)]
fn until(attempt: impl Fn() -> bool) {
    let mut pause = 8;
    while !attempt() {
        arch::backoff(pause);
        if pause < LONGEST_PAUSE {
            pause *= 2;
        }
    }
}

/// What a lock holds that this thread has taken.
#[inline(always)]
fn taken() -> u32 {
    if config::debug(debug::CHECKS) { OWNED | arch::ctaid() << 10 | arch::tid() } else { TAKEN }
}

/// Ends the program, with the checks on, if `holds` does not for what the lock holds.
///
/// # Safety
/// `word` must be a lock.
#[inline(always)]
unsafe fn check(why: Failure, place: *const Ident, word: *mut u32, holds: impl FnOnce(u32) -> bool) {
    debug::check(why, place, 0, || {
        // SAFETY: as the caller promises.
        let now = unsafe { arch::device_load_u32(word) };
        if now != FREE && now & OWNED == 0 {
            debug::fail(Failure::LockUninitialised, place, 0);
        }
        holds(now)
    })
}

/// Whether the lock was free; then it is the caller's.
///
/// # Safety
/// `word` must be a lock.
#[inline(always)]
unsafe fn try_take(word: *mut u32) -> bool {
    // SAFETY: as the caller promises.
    unsafe { arch::device_cas_u32(word, FREE, taken()) == FREE }
}

/// Waits for the lock.
///
/// # Safety
/// `word` must be a lock.
pub unsafe fn take(word: *mut u32) {
    // SAFETY: as the caller promises.
    until(|| unsafe { try_take(word) })
}

/// Frees the lock.
///
/// # Safety
/// `word` must be a lock that the caller has taken.
#[inline(always)]
pub unsafe fn release(word: *mut u32) {
    // SAFETY: as the caller promises.
    unsafe { arch::device_store_u32(word, FREE) }
}

/// A nestable lock: the owner above bit 20, below how often it has it; 0 is free.
///
/// The owner is the thread, by its number in the grid. (The specification says the task: a thread that runs another task
/// while one of its tasks has the lock could take it again. LLVM's host runtime does the same.)
mod nest {
    use super::{arch, until};

    const COUNT_BITS: u32 = 20;
    const COUNT: u64 = (1 << COUNT_BITS) - 1;

    /// What a lock holds that this thread has taken once. The grid has less than 2^31 blocks, a block at most 2^10 threads.
    #[inline(always)]
    fn mine() -> u64 {
        let thread = (arch::ctaid() as u64) << 10 | arch::tid() as u64;
        (thread + 1) << COUNT_BITS | 1
    }

    /// How often this thread has the lock now; 0 if another one has it.
    ///
    /// # Safety
    /// `word` must be a nestable lock.
    #[inline(always)]
    pub unsafe fn try_take(word: *mut u64) -> u32 {
        let mine = mine();
        // SAFETY: as the caller promises.
        let held = unsafe { arch::device_cas_u64(word, 0, mine) };
        if held == 0 {
            1
        } else if held >> COUNT_BITS == mine >> COUNT_BITS {
            // Only the owner changes a lock that is taken.
            // SAFETY: as the caller promises.
            (unsafe { arch::device_add_u64(word, 1) } & COUNT) as u32 + 1
        } else {
            0
        }
    }

    /// Whether this thread has the lock.
    ///
    /// # Safety
    /// `word` must be a nestable lock.
    pub unsafe fn is_mine(word: *mut u64) -> bool {
        // SAFETY: as the caller promises; nothing changes.
        unsafe { arch::device_cas_u64(word, 0, 0) >> COUNT_BITS == mine() >> COUNT_BITS }
    }

    /// Whether nobody has the lock.
    ///
    /// # Safety
    /// `word` must be a nestable lock.
    pub unsafe fn is_free(word: *mut u64) -> bool {
        // SAFETY: as the caller promises; nothing changes.
        unsafe { arch::device_cas_u64(word, 0, 0) == 0 }
    }

    /// Waits for the lock.
    ///
    /// # Safety
    /// `word` must be a nestable lock.
    #[inline(always)]
    pub unsafe fn take(word: *mut u64) {
        // SAFETY: as the caller promises.
        until(|| unsafe { try_take(word) } != 0)
    }

    /// Gives back one of the times that the lock was taken; the last one frees it.
    ///
    /// # Safety
    /// `word` must be a nestable lock that this thread has.
    #[inline(always)]
    pub unsafe fn release(word: *mut u64) {
        let mine = mine();
        // One attempt decides: nobody else changes the lock while this thread has it.
        // SAFETY: as the caller promises.
        unsafe {
            if arch::device_cas_u64(word, mine, 0) != mine {
                arch::device_add_u64(word, 1u64.wrapping_neg());
            }
        }
    }
}

macro_rules! locks {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => { $(
        #[allow(missing_docs)]
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            // SAFETY: the compiler's zeroed variable for the name of a critical section, or the user's lock in the state
            // that the specification asks for.
            unsafe { $body }
        }
    )* };
}
locks! {
    fn __kmpc_critical(loc: *const Ident, _gtid: i32, name: *mut u32) {
        check(Failure::LockOwn, loc, name, |now| now != taken());
        take(name)
    }
    fn __kmpc_critical_with_hint(loc: *const Ident, _gtid: i32, name: *mut u32, _hint: i32) {
        check(Failure::LockOwn, loc, name, |now| now != taken());
        take(name)
    }
    fn __kmpc_end_critical(_loc: *const Ident, _gtid: i32, name: *mut u32) { release(name) }

    /// `omp_lock_t` is 8 bytes, of which the lock is the first four.
    fn omp_init_lock(lock: *mut u32) { release(lock) }
    fn omp_init_lock_with_hint(lock: *mut u32, _hint: i32) { release(lock) }
    fn omp_destroy_lock(lock: *mut u32) {
        check(Failure::LockDestroyed, null(), lock, |now| now == FREE);
        release(lock)
    }
    fn omp_set_lock(lock: *mut u32) {
        check(Failure::LockOwn, null(), lock, |now| now != taken());
        take(lock)
    }
    fn omp_unset_lock(lock: *mut u32) {
        check(Failure::LockNotSet, null(), lock, |now| now == taken());
        release(lock)
    }
    fn omp_test_lock(lock: *mut u32) -> i32 {
        check(Failure::LockUninitialised, null(), lock, |_| true);
        try_take(lock) as i32
    }

    /// `omp_nest_lock_t` is 8 bytes.
    fn omp_init_nest_lock(lock: *mut u64) { arch::device_store_u64(lock, 0) }
    fn omp_init_nest_lock_with_hint(lock: *mut u64, _hint: i32) { arch::device_store_u64(lock, 0) }
    fn omp_destroy_nest_lock(lock: *mut u64) {
        debug::check(Failure::LockDestroyed, null(), 0, || nest::is_free(lock));
        arch::device_store_u64(lock, 0)
    }
    fn omp_set_nest_lock(lock: *mut u64) { nest::take(lock) }
    fn omp_unset_nest_lock(lock: *mut u64) {
        debug::check(Failure::LockNotSet, null(), 0, || nest::is_mine(lock));
        nest::release(lock)
    }
    fn omp_test_nest_lock(lock: *mut u64) -> i32 { nest::try_take(lock) as i32 }
}
