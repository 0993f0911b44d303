//! Control flow: order, post-dominance and control dependence of one function's blocks.

use crate::ir::{Block, Function, Inst};
use std::collections::{HashMap, HashSet};

/// The blocks that are reached from `start` when each block leads to its `ways`; `start` first, and those that are near.
pub fn reachable(start: Vec<Block>, mut ways: impl FnMut(Block) -> Vec<Block>) -> Vec<Block> {
    let (mut seen, mut found) = (HashSet::new(), start);
    found.retain(|block| seen.insert(*block));
    let mut at = 0;
    while let Some(block) = found.get(at).copied() {
        found.extend(ways(block).into_iter().filter(|next| seen.insert(*next)));
        at += 1;
    }
    found
}

/// The blocks of a function and how they hang together.
pub struct Cfg {
    /// Reachable blocks in reverse post-order: a block stands behind those that dominate it.
    pub order: Vec<Block>,
    predecessors: HashMap<Block, Vec<Block>>,
}

impl Cfg {
    /// Of a definition.
    pub fn of(function: Function) -> Self {
        let mut order = Vec::new();
        let mut predecessors: HashMap<Block, Vec<Block>> = HashMap::new();
        let mut seen = HashSet::from([function.entry()]);
        let mut path = vec![(function.entry(), function.entry().successors())];
        while let Some((block, left)) = path.last_mut() {
            let from = *block;
            match left.pop() {
                Some(next) => {
                    let before = predecessors.entry(next).or_default();
                    if !before.contains(&from) {
                        before.push(from);
                    }
                    if seen.insert(next) {
                        path.push((next, next.successors()));
                    }
                }
                None => {
                    order.push(from);
                    path.pop();
                }
            }
        }
        order.reverse();
        Self { order, predecessors }
    }

