//! Whether the team meets behind a reduction before another one can follow.
//!
//! Behind the barrier of a reduction the first threads read the slots, and all others go on. Where each thread meets the
//! team before it can come to a reduction again, all has been read when the slots are written again.

use super::COPIES;
use crate::analysis::callers::calls_of_code;
use crate::analysis::kernel::Kernel;
use crate::analysis::runtime::{calls_back, known, parallel};
use crate::ir::{Block, Function, Inst, Opcode};
use std::collections::HashSet;

/// Where the threads of a team meet.
const MEETINGS: [&str; 2] = ["__kmpc_barrier", "__kmpc_barrier_simple_spmd"];

/// Whether on every way from this call, through the functions that called its function, the team meets, or its region or kernel
/// ends, before anything that may be a reduction.
pub fn is_settled(call: Inst) -> bool {
    let mut seen = HashSet::new();
    let mut work: Vec<Inst> = call.next().into_iter().collect();
    while let Some(start) = work.pop() {
        if !seen.insert(start) {
            continue;
        }
        let Some(ways) = ways_on(start) else { return false };
        work.extend(ways);
    }
    true
}

/// Where the code goes on behind the rest of a block, which begins at `start`: nowhere if the team meets in it. None if there
/// may be a reduction before.
fn ways_on(start: Inst) -> Option<Vec<Inst>> {
    for inst in std::iter::successors(Some(start), |inst| inst.next()) {
        if MEETINGS.contains(&&*inst.callee_name()) {
            return Some(Vec::new());
        }
        if inst.is_call() && may_reduce(inst, &mut HashSet::new()) {
            return None;
        }
        if inst.opcode() == Opcode::LLVMRet {
            return ways_back(inst.function());
        }
    }
    let first = |block: Block| block.instructions().first().copied();
    Some(start.block().successors().into_iter().filter_map(first).collect())
}

/// Where the code goes on behind a function. None if others may call it.
fn ways_back(function: Function) -> Option<Vec<Inst>> {
    if Kernel::of(function).is_some() {
        return Some(Vec::new());
    }
    // At the end of a region the team meets.
    let calls = calls_of_code(function).filter(|_| function.is_local())?;
    Some(calls.into_iter().filter_map(Inst::next).collect())
}

/// Whether a call may come to a reduction of the caller's team, or is of code that is not known.
fn may_reduce(call: Inst, seen: &mut HashSet<Function>) -> bool {
    if call.called().is_some_and(|called| called.is_inline_asm()) {
        return false;
    }
    let Some(callee) = call.callee() else { return true };
    let name = callee.name();
    if COPIES.iter().any(|(reduction, _)| *reduction == name) || parallel(call).is_some() || calls_back(&name)
    {
        return true;
    }
    if known(callee).is_some() || !seen.insert(callee) {
        return false;
    }
    callee.is_declaration()
        || callee.is_interposable()
        || callee.instructions().any(|inst| inst.is_call() && may_reduce(inst, seen))
}
