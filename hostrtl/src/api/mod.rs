//! The entry points, by who calls them. `omptarget-so` gives them their C names.

pub mod copy;
pub mod interop;
pub mod kernel_language;
pub mod legacy;
pub mod llvm;
pub mod omp;
pub mod replay;
pub mod tgt;

use crate::info;

/// Return value of entry points that did their work.
pub const SUCCESS: i32 = 0;
/// Return value of entry points that did not; a program that gets it from a kernel launch runs the region on the host.
pub const FAIL: i32 = -1;

/// Tells why a routine did nothing.
fn refuse(function: &str, why: &str) -> i32 {
    info::error(format_args!("{function}: {why}"));
    FAIL
}
