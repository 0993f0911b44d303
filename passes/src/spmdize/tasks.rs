//! Undeferred tasks in serial code.
//!
//! The compiled code of `task if(0)` calls the task itself, between two calls of the runtime. The regions in a task of serial
//! code have one thread, as the runtime says where it runs the task: its variables are on that thread's stack. So thread 0
//! alone runs the task and its regions.

use crate::analysis::control::reachable;
use crate::analysis::runtime::{parallel, parallel_operand};
use crate::ir::{Block, Function, Inst};
use std::collections::HashSet;

const BEGIN: &str = "__kmpc_omp_task_begin_if0";
const COMPLETE: &str = "__kmpc_omp_task_complete_if0";
/// Which of their operands is the task.
const TASK: u32 = 2;

/// The calls of `function` that stand in an undeferred task of its own.
pub(super) fn calls(function: Function) -> HashSet<Inst> {
    let begins = function.instructions().filter(|inst| inst.callee_name() == BEGIN);
    begins.flat_map(calls_of_task).collect()
}

/// The calls from the begin of a task on, up to where it is complete.
fn calls_of_task(begin: Inst) -> Vec<Inst> {
    let is_end = |inst: &Inst| inst.callee_name() == COMPLETE && inst.operand(TASK) == begin.operand(TASK);
    let onward = |block: Block| {
        if block.instructions().iter().any(is_end) { vec![] } else { block.successors() }
    };
    let behind: Vec<Inst> = std::iter::successors(begin.next(), |inst| inst.next()).collect();
    let ends_here = behind.iter().any(is_end);
    let others = if ends_here { vec![] } else { reachable(begin.block().successors(), onward) };
    let mut found: Vec<Inst> = behind.into_iter().take_while(|inst| !is_end(inst)).collect();
    for block in others {
        found.extend(block.instructions().into_iter().take_while(|inst| !is_end(inst)));
    }
    found.retain(|inst| inst.is_call());
    found
}

/// Regions in undeferred tasks are of their thread alone from now on, which the runtime would say as well, later.
pub(super) fn serialise_regions(calls: &HashSet<Inst>) {
    for region in calls.iter().filter_map(|call| parallel(*call)) {
        region.call.set_operand(parallel_operand::IF, region.if_clause.ty().constant(0));
    }
}
