//! Pointers into the stack of a thread (address space 5), which LLVM makes of generic ones where it knows that a variable is
//! there: `addrspacecast`, and what is computed from it. A variable that becomes the team's cannot be reached through them.

use crate::analysis::capture::only_accesses;
use crate::ir::{Builder, Inst, Module, Opcode, Value};

/// Whether [`replace`] can replace all of them that point into the variable of `alloca`.
pub fn are_replaceable(module: Module, alloca: Inst) -> bool {
    let mut work = vec![alloca.value()];
    while let Some(pointer) = work.pop() {
        let is_local = pointer.ty() != module.pointer_type();
        for user in pointer.using_instructions() {
            match user.opcode() {
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast => work.push(user.value()),
                _ if is_local && !only_accesses(user, pointer) => return false,
                _ => {}
            }
        }
    }
    true
}

/// Lets all accesses of the variable of `alloca` use generic pointers.
pub fn replace(alloca: Inst) {
    let mut work = vec![alloca.value()];
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            match user.opcode() {
                Opcode::LLVMGetElementPtr => work.push(user.value()),
                Opcode::LLVMAddrSpaceCast => {
                    take_generic(user.value(), pointer);
                    user.erase();
                }
                _ => {}
            }
        }
    }
}

/// Lets the users of `local` use `generic`, which points to the same.
fn take_generic(local: Value, generic: Value) {
    for user in local.using_instructions() {
        match user.opcode() {
            Opcode::LLVMGetElementPtr => {
                let element = Builder::before(user).same_element(user, generic);
                take_generic(user.value(), element);
                let name = user.name();
                user.erase();
                element.set_name(&name);
            }
            Opcode::LLVMAddrSpaceCast => {
                user.replace_all_uses(generic);
                user.erase();
            }
            _ => user.replace_operand(local, generic),
        }
    }
}
