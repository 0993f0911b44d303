//! Array constructors of which the compiler does not know how many values they have: `[a(1:n), b]` (Fortran 2018, 7.8).

use super::descriptor::{Array, Descriptor, TEXT, dimensions};
use super::{File, In, Out, assign, at, derived, fortran, refuse};
use crate::{
    arch::{self, Failure},
    libc, memory,
};

/// What has been done of one: the compiler has 80 bytes for it, which it does not look into.
#[repr(C)]
pub struct Vector {
    /// The vector that is made. Its extent is how many values there will be, if that is known, else how many there are.
    to: *mut Descriptor,
    /// Values that are there.
    count: u64,
    /// Values for which there is memory.
    room: u64,
    /// Whether the length of texts is that of the first one.
    takes_length: bool,
}
const _: () = assert!(size_of::<Vector>() <= 80 && align_of::<Vector>() <= 8);

impl Vector {
    /// Adds the elements of `from`.
    ///
    /// # Safety
    /// The vector must have been begun, and its descriptor be flang's.
    unsafe fn push(&mut self, from: Array) {
        let added = from.count();
        // SAFETY: as the caller promises; the only dimension follows the descriptor.
        unsafe {
            let dimension = dimensions(self.to);
            let end = self.count.wrapping_add(added);
            if (*self.to).base.is_null() && self.takes_length && (*self.to).ty == TEXT {
                (*self.to).bytes = from.bytes;
            }
            let bytes = (*self.to).bytes;
            if end > self.room || (*self.to).base.is_null() {
                let known = if self.room == 0 { (*dimension).extent.max(0) as u64 } else { 2 * self.room };
                let room = end.max(known);
                let (memory, old) = (memory::from_heap(room.wrapping_mul(bytes).max(1)), (*self.to).base);
                if !old.is_null() {
                    libc::copy_up(memory, old, self.count.wrapping_mul(bytes) as usize);
                    arch::free(old);
                }
                (*self.to).base = memory;
                (*dimension).stride = bytes as i64;
                self.room = room;
            }
            if (*dimension).extent < end as i64 {
                (*dimension).lower = 1;
                (*dimension).extent = end as i64;
            }
            let (to, mut index) = (Array::of(self.to), 0);
            while index < added {
                assign::copy_element(to.element(self.count + index), bytes, from.element(index), from.bytes);
                index += 1;
            }
            derived::detach(derived::type_of(self.to), Array::packed(to.element(self.count), bytes), added);
            self.count = end;
        }
    }
}

fortran! {
    /// Begins one, whose values go to the vector `to`.
    fn _FortranAInitArrayConstructorVector(vector: *mut Vector, to: Out, takes_length: bool, file: File, line: i32) {
        let given = Array::of(to);
        if given.rank != 1 {
            refuse(Failure::FortranShape, at(file, line))
        }
        let room = if given.base.is_null() { 0 } else { given.count() };
        vector.write(Vector { to, count: 0, room, takes_length })
    }
    /// Adds the elements of `from`.
    fn _FortranAPushArrayConstructorValue(vector: *mut Vector, from: In) {
        (*vector).push(Array::of(from))
    }
    /// Adds one number or logical value.
    fn _FortranAPushArrayConstructorSimpleScalar(vector: *mut Vector, from: *mut u8) {
        let bytes = (*(*vector).to).bytes;
        (*vector).push(Array::packed(from, bytes))
    }
}
