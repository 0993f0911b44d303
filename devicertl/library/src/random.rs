//! Random numbers of `<stdlib.h>`.

use core::ffi::{c_int, c_long, c_uint};
use core::sync::atomic::{AtomicU32, Ordering};

/// What `rand` goes on with: one for all threads, which draw different numbers, in no order.
static SEED: AtomicU32 = AtomicU32::new(1);

/// A number of 31 bits, of three steps of POSIX's generator, and what comes behind it: those of glibc's `rand_r`.
fn draw(seed: u32) -> (u32, u32) {
    let (mut next, mut number) = (seed, 0);
    for (bits, mask) in [(11, 2047), (10, 1023), (10, 1023)] {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        number = (number << bits) ^ ((next / 65536) & mask);
    }
    (number, next)
}

/// The next number of all threads.
fn draw_for_all() -> u32 {
    let mut seed = SEED.load(Ordering::Relaxed);
    loop {
        let (number, next) = draw(seed);
        match SEED.compare_exchange(seed, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return number,
            Err(now) => seed = now,
        }
    }
}

super::c_functions! {
    fn rand_r(seed: *mut c_uint) -> c_int {
        let (number, next) = draw(seed.read());
        seed.write(next);
        number as c_int
    }
    /// Not the host's numbers.
    fn rand() -> c_int { draw_for_all() as c_int }
    fn srand(seed: c_uint) { SEED.store(seed, Ordering::Relaxed) }
    /// Not the host's numbers, and of one sequence with those of `rand`, as there.
    fn random() -> c_long { draw_for_all().into() }
    fn srandom(seed: c_uint) { SEED.store(seed, Ordering::Relaxed) }
}
