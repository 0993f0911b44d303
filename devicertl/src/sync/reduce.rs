//! Reductions in the form that host code uses: each thread adds its part to the shared variables itself, under the lock of
//! the reduction. clang writes this form where it does not write one for devices.
//!
//! The answer is always 1, "combine under the lock"; 2 would ask for the compiler's atomic operations, 0 is for threads
//! whose part another thread has combined.

use super::{lock, team_barrier};
use crate::arch::{Arg, Code};
use abi::ident::Ident;

macro_rules! beginnings {
    ($($(#[$attribute:meta])+ $name:ident;)+) => { $(
        $(#[$attribute])+
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _loc: *const Ident,
            _gtid: i32,
            _count: i32,
            _bytes: i64,
            _data: Arg,
            _combine: Code,
            name: *mut u32,
        ) -> i32 {
            // SAFETY: the compiler's zeroed variable for this reduction.
            unsafe { lock::take(name) };
            1
        }
    )+ };
}
beginnings! {
    /// As [`__kmpc_reduce_nowait`]; the barrier is in [`__kmpc_end_reduce`].
    __kmpc_reduce;
    /// Waits until this thread may combine.
    __kmpc_reduce_nowait;
}

/// This thread has combined; behind the call all have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_reduce(_loc: *const Ident, _gtid: i32, name: *mut u32) {
    // SAFETY: the lock that `__kmpc_reduce` took.
    unsafe { lock::release(name) };
    team_barrier()
}

/// This thread has combined.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_reduce_nowait(_loc: *const Ident, _gtid: i32, name: *mut u32) {
    // SAFETY: the lock that `__kmpc_reduce_nowait` took.
    unsafe { lock::release(name) }
}
