//! Questions about arrays whose answers are in their descriptors: bounds, extents and whether they have gaps (Fortran 2018, 16.9.109,
//! 16.9.172, 16.9.179 and 16.9.196), descriptors that differ in these, and TRANSFER (16.9.193), which takes elements as they stand.

use super::descriptor::{Array, Dimension, dimension_number, dimensions, establish};
use super::number::{Category, Kind};
use super::{File, In, Out, assign, at, derived, fortran};
use crate::{arch, memory};

/// Writes a number of each dimension: integers of so many bytes, one behind the other.
///
/// # Safety
/// There must be room for them.
unsafe fn write_each(to: *mut u8, array: In, bytes: i32, number_of: impl Fn(Dimension) -> i64) {
    let kind = Kind { category: Category::Integer, bytes: bytes as u64 };
    // SAFETY: as the caller promises.
    unsafe {
        let (array, mut number) = (Array::of(array), 0);
        while number < array.rank {
            let place = to.add(usize::from(number) * bytes as usize);
            kind.store(place, number_of(array.dimension(number)) as u64);
            number += 1;
        }
    }
}

/// The lower bound of a dimension: 1 if it has no elements (16.9.109).
fn lower(dimension: Dimension) -> i64 {
    if dimension.extent == 0 { 1 } else { dimension.lower }
}

fn upper(dimension: Dimension) -> i64 {
    lower(dimension).wrapping_add(dimension.extent).wrapping_sub(1)
}

/// Whether the elements of the first dimensions stand one behind the other.
fn has_no_gaps(array: &Array, dimensions: u8) -> bool {
    let (mut stride, mut number, mut same) = (array.bytes as i64, 0, true);
    while number < dimensions {
        let Dimension { extent, stride: given, .. } = array.dimension(number);
        if extent <= 0 {
            return true;
        }
        same &= extent == 1 || given == stride;
        stride = stride.wrapping_mul(extent);
        number += 1;
    }
    same
}

/// What the extent of the last dimension of an array of assumed size is.
const ASSUMED: i64 = -1;

/// TRANSFER to as many elements as `size` says, or to a scalar.
///
/// # Safety
/// The descriptors must be flang's.
unsafe fn transfer(result: Out, source: In, mold: In, size: Option<u64>) {
    // SAFETY: as the caller promises. All of the source is written one behind the other, then as much as there is room for.
    unsafe {
        let (source, bytes) = (Array::of(source), (*mold).bytes);
        let (elements, given) = (size.unwrap_or(1), source.count().wrapping_mul(source.bytes));
        let rank = u8::from(size.is_some());
        let to = establish(result, bytes, rank, |_| elements);
        derived::set_type(result, derived::type_of(mold));
        let whole = Array::packed(memory::from_heap(given.max(1)), source.bytes);
        assign::copy_elements(whole, source, source.count(), false);
        crate::libc::copy_up(to.base, whole.base, given.min(elements.wrapping_mul(bytes)) as usize);
        arch::free(whole.base);
    }
}

fortran! {
    /// LBOUND of a dimension.
    fn _FortranALboundDim(array: In, dimension: i32, file: File, line: i32) -> i64 {
        let array = Array::of(array);
        lower(array.dimension(dimension_number(&array, dimension, at(file, line))))
    }
    /// LBOUND.
    fn _FortranALbound(result: *mut u8, array: In, bytes: i32, _file: File, _line: i32) {
        write_each(result, array, bytes, lower)
    }
    /// UBOUND.
    fn _FortranAUbound(result: *mut u8, array: In, bytes: i32, _file: File, _line: i32) {
        write_each(result, array, bytes, upper)
    }
    /// SHAPE.
    fn _FortranAShape(result: *mut u8, array: In, bytes: i32, _file: File, _line: i32) {
        write_each(result, array, bytes, |dimension| dimension.extent)
    }
    /// SIZE.
    fn _FortranASize(array: In, _file: File, _line: i32) -> i64 {
        Array::of(array).count() as i64
    }
    /// SIZE of a dimension.
    fn _FortranASizeDim(array: In, dimension: i32, file: File, line: i32) -> i64 {
        let array = Array::of(array);
        array.dimension(dimension_number(&array, dimension, at(file, line))).extent
    }
    /// Whether the elements stand one behind the other.
    fn _FortranAIsContiguous(array: In) -> bool {
        let array = Array::of(array);
        has_no_gaps(&array, array.rank)
    }
    /// The same of the first dimensions.
    fn _FortranAIsContiguousUpTo(array: In, dimensions: i32) -> bool {
        let array = Array::of(array);
        has_no_gaps(&array, array.rank.min(dimensions.clamp(0, 127) as u8))
    }
    /// Whether an array is of assumed size.
    fn _FortranAIsAssumedSize(array: In) -> bool {
        let array = Array::of(array);
        array.rank > 0 && array.dimension(array.rank - 1).extent == ASSUMED
    }
    /// Copies a descriptor, with another attribute, perhaps another type, and lower bounds as they are (0), of 1 or of 0.
    fn _FortranACopyAndUpdateDescriptor(to: Out, from: In, ty: *const derived::Type, attribute: u8, bounds: i32) {
        derived::copy_descriptor(to, from);
        derived::set_type(to, ty);
        (*to).attribute = attribute;
        let mut number = 0;
        while bounds != 0 && number < (*to).rank {
            (*dimensions(to).add(number.into())).lower = if bounds == 1 { 1 } else { 0 };
            number += 1;
        }
    }
    /// TRANSFER without SIZE.
    fn _FortranATransfer(result: Out, source: In, mold: In, _file: File, _line: i32) {
        let (given, bytes) = (Array::of(source), (*mold).bytes.max(1));
        let size = given.count().wrapping_mul(given.bytes).div_ceil(bytes);
        transfer(result, source, mold, ((*mold).rank > 0).then_some(size))
    }
    /// TRANSFER with SIZE.
    fn _FortranATransferSize(result: Out, source: In, mold: In, _file: File, _line: i32, size: i64) {
        transfer(result, source, mold, Some(size.max(0) as u64))
    }
}
