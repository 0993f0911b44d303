//! Locks, cancellation, copyprivate, reductions in the host's form, atomics through functions, messages.

mod kernels;
mod machine;

use abi::{device::CANCELLATION, ident::Ident, mode::ExecMode};
use devicertl::{
    arch::{Arg, BARRIER_TEAM, Code, WARP},
    error::__kmpc_error,
    query::{omp_get_cancellation, omp_get_num_threads, omp_get_thread_num},
    sync::{__kmpc_barrier, __kmpc_single, atomic16::*, cancel::*, copyprivate::*, lock::*, reduce::*},
};
use kernels::{Kernel, region};
use machine::{launch, mallocs, opened, set_environment};
use std::{
    cell::UnsafeCell,
    ffi::CString,
    ptr::null,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
};

/// What the threads of a test count; one test at a time.
static TEST: Mutex<()> = Mutex::new(());
static COUNTS: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];

fn start() -> impl Drop {
    let guard = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for count in &COUNTS {
        count.store(0, SeqCst);
    }
    set_cancellation(false);
    guard
}

fn set_cancellation(on: bool) {
    set_environment(|environment| environment.device_debug_kind = if on { CANCELLATION } else { 0 });
}

fn count(index: usize) {
    COUNTS[index].fetch_add(1, SeqCst);
}

/// The counts so far, which start again.
fn counts<const N: usize>() -> [u32; N] {
    std::array::from_fn(|index| COUNTS[index].swap(0, SeqCst))
}

/// Memory that the threads of a test race for: what is under test keeps them apart.
struct Shared<T>(UnsafeCell<T>);

// SAFETY: accesses are under the lock that is tested, or atomic.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn get(&self) -> *mut T {
        self.0.get()
    }
}

#[test]
fn test_lock_takes_a_free_lock_only() {
    let _test = start();
    let mut lock = 7u64;
    let lock = (&raw mut lock).cast();
    // SAFETY: a lock of this test.
    unsafe {
        for hinted in [false, true] {
            if hinted {
                omp_init_lock_with_hint(lock, 2)
            } else {
                omp_init_lock(lock)
            }
            assert_eq!((omp_test_lock(lock), omp_test_lock(lock)), (1, 0));
            omp_unset_lock(lock);
            omp_set_lock(lock);
            assert_eq!(omp_test_lock(lock), 0);
            omp_unset_lock(lock);
            omp_destroy_lock(lock);
        }
    }
}

#[test]
fn a_nestable_lock_counts_for_its_owner_and_is_taken_for_others() {
    let _test = start();
    static LOCK: Shared<u64> = Shared::new(7);
    launch(2, 2, || {
        // SAFETY: a lock of this test; the barriers order the two threads.
        unsafe {
            let (lock, owner) = (LOCK.get(), devicertl::arch::tid() == 0);
            let meet = || devicertl::arch::syncthreads_aligned();
            if owner {
                omp_init_nest_lock_with_hint(lock, 0);
                assert_eq!((omp_test_nest_lock(lock), omp_test_nest_lock(lock)), (1, 2));
                omp_set_nest_lock(lock);
                assert_eq!(omp_test_nest_lock(lock), 4);
                for _ in 0..3 {
                    omp_unset_nest_lock(lock);
                }
            }
            meet();
            if !owner {
                assert_eq!(omp_test_nest_lock(lock), 0, "the other thread still has it once");
            }
            meet();
            if owner {
                omp_unset_nest_lock(lock);
            }
            meet();
            if !owner {
                assert_eq!(omp_test_nest_lock(lock), 1);
                omp_unset_nest_lock(lock);
                omp_destroy_nest_lock(lock);
                omp_init_nest_lock(lock);
            }
            meet();
            assert_eq!(*lock, 0);
        }
    });
}

