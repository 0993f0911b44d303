//! The loop over a team's chunks becomes a single step: the share of the team is cut out inside the region.

use super::last_private::{self, CopyOut};
use super::{StaticInit, static_operand};
use crate::analysis::control::{Cfg, reachable};
use crate::analysis::runtime::{own_region_code, parallel, parallel_operand};
use crate::ir::{Block, Inst, Module, Opcode, Value};
use abi::schedule;
use std::collections::HashSet;

/// The loops of one `distribute parallel for`.
pub struct Loops {
    of_team: StaticInit,
    of_thread: StaticInit,
    /// What a team does if it has the last chunk.
    copies: Vec<CopyOut>,
    /// The blocks of the loop over the team's chunks.
    blocks: HashSet<Block>,
    /// Where it starts.
    header: Block,
    /// Where it goes on behind it.
    exit: Block,
}

/// The loops around `region`, if they are those that compilers make when nobody chooses a schedule.
pub fn find(module: Module, region: Inst) -> Option<Loops> {
    let (code, _) = own_region_code(region)?;
    let of_thread = StaticInit::only(code, StaticInit::OF_THREAD)?;
    let of_team = team_init(module, region)?;
    let one = |init: StaticInit, index| init.number(index) == Some(1);
    let schedules = of_thread.has_schedule(schedule::STATIC_CHUNK)
        && of_team.has_schedule(schedule::DISTRIBUTE_STATIC_CHUNK)
        && one(of_thread, static_operand::STEP)
        && one(of_team, static_operand::STEP)
        && one(of_thread, static_operand::CHUNK)
        && is_team_size(of_team.operand(static_operand::CHUNK))
        && of_thread.kind() == of_team.kind();
    let unread = |init: StaticInit, index| init.loads(index).is_some_and(|loads| loads.is_empty());
    // The thread's loop ends with the team's share.
    let bounds = unread(of_thread, static_operand::UPPER)
        && of_team.loads(static_operand::LOWER).is_some()
        && of_team.loads(static_operand::UPPER).is_some()
        && bound(module, region, 1) == Some(of_team.operand(static_operand::UPPER));
    if !schedules || !bounds {
        return None;
    }
    let copies = last_private::find(module, region, of_team, of_thread, code)?;
    let (blocks, header, exit) = cycle(region, of_team.0.block())?;
    let quiet = blocks
        .iter()
        .flat_map(|block| block.instructions())
        .all(|inst| inst == region || is_bookkeeping(inst, of_team, region));
    let left_for_later =
        |inst: &Inst| inst.using_instructions().iter().any(|user| !blocks.contains(&user.block()));
    let closed = exit.phis().is_empty()
        && !blocks.iter().flat_map(|block| block.instructions()).any(|inst| left_for_later(&inst));
    (quiet && closed).then_some(Loops { of_team, of_thread, copies, blocks, header, exit })
}

/// Whether it is the number of threads that a team has.
fn is_team_size(value: Value) -> bool {
    let Some(inst) = value.as_inst() else { return false };
    match inst.opcode() {
        Opcode::LLVMZExt | Opcode::LLVMSExt => is_team_size(inst.operand(0)),
        _ => inst.callee_name() == "__kmpc_get_hardware_num_threads_in_block",
    }
}

/// The start of the loop whose lower bound is the first argument of a region.
fn team_init(module: Module, region: Inst) -> Option<StaticInit> {
    let variable = bound(module, region, 0)?;
    variable.using_instructions().into_iter().find_map(|user| {
        StaticInit::of(user, StaticInit::OF_TEAM)
            .filter(|init| init.operand(static_operand::LOWER) == variable)
    })
}

/// The variable whose value is argument `index` of a region.
fn bound(module: Module, region: Inst, index: usize) -> Option<Value> {
    let mut value = argument(module, region, index)?;
    loop {
        let inst = value.as_inst()?;
        match inst.opcode() {
            Opcode::LLVMIntToPtr | Opcode::LLVMZExt | Opcode::LLVMSExt => value = inst.operand(0),
            Opcode::LLVMLoad => return Some(inst.operand(0)),
            _ => return None,
        }
    }
}

/// What the block of a region's call stores as its argument `index`.
fn argument(module: Module, region: Inst, index: usize) -> Option<Value> {
    let array = region.operand(parallel_operand::ARGUMENTS);
    let before: Vec<Inst> =
        region.block().instructions().into_iter().take_while(|inst| *inst != region).collect();
    let store = before.into_iter().rev().find(|inst| {
        inst.opcode() == Opcode::LLVMStore
            && inst.operand(1).base_and_offset(module) == (array, 8 * index as i64)
    })?;
    Some(store.operand(0))
}

/// The blocks of the loop around `region` that starts behind `before`, its first block and the one behind it.
fn cycle(region: Inst, before: Block) -> Option<(HashSet<Block>, Block, Block)> {
    let cfg = Cfg::of(region.function());
    let without = |blocks: &[Block]| blocks.iter().copied().filter(|block| *block != before).collect();
    let around = |ways: &dyn Fn(Block) -> Vec<Block>| -> HashSet<Block> {
        reachable(vec![region.block()], ways).into_iter().collect()
    };
    let mut blocks = around(&|block| without(&block.successors()));
    let reaching = around(&|block| without(cfg.predecessors(block)));
    blocks.retain(|block| reaching.contains(block));
    let enters = |block: &Block| cfg.predecessors(*block).iter().any(|from| !blocks.contains(from));
    let entries: Vec<Block> = blocks.iter().copied().filter(enters).collect();
    let exits: HashSet<Block> =
        blocks.iter().flat_map(|block| block.successors()).filter(|next| !blocks.contains(next)).collect();
    let (&[header], [exit]) = (entries.as_slice(), &*exits.into_iter().collect::<Vec<_>>()) else {
        return None;
    };
    let loops = cfg.predecessors(header).iter().any(|from| blocks.contains(from));
    loops.then_some((blocks, header, *exit))
}

/// Whether an instruction of the loop only moves the team's bounds on or hands arguments to the region.
fn is_bookkeeping(inst: Inst, of_team: StaticInit, region: Inst) -> bool {
    let bounds = [static_operand::LOWER, static_operand::UPPER, static_operand::STRIDE];
    match inst.opcode() {
        Opcode::LLVMStore => {
            let object = inst.operand(1).underlying_object();
            object == region.operand(parallel_operand::ARGUMENTS)
                || bounds.iter().any(|index| of_team.operand(*index) == object)
        }
        Opcode::LLVMLoad => !inst.is_ordered_access(),
        Opcode::LLVMBr | Opcode::LLVMPHI => true,
        Opcode::LLVMCall if parallel(inst).is_none() => {
            inst.is_speculatable()
                || inst.callee_name().starts_with("llvm.lifetime.")
                || inst.callee_name() == "__kmpc_global_thread_num"
        }
        _ => inst.is_speculatable(),
    }
}

/// Makes the change.
pub fn run(loops: &Loops) {
    let kind = loops.of_thread.operand(static_operand::SCHEDULE).ty();
    let both = kind.constant(schedule::DISTRIBUTE_FOR_CHUNK_ONE as u64);
    loops.of_thread.0.set_operand(static_operand::SCHEDULE, both);
    last_private::run(&loops.copies);
    // The bounds stay those of the whole loop.
    loops.of_team.0.erase();
    for block in loops.blocks.iter().filter(|block| block.successors().contains(&loops.header)) {
        block.redirect(loops.header, loops.exit);
        loops.header.phis().into_iter().for_each(|phi| phi.remove_incoming(*block));
    }
}
