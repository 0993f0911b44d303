//! What the host tells the device runtime once for each image.

use crate::assert_layout;

/// The 48 bytes behind [`DEVICE_ENVIRONMENT_SYMBOL`] (LLVM: `DeviceEnvironmentTy`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct DeviceEnvironment {
    /// Bit 0 assertions, bit 1 function tracing, bit 2 common issues, bit 4 profile dump. [`CANCELLATION`] is ours.
    pub device_debug_kind: u32,
    /// Devices that the host sees.
    pub num_devices: u32,
    /// Number of this device.
    pub device_num: u32,
    /// Bytes of dynamic shared memory that every kernel gets.
    pub dynamic_mem_size: u32,
    /// Ticks a second of the clock behind `omp_get_wtime`, in Hz.
    pub clock_frequency: u64,
    /// Device address of the table of (host, device) function pairs, sorted by host address.
    pub indirect_call_table: u64,
    /// Pairs in that table.
    pub indirect_call_table_size: u64,
    /// Threads that the device can run at once.
    pub hardware_parallelism: u64,
}
assert_layout!(
    DeviceEnvironment, size 48,
    device_debug_kind @ 0, num_devices @ 4, device_num @ 8, dynamic_mem_size @ 12, clock_frequency @ 16,
    indirect_call_table @ 24, indirect_call_table_size @ 32, hardware_parallelism @ 40,
);

/// Bit of [`DeviceEnvironment::device_debug_kind`] that no LLVM uses: cancel-var is true. LLVM's host runtime leaves it
/// 0, and LLVM's device runtime does not look at it.
pub const CANCELLATION: u32 = 1 << 31;

/// Symbol of the [`DeviceEnvironment`]; an image without it is valid.
pub const DEVICE_ENVIRONMENT_SYMBOL: &str = "__omp_rtl_device_environment";
