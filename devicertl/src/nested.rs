//! Nested teams: a parallel region inside another one, on the workers that the outer region leaves idle.
//!
//! In a generic kernel a region with fewer threads than there are workers leaves the others idle. They poll in
//! [`serve`] until the outer region is over or a thread that meets an inner region takes them: it first reserves as many
//! as it wants and can get ([`state::IDLE`]), then offers that many places of its team, and goes on when all are taken.
//! Reserved workers always come, so it never waits for threads that do something else. A worker has one place in a team.
//!
//! No barrier of the machine serves a nested team: its threads come from anywhere in the block, lanes of one warp may be
//! in different teams. Its barrier is a word in its descriptor, and a reduction goes from thread to thread through one.
//!
//! All of this is there only if the kernel may nest regions: openmp-opt finds out and folds the constant.

use crate::{
    arch::{self, Arg, Code},
    fork, memory, parallel,
    reduction::algorithm,
    state,
    state::{Icvs, LoopWords, Outer, TeamData, ThisThread, par},
    sync,
};

/// A nested team. The arguments of its region stand behind it.
#[repr(C, align(16))]
pub struct Team {
    /// Threads.
    pub size: u32,
    /// The team in which the region was met; null: the kernel's own.
    pub parent: *mut Team,
    /// The number in it of the thread that met the region.
    pub parent_number: u32,
    /// Parallel state of its region.
    pub par: u32,
    /// ICVs with which its threads start; garbage in programs that set none.
    pub icvs: Icvs,
    /// The state of the thread that met the region, which its place in the team hides.
    pub outer: Outer,
    /// Places that were taken.
    joined: u32,
    /// Threads but the first that have not finished the region.
    running: u32,
    code: Code,
    /// The function that calls it, see [`arch::region_invoker`].
    invoker: Code,
    /// What a thread hands to the first in a reduction, and whose turn it is, see [`exchange`].
    exchange_value: u64,
    exchange_turn: u32,
    /// The data of its constructs.
    pub data: TeamData,
    /// The loop that its threads share.
    pub loop_words: LoopWords,
}

impl Team {
    /// The arguments of the region.
    ///
    /// # Safety
    /// `team` must be a descriptor.
    unsafe fn args(team: *mut Self) -> *mut Arg {
        // SAFETY: they stand behind it.
        unsafe { team.add(1).cast() }
    }
}

/// Nanoseconds between two looks at a word that another thread changes.
const PAUSE: u32 = 64;
/// The same for workers that have had nothing to do for a while. They look in vain in most regions, and take
/// the instructions for it from the threads that work.
const LONG_PAUSE: u32 = 1024;

macro_rules! shared_words {
    ($($name:ident = $variable:ident;)*) => { $(
        fn $name() -> *mut u32 {
            (&raw mut state::$variable).cast()
        }
    )* };
}
shared_words! {
    idle = IDLE;
    outer_running = OUTER_RUNNING;
    offer_places = OFFER_PLACES;
    offer_lock = OFFER_LOCK;
}

/// The main thread begins a region of `running` threads that leaves `idle_workers` idle.
#[inline(always)]
pub fn begin_outer(running: u32, idle_workers: u32) {
    // SAFETY: variables of this block; the workers wait at the barrier before the region.
    unsafe {
        idle().write(idle_workers);
        outer_running().write(running);
        offer_places().write(0);
        offer_lock().write(sync::lock::FREE);
    }
}

/// A thread of the kernel's own team has finished the region.
#[inline(always)]
pub fn leave_outer() {
    // SAFETY: a variable of this block.
    unsafe { arch::block_add_u32(outer_running(), 1u32.wrapping_neg()) };
}

/// What a worker does that a region leaves idle: nested regions, until the outer one is over.
#[cold]
#[inline(never)]
pub fn serve() {
    sleep();
    // SAFETY: variables of this block. The offer is written before its places are, and stays until all are taken.
    // A barrier follows the region: that it is over needs no order.
    unsafe {
        let mut pause = PAUSE;
        while arch::block_read_u32(outer_running()) != 0 {
            let places = arch::block_read_u32(offer_places());
            if places == 0 || arch::block_cas_u32(offer_places(), places, places - 1) != places {
                arch::backoff(pause);
                pause = (2 * pause).min(LONG_PAUSE);
                continue;
            }
            pause = PAUSE;
            let team = (&raw const state::OFFER).cast::<*mut Team>().read();
            arch::block_add_u32(&raw mut (*team).joined, 1);
            run_part(team, places);
            // Places that are left are not for this worker: what a team shares of a loop knows its threads by their lanes.
            // Others are reserved for them.
            while arch::block_load_u32(&raw mut (*team).joined) != (*team).size - 1 {
                arch::backoff(PAUSE);
            }
            arch::block_add_u32(&raw mut (*team).running, 1u32.wrapping_neg());
        }
    }
}

