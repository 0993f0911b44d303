//! A kernel that is one loop: its threads run the loop's code at once, and take their iterations from their numbers.

use super::{StaticInit, static_operand};
use crate::analysis::capture::is_own_variable;
use crate::analysis::control::reachable;
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{
    Known, THREAD_PARAMETERS, assumptions, known, known_call, own_region_code, parallel, parallel_operand,
};
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Predicate, Value};
use abi::kernel::{DEFAULT_TEAM_THREADS, LARGE_TEAM_THREADS};
use abi::mode::ExecMode;
use abi::schedule;
use std::collections::HashSet;

/// How the names of intrinsics begin that read a special register.
const MACHINE_NUMBERS: &str = "llvm.nvvm.read.ptx.sreg.";

/// A kernel that does nothing but one loop.
pub struct Whole {
    /// The call that starts its region.
    pub region: Inst,
    code: Function,
    init: StaticInit,
    latch: Block,
    header: Block,
    exit: Block,
    /// The iteration of the thread.
    iteration: Inst,
    /// The last of all iterations.
    last: Value,
    asks: Asks,
    /// The functions with the code around it, the kernel among them.
    around: HashSet<Function>,
}

/// What a loop's code wants of the runtime.
#[derive(Default)]
struct Asks {
    /// How many teams there are.
    teams: bool,
    /// Memory of the team.
    memory: bool,
}

/// The loop of a kernel, if it does nothing else and the loop's code asks the runtime nothing.
pub fn find(module: Module, kernel: Kernel, reaches: &mut Reaches) -> Option<Whole> {
    if kernel.mode() != ExecMode::SPMD {
        return None;
    }
    let (region, memory, around) = only_region(kernel)?;
    let (code, types) = own_region_code(region)?;
    let number = |index| region.operand(index).as_constant_int();
    let plain = number(parallel_operand::IF) == Some(1)
        && number(parallel_operand::NUM_THREADS) == Some(u64::from(u32::MAX))
        && types.iter().all(|ty| [module.pointer_type(), module.int_type(64)].contains(ty));
    let init = StaticInit::only(code, StaticInit::OF_THREAD)?;
    let fused = init.has_schedule(schedule::DISTRIBUTE_FOR_CHUNK_ONE);
    if !plain || !fused || !init.loads(static_operand::LAST)?.is_empty() {
        return None;
    }
    let mut asks = asks(code, init, reaches)?;
    asks.memory |= memory;
    let last = *code.parameters().get(THREAD_PARAMETERS + 1)?;
    let (iteration, header, latch, exit) = counted_loop(init, last)?;
    Some(Whole { region, code, init, latch, header, exit, iteration, last, asks, around })
}

/// The only parallel region of a kernel whose other code has no effect that another thread could see, whether that
/// code wants memory of the team, and the functions that it stands in.
fn only_region(kernel: Kernel) -> Option<(Inst, bool, HashSet<Function>)> {
    let (mut region, mut memory) = (None, false);
    let mut seen = HashSet::from([kernel.function]);
    let mut work = vec![kernel.function];
    while let Some(function) = work.pop() {
        for inst in function.instructions() {
            if parallel(inst).is_some() {
                if region.replace(inst).is_some() {
                    return None;
                }
            } else if inst.is_call() && !is_quiet_call(inst) {
                let callee =
                    inst.callee().filter(|callee| !callee.is_declaration() && !callee.is_interposable())?;
                if known(callee).is_some() || !seen.insert(callee) || callee.value().users().len() != 1 {
                    return None;
                }
                work.push(callee);
            } else if inst.is_call() {
                memory |= inst.callee_name() == "__kmpc_alloc_shared";
            } else if inst.opcode() == Opcode::LLVMStore {
                if !is_own_variable(inst.operand(1)) || inst.is_ordered_access() {
                    return None;
                }
            } else if inst.may_write() {
                return None;
            }
        }
    }
    Some((region?, memory, seen))
}

/// Whether a call around the loop does nothing but what belongs to it.
fn is_quiet_call(call: Inst) -> bool {
    let name = call.callee_name();
    call.is_speculatable()
        || name.starts_with("llvm.lifetime.")
        || matches!(
            known_call(call),
            Some(Known::Init | Known::Deinit | Known::ThreadNumber | Known::Uniform)
        )
        || matches!(
            name.as_str(),
            "__kmpc_distribute_static_fini" | "__kmpc_alloc_shared" | "__kmpc_free_shared"
        )
}

