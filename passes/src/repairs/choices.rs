//! Addresses that are chosen among addresses that were chosen before, in a loop or not.
//!
//! LLVM's attributor follows a variable's address into each operand of a `phi` once, with the elements that it knows of then. What
//! comes later, from the other ways into the choice before, does not come to that `phi` any more: reads through it are taken for reads of the
//! first elements, and get their values (`docs/upstream.md`). So one of the addresses in a variable goes through a function that LLVM knows nothing of,
//! as long as openmp-opt is to come and the choices are there.

use super::addresses;
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

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
    for (choice, index) in chosen_again(function) {
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

/// What comes to a choice, from the choices before as well.
#[derive(Clone, Default)]
struct Reached {
    is_chosen_before: bool,
    /// Whether an element behind a choice is chosen, which is one behind each that it chooses among.
    is_moved: bool,
    /// The address that comes from each variable, none if there are several.
    places: HashMap<Value, Option<Value>>,
}

impl Reached {
    fn add(&mut self, variable: Value, place: Option<Value>) {
        let known = self.places.entry(variable).or_insert(place);
        *known = known.filter(|_| *known == place);
    }

    /// Adds what comes to a choice before; whether anything is new.
    fn join(&mut self, before: &Reached) -> bool {
        let count = |reached: &Reached| {
            (reached.is_moved, reached.places.len(), reached.places.values().flatten().count())
        };
        let known = count(self);
        self.is_moved |= before.is_moved;
        before.places.iter().for_each(|(variable, place)| self.add(*variable, *place));
        count(self) != known
    }
}

/// Where addresses come into choices, of each variable of which a `phi` chooses what is chosen before and may be several places.
fn chosen_again(function: Function) -> Vec<(Inst, u32)> {
    let is_root = |inst: &Inst| inst.is_phi() && inst.value().ty().is_pointer();
    let mut choices: Vec<Inst> = function.instructions().filter(is_root).collect();
    let mut reached: HashMap<Inst, Reached> = HashMap::new();
    let mut later: HashMap<Inst, Vec<Inst>> = HashMap::new();
    let (mut seen, mut entries, mut next) = (HashSet::new(), Vec::new(), 0);
    seen.extend(choices.iter().copied());
    while let Some(&choice) = choices.get(next) {
        next += 1;
        let of_choice = reached.entry(choice).or_default();
        for index in chosen(choice) {
            let address = choice.operand(index);
            let base = address.underlying_object();
            if let Some(inner) = base.as_inst().filter(|inst| !chosen(*inst).is_empty()) {
                of_choice.is_chosen_before |= inner != choice;
                of_choice.is_moved |= address != base || inner.is_call();
                later.entry(inner).or_default().push(choice);
                if seen.insert(inner) {
                    choices.push(inner);
                }
            } else {
                let variable = addresses::hidden(base).map_or(base, Value::underlying_object);
                of_choice.add(variable, Some(address));
                entries.push((choice, index, variable));
            }
        }
    }
    let mut work = choices.clone();
    while let Some(choice) = work.pop() {
        let before = reached[&choice].clone();
        for inst in later.get(&choice).into_iter().flatten() {
            if reached.get_mut(inst).is_some_and(|reached| reached.join(&before)) {
                work.push(*inst);
            }
        }
    }
    let is_again = |choice: &&Inst| choice.is_phi() && reached[*choice].is_chosen_before;
    let again: HashSet<Value> = choices
        .iter()
        .filter(is_again)
        .flat_map(|choice| {
            let Reached { is_moved, places, .. } = &reached[choice];
            places.iter().filter(|(_, place)| *is_moved || place.is_none()).map(|(variable, _)| *variable)
        })
        .collect();
    entries.retain(|(_, _, variable)| again.contains(variable));
    entries.into_iter().map(|(choice, index, _)| (choice, index)).collect()
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
