//! Loops whose chunks are handed out while they run: `__kmpc_dispatch_*`.
//!
//! What the threads of a team share of a loop is in shared memory: the description, which all write alike, and the
//! number of the first iteration that nobody has taken. The first of the lanes that ask together takes chunks for all
//! of them. Loops of a team follow each other in a [`Ring`]: threads need no barrier, and never meet the main thread
//! of a generic kernel.
//!
//! A compiler calls `init`, then `next` until it returns 0, then `deinit`, which leaves the loop. A loop that `cancel`
//! has ended is left without `deinit`; [`forget`] is for that.
//!
//! A team of one thread runs its loop in one piece.

use super::{
    Share,
    ring::{self, PLACES, Place, Ring},
    schedule::{Kind, Schedule, guided},
};
use crate::{arch, state};
use abi::ident::Ident;

/// One loop of a team. Iterations are counted from 0, whatever the bounds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Loop {
    /// First iteration that nobody has taken.
    pub next: u64,
    /// First iteration whose `ordered` region has not been passed.
    pub ordered: u64,
    trips: u64,
    lower: u64,
    step: u64,
    chunk: u64,
    mode: u64,
}

/// Bits of [`Loop::mode`].
mod mode {
    pub const DYNAMIC: u64 = 0;
    pub const GUIDED: u64 = 1;
    pub const STATIC: u64 = 2;
    pub const BLOCKS: u64 = 3;
    pub const KIND: u64 = 3;
    pub const ORDERED: u64 = 4;
    /// The loop is a part of a loop over teams, and not its end.
    pub const NOT_LAST: u64 = 8;
}

/// The loops of a team.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Loops {
    ring: Ring,
    /// One for each place of the ring.
    pub places: [Loop; PLACES],
}

/// Where the threads of a block are in their loops: the start of the chunk that a thread has. Only ordered loops and
/// static ones need it.
pub type Positions = [u64; 1024];

/// A [`Positions`] of a thread that has had no chunk.
const NOWHERE: u64 = !0;

/// The loop of a team of one thread.
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

/// A loop as a compiler describes it.
pub(super) struct Description {
    pub lower: u64,
    pub trips: u64,
    pub step: u64,
    pub schedule: Schedule,
    /// Whether it is a part of a loop over teams, and not its end.
    pub not_last: bool,
}

/// What a thread shall run, in values of the loop variable.
struct Chunk {
    first: u64,
    last: u64,
    step: u64,
    /// Whether the last iteration of the loop is among them.
    is_last: bool,
}

/// Forgets the loops of this team: at the end of a region, and after `cancel`. No thread may be in one.
#[inline(always)]
pub fn forget() {
    // SAFETY: a variable of this team; all writers write the same value.
    unsafe { state::loops_word().write(ring::UNUSED) }
}

/// The loop that this thread is in, in a team of several, and its place.
#[inline(always)]
fn current() -> (Place, *mut Loop) {
    let loops = state::loops();
    // SAFETY: the loops of this thread's team.
    unsafe {
        let place = Place::of(&raw mut (*loops).ring);
        (place, (&raw mut (*loops).places).cast::<Loop>().add(place.index))
    }
}

/// The current loop, if it is ordered and has several threads.
#[inline(always)]
pub(super) fn ordered_loop() -> Option<*mut Loop> {
    if !state::whole_loop().is_null() {
        return None;
    }
    let (_, current) = current();
    // SAFETY: a loop of this team.
    let mode = unsafe { arch::block_read_u64(&raw mut (*current).mode) };
    if mode & mode::ORDERED != 0 { Some(current) } else { None }
}

/// This thread begins a loop.
#[inline(always)]
pub(super) fn init(this: Description) {
    let whole = state::whole_loop();
    if !whole.is_null() {
        // SAFETY: this thread's.
        return unsafe { whole.write(WholeLoop { trips: this.trips, lower: this.lower, step: this.step }) };
    }
    let loops = state::loops();
    // SAFETY: variables of this team; the one that opens the ring is alone with it.
    unsafe {
        ring::open(state::loops_word(), || {
            Ring::clear(&raw mut (*loops).ring);
            for place in 0..PLACES {
                let shared = (&raw mut (*loops).places).cast::<Loop>().add(place);
                (*shared).next = 0;
                (*shared).ordered = 0;
            }
        });
    }
    let (place, shared) = current();
    place.enter();
    let kind = match this.schedule.kind {
        Kind::Dynamic => mode::DYNAMIC,
        Kind::Guided => mode::GUIDED,
        Kind::Static => mode::STATIC,
        Kind::Blocks => mode::BLOCKS,
    };
    let ordered = if this.schedule.ordered { mode::ORDERED } else { 0 };
    let not_last = if this.not_last { mode::NOT_LAST } else { 0 };
    // SAFETY: a loop of this team. All its threads write the same, and each reads only behind its own writes.
    unsafe {
        arch::block_write_u64(&raw mut (*shared).trips, this.trips);
        arch::block_write_u64(&raw mut (*shared).lower, this.lower);
        arch::block_write_u64(&raw mut (*shared).step, this.step);
        arch::block_write_u64(&raw mut (*shared).chunk, this.schedule.chunk);
        arch::block_write_u64(&raw mut (*shared).mode, kind | ordered | not_last);
        if kind >= mode::STATIC || this.schedule.ordered {
            state::set_has_positions(1);
            state::position().write(NOWHERE);
        }
    }
}

