//! Arrays made of others' elements (Fortran 2018, 16.9): `TRANSPOSE`, `SPREAD`, `PACK`, `UNPACK`, `CSHIFT`, `EOSHIFT`, `RESHAPE`.

use super::descriptor::{Array, Descriptor, TEXT, copy_bytes, dimension_number, establish, kind_of};
use super::reduce::Mask;
use super::{File, In, Out, Place, at, derived, fortran, refuse};
use crate::arch::Failure;
use crate::libc;

/// The integer in an element.
///
/// # Safety
/// The descriptor must be flang's, with integers.
#[inline(always)]
unsafe fn integer(descriptor: *const Descriptor, index: u64, at: Place) -> i64 {
    // SAFETY: as the caller promises.
    unsafe { kind_of(descriptor, at).load(Array::of(descriptor).element_or_scalar(index)) as i64 }
}

/// What stands where a shift leaves nothing.
#[derive(Clone, Copy)]
enum Boundary {
    /// The elements come round.
    Round,
    /// Zeros, or blanks.
    Nothing,
    /// These elements, one for each vector, or a scalar.
    Given(Array),
}

impl Boundary {
    /// # Safety
    /// The descriptor must be null or flang's.
    #[inline(always)]
    unsafe fn of(descriptor: *const Descriptor) -> Self {
        // SAFETY: as the caller promises.
        if descriptor.is_null() { Self::Nothing } else { Self::Given(unsafe { Array::of(descriptor) }) }
    }
}

/// Shifts the vectors along a dimension to lower places; `by` gives how far.
///
/// # Safety
/// The descriptors must be flang's.
#[inline(always)]
unsafe fn shift(
    result: *mut Descriptor,
    source: *const Descriptor,
    dimension: i32,
    by: impl Fn(u64) -> i64,
    boundary: Boundary,
    at: Place,
) {
    // SAFETY: as the caller promises; elements are below their counts.
    unsafe {
        let empty = if (*source).ty == TEXT { b' ' } else { 0 };
        let (made, model) = (result, source);
        let source = Array::of(source);
        let number = dimension_number(&source, dimension, at);
        let result = establish(result, source.bytes, source.rank, |k| source.extent(k));
        let (lines, extent, mut index) = (source.lines(number), source.extent(number), 0);
        while index < lines {
            let (from, to, by) = (source.line(number, index), result.line(number, index), by(index));
            let mut at = 0;
            while at < extent {
                let place = by.wrapping_add(at as i64);
                let inside = place >= 0 && (place as u64) < extent;
                let to = to.element(at);
                match boundary {
                    _ if inside => copy_bytes(to, from.element(place as u64), source.bytes),
                    Boundary::Round => {
                        // The extent is not 0 here.
                        let round = place.wrapping_rem_euclid(extent.max(1) as i64);
                        copy_bytes(to, from.element(round as u64), source.bytes)
                    }
                    Boundary::Given(given) => copy_bytes(to, given.element_or_scalar(index), source.bytes),
                    Boundary::Nothing => libc::fill(to, empty, source.bytes as usize),
                }
                at += 1;
            }
            index += 1;
        }
        derived::own(made, model);
    }
}

