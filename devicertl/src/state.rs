//! State of the team in shared memory, and of the threads that have ICVs of their own.
//!
//! Rules that let LLVM's openmp-opt fold the state away, so that a kernel that needs none of it has none:
//!
//! * one static for each word: a word whose loads all fold disappears alone;
//! * a word is read by value from its static, never through a pointer that was chosen at run time;
//! * in an SPMD kernel *every* thread writes the same value directly behind an aligned barrier: then the store is
//!   executed by all threads together and dominates the region, and no second barrier is needed;
//! * the state words are in neither `llvm.used` nor `llvm.compiler.used`.
//!
//! A thread that runs a serialised region (nested, or `if(0)`), or sets an ICV inside a region, has a
//! [`ThreadState`]. It is found through a table with a slot for each thread of the block, which exists while any
//! thread uses it. Which threads use it says [`OWN`], where a thread reads and writes only its own bit: a thread
//! without a state never reads the table, so another thread may free it.

use crate::{
    arch, config, tasking,
    worksharing::{
        doacross::Nests,
        dynamic::{Loops, Positions, WholeLoop},
    },
};
use abi::kernel::{KernelEnvironment, KernelLaunchEnvironment};
use core::mem::MaybeUninit;

/// Bytes of the pool behind `__kmpc_alloc_shared`.
pub const POOL_BYTES: usize = 2048;
/// Words of its bitmap.
pub const POOL_WORDS: usize = POOL_BYTES / crate::memory::GRANULE / 64;
/// Region arguments that shared memory holds.
pub const SHARED_ARGS: usize = 64;

/// The pool behind `__kmpc_alloc_shared`.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Pool(pub [u8; POOL_BYTES]);

/// The variables in shared memory, as `callback! { NAME: type; ... }`. Their symbols are `__devrtl_shared_NAME`.
///
/// They are declared here and defined elsewhere: on the device in the prelude, in address space 3, and in the tests
/// as ordinary statics.
#[doc(hidden)]
#[macro_export]
macro_rules! for_shared_variables {
    ($callback:ident) => {
        $callback! {
            // Constant for the whole kernel.
            IS_SPMD: u32;
            KERNEL_ENV: *const abi::kernel::KernelEnvironment;
            LAUNCH_ENV: *mut abi::kernel::KernelLaunchEnvironment;
            // The parallel state of the team.
            PAR: u32;
            TEAM_SIZE: u32;
            REGION: $crate::arch::Code;
            // ICVs of the team's initial task.
            NTHREADS: u32;
            MAX_ACTIVE: u32;
            RUN_SCHED: u64;
            DEF_ALLOCATOR: u64;
            // Threads with a state of their own.
            HAS_OWN: u32;
            OWN: [u32; 32];
            TABLE: *mut *mut $crate::state::ThreadState;
            TABLE_USERS: u32;
            // Records of threads that have more to note about their tasks than that they run.
            TASK_TABLE: *mut *mut $crate::tasking::record::Record;
            TASK_TABLE_STATE: u32;
            // What `for_team_data!` lists.
            BARRIER_WORD: u32;
            LOOPS_WORD: u32;
            NESTS_WORD: u32;
            CANCELLED: u32;
            CANCEL_BARRIER: u32;
            COPY_SOURCE: $crate::arch::Arg;
            // Loops whose chunks are handed out while they run.
            LOOPS: $crate::worksharing::dynamic::Loops;
            HAS_POSITIONS: u32;
            POSITIONS: $crate::worksharing::dynamic::Positions;
            NESTS: $crate::worksharing::doacross::Nests;
            WHOLE_LOOPS: [$crate::worksharing::dynamic::WholeLoop; 2];
            // Cancellation: see `sync::cancel`.
            CANCEL_MARK: u32;
            LEAVING: [u32; 32];
            // Region arguments and shared variables.
            ARGS: [$crate::arch::Arg; $crate::state::SHARED_ARGS];
            ARGS_IN_USE: *mut $crate::arch::Arg;
            POOL: $crate::state::Pool;
            POOL_USED: [u64; $crate::state::POOL_WORDS];
        }
    };
}

