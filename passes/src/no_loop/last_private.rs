//! `lastprivate` of `distribute parallel for`.
//!
//! clang gives each thread a variable for the value that its team has last. The thread with the last iteration of a chunk
//! fills its own, and in the team with the last chunk each thread copies its own out: a race, and mostly wrong. Where the two
//! loops become one, one thread of the league knows that it has the last iteration of all. It stores to where the value belongs.

use super::{StaticInit, static_operand};
use crate::analysis::capture::is_own_variable;
use crate::analysis::control::Cfg;
use crate::analysis::runtime::{THREAD_PARAMETERS, parallel_operand};
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Predicate, Value};

/// The code of a team that copies variables out if it has the last chunk.
pub struct CopyOut {
    /// Where that is asked.
    asked: Block,
    copy: Block,
    behind: Block,
    /// The stores of the variables' addresses as arguments of the region, and what is to be stored there.
    arguments: Vec<(Inst, Value)>,
}

/// All such code of the loop over teams around `region`; none, if something else is done with its last chunk.
pub fn find(
    module: Module,
    region: Inst,
    of_team: StaticInit,
    of_thread: StaticInit,
    code: Function,
) -> Option<Vec<CopyOut>> {
    let (around, inside) = (Cfg::of(region.function()), Cfg::of(code));
    let mut found = Vec::new();
    for flag in of_team.loads(static_operand::LAST)? {
        let &[test] = flag.using_instructions().as_slice() else { return None };
        let &[branch] = test.using_instructions().as_slice() else { return None };
        let asked = branch.block();
        let (copy, behind) = ways_of_last(asked, flag)?;
        let simple = copy.successors() == [behind]
            && around.predecessors(copy) == [asked]
            && copy.phis().is_empty()
            && behind.phis().is_empty();
        if !simple {
            return None;
        }
        let mut arguments = Vec::new();
        for (variable, place) in copied(copy)? {
            let (store, index) = argument_of(module, region, variable, copy)?;
            let parameter = code.parameters().get(THREAD_PARAMETERS + index).copied()?;
            let known = place.as_inst().is_none_or(|inst| {
                inst.block() != region.block() && around.dominators().dominates(inst.block(), region.block())
            });
            if !known || !is_filled_by_last(parameter, of_thread, &inside) {
                return None;
            }
            arguments.push((store, place));
        }
        found.push(CopyOut { asked, copy, behind, arguments });
    }
    Some(found)
}

/// For a branch that asks whether `flag` is set: the way if it is, and the other.
pub fn ways_of_last(block: Block, flag: Inst) -> Option<(Block, Block)> {
    let end = block.terminator();
    let &[first, second] = block.successors().as_slice() else { return None };
    let test = end.operand(0).as_inst().filter(|_| end.opcode() == Opcode::LLVMBr)?;
    let predicate = test.predicate()?;
    if test.operand(0) != flag.value() || test.operand(1).as_constant_int() != Some(0) {
        return None;
    }
    match predicate {
        Predicate::LLVMIntNE => Some((first, second)),
        Predicate::LLVMIntEQ => Some((second, first)),
        _ => None,
    }
}

/// The variables that a block copies, and where to. None if it does anything else but to compute the last value of the
/// loop's own variable for it.
fn copied(block: Block) -> Option<Vec<(Value, Value)>> {
    let mut found = Vec::new();
    let mut computed: Vec<(Value, Value)> = Vec::new();
    for inst in block.instructions() {
        if inst.using_instructions().iter().any(|user| user.block() != block) {
            return None;
        }
        let name = inst.callee_name();
        match inst.opcode() {
            Opcode::LLVMLoad if !inst.is_ordered_access() => {}
            Opcode::LLVMStore if !inst.is_ordered_access() => {
                let (value, place) = (inst.operand(0), inst.operand(1));
                let loaded = value.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMLoad);
                if let Some(load) = loaded {
                    found.push((load.operand(0), place));
                } else if is_own_variable(place) {
                    computed.push((value, place));
                } else {
                    let (_, variable) = computed.iter().find(|(same, _)| *same == value)?;
                    found.push((*variable, place));
                }
            }
            _ if name.starts_with("llvm.memcpy.") => found.push((inst.operand(1), inst.operand(0))),
            _ if name.starts_with("llvm.lifetime.") || inst.is_speculatable() => {}
            Opcode::LLVMBr => {}
            _ => return None,
        }
    }
    Some(found)
}

/// Which argument of the region a variable's address is, and the store that makes it one. None if the variable is read
/// elsewhere than in `copy`.
fn argument_of(module: Module, region: Inst, variable: Value, copy: Block) -> Option<(Inst, usize)> {
    let array = region.operand(parallel_operand::ARGUMENTS);
    let mut found = None;
    for user in variable.using_instructions() {
        let name = user.callee_name();
        match user.opcode() {
            _ if user.block() == copy || name.starts_with("llvm.lifetime.") => {}
            _ if name == "__kmpc_free_shared" => {}
            // What it starts with nobody reads.
            Opcode::LLVMStore if user.operand(0) != variable => {}
            Opcode::LLVMStore if user.block() == region.block() => {
                let (base, offset) = user.operand(1).base_and_offset(module);
                let index = usize::try_from(offset / 8).ok().filter(|_| base == array && offset % 8 == 0)?;
                if found.replace((user, index)).is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    found.filter(|_| variable.underlying_object() == variable && is_own_variable(variable))
}

/// Whether the code of a region does nothing with what `parameter` points to but to fill it where this thread has the last
/// iteration.
fn is_filled_by_last(parameter: Value, of_thread: StaticInit, cfg: &Cfg) -> bool {
    let Some(flags) = of_thread.loads(static_operand::LAST) else { return false };
    let is_last = |user: Inst| {
        let asks = |from: &Block| {
            let ways = flags.iter().filter_map(|flag| ways_of_last(*from, *flag));
            ways.into_iter().any(|(last, _)| last == user.block())
        };
        cfg.predecessors(user.block()).iter().all(asks)
    };
    let mut work = vec![parameter];
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            let fills = match user.opcode() {
                Opcode::LLVMGetElementPtr => {
                    work.push(user.value());
                    true
                }
                Opcode::LLVMStore => user.operand(0) != pointer && is_last(user),
                _ => {
                    let copies = user.callee_name().starts_with("llvm.memcpy.");
                    copies && user.operand(1) != pointer && is_last(user)
                }
            };
            if !fills {
                return false;
            }
        }
    }
    true
}

/// Makes the change.
pub fn run(copies: &[CopyOut]) {
    for CopyOut { asked, copy, behind, arguments } in copies {
        arguments.iter().for_each(|(store, place)| store.set_operand(0, *place));
        let end = asked.terminator();
        Builder::before(end).branch(*behind);
        end.erase();
        copy.erase();
    }
}
