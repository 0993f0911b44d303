//! `__kmpc_alloc_shared` and its release as in `memory.c`, in kernels of Rust.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use frame::*;

/// Takes memory, writes and reads its first and its last word, and gives it back; whether it held what was written.
#[inline(always)]
fn allocate(bytes: u64, value: u32) -> bool {
    // SAFETY: the runtime's memory of this size, which is at least that of two words.
    unsafe {
        let memory: *mut u32 = __kmpc_alloc_shared(bytes).cast();
        let last = bytes as usize / size_of::<u32>() - 1;
        memory.write(value);
        memory.add(last).write(value.wrapping_add(1));
        // Nobody knows what becomes of the pointer: the memory must not become a variable.
        let memory = opaque_address(memory);
        let held = memory.read() == value && memory.add(last).read() == value.wrapping_add(1);
        __kmpc_free_shared(memory.cast(), bytes);
        held
    }
}

spmd!("by_all_threads", |launch, _number| {
    let (thread, mut right) = (omp_get_thread_num() as u32, true);
    barrier();
    let start = clock();
    let mut i = 0;
    while i < launch.repeats {
        let value = hash(launch.seed.wrapping_add(i as u32 * 1024).wrapping_add(thread));
        right &= allocate(launch.argument, value);
        i += 1;
    }
    barrier();
    let end = clock();
    if thread == 0 {
        launch.took(start, end);
    }
    launch.judge(right);
});

target!("by_main_thread", ExecMode::GENERIC, |launch| {
    let mut right = true;
    let start = clock();
    let mut i = 0;
    while i < launch.repeats {
        right &= allocate(launch.argument, hash(launch.seed.wrapping_add(i as u32)));
        i += 1;
    }
    launch.took(start, clock());
    launch.judge(right);
});
