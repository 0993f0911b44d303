//! The barriers of `barriers.c` in kernels of Rust: a loop with nothing, with `bar.sync`, and with the device runtime's barriers, in
//! cycles of the device's clock.
//!
//! Each kernel first shows that its barrier is one, as those in C do.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use core::ptr::null;
use frame::*;

/// What all threads of a team do: `mine` is the number of one, `size` how many there are. They start `together`.
macro_rules! body {
    ($launch:ident, $mine:expr, $size:expr, $is_barrier:literal, $together:expr, $operation:expr) => {
        let (mine, size) = ($mine, $size);
        let of_team = $launch.of_team();
        let mut round = 0;
        while $is_barrier && round < 4 {
            let value = |of: u32| hash($launch.seed.wrapping_add(round * 1024).wrapping_add(of));
            let neighbour = (mine + 33).checked_rem(size).unwrap_or_default();
            of_team.add(mine as usize).write_volatile(value(mine));
            $operation;
            $launch.judge(of_team.add(neighbour as usize).read_volatile() == value(neighbour));
            $operation;
            round += 1;
        }
        $launch.judge(u64::from(size) == $launch.argument);
        $together;
        let start = clock();
        let mut i = 0;
        while i < $launch.repeats {
            opaque();
            $operation;
            i += 1;
        }
        opaque();
        let end = clock();
        if mine == 0 {
            $launch.took(start, end);
        }
    };
}

/// A kernel without OpenMP.
macro_rules! bare {
    ($name:literal, $is_barrier:literal, $operation:expr) => {
        // SAFETY: threads write to their own places alone, and read behind a barrier that all threads of the block come to.
        launched!($name, |_env, launch| unsafe {
            body!(launch, thread(), threads(), $is_barrier, bar_sync(0), $operation);
        });
    };
}

bare!("empty_loop", false, ());
bare!("bar_sync", true, bar_sync(0));
bare!("simple_spmd", true, __kmpc_barrier_simple_spmd(null(), 0));
bare!("simple_generic", true, __kmpc_barrier_simple_generic(null(), 0));

spmd!("kmpc_barrier_spmd", |launch, number| {
    let (mine, size) = (omp_get_thread_num() as u32, omp_get_num_threads() as u32);
    body!(launch, mine, size, true, barrier(), __kmpc_barrier(location(), number));
});

extern "C" fn region(number: *const i32, _bound: *const i32, launch: *const Launch) {
    // SAFETY: the main thread's, which waits.
    let (launch, number) = unsafe { (*launch, *number) };
    let (mine, size) = (omp_get_thread_num() as u32, omp_get_num_threads() as u32);
    // SAFETY: threads write to their own places alone, and read behind a barrier that all threads of the region come to.
    unsafe {
        body!(launch, mine, size, true, barrier(), __kmpc_barrier(location(), number));
    }
}
wrapper!(worker, region(launch));

target!("kmpc_barrier_generic", ExecMode::GENERIC, |launch| {
    let bytes = size_of::<Launch>() as u64;
    // SAFETY: memory of this size, which the workers see.
    unsafe {
        let shared: *mut Launch = __kmpc_alloc_shared(bytes).cast();
        shared.write(launch);
        parallel(launch.argument as i32, region as Code, worker as Code, &mut [shared.cast()]);
        __kmpc_free_shared(shared.cast(), bytes);
    }
});
