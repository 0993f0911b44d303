//! Synchronisation: here barriers, flush, single and masked; below it locks, cancellation, and what is built on them.

pub mod atomic16;
pub mod cancel;
pub mod copyprivate;
pub mod lock;
pub mod reduce;

use crate::{
    arch, config, state,
    state::{RegionNumber, ThisThread, par},
    tasking,
};
use abi::ident::Ident;

/// Barrier of the threads of the team.
#[inline(always)]
pub fn team_barrier() {
    barrier(RegionNumber::NONE, true)
}

/// Barrier of the threads of the team, `number` and `lone` as below.
#[inline(always)]
fn barrier(number: RegionNumber, lone: bool) {
    if tasking::record::possible() {
        tasking::before_barrier();
    }
    meet_as(number, lone)
}

/// Waits for the threads of the team, as a barrier does, but is none of the program's: no tasks are run.
#[inline(always)]
pub fn meet_team() {
    meet_as(RegionNumber::NONE, true)
}

/// Waits for the threads of the team. `number` is what the thread was told in its region, if known; `lone`: in serial code of
/// an SPMD kernel one thread may be here without the others.
#[inline(always)]
fn meet_as(number: RegionNumber, lone: bool) {
    if number.team_size().is_none() {
        // Asked once for both kinds of kernel: each question is a step that openmp-opt takes at every barrier.
        let par = state::team_par();
        if is_generic() {
            return generic_barrier(par::active_levels(par) == 0);
        }
        if lone && state::has_serial_code() && par::level(par) == 0 {
            // The team of serial code is one thread, whether all threads come here with it or that one.
            return arch::fence_device();
        }
    }
    spmd_barrier(number)
}

/// As [`meet_team`], of a thread that knows that it is neither in serial code nor in a region of one thread.
#[inline(always)]
pub fn meet_in_region() {
    if is_generic() { generic_barrier(false) } else { spmd_barrier(RegionNumber::NONE) }
}

/// Whether the kernel is generic. clang passes functions with barriers on, so openmp-opt does not know which kernels ask the
/// first question. The second has the same answer, and one that it knows in a file whose kernels are all SPMD.
#[inline(always)]
fn is_generic() -> bool {
    !state::is_spmd() && state::spmd_word() == 0
}

/// Barrier in a region of an SPMD kernel.
#[inline(always)]
fn spmd_barrier(number: RegionNumber) {
    // The region's number answers all other questions, or one word does, in kernels in which they stay any. Lanes of a warp may read
    // different values of it, so all ways to a barrier of the block lead to the same instruction.
    let size = number.team_size();
    let of_block =
        size.map_or_else(|| number.is_of_block() || state::partial() == 0, |size| size == state::ALL_THREADS);
    if (of_block && !cancel::may_happen()) || (size.is_none() && is_of_block()) {
        arch::syncthreads_aligned()
    } else if let Some(size) = size {
        barrier_in_region(size)
    }
}

/// Barrier in a generic kernel. What is not one of the machine is a single call: kernels have many barriers, and for each
/// word of the state openmp-opt asks of every call in a kernel what it can reach. `alone` says that the kernel's own team is one
/// thread.
#[inline(always)]
fn generic_barrier(alone: bool) {
    let cancels = cancel::may_happen();
    // Not known yet.
    let mut threads = 1;
    if !state::any_own() && !cancels {
        if alone {
            return arch::fence_device();
        }
        threads = state::team_threads();
    }
    if !threads.is_multiple_of(arch::WARP) {
        threads = rare_barrier(cancels, threads);
        if threads == 0 {
            return;
        }
    }
    arch::barrier_count(arch::BARRIER_TEAM, threads)
}

