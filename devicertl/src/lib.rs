//! The OpenMP device runtime: what clang and flang call in code for `nvptx64-nvidia-cuda`.
//!
//! The build script of the root package compiles this crate for the device and links it with `prelude/`; nothing of
//! it is meant to be called from Rust. On the host the same code is tested against a machine of OS threads
//! (`tests/`). How the code must be written so that LLVM's openmp-opt can fold it away is said in [`state`] and
//! [`parallel`]; the rules for all of it:
//!
//! * an `#[inline(never)]` export is never called from Rust: exports and callers share an `#[inline(always)]` function.
//!   rustc repeats `noinline` at call sites, where LLVM never removes it. The few calls that must be by name are in
//!   the prelude;
//! * `#[inline(never)]` on an export only if openmp-opt must recognise its calls, and on rare paths;
//! * no panic, no slice index, no inline assembly, no indirect call but through [`arch`];
//! * arithmetic that cannot overflow says so (`unchecked_*`): wrapping arithmetic costs registers in every loop.
//!
//! Functions that compilers call have no documentation of their own where the OpenMP specification or the comment
//! at the head of their file says all.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(optimize_attribute))]
#![allow(unused_attributes, reason = "rustc 1.96 says that `inline` on an export is ignored; it is not")]
#![allow(clippy::missing_safety_doc, reason = "the callers are compilers")]

pub mod allocator;
pub mod arch;
mod config;
pub mod debug;
pub mod error;
pub mod fork;
pub mod fortran;
pub mod indirect;
pub mod kernel;
pub mod libc;
pub mod math;
pub mod memory;
pub mod nested;
pub mod parallel;
pub mod query;
pub mod reduction;
pub mod service;
pub mod state;
pub mod sync;
pub mod tasking;
pub mod warp;
pub mod worksharing;
