//! The machine below the runtime: everything that Rust cannot spell.
//!
//! On the device the functions are defined in `prelude/*.ll` and inlined: LLVM intrinsics under the names of the
//! LLVM in use, atomics with a scope, and indirect calls, which must be marked `convergent` and which rustc does not
//! mark. On the host a test defines them, with one OS thread for each device thread.
//!
//! There are no wrappers: a call of a function here is a call of that symbol in rustc's output, so the build can
//! count barriers and see that no pass of rustc duplicated one.

use core::ffi::{c_char, c_void};

/// Address of a function, with the type that the helper for its call gives it.
pub type Code = *const c_void;
/// An argument of a parallel region: the address of a captured variable, or its value.
pub type Arg = *mut c_void;

/// Lanes of a warp.
pub const WARP: u32 = 32;
/// The lane mask of a whole warp.
pub const ALL_LANES: u32 = !0;
/// First `sm_` number times ten with independent thread scheduling: lanes of one warp may wait for each other.
pub const ARCH_VOLTA: u32 = 700;

/// Barrier at which a generic kernel's main thread and its workers meet; all threads of the block.
pub const BARRIER_REGION: u32 = 1;
/// Barrier of the threads of a team of whole warps.
pub const BARRIER_TEAM: u32 = 2;
/// Barrier of the warps that a generic kernel's region leaves idle, see [`crate::nested`].
pub const BARRIER_IDLE: u32 = 3;

/// Why the runtime ends the program, or what it has to say; the texts are in `prelude/failures.txt`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// `malloc` returned null.
    OutOfMemory = 0,
    /// `num_threads(strict: n)` with more threads than the team can have.
    StrictTeam = 1,
    /// A parallel region with more arguments than the largest call that the prelude can make.
    TooManyArguments = 2,
    /// An allocator with `fallback` `abort_fb` has no memory.
    Allocator = 3,
    /// A pure virtual function was called.
    PureVirtual = 4,
    /// A deleted virtual function was called.
    DeletedVirtual = 5,
    /// `__llvm_omp_host_call` without a host that serves it.
    HostCall = 6,
    /// `abort` was called.
    Abort = 7,
    /// A `num_threads` clause with 0 or less.
    NumThreads = 8,
    /// The same of `omp_set_num_threads`.
    SetNumThreads = 9,
    /// `__kmpc_free_shared` of what is not in use.
    FreeShared = 10,
    /// `omp_free` of what is not in use.
    Free = 11,
    /// A lock is unset that this thread has not set.
    LockNotSet = 12,
    /// A lock is destroyed that is set.
    LockDestroyed = 13,
    /// A thread waits for itself.
    LockOwn = 14,
    /// The memory of a lock holds anything.
    LockUninitialised = 15,
    /// A notice: the pool is full.
    PoolFull = 16,
    /// The trace: a kernel starts.
    TraceKernel = 17,
    /// The trace: a parallel region starts.
    TraceRegion = 18,
    /// The runtime, where a source location is not known.
    Runtime = 19,
    /// `copyprivate` of a private variable that is larger than its copy.
    LargeCopyPrivate = 20,
    /// A Fortran type has FINAL procedures.
    FortranFinal = 21,
    /// A Fortran type has an assignment of its own.
    FortranAssignment = 22,
    /// A Fortran type has length parameters.
    FortranLength = 23,
    /// An array of a Fortran program has another shape than it must have.
    FortranShape = 24,
    /// A value of a Fortran program has another type than it must have.
    FortranKind = 25,
    /// A variable of a Fortran program is not allocated.
    FortranNotAllocated = 26,
    /// It is allocated already.
    FortranAllocated = 27,
    /// A text of a Fortran program has no room for what is written to it.
    FortranRecord = 28,
}

/// What a function of the program makes of two of its kind.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// An integer.
    I8 = 0,
    /// An integer.
    I16 = 1,
    /// An integer.
    I32 = 2,
    /// An integer.
    I64 = 3,
    /// A real number.
    F32 = 4,
    /// A real number.
    F64 = 5,
    /// A complex number.
    ComplexF32 = 6,
    /// A complex number.
    ComplexF64 = 7,
}

/// Arguments that a region can have at most.
pub const MAX_REGION_ARGS: u64 = 64;

