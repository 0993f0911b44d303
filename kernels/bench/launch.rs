//! Kernels that do nothing, as in `launch.c`, in Rust: what they take beside `bare`, which the runtime knows nothing of, is what it
//! does at their start and end.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use frame::*;

/// One word a team if there is somewhere to put it, which shows that all teams ran.
#[inline(always)]
fn work(words: *mut u32, value: u32) {
    if !words.is_null() {
        // SAFETY: each block has a word.
        unsafe { words.add(block() as usize).write(hash(value.wrapping_add(block()))) }
    }
}

extern "C" fn region(_number: *const i32, _bound: *const i32, words: *mut u32, value: *mut c_void) {
    if omp_get_thread_num() == 0 {
        work(words, value.addr() as u32);
    }
}
wrapper!(worker, region(words value));

/// The region with these arguments.
#[inline(always)]
fn run(threads: i32, words: *mut u32, value: u32) {
    let mut arguments = [words.cast(), core::ptr::without_provenance_mut(value as usize)];
    parallel(threads, region as Code, worker as Code, &mut arguments)
}

entry!("bare", |_env, words: *mut u32, value: u32| {
    if thread() == 0 {
        work(words, value);
    }
});
entry!("spmd", |env, words: *mut u32, value: u32| {
    in_target!(env, ExecMode::SPMD, 0, run(threads() as i32, words, value))
});
entry!("generic", |env, words: *mut u32, value: u32| {
    in_target!(env, ExecMode::GENERIC, 0, {
        opaque();
        if !words.is_null() {
            run(-1, words, value)
        }
    })
});
