//! Two places for what the threads of a team share during a loop, used in turn.
//!
//! With `nowait` a fast thread may be in the next loop while others are still in this one. It takes the other place;
//! a thread that is two loops ahead waits until all have left the first. So no thread ever waits for a slower one in
//! between, and no barrier is needed.
//!
//! A thread's part of the bookkeeping is two bits, the number of loops that it has left: the lower one names its place,
//! the upper one tells the loop that it looks for from the one before in the same place. The last thread that leaves a
//! loop makes the place ready for the next one.

use crate::{arch, parallel, state};

/// Places of a ring.
pub const PLACES: usize = 2;
/// Warps of the largest block.
const WARPS: usize = 32;
/// Nanoseconds between two looks at a word that another thread will change.
pub const PAUSE: u32 = 32;

/// The word that says whether a ring is set up: not yet. Rings start empty in each region, because the threads of teams
/// of different sizes have not had the same number of loops.
pub const UNUSED: u32 = 0;
/// A thread sets it up.
const BUSY: u32 = 1;
/// It is set up.
const READY: u32 = 2;

/// Sets up a ring at the first loop of a region: one thread calls `clear`, the others wait.
///
/// # Safety
/// `word` must be valid.
#[inline(always)]
pub unsafe fn open(word: *mut u32, clear: impl FnOnce()) {
    // SAFETY: as the caller promises.
    unsafe {
        if arch::block_load_u32(word) == READY {
            return;
        }
        if arch::block_cas_u32(word, UNUSED, BUSY) == UNUSED {
            clear();
            arch::block_store_u32(word, READY);
        }
        while arch::block_load_u32(word) != READY {
            arch::backoff(PAUSE);
        }
    }
}

/// The bookkeeping.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Ring {
    /// The lower bits of the lanes of each warp.
    low: [u32; WARPS],
    /// The upper bits.
    high: [u32; WARPS],
    /// Threads that have left the loop of each place.
    left: [u32; PLACES],
    /// Loops that are over in each place.
    over: [u32; PLACES],
}

/// A thread's place in a ring.
#[derive(Clone, Copy)]
pub struct Place {
    ring: *mut Ring,
    /// Which of the places.
    pub index: usize,
}

/// Lanes of this warp that act together, one of them for all.
pub struct Lanes {
    mask: u32,
}

impl Lanes {
    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.mask.count_ones()
    }

    /// How many of them stand before this one.
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        (self.mask & ((1 << lane()) - 1)).count_ones()
    }

    /// Whether this one acts for all.
    #[inline(always)]
    pub fn is_first(&self) -> bool {
        self.mask.trailing_zeros() == lane()
    }

    /// The value that the first one has.
    #[inline(always)]
    pub fn of_first(&self, value: u64) -> u64 {
        let first = self.mask.trailing_zeros();
        let low = arch::shuffle(self.mask, value as u32, first);
        let high = arch::shuffle(self.mask, (value >> 32) as u32, first);
        (high as u64) << 32 | low as u64
    }
}

#[inline(always)]
fn lane() -> u32 {
    arch::tid() % arch::WARP
}

#[inline(always)]
fn warp() -> usize {
    (arch::tid() / arch::WARP) as usize
}

/// Those of the lanes `together` that act with this one. Lanes of different teams may come together: those of the
/// kernel's own team act for each other, in a nested team each for itself. All lanes of `together` call this.
#[inline(always)]
fn of_one_team(together: u32) -> u32 {
    let own = state::nested_team().is_null();
    let of_kernel = arch::ballot(together, own);
    if own { of_kernel } else { 1 << lane() }
}

impl Ring {
    /// Empties the ring. No thread of the block may use it.
    ///
    /// # Safety
    /// `ring` must be valid for writes.
    pub unsafe fn clear(ring: *mut Self) {
        // SAFETY: as the caller promises; a block has at most 32 warps.
        unsafe {
            let mut warp = 0;
            while warp < arch::ntid().div_ceil(arch::WARP) as usize {
                (&raw mut (*ring).low).cast::<u32>().add(warp).write(0);
                (&raw mut (*ring).high).cast::<u32>().add(warp).write(0);
                warp += 1;
            }
            (*ring).left = [0; PLACES];
            (*ring).over = [0; PLACES];
        }
    }
}

