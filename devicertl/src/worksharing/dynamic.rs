//! Loops whose chunks are handed out while they run: `__kmpc_dispatch_*`.
//!
//! A team has one such loop at a time. Its threads share how often they have asked for a chunk: from the number of its
//! request a thread knows its chunk, because it knows the loop, which all threads describe alike. A thread whose request finds
//! nothing has left the loop, so the number of requests also tells that all have; who makes the last one leaves the count
//! at 0 for the next loop. Where chunks are not numbered, in guided and in static loops, threads are counted when they find
//! nothing.
//!
//! With `nowait` a fast thread may come to the next loop while others are still in this one. There the threads of the
//! team meet, as at a barrier: so a thread needs no note of its own of the loop that it is in.
//!
//! A compiler calls `init`, then `next` until it returns 0, then `deinit`. A loop that `cancel` has ended is left without
//! the last requests; [`forget`] is for that.
//!
//! Serial code and regions of one thread run a loop in one piece. The words of the team are not for them: a loop of serial
//! code may have regions with loops in it.

use super::{
    Share,
    schedule::{Kind, Schedule, guided},
};
use crate::{
    arch, parallel, state,
    state::{LoopWords, ThisThread},
    sync,
};
use abi::ident::Ident;

/// Bits of a loop's mode.
mod mode {
    pub const DYNAMIC: u32 = 0;
    pub const GUIDED: u32 = 1;
    pub const STATIC: u32 = 2;
    pub const BLOCKS: u32 = 3;
    pub const KIND: u32 = 3;
    pub const ORDERED: u32 = 4;
    /// The loop is a part of a loop over teams, and not its end.
    pub const NOT_LAST: u32 = 8;
}

/// Where the threads of a block are in their loops: the start of the chunk that a thread has. Only ordered loops and
/// static ones need it.
pub type Positions = [u64; 1024];

/// The position of a thread that has had no chunk.
const NOWHERE: u64 = !0;

/// The loop of serial code or a region of one thread.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct WholeLoop {
    /// 0 once the thread has it.
    trips: u64,
    lower: u64,
    step: u64,
}

impl WholeLoop {
    /// No loop.
    pub const NONE: Self = Self { trips: 0, lower: 0, step: 0 };
}

/// A loop as a compiler describes it, with numbers of its width.
pub(super) struct Description<U> {
    pub lower: U,
    pub upper: U,
    pub step: U,
    /// Number of its last iteration, counted from 0.
    pub last: Option<U>,
    pub schedule: Schedule,
    /// Whether it is a part of a loop over teams, and not its end.
    pub not_last: bool,
}

/// What a thread shall run, in values of the loop variable.
pub(super) struct Chunk<U> {
    first: U,
    last: U,
    step: U,
    /// Whether the last iteration of the loop is among them.
    is_last: bool,
}

/// Forgets the loop of this thread's team: at the end of a region, and after `cancel`. No thread may be in one.
#[inline(always)]
pub fn forget(this: ThisThread) {
    reset(this, mode::GUIDED | mode::ORDERED)
}

/// All threads of the team have left a loop of this mode.
#[inline(always)]
fn reset(this: ThisThread, mode: u32) {
    // SAFETY: words of this team, which its threads use again when they have met.
    unsafe {
        arch::block_write_u32(this.loop_claims(), 0);
        if mode & mode::KIND == mode::GUIDED {
            arch::block_write_u64(this.loop_next(), 0);
        }
        if mode & mode::ORDERED != 0 {
            arch::block_write_u64(this.loop_ordered(), 0);
        }
    }
}

/// Whether this thread is in an ordered loop of several threads.
#[inline(always)]
pub(super) fn in_ordered_loop(this: ThisThread) -> bool {
    this.whole_loop().is_none() && this.loop_words().mode & mode::ORDERED != 0
}

/// A number of the width of a loop.
pub(super) trait Number: Copy + Into<u64> {
    /// Puts it together from its halves.
    fn join(low: u32, high: u32) -> Self;
    /// The lower bits of a number.
    fn of(number: u64) -> Self;
    /// The next chunk of a dynamic loop: where it starts and how many iterations are behind the first, if the loop has so
    /// many.
    fn take(this: ThisThread, last: Option<Self>, chunk: Self, mode: u32) -> Option<(Self, Self)>;
    /// The iterations from `start` and `more` behind it, if the loop has so many.
    fn chunk(lower: Self, step: Self, last: Self, start: Self, more: Self) -> Chunk<Self>;
}

