//! Routines about the program as a whole, which a device answers but does not serve: tools, resources, other devices,
//! affinity, profiles, calls of the host. What each does here and why is said with it. `ompc_*` are the names that
//! `omp.h` gives some of them.

use crate::arch;
use core::ffi::c_char;

/// `omp_control_tool_notool`
const NO_TOOL: i32 = -2;
/// `omp_invalid_device`
const INVALID_DEVICE: i32 = -2;

macro_rules! routines {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
    )* };
}

routines! {
    /// Not 0, it failed: a kernel cannot give up the resources that it runs on.
    fn omp_pause_resource(_kind: i32, _device: i32) -> i32 { 1 }
    /// As [`omp_pause_resource`].
    fn omp_pause_resource_all(_kind: i32) -> i32 { 1 }
    /// Unspecified in a target region (OpenMP 5.2, 18.15): the host shows the ICVs of all devices.
    fn omp_display_env(_verbose: i32) {}
    /// No tool can be started for a device.
    fn omp_control_tool(_command: i32, _modifier: i32, _argument: *mut u8) -> i32 { NO_TOOL }
    /// Unspecified in a target region (OpenMP 6.0, 24.7 and 24.8): the names of devices are known to the host.
    fn omp_get_device_from_uid(_uid: *const c_char) -> i32 { INVALID_DEVICE }
    /// As [`omp_get_device_from_uid`].
    fn omp_get_uid_from_device(_device: i32) -> *const c_char { core::ptr::null() }
    /// A teams construct of a target region has its number of teams when the kernel starts, and no other can follow.
    fn omp_set_num_teams(_teams: i32) {}
    /// As [`omp_set_num_teams`].
    fn omp_set_teams_thread_limit(_limit: i32) {}
    /// There are no places, so nothing is to be shown.
    fn ompc_display_affinity(_format: *const c_char) {}
    /// The format is of use for [`ompc_display_affinity`] only.
    fn ompc_set_affinity_format(_format: *const c_char) {}
    /// The host has no part in a kernel that runs.
    fn __llvm_omp_host_call(_function: *mut u8, _data: *mut u8, _bytes: u64) -> i64 {
        arch::fail(arch::Failure::HostCall)
    }
    /// Counters of `-fprofile-generate` are found by name; no registration is needed.
    fn __llvm_profile_register_function(_data: *mut u8) {}
    /// As [`__llvm_profile_register_function`].
    fn __llvm_profile_register_names_function(_names: *mut u8, _bytes: u64) {}
    /// Sizes of memory operations are not counted on a device, as in LLVM's runtime.
    fn __llvm_profile_instrument_memop(_size: u64, _data: *mut u8, _counter: i32) {}
}

/// An empty text if there is place for one; the length of the text.
///
/// # Safety
/// `buffer` must be valid for `size` bytes.
unsafe fn empty_text(buffer: *mut u8, size: u64) -> u64 {
    if size != 0 {
        // SAFETY: as the caller promises.
        unsafe { buffer.write(0) }
    }
    0
}

/// There are no places, so nothing is to be shown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompc_capture_affinity(buffer: *mut u8, size: u64, _format: *const c_char) -> u64 {
    // SAFETY: the user's buffer.
    unsafe { empty_text(buffer, size) }
}

/// As [`ompc_capture_affinity`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompc_get_affinity_format(buffer: *mut u8, size: u64) -> u64 {
    // SAFETY: the user's buffer.
    unsafe { empty_text(buffer, size) }
}
