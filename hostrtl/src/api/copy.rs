//! `omp_target_memcpy`, `omp_target_memcpy_rect`, `omp_target_memset` and their asynchronous forms (OpenMP 5.2, 18.8.5
//! to 18.8.8, and `omp_target_memset` of 6.0).
//!
//! A call is checked first and becomes a [`Copy`]; an asynchronous one runs that later, in a target task of libomp.

mod rows;

use super::llvm::{Place, place};
use super::{FAIL, SUCCESS, refuse};
use crate::device::{DevicePtr, DeviceResult};
use crate::error::Result;
use crate::libomp::{self, Dependence};
use crate::location::{Location, MapName};
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::tool::{self, Exchanged, Work};
use core::ffi::{c_int, c_void};
use core::slice::from_raw_parts;
use rows::{Box as RectangularBox, Rows, rows};

/// One end of a copy.
#[derive(Clone, Copy, Debug)]
struct End {
    address: usize,
    device: c_int,
}

/// A checked copy.
#[derive(Debug)]
struct Copy {
    to: End,
    from: End,
    rows: Rows,
}

/// The arguments of `omp_target_memcpy`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // OpenMP's names
pub struct Linear {
    pub destination: *mut c_void,
    pub source: *const c_void,
    pub bytes: usize,
    pub destination_offset: usize,
    pub source_offset: usize,
    pub destination_device: c_int,
    pub source_device: c_int,
}

/// The arguments of `omp_target_memcpy_rect`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // OpenMP's names
pub struct Rectangle {
    pub destination: *mut c_void,
    pub source: *const c_void,
    pub element_size: usize,
    pub dimensions: c_int,
    pub volume: *const usize,
    pub destination_offsets: *const usize,
    pub source_offsets: *const usize,
    pub destination_dimensions: *const usize,
    pub source_dimensions: *const usize,
    pub destination_device: c_int,
    pub source_device: c_int,
}

/// The dependence objects of an asynchronous routine.
#[derive(Clone, Copy, Debug)]
pub struct DependObjects {
    /// How many there are.
    pub count: c_int,
    /// Each as the compiler makes it for a `depobj` construct.
    pub list: *const *const c_void,
}

impl Linear {
    fn check(&self, function: &str) -> core::result::Result<Option<Copy>, c_int> {
        if self.bytes == 0 {
            return Ok(None);
        }
        if self.destination.is_null() || self.source.is_null() {
            return Err(refuse(function, "needs two addresses"));
        }
        let end = |address: usize, offset: usize, device| {
            let address = address.checked_add(offset).filter(|start| start.checked_add(self.bytes).is_some());
            address.map(|address| End { address, device })
        };
        let to = end(self.destination as usize, self.destination_offset, self.destination_device);
        let from = end(self.source as usize, self.source_offset, self.source_device);
        match (to, from) {
            (Some(to), Some(from)) => Ok(Some(Copy { to, from, rows: Rows::one(self.bytes) })),
            _ => Err(refuse(function, "the range ends behind the last address")),
        }
    }
}

impl Rectangle {
    /// The question for the most dimensions (OpenMP 5.2, 18.8.6).
    fn is_query(&self) -> bool {
        self.destination.is_null() && self.source.is_null()
    }

    /// # Safety
    /// The five arrays are null or have `dimensions` elements.
    unsafe fn check(&self, function: &str) -> core::result::Result<Option<Copy>, c_int> {
        let arrays = [
            self.volume,
            self.destination_offsets,
            self.source_offsets,
            self.destination_dimensions,
            self.source_dimensions,
        ];
        let dimensions = usize::try_from(self.dimensions).unwrap_or(0);
        if self.destination.is_null()
            || self.source.is_null()
            || self.element_size == 0
            || dimensions == 0
            || arrays.iter().any(|array| array.is_null())
        {
            return Err(refuse(
                function,
                "needs two addresses, an element size, at least one dimension and five arrays",
            ));
        }
        // SAFETY: not null, and of this length by the contract.
        let [volume, to_offsets, from_offsets, to_dimensions, from_dimensions] =
            arrays.map(|array| unsafe { from_raw_parts(array, dimensions) });
        let to = RectangularBox { offsets: to_offsets, dimensions: to_dimensions };
        let from = RectangularBox { offsets: from_offsets, dimensions: from_dimensions };
        let rows = rows(self.element_size, volume, to, from).map_err(|why| refuse(function, why))?;
        Ok(rows.map(|rows| Copy {
            to: End { address: self.destination as usize, device: self.destination_device },
            from: End { address: self.source as usize, device: self.source_device },
            rows,
        }))
    }
}

/// Most dimensions of `omp_target_memcpy_rect`: as many as an `int` can count, as in LLVM.
const MAX_DIMENSIONS: c_int = c_int::MAX;

