//! The threads that have ICVs of their own.
//!
//! A thread that runs a serialised region (nested, or `if(0)`), is in a nested team, or sets an ICV inside a region, has
//! a [`ThreadState`]. It is found through a table with a slot for each thread of the block, which the first of them makes.
//! The table stays until the kernel ends: any thread may look into it.
//!
//! Kernels in which no thread has a state shall not see any of this. So what asks for a value asks [`any_own`] first,
//! and has the rest out of line: the value of the team is then read by value from its word, and openmp-opt folds it.

use super::*;
use crate::{memory, nested::Team, sync, tasking, worksharing::dynamic::WholeLoop};

/// ICVs and parallel state of one thread.
#[repr(C)]
pub struct ThreadState {
    /// Parallel state, see [`par`].
    pub par: u32,
    /// nthreads-var.
    pub nthreads: u32,
    /// max-active-levels-var.
    pub max_active: u32,
    /// Whether the state is one of [`push_new`]; else it is on the stack of its thread.
    on_heap: u16,
    /// Clauses that the thread has pushed for its next region, see [`crate::fork`].
    pushed: u16,
    /// run-sched-var.
    pub run_sched: u64,
    /// def-allocator-var.
    pub def_allocator: u64,
    /// The state that this one hides.
    outer: *mut ThreadState,
    /// The nested team that the thread is in, maybe in a serialised region inside; null in the kernel's own team.
    pub team: *mut Team,
    /// Its number in that team.
    pub number: u32,
    /// Whether it hands its part of a reduction to another thread of the nested team, or takes theirs: the number of
    /// the one that hands. 0, neither: thread 0 never hands.
    pub exchange: u32,
    /// Where it is in a loop of that team.
    pub position: u64,
    /// The loop of a serialised region.
    pub whole_loop: WholeLoop,
}

/// The table of states. A slot for each thread of the block stands behind it; it holds garbage unless the thread has a
/// state.
#[repr(C, align(8))]
struct Table {
    /// The lanes of each warp that have a state. A thread reads and changes only its own bit.
    own: [u32; 32],
    /// States that are not in use, linked by their `outer`, and the lock for it: the device heap is slow.
    spare: *mut ThreadState,
    lock: u32,
}

/// Sets up what a warp has of the state. Every thread that will run user code does it.
#[inline(always)]
pub fn init_warp() {
    // SAFETY: this warp's word; all its lanes write the same value.
    unsafe { leaving().add((arch::tid() / arch::WARP) as usize).write(0) };
}

/// The threads that are on the way out of a cancelled region: a word for each warp of the block.
#[inline(always)]
pub fn leaving() -> *mut u32 {
    (&raw mut LEAVING).cast()
}

#[inline(always)]
fn own_bit() -> u32 {
    1 << (arch::tid() % arch::WARP)
}

/// Whether a thread of the team may have a state.
#[inline(always)]
pub fn any_own() -> bool {
    config::thread_states() && has_own() != 0
}

/// This thread's state, or null.
#[inline(always)]
pub fn own() -> *mut ThreadState {
    if any_own() { find_own() } else { core::ptr::null_mut() }
}

/// The lanes of this warp that have a state.
#[cold]
#[inline(never)]
fn own_lanes() -> u32 {
    let table = table();
    // SAFETY: a table stays.
    unsafe { if table.is_null() { 0 } else { arch::block_load_u32(own_word(table)) } }
}

#[cold]
#[inline(never)]
fn find_own() -> *mut ThreadState {
    if own_lanes() & own_bit() == 0 {
        return core::ptr::null_mut();
    }
    // SAFETY: a thread with a state has a table, and its slot holds the state.
    unsafe { *slot(table()) }
}

/// What [`TABLE`] holds before there is a table.
pub(super) const NO_TABLE: u64 = 0;
/// What it holds while one thread makes the table. Other threads wait for it, those of its own warp too, which needs
/// independent thread scheduling.
const MAKING_TABLE: u64 = 1;

#[inline(always)]
fn table_word() -> *mut u64 {
    (&raw mut TABLE).cast()
}

/// The table, or null.
#[inline(always)]
fn table() -> *mut Table {
    // SAFETY: a variable of this block. It acquires what the thread wrote that made the table.
    let table = unsafe { arch::block_load_u64(table_word()) };
    if table == MAKING_TABLE { core::ptr::null_mut() } else { table as *mut Table }
}

