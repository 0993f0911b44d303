//! Device memory routines of OpenMP (OpenMP 5.2, 18.8).

use super::llvm::{Place, place};
use super::{FAIL, SUCCESS};
use crate::device::DevicePtr;
use crate::error::Result;
use crate::info;
use crate::location::{Location, MapName};
use crate::lock;
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::runtime::runtime;
use crate::table::Lookup;
use crate::tool::{self, Copied, Work};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

/// `omp_get_num_devices`. libomp has the same name and forwards to this one.
pub fn get_num_devices() -> c_int {
    runtime().usable_devices() as c_int
}

/// `omp_get_initial_device`, and `omp_get_device_num` of the host: the number behind the last device.
pub fn get_initial_device() -> c_int {
    get_num_devices()
}

/// `omp_target_is_present`: whether the byte at a host address is mapped. Its size is not known, so one byte stands
/// for the whole.
pub fn target_is_present(host: *const c_void, device: c_int) -> c_int {
    if host.is_null() {
        return 0;
    }
    match place(device) {
        Place::Host => 1,
        Place::Device(offload) => offload.mapped_address(host as usize).is_some().into(),
        Place::Nowhere => 0,
    }
}

/// `omp_get_mapped_ptr`: the device address of a host address, null when it is not mapped.
pub fn get_mapped_ptr(host: *const c_void, device: c_int) -> *mut c_void {
    if host.is_null() {
        return null_mut();
    }
    match place(device) {
        Place::Host => host.cast_mut(),
        Place::Device(offload) => {
            offload.mapped_address(host as usize).map_or(null_mut(), |address| address.0 as *mut c_void)
        }
        Place::Nowhere => null_mut(),
    }
}

/// `omp_target_associate_ptr`: maps host memory to device memory of the program, until it is disassociated.
pub fn target_associate_ptr(
    host: *const c_void,
    device_address: *const c_void,
    bytes: usize,
    offset: usize,
    device: c_int,
) -> c_int {
    if host.is_null() || device_address.is_null() || bytes == 0 {
        return refuse("omp_target_associate_ptr", "needs two addresses and a size");
    }
    let Place::Device(offload) = place(device) else {
        return refuse("omp_target_associate_ptr", "needs a device other than the host");
    };
    let (host, target) = (host as usize, DevicePtr(device_address as u64).offset(offset));
    let name = MapName::default();
    let _scope = tool::begin(offload.id, || Work::Associate(Copied { host, device: target, bytes, name }));
    let mut table = lock(&offload.table);
    match table.lookup(host, bytes) {
        Lookup::Absent => {
            table.insert_permanent(host, bytes, target);
            SUCCESS
        }
        Lookup::Contained(key) | Lookup::Overlaps(key) => {
            let same = table.get(key).is_some_and(|entry| {
                entry.dynamic_count.is_infinite()
                    && (entry.begin, entry.end) == (host, host + bytes)
                    && entry.device_begin == target
            });
            if same { SUCCESS } else { refuse("omp_target_associate_ptr", "the memory is mapped already") }
        }
    }
}

/// `omp_target_disassociate_ptr`.
pub fn target_disassociate_ptr(host: *const c_void, device: c_int) -> c_int {
    let Place::Device(offload) = place(device) else {
        return refuse("omp_target_disassociate_ptr", "needs a device other than the host");
    };
    let mut table = lock(&offload.table);
    let found = table
        .get(host as usize)
        .map_or((DevicePtr::default(), 0), |entry| (entry.device_begin, entry.end - entry.begin));
    let _scope = tool::begin(offload.id, || {
        let (host, (device, bytes)) = (host as usize, found);
        Work::Disassociate(Copied { host, device, bytes, name: MapName::default() })
    });
    match table.get(host as usize) {
        Some(entry) if entry.dynamic_count.is_infinite() && entry.hold_count.is_zero() => {
            table.remove(host as usize);
            SUCCESS
        }
        _ => refuse("omp_target_disassociate_ptr", "the address was not associated"),
    }
}

/// One end of a copy.
#[derive(Clone, Copy)]
struct End {
    address: usize,
    device: c_int,
}

