//! `REDUCE` (Fortran 2018, 16.9.161): reductions by a function of the program, which is called in the order of the elements. It takes its
//! arguments by reference, or by value; without elements the result is the identity.

use super::descriptor::{self, Array};
use super::reduce::Mask;
use super::{File, In, Out, Place, at, derived, fortran, refuse};
use crate::arch::{self, Code, Element, Failure};
use crate::{libc, memory};
use core::mem::MaybeUninit;

/// What there is without elements that count.
#[derive(Clone, Copy)]
struct Otherwise {
    /// An element of the array's type, or null.
    identity: *const u8,
    /// Where the source asks for more.
    at: Place,
}

/// Reduces the elements of an array that count, to one at `to`. `of` makes one of two, at a place that is neither of theirs: at `made`.
///
/// # Safety
/// There must be room for an element at both places.
#[inline(always)]
unsafe fn reduce(
    [to, made]: [*mut u8; 2],
    array: Array,
    mask: Mask,
    otherwise: Otherwise,
    of: impl Fn(*mut u8, *const u8, *const u8),
) {
    let (mut any, mut index, count, bytes) = (false, 0, array.count(), array.bytes as usize);
    // SAFETY: as the caller promises; elements of the array.
    unsafe {
        while index < count {
            if mask.holds(index) {
                let element = array.element(index);
                if any {
                    of(made, to, element);
                }
                libc::copy_up(to, if any { made } else { element }, bytes);
                any = true;
            }
            index += 1;
        }
        if !any {
            if otherwise.identity.is_null() {
                refuse(Failure::FortranShape, otherwise.at)
            }
            libc::copy_up(to, otherwise.identity, bytes);
        }
    }
}

/// The same along a dimension.
///
/// # Safety
/// As for [`reduce`]; the descriptors must be flang's.
#[inline(always)]
unsafe fn along(
    result: Out,
    made: *mut u8,
    array: In,
    dimension: i32,
    mask: Mask,
    otherwise: Otherwise,
    of: impl Fn(*mut u8, *const u8, *const u8),
) {
    // SAFETY: as the caller promises.
    unsafe {
        let elements = Array::of(array);
        let number = descriptor::dimension_number(&elements, dimension, otherwise.at);
        descriptor::along(result, elements.bytes, &elements, number, |to, index| {
            let (line, mask) = (elements.line(number, index), mask.line(number, index));
            reduce([to, made], line, mask, otherwise, &of)
        });
        derived::set_type(result, derived::type_of(array));
    }
}