/// `omp_target_memcpy`.
///
/// # Safety
/// The two ranges are valid memory of their devices.
pub unsafe fn target_memcpy(arguments: &Linear) -> c_int {
    match arguments.check("omp_target_memcpy") {
        // SAFETY: the contract of this function.
        Ok(Some(copy)) => unsafe { copy.run() },
        Ok(None) => SUCCESS,
        Err(code) => code,
    }
}

/// `omp_target_memcpy_rect`. With both addresses null: the most dimensions that it takes.
///
/// # Safety
/// The five arrays are null or have `dimensions` elements; the boxes that they describe are valid memory of their
/// devices.
pub unsafe fn target_memcpy_rect(arguments: &Rectangle) -> c_int {
    if arguments.is_query() {
        return MAX_DIMENSIONS;
    }
    // SAFETY: the contract of this function.
    match unsafe { arguments.check("omp_target_memcpy_rect") } {
        // SAFETY: the contract of this function.
        Ok(Some(copy)) => unsafe { copy.run() },
        Ok(None) => SUCCESS,
        Err(code) => code,
    }
}

/// `omp_target_memcpy_async`. What can be checked is checked now.
///
/// # Safety
/// As for [`target_memcpy`], until the task is complete; the dependence objects are initialized.
pub unsafe fn target_memcpy_async(arguments: &Linear, after: DependObjects) -> c_int {
    let function = "omp_target_memcpy_async";
    match arguments.check(function) {
        // SAFETY: the contract of this function.
        Ok(copy) => unsafe { start(function, after, move || copy.map_or(SUCCESS, |copy| copy.run())) },
        Err(code) => code,
    }
}

/// `omp_target_memcpy_rect_async`. The arrays are read now: they need not live until the task runs.
///
/// # Safety
/// As for [`target_memcpy_rect`], until the task is complete; the dependence objects are initialized.
pub unsafe fn target_memcpy_rect_async(arguments: &Rectangle, after: DependObjects) -> c_int {
    if arguments.is_query() {
        return MAX_DIMENSIONS;
    }
    let function = "omp_target_memcpy_rect_async";
    // SAFETY: the contract of this function.
    match unsafe { arguments.check(function) } {
        // SAFETY: the contract of this function.
        Ok(copy) => unsafe { start(function, after, move || copy.map_or(SUCCESS, |copy| copy.run())) },
        Err(code) => code,
    }
}

/// `omp_target_memset`: gives its address back, as `memset` does.
///
/// # Safety
/// The range is valid memory of its device.
pub unsafe fn target_memset(address: *mut c_void, value: c_int, bytes: usize, device: c_int) -> *mut c_void {
    if !address.is_null() && bytes != 0 {
        // SAFETY: the contract of this function.
        unsafe { fill(address as usize, value as u8, bytes, place(device)) };
    }
    address
}

/// `omp_target_memset_async`.
///
/// # Safety
/// As for [`target_memset`], until the task is complete; the dependence objects are initialized.
pub unsafe fn target_memset_async(
    address: *mut c_void,
    value: c_int,
    bytes: usize,
    device: c_int,
    after: DependObjects,
) -> *mut c_void {
    let start_of_range = address as usize;
    let work = move || {
        if start_of_range != 0 && bytes != 0 {
            // SAFETY: the contract of this function.
            unsafe { fill(start_of_range, value as u8, bytes, place(device)) };
        }
        SUCCESS
    };
    // SAFETY: the contract of this function.
    unsafe { start("omp_target_memset_async", after, work) };
    address
}

/// Makes a target task. Its own failure is told when it happens: nobody can ask for it.
///
/// # Safety
/// The dependence objects are initialized.
unsafe fn start(
    function: &str,
    after: DependObjects,
    work: impl FnOnce() -> c_int + Send + 'static,
) -> c_int {
    let Ok(count) = usize::try_from(after.count) else {
        return refuse(function, "the number of dependence objects is negative");
    };
    if count > 0 && after.list.is_null() {
        return refuse(function, "there are dependence objects, but their list is a null pointer");
    }
    let objects = match count {
        0 => &[],
        // SAFETY: not null, and of this length by the contract.
        _ => unsafe { from_raw_parts(after.list, count) },
    };
    let mut dependences = Vec::new();
    for object in objects {
        if object.is_null() {
            return refuse(function, "a dependence object is not initialized");
        }
        let first = object.cast::<Dependence>();
        // SAFETY: the compiler puts the number of dependences into an element of its own in front of them; an iterator
        // in the construct's `depend` clause makes several.
        dependences.extend_from_slice(unsafe {
            from_raw_parts(first, usize::try_from((*first.sub(1)).base).unwrap_or(0))
        });
    }
    match libomp::target_task(Box::new(move || _ = work()), &dependences) {
        true => SUCCESS,
        false => refuse(function, "libomp could not make a task"),
    }
}

