//! Variables of which each thread has a copy that regions read: the number of a loop around a parallel region above all, which clang
//! puts where all threads can reach it.
//!
//! Thread 0 would write it, and a barrier tell the others. Where all threads know what is written, each writes its own copy
//! and gives the region that copy's address. The region only reads ([`readers`](crate::analysis::readers)), and LLVM makes a value of it.

use crate::analysis::control::{Cfg, Dominators, reachable};
use crate::analysis::runtime::{Known, known_call, parallel};
use crate::ir::{Block, Inst, Opcode, Value};
use std::collections::HashSet;

/// The largest such variable, in bytes: each thread has one, and maybe not in a register.
const MOST: u64 = 16;

/// Whether copies cost nothing: all threads know what the `stores` write, without being told, and nobody needs to be told whether they
/// write it. `handed` give the address to regions, and `copies` are other variables of which each thread has one.
pub(super) fn are_cheap(
    variable: Inst,
    stores: &[Inst],
    handed: &[Inst],
    is_collective: &dyn Fn(Inst) -> bool,
    copies: &HashSet<Value>,
) -> bool {
    // Where thread 0 alone runs a region, others need not come there.
    let for_all = |handed: &Inst| {
        let users = handed.operand(1).underlying_object().using_instructions();
        users.into_iter().any(|user| parallel(user).is_some() && is_collective(user))
    };
    if size(variable).is_none_or(|bytes| bytes > MOST) || !handed.iter().all(for_all) {
        return false;
    }
    let dominators = Cfg::of(variable.function()).dominators();
    let always = |store: &Inst| handed.iter().all(|handed| dominators.dominates_instruction(*store, *handed));
    let is_known = |store: &Inst| {
        let mut search = Search { variable, handed, dominators: &dominators, copies, seen: HashSet::new() };
        search.is_known(store.operand(0))
    };
    stores.iter().all(|store| always(store) && is_known(store))
}

fn size(variable: Inst) -> Option<u64> {
    if variable.is_call() {
        return variable.operand(0).as_constant_int();
    }
    Some(variable.function().module().size_of(variable.allocated_type()))
}

/// Looks where a value comes from that is stored in front of regions.
struct Search<'a> {
    variable: Inst,
    handed: &'a [Inst],
    dominators: &'a Dominators,
    copies: &'a HashSet<Value>,
    seen: HashSet<Inst>,
}

impl Search<'_> {
    /// Whether all threads compute it, from what they have.
    fn is_known(&mut self, value: Value) -> bool {
        let Some(inst) = value.as_inst() else { return true };
        if !self.seen.insert(inst) {
            return true;
        }
        match inst.opcode() {
            Opcode::LLVMPHI => {
                self.is_of_loop(inst) && inst.incoming().into_iter().all(|(value, _)| self.is_known(value))
            }
            Opcode::LLVMLoad => {
                let variable = inst.operand(0).underlying_object();
                variable == self.variable.value() || self.copies.contains(&variable)
            }
            Opcode::LLVMCall => {
                matches!(known_call(inst), Some(Known::Uniform))
                    || inst.is_speculatable() && self.are_operands_known(inst)
            }
            _ => (inst.is_speculatable() || inst.is_division_in_place()) && self.are_operands_known(inst),
        }
    }

    fn are_operands_known(&mut self, inst: Inst) -> bool {
        inst.operands().into_iter().all(|operand| self.is_known(operand))
    }

    /// Whether a phi is at the start of a loop around the regions, which all threads follow.
    fn is_of_loop(&self, phi: Inst) -> bool {
        let header = phi.block();
        self.handed.iter().map(|handed| handed.block()).all(|block| {
            self.dominators.dominates(header, block)
                && reachable(block.successors(), Block::successors).contains(&header)
        })
    }
}
