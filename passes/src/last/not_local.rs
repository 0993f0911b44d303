//! Addresses of constants that LLVM takes for addresses on the stack.
//!
//! LLVM 22's openmp-opt writes down that a load is from the memory of one thread where it reads a variable on the stack. If the variable is a
//! copy of a constant that nobody changes, InstCombine puts the constant in its place, and converts the constant's address to one of the
//! stack (docs/upstream.md). Here such loads read the constant where it is.

use crate::ir::{Builder, Inst, Module, Opcode, Value};

/// Lets what reads through such an address read through the one that was converted; whether there was any.
pub fn run(module: Module) -> bool {
    let functions = module.functions().into_iter();
    let instructions: Vec<Inst> = functions.flat_map(|function| function.instructions()).collect();
    instructions.into_iter().fold(false, |any, inst| repair(inst) | any)
}

fn repair(inst: Inst) -> bool {
    if inst.opcode() == Opcode::LLVMAddrSpaceCast {
        return converted(inst.value()).is_some_and(|pointer| derive(inst.value(), pointer));
    }
    let reads = matches!(inst.opcode(), Opcode::LLVMLoad | Opcode::LLVMGetElementPtr);
    let converted = if reads { Some(inst.operand(0)) } else { None };
    let converted = converted.filter(|pointer| pointer.is_constant_expression()).and_then(converted_constant);
    converted.is_some_and(|pointer| read_through(inst, pointer))
}

/// The address of a constant that a value is converted from, to one on the stack.
fn converted(value: Value) -> Option<Value> {
    let pointer = value.operand(0);
    (value.ty().is_local_pointer() && pointer.underlying_object().as_global().is_some()).then_some(pointer)
}

/// The same of a constant expression.
fn converted_constant(value: Value) -> Option<Value> {
    if value.constant_opcode() == Opcode::LLVMAddrSpaceCast { converted(value) } else { None }
}

/// Derives from `pointer` what is derived from `local`, and is read; whether there was anything.
fn derive(local: Value, pointer: Value) -> bool {
    local.using_instructions().into_iter().fold(false, |any, user| read_through(user, pointer) | any)
}

/// Lets a load, or those from an element, read through `pointer`; whether it was one.
fn read_through(user: Inst, pointer: Value) -> bool {
    match user.opcode() {
        Opcode::LLVMLoad => {
            user.set_operand(0, pointer);
            true
        }
        Opcode::LLVMGetElementPtr => {
            let element = Builder::before(user).same_element(user, pointer);
            derive(user.value(), element)
        }
        _ => false,
    }
}
