//! What clang says of the type of captured values, which is not true.
//!
//! clang hands a number to a region in 64 bits: an `int` is stored into a variable of the type `long`, and read from it as an `int`. Its
//! marks of types (TBAA) call one access a `long` and the other an `int`, so that they have nothing to do with each other. As long as the
//! variable becomes a value nobody asks. openmp-opt keeps it from that where the address is one of several, in
//! `std::max(j, 1)`: it writes down that what is read there is on the stack. Then LLVM drops the store, and the region reads what was on the
//! stack before (`docs/upstream.md`). So accesses of 64 bits to such variables have no mark.

use crate::ir::{Inst, Module};

/// LLVM's mark.
const MARK: &str = "tbaa";

/// Bits of a captured value.
const BITS: u32 = 64;

/// Takes the marks off; whether there were any.
pub fn run(module: Module) -> bool {
    let instructions = module.functions().into_iter().flat_map(|function| function.instructions());
    let accesses: Vec<Inst> = instructions.filter(|inst| is_of_captured_value(*inst)).collect();
    accesses.into_iter().fold(false, |any, access| access.remove_metadata(MARK) | any)
}

/// Whether it reads or writes all of a variable on the stack that can hold a captured value.
fn is_of_captured_value(inst: Inst) -> bool {
    let Some(variable) = inst.pointer().and_then(|pointer| pointer.strip_casts().as_alloca()) else {
        return false;
    };
    let accessed = inst.accessed_type().and_then(|ty| ty.int_width());
    [accessed, variable.allocated_type().int_width()] == [Some(BITS); 2]
}
