//! The memory pool of the device. Freed memory is available to everybody at once, so a pool is only its settings.

use super::error::{CUresult, CuResult, put};
use super::object::{Handle, Pool};
use super::state::{check_device, driver};
use super::types::{CUdevice, CUmemoryPool, c_int, c_void};

/// `cuDeviceGetDefaultMemPool`, `cuDeviceGetMemPool`: the one pool.
pub(super) unsafe fn get(pool: *mut CUmemoryPool, device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    let handle = driver.state().pool.to_c();
    // SAFETY: null or valid, as the API demands.
    unsafe { put(pool, handle) }
}

/// `cuDeviceSetMemPool`: there is only the one.
pub(super) fn set(device: CUdevice, pool: CUmemoryPool) -> CuResult {
    check_device(device)?;
    trim(pool)
}

/// `cuMemPoolTrimTo`: freed memory is never kept, so there is nothing to give back.
pub(super) fn trim(pool: CUmemoryPool) -> CuResult {
    driver()?.state().get::<Pool>(Handle::from_c(pool)).map(|_| ())
}

/// The attributes of a pool that the device has: 1 to 3 are an `int`, the others a `cuuint64_t`. 4 is the release
/// threshold, 5 and 7 are the bytes reserved and in use; high-water marks (6, 8) are not kept.
enum Attribute {
    Switch(usize),
    Threshold,
    Used,
}

fn kind_of(attribute: c_int) -> CuResult<Attribute> {
    match attribute {
        1..=3 => Ok(Attribute::Switch(attribute as usize)),
        4 => Ok(Attribute::Threshold),
        5 | 7 => Ok(Attribute::Used),
        6 | 8 => Err(CUresult::NOT_SUPPORTED),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuMemPoolGetAttribute`
pub(super) unsafe fn get_attribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) -> CuResult {
    let driver = driver()?;
    let settings = driver.state().get::<Pool>(Handle::from_c(pool))?.settings;
    // SAFETY: null or of the attribute's type, as the API demands.
    unsafe {
        match kind_of(attribute)? {
            Attribute::Switch(at) => put(value.cast(), settings[at] as c_int),
            Attribute::Threshold => put(value.cast(), settings[4]),
            Attribute::Used => {
                let (free, total) = driver.device.memory_info();
                put(value.cast(), total - free)
            }
        }
    }
}

/// `cuMemPoolSetAttribute`: kept and given back.
pub(super) unsafe fn set_attribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) -> CuResult {
    let driver = driver()?;
    let mut state = driver.state();
    let settings = &mut state.get_mut::<Pool>(Handle::from_c(pool))?.settings;
    if value.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    match kind_of(attribute)? {
        // SAFETY: not null, so an int, as the API demands.
        Attribute::Switch(at) => settings[at] = u64::from(unsafe { value.cast::<c_int>().read() } != 0),
        // SAFETY: not null, so a cuuint64_t, as the API demands.
        Attribute::Threshold => settings[4] = unsafe { value.cast::<u64>().read() },
        Attribute::Used => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}