#[test]
fn locks_exclude() {
    let _test = start();
    static NAME: Shared<[u32; 8]> = Shared::new([0; 8]);
    static LOCK: Shared<u64> = Shared::new(0);
    static SUMS: Shared<[u32; 3]> = Shared::new([0; 3]);
    launch(2, 96, || {
        let (name, lock, sums) = (NAME.get().cast::<u32>(), LOCK.get(), SUMS.get().cast::<u32>());
        // SAFETY: each sum is changed under one lock.
        unsafe {
            for _ in 0..50 {
                __kmpc_critical_with_hint(null(), 0, name, 1);
                *sums += 1;
                __kmpc_end_critical(null(), 0, name);
                omp_set_nest_lock(lock);
                omp_set_nest_lock(lock);
                *sums.add(1) += 1;
                omp_unset_nest_lock(lock);
                *sums.add(1) += 1;
                omp_unset_nest_lock(lock);
                assert_eq!(__kmpc_reduce_nowait(null(), 0, 1, 4, null::<u8>() as Arg, null(), name), 1);
                *sums.add(2) += 1;
                __kmpc_end_reduce_nowait(null(), 0, name);
            }
        }
    });
    // SAFETY: the launch is over.
    assert_eq!(unsafe { *SUMS.get() }, [2 * 96 * 50, 2 * 2 * 96 * 50, 2 * 96 * 50]);
}

const PARALLEL: i32 = 1;
const LOOP: i32 = 2;
const SECTIONS: i32 = 3;

/// What clang writes for `cancel parallel` and `cancellation point parallel`: whether the thread leaves.
fn leaves(answer: i32) -> bool {
    if answer != 0 {
        __kmpc_barrier(null(), 0);
    }
    answer != 0
}

regions! {
    // One thread cancels; the others pass two barriers as a smaller team, half of them leave, the rest goes to the end.
    cancelled_region / cancelled_region_wrapper(_arg) {
        let (thread, threads) = (omp_get_thread_num(), omp_get_num_threads() as u32);
        count(0);
        __kmpc_barrier(null(), 0);
        if thread == 1 && leaves(__kmpc_cancel(null(), 0, PARALLEL)) {
            count(1);
            return;
        }
        assert!(thread != 1 || omp_get_cancellation() == 0);
        let gone = omp_get_cancellation() as u32;
        __kmpc_barrier(null(), 0);
        count(2);
        __kmpc_barrier(null(), 0);
        assert_eq!(COUNTS[2].load(SeqCst), threads - gone, "a barrier of the others");
        __kmpc_barrier(null(), 0);
        if thread % 2 == 0 && leaves(__kmpc_cancellationpoint(null(), 0, PARALLEL)) {
            count(3);
            return;
        }
        count(4);
        __kmpc_barrier(null(), 0);
    }
    // Two loops, of which the first is cancelled, and one that is not.
    cancelled_loops / cancelled_loops_wrapper(kind) {
        let (kind, thread) = (kind as usize as i32, omp_get_thread_num());
        for round in 0..3 {
            let cancels = round < 2 && thread == 3 + round && __kmpc_cancel(null(), 0, kind) != 0;
            if !cancels && round < 2 && omp_get_cancellation() != 0 {
                while __kmpc_cancellationpoint(null(), 0, kind) == 0 { std::thread::yield_now() }
                count(round as usize);
            }
            // Other kinds are not cancelled.
            assert_eq!(__kmpc_cancellationpoint(null(), 0, PARALLEL), 0);
            __kmpc_barrier(null(), 0);
            assert_eq!(__kmpc_cancellationpoint(null(), 0, kind), 0, "reset behind the barrier");
            __kmpc_barrier(null(), 0);
        }
    }
    // flang's form: the barrier answers.
    cancel_barriers / cancel_barriers_wrapper(_arg) {
        let thread = omp_get_thread_num();
        // A fast thread may cancel the region before a slow one is behind the barrier.
        if __kmpc_cancel_barrier(null(), 0) != 0 {
            count(1);
            return;
        }
        if thread == 2 && __kmpc_cancel(null(), 0, PARALLEL) != 0 {
            __kmpc_cancel_barrier(null(), 0);
            count(0);
            return;
        }
        if __kmpc_cancel_barrier(null(), 0) != 0 {
            count(1);
            return;
        }
        count(2);
    }
}