/// What a loop's code asks the runtime; none if that is more than [`Asks`] knows, or it calls something unknown.
fn asks(code: Function, init: StaticInit, reaches: &mut Reaches) -> Option<Asks> {
    let mut asks = Asks::default();
    let mut seen = HashSet::from([code]);
    let mut work = vec![code];
    while let Some(function) = work.pop() {
        let is_asked = |inst: &Inst| inst.is_call() && *inst != init.0 && !assumptions(*inst).no_openmp;
        for call in function.instructions().filter(is_asked) {
            for callee in reaches.callees(call)? {
                let name = callee.name();
                let is_end = function == code && name == "__kmpc_for_static_fini";
                match known(callee) {
                    _ if is_end || name == "__kmpc_flush" => {}
                    Some(Known::Leaf) if name.ends_with("_shared") => asks.memory = true,
                    // What stops a warp or team stops it in the loop's rhythm.
                    Some(Known::Leaf) if !name.contains("barrier") => {}
                    Some(Known::Uniform) => asks.teams = true,
                    None if !callee.is_declaration() && !callee.is_interposable() => {
                        if seen.insert(callee) {
                            work.push(callee);
                        }
                    }
                    _ => return None,
                }
            }
        }
    }
    Some(asks)
}

/// The variable of the thread's loop, the loop's first and last block and the one behind it.
fn counted_loop(init: StaticInit, last: Value) -> Option<(Inst, Block, Block, Block)> {
    let only = |index| match init.loads(index)?.as_slice() {
        [load] => Some(*load),
        _ => None,
    };
    let (first, stride) = (only(static_operand::LOWER)?, only(static_operand::STRIDE)?);
    let iteration = first.using_instructions().into_iter().find(|user| user.is_phi())?;
    let header = iteration.block();
    let &[(one, before), (other, latch)] = iteration.incoming().as_slice() else { return None };
    let (next, latch) = match (one == first.value(), other == first.value()) {
        (true, false) => (other, latch),
        (false, true) => (one, before),
        _ => return None,
    };
    let next = next.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMAdd)?;
    let adds = [next.operand(0), next.operand(1)];
    let steps = adds == [iteration.value(), stride.value()] || adds == [stride.value(), iteration.value()];
    let end = header.terminator();
    let &[inside, exit] = header.successors().as_slice() else { return None };
    let bounded = goes_up_to(end.operand(0), iteration, last);
    let inner = |block: Block| block != header && block != exit;
    let shaped = steps
        && bounded
        && inner(inside)
        && latch.successors() == [header]
        && latch != header
        && header.phis().len() == 1
        && exit.phis().is_empty();
    (shaped && stays_inside(header, exit)).then_some((iteration, header, latch, exit))
}

/// Whether a test asks if an iteration is not behind the last one, which may be compared as it is, or the one behind it.
fn goes_up_to(test: Value, iteration: Inst, last: Value) -> bool {
    let Some(test) = test.as_inst().filter(|test| test.predicate().is_some()) else { return false };
    let end = test.operand(1);
    let is_behind_last = || {
        let sum = end.as_inst().filter(|sum| sum.opcode() == Opcode::LLVMAdd);
        sum.is_some_and(|sum| sum.operand(0) == last && sum.operand(1).as_constant_int() == Some(1))
    };
    strip_extension(test.operand(0)) == iteration.value()
        && match test.predicate() {
            Some(Predicate::LLVMIntULE) => end == last,
            Some(Predicate::LLVMIntULT) => is_behind_last(),
            _ => false,
        }
}

fn strip_extension(value: Value) -> Value {
    match value.as_inst() {
        Some(inst) if matches!(inst.opcode(), Opcode::LLVMSExt | Opcode::LLVMZExt) => inst.operand(0),
        _ => value,
    }
}

/// Whether nothing behind the loop uses what its first block computes.
fn stays_inside(header: Block, exit: Block) -> bool {
    let behind: HashSet<Block> = reachable(vec![exit], Block::successors).into_iter().collect();
    !behind.contains(&header)
        && header
            .instructions()
            .into_iter()
            .all(|inst| inst.using_instructions().iter().all(|user| !behind.contains(&user.block())))
}

/// Makes the change.
pub fn run(module: Module, kernel: Kernel, whole: &Whole) {
    let knows_team_size = knows_team_size(whole);
    share_out(module, whole);
    call_code(module, whole);
    if !whole.asks.memory {
        leave_runtime(module, kernel, whole);
    }
    if !whole.asks.teams && !kernel.knows_teams() {
        kernel.set_mode(ExecMode::SPMD_NO_LOOP);
        kernel.set_min_teams(1);
        if !knows_team_size && kernel.most_threads() == Some(DEFAULT_TEAM_THREADS.into()) {
            kernel.set_most_threads(LARGE_TEAM_THREADS.into());
        }
    }
}

/// Whether code that is or becomes part of the kernel reads numbers of threads from the machine. LLVM writes down how large they
/// can be, by the most threads that the kernel has.
fn knows_team_size(whole: &Whole) -> bool {
    let functions = whole.around.iter().chain([&whole.code]);
    functions
        .flat_map(|function| function.instructions())
        .any(|inst| inst.is_call() && inst.callee_name().starts_with(MACHINE_NUMBERS))
}