macro_rules! declare {
    ($($name:ident: $ty:ty;)*) => {
        #[allow(improper_ctypes, reason = "the definitions have no type of a foreign language")]
        unsafe extern "C" {
            $(
                #[doc = concat!("Shared memory, see [`for_shared_variables`]: `", stringify!($name), "`.")]
                #[link_name = concat!("__devrtl_shared_", stringify!($name))]
                pub static mut $name: MaybeUninit<$ty>;
            )*
        }
    };
}
for_shared_variables!(declare);

/// What every team has for its constructs, as `callback! { VARIABLE: type, accessor; ... }`.
///
/// The kernel's own team has it in these shared variables, a nested team in its descriptor. So it is reached through its
/// accessor only. It is all zeros when the team starts, and each construct
/// leaves it as the next one needs it.
#[doc(hidden)]
#[macro_export]
macro_rules! for_team_data {
    ($callback:ident) => {
        $callback! {
            /// Barrier of a team that is not made of whole warps: arrivals below, rounds above bit 16.
            BARRIER_WORD: u32, barrier_word;
            /// Whether [`loops`] is set up: see `worksharing::dynamic`.
            LOOPS_WORD: u32, loops_word;
            /// The same for [`nests`].
            NESTS_WORD: u32, nests_word;
            /// Which constructs are cancelled, see [`crate::sync::cancel`].
            CANCELLED: u32, cancelled;
            /// Barrier in kernels that cancel, see [`crate::sync::cancel`].
            CANCEL_BARRIER: u32, cancel_barrier;
            /// List of the values that `copyprivate` hands out; null outside.
            COPY_SOURCE: $crate::arch::Arg, copy_source;
        }
    };
}

macro_rules! team_data {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $get:ident;)*) => {
        /// What [`for_team_data`] lists, of one team.
        #[repr(C)]
        #[allow(missing_docs, reason = "the accessors have the documentation")]
        pub struct TeamData {
            $(pub $get: $ty,)*
        }

        $(
            $(#[$doc])*
            #[inline(always)]
            pub fn $get() -> *mut $ty {
                let nested = nested_data();
                if nested.is_null() {
                    (&raw mut $name).cast()
                } else {
                    // SAFETY: the descriptor of a team lives as long as a thread of it.
                    unsafe { &raw mut (*nested).$get }
                }
            }
        )*

        /// Zeros the data of the kernel's own team.
        #[inline(always)]
        fn clear_team_data() {
            // SAFETY: variables of this block; all writers write zeros, which are a value of every type in the list.
            unsafe { $((&raw mut $name).cast::<$ty>().write_bytes(0, 1);)* }
        }
    };
}
for_team_data!(team_data);

/// The data of the nested team that this thread is in; null in the kernel's own team.
#[inline(always)]
fn nested_data() -> *mut TeamData {
    core::ptr::null_mut()
}

/// The loops of this thread's team; garbage until [`loops_word`] says otherwise.
#[inline(always)]
pub fn loops() -> *mut Loops {
    (&raw mut LOOPS).cast()
}

/// The loop nests with dependences of this thread's team; garbage until [`nests_word`] says otherwise.
#[inline(always)]
pub fn nests() -> *mut Nests {
    (&raw mut NESTS).cast()
}

/// The positions of the threads in [`loops`].
#[inline(always)]
pub fn positions() -> *mut Positions {
    (&raw mut POSITIONS).cast()
}

/// Whether this thread is its team's only one. A region of all threads of a block with one thread is not counted.
#[inline(always)]
pub fn is_team_of_one() -> bool {
    in_serial_region() || par::active_levels(team_par()) == 0
}

