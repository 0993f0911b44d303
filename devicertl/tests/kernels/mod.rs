//! Kernels as compilers write them, around a body.

#![allow(dead_code)]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "stands for compiled code, which keeps the runtime's rules"
)]

use abi::{
    kernel::{ConfigurationEnvironment, KernelEnvironment, KernelLaunchEnvironment},
    mode::ExecMode,
};
use devicertl::{
    arch::{Arg, Code},
    kernel::{__kmpc_target_deinit, __kmpc_target_init},
    parallel::__kmpc_parallel_60,
};
use std::ptr::{null, null_mut};

/// The environment of a kernel.
pub struct Kernel(KernelEnvironment, *mut KernelLaunchEnvironment);

// The pointers are null or of a test that outlives the launch.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// A kernel in `mode`, with the worker loop of the runtime.
    pub fn new(mode: ExecMode) -> Self {
        let configuration = ConfigurationEnvironment {
            use_generic_state_machine: !mode.is_spmd() as u8,
            may_use_nested_parallelism: 1,
            exec_mode: mode,
            ..ConfigurationEnvironment::default()
        };
        Self(KernelEnvironment { configuration, ident: null(), dynamic: null_mut() }, null_mut())
    }

    /// With openmp-opt's promise that no region is inside another one.
    pub fn flat(mut self) -> Self {
        self.0.configuration.may_use_nested_parallelism = 0;
        self
    }

    /// Without the worker loop of the runtime: openmp-opt has seen no region and removed it.
    pub fn without_loop(mut self) -> Self {
        self.0.configuration.use_generic_state_machine = 0;
        self
    }

    /// With a bound of its blocks from the program.
    pub fn of_at_most(mut self, threads: i32) -> Self {
        self.0.configuration.max_threads = threads;
        self
    }

    /// With a reduction over teams, and so with the environment of a launch.
    pub fn launched_with(mut self, launch: *mut KernelLaunchEnvironment) -> Self {
        self.0.configuration.reduction_data_size = 4;
        Self(self.0, launch)
    }

    /// What a compiler writes around user code.
    pub fn run(&self, user_code: impl FnOnce()) {
        unsafe {
            if __kmpc_target_init(&raw const self.0, self.1) == -1 {
                user_code();
                __kmpc_target_deinit();
            }
        }
    }
}

/// A parallel region with one argument. `wrapper` is what workers of a generic kernel call.
pub fn region(
    if_clause: bool,
    num_threads: i32,
    code: extern "C" fn(*mut i32, *mut i32, Arg),
    wrapper: Code,
    arg: Arg,
) {
    let mut args = [arg];
    let code = code as Code;
    unsafe {
        __kmpc_parallel_60(
            null(),
            0,
            if_clause as i32,
            num_threads,
            -1,
            code,
            wrapper,
            core::mem::MaybeUninit::new(args.as_mut_ptr()),
            1,
            0,
        )
    }
}

/// Defines a region's code and its wrapper.
#[macro_export]
macro_rules! regions {
    ($($name:ident / $wrapper:ident($arg:ident) $body:block)*) => { $(
        extern "C" fn $name(_gtid: *mut i32, _btid: *mut i32, $arg: devicertl::arch::Arg) $body
        #[allow(dead_code, reason = "SPMD kernels have no wrappers")]
        extern "C" fn $wrapper(_level: u16, _tid: u32) {
            let mut args = std::ptr::null_mut();
            // SAFETY: a worker calls the wrapper of a region with one argument.
            let arg = unsafe {
                devicertl::memory::__kmpc_get_shared_variables(&raw mut args);
                *args
            };
            $name(std::ptr::null_mut(), std::ptr::null_mut(), arg)
        }
    )* };
}