macro_rules! numbers {
    ($($u:ident: |$low:ident, $high:ident| $join:expr;)*) => { $(
        impl Number for $u {
            #[inline(always)]
            fn join($low: u32, $high: u32) -> Self {
                $join
            }

            #[inline(always)]
            fn of(number: u64) -> Self {
                number as Self
            }

            #[inline(always)]
            fn take(this: ThisThread, last: Option<Self>, chunk: Self, mode: u32) -> Option<(Self, Self)> {
                // Of more chunks than 2^31 a thread takes several at once: the requests must not overflow.
                let size = chunk.max((last.unwrap_or(0) >> 31) + 1);
                let start = |request: u32| {
                    let start = (request as Self).checked_mul(size)?;
                    if start <= last? { Some(start) } else { None }
                };
                // ptxas makes one addition for all lanes that ask together, and numbers them in their order.
                // SAFETY: a word of this team.
                let request = unsafe { arch::block_count_u32(this.loop_claims(), 1) };
                let mine = start(request);
                // The first request that found nothing was `threads` before the one that all wait for.
                if mine.is_none()
                    && let Some(first) = (request + 1).checked_sub(this.place_in_loop().1)
                    && start(first).is_none()
                {
                    reset(this, mode);
                }
                Some((mine?, size - 1))
            }

            #[inline(always)]
            fn chunk(lower: Self, step: Self, last: Self, start: Self, more: Self) -> Chunk<Self> {
                let more = more.min(last - start);
                let at = |number: Self| lower.wrapping_add(number.wrapping_mul(step));
                Chunk { first: at(start), last: at(start + more), step, is_last: more == last - start }
            }
        }
    )* };
}
numbers! {
    u32: |low, _high| low;
    u64: |low, high| low as u64 | (high as u64) << 32;
}

/// The lower half of a number.
#[inline(always)]
fn low(number: impl Number) -> u32 {
    number.into() as u32
}

/// The upper half of a number.
#[inline(always)]
fn high(number: impl Number) -> u32 {
    (number.into() >> 32) as u32
}

/// This thread begins a loop.
#[inline(always)]
pub(super) fn init<U: Number>(new: Description<U>) {
    let this = state::this_thread();
    if let Some(whole) = this.whole_loop() {
        let (trips, lower, step) = (trips(new.last), new.lower.into(), new.step.into());
        // SAFETY: this thread's.
        return unsafe { whole.write(WholeLoop { trips, lower, step }) };
    }
    sync::meet_in_region();
    let kind = match new.schedule.kind {
        Kind::Dynamic => mode::DYNAMIC,
        Kind::Guided => mode::GUIDED,
        Kind::Static => mode::STATIC,
        Kind::Blocks => mode::BLOCKS,
    };
    let ordered = if new.schedule.ordered { mode::ORDERED } else { 0 };
    let not_last = if new.not_last { mode::NOT_LAST } else { 0 };
    // The threads of the team have left the loop before. Each reads these words only behind its own writes.
    let chunk = U::of(new.schedule.chunk);
    this.set_loop_words(LoopWords {
        lower: low(new.lower),
        lower_high: high(new.lower),
        upper: low(new.upper),
        upper_high: high(new.upper),
        step: low(new.step),
        step_high: high(new.step),
        chunk: low(chunk),
        chunk_high: high(chunk),
        mode: kind | ordered | not_last,
    });
    if kind >= mode::STATIC || new.schedule.ordered {
        state::set_has_positions(1);
        // SAFETY: this thread's.
        unsafe { this.position().write(NOWHERE) };
    }
}

/// Iterations of a loop whose last one has the number `last`. The one loop with 2^64 of them, which would run for
/// centuries, has one less.
#[inline(always)]
fn trips<U: Number>(last: Option<U>) -> u64 {
    last.map_or(0, |last| last.into().saturating_add(1))
}

