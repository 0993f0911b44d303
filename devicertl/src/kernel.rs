//! Start and end of a kernel, and the loop of the workers.
//!
//! `__kmpc_target_init` returns -1 to threads that shall run user code: all of an SPMD kernel, the main thread of a
//! generic one. Any other value is the number of a thread that is done with the kernel.
//!
//! Generic kernels: two barriers frame every region, and a null region ends the kernel. The main thread then leaves
//! without a barrier: the machine counts threads that have left as arrived.

use crate::{arch, debug, state, tasking};
use abi::kernel::{KernelEnvironment, KernelLaunchEnvironment};

fn serve_regions() {
    loop {
        arch::barrier(arch::BARRIER_REGION);
        let mut region = core::ptr::null();
        // SAFETY: a valid place for the result.
        let takes_part = unsafe { arch::next_region(&raw mut region) };
        if region.is_null() {
            break;
        }
        if takes_part {
            // SAFETY: the main thread published a wrapper of this type.
            unsafe { arch::call_wrapper(region, 0, arch::tid()) };
            arch::end_of_region();
        }
        arch::barrier(arch::BARRIER_REGION);
    }
}

/// Inlined into each kernel before openmp-opt looks at the kernels one by one: see [`state`].
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_target_init(
    env: *const KernelEnvironment,
    launch: *mut KernelLaunchEnvironment,
) -> i32 {
    arch::mark_unit(launch);
    // Read from the constant itself: openmp-opt rewrites it and folds these.
    // SAFETY: the compiler's constant for this kernel.
    let (mode, runtime_loop, reduces) = unsafe {
        let configuration = &(*env).configuration;
        (
            configuration.exec_mode,
            configuration.use_generic_state_machine != 0,
            configuration.reduction_data_size != 0,
        )
    };
    if mode.is_spmd() {
        state::init_warp();
        state::init_team(true, env);
        arch::syncthreads_aligned();
        // Every thread, same value, never changed: no barrier needed, and the one above stays removable.
        if reduces {
            state::set_launch_env(launch);
        }
        state::set_group_env(launch.cast());
        if arch::tid() == 0 {
            debug::kernel();
        }
        return -1;
    }
    let tid = arch::tid();
    if tid == state::generic_main() {
        state::init_warp();
        state::init_team(false, env);
        if reduces {
            state::set_launch_env(launch);
        }
        state::set_group_env(launch.cast());
        debug::kernel();
        return -1;
    }
    // The other lanes of the main thread's warp take no part, and must not touch what is the main thread's now.
    if tid < state::most_threads(false) {
        state::init_warp();
        if runtime_loop {
            serve_regions();
        }
    }
    tid as i32
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_target_deinit() {
    if tasking::record::possible() && (!state::is_spmd() || arch::tid() == 0) {
        tasking::end_of_kernel();
    }
    if !state::is_spmd() {
        if arch::tid() == state::generic_main() {
            state::set_region(core::ptr::null());
        }
        // Never reached by a worker. It keeps the store above observable until openmp-opt has written its own
        // worker loop, whose reads do not exist yet when the store could be deleted.
        // SAFETY: the compiler's constant for this kernel.
        else if unsafe { (*state::kernel_env()).configuration.use_generic_state_machine } == 0 {
            let mut none = core::ptr::null();
            // SAFETY: a valid place for the result.
            unsafe { arch::next_region(&raw mut none) };
        }
    }
    state::drop_table();
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __kmpc_is_spmd_exec_mode() -> i8 {
    (state::spmd_word() != 0) as i8
}
