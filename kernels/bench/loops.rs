//! The schedules of `loops.c` in kernels of Rust, by calls of the runtime's functions.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use core::sync::atomic::{AtomicU32, Ordering};
use frame::*;

/// Schedules (`kmp.h`: `sched_type`).
const STATIC_CHUNKED: i32 = 33;
const STATIC: i32 = 34;
const DYNAMIC: i32 = 35 | NONMONOTONIC;
const GUIDED: i32 = 36 | NONMONOTONIC;
/// The modifier that clang gives to both.
const NONMONOTONIC: i32 = 1 << 30;

/// Adds up the iterations `lower..=upper` of a loop.
#[inline(always)]
fn add(sum: &mut u32, lower: u32, upper: u32) {
    let mut i = lower;
    while i <= upper {
        *sum = opaque_value(sum.wrapping_add(i));
        i += 1;
    }
}

/// A loop that a thread asks for its share of once; the sum of its iterations.
#[inline(always)]
unsafe fn shared_out(number: i32, schedule: i32, size: u32, count: u32) -> u32 {
    let (mut sum, mut last, mut lower, mut upper, mut stride) = (0, 0, 0, count - 1, 1);
    let (last, stride_of) = (&mut last, &mut stride);
    // SAFETY: all threads of the region call it; the variables are this thread's.
    unsafe {
        __kmpc_for_static_init_4u(
            location(),
            number,
            schedule,
            last,
            &mut lower,
            &mut upper,
            stride_of,
            1,
            size as i32,
        );
        while lower < count {
            add(&mut sum, lower, upper.min(count - 1));
            if schedule == STATIC {
                break;
            }
            lower += *stride_of as u32;
            upper += *stride_of as u32;
        }
        __kmpc_for_static_fini(location(), number);
        __kmpc_barrier(location(), number);
    }
    sum
}

/// A loop whose threads ask for one chunk after the other; the sum of this thread's iterations.
#[inline(always)]
unsafe fn dispatched(number: i32, schedule: i32, size: u32, count: u32) -> u32 {
    let (mut sum, mut last, mut lower, mut upper, mut stride) = (0, 0, 0, 0, 0);
    let mut next = || {
        // SAFETY: the variables are this thread's.
        let more = unsafe {
            __kmpc_dispatch_next_4u(location(), number, &mut last, &mut lower, &mut upper, &mut stride)
        };
        (more != 0).then_some((lower, upper))
    };
    // SAFETY: all threads of the region call it.
    unsafe {
        __kmpc_dispatch_init_4u(location(), number, schedule, 0, count - 1, 1, size as i32);
        while let Some((lower, upper)) = next() {
            add(&mut sum, lower, upper);
        }
        __kmpc_dispatch_deinit(location(), number);
        __kmpc_barrier(location(), number);
    }
    sum
}

/// `repeats` chunks of this size a thread. The sum over all iterations is that of their numbers.
macro_rules! kernel {
    ($name:literal, $share:ident, $schedule:expr, $size:literal) => {
        spmd!($name, |launch, number| {
            let thread = omp_get_thread_num();
            let of_team = launch.of_team();
            let count = launch.repeats as u32 * launch.threads * $size;
            of_team.add(thread as usize).write_volatile(launch.seed);
            barrier();
            let start = clock();
            let sum = $share(number, $schedule, $size, count);
            let end = clock();
            AtomicU32::from_ptr(of_team).fetch_add(sum, Ordering::Relaxed);
            barrier();
            if thread == 0 {
                launch.took(start, end);
                let all = (u64::from(count) * u64::from(count - 1) / 2) as u32;
                launch.judge(of_team.read_volatile() == launch.seed.wrapping_add(all));
            }
        });
    };
}

kernel!("static", shared_out, STATIC, 1);
kernel!("static_1", shared_out, STATIC_CHUNKED, 1);
kernel!("static_8", shared_out, STATIC_CHUNKED, 8);
kernel!("dynamic_1", dispatched, DYNAMIC, 1);
kernel!("dynamic_8", dispatched, DYNAMIC, 8);
kernel!("guided_1", dispatched, GUIDED, 1);
kernel!("guided_8", dispatched, GUIDED, 8);
