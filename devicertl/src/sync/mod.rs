//! Barriers, flush, critical sections, locks, single and masked.

use crate::{arch, state, state::par, tasking};
use abi::ident::Ident;

/// Barrier of the threads of the team.
#[inline(always)]
pub fn team_barrier() {
    if tasking::record::possible() {
        tasking::before_barrier();
    }
    if state::in_serial_region() {
        // A team of one: a barrier is a flush (OpenMP 5.2, 15.3.1).
        return arch::fence_device();
    }
    if state::is_spmd() {
        // Serial code of an SPMD kernel is run by all threads, so they meet there too.
        let size = state::team_size();
        if size == state::ALL_THREADS { arch::syncthreads_aligned() } else { barrier_of(size) }
    } else if par::active_levels(state::team_par()) == 0 {
        arch::fence_device()
    } else {
        barrier_of(state::team_threads())
    }
}

/// Barrier of the first `threads` threads of the block. The others may be at another barrier.
#[inline(always)]
fn barrier_of(threads: u32) {
    if threads.is_multiple_of(arch::WARP) {
        arch::barrier_count(arch::BARRIER_TEAM, threads)
    } else {
        odd_barrier(threads)
    }
}

/// Lanes of this warp that are among the first `threads` threads of the block. At least one must be.
#[inline(always)]
pub fn lanes_below(threads: u32) -> u32 {
    let before = arch::tid() & !(arch::WARP - 1);
    let lanes = threads.wrapping_sub(before).min(arch::WARP);
    arch::ALL_LANES >> (arch::WARP - lanes)
}

/// A hardware barrier waits for whole warps, and the rest of the last warp is elsewhere. So the lanes of each warp
/// meet, then one lane of each warp, then the lanes of each warp again.
#[cold]
#[inline(never)]
fn odd_barrier(threads: u32) {
    let lanes = lanes_below(threads);
    arch::syncwarp(lanes);
    if threads > arch::WARP && arch::tid().is_multiple_of(arch::WARP) {
        let warps = threads.div_ceil(arch::WARP);
        // Arrived warps in the lower half, rounds in the upper half.
        let word = state::barrier_word();
        // SAFETY: a variable of this team.
        unsafe {
            let before = arch::block_add_u32(word, 1);
            let round = before >> 16;
            if before & 0xffff == warps - 1 {
                arch::block_store_u32(word, round.wrapping_add(1) << 16);
            } else {
                while arch::block_load_u32(word) >> 16 == round {}
            }
        }
    }
    arch::syncwarp(lanes);
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_barrier(_loc: *const Ident, _gtid: i32) {
    team_barrier()
}

/// Barrier of all threads of an SPMD kernel; openmp-opt inserts calls.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __kmpc_barrier_simple_spmd(_loc: *const Ident, _gtid: i32) {
    arch::syncthreads_aligned()
}

/// Barrier of main thread and workers in a state machine that the compiler wrote.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __kmpc_barrier_simple_generic(_loc: *const Ident, _gtid: i32) {
    arch::barrier(arch::BARRIER_REGION)
}

/// A barrier that is also a cancellation point. cancel-var is false on the device, so nothing is ever cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel_barrier(_loc: *const Ident, _gtid: i32) -> i32 {
    team_barrier();
    0
}

/// With cancel-var false `cancel` is ignored (OpenMP 5.2, 16.1): 0 means go on.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel(_loc: *const Ident, _gtid: i32, _kind: i32) -> i32 {
    0
}

/// As [`__kmpc_cancel`].
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancellationpoint(_loc: *const Ident, _gtid: i32, _kind: i32) -> i32 {
    0
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_flush(_loc: *const Ident) {
    arch::fence_device()
}

/// Whether this thread runs the block.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_master(_loc: *const Ident, _gtid: i32) -> i32 {
    (state::thread_num() == 0) as i32
}

/// The end of the block needs nothing: no thread waits for it.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_master(_loc: *const Ident, _gtid: i32) {}

/// Whether this thread runs the block.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_masked(_loc: *const Ident, _gtid: i32, filter: i32) -> i32 {
    (state::thread_num() as i32 == filter) as i32
}

/// The end of the block needs nothing: no thread waits for it.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_masked(_loc: *const Ident, _gtid: i32) {}

/// Whether this thread runs the block. Any one thread may be chosen (OpenMP 5.2, 11.1); it is the first.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_single(_loc: *const Ident, _gtid: i32) -> i32 {
    (state::thread_num() == 0) as i32
}

/// The end of the block needs nothing: the compiler writes the barrier, unless `nowait`.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_single(_loc: *const Ident, _gtid: i32) {}

/// Locks: 0 is free, 1 is taken. Teams exclude each other too, as programs expect of a name.
mod lock {
    use crate::arch;

    pub const FREE: u32 = 0;
    const TAKEN: u32 = 1;
    /// Longest pause between two attempts, in nanoseconds.
    const LONGEST_PAUSE: u32 = 1024;

    /// Whether the lock was free; then it is the caller's.
    ///
    /// # Safety
    /// `word` must be a lock.
    #[inline(always)]
    pub unsafe fn try_take(word: *mut u32) -> bool {
        // SAFETY: as the caller promises.
        unsafe { arch::device_cas_u32(word, FREE, TAKEN) == FREE }
    }

    /// Lanes of one warp may wait for each other: the one that has the lock goes on while the others pause.
    ///
    /// # Safety
    /// `word` must be a lock.
    pub unsafe fn take(word: *mut u32) {
        let mut pause = 8;
        // SAFETY: as the caller promises.
        while unsafe { !try_take(word) } {
            arch::backoff(pause);
            if pause < LONGEST_PAUSE {
                pause *= 2;
            }
        }
    }

    /// # Safety
    /// `word` must be a lock that the caller has taken.
    #[inline(always)]
    pub unsafe fn release(word: *mut u32) {
        // SAFETY: as the caller promises.
        unsafe { arch::device_store_u32(word, FREE) }
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical(_loc: *const Ident, _gtid: i32, name: *mut u32) {
    // SAFETY: the compiler's zeroed variable for this name.
    unsafe { lock::take(name) }
}

/// A hint does not change the meaning (OpenMP 5.2, 15.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical_with_hint(
    _loc: *const Ident,
    _gtid: i32,
    name: *mut u32,
    _hint: i32,
) {
    // SAFETY: the compiler's zeroed variable for this name.
    unsafe { lock::take(name) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_critical(_loc: *const Ident, _gtid: i32, name: *mut u32) {
    // SAFETY: the compiler's variable for this name, which this thread has taken.
    unsafe { lock::release(name) }
}

/// `omp_lock_t` is 8 bytes, of which the lock is the first four.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_lock(lock: *mut u32) {
    // SAFETY: the user's lock.
    unsafe { arch::device_store_u32(lock, lock::FREE) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_lock(lock: *mut u32) {
    // SAFETY: the user's lock.
    unsafe { arch::device_store_u32(lock, lock::FREE) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_lock(lock: *mut u32) {
    // SAFETY: the user's lock.
    unsafe { lock::take(lock) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_unset_lock(lock: *mut u32) {
    // SAFETY: the user's lock.
    unsafe { lock::release(lock) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_test_lock(lock: *mut u32) -> i32 {
    // SAFETY: the user's lock.
    unsafe { lock::try_take(lock) as i32 }
}
