//! Atomic operations on a thread's own variables.
//!
//! The stack is local memory, which no other thread can address, and for which PTX has no `atom`. LLVM 22 writes `atom.local.cas` once
//! it sees that an address is one of the stack, which does not assemble, and before it sees that (`-O0`) an `atom` that GPUs
//! refuse (`docs/upstream.md`). A load, a computation and a store do the same there.

use crate::ir::{Inst, Module, Opcode};

/// Writes them so; whether there were any.
pub fn run(module: Module) -> bool {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let own: Vec<Inst> = instructions.filter(|inst| is_own(*inst)).collect();
    own.into_iter().map(Inst::lower_atomic).fold(false, |any, lowered| any | lowered)
}

fn is_own(inst: Inst) -> bool {
    let on_stack = || inst.operand(0).underlying_object().as_inst();
    matches!(inst.opcode(), Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAtomicRMW)
        && on_stack().is_some_and(|object| object.opcode() == Opcode::LLVMAlloca)
}
