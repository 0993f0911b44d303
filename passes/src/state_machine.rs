//! The workers of kernels that stay generic: a loop made for the kernel in the place of the runtime's.
//!
//! The runtime's loop calls each region through a pointer. Here the regions that the kernel reaches are compared one
//! after the other and called directly, so that they can be inlined. A region that is not among them is called through the
//! pointer (OMP132); when all are known, the last one needs no comparison (OMP131). A kernel without any region gets no
//! loop (OMP130).
//!
//! This is done when the whole program is there, not for each file: a kernel whose loop was rewritten is not converted
//! any more, and at the link it may be.
//!
//! # What this asks of the device runtime
//! With byte 0 of the environment 0, `__kmpc_target_init` gives workers their number instead of its own loop. Regions
//! are published by `__kmpc_parallel_*` and read by `__kmpc_kernel_parallel`, between barriers that
//! `__kmpc_barrier_simple_generic` joins. The runtime tests the published pointer for null and never calls or reads
//! it: regions inside of regions, also those that idle workers take, go by the code and not by the wrapper. That is
//! why any other address, `@wrapper.ID`, can stand for a wrapper. Only regions at level 0 are published.

use crate::Settings;
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{
    Known, assumptions, calls_back, known, known_call, parallel, parallel_operand,
};
use crate::ir::{Builder, Function, Inst, Module, Opcode, Predicate, Value};
use crate::remark::{Remark, Remarks, Site};
use abi::mode::ExecMode;
use std::collections::HashSet;

const PREFIX: &str = "worker_state_machine";

/// Rewrites the loops of the generic kernels that have the runtime's.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) {
    let is_linked = module.function("__kmpc_target_init").is_some_and(|init| !init.is_declaration());
    if settings.disable_state_machine_rewrite || !(settings.whole_program || is_linked) {
        return;
    }
    let reaches = Reaches::of(module, settings.whole_program);
    let mut complete = Vec::new();
    for kernel in Kernel::all(module) {
        let is_candidate = kernel.mode() == ExecMode::GENERIC && kernel.uses_generic_state_machine();
        if !is_candidate || kernel.user_code().is_none() {
            continue;
        }
        let regions = Regions::of(kernel.function, &reaches);
        kernel.set_generic_state_machine(false);
        if regions.wrappers.is_empty() && regions.unknown.is_empty() {
            remarks.give(Remark::StateMachineRemoved, kernel.init);
            continue;
        }
        if regions.unknown.is_empty() {
            remarks.give(Remark::StateMachineRewritten, kernel.init);
            complete.extend(regions.wrappers.iter().copied());
        } else {
            remarks.give(Remark::StateMachineFallback, kernel.init);
            for call in &regions.unknown {
                remarks.give(Remark::UnknownRegions, *call);
            }
        }
        build(module, kernel, &regions);
    }
    let mut seen = HashSet::new();
    for wrapper in complete.into_iter().filter(|wrapper| seen.insert(*wrapper)) {
        identify(module, wrapper, remarks);
    }
}

/// The parallel regions that the serial code of a kernel starts.
struct Regions {
    /// What workers call, each once.
    wrappers: Vec<Function>,
    /// Calls that may start others.
    unknown: Vec<Inst>,
}

impl Regions {
    fn of(kernel: Function, reaches: &Reaches) -> Self {
        let mut found = Self { wrappers: Vec::new(), unknown: Vec::new() };
        let mut seen = HashSet::from([kernel]);
        let mut work = vec![kernel];
        while let Some(function) = work.pop() {
            for call in function.instructions().filter(|inst| inst.is_call()) {
                match started(call) {
                    Start::Wrapper(wrapper) if found.wrappers.contains(&wrapper) => {}
                    Start::Wrapper(wrapper) => found.wrappers.push(wrapper),
                    Start::MainThreadOnly => {}
                    Start::Unknown => found.unknown.push(call),
                    Start::Nothing if assumptions(call).no_parallelism => {}
                    Start::Nothing => match reaches.callees(call) {
                        Some(callees) => {
                            for callee in callees {
                                let name = callee.name();
                                if calls_back(&name) || known(callee).is_none() && callee.is_declaration() {
                                    found.unknown.push(call);
                                } else if known(callee).is_none() && seen.insert(callee) {
                                    work.push(callee);
                                }
                            }
                        }
                        None => found.unknown.push(call),
                    },
                }
            }
        }
        found
    }
}

