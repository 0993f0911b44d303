//! Structures that functions take by value.
//!
//! Such a parameter is on the stack of the called function's thread. But when a function that only reads it is inlined, LLVM makes no copy: it
//! reads the caller's structure, which may be in any memory. So the caller makes the copy, on its stack. Where
//! the function is inlined, SROA takes the copy away; where it is not, MemCpyOpt does.

use crate::analysis::capture::is_on_stack;
use crate::ir::{Builder, Inst, Module};

/// Copies the structures that are given by value and may not be on the stack; whether there were any.
pub fn run(module: Module) -> bool {
    let calls: Vec<Inst> = module
        .functions()
        .into_iter()
        .flat_map(|function| function.instructions().filter(|inst| inst.is_call()))
        .collect();
    let mut changed = false;
    for call in calls {
        for (index, given) in (0..).zip(call.arguments()) {
            let Some((ty, alignment)) = call.by_value(index) else { continue };
            if is_on_stack(given) {
                continue;
            }
            let copy = Builder::before(call.function().entry().first_non_phi()).alloca(ty, "by.value");
            copy.set_alignment(copy.alignment().max(alignment));
            Builder::before(call).copy(copy, given, module.size_of(ty));
            call.set_operand(index, copy.value());
            changed = true;
        }
    }
    changed
}
