//! Explicit tasks.
//!
//! A task runs at once on the thread that meets it (OpenMP 5.2, 12.5: a task may be undeferred). So most of what tasks
//! have to keep in order is in order by itself: `taskwait` finds all children finished, dependences are met, a
//! `taskgroup` has nothing to wait for. What runs is [`task`], its memory is [`blocks`], its loops are [`taskloop`].
//!
//! A task whose event was not fulfilled (`detach`), and the tasks that depend on it, break that order. Then, and for
//! what belongs to a taskgroup (reductions, cancellation), the thread keeps a [`record`]: its current task, its
//! taskgroups, its unfinished tasks ([`deferred`]). A thread without a record pays for none of it: `HAS_RECORDS` says
//! whether any thread of the team can have one, and in a program without such tasks all of it is gone
//! ([`record::possible`]).
//!
//! Every task is finished by the thread whose implicit task it descends from. It runs deferred tasks where it waits:
//! in `taskwait`, `taskyield`, at the end of a taskgroup, before a barrier, at the end of a region and of the kernel.
//! So records need no lock, and only events are written by other threads.

pub mod blocks;
pub mod deferred;
pub mod dependence;
pub mod group;
pub mod query;
pub mod record;
pub mod reduction;
pub mod task;
pub mod taskloop;
pub mod wait;

use crate::state::{self, par};

/// Level of the parallel region that this thread is in.
#[inline(always)]
fn level() -> u32 {
    par::level(state::current_par())
}

/// This thread is about to wait at a barrier, where all tasks of its implicit task shall be finished.
#[cold]
#[inline(never)]
pub fn before_barrier() {
    deferred::wait(deferred::Until::Level(level()));
}

/// This thread's implicit task ends: so do its tasks, and what was noted about them.
#[cold]
#[inline(never)]
pub fn end_of_implicit_task() {
    deferred::wait(deferred::Until::Level(level()));
    record::drop_mine(level());
}

/// The end of the kernel, for the thread that runs its serial code; the others have no record at this level.
#[cold]
#[inline(never)]
pub fn end_of_kernel() {
    end_of_implicit_task();
    record::drop_table();
}
