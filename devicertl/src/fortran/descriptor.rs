//! Descriptors of arrays: those of Fortran 2018, 18.5, in flang's layout (`ISO_Fortran_binding.h`).

use super::number::Kind;
use super::{Place, refuse};
use crate::arch::Failure;
use crate::memory;

/// `CFI_type_char`: text, a byte for each letter.
pub(super) const TEXT: i8 = 40;
/// `CFI_VERSION`.
const VERSION: i32 = 20_240_719;
/// `CFI_attribute_pointer`.
pub(super) const POINTER: u8 = 1;
/// `CFI_attribute_allocatable`.
pub(super) const ALLOCATABLE: u8 = 2;
/// In [`Descriptor::extra`]: behind the dimensions stands what a type with components needs.
pub(super) const HAS_ADDENDUM: u8 = 1;

/// One of a descriptor's dimensions; in elements, but for the stride in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dimension {
    /// The lower bound.
    pub lower: i64,
    /// How many elements.
    pub extent: i64,
    /// From one element to the next.
    pub stride: i64,
}

/// A descriptor, without its dimensions, which follow it.
#[repr(C)]
pub struct Descriptor {
    /// The first element; null if there is none yet.
    pub base: *mut u8,
    /// Bytes of an element.
    pub bytes: u64,
    /// `CFI_VERSION`.
    pub version: i32,
    /// How many dimensions follow.
    pub rank: u8,
    /// `CFI_type_*`.
    pub ty: i8,
    /// `CFI_attribute_*`.
    pub attribute: u8,
    /// flang's.
    pub extra: u8,
}

/// Where the dimensions of a descriptor are.
///
/// # Safety
/// The descriptor must be flang's.
#[inline(always)]
pub(super) unsafe fn dimensions(descriptor: *mut Descriptor) -> *mut Dimension {
    // SAFETY: they follow it.
    unsafe { descriptor.add(1).cast() }
}

/// The elements that a descriptor tells of.
#[derive(Clone, Copy)]
pub(super) struct Array {
    pub base: *mut u8,
    pub bytes: u64,
    pub rank: u8,
    dimensions: *const Dimension,
}

impl Array {
    /// # Safety
    /// A descriptor of flang's, which lives as long as the result is used.
    #[inline(always)]
    pub unsafe fn of(descriptor: *const Descriptor) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let Descriptor { base, bytes, rank, .. } = descriptor.read();
            Self { base, bytes, rank, dimensions: descriptor.add(1).cast() }
        }
    }

    /// So many elements, one behind the other.
    pub fn packed(base: *mut u8, bytes: u64) -> Self {
        Self { base, bytes, rank: 0, dimensions: core::ptr::null() }
    }

    #[inline(always)]
    pub fn dimension(&self, number: u8) -> Dimension {
        // SAFETY: below the rank.
        unsafe { self.dimensions.add(number.into()).read() }
    }

    #[inline(always)]
    pub fn count(&self) -> u64 {
        let (mut count, mut number) = (1u64, 0);
        while number < self.rank {
            count = count.wrapping_mul(self.extent(number));
            number += 1;
        }
        count
    }

    /// Whether all extents are the same.
    #[inline(always)]
    pub fn has_shape_of(&self, other: &Self) -> bool {
        let mut number = 0;
        while number < self.rank && number < other.rank {
            if self.extent(number) != other.extent(number) {
                return false;
            }
            number += 1;
        }
        self.rank == other.rank
    }

    /// Element `index` in the order of elements. Of rank 0 it is that of packed ones.
    #[inline(always)]
    pub fn element(&self, index: u64) -> *mut u8 {
        let (mut left, mut offset, mut number) = (index, 0i64, 0);
        if self.rank == 0 {
            offset = index.wrapping_mul(self.bytes) as i64;
        }
        while number < self.rank {
            let Dimension { extent, stride, .. } = self.dimension(number);
            let extent = extent.max(1) as u64;
            number += 1;
            // All that is left in the last dimension, so that a vector needs no division.
            let here = if number == self.rank { left } else { left % extent };
            offset = offset.wrapping_add(here.wrapping_mul(stride as u64) as i64);
            left /= if number == self.rank { 1 } else { extent };
        }
        self.base.wrapping_offset(offset as isize)
    }

    /// Element `index`; of a scalar always its only one.
    #[inline(always)]
    pub fn element_or_scalar(&self, index: u64) -> *mut u8 {
        self.element(if self.rank == 0 { 0 } else { index })
    }

    /// Elements of dimension `number`.
    #[inline(always)]
    pub fn extent(&self, number: u8) -> u64 {
        self.dimension(number).extent.max(0) as u64
    }

    /// The vector along dimension `number` that begins with element `index` of the array without that dimension.
    #[inline(always)]
    pub fn line(&self, number: u8, index: u64) -> Self {
        let (mut left, mut base, mut other) = (index, self.base, 0);
        while other < self.rank {
            if other != number {
                let extent = self.extent(other).max(1);
                let way = (left % extent).wrapping_mul(self.dimension(other).stride as u64);
                base = base.wrapping_offset(way as isize);
                left /= extent;
            }
            other += 1;
        }
        // SAFETY: a dimension of the array.
        let dimensions = unsafe { self.dimensions.add(number.into()) };
        Self { base, rank: 1, dimensions, ..*self }
    }

    /// How many vectors there are along dimension `number`.
    #[inline(always)]
    pub fn lines(&self, number: u8) -> u64 {
        let (mut count, mut other) = (1u64, 0);
        while other < self.rank {
            count = count.wrapping_mul(if other == number { 1 } else { self.extent(other) });
            other += 1;
        }
        count
    }

    /// The addresses of the first byte and of the one behind the last, of an array that is not empty.
    #[inline(always)]
    pub fn range(&self) -> (usize, usize) {
        let (mut first, mut last, mut number) = (self.base as usize, self.base as usize, 0);
        while number < self.rank {
            let Dimension { extent, stride, .. } = self.dimension(number);
            let way = stride.wrapping_mul(extent.wrapping_sub(1));
            if way < 0 {
                first = first.wrapping_add_signed(way as isize)
            } else {
                last = last.wrapping_add(way as usize)
            }
            number += 1;
        }
        (first, last.wrapping_add(self.bytes as usize))
    }
}

