//! Parallel regions that do nothing anybody could see (OMP160).
//!
//! They read memory, ask the runtime, fill variables of their own, and end. They are removed before kernels are converted.

use crate::analysis::capture::is_own_variable;
use crate::analysis::control::Cfg;
use crate::analysis::runtime::{Known, gives_share, known_call, parallel, parallel_operand};
use crate::ir::{Block, Function, Inst, Module, Opcode, Value};
use crate::remark::{Remark, Remarks};
use std::collections::{HashMap, HashSet};

/// Removes them.
pub fn run(module: Module, remarks: &mut Remarks) {
    // What was pushed for a region would reach the next one.
    let pushes = module.functions().into_iter().any(|function| {
        function.name().starts_with("__kmpc_push_") && !function.value().using_instructions().is_empty()
    });
    if pushes {
        return;
    }
    let mut harmless = Harmless(HashMap::new());
    let functions = module.functions();
    for call in functions.iter().flat_map(|function| function.instructions()).collect::<Vec<_>>() {
        if call.opcode() == Opcode::LLVMCall && parallel(call).is_some() && harmless.region(call) {
            remarks.give(Remark::DeadRegion, call);
            call.erase();
        }
    }
}

/// What is known about functions: none while a function is looked at, which makes recursion harmful.
struct Harmless(HashMap<Function, Option<bool>>);

impl Harmless {
    fn region(&mut self, call: Inst) -> bool {
        // A region that must have so many threads ends the program if it does not get them.
        let strict = call.arguments().get(parallel_operand::STRICT as usize).copied();
        let code = call.operand(parallel_operand::CODE).strip_casts().as_function();
        strict.is_none_or(|strict| strict.as_constant_int() == Some(0))
            && code.is_some_and(|code| self.function(code))
    }

    fn function(&mut self, function: Function) -> bool {
        if function.is_declaration() || function.is_interposable() {
            return false;
        }
        if let Some(found) = self.0.get(&function) {
            return found.unwrap_or(false);
        }
        self.0.insert(function, None);
        let found = function.instructions().all(|inst| self.instruction(inst)) && ends(function);
        self.0.insert(function, Some(found));
        found
    }

    fn instruction(&mut self, inst: Inst) -> bool {
        match inst.opcode() {
            Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMRet | Opcode::LLVMPHI | Opcode::LLVMAlloca => {
                true
            }
            Opcode::LLVMLoad => !inst.is_ordered_access(),
            Opcode::LLVMStore => !inst.is_ordered_access() && inst.pointer().is_some_and(is_own_variable),
            Opcode::LLVMCall => self.call(inst),
            _ => inst.is_speculatable() || inst.is_division_in_place(),
        }
    }

    fn call(&mut self, call: Inst) -> bool {
        let name = call.callee_name();
        if parallel(call).is_some() {
            return self.region(call);
        }
        let writes_own = || {
            call.arguments().into_iter().filter(|value| value.ty().is_pointer()).skip(1).all(is_own_variable)
        };
        match known_call(call) {
            Some(Known::ThreadNumber | Known::Uniform | Known::Serial(_)) => true,
            _ if gives_share(call) => writes_own(),
            _ if HARMLESS.contains(&&*name) => true,
            _ if name.starts_with("llvm.lifetime.") || name == "llvm.assume" => true,
            Some(_) => !call.may_write() && call.has_attribute("willreturn"),
            None => call.callee().is_some_and(|callee| self.function(callee)),
        }
    }
}

/// Functions of the runtime that do nothing to others than the threads of their region, all of which go.
const HARMLESS: [&str; 6] = [
    "__kmpc_alloc_shared",
    "__kmpc_barrier",
    "__kmpc_distribute_static_fini",
    "__kmpc_for_static_fini",
    "__kmpc_free_shared",
    "__kmpc_parallel_level",
];

/// Whether a function comes to an end: each loop says that it does, or is one that the runtime shares out.
fn ends(function: Function) -> bool {
    let cfg = Cfg::of(function);
    if function.has_attribute("mustprogress") || function.has_attribute("willreturn") {
        return true;
    }
    let dominators = cfg.dominators();
    let bounds = shared_bounds(function);
    let mut seen = HashSet::new();
    cfg.order.iter().all(|block| {
        seen.insert(*block);
        let back = |next: &&Block| seen.contains(*next);
        block.successors().iter().filter(back).all(|head| {
            dominators.dominates(*head, *block)
                && (block.terminator().must_progress() || is_bounded(*head, &bounds))
        })
    })
}

/// The variables in which the runtime puts the bounds of a share of a loop.
fn shared_bounds(function: Function) -> HashSet<Value> {
    let shares = function.instructions().filter(|inst| inst.is_call() && gives_share(*inst));
    shares.flat_map(|call| call.arguments()).filter(|value| value.as_alloca().is_some()).collect()
}

/// Whether a loop that starts with this block goes on only as long as it has not reached such a bound.
fn is_bounded(head: Block, bounds: &HashSet<Value>) -> bool {
    let end = head.terminator();
    let test = (head.successors().len() == 2).then(|| end.operand(0).as_inst()).flatten();
    test.filter(|test| test.opcode() == Opcode::LLVMICmp).is_some_and(|test| {
        test.operands()
            .into_iter()
            .filter_map(Value::as_inst)
            .any(|value| value.opcode() == Opcode::LLVMLoad && bounds.contains(&value.operand(0)))
    })
}
