//! Assignments of arrays, which flang leaves to the Fortran runtime: without optimisation all, with it those of `firstprivate` arrays.
//!
//! An allocatable variable takes the shape of what it is assigned, and a text its length (Fortran 2018, 10.2.1.3). Elements that hold
//! memory of their own are assigned component by component ([`derived`]).

use super::derived::{self, Type};
use super::descriptor::{ALLOCATABLE, Array, Descriptor, TEXT, copy_bytes, dimensions, establish};
use super::{File, In, Out, Place, at, fortran, refuse};
use crate::{
    arch::{self, Failure},
    libc, memory,
};

/// Most dimensions of an array (Fortran 2018, 8.5.8.1), and one more.
const MOST_RANK: usize = 16;

/// Copies an element; text gets blanks at its end, or loses it.
///
/// # Safety
/// Elements of so many bytes, apart from each other or the same.
#[inline(always)]
pub(super) unsafe fn copy_element(to: *mut u8, bytes: u64, from: *const u8, given: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        let both = bytes.min(given);
        copy_bytes(to, from, both);
        libc::fill(to.add(both as usize), b' ', (bytes - both) as usize);
    }
}

/// Copies elements of this type in their order, or the first one to all.
///
/// # Safety
/// Arrays with so many elements; `from` with one at least. `ty` is null or flang's.
unsafe fn copy(ty: *const Type, to: Array, from: Array, count: u64, one_for_all: bool) {
    // SAFETY: as the caller promises.
    unsafe {
        if derived::holds_memory(ty) {
            return derived::assign(ty, to, from, count, one_for_all);
        }
        copy_elements(to, from, count, one_for_all)
    }
}

/// Copies the bytes of elements in their order, or of the first one to all.
///
/// # Safety
/// Arrays with so many elements; `from` with one at least.
pub(super) unsafe fn copy_elements(to: Array, from: Array, count: u64, one_for_all: bool) {
    let mut index = 0;
    while index < count {
        let given = from.element(if one_for_all { 0 } else { index });
        // SAFETY: elements of the arrays.
        unsafe { copy_element(to.element(index), to.bytes, given, from.bytes) };
        index += 1;
    }
}

fortran! {
    /// `to = from`: `from` has the shape of `to`, or is a scalar, or `to` takes its shape.
    fn _FortranAAssign(to: Out, from: In, file: File, line: i32) {
        assign(to, from, true, at(file, line))
    }
    /// The same; `to` is the compiler's own variable.
    fn _FortranAAssignTemporary(to: Out, from: In, file: File, line: i32) {
        let elements = Array::of(to);
        if !elements.base.is_null() {
            derived::initialize(derived::type_of(to), elements, elements.count())
        }
        assign(to, from, true, at(file, line))
    }
    /// The same; `to` takes the type as well.
    fn _FortranAAssignPolymorphic(to: Out, from: In, file: File, line: i32) {
        let (old, was, ty) = (Array::of(to), derived::type_of(to), derived::type_of(from));
        let same = was == ty && (*to).bytes == (*from).bytes && (*to).ty == (*from).ty;
        if (*to).attribute != ALLOCATABLE || (same && !old.base.is_null()) {
            return assign(to, from, true, at(file, line));
        }
        // What is assigned may be part of what is there.
        let (old, count) = (Array::packed(old.base, old.bytes), if old.base.is_null() { 0 } else { old.count() });
        (*to).base = core::ptr::null_mut();
        ((*to).bytes, (*to).ty) = ((*from).bytes, (*from).ty);
        derived::set_type(to, ty);
        assign(to, from, true, at(file, line));
        derived::destroy(was, old, count);
        if !old.base.is_null() {
            arch::free(old.base)
        }
    }
    /// The same; the length of the text `to` is declared.
    fn _FortranAAssignExplicitLengthCharacter(to: Out, from: In, file: File, line: i32) {
        assign(to, from, false, at(file, line))
    }
}

/// Assigns; the length of an allocatable text may change if `takes_length`.
///
/// # Safety
/// The descriptors must be flang's.
pub(super) unsafe fn assign(to: *mut Descriptor, from: *const Descriptor, takes_length: bool, at: Place) {
    // SAFETY: as the caller promises. Elements are read and written inside the arrays that the descriptors tell of.
    unsafe {
        let (target, source) = (Array::of(to), Array::of(from));
        // To a type that the other extends only its own components go.
        let (is_text, ty, given) = ((*to).ty == TEXT, derived::type_of(to), derived::type_of(from));
        let fits = target.bytes == source.bytes || is_text || (!ty.is_null() && derived::extends(given, ty));
        let is_scalar = source.rank == 0;
        if (*to).ty != (*from).ty || !fits {
            refuse(Failure::FortranKind, at)
        }
        if source.base.is_null() {
            refuse(Failure::FortranNotAllocated, at)
        }
        derived::check_assignment(ty, at);
        let bytes = if takes_length && is_text { source.bytes } else { target.bytes };
        if target.base.is_null() {
            return allocate(to, source, bytes, source, ty, at);
        }
        let other_shape = !is_scalar && !target.has_shape_of(&source);
        if other_shape || ((*to).attribute == ALLOCATABLE && bytes != target.bytes) {
            // What is assigned may be part of what is there. `target` looks at dimensions that change.
            let (old, before) = (Array::packed(target.base, target.bytes), target.count());
            allocate(to, source, bytes, if other_shape { source } else { target }, ty, at);
            derived::destroy(ty, old, before);
            return arch::free(old.base);
        }
        let count = target.count();
        if count == 0 {
            return;
        }
        let ((first, end), (first_given, end_given)) = (target.range(), source.range());
        if first >= end_given || first_given >= end {
            return copy(ty, target, source, count, is_scalar);
        }
        // All is read before anything is written.
        let elements = if is_scalar { 1 } else { count };
        let memory = memory::from_heap(elements.wrapping_mul(source.bytes));
        let packed = Array::packed(memory, source.bytes);
        derived::initialize(ty, packed, elements);
        copy(ty, packed, source, elements, false);
        copy(ty, target, packed, count, is_scalar);
        derived::destroy(ty, packed, elements);
        arch::free(memory);
    }
}

/// An allocatable array gets the bounds of `shape`, elements of so many bytes, and what is assigned.
///
/// # Safety
/// As for [`assign`]; `shape` has the extents of `source`, or that is a scalar.
unsafe fn allocate(to: *mut Descriptor, source: Array, bytes: u64, shape: Array, ty: *const Type, at: Place) {
    // SAFETY: as the caller promises; a descriptor has its dimensions behind it, also while they are those of `shape`.
    unsafe {
        if (*to).attribute != ALLOCATABLE {
            refuse(Failure::FortranNotAllocated, at)
        }
        if (*to).rank != shape.rank {
            refuse(Failure::FortranShape, at)
        }
        // `shape` may be that of `to`, whose dimensions are written anew.
        let (mut lower, mut number) = ([0; MOST_RANK], 0);
        while number < shape.rank {
            lower[usize::from(number) % MOST_RANK] = shape.dimension(number).lower;
            number += 1;
        }
        let made = establish(to, bytes, shape.rank, |number| shape.extent(number));
        derived::initialize(ty, made, made.count());
        copy(ty, made, source, made.count(), source.rank == 0);
        let (dimensions, mut number) = (dimensions(to), 0);
        while number < shape.rank {
            (*dimensions.add(number.into())).lower = lower[usize::from(number) % MOST_RANK];
            number += 1;
        }
    }
}
