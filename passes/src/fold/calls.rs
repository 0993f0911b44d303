//! Questions to the runtime whose answer is the same wherever the function is called from (OMP180).
//!
//! * The mode, if all kernels that come here have the same. A generic kernel may still be converted when everything is
//!   linked: that it is generic is only known then.
//! * The level, and in serial code all that follows from it, if the call graph tells it.
//! * The numbers of threads and teams, if they are limited to one. Any other limit is no answer: the
//!   host launches less for short loops, on small devices, and when `OMP_TEAMS_THREAD_LIMIT` or `OMP_TEAM_LIMIT` says so.

use crate::Settings;
use crate::analysis::callers::{Callers, level};
use crate::analysis::kernel::Kernel;
use crate::analysis::runtime::{Known, known, known_call};
use crate::ir::{Function, Inst, Module, Opcode};
use crate::remark::{Remark, Remarks};
use abi::mode::ExecMode;
use std::collections::HashSet;
use std::ops::Deref;

/// Questions about the level.
const LEVEL: [&str; 2] = ["__kmpc_parallel_level", "omp_get_level"];

/// Answers them. `runtime`: see [`super::runtime_code`].
pub fn run(
    module: Module,
    runtime: &HashSet<Function>,
    callers: &impl Deref<Target = Callers>,
    settings: &Settings,
    remarks: &mut Remarks,
) {
    let questions: Vec<Inst> =
        module.functions().into_iter().filter(is_question).flat_map(calls_of).collect();
    if settings.disable_folding || questions.is_empty() {
        return;
    }
    for call in questions {
        if let Some(answer) = answer(call, callers, settings) {
            if !runtime.contains(&call.function()) {
                remarks.give(Remark::Folded(call.callee_name(), answer), call);
            }
            call.replace_all_uses(call.ty().constant(answer));
            call.erase();
        }
    }
}

fn is_question(function: &Function) -> bool {
    let name = function.name();
    LEVEL.contains(&&*name)
        || matches!(known(*function), Some(Known::Serial(_)))
        || [
            "__kmpc_is_spmd_exec_mode",
            "__kmpc_get_hardware_num_threads_in_block",
            "__kmpc_get_hardware_num_blocks",
        ]
        .contains(&&*name)
}

/// The plain calls of a function.
fn calls_of(function: Function) -> Vec<Inst> {
    let users = function.value().using_instructions();
    users
        .into_iter()
        .filter(|user| user.opcode() == Opcode::LLVMCall && user.callee() == Some(function))
        .collect()
}

fn answer(call: Inst, callers: &Callers, settings: &Settings) -> Option<u64> {
    let name = call.callee_name();
    let kernels = callers.kernels_of(call.function())?;
    let same = |question: &dyn Fn(&Kernel) -> Option<u64>| {
        let first = question(&kernels[0])?;
        kernels.iter().all(|kernel| question(kernel) == Some(first)).then_some(first)
    };
    match &*name {
        "__kmpc_is_spmd_exec_mode" => same(&|kernel| match kernel.mode() {
            ExecMode::GENERIC => settings.whole_program.then_some(0),
            mode => mode.is_spmd().then_some(1),
        }),
        "__kmpc_get_hardware_num_threads_in_block" => same(&|kernel| one(kernel, "omp_target_thread_limit")),
        "__kmpc_get_hardware_num_blocks" => same(&|kernel| one(kernel, "omp_target_num_teams")),
        _ => {
            let levels = callers.origin(call.function()).levels;
            // All threads of a kernel that was SPMD from the start run its serial code, as one task each.
            let is_serial =
                levels == level::SERIAL && kernels.iter().all(|kernel| kernel.mode().has_serial_code());
            match known_call(call) {
                _ if LEVEL.contains(&&*name) && levels == level::ONE => Some(1),
                Some(Known::Serial(answer)) if is_serial => Some(answer),
                _ if LEVEL.contains(&&*name) && is_serial => Some(0),
                _ => None,
            }
        }
    }
}

/// 1, if the compiler has written that limit: there is at least one.
fn one(kernel: &Kernel, limit: &str) -> Option<u64> {
    let text = kernel.function.string_attribute(limit)?;
    (kernel.mode() != ExecMode::BARE && text == "1").then_some(1)
}
