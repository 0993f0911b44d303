//! A piece of memory of an allocator, and the words in front of it.
//!
//! ```text
//! start            memory - 16        memory
//!   | ... start -> | owner | size | the user's bytes
//! ```
//!
//! `size` is the number of bytes times two, plus one if `memory - 32` holds where the block starts: then an alignment
//! larger than the 16 bytes that all memory has was wanted. The topmost byte says whether the block is in use.

use super::traits::Handle;
use crate::{arch, memory};
use core::ptr::null_mut;

/// Bytes of owner and size.
const HEAD: u64 = 16;
/// Bytes with the start of the block before them.
const LONG_HEAD: u64 = 32;
/// Where the topmost byte of `size` begins.
const MARK_SHIFT: u32 = 56;
/// The topmost byte of `size` of a block in use.
const IN_USE: u64 = 0xa7 << MARK_SHIFT;
/// Most bytes of a block.
const MOST_BYTES: u64 = 1 << 54;

/// A block, by the address that the user has.
#[derive(Clone, Copy)]
pub struct Block(*mut u8);

impl Block {
    /// A block on the device heap; the user's address or null.
    #[inline(never)]
    pub fn on_heap(bytes: u64, alignment: u64, owner: Handle) -> *mut u8 {
        let Some(all) = size_of_all(bytes, alignment) else { return null_mut() };
        let start = arch::malloc(all);
        if start.is_null() {
            return start;
        }
        // SAFETY: fresh memory of this size.
        unsafe { Self::set_up(start, bytes, alignment, owner) }.0
    }

    /// A block in the team's pool; the user's address, or null if it does not fit.
    pub fn in_pool(bytes: u64, alignment: u64, owner: Handle) -> *mut u8 {
        let Some(all) = size_of_all(bytes, alignment) else { return null_mut() };
        let start = memory::from_pool(all);
        if start.is_null() {
            return start;
        }
        // SAFETY: fresh memory of this size, of which the end may be too much: the alignment has eaten less than it
        // could.
        unsafe {
            let block = Self::set_up(start, bytes, alignment, owner);
            let used = memory::in_granules(block.end_from(start));
            let taken = memory::in_granules(all);
            if used < taken {
                memory::to_pool(start.add(used as usize), taken - used);
            }
            block.0
        }
    }

    /// Writes the head of a block.
    ///
    /// # Safety
    /// `start` must be valid for the bytes that [`size_of_all`] says.
    unsafe fn set_up(start: *mut u8, bytes: u64, alignment: u64, owner: Handle) -> Self {
        let long = alignment > HEAD;
        let head = if long { LONG_HEAD } else { HEAD };
        let address = (start as u64 + head + alignment - 1) & !(alignment - 1);
        // SAFETY: at least the head stands before the address.
        unsafe {
            let memory = start.add((address - start as u64) as usize);
            if long {
                memory.sub(LONG_HEAD as usize).cast::<*mut u8>().write(start);
            }
            let block = Self(memory);
            block.word(2).write(owner.bits());
            block.word(1).write(IN_USE | bytes << 1 | long as u64);
            block
        }
    }

    /// The block with this address.
    ///
    /// # Safety
    /// A head must stand before `memory`.
    #[inline(always)]
    pub unsafe fn of(memory: *mut u8) -> Self {
        Self(memory)
    }

    /// The word `number` words before the user's.
    #[inline(always)]
    fn word(self, number: usize) -> *mut u64 {
        self.0.cast::<u64>().wrapping_sub(number)
    }

    /// Owner and size.
    #[inline(always)]
    fn head(self) -> (u64, u64) {
        // SAFETY: a head stands before the user's bytes.
        unsafe { (self.word(2).read(), self.word(1).read()) }
    }

    /// Whether the block has not been freed. Memory of no allocator has something else there, most likely.
    #[inline(always)]
    pub fn is_in_use(self) -> bool {
        self.head().1 >> MARK_SHIFT == IN_USE >> MARK_SHIFT
    }

    /// The allocator that gave it.
    #[inline(always)]
    pub fn owner(self) -> Handle {
        Handle::of(self.head().0)
    }

    /// The user's bytes.
    #[inline(always)]
    pub fn bytes(self) -> u64 {
        (self.head().1 & !(0xff << MARK_SHIFT)) >> 1
    }

    /// Where the block starts.
    fn start(self) -> *mut u8 {
        if self.head().1 & 1 == 0 {
            return self.0.wrapping_sub(HEAD as usize);
        }
        // SAFETY: a long head stands before the user's bytes.
        unsafe { self.0.sub(LONG_HEAD as usize).cast::<*mut u8>().read() }
    }

    /// Bytes from `start` to the end of the user's.
    fn end_from(self, start: *mut u8) -> u64 {
        self.0 as u64 - start as u64 + self.bytes()
    }

    /// Gives the block back.
    ///
    /// # Safety
    /// It must be in use.
    pub unsafe fn free(self) {
        let start = self.start();
        let all = self.end_from(start);
        // SAFETY: as the caller promises; the block is its owner's to change until it is given back.
        unsafe {
            self.word(1).write(0);
            if arch::is_shared(start) {
                memory::to_pool(start, all);
            } else {
                arch::free(start);
            }
        }
    }
}

/// Bytes of a block with its head, at most; `None` for no bytes, an alignment that is none, or too much for any memory.
fn size_of_all(bytes: u64, alignment: u64) -> Option<u64> {
    if bytes == 0 || bytes > MOST_BYTES || !alignment.is_power_of_two() || alignment > MOST_BYTES {
        return None;
    }
    // The start is a multiple of 16, so at most alignment - 16 bytes are lost.
    Some(if alignment > HEAD { bytes + LONG_HEAD + alignment - HEAD } else { bytes + HEAD })
}
