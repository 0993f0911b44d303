//! The blocks that all threads execute.

use crate::analysis::control::{Cfg, deciding};
use crate::ir::{Block, Function};
use std::collections::HashSet;

/// `seeds` and the branches that decide whether one of them is reached. None if a seed stands in a loop that never ends:
/// then nothing says when its branches matter.
///
/// Ways that lead to no seed do not count: the program ends there.
pub fn close(function: Function, seeds: &HashSet<Block>) -> Option<HashSet<Block>> {
    let cfg = Cfg::of(function);
    let reachable: HashSet<Block> = cfg.order.iter().copied().collect();
    let seeds: HashSet<Block> = seeds.intersection(&reachable).copied().collect();
    let within = cfg.reaching(seeds.iter().copied());
    let ends =
        within.iter().copied().filter(|block| !block.successors().iter().any(|next| within.contains(next)));
    let ending = cfg.reaching(ends.collect::<Vec<_>>());
    (within.is_subset(&ending)).then(|| deciding(&cfg, &within, &seeds))
}
