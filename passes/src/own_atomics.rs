//! Atomic operations on a thread's own variables.
//!
//! The stack is local memory, which no other thread can address, and for which PTX has no `atom`. LLVM 22 writes `atom.local.cas` once
//! it sees that an address is one of the stack, which does not assemble, and before it sees that, or where it does not, an `atom` that
//! GPUs refuse (`docs/upstream.md`). A load, a computation and a store do the same there. Where an address may be one of the stack, as
//! that of what a task or an inner region shares, the program asks the machine first.
//!
//! The device runtime has no such variables, and its operations are to stay as light as they are: they are for the threads of a team or
//! of the device, and a program's are for all threads there are.

use crate::ir::{Function, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// Rewrites those on variables of the stack, and of a program's own those that may be; whether there were any.
pub fn run(module: Module) -> bool {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let is_update = |inst: &Inst| matches!(inst.opcode(), Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAtomicRMW);
    let mut any = false;
    for inst in instructions.filter(is_update).collect::<Vec<_>>() {
        any |= match place(inst.operand(0), inst.function(), &mut HashSet::new()) {
            Some(Place::Own) => inst.lower_atomic(),
            Some(Place::Unknown) if inst.has_system_scope() => inst.lower_atomic_if_own(),
            Some(Place::Unknown | Place::Others) | None => false,
        };
    }
    any
}

/// What an address leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A variable of the stack.
    Own,
    /// Memory that other threads can address.
    Others,
    /// Maybe one or the other.
    Unknown,
}

/// Where a pointer of `function` leads; none if it has been looked at before. What is in memory of others is no address of the stack,
/// which would be of no use there; but what tasks and regions get is handed to the function that is called for them.
fn place(pointer: Value, function: Function, seen: &mut HashSet<Value>) -> Option<Place> {
    let object = pointer.underlying_object();
    if !seen.insert(object) {
        return None;
    }
    if object.as_global().is_some() {
        return Some(Place::Others);
    }
    if object.is_argument() {
        return of_argument(object, function, seen);
    }
    let Some(inst) = object.as_inst() else { return Some(Place::Unknown) };
    match inst.opcode() {
        Opcode::LLVMAlloca => Some(Place::Own),
        Opcode::LLVMPHI | Opcode::LLVMSelect => {
            let pointers = inst.operands().into_iter().filter(|value| value.ty() == object.ty());
            common(pointers.map(|value| (value, function)), seen)
        }
        Opcode::LLVMLoad => match place(inst.operand(0), function, seen) {
            Some(Place::Own) => Some(Place::Unknown),
            other => other,
        },
        _ => Some(Place::Unknown),
    }
}

/// That of a parameter: what all callers pass, if they are known.
fn of_argument(argument: Value, function: Function, seen: &mut HashSet<Value>) -> Option<Place> {
    if function.is_kernel() {
        return Some(Place::Others);
    }
    let number = function.parameters().into_iter().position(|parameter| parameter == argument);
    let given = |user: Value| {
        let call = user.as_inst().filter(|call| call.is_call() && call.callee() == Some(function))?;
        Some((*call.arguments().get(number?)?, call.function()))
    };
    match function.value().users().into_iter().map(given).collect::<Option<Vec<_>>>() {
        Some(given) if function.is_local() => common(given.into_iter(), seen),
        _ => Some(Place::Unknown),
    }
}

/// What all of these pointers lead to.
fn common(pointers: impl Iterator<Item = (Value, Function)>, seen: &mut HashSet<Value>) -> Option<Place> {
    let places = pointers.filter_map(|(value, function)| place(value, function, seen));
    places.reduce(|one, other| if one == other { one } else { Place::Unknown })
}
