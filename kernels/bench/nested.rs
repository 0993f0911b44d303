//! The regions inside a region of `nested.c` in kernels of Rust. Apart from `shared/regions.rs`: a program in which regions can nest
//! pays for that in all its regions.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use core::ptr::null;
use core::sync::atomic::{AtomicU32, Ordering};
use frame::*;

unsafe extern "C" {
    safe fn omp_set_max_active_levels(levels: i32);
}

/// What the threads of an inner region share.
struct Shared {
    launch: Launch,
    sum: AtomicU32,
    size: u32,
}

/// Calls `code` with what an inner region shares: threads that come from the other warps of the block see it.
#[inline(always)]
fn with_shared(launch: Launch, code: impl FnOnce(*mut Shared)) {
    let bytes = size_of::<Shared>() as u64;
    // SAFETY: memory of this size, which nobody has any more when the code is through.
    unsafe {
        let shared: *mut Shared = __kmpc_alloc_shared(bytes).cast();
        shared.write(Shared { launch, sum: AtomicU32::new(0), size: 0 });
        code(shared);
        __kmpc_free_shared(shared.cast(), bytes);
    }
}

/// A region in a region, with all threads that may join. No worker of a generic kernel is sent to it by the main thread: it has no
/// wrapper.
#[inline(always)]
fn inner<const N: usize>(region: Code, arguments: &mut [*mut c_void; N]) {
    parallel(-1, region, null(), arguments)
}

/// A kernel with an outer region of `launch.argument` threads, whose first thread does this.
macro_rules! in_region {
    ($name:literal, |$launch:ident| $body:expr) => {
        const _: () = {
            extern "C" fn outer(_number: *const i32, _bound: *const i32, shared: *const Shared) {
                if omp_get_thread_num() == 0 {
                    // SAFETY: the main thread's, which waits.
                    let $launch = unsafe { (*shared).launch };
                    $body
                }
            }
            wrapper!(worker, outer(shared));

            target!($name, ExecMode::GENERIC, |launch| {
                omp_set_max_active_levels(2);
                with_shared(launch, |shared| {
                    let threads = launch.argument as i32;
                    parallel(threads, outer as Code, worker as Code, &mut [shared.cast()])
                })
            });
        };
    };
}

/// All threads of the inner region add a number, and the first one says how many there are.
extern "C" fn join(_number: *const i32, _bound: *const i32, shared: *mut Shared) {
    // SAFETY: the memory of the thread that waits at the end of the region; one thread writes the size.
    unsafe {
        (*shared).sum.fetch_add(hash((*shared).launch.seed).wrapping_add(1), Ordering::Relaxed);
        if omp_get_thread_num() == 0 {
            (*shared).size = omp_get_num_threads() as u32;
        }
    }
}

extern "C" fn nothing(_number: *const i32, _bound: *const i32) {
    opaque();
}

in_region!("empty", |launch| with_shared(launch, |shared| {
    inner(join as Code, &mut [shared.cast()]);
    // SAFETY: the region is over.
    let (sum, size) =
        unsafe { ((*shared).sum.load(Ordering::Relaxed), (&raw const (*shared).size).read_volatile()) };
    launch.judge(size != 0 && sum == size.wrapping_mul(hash(launch.seed).wrapping_add(1)));
    let start = clock();
    let mut i = 0;
    while i < launch.repeats {
        inner(nothing as Code, &mut []);
        i += 1;
    }
    let end = clock();
    launch.took(start, end);
}));

/// Barriers of the inner region's team, after two that show that they are.
extern "C" fn barriers(number: *const i32, _bound: *const i32, shared: *const Shared) {
    // SAFETY: the memory of the thread that waits at the end of the region, each thread's own number, and a place for each thread, which
    // others read behind a barrier alone.
    unsafe {
        let (launch, number) = ((*shared).launch, *number);
        let thread = omp_get_thread_num() as u32;
        let neighbour = (thread + 1).checked_rem(omp_get_num_threads() as u32).unwrap_or_default();
        let value = |of: u32| hash(launch.seed.wrapping_add(of));
        let of_team = launch.of_team();
        of_team.add(thread as usize).write_volatile(value(thread));
        __kmpc_barrier(location(), number);
        launch.judge(of_team.add(neighbour as usize).read_volatile() == value(neighbour));
        __kmpc_barrier(location(), number);
        let start = clock();
        let mut i = 0;
        while i < launch.repeats {
            opaque();
            __kmpc_barrier(location(), number);
            i += 1;
        }
        opaque();
        let end = clock();
        if thread == 0 {
            launch.took(start, end);
        }
    }
}

in_region!("barrier", |launch| with_shared(launch, |shared| {
    inner(barriers as Code, &mut [shared.cast()]);
}));
