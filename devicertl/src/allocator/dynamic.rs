//! Memory of a team whose size the launch says (OpenMP 6.1, `dyn_groupprivate` and its routines): shared memory that the launch
//! adds, or, where there is not enough of that, a piece of the device's memory. Teams are the only groups that have such memory,
//! whatever group a routine is asked about.

use super::spaces::{CGROUP, DEFAULT, NULL};
use crate::{arch, state};
use abi::kernel::{FallbackLaunchEnvironment, KernelLaunchEnvironment};
use core::ptr::null_mut;

/// Bytes of shared memory that the launch adds.
fn shared_size() -> usize {
    arch::dynamic_shared_size() as usize
}

/// What the host says of memory in its place, if there is any.
fn fallback() -> Option<FallbackLaunchEnvironment> {
    let is_there = |environment: &*mut FallbackLaunchEnvironment| {
        environment.addr() as u64 != KernelLaunchEnvironment::NONE
    };
    let environment = state::group_env().filter(is_there)?;
    // SAFETY: the host's, at the start of an allocation that is larger than both structures, as those of CUDA are (256 bytes). Where the
    // host has left no mark, nothing else behind it is read.
    unsafe { ((*environment).mark == FallbackLaunchEnvironment::MARK).then(|| environment.read()) }
}

/// The team's dynamic shared memory, null if there is none (OpenMP 6.1, `omp_get_dyn_gprivate_nofb_ptr`).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_dyn_gprivate_nofb_ptr(offset: usize, _group: i32) -> *mut u8 {
    if shared_size() == 0 { null_mut() } else { arch::dynamic_shared().wrapping_add(offset) }
}

/// The team's dynamic memory, null if there is none (OpenMP 6.1, `omp_get_dyn_gprivate_ptr`).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_dyn_gprivate_ptr(offset: usize, _group: i32) -> *mut u8 {
    if shared_size() != 0 {
        return arch::dynamic_shared().wrapping_add(offset);
    }
    match fallback() {
        Some(FallbackLaunchEnvironment { memory, stride, .. }) => {
            let of_team = memory + u64::from(arch::ctaid()) * stride;
            core::ptr::with_exposed_provenance_mut(of_team as usize + offset)
        }
        None => null_mut(),
    }
}

/// Bytes of the team's dynamic memory (OpenMP 6.1, `omp_get_dyn_gprivate_size`).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_dyn_gprivate_size(_group: i32) -> usize {
    match shared_size() {
        0 => fallback().map_or(0, |environment| environment.size as usize),
        size => size,
    }
}

/// The memory space of the team's dynamic memory (OpenMP 6.1, `omp_get_dyn_gprivate_memspace`).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_dyn_gprivate_memspace(_group: i32) -> u64 {
    if shared_size() != 0 {
        CGROUP
    } else if fallback().is_some() {
        DEFAULT
    } else {
        NULL
    }
}