/// What a call starts by itself.
enum Start {
    /// A region that workers enter through this function.
    Wrapper(Function),
    /// A region without a wrapper: flang's, which the main thread runs alone.
    MainThreadOnly,
    /// A region that cannot be named.
    Unknown,
    /// No region.
    Nothing,
}

fn started(call: Inst) -> Start {
    let name = call.callee_name();
    let wrapper = match parallel(call) {
        Some(region) => region.call.operand(parallel_operand::WRAPPER),
        // The protocol of old compilers: the function itself.
        None if name == "__kmpc_kernel_prepare_parallel" => call.operand(0),
        // Known to the table of the runtime, but in a form that no compiler writes.
        None if known_call(call) == Some(Known::Parallel) => return Start::Unknown,
        // The task may be run by the serial code, and hold regions.
        None if name.starts_with("__kmpc_omp_task") && !name.ends_with("_alloc") => return Start::Unknown,
        None => return Start::Nothing,
    };
    match wrapper.strip_casts().as_function() {
        Some(wrapper) => Start::Wrapper(wrapper),
        None if wrapper == wrapper.ty().null() => Start::MainThreadOnly,
        None => Start::Unknown,
    }
}

/// Writes the loop.
fn build(module: Module, kernel: Kernel, regions: &Regions) {
    let (int, pointer, void) = (module.int_type(32), module.pointer_type(), module.void_type());
    let declare = |name, returns, parameters: &[_], attributes: &[&str]| {
        module.function_or_declare(name, returns, parameters, attributes)
    };
    let nothing = ["nounwind"];
    let together = ["nounwind", "convergent"];
    let block_size = declare("__kmpc_get_hardware_num_threads_in_block", int, &[], &nothing);
    let warp_size = declare("__kmpc_get_warp_size", int, &[], &nothing);
    let barrier = declare("__kmpc_barrier_simple_generic", void, &[pointer, int], &together);
    let next_region = declare("__kmpc_kernel_parallel", module.int_type(1), &[pointer], &nothing);
    let end_of_region = declare("__kmpc_kernel_end_parallel", void, &[], &nothing);

    let first = kernel.function.entry().first_non_phi();
    let published = Builder::before(first).alloca(pointer, "worker.work_fn.addr").value();
    let thread = kernel.init.value();
    let ident = kernel.ident(module);

    let start = kernel.init.block();
    let user_check = kernel.init.next().unwrap_or(start.terminator()).split_before("thread.user_code.check");
    let new = |name: &str| user_check.new_before(name);
    let at = |block| Builder::at_end_like(block, kernel.init);
    let worker_check = new("is_worker_check");
    let begin = new(&format!("{PREFIX}.begin"));
    let finished = new(&format!("{PREFIX}.finished"));
    let active_check = new(&format!("{PREFIX}.is_active.check"));
    let first_check = new(&format!("{PREFIX}.parallel_region.check"));
    let end = new(&format!("{PREFIX}.parallel_region.end"));
    let done = new(&format!("{PREFIX}.done.barrier"));

    let builder = at(start);
    let is_worker =
        builder.compare(Predicate::LLVMIntNE, thread, int.constant(u64::from(u32::MAX)), "thread.is_worker");
    builder.branch_if(is_worker, worker_check, user_check);
    // The way straight to the user's code, which splitting left.
    let stale = start.instructions().into_iter().find(|inst| inst.is_terminator());
    stale.expect("the block was whole").erase();

    let builder = at(worker_check);
    let block = builder.call(block_size, &[], "block.hw_size").value();
    let warp = builder.call(warp_size, &[], "warp.size").value();
    let workers = builder.subtract(block, warp, "block.size");
    let works = builder.compare(Predicate::LLVMIntSLT, thread, workers, "thread.is_main_or_worker");
    builder.branch_if(works, begin, finished);

    let builder = at(begin);
    builder.call(barrier, &[ident, thread], "").add_attribute("convergent");
    let is_active = builder.call(next_region, &[published], "worker.is_active").value();
    let region = builder.load(pointer, published, "worker.work_fn").value();
    let is_done = builder.compare(Predicate::LLVMIntEQ, region, pointer.null(), "worker.is_done");
    builder.branch_if(is_done, finished, active_check);
    at(finished).return_void();
    at(active_check).branch_if(is_active, first_check, done);

    let arguments = [module.int_type(16).constant(0), thread];
    let mut check = first_check;
    for (index, wrapper) in regions.wrappers.iter().enumerate() {
        let execute = end.new_before(&format!("{PREFIX}.parallel_region.execute"));
        let builder = at(execute);
        builder.call(*wrapper, &arguments, "");
        builder.branch(end);
        let next = end.new_before(&format!("{PREFIX}.parallel_region.check"));
        let builder = at(check);
        let is_last = index + 1 == regions.wrappers.len() && regions.unknown.is_empty();
        let is_it = if is_last {
            module.int_type(1).constant(1)
        } else {
            builder.compare(Predicate::LLVMIntEQ, region, wrapper.value(), "worker.check_parallel_region")
        };
        builder.branch_if(is_it, execute, next);
        check = next;
    }
    let builder = at(check);
    if !regions.unknown.is_empty() {
        check.set_name(&format!("{PREFIX}.parallel_region.fallback.execute"));
        let ty = module.function_type(void, &[module.int_type(16), int]);
        builder.call_pointer(ty, region, &arguments).add_attribute("convergent");
    }
    builder.branch(end);

    let builder = at(end);
    builder.call(end_of_region, &[], "");
    builder.branch(done);
    let builder = at(done);
    builder.call(barrier, &[ident, thread], "").add_attribute("convergent");
    builder.branch(begin);
}

