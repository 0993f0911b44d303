//! The memory through which teams hand each other the variables of a reduction.
//!
//! In it a structure for each team has them one behind the other. clang copies variables of structure types there and back as if each of them
//! was aligned to 8 bytes, whatever stands before it and however long it is, which GPUs trap (docs/upstream.md): three
//! `float`s are enough.

use crate::analysis::reductions::{LEAGUE, given};
use crate::ir::{Function, Module, Opcode, Value};

/// Which arguments of the runtime's function are the functions that copy to this memory and from it.
const COPIES: [usize; 2] = [7, 9];

/// Lets copies count on no other alignment than there is; whether any did.
pub fn run(module: Module) -> bool {
    let functions = COPIES.into_iter().flat_map(|argument| given(module, LEAGUE, argument));
    functions.fold(false, |changed, (_, function)| align(module, function) | changed)
}

fn align(module: Module, function: Function) -> bool {
    let mut changed = false;
    for copy in function.instructions().filter(|inst| inst.callee_name().starts_with("llvm.memcpy")) {
        let [to, from, length, ..] = copy.arguments()[..] else { continue };
        let Some(bytes) = length.as_constant_int() else { continue };
        if let Some(there) = [to, from].into_iter().find_map(|address| alignment(module, address)) {
            // A private copy is aligned like its type, and for its pieces.
            let most = there.min(1 << bytes.max(1).ilog2()) as u32;
            changed |= copy.limit_alignment(0, most) | copy.limit_alignment(1, most);
        }
    }
    changed
}

/// The alignment in bytes of an address in an element of an array of structures.
fn alignment(module: Module, address: Value) -> Option<u64> {
    let (team, offset) = address.base_and_offset(module);
    let team = team.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMGetElementPtr)?;
    let structure = team.element_type();
    structure.element_count()?;
    let of_structure = module.alignment_of(structure);
    Some(if offset == 0 { of_structure } else { of_structure.min(1 << offset.trailing_zeros()) })
}
