//! Products of arrays (Fortran 2018, 16.9): `DOT_PRODUCT` and `MATMUL`, of integers, real numbers and logical values. Those of complex numbers are in [`super::complex`].

use super::descriptor::{Array, Descriptor, establish, kind_of, logical_kind_of};
use super::number::{Category, Kind, Number};
use super::{File, In, Out, Place, at, fortran, refuse};
use crate::arch::Failure;

/// The sum of the products of two vectors' elements, in the category of `kind`: of logical values, whether both are true
/// somewhere.
///
/// # Safety
/// Vectors of numbers of these kinds, the second one at least as long as the first.
#[inline(always)]
unsafe fn dot(kind: Kind, a: (Array, Kind), b: (Array, Kind)) -> u64 {
    let (mut index, count) = (0, a.0.count());
    let (mut real, mut other) = (0f64, 0u64);
    while index < count {
        // SAFETY: elements of the vectors.
        let (x, y) = unsafe {
            (kind.convert(a.1.load(a.0.element(index)), a.1), kind.convert(b.1.load(b.0.element(index)), b.1))
        };
        match kind.category {
            Category::Real => real += f64::from_bits(x) * f64::from_bits(y),
            Category::Integer => other = other.wrapping_add(x.wrapping_mul(y)),
            Category::Logical => other |= x & y,
        }
        index += 1;
    }
    if kind.category == Category::Real { real.to_bits() } else { other }
}

/// The vector that an array has along a dimension; one that is a vector is the only one of its own.
#[inline(always)]
fn vector(array: &Array, number: u8, index: u64) -> Array {
    if array.rank == 1 { *array } else { array.line(number, index) }
}

/// Two matrices that can be multiplied, or a matrix and a vector.
pub(super) struct Pair {
    a: Array,
    b: Array,
}

impl Pair {
    /// # Safety
    /// The descriptors must be flang's.
    #[inline(always)]
    pub unsafe fn of(a: In, b: In, at: Place) -> Self {
        // SAFETY: as the caller promises.
        let (a, b) = unsafe { (Array::of(a), Array::of(b)) };
        // The last dimension of the first one goes with the first one of the other.
        let last = a.rank.wrapping_sub(1);
        if !(1..=2).contains(&a.rank) || !(1..=2).contains(&b.rank) || a.extent(last) != b.extent(0) {
            refuse(Failure::FortranShape, at)
        }
        Self { a, b }
    }

    /// Makes the product: elements of so many bytes, each of a row of the first one and a column of the other.
    ///
    /// # Safety
    /// As for [`establish`]; `of_vectors` writes such an element.
    #[inline(always)]
    pub unsafe fn multiply(&self, result: Out, bytes: u64, of_vectors: impl Fn(*mut u8, Array, Array)) {
        let Self { a, b } = self;
        let rows = if a.rank == 2 { a.extent(0) } else { 1 };
        let columns = if b.rank == 2 { b.extent(1) } else { 1 };
        let extent = |number: u8| if number == 0 && a.rank == 2 { rows } else { columns };
        // SAFETY: as the caller promises; the elements stand one behind the other.
        unsafe {
            let result = establish(result, bytes, a.rank + b.rank - 2, extent);
            let mut column = 0;
            while column < columns {
                let right = vector(b, 0, column);
                let mut row = 0;
                while row < rows {
                    let to = result.base.add(((column * rows + row) * bytes) as usize);
                    of_vectors(to, vector(a, a.rank - 1, row), right);
                    row += 1;
                }
                column += 1;
            }
        }
    }
}

/// The product of a matrix and a vector, a vector and a matrix, or two matrices.
///
/// # Safety
/// The descriptors must be flang's; the kinds are those of their elements.
#[inline(never)]
unsafe fn matrices(result: Out, a: In, b: In, kinds: [Kind; 2], kind: Kind, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        Pair::of(a, b, at).multiply(result, kind.bytes, |to, row, column| {
            kind.store(to, dot(kind, (row, kinds[0]), (column, kinds[1])))
        })
    }
}

/// The kind of products of numbers of two kinds.
#[inline(always)]
fn common(a: Kind, b: Kind) -> Kind {
    if a.category == b.category {
        return if a.bytes > b.bytes { a } else { b };
    }
    if a.category == Category::Real { a } else { b }
}

macro_rules! dots {
    ($($name:ident $ty:ty;)*) => { fortran! { $(
        /// Of two vectors.
        fn $name(a: In, b: In, file: File, line: i32) -> $ty {
            <$ty>::of_bits(dots_of(<$ty>::KIND, a, b, at(file, line)))
        }
    )* } };
}

