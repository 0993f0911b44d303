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
const PLACES: u32 = 32;
/// Step between them in a grid of more threads than slots.
const WIDE_STEP: u32 = 1021;

/// Lists of blocks on the heap, see [`Bucket`].
const BUCKETS: usize = 1 << 10;

/// In front of every block.
#[repr(C, align(16))]
pub struct Head {
    /// Name of the thread that uses the block, see [`me`], or [`FREE`].
    user: u32,
    /// What the block is to [`marked`]; the owner's to choose, and to set back to 0 before it gives the block back.
    pub mark: u32,
    /// With `mark`.
    pub level: u32,
    /// Not 0 if a [`Link`] stands before the head.
    on_heap: u32,
}

/// Nobody's slot.
const FREE: u32 = 0;

/// In front of the head of a block on the heap.
#[repr(C, align(16))]
struct Link {
    next: *mut Link,
    /// Whose list has it.
    bucket: *mut Bucket,
}

/// The blocks on the heap of the threads that share the bucket, so that [`marked`] finds them too.
struct Bucket {
    /// Not 0 while a thread looks at the list.
    lock: u32,
    first: *mut Link,
}

struct Buckets(UnsafeCell<[Bucket; BUCKETS]>);
// SAFETY: a bucket is used while its lock is held.
unsafe impl Sync for Buckets {}
static ON_HEAP: Buckets =
    Buckets(UnsafeCell::new([const { Bucket { lock: 0, first: core::ptr::null_mut() } }; BUCKETS]));

#[repr(C, align(16))]
struct Slots(UnsafeCell<[[u8; SLOT]; SLOTS]>);
// SAFETY: a slot is used by the thread that has claimed it.
unsafe impl Sync for Slots {}
static ALL: Slots = Slots(UnsafeCell::new([[0; SLOT]; SLOTS]));

/// Number of this thread in the grid, modulo 2^32.
#[inline(always)]
fn number() -> u32 {
    arch::ctaid().wrapping_mul(arch::ntid()).wrapping_add(arch::tid())
}

/// Name of this thread: unique among the threads that can run at the same time.
#[inline(always)]
fn me() -> u32 {
    number() | 1 << 31
}

/// Slot at the `place`th place of this thread.
#[inline(always)]
fn slot(place: u32) -> *mut Head {
    let threads = arch::nctaid() as usize * arch::ntid() as usize;
    let step = if threads < SLOTS { threads as u32 } else { WIDE_STEP };
    let index = number().wrapping_add(place.wrapping_mul(step)) % SLOTS as u32;
    // SAFETY: one of the slots.
    unsafe { ALL.0.get().cast::<[u8; SLOT]>().add(index as usize).cast() }
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

/// This thread's bucket.
fn bucket() -> *mut Bucket {
    // SAFETY: one of the buckets.
    unsafe { ON_HEAP.0.get().cast::<Bucket>().add(number() as usize % BUCKETS) }
}

/// # Safety
/// It must be a bucket.
unsafe fn lock(bucket: *mut Bucket) {
    // SAFETY: as the caller promises; the word is only ever changed like this.
    while unsafe { arch::device_cas_u32(&raw mut (*bucket).lock, 0, 1) } != 0 {
        arch::backoff(64);
    }
}

/// # Safety
/// The bucket must be locked by this thread.
unsafe fn unlock(bucket: *mut Bucket) {
    // SAFETY: as the caller promises.
    unsafe { arch::device_store_u32(&raw mut (*bucket).lock, 0) }
}

fn take_from_heap(bytes: u64) -> *mut Head {
    let all = bytes + (size_of::<Link>() + size_of::<Head>()) as u64;
    let link = crate::memory::from_heap(all).cast::<Link>();
    // SAFETY: new memory with room for both.
    unsafe {
        let head = link.add(1).cast::<Head>();
        head.write(Head { user: me(), mark: 0, level: 0, on_heap: 1 });
        let bucket = bucket();
        lock(bucket);
        link.write(Link { next: (*bucket).first, bucket });
        (*bucket).first = link;
        unlock(bucket);
        head
    }
}

/// # Safety
/// The block must be from the heap.
#[cold]
#[inline(never)]
unsafe fn give_to_heap(head: *mut Head) {
    // SAFETY: as the caller promises; so the block is in its bucket's list.
    unsafe {
        let link = head.cast::<Link>().sub(1);
        let bucket = (*link).bucket;
        lock(bucket);
        let mut place = &raw mut (*bucket).first;
        while *place != link {
            place = &raw mut (**place).next;
        }
        *place = (*link).next;
        unlock(bucket);
        arch::free(link.cast());
    }
}

/// Makes a slot this thread's, if it is free.
#[inline(always)]
fn claim(head: *mut Head) -> bool {
    let user = head.cast::<u32>();
    // SAFETY: a slot, whose first word is only ever changed like this; then it is this thread's, with zeros in its head.
    unsafe { arch::device_load_u32(user) == FREE && arch::device_cas_u32(user, FREE, me()) == FREE }
}

/// A block of at least `bytes`, aligned to 16. Never null.
#[inline(always)]
pub fn take(bytes: u64) -> *mut u8 {
    let (first, fits) = (slot(0), bytes <= (SLOT - size_of::<Head>()) as u64);
    let head = if fits && claim(first) { first } else { take_elsewhere(bytes, fits) };
    // SAFETY: the block follows its head.
    unsafe { head.add(1).cast() }
}

/// From another slot if it fits in one, else from the heap.
#[cold]
#[inline(never)]
fn take_elsewhere(bytes: u64, fits: bool) -> *mut Head {
    let mut place = 1;
    while fits && place < PLACES {
        let head = slot(place);
        if claim(head) {
            return head;
        }
        place += 1;
    }
    take_from_heap(bytes)
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
        if (*head).on_heap != 0 { give_to_heap(head) } else { arch::device_store_u32(head.cast(), FREE) }
    }
}

/// Whether a block of this thread has all bits of `mark`, and `level`.
#[inline(never)]
pub fn marked(mark: u32, level: u32) -> bool {
    // SAFETY: a head, whose first word says whether the others are this thread's.
    let is_it = |head: *mut Head| unsafe {
        arch::device_load_u32(head.cast()) == me() && (*head).mark & mark == mark && (*head).level == level
    };
    let mut place = 0;
    while place < PLACES {
        if is_it(slot(place)) {
            return true;
        }
        place += 1;
    }
    let bucket = bucket();
    // SAFETY: while the bucket is locked its list stays; a head follows each link.
    unsafe {
        lock(bucket);
        let mut link = (*bucket).first;
        while !link.is_null() && !is_it(link.add(1).cast()) {
            link = (*link).next;
        }
        unlock(bucket);
        !link.is_null()
    }
}

const _: () = assert!(offset_of!(Head, user) == 0 && size_of::<Head>() == 16 && SLOTS.is_power_of_two());
