//! Control flow: order, post-dominance and control dependence of one function's blocks.

use crate::ir::{Block, Function};
use std::collections::{HashMap, HashSet};

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

    /// The blocks from which one of `goals` can be reached, themselves included.
    pub fn reaching(&self, goals: impl IntoIterator<Item = Block>) -> HashSet<Block> {
        let mut work: Vec<Block> = goals.into_iter().collect();
        let mut found: HashSet<Block> = work.iter().copied().collect();
        while let Some(block) = work.pop() {
            work.extend(self.predecessors(block).iter().copied().filter(|before| found.insert(*before)));
        }
        found
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
