//! RANDOM_NUMBER, RANDOM_SEED and RANDOM_INIT (Fortran 2018, 16.9.155 to 16.9.157): one generator for all threads, which draw
//! different numbers, in no order. It is SplitMix64: a counter, and a function that mixes its bits. Not the host's numbers.

use super::descriptor::{Array, kind_of};
use super::number::Category;
use super::{File, In, Place, at, fortran, refuse};
use crate::arch::{self, Failure};
use core::sync::atomic::{AtomicU64, Ordering};

/// Where the generator begins.
const FIRST: u64 = 0x853c_49e6_748f_ea9b;
/// From one number to the next.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

static COUNTER: AtomicU64 = AtomicU64::new(FIRST);

/// Numbers of the seed, of 32 bits.
const SEED: u64 = 2;

/// A number of 64 bits.
fn draw() -> u64 {
    let mut bits = COUNTER.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// From 0 on, and below 1, also as a number of so many bits of mantissa.
fn fraction(bits: u32) -> f64 {
    let count = draw() >> (64 - bits);
    count as f64 * f64::from_bits(u64::from(1023 - bits) << 52)
}

/// Puts the numbers of a seed together.
///
/// # Safety
/// The descriptor must be flang's.
unsafe fn put(seed: In, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        let (array, kind) = (Array::of(seed), kind_of(seed, at));
        if array.rank != 1 || array.extent(0) < SEED {
            refuse(Failure::FortranShape, at)
        }
        let [low, high] = [0, 1].map(|index| kind.load(array.element(index)) & u64::from(u32::MAX));
        COUNTER.store(high << 32 | low, Ordering::Relaxed)
    }
}

/// Takes the seed apart.
///
/// # Safety
/// The descriptor must be flang's.
unsafe fn get(seed: In, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        let (array, kind) = (Array::of(seed), kind_of(seed, at));
        if array.rank != 1 || array.extent(0) < SEED {
            refuse(Failure::FortranShape, at)
        }
        let counter = COUNTER.load(Ordering::Relaxed);
        kind.store(array.element(0), i64::from(counter as i32) as u64);
        kind.store(array.element(1), i64::from((counter >> 32) as i32) as u64);
    }
}

/// Says how many numbers a seed has.
///
/// # Safety
/// The descriptor must be flang's.
unsafe fn size(of: In, at: Place) {
    // SAFETY: as the caller promises.
    unsafe { kind_of(of, at).store((*of).base, SEED) }
}

fortran! {
    /// Real numbers from 0 on, below 1.
    fn _FortranARandomNumber(to: In, file: File, line: i32) {
        let (array, kind) = (Array::of(to), kind_of(to, at(file, line)));
        if kind.category != Category::Real {
            refuse(Failure::FortranKind, at(file, line))
        }
        let (count, mut index) = (array.count(), 0);
        while index < count {
            let number = fraction(if kind.bytes == 4 { 24 } else { 53 });
            kind.store(array.element(index), number.to_bits());
            index += 1;
        }
    }
    /// Begins anew, always in the same way or each time in another.
    fn _FortranARandomInit(repeatable: bool, _each_image: bool) {
        COUNTER.store(if repeatable { FIRST } else { FIRST ^ arch::globaltimer() }, Ordering::Relaxed)
    }
    /// The same, as the processor likes.
    fn _FortranARandomSeedDefaultPut() {
        COUNTER.store(FIRST ^ arch::globaltimer(), Ordering::Relaxed)
    }
    /// RANDOM_SEED with SIZE.
    fn _FortranARandomSeedSize(of: In, file: File, line: i32) {
        size(of, at(file, line))
    }
    /// RANDOM_SEED with PUT.
    fn _FortranARandomSeedPut(seed: In, file: File, line: i32) {
        put(seed, at(file, line))
    }
    /// RANDOM_SEED with GET.
    fn _FortranARandomSeedGet(seed: In, file: File, line: i32) {
        get(seed, at(file, line))
    }
    /// RANDOM_SEED with one of these, or none, which is not known before.
    fn _FortranARandomSeed(of: In, seed: In, to: In, file: File, line: i32) {
        let given = |descriptor: In| !descriptor.is_null() && !(*descriptor).base.is_null();
        if given(of) {
            size(of, at(file, line))
        } else if given(seed) {
            put(seed, at(file, line))
        } else if given(to) {
            get(to, at(file, line))
        } else {
            _FortranARandomSeedDefaultPut()
        }
    }
}
