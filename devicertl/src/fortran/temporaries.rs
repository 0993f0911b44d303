//! Copies that the compiler makes for a while: of arrays with gaps for procedures that want none, and of values and descriptors for
//! FORALL and WHERE, whose number it does not know (`flang/Runtime/temporary-stack.h`).

use super::descriptor::{ALLOCATABLE, Array, Descriptor, make};
use super::{File, In, Out, Place, assign, derived, fortran, refuse};
use crate::{
    arch::{self, Failure},
    memory,
};

/// Makes a descriptor that of an array of its own, without gaps and with the same bounds, whose elements are not set.
///
/// # Safety
/// The descriptor must be flang's.
unsafe fn pack(descriptor: *mut Descriptor) -> Array {
    // SAFETY: as the caller promises.
    unsafe {
        make(descriptor);
        (*descriptor).attribute = ALLOCATABLE;
        Array::of(descriptor)
    }
}

/// Copies the bytes of elements.
///
/// # Safety
/// Arrays with as many elements of as many bytes.
unsafe fn copy_all(to: Array, from: Array) {
    // SAFETY: as the caller promises.
    unsafe { assign::copy_elements(to, from, from.count(), false) }
}

/// Descriptors, or values with them.
#[repr(C)]
pub struct Stack {
    descriptors: *mut *mut Descriptor,
    count: u64,
    room: u64,
}

/// Room of a stack that is new.
const FIRST_ROOM: u64 = 8;

impl Stack {
    /// # Safety
    /// None but that the heap is there.
    unsafe fn create() -> *mut Self {
        // SAFETY: memory of the heap.
        unsafe {
            let stack: *mut Self = memory::from_heap(size_of::<Self>() as u64).cast();
            let descriptors = memory::from_heap(FIRST_ROOM * size_of::<usize>() as u64).cast();
            stack.write(Self { descriptors, count: 0, room: FIRST_ROOM });
            stack
        }
    }

    /// Adds a copy of a descriptor, and gives it.
    ///
    /// # Safety
    /// The descriptor must be flang's.
    unsafe fn push(&mut self, from: In) -> *mut Descriptor {
        // SAFETY: as the caller promises.
        unsafe {
            if self.count == self.room {
                let bytes = self.room * size_of::<usize>() as u64;
                let more = memory::from_heap(2 * bytes);
                crate::libc::copy_up(more, self.descriptors.cast(), bytes as usize);
                arch::free(self.descriptors.cast());
                (self.descriptors, self.room) = (more.cast(), 2 * self.room);
            }
            let copy: *mut Descriptor = memory::from_heap(derived::bytes_of_descriptor(from)).cast();
            derived::copy_descriptor(copy, from);
            self.descriptors.add(self.count as usize).write(copy);
            self.count += 1;
            copy
        }
    }

    /// Copies a descriptor out.
    ///
    /// # Safety
    /// `to` must have room for it.
    unsafe fn read(&self, index: u64, to: Out) -> *mut Descriptor {
        if index >= self.count {
            refuse(Failure::FortranShape, Place::UNKNOWN)
        }
        // SAFETY: as the caller promises; there are so many.
        unsafe {
            let descriptor = self.descriptors.add(index as usize).read();
            derived::copy_descriptor(to, descriptor);
            descriptor
        }
    }

    /// Takes the last one away, whose value is the caller's then.
    ///
    /// # Safety
    /// As for [`Self::read`].
    unsafe fn pop(&mut self, to: Out) {
        // SAFETY: as the caller promises.
        unsafe { arch::free(self.read(self.count.wrapping_sub(1), to).cast()) };
        self.count -= 1;
    }

    /// # Safety
    /// The stack is not used any more. Its values are its own.
    unsafe fn destroy(stack: *mut Self, has_values: bool) {
        // SAFETY: as the caller promises.
        unsafe {
            let mut index = 0;
            while index < (*stack).count {
                let descriptor = (*stack).descriptors.add(index as usize).read();
                if has_values {
                    derived::deallocate(descriptor);
                }
                arch::free(descriptor.cast());
                index += 1;
            }
            arch::free((*stack).descriptors.cast());
            arch::free(stack.cast());
        }
    }
}

fortran! {
    /// Makes `temporary` a copy of `variable` without gaps.
    fn _FortranACopyInAssign(temporary: Out, variable: In, _file: File, _line: i32) {
        derived::copy_descriptor(temporary, variable);
        copy_all(pack(temporary), Array::of(variable))
    }
    /// Copies such a copy back, unless `variable` is null, and frees it.
    fn _FortranACopyOutAssign(variable: Out, temporary: Out, _file: File, _line: i32) {
        if !variable.is_null() {
            copy_all(Array::of(variable), Array::of(temporary))
        }
        arch::free((*temporary).base);
        (*temporary).base = core::ptr::null_mut();
    }
    /// A stack of values.
    fn _FortranACreateValueStack(_file: File, _line: i32) -> *mut Stack {
        Stack::create()
    }
    /// Adds a copy of a value.
    fn _FortranAPushValue(stack: *mut Stack, value: In) {
        let copy = (*stack).push(value);
        pack(copy);
        assign::_FortranAAssignTemporary(copy, value, core::ptr::null(), 0)
    }
    /// Takes the last value away; the caller frees it.
    fn _FortranAPopValue(stack: *mut Stack, value: Out) {
        (*stack).pop(value)
    }
    /// A value, which stays the stack's.
    fn _FortranAValueAt(stack: *mut Stack, index: u64, value: Out) {
        (*stack).read(index, value);
    }
    /// Frees a stack and its values.
    fn _FortranADestroyValueStack(stack: *mut Stack) {
        Stack::destroy(stack, true)
    }
    /// A stack of descriptors.
    fn _FortranACreateDescriptorStack(_file: File, _line: i32) -> *mut Stack {
        Stack::create()
    }
    /// Adds a descriptor.
    fn _FortranAPushDescriptor(stack: *mut Stack, descriptor: In) {
        (*stack).push(descriptor);
    }
    /// Takes the last descriptor away.
    fn _FortranAPopDescriptor(stack: *mut Stack, descriptor: Out) {
        (*stack).pop(descriptor)
    }
    /// A descriptor.
    fn _FortranADescriptorAt(stack: *mut Stack, index: u64, descriptor: Out) {
        (*stack).read(index, descriptor);
    }
    /// Frees a stack.
    fn _FortranADestroyDescriptorStack(stack: *mut Stack) {
        Stack::destroy(stack, false)
    }
}