/// The loop of this thread if it [is a team of one](is_team_of_one), else null.
#[inline(always)]
pub fn whole_loop() -> *mut WholeLoop {
    if in_serial_region() {
        // SAFETY: a thread in a serialised region has a state.
        unsafe { &raw mut (*own()).whole_loop }
    } else if par::active_levels(team_par()) == 0 {
        // A region of one thread may be in a loop of the initial thread.
        let level = par::level(team_par()).min(1) as usize;
        // SAFETY: an element of the variable.
        unsafe { (&raw mut WHOLE_LOOPS).cast::<WholeLoop>().add(level) }
    } else {
        core::ptr::null_mut()
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $get:ident, $set:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $get() -> $ty {
            // SAFETY: a variable of this block with this type, written by `init_team` before the first read.
            unsafe { (&raw const $name).cast::<$ty>().read() }
        }
        #[doc = concat!("Writes what [`", stringify!($get), "`] reads.")]
        #[inline(always)]
        pub(crate) fn $set(value: $ty) {
            // SAFETY: a variable of this block with this type; writers at the same time write the same value.
            unsafe { (&raw mut $name).cast::<$ty>().write(value) }
        }
    )* };
}
words! {
    /// Not 0 in an SPMD kernel.
    IS_SPMD: u32, spmd_word, set_spmd_word;
    /// What the compiler says about the kernel.
    KERNEL_ENV: *const KernelEnvironment, kernel_env, set_kernel_env;
    /// What the host says about the launch; dangling if the kernel has no reduction over teams.
    LAUNCH_ENV: *mut KernelLaunchEnvironment, launch_env, set_launch_env;
    /// Parallel state of the team, see [`par`].
    PAR: u32, team_par, set_team_par;
    /// Threads of the team's region, or [`ALL_THREADS`].
    TEAM_SIZE: u32, team_size, set_team_size;
    /// What the workers of a generic kernel shall run; null ends the kernel.
    REGION: arch::Code, region, set_region;
    /// nthreads-var of the initial task, 0 for as many threads as there are.
    NTHREADS: u32, team_nthreads, set_team_nthreads;
    /// max-active-levels-var of the initial task.
    MAX_ACTIVE: u32, team_max_active, set_team_max_active;
    /// run-sched-var of the initial task: the kind below, the chunk above bit 32.
    RUN_SCHED: u64, team_run_sched, set_team_run_sched;
/// def-allocator-var of the initial task.
    DEF_ALLOCATOR: u64, team_def_allocator, set_team_def_allocator;
    /// Not 0 once a thread of the team had a state of its own, or a record of its tasks.
    HAS_OWN: u32, has_own, set_has_own;
    /// Not 0 once a loop of the kernel has used [`positions`].
    HAS_POSITIONS: u32, has_positions, set_has_positions;
    /// The region arguments in use.
    ARGS_IN_USE: *mut arch::Arg, args_in_use, set_args_in_use;
    /// Written by the functions of cancellation constructs, for [`crate::sync::cancel::may_happen`].
    CANCEL_MARK: u32, cancel_mark, set_cancel_mark;
}

/// The parallel state in one word: level in the lowest 16 bits, active levels in the next 8.
pub mod par {
    /// No parallel region.
    pub const SERIAL: u32 = 0;
    /// In a region of one thread.
    pub const LEVEL1: u32 = 1;
    /// In a region of more.
    pub const ACTIVE1: u32 = 0x1_0001;

    /// Nesting depth of parallel regions.
    #[inline(always)]
    pub const fn level(par: u32) -> u32 {
        par & 0xffff
    }

    /// How many of them have more than one thread.
    #[inline(always)]
    pub const fn active_levels(par: u32) -> u32 {
        par >> 16 & 0xff
    }
}

/// `TEAM_SIZE` of a region with all threads that a team can have, and outside of regions, in both modes. (A number in
/// generic kernels, so that barriers need no mode, made openmp-opt fold `PAR` wrongly where it writes the worker loop.)
pub const ALL_THREADS: u32 = 0;

/// `run-sched-var` at the start: static, chunk 1 (`omp_sched_static` is 1).
const RUN_SCHED_STATIC: u64 = 1 | 1 << 32;