/// The word with the lanes of this warp that have a state.
///
/// # Safety
/// `table` must be the table.
#[inline(always)]
unsafe fn own_word(table: *mut Table) -> *mut u32 {
    // SAFETY: as the caller promises; a block has at most 32 warps.
    unsafe { (&raw mut (*table).own).cast::<u32>().add((arch::tid() / arch::WARP) as usize) }
}

/// This thread's slot.
///
/// # Safety
/// `table` must be the table.
#[inline(always)]
unsafe fn slot(table: *mut Table) -> *mut *mut ThreadState {
    // SAFETY: as the caller promises; it has a slot for each thread of the block.
    unsafe { table.add(1).cast::<*mut ThreadState>().add(arch::tid() as usize) }
}

/// The table, made if there is none.
#[cold]
#[inline(never)]
fn table_or_new() -> *mut Table {
    // SAFETY: a variable of this block; the thread that changes it first is alone with the new table.
    unsafe {
        if arch::block_cas_u64(table_word(), NO_TABLE, MAKING_TABLE) == NO_TABLE {
            let slots = arch::ntid() as usize * size_of::<*mut ThreadState>();
            let new = memory::from_heap((size_of::<Table>() + slots) as u64).cast::<Table>();
            memory::clear_words(new);
            arch::block_store_u64(table_word(), new as u64);
        }
    }
    loop {
        let table = table();
        if !table.is_null() {
            return table;
        }
        arch::backoff(64);
    }
}

/// Frees the table if there is one. All threads that run the end of the kernel do it.
#[inline(always)]
pub fn drop_table() {
    if any_own() {
        free_table();
    }
}

#[cold]
#[inline(never)]
fn free_table() {
    // Threads that saw no state have left already or will not look again: the barrier is one of those that are there. In
    // a generic kernel only the main thread comes here, and the others have nothing left to run.
    if is_spmd() {
        arch::barrier(arch::BARRIER_REGION);
    }
    let table = table();
    // SAFETY: nobody makes or reads the table any more; the thread that takes it out of the variable is alone with it.
    unsafe {
        if table.is_null() || arch::block_cas_u64(table_word(), table as u64, NO_TABLE) != table as u64 {
            return;
        }
        while !(*table).spare.is_null() {
            let state = (*table).spare;
            (*table).spare = (*state).outer;
            arch::free(state.cast());
        }
        arch::free(table.cast());
    }
}

/// Writes the parallel state and ICVs of this thread to `state`, which is for a level inside or the threads of a nested
/// team. Field by field: as values these would take most registers of every kernel that can come here.
///
/// # Safety
/// `state` must be valid for writes, and not this thread's.
#[cold]
#[inline(never)]
pub unsafe fn inherit(state: *mut ThreadState) {
    let outer = own();
    // SAFETY: as the caller promises; not null, `outer` is this thread's state.
    unsafe {
        if outer.is_null() {
            memory::clear_words(state); // no team, no loop
            (*state).par = team_par();
            (*state).nthreads = team_nthreads();
            (*state).max_active = team_max_active();
            (*state).run_sched = team_run_sched();
            (*state).def_allocator = team_def_allocator();
        } else {
            memory::copy_words(state, outer);
            (*state).on_heap = 0;
            (*state).pushed = 0;
        }
    }
}

/// Makes `state` this thread's. The caller sets [`has_own`] in code that is inlined into kernels.
///
/// # Safety
/// `state` must be complete but for `outer`, and valid until [`pop_own`].
unsafe fn push_own(state: *mut ThreadState) {
    let outer = find_own();
    let table = table_or_new();
    // SAFETY: as the caller promises. Of the word with the lanes this thread changes its own bit.
    unsafe {
        (*state).outer = outer;
        slot(table).write(state);
        if outer.is_null() {
            arch::block_or_u32(own_word(table), own_bit());
        }
    }
}

/// Gives this thread a new state, with what it inherits: for a level inside, or to set ICVs. The caller sets [`has_own`] as
/// for [`push_own`]. It is not on the stack: there it would be in the frame of every kernel that has parallel regions.
#[cold]
#[inline(never)]
fn push_new() -> *mut ThreadState {
    let table = table_or_new();
    // SAFETY: the list is of states that nobody uses, and is changed by the thread with its lock.
    unsafe {
        sync::lock::take(&raw mut (*table).lock);
        let mut state = (*table).spare;
        if !state.is_null() {
            (*table).spare = (*state).outer;
        }
        sync::lock::release(&raw mut (*table).lock);
        if state.is_null() {
            state = memory::from_heap(size_of::<ThreadState>() as u64).cast();
        }
        inherit(state);
        (*state).on_heap = 1;
        push_own(state);
        state
    }
}

