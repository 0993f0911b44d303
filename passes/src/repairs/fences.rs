//! `atomic_signal_fence`: LLVM 22's back end ends the compilation at a fence between a thread and its signal handlers
//! (`docs/upstream.md`). A device has no signals, so it orders nothing there.

use crate::ir::{Inst, Module, Opcode};

/// Takes these fences away; whether there were any.
pub fn run(module: Module) -> bool {
    let is_of_thread = |inst: &Inst| inst.opcode() == Opcode::LLVMFence && inst.is_of_one_thread();
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let fences: Vec<Inst> = instructions.filter(is_of_thread).collect();
    fences.iter().for_each(|fence| fence.erase());
    !fences.is_empty()
}
