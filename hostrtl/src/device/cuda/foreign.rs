//! The CUDA driver's own interface, as far as programs see it.

use super::{CudaDevice, check};
use crate::device::foreign::{Foreign, Handles};
use crate::device::{DevicePtr, DeviceResult, QueueHandle};
use cust::sys;
use sys::CUpointer_attribute_enum as Attribute;

/// The memory is page-locked for all contexts, and mapped into the device.
const PORTABLE: u32 = 1;
const DEVICE_MAP: u32 = 2;

impl CudaDevice {
    /// An attribute of a pointer; `None` when the driver does not know the pointer.
    fn pointer_attribute<T: Default>(attribute: Attribute, address: u64) -> Option<T> {
        let mut value = T::default();
        // SAFETY: the callers choose the type that the driver documents for the attribute.
        let code = unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), attribute, address) };
        (code == sys::CUresult::CUDA_SUCCESS).then_some(value)
    }

    /// [`Device::is_accessible`](crate::device::Device::is_accessible).
    pub(super) fn reaches_range(&self, address: usize, bytes: usize) -> bool {
        let mut pageable = 0;
        let attribute = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
        // SAFETY: a place for the result.
        let code = unsafe { sys::cuDeviceGetAttribute(&mut pageable, attribute, self.ordinal) };
        if code == sys::CUresult::CUDA_SUCCESS && pageable != 0 {
            return true;
        }
        let address = address as u64;
        let Some(end) = address.checked_add(bytes.max(1) as u64) else { return false };
        let device_address =
            Self::pointer_attribute::<u64>(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address);
        let start = Self::pointer_attribute::<u64>(Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address);
        let size = Self::pointer_attribute::<usize>(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
        match (device_address, start, size) {
            // Kernels use the very address, so it must be the device's.
            (Some(same), Some(start), Some(size)) if same == address => {
                start <= address && end <= start.saturating_add(size as u64)
            }
            _ => false,
        }
    }
}

impl Foreign for CudaDevice {
    fn handles(&self) -> Handles {
        Handles { device: self.ordinal, context: self.context.as_raw() as usize }
    }

    fn uuid(&self) -> DeviceResult<[u8; 16]> {
        let mut uuid = sys::CUuuid::default();
        // SAFETY: a place for the result.
        check("cuDeviceGetUuid", unsafe { sys::cuDeviceGetUuid(&mut uuid, self.ordinal) })?;
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    fn page_lock(&self, host: usize, bytes: usize) -> DeviceResult<()> {
        // SAFETY: the driver refuses ranges that are not the program's.
        let code = unsafe { sys::cuMemHostRegister_v2(host as *mut _, bytes, PORTABLE) };
        check("cuMemHostRegister", code)
    }

    fn lock(&self, host: usize, bytes: usize) -> DeviceResult<DevicePtr> {
        // SAFETY: as above.
        match unsafe { sys::cuMemHostRegister_v2(host as *mut _, bytes, PORTABLE | DEVICE_MAP) } {
            sys::CUresult::CUDA_ERROR_NOT_SUPPORTED => {
                self.page_lock(host, bytes)?;
                return Ok(DevicePtr(host as u64));
            }
            code => check("cuMemHostRegister", code)?,
        }
        let mut address = 0;
        // SAFETY: a place for the result; the memory was registered above.
        let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, host as *mut _, 0) };
        check("cuMemHostGetDevicePointer", code).inspect_err(|_| {
            // SAFETY: registered above.
            let _ = unsafe { sys::cuMemHostUnregister(host as *mut _) };
        })?;
        Ok(DevicePtr(address))
    }

    fn unlock(&self, host: usize) -> DeviceResult<()> {
        // SAFETY: the driver refuses addresses that are not registered.
        check("cuMemHostUnregister", unsafe { sys::cuMemHostUnregister(host as *mut _) })
    }

    fn reaches(&self, other: Handles) -> bool {
        let mut can = 0;
        // SAFETY: a place for the result.
        let code = unsafe { sys::cuDeviceCanAccessPeer(&mut can, self.ordinal, other.device) };
        if code != sys::CUresult::CUDA_SUCCESS || can == 0 {
            return false;
        }
        // SAFETY: the context of a device of this driver, which is never destroyed.
        let code = unsafe { sys::cuCtxEnablePeerAccess(other.context as *mut _, 0) };
        matches!(code, sys::CUresult::CUDA_SUCCESS | sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    }

    fn copy_from_peer(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        other: Handles,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        // SAFETY: contexts of this driver, which are never destroyed; wrong device addresses are the driver's to refuse.
        let code = unsafe {
            sys::cuMemcpyPeerAsync(
                destination.0,
                self.context.as_raw(),
                source.0,
                other.context as *mut _,
                bytes,
                queue.0 as *mut _,
            )
        };
        check("cuMemcpyPeerAsync", code)
    }
}
