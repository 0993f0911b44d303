//! Cancellation (OpenMP 5.2, 16.1 and 16.2) of parallel regions, loops and sections; taskgroups do it themselves.
//!
//! What is cancelled stands in a word of the team, a bit for each kind. clang writes a branch to the end of the construct
//! after each `cancel` and `cancellation point`; for a parallel region the way there has one barrier, whose arrival
//! [`barrier`] takes as a leave: later barriers do not wait for this thread. clang writes no check behind
//! `__kmpc_barrier` in device code, so the other threads go on until they meet a cancellation point, as a smaller team;
//! `__kmpc_cancel_barrier`, which flang writes, sends them to the end at once.
//!
//! **Cost.** Threads arrive at such barriers from different places, some arrive never, so in a kernel that cancels the
//! team's barriers are not the machine's: they count in a word. Which kernels these are says [`may_happen`], a constant
//! behind openmp-opt: what it guards is not there in other kernels, and not run while cancel-var is false.
//!
//! **Reset.** A cancelled loop must not be `nowait` (OpenMP 5.2, 16.1), so all threads meet at a barrier before another
//! loop can be cancelled, and whoever is last there resets the loop's bits before the others go on. The end of a parallel
//! region resets all. (As in LLVM's host runtime, a cancellation point in a `nowait` loop also sees that a later
//! loop, which a faster thread has reached, is cancelled.)

use super::team_barrier;
use crate::{arch, config, state, state::ThisThread, tasking::group, worksharing};
use abi::ident::Ident;

/// Constructs that can be cancelled, by clang's numbers.
mod kind {
    pub const PARALLEL: i32 = 1;
    pub const LOOP: i32 = 2;
    pub const SECTIONS: i32 = 3;
    pub const TASKGROUP: i32 = 4;
}

const PARALLEL: u32 = 1 << kind::PARALLEL;
const WORKSHARING: u32 = 1 << kind::LOOP | 1 << kind::SECTIONS;

/// Whether the kernel has cancellation constructs.
///
/// Their functions write 1 to [`state::cancel_mark`], the start of the kernel writes 0 and nobody else writes it: without
/// them the compiler knows in the end that it is 0. Where it also knows it in a kernel that has them, no thread can have cancelled
/// anything yet. Where it does not know, the value does not matter.
#[inline(always)]
pub fn may_happen() -> bool {
    let mark = state::cancel_mark();
    !arch::is_constant(mark) || mark != 0
}

/// The team's barrier as one word: arrived threads in the lowest 11 bits, threads that have left the region in the next
/// 11, rounds above.
mod word {
    pub const ARRIVE: u32 = 1;
    pub const LEAVE: u32 = 1 << FIELD;
    const FIELD: u32 = 11;
    const MASK: u32 = (1 << FIELD) - 1;

    pub const fn round(word: u32) -> u32 {
        word >> (2 * FIELD)
    }

    /// Threads that need not come any more in this round.
    pub const fn done(word: u32) -> u32 {
        (word & MASK) + (word >> FIELD & MASK)
    }

    /// The word at the start of the next round.
    pub const fn next(word: u32) -> u32 {
        (word & !MASK).wrapping_add(1 << (2 * FIELD))
    }
}

/// Barrier of the `threads` threads of the team in a kernel with cancellation constructs.
#[cold]
#[inline(never)]
pub fn barrier(threads: u32) {
    if !config::cancellation() {
        return super::machine_barrier(threads);
    }
    let this = state::this_thread();
    if take_leave() { step(this, threads, word::LEAVE) } else { wait(this, threads) }
}

/// Arrives and waits for the others.
fn wait(this: ThisThread, threads: u32) {
    let word = this.cancel_barrier();
    // SAFETY: a variable of this team. It cannot enter the next round before this thread has arrived.
    let round = word::round(unsafe { arch::block_load_u32(word) });
    step(this, threads, word::ARRIVE);
    // With a pause: lanes of a warp that come later run while the others sleep, and hardly ever while they look.
    // SAFETY: as above.
    while word::round(unsafe { arch::block_load_u32(word) }) == round {
        arch::backoff(super::PAUSE);
    }
}

/// Counts this thread; the last one of the team opens the barrier.
fn step(this: ThisThread, threads: u32, what: u32) {
    let word = this.cancel_barrier();
    // SAFETY: variables of this team.
    unsafe {
        let mut old = arch::block_load_u32(word);
        loop {
            let mut new = old.wrapping_add(what);
            if word::done(new) == threads {
                // All others wait or have left: nobody is in a loop, and nobody changes the word.
                // Dynamic loops were left without their end.
                if arch::block_and_u32(this.cancelled(), !WORKSHARING) & (WORKSHARING | PARALLEL) != 0 {
                    worksharing::forget(this);
                }
                new = word::next(new);
            }
            let now = arch::block_cas_u32(word, old, new);
            if now == old {
                return;
            }
            old = now;
        }
    }
}