/// The end of an implicit task: its explicit tasks are finished, and this thread's innermost state goes, if it has one.
#[inline(always)]
pub fn pop_own() {
    if tasking::record::possible() {
        tasking::end_of_implicit_task();
    }
    if any_own() {
        pop_own_slow()
    }
}

/// An explicit task begins: it gets ICVs of its own, if its thread has some. The state to go back to.
#[cold]
#[inline(never)]
pub fn enter_task() -> *mut ThreadState {
    let outer = own();
    if !outer.is_null() {
        push_new();
    }
    outer
}

/// An explicit task ends: drops the states that it got, and those that it made by setting ICVs. def-allocator-var stays:
/// it belongs to the implicit task (OpenMP 5.2, table 2.1).
#[cold]
#[inline(never)]
pub fn leave_task(outer: *mut ThreadState) {
    let allocator = def_allocator();
    while own() != outer {
        pop_own_slow();
    }
    if def_allocator() != allocator {
        // SAFETY: this thread's state.
        unsafe { (*own_or_new()).def_allocator = allocator };
    }
}

#[cold]
#[inline(never)]
fn pop_own_slow() {
    let state = find_own();
    if state.is_null() {
        return;
    }
    // SAFETY: this thread's state; its memory is its own.
    unsafe {
        let outer = (*state).outer;
        let table = table();
        slot(table).write(outer);
        if (*state).on_heap != 0 {
            sync::lock::take(&raw mut (*table).lock);
            (*state).outer = (*table).spare;
            (*table).spare = state;
            sync::lock::release(&raw mut (*table).lock);
        }
        if outer.is_null() {
            arch::block_and_u32(own_word(table), !own_bit());
        }
    }
}

/// Enters a serialised region, until [`pop_own`]: this thread alone, one level deeper. The caller sets [`has_own`] in code
/// that is inlined into kernels.
#[inline(always)]
pub fn begin_serial_region() {
    if config::thread_states() {
        // SAFETY: this thread's state.
        unsafe { (*push_new()).par += 1 }
    }
}

/// The clauses that this thread has pushed inside regions; then they are gone.
pub fn take_pushed() -> u16 {
    let own = own();
    // SAFETY: not null, so it is this thread's state.
    if own.is_null() { 0 } else { unsafe { core::mem::take(&mut (*own).pushed) } }
}

/// Pushes clauses inside a region.
pub fn set_pushed(clauses: u16) {
    if config::thread_states() {
        // SAFETY: this thread's state.
        unsafe { (*own_or_new()).pushed = clauses }
        set_has_own(1);
    }
}

/// Enters a nested team as the thread `number`. [`has_own`] is set since the team was offered.
///
/// # Safety
/// `state` must be valid until [`pop_own`], and `team` as long.
pub unsafe fn enter_nested_team(state: *mut ThreadState, team: *mut Team, number: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        memory::copy_words(state, &raw const (*team).state);
        (*state).team = team;
        (*state).number = number;
        (*state).exchange = 0;
        push_own(state);
    }
}

/// A value of this thread: the function `$slow`, out of line, has it from the state, and the rest is for threads without one.
macro_rules! of_thread {
    ($($(#[$doc:meta])* fn $name:ident($own:ident) -> $ty:ty, $slow:ident { $of_own:expr } else { $of_team:expr })*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> $ty {
            if any_own() { $slow() } else { $of_team }
        }

        #[cold]
        #[inline(never)]
        fn $slow() -> $ty {
            let $own = find_own();
            // SAFETY: not null, so it is this thread's state; a team outlives its threads' states.
            if $own.is_null() { $of_team } else { unsafe { $of_own } }
        }
    )* };
}
of_thread! {
    /// This thread's parallel state.
    fn current_par(own) -> u32, own_par { (*own).par } else { team_par() }

    /// Whether this thread is in a serialised region, which others of the team do not see.
    fn in_serial_region(own) -> bool, own_is_serial { is_serial(own) } else { false }

    /// Threads of the team that this thread is in.
    fn num_threads(own) -> u32, own_num_threads {
        if is_serial(own) {
            1
        } else if team_of(own).is_null() {
            num_threads_of_kernel()
        } else {
            (*(*own).team).size
        }
    } else {
        num_threads_of_kernel()
    }

    /// Number of this thread in its team.
    fn thread_num(own) -> u32, own_thread_num {
        if is_serial(own) { 0 } else { num_in_team(own) }
    } else {
        num_in_kernel()
    }

    /// Number of this thread in its innermost team of more than one thread, around serialised regions.
    fn team_thread_num(own) -> u32, own_team_thread_num { num_in_team(own) } else { num_in_kernel() }
}