#[test]
fn a_cancelled_region_goes_on_without_those_who_left() {
    let _test = start();
    for (mode, block, threads) in [
        (ExecMode::SPMD, 64, -1),
        (ExecMode::SPMD, 64, 7),
        (ExecMode::GENERIC, 64 + WARP, -1),
        (ExecMode::GENERIC, 64 + WARP, 33),
    ] {
        let kernel = Kernel::new(mode);
        let team = if threads < 0 { 64 } else { threads as u32 };
        let run = || {
            launch(1, block, || {
                kernel.run(|| {
                    for _ in 0..3 {
                        let arg = std::ptr::null_mut();
                        region(true, threads, cancelled_region, cancelled_region_wrapper as Code, arg);
                        COUNTS[2].store(0, SeqCst);
                    }
                })
            });
        };
        set_cancellation(false);
        run();
        assert_eq!(counts::<5>(), [3 * team, 0, 0, 0, 3 * team], "{mode:?}");
        set_cancellation(true);
        run();
        let left = team.div_ceil(2);
        assert_eq!(counts::<5>(), [3 * team, 3, 0, 3 * left, 3 * (team - 1 - left)], "{mode:?}");
    }
}

#[test]
fn a_cancelled_loop_ends_with_its_barrier() {
    let _test = start();
    for (mode, block, team) in [(ExecMode::SPMD, 64, 64), (ExecMode::GENERIC, 96 + WARP, 96)] {
        let kernel = Kernel::new(mode);
        for kind in [LOOP, SECTIONS] {
            for cancellation in [false, true] {
                set_cancellation(cancellation);
                launch(2, block, || {
                    kernel.run(|| {
                        region(
                            true,
                            -1,
                            cancelled_loops,
                            cancelled_loops_wrapper as Code,
                            kind as usize as Arg,
                        )
                    })
                });
                let seen = if cancellation { 2 * (team - 1) } else { 0 };
                assert_eq!(counts::<2>(), [seen, seen], "{mode:?}");
                // Only then the team meets in its own way.
                assert_eq!(opened(BARRIER_TEAM) != 0, mode == ExecMode::GENERIC && !cancellation);
            }
        }
    }
}

#[test]
fn a_cancel_barrier_sends_all_to_the_end() {
    let _test = start();
    for (mode, block) in [(ExecMode::SPMD, 64), (ExecMode::GENERIC, 64 + WARP)] {
        let kernel = Kernel::new(mode);
        for (cancellation, wanted) in [(false, [0, 0, 128]), (true, [2, 126, 0])] {
            set_cancellation(cancellation);
            launch(1, block, || {
                kernel.run(|| {
                    region(true, -1, cancel_barriers, cancel_barriers_wrapper as Code, std::ptr::null_mut());
                    region(true, -1, cancel_barriers, cancel_barriers_wrapper as Code, std::ptr::null_mut());
                })
            });
            assert_eq!(counts::<3>(), wanted, "{mode:?}");
        }
    }
}

#[test]
fn a_team_of_one_leaves_alone() {
    let _test = start();
    set_cancellation(true);
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(1, 32, || {
        kernel.run(|| {
            for kind in [PARALLEL, LOOP, SECTIONS] {
                assert_eq!(__kmpc_cancellationpoint(null(), 0, kind), 0);
                assert_eq!((__kmpc_cancel(null(), 0, kind), omp_get_cancellation()), (1, 1));
                assert_eq!(__kmpc_cancellationpoint(null(), 0, kind), 0);
            }
        })
    });
}

/// What clang writes for `copyprivate(a, b, c)`: `c` is not in local memory.
extern "C" fn assign(to: Arg, from: Arg) {
    // SAFETY: two lists as below.
    unsafe {
        let (to, from) = (to.cast::<[*mut u64; 3]>().read(), from.cast::<[*mut u64; 3]>().read());
        to[0].write(from[0].read());
        to[1].cast::<[u64; 5]>().write(from[1].cast::<[u64; 5]>().read());
        to[2].write(from[2].read());
    }
}