/// # Safety
/// The descriptors must be flang's.
#[inline(never)]
unsafe fn dots_of(kind: Kind, a: *const Descriptor, b: *const Descriptor, at: Place) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        let of = |descriptor| {
            let logical = kind.category == Category::Logical;
            (
                Array::of(descriptor),
                if logical { logical_kind_of(descriptor, at) } else { kind_of(descriptor, at) },
            )
        };
        let (a, b) = (of(a), of(b));
        if a.0.count() != b.0.count() {
            refuse(Failure::FortranShape, at)
        }
        dot(kind, a, b)
    }
}

dots! {
    _FortranADotProductInteger1 i8;
    _FortranADotProductInteger2 i16;
    _FortranADotProductInteger4 i32;
    _FortranADotProductInteger8 i64;
    _FortranADotProductReal4 f32;
    _FortranADotProductReal8 f64;
}

/// Of two matrices of numbers.
///
/// # Safety
/// The descriptors must be flang's.
#[inline(always)]
unsafe fn of_numbers(result: Out, a: In, b: In, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        let kinds = [kind_of(a, at), kind_of(b, at)];
        matrices(result, a, b, kinds, common(kinds[0], kinds[1]), at)
    }
}

/// Of two matrices of logical values.
///
/// # Safety
/// The descriptors must be flang's.
#[inline(always)]
unsafe fn of_logical_values(result: Out, a: In, b: In, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        let kinds = [logical_kind_of(a, at), logical_kind_of(b, at)];
        matrices(result, a, b, kinds, common(kinds[0], kinds[1]), at)
    }
}

/// `MATMUL` under flang's names for the kinds of its arguments, which their descriptors tell as well.
macro_rules! matmul {
    ($of:ident: $($name:ident)*) => { fortran! { $(
        /// Of two matrices, or a matrix and a vector.
        fn $name(result: Out, a: In, b: In, file: File, line: i32) {
            $of(result, a, b, at(file, line))
        }
    )* } };
}
pub(super) use matmul;

matmul! { of_numbers:
    _FortranAMatmulInteger1Integer1 _FortranAMatmulInteger1Integer2 _FortranAMatmulInteger1Integer4
    _FortranAMatmulInteger1Integer8 _FortranAMatmulInteger1Real4 _FortranAMatmulInteger1Real8
    _FortranAMatmulInteger2Integer1 _FortranAMatmulInteger2Integer2 _FortranAMatmulInteger2Integer4
    _FortranAMatmulInteger2Integer8 _FortranAMatmulInteger2Real4 _FortranAMatmulInteger2Real8
    _FortranAMatmulInteger4Integer1 _FortranAMatmulInteger4Integer2 _FortranAMatmulInteger4Integer4
    _FortranAMatmulInteger4Integer8 _FortranAMatmulInteger4Real4 _FortranAMatmulInteger4Real8
    _FortranAMatmulInteger8Integer1 _FortranAMatmulInteger8Integer2 _FortranAMatmulInteger8Integer4
    _FortranAMatmulInteger8Integer8 _FortranAMatmulInteger8Real4 _FortranAMatmulInteger8Real8
    _FortranAMatmulReal4Integer1 _FortranAMatmulReal4Integer2 _FortranAMatmulReal4Integer4
    _FortranAMatmulReal4Integer8 _FortranAMatmulReal4Real4 _FortranAMatmulReal4Real8 _FortranAMatmulReal8Integer1
    _FortranAMatmulReal8Integer2 _FortranAMatmulReal8Integer4 _FortranAMatmulReal8Integer8 _FortranAMatmulReal8Real4
    _FortranAMatmulReal8Real8
}
matmul! { of_logical_values:
    _FortranAMatmulLogical1Logical1 _FortranAMatmulLogical1Logical2 _FortranAMatmulLogical1Logical4
    _FortranAMatmulLogical1Logical8 _FortranAMatmulLogical2Logical1 _FortranAMatmulLogical2Logical2
    _FortranAMatmulLogical2Logical4 _FortranAMatmulLogical2Logical8 _FortranAMatmulLogical4Logical1
    _FortranAMatmulLogical4Logical2 _FortranAMatmulLogical4Logical4 _FortranAMatmulLogical4Logical8
    _FortranAMatmulLogical8Logical1 _FortranAMatmulLogical8Logical2 _FortranAMatmulLogical8Logical4
    _FortranAMatmulLogical8Logical8
}

fortran! {
    /// Whether both are true somewhere.
    fn _FortranADotProductLogical(a: In, b: In, file: File, line: i32) -> bool {
        dots_of(Kind { category: Category::Logical, bytes: 1 }, a, b, at(file, line)) != 0
    }
}