/// ICVs and parallel state of one thread.
#[repr(C)]
pub struct ThreadState {
    /// Parallel state, see [`par`].
    pub par: u32,
    /// nthreads-var.
    pub nthreads: u32,
    /// max-active-levels-var.
    pub max_active: u32,
    /// Whether the state came from `malloc`; else it is on the stack of its thread.
    on_heap: u32,
    /// run-sched-var.
    pub run_sched: u64,
    /// def-allocator-var.
    pub def_allocator: u64,
    /// The state that this one hides.
    outer: *mut ThreadState,
    /// The loop of a serialised region.
    whole_loop: WholeLoop,
}

/// Whether all threads of the block run user code.
///
/// Not read from its word but asked by name: openmp-opt then sees that all kernels from which the question can come
/// are SPMD, even if another kernel of the file is not.
#[inline(always)]
pub fn is_spmd() -> bool {
    arch::is_spmd()
}

/// Threads of the largest team: the block, without the main thread's warp in a generic kernel.
#[inline(always)]
pub fn most_threads(spmd: bool) -> u32 {
    if spmd { arch::ntid() } else { arch::ntid().saturating_sub(arch::WARP) }
}

/// The thread that runs the serial code of a generic kernel: the first lane of the last warp.
#[inline(always)]
pub fn generic_main() -> u32 {
    arch::ntid().wrapping_sub(1) & !(arch::WARP - 1)
}

/// Sets up the state of the team. In an SPMD kernel every thread does it, in a generic one the main thread.
#[inline(always)]
pub fn init_team(spmd: bool, env: *const KernelEnvironment) {
    set_spmd_word(spmd as u32);
    set_kernel_env(env);
    set_team_par(par::SERIAL);
    set_team_size(ALL_THREADS);
    set_region(core::ptr::null());
    set_team_nthreads(0);
    set_team_max_active(1);
    set_team_run_sched(RUN_SCHED_STATIC);
    set_team_def_allocator(crate::allocator::traits::Handle::DEFAULT.bits());
    set_has_own(0);
    set_has_positions(0);
    set_cancel_mark(0);
    clear_team_data();
    // SAFETY: variables of this block; all writers write the same values.
    unsafe {
        (&raw mut TABLE).cast::<*mut *mut ThreadState>().write(core::ptr::null_mut());
        (&raw mut TABLE_USERS).cast::<u32>().write(0);
        (&raw mut TASK_TABLE_STATE).cast::<u32>().write(0);
        for word in 0..POOL_WORDS {
            (&raw mut POOL_USED).cast::<u64>().add(word).write(0);
        }
    }
}

/// Sets up what a warp has of the state. Every thread that will run user code does it.
#[inline(always)]
pub fn init_warp() {
    // SAFETY: this warp's words; all its lanes write the same values.
    unsafe {
        own_word().write(0);
        leaving().add((arch::tid() / arch::WARP) as usize).write(0);
    }
}

/// The threads that are on the way out of a cancelled region: a word for each warp of the block.
#[inline(always)]
pub fn leaving() -> *mut u32 {
    (&raw mut LEAVING).cast()
}

/// The word of [`OWN`] with the lanes of this warp.
#[inline(always)]
fn own_word() -> *mut u32 {
    // SAFETY: a block has at most 32 warps.
    unsafe { (&raw mut OWN).cast::<u32>().add((arch::tid() / arch::WARP) as usize) }
}

#[inline(always)]
fn own_bit() -> u32 {
    1 << (arch::tid() % arch::WARP)
}

/// This thread's state, or null.
#[inline(always)]
pub fn own() -> *mut ThreadState {
    if config::thread_states() && has_own() != 0 { find_own() } else { core::ptr::null_mut() }
}

#[cold]
#[inline(never)]
fn find_own() -> *mut ThreadState {
    // SAFETY: the word exists; with this thread's bit set its slot holds its state and the table stays.
    unsafe { if arch::block_load_u32(own_word()) & own_bit() == 0 { core::ptr::null_mut() } else { *slot() } }
}

/// This thread's slot of the table.
///
/// # Safety
/// The thread must be counted in `TABLE_USERS`.
unsafe fn slot() -> *mut *mut ThreadState {
    // SAFETY: a user keeps the table; it has a slot for each thread of the block.
    unsafe { (&raw const TABLE).cast::<*mut *mut ThreadState>().read().add(arch::tid() as usize) }
}

