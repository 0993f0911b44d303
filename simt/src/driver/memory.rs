//! Memory: allocation, and memory of the host that is registered.
//!
//! Device memory is memory of the host (see `mem`), so managed and page-locked memory are device memory under the same
//! address: both sides see it at once.

use super::error::{CUresult, CuResult, address_of, put, put_if_wanted, refused, say};
use super::object::{Allocation, Handle, MemoryKind, Pool};
use super::state::driver;
use super::types::{CUdeviceptr, CUmemoryPool, CUstream, c_uint, c_void};

// ---- Allocation

/// `cuMemAlloc` and its forms: no bytes at all is an error.
pub(super) unsafe fn alloc(
    to: *mut CUdeviceptr,
    bytes: usize,
    stream: CUstream,
    kind: MemoryKind,
) -> CuResult {
    let driver = driver()?;
    let context = driver.current()?;
    if to.is_null() || bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // The last word is whole: atomic operations on smaller types access the word that they stand in.
    let whole = (bytes as u64).checked_next_multiple_of(4).ok_or(CUresult::OUT_OF_MEMORY)?;
    let address = driver.in_stream(stream, |device| device.alloc(whole))?;
    if kind != MemoryKind::Device {
        driver.device.host_writes(address, whole);
    }
    driver.state().note(address, context, bytes as u64, kind);
    // SAFETY: not null, so valid, as the API demands.
    unsafe { put(to, address) }
}

