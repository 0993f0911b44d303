//! What the kernels in Rust share (`bench.h` is the same for C): the device's clock, the runtime's functions, and the frames of
//! kernels. `tests-gpu/src/device_bench/rust.rs` builds and launches them. Each file above is a crate of its own, as each program in C
//! stands alone, because a program pays for what is used anywhere in it.
//!
//! A kernel does by hand what clang writes for a `target` construct: its environment is a constant beside it, and serial code
//! stands between `__kmpc_target_init` and `__kmpc_target_deinit`.
#![allow(dead_code, unused_imports, unused_macros)] // no crate uses all of it

pub use crate::numbers::hash;
use abi::ident::Ident;
pub use abi::kernel::{
    ConfigurationEnvironment, DynamicEnvironment, KernelEnvironment, KernelLaunchEnvironment,
};
pub use abi::mode::ExecMode;
pub use core::ffi::c_void;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.clock64"]
    pub safe fn clock() -> i64;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    pub safe fn thread() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    pub safe fn threads() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    pub safe fn block() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"]
    pub safe fn blocks() -> u32;
    /// `bar.sync`. Called by its name and not through a function of core, which rustc would not mark convergent.
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    pub safe fn bar_sync(barrier: u32);
}

/// Where in the source a call stands, for messages of the debug mode.
pub type Location = *const Ident;

/// A function of the kernel that the runtime calls.
pub type Code = *const c_void;

// The runtime's functions, as clang declares them.
unsafe extern "C" {
    pub fn __kmpc_target_init(env: *const KernelEnvironment, launch: *mut KernelLaunchEnvironment) -> i32;
    pub fn __kmpc_target_deinit();
    pub fn __kmpc_parallel_60(
        location: Location,
        number: i32,
        if_clause: i32,
        num_threads: i32,
        proc_bind: i32,
        region: Code,
        wrapper: Code,
        arguments: *mut *mut c_void,
        count: i64,
        strict: i32,
    );
    pub fn __kmpc_get_shared_variables(arguments: *mut *mut *mut c_void);
    pub fn __kmpc_global_thread_num(location: Location) -> i32;
    pub safe fn omp_get_thread_num() -> i32;
    pub safe fn omp_get_num_threads() -> i32;
    pub fn __kmpc_alloc_shared(bytes: u64) -> *mut c_void;
    pub fn __kmpc_free_shared(memory: *mut c_void, bytes: u64);
    pub fn __kmpc_for_static_init_4u(
        location: Location,
        number: i32,
        schedule: i32,
        last: *mut i32,
        lower: *mut u32,
        upper: *mut u32,
        stride: *mut i32,
        step: i32,
        chunk: i32,
    );
    pub fn __kmpc_for_static_fini(location: Location, number: i32);
    pub fn __kmpc_dispatch_init_4u(
        location: Location,
        number: i32,
        schedule: i32,
        lower: u32,
        upper: u32,
        step: i32,
        chunk: i32,
    );
    pub fn __kmpc_dispatch_next_4u(
        location: Location,
        number: i32,
        last: *mut i32,
        lower: *mut u32,
        upper: *mut u32,
        stride: *mut i32,
    ) -> i32;
    pub fn __kmpc_dispatch_fini_4u(location: Location, number: i32);
    pub fn __kmpc_dispatch_deinit(location: Location, number: i32);
    pub fn __kmpc_barrier(location: Location, number: i32);
    pub fn __kmpc_barrier_simple_spmd(location: Location, number: i32);
    pub fn __kmpc_barrier_simple_generic(location: Location, number: i32);
}

/// A constant with pointers, which all threads read.
#[repr(transparent)]
pub struct Global<T>(pub T);

// SAFETY: nothing writes through its pointers but the runtime, whose they are.
unsafe impl<T> Sync for Global<T> {}

