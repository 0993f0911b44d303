//! How many threads a kernel's teams need, where all regions ask for a number that is known.
//!
//! clang's kernels have teams of 128 threads if nothing says otherwise. If no region of one asks for more than 96, and nobody
//! asks how large teams can be, they are made as large as they need to be: the other warps would only take place.
//!
//! A region that asks for as many threads as a team of its kernels can have, or more, gets the whole team. The compiler knows no more of
//! a team's size than the machine's limit, and where a region may have a part of the team every barrier in it asks. So
//! such a region asks for that limit, of which there is no part to have.

use crate::Settings;
use crate::analysis::callers::Callers;
use crate::analysis::kernel::{BLOCK, Kernel, WARP};
use crate::analysis::runtime::{is_openmp, known, parallel, parallel_operand};
use crate::ir::{Function, Inst, Module};
use abi::kernel::DEFAULT_TEAM_THREADS;
use std::collections::HashSet;
use std::ops::Deref;

/// The threads of teams of which the program says nothing.
const DEFAULT: u64 = DEFAULT_TEAM_THREADS as u64;

/// Functions of the runtime that tell nothing about how large a team can be, and start no code of the program but the compiler's for
/// reductions.
const SILENT: &[&str] = &[
    "__kmpc_alloc_shared",
    "__kmpc_barrier",
    "__kmpc_critical",
    "__kmpc_distribute_static_fini",
    "__kmpc_distribute_static_init",
    "__kmpc_end_",
    "__kmpc_flush",
    "__kmpc_for_static_fini",
    "__kmpc_for_static_init",
    "__kmpc_free_shared",
    "__kmpc_get_hardware_num_blocks",
    "__kmpc_get_hardware_thread_id_in_block",
    "__kmpc_get_warp_size",
    "__kmpc_global_thread_num",
    "__kmpc_masked",
    "__kmpc_master",
    "__kmpc_nvptx_parallel_reduce",
    "__kmpc_nvptx_teams_reduce",
    "__kmpc_reduction_get_fixed_buffer",
    "__kmpc_shuffle_",
    "__kmpc_single",
    "__kmpc_syncwarp",
    "__kmpc_target_deinit",
    "__kmpc_target_init",
    "omp_get_level",
    "omp_get_num_teams",
    "omp_get_num_threads",
    "omp_get_team_num",
    "omp_get_thread_num",
    "omp_get_wti",
    "omp_in_parallel",
];

/// Does both.
pub fn run(module: Module, callers: &impl Deref<Target = Callers>, settings: &Settings) {
    if settings.disable_folding {
        return;
    }
    for kernel in Kernel::all(module) {
        if kernel.mode().is_spmd()
            && kernel.most_threads() == Some(DEFAULT)
            && let Some(needed) = needed(&kernel).filter(|threads| *threads < DEFAULT)
        {
            kernel.set_most_threads(needed);
        }
    }
    for function in module.functions() {
        for region in function.instructions().filter(|inst| parallel(*inst).is_some()) {
            ask_for_all(function, region, callers);
        }
    }
}

/// The threads of whole warps that the largest region of a kernel asks for; none if that is not known, or somebody would notice that
/// teams have no more.
fn needed(kernel: &Kernel) -> Option<u64> {
    let mut largest = None;
    let mut seen = HashSet::from([kernel.function]);
    let mut work = vec![kernel.function];
    while let Some(function) = work.pop() {
        for call in function.instructions().filter(|inst| inst.is_call()) {
            let next = if parallel(call).is_some() {
                largest = largest.max(Some(asked(call)?));
                call.operand(parallel_operand::CODE).strip_casts().as_function()?
            } else {
                let callee = call.callee()?;
                if is_silent(callee) {
                    continue;
                }
                callee
            };
            if next.is_declaration() || next.is_interposable() || is_openmp(&next.name()) {
                return None;
            }
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    Some(largest?.next_multiple_of(WARP))
}

/// Whether a call of this function neither tells how many threads a block has nor leads to code of the program.
fn is_silent(function: Function) -> bool {
    let name = function.name();
    if is_openmp(&name) {
        return SILENT.iter().any(|start| name.starts_with(start));
    }
    let is_size = name.starts_with("llvm.nvvm.read.ptx.sreg.ntid")
        || name.starts_with("llvm.nvvm.read.ptx.sreg.nwarpid");
    known(function).is_some() && !is_size
}

/// If a region asks for as many threads as there can be, it asks for the limit.
fn ask_for_all(function: Function, region: Inst, callers: &impl Deref<Target = Callers>) {
    let Some(asked) = asked(region).filter(|asked| *asked < BLOCK) else { return };
    let all =
        |kernel: &Kernel| kernel.mode().is_spmd() && kernel.most_threads().is_some_and(|most| most <= asked);
    if callers.kernels_of(function).is_some_and(|kernels| kernels.iter().all(all)) {
        let limit = region.operand(parallel_operand::NUM_THREADS).ty().constant(BLOCK);
        region.set_operand(parallel_operand::NUM_THREADS, limit);
    }
}

/// The number that a region asks for, if it is known and no must.
fn asked(region: Inst) -> Option<u64> {
    let has_strict = region.arguments().len() > parallel_operand::STRICT as usize;
    if has_strict && region.operand(parallel_operand::STRICT).as_constant_int() != Some(0) {
        return None;
    }
    let asked = region.operand(parallel_operand::NUM_THREADS).as_constant_int()? as u32;
    (asked as i32 > 0).then_some(asked.into())
}
