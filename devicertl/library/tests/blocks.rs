//! Memory with its length in front of it.

use device_library::{blocks, process};
use std::ptr::null_mut;

/// Bytes that tell blocks apart.
fn fill(memory: *mut u8, bytes: usize, seed: u8) {
    // SAFETY: so many bytes.
    (0..bytes).for_each(|at| unsafe { memory.add(at).write(seed.wrapping_add(at as u8)) });
}

fn has(memory: *const u8, bytes: usize, seed: u8) -> bool {
    // SAFETY: so many bytes.
    (0..bytes).all(|at| unsafe { memory.add(at).read() } == seed.wrapping_add(at as u8))
}

#[test]
fn blocks_keep_what_is_in_them() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut live: Vec<(*mut u8, usize, u8)> = Vec::new();
    for round in 0..20_000 {
        let (bytes, seed) = (rng.usize(1..300) << rng.u32(0..4), round as u8);
        let alignment = 1 << rng.u32(3..13);
        // SAFETY: blocks that are live, and a place for an address.
        unsafe {
            let memory = match rng.u32(0..6) {
                0 => blocks::__omptarget_wrap_malloc(bytes),
                1 => blocks::aligned_alloc(alignment, bytes),
                2 => {
                    let mut to = null_mut();
                    assert_eq!(blocks::posix_memalign(&mut to, alignment, bytes), 0);
                    assert!(to.addr().is_multiple_of(alignment));
                    to
                }
                3 if !live.is_empty() => {
                    let (memory, before, seed) = live.swap_remove(rng.usize(..live.len()));
                    let memory = blocks::realloc(memory, bytes);
                    assert!(has(memory, before.min(bytes), seed));
                    memory
                }
                _ if !live.is_empty() => {
                    let (memory, bytes, seed) = live.swap_remove(rng.usize(..live.len()));
                    assert!(has(memory, bytes, seed) && blocks::malloc_usable_size(memory) >= bytes);
                    blocks::__omptarget_wrap_free(memory);
                    continue;
                }
                _ => blocks::realloc(null_mut(), bytes),
            };
            assert!(memory.addr().is_multiple_of(16) && blocks::malloc_usable_size(memory) >= bytes);
            fill(memory, bytes, seed);
            live.push((memory, bytes, seed));
        }
    }
    // SAFETY: blocks that are live.
    live.into_iter().for_each(|(memory, ..)| unsafe { blocks::__omptarget_wrap_free(memory) });
}

#[test]
fn what_cannot_be() {
    // SAFETY: no memory, and a place for an address.
    unsafe {
        let mut to = null_mut();
        let error = || process::__errno_location().read();
        assert_eq!(
            [blocks::posix_memalign(&mut to, 3, 1), blocks::posix_memalign(&mut to, 4, 1)],
            [libc::EINVAL; 2]
        );
        assert_eq!(blocks::posix_memalign(&mut to, 1 << 40, 1), libc::ENOMEM);
        assert!(to.is_null());
        assert!(blocks::aligned_alloc(24, 1).is_null() && error() == libc::EINVAL);
        assert!(blocks::reallocarray(null_mut(), 1 << 40, 1 << 40).is_null() && error() == libc::ENOMEM);
        assert!(blocks::realloc(null_mut(), usize::MAX).is_null());
        blocks::__omptarget_wrap_free(null_mut());
        assert_eq!(blocks::malloc_usable_size(null_mut()), 0);
        let memory = blocks::memalign(64, 10);
        assert!(blocks::realloc(memory, 0).is_null());
    }
}
