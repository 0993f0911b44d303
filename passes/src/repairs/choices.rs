//! Addresses that a loop chooses among.
//!
//! LLVM's attributor follows a variable's address into the `phi` of a loop once, with the elements that it knows of then. What a choice
//! in the loop adds later, `if (a[i] < *best) best = a + i`, does not come back to that `phi`: reads through it are taken for reads of the first
//! elements, and get their values (`docs/upstream.md`). It gives up at `freeze`, which LLVM's other passes drop, since an address of a
//! variable is never poison. So one of the addresses that such a loop chooses among is frozen.

use crate::ir::{Builder, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// Freezes an address of each variable among whose elements a loop chooses; whether there was any.
pub fn run(module: Module) -> bool {
    let mut changed = false;
    for function in module.functions() {
        let mut frozen: HashSet<Value> = HashSet::new();
        let phis: Vec<Inst> =
            function.instructions().filter(|inst| inst.is_phi() && inst.value().ty().is_pointer()).collect();
        for phi in phis {
            for (choice, index) in choices(phi) {
                let address = choice.operand(index);
                let variable = address.underlying_object();
                let is_nothing = variable.is_constant() && variable.as_global().is_none();
                if !is_nothing && frozen.insert(variable) {
                    freeze(choice, index, address);
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

fn is_choice(inst: Inst) -> bool {
    inst.is_phi() || inst.opcode() == Opcode::LLVMSelect
}

/// The operands of a choice that are what it chooses among.
fn addresses(choice: Inst) -> std::ops::Range<u32> {
    if choice.is_phi() { 0..choice.incoming().len() as u32 } else { 1..3 }
}

/// A `phi` has the same for each way from a block.
fn freeze(choice: Inst, index: u32, address: Value) {
    if !choice.is_phi() {
        choice.set_operand(index, Builder::before(choice).freeze(address));
        return;
    }
    let incoming = choice.incoming();
    let from = incoming[index as usize].1;
    let frozen = Builder::before(from.terminator()).freeze(address);
    for (index, _) in incoming.iter().enumerate().filter(|(_, (_, block))| *block == from) {
        choice.set_operand(index as u32, frozen);
    }
}
