//! Memory on a device that Rust owns.

use super::{Result, TargetError, device};
use crate::device::{AllocKind, DevicePtr};
use crate::location::{Location, MapName};
use crate::offload::OffloadDevice;
use crate::region::Region;
use bytemuck::Pod;
use core::marker::PhantomData;

/// Elements in the memory of a device; freed when it is dropped.
///
/// ```
/// use hostrtl::target::{Buffer, Image, Target, TargetError};
///
/// let ptx = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernel.ptx"));
/// let image = Image::register(ptx, &["fill"])?;
/// let mut numbers = Buffer::from_slice(&[7_u64; 6])?;
/// let fill = Target::new(image.kernel("fill")?).threads(4).buffer(&mut numbers).literal(1_u64);
/// // SAFETY: `fill` takes an address and a number, and writes one number for each of its 4 threads.
/// unsafe { fill.launch()? };
/// assert_eq!(numbers.to_vec()?, [2, 2, 2, 2, 7, 7]);
/// # Ok::<(), TargetError>(())
/// ```
pub struct Buffer<T> {
    offload: &'static OffloadDevice,
    number: usize,
    address: DevicePtr,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// A copy of these elements on the default device.
    pub fn from_slice(values: &[T]) -> Result<Self> {
        Self::make(None, values)
    }

    /// A copy of these elements on a device.
    pub fn on_device(number: usize, values: &[T]) -> Result<Self> {
        Self::make(Some(number), values)
    }

    fn make(number: Option<usize>, values: &[T]) -> Result<Self> {
        let offload = device(number)?;
        let address = offload
            .memory
            .alloc_apart(offload.device.as_ref(), size_of_val(values), AllocKind::Device)
            .map_err(crate::error::Error::from)?;
        let number = usize::try_from(offload.id).unwrap_or(0);
        let mut buffer = Self { offload, number, address, len: values.len(), elements: PhantomData };
        buffer.write(values)?;
        Ok(buffer)
    }

    /// Its device.
    pub fn device(&self) -> usize {
        self.number
    }

    /// Its address there.
    pub fn address(&self) -> u64 {
        self.address.0
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Replaces all elements.
    pub fn write(&mut self, values: &[T]) -> Result<()> {
        self.check("the source", values.len())?;
        self.transfer(|region, address| {
            // SAFETY: the source is borrowed until the region is finished.
            unsafe {
                region.submit(
                    address,
                    values.as_ptr().expose_provenance(),
                    size_of_val(values),
                    MapName::default(),
                )
            }
        })
    }

    /// Copies all elements.
    pub fn read(&self, values: &mut [T]) -> Result<()> {
        self.check("the destination", values.len())?;
        self.transfer(|region, address| {
            let place = values.as_mut_ptr().expose_provenance();
            // SAFETY: the destination is borrowed until the region is finished; any bytes are elements.
            unsafe { region.retrieve(place, address, size_of_val(values), MapName::default()) }
        })
    }

    /// A copy of all elements.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); self.len];
        self.read(&mut values)?;
        Ok(values)
    }

    fn check(&self, what: &'static str, len: usize) -> Result<()> {
        match len == self.len {
            true => Ok(()),
            false => Err(TargetError::Length { what, len, expected: self.len }),
        }
    }

    fn transfer(
        &self,
        work: impl FnOnce(&mut Region<'_>, DevicePtr) -> crate::device::DeviceResult<()>,
    ) -> Result<()> {
        device(Some(self.number))?;
        let mut region = Region::start(self.offload, Location::default())?;
        if self.len > 0 {
            work(&mut region, self.address).map_err(crate::error::Error::from)?;
        }
        Ok(region.finish()?)
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // At exit the driver may be gone already: nobody could do anything about an error.
        if self.offload.device.bind().is_ok() {
            let _ = self.offload.device.free(self.address, AllocKind::Device);
        }
    }
}