/// # Safety
/// The range is valid memory of its device.
unsafe fn fill(address: usize, value: u8, bytes: usize, place: Place<'_>) {
    match place {
        // SAFETY: the contract of this function.
        Place::Host => unsafe { core::ptr::write_bytes(address as *mut u8, value, bytes) },
        Place::Device(device) => {
            let outcome = transfer(device, |region| region.fill(DevicePtr(address as u64), value, bytes));
            outcome.unwrap_or_else(|error| error.report());
        }
        Place::Nowhere => {}
    }
}

impl Copy {
    /// Copies between any two devices and waits.
    ///
    /// # Safety
    /// All rows are valid memory of their devices.
    unsafe fn run(&self) -> c_int {
        let (to, from) = (place(self.to.device), place(self.from.device));
        // SAFETY: the contract of this function.
        match unsafe { self.between(to, from) } {
            Some(Ok(())) => SUCCESS,
            Some(Err(error)) => {
                error.report();
                FAIL
            }
            None => FAIL,
        }
    }

    /// `None` when a device does not exist, which has been told.
    ///
    /// # Safety
    /// As for [`Copy::run`].
    unsafe fn between(&self, to: Place<'_>, from: Place<'_>) -> Option<Result<()>> {
        let bytes = self.rows.bytes();
        let (to_start, from_start) = (self.to.address, self.from.address);
        let each_row = |copy: &mut dyn FnMut(usize, usize) -> DeviceResult<()>| {
            self.rows.try_for_each(|to, from| copy(to_start.wrapping_add(to), from_start.wrapping_add(from)))
        };
        Some(match (to, from) {
            (Place::Nowhere, _) | (_, Place::Nowhere) => return None,
            (Place::Host, Place::Host) => each_row(&mut |to, from| {
                // SAFETY: the contract of this function.
                unsafe { core::ptr::copy(from as *const u8, to as *mut u8, bytes) };
                Ok(())
            })
            .map_err(Into::into),
            (Place::Device(device), Place::Host) => transfer(device, |region| {
                each_row(&mut |to, from| {
                    // SAFETY: the contract of this function; `transfer` waits for the copy.
                    unsafe { region.submit(DevicePtr(to as u64), from, bytes, MapName::default()) }
                })
            }),
            (Place::Host, Place::Device(device)) => transfer(device, |region| {
                each_row(&mut |to, from| {
                    // SAFETY: the contract of this function; `transfer` waits for the copy.
                    unsafe { region.retrieve(to, DevicePtr(from as u64), bytes, MapName::default()) }
                })
            }),
            (Place::Device(device), Place::Device(other)) if device.id == other.id => {
                transfer(device, |region| {
                    each_row(&mut |to, from| {
                        region.exchange(DevicePtr(to as u64), DevicePtr(from as u64), bytes)
                    })
                })
            }
            (Place::Device(device), Place::Device(other)) => match peer(device, other) {
                Some((foreign, handles)) => transfer(device, |region| {
                    each_row(&mut |to, from| {
                        let (to, from) = (DevicePtr(to as u64), DevicePtr(from as u64));
                        let _scope = tool::begin(device.id, || {
                            Work::OnDevices(Exchanged { from: (other.id, from), to: (device.id, to), bytes })
                        });
                        foreign.copy_from_peer(region.work(), to, handles, from, bytes)
                    })
                }),
                None => self.through_the_host(device, other),
            },
        })
    }

    fn through_the_host(&self, device: &OffloadDevice, other: &OffloadDevice) -> Result<()> {
        let mut staging = vec![0_u8; self.rows.bytes()];
        self.rows.try_for_each(|to, from| -> Result<()> {
            let to = DevicePtr(self.to.address.wrapping_add(to) as u64);
            let from = DevicePtr(self.from.address.wrapping_add(from) as u64);
            other.device.bind()?;
            transfer(other, |region| region.read(from, &mut staging))?;
            device.device.bind()?;
            let (address, size) = (staging.as_ptr() as usize, staging.len());
            // SAFETY: `staging` lives, and `transfer` waits for the copy.
            transfer(device, |region| unsafe { region.submit(to, address, size, MapName::default()) })
        })
    }
}

/// The interface of `device`, bound to this thread, by which it can copy from `other`; and `other` there.
fn peer<'d>(
    device: &'d OffloadDevice,
    other: &OffloadDevice,
) -> Option<(&'d dyn crate::device::foreign::Foreign, crate::device::foreign::Handles)> {
    let (foreign, handles) = (device.device.foreign()?, other.device.foreign()?.handles());
    device.device.bind().ok()?;
    foreign.reaches(handles).then_some((foreign, handles))
}

fn transfer(device: &OffloadDevice, work: impl FnOnce(&mut Region<'_>) -> DeviceResult<()>) -> Result<()> {
    let mut region = Region::start(device, Location::default())?;
    work(&mut region)?;
    region.finish()
}

#[cfg(test)]
mod tests;
