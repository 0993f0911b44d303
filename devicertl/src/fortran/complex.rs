//! Complex numbers in arrays (Fortran 2018, 16.9): `SUM`, `PRODUCT`, `DOT_PRODUCT` and `MATMUL`. Both parts are handled in double
//! precision. flang's functions for scalars, which C++ writes, have a place for the result in front of the others.

use super::descriptor::{self, Array, Descriptor, kind_of};
use super::number::{Category, Kind};
use super::product::{self, Pair};
use super::reduce::Mask;
use super::{File, In, Out, Place, at, fortran, refuse};
use crate::arch::Failure;

/// `CFI_type_float_Complex` and that of `double`.
const TYPES: [i8; 2] = [34, 35];

/// The real and the imaginary part.
pub(super) type Complex = [f64; 2];

/// How the parts of an array's complex numbers stand in memory; none if its elements are no such numbers.
///
/// # Safety
/// The descriptor must be flang's.
#[inline(always)]
pub(super) unsafe fn part_of(descriptor: *const Descriptor) -> Option<Kind> {
    // SAFETY: as the caller promises.
    let Descriptor { ty, bytes, .. } = unsafe { descriptor.read() };
    let is_complex = ty == TYPES[0] && bytes == 8 || ty == TYPES[1] && bytes == 16;
    is_complex.then_some(Kind { category: Category::Real, bytes: bytes / 2 })
}

/// # Safety
/// There must be a number with parts of this kind.
#[inline(always)]
unsafe fn load(part: Kind, from: *const u8) -> Complex {
    // SAFETY: as the caller promises: two parts.
    unsafe { [part.load(from), part.load(from.add(part.bytes as usize))].map(f64::from_bits) }
}

/// # Safety
/// There must be memory for a number with parts of this kind.
#[inline(always)]
unsafe fn store(part: Kind, to: *mut u8, [real, imaginary]: Complex) {
    // SAFETY: as the caller promises: two parts.
    unsafe {
        part.store(to, real.to_bits());
        part.store(to.add(part.bytes as usize), imaginary.to_bits());
    }
}

#[inline(always)]
fn plus([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a + c, b + d]
}

#[inline(always)]
fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

/// What two numbers are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
}

/// Reduces the elements of an array that count.
///
/// # Safety
/// The array must have numbers with parts of this kind.
#[inline(never)]
unsafe fn reduce(operation: Operation, part: Kind, array: Array, mask: Mask) -> Complex {
    let (mut index, count) = (0, array.count());
    let mut result = if operation == Operation::Sum { [0.0, 0.0] } else { [1.0, 0.0] };
    while index < count {
        if mask.holds(index) {
            // SAFETY: an element of the array.
            let value = unsafe { load(part, array.element(index)) };
            result = if operation == Operation::Sum { plus(result, value) } else { times(result, value) };
        }
        index += 1;
    }
    result
}

/// Reduces along a dimension to an array of numbers of the same kind.
///
/// # Safety
/// The descriptors must be flang's, with numbers of these parts.
#[inline(never)]
pub(super) unsafe fn along(
    operation: Operation,
    part: Kind,
    result: *mut Descriptor,
    array: *const Descriptor,
    dimension: i32,
    mask: Mask,
    at: Place,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let (array, bytes) = (Array::of(array), 2 * part.bytes);
        let number = descriptor::dimension_number(&array, dimension, at);
        descriptor::along(result, bytes, &array, number, |to, index| {
            store(part, to, reduce(operation, part, array.line(number, index), mask.line(number, index)))
        })
    }
}

/// Numbers of one kind, complex or not, which are read as complex ones.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    kind: Kind,
    is_complex: bool,
}

impl Factor {
    /// # Safety
    /// The descriptor must be flang's.
    #[inline(always)]
    pub unsafe fn of(descriptor: *const Descriptor, at: Place) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            match part_of(descriptor) {
                Some(kind) => Self { kind, is_complex: true },
                None => Self { kind: kind_of(descriptor, at), is_complex: false },
            }
        }
    }

    /// # Safety
    /// There must be such a number.
    #[inline(always)]
    pub unsafe fn load(self, from: *const u8) -> Complex {
        // SAFETY: as the caller promises.
        unsafe {
            if self.is_complex {
                return load(self.kind, from);
            }
            let real = Kind { category: Category::Real, bytes: 8 };
            [f64::from_bits(real.convert(self.kind.load(from), self.kind)), 0.0]
        }
    }

    /// The bytes of the parts that a product with it has at least.
    #[inline(always)]
    fn least(self) -> u64 {
        if self.kind.category == Category::Real { self.kind.bytes } else { 4 }
    }
}