/// Waits for the first nested region of the outer one or for its end, where that is cheap: of the warps that are idle as a
/// whole one looks, and the others wait for it at a barrier. Later all look for themselves, because those that run
/// a nested region come to no barrier.
fn sleep() {
    let first = state::team_threads().div_ceil(arch::WARP);
    let warps = (state::most_threads(false) / arch::WARP).saturating_sub(first);
    let mine = (arch::tid() / arch::WARP).wrapping_sub(first);
    if warps < 2 || mine >= warps {
        return;
    }
    if mine == 0 {
        // SAFETY: variables of this block. Places that are offered stay until they are taken.
        unsafe {
            let mut pause = PAUSE;
            while arch::block_read_u32(outer_running()) != 0 && arch::block_read_u32(offer_places()) == 0 {
                arch::backoff(pause);
                pause = (2 * pause).min(LONG_PAUSE);
            }
        }
    }
    arch::syncwarp(arch::ALL_LANES);
    arch::barrier_count(arch::BARRIER_IDLE, warps * arch::WARP);
}

/// Runs a thread's part of the region of `team`.
///
/// # Safety
/// `team` must be a descriptor with no other thread of this `number`.
#[inline(never)]
unsafe fn run_part(team: *mut Team, number: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        state::enter_nested_team(team, number);
        arch::invoke((*team).invoker, (*team).code, number, Team::args(team));
        state::leave_nested_team(team, number);
    }
}

/// Threads that a region inside a region asks for: the clause, else the ICV, else this thread's share of the workers.
pub fn wanted(clause: i32) -> u32 {
    wanted_by(state::this_thread(), clause)
}

/// [`wanted`] for this thread.
#[inline(always)]
fn wanted_by(thread: ThisThread, clause: i32) -> u32 {
    let most = state::most_threads(false);
    let wanted = if clause < 0 { thread.nthreads() } else { clause as u32 };
    if wanted != 0 {
        return wanted.min(most);
    }
    let mut sharing = if par::active_levels(state::team_par()) == 0 { 1 } else { state::team_threads() };
    let mut team = thread.nested_team();
    while !team.is_null() {
        // SAFETY: a team and those around it live as long as its threads.
        unsafe {
            sharing *= (*team).size;
            team = (*team).parent;
        }
    }
    most.checked_div(sharing).unwrap_or(1).max(1)
}

/// Takes up to `most` idle workers for this thread; how many it got.
fn reserve(most: u32) -> u32 {
    // SAFETY: a variable of this block.
    unsafe {
        loop {
            let there = arch::block_load_u32(idle());
            let taken = there.min(most);
            if taken == 0 || arch::block_cas_u32(idle(), there, there - taken) == there {
                return taken;
            }
        }
    }
}

/// Whether other threads reach what the arguments of a region point to.
///
/// clang puts the variables of a parallel region's own code into memory of one thread alone, and it may pass their
/// addresses to a region inside. An argument may be such an address, or that of a shared variable that holds one: of
/// the variables in the pool all are searched. `docs/upstream.md` says what is left.
///
/// # Safety
/// There must be `count` arguments.
unsafe fn reachable(args: *const Arg, count: u64) -> bool {
    let mut pool = false;
    let mut i = 0;
    while i < count as usize {
        // SAFETY: as the caller promises.
        let arg = unsafe { args.add(i).read() };
        if arch::is_local(arg.cast()) {
            return false;
        }
        pool |= arch::is_shared(arg.cast());
        i += 1;
    }
    state::pool_overflowed() == 0 && !(pool && memory::pool_has_local_address())
}

/// Runs a region inside another one on this thread and idle workers, or on this thread alone.
///
/// # Safety
/// `code` must be a region with `count` arguments, and `invoker` call such. Only for generic kernels.
#[cold]
#[inline(never)]
pub unsafe fn run(code: Code, invoker: Code, args: *const Arg, count: u64, num_threads: i32, strict: i32) {
    // Most often nobody can help, and whoever meets a region inside another one pays for each question.
    // SAFETY: as the caller promises; a word of this block.
    unsafe {
        if strict == 0 && (!may_find_idle() || arch::block_read_u32(idle()) == 0) {
            return run_serial(code, invoker, args);
        }
    }
    let thread = state::this_thread();
    let place = thread.place();
    let wanted = wanted_by(thread, num_threads);
    // SAFETY: as the caller promises; the descriptor is this thread's until it is offered, and again when all others
    // have left the region.
    unsafe {
        let mut helpers = 0;
        if wanted > 1 && par::active_levels(place.par) < thread.max_active() {
            if may_find_idle() && reachable(args, count) {
                helpers = reserve(wanted - 1);
            }
            parallel::check_strict(strict, num_threads, helpers + 1);
        }
        if helpers == 0 {
            return run_serial(code, invoker, args);
        }
        // Of the heap: the pool is for variables, and a region that finds it full has to stay with its thread.
        let bytes = size_of::<Team>() as u64 + count * size_of::<Arg>() as u64;
        let team = memory::from_heap(bytes).cast::<Team>();
        memory::clear(team);
        (*team).size = helpers + 1;
        (*team).par = place.par + par::ONE_ACTIVE;
        state::inherit_icvs(&raw mut (*team).icvs);
        (*team).parent = place.team;
        (*team).parent_number = place.number;
        (*team).running = helpers;
        (*team).code = code;
        (*team).invoker = invoker;
        memory::copy_elements(Team::args(team), args, count);
        offer(team, helpers);
        run_part(team, 0);
        while arch::block_load_u32(&raw mut (*team).running) != 0 {
            arch::backoff(PAUSE);
        }
        arch::free(team.cast());
        let mut there = arch::block_load_u32(idle());
        loop {
            let found = arch::block_cas_u32(idle(), there, there + helpers);
            if found == there {
                break;
            }
            there = found;
        }
    }
}

