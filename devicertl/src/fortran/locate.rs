//! Where elements of arrays stand (Fortran 2018, 16.9): `MAXLOC`, `MINLOC` and `FINDLOC`, and `MAXVAL` and `MINVAL` of texts, which have
//! a place as well. Places count from 1; 0 where there is none.

use super::complex::{self, Complex, Factor};
use super::descriptor::{
    self, Array, Descriptor, TEXT, copy_bytes, dimension_number, establish, kind_of, logical_kind_of,
};
use super::number::{Category, Kind};
use super::reduce::Mask;
use super::text;
use super::{File, In, Out, Place, at, fortran};
use crate::libc;

/// What is looked for.
#[derive(Clone, Copy)]
enum Wanted {
    /// The first of the greatest numbers of this kind; or of the least ones.
    Extreme(Kind, bool),
    /// The same of texts: the first of the greatest, or of the least ones.
    ExtremeText(bool),
    /// A number, by the bits of its kind; elements have the second kind.
    Number(u64, Kind, Kind),
    /// A complex number; elements are such numbers.
    Complex(Complex, Factor),
    /// A text of so many bytes.
    Text(*const u8, u64),
}

impl Wanted {
    /// The greatest elements of an array, or the least ones.
    ///
    /// # Safety
    /// The descriptor must be flang's.
    #[inline(always)]
    unsafe fn extreme(array: *const Descriptor, greatest: bool, at: Place) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            match (*array).ty {
                TEXT => Self::ExtremeText(greatest),
                _ => Self::Extreme(kind_of(array, at), greatest),
            }
        }
    }

    /// That of `FINDLOC`.
    ///
    /// # Safety
    /// The descriptors must be flang's; `target` is a scalar.
    #[inline(always)]
    unsafe fn equal(array: *const Descriptor, target: *const Descriptor, at: Place) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let (elements, value) = (Kind::of_type((*array).ty, (*array).bytes), (*target).base);
            match ((*array).ty, elements) {
                (TEXT, _) => Self::Text(value, (*target).bytes),
                (_, Some(kind)) => {
                    let given = kind_of(target, at);
                    // Compared as real numbers if one of them is.
                    let category =
                        if given.category == Category::Real { Category::Real } else { kind.category };
                    let common = Kind { category, bytes: 8 };
                    Self::Number(common.convert(given.load(value), given), common, kind)
                }
                (_, None) if complex::part_of(array).is_some() => {
                    Self::Complex(Factor::of(target, at).load(value), Factor::of(array, at))
                }
                (_, None) => {
                    let (kind, given) = (logical_kind_of(array, at), logical_kind_of(target, at));
                    Self::Number(given.load(value), kind, kind)
                }
            }
        }
    }
}

/// The number of an element, or none: of several the first one, or the last.
///
/// # Safety
/// The array must have elements that can be compared with what is wanted.
#[inline(never)]
unsafe fn find(wanted: Wanted, array: Array, mask: Mask, last: bool) -> Option<u64> {
    let (mut found, mut best, mut index, count) = (None, 0, 0, array.count());
    while index < count {
        if mask.holds(index) {
            let element = array.element(index);
            // SAFETY: an element of the array.
            unsafe {
                let is_it = match wanted {
                    Wanted::Extreme(kind, greatest) => {
                        let value = kind.load(element);
                        let better = found.is_none() || beats(kind, value, best, greatest, last);
                        best = if better { value } else { best };
                        better
                    }
                    Wanted::ExtremeText(greatest) => {
                        let order = found.map_or(1, |best| {
                            let order = text::compare(element, array.element(best), array.bytes, array.bytes);
                            if greatest { order } else { -order }
                        });
                        order > 0 || last && order == 0
                    }
                    Wanted::Number(value, common, kind) => {
                        let (a, b) = (common.convert(kind.load(element), kind), value);
                        (last || found.is_none())
                            && match common.category {
                                Category::Real => f64::from_bits(a) == f64::from_bits(b),
                                _ => a == b,
                            }
                    }
                    Wanted::Complex(value, elements) => {
                        (last || found.is_none()) && elements.load(element) == value
                    }
                    Wanted::Text(value, bytes) => {
                        (last || found.is_none()) && text::compare(element, value, array.bytes, bytes) == 0
                    }
                };
                if is_it {
                    found = Some(index);
                }
            }
        }
        index += 1;
    }
    found
}

/// Whether a number takes the place of the best one so far: it is better, or as good and the last one counts, or that is a NaN.
#[inline(always)]
fn beats(kind: Kind, value: u64, best: u64, greatest: bool, last: bool) -> bool {
    if kind.category == Category::Real {
        let (x, y) = (f64::from_bits(value), f64::from_bits(best));
        return (if greatest { x > y } else { x < y }) || last && x == y || y.is_nan() && !x.is_nan();
    }
    let (x, y) = (value as i64, best as i64);
    (if greatest { x > y } else { x < y }) || last && x == y
}

