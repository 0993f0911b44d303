//! Kernels that start with all threads: serial code that must run once makes them generic.
//!
//! What all threads may do, each for itself: read, compute, and write to variables on their own stacks. They all find the same,
//! because nobody writes between two regions. What a region writes to such a variable the other threads do not see.

use super::{Serial, called};
use crate::analysis::kernel::Kernel;
use crate::analysis::points_to::{PointsTo, Targets};
use crate::analysis::runtime::{Known, calls_back, known_call, parallel, parallel_operand};
use crate::ir::{Function, Inst, Module, Opcode, Value};
use abi::mode::ExecMode;
use std::collections::HashSet;

/// Makes the kernels generic that must be; whether there were any.
pub fn run(module: Module) -> bool {
    let mut kernels = Kernel::all(module);
    kernels.retain(|kernel| kernel.mode().is_spmd() && kernel.user_code().is_some());
    if kernels.is_empty() {
        return false;
    }
    let points = PointsTo::of(module);
    let outside = points.outside();
    let mut changed = false;
    for kernel in kernels {
        let code = Code { points: &points, outside: &outside, serial: Serial::code_of([kernel.function]) };
        if !code.is_for_all_threads() {
            kernel.set_mode(ExecMode::GENERIC);
            kernel.set_generic_state_machine(true);
            changed = true;
        }
    }
    changed
}

/// The code of a kernel.
struct Code<'a> {
    points: &'a PointsTo,
    /// The variables that code which is not known can reach.
    outside: &'a HashSet<Inst>,
    serial: Serial,
}

impl Code<'_> {
    fn is_for_all_threads(&self) -> bool {
        let serial = instructions(&self.serial.functions);
        let regions = instructions(&self.code_of_regions());
        let is_serial = |variable: &Inst| self.serial.functions.contains(&variable.function());
        let variables = |pointers: Vec<Value>| -> HashSet<Inst> {
            let targets = pointers.into_iter().flat_map(|pointer| self.points.targets(pointer));
            targets.filter_map(|target| target.variable).filter(is_serial).collect()
        };
        let written = variables(regions.iter().copied().filter_map(written).collect());
        let read = variables(serial.iter().chain(&regions).copied().flat_map(read).collect());
        // What is written and never read: the last values of loops.
        serial.iter().all(|inst| self.may_repeat(*inst))
            && !self.outside.iter().any(is_serial)
            && written.is_disjoint(&read)
            && variables(regions.into_iter().flat_map(given_to_others).collect()).is_empty()
    }

    /// Whether all threads may run an instruction of serial code.
    fn may_repeat(&self, inst: Inst) -> bool {
        if !inst.is_call() {
            return match written(inst) {
                Some(pointer) => !inst.is_volatile() && self.is_own(&self.points.targets(pointer)),
                None => !inst.may_write(),
            };
        }
        let name = inst.callee_name();
        if parallel(inst).is_some()
            || called(inst).is_some_and(|callee| self.serial.functions.contains(&callee))
        {
            return true;
        }
        match known_call(inst) {
            Some(
                Known::Init
                | Known::Deinit
                | Known::ThreadNumber
                | Known::Uniform
                | Known::Serial(_)
                | Known::TeamShare
                | Known::Nothing
                | Known::Order,
            ) => true,
            _ => match written(inst) {
                Some(pointer) => self.is_own(&self.points.targets(pointer)),
                None => is_note(&name) || !inst.may_write() && known_call(inst) == Some(Known::Leaf),
            },
        }
    }

    /// Whether these places are on the stack of the thread.
    fn is_own(&self, targets: &Targets) -> bool {
        let own = |variable: Inst| variable.opcode() == Opcode::LLVMAlloca;
        !targets.is_empty() && targets.iter().all(|target| target.variable.is_some_and(own))
    }

    /// All functions that the regions run.
    fn code_of_regions(&self) -> HashSet<Function> {
        let code = |region: &Inst| region.operand(parallel_operand::CODE).strip_casts().as_function();
        let mut found = HashSet::new();
        let mut work: Vec<Function> = self.serial.regions.iter().filter_map(code).collect();
        while let Some(function) = work.pop() {
            if found.insert(function) {
                let calls = function.instructions().filter(|inst| inst.is_call());
                work.extend(
                    calls
                        .filter_map(|call| if parallel(call).is_some() { code(&call) } else { called(call) }),
                );
            }
        }
        found
    }
}

fn instructions(functions: &HashSet<Function>) -> Vec<Inst> {
    functions.iter().flat_map(|function| function.instructions()).collect()
}

/// The pointer by which an instruction writes, if that is all that it does.
fn written(inst: Inst) -> Option<Value> {
    match inst.opcode() {
        Opcode::LLVMStore => Some(inst.operand(1)),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Some(inst.operand(0)),
        _ => inst.callee_name().starts_with("llvm.mem").then(|| inst.operand(0)),
    }
}

/// The pointer by which an instruction reads.
fn read(inst: Inst) -> Option<Value> {
    match inst.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Some(inst.operand(0)),
        _ => inst.callee_name().starts_with("llvm.mem").then(|| inst.operand(1)),
    }
}

/// What a call gives to code that is not the program's, and may read and write there.
fn given_to_others(inst: Inst) -> Vec<Value> {
    let name = inst.callee_name();
    let of_program = parallel(inst).is_some() || calls_back(&name) || called(inst).is_some();
    if !inst.is_call() || of_program || is_note(&name) || name.starts_with("llvm.mem") || !inst.may_write() {
        return Vec::new();
    }
    inst.arguments()
}

/// Calls that only tell the compiler something.
fn is_note(name: &str) -> bool {
    name == "llvm.assume"
        || ["llvm.lifetime.", "llvm.dbg.", "llvm.experimental.noalias."]
            .iter()
            .any(|start| name.starts_with(start))
}
