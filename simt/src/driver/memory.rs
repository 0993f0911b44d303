//! Memory: allocation, copies, fills, and what an address is.
//!
//! Device memory is memory of the host (see `mem`), so managed and page-locked memory are device memory under the same
//! address: both sides see it at once.

use super::error::{CUresult, CuResult, address_of, put, put_if_wanted, refused, say};
use super::state::{Allocation, Context, Handle, MemoryKind, Pool, driver};
use super::types::{
    CUDA_MEMCPY2D, CUcontext, CUdevice, CUdeviceptr, CUmemoryPool, CUstream, MEMORYTYPE_DEVICE,
    MEMORYTYPE_HOST, MEMORYTYPE_UNIFIED, c_int, c_uint, c_void,
};
use crate::{Device, Report, ReportKind};

/// Bytes that a fill writes at once.
const FILL_CHUNK: usize = 64 << 10;

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

// ---- Copies

/// `cuMemcpyHtoD`
pub(super) unsafe fn to_device(
    to: CUdeviceptr,
    from: *const c_void,
    bytes: usize,
    stream: CUstream,
) -> CuResult {
    let place = Place::host(from, bytes)?;
    // SAFETY: the caller has `bytes` readable bytes at `from`.
    driver()?.in_stream(stream, |device| unsafe { copy(device, Place::Device(to), place, bytes) })
}

/// `cuMemcpyDtoH`
pub(super) unsafe fn to_host(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) -> CuResult {
    let place = Place::host(to, bytes)?;
    // SAFETY: the caller has `bytes` writable bytes at `to`.
    driver()?.in_stream(stream, |device| unsafe { copy(device, place, Place::Device(from), bytes) })
}

/// `cuMemcpyDtoD`
pub(super) fn on_device(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) -> CuResult {
    driver()?.in_stream(stream, |device| device.copy(to, from, bytes as u64))
}

/// `cuMemcpyPeer`: all contexts share the device.
pub(super) fn between_contexts(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: usize,
    stream: CUstream,
) -> CuResult {
    for context in [to_context, from_context] {
        driver()?.state().get::<Context>(Handle::from_c(context))?;
    }
    on_device(to, from, bytes, stream)
}

/// One end of a copy.
#[derive(Clone, Copy)]
enum Place {
    Device(u64),
    /// An address of the host, as the caller gave it.
    Host(*mut u8),
}

impl Place {
    /// # Errors
    /// A null pointer with a size.
    fn host(pointer: *const c_void, bytes: usize) -> CuResult<Self> {
        if pointer.is_null() && bytes > 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(Self::Host(pointer.cast_mut().cast()))
    }

    /// The place of an address that may be either.
    fn unified(device: &Device, address: u64, bytes: usize) -> CuResult<Self> {
        match device.allocation(address) {
            Some(_) => Ok(Self::Device(address)),
            None => Self::host(std::ptr::with_exposed_provenance(address as usize), bytes),
        }
    }

    fn plus(self, bytes: usize) -> Self {
        match self {
            Self::Device(address) => Self::Device(address.wrapping_add(bytes as u64)),
            Self::Host(pointer) => Self::Host(pointer.wrapping_add(bytes)),
        }
    }
}

/// Copies `bytes` bytes; device addresses are checked, those of the host are the caller's.
///
/// # Safety
/// A place on the host has `bytes` readable or writable bytes; if `bytes` is 0, it may be anything.
unsafe fn copy(device: &Device, to: Place, from: Place, bytes: usize) -> Result<(), Report> {
    if bytes == 0 {
        return Ok(());
    }
    match (to, from) {
        (Place::Device(to), Place::Device(from)) => device.copy(to, from, bytes as u64),
        (Place::Device(to), Place::Host(from)) => {
            // SAFETY: `bytes` readable bytes, by the contract.
            let from = unsafe { std::slice::from_raw_parts(from, bytes) };
            device.write(to, from)
        }
        (Place::Host(to), Place::Device(from)) => {
            // SAFETY: `bytes` writable bytes, by the contract.
            let to = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
            device.read(from, to)
        }
        (Place::Host(to), Place::Host(from)) => {
            // SAFETY: `bytes` readable and writable bytes, by the contract; they may overlap.
            unsafe { to.copy_from(from, bytes) };
            Ok(())
        }
    }
}

