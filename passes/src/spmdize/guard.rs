//! Leaves regions to thread 0.
//!
//! ```text
//! region.check.tid:    PHIs; what all threads need and can compute; thread 0 ? the region : region.barrier
//! ...                  the region
//! region.guarded.end:  stores of what all threads need; to region.barrier
//! region.barrier:      barrier, loads, barrier; values of thread 0 as PHIs; to what follows
//! ```
//! The first barrier is there only if something goes to all threads: whatever the region did in memory, other threads
//! see it behind the barrier at the start of the next parallel region; or if all threads read what the region may write
//! ([`super::conditions`]): then there may be one before the region, too. The second one keeps the next store away from
//! this load; it is there only if a way leads from one to the other without a barrier.

use super::Body;
use super::conditions::Fence;
use super::demand::{Demand, common_value};
use super::prepare::clean_name;
use super::regions::{Pieces, Region};
use super::role::Roles;
use crate::analysis::control::reachable;
use crate::analysis::reach::Reaches;
use crate::ir::{Block, Builder, Function, Inst, Value};
use std::collections::HashSet;

/// What was added.
#[derive(Default)]
pub struct Added {
    /// Regions of thread 0.
    pub regions: usize,
    /// Barriers.
    pub barriers: usize,
    /// Values that go through shared memory.
    pub broadcasts: usize,
}

/// A region that was guarded.
struct Guarded {
    /// Where thread 0 stores.
    end: Block,
    /// Where all threads meet.
    barrier: Block,
    /// Whether something is stored.
    broadcasts: bool,
}

/// Guards the regions of a body.
pub(super) fn run(
    body: &Body,
    roles: &Roles,
    pieces: Pieces,
    mut demand: Demand,
    reaches: &mut Reaches,
) -> Added {
    let mut added = Added::default();
    let mut guarded = Vec::new();
    let fences: Vec<Fence> = pieces.regions.iter().map(|region| Fence::of(region, roles)).collect();
    for (region, fence) in pieces.regions.iter().zip(fences) {
        guarded.push(guard(body, region, fence, &mut demand, reaches, &mut added));
    }
    for region in &guarded {
        if region.broadcasts && (body.recursive || can_store_again(body, roles, region)) {
            barrier(body, region.barrier.terminator());
            added.barriers += 1;
        }
    }
    around_amenable_calls(body, roles, &mut added);
    added
}

fn barrier_function(body: &Body) -> Function {
    let module = body.module;
    module.function_or_declare(
        "__kmpc_barrier_simple_spmd",
        module.void_type(),
        &[module.pointer_type(), module.int_type(32)],
        &["convergent", "nounwind"],
    )
}

fn barrier(body: &Body, position: Inst) -> Inst {
    let call = Builder::before(position).call(barrier_function(body), &[body.ident, body.thread], "");
    call.add_attribute("convergent");
    call
}

fn guard(
    body: &Body,
    region: &Region,
    fence: Fence,
    demand: &mut Demand,
    reaches: &mut Reaches,
    added: &mut Added,
) -> Guarded {
    let inside: HashSet<Block> = region.blocks.iter().copied().collect();
    let origin = region.head.first_non_phi();
    let sets_state = region
        .blocks
        .iter()
        .flat_map(|block| block.instructions())
        .any(|inst| inst.is_call() && reaches.call(inst).sets_state);

    let check = region.head.new_before("region.check.tid");
    enter_through(region, &inside, check, origin, demand);
    let exit = region.exit();
    let barrier_block = match exit {
        Some(exit) => exit.new_before("region.barrier"),
        None => body.function.append_block("region.barrier"),
    };
    let way = Builder::at_end_like(check, origin).branch_if(body.is_main, region.head, barrier_block);
    // One thread of a team: not so rare that its code would count as cold, but rare enough that LLVM does not load for
    // all threads what only this one needs, which race checkers would rightly see.
    way.set_branch_weights(1, 127);
    for inst in region.blocks.iter().flat_map(|block| block.instructions()) {
        if demand.hoisted.contains(&inst) {
            inst.move_before(way);
        }
    }
    if fence.before {
        barrier(body, way);
        added.barriers += 1;
    }
    let end = barrier_block.new_before("region.guarded.end");
    let last = Builder::at_end_like(end, origin).branch(barrier_block);
    added.regions += 1;

    let Some(exit) = exit else {
        // The program ends in the region; the others wait for that.
        last.erase();
        end.erase();
        let trap = Builder::at_end_like(barrier_block, origin).unreachable();
        barrier(body, trap);
        added.barriers += 1;
        return Guarded { end: check, barrier: barrier_block, broadcasts: false };
    };
    let onward = Builder::at_end_like(barrier_block, origin).branch(exit);
    let mut outputs = leave_through(region, &inside, exit, end, demand);
    for block in &region.blocks {
        block.redirect(exit, end);
    }
    // Values of the region that are used outside of it.
    for inst in region.blocks.iter().flat_map(|block| block.instructions()) {
        let outside = |user: &Inst| !inside.contains(&user.block()) && user.block() != end;
        if inst.using_instructions().iter().any(outside) {
            outputs.push((inst, demand.broadcast.contains(&inst)));
        }
    }
    let broadcasts = outputs.iter().any(|(_, to_all)| *to_all);
    if broadcasts || sets_state || fence.behind {
        barrier(body, onward);
        added.barriers += 1;
    }
    for (value, to_all) in outputs {
        let replacement = if to_all {
            added.broadcasts += 1;
            broadcast(body, value, last, onward)
        } else {
            stay_with_main(value, end, check, barrier_block)
        };
        value.replace_uses_in(replacement, |user| {
            !inside.contains(&user.block()) && user.block() != end && user.value() != replacement
        });
    }
    Guarded { end, barrier: barrier_block, broadcasts }
}