#[inline(always)]
fn next() -> Option<Chunk> {
    let whole = state::whole_loop();
    if !whole.is_null() {
        // SAFETY: this thread's.
        let all = unsafe { whole.replace(WholeLoop::NONE) };
        if all.trips == 0 {
            return None;
        }
        let last = all.lower.wrapping_add((all.trips - 1).wrapping_mul(all.step));
        return Some(Chunk { first: all.lower, last, step: all.step, is_last: true });
    }
    let (place, shared) = current();
    // SAFETY: a loop of this team, described by this thread.
    unsafe {
        let mode = arch::block_read_u64(&raw mut (*shared).mode);
        let trips = arch::block_read_u64(&raw mut (*shared).trips);
        let chunk = arch::block_read_u64(&raw mut (*shared).chunk);
        // The word is 0 in kernels that have no such loop; there this folds away.
        let has_position = state::has_positions() != 0 && mode & (mode::STATIC | mode::ORDERED) != 0;
        let (start, size) = if has_position && mode & mode::STATIC != 0 {
            assigned(
                Share::threads(),
                mode & mode::KIND == mode::BLOCKS,
                trips,
                chunk,
                state::position().read(),
            )?
        } else {
            take(place, &raw mut (*shared).next, mode & mode::KIND, trips, chunk)?
        };
        if has_position {
            state::position().write(start);
        }
        let (lower, step) =
            (arch::block_read_u64(&raw mut (*shared).lower), arch::block_read_u64(&raw mut (*shared).step));
        let end = start + size.min(trips - start);
        Some(Chunk {
            first: lower.wrapping_add(start.wrapping_mul(step)),
            last: lower.wrapping_add((end - 1).wrapping_mul(step)),
            step,
            is_last: end == trips && mode & mode::NOT_LAST == 0,
        })
    }
}

/// Takes the next chunk: where it starts and how long it is, if it does not reach the end.
///
/// # Safety
/// `next` must be the counter of the loop at `place`.
#[inline(always)]
unsafe fn take(place: Place, next: *mut u64, kind: u64, trips: u64, chunk: u64) -> Option<(u64, u64)> {
    let lanes = place.lanes();
    let threads = state::num_threads();
    let size = |start: u64| if kind == mode::GUIDED { guided(trips - start, threads, chunk) } else { chunk };
    let mut start = 0;
    if lanes.is_first() {
        // A compare-and-swap, because a sum could overflow at the end of the longest loops; the machine has no other
        // 64-bit addition in shared memory.
        // SAFETY: as the caller promises.
        unsafe {
            start = arch::block_read_u64(next);
            while start < trips {
                let taken = (size(start) * lanes.count() as u64).min(trips - start);
                let before = arch::block_cas_u64(next, start, start + taken);
                if before == start {
                    break;
                }
                start = before;
            }
        }
    }
    let start = lanes.of_first(start);
    let size = size(start);
    let mine = size * lanes.rank() as u64;
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

#[inline(always)]
fn leave() {
    if !state::whole_loop().is_null() {
        return;
    }
    let (place, shared) = current();
    if place.leave(state::num_threads()) {
        // SAFETY: a loop of this team, which the last thread has alone.
        unsafe {
            arch::block_write_u64(&raw mut (*shared).next, 0);
            arch::block_write_u64(&raw mut (*shared).ordered, 0);
        }
        place.hand_over();
    }
}

macro_rules! trips {
    ($($name:ident: $t:ty, $unsigned:ty;)*) => { $(
        /// Iterations of a loop; the one loop with 2^64 of them, which would run for centuries, has one less.
        #[inline(always)]
        pub fn $name(lower: $t, upper: $t, step: $t) -> u64 {
            let up = step > 0;
            let (from, to) = if up { (lower, upper) } else { (upper, lower) };
            let span = to.wrapping_sub(from) as $unsigned as u64;
            let size = if up { step as $unsigned } else { (step as $unsigned).wrapping_neg() } as u64;
            match span.checked_div(size) {
                Some(steps) if from <= to => steps.saturating_add(1),
                _ => 0,
            }
        }
    )* };
}
trips! {
    trips_i32: i32, u32;
    trips_u32: u32, u32;
    trips_i64: i64, u64;
    trips_u64: u64, u64;
}

macro_rules! entry_points {
    ($($t:ty, $trips:ident: $init:ident, $next:ident;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        pub extern "C" fn $init(
            _loc: *const Ident, _gtid: i32, schedule: i32, lower: $t, upper: $t, step: $t, chunk: $t,
        ) {
            init(Description {
                lower: lower as u64,
                trips: $trips(lower, upper, step),
                step: step as u64,
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
            let Some(chunk) = next() else { return 0 };
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
    i32, trips_i32: __kmpc_dispatch_init_4, __kmpc_dispatch_next_4;
    u32, trips_u32: __kmpc_dispatch_init_4u, __kmpc_dispatch_next_4u;
    i64, trips_i64: __kmpc_dispatch_init_8, __kmpc_dispatch_next_8;
    u64, trips_u64: __kmpc_dispatch_init_8u, __kmpc_dispatch_next_8u;
}

/// This thread is done with its loop.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_dispatch_deinit(_loc: *const Ident, _gtid: i32) {
    leave()
}
