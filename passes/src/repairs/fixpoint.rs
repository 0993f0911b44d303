//! LLVM's `openmp-opt` until it has found all that it looks for.
//!
//! It computes what holds of a module step by step, until no step changes anything, and stops after 256 steps. What it knows by
//! then of a kernel may be that it can be converted, but not yet all of its instructions that only one thread may execute: it
//! converts the kernel all the same, and these are executed by all threads (`docs/upstream.md`).

use crate::ir::set_unsigned_option;

/// LLVM's limit.
const OPTION: &str = "openmp-opt-max-iterations";

/// More than any module has needed by far: the steps of the last hundreds change little, and take little time.
const ENOUGH: u32 = 1 << 16;

/// Lifts the limit, unless the user has set one.
pub fn run() {
    set_unsigned_option(OPTION, ENOUGH);
}
