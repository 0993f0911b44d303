//! Brings serial code into a form with few kinds of things, without a change of meaning.

use super::escape::{self, Escape, escape};
use super::role::Roles;
use super::{Body, Clones, local_pointers};
use crate::Settings;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{Known, known, known_call, parallel, parallel_operand};
use crate::deglobalize;
use crate::ir::{Builder, Function, Inst, Module, Opcode, Predicate, Value};
use crate::remark::Remarks;

/// Puts functions with parallel regions that are called from one place only into that place: the body of a `teams`
/// construct above all, whose arguments are then known. Whether there were any.
pub fn inline_single_calls(module: Module, function: Function, settings: &Settings) -> bool {
    let mut changed = false;
    loop {
        // Anew each time: a function that was erased leaves its answers, and another one may get its address.
        let mut reaches = Reaches::of(module, settings.whole_program);
        let once = |call: &Inst| {
            call.callee().is_some_and(|callee| {
                callee.is_local()
                    && !callee.is_declaration()
                    && known(callee).is_none()
                    && !callee.has_attribute("noinline")
                    && callee.value().users().len() == 1
            })
        };
        let calls: Vec<Inst> = function.instructions().filter(|inst| inst.is_call()).collect();
        let Some(call) = calls.into_iter().find(|call| once(call) && reaches.call(*call).regions) else {
            return changed;
        };
        let callee = call.callee();
        if !call.inline() {
            return changed;
        }
        changed = true;
        if let Some(callee) = callee.filter(|callee| callee.value().users().is_empty()) {
            callee.erase();
        }
    }
}

/// Prepares a body whose kernel will be converted.
pub(super) fn run(
    body: &Body,
    clones: &Clones,
    settings: &Settings,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) {
    simplify_calls(body);
    split_if_clauses(body);
    let roles = Roles::of_calls(body, clones);
    keep_together(body, &roles);
    if !settings.disable_deglobalization {
        give_copies(body, &roles, remarks);
    }
    deglobalize::run(body.module, body.function, body.recursive, settings, reaches, remarks);
    share_escaping(body, &roles);
}

/// Takes out what means nothing in serial code, and answers questions whose answer is known there.
fn simplify_calls(body: &Body) {
    let calls: Vec<Inst> = body.function.instructions().filter(|inst| inst.is_call()).collect();
    for call in calls {
        let name = call.callee_name();
        match known_call(call) {
            Some(Known::Nothing) => call.erase(),
            Some(Known::Serial(answer)) => {
                call.replace_all_uses(call.ty().constant(answer));
                call.erase();
            }
            // A hint about a value that only thread 0 may have; and lifetimes that only thread 0 would begin.
            _ if name == "llvm.assume" || name.starts_with("llvm.lifetime.") => call.erase(),
            _ => {
                if parallel(call).is_some() {
                    // Only the workers of generic kernels call it.
                    call.set_operand(parallel_operand::WRAPPER, body.module.pointer_type().null());
                }
            }
        }
    }
}

/// `parallel if(c)` becomes `if (c) parallel; else parallel if(0)`: the second is a matter of thread 0 alone.
fn split_if_clauses(body: &Body) {
    let regions: Vec<_> = body.function.instructions().filter_map(parallel).collect();
    for region in regions {
        let ty = region.if_clause.ty();
        match region.if_clause.as_constant_int() {
            Some(0) => {}
            Some(_) => region.call.set_operand(parallel_operand::IF, ty.constant(1)),
            None => {
                let before = region.call.block();
                let together = region.call.split_before("parallel.team");
                let after = region.call.next().expect("a call is no terminator").split_before("parallel.end");
                let alone = after.new_before("parallel.serial");
                let way = Builder::at_end_like(alone, region.call).branch(after);
                let serial = region.call.clone_before(way);
                serial.set_operand(parallel_operand::IF, ty.constant(0));
                region.call.set_operand(parallel_operand::IF, ty.constant(1));
                let builder = Builder::before(before.terminator());
                let wanted =
                    builder.compare(Predicate::LLVMIntNE, region.if_clause, ty.constant(0), "parallel.if");
                builder.branch_if(wanted, together, alone);
                before.terminator().erase();
            }
        }
    }
}

/// Marks what all threads must call together: compilers do not say so about the starts of parallel regions, because in
/// kernels of theirs nothing before them parts the threads of a warp.
fn keep_together(body: &Body, roles: &Roles) {
    for call in body.function.instructions().filter(|inst| inst.is_call()) {
        let Some(callee) = call.callee().filter(|_| roles.is_collective(call)) else { continue };
        if matches!(known(callee), Some(Known::Init | Known::TeamShare)) {
            continue; // No thread waits for another there.
        }
        callee.add_attribute("convergent");
        call.add_attribute("convergent");
    }
}

/// Variables that are where all threads can reach them, and of which each may have a copy, come to the stack. What is stored in one may
/// come from another.
fn give_copies(body: &Body, roles: &Roles, remarks: &mut Remarks) {
    let is_collective = |call| roles.is_collective(call);
    loop {
        let copies = escape::copies(body.function, &is_collective);
        let mut more = false;
        for call in deglobalize::allocations(body.function) {
            if escape(call, &is_collective, &copies) == Escape::Replicated {
                more |= deglobalize::give_copies(body.module, call, remarks);
            }
        }
        if !more {
            return;
        }
    }
}

/// Whether an alloca reserves the same once for each call of its function.
pub fn is_static_alloca(inst: Inst) -> bool {
    inst.opcode() == Opcode::LLVMAlloca
        && inst.operand(0).as_constant_int() == Some(1)
        && inst.block() == inst.function().entry()
}

/// Variables whose address all threads get become the team's. [`super::blockers`] has seen that this can be.
fn share_escaping(body: &Body, roles: &Roles) {
    let is_collective = |call| roles.is_collective(call);
    let copies = escape::copies(body.function, &is_collective);
    let variables: Vec<Inst> = body.function.instructions().filter(|inst| is_static_alloca(*inst)).collect();
    for alloca in variables {
        if escape(alloca, &is_collective, &copies) == Escape::Shared {
            store_in_serial_code(body, alloca);
            let name = format!("{}_shared", clean_name(&alloca.name()));
            let global = body.module.add_shared_variable(alloca.allocated_type(), &name);
            body.module.set_alignment(global, alloca.alignment());
            local_pointers::replace(alloca);
            let address: Value = body.module.generic_address(global);
            alloca.replace_all_uses(address);
            alloca.erase();
        }
    }
}

/// flang fills structures of arguments before the threads part, each thread its own: what is shared is stored later, by
/// thread 0.
fn store_in_serial_code(body: &Body, alloca: Inst) {
    let first = body.start.first_non_phi();
    for store in body.outside.iter().flat_map(|block| block.instructions()) {
        let is_store = store.opcode() == Opcode::LLVMStore;
        if is_store && store.operand(1).underlying_object() == alloca.value() {
            store.move_before(first);
        }
    }
}

/// A name as PTX can have it.
pub fn clean_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '.' }).collect()
}
