//! Who may see a variable by its address.

use super::reach::Reaches;
use super::runtime::{Known, assumptions, known_call};
use crate::ir::{Function, Inst, Opcode, Value};
use std::collections::HashSet;

/// Who that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Only the thread that has the address.
    Owner,
    /// Others perhaps, by what a call does with it: one that nobody has promised anything about.
    ByCall(Inst),
    /// Others: the address is stored, or goes to a parallel region.
    Others,
}

/// Whether a pointer points into a variable on the stack of the thread.
pub fn is_on_stack(pointer: Value) -> bool {
    pointer.underlying_object().as_alloca().is_some()
}

/// Whether a pointer points into a variable that its function has made, on the stack or where all threads can reach it.
pub fn is_own_variable(pointer: Value) -> bool {
    let object = pointer.underlying_object().as_inst();
    is_on_stack(pointer) || object.is_some_and(|object| object.callee_name() == "__kmpc_alloc_shared")
}

/// Whether an instruction does nothing with a pointer but to access what it points to.
pub fn only_accesses(inst: Inst, pointer: Value) -> bool {
    match inst.opcode() {
        Opcode::LLVMLoad => true,
        Opcode::LLVMStore => inst.operand(0) != pointer,
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            inst.operands().iter().skip(1).all(|operand| *operand != pointer)
        }
        _ => false,
    }
}

/// Who sees what `pointer` points to, all copies of the pointer and the functions that it is given to included.
pub fn seen(pointer: Value, reaches: &mut Reaches) -> Seen {
    follow(pointer, reaches, &mut HashSet::new())
}

fn follow(pointer: Value, reaches: &mut Reaches, known_pointers: &mut HashSet<Value>) -> Seen {
    let mut calls = HashSet::new();
    let mut work: Vec<Value> =
        [pointer].into_iter().filter(|pointer| known_pointers.insert(*pointer)).collect();
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            let stays = match user.opcode() {
                Opcode::LLVMICmp => true,
                Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                    only_accesses(user, pointer)
                }
                Opcode::LLVMGetElementPtr
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMBitCast
                | Opcode::LLVMPHI
                | Opcode::LLVMSelect => {
                    if known_pointers.insert(user.value()) {
                        work.push(user.value());
                    }
                    true
                }
                Opcode::LLVMCall if stays_in_call(user, pointer, reaches, known_pointers) => true,
                Opcode::LLVMCall => {
                    calls.insert(user);
                    // What the runtime does cannot be changed by a promise, and one that is there was not enough.
                    matches!(known_call(user), None | Some(Known::Leaf)) && !user.keeps_no_argument(pointer)
                }
                _ => false,
            };
            if !stays {
                return Seen::Others;
            }
        }
    }
    // The first in the text, whatever the order of uses.
    let first =
        calls.iter().next().and_then(|call| call.function().instructions().find(|i| calls.contains(i)));
    first.map_or(Seen::Owner, Seen::ByCall)
}

/// The parameters of the called function for which a call gives it a value; none if one is missing.
pub fn parameters_for(call: Inst, callee: Function, value: Value) -> Option<Vec<Value>> {
    let (arguments, parameters) = (call.arguments(), callee.parameters());
    let given = (0..arguments.len()).filter(|number| arguments[*number] == value);
    given.map(|number| parameters.get(number).copied()).collect()
}

/// Whether a call shows a pointer that it gets to nobody else. A promise that it does not keep the pointer is not enough
/// where it may start a parallel region: all its threads get the pointer.
fn stays_in_call(
    call: Inst,
    pointer: Value,
    reaches: &mut Reaches,
    known_pointers: &mut HashSet<Value>,
) -> bool {
    let name = call.callee_name();
    if name == "__kmpc_free_shared" || name.starts_with("llvm.mem") || name.starts_with("llvm.lifetime.") {
        return true;
    }
    match (known_call(call), call.callee()) {
        (Some(Known::Leaf), _) => call.keeps_no_argument(pointer),
        (Some(_), _) | (None, None) => false,
        (None, Some(callee)) if callee.is_declaration() || callee.is_interposable() => {
            assumptions(call).no_parallelism && call.keeps_no_argument(pointer)
        }
        (None, Some(callee)) => {
            let reach = reaches.function(callee);
            if reach.regions {
                return false;
            }
            let mut stays_in_body = |parameter: Value| {
                let stays = follow(parameter, reaches, known_pointers) == Seen::Owner;
                if !stays {
                    // The next call of it is to get the same answer.
                    known_pointers.remove(&parameter);
                }
                stays
            };
            !reach.unknown && call.keeps_no_argument(pointer)
                || parameters_for(call, callee, pointer)
                    .is_some_and(|given| given.into_iter().all(&mut stays_in_body))
        }
    }
}
