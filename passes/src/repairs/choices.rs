//! Addresses that a loop chooses among.
//!
//! LLVM's attributor follows a variable's address into the `phi` of a loop once, with the elements that it knows of then. What a choice
//! in the loop adds later, `if (a[i] < *best) best = a + i`, does not come back to that `phi`: reads through it are taken for reads of the first
//! elements, and get their values (`docs/upstream.md`). So one of the addresses that such a loop chooses among goes through a function that LLVM
//! knows nothing of, while openmp-opt runs over the module.

use super::addresses;
use crate::ir::{Builder, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// Lets an address of each variable among whose elements a loop chooses go through that function; whether there was any.
pub fn begin(module: Module) -> bool {
    let mut changed = false;
    for function in module.functions() {
        let mut hidden: HashSet<Value> = HashSet::new();
        let phis: Vec<Inst> =
            function.instructions().filter(|inst| inst.is_phi() && inst.value().ty().is_pointer()).collect();
        for phi in phis {
            for (choice, index) in choices(phi) {
                let address = choice.operand(index);
                let variable = address.underlying_object();
                let is_nothing = variable.is_constant() && variable.as_global().is_none();
                if !is_nothing && hidden.insert(variable) {
                    hide(module, choice, index, address);
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Where the addresses come in that a `phi` chooses among in a loop: operands of it, and of the choices that lead back to it.
fn choices(phi: Inst) -> Vec<(Inst, u32)> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([phi]);
    let mut work = vec![phi];
    let mut is_loop = false;
    while let Some(choice) = work.pop() {
        for index in addresses(choice) {
            let address = choice.operand(index);
            match address.as_inst().filter(|inst| is_choice(*inst)) {
                Some(inner) => {
                    is_loop |= inner == phi && choice != phi;
                    if seen.insert(inner) {
                        work.push(inner);
                    }
                }
                None => found.push((choice, index)),
            }
        }
    }
    if is_loop { found } else { Vec::new() }
}

/// Whether an instruction chooses among values.
pub fn is_choice(inst: Inst) -> bool {
    inst.is_phi() || inst.opcode() == Opcode::LLVMSelect
}

/// The operands of a choice that are what it chooses among.
pub fn addresses(choice: Inst) -> std::ops::Range<u32> {
    if choice.is_phi() { 0..choice.incoming().len() as u32 } else { 1..3 }
}

/// A `phi` has the same for each way from a block.
fn hide(module: Module, choice: Inst, index: u32, address: Value) {
    if !choice.is_phi() {
        choice.set_operand(index, addresses::hide(module, &Builder::before(choice), address));
        return;
    }
    let incoming = choice.incoming();
    let from = incoming[index as usize].1;
    let hidden = addresses::hide(module, &Builder::before(from.terminator()), address);
    for (index, _) in incoming.iter().enumerate().filter(|(_, (_, block))| *block == from) {
        choice.set_operand(index as u32, hidden);
    }
}
