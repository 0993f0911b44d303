//! Addresses that are chosen among addresses that were chosen before, in a loop or not.
//!
//! LLVM's attributor follows a variable's address into each operand of a `phi` once, with the elements that it knows of then. What
//! comes later, from the other ways into the choice before, does not come to that `phi` any more: reads through it are taken for reads of the
//! first elements, and get their values (`docs/upstream.md`). So one of the addresses in a variable goes through a function that LLVM knows nothing of,
//! as long as openmp-opt is to come and the choices are there.

use super::addresses;
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// Lets an address of each variable with elements that are chosen so go through that function; whether there was any.
pub fn begin(module: Module) -> bool {
    module.functions().into_iter().fold(false, |any, function| run(function).1 | any)
}

/// The same in one function. Gives the calls that are needed there, too. The device runtime's own functions are left alone: they
/// are tested as they are.
pub fn run(function: Function) -> (HashSet<Inst>, bool) {
    if !addresses::is_of_program(function) {
        return (HashSet::new(), false);
    }
    let module = function.module();
    let parameters_of_kernel = if function.is_kernel() { function.parameters() } else { Vec::new() };
    let (mut needed, mut hidden, mut open) = (HashSet::new(), HashSet::new(), Vec::new());
    let phis: Vec<Inst> =
        function.instructions().filter(|inst| inst.is_phi() && inst.value().ty().is_pointer()).collect();
    for (choice, index) in phis.into_iter().flat_map(choices) {
        let object = choice.operand(index).underlying_object();
        match addresses::hidden(object) {
            Some(variable) => {
                needed.extend(object.as_inst());
                hidden.insert(variable.underlying_object());
            }
            None => open.push((choice, index, object)),
        }
    }
    let mut changed = false;
    for (choice, index, variable) in open {
        let is_open = addresses::is_object_of_program(variable) && !parameters_of_kernel.contains(&variable);
        if is_open && hidden.insert(variable) {
            needed.extend(hide(module, choice, index).underlying_object().as_inst());
            changed = true;
        }
    }
    (needed, changed)
}

/// Where the addresses come in that a `phi` chooses among, if what it chooses is chosen before, and several places in a variable may be: operands
/// of it, and of the choices before.
fn choices(phi: Inst) -> Vec<(Inst, u32)> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([phi]);
    let mut work = vec![phi];
    // Whether an element behind a choice is chosen, which is one behind each that it chooses among.
    let mut moved = false;
    while let Some(choice) = work.pop() {
        for index in chosen(choice) {
            let address = choice.operand(index);
            let base = address.underlying_object();
            match base.as_inst().filter(|inst| !chosen(*inst).is_empty()) {
                Some(inner) => {
                    moved |= address != base || inner.is_call();
                    if seen.insert(inner) {
                        work.push(inner);
                    }
                }
                None => found.push((choice, index, base)),
            }
        }
    }
    let is_chosen_before = seen.len() > 1;
    let differs = |object: Value| {
        let mut places = found.iter().filter(|(_, _, base)| *base == object);
        let address = |(choice, index, _): &(Inst, u32, Value)| choice.operand(*index);
        let first = places.next().map(address);
        moved || places.any(|place| Some(address(place)) != first)
    };
    found
        .iter()
        .filter(|(_, _, base)| is_chosen_before && differs(*base))
        .map(|(choice, index, _)| (*choice, *index))
        .collect()
}

/// The operands that an instruction may choose: also a call of a function that can become part of the loop.
fn chosen(inst: Inst) -> Vec<u32> {
    if is_choice(inst) {
        return addresses(inst).collect();
    }
    let is_of_program = inst.is_call() && inst.callee().is_some_and(addresses::is_of_program);
    let arguments =
        if is_of_program && inst.value().ty().is_pointer() { inst.arguments() } else { Vec::new() };
    (0..).zip(arguments).filter(|(_, argument)| argument.ty().is_pointer()).map(|(index, _)| index).collect()
}

/// Whether an instruction chooses among values.
pub fn is_choice(inst: Inst) -> bool {
    inst.is_phi() || inst.opcode() == Opcode::LLVMSelect
}

/// The operands of a choice that are what it chooses among.
pub fn addresses(choice: Inst) -> std::ops::Range<u32> {
    if choice.is_phi() { 0..choice.incoming().len() as u32 } else { 1..3 }
}

/// Hides the address, or what an element in it is computed from: computed for a way that is not gone, an element behind null may be none, which
/// must not be given to a function. A `phi` has the same for each way from a block. Gives what is hidden.
fn hide(module: Module, choice: Inst, index: u32) -> Value {
    let (mut user, mut index) = (choice, index);
    let is_element = |inst: &Inst| {
        matches!(inst.opcode(), Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast)
    };
    while let Some(inner) = user.operand(index).as_inst().filter(is_element) {
        (user, index) = (inner, 0);
    }
    let address = user.operand(index);
    if !user.is_phi() {
        let hidden = addresses::hide(module, &Builder::before(user), address);
        user.set_operand(index, hidden);
        return hidden;
    }
    let incoming = user.incoming();
    let from = incoming[index as usize].1;
    let hidden = addresses::hide(module, &Builder::before(from.terminator()), address);
    for (index, _) in incoming.iter().enumerate().filter(|(_, (_, block))| *block == from) {
        user.set_operand(index as u32, hidden);
    }
    hidden
}
