//! Loops whose body is a function: `__kmpc_*_static_loop_*`, which flang and LLVM's OpenMPIRBuilder call.
//!
//! flang 22 writes no barrier behind such a `for` loop on a device, with or without `nowait`. So it stands in here (OpenMP
//! 5.2, 15.3.2: a worksharing construct without `nowait` ends with a barrier).
//!
//! The last parameter, new in LLVM 22, promises that no thread has more than one iteration. That saves the loop. Our passes
//! promise with it too that no region is in the body.

use super::Share;
use crate::{
    arch::{self, Arg, Code},
    state, sync,
};
use abi::{ident::Ident, schedule::callback_loop};

macro_rules! callback_loops {
    ($($t:ty, $unsigned:ident, $body:ident: $for_loop:ident, $distribute_loop:ident, $distribute_for_loop:ident;)*) => { $(
        /// `for`: the threads of the team, `chunk` iterations at a time; 0 is 1.
        #[unsafe(no_mangle)]
        #[inline(always)]
        pub unsafe extern "C" fn $for_loop(
            _loc: *const Ident, body: Code, arg: Arg, trips: $t, threads: $t, chunk: $t, once: i8,
        ) {
            let id = Share::threads().id as $unsigned;
            let run = $body::new(body, arg, once);
            // SAFETY: the compiler passes a body of this type.
            unsafe {
                if arch::is_known(chunk as $unsigned <= 1) {
                    run.one_by_one(trips as _, id, threads as _)
                } else {
                    run.in_turn(0, trips as _, id, threads as _, chunk as _)
                }
            }
            sync::team_barrier();
        }

        /// `distribute`: the teams, `chunk` iterations at a time; 0 is one chunk for each team.
        #[unsafe(no_mangle)]
        #[inline(always)]
        pub unsafe extern "C" fn $distribute_loop(
            _loc: *const Ident, body: Code, arg: Arg, trips: $t, chunk: $t, once: i8,
        ) {
            let (teams, trips) = (Share::teams(), trips as $unsigned);
            let run = $body::new(body, arg, once);
            // SAFETY: the compiler passes a body of this type.
            unsafe {
                if chunk != 0 {
                    return run.in_turn(0, trips, teams.id as _, teams.of as _, chunk as _);
                }
                let share = trips.div_ceil(teams.of.max(1) as _);
                let start = share.saturating_mul(teams.id as _);
                if start < trips {
                    run.chunk(0, start, (trips - start).min(share), false)
                }
            }
        }

        /// `distribute parallel for`: `block_chunk` iterations for each team in turn, of these `chunk` iterations
        /// for each of its threads in turn. 0 is 1 for a thread, and one turn of its threads for a team.
        #[unsafe(no_mangle)]
        #[inline(always)]
        pub unsafe extern "C" fn $distribute_for_loop(
            _loc: *const Ident, body: Code, arg: Arg, trips: $t, threads: $t, block_chunk: $t, chunk: $t, once: i8,
        ) {
            let (teams, id) = (Share::teams(), Share::threads().id as $unsigned);
            let (trips, threads) = (trips as $unsigned, threads as $unsigned);
            let chunk = if chunk < 1 { 1 } else { chunk as $unsigned };
            let run = $body::new(body, arg, once);
            // SAFETY: the compiler passes a body of this type.
            unsafe {
                if block_chunk == 0 {
                    let all = teams.of as $unsigned * threads;
                    return run.in_turn(0, trips, teams.id as $unsigned * threads + id, all, chunk);
                }
                let block = block_chunk as $unsigned;
                let stride = (teams.of as $unsigned).saturating_mul(block);
                let mut from = (teams.id as $unsigned).saturating_mul(block);
                while from < trips {
                    run.in_turn(from, (trips - from).min(block), id, threads, chunk);
                    from = from.saturating_add(stride);
                }
            }
        }
    )* };
}
callback_loops! {
    i32, u32, Body32:
        __kmpc_for_static_loop_4, __kmpc_distribute_static_loop_4, __kmpc_distribute_for_static_loop_4;
    u32, u32, Body32:
        __kmpc_for_static_loop_4u, __kmpc_distribute_static_loop_4u, __kmpc_distribute_for_static_loop_4u;
    i64, u64, Body64:
        __kmpc_for_static_loop_8, __kmpc_distribute_static_loop_8, __kmpc_distribute_for_static_loop_8;
    u64, u64, Body64:
        __kmpc_for_static_loop_8u, __kmpc_distribute_static_loop_8u, __kmpc_distribute_for_static_loop_8u;
}

macro_rules! bodies {
    ($($name:ident: $t:ty, $call:ident;)*) => { $(
        /// A loop body with an iteration number of this width.
        struct $name {
            body: Code,
            arg: Arg,
            once: bool,
        }

        impl $name {
            /// `once` is the last parameter of the loop.
            #[inline(always)]
            fn new(body: Code, arg: Arg, once: i8) -> Self {
                if once & callback_loop::NO_REGIONS == 0 {
                    // All threads that come here write the same.
                    state::set_loop_bodies(1)
                }
                Self { body, arg, once: once & callback_loop::ONCE != 0 }
            }

            /// Runs this one's iterations of the `trips` from `from` on: `chunk` at a time, by `of` in turn. The
            /// sums saturate, which is beyond the end of every loop.
            ///
            /// # Safety
            /// The body must be of this type.
            #[inline(always)]
            unsafe fn in_turn(
                &self,
                from: $t,
                trips: $t,
                id: $t,
                of: $t,
                chunk: $t,
            ) {
                let chunk = chunk.max(1);
                let mut start = id.saturating_mul(chunk);
                let stride = of.max(1).saturating_mul(chunk);
                while start < trips {
                    // SAFETY: as the caller promises.
                    unsafe { self.chunk(from, start, (trips - start).min(chunk), arch::is_known(chunk == 1)) };
                    if self.once {
                        return;
                    }
                    start = start.saturating_add(stride);
                }
            }

            /// As [`Self::in_turn`] with one iteration at a time, of which a thread has many: it asks once for each, and nothing overflows.
            /// (Where it has few, this costs registers: LLVM keeps an address for each array from one to the next.)
            ///
            /// # Safety
            /// The body must be of this type.
            #[inline(always)]
            unsafe fn one_by_one(&self, trips: $t, id: $t, of: $t) {
                if id >= trips {
                    return;
                }
                let of = of.max(1);
                // From there on an iteration is the last one.
                let last = trips.saturating_sub(of);
                let mut iteration = id;
                loop {
                    // SAFETY: as the caller promises.
                    unsafe { arch::$call(self.body, iteration, self.arg) };
                    if self.once || iteration >= last {
                        return;
                    }
                    // SAFETY: less than `trips`.
                    iteration = unsafe { iteration.unchecked_add(of) };
                }
            }

            /// Runs `count` iterations from `from` and `start` on, at least one; `one` says that there is one.
            ///
            /// # Safety
            /// The body must be of this type.
            #[inline(always)]
            unsafe fn chunk(&self, from: $t, start: $t, count: $t, one: bool) {
                let mut iteration = 0;
                loop {
                    // SAFETY: as the caller promises.
                    unsafe { arch::$call(self.body, from + start + iteration, self.arg) };
                    iteration += 1;
                    if one || iteration >= count {
                        return;
                    }
                }
            }
        }
    )* };
}
bodies! {
    Body32: u32, call_body_32;
    Body64: u64, call_body_64;
}