fortran! {
    /// Rows become columns.
    fn _FortranATranspose(result: Out, matrix: In, _file: File, _line: i32) {
        let (made, model) = (result, matrix);
        let source = Array::of(matrix);
        let (rows, columns) = (source.extent(0), source.extent(1));
        let result = establish(result, source.bytes, 2, |number| if number == 0 { columns } else { rows });
        let mut row = 0;
        while row < rows {
            let (from, to) = (source.line(1, row), result.line(0, row));
            let mut column = 0;
            while column < columns {
                copy_bytes(to.element(column), from.element(column), source.bytes);
                column += 1;
            }
            row += 1;
        }
        derived::own(made, model);
    }
    /// The same array so often, along a new dimension.
    fn _FortranASpread(result: Out, source: In, dimension: i32, copies: i64, _file: File, _line: i32) {
        let (made, model) = (result, source);
        let source = Array::of(source);
        let (number, copies) = ((dimension - 1) as u8, copies.max(0) as u64);
        let extent = |k: u8| match k {
            k if k == number => copies,
            k => source.extent(if k < number { k } else { k - 1 }),
        };
        let result = establish(result, source.bytes, source.rank + 1, extent);
        let (lines, mut index) = (result.lines(number), 0);
        while index < lines {
            let (to, from) = (result.line(number, index), source.element_or_scalar(index));
            let mut copy = 0;
            while copy < copies {
                copy_bytes(to.element(copy), from, source.bytes);
                copy += 1;
            }
            index += 1;
        }
        derived::own(made, model);
    }
    /// The elements that the mask lets through, one behind the other; behind them those of `vector`, if there is one.
    fn _FortranAPack(result: Out, array: In, mask: In, vector: In, file: File, line: i32) {
        let (made, model) = (result, array);
        let (source, mask, all) = (Array::of(array), Mask::of(mask, at(file, line)), Array::of(array).count());
        let (mut count, mut index) = (0, 0);
        while index < all {
            count += u64::from(mask.holds(index));
            index += 1;
        }
        let vector = if vector.is_null() { None } else { Some(Array::of(vector)) };
        let result = establish(result, source.bytes, 1, |_| vector.map_or(count, |vector| vector.extent(0)));
        let (mut to, mut index) = (0, 0);
        while index < all {
            if mask.holds(index) {
                copy_bytes(result.element(to), source.element(index), source.bytes);
                to += 1;
            }
            index += 1;
        }
        if let Some(vector) = vector {
            while to < vector.extent(0) {
                copy_bytes(result.element(to), vector.element(to), source.bytes);
                to += 1;
            }
        }
        derived::own(made, model);
    }
    /// The elements of a vector where the mask lets them through, elsewhere those of `field`.
    fn _FortranAUnpack(result: Out, vector: In, mask: In, field: In, file: File, line: i32) {
        let (made, model) = (result, vector);
        let (vector, shape, field) = (Array::of(vector), Array::of(mask), Array::of(field));
        let mask = Mask::of(mask, at(file, line));
        let result = establish(result, vector.bytes, shape.rank, |number| shape.extent(number));
        let (count, mut taken, mut index) = (result.count(), 0, 0);
        while index < count {
            let from = if mask.holds(index) {
                taken += 1;
                vector.element(taken - 1)
            } else {
                field.element_or_scalar(index)
            };
            copy_bytes(result.element(index), from, vector.bytes);
            index += 1;
        }
        derived::own(made, model);
    }
    /// Vectors along a dimension, turned round.
    fn _FortranACshift(result: Out, source: In, by: In, dimension: i32, file: File, line: i32) {
        shift(result, source, dimension, |number| integer(by, number, at(file, line)), Boundary::Round, at(file, line))
    }
    /// A vector, turned round.
    fn _FortranACshiftVector(result: Out, source: In, by: i64, file: File, line: i32) {
        shift(result, source, 1, |_| by, Boundary::Round, at(file, line))
    }
    /// Vectors along a dimension, shifted.
    fn _FortranAEoshift(
        result: Out, source: In, by: In, boundary: In, dimension: i32, file: File, line: i32,
    ) {
        shift(result, source, dimension, |number| integer(by, number, at(file, line)), Boundary::of(boundary), at(file, line))
    }
    /// A vector, shifted.
    fn _FortranAEoshiftVector(result: Out, source: In, by: i64, boundary: In, file: File, line: i32) {
        shift(result, source, 1, |_| by, Boundary::of(boundary), at(file, line))
    }
    /// The same elements in another shape, those of `padding` behind them, again and again. `order` tells which dimension runs
    /// fastest.
    fn _FortranAReshape(
        result: Out, source: In, shape: In, padding: In, order: In, file: File, line: i32,
    ) {
        let (made, model) = (result, source);
        const MOST: usize = 15;
        let rank = Array::of(shape).extent(0) as u8;
        if rank as usize > MOST {
            refuse(Failure::FortranShape, at(file, line))
        }
        let source = Array::of(source);
        let result =
            establish(result, source.bytes, rank, |number| integer(shape, number.into(), at(file, line)).max(0) as u64);
        let padding = if padding.is_null() { None } else { Some(Array::of(padding)) };
        let (count, given, mut index) = (result.count(), source.count(), 0);
        while index < count {
            // The place of element `index`, dimension by dimension in their order.
            let (mut left, mut to, mut k) = (index, result.base, 0);
            while k < rank {
                let number = if order.is_null() { k } else { (integer(order, k.into(), at(file, line)) - 1) as u8 };
                let extent = result.extent(number).max(1);
                to = to.wrapping_add(((left % extent) * result.dimension(number).stride as u64) as usize);
                left /= extent;
                k += 1;
            }
            let from = match padding {
                _ if index < given => source.element(index),
                Some(padding) => padding.element((index - given) % padding.count().max(1)),
                None => refuse(Failure::FortranShape, at(file, line)),
            };
            copy_bytes(to, from, source.bytes);
            index += 1;
        }
        derived::own(made, model);
    }
}
