//! Loops whose iterations wait for earlier ones: `ordered(n)` with `depend(sink)` and `depend(source)`.
//!
//! A loop nest has one bit for each iteration, which the iteration clears when it is done with its source. The bits and
//! the bounds are memory of the device heap, which the first thread takes and the last one gives back: their size is
//! the program's. The threads of a team meet before its next nest, as they do for loops that are handed out.
//!
//! A team of one thread runs the iterations in their order, so nothing has to wait.

use super::PAUSE;
use crate::{arch, memory, state, state::ThisThread, sync};
use abi::ident::Ident;

/// Bounds of one loop of a nest (`kmp.h`: `kmp_dim`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// First value.
    pub lower: i64,
    /// Last value.
    pub upper: i64,
    /// Step, not 0.
    pub step: i64,
}

impl Dimension {
    /// Values of the loop variable, or one more: clang passes the number of iterations as the last value.
    #[inline(always)]
    pub fn places(&self) -> u64 {
        self.index(self.upper).map_or(1, |last| last + 1)
    }

    /// Number of `value` in the loop; `None` if it is outside.
    #[inline(always)]
    pub fn index(&self, value: i64) -> Option<u64> {
        let (from, to) = if self.step > 0 { (self.lower, value) } else { (value, self.lower) };
        let inside = if self.step > 0 { value <= self.upper } else { value >= self.upper };
        if from > to || !inside {
            return None;
        }
        (to.wrapping_sub(from) as u64).checked_div(self.step.unsigned_abs())
    }

    /// Whether there is no iteration with `value`. clang's loops run from 0 in steps of 1, and the value behind the last
    /// one is that of no iteration: whoever waited for it would wait for ever.
    #[inline(always)]
    pub fn excludes(&self, value: i64) -> bool {
        self.index(value).is_none() || self.lower == 0 && self.step == 1 && value == self.upper
    }
}

/// What the word of a team's nest is besides an address.
mod memory_of {
    pub const NOBODY: u64 = 0;
    pub const BEING_MADE: u64 = 1;
}

/// The memory of a nest: the number of its loops, their bounds, the bits.
#[derive(Clone, Copy)]
struct Nest(*mut u64);

impl Nest {
    /// # Safety
    /// There must be `count` bounds.
    unsafe fn new(count: usize, bounds: *const Dimension) -> Self {
        // SAFETY: as the caller promises; the memory is large enough for what is written.
        unsafe {
            let mut iterations = 1;
            for i in 0..count {
                iterations *= (*bounds.add(i)).places();
            }
            let words = iterations / 64 + 1;
            let bytes = 8 + (count * size_of::<Dimension>()) as u64 + 8 * words;
            let nest = Self(memory::from_heap(bytes).cast());
            nest.0.write(count as u64);
            for i in 0..count {
                nest.bounds().add(i).write(bounds.add(i).read());
            }
            let mut word = 0;
            while word < words {
                nest.bits().cast::<u64>().add(word as usize).write(!0);
                word += 1;
            }
            nest
        }
    }

    #[inline(always)]
    unsafe fn bounds(self) -> *mut Dimension {
        // SAFETY: behind the first word.
        unsafe { self.0.add(1).cast() }
    }

    #[inline(always)]
    unsafe fn bits(self) -> *mut u32 {
        // SAFETY: behind the bounds.
        unsafe { self.bounds().add(self.0.read() as usize).cast() }
    }

    /// Word and bit of the iteration with these values; `None` if there is none.
    ///
    /// # Safety
    /// There must be a value for each loop.
    #[inline(always)]
    unsafe fn bit(self, values: *const i64) -> Option<(*mut u32, u32)> {
        // SAFETY: as the caller promises.
        unsafe {
            let mut number = 0;
            let mut i = 0;
            while i < self.0.read() as usize {
                let (bounds, value) = (self.bounds().add(i).read(), values.add(i).read());
                if bounds.excludes(value) {
                    return None;
                }
                number = number * bounds.places() + bounds.index(value)?;
                i += 1;
            }
            Some((self.bits().add((number / 32) as usize), 1 << (number % 32)))
        }
    }
}

/// The nest that this thread is in; `None` in a team of one.
#[inline(always)]
fn nest(this: ThisThread) -> Option<Nest> {
    if this.is_team_of_one() {
        return None;
    }
    // SAFETY: a word of this team; this thread has seen it with an address.
    Some(Nest(unsafe { arch::block_read_u64(this.nest()) } as *mut u64))
}

/// Forgets the nest of this thread's team, when `cancel` has made threads leave it. No thread may be in one.
#[inline(always)]
pub fn forget(this: ThisThread) {
    // SAFETY: words of this team, which its threads use again when they have met.
    unsafe {
        arch::block_write_u64(this.nest(), memory_of::NOBODY);
        arch::block_write_u32(this.nest_left(), 0);
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_init(
    _loc: *const Ident,
    _gtid: i32,
    count: i32,
    bounds: *const Dimension,
) {
    let this = state::this_thread();
    if this.is_team_of_one() {
        return;
    }
    sync::meet_team();
    let memory = this.nest();
    // SAFETY: a word of this team. Who changes it from NOBODY makes the memory, the others wait for it.
    unsafe {
        if arch::block_cas_u64(memory, memory_of::NOBODY, memory_of::BEING_MADE) == memory_of::NOBODY {
            let nest = Nest::new(count as usize, bounds);
            arch::block_store_u64(memory, nest.0 as u64);
        }
        while arch::block_load_u64(memory) == memory_of::BEING_MADE {
            arch::backoff(PAUSE);
        }
    }
}

/// `depend(source)`: the iteration with these values is done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_post(_loc: *const Ident, _gtid: i32, values: *const i64) {
    // SAFETY: the compiler passes a value for each loop; the word is one of this nest.
    unsafe {
        if let Some((word, bit)) = nest(state::this_thread()).and_then(|nest| nest.bit(values)) {
            arch::block_and_u32(word, !bit);
        }
    }
}

/// `depend(sink)`: waits for the iteration with these values, if it exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_wait(_loc: *const Ident, _gtid: i32, values: *const i64) {
    // SAFETY: as above.
    unsafe {
        if let Some((word, bit)) = nest(state::this_thread()).and_then(|nest| nest.bit(values)) {
            while arch::block_load_u32(word) & bit != 0 {
                arch::backoff(PAUSE);
            }
        }
    }
}

/// This thread is done with the loop.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_doacross_fini(_loc: *const Ident, _gtid: i32) {
    let this = state::this_thread();
    let Some(nest) = nest(this) else { return };
    // SAFETY: a word of this team; the last thread has the nest alone.
    unsafe {
        if arch::block_add_u32(this.nest_left(), 1) + 1 == this.num_threads() {
            arch::free(nest.0.cast());
            forget(this);
        }
    }
}
