//! Memory spaces: those of this device are its heap, under several names, and shared memory, under the name of low
//! latency. Memory that other devices or the host can access too there is not.

use super::traits::Handle;
use crate::config;

/// `omp_null_mem_space`. LLVM 19 numbers `omp_default_mem_space` so.
pub const NULL: u64 = 0;
/// `omp_default_mem_space`
pub const DEFAULT: u64 = 99;
/// `omp_low_lat_mem_space`
pub const LOW_LATENCY: u64 = 4;
/// `omp_cgroup_mem_space`
pub const CGROUP: u64 = 5;
/// `llvm_omp_target_device_mem_space`
const DEVICE: u64 = 102;

/// Whether this device has such memory. For `omp_init_allocator` the null space is the default one, as compilers pass
/// it for `uses_allocators` without a memory space.
pub fn is_here(space: u64) -> bool {
    space <= LOW_LATENCY || space == DEFAULT || space == DEVICE
}

/// Whether all `count` devices are this one.
unsafe fn are_this_device(count: i32, devices: *const i32) -> bool {
    // SAFETY: the user's array.
    let mut all = (0..count.max(0) as usize).map(|i| unsafe { devices.add(i).read() });
    count > 0 && all.all(|device| device as u32 == config::device().device_num)
}

/// The space if `here` and it is one of this device's, else the null space.
fn space_if(here: bool, space: u64) -> u64 {
    if here && space != NULL && is_here(space) { space } else { NULL }
}

/// The predefined allocator for a space.
fn allocator_of(space: u64) -> Handle {
    Handle::of(match space {
        DEFAULT => 1,
        NULL | DEVICE => space,
        // The allocators for the spaces from large capacity to low latency follow each other as the spaces do.
        _ => space + 1,
    })
}

macro_rules! retrieval {
    ($($space:ident, $allocator:ident, ($($arg:ident: $ty:ty),*) $here:expr;)*) => { $(
        /// OpenMP 6.0, memory space retrieving routines.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $space($($arg: $ty,)* space: u64) -> u64 {
            space_if($here, space)
        }
        /// OpenMP 6.0, allocator retrieving routines.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $allocator($($arg: $ty,)* space: u64) -> Handle {
            allocator_of(space_if($here, space))
        }
    )* };
}

retrieval! {
    omp_get_devices_memspace, omp_get_devices_allocator, (count: i32, devices: *const i32)
        // SAFETY: the user's array.
        unsafe { are_this_device(count, devices) };
    omp_get_device_memspace, omp_get_device_allocator, (device: i32)
        device as u32 == config::device().device_num;
    omp_get_devices_and_host_memspace, omp_get_devices_and_host_allocator, (_count: i32, _devices: *const i32) false;
    omp_get_device_and_host_memspace, omp_get_device_and_host_allocator, (_device: i32) false;
    omp_get_devices_all_memspace, omp_get_devices_all_allocator, () false;
}

/// Each space is one resource.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_memspace_num_resources(space: u64) -> i32 {
    (space_if(true, space) != NULL) as i32
}

/// The part of a space with the given resources: all of it, as it has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_submemspace(space: u64, count: i32, resources: *const i32) -> u64 {
    // SAFETY: the user's array.
    space_if(count == 1 && unsafe { resources.read() } == 0, space)
}