/// `omp_target_memcpy`.
///
/// # Safety
/// The two ranges are valid memory of their devices and do not overlap.
pub unsafe fn target_memcpy(
    destination: *mut c_void,
    source: *const c_void,
    bytes: usize,
    destination_offset: usize,
    source_offset: usize,
    destination_device: c_int,
    source_device: c_int,
) -> c_int {
    if bytes == 0 {
        return SUCCESS;
    }
    if destination.is_null() || source.is_null() {
        return refuse("omp_target_memcpy", "needs two addresses");
    }
    let to =
        End { address: (destination as usize).wrapping_add(destination_offset), device: destination_device };
    let from = End { address: (source as usize).wrapping_add(source_offset), device: source_device };
    // SAFETY: the contract of this function.
    unsafe { copy(to, from, &[(0, 0)], bytes) }
}

/// Most dimensions of `omp_target_memcpy_rect` (OpenMP asks for at least three).
const MAX_DIMENSIONS: c_int = 16;

/// `omp_target_memcpy_rect`. With both addresses null: the most dimensions that it takes.
///
/// # Safety
/// The five arrays have `dimensions` elements; the boxes that they describe are valid memory of their devices and do
/// not overlap.
#[allow(clippy::too_many_arguments)] // OpenMP's signature
pub unsafe fn target_memcpy_rect(
    destination: *mut c_void,
    source: *const c_void,
    element_size: usize,
    dimensions: c_int,
    volume: *const usize,
    destination_offsets: *const usize,
    source_offsets: *const usize,
    destination_dimensions: *const usize,
    source_dimensions: *const usize,
    destination_device: c_int,
    source_device: c_int,
) -> c_int {
    if destination.is_null() && source.is_null() {
        return MAX_DIMENSIONS;
    }
    let arrays = [volume, destination_offsets, source_offsets, destination_dimensions, source_dimensions];
    if destination.is_null()
        || source.is_null()
        || element_size == 0
        || !(1..=MAX_DIMENSIONS).contains(&dimensions)
        || arrays.iter().any(|array| array.is_null())
    {
        return refuse(
            "omp_target_memcpy_rect",
            "needs two addresses, an element size and 1 to 16 dimensions",
        );
    }
    // SAFETY: not null, and of this length by the contract.
    let [volume, to_offsets, from_offsets, to_dimensions, from_dimensions] =
        arrays.map(|array| unsafe { core::slice::from_raw_parts(array, dimensions as usize) });
    let rows = rows(element_size, volume, (to_offsets, to_dimensions), (from_offsets, from_dimensions));
    let row_size = volume[volume.len() - 1] * element_size;
    if row_size == 0 || rows.is_empty() {
        return SUCCESS;
    }
    let to = End { address: destination as usize, device: destination_device };
    let from = End { address: source as usize, device: source_device };
    // SAFETY: the contract of this function.
    unsafe { copy(to, from, &rows, row_size) }
}

/// (destination, source) offsets in bytes of each row of a box; a row is contiguous along the last dimension.
fn rows(
    element_size: usize,
    volume: &[usize],
    (to_offsets, to_dimensions): (&[usize], &[usize]),
    (from_offsets, from_dimensions): (&[usize], &[usize]),
) -> Vec<(usize, usize)> {
    let last = volume.len() - 1;
    let (mut to_stride, mut from_stride) = (element_size, element_size);
    let mut rows = vec![(to_offsets[last] * to_stride, from_offsets[last] * from_stride)];
    for dimension in (0..last).rev() {
        to_stride *= to_dimensions[dimension + 1];
        from_stride *= from_dimensions[dimension + 1];
        rows = (0..volume[dimension])
            .flat_map(|index| {
                let to = (to_offsets[dimension] + index) * to_stride;
                let from = (from_offsets[dimension] + index) * from_stride;
                rows.iter().map(move |row| (row.0 + to, row.1 + from))
            })
            .collect();
    }
    rows
}

