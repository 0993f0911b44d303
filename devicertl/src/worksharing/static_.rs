//! Static schedules: `__kmpc_for_static_init_*` and `__kmpc_distribute_static_init_*`.
//!
//! The compiler passes the bounds of the whole loop and gets those of the first chunk of this thread or team, the
//! distance to the next, and whether the last iteration is among its own.

use super::Share;
use crate::arch;
use abi::ident::Ident;
use abi::schedule as kind;

/// What a thread or team gets of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<T> {
    /// First iteration of the first chunk.
    pub lower: T,
    /// Its last iteration, or a later one where compilers clamp it to the end of the loop (schedules with a chunk size).
    pub upper: T,
    /// Distance to the next chunk.
    pub stride: T,
    /// Whether the last iteration of the loop is in a chunk of this thread or team.
    pub last: bool,
}

/// Most threads of a CTA (CUDA Programming Guide, compute capabilities).
const LARGEST_TEAM: u16 = 1024;

macro_rules! parts {
    ($($module:ident: $t:ty, $unsigned:ident, $wide:ident, $opaque:ident;)*) => { $(
        #[doc = concat!("Loops with a variable of type `", stringify!($t), "`.")]
        pub mod $module {
            use super::{Part, Share, kind};
            use crate::arch;

            /// Number of iterations; wide, because all values of the type can be one.
            #[inline(always)]
            fn trips(lower: $t, upper: $t) -> $wide {
                if lower > upper { 0 } else { upper.wrapping_sub(lower) as $unsigned as $wide + 1 }
            }

            /// Chunks of `chunk` iterations in turn. The arithmetic is wide, so that neither the chunks of high
            /// numbers nor the stride of large chunks overflows.
            #[inline(always)]
            pub fn chunked(lower: $t, upper: $t, chunk: $t, share: Share) -> Part<$t> {
                if arch::is_known(chunk > 0 && chunk <= super::LARGEST_TEAM as $t) {
                    return rows(lower, upper, chunk, share);
                }
                if chunk == 1 {
                    return single(lower, upper, share);
                }
                let chunk = if chunk < 1 { 1 } else { chunk as $wide };
                let (trips, of) = (trips(lower, upper), share.of.max(1) as $wide);
                let begin = share.id as $wide * chunk;
                let stride = (of * chunk).min(<$t>::MAX as $wide) as $t;
                let span = upper.wrapping_sub(lower) as $unsigned;
                let last = trips != 0 && (span / chunk as $unsigned) as $wide % of == share.id as $wide;
                // Who has no chunk begins behind the loop.
                let first = lower.wrapping_add(begin.min(trips) as $unsigned as $t);
                // Compilers clamp the end of each chunk to that of the loop; here that keeps it from overflowing.
                let left = upper.wrapping_sub(first) as $unsigned;
                let upper = first.wrapping_add(left.min((chunk - 1) as $unsigned) as $t);
                Part { lower: first, upper, stride, last }
            }

            /// Chunks of one iteration in turn, without the divisions. A first iteration behind the loop is none.
            #[inline(always)]
            fn single(lower: $t, upper: $t, share: Share) -> Part<$t> {
                let sum = lower.wrapping_add(share.id as $t);
                let first = if sum < lower { <$t>::MAX } else { sum };
                let last = lower <= upper
                    && (upper.wrapping_sub(lower) as $unsigned) as $wide % share.of.max(1) as $wide
                        == share.id as $wide;
                Part { lower: first, upper: first, stride: share.of as $t, last }
            }

            /// Small chunks of a size that is known: what compilers choose for teams and their threads, so it must cost
            /// next to nothing. Nothing here keeps numbers in their type where the compiler's own loop lets them leave
            /// it: that adds the stride to each chunk, which fits if and only if what is computed here does. Where it does
            /// not, that loop is undefined (`int`) or does not end as it should.
            #[inline(always)]
            pub fn rows(lower: $t, upper: $t, chunk: $t, share: Share) -> Part<$t> {
                // The compiler is told that they fit: then it knows that a loop from 0 stays above. Else it would extend clang's
                // `int` with its sign, to compare it in 64 bits without one.
                // SAFETY: see above.
                let (first, stride) = unsafe {
                    (
                        lower.unchecked_add((share.id as $t).unchecked_mul(chunk)),
                        (share.of as $t).unchecked_mul(chunk),
                    )
                };
                // A thread has few iterations. If the compiler knew how its first one depends on the team's chunk, it
                // would keep an address for each array from one chunk of the team to the next: more registers and
                // instructions than to compute it. A loop that begins with a constant is no team's chunk.
                let apart = chunk == 1 && !arch::is_constant(lower as u32);
                let first = if apart { arch::$opaque(first as $unsigned) as $t } else { first };
                // SAFETY: as above, with `max` for `>= 0`, which types without a sign have no use for.
                unsafe { core::hint::assert_unchecked(lower.max(0) != lower || first.max(0) == first) };
                let last = lower <= upper
                    && (upper.wrapping_sub(lower) as $unsigned) / (chunk as $unsigned).max(1) % (share.of.max(1) as $unsigned)
                        == share.id as $unsigned;
                Part { lower: first, upper: first.wrapping_add(chunk - 1), stride, last }
            }

            /// One chunk for each, as equal as possible.
            #[inline(always)]
            pub fn blocks(lower: $t, upper: $t, share: Share) -> Part<$t> {
                let trips = trips(lower, upper) as $unsigned;
                let (id, of) = (share.id as $unsigned, share.of.max(1) as $unsigned);
                let (size, rest) = (trips / of, trips % of);
                // The first ones have one more.
                let begin_of = |id: $unsigned| id * size + id.min(rest);
                let (begin, end) = (begin_of(id), begin_of(id + 1));
                let last = begin != end && end == trips;
                Part {
                    lower: lower.wrapping_add(begin as $t),
                    upper: lower.wrapping_add(end as $t).wrapping_sub(1),
                    stride: trips as $t,
                    last,
                }
            }

            /// One chunk for each, its size a multiple of `chunk`.
            #[inline(always)]
            pub fn balanced(lower: $t, upper: $t, chunk: $t, share: Share) -> Part<$t> {
                let chunk = if chunk < 1 { 1 } else { chunk as $wide };
                let size = trips(lower, upper).div_ceil(share.of.max(1) as $wide).div_ceil(chunk) * chunk;
                chunked(lower, upper, size.min(<$t>::MAX as $wide) as $t, share)
            }

            /// The part of the loop from `lower` to `upper` in steps of 1.
            #[inline(always)]
            pub(super) fn of_unit_loop(schedule: i32, lower: $t, upper: $t, chunk: $t, share: Share) -> Part<$t> {
                match schedule & !kind::MODIFIERS {
                    kind::STATIC_CHUNK | kind::ORDERED_STATIC_CHUNK | kind::DISTRIBUTE_STATIC_CHUNK => {
                        chunked(lower, upper, chunk, share)
                    }
                    kind::DISTRIBUTE_FOR_CHUNK_ONE => {
                        let threads = Share::threads();
                        let (id, of) = (share.id * threads.of + threads.id, share.of * threads.of);
                        chunked(lower, upper, 1, Share { id, of })
                    }
                    kind::STATIC_BALANCED_CHUNK => balanced(lower, upper, chunk, share),
                    // Without a chunk size: parallel loops, distribute, `auto`.
                    _ => blocks(lower, upper, share),
                }
            }

            /// The part of the loop from `lower` to `upper` in steps of `step`.
            ///
            /// clang's loops are normalised: the step is 1 and the other arm disappears.
            #[inline(always)]
            pub fn of_loop(
                schedule: i32, lower: $t, upper: $t, step: $t, chunk: $t, share: Share,
            ) -> Part<$t> {
                if step == 1 {
                    return of_unit_loop(schedule, lower, upper, chunk, share);
                }
                let up = step > 0;
                if step == 0 || if up { lower > upper } else { lower < upper } {
                    return Part { lower, upper, stride: step, last: false };
                }
                let span = if up { upper.wrapping_sub(lower) } else { lower.wrapping_sub(upper) } as $unsigned;
                let size = if up { step as $unsigned } else { (step as $unsigned).wrapping_neg() };
                let trips = span / size;
                let part = super::$unsigned::of_unit_loop(schedule, 0, trips, chunk as $unsigned, share);
                if part.lower > trips {
                    // One step behind the end, whichever way the loop goes.
                    return Part { lower: upper.wrapping_add(step), upper, stride: step, last: false };
                }
                let at = |iteration: $unsigned| lower.wrapping_add((iteration as $t).wrapping_mul(step));
                Part {
                    lower: at(part.lower),
                    upper: at(part.upper.min(trips)),
                    stride: (part.stride as $t).wrapping_mul(step),
                    last: part.last,
                }
            }
        }
    )* };
}
parts! {
    i32: i32, u32, u64, opaque_32;
    u32: u32, u32, u64, opaque_32;
    i64: i64, u64, u128, opaque_64;
    u64: u64, u64, u128, opaque_64;
}

