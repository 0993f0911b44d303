//! Managed memory: advice and prefetches, which are hints. It is where it is, and both sides see it at once.

use super::error::{CUresult, CuResult};
use super::object::MemoryKind;
use super::state::{check_device, driver};
use super::types::{CUdevice, CUdeviceptr, CUmemLocation, CUstream, c_int, c_uint};

/// Number that stands for the host where a device is asked for.
const HOST: CUdevice = -1;

/// Whether `bytes` bytes at `address` are managed memory.
///
/// # Errors
/// `INVALID_VALUE`
fn check_managed(address: u64, bytes: u64) -> CuResult {
    match driver()?.state().allocation(address) {
        Some((start, found))
            if found.kind == MemoryKind::Managed && found.bytes - (address - start) >= bytes =>
        {
            Ok(())
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The device, or the host.
fn check_location(device: CUdevice) -> CuResult {
    if device == HOST { Ok(()) } else { check_device(device) }
}

/// `cuMemAdvise`: a hint. Managed memory is where it is.
pub(super) fn advise(address: CUdeviceptr, bytes: usize, advice: c_int, device: CUdevice) -> CuResult {
    driver()?.current()?;
    check_location(device)?;
    check_managed(address, bytes as u64)?;
    if (1..=6).contains(&advice) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuMemPrefetchAsync`: a hint, as [`advise`].
pub(super) fn prefetch(address: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream) -> CuResult {
    driver()?.stream(stream)?;
    check_location(device)?;
    check_managed(address, bytes as u64)
}

/// The device of a location: kind 1 is a device, the kinds 2 to 4 are the host.
pub(super) fn device_of(location: CUmemLocation) -> CUdevice {
    if location.kind == 1 { location.id } else { HOST }
}

/// `cuMemPrefetchAsync_v2`: there are no flags yet.
pub(super) fn prefetch_v2(
    address: CUdeviceptr,
    bytes: usize,
    location: CUmemLocation,
    flags: c_uint,
    stream: CUstream,
) -> CuResult {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    prefetch(address, bytes, device_of(location), stream)
}

/// `cuStreamAttachMemAsync`: managed memory is always accessible from both sides, so there is nothing to attach. No
/// bytes means all of the allocation.
pub(super) fn attach(stream: CUstream, address: CUdeviceptr, bytes: usize, flags: c_uint) -> CuResult {
    driver()?.stream(stream)?;
    check_managed(address, bytes as u64)?;
    // CU_MEM_ATTACH_GLOBAL, _HOST or _SINGLE
    if matches!(flags, 1 | 2 | 4) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}
