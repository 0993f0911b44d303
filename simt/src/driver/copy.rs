//! Copies and fills.

use super::error::{CUresult, CuResult, refused};
use super::object::{Context, Handle};
use super::state::driver;
use super::types::{
    CUDA_MEMCPY2D, CUcontext, CUdeviceptr, CUstream, MEMORYTYPE_DEVICE, MEMORYTYPE_HOST, MEMORYTYPE_UNIFIED,
    c_void,
};
use crate::{Device, Report, ReportKind};

/// Bytes that a fill writes at once.
const FILL_CHUNK: usize = 64 << 10;

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