/// `TABLE_USERS` while one thread makes or frees the table. Other threads wait for it, those of its own warp too,
/// which needs independent thread scheduling.
const TABLE_LOCKED: u32 = !0;

/// Counts this thread as a user of the table, which it makes if there is none.
fn enter_table() {
    // SAFETY: variables of this block; TABLE is written by the one thread that holds the lock.
    unsafe {
        let users = (&raw mut TABLE_USERS).cast::<u32>();
        loop {
            let now = arch::block_load_u32(users);
            if now == TABLE_LOCKED {
                continue;
            }
            let next = if now == 0 { TABLE_LOCKED } else { now + 1 };
            if arch::block_cas_u32(users, now, next) != now {
                continue;
            }
            if next == TABLE_LOCKED {
                let table = (&raw mut TABLE).cast::<*mut *mut ThreadState>();
                if table.read().is_null() {
                    let bytes = arch::ntid() as usize * size_of::<*mut ThreadState>();
                    table.write(crate::memory::from_heap(bytes as u64).cast());
                }
                arch::block_store_u32(users, 1);
            }
            return;
        }
    }
}

/// Frees the table if there is one and no thread uses it. Each thread that ends the kernel does it, so the last
/// one that ever had a state finds the table unused.
#[inline(always)]
pub fn drop_table() {
    // SAFETY: a variable of this block.
    if unsafe { !(&raw const TABLE).cast::<*mut *mut ThreadState>().read().is_null() } {
        drop_unused_table();
    }
}

#[cold]
#[inline(never)]
fn drop_unused_table() {
    // SAFETY: as in `enter_table`: the lock makes this thread the only one that knows the table.
    unsafe {
        let users = (&raw mut TABLE_USERS).cast::<u32>();
        if arch::block_cas_u32(users, 0, TABLE_LOCKED) != 0 {
            return;
        }
        let table = (&raw mut TABLE).cast::<*mut *mut ThreadState>();
        // Another thread may have been faster.
        if !table.read().is_null() {
            arch::free(table.read().cast());
            table.write(core::ptr::null_mut());
        }
        arch::block_store_u32(users, 0);
    }
}

/// Makes `state` this thread's, with the ICVs of the one it hides or of the team.
///
/// # Safety
/// `state` must be valid until [`pop_own`].
unsafe fn push_own(state: *mut ThreadState, on_heap: bool) {
    let outer = own();
    // SAFETY: `state` is valid for writes, `outer` is null or this thread's state.
    unsafe {
        state.write(if outer.is_null() {
            ThreadState {
                par: team_par(),
                nthreads: team_nthreads(),
                max_active: team_max_active(),
                on_heap: on_heap as u32,
                run_sched: team_run_sched(),
                def_allocator: team_def_allocator(),
                outer,
                whole_loop: WholeLoop::NONE,
            }
        } else {
            ThreadState { on_heap: on_heap as u32, outer, ..outer.read() }
        });
        if outer.is_null() {
            enter_table();
            arch::block_or_u32(own_word(), own_bit());
            set_has_own(1);
        }
        slot().write(state);
    }
}

/// The end of an implicit task: its explicit tasks are finished, and this thread's innermost state goes, if it has one.
#[inline(always)]
pub fn pop_own() {
    if tasking::record::possible() {
        tasking::end_of_implicit_task();
    }
    if config::thread_states() && has_own() != 0 {
        pop_own_slow()
    }
}

/// An explicit task begins: it gets ICVs of its own, if its thread has some. The state to go back to.
#[cold]
pub fn enter_task() -> *mut ThreadState {
    let outer = own();
    if !outer.is_null() {
        let state = crate::memory::from_heap(size_of::<ThreadState>() as u64).cast();
        // SAFETY: fresh memory of the right size, which goes with the state.
        unsafe { push_own(state, true) };
    }
    outer
}

