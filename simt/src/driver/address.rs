//! What an address is.

use super::error::{CUresult, CuResult, put, put_if_wanted};
use super::object::{Allocation, Context, MemoryKind};
use super::state::{Driver, driver};
use super::types::{CUdevice, CUdeviceptr, MEMORYTYPE_DEVICE, MEMORYTYPE_HOST, c_int, c_uint, c_void};

/// `cuMemGetAddressRange`: start and size of the allocation; the caller may leave out either.
pub(super) unsafe fn address_range(
    base: *mut CUdeviceptr,
    bytes: *mut usize,
    address: CUdeviceptr,
) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let found = holder(driver, address).filter(|(_, found)| found.kind != MemoryKind::Registered);
    let (start, found) = found.ok_or(CUresult::NOT_FOUND)?;
    // SAFETY: null or valid, as the API demands.
    unsafe {
        put_if_wanted(base, start);
        put_if_wanted(bytes, found.bytes as usize);
    }
    Ok(())
}

/// What holds an address, with its start. What a kernel has allocated counts as memory of the primary context.
fn holder(driver: &Driver, address: CUdeviceptr) -> Option<(u64, Allocation)> {
    let state = driver.state();
    state.holder(address).or_else(|| {
        let (start, bytes) = driver.device.allocation(address)?;
        // The rest of the last word of an allocation is not the client's.
        if state.allocations.contains_key(&start) {
            return None;
        }
        let context = state.primary[0].context;
        Some((start, Allocation { context, bytes, kind: MemoryKind::Device, id: 0 }))
    })
}

/// `cuPointerGetAttributes`: what an address does not have is 0, also if it is no address of the device.
pub(super) unsafe fn pointer_attributes(
    count: c_uint,
    attributes: *const c_int,
    data: *mut *mut c_void,
    address: CUdeviceptr,
) -> CuResult {
    driver()?.current()?;
    if attributes.is_null() || data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    for at in 0..count as usize {
        // SAFETY: arrays of `count` elements, as the API demands.
        let (attribute, data) = unsafe { (*attributes.add(at), *data.add(at)) };
        // SAFETY: `data` is null or of the attribute's type, as the API demands.
        let found = unsafe { pointer_attribute(data, attribute, address) };
        if found.is_err() && !data.is_null() {
            match attribute {
                // SAFETY: these are as wide as a pointer.
                1 | 3 | 4 | 7 | 11 | 12 => unsafe { data.cast::<u64>().write(0) },
                // SAFETY: these are as wide as an int.
                2 | 6 | 8 | 10 | 13 | 15 => unsafe { data.cast::<c_int>().write(0) },
                // SAFETY: a device number, which is none.
                9 => unsafe { data.cast::<CUdevice>().write(-2) },
                _ => return Err(CUresult::INVALID_VALUE),
            }
        }
    }
    Ok(())
}

/// `cuPointerGetAttribute`, for memory of the device and registered memory of the host, which has no address for kernels. Booleans
/// are an `int`.
pub(super) unsafe fn pointer_attribute(
    data: *mut c_void,
    attribute: c_int,
    address: CUdeviceptr,
) -> CuResult {
    let driver = driver()?;
    let (start, found) = holder(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let registered = found.kind == MemoryKind::Registered;
    let host = registered || found.kind == MemoryKind::Host;
    // SAFETY: null or of the attribute's type, as the API demands.
    unsafe {
        match attribute {
            1 => put(data.cast(), found.context.to_c()),
            2 => put(data.cast(), if host { MEMORYTYPE_HOST } else { MEMORYTYPE_DEVICE }),
            3 if registered => Err(CUresult::INVALID_VALUE),
            3 => put(data.cast(), address),
            4 if found.kind == MemoryKind::Device => Err(CUresult::INVALID_VALUE),
            4 => put(data.cast(), address as usize),
            7 => put(data.cast(), found.id),
            8 => put(data.cast(), c_int::from(found.kind == MemoryKind::Managed)),
            6 | 10 | 15 => put(data.cast(), 0 as c_int),
            9 => put(data.cast(), driver.state().get::<Context>(found.context).map_or(0, |of| of.device)),
            11 => put(data.cast(), start),
            12 => put(data.cast(), found.bytes as usize),
            13 => put(data.cast(), c_int::from(!registered)),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}