/// `cuMemAllocManaged`: flags are `CU_MEM_ATTACH_GLOBAL` or `_HOST`.
pub(super) unsafe fn alloc_managed(to: *mut CUdeviceptr, bytes: usize, flags: c_uint) -> CuResult {
    if !matches!(flags, 1 | 2) {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: as the API demands.
    unsafe { alloc(to, bytes, std::ptr::null_mut(), MemoryKind::Managed) }
}

/// `cuMemAllocFromPoolAsync`
pub(super) unsafe fn alloc_from_pool(
    to: *mut CUdeviceptr,
    bytes: usize,
    pool: CUmemoryPool,
    stream: CUstream,
) -> CuResult {
    driver()?.state().get::<Pool>(Handle::from_c(pool))?;
    // SAFETY: as the API demands.
    unsafe { alloc(to, bytes, stream, MemoryKind::Device) }
}

/// `cuMemHostAlloc`, `cuMemAllocHost`: device memory that the host uses. Flags are hints on caching and mapping.
pub(super) unsafe fn host_alloc(to: *mut *mut c_void, bytes: usize, flags: c_uint) -> CuResult {
    if flags > 7 || to.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut address = 0;
    // SAFETY: `address` is a live variable.
    unsafe { alloc(&mut address, bytes, std::ptr::null_mut(), MemoryKind::Host)? };
    // SAFETY: not null, so valid, as the API demands.
    unsafe { put(to, std::ptr::with_exposed_provenance_mut(address as usize)) }
}

/// `cuMemAllocPitch`: rows begin at multiples of 512 bytes, as the texture alignment says.
pub(super) unsafe fn alloc_pitch(
    to: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> CuResult {
    const ALIGNMENT: usize = 512;
    if pitch.is_null() || !matches!(element, 4 | 8 | 16) {
        return Err(CUresult::INVALID_VALUE);
    }
    let row = width.checked_next_multiple_of(ALIGNMENT).ok_or(CUresult::INVALID_VALUE)?;
    let bytes = row.checked_mul(height).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: null or valid, as the API demands.
    unsafe {
        alloc(to, bytes, std::ptr::null_mut(), MemoryKind::Device)?;
        put(pitch, row)
    }
}

/// `cuMemFree`, which waits for all work of the context, and `cuMemFreeAsync`, which waits for its stream (`Some`).
/// Freeing null is nothing.
pub(super) fn free(address: CUdeviceptr, stream: Option<CUstream>) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    if address == 0 {
        return Ok(());
    }
    let context = {
        let state = driver.state();
        let found = state.allocations.get(&address).filter(|found| found.kind != MemoryKind::Host);
        found.map(|found| found.context)
    };
    let Some(context) = context else {
        say(format_args!("free of {address:#x}, which is not the start of a live allocation"));
        return Err(CUresult::INVALID_VALUE);
    };
    match stream {
        Some(stream) => driver.stream(stream)?.run(|| give_back(address)),
        None => {
            driver.drain(context)?;
            give_back(address)
        }
    }
}

/// `cuMemFreeHost`
pub(super) fn free_host(pointer: *mut c_void) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let address = address_of(pointer);
    let found = driver.state().allocations.get(&address).copied();
    match found {
        Some(Allocation { kind: MemoryKind::Host, context, .. }) => {
            driver.drain(context)?;
            give_back(address)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Frees an allocation that has been found; another thread may have been faster.
fn give_back(address: u64) -> CuResult {
    let driver = driver()?;
    driver.state().allocations.remove(&address).ok_or(CUresult::INVALID_VALUE)?;
    driver.device.free(address).map_err(|report| refused(&report))
}

/// `cuMemGetInfo`
pub(super) unsafe fn info(free: *mut usize, total: *mut usize) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let (free_bytes, total_bytes) = driver.device.memory_info();
    // SAFETY: null or valid; the API allows null.
    unsafe {
        put_if_wanted(free, free_bytes as usize);
        put_if_wanted(total, total_bytes as usize);
    }
    Ok(())
}

// ---- Registered host memory

/// `cuMemHostRegister`: the range is remembered. Kernels cannot access it (`CU_MEMHOSTREGISTER_DEVICEMAP`, `_IOMEMORY`).
pub(super) fn host_register(pointer: *mut c_void, bytes: usize, flags: c_uint) -> CuResult {
    const DEVICE_MAP: c_uint = 2;
    const IO_MEMORY: c_uint = 4;
    let driver = driver()?;
    let context = driver.current()?;
    let start = address_of(pointer);
    let end = start.checked_add(bytes as u64);
    let (true, Some(end)) = (start != 0 && bytes > 0 && flags <= 15, end) else {
        return Err(CUresult::INVALID_VALUE);
    };
    if flags & (DEVICE_MAP | IO_MEMORY) != 0 {
        say("memory of the host outside of cuMemHostAlloc cannot be mapped into the SIMT device");
        return Err(CUresult::NOT_SUPPORTED);
    }
    let mut state = driver.state();
    let before = state.registered.range(..end).next_back();
    let taken = before.is_some_and(|(&other, &(size, _))| other + size > start);
    if taken || state.allocation(start).is_some() {
        return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED);
    }
    state.registered.insert(start, (bytes as u64, context));
    Ok(())
}

/// `cuMemHostUnregister`
pub(super) fn host_unregister(pointer: *mut c_void) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let removed = driver.state().registered.remove(&address_of(pointer));
    removed.map(|_| ()).ok_or(CUresult::HOST_MEMORY_NOT_REGISTERED)
}

/// `cuMemHostGetDevicePointer`: the same address.
pub(super) unsafe fn host_device_pointer(
    to: *mut CUdeviceptr,
    pointer: *mut c_void,
    flags: c_uint,
) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let address = address_of(pointer);
    match driver.state().allocation(address) {
        Some((_, found)) if flags == 0 && found.kind == MemoryKind::Host => {}
        _ => return Err(CUresult::INVALID_VALUE),
    }
    // SAFETY: null or valid, as the API demands.
    unsafe { put(to, address) }
}

/// `cuMemHostGetFlags`: memory of the device that the host uses is page-locked for all contexts and mapped.
pub(super) unsafe fn host_flags(flags: *mut c_uint, pointer: *mut c_void) -> CuResult {
    const PORTABLE_AND_MAPPED: c_uint = 3;
    let driver = driver()?;
    driver.current()?;
    match driver.state().allocation(address_of(pointer)) {
        // SAFETY: null or valid, as the API demands.
        Some((_, found)) if found.kind == MemoryKind::Host => unsafe { put(flags, PORTABLE_AND_MAPPED) },
        _ => Err(CUresult::INVALID_VALUE),
    }
}