/// The place in the whole array: an index for each dimension, as integers of `bytes` bytes.
///
/// # Safety
/// The descriptors must be flang's.
#[inline(never)]
unsafe fn in_all(result: *mut Descriptor, array: Array, wanted: Wanted, bytes: i32, mask: Mask, last: bool) {
    let kind = Kind { category: Category::Integer, bytes: bytes as u64 };
    // SAFETY: as the caller promises; there is an element for each dimension.
    unsafe {
        let found = find(wanted, array, mask, last);
        let result = establish(result, kind.bytes, 1, |_| array.rank.into());
        let (mut left, mut number) = (found.unwrap_or(0), 0);
        while number < array.rank {
            let extent = array.extent(number).max(1);
            let place = if found.is_some() { left % extent + 1 } else { 0 };
            kind.store(result.element(number.into()), place);
            left /= extent;
            number += 1;
        }
    }
}

/// The places along a dimension.
///
/// # Safety
/// The descriptors must be flang's.
#[inline(never)]
unsafe fn along(
    result: *mut Descriptor,
    array: Array,
    wanted: Wanted,
    bytes: i32,
    number: u8,
    mask: Mask,
    last: bool,
) {
    let kind = Kind { category: Category::Integer, bytes: bytes as u64 };
    // SAFETY: as the caller promises.
    unsafe {
        descriptor::along(result, kind.bytes, &array, number, |to, index| {
            let place = find(wanted, array.line(number, index), mask.line(number, index), last);
            kind.store(to, place.map_or(0, |place| place + 1))
        })
    }
}

/// Writes the greatest text of an array, or the least one, and where there is none one in front of all others, or behind them.
///
/// # Safety
/// There must be room for one, and `array` have texts.
unsafe fn write_text(to: *mut u8, array: Array, greatest: bool, mask: Mask) {
    // SAFETY: as the caller promises.
    unsafe {
        match find(Wanted::ExtremeText(greatest), array, mask, false) {
            Some(index) => copy_bytes(to, array.element(index), array.bytes),
            None => libc::fill(to, if greatest { 0 } else { u8::MAX }, array.bytes as usize),
        }
    }
}

/// `MAXVAL` or `MINVAL` of texts along a dimension.
///
/// # Safety
/// The descriptors must be flang's, and `array` have texts.
pub(super) unsafe fn texts_along(
    result: Out,
    array: In,
    dimension: i32,
    greatest: bool,
    mask: Mask,
    at: Place,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let array = Array::of(array);
        let number = dimension_number(&array, dimension, at);
        descriptor::along(result, array.bytes, &array, number, |to, index| {
            write_text(to, array.line(number, index), greatest, mask.line(number, index))
        })
    }
}

macro_rules! extremes {
    ($($greatest:literal: $($name:ident)*, $along:ident, $text:ident;)*) => { fortran! { $(
        $(
            /// In the whole array.
            fn $name(result: Out, array: In, bytes: i32, file: File, line: i32, mask: In, last: bool) {
                let wanted = Wanted::extreme(array, $greatest, at(file, line));
                in_all(result, Array::of(array), wanted, bytes, Mask::of(mask, at(file, line)), last)
            }
        )*
        /// Along a dimension.
        fn $along(
            result: Out, array: In, bytes: i32, dimension: i32, file: File, line: i32, mask: In, last: bool,
        ) {
            let (at, array, model) = (at(file, line), Array::of(array), array);
            let wanted = Wanted::extreme(model, $greatest, at);
            along(result, array, wanted, bytes, dimension_number(&array, dimension, at), Mask::of(mask, at), last)
        }
        /// The text itself.
        fn $text(result: Out, array: In, file: File, line: i32, mask: In) {
            let (texts, mask) = (Array::of(array), Mask::of(mask, at(file, line)));
            write_text(establish(result, texts.bytes, 0, |_| 1).base, texts, $greatest, mask)
        }
    )* } };
}
extremes! {
    true: _FortranAMaxlocInteger1 _FortranAMaxlocInteger2 _FortranAMaxlocInteger4 _FortranAMaxlocInteger8 _FortranAMaxlocReal4
        _FortranAMaxlocReal8 _FortranAMaxlocCharacter, _FortranAMaxlocDim, _FortranAMaxvalCharacter;
    false: _FortranAMinlocInteger1 _FortranAMinlocInteger2 _FortranAMinlocInteger4 _FortranAMinlocInteger8 _FortranAMinlocReal4
        _FortranAMinlocReal8 _FortranAMinlocCharacter, _FortranAMinlocDim, _FortranAMinvalCharacter;
}

fortran! {
    /// In the whole array.
    fn _FortranAFindloc(
        result: Out, array: In, target: In, bytes: i32, file: File, line: i32, mask: In, last: bool,
    ) {
        in_all(result, Array::of(array), Wanted::equal(array, target, at(file, line)), bytes, Mask::of(mask, at(file, line)), last)
    }
    /// Along a dimension.
    fn _FortranAFindlocDim(
        result: Out, array: In, target: In, bytes: i32, dimension: i32, file: File, line: i32, mask: In, last: bool,
    ) {
        let (at, elements) = (at(file, line), Array::of(array));
        let (wanted, number) = (Wanted::equal(array, target, at), dimension_number(&elements, dimension, at));
        along(result, elements, wanted, bytes, number, Mask::of(mask, at), last)
    }
}
