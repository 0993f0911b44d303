//! Merging of adjacent parallel regions (OMP150): one region that runs the code of both with a barrier between costs its
//! threads one meeting less.
//!
//! Two regions are adjacent if serial code between them only fills the arguments of the second. They are merged if their
//! threads are the same and the first leaves nothing behind that the second would see: it sets no control variable, cancels
//! nothing, and all it calls is known.

use crate::Settings;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{Known, known, parallel, parallel_operand};
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Type, Value};
use crate::remark::{Remark, Remarks};
use std::collections::HashSet;

/// The device runtime calls a region with more arguments, too, but not as fast.
const MOST_ARGUMENTS: usize = 16;
/// The first two parameters of a region's code: where the numbers of the thread stand.
const THREAD_PARAMETERS: usize = 2;

/// Merges the regions of a function whose code outside of regions all threads run.
pub fn run(
    module: Module,
    function: Function,
    settings: &Settings,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) {
    if !settings.merge {
        return;
    }
    for block in function.blocks() {
        for chain in chains(block, reaches) {
            let others = chain[1..].iter().map(|call| call.location()).collect();
            remarks.give(Remark::Merged(others), chain[0]);
            let merged = chain[1..].iter().fold(chain[0], |first, second| merge(module, first, *second));
            merged.add_attribute("convergent");
        }
    }
}

/// The regions of a block that can become one, at least two each time.
fn chains(block: Block, reaches: &mut Reaches) -> Vec<Vec<Inst>> {
    let mut found: Vec<Vec<Inst>> = Vec::new();
    let mut open = false;
    for inst in block.instructions() {
        if parallel(inst).is_some() {
            match found.last_mut().filter(|_| open) {
                Some(chain) if fits(chain, inst, reaches) => chain.push(inst),
                _ => found.push(vec![inst]),
            }
            open = true;
        } else {
            open &= is_harmless(inst);
        }
    }
    found.retain(|chain| chain.len() > 1);
    found
}

/// Whether serial code does nothing with this that another thread could see.
fn is_harmless(inst: Inst) -> bool {
    let own = |pointer: Value| {
        pointer.underlying_object().as_inst().is_some_and(|object| object.opcode() == Opcode::LLVMAlloca)
    };
    match inst.opcode() {
        Opcode::LLVMStore | Opcode::LLVMLoad => inst.pointer().is_some_and(own),
        Opcode::LLVMCall => {
            inst.is_speculatable()
                || matches!(known(&inst.callee_name()), Some(Known::ThreadNumber | Known::Uniform))
        }
        _ => inst.is_speculatable(),
    }
}

/// The number of arguments of a region and its code, if the two agree.
fn code(call: Inst) -> Option<(Function, Vec<Type>)> {
    let code = call.operand(parallel_operand::CODE).strip_casts().as_function()?;
    let types: Vec<Type> =
        code.parameters().into_iter().skip(THREAD_PARAMETERS).map(|parameter| parameter.ty()).collect();
    let count = call.operand(parallel_operand::COUNT).as_constant_int()?;
    (!code.is_declaration() && types.len() as u64 == count).then_some((code, types))
}

/// Whether a region can follow those of a chain in one with them.
fn fits(chain: &[Inst], second: Inst, reaches: &mut Reaches) -> bool {
    let first = chain[chain.len() - 1];
    let clauses =
        [parallel_operand::IF, parallel_operand::NUM_THREADS, parallel_operand::PROC_BIND].into_iter();
    let strict =
        (second.arguments().len() > parallel_operand::STRICT as usize).then_some(parallel_operand::STRICT);
    let arguments = chain.iter().chain([&second]).map(|call| code(*call).map(|(_, types)| types.len()));
    first.callee() == second.callee()
        && second.operand(parallel_operand::IF).as_constant_int() == Some(1)
        && clauses.chain(strict).all(|clause| first.operand(clause) == second.operand(clause))
        && arguments.sum::<Option<usize>>().is_some_and(|count| count <= MOST_ARGUMENTS)
        && code(first).is_some_and(|(code, _)| leaves_nothing(code, reaches))
}

