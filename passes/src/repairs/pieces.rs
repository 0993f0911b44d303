//! The pieces in which the threads of a team hand each other the variables of a reduction.
//!
//! LLVM's `OMPIRBuilder`, for clang and flang, hands on what is no scalar in pieces of 8, 4, 2 and 1 bytes, between the lanes of a warp by shuffles and
//! between warps through shared memory. The 4 bytes of a shuffle it stores for a smaller piece as well, behind the end of the
//! variable: LLVM's passes take such code for one that never runs. Between warps it hands on the variable's first bytes once more where the last
//! ones are due. And it accesses pieces as if the variable was aligned for them, which GPUs trap (docs/upstream.md).

use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};
use std::collections::HashMap;

const SHUFFLES: [&str; 2] = ["__kmpc_shuffle_int32", "__kmpc_shuffle_int64"];
/// The runtime's functions that reduce, and which of their arguments is the compiler's function that shuffles. The next one copies between
/// warps.
const REDUCTIONS: [(&str, usize); 2] =
    [("__kmpc_nvptx_parallel_reduce_nowait_v2", 3), ("__kmpc_nvptx_teams_reduce_nowait_v2", 5)];
/// The largest piece, in bytes.
const PIECE: u64 = 8;

/// Repairs the pieces of all reductions; whether there was anything to repair.
pub fn run(module: Module) -> bool {
    let mut changed = false;
    for function in module.functions() {
        let (mut shuffles, mut reductions) = (Vec::new(), Vec::new());
        for call in function.instructions().filter(|inst| inst.is_call()) {
            let name = call.callee_name();
            if SHUFFLES.contains(&name.as_str()) {
                shuffles.push(call);
            } else if let Some((_, argument)) = REDUCTIONS.iter().find(|(reduction, _)| *reduction == name) {
                reductions.push((call, *argument));
            }
        }
        if !shuffles.is_empty() || !reductions.is_empty() {
            changed |= align(module, function);
        }
        for call in shuffles {
            changed |= store_piece(call);
        }
        for (call, argument) in reductions {
            let functions = [argument, argument + 1].map(|index| call.arguments().get(index)?.as_function());
            if let [Some(shuffling), Some(copying)] = functions {
                changed |= copy_last_pieces(module, copying, &sizes(module, shuffling));
            }
        }
    }
    changed
}

/// Aligns the variables of a function that a list may name for the largest piece that they have; whether there were any that were not.
fn align(module: Module, function: Function) -> bool {
    let mut changed = false;
    for variable in function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMAlloca) {
        let bytes = module.size_of(variable.allocated_type()).min(PIECE);
        let mut users = variable.value().using_instructions().into_iter();
        if bytes == 0 || !users.any(|user| stored(user) == Some(variable.value())) {
            continue;
        }
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
    stores.retain(|user| stored(*user) == Some(shuffle.value()));
    for store in &stores {
        let narrow = Builder::before(*store).resize(shuffle.value(), piece, "piece");
        store.set_operand(0, narrow);
        store.set_alignment(bits.div_ceil(8));
    }
    !stores.is_empty()
}

/// The bytes of the variables of a reduction, by how far behind the start of the list their pointers are: those of the copies that
/// the function makes that shuffles.
fn sizes(module: Module, shuffling: Function) -> HashMap<i64, u64> {
    let variable = |inst: Inst| {
        let copy = stored(inst)?.as_inst().filter(|copy| copy.opcode() == Opcode::LLVMAlloca)?;
        let (list, offset) = inst.operand(1).base_and_offset(module);
        list.as_inst().filter(|list| list.opcode() == Opcode::LLVMAlloca)?;
        Some((offset, module.size_of(copy.allocated_type())))
    };
    shuffling.instructions().filter_map(variable).collect()
}

/// Hands the last bytes of variables on between warps, where the first ones were once more; whether they were.
fn copy_last_pieces(module: Module, copying: Function, sizes: &HashMap<i64, u64>) -> bool {
    let mut changed = false;
    for access in copying.instructions() {
        let Some(address) = access.pointer() else { continue };
        let value = stored(access).unwrap_or(access.value());
        let Some(bytes @ (1 | 2)) = value.ty().int_width().map(|bits| u64::from(bits / 8)) else { continue };
        let Some(slot) = address.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMLoad) else { continue };
        let (list, offset) = slot.operand(0).base_and_offset(module);
        if !is_parameter(list) {
            continue;
        }
        // What larger pieces have before it.
        let before = sizes.get(&offset).map_or(0, |size| size - size % (2 * bytes));
        if before != 0 {
            let builder = Builder::before(access);
            access.replace_operand(address, builder.byte_behind(address, builder.long(before)));
            changed = true;
        }
    }
    changed
}

/// Whether it is a parameter, which code that is not optimised yet reads from its stack.
fn is_parameter(value: Value) -> bool {
    let kept = value.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMLoad);
    value.is_argument()
        || kept
            .and_then(|load| load.operand(0).as_inst())
            .is_some_and(|from| from.opcode() == Opcode::LLVMAlloca)
}

/// What an instruction stores, if it does.
fn stored(inst: Inst) -> Option<Value> {
    (inst.opcode() == Opcode::LLVMStore).then(|| inst.operand(0))
}
