//! The barriers of `barriers.c` in kernels of Rust: a loop with nothing, with `bar.sync`, and with the device runtime's
//! `__kmpc_barrier_simple_spmd`, in cycles of the device's clock. `tests-gpu/src/device_bench/rust.rs` builds and launches them.
//!
//! Each kernel first shows that its barrier is one, as those in C do.
#![no_std]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

use core::ffi::c_void;
use core::ptr::null;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.clock64"]
    safe fn clock() -> i64;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    safe fn thread() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    safe fn threads() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    safe fn block() -> u32;
    /// `bar.sync`. Called by its name and not through a function of core, which rustc would not mark convergent.
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    safe fn bar_sync(barrier: u32);
    fn __kmpc_barrier_simple_spmd(location: *const c_void, thread: i32);
}

/// A number that looks random, the same as in `options.h`.
#[inline(always)]
fn hash(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// The compiler has to expect that all memory is read and written here.
macro_rules! opaque {
    () => {
        // SAFETY: there is no instruction in it.
        unsafe { core::arch::asm!("") }
    };
}

macro_rules! kernel {
    ($name:ident, $is_barrier:literal, $operation:expr) => {
        /// Writes the cycles of `repeats` operations to the block's place in `cycles`. `slots` has a place for each thread
        /// of all blocks, and `wrong` is set to 1 by a thread that does not see what its neighbour wrote before the barrier.
        ///
        /// # Safety
        /// The pointers are to device memory of these sizes.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(
            repeats: u64,
            seed: u32,
            cycles: *mut u64,
            slots: *mut u32,
            wrong: *mut u32,
        ) {
            let (mine, size) = (thread(), threads());
            // SAFETY: each block has `size` places.
            let of_block = unsafe { slots.add(block() as usize * size as usize) };
            let mut round = 0;
            while $is_barrier && round < 4 {
                let value = |of: u32| hash(seed.wrapping_add(round * 1024).wrapping_add(of));
                let neighbour = (mine + 33) % size;
                // SAFETY: both are places of the block; threads write to their own alone, and read behind a barrier.
                unsafe {
                    of_block.add(mine as usize).write_volatile(value(mine));
                    $operation;
                    if of_block.add(neighbour as usize).read_volatile() != value(neighbour) {
                        wrong.write_volatile(1);
                    }
                    $operation;
                }
                round += 1;
            }
            bar_sync(0);
            let start = clock();
            let mut i = 0;
            while i < repeats {
                opaque!();
                #[allow(unused_unsafe)]
                // SAFETY: all threads of the block come here.
                unsafe {
                    $operation
                };
                i += 1;
            }
            opaque!();
            let end = clock();
            if mine == 0 {
                // SAFETY: each block has a place.
                unsafe { cycles.add(block() as usize).write(end.wrapping_sub(start) as u64) };
            }
        }
    };
}

kernel!(empty_loop, false, ());
kernel!(bar_sync_loop, true, bar_sync(0));
kernel!(simple_spmd_loop, true, __kmpc_barrier_simple_spmd(null(), 0));