static UNKNOWN: Global<Ident> = Global(Ident {
    reserved_1: 0,
    flags: 2,
    reserved_2: 0,
    reserved_3: 22,
    psource: c";unknown;unknown;0;0;;".as_ptr(),
});

pub const fn location() -> Location {
    &raw const UNKNOWN.0
}

static mut DYNAMIC: DynamicEnvironment = DynamicEnvironment { debug_indention_level: 0 };

/// Records in the buffer of a reduction over teams, as clang has them.
pub const RECORDS: u32 = 1024;

/// The environment of a kernel of this mode; `record` is the size of what a team hands to a reduction over teams, 0 if there is
/// none.
pub const fn environment(mode: ExecMode, record: usize) -> Global<KernelEnvironment> {
    let configuration = ConfigurationEnvironment {
        use_generic_state_machine: !mode.is_spmd() as u8,
        // As clang says always; openmp-opt finds out.
        may_use_nested_parallelism: 1,
        exec_mode: mode,
        _pad: 0,
        min_threads: 1,
        max_threads: 1024,
        min_teams: 1,
        max_teams: -1,
        reduction_data_size: record as i32,
        reduction_buffer_length: if record == 0 { 0 } else { RECORDS as i32 },
    };
    Global(KernelEnvironment { configuration, ident: location(), dynamic: &raw mut DYNAMIC })
}

/// The compiler has to expect that all memory is read and written here.
#[inline(always)]
pub fn opaque() {
    // SAFETY: there is no instruction in it.
    unsafe { core::arch::asm!("") }
}

/// The same for a number, which then has to be in a register.
#[inline(always)]
pub fn opaque_value(mut value: u32) -> u32 {
    // SAFETY: there is no instruction in it, but a comment.
    unsafe { core::arch::asm!("// {0}", inout(reg32) value) };
    value
}

/// The same for an address.
#[inline(always)]
pub fn opaque_address<T>(mut address: *mut T) -> *mut T {
    // SAFETY: as above.
    unsafe { core::arch::asm!("// {0}", inout(reg64) address) };
    address
}

/// What a kernel gets: how often it does the measured thing, where its random numbers begin, the threads of its region, a
/// number that means something to some kernels, and where results go: a place for each block, one for each thread of all blocks,
/// and a word that is not 0 if anything is wrong.
#[derive(Clone, Copy)]
pub struct Launch {
    pub repeats: u64,
    pub seed: u32,
    pub threads: u32,
    pub argument: u64,
    pub cycles: *mut u64,
    pub slots: *mut u32,
    pub wrong: *mut u32,
}

impl Launch {
    /// This block's place in `cycles`.
    #[inline(always)]
    pub fn cycles(&self) -> *mut u64 {
        // SAFETY: each block has a place.
        unsafe { self.cycles.add(block() as usize) }
    }

    /// The places of this block in `slots`.
    #[inline(always)]
    pub fn of_team(&self) -> *mut u32 {
        // SAFETY: each thread of each block has a place.
        unsafe { self.slots.add(block() as usize * self.threads as usize) }
    }

    /// Says what this thread has found.
    #[inline(always)]
    pub fn judge(&self, right: bool) {
        if !right {
            // SAFETY: the launch's word, to which all write the same.
            unsafe { self.wrong.write_volatile(1) }
        }
    }

    /// Writes what the measured things took. One thread of each block says it.
    #[inline(always)]
    pub fn took(&self, start: i64, end: i64) {
        // SAFETY: the block's place.
        unsafe { self.cycles().write(end.wrapping_sub(start) as u64) }
    }
}

/// An entry point of this name: behind the environment of the launch, which is the first parameter of each, come these.
macro_rules! entry {
    ($name:expr, |$env:ident $(, $parameter:ident: $type:ty)*| $body:expr) => {
        const _: () = {
            /// # Safety
            /// The pointers are to device memory of the sizes that they are said to have.
            #[unsafe(export_name = $name)]
            unsafe extern "ptx-kernel" fn kernel($env: *mut KernelLaunchEnvironment $(, $parameter: $type)*) {
                $body
            }
        };
    };
}

