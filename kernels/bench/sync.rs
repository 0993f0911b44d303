//! The constructs of `sync.c` in kernels of Rust, by calls of the runtime's functions.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use frame::*;

unsafe extern "C" {
    fn __kmpc_critical(location: Location, number: i32, name: *mut u32);
    fn __kmpc_end_critical(location: Location, number: i32, name: *mut u32);
    fn omp_init_lock(lock: *mut u64);
    fn omp_set_lock(lock: *mut u64);
    fn omp_unset_lock(lock: *mut u64);
    fn __kmpc_single(location: Location, number: i32) -> i32;
    fn __kmpc_end_single(location: Location, number: i32);
    fn __kmpc_master(location: Location, number: i32) -> i32;
    fn __kmpc_end_master(location: Location, number: i32);
    fn __kmpc_warp_active_thread_mask() -> i64;
    fn __kmpc_syncwarp(lanes: i64);
    fn __kmpc_ordered(location: Location, number: i32);
    fn __kmpc_end_ordered(location: Location, number: i32);
}

/// What the runtime keeps of a lock or of the name of a critical section.
struct Word<T>(UnsafeCell<T>);

// SAFETY: the runtime's, which all threads change by atomic operations.
unsafe impl<T> Sync for Word<T> {}

static LOCK: Word<u64> = Word(UnsafeCell::new(0));
static NAME: Word<[u32; 8]> = Word(UnsafeCell::new([0; 8]));

// Launched before all others, by one thread.
entry!("init_lock", |_env| {
    // SAFETY: nobody has the lock yet.
    unsafe { omp_init_lock(LOCK.0.get()) }
});

/// One more in a variable of the team, which needs no atomic update if the construct excludes.
#[inline(always)]
unsafe fn plus_one(of_team: *mut u32) {
    // SAFETY: as the construct around it says.
    unsafe { of_team.write_volatile(of_team.read_volatile().wrapping_add(1)) }
}

/// A kernel whose threads do the operation `repeats` times between two barriers, and the sum by which the operations have then raised the
/// words of the team.
macro_rules! kernel {
    ($name:literal, |$launch:ident, $number:ident, $of_team:ident| $operation:block, $sum:expr) => {
        spmd!($name, |$launch, $number| {
            let thread = omp_get_thread_num();
            let $of_team = $launch.of_team();
            $of_team.add(thread as usize).write_volatile($launch.seed);
            barrier();
            let start = clock();
            let mut i = 0;
            while i < $launch.repeats {
                opaque();
                $operation
                i += 1;
            }
            opaque();
            barrier();
            let end = clock();
            if thread == 0 {
                $launch.took(start, end);
                let raised = |i: u32| $of_team.add(i as usize).read_volatile().wrapping_sub($launch.seed);
                let mut sum = 0u32;
                let mut i = 0;
                while i < $launch.threads {
                    sum = sum.wrapping_add(raised(i));
                    i += 1;
                }
                $launch.judge(sum == $sum as u32);
            }
        });
    };
}

kernel!("barrier", |launch, number, of_team| { __kmpc_barrier(location(), number) }, 0);
kernel!(
    "single",
    |launch, number, of_team| {
        if __kmpc_single(location(), number) != 0 {
            plus_one(of_team);
            __kmpc_end_single(location(), number);
        }
        __kmpc_barrier(location(), number)
    },
    launch.repeats
);
kernel!(
    "masked",
    |launch, number, of_team| {
        if __kmpc_master(location(), number) != 0 {
            plus_one(of_team);
            __kmpc_end_master(location(), number);
        }
        __kmpc_barrier(location(), number)
    },
    launch.repeats
);
kernel!(
    "atomic",
    |launch, _number, of_team| {
        AtomicU32::from_ptr(of_team).fetch_add(1, Ordering::Relaxed);
    },
    launch.repeats * u64::from(launch.threads)
);
// One lane after the other: LLVM's runtime lets all lanes in that come together, and leaves the order to the compiler.
kernel!(
    "critical",
    |launch, number, of_team| {
        let lanes = __kmpc_warp_active_thread_mask();
        let mut lane = 0;
        while lane < 32 {
            if lane == number % 32 {
                let name = NAME.0.get().cast();
                __kmpc_critical(location(), number, name);
                plus_one(of_team);
                __kmpc_end_critical(location(), number, name);
            }
            __kmpc_syncwarp(lanes);
            lane += 1;
        }
    },
    launch.repeats * u64::from(launch.threads)
);
kernel!(
    "lock",
    |launch, _number, of_team| {
        omp_set_lock(LOCK.0.get());
        plus_one(of_team);
        omp_unset_lock(LOCK.0.get());
    },
    launch.repeats * u64::from(launch.threads)
);

/// `ordered` and `schedule(static, 1)` (`kmp.h`: `sched_type`).
const ORDERED_STATIC_CHUNKED: i32 = 65;

// A loop with one iteration a thread: each waits for that of the thread before.
kernel!(
    "ordered",
    |launch, number, of_team| {
        __kmpc_dispatch_init_4u(location(), number, ORDERED_STATIC_CHUNKED, 0, launch.threads - 1, 1, 1);
        let (mut last, mut lower, mut upper, mut step) = (0, 0, 0, 0);
        while __kmpc_dispatch_next_4u(location(), number, &mut last, &mut lower, &mut upper, &mut step) != 0 {
            let mut i = lower;
            while i <= upper {
                __kmpc_ordered(location(), number);
                plus_one(of_team);
                __kmpc_end_ordered(location(), number);
                __kmpc_dispatch_fini_4u(location(), number);
                i += 1;
            }
        }
        __kmpc_dispatch_deinit(location(), number);
        __kmpc_barrier(location(), number)
    },
    launch.repeats * u64::from(launch.threads)
);
