//! Products of arrays (Fortran 2018, 16.9): `DOT_PRODUCT` and `MATMUL`, of integers, real numbers and logical values.

use super::descriptor::{Array, Descriptor, establish, kind_of, logical_kind_of};
use super::number::{Category, Kind, Number};
use super::{File, In, Out, fortran, refuse};

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

/// The product of a matrix and a vector, a vector and a matrix, or two matrices.
///
/// # Safety
/// The descriptors must be flang's; the kinds are those of their elements.
#[inline(never)]
unsafe fn matrices(
    result: *mut Descriptor,
    a: *const Descriptor,
    b: *const Descriptor,
    kinds: [Kind; 2],
    kind: Kind,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let (a, b) = (Array::of(a), Array::of(b));
        // The last dimension of the first one goes with the first one of the other.
        let last = a.rank.wrapping_sub(1);
        if !(1..=2).contains(&a.rank) || !(1..=2).contains(&b.rank) || a.extent(last) != b.extent(0) {
            refuse()
        }
        let rows = if a.rank == 2 { a.extent(0) } else { 1 };
        let columns = if b.rank == 2 { b.extent(1) } else { 1 };
        let rank = a.rank + b.rank - 2;
        let extent = |number: u8| if number == 0 && a.rank == 2 { rows } else { columns };
        let result = establish(result, kind.bytes, rank, extent);
        let mut column = 0;
        while column < columns {
            let right = (vector(&b, 0, column), kinds[1]);
            let mut row = 0;
            while row < rows {
                let bits = dot(kind, (vector(&a, last, row), kinds[0]), right);
                kind.store(result.base.add(((column * rows + row) * kind.bytes) as usize), bits);
                row += 1;
            }
            column += 1;
        }
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
        fn $name(a: In, b: In, _file: File, _line: i32) -> $ty {
            <$ty>::of_bits(dots_of(<$ty>::KIND, a, b))
        }
    )* } };
}

/// # Safety
/// The descriptors must be flang's.
#[inline(never)]
unsafe fn dots_of(kind: Kind, a: *const Descriptor, b: *const Descriptor) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        let of = |descriptor| {
            let logical = kind.category == Category::Logical;
            (Array::of(descriptor), if logical { logical_kind_of(descriptor) } else { kind_of(descriptor) })
        };
        let (a, b) = (of(a), of(b));
        if a.0.count() != b.0.count() {
            refuse()
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

macro_rules! products {
    ($($name:ident)*) => { fortran! { $(
        /// Of two matrices, or a matrix and a vector.
        fn $name(result: Out, a: In, b: In, _file: File, _line: i32) {
            let kinds = [kind_of(a), kind_of(b)];
            matrices(result, a, b, kinds, common(kinds[0], kinds[1]))
        }
    )* } };
}
products! {
    _FortranAMatmulInteger4Integer4 _FortranAMatmulInteger4Integer8 _FortranAMatmulInteger4Real4 _FortranAMatmulInteger4Real8
    _FortranAMatmulInteger8Integer4 _FortranAMatmulInteger8Integer8 _FortranAMatmulInteger8Real4 _FortranAMatmulInteger8Real8
    _FortranAMatmulReal4Integer4 _FortranAMatmulReal4Integer8 _FortranAMatmulReal4Real4 _FortranAMatmulReal4Real8
    _FortranAMatmulReal8Integer4 _FortranAMatmulReal8Integer8 _FortranAMatmulReal8Real4 _FortranAMatmulReal8Real8
}

fortran! {
    /// Whether both are true somewhere.
    fn _FortranADotProductLogical(a: In, b: In, _file: File, _line: i32) -> bool {
        dots_of(Kind { category: Category::Logical, bytes: 1 }, a, b) != 0
    }
    /// Of two logical matrices, or a matrix and a vector.
    fn _FortranAMatmulLogical4Logical4(result: Out, a: In, b: In, _file: File, _line: i32) {
        let kinds = [logical_kind_of(a), logical_kind_of(b)];
        matrices(result, a, b, kinds, kinds[0])
    }
}
