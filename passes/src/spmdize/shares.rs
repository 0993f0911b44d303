//! Loops of `distribute` that thread 0 runs alone.
//!
//! All threads ask for their team's share of a loop, as all must follow it to the regions in it. Of a loop that leads to nothing for
//! all threads only thread 0 needs the share: then the loop is its own as a whole. (Were only its body, LLVM would load what the body
//! reads in front of the loop, for all threads, while thread 0 writes it.)

use super::Body;
use super::role::Roles;
use super::skeleton;
use crate::analysis::runtime::{Known, known_call};
use crate::ir::{Inst, Opcode, Value};
use std::collections::HashSet;

/// Gives thread 0 the calls for a share that no other thread needs.
pub(super) fn leave_to_main_thread(body: &Body, roles: &mut Roles) {
    let calls = body.function.instructions().filter(|inst| is_share(*inst));
    roles.alone = calls.filter(|call| variables(*call).is_some()).collect();
    while !roles.alone.is_empty() {
        let Some(needed) = needed(body, roles) else { return roles.alone.clear() };
        let before = roles.alone.len();
        let needs =
            |call: &Inst| variables(*call).into_iter().flatten().any(|variable| needed.contains(&variable));
        roles.alone.retain(|call| !needs(call));
        if roles.alone.len() == before {
            break;
        }
    }
}

fn is_share(inst: Inst) -> bool {
    inst.is_call() && known_call(inst) == Some(Known::TeamShare)
}

/// What a call for a share writes to; none if others may know these variables.
fn variables(call: Inst) -> Option<Vec<Inst>> {
    let pointers = call.arguments().into_iter().filter(|argument| argument.ty().is_pointer());
    let objects = pointers.map(Value::underlying_object).filter(|object| object.as_global().is_none());
    objects.map(|object| object.as_inst().filter(|inst| is_plain(*inst))).collect()
}

/// Whether a variable of the stack is only read, written, and given to calls for a share.
fn is_plain(alloca: Inst) -> bool {
    let pointer = alloca.value();
    alloca.opcode() == Opcode::LLVMAlloca
        && alloca.using_instructions().into_iter().all(|user| match user.opcode() {
            Opcode::LLVMLoad => true,
            Opcode::LLVMStore => user.operand(0) != pointer,
            _ => is_share(user) || user.callee_name().starts_with("llvm.lifetime."),
        })
}

/// The variables of the stack on which it depends what all threads do. None if no loop tells when its branches matter.
fn needed(body: &Body, roles: &Roles) -> Option<HashSet<Inst>> {
    let collective =
        || body.function.instructions().filter(|inst| inst.is_call() && roles.is_collective(*inst));
    let skeleton = skeleton::close(body.function, &roles.blocks_for_all(body))?;
    let mut work: Vec<Value> = collective()
        .chain(skeleton.iter().map(|block| block.terminator()))
        .flat_map(|inst| inst.operands())
        .collect();
    let (mut seen, mut variables) = (HashSet::new(), HashSet::new());
    while let Some(value) = work.pop() {
        let Some(inst) = value.as_inst().filter(|inst| seen.insert(*inst)) else { continue };
        if inst.opcode() == Opcode::LLVMAlloca {
            variables.insert(inst);
            // What it holds.
            let stores = inst.using_instructions().into_iter();
            work.extend(
                stores.filter(|user| user.opcode() == Opcode::LLVMStore).map(|store| store.operand(0)),
            );
        }
        work.extend(inst.operands());
    }
    Some(variables)
}
