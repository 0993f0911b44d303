//! From generic kernels to SPMD ones.
//!
//! In a generic kernel one thread runs the code outside of parallel regions and the others wait in a loop of the
//! runtime. Here all threads come along, and only what must be done once is left to thread 0:
//!
//! 1. [`blockers`]: is all code known that may hold parallel regions?
//! 2. [`prepare`]: brings the code into a form with few kinds of things, behind [`team_values`]. Of variables that regions only read each thread may have
//!    a copy ([`copies`]).
//! 3. [`skeleton`]: *collective* instructions must be executed by all threads: starts of parallel regions above all.
//!    The blocks that hold them and the branches that decide whether they are reached are the skeleton. A loop of `distribute` that
//!    leads to none of them is no part of it ([`shares`]).
//! 4. [`regions`]: everything else, loads included, is collected in few pieces with one entry and one exit.
//! 5. [`demand`]: which values all threads need.
//! 6. [`guard`]: thread 0 alone executes a piece, the others go around it. Values that all threads need go through
//!    shared memory between two barriers; others stay with thread 0.
//!
//! So nothing that differs between threads steers the skeleton, and every barrier is met by all of them.

mod blockers;
mod conditions;
mod copies;
mod demand;
mod divisions;
mod escape;
mod guard;
mod local_pointers;
mod pointer_calls;
mod prepare;
mod regions;
mod role;
mod shares;
mod skeleton;
mod tasks;
mod team_values;

pub use prepare::clean_name;

use crate::Settings;
use crate::analysis::guards;
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{assumptions, known, parallel};
use crate::ir::{Block, Builder, Function, Inst, Module, Predicate, Value};
use crate::merge;
use crate::remark::{Remark, Remarks, Site};
use abi::attribute::{LONE_BARRIERS, LONE_REGIONS};
use abi::mode::ExecMode;
use std::collections::{HashMap, HashSet};

/// What became of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it is SPMD now.
    pub converted: bool,
    /// Pieces that thread 0 executes alone, in the kernel and the functions made for it.
    pub regions: usize,
    /// Barriers that were added.
    pub barriers: usize,
    /// Values that go through shared memory.
    pub broadcasts: usize,
}

/// A function whose code outside of parallel regions is run by all threads from now on.
struct Body {
    module: Module,
    function: Function,
    /// Where serial code starts.
    start: Block,
    /// The blocks before it, and the one that only the workers of a generic kernel took.
    outside: HashSet<Block>,
    /// The thread's number in its team.
    thread: Value,
    /// Whether it is 0.
    is_main: Value,
    /// What barriers tell tools about their place.
    ident: Value,
    /// Whether it may be called again before it returns.
    recursive: bool,
    /// Whether it is called by other code, and not the kernel itself.
    called: bool,
}

/// The functions that were made so far for serial code run by all threads, by the function that they were made from.
pub type Clones = HashMap<Function, Function>;

/// Makes the serial code of kernels call functions with parallel regions by their names, and puts those that are called
/// from one place into that place. Whether it did.
pub fn open_calls(module: Module, settings: &Settings) -> bool {
    let mut changed = false;
    for kernel in Kernel::all(module) {
        if kernel.mode() == ExecMode::GENERIC {
            changed |= pointer_calls::run(kernel.function, &mut Reaches::of(module, settings.whole_program));
            changed |= prepare::inline_single_calls(module, kernel.function, settings);
        }
    }
    changed
}

/// Converts the generic kernels of a module that can be, and adds to `clones` what was made for them.
pub fn run(
    module: Module,
    settings: &Settings,
    clones: &mut Clones,
    remarks: &mut Remarks,
) -> Vec<(Kernel, Outcome)> {
    let mut results = Vec::new();
    for kernel in Kernel::all(module) {
        if kernel.mode() == ExecMode::GENERIC {
            results.push((kernel, convert(module, kernel, settings, clones, remarks)));
        }
    }
    results
}

fn convert(
    module: Module,
    kernel: Kernel,
    settings: &Settings,
    clones: &mut Clones,
    remarks: &mut Remarks,
) -> Outcome {
    let mut reaches = Reaches::of(module, settings.whole_program);
    let found = blockers::find(module, kernel, &mut reaches);
    if !found.is_empty() {
        for (inst, reason) in found {
            remarks.give(Remark::Blocked(reason), inst.map_or(Site::Function(kernel.function), Site::Inst));
        }
        return Outcome::default();
    }
    let nests = nests(kernel.function, &mut reaches);
    let mut outcome = Outcome { converted: true, ..Outcome::default() };
    if reaches.function(kernel.function).regions {
        convert_body(kernel_body(module, kernel), settings, &mut reaches, clones, remarks, &mut outcome);
    } else {
        main_thread_only(module, kernel);
        outcome.regions = 1;
    }
    tell(module, kernel, &reaches);
    kernel.set_mode(ExecMode::GENERIC_SPMD);
    kernel.set_generic_state_machine(false);
    kernel.set_may_nest(nests);
    remarks.give(Remark::Spmd, kernel.init);
    outcome
}

