//! Assignments of arrays, which flang leaves to the Fortran runtime: without optimisation all, with it those of `firstprivate` arrays.
//!
//! Types with components are not assigned here, nor does an allocatable array change its shape: the program ends with a message.

use super::descriptor::{
    ALLOCATABLE, Array, Descriptor, Dimension, HAS_ADDENDUM, TEXT, copy_bytes, establish,
};
use super::{File, In, Out, fortran, refuse};
use crate::{arch, libc, memory};

/// Copies an element; text gets blanks at its end, or loses it.
///
/// # Safety
/// Elements of so many bytes, apart from each other or the same.
#[inline(always)]
unsafe fn copy_element(to: *mut u8, bytes: u64, from: *const u8, given: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        let both = bytes.min(given);
        copy_bytes(to, from, both);
        libc::fill(to.add(both as usize), b' ', (bytes - both) as usize);
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

fortran! {
    /// `to = from`: `from` has the shape of `to`, or is a scalar.
    fn _FortranAAssign(to: Out, from: In, _file: File, _line: i32) {
        assign(to, from)
    }
    /// The same; `to` is the compiler's own variable.
    fn _FortranAAssignTemporary(to: Out, from: In, _file: File, _line: i32) {
        assign(to, from)
    }
}

/// # Safety
/// The descriptors must be flang's.
unsafe fn assign(to: *mut Descriptor, from: *const Descriptor) {
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
/// As for [`assign`].
unsafe fn allocate(to: *mut Descriptor, source: Array) {
    // SAFETY: as the caller promises; a descriptor has its dimensions behind it.
    unsafe {
        if (*to).attribute != ALLOCATABLE || (*to).rank != source.rank {
            refuse()
        }
        let made = establish(to, source.bytes, source.rank, |number| source.extent(number));
        copy(made, source, source.count(), false);
        let (dimensions, mut number) = (to.add(1).cast::<Dimension>(), 0);
        while number < source.rank {
            (*dimensions.add(number.into())).lower = source.dimension(number).lower;
            number += 1;
        }
    }
}