/// The nested team that this thread is in, maybe in a serialised region inside; null in the kernel's own team. An SPMD
/// kernel has no other.
#[inline(always)]
pub fn nested_team() -> *mut Team {
    if any_own() && !is_spmd() { own_team() } else { core::ptr::null_mut() }
}

#[cold]
#[inline(never)]
fn own_team() -> *mut Team {
    let own = find_own();
    // SAFETY: not null, so it is this thread's state.
    if own.is_null() { core::ptr::null_mut() } else { unsafe { (*own).team } }
}

/// The nested team that the thread of `own` is in. An SPMD kernel has none.
///
/// # Safety
/// `own` must be a thread's state.
#[inline(always)]
unsafe fn team_of(own: *mut ThreadState) -> *mut Team {
    // SAFETY: as the caller promises.
    if is_spmd() { core::ptr::null_mut() } else { unsafe { (*own).team } }
}

/// Threads of the kernel's own team.
#[inline(always)]
fn num_threads_of_kernel() -> u32 {
    if par::active_levels(team_par()) == 0 { 1 } else { team_threads() }
}

/// Number of this thread in the kernel's own team.
#[inline(always)]
fn num_in_kernel() -> u32 {
    if par::active_levels(team_par()) == 0 { 0 } else { arch::tid() }
}

/// Number of the thread of `own` in its innermost team of more than one thread.
///
/// # Safety
/// `own` must be this thread's state.
#[inline(always)]
unsafe fn num_in_team(own: *mut ThreadState) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { if team_of(own).is_null() { num_in_kernel() } else { (*own).number } }
}

/// Whether the thread of `own` is in a serialised region, inside the kernel's own team or a nested one.
///
/// # Safety
/// `own` must be this thread's state.
#[inline(always)]
unsafe fn is_serial(own: *mut ThreadState) -> bool {
    // SAFETY: as the caller promises; a team outlives its threads' states.
    unsafe {
        let team = team_of(own);
        let of_team = if team.is_null() { team_par() } else { (*team).state.par };
        par::level((*own).par) != par::level(of_team)
    }
}

/// Threads of the region of the kernel's own team.
#[inline(always)]
pub fn team_threads() -> u32 {
    let size = team_size();
    if size == ALL_THREADS { most_threads(is_spmd()) } else { size }
}

macro_rules! icvs {
    ($($(#[$doc:meta])* $field:ident: $ty:ty, $get:ident, $slow:ident, $set:ident, $team:ident, $set_team:ident;)*) => { $(
        of_thread! {
            $(#[$doc])*
            fn $get(own) -> $ty, $slow { (*own).$field } else { $team() }
        }
        #[doc = concat!("Sets what [`", stringify!($get), "`] reads, for the current task only.")]
        #[inline(always)]
        pub fn $set(value: $ty) {
            if config::thread_states() && (par::level(team_par()) != 0 || !own().is_null()) {
                // SAFETY: this thread's state.
                unsafe { (*own_or_new()).$field = value }
                set_has_own(1);
            } else {
                $set_team(value)
            }
        }
    )* };
}
icvs! {
    /// nthreads-var; 0 for as many threads as there are.
    nthreads: u32, nthreads, own_nthreads, set_nthreads, team_nthreads, set_team_nthreads;
    /// max-active-levels-var.
    max_active: u32, max_active, own_max_active, set_max_active, team_max_active, set_team_max_active;
    /// run-sched-var: the kind below, the chunk above bit 32.
    run_sched: u64, run_sched, own_run_sched, set_run_sched, team_run_sched, set_team_run_sched;
    /// def-allocator-var: a handle of `allocator::traits`.
    def_allocator: u64, def_allocator, own_def_allocator, set_def_allocator, team_def_allocator, set_team_def_allocator;
}

/// This thread's state, made if it has none: an ICV is set inside a region.
#[cold]
#[inline(never)]
fn own_or_new() -> *mut ThreadState {
    let own = own();
    if own.is_null() { push_new() } else { own }
}
