//! What steers a loop and is written in it, in memory.
//!
//! LLVM's attributor takes ways through a function for dead until something leads there. Where a variable is written behind such a way,
//! it may miss that the way has come to life, and then takes each read in the loop for one of what stands there at first: nested loops that count in
//! variables whose addresses others know never end, or leave out turns (`docs/upstream.md`). So while LLVM's passes run, the
//! condition of a branch that depends on such a read goes through a function that they know nothing of: all ways are alive from the start then.
//! Where the variable comes to a register, the function goes.

use super::addresses;
use crate::analysis::control::Cfg;
use crate::analysis::runtime::is_openmp;
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// What such a condition goes through, with the width of the integer.
const SAME: &str = "omptarget_decision.i";

/// Lets the conditions go through the function; whether there were any.
pub fn begin(module: Module) -> bool {
    let of_program = module.functions().into_iter().filter(|function| addresses::is_of_program(*function));
    of_program.fold(false, |any, function| {
        let found = decisions(function);
        found.iter().for_each(|branch| hide(module, *branch));
        any | !found.is_empty()
    })
}

/// Takes the function away where the condition no longer depends on memory; whether there was any.
pub fn between(function: Function) -> bool {
    let hidden: Vec<Inst> = function.instructions().filter(|inst| is_hidden(*inst)).collect();
    if hidden.is_empty() {
        return false;
    }
    let needed: HashSet<Value> = decisions(function).into_iter().map(|branch| branch.operand(0)).collect();
    let done = hidden.into_iter().filter(|inst| !needed.contains(&inst.value()));
    done.fold(false, |_, inst| take_away(inst))
}

/// Takes it away everywhere; whether it was there.
pub fn end(module: Module) -> bool {
    let functions = module.functions().into_iter();
    let same: Vec<Function> = functions.filter(|function| function.name().starts_with(SAME)).collect();
    for function in &same {
        for inst in function.value().using_instructions() {
            take_away(inst);
        }
        function.erase();
    }
    !same.is_empty()
}

fn is_hidden(inst: Inst) -> bool {
    inst.is_call() && inst.callee_name().starts_with(SAME)
}

fn hide(module: Module, branch: Inst) {
    let condition = branch.operand(0);
    let Some(width) = condition.ty().int_width().filter(|_| !condition.as_inst().is_some_and(is_hidden))
    else {
        return;
    };
    let same = module.function_or_declare(
        &format!("{SAME}{width}"),
        condition.ty(),
        &[condition.ty()],
        &["nounwind", "willreturn", "nofree", "nosync", "memory"],
    );
    same.set_string_attribute("llvm.assume", "omp_no_openmp,ompx_spmd_amenable");
    branch.set_operand(0, Builder::before(branch).call(same, &[condition], "").value());
}

fn take_away(inst: Inst) -> bool {
    inst.value().replace_all_uses(inst.arguments()[0]);
    inst.erase();
    true
}

/// The branches in cycles of a function that depend on what is read from a variable there and written there.
fn decisions(function: Function) -> Vec<Inst> {
    let module = function.module();
    let mapped = if function.is_kernel() { function.parameters() } else { Vec::new() };
    let is_open = |object: &Value| addresses::is_object_of_program(*object) && !mapped.contains(object);
    let mut found = Vec::new();
    for cycle in Cfg::of(function).cycles() {
        let insts: Vec<Inst> = cycle.iter().flat_map(|block| block.instructions()).collect();
        let written: HashSet<Value> = insts.iter().flat_map(|inst| written(*inst)).filter(is_open).collect();
        let is_read = |inst: &&Inst| {
            let address = inst.pointer().filter(|_| inst.opcode() == Opcode::LLVMLoad);
            address.and_then(|address| variable(module, address)).is_some_and(|of| written.contains(&of))
        };
        let mut values: Vec<Inst> = insts.iter().filter(is_read).copied().collect();
        let mut seen: HashSet<Inst> = values.iter().copied().collect();
        while let Some(value) = values.pop() {
            for user in value.value().using_instructions() {
                if !cycle.contains(&user.block()) || !seen.insert(user) {
                    continue;
                }
                if matches!(user.opcode(), Opcode::LLVMBr | Opcode::LLVMSwitch) {
                    found.push(user);
                } else {
                    values.push(user);
                }
            }
        }
    }
    found
}

/// The variable that an address is a constant number of bytes in.
fn variable(module: Module, address: Value) -> Option<Value> {
    let (base, _) = address.base_and_offset(module);
    let object = object(base);
    (object == base || addresses::hidden(base).is_some()).then_some(object)
}

/// The variables that an instruction writes, or lets others write.
fn written(inst: Inst) -> Vec<Value> {
    let is_none = |name: &str| {
        is_openmp(name)
            || name.starts_with("_R")
            || name.starts_with("llvm.") && !name.starts_with("llvm.mem")
    };
    let pointers = if inst.is_call() {
        if is_none(&inst.callee_name()) { Vec::new() } else { inst.arguments() }
    } else {
        inst.stored().into_iter().chain(inst.pointer().filter(|_| inst.stored().is_some())).collect()
    };
    pointers.into_iter().filter(|value| value.ty().is_pointer()).map(object).collect()
}

fn object(address: Value) -> Value {
    let object = address.underlying_object();
    addresses::hidden(object).map_or(object, Value::underlying_object)
}
