//! Serial code in few pieces with one entry and one exit each.

use super::Body;
use super::role::{Role, Roles};
use super::skeleton;
use crate::analysis::control::Cfg;
use crate::ir::{Block, Inst, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// Blocks that thread 0 alone executes.
pub struct Region {
    /// The block that is entered from outside, and no other.
    pub head: Block,
    /// All of them, each behind those that dominate it.
    pub blocks: Vec<Block>,
}

impl Region {
    /// Where it leads to; none, if the program ends in it.
    pub fn exit(&self) -> Option<Block> {
        exits(self).first().copied()
    }

    /// Whether its head is entered from inside, too.
    pub fn is_loop(&self) -> bool {
        self.blocks.iter().any(|block| block.successors().contains(&self.head))
    }
}

/// A body, cut.
pub struct Pieces {
    /// What thread 0 executes.
    pub regions: Vec<Region>,
    /// The number of the region that a block belongs to; all threads execute the others.
    pub of: HashMap<Block, usize>,
}

/// Cuts the blocks of a body so that each is executed by all threads or by thread 0, and collects the latter.
pub(super) fn find(body: &Body, roles: &Roles) -> Pieces {
    // Blocks that hold something for all threads, and from now on those whose branches decide about them.
    let mut seeds = roles.blocks_for_all(body);
    let mut cut = HashMap::new();
    loop {
        let skeleton = skeleton::close(body.function, &seeds).expect("checked before the first change");
        // In their order, for names that are the same each time.
        for block in body.function.blocks().into_iter().filter(|block| skeleton.contains(block)) {
            if !body.outside.contains(&block) && !cut.contains_key(&block) {
                cut_block(block, roles, &mut cut);
            }
        }
        let everyone: HashSet<Block> = body
            .outside
            .iter()
            .copied()
            .chain(cut.iter().filter(|(_, all)| **all).map(|(block, _)| *block))
            .collect();
        let regions = collect(body, &everyone);
        // A region with two exits: its branches decide which, so all threads must follow them. Its blocks may have been
        // cut before.
        let forked: Vec<&Region> = regions.iter().filter(|region| exits(region).len() > 1).collect();
        if forked.is_empty() {
            return finish(regions, roles);
        }
        for block in forked.into_iter().flat_map(|region| &region.blocks) {
            if block.successors().len() > 1 {
                cut.remove(block);
            }
            seeds.insert(*block);
        }
    }
}

/// Cuts a block of the skeleton: everything between two instructions for all threads that only thread 0 may execute goes
/// into a block of its own. Notes for each part whether all threads execute it.
fn cut_block(block: Block, roles: &Roles, cut: &mut HashMap<Block, bool>) {
    let phis = block.phis().len();
    let rest = &block.instructions()[phis..];
    let for_all = for_all_threads(rest, phis > 0, roles);
    let start = phis > 0 || for_all[0];
    cut.insert(block, start);
    for at in (0..rest.len()).rev() {
        let before = if at == 0 { start } else { for_all[at - 1] };
        if for_all[at] != before {
            let name = if for_all[at] { "region.exit" } else { "region.guarded" };
            cut.insert(rest[at].split_before(name), for_all[at]);
        }
    }
}

/// Which instructions of a block, from the first behind its PHIs to the terminator, all threads execute.
fn for_all_threads(instructions: &[Inst], behind_phis: bool, roles: &Roles) -> Vec<bool> {
    let mut for_all = vec![true; instructions.len()];
    let (end, rest) = instructions.split_last().expect("a block ends with a terminator");
    let main = |inst: &Inst| roles.role(*inst) == Role::Main;
    let (mut last_run, mut next) = (0, 0);
    for run in rest.split(|inst| roles.role(*inst) == Role::All) {
        last_run = next;
        if let (Some(first), Some(last)) = (run.iter().position(main), run.iter().rposition(main)) {
            for_all[last_run + first..=last_run + last].fill(false);
        }
        next += run.len() + 1;
    }
    // What stands behind the last instruction for all threads can be part of what follows, if nothing is decided here.
    if end.opcode() == Opcode::LLVMBr && end.block().successors().len() == 1 {
        let first = for_all[last_run..].iter().position(|all| !all).map(|at| last_run + at);
        let is_more = last_run > 0 || !behind_phis;
        if let Some(first) = first.or(is_more.then_some(last_run)) {
            for_all[first..].fill(false);
        }
    }
    for_all
}

/// The blocks that not all threads execute, in largest groups that are entered at one block only.
fn collect(body: &Body, everyone: &HashSet<Block>) -> Vec<Region> {
    let cfg = Cfg::of(body.function);
    let mut heads: HashSet<Block> = HashSet::new();
    let inside = |block: &Block| !everyone.contains(block);
    let of = loop {
        let mut of: HashMap<Block, Block> = HashMap::new();
        for block in cfg.order.iter().copied().filter(inside) {
            // Ways back are looked at below.
            let known = cfg.predecessors(block).iter().find_map(|before| of.get(before).copied());
            let entered = cfg.predecessors(block).iter().any(|before| everyone.contains(before));
            match known {
                Some(head) if !entered && !heads.contains(&block) => of.insert(block, head),
                _ => of.insert(block, block),
            };
        }
        let mixed: Vec<Block> = of
            .iter()
            .filter(|(block, head)| {
                block != head && cfg.predecessors(**block).iter().any(|before| of.get(before) != Some(*head))
            })
            .map(|(block, _)| *block)
            .filter(|block| !heads.contains(block))
            .collect();
        if mixed.is_empty() {
            break of;
        }
        heads.extend(mixed);
    };
    let mut regions: Vec<Region> = Vec::new();
    for block in cfg.order.iter().copied().filter(inside) {
        let head = of[&block];
        match regions.iter_mut().find(|region| region.head == head) {
            Some(region) => region.blocks.push(block),
            None => regions.push(Region { head, blocks: vec![block] }),
        }
    }
    regions
}

/// The blocks outside of a region that it leads to.
fn exits(region: &Region) -> Vec<Block> {
    let inside: HashSet<Block> = region.blocks.iter().copied().collect();
    let mut found = Vec::new();
    for next in region.blocks.iter().flat_map(|block| block.successors()) {
        if !inside.contains(&next) && !found.contains(&next) {
            found.push(next);
        }
    }
    found
}

/// Leaves regions to all threads in which nothing is done that only one may do.
fn finish(regions: Vec<Region>, roles: &Roles) -> Pieces {
    let candidates: HashSet<Block> =
        regions.iter().flat_map(|region| region.blocks.iter().copied()).collect();
    let kept: Vec<Region> =
        regions.into_iter().filter(|region| needs_guard(region, roles, &candidates)).collect();
    let of = kept
        .iter()
        .enumerate()
        .flat_map(|(number, region)| region.blocks.iter().map(move |block| (*block, number)))
        .collect();
    Pieces { regions: kept, of }
}

fn needs_guard(region: &Region, roles: &Roles, candidates: &HashSet<Block>) -> bool {
    let inside: HashSet<Block> = region.blocks.iter().copied().collect();
    let instructions = || region.blocks.iter().flat_map(|block| block.instructions());
    if region.exit().is_none()
        || instructions().any(|inst| !inst.is_terminator() && roles.role(inst) == Role::Main)
    {
        return true;
    }
    if region.blocks.iter().all(|block| block.successors().len() == 1) && !region.is_loop() {
        return false;
    }
    // Its branches need values that all threads have.
    let mut seen = HashSet::new();
    let mut work: Vec<Value> = instructions().flat_map(|inst| inst.operands()).collect();
    while let Some(value) = work.pop() {
        let Some(inst) = value.as_inst().filter(|inst| seen.insert(*inst)) else { continue };
        if inside.contains(&inst.block()) {
            continue;
        }
        if candidates.contains(&inst.block()) {
            return true;
        }
        work.extend(inst.operands());
    }
    false
}
