//! What compiler and host tell the runtime: constants of the module, and the environment of the device.

use crate::state::marked;
use abi::device::{CANCELLATION, DeviceEnvironment};
use core::sync::atomic::AtomicU32;

// clang defines the constants in every module unless told not to; the prelude has weak ones for that case.
// The host writes the environment after it loaded the image.
unsafe extern "C" {
    #[link_name = "__omp_rtl_assume_no_thread_state"]
    static ASSUME_NO_THREAD_STATE: i32;
    #[link_name = "__omp_rtl_assume_no_nested_parallelism"]
    static ASSUME_NO_NESTED_PARALLELISM: i32;
    #[link_name = "__omp_rtl_debug_kind"]
    static DEBUG_KIND: u32;
    #[link_name = "__omp_rtl_device_environment"]
    static DEVICE_ENVIRONMENT: DeviceEnvironment;
    #[link_name = "__omptarget_lone_barriers"]
    static LONE_BARRIERS: AtomicU32;
    #[link_name = "__omptarget_lone_regions"]
    static LONE_REGIONS: AtomicU32;
}

/// Whether a thread may get ICVs of its own (`-fopenmp-assume-no-thread-state` promises that none does).
#[inline(always)]
pub fn thread_states() -> bool {
    // SAFETY: a constant of the module.
    unsafe { ASSUME_NO_THREAD_STATE == 0 }
}

/// Whether parallel regions may nest (`-fopenmp-assume-no-nested-parallelism` promises that none does).
#[inline(always)]
pub fn nested_parallelism() -> bool {
    // SAFETY: a constant of the module.
    unsafe { ASSUME_NO_NESTED_PARALLELISM == 0 }
}

/// Whether the program is compiled for these bits of [`crate::debug`], and the host asks for them.
#[inline(always)]
pub fn debug(bits: u32) -> bool {
    // SAFETY: a constant of the module.
    unsafe { DEBUG_KIND & bits != 0 && device().device_debug_kind & bits != 0 }
}

/// Whether one thread of an SPMD kernel may come to a barrier outside of parallel regions without the others: our passes leave
/// calls to it, and say so.
#[inline(always)]
pub fn lone_barriers() -> bool {
    // SAFETY: a word of the program.
    marked(unsafe { &LONE_BARRIERS })
}

/// The same of a region of one thread.
#[inline(always)]
pub fn lone_regions() -> bool {
    // SAFETY: a word of the program.
    marked(unsafe { &LONE_REGIONS })
}

/// What the host wrote about the device.
#[inline(always)]
pub fn device() -> DeviceEnvironment {
    // SAFETY: defined in the prelude with this layout; the host writes it before any kernel starts.
    unsafe { (&raw const DEVICE_ENVIRONMENT).read() }
}

/// cancel-var (OpenMP 5.2, 2.1): whether cancellation constructs have an effect.
#[inline(always)]
pub fn cancellation() -> bool {
    device().device_debug_kind & CANCELLATION != 0
}
