//! Assignments of arrays, which flang leaves to the Fortran runtime: without optimisation all, with it those of `firstprivate` arrays.
//! LLVM's Fortran runtime is for hosts; one for devices may take the place of this function, which is weak.
//!
//! Descriptors are those of Fortran 2018, 18.5, in flang's layout (`ISO_Fortran_binding.h`). Types with components are not assigned
//! here, nor does an allocatable array change its shape: the program ends with a message.

use crate::{arch, libc, memory};
use core::ffi::c_char;

/// `CFI_type_char`: text, a byte for each letter.
const TEXT: i8 = 40;
/// `CFI_attribute_allocatable`.
const ALLOCATABLE: u8 = 2;
/// In [`Descriptor::extra`]: behind the dimensions stands what a type with components needs.
const HAS_ADDENDUM: u8 = 1;

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

/// The elements that a descriptor tells of.
#[derive(Clone, Copy)]
struct Array {
    base: *mut u8,
    bytes: u64,
    rank: u8,
    dimensions: *const Dimension,
}

impl Array {
    /// # Safety
    /// A descriptor of flang's, which lives as long as the result is used.
    #[inline(always)]
    unsafe fn of(descriptor: *const Descriptor) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let Descriptor { base, bytes, rank, .. } = descriptor.read();
            Self { base, bytes, rank, dimensions: descriptor.add(1).cast() }
        }
    }

    /// So many elements, one behind the other.
    fn packed(base: *mut u8, bytes: u64) -> Self {
        Self { base, bytes, rank: 0, dimensions: core::ptr::null() }
    }

    #[inline(always)]
    fn dimension(&self, number: u8) -> Dimension {
        // SAFETY: below the rank.
        unsafe { self.dimensions.add(number.into()).read() }
    }

    #[inline(always)]
    fn count(&self) -> u64 {
        let (mut count, mut number) = (1u64, 0);
        while number < self.rank {
            count = count.wrapping_mul(self.dimension(number).extent.max(0) as u64);
            number += 1;
        }
        count
    }

    /// Whether all extents are the same.
    #[inline(always)]
    fn has_shape_of(&self, other: &Self) -> bool {
        let mut number = 0;
        while number < self.rank && number < other.rank {
            if self.dimension(number).extent.max(0) != other.dimension(number).extent.max(0) {
                return false;
            }
            number += 1;
        }
        self.rank == other.rank
    }

    /// Element `index` in the order of elements. Of rank 0 it is that of packed ones.
    #[inline(always)]
    fn element(&self, index: u64) -> *mut u8 {
        let (mut left, mut offset, mut number) = (index, 0i64, 0);
        if self.rank == 0 {
            offset = index.wrapping_mul(self.bytes) as i64;
        }
        while number < self.rank {
            let Dimension { extent, stride, .. } = self.dimension(number);
            let extent = extent.max(1) as u64;
            offset = offset.wrapping_add((left % extent).wrapping_mul(stride as u64) as i64);
            left /= extent;
            number += 1;
        }
        self.base.wrapping_offset(offset as isize)
    }

    /// The addresses of the first byte and of the one behind the last, of an array that is not empty.
    #[inline(always)]
    fn range(&self) -> (usize, usize) {
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

/// Copies an element; text gets blanks at its end, or loses it.
///
/// # Safety
/// Elements of so many bytes, apart from each other or the same.
#[inline(always)]
unsafe fn copy_element(to: *mut u8, bytes: u64, from: *const u8, given: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match (bytes, given) {
            (4, 4) => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            (8, 8) => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            _ => {
                let both = bytes.min(given) as usize;
                libc::copy_up(to, from, both);
                libc::fill(to.add(both), b' ', bytes as usize - both);
            }
        }
    }
}

/// Copies elements in their order, or the first one to all.
///
/// # Safety
/// Arrays with so many elements; `from` with one at least.
unsafe fn copy(to: Array, from: Array, count: u64, one_for_all: bool) {
    let mut index = 0;
    while index < count {
        let given = from.element(if one_for_all { 0 } else { index });
        // SAFETY: elements of the arrays.
        unsafe { copy_element(to.element(index), to.bytes, given, from.bytes) };
        index += 1;
    }
}

fn refuse() -> ! {
    arch::fail(arch::Failure::FortranAssignment)
}

/// `to = from`: `from` has the shape of `to`, or is a scalar.
///
/// # Safety
/// The descriptors must be flang's.
#[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle))]
#[allow(non_snake_case, reason = "flang's name")]
pub unsafe extern "C" fn _FortranAAssign(
    to: *mut Descriptor,
    from: *const Descriptor,
    _file: *const c_char,
    _line: i32,
) {
    // SAFETY: as the caller promises. Elements are read and written inside the arrays that the descriptors tell of.
    unsafe {
        let (target, source) = (Array::of(to), Array::of(from));
        let same_type = (*to).ty == (*from).ty && (target.bytes == source.bytes || (*to).ty == TEXT);
        let is_scalar = source.rank == 0;
        if ((*to).extra | (*from).extra) & HAS_ADDENDUM != 0 || !same_type || source.base.is_null() {
            refuse()
        }
        if target.base.is_null() {
            return allocate(to, source);
        }
        if !is_scalar && !target.has_shape_of(&source) {
            refuse()
        }
        let count = target.count();
        if count == 0 {
            return;
        }
        let ((first, end), (first_given, end_given)) = (target.range(), source.range());
        if first >= end_given || first_given >= end {
            return copy(target, source, count, is_scalar);
        }
        // All is read before anything is written.
        let elements = if is_scalar { 1 } else { count };
        let memory = memory::from_heap(elements.wrapping_mul(source.bytes));
        let packed = Array::packed(memory, source.bytes);
        copy(packed, source, elements, false);
        copy(target, packed, count, is_scalar);
        arch::free(memory);
    }
}

/// An allocatable array that is not allocated gets the bounds of what is assigned, and its elements.
///
/// # Safety
/// As for [`_FortranAAssign`].
unsafe fn allocate(to: *mut Descriptor, source: Array) {
    // SAFETY: as the caller promises; a descriptor has its dimensions behind it.
    unsafe {
        if (*to).attribute != ALLOCATABLE || (*to).rank != source.rank {
            refuse()
        }
        let count = source.count();
        let memory = memory::from_heap(count.wrapping_mul(source.bytes).max(1));
        copy(Array::packed(memory, source.bytes), source, count, false);
        (*to).base = memory;
        (*to).bytes = source.bytes;
        let dimensions = to.add(1).cast::<Dimension>();
        let (mut stride, mut number) = (source.bytes as i64, 0);
        while number < source.rank {
            let given = source.dimension(number);
            dimensions.add(number.into()).write(Dimension { stride, ..given });
            stride = stride.wrapping_mul(given.extent.max(0));
            number += 1;
        }
    }
}
