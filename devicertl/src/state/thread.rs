//! The threads that are more than threads of the kernel's own team.
//!
//! A thread that runs a serialised region (nested, or `if(0)`), is in a nested team, or sets an ICV inside a region, has
//! a [`ThreadState`]. It stands in a table with a slot for each thread of the block, which the first of them makes.
//! The table stays until the kernel ends: any thread may look into it. A region of one thread inside another one counts up in the
//! slot and down again, and needs no memory of its own.
//!
//! Kernels in which no thread has a state shall not see any of this. So what asks for a value asks [`any_own`] first: the value of
//! the team is then read by value from its word, and openmp-opt folds it. The look-up is in line: ptxas has a function that calls
//! anything save registers on its stack, whether it comes to the call or not. What a
//! state has for ICVs, loops and pushed clauses ([`More`]) is only in programs that use them, also without openmp-opt: a mark
//! says so that is the constant 0 in all others.

use super::*;
use crate::{fork, memory, nested::Team, tasking, worksharing::dynamic::WholeLoop};

/// ICVs that a task can set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Icvs {
    /// run-sched-var.
    run_sched: u64,
    /// def-allocator-var.
    def_allocator: u64,
    /// nthreads-var.
    nthreads: u32,
    /// max-active-levels-var.
    max_active: u32,
}

/// What a thread is that is more than a thread of the kernel's own team.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ThreadState {
    /// Parallel state, see [`par`].
    pub par: u32,
    /// Serialised regions that the thread is in, inside the kernel's own team or a nested one.
    serialised: u32,
    /// Its number in `team`.
    pub number: u32,
    /// Whether it hands its part of a reduction to another thread of the nested team, or takes theirs: the number of
    /// the one that hands. 0, neither: thread 0 never hands. Garbage in an SPMD kernel.
    pub exchange: u32,
    /// The nested team that the thread is in, maybe in a serialised region inside; null in the kernel's own team, and garbage in
    /// an SPMD kernel.
    pub team: *mut Team,
    /// What few have, or null.
    more: *mut More,
}

/// What a thread's state has that sets ICVs, is in a dynamic loop, and so on.
#[repr(C)]
pub struct More {
    /// ICVs; garbage in programs that set none.
    icvs: Icvs,
    /// Where the thread is in a loop of its nested team.
    pub position: u64,
    /// The loop of a serialised region.
    pub whole_loop: WholeLoop,
    /// What [`push_new`] has to put back.
    outer: Outer,
    /// Clauses that the thread has pushed for its next region, see [`crate::fork`].
    pushed: u16,
}

/// The state that another one hides.
#[repr(C)]
pub struct Outer {
    /// Garbage if there is none.
    state: ThreadState,
    exists: bool,
}

/// The table of states. A slot for each thread of the block stands behind it; it holds garbage unless the thread has a
/// state.
#[repr(C, align(8))]
struct Table {
    /// The lanes of each warp that have a state. A thread reads and changes only its own bit.
    own: [u32; 32],
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

/// This thread, asked for once by a function that wants to know several things of it: each question is a step that openmp-opt takes
/// for every place into which the function is inlined. It is true until the thread gets or loses a state.
#[derive(Clone, Copy)]
pub struct ThisThread {
    /// Its state, or null.
    pub(super) own: *mut ThreadState,
}

/// This thread.
#[inline(always)]
pub fn this_thread() -> ThisThread {
    ThisThread { own: own() }
}

impl ThisThread {
    /// A thread that has no state, or in whose state nothing is of interest.
    pub const WITHOUT_STATE: Self = Self { own: core::ptr::null_mut() };

    /// What [`nested_team`] gives.
    #[inline(always)]
    pub fn nested_team(self) -> *mut Team {
        // SAFETY: not null, so it is this thread's state.
        if self.own.is_null() { core::ptr::null_mut() } else { unsafe { team_of(self.own) } }
    }