/// Whether workers may be idle: inside of the kernel's regions, which is where regions are inside another one but for those of
/// one thread in the form of host code, and in programs in which regions leave any.
#[inline(always)]
fn may_find_idle() -> bool {
    state::has_small_teams() && (!fork::may_be_serialised() || par::level(state::team_par()) != 0)
}

/// Runs a region on this thread alone.
///
/// # Safety
/// `code` must be a region with these arguments, and `invoker` call such.
#[inline(always)]
unsafe fn run_serial(code: Code, invoker: Code, args: *const Arg) {
    state::serial_region(true);
    // SAFETY: as the caller promises.
    unsafe { arch::invoke(invoker, code, 0, args) };
    state::serial_region(false)
}

/// Lets `places` reserved workers join `team`; returns when they have.
///
/// # Safety
/// `team` must be a complete descriptor.
unsafe fn offer(team: *mut Team, places: u32) {
    // SAFETY: as the caller promises; with the lock the words of the offer are this thread's.
    unsafe {
        sync::lock::take(offer_lock());
        (&raw mut state::OFFER).cast::<*mut Team>().write(team);
        arch::block_store_u32(offer_places(), places);
        while arch::block_load_u32(&raw mut (*team).joined) != places {
            arch::backoff(PAUSE);
        }
        sync::lock::release(offer_lock());
    }
}

/// Number of this thread and threads of its team at `level`, which must not be above its own.
pub fn at_level(level: u32) -> (u32, u32) {
    let state::Place { mut team, mut number, .. } = state::this_thread().place();
    while !team.is_null() {
        // SAFETY: a team and those around it live as long as its threads.
        unsafe {
            let of_team = par::level((*team).par);
            if level == of_team {
                return (number, (*team).size);
            }
            if level > of_team {
                return (0, 1);
            }
            number = (*team).parent_number;
            team = (*team).parent;
        }
    }
    let own = state::team_par();
    if par::active_levels(own) != 0 && level == par::level(own) {
        (number, state::team_threads())
    } else {
        (0, 1)
    }
}

/// The turn in which a value is there for the first thread, above the number of the thread that it is from.
const FULL: u32 = 1 << 31;

/// Reduces over a nested team: 1 in its first thread, which has the result.
///
/// The compiler's function reduces with the value of another lane. Here the first thread calls it once for each other
/// thread, and each other thread calls it once: its shuffles hand values from the one to the other ([`exchange`]).
///
/// # Safety
/// `shuffle` must be a shuffle-and-reduce function for `list`. All threads of the team call this.
#[cold]
#[inline(never)]
pub unsafe fn reduce(team: *mut Team, list: Arg, shuffle: Code) -> i32 {
    let own = state::own();
    // SAFETY: as the caller promises; a thread in a nested team has a state.
    unsafe {
        let number = (*own).number;
        let (first, last, algorithm) = if number == 0 {
            (1, (*team).size, algorithm::ALL_LANES)
        } else {
            (number, number + 1, algorithm::NO_LANE)
        };
        let mut other = first;
        while other < last {
            (*own).exchange = other;
            arch::call_shuffle(shuffle, list, number, 0, algorithm); // 0: see `warp`
            other += 1;
        }
        (*own).exchange = 0;
        (number == 0) as i32
    }
}

/// The shuffle of a thread in a nested team. The first thread asks the thread whose turn it is and waits for the value;
/// that thread waits to be asked. Both do it once for each shuffle of the compiler's function.
///
/// # Safety
/// `own` must be this thread's state, in [`reduce`].
#[cold]
#[inline(never)]
pub unsafe fn exchange(own: *mut state::ThreadState, value: u64) -> u64 {
    // SAFETY: as the caller promises; the value is written between the two turns, by the one thread that is asked.
    unsafe {
        let (team, other) = ((*own).team, (*own).exchange);
        let turn = &raw mut (*team).exchange_turn;
        let slot = &raw mut (*team).exchange_value;
        let wait_for = |wanted: u32| {
            while arch::block_load_u32(turn) != wanted {
                arch::backoff(PAUSE);
            }
        };
        if (*own).number == 0 {
            arch::block_store_u32(turn, other);
            wait_for(other | FULL);
            slot.read()
        } else {
            wait_for(other);
            slot.write(value);
            arch::block_store_u32(turn, other | FULL);
            value
        }
    }
}
