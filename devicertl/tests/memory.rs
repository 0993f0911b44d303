//! The pool behind `__kmpc_alloc_shared`: any thread, any order, nothing lost.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    memory::{__kmpc_alloc_shared, __kmpc_free_shared, GRANULE},
    state::POOL_BYTES,
};
use kernels::Kernel;
use machine::{launch, mallocs, pool_is_free};
use std::sync::Mutex;

static TEST: Mutex<()> = Mutex::new(());

/// Every thread takes pieces of these sizes, writes its number into all of each, and gives them back in the given
/// order. Returns the calls of `malloc`. There are none for certain where the largest piece finds room however the pieces of all threads lie:
/// what they leave free is longer than as many gaps as they can make, each too short by one.
fn all_threads(threads: u32, sizes: &[usize], order: impl Fn(usize) -> usize + Sync) -> u32 {
    let kernel = Kernel::new(ExecMode::SPMD);
    let before = mallocs();
    launch(1, threads, || {
        kernel.run(|| {
            let mark = devicertl::arch::tid() as u8;
            for _ in 0..10 {
                let pieces: Vec<_> =
                    sizes.iter().map(|size| (__kmpc_alloc_shared(*size as u64), *size)).collect();
                for (memory, size) in &pieces {
                    assert!(memory.is_aligned_to_granule());
                    // SAFETY: a piece of this size.
                    unsafe { memory.write_bytes(mark, *size) };
                }
                for i in 0..pieces.len() {
                    let (memory, size) = pieces[order(i)];
                    // SAFETY: a piece of this size, given back once.
                    unsafe {
                        assert!(
                            (0..size).all(|byte| memory.add(byte).read() == mark),
                            "another thread has it too"
                        );
                        __kmpc_free_shared(memory, size as u64);
                    }
                }
            }
            devicertl::arch::syncthreads_aligned();
            assert!(pool_is_free());
        })
    });
    mallocs() - before
}

trait Granule {
    fn is_aligned_to_granule(&self) -> bool;
}

impl Granule for *mut u8 {
    fn is_aligned_to_granule(&self) -> bool {
        (*self as usize).is_multiple_of(GRANULE)
    }
}

#[test]
fn every_thread_of_a_wide_team_gets_shared_memory() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert_eq!(all_threads((POOL_BYTES / GRANULE) as u32, &[4], |i| i), 0);
    assert_eq!(all_threads(8, &[16, 8, 20], |i| i), 0);
}

#[test]
fn any_order_of_giving_back() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Of one thread and of several.
    for (threads, sizes) in [(1, [16, 64, 8, 200]), (4, [16, 48, 8, 20])] {
        assert_eq!(all_threads(threads, &sizes, |i| 3 - i), 0);
        assert_eq!(all_threads(threads, &sizes, |i| [2, 0, 3, 1][i]), 0);
    }
}

#[test]
fn what_does_not_fit_comes_from_the_heap() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // One piece that is larger than the pool.
    assert_eq!(all_threads(1, &[1025], |i| i), 10);
    // The whole pool in one piece, and one byte more.
    assert_eq!(all_threads(1, &[1024, 1], |i| i), 10);
    // More threads than the pool can serve at once: the rest is served all the same.
    all_threads(96, &[48, 1], |i| 1 - i);
}

#[test]
fn nothing_is_something() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert_eq!(all_threads(2, &[0, 0], |i| i), 0);
}
