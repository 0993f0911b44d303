//! Which values all threads need.

use super::Body;
use super::regions::{Pieces, Region};
use super::role::{Role, Roles};
use crate::ir::{Block, Inst, Opcode, Value};
use std::collections::HashSet;

/// What all threads need of the regions of thread 0.
#[derive(Default)]
pub struct Demand {
    /// Computed in a region, and thread 0 tells the others.
    pub broadcast: HashSet<Inst>,
    /// Computed in a region, but of values from before: all threads compute it.
    pub hoisted: HashSet<Inst>,
    /// PHIs behind a region whose value depends on the way that thread 0 took through it.
    pub merged: HashSet<Inst>,
}

struct Search<'a> {
    roles: &'a Roles,
    pieces: &'a Pieces,
    demand: Demand,
    seen: HashSet<Inst>,
    work: Vec<Value>,
}

/// Finds them.
pub(super) fn find(body: &Body, roles: &Roles, pieces: &Pieces) -> Demand {
    let mut search =
        Search { roles, pieces, demand: Demand::default(), seen: HashSet::new(), work: Vec::new() };
    for block in body.function.blocks() {
        if pieces.of.contains_key(&block) {
            continue;
        }
        for inst in block.instructions() {
            let needs = inst.is_terminator()
                || roles.role(inst) == Role::All
                || inst.opcode() == Opcode::LLVMLoad
                || inst.is_division_in_place();
            if needs {
                search.work.extend(inst.operands());
            }
        }
    }
    while let Some(value) = search.work.pop() {
        if let Some(inst) = value.as_inst().filter(|inst| search.seen.insert(*inst)) {
            search.need(inst);
        }
    }
    search.demand
}

impl Search<'_> {
    fn need(&mut self, inst: Inst) {
        match self.region_of(inst.block()) {
            Some(region) if inst.is_phi() && inst.block() == region.head && !region.is_loop() => {
                self.need_incoming(inst)
            }
            Some(region) if self.is_hoistable(inst, region) => {
                self.demand.hoisted.insert(inst);
                self.work.extend(inst.operands());
            }
            Some(_) => {
                self.demand.broadcast.insert(inst);
            }
            None if inst.is_phi() => self.need_incoming(inst),
            None => self.work.extend(inst.operands()),
        }
    }

    fn region_of(&self, block: Block) -> Option<&Region> {
        self.pieces.of.get(&block).map(|number| &self.pieces.regions[*number])
    }

    fn need_incoming(&mut self, phi: Inst) {
        let incoming = phi.incoming();
        let own = self.pieces.of.get(&phi.block());
        for (value, from) in &incoming {
            match self.pieces.of.get(from) {
                Some(number) if Some(number) != own => {
                    let ways = incoming.iter().filter(|(_, from)| self.pieces.of.get(from) == Some(number));
                    let region = &self.pieces.regions[*number];
                    match one_value(ways.map(|(value, _)| *value)) {
                        Some(value) if self.is_known_before(value, region) => self.work.push(value),
                        _ => {
                            self.demand.merged.insert(phi);
                        }
                    }
                }
                _ => self.work.push(*value),
            }
        }
    }

    /// Whether all threads can compute it before the region.
    fn is_hoistable(&self, inst: Inst, region: &Region) -> bool {
        self.roles.is_movable(inst)
            && inst.operands().into_iter().all(|operand| self.is_known_before(operand, region))
    }

    /// Whether all threads can have it before the region.
    fn is_known_before(&self, value: Value, region: &Region) -> bool {
        value.as_inst().is_none_or(|inst| {
            let inside = self.region_of(inst.block()).is_some_and(|other| other.head == region.head);
            !inside
                || inst.is_phi() && inst.block() == region.head && !region.is_loop()
                || self.is_hoistable(inst, region)
        })
    }
}

/// The value that all these ways have.
fn one_value(mut ways: impl Iterator<Item = Value>) -> Option<Value> {
    let first = ways.next()?;
    ways.all(|value| value == first).then_some(first)
}

/// The one value that comes out of a region on all these ways, if it was there before.
pub fn common_value(ways: impl Iterator<Item = Value>, region: &Region) -> Option<Value> {
    one_value(ways).filter(|value| value.as_inst().is_none_or(|inst| !region.blocks.contains(&inst.block())))
}