    /// Its number in its team, and the team's threads.
    #[inline(always)]
    pub fn place_in_team(self) -> (u32, u32) {
        let own = self.own;
        // SAFETY: not null, so it is this thread's state.
        unsafe {
            if !own.is_null() && is_serial(own) {
                (0, 1)
            } else if own.is_null() || team_of(own).is_null() {
                (num_in_kernel(), num_threads_of_kernel())
            } else {
                ((*own).number, (*(*own).team).size)
            }
        }
    }
}

/// [`own`] in a kernel in which a thread may have a state.
#[inline(always)]
fn find_own() -> *mut ThreadState {
    // SAFETY: a table stays.
    unsafe { find_in(table()) }
}

/// This thread's state, or null.
///
/// # Safety
/// `table` must be the table, or null.
#[inline(always)]
unsafe fn find_in(table: *mut Table) -> *mut ThreadState {
    // SAFETY: as the caller promises.
    unsafe {
        if table.is_null() || arch::block_load_u32(own_word(table)) & own_bit() == 0 {
            core::ptr::null_mut()
        } else {
            slot(table)
        }
    }
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
unsafe fn slot(table: *mut Table) -> *mut ThreadState {
    // SAFETY: as the caller promises; it has a slot for each thread of the block.
    unsafe { table.add(1).cast::<ThreadState>().add(arch::tid() as usize) }
}

/// The table, made if there is none.
#[cold]
fn table_or_new() -> *mut Table {
    // SAFETY: a variable of this block; the thread that changes it first is alone with the new table.
    unsafe {
        if arch::block_cas_u64(table_word(), NO_TABLE, MAKING_TABLE) == NO_TABLE {
            let slots = arch::ntid() as usize * size_of::<ThreadState>();
            let new = memory::from_heap((size_of::<Table>() + slots) as u64).cast::<Table>();
            memory::clear(new);
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
    // SAFETY: nobody makes or reads the table any more; the thread that takes it out of the variable is alone with it.
    unsafe {
        let table = arch::block_swap_u64(table_word(), NO_TABLE);
        if table != NO_TABLE {
            arch::free(table as *mut u8);
        }
    }
}

/// Writes this thread's ICVs, if the program sets any.
///
/// # Safety
/// `icvs` must be valid for writes.
#[inline(always)]
pub unsafe fn inherit_icvs(icvs: *mut Icvs) {
    if !sets_icvs() {
        return;
    }
    // SAFETY: as the caller promises.
    unsafe { icvs.write(Icvs::of_task()) }
}

/// This thread's state, made if it has none: then it is that of a thread of the kernel's own team. The caller sets [`has_own`]
/// in code that is inlined into kernels. What is there is hidden by the new one, if `outer` is not null.
///
/// # Safety
/// `outer` must be null or valid for writes.
#[cold]
unsafe fn begin(outer: *mut Outer) -> *mut ThreadState {
    let table = table_or_new();
    // SAFETY: the table. Of the word with the lanes this thread changes its own bit.
    unsafe {
        let slot = slot(table);
        let exists = !find_in(table).is_null();
        if !outer.is_null() {
            (*outer).exists = exists;
        }
        if exists {
            if !outer.is_null() {
                memory::copy_words(&raw mut (*outer).state, slot);
            }
        } else {
            (*slot).par = team_par();
            (*slot).serialised = 0;
            if !is_spmd() {
                (*slot).exchange = 0;
                (*slot).team = core::ptr::null_mut();
            }
            if makes_more() {
                (*slot).more = core::ptr::null_mut();
            }
            arch::block_xor_u32(own_word(table), own_bit());
        }
        slot
    }
}

/// This thread has no state any more.
///
/// # Safety
/// It must have one.
#[inline(always)]
unsafe fn end() {
    // SAFETY: so there is a table, of which the bit is the thread's.
    unsafe { arch::block_xor_u32(own_word(table()), own_bit()) };
}

/// Goes back to the state that [`begin`] has put into `outer`.
///
/// # Safety
/// This thread must have a state, and `outer` be of [`begin`].
#[inline(always)]
unsafe fn uncover(outer: *mut Outer) {
    // SAFETY: as the caller promises.
    unsafe {
        if (*outer).exists {
            memory::copy_words(slot(table()), &raw const (*outer).state);
        } else {
            end()
        }
    }
}

/// What makes a [`More`] writes 1, and nobody else writes it.
static MORE_MARK: AtomicU32 = AtomicU32::new(0);

/// Whether states of the program can have more. See [`sets_icvs`].
#[inline(always)]
fn makes_more() -> bool {
    marked(&MORE_MARK)
}

/// More for a state.
#[inline(always)]
fn new_more() -> *mut More {
    MORE_MARK.store(1, Relaxed);
    let more = memory::from_heap(size_of::<More>() as u64).cast::<More>();
    // SAFETY: new memory of this size.
    unsafe { (*more).pushed = 0 };
    more
}

/// More of the state `own`, made if it has none.
///
/// # Safety
/// `own` must be this thread's state.
#[cold]
#[inline(never)]
pub unsafe fn more(own: *mut ThreadState) -> *mut More {
    // SAFETY: as the caller promises.
    unsafe {
        if (*own).more.is_null() {
            (*own).more = new_more();
        }
        (*own).more
    }
}

/// Gives this thread a new state, with what it inherits: to set ICVs, or for a level inside that may. The caller sets
/// [`has_own`] as for [`begin`].
#[cold]
#[inline(never)]
fn push_new() -> *mut ThreadState {
    let more = new_more();
    // SAFETY: new memory, and this thread's state.
    unsafe {
        inherit_icvs(&raw mut (*more).icvs);
        let state = begin(&raw mut (*more).outer);
        (*state).more = more;
        state
    }
}

/// The end of an implicit task: its explicit tasks are finished, and the state goes that this thread has got in it, if it has
/// one: it has set ICVs or pushed clauses.
#[inline(always)]
pub fn pop_own() {
    end_tasks();
    if (sets_icvs() || fork::any()) && any_own() {
        pop_new()
    }
}

#[inline(always)]
fn end_tasks() {
    if tasking::record::possible() {
        tasking::end_of_implicit_task();
    }
}

impl ThisThread {
    /// An explicit task begins: it gets ICVs of its own, if its thread has some. What [`leave_task`] needs.
    #[inline(always)]
    pub fn enter_task(self) -> *mut More {
        if !sets_icvs() || self.own.is_null() {
            return core::ptr::null_mut();
        }
        // SAFETY: this thread's state.
        let outer = unsafe { (*self.own).more };
        push_new();
        outer
    }
}

/// What this thread's state has more, null without a state. In a program that sets ICVs all states have it.
#[inline(always)]
fn own_more() -> *mut More {
    let own = own();
    // SAFETY: not null, so it is this thread's state.
    if own.is_null() { core::ptr::null_mut() } else { unsafe { (*own).more } }
}

/// An explicit task ends: drops the states that it got, and those that it made by setting ICVs. def-allocator-var stays:
/// it belongs to the implicit task (OpenMP 5.2, table 2.1).
#[inline(always)]
pub fn leave_task(outer: *mut More) {
    if sets_icvs() && any_own() {
        leave_task_with_icvs(outer)
    }
}

#[cold]
#[inline(never)]
fn leave_task_with_icvs(outer: *mut More) {
    let allocator = def_allocator();
    while own_more() != outer {
        pop_new();
    }
    if def_allocator() != allocator {
        // SAFETY: this thread's state.
        unsafe { (*(*own_or_new()).more).icvs.def_allocator = allocator };
    }
}

/// Takes away what [`push_new`] has made this thread's, if there is anything.
#[cold]
#[inline(never)]
fn pop_new() {
    let own = find_own();
    if own.is_null() {
        return;
    }
    // SAFETY: this thread's state, of `push_new`.
    unsafe {
        let more = (*own).more;
        uncover(&raw mut (*more).outer);
        arch::free(more.cast());
    }
}

/// Enters a serialised region, this thread alone, one level deeper; or leaves it, which ends its tasks. One function for both,
/// which have the look-up of the state in common. Who enters sets [`has_own`] in code that is inlined into kernels.
#[cold]
#[inline(never)]
pub fn serial_region(enter: bool) {
    if !enter {
        end_tasks();
    }
    if !config::thread_states() {
        return;
    }
    // SAFETY: the table, and this thread's state, which it has where it leaves.
    unsafe {
        if sets_icvs() && !enter {
            return pop_new();
        }
        let state = if sets_icvs() { push_new() } else { begin(core::ptr::null_mut()) };
        let step = if enter { 1 } else { 1u32.wrapping_neg() };
        (*state).par = (*state).par.wrapping_add(step);
        (*state).serialised = (*state).serialised.wrapping_add(step);
        if (*state).serialised == 0 && team_of(state).is_null() {
            free_more(state);
            end();
        }
    }
}

/// # Safety
/// `state` must be this thread's, which goes.
#[inline(always)]
unsafe fn free_more(state: *mut ThreadState) {
    // SAFETY: as the caller promises.
    unsafe {
        if makes_more() && !(*state).more.is_null() {
            arch::free((*state).more.cast());
        }
    }
}

/// Enters a nested team as the thread `number`, until [`leave_nested_team`]. [`has_own`] is set since the team was offered.
///
/// # Safety
/// `team` must be a descriptor with no other thread of this number.
#[inline(always)]
pub unsafe fn enter_nested_team(team: *mut Team, number: u32) {
    // SAFETY: as the caller promises. The others were idle and have no state.
    unsafe {
        let state = begin(if number == 0 { &raw mut (*team).outer } else { core::ptr::null_mut() });
        (*state).par = (*team).par;
        (*state).serialised = 0;
        (*state).number = number;
        (*state).team = team;
        (*state).more = core::ptr::null_mut();
        if sets_icvs() {
            let more = new_more();
            (*more).icvs = (*team).icvs;
            (*state).more = more;
        }
    }
}

/// Leaves a nested team.
///
/// # Safety
/// This thread must be in `team` with this number.
#[inline(always)]
pub unsafe fn leave_nested_team(team: *mut Team, number: u32) {
    end_tasks();
    // SAFETY: as the caller promises.
    unsafe {
        free_more(slot(table()));
        if number == 0 { uncover(&raw mut (*team).outer) } else { end() }
    }
}

/// The clauses that this thread has pushed inside regions; then they are gone.
pub fn take_pushed() -> u16 {
    let more = own_more();
    // SAFETY: not null, so it is this thread's.
    if more.is_null() { 0 } else { unsafe { core::mem::take(&mut (*more).pushed) } }
}

/// Pushes clauses inside a region.
pub fn set_pushed(clauses: u16) {
    if config::thread_states() {
        // SAFETY: this thread's state.
        unsafe { (*more(own_or_new())).pushed = clauses }
        set_has_own(1);
    }
}

/// A value of this thread: from its state if it has one, else the rest.
macro_rules! of_thread {
    ($($(#[$doc:meta])* fn $name:ident($own:ident) -> $ty:ty { $of_own:expr } else { $of_team:expr })*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> $ty {
            this_thread().$name()
        }
        impl ThisThread {
            $(#[$doc])*
            #[inline(always)]
            pub fn $name(self) -> $ty {
                let $own = self.own;
                // SAFETY: not null, so it is this thread's state; a team outlives its threads' states.
                if $own.is_null() { $of_team } else { unsafe { $of_own } }
            }
        }
    )* };
}
of_thread! {
    /// This thread's parallel state.
    fn current_par(own) -> u32 { (*own).par } else { team_par() }

    /// Whether this thread is in a serialised region, which others of the team do not see.
    fn in_serial_region(own) -> bool { is_serial(own) } else { false }

    /// Threads of the team that this thread is in.
    fn num_threads(own) -> u32 {
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
    fn thread_num(own) -> u32 {
        if is_serial(own) { 0 } else { num_in_team(own) }
    } else {
        num_in_kernel()
    }
}

/// The nested team that this thread is in, maybe in a serialised region inside; null in the kernel's own team. An SPMD
/// kernel has no other.
#[inline(always)]
pub fn nested_team() -> *mut Team {
    let own = if is_spmd() { core::ptr::null_mut() } else { own() };
    // SAFETY: not null, so it is this thread's state.
    if own.is_null() { core::ptr::null_mut() } else { unsafe { (*own).team } }
}

/// The nested team that the thread of `own` is in. An SPMD kernel has none.
///
/// # Safety
/// `own` must be a thread's state.
#[inline(always)]
pub(super) unsafe fn team_of(own: *mut ThreadState) -> *mut Team {
    // SAFETY: as the caller promises.
    if is_spmd() { core::ptr::null_mut() } else { unsafe { (*own).team } }
}

/// Whether the thread of `own` is in a serialised region.
///
/// # Safety
/// `own` must be this thread's state.
#[inline(always)]
unsafe fn is_serial(own: *mut ThreadState) -> bool {
    // Nothing else is left for which a thread of an SPMD kernel has a state, if it has no more.
    // SAFETY: as the caller promises.
    unsafe { (is_spmd() && !makes_more()) || (*own).serialised != 0 }
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

/// Where a thread is that meets a region.
pub struct Place {
    /// Its parallel state.
    pub par: u32,
    /// Its innermost team of more than one thread; null: the kernel's own.
    pub team: *mut Team,
    /// Its number in that.
    pub number: u32,
}

impl ThisThread {
    /// Where it is.
    #[inline(always)]
    pub fn place(self) -> Place {
        let own = self.own;
        let mut place = Place { par: team_par(), team: core::ptr::null_mut(), number: num_in_kernel() };
        if !own.is_null() {
            // SAFETY: this thread's state.
            unsafe {
                place.par = (*own).par;
                place.team = team_of(own);
                if !place.team.is_null() {
                    place.number = (*own).number;
                }
            }
        }
        place
    }
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

/// [`team_size`] in a function that is not inlined into kernels. (In those the question whether the program has small teams
/// would stand in openmp-opt's way.)
#[inline(always)]
pub fn team_size_in_function() -> u32 {
    if has_small_teams() { team_size() } else { ALL_THREADS }
}

/// Threads of the region of the kernel's own team.
#[inline(always)]
pub fn team_threads() -> u32 {
    let size = team_size();
    if size == ALL_THREADS { most_threads(is_spmd()) } else { size }
}

/// Functions that set ICVs write 1, and nobody else writes it.
static ICV_MARK: AtomicU32 = AtomicU32::new(0);

/// Whether the program sets ICVs. In one that does not ICVs are constants, and no state holds any.
#[inline(always)]
fn sets_icvs() -> bool {
    marked(&ICV_MARK)
}

macro_rules! icv {
    ($(#[$doc:meta])* $field:ident: $ty:ty = $initial:expr, $name:ident, $get:ident, $set:ident, $put:ident, $team:ident, $word:ident, $set_team:ident) => {
        of_thread! {
            $(#[$doc])*
            fn $get(own) -> $ty {
                if sets_icvs() { (*(*own).more).icvs.$field } else { $initial }
            } else {
                $team()
            }
        }
        #[doc = concat!("What [`", stringify!($get), "`] is of the initial task.")]
        #[inline(always)]
        pub fn $team() -> $ty {
            if sets_icvs() { $word() } else { $initial }
        }
        #[doc = concat!("Sets what [`", stringify!($get), "`] reads, for the current task only.")]
        #[inline(always)]
        pub fn $set(value: $ty) {
            ICV_MARK.store(1, Relaxed);
            $put(value)
        }
        #[doc = concat!("The same in a program that [`", stringify!($set), "`] was called in.")]
        #[inline(always)]
        fn $put(value: $ty) {
            // A task of serial code that sets it is seen by workers: openmp-opt must not look for where the value comes from.
            arch::show((&raw mut super::$name).cast());
            if config::thread_states() && (par::level(team_par()) != 0 || !own().is_null()) {
                // SAFETY: this thread's state.
                unsafe { (*(*own_or_new()).more).icvs.$field = value }
                set_has_own(1);
            } else {
                $set_team(value)
            }
        }
    };
}

macro_rules! icvs_of_tasks {
    ($($(#[$doc:meta])* $field:ident: $ty:ty = $initial:expr, $name:ident, $get:ident, $set:ident, $put:ident, $team:ident, $word:ident, $set_team:ident;)*) => {
        $(icv! { $(#[$doc])* $field: $ty = $initial, $name, $get, $set, $put, $team, $word, $set_team })*

        /// Notes the ICVs of the initial task that a task of serial code may set for itself.
        ///
        /// # Safety
        /// `to` must be memory for them.
        #[inline(always)]
        pub unsafe fn save_team_icvs(to: *mut Icvs) {
            if sets_icvs() {
                // SAFETY: as the caller promises.
                unsafe { $((&raw mut (*to).$field).write($word());)* }
            }
        }

        impl Icvs {
            /// The ICVs of the current task.
            pub fn of_task() -> Self {
                Self { def_allocator: def_allocator(), $($field: $get()),* }
            }

            /// Gives them to the current task, but for def-allocator-var, which belongs to the implicit task (OpenMP 5.2, table 2.1).
            pub fn use_in_task(&self) {
                if sets_icvs() {
                    $(if $get() != self.$field { $put(self.$field) })*
                }
            }
        }

        /// Makes the ICVs of the initial task what they were. Compared first: other threads of a converted kernel may do the same.
        ///
        /// # Safety
        /// [`save_team_icvs`] must have noted them in `from`.
        #[inline(always)]
        pub unsafe fn restore_team_icvs(from: *const Icvs) {
            if sets_icvs() {
                // SAFETY: as the caller promises.
                unsafe { $(if $word() != (*from).$field { $set_team((*from).$field) })* }
            }
        }
    };
}
icvs_of_tasks! {
    /// nthreads-var; 0 for as many threads as there are.
    nthreads: u32 = 0, NTHREADS, nthreads, set_nthreads, put_nthreads, team_nthreads, nthreads_word, set_team_nthreads;
    /// max-active-levels-var.
    max_active: u32 = supported_active_levels(is_spmd()), MAX_ACTIVE, max_active, set_max_active, put_max_active, team_max_active, max_active_word, set_team_max_active;
    /// run-sched-var: the kind below, the chunk above bit 32.
    run_sched: u64 = RUN_SCHED_STATIC, RUN_SCHED, run_sched, set_run_sched, put_run_sched, team_run_sched, run_sched_word, set_team_run_sched;
}
icv! {
    /// def-allocator-var, of the implicit task (OpenMP 5.2, table 2.1): a handle of `allocator::traits`.
    def_allocator: u64 = DEFAULT_ALLOCATOR, DEF_ALLOCATOR, def_allocator, set_def_allocator, put_def_allocator, team_def_allocator, def_allocator_word, set_team_def_allocator
}

/// This thread's state, made if it has none: an ICV is set inside a region.
#[cold]
#[inline(never)]
fn own_or_new() -> *mut ThreadState {
    let own = own();
    if own.is_null() { push_new() } else { own }
}