/// The sum of the products of two vectors' elements, of the first one's conjugate ones if `conjugate`.
///
/// # Safety
/// Vectors of such numbers, the second one at least as long as the first.
#[inline(always)]
unsafe fn dot(conjugate: bool, a: (Array, Factor), b: (Array, Factor)) -> Complex {
    let (mut index, count, mut sum) = (0, a.0.count(), [0.0, 0.0]);
    while index < count {
        // SAFETY: elements of the vectors.
        let ([real, imaginary], other) =
            unsafe { (a.1.load(a.0.element(index)), b.1.load(b.0.element(index))) };
        sum = plus(sum, times([real, if conjugate { -imaginary } else { imaginary }], other));
        index += 1;
    }
    sum
}

/// The product of a matrix and a vector, a vector and a matrix, or two matrices, of which one has complex numbers.
///
/// # Safety
/// The descriptors must be flang's.
#[inline(never)]
unsafe fn matrices(result: Out, a: In, b: In, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        let factors = [Factor::of(a, at), Factor::of(b, at)];
        let part = Kind { category: Category::Real, bytes: factors[0].least().max(factors[1].least()) };
        let pair = Pair::of(a, b, at);
        pair.multiply(result, 2 * part.bytes, |to, row, column| {
            store(part, to, dot(false, (row, factors[0]), (column, factors[1])))
        })
    }
}

macro_rules! to_scalars {
    ($($sum:ident $product:ident $dot:ident $ty:ty;)*) => { fortran! { $(
        /// Of all elements of the array, or of those that the mask, if there is one, lets through.
        fn $sum(result: *mut [$ty; 2], array: In, file: File, line: i32, _dimension: i32, mask: In) {
            let (part, mask) = (Kind { category: Category::Real, bytes: size_of::<$ty>() as u64 }, Mask::of(mask, at(file, line)));
            store(part, result.cast(), reduce(Operation::Sum, part, Array::of(array), mask))
        }
        /// Of all elements of the array, or of those that the mask, if there is one, lets through.
        fn $product(result: *mut [$ty; 2], array: In, file: File, line: i32, _dimension: i32, mask: In) {
            let (part, mask) = (Kind { category: Category::Real, bytes: size_of::<$ty>() as u64 }, Mask::of(mask, at(file, line)));
            store(part, result.cast(), reduce(Operation::Product, part, Array::of(array), mask))
        }
        /// Of two vectors, the first one conjugate.
        fn $dot(result: *mut [$ty; 2], a: In, b: In, file: File, line: i32) {
            let part = Kind { category: Category::Real, bytes: size_of::<$ty>() as u64 };
            let [one, other] = [a, b].map(|vector| (Array::of(vector), Factor::of(vector, at(file, line))));
            if one.0.count() != other.0.count() {
                refuse(Failure::FortranShape, at(file, line))
            }
            store(part, result.cast(), dot(true, one, other))
        }
    )* } };
}
to_scalars! {
    _FortranACppSumComplex4 _FortranACppProductComplex4 _FortranACppDotProductComplex4 f32;
    _FortranACppSumComplex8 _FortranACppProductComplex8 _FortranACppDotProductComplex8 f64;
}

product::matmul! { matrices:
    _FortranAMatmulInteger1Complex4 _FortranAMatmulInteger1Complex8 _FortranAMatmulInteger2Complex4
    _FortranAMatmulInteger2Complex8 _FortranAMatmulInteger4Complex4 _FortranAMatmulInteger4Complex8
    _FortranAMatmulInteger8Complex4 _FortranAMatmulInteger8Complex8 _FortranAMatmulReal4Complex4
    _FortranAMatmulReal4Complex8 _FortranAMatmulReal8Complex4 _FortranAMatmulReal8Complex8
    _FortranAMatmulComplex4Integer1 _FortranAMatmulComplex4Integer2 _FortranAMatmulComplex4Integer4
    _FortranAMatmulComplex4Integer8 _FortranAMatmulComplex4Real4 _FortranAMatmulComplex4Real8
    _FortranAMatmulComplex4Complex4 _FortranAMatmulComplex4Complex8 _FortranAMatmulComplex8Integer1
    _FortranAMatmulComplex8Integer2 _FortranAMatmulComplex8Integer4 _FortranAMatmulComplex8Integer8
    _FortranAMatmulComplex8Real4 _FortranAMatmulComplex8Real8 _FortranAMatmulComplex8Complex4
    _FortranAMatmulComplex8Complex8
}