unsafe extern "C" {
    /// Number of this thread in its block.
    #[link_name = "__devrtl_tid"]
    pub safe fn tid() -> u32;
    /// Threads of the block.
    #[link_name = "__devrtl_ntid"]
    pub safe fn ntid() -> u32;
    /// Number of this block in the grid.
    #[link_name = "__devrtl_ctaid"]
    pub safe fn ctaid() -> u32;
    /// Blocks of the grid.
    #[link_name = "__devrtl_nctaid"]
    pub safe fn nctaid() -> u32;
    /// `tid`, `ctaid`, `ntid` and `nctaid` of dimension 0 to 2; any other dimension is 2.
    #[link_name = "__devrtl_tid_of"]
    pub safe fn tid_of(dimension: u32) -> u32;
    /// See [`tid_of`].
    #[link_name = "__devrtl_ctaid_of"]
    pub safe fn ctaid_of(dimension: u32) -> u32;
    /// See [`tid_of`].
    #[link_name = "__devrtl_ntid_of"]
    pub safe fn ntid_of(dimension: u32) -> u32;
    /// See [`tid_of`].
    #[link_name = "__devrtl_nctaid_of"]
    pub safe fn nctaid_of(dimension: u32) -> u32;
    /// Lanes of this warp with lower numbers than this one.
    #[link_name = "__devrtl_lanes_before"]
    pub safe fn lanes_before() -> u32;
    /// Lanes of this warp that execute the call together.
    #[link_name = "__devrtl_activemask"]
    pub safe fn activemask() -> u32;
    /// `value`, of which the compiler does not know how it came about. It costs no instruction of the machine.
    #[link_name = "__devrtl_opaque_32"]
    pub safe fn opaque_32(value: u32) -> u32;
    /// See [`opaque_32`].
    #[link_name = "__devrtl_opaque_64"]
    pub safe fn opaque_64(value: u64) -> u64;
    /// `value`, where the address of `function` is known too: ptxas has a function whose address is somewhere taken save
    /// the registers that it changes, as its convention says. Of any other function it has the callers save them, whether
    /// they come to the call or not. It costs no instruction of the machine.
    #[link_name = "__devrtl_beside"]
    pub safe fn beside(value: Code, function: Code) -> Code;
    /// The square root.
    #[link_name = "__devrtl_root"]
    pub safe fn root(x: f64) -> f64;
    /// Nanoseconds of a clock that all multiprocessors share.
    #[link_name = "__devrtl_globaltimer"]
    pub safe fn globaltimer() -> u64;
    /// `sm_` number of the target times ten, a constant after linking.
    #[link_name = "__devrtl_cuda_arch"]
    pub safe fn cuda_arch() -> u32;

    /// Whether the compiler knows the value behind its optimisations. It is asked late: not when the runtime is built.
    #[link_name = "__devrtl_is_constant"]
    pub safe fn is_constant(value: u32) -> bool;
    /// `args`, in a way that openmp-opt does not see through where the compiler does not know what they are.
    #[link_name = "__devrtl_any_args"]
    pub safe fn any_args(args: *mut Arg) -> *mut Arg;
    /// `code`, in a way that openmp-opt does not see through before it inlines.
    #[link_name = "__devrtl_any_code"]
    pub safe fn any_code(code: Code) -> Code;
    /// False, which openmp-opt does not see before it inlines.
    #[link_name = "__devrtl_never"]
    pub safe fn never() -> bool;

    /// Barrier of all threads of the block, which execute it together.
    #[link_name = "__devrtl_syncthreads"]
    pub safe fn syncthreads_aligned();
    /// Barrier `id` of all threads of the block, which may come from different places.
    #[link_name = "__devrtl_barrier"]
    pub safe fn barrier(id: u32);
    /// Barrier `id` of `threads` threads; whole warps.
    #[link_name = "__devrtl_barrier_count"]
    pub safe fn barrier_count(id: u32, threads: u32);
    /// Barrier of the lanes in `mask`, with their memory accesses ordered.
    #[link_name = "__devrtl_syncwarp"]
    pub safe fn syncwarp(mask: u32);
    /// Value of the lane `offset` above in a segment of `width` lanes, for the lanes in `mask`.
    #[link_name = "__devrtl_shuffle_down"]
    pub safe fn shuffle_down(mask: u32, value: u32, offset: u32, width: u32) -> u32;
    /// Value of lane `lane`, for the lanes in `mask`, which has it.
    #[link_name = "__devrtl_shuffle"]
    pub safe fn shuffle(mask: u32, value: u32, lane: u32) -> u32;
    /// The lanes in `mask` whose `predicate` holds.
    #[link_name = "__devrtl_ballot"]
    pub safe fn ballot(mask: u32, predicate: bool) -> u32;
    /// Orders memory accesses for all threads of the device.
    #[link_name = "__devrtl_fence_device"]
    pub safe fn fence_device();

    /// Adds, wrapping; the previous value. Block scope, acquire and release.
    #[link_name = "__devrtl_block_add_u32"]
    pub fn block_add_u32(word: *mut u32, value: u32) -> u32;
    /// Adds 1 to what is far below 2^32, each lane for itself; the previous value. Block scope, acquire and release.
    #[link_name = "__devrtl_block_inc_u32"]
    pub fn block_inc_u32(word: *mut u32) -> u32;
    /// Sets bits; the previous value. Block scope, acquire.
    #[link_name = "__devrtl_block_or_u32"]
    pub fn block_or_u32(word: *mut u32, bits: u32) -> u32;
    /// Clears all but `bits`; the previous value. Block scope, release.
    #[link_name = "__devrtl_block_and_u32"]
    pub fn block_and_u32(word: *mut u32, bits: u32) -> u32;
    /// Sets bits; the previous value. Block scope, acquire.
    #[link_name = "__devrtl_block_or_u64"]
    pub fn block_or_u64(word: *mut u64, bits: u64) -> u64;
    /// Clears all but `bits`; the previous value. Block scope, release.
    #[link_name = "__devrtl_block_and_u64"]
    pub fn block_and_u64(word: *mut u64, bits: u64) -> u64;
    /// Replaces `old` by `new`; the previous value. Block scope, acquire and release.
    #[link_name = "__devrtl_block_cas_u32"]
    pub fn block_cas_u32(word: *mut u32, old: u32, new: u32) -> u32;
    /// Reads. Block scope, acquire.
    #[link_name = "__devrtl_block_load_u32"]
    pub fn block_load_u32(word: *mut u32) -> u32;
    /// Writes. Block scope, release.
    #[link_name = "__devrtl_block_store_u32"]
    pub fn block_store_u32(word: *mut u32, value: u32);
    /// Reads. Block scope, no order.
    #[link_name = "__devrtl_block_read_u32"]
    pub fn block_read_u32(word: *mut u32) -> u32;
    /// Writes. Block scope, no order.
    #[link_name = "__devrtl_block_write_u32"]
    pub fn block_write_u32(word: *mut u32, value: u32);
    /// Reads. Block scope, no order.
    #[link_name = "__devrtl_block_read_u64"]
    pub fn block_read_u64(word: *mut u64) -> u64;
    /// Writes. Block scope, no order.
    #[link_name = "__devrtl_block_write_u64"]
    pub fn block_write_u64(word: *mut u64, value: u64);
    /// Adds; the previous value. Block scope, no order.
    #[link_name = "__devrtl_block_count_u32"]
    pub fn block_count_u32(word: *mut u32, value: u32) -> u32;
    /// Adds 1 to what is far below 2^32, each lane for itself; the previous value. Block scope, no order.
    #[link_name = "__devrtl_block_count_one_u32"]
    pub fn block_count_one_u32(word: *mut u32) -> u32;
    /// Inverts bits. Block scope, no order.
    #[link_name = "__devrtl_block_xor_u32"]
    pub fn block_xor_u32(word: *mut u32, bits: u32);
    /// Replaces; the previous value. Block scope, no order.
    #[link_name = "__devrtl_block_swap_u64"]
    pub fn block_swap_u64(word: *mut u64, value: u64) -> u64;
    /// Replaces `old` by `new`; the previous value. Block scope, no order.
    #[link_name = "__devrtl_block_cas_u64"]
    pub fn block_cas_u64(word: *mut u64, old: u64, new: u64) -> u64;
    /// Reads. Block scope, acquire.
    #[link_name = "__devrtl_block_load_u64"]
    pub fn block_load_u64(word: *mut u64) -> u64;
    /// Writes. Block scope, release.
    #[link_name = "__devrtl_block_store_u64"]
    pub fn block_store_u64(word: *mut u64, value: u64);
    /// Adds 1, or sets 0 if the value was at least `bound`; the previous value. Device scope, acquire and release.
    #[link_name = "__devrtl_device_inc_u32"]
    pub fn device_inc_u32(word: *mut u32, bound: u32) -> u32;
    /// Replaces `old` by `new`; the previous value. Device scope, acquire.
    #[link_name = "__devrtl_device_cas_u32"]
    pub fn device_cas_u32(word: *mut u32, old: u32, new: u32) -> u32;
    /// Replaces `old` by `new`; the previous value. Device scope, acquire and release.
    #[link_name = "__devrtl_device_cas_u64"]
    pub fn device_cas_u64(word: *mut u64, old: u64, new: u64) -> u64;
    /// Reads what other threads may write, in no order. The compiler drops it if it can, which it does to no relaxed read.
    #[link_name = "__devrtl_unordered_load_u32"]
    pub fn unordered_load_u32(word: *const u32) -> u32;
    /// Reads. Device scope, acquire.
    #[link_name = "__devrtl_device_load_u32"]
    pub fn device_load_u32(word: *mut u32) -> u32;
    /// Writes. Device scope, release.
    #[link_name = "__devrtl_device_store_u32"]
    pub fn device_store_u32(word: *mut u32, value: u32);
    /// Adds, wrapping; the previous value. Device scope, no order.
    #[link_name = "__devrtl_device_add_u64"]
    pub fn device_add_u64(word: *mut u64, value: u64) -> u64;
    /// Writes. Device scope, release.
    #[link_name = "__devrtl_device_store_u64"]
    pub fn device_store_u64(word: *mut u64, value: u64);
    /// The table of locks for objects that the machine has no atomics for, in global memory.
    #[link_name = "__devrtl_atomic_locks"]
    pub safe fn atomic_locks() -> *mut u32;
    /// Lets other threads run for about `nanoseconds`.
    #[link_name = "__devrtl_backoff"]
    pub safe fn backoff(nanoseconds: u32);

    /// Makes `bytes` 0, a multiple of 16 that is not 0, and aligned to it. A loop, for rare code.
    #[link_name = "__devrtl_clear"]
    pub fn clear(memory: *mut u8, bytes: u32);
    /// Memory of the device heap, or null; aligned to 16 bytes.
    #[link_name = "__devrtl_malloc"]
    pub safe fn malloc(bytes: u64) -> *mut u8;
    /// Gives back what [`malloc`] returned.
    #[link_name = "__devrtl_free"]
    pub fn free(memory: *mut u8);
    /// Whether `address` lies in shared memory.
    #[link_name = "__devrtl_is_shared"]
    pub safe fn is_shared(address: *const u8) -> bool;
    /// Whether `address` lies in the memory of this thread alone.
    #[link_name = "__devrtl_is_local"]
    pub safe fn is_local(address: *const u8) -> bool;
    /// Start of the shared memory that the launch added.
    #[link_name = "__devrtl_dynamic_shared"]
    pub safe fn dynamic_shared() -> *mut u8;
    /// Bytes of the shared memory that the launch added.
    #[link_name = "__devrtl_dynamic_shared_size"]
    pub safe fn dynamic_shared_size() -> u32;
    /// The text of a failure, a string with a null at its end.
    #[link_name = "__devrtl_failure_text"]
    pub safe fn failure_text(what: Failure) -> *const u8;
    /// Place for the report of [`fail_with`], in global memory.
    #[link_name = "__devrtl_report"]
    pub safe fn report() -> *mut u8;
    /// Prints a report and ends the program.
    #[link_name = "__devrtl_fail_with"]
    pub fn fail_with(report: *const u8) -> !;
    /// Prints a text, with the numbers of team and thread.
    #[link_name = "__devrtl_print_notice"]
    pub safe fn print_notice(text: *const u8);
    /// Prints why and ends the program.
    #[link_name = "__devrtl_fail"]
    pub safe fn fail(why: Failure) -> !;
    /// Prints a text that ends with a zero, and ends the line; what `vprintf` returns.
    #[link_name = "__devrtl_print_line"]
    pub fn print_line(text: *const u8) -> i32;
    /// No instruction, but for the compiler something that may read and write the memory from then on.
    #[link_name = "__devrtl_show"]
    pub safe fn show(memory: *mut u8);
    /// No instruction, but for the compiler something in which other threads may write to memory that it does not know.
    #[link_name = "__devrtl_others_write"]
    pub safe fn others_write();
    /// Ends the program without a word: for what only a host can do wrong.
    #[link_name = "__devrtl_trap"]
    pub safe fn trap() -> !;
    /// Prints a warning of the program's own.
    #[link_name = "__devrtl_user_warning"]
    pub fn user_warning(file: *const c_char, line: u32, column: u32, message: *const c_char);
    /// Prints an error of the program's own and ends the program.
    #[link_name = "__devrtl_user_error"]
    pub fn user_error(file: *const c_char, line: u32, function: *const c_char, message: *const c_char) -> !;

    /// What a kernel leaves in `STAMP`, see `prelude/unit.ll`.
    #[link_name = "__devrtl_stamp"]
    pub safe fn stamp() -> u64;
    /// Tells the compiler that this source file has a kernel.
    #[link_name = "__devrtl_mark_unit"]
    pub safe fn mark_unit(launch: *mut abi::kernel::KernelLaunchEnvironment);
    /// Whether the kernel that runs is of this source file. Only then is this copy of the state its own.
    #[link_name = "__devrtl_in_own_unit"]
    pub safe fn in_own_unit() -> bool;
    /// Whether the kernel that runs has set up this copy of the state. The answer costs a word of shared memory.
    #[link_name = "__devrtl_is_set_up"]
    pub safe fn is_set_up() -> bool;
    /// Ends the program, or its link, if the kernel is of another source file.
    #[link_name = "__devrtl_check_unit"]
    pub safe fn check_unit();
    /// Calls `__kmpc_is_spmd_exec_mode`, which openmp-opt folds for each caller by the kernels that reach it.
    #[link_name = "__devrtl_is_spmd"]
    pub safe fn is_spmd() -> bool;
    /// Calls `__kmpc_kernel_parallel`. The worker loop that openmp-opt may write calls this export too, and in clang's
    /// default mode only what is referenced before openmp-opt is linked with the right copy of the state.
    #[link_name = "__devrtl_next_region"]
    pub fn next_region(out: *mut Code) -> bool;
    /// Calls `__kmpc_kernel_end_parallel`, for the same reason.
    #[link_name = "__devrtl_end_of_region"]
    pub safe fn end_of_region();
    /// Calls the wrapper of a region: `void(i16 zeroext, i32)`.
    #[link_name = "__devrtl_call_wrapper"]
    pub fn call_wrapper(code: Code, level: u32, tid: u32);
    /// Calls a region: `void(ptr gtid, ptr btid, args...)` with `count` arguments, at most [`MAX_REGION_ARGS`].
    #[link_name = "__devrtl_call_region"]
    pub fn call_region(code: Code, gtid: *mut i32, btid: *mut i32, args: *const Arg, count: u64);
    /// The function that calls regions of `count` arguments, for [`invoke`].
    #[link_name = "__devrtl_region_invoker"]
    pub fn region_invoker(count: u64) -> Code;
    /// Calls a region, in the thread with this number of its team, through the function for its number of arguments.
    #[link_name = "__devrtl_invoke"]
    pub fn invoke(invoker: Code, code: Code, number: u32, args: *const Arg);
    /// Calls a loop body: `void(i32, ptr)`.
    #[link_name = "__devrtl_call_body_32"]
    pub fn call_body_32(code: Code, iteration: u32, arg: Arg);
    /// Calls a loop body: `void(i64, ptr)`.
    #[link_name = "__devrtl_call_body_64"]
    pub fn call_body_64(code: Code, iteration: u64, arg: Arg);
    /// Calls a shuffle-and-reduce function: `void(ptr, i16, i16, i16)`.
    #[link_name = "__devrtl_call_shuffle"]
    pub fn call_shuffle(code: Code, data: Arg, lane: u32, offset: u32, algorithm: u32);
    /// Calls an inter-warp copy function: `void(ptr, i32)`.
    #[link_name = "__devrtl_call_copy"]
    pub fn call_copy(code: Code, data: Arg, warps: u32);
    /// Calls the routine of a task, or the function that destroys its variables: `i32(i32, ptr)`.
    #[link_name = "__devrtl_call_task"]
    pub fn call_task(code: Code, gtid: i32, task: Arg) -> i32;
    /// Calls the function that copies the variables of a task: `void(ptr, ptr, i32)`.
    #[link_name = "__devrtl_call_task_copy"]
    pub fn call_task_copy(code: Code, to: Arg, from: Arg, last: i32);
    /// Calls a function of one variable: `void(ptr)`.
    #[link_name = "__devrtl_call_one"]
    pub fn call_one(code: Code, variable: Arg);
    /// Calls a function of two variables: `void(ptr, ptr)`.
    #[link_name = "__devrtl_call_two"]
    pub fn call_two(code: Code, first: Arg, second: Arg);
    /// Calls a function between a reduce list and a record of the global buffer: `void(ptr, i32, ptr)`.
    #[link_name = "__devrtl_call_record"]
    pub fn call_record(code: Code, buffer: Arg, record: u32, data: Arg);
    /// Calls `T(const T *, const T *)` and writes the result. The type must be a constant.
    #[link_name = "__devrtl_combine_references"]
    pub fn combine_references(ty: Element, code: Code, to: *mut u8, one: *const u8, other: *const u8);
    /// Calls `T(T, T)` with what it reads, and writes the result. The type must be a constant.
    #[link_name = "__devrtl_combine_values"]
    pub fn combine_values(ty: Element, code: Code, to: *mut u8, one: *const u8, other: *const u8);
    /// Calls a function that writes an element itself: `void(void *, const void *, const void *)`.
    #[link_name = "__devrtl_combine_in_memory"]
    pub fn combine_in_memory(code: Code, to: *mut u8, one: *const u8, other: *const u8, bytes: u64);
    /// Calls flang's function of two texts of so many bytes: it gets the place for one, and its length.
    #[link_name = "__devrtl_combine_texts"]
    pub fn combine_texts(code: Code, to: *mut u8, one: *const u8, other: *const u8, bytes: u64);
}

