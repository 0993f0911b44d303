//! Which iterations go together: the schedule kinds of compilers and of `omp_set_schedule`.
//!
//! The modifiers `monotonic` and `nonmonotonic` change nothing: every thread gets its chunks in increasing order,
//! whatever the schedule, and both allow that.

/// A compiler's schedule that goes by numbers (`kmp.h`: `sched_type`). The lowest five bits tell what it is; there are
/// four sets of them: unordered and ordered, each also "nomerge".
mod code {
    pub const KIND: i32 = 31;
    pub const ORDERED: i32 = 64;
    pub const STATIC_CHUNK: i32 = 1;
    pub const DYNAMIC: i32 = 3;
    pub const GUIDED: i32 = 4;
    pub const RUNTIME: i32 = 5;
    pub const AUTO: i32 = 6;
    pub const TRAPEZOIDAL: i32 = 7;
    pub const GUIDED_ITERATIVE: i32 = 10;
    pub const GUIDED_ANALYTICAL: i32 = 11;
    pub const STEAL: i32 = 12;
    pub const BALANCED_CHUNK: i32 = 13;
    pub const GUIDED_SIMD: i32 = 14;
    pub const RUNTIME_SIMD: i32 = 15;
}

/// `omp_sched_t`, and the two that `kmp.h` adds.
mod run_sched {
    pub const STATIC: u32 = 1;
    pub const DYNAMIC: u32 = 2;
    pub const GUIDED: u32 = 3;
    pub const AUTO: u32 = 4;
    pub const TRAPEZOIDAL: u32 = 101;
    pub const STEAL: u32 = 102;
    pub const MONOTONIC: u32 = 1 << 31;
}

/// How a loop is cut into chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A thread that is free takes the next chunk.
    Dynamic,
    /// The same, with chunks that shrink with what is left.
    Guided,
    /// Chunks of one size, to the threads in turn.
    Static,
    /// One chunk for each thread.
    Blocks,
}

/// Longest chunk. A longer one would run for years; this way sums of a warp's chunks do not overflow.
const LONGEST: u64 = 1 << 58;

/// A schedule with all that is left to choose chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// How the loop is cut.
    pub kind: Kind,
    /// Iterations of a chunk, or of the smallest one; at least 1.
    pub chunk: u64,
    /// Whether the loop has an `ordered` clause.
    pub ordered: bool,
}

impl Schedule {
    /// What a compiler passes, with run-sched-var for `schedule(runtime)`. A `chunk` below 1 is none.
    #[inline(always)]
    pub fn new(schedule: i32, chunk: i64, run_sched_var: impl FnOnce() -> u64) -> Self {
        let (kind, chunk) = match schedule & code::KIND {
            code::DYNAMIC | code::STEAL => (Kind::Dynamic, chunk),
            // The trapezoid shrinks too; how steeply is not specified.
            code::GUIDED
            | code::GUIDED_ITERATIVE
            | code::GUIDED_ANALYTICAL
            | code::GUIDED_SIMD
            | code::TRAPEZOIDAL => (Kind::Guided, chunk),
            code::RUNTIME | code::RUNTIME_SIMD => of_run_sched(run_sched_var()),
            code::AUTO => (Kind::Dynamic, 1),
            code::STATIC_CHUNK | code::BALANCED_CHUNK => (Kind::Static, chunk),
            _ => (Kind::Blocks, 1),
        };
        let chunk = if chunk < 1 { 1 } else { (chunk as u64).min(LONGEST) };
        Self { kind, chunk, ordered: schedule & code::ORDERED != 0 }
    }
}

/// run-sched-var: the kind below, the chunk above bit 32.
fn of_run_sched(value: u64) -> (Kind, i64) {
    let chunk = (value >> 32) as i32 as i64;
    let kind = match value as u32 & !run_sched::MONOTONIC {
        run_sched::DYNAMIC | run_sched::STEAL => Kind::Dynamic,
        run_sched::GUIDED | run_sched::TRAPEZOIDAL => Kind::Guided,
        run_sched::AUTO => return (Kind::Dynamic, 1),
        run_sched::STATIC if chunk > 0 => Kind::Static,
        _ => Kind::Blocks,
    };
    (kind, chunk)
}

/// Iterations of the next chunk of a guided loop of `threads` threads with `left` iterations left: about half of a
/// thread's equal share, by powers of two because a division would cost more than it gains.
#[inline(always)]
pub fn guided(left: u64, threads: u32, smallest: u64) -> u64 {
    let share = left >> (33 - threads.saturating_sub(1).leading_zeros());
    share.max(smallest).min(LONGEST)
}