impl Place {
    /// Where this thread's current loop is, or its next one.
    ///
    /// # Safety
    /// `ring` must be the ring of this thread's team.
    #[inline(always)]
    pub unsafe fn of(ring: *mut Ring) -> Self {
        // SAFETY: a block has at most 32 warps.
        let low = unsafe { arch::block_read_u32((&raw mut (*ring).low).cast::<u32>().add(warp())) };
        Self { ring, index: (low >> lane() & 1) as usize }
    }

    /// The word of this place in one of the arrays.
    #[inline(always)]
    fn word(self, array: *mut [u32; PLACES]) -> *mut u32 {
        // SAFETY: the index is below the number of places.
        unsafe { array.cast::<u32>().add(self.index) }
    }

    /// Waits until nobody is in the loop before the last one, which had this place. Acquires what its threads did.
    #[inline(always)]
    pub fn enter(self) {
        // SAFETY: words of the ring.
        unsafe {
            let high = arch::block_read_u32((&raw mut (*self.ring).high).cast::<u32>().add(warp())) >> lane();
            let over = self.word(&raw mut (*self.ring).over);
            while (arch::block_load_u32(over) ^ high) & 1 != 0 {
                arch::backoff(PAUSE);
            }
        }
    }

    /// The lanes that came here together and are in the same loop. Lanes that the machine has brought together may be
    /// in different ones.
    #[inline(always)]
    pub fn lanes(self) -> Lanes {
        let mut together = arch::activemask();
        // That lanes are together orders nothing: what was done to the bits of the others is to be seen here.
        arch::syncwarp(together);
        if parallel::may_nest() {
            together = of_one_team(together);
        }
        // SAFETY: words of the ring. No lane of `together` changes its bit here.
        let low = unsafe { arch::block_read_u32((&raw mut (*self.ring).low).cast::<u32>().add(warp())) };
        let same_place = if self.index == 0 { !low } else { low };
        // A lane with a state of its own may be in another team: it acts alone.
        let others = state::lanes_with_own();
        let mask = if others >> lane() & 1 != 0 { 1 << lane() } else { together & same_place & !others };
        // SAFETY: this lane is among them.
        unsafe { core::hint::assert_unchecked(mask != 0) };
        Lanes { mask }
    }

    /// This thread, of a team of `threads`, is done with the loop. Whether it is the last one, which is to make the
    /// place ready for the next loop and to [`hand_over`](Self::hand_over).
    #[inline(always)]
    pub fn leave(self, threads: u32) -> bool {
        let lanes = self.lanes();
        let mut is_last = false;
        if lanes.is_first() {
            // SAFETY: words of the ring. The lanes are in the same loop, so the same bits of theirs change.
            unsafe {
                // One more loop: a carry out of the lower bit changes the upper one.
                let carry = if self.index == 0 { 0 } else { lanes.mask };
                arch::block_xor_u32((&raw mut (*self.ring).low).cast::<u32>().add(warp()), lanes.mask);
                arch::block_xor_u32((&raw mut (*self.ring).high).cast::<u32>().add(warp()), carry);
                let left = self.word(&raw mut (*self.ring).left);
                is_last = arch::block_add_u32(left, lanes.count()) + lanes.count() == threads;
            }
        }
        // The other lanes read their bits when they enter the next loop.
        arch::syncwarp(lanes.mask);
        is_last
    }

    /// The place is ready for its next loop.
    #[inline(always)]
    pub fn hand_over(self) {
        // SAFETY: words of the ring, which this thread has alone.
        unsafe {
            let over = self.word(&raw mut (*self.ring).over);
            arch::block_write_u32(self.word(&raw mut (*self.ring).left), 0);
            arch::block_store_u32(over, arch::block_read_u32(over).wrapping_add(1));
        }
    }
}
