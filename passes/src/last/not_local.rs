//! Addresses of constants that LLVM takes for addresses on the stack.
//!
//! LLVM 22's openmp-opt writes down that a load is from the memory of one thread where it reads a variable on the stack. If the variable is a
//! copy of a constant that nobody changes, InstCombine puts the constant in its place, and converts the constant's address to one of the
//! stack (docs/upstream.md). Here such loads read the constant where it is.

use crate::ir::{Builder, Inst, Module, Opcode, Value};

/// Lets what reads through such an address read through the one that was converted; whether there was any.
pub fn run(module: Module) -> bool {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let casts: Vec<Inst> = instructions.filter(|inst| is_constant_on_the_stack(*inst)).collect();
    casts.into_iter().fold(false, |any, cast| derive(cast.value(), cast.operand(0)) | any)
}

fn is_constant_on_the_stack(inst: Inst) -> bool {
    inst.opcode() == Opcode::LLVMAddrSpaceCast
        && inst.value().ty().is_local_pointer()
        && inst.operand(0).underlying_object().as_global().is_some()
}

/// Derives from `pointer` what is derived from `local`, and is read; whether there was anything.
fn derive(local: Value, pointer: Value) -> bool {
    let mut any = false;
    for user in local.using_instructions() {
        match user.opcode() {
            Opcode::LLVMLoad => {
                user.set_operand(0, pointer);
                any = true;
            }
            Opcode::LLVMGetElementPtr => {
                let element = Builder::before(user).same_element(user, pointer);
                any |= derive(user.value(), element);
            }
            _ => {}
        }
    }
    any
}