/// Copies pieces of the same size between any two devices and waits.
///
/// # Safety
/// All pieces are valid memory of their devices and do not overlap.
unsafe fn copy(to: End, from: End, pieces: &[(usize, usize)], bytes: usize) -> c_int {
    let ends =
        |piece: &(usize, usize)| (to.address.wrapping_add(piece.0), from.address.wrapping_add(piece.1));
    let outcome = match (place(to.device), place(from.device)) {
        (Place::Nowhere, _) | (_, Place::Nowhere) => return FAIL,
        (Place::Host, Place::Host) => {
            for (to, from) in pieces.iter().map(ends) {
                // SAFETY: the contract of this function.
                unsafe { core::ptr::copy(from as *const u8, to as *mut u8, bytes) };
            }
            Ok(())
        }
        (Place::Device(device), Place::Host) => transfer(device, |region| {
            pieces.iter().map(ends).try_for_each(|(to, from)| {
                // SAFETY: the contract of this function; `transfer` waits for the copy.
                unsafe { region.submit(DevicePtr(to as u64), from, bytes, MapName::default()) }
            })
        }),
        (Place::Host, Place::Device(device)) => transfer(device, |region| {
            pieces.iter().map(ends).try_for_each(|(to, from)| {
                // SAFETY: the contract of this function; `transfer` waits for the copy.
                unsafe { region.retrieve(to, DevicePtr(from as u64), bytes, MapName::default()) }
            })
        }),
        (Place::Device(device), Place::Device(other)) if device.id == other.id => {
            transfer(device, |region| {
                pieces.iter().map(ends).try_for_each(|(to, from)| {
                    region.exchange(DevicePtr(to as u64), DevicePtr(from as u64), bytes)
                })
            })
        }
        (Place::Device(device), Place::Device(other)) => {
            pieces.iter().map(ends).try_for_each(|(to, from)| {
                let mut staging = vec![0_u8; bytes];
                other.device.bind()?;
                transfer(other, |region| region.read(DevicePtr(from as u64), &mut staging))?;
                device.device.bind()?;
                transfer(device, |region| region.submit_owned(DevicePtr(to as u64), staging.into()))
            })
        }
    };
    match outcome {
        Ok(()) => SUCCESS,
        Err(error) => {
            error.report();
            FAIL
        }
    }
}

fn transfer(
    device: &OffloadDevice,
    work: impl FnOnce(&mut Region<'_>) -> crate::device::DeviceResult<()>,
) -> Result<()> {
    let mut region = Region::start(device, Location::default())?;
    work(&mut region)?;
    region.finish()
}

/// `omp_target_memset`: gives its address back, as `memset` does.
///
/// # Safety
/// The range is valid memory of its device.
pub unsafe fn target_memset(address: *mut c_void, value: c_int, bytes: usize, device: c_int) -> *mut c_void {
    if address.is_null() || bytes == 0 {
        return address;
    }
    let outcome = match place(device) {
        Place::Host => {
            // SAFETY: the contract of this function.
            unsafe { core::ptr::write_bytes(address.cast::<u8>(), value as u8, bytes) };
            Ok(())
        }
        Place::Device(offload) => {
            transfer(offload, |region| region.fill(DevicePtr(address as u64), value as u8, bytes))
        }
        Place::Nowhere => Ok(()),
    };
    if let Err(error) = outcome {
        error.report();
    }
    address
}

fn refuse(function: &str, why: &str) -> c_int {
    info::error(format_args!("{function}: {why}"));
    FAIL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_box() {
        // A 2 x 3 box at (1, 2) of a 4 x 8 matrix, to (0, 0) of a 2 x 3 one; elements of 4 bytes.
        let rows = rows(4, &[2, 3], (&[0, 0], &[2, 3]), (&[1, 2], &[4, 8]));
        assert_eq!(rows, [(0, 40), (12, 72)]);
    }

    #[test]
    fn rows_of_three_dimensions() {
        let rows = rows(1, &[2, 2, 5], (&[0, 0, 0], &[2, 2, 5]), (&[1, 0, 2], &[3, 4, 10]));
        assert_eq!(rows, [(0, 42), (5, 52), (10, 82), (15, 92)]);
    }

    #[test]
    fn a_vector_is_one_row() {
        assert_eq!(rows(8, &[7], (&[1], &[9]), (&[2], &[9])), [(8, 16)]);
    }
}
