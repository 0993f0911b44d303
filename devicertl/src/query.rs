//! `omp_get_*`, `omp_set_*` and the queries of compilers.
//!
//! Names and meanings are those of the OpenMP API (5.2, chapter 18); what a device does not have answers as
//! the specification says for an implementation without it.

use crate::{
    arch::{self, Failure},
    config, debug, nested, state,
    state::par,
};
use abi::ident::Ident;

macro_rules! queries {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => { $(
        #[allow(missing_docs)]
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
    )* };
}

/// Queries that openmp-opt knows by name: they stay calls until it has run.
macro_rules! known_queries {
    ($($(#[$doc:meta])* fn $name:ident() -> $ret:ty $body:block)*) => {
        queries! { $($(#[$doc])* #[inline(never)] fn $name() -> $ret $body)* }
    };
}

known_queries! {
    fn __kmpc_get_hardware_thread_id_in_block() -> i32 { arch::tid() as i32 }
    fn __kmpc_get_hardware_num_threads_in_block() -> i32 { arch::ntid() as i32 }
    fn __kmpc_get_warp_size() -> i32 { arch::WARP as i32 }
}

/// Threads of the largest team, 1 in a kernel whose block has only the main thread's warp.
#[inline(always)]
fn thread_limit() -> u32 {
    state::most_threads(state::is_spmd()).max(1)
}

// Threads and teams.
queries! {
    fn __kmpc_get_hardware_num_blocks() -> i32 { arch::nctaid() as i32 }
    // Compilers pass it on to other functions here, which do not need it; a number of the machine reads no state for that.
    fn __kmpc_global_thread_num(_loc: *const Ident) -> i32 { arch::tid() as i32 }
    fn omp_get_thread_num() -> i32 { state::thread_num() as i32 }
    fn omp_get_num_threads() -> i32 { state::num_threads() as i32 }
    fn omp_get_max_threads() -> i32 {
        match state::nthreads() {
            0 if par::level(state::current_par()) != 0 => max_nested_threads() as i32,
            0 => thread_limit() as i32,
            // nthreads-var, whatever there is (OpenMP 5.2, 18.2.3).
            wanted => wanted as i32,
        }
    }
    fn omp_get_thread_limit() -> i32 { thread_limit() as i32 }
    fn omp_get_num_procs() -> i32 { thread_limit() as i32 }
    fn omp_get_num_teams() -> i32 { arch::nctaid() as i32 }
    fn omp_get_team_num() -> i32 { arch::ctaid() as i32 }
    /// nteams-var: 0, no value was set.
    fn omp_get_max_teams() -> i32 { 0 }
    /// teams-thread-limit-var: 0, no value was set.
    fn omp_get_teams_thread_limit() -> i32 { 0 }
    #[inline(always)]
    fn omp_set_num_threads(threads: i32) {
        debug::check(Failure::SetNumThreads, core::ptr::null(), threads.into(), || threads > 0);
        if threads > 0 { state::set_nthreads(threads as u32) }
    }
}

// Levels.
queries! {
    fn omp_get_level() -> i32 { par::level(state::current_par()) as i32 }
    fn omp_get_active_level() -> i32 { active_level() }
    fn omp_in_parallel() -> i32 { (active_level() > 0) as i32 }
    fn omp_get_ancestor_thread_num(level: i32) -> i32 {
        if is_around(level) { nested::at_level(level as u32).0 as i32 } else { -1 }
    }
    fn omp_get_team_size(level: i32) -> i32 {
        if is_around(level) { nested::at_level(level as u32).1 as i32 } else { -1 }
    }
    fn omp_get_max_active_levels() -> i32 { state::max_active() as i32 }
    #[inline(always)]
    fn omp_set_max_active_levels(levels: i32) {
        if levels >= 0 { state::set_max_active((levels as u32).min(supported_active_levels())) }
    }
    /// Deprecated: whether a region inside a region may be active.
    fn omp_get_nested() -> i32 { (state::max_active() > 1) as i32 }
    /// Deprecated: 0 allows one active level, any other value all.
    #[inline(always)]
    fn omp_set_nested(value: i32) {
        state::set_max_active(if value == 0 { 1 } else { supported_active_levels() })
    }
    fn omp_get_supported_active_levels() -> i32 { supported_active_levels() as i32 }
}

#[inline(always)]
fn supported_active_levels() -> u32 {
    state::supported_active_levels(state::is_spmd())
}

/// Whether this thread is in a region of `level`.
#[inline(always)]
fn is_around(level: i32) -> bool {
    level >= 0 && level as u32 <= par::level(state::current_par())
}

/// Threads that a region inside a region can get at most.
fn max_nested_threads() -> u32 {
    if par::active_levels(state::current_par()) < state::max_active() && !state::is_spmd() {
        nested::wanted(-1)
    } else {
        1
    }
}

/// Levels with more than one thread. The state counts a region of all threads as active without looking how many
/// there are, so that it can fold.
#[inline(always)]
fn active_level() -> i32 {
    let active = par::active_levels(state::current_par());
    let not_really = par::active_levels(state::team_par()) != 0 && state::team_threads() <= 1;
    (active - not_really as u32) as i32
}

// Schedule.
#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_schedule(kind: *mut i32, chunk: *mut i32) {
    let schedule = state::run_sched();
    // SAFETY: the user's variables.
    unsafe {
        kind.write(schedule as i32);
        chunk.write((schedule >> 32) as i32);
    }
}

queries! {
    #[inline(always)]
    fn omp_set_schedule(kind: i32, chunk: i32) {
        state::set_run_sched(kind as u32 as u64 | (chunk as u32 as u64) << 32)
    }
}

// ICVs that have one value on the device.
queries! {
    /// dyn-var is false: teams get the threads they ask for.
    fn omp_get_dynamic() -> i32 { 0 }
    /// Ignored: dynamic adjustment is not supported.
    fn omp_set_dynamic(_value: i32) {}
    fn omp_get_cancellation() -> i32 { config::cancellation() as i32 }
    /// The host has chosen the number of teams when the kernel starts.
    fn __kmpc_push_num_teams(_loc: *const Ident, _gtid: i32, _teams: i32, _limit: i32) {}
    /// The host has chosen the threads of a team when the kernel starts; that is the limit.
    fn __kmpc_set_thread_limit(_loc: *const Ident, _gtid: i32, _limit: i32) {}
}

// Places (5.2, 18.3). The machine chooses the processor of a thread, so there is no place that a thread could be
// bound to: bind-var is false, place-partition-var is empty, and `proc_bind` clauses are ignored (5.2, 10.1.3).
queries! {
    /// `omp_proc_bind_false`, whatever a clause says.
    fn omp_get_proc_bind() -> i32 { 0 }
    fn omp_get_num_places() -> i32 { 0 }
    /// The thread is not bound to a place.
    fn omp_get_place_num() -> i32 { -1 }
    /// 0 for a number that is no place's, as all are.
    fn omp_get_place_num_procs(_place: i32) -> i32 { 0 }
    /// No effect for a number that is no place's.
    fn omp_get_place_proc_ids(_place: i32, _ids: *mut i32) {}
    fn omp_get_partition_num_places() -> i32 { 0 }
    /// The partition is empty.
    fn omp_get_partition_place_nums(_places: *mut i32) {}
    /// Ignored while bind-var is false.
    fn __kmpc_push_proc_bind(_loc: *const Ident, _gtid: i32, _bind: i32) {}
}

// Devices.
queries! {
    fn omp_is_initial_device() -> i32 { 0 }
    fn omp_get_num_devices() -> i32 { config::device().num_devices as i32 }
    fn omp_get_device_num() -> i32 { config::device().device_num as i32 }
    /// The host is the device after the last one.
    fn omp_get_initial_device() -> i32 { config::device().num_devices as i32 }
    /// default-device-var of the task that launched the kernel is not known here: this device.
    fn omp_get_default_device() -> i32 { config::device().device_num as i32 }
    /// Ignored: a target region has no device constructs.
    fn omp_set_default_device(_device: i32) {}
}

/// `%globaltimer` counts nanoseconds, in steps of up to a microsecond.
const NANOSECOND: f64 = 1e-9;
/// Readings of a clock that stands still before it counts as one of single nanoseconds.
const MOST_READINGS: u32 = 10_000;

/// The next step of the clock.
fn next_step() -> u64 {
    let start = arch::globaltimer();
    let mut readings = 0;
    loop {
        let now = arch::globaltimer();
        readings += 1;
        if now != start || readings == MOST_READINGS {
            return now;
        }
    }
}

// Time.
queries! {
    fn omp_get_wtime() -> f64 { arch::globaltimer() as f64 * NANOSECOND }
    /// Measured: GPUs differ. A pause between two readings makes a step look longer, so the shortest of some counts.
    fn omp_get_wtick() -> f64 {
        let (mut shortest, mut before) = (u64::MAX, next_step());
        for _ in 0..4 {
            let now = next_step();
            shortest = shortest.min(now.wrapping_sub(before));
            before = now;
        }
        shortest.max(1) as f64 * NANOSECOND
    }
}

// ompx.h.
queries! {
    fn ompx_thread_id(dimension: i32) -> i32 { arch::tid_of(dimension as u32) as i32 }
    fn ompx_block_id(dimension: i32) -> i32 { arch::ctaid_of(dimension as u32) as i32 }
    fn ompx_block_dim(dimension: i32) -> i32 { arch::ntid_of(dimension as u32) as i32 }
    fn ompx_grid_dim(dimension: i32) -> i32 { arch::nctaid_of(dimension as u32) as i32 }
}
