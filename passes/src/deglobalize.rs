//! Variables of serial code that the compiler put where all threads can reach them (`__kmpc_alloc_shared`), because their
//! address leaves the function: back to the stack, if no other thread uses them (OMP110), or to static shared memory
//! (OMP111). What stays is told, and why, if that is a call (OMP112, OMP113).

use crate::Settings;
use crate::analysis::callers::{Callers, level};
use crate::analysis::capture::{Seen, seen};
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::known;
use crate::ir::{Builder, Function, Inst, Module, Opcode};
use crate::remark::{Remark, Remarks};
use crate::spmdize::clean_name;
use abi::mode::ExecMode;
use std::collections::HashSet;

/// Static shared memory that the variables of one kernel may take: a team of 1024 threads should still fit twice on a
/// multiprocessor of 100 KiB, beside the runtime's.
const KERNEL_BYTES: u64 = 16 << 10;
/// The same for a function that kernels call.
const FUNCTION_BYTES: u64 = 2 << 10;
/// What `__kmpc_alloc_shared` aligns to.
const ALIGNMENT: u32 = 16;

/// Does so in one function, whose code outside of parallel regions one thread executes. `recursive`: it may be called
/// again before it returns, and each call needs variables of its own.
pub fn run(
    module: Module,
    function: Function,
    recursive: bool,
    settings: &Settings,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) {
    if settings.disable_deglobalization {
        return;
    }
    let is_kernel = function.instructions().any(|inst| inst.callee_name() == "__kmpc_target_init");
    let most = u64::from(settings.shared_limit).min(if is_kernel { KERNEL_BYTES } else { FUNCTION_BYTES });
    move_variables(module, function, (!recursive).then_some(most), reaches, remarks);
}

/// Does so in all functions that were not converted. Static shared memory is only for those that nobody but the main
/// thread of a team runs: others need a variable for each thread.
pub fn run_on_rest(
    module: Module,
    converted: &HashSet<Function>,
    settings: &Settings,
    remarks: &mut Remarks,
) {
    if settings.disable_deglobalization {
        return;
    }
    let mut functions = module.functions();
    functions.retain(|function| {
        let is_program = !function.is_declaration() && known(&function.name()).is_none();
        is_program && !converted.contains(function) && !allocations(*function).is_empty()
    });
    if functions.is_empty() {
        return;
    }
    let mut reaches = Reaches::of(module, settings.whole_program);
    let callers = Callers::of(module, settings.whole_program);
    for function in functions {
        if is_of_main_thread(function, &callers) {
            let recursive = reaches.called_from(function).contains(&function);
            run(module, function, recursive, settings, &mut reaches, remarks);
        } else {
            move_variables(module, function, None, &mut reaches, remarks);
        }
    }
}

/// Whether a variable on the stack starts as the copy of a constant.
pub fn copies_constants(module: Module) -> bool {
    let is_such_copy = |inst: Inst| {
        inst.callee_name().starts_with("llvm.memcpy.")
            && inst
                .operand(0)
                .underlying_object()
                .as_inst()
                .is_some_and(|to| to.opcode() == Opcode::LLVMAlloca)
            && inst.operand(1).underlying_object().is_constant()
    };
    module.functions().into_iter().any(|function| function.instructions().any(is_such_copy))
}

/// Whether only the main threads of generic kernels run a function.
fn is_of_main_thread(function: Function, callers: &Callers) -> bool {
    let generic = |kernel: &Kernel| kernel.mode() == ExecMode::GENERIC && kernel.user_code().is_some();
    callers.origin(function).levels == level::SERIAL
        && callers.kernels_of(function).is_some_and(|kernels| kernels.iter().all(generic))
}

fn allocations(function: Function) -> Vec<Inst> {
    function.instructions().filter(|inst| inst.callee_name() == "__kmpc_alloc_shared").collect()
}

/// Moves the variables of a function. `most`: the bytes of static shared memory for them; none, if each call or thread
/// needs its own.
fn move_variables(
    module: Module,
    function: Function,
    most: Option<u64>,
    reaches: &mut Reaches,
    remarks: &mut Remarks,
) {
    let mut left = most;
    for call in allocations(function) {
        let size = call.operand(0).as_constant_int();
        let frees: Vec<Inst> = call
            .using_instructions()
            .into_iter()
            .filter(|user| user.callee_name() == "__kmpc_free_shared")
            .collect();
        let Some(size) = size.filter(|_| !frees.is_empty()) else {
            remarks.give(Remark::Globalized, call);
            continue;
        };
        let seen = seen(call.value(), reaches);
        if let Seen::ByCall(by) = seen {
            remarks.give(Remark::CapturedInCall, by);
        }
        let replacement = if seen == Seen::Owner {
            remarks.give(Remark::MovedToStack, call);
            let first = function.entry().first_non_phi();
            let alloca = Builder::before(first).alloca(module.bytes_type(size), "");
            alloca.set_alignment(ALIGNMENT);
            alloca.value()
        } else if let Some(rest) = left.and_then(|left| left.checked_sub(size)) {
            left = Some(rest);
            remarks.give(Remark::MovedToSharedMemory(size), call);
            let name = format!("{}_shared", clean_name(&call.name()));
            let global = module.add_shared_variable(module.bytes_type(size), &name);
            module.set_alignment(global, ALIGNMENT);
            module.generic_address(global)
        } else {
            remarks.give(Remark::Globalized, call);
            continue;
        };
        frees.into_iter().for_each(Inst::erase);
        call.replace_all_uses(replacement);
        let name = call.name();
        call.erase();
        if seen == Seen::Owner {
            replacement.set_name(&name);
        }
    }
}