/// Whether a region's end is no more than a barrier, for what comes behind.
fn leaves_nothing(code: Function, reaches: &mut Reaches) -> bool {
    let mut seen = HashSet::from([code]);
    let mut work = vec![code];
    while let Some(function) = work.pop() {
        let name = function.name();
        if name.starts_with("omp_set_") || name.contains("cancel") || name.starts_with("__kmpc_push_") {
            return false;
        }
        if known(&name).is_some() {
            continue;
        }
        if function.is_declaration() || function.is_interposable() {
            return false;
        }
        for call in function.instructions().filter(|inst| inst.is_call()) {
            match reaches.callees(call) {
                Some(callees) => work.extend(callees.into_iter().filter(|callee| seen.insert(*callee))),
                None => return false,
            }
        }
    }
    true
}

/// One call in the place of two, at the second one. [`fits`] has looked at them.
fn merge(module: Module, first: Inst, second: Inst) -> Inst {
    let (Some((code_of_first, types)), Some((code_of_second, more))) = (code(first), code(second)) else {
        return second;
    };
    let merged = merged_code(module, first, (code_of_first, &types), (code_of_second, &more));
    let count = (types.len() + more.len()) as u64;
    let entry = first.function().entry().first_non_phi();
    let array = Builder::before(entry).alloca(module.bytes_type(8 * count.max(1)), "merged_vars_addrs");
    array.set_alignment(8);
    // Those of the first region as they are now: its array may be filled again for the second.
    copy_arguments(module, first, array.value(), 0, types.len());
    copy_arguments(module, second, array.value(), types.len(), more.len());
    let call = second.clone_before(second);
    call.set_operand(parallel_operand::CODE, merged.value());
    call.set_operand(parallel_operand::ARGUMENTS, array.value());
    call.set_operand(parallel_operand::COUNT, module.int_type(64).constant(count));
    first.erase();
    second.erase();
    call
}

/// Copies the arguments of a region, before its call, to `array` from element `start` on.
fn copy_arguments(module: Module, call: Inst, array: Value, start: usize, count: usize) {
    let pointer = module.pointer_type();
    let builder = Builder::before(call);
    for index in 0..count {
        let from = builder.pointer_element(call.operand(parallel_operand::ARGUMENTS), index as u64, pointer);
        let value = builder.load(pointer, from, "");
        builder.store(value.value(), builder.pointer_element(array, (start + index) as u64, pointer));
    }
}

/// The code of both regions, with a barrier between.
fn merged_code(
    module: Module,
    call: Inst,
    (first, types): (Function, &[Type]),
    (second, more): (Function, &[Type]),
) -> Function {
    let pointer = module.pointer_type();
    let parameters: Vec<Type> =
        [pointer, pointer].into_iter().chain(types.iter().copied()).chain(more.iter().copied()).collect();
    let merged = module.add_function(&format!("{}.merged", first.name()), &parameters);
    ["convergent", "nounwind", "alwaysinline"].into_iter().for_each(|name| merged.add_attribute(name));
    merged.copy_string_attributes(first, &["target-cpu", "target-features", "frame-pointer"]);
    let block = merged.append_block("entry");
    let builder = Builder::at_end_of(block);
    let values = merged.parameters();
    let (thread, arguments) = values.split_at(THREAD_PARAMETERS);
    let (of_first, of_second) = arguments.split_at(types.len());
    builder.call(first, &[thread, of_first].concat(), "");
    let number = builder.load(module.int_type(32), thread[0], "gtid");
    let barrier = module.function_or_declare(
        "__kmpc_barrier",
        module.void_type(),
        &[pointer, module.int_type(32)],
        &["convergent", "nounwind"],
    );
    builder.call(barrier, &[call.operand(0), number.value()], "").add_attribute("convergent");
    builder.call(second, &[thread, of_second].concat(), "");
    builder.return_void();
    merged
}
