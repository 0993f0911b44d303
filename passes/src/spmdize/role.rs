//! Who executes an instruction of serial code.

use super::conditions;
use super::{Body, Clones, divisions, escape, shares};
use crate::analysis::runtime::{Known, assumptions, known, known_call, parallel};
use crate::ir::{Block, Function, Inst, Opcode, Value};
use std::collections::HashSet;

/// Who must, and who may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// All threads, together.
    All,
    /// Thread 0 alone.
    Main,
    /// Who needs the value.
    Free,
}

/// The roles of a body's instructions.
pub struct Roles {
    clones: HashSet<Function>,
    /// Calls for a team's share of a loop that thread 0 runs alone.
    pub(super) alone: HashSet<Inst>,
    /// Variables of which every thread has a copy with the same content.
    replicated: HashSet<Value>,
    /// Loads that decide about loops, and that all threads do.
    pub(super) conditions: HashSet<Inst>,
    /// Divisions that all threads do.
    divisions: HashSet<Inst>,
}

impl Roles {
    /// The roles of calls.
    pub(super) fn of_calls(body: &Body, clones: &Clones) -> Self {
        let mut roles = Self {
            clones: clones.values().copied().collect(),
            alone: HashSet::new(),
            replicated: HashSet::new(),
            conditions: HashSet::new(),
            divisions: HashSet::new(),
        };
        shares::leave_to_main_thread(body, &mut roles);
        roles
    }

    /// For a body that is prepared.
    pub(super) fn of(body: &Body, clones: &Clones) -> Self {
        let mut roles = Self::of_calls(body, clones);
        roles.replicated = escape::copies(body.function, &|call| roles.is_collective(call));
        roles.divisions = divisions::find(body, &roles);
        roles.conditions = conditions::find(body, &roles);
        roles
    }

    /// The role of an instruction that is no terminator.
    pub fn role(&self, inst: Inst) -> Role {
        match inst.opcode() {
            Opcode::LLVMPHI => Role::Free,
            // The size of another one may be a matter of thread 0.
            Opcode::LLVMAlloca if inst.operand(0).is_constant() => Role::Free,
            Opcode::LLVMLoad if self.is_replicated_access(inst) || self.conditions.contains(&inst) => {
                Role::Free
            }
            Opcode::LLVMStore if self.is_replicated_access(inst) => Role::All,
            Opcode::LLVMCall => self.of_call(inst),
            _ if inst.is_speculatable() || self.divisions.contains(&inst) => Role::Free,
            _ => Role::Main,
        }
    }

    /// Blocks that hold something for all threads.
    pub(super) fn blocks_for_all(&self, body: &Body) -> HashSet<Block> {
        let is_for_all = |inst: Inst| !inst.is_terminator() && self.role(inst) == Role::All;
        let holds = |block: &Block| {
            body.outside.contains(block)
                || block.terminator().opcode() == Opcode::LLVMRet
                || block.instructions().into_iter().any(is_for_all)
        };
        body.function.blocks().into_iter().filter(holds).collect()
    }

    /// Whether all threads execute a call.
    pub fn is_collective(&self, call: Inst) -> bool {
        self.of_call(call) == Role::All
    }

    fn of_call(&self, call: Inst) -> Role {
        if let Some(region) = parallel(call) {
            let alone = region.if_clause.as_constant_int() == Some(0);
            return if alone { Role::Main } else { Role::All };
        }
        let Some(callee) = call.callee() else { return Role::Main };
        if self.clones.contains(&callee) {
            return Role::All;
        }
        match known(callee) {
            Some(Known::TeamShare) if self.alone.contains(&call) => Role::Main,
            Some(Known::Init | Known::Deinit | Known::TeamShare) => Role::All,
            Some(Known::ThreadNumber | Known::Uniform) => Role::Free,
            Some(_) if call.is_speculatable() => Role::Free,
            None if self.is_amenable(call) => Role::All,
            _ => Role::Main,
        }
    }

    /// Whether a call is left to all threads only because the user said so.
    pub fn is_amenable(&self, call: Inst) -> bool {
        let Some(callee) = call.callee() else { return false };
        let promised = assumptions(call);
        callee.is_declaration()
            && known(callee).is_none()
            && promised.spmd_amenable
            && !promised.no_parallelism
    }

    /// Whether a load or store touches a variable of which every thread has a copy.
    pub fn is_replicated_access(&self, inst: Inst) -> bool {
        inst.pointer().is_some_and(|pointer| self.replicated.contains(&pointer.underlying_object()))
    }

    /// Whether it starts a parallel region of the team, which begins and ends with a barrier.
    pub fn is_team_region(&self, inst: Inst) -> bool {
        parallel(inst).is_some() && self.is_collective(inst)
    }

    /// Whether it gives the same value wherever it stands, if its operands are known there.
    pub fn is_movable(&self, inst: Inst) -> bool {
        !inst.is_phi()
            && inst.opcode() != Opcode::LLVMAlloca
            && (inst.is_speculatable()
                || matches!(known_call(inst), Some(Known::ThreadNumber | Known::Uniform)))
    }
}