/// `cuMemcpy`: each address says by itself whether it is the device's. Page-locked memory is.
pub(super) unsafe fn unified(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) -> CuResult {
    let driver = driver()?;
    let (to, from) =
        (Place::unified(&driver.device, to, bytes)?, Place::unified(&driver.device, from, bytes)?);
    // SAFETY: what is not memory of the device is the caller's, with `bytes` bytes.
    driver.in_stream(stream, |device| unsafe { copy(device, to, from, bytes) })
}

/// `cuMemcpy2D`: rows of a matrix, between host and device in every direction; arrays are not supported.
pub(super) unsafe fn copy_2d(shape: *const CUDA_MEMCPY2D, stream: CUstream) -> CuResult {
    // SAFETY: null or valid, as the API demands.
    let shape = unsafe { shape.as_ref() }.ok_or(CUresult::INVALID_VALUE)?;
    let driver = driver()?;
    driver.current()?;
    let (width, height) = (shape.WidthInBytes, shape.Height);
    if width == 0 || height == 0 {
        return Ok(());
    }
    let place = |kind, host: *const c_void, address, x: usize, y: usize, pitch: usize| {
        let start = match kind {
            MEMORYTYPE_HOST => Place::host(host, width)?,
            MEMORYTYPE_DEVICE => Place::Device(address),
            MEMORYTYPE_UNIFIED => Place::unified(&driver.device, address, width)?,
            _ => return Err(CUresult::NOT_SUPPORTED),
        };
        if height > 1 && pitch < x.saturating_add(width) {
            return Err(CUresult::INVALID_VALUE);
        }
        let rows_above = y.checked_mul(pitch).and_then(|bytes| bytes.checked_add(x));
        let whole = pitch.checked_mul(height - 1).and_then(|bytes| bytes.checked_add(width));
        let (Some(offset), Some(_)) = (rows_above, whole) else { return Err(CUresult::INVALID_VALUE) };
        Ok(start.plus(offset))
    };
    let to = place(
        shape.dstMemoryType,
        shape.dstHost,
        shape.dstDevice,
        shape.dstXInBytes,
        shape.dstY,
        shape.dstPitch,
    )?;
    let from = place(
        shape.srcMemoryType,
        shape.srcHost,
        shape.srcDevice,
        shape.srcXInBytes,
        shape.srcY,
        shape.srcPitch,
    )?;
    driver.in_stream(stream, |device| {
        (0..height).try_for_each(|row| {
            let (to, from) = (to.plus(row * shape.dstPitch), from.plus(row * shape.srcPitch));
            // SAFETY: the caller has `height` rows of `width` bytes at each place on the host.
            unsafe { copy(device, to, from, width) }
        })
    })
}

// ---- Fills

/// `cuMemsetD8`, `D16`, `D32`: `count` elements of `N` bytes.
pub(super) fn fill<const N: usize>(
    to: CUdeviceptr,
    value: [u8; N],
    count: usize,
    stream: CUstream,
) -> CuResult {
    fill_2d(to, 0, value, count, 1, stream)
}

