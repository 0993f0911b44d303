//! Allocatable variables and pointers: ALLOCATE, DEALLOCATE, MOVE_ALLOC, pointer assignment and ASSOCIATED (Fortran 2018, 9.7, 10.2.2,
//! 16.9.16 and 16.9.137). Memory is the device's heap; what a kernel leaves allocated stays there until it is freed on the device.

use super::descriptor::{
    ALLOCATABLE, Array, Descriptor, POINTER, TEXT, dimensions, establish_nothing, kind_of, make,
};
use super::{File, In, Out, Place, assign, at, derived, fortran, letters::Letters, refuse};
use crate::arch::Failure;
use core::ffi::c_void;

/// `STAT=` of what has no memory, and has some already (`CFI_ERROR_BASE_ADDR_NULL`, `_NOT_NULL`).
const NOT_ALLOCATED: i32 = 11;
const ALLOCATED: i32 = 12;

/// # Safety
/// The descriptor must be flang's, and have this dimension.
unsafe fn set_bounds(descriptor: *mut Descriptor, number: i32, lower: i64, upper: i64) {
    // SAFETY: as the caller promises.
    unsafe {
        let dimension = dimensions(descriptor).add(number as usize);
        let extent = upper.wrapping_sub(lower).wrapping_add(1).max(0);
        (*dimension).lower = if extent > 0 { lower } else { 1 };
        (*dimension).extent = extent;
    }
}

/// What is answered if something is wrong; ends the program if nobody asks.
///
/// # Safety
/// The descriptor must be null, or of a text.
unsafe fn failed(stat: i32, has_stat: bool, message: In, at: Place) -> i32 {
    if !has_stat {
        if stat == NOT_ALLOCATED {
            refuse(Failure::FortranNotAllocated, at)
        }
        refuse(Failure::FortranAllocated, at)
    }
    if !message.is_null() {
        let mut text = Letters::new();
        text.word(b"the vari");
        text.word(b"able is ");
        if stat == NOT_ALLOCATED {
            text.word(b"not \0\0\0\0");
        }
        text.word(b"allocate");
        text.word(b"d\0\0\0\0\0\0\0");
        // SAFETY: as the caller promises.
        unsafe {
            let Descriptor { base, bytes, .. } = message.read();
            assign::copy_element(base, bytes, text.text.as_ptr(), text.count as u64);
        }
    }
    stat
}

/// ALLOCATE of one variable, with the elements of `source` if there is one.
///
/// # Safety
/// The descriptors must be flang's.
unsafe fn allocate(descriptor: *mut Descriptor, source: In, has_stat: bool, message: In, at: Place) -> i32 {
    // SAFETY: as the caller promises. A pointer may be associated with something else.
    unsafe {
        if (*descriptor).attribute == ALLOCATABLE && !(*descriptor).base.is_null() {
            return failed(ALLOCATED, has_stat, message, at);
        }
        make(descriptor);
        let elements = Array::of(descriptor);
        derived::initialize(derived::type_of(descriptor), elements, elements.count());
        if !source.is_null() {
            assign::assign(descriptor, source, false, at);
        }
        0
    }
}

/// DEALLOCATE of one variable.
///
/// # Safety
/// The descriptor must be flang's, and its memory what `allocate` gave.
unsafe fn deallocate(descriptor: *mut Descriptor, has_stat: bool, message: In, at: Place) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        if (*descriptor).base.is_null() {
            return failed(NOT_ALLOCATED, has_stat, message, at);
        }
        derived::deallocate(descriptor);
        0
    }
}

/// Makes `pointer` one to `target`, whose bounds and type it takes.
///
/// # Safety
/// The descriptors must be flang's, `pointer` with room for the dimensions of `target`.
unsafe fn associate(pointer: *mut Descriptor, target: In) {
    // SAFETY: as the caller promises.
    unsafe {
        derived::copy_descriptor(pointer, target);
        (*pointer).attribute = POINTER;
    }
}

/// Makes a descriptor that of nothing yet, of a derived type.
///
/// # Safety
/// There must be room for it, and `ty` must be flang's.
unsafe fn establish_derived(descriptor: *mut Descriptor, ty: *const derived::Type, attribute: u8, rank: i32) {
    // SAFETY: as the caller promises.
    unsafe {
        establish_nothing(descriptor, derived::bytes_of_type(ty), derived::STRUCT, attribute, rank as u8);
        derived::set_type(descriptor, ty);
    }
}

/// Gives a descriptor the type of `mold`, and its bounds where both have so many dimensions.
///
/// # Safety
/// The descriptors must be flang's.
unsafe fn apply_mold(descriptor: *mut Descriptor, mold: In, rank: i32) {
    // SAFETY: as the caller promises.
    unsafe {
        ((*descriptor).bytes, (*descriptor).ty, (*descriptor).rank) = ((*mold).bytes, (*mold).ty, rank as u8);
        let mut number = 0;
        while number < (*descriptor).rank.min((*mold).rank) {
            let dimension = dimensions(mold.cast_mut()).add(number.into()).read();
            dimensions(descriptor).add(number.into()).write(dimension);
            number += 1;
        }
        derived::set_type(descriptor, derived::type_of(mold));
    }
}

