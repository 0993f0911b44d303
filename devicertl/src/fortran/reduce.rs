//! Reductions of arrays (Fortran 2018, 16.9): `SUM`, `PRODUCT`, `MAXVAL`, `MINVAL`, `IALL`, `IANY`, `IPARITY`, `ALL`, `ANY`, `PARITY`,
//! `COUNT` and `NORM2`, of a whole array to a scalar, or along one dimension to an array. Real numbers are summed in double precision.

use super::descriptor::{self, Array, Descriptor, TEXT, kind_of, logical_kind_of};
use super::number::{Category, Kind, Number};
use super::{File, In, Out, Place, at, complex, fortran, locate};
use crate::arch;

/// What two numbers are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
enum Operation {
    Sum,
    Product,
    And,
    Or,
    Xor,
    Max,
    Min,
    /// The root of the sum of squares.
    Norm,
}

impl Operation {
    /// What an array without elements gives.
    #[inline(always)]
    fn of_nothing(self, kind: Kind) -> u64 {
        match self {
            Self::Sum | Self::Or | Self::Xor | Self::Norm => 0,
            Self::Product if kind.category == Category::Real => 1f64.to_bits(),
            Self::Product => 1,
            Self::And => !0,
            Self::Max | Self::Min => kind.limit(self == Self::Min),
        }
    }

    #[inline(always)]
    fn of(self, category: Category, a: u64, b: u64) -> u64 {
        if category != Category::Real {
            return match self {
                Self::Sum | Self::Norm => a.wrapping_add(b),
                Self::Product => a.wrapping_mul(b),
                Self::And => a & b,
                Self::Or => a | b,
                Self::Xor => a ^ b,
                Self::Max => (a as i64).max(b as i64) as u64,
                Self::Min => (a as i64).min(b as i64) as u64,
            };
        }
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let real = match self {
            Self::Product => x * y,
            // No NaN as long as there is a number.
            Self::Max => {
                if y > x || x.is_nan() {
                    y
                } else {
                    x
                }
            }
            Self::Min => {
                if y < x || x.is_nan() {
                    y
                } else {
                    x
                }
            }
            _ => x + y,
        };
        real.to_bits()
    }
}

/// The elements that a mask, if there is one, lets through.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    elements: Option<(Array, Kind)>,
}

impl Mask {
    /// That of all elements.
    const ALL: Self = Self { elements: None };

    /// That of a descriptor, or of null.
    ///
    /// # Safety
    /// The descriptor must be flang's.
    #[inline(always)]
    pub unsafe fn of(descriptor: *const Descriptor, at: Place) -> Self {
        // SAFETY: as the caller promises.
        let elements = unsafe {
            (!descriptor.is_null()).then(|| (Array::of(descriptor), logical_kind_of(descriptor, at)))
        };
        Self { elements }
    }

    /// Whether element `index` counts. A mask without dimensions is that of all elements.
    #[inline(always)]
    pub fn holds(&self, index: u64) -> bool {
        self.elements.is_none_or(|(array, kind)| {
            // SAFETY: an element of the mask, which has the array's shape.
            unsafe { kind.load(array.element_or_scalar(index)) != 0 }
        })
    }

    /// That of a vector of the array, see [`Array::line`].
    #[inline(always)]
    pub fn line(&self, number: u8, index: u64) -> Self {
        let line = |(array, kind): (Array, Kind)| {
            (if array.rank == 0 { array } else { array.line(number, index) }, kind)
        };
        Self { elements: self.elements.map(line) }
    }
}

/// Reduces the elements of an array that count.
///
/// # Safety
/// The array must have numbers of this kind.
#[inline(never)]
unsafe fn reduce(operation: Operation, kind: Kind, array: Array, mask: Mask) -> u64 {
    let count = array.count();
    // The largest number is divided out of a norm, so that no square is too large or too small.
    let mut scale = 0f64;
    if operation == Operation::Norm {
        let mut index = 0;
        while index < count {
            // SAFETY: an element of the array.
            let size = f64::from_bits(unsafe { kind.load(array.element(index)) }).abs();
            if size > scale || size.is_nan() {
                scale = size;
            }
            index += 1;
        }
        if !(scale > 0.0 && scale < f64::INFINITY) {
            return scale.to_bits();
        }
    }
    let (mut result, mut any, mut index) = (operation.of_nothing(kind), false, 0);
    while index < count {
        if mask.holds(index) {
            // SAFETY: an element of the array.
            let mut value = unsafe { kind.load(array.element(index)) };
            if operation == Operation::Norm {
                let part = f64::from_bits(value) / scale;
                value = (part * part).to_bits();
            }
            let first = !any && matches!(operation, Operation::Max | Operation::Min);
            result = if first { value } else { operation.of(kind.category, result, value) };
            any = true;
        }
        index += 1;
    }
    if operation == Operation::Norm { (scale * arch::root(f64::from_bits(result))).to_bits() } else { result }
}