/// Tells the runtime what code that is left to thread 0 may come to: in serial code, in a function that it calls, or in code that is not known.
fn tell(module: Module, kernel: Kernel, reaches: &Reaches) {
    type Kind = fn(Inst) -> bool;
    let told: [(&str, Kind); 2] = [
        (LONE_BARRIERS, |call| call.callee_name() == "__kmpc_barrier"),
        (LONE_REGIONS, |call| {
            parallel(call).is_some_and(|region| region.if_clause.as_constant_int() == Some(0))
        }),
    ];
    let is_unknown = |call: Inst| match call.callee() {
        Some(callee) if callee.is_declaration() && known(callee).is_none() => !assumptions(call).no_openmp,
        Some(_) => false,
        None => !call.called().is_some_and(Value::is_inline_asm) && !assumptions(call).no_openmp,
    };
    let code = reaches.called_from(kernel.function).into_iter().chain([kernel.function]);
    let calls: Vec<Inst> =
        code.flat_map(|function| function.instructions()).filter(|inst| inst.is_call()).collect();
    let unknown = calls.iter().any(|call| is_unknown(*call));
    for (name, _) in told.into_iter().filter(|(_, is)| unknown || calls.iter().any(|call| is(*call))) {
        let mark = module.weak_variable(module.int_type(32).constant(0), name);
        Builder::before(kernel.init).store(module.int_type(32).constant(1), mark.value()).set_relaxed();
    }
}

/// Whether a parallel region may be reached from inside one, from this function on.
fn nests(function: Function, reaches: &mut Reaches) -> bool {
    let serial = reaches.called_from(function).into_iter().chain([function]);
    let regions: Vec<_> = serial.flat_map(|function| function.instructions().filter_map(parallel)).collect();
    regions.into_iter().any(|region| {
        let code = region.code.strip_casts().as_function();
        code.is_none_or(|code| !reaches.function(code).is_serial())
    })
}

/// Thread 0 executes a kernel without parallel regions, the others leave.
fn main_thread_only(module: Module, kernel: Kernel) {
    let block = kernel.init.block();
    let after = kernel.init.next().unwrap_or(block.terminator());
    let user_code = after.split_before("main.thread.user_code");
    let leave = kernel.function.append_block("exit.threads");
    Builder::at_end_of(leave).return_void();
    let builder = Builder::before(block.terminator());
    let thread = guards::thread_id(module, &builder, "thread_id.in.block");
    let zero = module.int_type(32).constant(0);
    let is_other = builder.compare(Predicate::LLVMIntNE, thread.value(), zero, "thread.is_main");
    builder.branch_if(is_other, leave, user_code);
    block.terminator().erase();
}

/// The body of a kernel. [`blockers`] has seen that it starts as expected.
fn kernel_body(module: Module, kernel: Kernel) -> Body {
    let start = kernel.user_code().expect("checked");
    let entry = kernel.init.block();
    let outside = kernel.outside(start);
    let (thread, is_main) =
        guards::main_test(module, &Builder::before(kernel.init.next().unwrap_or(entry.terminator())));
    Body {
        module,
        function: kernel.function,
        start,
        outside,
        thread,
        is_main,
        ident: kernel.ident(module),
        recursive: false,
        called: false,
    }
}

/// The body of a function made for level 0.
fn clone_body(module: Module, function: Function, recursive: bool, ident: Value) -> Body {
    let entry = function.entry();
    let first = entry.instructions().into_iter().find(|inst| !prepare::is_static_alloca(*inst));
    let start = first.unwrap_or(entry.terminator()).split_before("user_code.entry");
    let (thread, is_main) = guards::main_test(module, &Builder::before(entry.terminator()));
    let outside = HashSet::from([entry]);
    Body { module, function, start, outside, thread, is_main, ident, recursive, called: true }
}

/// Converts one body, and the functions that it calls at level 0 and that hold parallel regions.
fn convert_body(
    body: Body,
    settings: &Settings,
    reaches: &mut Reaches,
    clones: &mut Clones,
    remarks: &mut Remarks,
    outcome: &mut Outcome,
) {
    let in_tasks = tasks::calls(body.function);
    tasks::serialise_regions(&in_tasks);
    let made = redirect_calls(&body, &in_tasks, reaches, clones);
    prepare::run(&body, clones, settings, reaches, remarks);
    let roles = role::Roles::of(&body, clones);
    let pieces = regions::find(&body, &roles);
    let needed = demand::find(&body, &roles, &pieces);
    let added = guard::run(&body, &roles, pieces, needed, reaches);
    let merged = merge::run(body.module, body.function, settings, reaches, remarks);
    outcome.regions += added.regions;
    outcome.barriers += added.barriers - merged;
    outcome.broadcasts += added.broadcasts;
    for (original, clone) in made {
        let recursive = reaches.called_from(original).contains(&original);
        let body = clone_body(body.module, clone, recursive, body.ident);
        convert_body(body, settings, reaches, clones, remarks, outcome);
    }
}

/// Calls of functions with parallel regions go to copies of them, but for those that thread 0 does alone; gives the copies
/// that are new.
fn redirect_calls(
    body: &Body,
    alone: &HashSet<Inst>,
    reaches: &mut Reaches,
    clones: &mut Clones,
) -> Vec<(Function, Function)> {
    let mut made = Vec::new();
    let calls: Vec<Inst> = body.function.instructions().filter(|inst| inst.is_call()).collect();
    for call in calls.into_iter().filter(|call| !alone.contains(call)) {
        let Some(callee) = blockers::with_regions(call, reaches) else { continue };
        let clone = *clones.entry(callee).or_insert_with(|| {
            let clone = callee.clone_as(&format!("{}.spmd", callee.name()));
            team_values::take(clone);
            made.push((callee, clone));
            clone
        });
        team_values::give(body.module, call);
        call.set_callee(clone);
    }
    made
}