/// Barrier in a generic kernel, of any team; `cancels` is [`cancel::may_happen`] where it was met, `threads` the size of the kernel's
/// team if the thread is known to be in that, else 1. If it is a barrier of the machine after all, its number of threads, else 0 when it is done.
#[cold]
#[inline(never)]
fn rare_barrier(cancels: bool, mut threads: u32) -> u32 {
    // Lanes of a warp may know different things: all ways to a barrier lead to the same instruction.
    if threads == 1 {
        let this = state::this_thread();
        if this.in_serial_region() {
            // A team of one: a barrier is a flush (OpenMP 5.2, 15.3.1).
            arch::fence_device();
            return 0;
        }
        if state::has_small_teams() && !this.nested_team().is_null() {
            if cancels {
                cancel::barrier(this.num_threads())
            } else {
                nested_barrier()
            }
            return 0;
        }
        if par::active_levels(state::team_par()) == 0 {
            arch::fence_device();
            return 0;
        }
        threads = state::team_threads();
        if cancels {
            cancel::barrier(threads);
            return 0;
        }
        if threads.is_multiple_of(arch::WARP) {
            return threads;
        }
    }
    odd_barrier(threads);
    0
}

/// Whether a barrier in a region of an SPMD kernel is one of all threads of the block. If not, it is done.
#[cold]
#[inline(never)]
fn is_of_block() -> bool {
    let size = state::team_size_in_function();
    if state::in_serial_region() {
        arch::fence_device()
    } else if size == state::ALL_THREADS && !cancel::may_happen() {
        return true;
    } else {
        rare_barrier_in_region(size)
    }
    false
}

/// Barrier of a region of an SPMD kernel, of `size` threads as the state has it, in a kernel that cancels or not of all of the block.
#[cold]
#[inline(never)]
fn barrier_in_region(size: u32) {
    rare_barrier_in_region(size)
}

/// As [`barrier_in_region`], in line.
#[inline(always)]
fn rare_barrier_in_region(size: u32) {
    if cancel::may_happen() {
        cancel::barrier(if size == state::ALL_THREADS { arch::ntid() } else { size })
    } else {
        barrier_of(size)
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

/// Barrier of the team's `threads` threads, in any kernel, without regard to cancellation.
#[inline(always)]
fn machine_barrier(threads: u32) {
    if !state::nested_team().is_null() {
        nested_barrier()
    } else if state::is_spmd() && state::team_size() == state::ALL_THREADS {
        arch::syncthreads_aligned()
    } else {
        barrier_of(threads)
    }
}

/// Lanes of this warp that are among the first `threads` threads of the block. At least one must be.
#[inline(always)]
pub fn lanes_below(threads: u32) -> u32 {
    let before = arch::tid() & !(arch::WARP - 1);
    let lanes = threads.wrapping_sub(before).min(arch::WARP);
    arch::ALL_LANES >> (arch::WARP - lanes)
}

/// Barrier of the first `threads` threads of the block, whose last warp is not whole. A hardware barrier waits for whole
/// warps, and the rest of that one is elsewhere. So the lanes of each warp meet, then one lane of each, then the lanes again. They are in no
/// nested team.
#[inline(always)]
fn odd_barrier(threads: u32) {
    let lanes = lanes_below(threads);
    arch::syncwarp(lanes);
    if threads > arch::WARP {
        if arch::tid().is_multiple_of(arch::WARP) {
            meet(ThisThread::WITHOUT_STATE, threads / arch::WARP + 1);
        }
        arch::syncwarp(lanes);
    }
}

/// Barrier of the threads of a nested team.
#[cold]
#[inline(never)]
fn nested_barrier() {
    let this = state::this_thread();
    meet(this, this.num_threads())
}

/// Waits until `count` threads of the team of `this` are here.
fn meet(this: ThisThread, count: u32) {
    let word = this.barrier_word();
    // SAFETY: a variable of this team.
    unsafe {
        let before = arch::block_inc_u32(word);
        let round = before >> 16;
        if before & 0xffff == count - 1 {
            arch::block_store_u32(word, round.wrapping_add(1) << 16);
        }
        // The last one looks, too: apart from the other lanes of its warp it would come behind their waiting.
        while arch::block_load_u32(word) >> 16 == round {
            arch::backoff(PAUSE);
        }
    }
}

/// Nanoseconds between two looks at a barrier's word.
const PAUSE: u32 = 32;

/// Barrier of a program. In serial code that all threads of an SPMD kernel run together a barrier of theirs is as good as that of a team
/// of one, so nobody asks which it is: in clang's default mode LLVM cannot answer, and with a question at each barrier ptxas spills.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_barrier(_loc: *const Ident, gtid: i32) {
    barrier(RegionNumber::of(gtid), config::lone_barriers())
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