/// Reduces along a dimension: numbers of one kind to an array of numbers of another.
///
/// # Safety
/// The descriptors must be flang's, with numbers of these kinds.
#[inline(never)]
unsafe fn along(
    operation: Operation,
    kinds: [Kind; 2],
    result: *mut Descriptor,
    array: *const Descriptor,
    dimension: i32,
    mask: Mask,
    at: Place,
) {
    let [kind, of_result] = kinds;
    // SAFETY: as the caller promises.
    unsafe {
        let array = Array::of(array);
        let number = descriptor::dimension_number(&array, dimension, at);
        descriptor::along(result, of_result.bytes, &array, number, |to, index| {
            of_result.store(to, reduce(operation, kind, array.line(number, index), mask.line(number, index)))
        })
    }
}

macro_rules! to_scalars {
    ($($name:ident $ty:ty: $operation:ident;)*) => { fortran! { $(
        /// Of all elements of the array, or of those that the mask, if there is one, lets through.
        fn $name(array: In, file: File, line: i32, _dimension: i32, mask: In) -> $ty {
            <$ty>::of_bits(reduce(Operation::$operation, <$ty>::KIND, Array::of(array), Mask::of(mask, at(file, line))))
        }
    )* } };
}
to_scalars! {
    _FortranASumInteger1 i8: Sum;
    _FortranASumInteger2 i16: Sum;
    _FortranASumInteger4 i32: Sum;
    _FortranASumInteger8 i64: Sum;
    _FortranASumReal4 f32: Sum;
    _FortranASumReal8 f64: Sum;
    _FortranAProductInteger1 i8: Product;
    _FortranAProductInteger2 i16: Product;
    _FortranAProductInteger4 i32: Product;
    _FortranAProductInteger8 i64: Product;
    _FortranAProductReal4 f32: Product;
    _FortranAProductReal8 f64: Product;
    _FortranAMaxvalInteger1 i8: Max;
    _FortranAMaxvalInteger2 i16: Max;
    _FortranAMaxvalInteger4 i32: Max;
    _FortranAMaxvalInteger8 i64: Max;
    _FortranAMaxvalReal4 f32: Max;
    _FortranAMaxvalReal8 f64: Max;
    _FortranAMinvalInteger1 i8: Min;
    _FortranAMinvalInteger2 i16: Min;
    _FortranAMinvalInteger4 i32: Min;
    _FortranAMinvalInteger8 i64: Min;
    _FortranAMinvalReal4 f32: Min;
    _FortranAMinvalReal8 f64: Min;
    _FortranAIAll1 i8: And;
    _FortranAIAll2 i16: And;
    _FortranAIAll4 i32: And;
    _FortranAIAll8 i64: And;
    _FortranAIAny1 i8: Or;
    _FortranAIAny2 i16: Or;
    _FortranAIAny4 i32: Or;
    _FortranAIAny8 i64: Or;
    _FortranAIParity1 i8: Xor;
    _FortranAIParity2 i16: Xor;
    _FortranAIParity4 i32: Xor;
    _FortranAIParity8 i64: Xor;
}

macro_rules! of_masks {
    ($($name:ident $ty:ty: $operation:ident, $along:ident;)*) => { fortran! { $(
        /// Of all elements of a logical array.
        fn $name(mask: In, file: File, line: i32, _dimension: i32) -> $ty {
            let kind = logical_kind_of(mask, at(file, line));
            let bits = reduce(Operation::$operation, kind, Array::of(mask), Mask::ALL);
            (bits != 0) as u8 != 0
        }
        /// Along a dimension of a logical array.
        fn $along(result: Out, mask: In, dimension: i32, file: File, line: i32) {
            let kind = logical_kind_of(mask, at(file, line));
            along(Operation::$operation, [kind, kind], result, mask, dimension, Mask::ALL, at(file, line))
        }
    )* } };
}
of_masks! {
    _FortranAAll bool: And, _FortranAAllDim;
    _FortranAAny bool: Or, _FortranAAnyDim;
    _FortranAParity bool: Xor, _FortranAParityDim;
}

