//! What serial code reads to decide about a loop around parallel regions.
//!
//! `for (i = 0; i < parameters->steps; ++i)` with a region inside reads memory each time. If thread 0 alone did so and told the
//! others, that were a barrier in each step. All threads read it, where no serial code of the loop, or of one around it, may
//! write it: the ends of the region keep its writes away. Serial code before and behind the loop that may write it gets barriers.

use super::Body;
use super::regions::Region;
use super::role::{Role, Roles};
use crate::analysis::capture::is_own_variable;
use crate::analysis::control::reachable;
use crate::analysis::runtime::known_call;
use crate::ir::{Block, Inst, Opcode};
use std::collections::HashSet;

/// The loads that all threads do.
pub(super) fn find(body: &Body, roles: &Roles) -> HashSet<Inst> {
    let blocks: Vec<Block> =
        body.function.blocks().into_iter().filter(|block| !body.outside.contains(block)).collect();
    let instructions = || blocks.iter().flat_map(|block| block.instructions());
    // What other functions write is not known here.
    let leaves = |inst: Inst| {
        inst.is_call()
            && roles.is_collective(inst)
            && !roles.is_team_region(inst)
            && known_call(inst).is_none()
    };
    if body.called || body.recursive || instructions().any(leaves) {
        return HashSet::new();
    }
    let blocks_with = |wanted: &dyn Fn(Inst) -> bool| -> HashSet<Block> {
        instructions().filter(|inst| wanted(*inst)).map(Inst::block).collect()
    };
    let regions = blocks_with(&|inst| roles.is_team_region(inst));
    let writers = blocks_with(&|inst| may_write_it(inst, roles));
    let shares_loop = |block: Block, others: &HashSet<Block>| {
        others.iter().any(|other| leads_to(block, *other) && leads_to(*other, block))
    };
    let of_block = |block: &Block| -> Vec<Inst> {
        let mut all = block.instructions();
        all.retain(|inst| !inst.is_terminator() && roles.role(*inst) == Role::Main);
        let cheap = !all.is_empty()
            && all.iter().all(|inst| is_condition(*inst))
            && shares_loop(*block, &regions)
            && !shares_loop(*block, &writers);
        if cheap { all } else { vec![] }
    };
    blocks.iter().flat_map(of_block).collect()
}

/// Whether a way leads from the end of a block to another.
fn leads_to(from: Block, to: Block) -> bool {
    reachable(from.successors(), Block::successors).contains(&to)
}

/// Whether an instruction reads from what a parameter points to, only for the branch of its block.
fn is_condition(load: Inst) -> bool {
    load.opcode() == Opcode::LLVMLoad
        && !load.is_ordered_access()
        && load.operand(0).underlying_object().is_argument()
        && only_decides(load, load.block())
}

fn only_decides(inst: Inst, block: Block) -> bool {
    inst.using_instructions().into_iter().all(|user| {
        user.block() == block
            && !user.is_phi()
            && (user.is_terminator() || user.is_speculatable() && only_decides(user, block))
    })
}

/// Whether thread 0 may write by it what a parameter points to.
fn may_write_it(inst: Inst, roles: &Roles) -> bool {
    let own = inst.opcode() == Opcode::LLVMStore && is_own_variable(inst.operand(1));
    !inst.is_terminator() && roles.role(inst) == Role::Main && inst.may_write() && !own
}

/// Where a region of thread 0 needs barriers for what all threads read.
#[derive(Clone, Copy, Default)]
pub(super) struct Fence {
    /// Before it: others may still read.
    pub before: bool,
    /// Behind it: others will read.
    pub behind: bool,
}

impl Fence {
    /// That of a region, before anything is changed.
    pub fn of(region: &Region, roles: &Roles) -> Self {
        let mut code = region.blocks.iter().flat_map(|block| block.instructions());
        if roles.conditions.is_empty() || !code.any(|inst| may_write_it(inst, roles)) {
            return Self::default();
        }
        let without_meeting = |block: Block| {
            let meets = block.instructions().into_iter().any(|inst| roles.is_team_region(inst));
            if meets { vec![] } else { block.successors() }
        };
        let readers = || roles.conditions.iter().map(|load| load.block());
        let before = reachable(readers().flat_map(|block| block.successors()).collect(), without_meeting);
        let behind = reachable(region.exit().into_iter().collect(), without_meeting);
        Self { before: before.contains(&region.head), behind: readers().any(|block| behind.contains(&block)) }
    }
}