/// `cuMemsetD2D8`, `D2D16`, `D2D32`: `height` rows of `width` elements of `N` bytes, `pitch` bytes from row to row.
/// Nothing is written if a row is not in device memory.
pub(super) fn fill_2d<const N: usize>(
    to: CUdeviceptr,
    pitch: usize,
    value: [u8; N],
    width: usize,
    height: usize,
    stream: CUstream,
) -> CuResult {
    let order = driver()?.stream(stream)?;
    let row_bytes = width.checked_mul(N).ok_or(CUresult::INVALID_VALUE)?;
    if !to.is_multiple_of(N as u64) || (height > 1 && (pitch < row_bytes || !pitch.is_multiple_of(N))) {
        return Err(CUresult::INVALID_VALUE);
    }
    if row_bytes == 0 || height == 0 {
        return Ok(());
    }
    let device = &driver()?.device;
    let row = |index: usize| {
        let address = (pitch as u64).checked_mul(index as u64).and_then(|offset| to.checked_add(offset));
        let inside = address.and_then(|address| {
            let (start, size) = device.allocation(address)?;
            (size - (address - start) >= row_bytes as u64).then_some(address)
        });
        inside.ok_or_else(|| {
            let message = format!(
                "fill of {height} rows of {row_bytes} bytes, {pitch} bytes apart, at device address {to:#x}: row \
                 {index} is not inside one live allocation"
            );
            Report::new(ReportKind::OutOfBounds, message)
        })
    };
    let chunk: Vec<u8> = value.into_iter().cycle().take(row_bytes.min(FILL_CHUNK)).collect();
    order
        .run(|| {
            (0..height).try_for_each(|index| row(index).map(|_| ()))?;
            for index in 0..height {
                let address = row(index)?;
                for at in (0..row_bytes).step_by(FILL_CHUNK) {
                    device.write(address + at as u64, &chunk[..(row_bytes - at).min(FILL_CHUNK)])?;
                }
            }
            Ok(())
        })
        .map_err(|report: Report| refused(&report))
}

// ---- What an address is

/// `cuMemGetAddressRange`: start and size of the allocation; the caller may leave out either.
pub(super) unsafe fn address_range(
    base: *mut CUdeviceptr,
    bytes: *mut usize,
    address: CUdeviceptr,
) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let (start, size) = driver.device.allocation(address).ok_or(CUresult::NOT_FOUND)?;
    // SAFETY: null or valid, as the API demands.
    unsafe {
        put_if_wanted(base, start);
        put_if_wanted(bytes, size as usize);
    }
    Ok(())
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

/// `cuPointerGetAttribute`, for memory of the device; a variable of a module counts as device memory of the primary
/// context. Booleans are an `int`.
pub(super) unsafe fn pointer_attribute(
    data: *mut c_void,
    attribute: c_int,
    address: CUdeviceptr,
) -> CuResult {
    let driver = driver()?;
    let (start, found) = {
        let state = driver.state();
        match state.allocation(address) {
            Some(found) => found,
            None => {
                let (start, bytes) = driver.device.allocation(address).ok_or(CUresult::INVALID_VALUE)?;
                (
                    start,
                    Allocation { context: state.primary[0].context, bytes, kind: MemoryKind::Device, id: 0 },
                )
            }
        }
    };
    let host = found.kind == MemoryKind::Host;
    // SAFETY: null or of the attribute's type, as the API demands.
    unsafe {
        match attribute {
            1 => put(data.cast(), found.context.to_c()),
            2 => put(data.cast(), if host { MEMORYTYPE_HOST } else { MEMORYTYPE_DEVICE }),
            3 => put(data.cast(), address),
            4 if found.kind == MemoryKind::Device => Err(CUresult::INVALID_VALUE),
            4 => put(data.cast(), address as usize),
            7 => put(data.cast(), found.id),
            8 => put(data.cast(), c_int::from(found.kind == MemoryKind::Managed)),
            6 | 10 | 15 => put(data.cast(), 0 as c_int),
            9 => put(data.cast(), driver.state().get::<Context>(found.context).map_or(0, |of| of.device)),
            11 => put(data.cast(), start),
            12 => put(data.cast(), found.bytes as usize),
            13 => put(data.cast(), 1 as c_int),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}
