//! Null where other values are addresses in shared memory.
//!
//! LLVM 22 takes a choice between such an address and null for a choice between addresses in shared memory, and converts null as it
//! does addresses. There and back it is the start of the block's shared memory, and no null where it meets pointers of other kinds
//! (docs/upstream.md). So it must not see that the value is null.

use crate::ir::{Builder, Inst, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// Hides such nulls; whether there were any.
pub fn run(module: Module) -> bool {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let pointers = instructions.filter(|inst| inst.value().ty().is_pointer());
    let mut any = false;
    for inst in pointers.collect::<Vec<_>>() {
        let null = inst.value().ty().null();
        let Some(values) = choices(inst) else { continue };
        if values.contains(&null) && values.iter().any(|value| is_shared(*value, &mut HashSet::new())) {
            any |= hide(inst, null);
        }
    }
    any
}

/// What a `select` or PHI chooses from.
fn choices(inst: Inst) -> Option<Vec<Value>> {
    match inst.opcode() {
        Opcode::LLVMSelect => Some(vec![inst.operand(1), inst.operand(2)]),
        Opcode::LLVMPHI => Some(inst.incoming().into_iter().map(|(value, _)| value).collect()),
        _ => None,
    }
}

/// Whether a pointer of any kind may be one into shared memory of which LLVM sees that.
fn is_shared(value: Value, seen: &mut HashSet<Value>) -> bool {
    let value = value.underlying_object();
    if value.ty().is_shared_pointer() {
        return true;
    }
    let Some(choices) = value.as_inst().and_then(choices) else { return false };
    seen.insert(value) && choices.into_iter().any(|choice| is_shared(choice, seen))
}

/// Hides the null that `inst` chooses from; whether that can be.
fn hide(inst: Inst, null: Value) -> bool {
    if inst.is_phi() {
        // Of a block that comes here in several ways all values are the same.
        let mut of_blocks = HashMap::new();
        for (index, (value, block)) in inst.incoming().into_iter().enumerate() {
            if value == null
                && let Some(hidden) =
                    of_blocks.entry(block).or_insert_with(|| Builder::before(block.terminator()).hide(null))
            {
                inst.set_operand(index as u32, hidden.value());
            }
        }
        return of_blocks.values().any(Option::is_some);
    }
    let hidden = Builder::before(inst).hide(null);
    hidden.inspect(|hidden| inst.replace_operand(null, hidden.value())).is_some()
}
