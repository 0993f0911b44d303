//! Random numbers of 48 bits of `<stdlib.h>`: `drand48` and its like, POSIX's linear congruential generator.

use core::ffi::{c_long, c_ushort};
use core::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

/// A number of 48 bits as C has it: the lowest 16 first.
type Number = [c_ushort; 3];

/// POSIX's factor and summand.
const FACTOR: u64 = 0x5_deec_e66d;
const SUMMAND: u64 = 0xb;

/// What `drand48` goes on with: one for all threads, which draw different numbers, in no order.
static STATE: AtomicU64 = AtomicU64::new(0);
/// The factor of all generators, which `lcong48` sets.
static BY: AtomicU64 = AtomicU64::new(FACTOR);
/// The summand.
static PLUS: AtomicU64 = AtomicU64::new(SUMMAND);
/// The state before the last `seed48`, for its caller.
static BEFORE: [AtomicU16; 3] = [const { AtomicU16::new(0) }; 3];

/// What comes behind a number.
fn next(number: u64) -> u64 {
    number.wrapping_mul(BY.load(Relaxed)).wrapping_add(PLUS.load(Relaxed)) & 0xffff_ffff_ffff
}

fn from_parts([low, middle, high]: Number) -> u64 {
    u64::from(low) | u64::from(middle) << 16 | u64::from(high) << 32
}

fn parts(number: u64) -> Number {
    [number as u16, (number >> 16) as u16, (number >> 32) as u16]
}

/// The next number of all threads.
fn draw() -> u64 {
    let mut number = STATE.load(Relaxed);
    loop {
        let drawn = next(number);
        match STATE.compare_exchange(number, drawn, Relaxed, Relaxed) {
            Ok(_) => return drawn,
            Err(now) => number = now,
        }
    }
}

/// The next number of a caller's state.
unsafe fn draw_from(state: *mut Number) -> u64 {
    // SAFETY: the caller's.
    unsafe {
        let drawn = next(from_parts(state.read()));
        state.write(parts(drawn));
        drawn
    }
}

fn start(number: u64, factor: u64, summand: u64) {
    STATE.store(number, Relaxed);
    BY.store(factor, Relaxed);
    PLUS.store(summand, Relaxed);
}

/// From 0 to 1.
fn fraction(number: u64) -> f64 {
    number as f64 / (1_u64 << 48) as f64
}

/// The upper 31 bits.
fn without_sign(number: u64) -> c_long {
    (number >> 17) as c_long
}

/// The upper 32 bits.
fn with_sign(number: u64) -> c_long {
    ((number >> 16) as i32).into()
}

super::c_functions! {
    fn drand48() -> f64 { fraction(draw()) }
    fn lrand48() -> c_long { without_sign(draw()) }
    fn mrand48() -> c_long { with_sign(draw()) }
    fn erand48(state: *mut Number) -> f64 { fraction(draw_from(state)) }
    fn nrand48(state: *mut Number) -> c_long { without_sign(draw_from(state)) }
    fn jrand48(state: *mut Number) -> c_long { with_sign(draw_from(state)) }
    fn srand48(seed: c_long) { start(u64::from(seed as u32) << 16 | 0x330e, FACTOR, SUMMAND) }
    fn seed48(seed: *const Number) -> *mut c_ushort {
        for (to, part) in BEFORE.iter().zip(parts(STATE.load(Relaxed))) {
            to.store(part, Relaxed);
        }
        start(from_parts(seed.read()), FACTOR, SUMMAND);
        BEFORE[0].as_ptr()
    }
    /// The state, the factor and the summand.
    fn lcong48(all: *const [c_ushort; 7]) {
        let [a, b, c, d, e, f, summand] = all.read();
        start(from_parts([a, b, c]), from_parts([d, e, f]), summand.into());
    }
}
