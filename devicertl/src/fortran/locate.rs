//! Where elements of arrays stand (Fortran 2018, 16.9): `MAXLOC`, `MINLOC` and `FINDLOC`. Places count from 1; 0 where there is none.

use super::descriptor::{self, Array, Descriptor, TEXT, establish, kind_of, logical_kind_of};
use super::number::{Category, Kind};
use super::reduce::Mask;
use super::text;
use super::{File, In, Out, fortran};

/// What is looked for.
#[derive(Clone, Copy)]
enum Wanted {
    /// The first of the greatest numbers of this kind; or of the least ones.
    Extreme(Kind, bool),
    /// A number, by the bits of its kind; elements have the second kind.
    Number(u64, Kind, Kind),
    /// A text of so many bytes.
    Text(*const u8, u64),
}

impl Wanted {
    /// That of `FINDLOC`.
    ///
    /// # Safety
    /// The descriptors must be flang's; `target` is a scalar.
    #[inline(always)]
    unsafe fn equal(array: *const Descriptor, target: *const Descriptor) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let (elements, value) = (Kind::of_type((*array).ty, (*array).bytes), (*target).base);
            match ((*array).ty, elements) {
                (TEXT, _) => Self::Text(value, (*target).bytes),
                (_, Some(kind)) => {
                    let given = kind_of(target);
                    // Compared as real numbers if one of them is.
                    let category =
                        if given.category == Category::Real { Category::Real } else { kind.category };
                    let common = Kind { category, bytes: 8 };
                    Self::Number(common.convert(given.load(value), given), common, kind)
                }
                (_, None) => {
                    let (kind, given) = (logical_kind_of(array), logical_kind_of(target));
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
                    Wanted::Number(value, common, kind) => {
                        let (a, b) = (common.convert(kind.load(element), kind), value);
                        (last || found.is_none())
                            && match common.category {
                                Category::Real => f64::from_bits(a) == f64::from_bits(b),
                                _ => a == b,
                            }
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
    dimension: i32,
    mask: Mask,
    last: bool,
) {
    let kind = Kind { category: Category::Integer, bytes: bytes as u64 };
    // SAFETY: as the caller promises.
    unsafe {
        descriptor::along(result, kind, &array, dimension, |number, index| {
            find(wanted, array.line(number, index), mask.line(number, index), last)
                .map_or(0, |place| place + 1)
        })
    }
}

macro_rules! extremes {
    ($($greatest:literal: $($name:ident)*, $along:ident;)*) => { fortran! { $(
        $(
            /// In the whole array.
            fn $name(result: Out, array: In, bytes: i32, _file: File, _line: i32, mask: In, last: bool) {
                let wanted = Wanted::Extreme(kind_of(array), $greatest);
                in_all(result, Array::of(array), wanted, bytes, Mask::of(mask), last)
            }
        )*
        /// Along a dimension.
        fn $along(
            result: Out, array: In, bytes: i32, dimension: i32, _file: File, _line: i32, mask: In, last: bool,
        ) {
            let wanted = Wanted::Extreme(kind_of(array), $greatest);
            along(result, Array::of(array), wanted, bytes, dimension, Mask::of(mask), last)
        }
    )* } };
}
extremes! {
    true: _FortranAMaxlocInteger1 _FortranAMaxlocInteger2 _FortranAMaxlocInteger4 _FortranAMaxlocInteger8 _FortranAMaxlocReal4
        _FortranAMaxlocReal8, _FortranAMaxlocDim;
    false: _FortranAMinlocInteger1 _FortranAMinlocInteger2 _FortranAMinlocInteger4 _FortranAMinlocInteger8 _FortranAMinlocReal4
        _FortranAMinlocReal8, _FortranAMinlocDim;
}

fortran! {
    /// In the whole array.
    fn _FortranAFindloc(
        result: Out, array: In, target: In, bytes: i32, _file: File, _line: i32, mask: In, last: bool,
    ) {
        in_all(result, Array::of(array), Wanted::equal(array, target), bytes, Mask::of(mask), last)
    }
    /// Along a dimension.
    fn _FortranAFindlocDim(
        result: Out, array: In, target: In, bytes: i32, dimension: i32, _file: File, _line: i32, mask: In, last: bool,
    ) {
        along(result, Array::of(array), Wanted::equal(array, target), bytes, dimension, Mask::of(mask), last)
    }
}