/// The functions for arrays of a type: of all elements, and along a dimension, by a function that takes references, and by one that takes
/// values.
macro_rules! by_functions {
    // What is returned, of what the elements give.
    (scalar $ty:ty, $element:ident ($returned:ty, $value:ident => $as_returned:expr): $name:ident $call:ident) => { fortran! {
        /// Of all elements of the array, or of those that the mask, if there is one, lets through.
        fn $name(
            array: In, by: Code, file: File, line: i32, _dimension: i32, mask: In, identity: *const u8, _ordered: bool,
        ) -> $returned {
            let (mut slots, at) = ([const { MaybeUninit::<$ty>::uninit() }; 2], at(file, line));
            let [to, made] = slots.each_mut().map(|slot| slot.as_mut_ptr().cast());
            reduce([to, made], Array::of(array), Mask::of(mask, at), Otherwise { identity, at }, |to, x, y| {
                arch::$call(Element::$element, by, to, x, y)
            });
            let $value: $ty = to.cast::<$ty>().read();
            $as_returned
        }
    } };
    // What is written to a place in front of the arguments.
    (scalar $ty:ty, $element:ident (to a place): $name:ident $call:ident) => { fortran! {
        /// Of all elements of the array, or of those that the mask, if there is one, lets through.
        fn $name(
            result: *mut u8, array: In, by: Code, file: File, line: i32, _dimension: i32, mask: In, identity: *const u8,
            _ordered: bool,
        ) {
            let (mut made, at) = (MaybeUninit::<$ty>::uninit(), at(file, line));
            let places = [result, made.as_mut_ptr().cast()];
            reduce(places, Array::of(array), Mask::of(mask, at), Otherwise { identity, at }, |to, x, y| {
                arch::$call(Element::$element, by, to, x, y)
            })
        }
    } };
    (along $ty:ty, $element:ident: $name:ident $call:ident) => { fortran! {
        /// Along a dimension.
        fn $name(
            result: Out, array: In, by: Code, file: File, line: i32, dimension: i32, mask: In, identity: *const u8,
            _ordered: bool,
        ) {
            let (mut made, at) = (MaybeUninit::<$ty>::uninit(), at(file, line));
            let made = made.as_mut_ptr().cast();
            along(result, made, array, dimension, Mask::of(mask, at), Otherwise { identity, at }, |to, x, y| {
                arch::$call(Element::$element, by, to, x, y)
            })
        }
    } };
    ($($ty:tt $element:ident $returned:tt:
        $by_reference:ident $along:ident, $by_value:ident $along_by_value:ident;)*) => { $(
        by_functions! { scalar $ty, $element $returned: $by_reference combine_references }
        by_functions! { scalar $ty, $element $returned: $by_value combine_values }
        by_functions! { along $ty, $element: $along combine_references }
        by_functions! { along $ty, $element: $along_by_value combine_values }
    )* };
}
by_functions! {
    i8 I8 (i8, value => value):
        _FortranAReduceInteger1Ref _FortranAReduceInteger1DimRef,
        _FortranAReduceInteger1Value _FortranAReduceInteger1DimValue;
    i16 I16 (i16, value => value):
        _FortranAReduceInteger2Ref _FortranAReduceInteger2DimRef,
        _FortranAReduceInteger2Value _FortranAReduceInteger2DimValue;
    i32 I32 (i32, value => value):
        _FortranAReduceInteger4Ref _FortranAReduceInteger4DimRef,
        _FortranAReduceInteger4Value _FortranAReduceInteger4DimValue;
    i64 I64 (i64, value => value):
        _FortranAReduceInteger8Ref _FortranAReduceInteger8DimRef,
        _FortranAReduceInteger8Value _FortranAReduceInteger8DimValue;
    f32 F32 (f32, value => value):
        _FortranAReduceReal4Ref _FortranAReduceReal4DimRef,
        _FortranAReduceReal4Value _FortranAReduceReal4DimValue;
    f64 F64 (f64, value => value):
        _FortranAReduceReal8Ref _FortranAReduceReal8DimRef,
        _FortranAReduceReal8Value _FortranAReduceReal8DimValue;
    i8 I8 (bool, value => value != 0):
        _FortranAReduceLogical1Ref _FortranAReduceLogical1DimRef,
        _FortranAReduceLogical1Value _FortranAReduceLogical1DimValue;
    i16 I16 (bool, value => value != 0):
        _FortranAReduceLogical2Ref _FortranAReduceLogical2DimRef,
        _FortranAReduceLogical2Value _FortranAReduceLogical2DimValue;
    i32 I32 (bool, value => value != 0):
        _FortranAReduceLogical4Ref _FortranAReduceLogical4DimRef,
        _FortranAReduceLogical4Value _FortranAReduceLogical4DimValue;
    i64 I64 (bool, value => value != 0):
        _FortranAReduceLogical8Ref _FortranAReduceLogical8DimRef,
        _FortranAReduceLogical8Value _FortranAReduceLogical8DimValue;
    [f32; 2] ComplexF32 (to a place):
        _FortranACppReduceComplex4Ref _FortranACppReduceComplex4DimRef,
        _FortranACppReduceComplex4Value _FortranACppReduceComplex4DimValue;
    [f64; 2] ComplexF64 (to a place):
        _FortranACppReduceComplex8Ref _FortranACppReduceComplex8DimRef,
        _FortranACppReduceComplex8Value _FortranACppReduceComplex8DimValue;
}

/// The functions for elements in memory: `$combine` is called with the function and the bytes of an element.
macro_rules! in_memory {
    ($($name:ident $along:ident $combine:ident;)*) => { fortran! { $(
        /// Of all elements of the array, or of those that the mask, if there is one, lets through.
        fn $name(
            result: *mut u8, array: In, by: Code, file: File, line: i32, _dimension: i32, mask: In, identity: *const u8,
            _ordered: bool,
        ) {
            let (at, array) = (at(file, line), Array::of(array));
            let made = memory::from_heap(array.bytes.max(1));
            reduce([result, made], array, Mask::of(mask, at), Otherwise { identity, at }, |to, x, y| {
                arch::$combine(by, to, x, y, array.bytes)
            });
            arch::free(made)
        }
        /// Along a dimension.
        fn $along(
            result: Out, array: In, by: Code, file: File, line: i32, dimension: i32, mask: In, identity: *const u8,
            _ordered: bool,
        ) {
            let (at, bytes) = (at(file, line), (*array).bytes);
            let made = memory::from_heap(bytes.max(1));
            along(result, made, array, dimension, Mask::of(mask, at), Otherwise { identity, at }, |to, x, y| {
                arch::$combine(by, to, x, y, bytes)
            });
            arch::free(made)
        }
    )* } };
}
in_memory! {
    _FortranAReduceChar1 _FortranAReduceCharacter1Dim combine_texts;
    _FortranAReduceDerivedType _FortranAReduceDerivedTypeDim combine_in_memory;
}
