//! Memory of `operator new` for classes that need more alignment than `malloc` gives: the block that it is a part of stands in front of
//! it. `devicertl/build/src/cxx.rs` has the operators.

use crate::memory::{free, malloc};
use core::ptr::null_mut;

/// What stands in front of the memory.
type Block = *mut u8;

crate::c_functions! {
    /// Memory at an address that `alignment`, a power of two, divides; null if there is none.
    fn omptarget_cxx_aligned_new(bytes: usize, alignment: usize) -> *mut u8 {
        let alignment = alignment.max(align_of::<Block>());
        // The next address that is aligned and behind a block's.
        let Some(all) = (size_of::<Block>() + alignment - 1).checked_add(bytes) else { return null_mut() };
        let block = malloc(all);
        if block.is_null() {
            return block;
        }
        let first = block.wrapping_add(size_of::<Block>());
        let memory = first.wrapping_add(first.addr().wrapping_neg() & (alignment - 1));
        memory.cast::<Block>().sub(1).write(block);
        memory
    }
    /// Gives back such memory.
    fn omptarget_cxx_aligned_delete(memory: *mut u8) {
        if !memory.is_null() {
            free(memory.cast::<Block>().sub(1).read());
        }
    }
}