/// Lets the address of a byte stand for a wrapper where it is published and compared: then the wrapper is used by one
/// call only, and goes away when that is inlined.
fn identify(module: Module, wrapper: Function, remarks: &mut Remarks) {
    let address = wrapper.value();
    let (mut calls, mut places, mut is_unknown) = (0, Vec::new(), false);
    for user in address.users() {
        match user.as_inst() {
            Some(call) if call.called() == Some(address) && !call.arguments().contains(&address) => {
                calls += 1
            }
            Some(compare) if compare.opcode() == Opcode::LLVMICmp => places.push(compare),
            Some(call) if parallel(call).is_some_and(|region| region.code != address) => places.push(call),
            _ => is_unknown = true,
        }
    }
    if is_unknown || calls != 1 || places.len() > 2 {
        let remark = if is_unknown { Remark::UsedInUnknownWays } else { Remark::UsedInUnexpectedWays };
        remarks.give(remark, Site::Function(wrapper));
        return;
    }
    let mut kernels = HashSet::new();
    let is_known =
        places.iter().all(|place| callers(place.function(), &mut kernels, &mut HashSet::new(), remarks));
    if !is_known || kernels.len() != 1 {
        remarks.give(Remark::NoUniqueKernel, Site::Function(wrapper));
        return;
    }
    let id = module.add_constant(module.int_type(8).undef(), &format!("{}.ID", wrapper.name()));
    places.into_iter().for_each(|place| place.replace_operand(address, id.value()));
}

/// Adds the kernels that reach `function`; false if other code may call it.
fn callers(
    function: Function,
    kernels: &mut HashSet<Function>,
    seen: &mut HashSet<Function>,
    remarks: &mut Remarks,
) -> bool {
    if !seen.insert(function) {
        return true;
    }
    if Kernel::of(function).is_some() {
        kernels.insert(function);
        return true;
    }
    if !function.is_local() {
        remarks.give(Remark::UnknownCaller, Site::Function(function));
        return false;
    }
    let address: Value = function.value();
    address.users().into_iter().all(|user| {
        let Some(call) = user.as_inst() else { return false };
        let is_call = call.called() == Some(address) || parallel(call).is_some();
        is_call && callers(call.function(), kernels, seen, remarks)
    })
}