/// What flang writes for each variable.
extern "C" fn assign_one(to: Arg, from: Arg) {
    // SAFETY: two variables of this type.
    unsafe { to.cast::<[u64; 3]>().write(from.cast::<[u64; 3]>().read()) }
}

regions! {
    copies / copies_wrapper(_arg) {
        let thread = omp_get_thread_num() as u64;
        for round in 0..3u64 {
            let (mut a, mut b, mut c) = (thread, [thread; 5], Box::new(thread));
            let single = __kmpc_single(null(), 0);
            if single != 0 {
                (a, b, *c) = (100 + round, [1, 2, 3, 4, round], 300 + round);
            }
            let mut list = [&raw mut a, (&raw mut b).cast(), &raw mut *c];
            // SAFETY: what the compiler passes.
            unsafe { __kmpc_copyprivate(null(), 0, 24, list.as_mut_ptr().cast(), assign as Code, single) };
            assert_eq!((a, b, *c), (100 + round, [1, 2, 3, 4, round], 300 + round), "thread {thread}");
            let (mut own, mut on_heap) = ([thread; 3], Box::new([thread; 3]));
            if single != 0 {
                (own, *on_heap) = ([round, 7, 8], [9, round, 10]);
            }
            for variable in [&raw mut own, &raw mut *on_heap] {
                // SAFETY: what the compiler passes.
                unsafe { __kmpc_copyprivate(null(), 0, 0, variable.cast(), assign_one as Code, single) };
            }
            assert_eq!((own, *on_heap), ([round, 7, 8], [9, round, 10]), "thread {thread}");
        }
    }
    reduces / reduces_wrapper(_arg) {
        static NAME: Shared<[u32; 8]> = Shared::new([0; 8]);
        let name = NAME.get().cast();
        // SAFETY: what the compiler passes.
        unsafe {
            assert_eq!(__kmpc_reduce(null(), 0, 1, 8, std::ptr::null_mut(), null(), name), 1);
            let sum = COUNTS[0].load(SeqCst);
            std::thread::yield_now();
            COUNTS[0].store(sum + 1, SeqCst);
            __kmpc_end_reduce(null(), 0, name);
        }
        assert_eq!(COUNTS[0].load(SeqCst), omp_get_num_threads() as u32, "all parts are there behind the call");
    }
}

#[test]
fn copyprivate_hands_out_the_values_of_one_thread() {
    let _test = start();
    for (mode, block) in [(ExecMode::SPMD, 64), (ExecMode::GENERIC, 64 + WARP)] {
        let kernel = Kernel::new(mode);
        let before = mallocs();
        for threads in [-1, 1, 5] {
            launch(2, block, || {
                kernel.run(|| region(true, threads, copies, copies_wrapper as Code, std::ptr::null_mut()))
            });
        }
        assert_eq!(mallocs(), before, "small variables need no heap");
    }
}

#[test]
fn a_reduction_in_the_hosts_form_is_complete_at_its_end() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(1, 64, || kernel.run(|| region(true, -1, reduces, null(), std::ptr::null_mut())));
    assert_eq!(counts::<1>(), [64]);
}

/// An object of `N` bytes, `OFFSET` behind an alignment of 16.
#[repr(C, align(16))]
struct Object([u8; 64]);

#[test]
fn atomics_that_the_machine_has() {
    let object = Object([0; 64]);
    let free = |bytes: u64, offset: usize| __atomic_is_lock_free(bytes, object.0[offset..].as_ptr());
    for bytes in [1, 2, 4, 8] {
        assert!(
            free(bytes, 0) && free(bytes, bytes as usize) && __atomic_is_lock_free(bytes, std::ptr::null())
        );
        assert_eq!(free(bytes, 1), bytes == 1);
    }
    assert!([0, 3, 12, 16, 40].iter().all(|bytes| !free(*bytes, 0)));
    // clang's and libstdc++'s address for an alignment of 4.
    let at_4 = std::ptr::without_provenance::<u8>(4_usize.wrapping_neg());
    assert!(__atomic_is_lock_free(4, at_4) && !__atomic_is_lock_free(8, at_4));
}

