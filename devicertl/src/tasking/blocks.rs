//! Memory of tasks: slots in global memory, found without a lock; what does not fit comes from the device heap.
//!
//! A thread looks for a free slot at places that depend on its number in the grid, so threads hardly ever meet at one
//! while there are fewer of them than slots, and a deep recursion finds the next free one a constant step away. No
//! shared memory is spent, and none of the heap on tasks of usual size.
//!
//! The same places answer which tasks this thread is in: a slot has its user's name and the mark of the task.

use crate::arch;
use core::{cell::UnsafeCell, mem::offset_of};

/// Bytes of a slot, with its [`Head`].
const SLOT: usize = 256;
/// Number of slots: 4 MiB, in programs with tasks only.
const SLOTS: usize = 1 << 14;
/// Places where a thread looks for a slot.
const PLACES: usize = 32;
/// Step between them in a grid of more threads than slots.
const WIDE_STEP: usize = 1021;

/// In front of every block.
#[repr(C, align(16))]
pub struct Head {
    /// Name of the thread that uses the block, see [`me`]; [`FREE`] or [`HEAP`].
    user: u32,
    /// What the block is to [`marked`]; the owner's to choose, 0 at the start.
    pub mark: u32,
    /// With `mark`.
    pub level: u32,
}

/// Nobody's slot.
const FREE: u32 = 0;
/// A block of the heap. The name of no thread.
const HEAP: u32 = 1;

#[repr(C, align(16))]
struct Slots(UnsafeCell<[[u8; SLOT]; SLOTS]>);
// SAFETY: a slot is used by the thread that has claimed it.
unsafe impl Sync for Slots {}
static ALL: Slots = Slots(UnsafeCell::new([[0; SLOT]; SLOTS]));

/// Number of this thread in the grid.
#[inline(always)]
fn number() -> usize {
    arch::ctaid() as usize * arch::ntid() as usize + arch::tid() as usize
}

/// Name of this thread: unique among the threads that can run at the same time.
#[inline(always)]
fn me() -> u32 {
    number() as u32 | 1 << 31
}

/// Slot at the `place`th place of this thread.
#[inline(always)]
fn slot(place: usize) -> *mut Head {
    let threads = arch::nctaid() as usize * arch::ntid() as usize;
    let step = if threads < SLOTS { threads } else { WIDE_STEP };
    let index = number().wrapping_add(place.wrapping_mul(step)) % SLOTS;
    // SAFETY: one of the slots.
    unsafe { ALL.0.get().cast::<[u8; SLOT]>().add(index).cast() }
}

/// The head of a block.
///
/// # Safety
/// `block` must come from [`take`].
#[inline(always)]
pub unsafe fn head(block: *mut u8) -> *mut Head {
    // SAFETY: a head stands before each block.
    unsafe { block.cast::<Head>().sub(1) }
}

/// A block of at least `bytes`, aligned to 16. Never null.
pub fn take(bytes: u64) -> *mut u8 {
    let mut head = core::ptr::null_mut();
    if bytes <= (SLOT - size_of::<Head>()) as u64 {
        let mut place = 0;
        while place < PLACES {
            let slot = slot(place);
            // SAFETY: a slot; its first word is only ever changed like this.
            unsafe {
                let user = slot.cast::<u32>();
                if arch::device_load_u32(user) == FREE && arch::device_cas_u32(user, FREE, me()) == FREE {
                    head = slot;
                    break;
                }
            }
            place += 1;
        }
    }
    // SAFETY: a slot that is this thread's now, or new memory; the block follows its head.
    unsafe {
        if head.is_null() {
            head = crate::memory::from_heap(bytes + size_of::<Head>() as u64).cast();
            head.cast::<u32>().write(HEAP);
        }
        (*head).mark = 0;
        (*head).level = 0;
        head.add(1).cast()
    }
}

/// Whether a block is from the heap, where [`marked`] does not find it.
///
/// # Safety
/// `block` must come from [`take`].
#[inline(always)]
pub unsafe fn is_on_heap(block: *mut u8) -> bool {
    // SAFETY: as the caller promises; the word is not written while the block is in use.
    unsafe { head(block).cast::<u32>().read() == HEAP }
}

/// Gives a block back.
///
/// # Safety
/// `block` must come from [`take`] and not be used any more.
#[inline(always)]
pub unsafe fn give(block: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe {
        let head = head(block);
        if head.cast::<u32>().read() == HEAP {
            arch::free(head.cast())
        } else {
            arch::device_store_u32(head.cast(), FREE)
        }
    }
}

/// Whether a slot of this thread has all bits of `mark`, and `level`.
#[inline(never)]
pub fn marked(mark: u32, level: u32) -> bool {
    let mut place = 0;
    while place < PLACES {
        let head = slot(place);
        // SAFETY: the first word says whether the others are this thread's.
        unsafe {
            if arch::device_load_u32(head.cast()) == me()
                && (*head).mark & mark == mark
                && (*head).level == level
            {
                return true;
            }
        }
        place += 1;
    }
    false
}

const _: () = assert!(offset_of!(Head, user) == 0 && size_of::<Head>() == 16 && SLOTS.is_power_of_two());
