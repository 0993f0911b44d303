//! Reductions over the threads of a team and over the teams of a league.
//!
//! The compiler passes functions that know the data: one that shuffles and reduces within a warp, one that copies
//! the warps' results to the first warp through shared memory, and four between the data and a record of a buffer
//! in global memory.
//!
//! The order of the operations depends on the numbers of teams and threads only, never on who is first, as long as
//! the buffer has a record for each team: floating-point results are the same in every run.

use crate::{
    arch::{self, Arg, Code},
    nested, state, sync,
};
use abi::{ident::Ident, kernel::KernelLaunchEnvironment, mode::ExecMode};

/// Algorithms of a shuffle-and-reduce function.
pub mod algorithm {
    /// Every lane reduces with the lane `offset` above.
    pub const ALL_LANES: u32 = 0;
    /// No lane does anything with the value that it gets: a number that the compiler's functions do not know.
    pub const NO_LANE: u32 = 3;
}

/// What both reductions have: the reduce list of this thread and the functions for it.
#[derive(Clone, Copy)]
struct Data {
    list: Arg,
    shuffle: Code,
    copy: Code,
}

impl Data {
    /// Reduces the 32 lanes of this warp into lane 0.
    ///
    /// # Safety
    /// The functions must be of their types.
    #[inline(always)]
    unsafe fn reduce_whole_warp(self) {
        let lane = arch::tid() % arch::WARP;
        let step = |offset| {
            // SAFETY: as the caller promises.
            unsafe { arch::call_shuffle(self.shuffle, self.list, lane, offset, algorithm::ALL_LANES) }
        };
        // Not a loop: with constant offsets a step is the shuffles and the operation, and nothing else.
        step(16);
        step(8);
        step(4);
        step(2);
        step(1);
    }

    /// Reduces the first `lanes` lanes of this warp into lane 0. All lanes of the warp that are in the team call it.
    ///
    /// The upper half reduces into the lower one; of an odd number of lanes the one in the middle rests.
    ///
    /// # Safety
    /// The functions must be of their types.
    #[inline(always)]
    unsafe fn reduce_warp(self, lanes: u32) {
        let lane = arch::tid() % arch::WARP;
        let mut left = lanes;
        while left > 1 {
            let offset = left.div_ceil(2);
            let algorithm = if lane + offset < left { algorithm::ALL_LANES } else { algorithm::NO_LANE };
            // SAFETY: as the caller promises.
            unsafe { arch::call_shuffle(self.shuffle, self.list, lane, offset, algorithm) };
            left = offset;
        }
    }

    /// Reduces the first `count` threads into thread 0. All threads of the team call it.
    ///
    /// # Safety
    /// The functions must be of their types.
    #[inline(always)]
    unsafe fn reduce_team(self, count: u32) {
        let warp = arch::tid() / arch::WARP;
        let warps = count.div_ceil(arch::WARP);
        let mut lanes = count.saturating_sub(warp * arch::WARP).min(arch::WARP);
        // SAFETY: as the caller promises.
        unsafe {
            // Only of a team that is the whole block: the mask of the shuffles is a constant then. Of others ptxas keeps a
            // second form, for lanes that come apart.
            if lanes == arch::WARP && state::team_size() == state::ALL_THREADS {
                self.reduce_whole_warp();
                lanes = 1;
            }
            // The last warp's part and that of all warps: a loop, so that the compiler's function is in it once.
            let mut copied = warps == 1;
            loop {
                self.reduce_warp(lanes);
                if copied {
                    break;
                }
                arch::call_copy(self.copy, self.list, warps);
                if warp != 0 {
                    break;
                }
                copied = true;
                lanes = warps;
            }
        }
    }
}

/// Reduces over the threads of the team; 1 in the thread that has the result.
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_nvptx_parallel_reduce_nowait_v2(
    _loc: *const Ident,
    _bytes: u64,
    list: Arg,
    shuffle: Code,
    copy: Code,
) -> i32 {
    let this = state::this_thread();
    let threads = this.num_threads();
    if threads == 1 {
        return 1;
    }
    if sync::cancel::reduction_is_void(threads) {
        return 0;
    }
    let nested = this.nested_team();
    if !nested.is_null() {
        // SAFETY: the compiler passes a function of this type; all threads of the team come here.
        return unsafe { nested::reduce(nested, list, shuffle) };
    }
    // SAFETY: the compiler passes functions of these types.
    unsafe { Data { list, shuffle, copy }.reduce_team(threads) };
    (arch::tid() == 0) as i32
}

