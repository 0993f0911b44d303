//! What the runtime hands out of a device's own programming interface, beside OpenMP's use of it: handles, identity,
//! host memory that the device knows, copies between two devices.

use super::{DevicePtr, DeviceResult, QueueHandle};

/// Handles of the device's own interface, for interop objects (OpenMP 5.2, 14.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handles {
    /// Number of the device there: `CUdevice`.
    pub device: i32,
    /// Its context: `CUcontext`.
    pub context: usize,
}

/// A device with an interface of its own. Calls need the device bound to the thread, as those of
/// [`Device`](super::Device) do.
pub trait Foreign {
    /// Handles of the device.
    fn handles(&self) -> Handles;

    /// Identity of the device, the same in every process.
    fn uuid(&self) -> DeviceResult<[u8; 16]>;

    /// Page-locks memory of the host, so that it is copied faster.
    fn page_lock(&self, host: usize, bytes: usize) -> DeviceResult<()>;

    /// Page-locks memory of the host and gives the address by which kernels reach it. A device that cannot reach such
    /// memory only copies it faster; then the address is the host's.
    fn lock(&self, host: usize, bytes: usize) -> DeviceResult<DevicePtr>;

    /// Takes [`Foreign::page_lock`] or [`Foreign::lock`] back.
    fn unlock(&self, host: usize) -> DeviceResult<()>;

    /// Whether this device can copy to and from another one of the same driver; turns the access on.
    fn reaches(&self, other: Handles) -> bool;

    /// Copies from the memory of another device that it [reaches](Foreign::reaches), in the order of the queue.
    fn copy_from_peer(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        other: Handles,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()>;
}
