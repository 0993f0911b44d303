//! State of the team in shared memory, and of the threads that have ICVs of their own.
//!
//! Rules that let LLVM's openmp-opt fold the state away, so that a kernel that needs none of it has none:
//!
//! * one static for each word: a word whose loads all fold disappears alone;
//! * a word is read by value from its static, never through a pointer that was chosen at run time;
//! * in an SPMD kernel *every* thread writes the same value directly behind an aligned barrier: then the store is
//!   executed by all threads together and dominates the region, and no second barrier is needed;
//! * in clang's default mode every source file has its own copy of the state: a read asks whether it is that of the
//!   kernel ([`arch::check_unit`], which folds), and data behind pointers is reached only after such a read;
//! * words that most kernels read are written only by code that is inlined into kernels: openmp-opt, which looks at
//!   each kernel once more behind inlining, knows that another kernel's stores do not concern this one, but of a
//!   function that other kernels call it often cannot tell whether this one does. So one kernel's use of a feature
//!   leaves the others in the file as light as they are alone;
//! * the state words are in neither `llvm.used` nor `llvm.compiler.used`.
//!
//! What single threads have is in [`thread`], where a thread is in a loop in `loops`, what a region is told in [`region_number`].

mod loops;
pub mod region_number;
pub mod thread;

use crate::{arch, config};
use abi::kernel::{FallbackLaunchEnvironment, KernelEnvironment, KernelLaunchEnvironment};
use core::{
    mem::MaybeUninit,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};
pub use region_number::RegionNumber;
pub use thread::*;

/// Bytes of the pool behind `__kmpc_alloc_shared`. A generic kernel that openmp-opt has not seen has all of it; with its
/// arguments of regions it has less than with LLVM's runtime, whose bytes a large team cannot use at all.
pub const POOL_BYTES: usize = 1024;
/// Region arguments that shared memory holds.
pub const SHARED_ARGS: usize = 16;

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
            // Constant for the whole kernel. The first tells this file's kernels from others, see `prelude/unit.ll`.
            STAMP: u64;
            IS_SPMD: u32;
            KERNEL_ENV: *const abi::kernel::KernelEnvironment;
            LAUNCH_ENV: *mut abi::kernel::KernelLaunchEnvironment;
            GROUP_ENV: *mut abi::kernel::FallbackLaunchEnvironment;
            // The parallel state of the team.
            PAR: u32;
            TEAM_SIZE: u32;
            REGION: $crate::arch::Code;
            // ICVs of the team's initial task.
            NTHREADS: u32;
            MAX_ACTIVE: u32;
            RUN_SCHED: u64;
            DEF_ALLOCATOR: u64;
            // Clauses that were pushed for the next region.
            PUSHED: u32;
            // Threads with a state of their own.
            HAS_OWN: u32;
            // Teams that are not their whole block.
            PARTIAL: u32;
            // Explicit tasks, for the regions in them: see `tasks`.
            TASKS: u32;
            // Loops whose body is a function, for the regions in them.
            LOOP_BODIES: u32;
            HAS_RECORDS: u32;
            TABLE: u64;
            // Records of threads that have more to note about their tasks than that they run.
            TASK_TABLE: *mut *mut $crate::tasking::record::Record;
            TASK_TABLE_STATE: u32;
            // What `for_team_data!` lists.
            BARRIER_WORD: u32;
            LOOP_CLAIMS: u32;
            LOOP_NEXT: u64;
            LOOP_ORDERED: u64;
            NEST: u64;
            NEST_LEFT: u32;
            CANCELLED: u32;
            CANCEL_BARRIER: u32;
            COPY_SOURCE: $crate::arch::Arg;
            // The loop whose chunks are handed out while it runs, as `for_loop_words!` lists it.
            LOOP_LOWER: u32;
            LOOP_LOWER_HIGH: u32;
            LOOP_UPPER: u32;
            LOOP_UPPER_HIGH: u32;
            LOOP_STEP: u32;
            LOOP_STEP_HIGH: u32;
            LOOP_CHUNK: u32;
            LOOP_CHUNK_HIGH: u32;
            LOOP_MODE: u32;
            HAS_POSITIONS: u32;
            POSITIONS: $crate::worksharing::dynamic::Positions;
            WHOLE_LOOP: $crate::worksharing::dynamic::WholeLoop;
            // Cancellation: see `sync::cancel`.
            CANCEL_MARK: u32;
            LEAVING: [u32; 32];
            // The workers that a generic kernel's region leaves idle, see `nested`.
            IDLE: u32;
            OUTER_RUNNING: u32;
            OFFER: *mut $crate::nested::Team;
            OFFER_PLACES: u32;
            OFFER_LOCK: u32;
            // Region arguments and shared variables.
            ARGS: [$crate::arch::Arg; $crate::state::SHARED_ARGS];
            ARGS_IN_USE: *mut $crate::arch::Arg;
            POOL: $crate::state::Pool;
            POOL_USED: u64;
            POOL_OVERFLOWED: u32;
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
            /// How often its threads have asked for a chunk of their loop, see `worksharing::dynamic`.
            LOOP_CLAIMS: u32, loop_claims;
            /// First iteration of a guided loop that nobody has taken.
            LOOP_NEXT: u64, loop_next;
            /// First iteration whose `ordered` region has not been passed.
            LOOP_ORDERED: u64, loop_ordered;
            /// Address of the loop nest with dependences that its threads are in, see `worksharing::doacross`.
            NEST: u64, nest;
            /// Threads that have left it.
            NEST_LEFT: u32, nest_left;
            /// Which constructs are cancelled, see [`crate::sync::cancel`].
            CANCELLED: u32, cancelled;
            /// Barrier in kernels that cancel, see [`crate::sync::cancel`].
            CANCEL_BARRIER: u32, cancel_barrier;
            /// List of the values that `copyprivate` hands out; null outside.
            COPY_SOURCE: $crate::arch::Arg, copy_source;
        }
    };
}

