//! What functions return that call themselves.
//!
//! Where such a function returns one of its parameters, LLVM 22's openmp-opt takes a call of it in itself for that parameter of
//! the caller, and not for what the call was given: `n->left = f(n->left)` becomes `n->left = n` (`docs/upstream.md`).
//! So the value passes through assembly without an instruction, and is no parameter any more.

use crate::analysis::reach::Reaches;
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};

/// Hides what they return; whether there were any.
pub fn run(module: Module, whole_program: bool) -> bool {
    let reaches = Reaches::of(module, whole_program);
    let returns = |function: &Function| !function.is_declaration() && !function.return_type().is_void();
    let mut changed = false;
    for function in module.functions().into_iter().filter(returns) {
        if !reaches.called_from(function).contains(&function) {
            continue;
        }
        let ends: Vec<Inst> =
            function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMRet).collect();
        for end in ends {
            changed |= hide(module, end);
        }
    }
    changed
}

/// Hides what one instruction returns, if it is not a constant, already hidden, or of a type that no register holds.
fn hide(module: Module, end: Inst) -> bool {
    let value = end.operand(0);
    if value.is_constant() || is_assembly(value) {
        return false;
    }
    let builder = Builder::before(end);
    let ty = value.ty();
    // Assembly has no registers for bytes and single bits: they go through whole ones.
    let narrow = ty.int_width().is_some_and(|bits| bits < 32);
    let whole = if narrow { builder.resize(value, module.int_type(32), "") } else { value };
    let Some(hidden) = builder.hide(whole) else { return false };
    let hidden = if narrow { builder.resize(hidden.value(), ty, "") } else { hidden.value() };
    end.set_operand(0, hidden);
    true
}

fn is_assembly(value: Value) -> bool {
    let value = match value.as_inst() {
        Some(inst) if inst.opcode() == Opcode::LLVMTrunc => inst.operand(0),
        _ => value,
    };
    value.as_inst().and_then(Inst::called).is_some_and(Value::is_inline_asm)
}
