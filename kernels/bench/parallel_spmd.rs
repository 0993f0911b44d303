//! The regions of `parallel.c` in SPMD kernels of Rust.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

#[path = "shared/regions.rs"]
mod regions;

/// How the kernels run serial code.
const MODE: frame::ExecMode = frame::ExecMode::SPMD;
