//! Regions that ask for as many threads as a team of their kernel can have, or more: what they get is the whole team.
//!
//! The compiler knows no more of a team's size than the machine's limit, and where a region may have a part of the team every
//! barrier in it asks. A region that asks for that limit cannot have a part.

use crate::Settings;
use crate::analysis::callers::Callers;
use crate::analysis::kernel::Kernel;
use crate::analysis::runtime::{parallel, parallel_operand};
use crate::ir::{Inst, Module};
use std::ops::Deref;

/// Threads of a block on every GPU.
const LIMIT: u32 = 1024;

/// Lets them ask for the limit.
pub fn run(module: Module, callers: &impl Deref<Target = Callers>, settings: &Settings) {
    if settings.disable_folding {
        return;
    }
    for function in module.functions() {
        for region in function.instructions().filter(|inst| parallel(*inst).is_some()) {
            let Some(asked) = asked(region) else { continue };
            let all = |kernel: &Kernel| {
                kernel.mode().is_spmd() && kernel.most_threads().is_some_and(|most| most <= asked.into())
            };
            if callers.kernels_of(function).is_some_and(|kernels| kernels.iter().all(all)) {
                let limit = region.operand(parallel_operand::NUM_THREADS).ty().constant(LIMIT.into());
                region.set_operand(parallel_operand::NUM_THREADS, limit);
            }
        }
    }
}

/// The number that a region asks for, if it is known, below the limit and no must.
fn asked(region: Inst) -> Option<u32> {
    let has_strict = region.arguments().len() > parallel_operand::STRICT as usize;
    if has_strict && region.operand(parallel_operand::STRICT).as_constant_int() != Some(0) {
        return None;
    }
    let asked = region.operand(parallel_operand::NUM_THREADS).as_constant_int()? as u32;
    (1..LIMIT).contains(&asked).then_some(asked)
}
