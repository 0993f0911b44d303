//! What keeps a kernel generic.

use super::escape::{self, Escape, escape};
use super::{local_pointers, prepare, skeleton};
use crate::analysis::capture::is_on_stack;
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{Known, assumptions, calls_back, known, known_call, parallel};
use crate::ir::{Block, Function, Inst, Module, Opcode};
use crate::remark::Reason;
use std::collections::HashSet;

/// How host code starts a region of one thread, which it runs in place.
const SERIAL_REGION: &str = "__kmpc_serialized_parallel";

/// All blockers of a kernel, each with its place.
pub fn find(module: Module, kernel: Kernel, reaches: &mut Reaches) -> Vec<(Option<Inst>, Reason)> {
    let Some(start) = kernel.user_code() else {
        return vec![(Some(kernel.init), Reason::UnknownKernel)];
    };
    let outside = kernel.outside(start);
    let mut found = Vec::new();
    let mut seen = HashSet::from([kernel.function]);
    let mut work = vec![kernel.function];
    while let Some(function) = work.pop() {
        for call in function.instructions().filter(|inst| inst.is_call()) {
            match blocker(call, reaches) {
                Some(reason) => found.push((Some(call), reason)),
                None => work.extend(with_regions(call, reaches).filter(|callee| seen.insert(*callee))),
            }
        }
        if reaches.function(function).regions {
            found.extend(of_control_flow(function, &outside, reaches));
            found.extend(of_variables(module, function, reaches));
        }
    }
    found
}

/// The function that a call names, if it holds parallel regions of its own or of others.
pub fn with_regions(call: Inst, reaches: &mut Reaches) -> Option<Function> {
    let callee = call.callee().filter(|callee| !callee.is_declaration() && known(*callee).is_none())?;
    reaches.call(call).regions.then_some(callee)
}

fn blocker(call: Inst, reaches: &mut Reaches) -> Option<Reason> {
    let name = call.callee_name();
    if known_call(call) == Some(Known::Parallel) {
        return parallel(call).is_none().then_some(Reason::UnknownRegion);
    }
    // What follows is a region of its thread alone, up to another call, and regions in it are that thread's.
    if name == SERIAL_REGION {
        return Some(Reason::UnknownRegion);
    }
    let reach = reaches.call(call);
    if reach.is_serial() || assumptions(call).spmd_amenable && !reach.regions {
        return None;
    }
    match call.callee() {
        Some(_) if calls_back(&name) => Some(Reason::Callback),
        // Its own calls are looked at one by one.
        Some(callee) if !callee.is_declaration() && reach.regions && !callee.is_interposable() => None,
        // The unknown call is inside, and named there.
        Some(callee) if !callee.is_declaration() && !callee.is_interposable() => Some(Reason::UnknownCall),
        Some(_) => Some(Reason::UnknownCall),
        None => Some(Reason::IndirectCall),
    }
}

/// `outside`: the blocks of the kernel that all threads execute in any case.
fn of_control_flow(
    function: Function,
    outside: &HashSet<Block>,
    reaches: &mut Reaches,
) -> Vec<(Option<Inst>, Reason)> {
    // At least all that gets [`Role::All`](super::role::Role) after the first change.
    let collective = |inst: Inst, reaches: &mut Reaches| match inst.opcode() {
        Opcode::LLVMStore => inst.pointer().is_some_and(is_on_stack),
        _ => {
            let known = inst.is_call().then(|| known_call(inst)).flatten();
            matches!(known, Some(Known::Parallel | Known::Init | Known::Deinit | Known::TeamShare))
                || inst.is_call() && (assumptions(inst).spmd_amenable || reaches.call(inst).regions)
        }
    };
    let seeds: HashSet<_> = function
        .blocks()
        .into_iter()
        .filter(|block| {
            outside.contains(block)
                || block.terminator().opcode() == Opcode::LLVMRet
                || block.instructions().into_iter().any(|inst| collective(inst, reaches))
        })
        .collect();
    let Some(found) = skeleton::close(function, &seeds) else {
        return vec![(None, Reason::EndlessLoop)];
    };
    let steered = |inst: &Inst| {
        !matches!(
            inst.opcode(),
            Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMRet | Opcode::LLVMUnreachable
        )
    };
    found
        .into_iter()
        .map(|block| block.terminator())
        .filter(steered)
        .map(|end| (Some(end), Reason::Terminator))
        .collect()
}

fn of_variables(module: Module, function: Function, reaches: &mut Reaches) -> Vec<(Option<Inst>, Reason)> {
    let recursive = reaches.called_from(function).contains(&function);
    let calls: HashSet<Inst> = function
        .instructions()
        .filter(|inst| inst.is_call())
        .filter(|call| {
            parallel(*call).is_some()
                || assumptions(*call).spmd_amenable
                || known_call(*call) == Some(Known::TeamShare)
                || with_regions(*call, reaches).is_some()
        })
        .collect();
    let collective = |call: Inst| calls.contains(&call);
    let copies = escape::copies(function, &collective);
    function
        .instructions()
        .filter(|inst| inst.opcode() == Opcode::LLVMAlloca)
        .filter(|inst| escape(*inst, &collective, &copies) == Escape::Shared)
        .filter_map(|inst| {
            if recursive || !prepare::is_static_alloca(inst) {
                Some((Some(inst), Reason::EscapingVariable))
            } else {
                let replaceable = local_pointers::are_replaceable(module, inst);
                (!replaceable).then_some((Some(inst), Reason::LocalPointer))
            }
        })
        .collect()
}