/// Whether a condition holds, and the compiler knows that once it has inlined this.
#[inline(always)]
pub fn is_known(condition: bool) -> bool {
    is_constant(condition as u32) && condition
}

macro_rules! atomics {
    ($($ty:ty, $load:ident $load_name:literal, $swap:ident $swap_name:literal, $cas:ident $cas_name:literal;)*) => {
        unsafe extern "C" {
            $(
                /// Reads. For the whole system, sequentially consistent.
                #[link_name = $load_name]
                pub fn $load(object: *mut $ty) -> $ty;
                /// Writes; the previous value. For the whole system, sequentially consistent.
                #[link_name = $swap_name]
                pub fn $swap(object: *mut $ty, value: $ty) -> $ty;
                /// Replaces `old` by `new`; the previous value. For the whole system, sequentially consistent.
                #[link_name = $cas_name]
                pub fn $cas(object: *mut $ty, old: $ty, new: $ty) -> $ty;
            )*
        }
    };
}
// Literals: rustfmt and grep find the names of the prelude.
atomics! {
    u8, atomic_load_u8 "__devrtl_atomic_load_u8", atomic_swap_u8 "__devrtl_atomic_swap_u8", atomic_cas_u8 "__devrtl_atomic_cas_u8";
    u16, atomic_load_u16 "__devrtl_atomic_load_u16", atomic_swap_u16 "__devrtl_atomic_swap_u16", atomic_cas_u16 "__devrtl_atomic_cas_u16";
    u32, atomic_load_u32 "__devrtl_atomic_load_u32", atomic_swap_u32 "__devrtl_atomic_swap_u32", atomic_cas_u32 "__devrtl_atomic_cas_u32";
    u64, atomic_load_u64 "__devrtl_atomic_load_u64", atomic_swap_u64 "__devrtl_atomic_swap_u64", atomic_cas_u64 "__devrtl_atomic_cas_u64";
}