/// The number of a dimension that Fortran counts from 1; ends the program if the array has no such dimension.
#[inline(always)]
pub(super) fn dimension_number(array: &Array, number: i32, at: Place) -> u8 {
    if number < 1 || number > array.rank.into() {
        refuse(Failure::FortranShape, at)
    }
    (number - 1) as u8
}

/// The kind of numbers that a descriptor tells of; ends the program if they are none.
///
/// # Safety
/// The descriptor must be flang's.
#[inline(always)]
pub(super) unsafe fn kind_of(descriptor: *const Descriptor, at: Place) -> Kind {
    // SAFETY: as the caller promises.
    let kind = unsafe { Kind::of_type((*descriptor).ty, (*descriptor).bytes) };
    kind.unwrap_or_else(|| refuse(Failure::FortranKind, at))
}

/// The same for logical values.
///
/// # Safety
/// The descriptor must be flang's.
#[inline(always)]
pub(super) unsafe fn logical_kind_of(descriptor: *const Descriptor, at: Place) -> Kind {
    // SAFETY: as the caller promises.
    let kind = unsafe { Kind::of_logical((*descriptor).ty, (*descriptor).bytes) };
    kind.unwrap_or_else(|| refuse(Failure::FortranKind, at))
}

/// Makes the array of a function's result: elements of the descriptor's type, so many bytes each, in memory that the caller frees.
/// Its extents are those that `extent` gives.
///
/// # Safety
/// `result` must be flang's, with room for `rank` dimensions.
#[inline(always)]
pub(super) unsafe fn establish(
    result: *mut Descriptor,
    bytes: u64,
    rank: u8,
    extent: impl Fn(u8) -> u64,
) -> Array {
    // SAFETY: as the caller promises.
    unsafe {
        let dimensions = dimensions(result);
        let (mut stride, mut number) = (bytes, 0);
        while number < rank {
            let extent = extent(number);
            dimensions.add(number.into()).write(Dimension {
                lower: 1,
                extent: extent as i64,
                stride: stride as i64,
            });
            stride = stride.wrapping_mul(extent);
            number += 1;
        }
        (*result).base = memory::from_heap(stride.max(1));
        (*result).bytes = bytes;
        (*result).rank = rank;
        Array::of(result)
    }
}

/// Gives a variable memory of its own for its shape, without gaps.
///
/// # Safety
/// The descriptor must be flang's.
pub(super) unsafe fn make(descriptor: *mut Descriptor) {
    // SAFETY: as the caller promises.
    unsafe {
        let (mut bytes, mut number) = ((*descriptor).bytes, 0);
        while number < (*descriptor).rank {
            let dimension = dimensions(descriptor).add(number.into());
            (*dimension).stride = bytes as i64;
            bytes = bytes.wrapping_mul((*dimension).extent.max(0) as u64);
            number += 1;
        }
        (*descriptor).base = memory::from_heap(bytes.max(1));
    }
}

/// Makes a descriptor that of nothing yet, of elements of this type.
///
/// # Safety
/// There must be room for it.
pub(super) unsafe fn establish_nothing(
    descriptor: *mut Descriptor,
    bytes: u64,
    ty: i8,
    attribute: u8,
    rank: u8,
) {
    let base = core::ptr::null_mut();
    // SAFETY: as the caller promises.
    unsafe {
        descriptor.write(Descriptor { base, bytes, version: VERSION, rank, ty, attribute, extra: 0 });
        let mut number = 0;
        while number < rank {
            dimensions(descriptor).add(number.into()).write(Dimension { lower: 1, extent: 0, stride: 0 });
            number += 1;
        }
    }
}

/// Makes the array of what each vector along a dimension, counted from 0, gives: elements of so many bytes, which `of_vector` writes, by the
/// vector's number.
///
/// # Safety
/// As for [`establish`].
#[inline(always)]
pub(super) unsafe fn along(
    result: *mut Descriptor,
    bytes: u64,
    array: &Array,
    number: u8,
    of_vector: impl Fn(*mut u8, u64),
) {
    let rest = |k: u8| array.extent(if k < number { k } else { k + 1 });
    // SAFETY: as the caller promises; the elements stand one behind the other.
    let packed = unsafe { Array::packed(establish(result, bytes, array.rank - 1, rest).base, bytes) };
    let (lines, mut index) = (array.lines(number), 0);
    while index < lines {
        of_vector(packed.element(index), index);
        index += 1;
    }
}

/// Copies one element, of an array to one of the same type.
///
/// # Safety
/// Both must be elements of so many bytes.
#[inline(always)]
pub(super) unsafe fn copy_bytes(to: *mut u8, from: *const u8, bytes: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            4 => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            8 => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            _ => crate::libc::copy_up(to, from, bytes as usize),
        }
    }
}
