//! The routines that programs call: those of OpenMP and LLVM's own.

use core::ffi::{c_char, c_int, c_void};
use hostrtl::api::copy::{self, DependObjects, Linear, Rectangle};
use hostrtl::api::{llvm, omp};
use hostrtl::device::AllocKind;

export! {
    /// Number of devices. libomp has this name too and forwards to the next library, which is this one.
    fn omp_get_num_devices() -> c_int { omp::get_num_devices() }
    /// Number of the initial device.
    fn omp_get_initial_device() -> c_int { omp::get_initial_device() }
    /// Number of the device that the caller runs on: the initial device.
    fn omp_get_device_num() -> c_int { omp::get_initial_device() }
    /// Allocates device memory.
    fn omp_target_alloc(bytes: usize, device: c_int) -> *mut c_void {
        llvm::alloc(bytes, device, AllocKind::Device)
    }
    /// Frees device memory.
    fn omp_target_free(address: *mut c_void, device: c_int) { llvm::free(address, device, AllocKind::Device) }
    /// Whether an address is mapped.
    fn omp_target_is_present(host: *const c_void, device: c_int) -> c_int { omp::target_is_present(host, device) }
    /// The device address of a mapped address.
    fn omp_get_mapped_ptr(host: *const c_void, device: c_int) -> *mut c_void { omp::get_mapped_ptr(host, device) }
    /// Maps host memory to the program's own device memory.
    fn omp_target_associate_ptr(
        host: *const c_void, address: *const c_void, bytes: usize, offset: usize, device: c_int,
    ) -> c_int {
        omp::target_associate_ptr(host, address, bytes, offset, device)
    }
    /// Takes an association back.
    fn omp_target_disassociate_ptr(host: *const c_void, device: c_int) -> c_int {
        omp::target_disassociate_ptr(host, device)
    }
    /// Copies between devices.
    fn omp_target_memcpy(
        destination: *mut c_void, source: *const c_void, bytes: usize, destination_offset: usize,
        source_offset: usize, destination_device: c_int, source_device: c_int,
    ) -> c_int {
        copy::target_memcpy(&Linear {
            destination, source, bytes, destination_offset, source_offset, destination_device, source_device,
        })
    }
    /// Copies between devices, in a target task.
    fn omp_target_memcpy_async(
        destination: *mut c_void, source: *const c_void, bytes: usize, destination_offset: usize,
        source_offset: usize, destination_device: c_int, source_device: c_int, count: c_int,
        list: *const *const c_void,
    ) -> c_int {
        let arguments = Linear {
            destination, source, bytes, destination_offset, source_offset, destination_device, source_device,
        };
        copy::target_memcpy_async(&arguments, DependObjects { count, list })
    }
    /// Copies a box between devices.
    fn omp_target_memcpy_rect(
        destination: *mut c_void, source: *const c_void, element_size: usize, dimensions: c_int,
        volume: *const usize, destination_offsets: *const usize, source_offsets: *const usize,
        destination_dimensions: *const usize, source_dimensions: *const usize, destination_device: c_int,
        source_device: c_int,
    ) -> c_int {
        copy::target_memcpy_rect(&Rectangle {
            destination, source, element_size, dimensions, volume, destination_offsets, source_offsets,
            destination_dimensions, source_dimensions, destination_device, source_device,
        })
    }
    /// Copies a box between devices, in a target task.
    fn omp_target_memcpy_rect_async(
        destination: *mut c_void, source: *const c_void, element_size: usize, dimensions: c_int,
        volume: *const usize, destination_offsets: *const usize, source_offsets: *const usize,
        destination_dimensions: *const usize, source_dimensions: *const usize, destination_device: c_int,
        source_device: c_int, count: c_int, list: *const *const c_void,
    ) -> c_int {
        let arguments = Rectangle {
            destination, source, element_size, dimensions, volume, destination_offsets, source_offsets,
            destination_dimensions, source_dimensions, destination_device, source_device,
        };
        copy::target_memcpy_rect_async(&arguments, DependObjects { count, list })
    }
    /// Sets device memory.
    fn omp_target_memset(address: *mut c_void, value: c_int, bytes: usize, device: c_int) -> *mut c_void {
        copy::target_memset(address, value, bytes, device)
    }
    /// Sets device memory, in a target task.
    fn omp_target_memset_async(
        address: *mut c_void, value: c_int, bytes: usize, device: c_int, count: c_int,
        list: *const *const c_void,
    ) -> *mut c_void {
        copy::target_memset_async(address, value, bytes, device, DependObjects { count, list })
    }
    /// Whether a device can access an address as it is.
    fn omp_target_is_accessible(address: *const c_void, bytes: usize, device: c_int) -> c_int {
        omp::target_is_accessible(address, bytes, device)
    }
    /// Identity of a device.
    fn omp_get_uid_from_device(device: c_int) -> *const c_char { omp::get_uid_from_device(device) }
    /// The device with an identity.
    fn omp_get_device_from_uid(uid: *const c_char) -> c_int { omp::get_device_from_uid(uid) }
    /// Page-locks memory of the host.
    fn llvm_omp_target_lock_mem(address: *mut c_void, bytes: usize, device: c_int) -> *mut c_void {
        llvm::lock_mem(address, bytes, device)
    }
    /// Takes a lock of memory back.
    fn llvm_omp_target_unlock_mem(address: *mut c_void, device: c_int) { llvm::unlock_mem(address, device) }
    /// Allocates memory of the device.
    fn llvm_omp_target_alloc_device(bytes: usize, device: c_int) -> *mut c_void {
        llvm::alloc(bytes, device, AllocKind::Device)
    }
    /// Allocates page-locked memory of the host.
    fn llvm_omp_target_alloc_host(bytes: usize, device: c_int) -> *mut c_void {
        llvm::alloc(bytes, device, AllocKind::Host)
    }
    /// Allocates memory that moves between host and device.
    fn llvm_omp_target_alloc_shared(bytes: usize, device: c_int) -> *mut c_void {
        llvm::alloc(bytes, device, AllocKind::Shared)
    }
    /// Frees memory of `llvm_omp_target_alloc_device`.
    fn llvm_omp_target_free_device(address: *mut c_void, device: c_int) {
        llvm::free(address, device, AllocKind::Device)
    }
    /// Frees memory of `llvm_omp_target_alloc_host`.
    fn llvm_omp_target_free_host(address: *mut c_void, device: c_int) {
        llvm::free(address, device, AllocKind::Host)
    }
    /// Frees memory of `llvm_omp_target_alloc_shared`.
    fn llvm_omp_target_free_shared(address: *mut c_void, device: c_int) {
        llvm::free(address, device, AllocKind::Shared)
    }
    /// Dynamic shared memory is memory of a team on a device: the host has none.
    fn llvm_omp_target_dynamic_shared_alloc() -> *mut c_void { core::ptr::null_mut() }
    /// The host's teams have no dynamic memory.
    fn omp_get_dyn_gprivate_ptr(_offset: usize, _group: c_int) -> *mut c_void { core::ptr::null_mut() }
    /// The host's teams have no dynamic memory.
    fn omp_get_dyn_gprivate_nofb_ptr(_offset: usize, _group: c_int) -> *mut c_void { core::ptr::null_mut() }
    /// The host's teams have no dynamic memory.
    fn omp_get_dyn_gprivate_size(_group: c_int) -> usize { 0 }
    /// The host's teams have no dynamic memory: `omp_null_mem_space`.
    fn omp_get_dyn_gprivate_memspace(_group: c_int) -> usize { 0 }
    /// How much of it the teams of a device can have.
    fn omp_get_gprivate_limit(device: c_int, _group: c_int) -> usize { omp::get_gprivate_limit(device) }
}