/// The buffer of the launch for reductions over teams.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduction_get_fixed_buffer() -> *mut u8 {
    // SAFETY: a kernel with such a reduction has the environment.
    unsafe { (*state::launch_env()).reduction_buffer as *mut u8 }
}

/// A global buffer with a record for each team, or fewer.
struct Records {
    env: *mut KernelLaunchEnvironment,
    buffer: Arg,
    /// Records of the buffer.
    count: u32,
    /// Writes the list to a record.
    put: Code,
    /// Reduces the list into a record.
    put_reduce: Code,
}

impl Records {
    fn delivered(&self) -> *mut u32 {
        // SAFETY: a field of the environment, which the kernel has.
        unsafe { &raw mut (*self.env).reduction_count }
    }

    fn tickets(&self) -> *mut u32 {
        // SAFETY: a field of the environment, which the kernel has.
        unsafe { &raw mut (*self.env).reduction_iteration_count }
    }

    /// Records that are in use when all teams have delivered.
    #[inline(always)]
    fn in_use(&self, teams: u32) -> u32 {
        teams.min(self.count.max(1))
    }

    /// Delivers this team's list; whether it was the last team to do so.
    ///
    /// With more teams than records they deliver in turns, as many teams in a turn as there are records. A team's
    /// turn comes when those before are over. It waits only for teams that have come here before it, so whatever
    /// the order in which the machine starts teams, it waits for running ones.
    ///
    /// # Safety
    /// The functions must be of their types. One thread of the team calls it.
    #[inline(always)]
    unsafe fn deliver(&self, list: Arg, team: u32, teams: u32) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            let enough = teams <= self.count;
            let (mut record, mut first) = (team, true);
            if !enough {
                core::hint::cold_path();
                let count = self.count.max(1);
                // The last one puts the count back to 0.
                let ticket = arch::device_inc_u32(self.tickets(), teams - 1);
                record = ticket % count;
                first = ticket < count;
                while arch::device_load_u32(self.delivered()) < ticket - record {}
            }
            if first {
                arch::call_record(self.put, self.buffer, record, list);
            } else {
                arch::call_record(self.put_reduce, self.buffer, record, list);
            }
            arch::device_inc_u32(self.delivered(), teams - 1) == teams - 1
        }
    }
}

/// Reduces over the teams of the league; 1 in the thread that has the result.
///
/// No thread waits for all teams: the last team to deliver its record reduces all of them. In an SPMD kernel each
/// thread has a list of its own, and those of one warp do a part each. In a generic one there is one list, in shared memory if the
/// compiler has converted the kernel, and one thread does it.
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_nvptx_teams_reduce_nowait_v2(
    _loc: *const Ident,
    buffer: Arg,
    records: u32,
    _bytes: u64,
    list: Arg,
    shuffle: Code,
    copy: Code,
    put: Code,
    put_reduce: Code,
    get: Code,
    get_reduce: Code,
) -> i32 {
    let records = Records { env: state::launch_env(), buffer, count: records, put, put_reduce };
    // SAFETY: the compiler passes functions of these types, and its constant for this kernel.
    unsafe {
        let mode = (*state::kernel_env()).configuration.exec_mode;
        let own_lists = mode.is_spmd() && mode.0 & ExecMode::GENERIC.0 == 0;
        // One warp ends the reduction: its lanes learn from lane 0 without a barrier of the block.
        let (thread, threads) =
            if own_lists { (arch::tid(), state::most_threads(true).min(arch::WARP)) } else { (0, 1) };
        // flang reduces over teams in a region, too: of a generic kernel's workers the first has what the region has reduced.
        let is_main = || arch::tid() == state::generic_main();
        if arch::tid() >= threads && (mode.is_spmd() || !is_main()) {
            return 0;
        }
        let (team, teams) = (arch::ctaid(), arch::nctaid());
        let mut last = thread == 0 && records.deliver(list, team, teams);
        if own_lists {
            let lanes = sync::lanes_below(threads);
            last = arch::ballot(lanes, last) != 0;
            arch::syncwarp(lanes);
        }
        if !last {
            return 0;
        }
        // The records are visible: lane 0 has acquired them, and the barrier of the warp hands that on.
        let used = records.in_use(teams);
        if thread < used {
            arch::call_record(get, buffer, thread, list);
            let mut record = thread + threads;
            while record < used {
                arch::call_record(get_reduce, buffer, record, list);
                record += threads;
            }
        }
        if own_lists {
            Data { list, shuffle, copy }.reduce_warp(used.min(threads));
        }
        (thread == 0) as i32
    }
}