    /// The reachable blocks that lead to `block`, each once.
    pub fn predecessors(&self, block: Block) -> &[Block] {
        self.predecessors.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The largest sets of blocks that lead to each other, each block to itself.
    pub fn cycles(&self) -> Vec<HashSet<Block>> {
        let mut seen = HashSet::new();
        let mut cycles = Vec::new();
        // Behind those that dominate it, a block leads to all that lead to it and are in no set yet.
        for block in &self.order {
            if seen.contains(block) {
                continue;
            }
            let before = |block: Block| {
                self.predecessors(block).iter().copied().filter(|from| !seen.contains(from)).collect()
            };
            let cycle: HashSet<Block> = reachable(vec![*block], before).into_iter().collect();
            seen.extend(cycle.iter().copied());
            if cycle.len() > 1 || self.predecessors(*block).contains(block) {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Which block stands last before each reachable one on every way to it; the entry before itself.
    pub fn dominators(&self) -> Dominators {
        let number: HashMap<Block, usize> =
            self.order.iter().enumerate().map(|(n, block)| (*block, n)).collect();
        let mut above: Vec<Option<usize>> = vec![None; self.order.len()];
        above[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..self.order.len() {
                let before = self.predecessors(self.order[block]).iter().map(|from| number[from]);
                let known = before.filter(|from| above[*from].is_some());
                let new = known.reduce(|one, other| meet(one, other, |n| above[n].unwrap_or(0)));
                if above[block] != new {
                    above[block] = new;
                    changed = true;
                }
            }
        }
        // From the entry every block is reached.
        let above = above.into_iter().map(|block| block.unwrap_or(0)).collect();
        Dominators { blocks: self.order.clone(), number, above }
    }

    /// The blocks from which one of `goals` can be reached, themselves included.
    pub fn reaching(&self, goals: impl IntoIterator<Item = Block>) -> HashSet<Block> {
        let goals = goals.into_iter().collect();
        reachable(goals, |block| self.predecessors(block).to_vec()).into_iter().collect()
    }
}

/// The last block that stands before both on every way, where blocks are numbered in reverse post-order.
fn meet(mut one: usize, mut other: usize, above: impl Fn(usize) -> usize) -> usize {
    while one != other {
        if one > other {
            one = above(one);
        } else {
            other = above(other);
        }
    }
    one
}

/// The reachable blocks of a function as a tree: see [`Cfg::dominators`].
pub struct Dominators {
    blocks: Vec<Block>,
    number: HashMap<Block, usize>,
    above: Vec<usize>,
}

impl Dominators {
    /// The last block that stands before both, or is one of them, on every way from the entry. Both can be reached.
    pub fn common(&self, one: Block, other: Block) -> Block {
        self.blocks[meet(self.number[&one], self.number[&other], |n| self.above[n])]
    }

    /// Whether every way to `block` leads through `first`. So it is where no way leads to it.
    pub fn dominates(&self, first: Block, block: Block) -> bool {
        let reached = |block| self.number.contains_key(&block);
        !reached(block) || reached(first) && self.common(first, block) == first
    }

    /// Whether every way to `inst` leads through `first`, an instruction of the same function, or they are the same.
    pub fn dominates_instruction(&self, first: Inst, inst: Inst) -> bool {
        if first.block() != inst.block() {
            return self.dominates(first.block(), inst.block());
        }
        first
            .block()
            .instructions()
            .into_iter()
            .skip_while(|other| *other != first)
            .any(|other| other == inst)
    }
}

/// For each block of `within` the blocks of `within` that stand on every way from it to an end, itself included. Ways
/// that leave `within` do not count; an end is a block without a successor in it. From every block an end is reached.
fn post_dominators(cfg: &Cfg, within: &HashSet<Block>) -> Vec<BitSet> {
    let blocks: Vec<Block> = cfg.order.iter().copied().filter(|block| within.contains(block)).collect();
    let number: HashMap<Block, usize> = blocks.iter().enumerate().map(|(n, block)| (*block, n)).collect();
    let successors: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| block.successors().iter().filter_map(|next| number.get(next).copied()).collect())
        .collect();
    let mut sets = vec![BitSet::full(blocks.len()); blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..blocks.len()).rev() {
            let mut set = match successors[block].split_first() {
                None => BitSet::empty(blocks.len()),
                Some((first, rest)) => rest.iter().fold(sets[*first].clone(), |mut set, next| {
                    set.intersect(&sets[*next]);
                    set
                }),
            };
            set.insert(block);
            if set != sets[block] {
                sets[block] = set;
                changed = true;
            }
        }
    }
    sets
}

/// The branches that decide whether a block of `seeds` is reached, the branches that decide whether those are, and so
/// on, and the seeds themselves. Ways that leave `within` do not count: see [`post_dominators`].
pub fn deciding(cfg: &Cfg, within: &HashSet<Block>, seeds: &HashSet<Block>) -> HashSet<Block> {
    let blocks: Vec<Block> = cfg.order.iter().copied().filter(|block| within.contains(block)).collect();
    let number: HashMap<Block, usize> = blocks.iter().enumerate().map(|(n, block)| (*block, n)).collect();
    let sets = post_dominators(cfg, within);
    let branches: Vec<(usize, Vec<usize>)> = blocks
        .iter()
        .map(|block| block.successors().iter().filter_map(|next| number.get(next).copied()).collect())
        .enumerate()
        .filter(|(_, ways): &(usize, Vec<usize>)| ways.len() > 1)
        .collect();
    let mut found = seeds.clone();
    let mut work: Vec<usize> = seeds.iter().filter_map(|block| number.get(block).copied()).collect();
    while let Some(block) = work.pop() {
        for (branch, ways) in &branches {
            let always = *branch != block && sets[*branch].contains(block);
            if !always && ways.iter().any(|way| sets[*way].contains(block)) && found.insert(blocks[*branch]) {
                work.push(*branch);
            }
        }
    }
    found
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn empty(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    fn full(size: usize) -> Self {
        Self(vec![u64::MAX; size.div_ceil(64)])
    }

    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    fn intersect(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}