/// An entry point whose parameters are a [`Launch`].
macro_rules! launched {
    ($name:expr, |$env:ident, $launch:ident| $body:expr) => {
        entry!($name, |$env,
                       repeats: u64,
                       seed: u32,
                       threads: u32,
                       argument: u64,
                       cycles: *mut u64,
                       slots: *mut u32,
                       wrong: *mut u32| {
            let $launch = Launch { repeats, seed, threads, argument, cycles, slots, wrong };
            $body
        });
    };
}

/// The code of a kernel of OpenMP, for a mode and with so large a record: all threads of an SPMD kernel run it, and the main thread
/// of a generic one.
macro_rules! in_target {
    ($env:ident, $mode:expr, $record:expr, $body:expr) => {{
        static ENVIRONMENT: Global<KernelEnvironment> = environment($mode, $record);
        // SAFETY: the kernel's own constant, at its start.
        if unsafe { __kmpc_target_init(&raw const ENVIRONMENT.0, $env) } == -1 {
            $body;
            // SAFETY: those come here that came from the start.
            unsafe { __kmpc_target_deinit() }
        }
    }};
}

/// A kernel of OpenMP with a [`Launch`].
macro_rules! target {
    ($name:expr, $mode:expr, |$launch:ident| $body:expr) => {
        launched!($name, |env, $launch| in_target!(env, $mode, 0, $body));
    };
}

/// An SPMD kernel that is one region, `target teams` with `parallel` and nothing between them: what all threads of a team do.
macro_rules! spmd {
    ($name:expr, |$launch:ident, $number:ident| $body:block) => {
        const _: () = {
            extern "C" fn region(number: *const i32, _bound: *const i32, launch: *const Launch) {
                // SAFETY: each thread's own.
                let ($number, $launch) = unsafe { (*number, *launch) };
                #[allow(unused_unsafe, reason = "some bodies call safe functions alone")]
                // SAFETY: calls of the runtime by all threads of the region, as clang writes them, and memory of the launch.
                unsafe {
                    $body
                }
            }

            target!($name, ExecMode::SPMD, |launch| {
                let mut arguments = [(&raw const launch).cast::<c_void>().cast_mut()];
                parallel(launch.threads as i32, region as Code, core::ptr::null(), &mut arguments)
            });
        };
    };
}

/// Runs a region with so many threads (-1: with all) and these arguments. Workers of a generic kernel run `wrapper`.
#[inline(always)]
pub fn parallel<const N: usize>(threads: i32, region: Code, wrapper: Code, arguments: &mut [*mut c_void; N]) {
    // SAFETY: `region` takes as many arguments; all threads that run serial code call this.
    unsafe {
        let number = __kmpc_global_thread_num(location());
        let arguments = arguments.as_mut_ptr();
        __kmpc_parallel_60(location(), number, 1, threads, -1, region, wrapper, arguments, N as i64, 0)
    }
}

/// A function that a worker of a generic kernel runs: it fetches the arguments of the region and calls it.
macro_rules! wrapper {
    ($wrapper:ident, $region:ident($($name:ident)*)) => {
        extern "C" fn $wrapper(_zero: i16, number: i32) {
            let mut arguments: *mut *mut c_void = core::ptr::null_mut();
            // SAFETY: the main thread has published as many.
            unsafe {
                __kmpc_get_shared_variables(&mut arguments);
                let mut next = 0;
                $(
                    let $name = arguments.add(next).read();
                    next += 1;
                )*
                let _ = next;
                $region(&number, &0 $(, $name.cast())*)
            }
        }
    };
}

/// A barrier of the team.
#[inline(always)]
pub fn barrier() {
    // SAFETY: all threads of the team call it.
    unsafe { __kmpc_barrier(location(), __kmpc_global_thread_num(location())) }
}
