//! Merging of adjacent parallel regions (OMP150): one region that runs the code of both with a barrier between.
//!
//! Two regions are adjacent if they follow each other in a straight line, with at most one piece of serial code between that
//! is left to thread 0 ([`between`]). They are merged if their threads are the same and the first leaves nothing behind
//! that the second would see: it sets no control variable, cancels nothing, and all it calls is known. Serial code between
//! them is run by thread 0 inside of the merged region, so it must not ask the runtime where it is.
//!
//! It never costs a barrier: without code of thread 0 the end of one region and the start of the next are one barrier in the
//! place of two. With such code they are two, before it and behind it; that is as many as before, or less by those around what
//! thread 0 tells all threads ([`told`]). And the state of the team is written once less.

mod between;
mod code;
mod told;

use crate::Settings;
use crate::analysis::control::Cfg;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{assumptions, known, parallel, parallel_operand, region_code};
use crate::ir::{Function, Inst, Module};
use crate::remark::{Remark, Remarks};
use between::Serial;
use std::collections::HashSet;

/// The device runtime calls a region with more arguments, too, but not as fast.
const MOST_ARGUMENTS: usize = 16;

/// Regions that can become one.
struct Chain {
    first: Inst,
    /// The others, each with the code of thread 0 before it.
    rest: Vec<(Option<Serial>, Inst)>,
}

impl Chain {
    fn last(&self) -> Inst {
        self.rest.last().map_or(self.first, |(_, call)| *call)
    }

    /// How many arguments the merged region would have with one more.
    fn arguments(&self, serial: Option<&Serial>, second: Inst) -> Option<usize> {
        let of_region = |call| region_code(call).map(|(_, types)| types.len());
        let mut sum = of_region(self.first)?;
        let rest = self.rest.iter().map(|(serial, call)| (serial.as_ref(), *call));
        for (serial, call) in rest.chain([(serial, second)]) {
            sum += of_region(call)?;
            if let Some(serial) = serial {
                sum = (sum + serial.inputs.len()).checked_sub(serial.told_arguments.len())?;
            }
        }
        Some(sum)
    }
}

/// Merges the regions of a function whose code outside of regions all threads run. Gives the number of barriers outside of
/// regions that went away.
pub fn run(
    module: Module,
    function: Function,
    settings: &Settings,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) -> usize {
    let mut removed = 0;
    if !settings.merge || !has_barrier(module) {
        return removed;
    }
    for chain in chains(module, function, reaches) {
        let others = chain.rest.iter().map(|(_, call)| call.location()).collect();
        remarks.give(Remark::Merged(others), chain.first);
        let merged = chain.rest.iter().fold(chain.first, |first, (serial, second)| {
            code::merge(module, first, serial.as_ref(), *second)
        });
        merged.add_attribute("convergent");
        let told = chain.rest.iter().filter_map(|(serial, _)| serial.as_ref());
        removed += told.map(|serial| serial.told.barriers.len()).sum::<usize>();
    }
    removed
}

/// The regions of a function that can become one, at least two each time.
fn chains(module: Module, function: Function, reaches: &mut Reaches) -> Vec<Chain> {
    let cfg = Cfg::of(function);
    let mut found = Vec::new();
    let mut taken: HashSet<Inst> = HashSet::new();
    for block in &cfg.order {
        for first in block.instructions() {
            if parallel(first).is_none() || taken.contains(&first) {
                continue;
            }
            let mut chain = Chain { first, rest: Vec::new() };
            while let Some((serial, second)) = between::next_region(module, &cfg, chain.last(), reaches) {
                if !fits(&chain, serial.as_ref(), second, reaches) {
                    break;
                }
                taken.insert(second);
                chain.rest.push((serial, second));
            }
            if !chain.rest.is_empty() {
                found.push(chain);
            }
        }
    }
    found
}

/// Whether a merged region can call the barrier of its team. clang's default mode brings the functions of the runtime that a
/// file calls before these passes run; what they call in addition would be missing when the program is linked.
fn has_barrier(module: Module) -> bool {
    let is_here = |name| module.function(name).is_some_and(|function| !function.is_declaration());
    is_here(code::BARRIER) || !is_here("__kmpc_target_init")
}

/// Whether a region can follow those of a chain in one with them.
fn fits(chain: &Chain, serial: Option<&Serial>, second: Inst, reaches: &mut Reaches) -> bool {
    let first = chain.last();
    let clauses =
        [parallel_operand::IF, parallel_operand::NUM_THREADS, parallel_operand::PROC_BIND].into_iter();
    let strict =
        (second.arguments().len() > parallel_operand::STRICT as usize).then_some(parallel_operand::STRICT);
    first.callee() == second.callee()
        && second.operand(parallel_operand::IF).as_constant_int() == Some(1)
        && (serial.is_none() || has_all_threads(second))
        && clauses.chain(strict).all(|clause| first.operand(clause) == second.operand(clause))
        && chain.arguments(serial, second).is_some_and(|count| count <= MOST_ARGUMENTS)
        && region_code(first).is_some_and(|(code, _)| leaves_nothing(code, reaches))
}

/// Whether a region has no clause about the number of its threads. The barriers of a smaller team execute more instructions
/// than a second start of it.
fn has_all_threads(region: Inst) -> bool {
    region.operand(parallel_operand::NUM_THREADS).as_constant_int() == Some(u64::from(u32::MAX))
}

/// Whether a region's end is no more than a barrier, for what comes behind.
fn leaves_nothing(code: Function, reaches: &mut Reaches) -> bool {
    let mut seen = HashSet::from([code]);
    let mut work = vec![code];
    while let Some(function) = work.pop() {
        let name = function.name();
        if name.starts_with("omp_set_") || name.contains("cancel") || name.starts_with("__kmpc_push_") {
            return false;
        }
        if known(function).is_some() {
            continue;
        }
        if function.is_declaration() || function.is_interposable() {
            return false;
        }
        let may_leave = |inst: &Inst| inst.is_call() && !assumptions(*inst).no_openmp;
        for call in function.instructions().filter(may_leave) {
            match reaches.callees(call) {
                Some(callees) => work.extend(callees.into_iter().filter(|callee| seen.insert(*callee))),
                None => return false,
            }
        }
    }
    true
}