macro_rules! entry_points {
    ($($t:ident: $for_init:ident, $distribute_init:ident;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $for_init(
            _loc: *const Ident, _gtid: i32, schedule: i32, last: *mut i32, lower: *mut $t, upper: *mut $t,
            stride: *mut $t, step: $t, chunk: $t,
        ) {
            let share = if schedule & !kind::MODIFIERS == kind::DISTRIBUTE_FOR_CHUNK_ONE {
                Share::teams()
            } else {
                Share::threads()
            };
            // SAFETY: the compiler's variables.
            unsafe {
                let part = $t::of_loop(schedule, lower.read(), upper.read(), step, chunk, share);
                write(part, last, lower, upper, stride)
            }
        }

        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $distribute_init(
            _loc: *const Ident, _gtid: i32, schedule: i32, last: *mut i32, lower: *mut $t, upper: *mut $t,
            stride: *mut $t, step: $t, chunk: $t,
        ) {
            // SAFETY: the compiler's variables.
            unsafe {
                let part = $t::of_loop(schedule, lower.read(), upper.read(), step, chunk, Share::teams());
                write(part, last, lower, upper, stride)
            }
        }
    )* };
}
entry_points! {
    i32: __kmpc_for_static_init_4, __kmpc_distribute_static_init_4;
    u32: __kmpc_for_static_init_4u, __kmpc_distribute_static_init_4u;
    i64: __kmpc_for_static_init_8, __kmpc_distribute_static_init_8;
    u64: __kmpc_for_static_init_8u, __kmpc_distribute_static_init_8u;
}

/// # Safety
/// The pointers must be valid for writes; `last` may be null.
#[inline(always)]
pub(super) unsafe fn write<T: Copy>(
    part: Part<T>,
    last: *mut i32,
    lower: *mut T,
    upper: *mut T,
    stride: *mut T,
) {
    // SAFETY: as the caller promises.
    unsafe {
        if !last.is_null() {
            last.write(part.last as i32);
        }
        lower.write(part.lower);
        upper.write(part.upper);
        stride.write(part.stride);
        // A loop stands between the barriers of regions. openmp-opt looks into a function, to see that it touches nothing of
        // other threads, only if the function might synchronise: for all it knows now, this one does.
        if arch::never() {
            stride.write_volatile(part.stride);
        }
    }
}

/// The end of a static loop needs nothing: no state was kept.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_for_static_fini(_loc: *const Ident, _gtid: i32) {}

/// As [`__kmpc_for_static_fini`].
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_distribute_static_fini(_loc: *const Ident, _gtid: i32) {}