#[test]
fn atomics_of_every_size_and_alignment() {
    let _test = start();
    static OBJECT: Shared<Object> = Shared::new(Object([0; 64]));
    for (bytes, offset) in
        [(1, 3), (2, 2), (2, 1), (4, 4), (8, 8), (8, 4), (3, 0), (12, 4), (16, 16), (16, 8), (40, 1)]
    {
        // SAFETY: inside the object; no thread runs.
        let object = unsafe {
            OBJECT.get().write(Object([0; 64]));
            OBJECT.get().cast::<u8>().add(offset) as usize
        };
        launch(1, 32, || {
            let object = object as *mut u8;
            // SAFETY: the object and buffers of the largest size.
            unsafe {
                for _ in 0..7 {
                    // All bytes count together, so a torn access shows.
                    let (mut old, mut new) = ([0u8; 64], [0u8; 64]);
                    __atomic_load(bytes as u64, object, old.as_mut_ptr(), 0);
                    loop {
                        assert!(
                            old[..bytes].iter().all(|byte| *byte == old[0]),
                            "torn: {bytes} bytes at {offset}"
                        );
                        new[..bytes].fill(old[0] + 1);
                        let (expected, desired) = (old.as_mut_ptr(), new.as_mut_ptr());
                        if __atomic_compare_exchange(bytes as u64, object, expected, desired, 5, 5) {
                            break;
                        }
                    }
                }
            }
        });
        // SAFETY: the launch is over.
        unsafe {
            let (object, mut seen) = (object as *mut u8, [9u8; 64]);
            let mut new: [u8; 64] = std::array::from_fn(|byte| byte as u8 ^ 0x5a);
            __atomic_exchange(bytes as u64, object, new.as_mut_ptr(), seen.as_mut_ptr(), 5);
            assert!(seen[..bytes] == [32 * 7; 64][..bytes] && seen[bytes..] == [9; 64][bytes..], "{bytes}");
            __atomic_load(bytes as u64, object, seen.as_mut_ptr(), 5);
            assert_eq!(seen[..bytes], new[..bytes]);
            // In place.
            __atomic_exchange(bytes as u64, object, seen.as_mut_ptr(), seen.as_mut_ptr(), 5);
            assert_eq!(seen[..bytes], new[..bytes]);
            new.fill(1);
            __atomic_store(bytes as u64, object, new.as_mut_ptr(), 5);
            let whole = &(*OBJECT.get()).0;
            assert!(
                whole
                    .iter()
                    .enumerate()
                    .all(|(at, byte)| { *byte == (at >= offset && at < offset + bytes) as u8 }),
                "nothing beside the object changes: {bytes} at {offset}"
            );
        }
    }
}

#[test]
fn a_warning_names_the_place() {
    let _test = start();
    let long = "x".repeat(600);
    for (source, wanted) in [
        (";dir/a.c;main;12;7;;", "dir/a.c:12:7: look"),
        (";unknown;unknown;0;0;;", "unknown:0:0: look"),
        ("", ":0:0: look"),
        (&format!(";{long};f;1;2;;"), &format!("{}:0:0: look", &long[..254])),
    ] {
        let (source, text) = (CString::new(source).unwrap(), c"look");
        let ident = Ident { reserved_1: 0, flags: 2, reserved_2: 0, reserved_3: 0, psource: source.as_ptr() };
        // SAFETY: what the compiler passes.
        unsafe { __kmpc_error(&raw const ident, 1, text.as_ptr()) };
        assert_eq!(*machine::WARNING.lock().unwrap(), wanted);
    }
    // SAFETY: as above; no location at all.
    unsafe { __kmpc_error(null(), 1, c"look".as_ptr()) };
    assert_eq!(*machine::WARNING.lock().unwrap(), ":0:0: look");
}
