//! Assignments of arrays, which flang leaves to the Fortran runtime: without optimisation all, with it those of `firstprivate` arrays.
//!
//! Types with components are not assigned here, nor does an allocatable array change its shape: the program ends with a message.

use super::descriptor::{ALLOCATABLE, Array, Descriptor, Dimension, HAS_ADDENDUM, TEXT};
use super::{fortran, refuse};
use crate::{arch, libc, memory};
use core::ffi::c_char;

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

fortran! {
    /// `to = from`: `from` has the shape of `to`, or is a scalar.
    fn _FortranAAssign(to: *mut Descriptor, from: *const Descriptor, _file: *const c_char, _line: i32) {
        assign(to, from)
    }
    /// The same; `to` is the compiler's own variable.
    fn _FortranAAssignTemporary(to: *mut Descriptor, from: *const Descriptor, _file: *const c_char, _line: i32) {
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