/// This thread's bit of the words that say who is on the way out of a cancelled region.
#[inline(always)]
fn leave_bit() -> (*mut u32, u32) {
    let tid = arch::tid();
    // SAFETY: a block has at most 32 warps.
    (unsafe { state::leaving().add((tid / arch::WARP) as usize) }, 1 << (tid % arch::WARP))
}

/// Whether this thread is on the way out; then it no longer is.
#[inline(always)]
fn take_leave() -> bool {
    let (word, bit) = leave_bit();
    // SAFETY: a word of this block.
    unsafe { arch::block_and_u32(word, !bit) & bit != 0 }
}

/// The answer to a thread that shall go to the end of the construct.
fn go_to_end(kind: i32) -> i32 {
    if kind == kind::PARALLEL {
        let (word, bit) = leave_bit();
        // SAFETY: a word of this block.
        unsafe { arch::block_or_u32(word, bit) };
    }
    1
}

/// Cancels the innermost construct of this kind; not 0 if the thread shall go to its end.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel(_loc: *const Ident, _gtid: i32, kind: i32) -> i32 {
    if kind == kind::TASKGROUP {
        if config::cancellation() {
            group::cancel()
        }
        return config::cancellation() as i32;
    }
    state::set_cancel_mark(1);
    if config::cancellation() { cancel(kind) } else { 0 }
}

#[cold]
#[inline(never)]
fn cancel(kind: i32) -> i32 {
    // A team of one goes to the end, and nobody else needs to know.
    let this = state::this_thread();
    if this.num_threads() == 1 {
        return 1;
    }
    // SAFETY: a variable of this team.
    unsafe { arch::block_or_u32(this.cancelled(), 1 << (kind & 31)) };
    go_to_end(kind)
}

/// Whether the innermost construct of this kind is cancelled: then the thread goes to its end.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancellationpoint(_loc: *const Ident, _gtid: i32, kind: i32) -> i32 {
    if kind == kind::TASKGROUP {
        return (config::cancellation() && group::cancelled()) as i32;
    }
    state::set_cancel_mark(1);
    if config::cancellation() { look(kind) } else { 0 }
}

#[cold]
#[inline(never)]
fn look(kind: i32) -> i32 {
    let this = state::this_thread();
    if this.num_threads() == 1 || !is_cancelled(this, 1 << (kind & 31)) {
        return 0;
    }
    go_to_end(kind)
}

/// A barrier that is also a cancellation point of the parallel region. There is no other barrier on the way out.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel_barrier(_loc: *const Ident, _gtid: i32) -> i32 {
    state::set_cancel_mark(1);
    // Once the thread is on the way out it does not look at the answer.
    let this = state::this_thread();
    let threads = this.num_threads();
    team_barrier();
    if !config::cancellation() || threads == 1 || !is_cancelled(this, PARALLEL) {
        return 0;
    }
    step(this, threads, word::LEAVE);
    1
}

/// Whether one of these constructs of this thread's team is cancelled.
fn is_cancelled(this: ThisThread, constructs: u32) -> bool {
    // SAFETY: a variable of this team.
    unsafe { arch::block_load_u32(this.cancelled()) & constructs != 0 }
}

/// Whether a reduction of the `threads` threads of a team is void, because some have left the region: then the value is
/// unspecified (OpenMP 5.2, 16.1), and those who are left must not wait for them.
#[inline(always)]
pub fn reduction_is_void(threads: u32) -> bool {
    may_happen() && some_left(threads)
}

#[cold]
#[inline(never)]
fn some_left(threads: u32) -> bool {
    if !config::cancellation() {
        return false;
    }
    // Behind the barrier every thread is here or has left: the answer is the same for all.
    barrier(threads);
    is_cancelled(state::this_thread(), PARALLEL)
}

/// Behind the barrier that ends a parallel region of the kernel's own team: it is not cancelled any more. In an SPMD kernel all
/// threads do it.
#[inline(always)]
pub fn end_region() {
    if may_happen() {
        let this = state::this_thread();
        // SAFETY: variables of this team; all writers write zeros.
        unsafe {
            this.cancelled().write(0);
            this.cancel_barrier().write(0);
        }
        worksharing::forget(this);
    }
}
