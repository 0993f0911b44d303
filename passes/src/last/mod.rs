//! What stands in kernels once LLVM has optimised them: stores to shared memory that nobody reads, barriers that order
//! nothing, atomic operations on a thread's own memory, variables without an alignment, constants that are read as if they were on the
//! stack, null among addresses of shared memory, functions that come to call themselves, and blocks of memory that are copied or filled
//! byte by byte.
//!
//! The device runtime is part of a kernel then, and its barriers are the machine's. LLVM's `openmp-opt` removes the same at a
//! device link; in clang's default mode it does not look behind a kernel's end, because another file might have a kernel of
//! this name, and what one kernel of a file reads from shared memory it keeps in all.

mod not_local;
mod null;
mod recursion;
mod unread;

use crate::Settings;
use crate::alignment;
use crate::analysis::kernel::Kernel;
use crate::fold::barriers;
use crate::ir::{Error, Module};
use crate::own_atomics;
use crate::remark::Remarks;

/// What becomes of code from which stores are gone.
const TIDY: &str = "function(simplifycfg,adce),globaldce";

/// What LLVM's back end or ptxas would make wrong of a module of device code, or cannot compile; whether it was changed.
pub fn repair(module: Module) -> bool {
    module.is_device_code()
        && own_atomics::run(module)
            | alignment::run(module)
            | not_local::run(module)
            | null::run(module)
            | recursion::run(module)
            | module.integers_for_halves()
            | module.break_rings()
}

/// Runs behind LLVM's own passes, over a module of device code; whether it was changed.
///
/// # Errors
/// A stock pass that is needed is not there.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) -> Result<bool, Error> {
    let repaired = repair(module);
    if !module.is_device_code() || settings.disable {
        return Ok(repaired);
    }
    let blocks = module.blocks_in_words();
    let unread = unread::run(module);
    if unread {
        module.run_passes(TIDY)?;
    }
    let kernels = Kernel::modes(module).into_iter().filter(|(_, mode)| mode.is_spmd());
    let mut barriers = false;
    for (kernel, _) in kernels {
        barriers |= barriers::run_on_optimized(kernel, settings, remarks);
    }
    Ok(repaired || blocks || unread || barriers)
}