/// DEALLOCATE of a variable that is of the type `ty` again then, or of any.
///
/// # Safety
/// As for [`deallocate`].
unsafe fn deallocate_any(
    descriptor: *mut Descriptor,
    ty: *const derived::Type,
    has_stat: bool,
    message: In,
    at: Place,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        let stat = deallocate(descriptor, has_stat, message, at);
        if stat == 0 && !ty.is_null() {
            ((*descriptor).bytes, (*descriptor).ty) = (derived::bytes_of_type(ty), derived::STRUCT);
            derived::set_type(descriptor, ty);
        }
        stat
    }
}

/// Element `index` of an array of integers.
///
/// # Safety
/// The descriptor must be flang's.
unsafe fn integer(array: In, index: u64, at: Place) -> i64 {
    // SAFETY: as the caller promises.
    unsafe {
        let kind = kind_of(array, at);
        kind.load(Array::of(array).element(index)) as i64
    }
}

fortran! {
    /// The bounds of one dimension, of an allocatable variable that is about to be allocated.
    fn _FortranAAllocatableSetBounds(variable: Out, number: i32, lower: i64, upper: i64) {
        if (*variable).base.is_null() {
            set_bounds(variable, number, lower, upper)
        }
    }
    /// The type of an allocatable text, and its length.
    fn _FortranAAllocatableInitCharacterForAllocate(variable: Out, length: i64, kind: i32, rank: i32, _corank: i32) {
        if (*variable).base.is_null() {
            (*variable).bytes = length.max(0) as u64;
            (*variable).rank = rank as u8;
            (*variable).ty = if kind == 1 { TEXT } else { refuse(Failure::FortranKind, Place::UNKNOWN) };
            (*variable).attribute = ALLOCATABLE;
        }
    }
    /// ALLOCATE of an allocatable variable; what it answers is for `STAT=`.
    fn _FortranAAllocatableAllocate(variable: Out, _asynchronous: *mut i64, has_stat: bool, message: In, file: File, line: i32, _copy: *const c_void) -> i32 {
        allocate(variable, core::ptr::null(), has_stat, message, at(file, line))
    }
    /// The same with `SOURCE=`.
    fn _FortranAAllocatableAllocateSource(variable: Out, source: In, has_stat: bool, message: In, file: File, line: i32) -> i32 {
        allocate(variable, source, has_stat, message, at(file, line))
    }
    /// DEALLOCATE of an allocatable variable.
    fn _FortranAAllocatableDeallocate(variable: Out, has_stat: bool, message: In, file: File, line: i32) -> i32 {
        deallocate(variable, has_stat, message, at(file, line))
    }
    /// MOVE_ALLOC: `to` gets the memory of `from`, which has none then.
    fn _FortranAMoveAlloc(to: Out, from: Out, _ty: *const c_void, _has_stat: bool, _message: In, _file: File, _line: i32) -> i32 {
        if to != from {
            if !(*to).base.is_null() {
                derived::deallocate(to);
            }
            associate(to, from);
            (*to).attribute = ALLOCATABLE;
            (*from).base = core::ptr::null_mut();
        }
        0
    }
    /// The bounds of one dimension, of a pointer that is about to be allocated.
    fn _FortranAPointerSetBounds(pointer: Out, number: i32, lower: i64, upper: i64) {
        set_bounds(pointer, number, lower, upper)
    }
    /// ALLOCATE of a pointer.
    fn _FortranAPointerAllocate(pointer: Out, has_stat: bool, message: In, file: File, line: i32, _copy: *const c_void) -> i32 {
        allocate(pointer, core::ptr::null(), has_stat, message, at(file, line))
    }
    /// The same with `SOURCE=`.
    fn _FortranAPointerAllocateSource(pointer: Out, source: In, has_stat: bool, message: In, file: File, line: i32) -> i32 {
        allocate(pointer, source, has_stat, message, at(file, line))
    }
    /// DEALLOCATE of a pointer.
    fn _FortranAPointerDeallocate(pointer: Out, has_stat: bool, message: In, file: File, line: i32) -> i32 {
        deallocate(pointer, has_stat, message, at(file, line))
    }
    /// `pointer => target` of scalars.
    fn _FortranAPointerAssociateScalar(pointer: Out, target: *mut u8) {
        (*pointer).base = target
    }
    /// `pointer => target`.
    fn _FortranAPointerAssociate(pointer: Out, target: In) {
        associate(pointer, target)
    }
    /// `pointer(lower:, ...) => target`.
    fn _FortranAPointerAssociateLowerBounds(pointer: Out, target: In, lower: In) {
        associate(pointer, target);
        let mut number = 0;
        while number < (*target).rank {
            (*dimensions(pointer).add(number.into())).lower = integer(lower, number.into(), Place::UNKNOWN);
            number += 1;
        }
    }
    /// `pointer(lower:upper, ...) => target`, whose elements are a vector or stand one behind the other; `bounds` has two rows.
    fn _FortranAPointerAssociateRemapping(pointer: Out, target: In, bounds: In, file: File, line: i32) {
        let (rank, elements) = (Array::of(bounds).extent(1) as u8, Array::of(target));
        let mut stride = if elements.rank == 0 { elements.bytes as i64 } else { elements.dimension(0).stride };
        pointer.write(Descriptor { attribute: POINTER, rank, ..target.read() });
        derived::set_type(pointer, derived::type_of(target));
        let mut number = 0;
        while number < rank {
            let index = 2 * u64::from(number);
            set_bounds(pointer, number.into(), integer(bounds, index, at(file, line)), integer(bounds, index + 1, at(file, line)));
            let dimension = dimensions(pointer).add(number.into());
            (*dimension).stride = stride;
            stride = stride.wrapping_mul((*dimension).extent);
            number += 1;
        }
        if Array::of(pointer).count() > elements.count() {
            refuse(Failure::FortranShape, at(file, line))
        }
    }
    /// `ASSOCIATED(pointer)`.
    fn _FortranAPointerIsAssociated(pointer: In) -> bool {
        !(*pointer).base.is_null()
    }
    /// `ASSOCIATED(pointer, target)`: the same elements in the same order, and some.
    fn _FortranAPointerIsAssociatedWith(pointer: In, target: In) -> bool {
        if target.is_null() {
            return !(*pointer).base.is_null();
        }
        let (own, other) = (Array::of(pointer), Array::of(target));
        if own.base.is_null() || own.base != other.base || own.bytes != other.bytes || !own.has_shape_of(&other) {
            return false;
        }
        let mut number = 0;
        while number < own.rank {
            let (here, there) = (own.dimension(number), other.dimension(number));
            if here.extent != 1 && here.stride != there.stride {
                return false;
            }
            number += 1;
        }
        own.bytes > 0 && own.count() > 0
    }
    /// The type of an allocatable variable of a type of the language.
    fn _FortranAAllocatableInitIntrinsicForAllocate(variable: Out, category: i32, kind: i32, rank: i32, _corank: i32) {
        if (*variable).base.is_null() {
            let bytes = derived::type_bytes(category as u8, kind);
            establish_nothing(variable, bytes, derived::type_code(category as u8, kind), ALLOCATABLE, rank as u8)
        }
    }
    /// The same of a derived type.
    fn _FortranAAllocatableInitDerivedForAllocate(variable: Out, ty: *const derived::Type, rank: i32, _corank: i32) {
        if (*variable).base.is_null() {
            establish_derived(variable, ty, ALLOCATABLE, rank)
        }
    }
    /// The type and the bounds of another variable, for `SOURCE=` and `MOLD=`.
    fn _FortranAAllocatableApplyMold(variable: Out, mold: In, rank: i32) {
        if (*variable).base.is_null() {
            apply_mold(variable, mold, rank)
        }
    }
    /// The same of a pointer.
    fn _FortranAPointerApplyMold(pointer: Out, mold: In, rank: i32) {
        (*pointer).base = core::ptr::null_mut();
        apply_mold(pointer, mold, rank)
    }
    /// DEALLOCATE of a polymorphic variable.
    fn _FortranAAllocatableDeallocatePolymorphic(
        variable: Out, ty: *const derived::Type, has_stat: bool, message: In, file: File, line: i32,
    ) -> i32 {
        deallocate_any(variable, ty, has_stat, message, at(file, line))
    }
    /// The same of a pointer.
    fn _FortranAPointerDeallocatePolymorphic(
        pointer: Out, ty: *const derived::Type, has_stat: bool, message: In, file: File, line: i32,
    ) -> i32 {
        deallocate_any(pointer, ty, has_stat, message, at(file, line))
    }
    /// NULLIFY of a pointer to a type of the language.
    fn _FortranAPointerNullifyIntrinsic(pointer: Out, category: i32, kind: i32, rank: i32, _corank: i32) {
        let bytes = derived::type_bytes(category as u8, kind);
        establish_nothing(pointer, bytes, derived::type_code(category as u8, kind), POINTER, rank as u8)
    }
    /// NULLIFY of a pointer to text.
    fn _FortranAPointerNullifyCharacter(pointer: Out, length: i64, kind: i32, rank: i32, _corank: i32) {
        let ty = if kind == 1 { TEXT } else { refuse(Failure::FortranKind, Place::UNKNOWN) };
        establish_nothing(pointer, length.max(0) as u64, ty, POINTER, rank as u8)
    }
    /// NULLIFY of a pointer to a derived type.
    fn _FortranAPointerNullifyDerived(pointer: Out, ty: *const derived::Type, rank: i32, _corank: i32) {
        establish_derived(pointer, ty, POINTER, rank)
    }
}
