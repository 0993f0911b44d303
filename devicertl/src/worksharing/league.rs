//! Loops that are first divided among the teams, in one call: `__kmpc_team_static_init_*`,
//! `__kmpc_dist_for_static_init_*` and `__kmpc_dist_dispatch_init_*`.

use super::{
    Share,
    dynamic::{Description, init, last_i32, last_i64, last_u32, last_u64},
    schedule::Schedule,
    static_::{self, Part},
};
use crate::state;
use abi::ident::Ident;
use abi::schedule as kind;

macro_rules! entry_points {
    ($($t:ident, $unsigned:ty, $last:ident: $team_init:ident, $dist_for_init:ident, $dist_dispatch_init:ident;)*) => { $(
        /// Chunks for the teams in turn.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $team_init(
            _loc: *const Ident, _gtid: i32, last: *mut i32, lower: *mut $t, upper: *mut $t, stride: *mut $t, step: $t,
            chunk: $t,
        ) {
            let schedule = kind::DISTRIBUTE_STATIC_CHUNK;
            // SAFETY: the compiler's variables.
            unsafe {
                let part = static_::$t::of_loop(schedule, lower.read(), upper.read(), step, chunk, Share::teams());
                static_::write(part, last, lower, upper, stride)
            }
        }

        /// One chunk for each team, of which its threads get their parts. `team_upper` gets the end of the team's chunk.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist_for_init(
            _loc: *const Ident, _gtid: i32, schedule: i32, last: *mut i32, lower: *mut $t, upper: *mut $t,
            team_upper: *mut $t, stride: *mut $t, step: $t, chunk: $t,
        ) {
            let (teams, threads) = (Share::teams(), Share::threads());
            // SAFETY: the compiler's variables.
            unsafe {
                let team =
                    static_::$t::of_loop(kind::DISTRIBUTE_STATIC, lower.read(), upper.read(), step, 0, teams);
                let part = static_::$t::of_loop(schedule, team.lower, team.upper, step, chunk, threads);
                team_upper.write(team.upper);
                static_::write(Part { last: part.last && team.last, ..part }, last, lower, upper, stride)
            }
        }

        /// One chunk for each team, which hands it out while it runs. `last` gets whether the end is among it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist_dispatch_init(
            _loc: *const Ident, _gtid: i32, schedule: i32, last: *mut i32, lower: $t, upper: $t, step: $t, chunk: $t,
        ) {
            let team = static_::$t::of_loop(kind::DISTRIBUTE_STATIC, lower, upper, step, 0, Share::teams());
            if !last.is_null() {
                // SAFETY: the compiler's variable.
                unsafe { last.write(team.last as i32) }
            }
            init(Description {
                lower: team.lower as $unsigned,
                upper: team.upper as $unsigned,
                step: step as $unsigned,
                last: $last(team.lower, team.upper, step),
                schedule: Schedule::new(schedule, chunk.try_into().unwrap_or(i64::MAX), state::run_sched),
                not_last: !team.last,
            })
        }
    )* };
}
entry_points! {
    i32, u32, last_i32: __kmpc_team_static_init_4, __kmpc_dist_for_static_init_4, __kmpc_dist_dispatch_init_4;
    u32, u32, last_u32: __kmpc_team_static_init_4u, __kmpc_dist_for_static_init_4u, __kmpc_dist_dispatch_init_4u;
    i64, u64, last_i64: __kmpc_team_static_init_8, __kmpc_dist_for_static_init_8, __kmpc_dist_dispatch_init_8;
    u64, u64, last_u64: __kmpc_team_static_init_8u, __kmpc_dist_for_static_init_8u, __kmpc_dist_dispatch_init_8u;
}
