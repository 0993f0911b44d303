//! The pieces in which the threads of a team hand each other the variables of a reduction.
//!
//! LLVM's `OMPIRBuilder`, for clang and flang, hands on what is no scalar in pieces of 8, 4, 2 and 1 bytes, between the lanes of a warp by shuffles and
//! between warps through shared memory. The 4 bytes of a shuffle it stores for a smaller piece as well, behind the end of the
//! variable: LLVM's passes take such code for one that never runs. Between warps it hands on the variable's first bytes once more where the last
//! ones are due. And it accesses pieces as if the variable was aligned for them, which GPUs trap (docs/upstream.md).

use crate::analysis::reductions::{SHUFFLING, calls};
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};
use std::collections::HashMap;

const SHUFFLES: [&str; 2] = ["__kmpc_shuffle_int32", "__kmpc_shuffle_int64"];
/// The largest piece, in bytes.
const PIECE: u64 = 8;

/// Repairs the pieces of all reductions; whether there was anything to repair.
pub fn run(module: Module) -> bool {
    let mut changed = false;
    for function in module.functions() {
        let is_shuffle = |inst: &Inst| SHUFFLES.contains(&inst.callee_name().as_str());
        let shuffles: Vec<Inst> = function.instructions().filter(is_shuffle).collect();
        changed |= !shuffles.is_empty() && align(module, function);
        for call in shuffles {
            changed |= store_piece(call);
        }
    }
    for (name, argument) in SHUFFLING {
        for call in calls(module, name) {
            changed |= align(module, call.function());
            let functions = [argument, argument + 1].map(|index| call.arguments().get(index)?.as_function());
            if let [Some(shuffling), Some(copying)] = functions {
                changed |= copy_last_pieces(module, copying, &sizes(module, shuffling));
            }
        }
    }
    changed
}

/// Aligns the variables of a function for the largest piece that they have; whether there were any that were not.
fn align(module: Module, function: Function) -> bool {
    let mut changed = false;
    for variable in function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMAlloca) {
        let bytes = module.size_of(variable.allocated_type()).clamp(1, PIECE);
        let wanted = 1 << bytes.ilog2();
        if variable.alignment() < wanted {
            variable.set_alignment(wanted);
            changed = true;
        }
    }
    changed
}

/// Stores no more of what a lane got than its piece has; whether it was more.
fn store_piece(shuffle: Inst) -> bool {
    let given = shuffle.operand(0).as_inst();
    let widened = given.filter(|inst| matches!(inst.opcode(), Opcode::LLVMSExt | Opcode::LLVMZExt));
    let Some(piece) = widened.map(|inst| inst.operand(0).ty()) else { return false };
    let Some(bits) = piece.int_width() else { return false };
    let mut stores = shuffle.value().using_instructions();
    stores.retain(|user| user.stored() == Some(shuffle.value()));
    for store in &stores {
        let narrow = Builder::before(*store).resize(shuffle.value(), piece, "piece");
        store.set_operand(0, narrow);
        store.set_alignment(bits.div_ceil(8));
    }
    !stores.is_empty()
}

/// The way from the list of a reduction to a variable, or to the elements of an array that it describes: each address is so many bytes
/// behind what the one before points to.
type Way = Vec<i64>;

/// The longest: from a list to a descriptor, and to elements.
const WAY: usize = 2;

/// The bytes of the variables of a reduction: those of the copies that the function makes that shuffles.
fn sizes(module: Module, shuffling: Function) -> HashMap<Way, u64> {
    let copies = shuffling.instructions().filter(|inst| inst.opcode() == Opcode::LLVMAlloca);
    copies.map(|copy| (way_to(module, copy, WAY), module.size_of(copy.allocated_type()))).collect()
}

/// The way to a variable on the stack, from the one there that no other points to, of `most` addresses.
fn way_to(module: Module, variable: Inst, most: usize) -> Way {
    let place = |user: Inst| {
        let to = user.pointer().filter(|_| user.stored() == Some(variable.value()))?;
        let (object, offset) = to.base_and_offset(module);
        let object = object.as_alloca().filter(|inst| *inst != variable)?;
        Some((object, offset))
    };
    let found =
        (most > 0).then(|| variable.value().using_instructions().into_iter().find_map(place)).flatten();
    let Some((object, offset)) = found else { return Way::new() };
    let mut way = way_to(module, object, most - 1);
    way.push(offset);
    way
}

/// The way from a parameter to what `pointer` points to. Code that is not optimised reads parameters from its stack.
fn way_from_parameter(module: Module, pointer: Value) -> Option<Way> {
    if pointer.is_argument() {
        return Some(Way::new());
    }
    let load = pointer.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMLoad)?;
    let (base, offset) = load.operand(0).base_and_offset(module);
    if base.as_alloca().is_some() {
        return Some(Way::new());
    }
    let mut way = way_from_parameter(module, base)?;
    way.push(offset);
    Some(way)
}

/// Hands the last bytes of variables on between warps, where the first ones were once more; whether they were.
fn copy_last_pieces(module: Module, copying: Function, sizes: &HashMap<Way, u64>) -> bool {
    let mut changed = false;
    for access in copying.instructions() {
        let Some(address) = access.pointer() else { continue };
        let value = access.stored().unwrap_or(access.value());
        let Some(bytes @ (1 | 2)) = value.ty().int_width().map(|bits| u64::from(bits / 8)) else { continue };
        let size = way_from_parameter(module, address).and_then(|way| sizes.get(&way));
        // What larger pieces have before it.
        let before = size.map_or(0, |size| size - size % (2 * bytes));
        if before != 0 {
            let builder = Builder::before(access);
            access.replace_operand(address, builder.byte_behind(address, builder.long(before)));
            changed = true;
        }
    }
    changed
}