/// Ways into the region lead to `check`, which takes over the PHIs of the head.
fn enter_through(region: &Region, inside: &HashSet<Block>, check: Block, origin: Inst, demand: &mut Demand) {
    let from_inside = region.is_loop();
    for phi in region.head.phis() {
        let outer = Builder::at_end_like(check, origin).phi(phi.ty(), &phi.name());
        if demand.merged.contains(&phi) {
            demand.merged.insert(outer);
        }
        for (value, from) in phi.incoming() {
            if !inside.contains(&from) {
                outer.add_incoming(value, from);
            }
        }
        if from_inside {
            for (_, from) in outer.incoming() {
                phi.remove_incoming(from);
            }
            phi.add_incoming(outer.value(), check);
        } else {
            phi.replace_all_uses(outer.value());
            phi.erase();
        }
    }
    for before in region.head.function().blocks() {
        // New blocks have no terminator yet, and do not lead here.
        if !inside.contains(&before) && before != check && before.has_terminator() {
            before.redirect(region.head, check);
        }
    }
}

/// PHIs of the exit that depend on the way through the region get one value from `end`; gives those values, and whether
/// all threads need them.
fn leave_through(
    region: &Region,
    inside: &HashSet<Block>,
    exit: Block,
    end: Block,
    demand: &Demand,
) -> Vec<(Inst, bool)> {
    let mut outputs = Vec::new();
    let barrier_block = end.successors()[0];
    for phi in exit.phis() {
        let ways: Vec<(Value, Block)> =
            phi.incoming().into_iter().filter(|(_, from)| inside.contains(from)).collect();
        let value = match common_value(ways.iter().map(|(value, _)| *value), region) {
            Some(value) => value,
            None => {
                let merged =
                    Builder::before(end.first_non_phi()).phi(phi.ty(), &format!("{}.merged", phi.name()));
                ways.iter().for_each(|(value, from)| merged.add_incoming(*value, *from));
                outputs.push((merged, demand.merged.contains(&phi)));
                merged.value()
            }
        };
        ways.iter().for_each(|(_, from)| phi.remove_incoming(*from));
        phi.add_incoming(value, barrier_block);
    }
    outputs
}

/// A value through shared memory: thread 0 stores it before `last`, all threads load it before `onward`.
fn broadcast(body: &Body, value: Inst, last: Inst, onward: Inst) -> Value {
    let name = value.name();
    let slot =
        body.module.add_shared_variable(value.ty(), &format!("{}.guarded.output.alloc", clean_name(&name)));
    Builder::before(last).store(value.value(), slot.value());
    Builder::before(onward).load(value.ty(), slot.value(), &format!("{name}.guarded.output.load")).value()
}

/// A value that only thread 0 has, and only thread 0 needs.
fn stay_with_main(value: Inst, end: Block, check: Block, barrier_block: Block) -> Value {
    let position = barrier_block.first_non_phi();
    let phi = Builder::before(position).phi(value.ty(), &format!("{}.main", value.name()));
    phi.add_incoming(value.value(), end);
    phi.add_incoming(value.ty().poison(), check);
    phi.value()
}

/// Whether a way without a barrier leads from the loads of a region to its stores.
fn can_store_again(body: &Body, roles: &Roles, region: &Guarded) -> bool {
    let has_barrier = |block: Block| {
        block.instructions().into_iter().any(|inst| {
            inst.is_call()
                && (roles.is_team_region(inst) || inst.callee_name() == "__kmpc_barrier_simple_spmd")
        })
    };
    let without_barrier = |block: Block| {
        if has_barrier(block) {
            return vec![];
        }
        let mut next = block.successors();
        if next.is_empty() && body.called {
            // Called once more.
            next.push(body.start);
            next.extend(body.function.entry().successors());
        }
        next
    };
    reachable(region.barrier.successors(), without_barrier).contains(&region.end)
}

/// All threads run calls of unknown code that the user allowed for all threads: behind what thread 0 did before, and
/// before what it does next.
fn around_amenable_calls(body: &Body, roles: &Roles, added: &mut Added) {
    let calls: Vec<Inst> =
        body.function.instructions().filter(|inst| inst.is_call() && roles.is_amenable(*inst)).collect();
    for call in calls {
        barrier(body, call);
        if let Some(next) = call.next() {
            barrier(body, next);
        }
        added.barriers += 2;
    }
}