/// The kernel does not even tell the runtime that it is there. Its threads' numbers, which the runtime knows, were for
/// calls that are gone.
fn leave_runtime(module: Module, kernel: Kernel, whole: &Whole) {
    let int = module.int_type(32);
    let calls: Vec<Inst> = whole.around.iter().flat_map(|function| function.instructions()).collect();
    for call in calls.into_iter().filter(|inst| inst.is_call() && *inst != kernel.init) {
        match known_call(call) {
            Some(Known::Deinit) => call.erase(),
            Some(Known::ThreadNumber) => {
                call.replace_all_uses(int.constant(0));
                call.erase();
            }
            _ => {}
        }
    }
    kernel.init.replace_all_uses(int.constant(u64::from(u32::MAX)));
    kernel.init.erase();
}

/// The thread's iterations, from its number in the league and the league's size.
fn share_out(module: Module, whole: &Whole) {
    let init = whole.init;
    let int = module.int_type(32);
    let builder = Builder::before(init.0);
    // Not the runtime's `__kmpc_get_hardware_num_threads_in_block`: LLVM's own pass takes that for the most threads that a
    // team may have, and the host launches fewer.
    let ask = |builder: &Builder, name| {
        let name = format!("{MACHINE_NUMBERS}{name}.x");
        builder.call(module.function_or_declare(&name, int, &[], &[]), &[], "").value()
    };
    let (team, size, thread) = (ask(&builder, "ctaid"), ask(&builder, "ntid"), ask(&builder, "tid"));
    let number = builder.add(builder.multiply(team, size, ""), thread, "league.thread");
    let ty = whole.iteration.ty();
    let lower = builder.load(ty, init.operand(static_operand::LOWER), "").value();
    let first = builder.add(lower, builder.resize(number, ty, ""), "iteration.first");
    builder.store(first, init.operand(static_operand::LOWER));
    // Up to the one behind the last, which mostly is the number of iterations as the program has it. It has a place in the
    // loop's variable, since the compiler counts iterations in one like it.
    let last = builder.resize(whole.last, ty, "");
    let behind = builder.add(last, ty.constant(1), "iteration.behind");
    let test = whole.header.terminator();
    let inside =
        Builder::before(test).compare(Predicate::LLVMIntULT, whole.iteration.value(), behind, "inside");
    test.set_operand(0, inside);
    // Read again behind each iteration, which few threads of a league do a second time: else all would keep it, and
    // whatever else is the same in each iteration. What those threads need alone stands in a block of its own.
    let builder = Builder::before(whole.latch.terminator());
    let again = |register, name| builder.resize(builder.read_again(register, int, name).value(), ty, "");
    // In the width of the loop's variable, as the runtime does it.
    let stride = builder.multiply(again("nctaid.x", "teams"), again("ntid.x", "threads"), "stride");
    let left = builder.subtract(behind, whole.iteration.value(), "iterations.left");
    let more = builder.compare(Predicate::LLVMIntUGT, left, stride, "more");
    let end = whole.latch.terminator();
    let further = whole.code.append_block("further");
    builder.branch_if(more, further, whole.exit);
    end.erase();
    let builder = Builder::at_end_like(further, test);
    let next = builder.add(whole.iteration.value(), stride, "iteration.next");
    // So that nobody asks once more at the loop's start.
    let inside = builder.compare(Predicate::LLVMIntULT, next, behind, "");
    let assume = module.function_or_declare("llvm.assume", module.void_type(), &[module.int_type(1)], &[]);
    builder.call(assume, &[inside], "");
    builder.branch(whole.header);
    whole.iteration.remove_incoming(whole.latch);
    whole.iteration.add_incoming(next, further);
    init.0.erase();
}

/// The code is called where the region was started.
fn call_code(module: Module, whole: &Whole) {
    let (pointer, region) = (module.pointer_type(), whole.region);
    let entry = Builder::before(region.function().entry().first_non_phi());
    let zero = entry.alloca(module.int_type(32), "thread");
    let builder = Builder::before(region);
    builder.store(module.int_type(32).constant(0), zero.value());
    let mut arguments = vec![zero.value(); THREAD_PARAMETERS];
    for (index, parameter) in whole.code.parameters().iter().skip(THREAD_PARAMETERS).enumerate() {
        let place =
            builder.pointer_element(region.operand(parallel_operand::ARGUMENTS), index as u64, pointer);
        let value = builder.load(pointer, place, "").value();
        let is_number = parameter.ty() != pointer;
        arguments.push(if is_number { builder.pointer_to_int(value, parameter.ty()) } else { value });
    }
    builder.call(whole.code, &arguments, "");
    region.erase();
}