/// The next chunk of this thread. `last` tells the number of the last iteration of the loop from its bounds and step.
#[inline(always)]
fn next<U: Number>(last: impl FnOnce(U, U, U) -> Option<U>) -> Option<Chunk<U>> {
    let this = state::this_thread();
    if let Some(whole) = this.whole_loop() {
        // SAFETY: this thread's.
        let all = unsafe { whole.replace(WholeLoop::NONE) };
        let last = U::of(all.trips.checked_sub(1)?);
        return Some(U::chunk(U::of(all.lower), U::of(all.step), last, U::of(0), last));
    }
    let words = this.loop_words();
    let mode = words.mode;
    let lower = U::join(words.lower, words.lower_high);
    let upper = U::join(words.upper, words.upper_high);
    let step = U::join(words.step, words.step_high);
    let chunk = U::join(words.chunk, words.chunk_high);
    let last = last(lower, upper, step);
    // The word is 0 in kernels that have no such loop; there this folds away.
    let has_position = state::has_positions() != 0 && mode & (mode::STATIC | mode::ORDERED) != 0;
    let (start, more) = if mode & mode::KIND == mode::DYNAMIC {
        U::take(this, last, chunk, mode)?
    } else {
        let (id, of) = this.place_in_loop();
        let share = Share { id, of };
        let Some((start, size)) = take_unnumbered(this, share, mode, trips(last), chunk.into(), has_position)
        else {
            leave(this, of, mode);
            return None;
        };
        (U::of(start), U::of(size - 1))
    };
    if has_position {
        // SAFETY: this thread's.
        unsafe { this.position().write(start.into()) };
    }
    let chunk = U::chunk(lower, step, last?, start, more);
    Some(Chunk { is_last: chunk.is_last && mode & mode::NOT_LAST == 0, ..chunk })
}

/// The next chunk of a guided or static loop: where it starts and how long it is, if it does not reach the end.
#[inline(always)]
fn take_unnumbered(
    this: ThisThread,
    share: Share,
    mode: u32,
    trips: u64,
    chunk: u64,
    has_position: bool,
) -> Option<(u64, u64)> {
    if mode & mode::STATIC == 0 {
        return take_guided(this, share.of, trips, chunk);
    }
    // Always true, but where no loop is static the compiler knows that it is not.
    if !has_position {
        return None;
    }
    // SAFETY: this thread's.
    let position = unsafe { this.position().read() };
    assigned(share, mode & mode::KIND == mode::BLOCKS, trips, chunk, position)
}

/// Lanes of this warp that take chunks together, the first of them for all.
struct Lanes {
    mask: u32,
    /// How many of them stand before this one.
    rank: u32,
}

impl Lanes {
    /// The lanes that came here together. Those of the kernel's own team are in the same loop and act for each other; in
    /// a nested team each acts alone.
    #[inline(always)]
    fn together(this: ThisThread) -> Self {
        let mut mask = arch::activemask();
        if parallel::may_nest() {
            let own = this.nested_team().is_null();
            let of_kernel = arch::ballot(mask, own);
            mask = if own { of_kernel } else { 1 << (arch::tid() % arch::WARP) };
        }
        // SAFETY: this lane is among them.
        unsafe { core::hint::assert_unchecked(mask != 0) };
        Self { mask, rank: (mask & arch::lanes_before()).count_ones() }
    }

    /// The value that the first one has.
    #[inline(always)]
    fn of_first(&self, value: u32) -> u32 {
        arch::shuffle(self.mask, value, self.mask.trailing_zeros())
    }
}

/// The next chunk of a guided loop.
#[inline(always)]
fn take_guided(this: ThisThread, threads: u32, trips: u64, chunk: u64) -> Option<(u64, u64)> {
    let (lanes, next) = (Lanes::together(this), this.loop_next());
    let size = |start: u64| guided(trips - start, threads, chunk);
    let mut start = 0;
    if lanes.rank == 0 {
        // A compare-and-swap, because a sum could overflow at the end of the longest loops; the machine has no other
        // 64-bit addition in shared memory.
        // SAFETY: a word of this team.
        unsafe {
            start = arch::block_read_u64(next);
            while start < trips {
                let taken = (size(start) * lanes.mask.count_ones() as u64).min(trips - start);
                let before = arch::block_cas_u64(next, start, start + taken);
                if before == start {
                    break;
                }
                start = before;
            }
        }
    }
    let start = (lanes.of_first((start >> 32) as u32) as u64) << 32 | lanes.of_first(start as u32) as u64;
    let size = size(start);
    let mine = size * lanes.rank as u64;
    if mine >= trips - start { None } else { Some((start + mine, size)) }
}