/// The loop whose chunks the threads of a team are handed while it runs, as `callback! { VARIABLE, field; ... }`: each number
/// in two halves, of which 32-bit loops use the lower ones.
///
/// Not part of [`for_team_data`]: nobody clears these words, so one that all loops of a kernel write alike is a constant.
#[doc(hidden)]
#[macro_export]
macro_rules! for_loop_words {
    ($callback:ident) => {
        $callback! {
            /// First value of the loop's variable.
            LOOP_LOWER, lower;
            /// Upper half of it.
            LOOP_LOWER_HIGH, lower_high;
            /// The value that the variable does not pass.
            LOOP_UPPER, upper;
            /// Upper half of it.
            LOOP_UPPER_HIGH, upper_high;
            /// Step of the variable.
            LOOP_STEP, step;
            /// Upper half of it.
            LOOP_STEP_HIGH, step_high;
            /// Iterations of a chunk.
            LOOP_CHUNK, chunk;
            /// Upper half of it.
            LOOP_CHUNK_HIGH, chunk_high;
            /// How it is cut, see `worksharing::dynamic`.
            LOOP_MODE, mode;
        }
    };
}

macro_rules! loop_words {
    ($($(#[$doc:meta])* $name:ident, $field:ident;)*) => {
        /// What [`for_loop_words`] lists, of one team.
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct LoopWords {
            $($(#[$doc])* pub $field: u32,)*
        }

        impl ThisThread {
            /// The loop of its team, which it has written. One question for all words: each more would be one more step for
            /// openmp-opt, which takes only so many.
            #[inline(always)]
            pub fn loop_words(self) -> LoopWords {
                let team = self.nested_team();
                // SAFETY: the descriptor of a team lives as long as a thread of it; this thread has written the words.
                unsafe {
                    if team.is_null() {
                        LoopWords { $($field: (&raw const $name).cast::<u32>().read(),)* }
                    } else {
                        (*team).loop_words
                    }
                }
            }

            /// Writes what [`Self::loop_words`] reads. All threads of the team write the same.
            #[inline(always)]
            pub fn set_loop_words(self, words: LoopWords) {
                let team = self.nested_team();
                // SAFETY: the descriptor of a team lives as long as a thread of it.
                unsafe {
                    if team.is_null() {
                        $((&raw mut $name).cast::<u32>().write(words.$field);)*
                    } else {
                        (&raw mut (*team).loop_words).write(words)
                    }
                }
            }
        }
    };
}
for_loop_words!(loop_words);

macro_rules! team_data {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $get:ident;)*) => {
        /// What [`for_team_data`] lists, of one team.
        #[repr(C)]
        #[allow(missing_docs, reason = "the accessors have the documentation")]
        pub struct TeamData {
            $(pub $get: $ty,)*
        }

        impl ThisThread { $(
            $(#[$doc])*
            #[inline(always)]
            pub fn $get(self) -> *mut $ty {
                let team = self.nested_team();
                if team.is_null() {
                    (&raw mut $name).cast()
                } else {
                    // SAFETY: the descriptor of a team lives as long as a thread of it.
                    unsafe { &raw mut (*team).data.$get }
                }
            }
        )* }

        /// Zeros the data of the kernel's own team.
        #[inline(always)]
        fn clear_team_data() {
            // SAFETY: variables of this block; all writers write zeros, which are a value of every type in the list.
            unsafe { $((&raw mut $name).cast::<$ty>().write_bytes(0, 1);)* }
        }
    };
}
for_team_data!(team_data);

/// Reads what other threads may have written.
///
/// openmp-opt takes a function without synchronisation for one in which nothing but its own thread's stores can be seen. A
/// worker runs regions in which no barrier is, with what the main thread has stored: their reads of the state would fold to
/// what the worker itself stored when the kernel began. In an SPMD kernel every thread stores for itself what it reads.
///
/// # Safety
/// As for [`core::ptr::read`].
#[inline(always)]
unsafe fn read_of_main<T>(word: *const T) -> T {
    if !is_spmd() {
        arch::others_write()
    }
    // SAFETY: as the caller promises.
    unsafe { word.read() }
}

macro_rules! words {
    ($read:path: $($(#[$doc:meta])* $name:ident: $ty:ty, $get:ident, $set:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $get() -> $ty {
            arch::check_unit();
            // SAFETY: a variable of this block with this type, written by `init_team` before the first read.
            unsafe { $read((&raw const $name).cast::<$ty>()) }
        }
        #[doc = concat!("Writes what [`", stringify!($get), "`] reads.")]
        #[inline(always)]
        pub(crate) fn $set(value: $ty) {
            // SAFETY: a variable of this block with this type; writers at the same time write the same value.
            unsafe { (&raw mut $name).cast::<$ty>().write(value) }
        }
    )* };
}
words! { core::ptr::read:
    /// Not 0 in an SPMD kernel.
    IS_SPMD: u32, spmd_word, set_spmd_word;
    /// What the compiler says about the kernel.
    KERNEL_ENV: *const KernelEnvironment, kernel_env, set_kernel_env;
    /// What the host says about the launch; dangling if the kernel has no reduction over teams.
    LAUNCH_ENV: *mut KernelLaunchEnvironment, launch_env, set_launch_env;
    /// Clauses that serial code has pushed for its next region, see [`crate::fork`].
    PUSHED: u32, team_pushed, set_team_pushed;
    /// Not 0 once a piece that the pool could hold came from the heap because the pool was full.
    POOL_OVERFLOWED: u32, pool_overflowed, set_pool_overflowed;
    /// Not 0 once a thread of the team had a state of its own.
    HAS_OWN: u32, has_own, set_has_own_word;
    /// 0 as long as every barrier in a region of an SPMD kernel is one of all threads of the block. It stays set, because a
    /// fast thread may set it in a region into which a slow one has yet to come.
    PARTIAL: u32, partial, set_partial;
    /// Explicit tasks, see [`tasks`].
    TASKS: u32, task_word, set_task_word;
    /// Not 0 once a thread of the team has come to a loop whose body is a function, in which LLVM 22's openmp-opt does not look
    /// for regions: its word about regions inside each other is wrong then.
    LOOP_BODIES: u32, loop_bodies, set_loop_bodies;
    /// Not 0 once a thread of the team had a record of its tasks.
    HAS_RECORDS: u32, has_records, set_has_records;
    /// Not 0 once a loop of the kernel has used [`positions`].
    HAS_POSITIONS: u32, has_positions, set_has_positions;
    /// The region arguments in use.
    ARGS_IN_USE: *mut arch::Arg, args_in_use, set_args_in_use;
    /// Written by the functions of cancellation constructs, for [`crate::sync::cancel::may_happen`].
    CANCEL_MARK: u32, cancel_mark, set_cancel_mark;
    /// Threads of the team's region, or [`ALL_THREADS`].
    TEAM_SIZE: u32, team_size, set_team_size;
    /// nthreads-var of the initial task, 0 for as many threads as there are.
    NTHREADS: u32, nthreads_word, set_team_nthreads;
    /// max-active-levels-var of the initial task.
    MAX_ACTIVE: u32, max_active_word, set_team_max_active;
    /// run-sched-var of the initial task: the kind below, the chunk above bit 32.
    RUN_SCHED: u64, run_sched_word, set_team_run_sched;
    /// def-allocator-var of the initial task.
    DEF_ALLOCATOR: u64, def_allocator_word, set_team_def_allocator;
}
words! { read_of_main:
    /// Parallel state of the team, see [`par`].
    PAR: u32, team_par, set_team_par;
    /// What the workers of a generic kernel shall run; null ends the kernel.
    REGION: arch::Code, region, set_region;
}

/// Explicit tasks in one word, for what a parallel region in them has to know: below [`tasks::UNSEEN_REGIONS`], how many
/// the thread that runs serial code is in, outside of regions.
pub mod tasks {
    /// Set once a thread in a region has started a task in which the compiler does not look for regions.
    pub const UNSEEN_REGIONS: u32 = 1 << 31;
}

/// The parallel state in one word: level in the lowest 16 bits, active levels in the next 8.
pub mod par {
    /// No parallel region.
    pub const SERIAL: u32 = 0;
    /// In a region of one thread.
    pub const LEVEL1: u32 = 1;
    /// In a region of more.
    pub const ACTIVE1: u32 = 0x1_0001;

    /// What one more active level adds.
    pub const ONE_ACTIVE: u32 = 0x1_0001;
    /// Active levels that the word can count.
    pub const MOST_ACTIVE_LEVELS: u32 = 0xff;

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

/// `def-allocator-var` at the start.
const DEFAULT_ALLOCATOR: u64 = crate::allocator::traits::Handle::DEFAULT.bits();

/// Whether all threads of the block run user code.
///
/// Not read from its word but asked by name: openmp-opt then sees that all kernels from which the question can come
/// are SPMD, even if another kernel of the file is not.
#[inline(always)]
pub fn is_spmd() -> bool {
    arch::is_spmd()
}

/// Notes that a thread of the team has a state of its own, if `value` is not 0.
#[inline(always)]
pub(crate) fn set_has_own(value: u32) {
    set_has_own_word(value);
    if value != 0 {
        set_partial(1)
    }
}

/// Whether one thread runs code outside of parallel regions: in generic kernels and those made SPMD from them.
#[inline(always)]
pub fn has_serial_code() -> bool {
    // SAFETY: the compiler's constant for this kernel.
    unsafe { (*kernel_env()).configuration.exec_mode.has_serial_code() }
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

/// Regions that ask for fewer threads than there are write 1, and nobody else writes it.
static SMALL_MARK: AtomicU32 = AtomicU32::new(0);

/// A region asks for fewer threads than there are.
#[inline(always)]
pub fn note_small_team() {
    SMALL_MARK.store(1, Relaxed)
}

/// Whether the program has regions that ask for fewer threads than there are. In one that has none no region of a generic
/// kernel leaves a worker idle, so no inner region has more than one thread, and the compiler drops all that nested teams
/// need, without openmp-opt too.
#[inline(always)]
pub fn has_small_teams() -> bool {
    // Before Volta teams of the worker loop are whole warps.
    marked(&SMALL_MARK) || arch::cuda_arch() < arch::ARCH_VOLTA
}

/// Whether the program has what writes 1 to `mark`. The compiler knows in the end: in a program that has not, the mark is the
/// constant 0. In one that has, the value does not matter.
#[inline(always)]
pub fn marked(mark: &AtomicU32) -> bool {
    // SAFETY: a word of the program.
    let value = unsafe { arch::unordered_load_u32(mark.as_ptr()) };
    !arch::is_constant(value) || value != 0
}

/// The routines of `dyn_groupprivate` write 1, and nobody else writes it.
static GROUP_MARK: AtomicU32 = AtomicU32::new(0);

/// What the host says about the launch, of every kernel of a program that asks for it here. `None` in a kernel that has not set this copy of
/// the state up: one with `ompx_bare`, or of another file in clang's default mode.
#[inline(always)]
pub(crate) fn group_env() -> Option<*mut FallbackLaunchEnvironment> {
    GROUP_MARK.store(1, Relaxed);
    // SAFETY: a variable of this block with this type, which such a kernel has written.
    arch::is_set_up()
        .then(|| unsafe { (&raw const GROUP_ENV).cast::<*mut FallbackLaunchEnvironment>().read() })
}

/// Keeps what [`group_env`] reads.
#[inline(always)]
pub(crate) fn set_group_env(launch: *mut FallbackLaunchEnvironment) {
    if marked(&GROUP_MARK) {
        // SAFETY: a variable of this block with this type; writers at the same time write the same value.
        unsafe { (&raw mut GROUP_ENV).cast::<*mut FallbackLaunchEnvironment>().write(launch) }
    }
}

/// Most parallel regions within each other that can have more than one thread: the first, and in a generic kernel as
/// many as there are idle threads for. (A claimed thread waits for lanes of its own warp, which needs Volta.)
#[inline(always)]
pub fn supported_active_levels(spmd: bool) -> u32 {
    if spmd
        || !config::nested_parallelism()
        || !config::thread_states()
        || arch::cuda_arch() < arch::ARCH_VOLTA
    {
        1
    } else {
        par::MOST_ACTIVE_LEVELS
    }
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
    set_team_max_active(supported_active_levels(spmd));
    set_team_run_sched(RUN_SCHED_STATIC);
    set_team_def_allocator(DEFAULT_ALLOCATOR);
    set_team_pushed(0);
    set_has_own_word(0);
    set_partial(0);
    set_task_word(0);
    set_loop_bodies(0);
    set_has_records(0);
    set_has_positions(0);
    set_cancel_mark(0);
    set_pool_overflowed(0);
    clear_team_data();
    // SAFETY: variables of this block; all writers write the same values.
    unsafe {
        (&raw mut STAMP).cast::<u64>().write(arch::stamp());
        (&raw mut TABLE).cast::<u64>().write(NO_TABLE);
        (&raw mut TASK_TABLE_STATE).cast::<u32>().write(0);
        (&raw mut POOL_USED).cast::<u64>().write(0);
    }
}
