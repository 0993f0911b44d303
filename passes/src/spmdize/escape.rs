//! Whose a variable of serial code is.

use super::copies;
use crate::analysis::readers::is_for_readers;
use crate::analysis::runtime::{Known, known_call, parallel, parallel_operand};
use crate::ir::{Function, Inst, Opcode, Value};
use std::collections::HashSet;

/// Whose variable a variable of the stack is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escape {
    /// Only thread 0 uses it.
    Main,
    /// Every thread may have its own, with the same content.
    Replicated,
    /// All threads get its address, and not only to read what serial code wrote with plain stores.
    Shared,
}

/// Whose variable it is that an instruction makes; `is_collective` says which calls all threads execute, and `copies` are variables of
/// which each thread has one.
pub fn escape(variable: Inst, is_collective: &dyn Fn(Inst) -> bool, copies: &HashSet<Value>) -> Escape {
    let module = variable.function().module();
    let mut plain = true;
    let mut collective = false;
    // Its address went to a call of all threads, or to memory where a region may find it: flang's structures of
    // arguments, which the array of arguments points to.
    let mut passed = false;
    let (mut stores, mut handed) = (Vec::new(), Vec::new());
    let mut work = vec![variable.value()];
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            match user.opcode() {
                Opcode::LLVMLoad => {}
                Opcode::LLVMStore if user.operand(0) == pointer => {
                    collective = true;
                    let readers = pointer == variable.value() && is_for_readers(module, user);
                    if readers { handed.push(user) } else { passed = true }
                }
                Opcode::LLVMStore => stores.push(user),
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                    work.push(user.value())
                }
                Opcode::LLVMCall if user.callee_name().starts_with("llvm.lifetime.") => {}
                Opcode::LLVMCall if user.callee_name() == "__kmpc_free_shared" => {}
                // Thread 0 alone runs the region, and reads its own.
                Opcode::LLVMCall if parallel(user).is_some() && !is_collective(user) => {
                    plain &= user.operand(parallel_operand::ARGUMENTS) == pointer;
                }
                Opcode::LLVMCall if is_collective(user) => {
                    let argument = parallel(user)
                        .is_some_and(|_| user.operand(parallel_operand::ARGUMENTS) == pointer)
                        || known_call(user) == Some(Known::TeamShare);
                    collective = true;
                    passed |= !argument;
                }
                _ => plain = false,
            }
        }
    }
    let is_cheap = || copies::are_cheap(variable, &stores, &handed, is_collective, copies);
    // The size of another one may be a matter of thread 0.
    let has_known_size = variable.is_call() || variable.operand(0).is_constant();
    let replicated = plain && !passed && has_known_size && (handed.is_empty() || is_cheap());
    match (collective, replicated) {
        (false, _) => Escape::Main,
        (true, true) => Escape::Replicated,
        (true, false) => Escape::Shared,
    }
}

/// The variables of a function's stack of which each thread has a copy.
pub fn copies(function: Function, is_collective: &dyn Fn(Inst) -> bool) -> HashSet<Value> {
    let mut rest: Vec<Inst> =
        function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMAlloca).collect();
    let mut found = HashSet::new();
    loop {
        let before = rest.len();
        rest.retain(|alloca| {
            let is_copy = escape(*alloca, is_collective, &found) == Escape::Replicated;
            is_copy.then(|| found.insert(alloca.value())).is_none()
        });
        if rest.len() == before {
            return found;
        }
    }
}