macro_rules! to_arrays {
    ($($name:ident: $operation:ident;)*) => { fortran! { $(
        /// Along a dimension: of all elements, or of those that the mask, if there is one, lets through.
        fn $name(result: Out, array: In, dimension: i32, file: File, line: i32, mask: In) {
            let kind = kind_of(array, at(file, line));
            along(Operation::$operation, [kind, kind], result, array, dimension, Mask::of(mask, at(file, line)), at(file, line))
        }
    )* } };
}
to_arrays! {
    _FortranAIAllDim: And;
    _FortranAIAnyDim: Or;
    _FortranAIParityDim: Xor;
}

macro_rules! extremes_to_arrays {
    ($($name:ident: $operation:ident;)*) => { fortran! { $(
        /// Along a dimension, of numbers or texts: of all elements, or of those that the mask, if there is one, lets through.
        fn $name(result: Out, array: In, dimension: i32, file: File, line: i32, mask: In) {
            let (mask, at) = (Mask::of(mask, at(file, line)), at(file, line));
            if (*array).ty == TEXT {
                let greatest = Operation::$operation == Operation::Max;
                return locate::texts_along(result, array, dimension, greatest, mask, at);
            }
            let kind = kind_of(array, at);
            along(Operation::$operation, [kind, kind], result, array, dimension, mask, at)
        }
    )* } };
}
extremes_to_arrays! {
    _FortranAMaxvalDim: Max;
    _FortranAMinvalDim: Min;
}

macro_rules! to_arrays_of_any_numbers {
    ($($name:ident: $operation:ident;)*) => { fortran! { $(
        /// Along a dimension: of all elements, or of those that the mask, if there is one, lets through.
        fn $name(result: Out, array: In, dimension: i32, file: File, line: i32, mask: In) {
            let (mask, at) = (Mask::of(mask, at(file, line)), at(file, line));
            if let Some(part) = complex::part_of(array) {
                return complex::along(complex::Operation::$operation, part, result, array, dimension, mask, at);
            }
            let kind = kind_of(array, at);
            along(Operation::$operation, [kind, kind], result, array, dimension, mask, at)
        }
    )* } };
}
to_arrays_of_any_numbers! {
    _FortranASumDim: Sum;
    _FortranAProductDim: Product;
}

fortran! {
    /// The true elements of a logical array.
    fn _FortranACount(mask: In, file: File, line: i32, _dimension: i32) -> i64 {
        reduce(Operation::Sum, logical_kind_of(mask, at(file, line)), Array::of(mask), Mask::ALL) as i64
    }
    /// The same along a dimension, as integers of `bytes` bytes.
    fn _FortranACountDim(result: Out, mask: In, dimension: i32, bytes: i32, file: File, line: i32) {
        let of_result = Kind { category: Category::Integer, bytes: bytes as u64 };
        along(Operation::Sum, [logical_kind_of(mask, at(file, line)), of_result], result, mask, dimension, Mask::ALL, at(file, line))
    }
    /// The Euclidean norm of all elements.
    fn _FortranANorm2_4(array: In, _file: File, _line: i32, _dimension: i32) -> f32 {
        f32::of_bits(reduce(Operation::Norm, f32::KIND, Array::of(array), Mask::ALL))
    }
    /// The Euclidean norm of all elements.
    fn _FortranANorm2_8(array: In, _file: File, _line: i32, _dimension: i32) -> f64 {
        f64::of_bits(reduce(Operation::Norm, f64::KIND, Array::of(array), Mask::ALL))
    }
    /// The same along a dimension.
    fn _FortranANorm2Dim(result: Out, array: In, dimension: i32, file: File, line: i32) {
        let kind = kind_of(array, at(file, line));
        along(Operation::Norm, [kind, kind], result, array, dimension, Mask::ALL, at(file, line))
    }
}