/// An explicit task ends: drops the states that it got, and those that it made by setting ICVs. def-allocator-var stays:
/// it belongs to the implicit task (OpenMP 5.2, table 2.3).
#[cold]
pub fn leave_task(outer: *mut ThreadState) {
    let allocator = def_allocator();
    while own() != outer {
        pop_own_slow();
    }
    if def_allocator() != allocator {
        set_def_allocator(allocator);
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
        slot().write(outer);
        if outer.is_null() {
            arch::block_and_u32(own_word(), !own_bit());
            arch::block_add_u32((&raw mut TABLE_USERS).cast(), 1u32.wrapping_neg());
        }
        if (*state).on_heap != 0 {
            arch::free(state.cast());
        }
    }
}

/// Enters a serialised region: this thread alone, one level deeper.
///
/// # Safety
/// `state` must be valid until [`pop_own`].
#[cold]
#[inline(never)]
pub unsafe fn enter_serial_region(state: *mut ThreadState) {
    if config::thread_states() {
        // SAFETY: as the caller promises.
        unsafe {
            push_own(state, false);
            (*state).par += 1;
        }
    }
}

/// This thread's parallel state.
#[inline(always)]
pub fn current_par() -> u32 {
    let own = own();
    // SAFETY: not null, so it is this thread's state.
    if own.is_null() { team_par() } else { unsafe { (*own).par } }
}

/// Whether this thread is in a serialised region, which others of the team do not see.
#[inline(always)]
pub fn in_serial_region() -> bool {
    let own = own();
    // SAFETY: not null, so it is this thread's state.
    !own.is_null() && unsafe { par::level((*own).par) != par::level(team_par()) }
}

/// Threads of the team's region.
#[inline(always)]
pub fn team_threads() -> u32 {
    let size = team_size();
    if size == ALL_THREADS { most_threads(is_spmd()) } else { size }
}

/// Threads of the team that this thread is in.
#[inline(always)]
pub fn num_threads() -> u32 {
    if in_serial_region() {
        return 1;
    }
    if par::active_levels(team_par()) == 0 { 1 } else { team_threads() }
}

/// Number of this thread in its team.
#[inline(always)]
pub fn thread_num() -> u32 {
    if in_serial_region() || par::active_levels(team_par()) == 0 { 0 } else { arch::tid() }
}

macro_rules! icvs {
    ($($(#[$doc:meta])* $field:ident: $ty:ty, $get:ident, $set:ident, $team:ident, $set_team:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $get() -> $ty {
            let own = own();
            // SAFETY: not null, so it is this thread's state.
            if own.is_null() { $team() } else { unsafe { (*own).$field } }
        }
        #[doc = concat!("Sets what [`", stringify!($get), "`] reads, for the current task only.")]
        #[inline(always)]
        pub fn $set(value: $ty) {
            if config::thread_states() && (par::level(team_par()) != 0 || !own().is_null()) {
                // SAFETY: this thread's state.
                unsafe { (*own_or_new()).$field = value }
            } else {
                $set_team(value)
            }
        }
    )* };
}
icvs! {
    /// nthreads-var; 0 for as many threads as there are.
    nthreads: u32, nthreads, set_nthreads, team_nthreads, set_team_nthreads;
    /// max-active-levels-var.
    max_active: u32, max_active, set_max_active, team_max_active, set_team_max_active;
    /// run-sched-var: the kind below, the chunk above bit 32.
    run_sched: u64, run_sched, set_run_sched, team_run_sched, set_team_run_sched;
    /// def-allocator-var: a handle of `allocator::traits`.
    def_allocator: u64, def_allocator, set_def_allocator, team_def_allocator, set_team_def_allocator;
}

/// This thread's state, made if it has none: an ICV is set inside a region.
#[cold]
#[inline(never)]
fn own_or_new() -> *mut ThreadState {
    let own = own();
    if !own.is_null() {
        return own;
    }
    let state = crate::memory::from_heap(size_of::<ThreadState>() as u64).cast();
    // SAFETY: fresh memory of the right size; `pop_own` frees it at the end of the region.
    unsafe { push_own(state, true) };
    state
}