/// The next chunk of a static loop behind the one at `position`: where it starts and how long it is, if it does not
/// reach the end.
#[inline(always)]
pub fn assigned(share: Share, blocks: bool, trips: u64, chunk: u64, position: u64) -> Option<(u64, u64)> {
    let (id, of) = (share.id as u64, share.of as u64);
    if blocks {
        // As `static_::blocks` shares, so that two static loops of the same length share alike.
        let (size, rest) = (trips.checked_div(of)?, trips.checked_rem(of)?);
        let start = id * size + id.min(rest);
        let size = if id < rest { size + 1 } else { size };
        return if position != NOWHERE || size == 0 { None } else { Some((start, size)) };
    }
    let start = if position == NOWHERE {
        id.checked_mul(chunk)?
    } else {
        position.checked_add(of.checked_mul(chunk)?)?
    };
    if start < trips { Some((start, chunk)) } else { None }
}

/// This thread, one of `threads`, has had its last chunk of a loop whose chunks are not numbered.
#[inline(always)]
fn leave(this: ThisThread, threads: u32, mode: u32) {
    // A static loop without an ordered clause leaves nothing behind.
    if mode & (mode::STATIC | mode::ORDERED) == mode::STATIC {
        return;
    }
    // SAFETY: a word of this team.
    if unsafe { arch::block_count_one_u32(this.loop_claims()) } + 1 == threads {
        reset(this, mode)
    }
}

macro_rules! last_iterations {
    ($($name:ident: $t:ty, $unsigned:ty;)*) => { $(
        /// Number of a loop's last iteration, counted from 0.
        #[inline(always)]
        pub fn $name(lower: $t, upper: $t, step: $t) -> Option<$unsigned> {
            let up = step > 0;
            let (from, to) = if up { (lower, upper) } else { (upper, lower) };
            let size = if up { step as $unsigned } else { (step as $unsigned).wrapping_neg() };
            let last = (to.wrapping_sub(from) as $unsigned).checked_div(size)?;
            if from <= to { Some(last) } else { None }
        }
    )* };
}
last_iterations! {
    last_i32: i32, u32;
    last_u32: u32, u32;
    last_i64: i64, u64;
    last_u64: u64, u64;
}

macro_rules! entry_points {
    ($($t:ty, $unsigned:ty, $last:ident: $init:ident, $next:ident;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        pub extern "C" fn $init(
            _loc: *const Ident, _gtid: i32, schedule: i32, lower: $t, upper: $t, step: $t, chunk: $t,
        ) {
            init(Description {
                lower: lower as $unsigned,
                upper: upper as $unsigned,
                step: step as $unsigned,
                last: $last(lower, upper, step),
                // A chunk of more than 2^63 iterations is as good as one of that size.
                schedule: Schedule::new(schedule, chunk.try_into().unwrap_or(i64::MAX), state::run_sched),
                not_last: false,
            })
        }

        /// Whether there is another chunk for this thread, and which.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $next(
            _loc: *const Ident, _gtid: i32, last: *mut i32, lower: *mut $t, upper: *mut $t, stride: *mut $t,
        ) -> i32 {
            let of_loop = |lower: $unsigned, upper: $unsigned, step: $unsigned| $last(lower as $t, upper as $t, step as $t);
            let Some(chunk) = next(of_loop) else { return 0 };
            // SAFETY: the compiler's variables.
            unsafe {
                if !last.is_null() {
                    last.write(chunk.is_last as i32);
                }
                lower.write(chunk.first as $t);
                upper.write(chunk.last as $t);
                if !stride.is_null() {
                    stride.write(chunk.step as $t);
                }
            }
            1
        }
    )* };
}
entry_points! {
    i32, u32, last_i32: __kmpc_dispatch_init_4, __kmpc_dispatch_next_4;
    u32, u32, last_u32: __kmpc_dispatch_init_4u, __kmpc_dispatch_next_4u;
    i64, u64, last_i64: __kmpc_dispatch_init_8, __kmpc_dispatch_next_8;
    u64, u64, last_u64: __kmpc_dispatch_init_8u, __kmpc_dispatch_next_8u;
}

/// The end of a loop, which this thread has left with its last request.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_dispatch_deinit(_loc: *const Ident, _gtid: i32) {}
