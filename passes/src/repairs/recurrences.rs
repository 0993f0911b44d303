//! Variables in memory that a loop reads and writes.
//!
//! LLVM's attributor loses turns of such loops, in two ways (`docs/upstream.md`). It takes ways through a function for dead until something leads
//! there; where a variable is written behind such a way, it may miss that the way has come to life. And where a loop calls a function that
//! writes the variable, it asks whether that call can be reached without passing the read, as if no turn followed. So while LLVM's passes
//! run, the condition of a branch that depends on such a read goes through a function that they know nothing of: all ways are alive from the start
//! then. So does the address that others write through. Where the variable comes to a register, or the call becomes part of the loop, the functions go.

use super::addresses;
use crate::analysis::control::Cfg;
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// What such a condition goes through, with the width of the integer.
const SAME: &str = "omptarget_decision.i";

/// Lets the conditions and the addresses go through functions; whether there were any.
pub fn begin(module: Module) -> bool {
    let of_program = module.functions().into_iter().filter(|function| addresses::is_of_program(*function));
    of_program.fold(false, |any, function| {
        let cycles = Cycle::all(function);
        let decisions: Vec<Inst> = cycles.iter().flat_map(|cycle| cycle.decisions(module)).collect();
        let given = cycles.iter().flat_map(|cycle| cycle.given(function));
        let given: HashSet<(Inst, u32)> =
            given.filter(|(user, index)| hidden_at(*user, *index).is_none()).collect();
        decisions.iter().for_each(|branch| hide(module, *branch));
        for (user, index) in &given {
            let hidden = addresses::hide(module, &Builder::before(*user), user.operand(*index));
            user.set_operand(*index, hidden);
        }
        any | !decisions.is_empty() | !given.is_empty()
    })
}

/// The calls of the function for addresses that are needed in a function.
pub fn needed(function: Function) -> HashSet<Inst> {
    let given = Cycle::all(function).into_iter().flat_map(|cycle| cycle.given(function));
    given.filter_map(|(user, index)| hidden_at(user, index)).collect()
}

/// The call that hides an operand.
fn hidden_at(user: Inst, index: u32) -> Option<Inst> {
    let object = user.operand(index).underlying_object();
    object.as_inst().filter(|_| addresses::hidden(object).is_some())
}

/// Takes the function away where the condition no longer depends on memory; whether there was any.
pub fn between(function: Function) -> bool {
    let hidden: Vec<Inst> = function.instructions().filter(|inst| is_hidden(*inst)).collect();
    if hidden.is_empty() {
        return false;
    }
    let module = function.module();
    let decisions = Cycle::all(function).into_iter().flat_map(|cycle| cycle.decisions(module));
    let needed: HashSet<Value> = decisions.map(|branch| branch.operand(0)).collect();
    let done = hidden.into_iter().filter(|inst| !needed.contains(&inst.value()));
    done.fold(false, |_, inst| addresses::take_away(inst))
}

/// Takes it away everywhere; whether it was there.
pub fn end(module: Module) -> bool {
    let functions = module.functions().into_iter();
    let same: Vec<Function> = functions.filter(|function| function.name().starts_with(SAME)).collect();
    for function in &same {
        for inst in function.value().using_instructions() {
            addresses::take_away(inst);
        }
        function.erase();
    }
    !same.is_empty()
}

fn is_hidden(inst: Inst) -> bool {
    inst.is_call() && inst.callee_name().starts_with(SAME)
}

fn hide(module: Module, branch: Inst) {
    let condition = branch.operand(0);
    let Some(width) = condition.ty().int_width().filter(|_| !condition.as_inst().is_some_and(is_hidden))
    else {
        return;
    };
    let hidden = addresses::through(module, &format!("{SAME}{width}"), &Builder::before(branch), condition);
    branch.set_operand(0, hidden);
}

/// Blocks that lead to each other, and what they read and write of the variables that LLVM may know all accesses of.
struct Cycle {
    blocks: HashSet<Block>,
    insts: Vec<Inst>,
    read: HashSet<Value>,
    written: HashSet<Value>,
}

impl Cycle {
    /// Those of a function.
    fn all(function: Function) -> Vec<Self> {
        let mapped = if function.is_kernel() { function.parameters() } else { Vec::new() };
        let is_open = |object: &Value| addresses::is_object_of_program(*object) && !mapped.contains(object);
        let of_blocks = |blocks: HashSet<Block>| {
            let insts: Vec<Inst> = blocks.iter().flat_map(|block| block.instructions()).collect();
            let read = insts.iter().filter_map(|inst| read(*inst)).map(object).filter(is_open).collect();
            let written = insts.iter().flat_map(|inst| written(*inst)).filter(is_open).collect();
            Self { blocks, insts, read, written }
        };
        Cfg::of(function).cycles().into_iter().map(of_blocks).collect()
    }

    /// The branches that depend on what is read from a variable and written there.
    fn decisions(&self, module: Module) -> Vec<Inst> {
        let is_read = |inst: &&Inst| {
            let of = read(**inst).and_then(|address| variable(module, address));
            of.is_some_and(|of| self.written.contains(&of))
        };
        let mut found = Vec::new();
        let mut values: Vec<Inst> = self.insts.iter().filter(is_read).copied().collect();
        let mut seen: HashSet<Inst> = values.iter().copied().collect();
        while let Some(value) = values.pop() {
            for user in value.value().using_instructions() {
                if !self.blocks.contains(&user.block()) || !seen.insert(user) {
                    continue;
                }
                if matches!(user.opcode(), Opcode::LLVMBr | Opcode::LLVMSwitch) {
                    found.push(user);
                } else {
                    values.push(user);
                }
            }
        }
        found
    }

    /// Where functions that are called here get the addresses of variables that are read here: the calls, and what stores such an address. The
    /// operand is the address.
    fn given(&self, function: Function) -> Vec<(Inst, u32)> {
        let is_of_program =
            |inst: &&Inst| inst.is_call() && inst.callee().is_none_or(addresses::is_of_program);
        let calls: Vec<Inst> = self.insts.iter().filter(is_of_program).copied().collect();
        if calls.is_empty() {
            return Vec::new();
        }
        let arguments = calls.iter().flat_map(|call| {
            (0..).zip(call.arguments()).map(|(index, argument)| (*call, index, argument)).collect::<Vec<_>>()
        });
        let stores = function.instructions().filter_map(|inst| Some((inst, 0, inst.stored()?)));
        let is_read = |address: Value| address.ty().is_pointer() && self.read.contains(&object(address));
        let given = arguments.chain(stores).filter(|(_, _, address)| is_read(*address));
        given.map(|(user, index, _)| (user, index)).collect()
    }
}

/// The address that an instruction reads from.
fn read(inst: Inst) -> Option<Value> {
    inst.pointer().filter(|_| inst.opcode() == Opcode::LLVMLoad)
}

/// Whether an instruction calls what is not the runtime's nor LLVM's own, but for copies.
fn may_write_in_a_call(inst: Inst) -> bool {
    let is_none = |name: &str| {
        addresses::is_name_of_runtime(name) || name.starts_with("llvm.") && !name.starts_with("llvm.mem")
    };
    inst.is_call() && !is_none(&inst.callee_name())
}

/// The variable that an address is a constant number of bytes in.
fn variable(module: Module, address: Value) -> Option<Value> {
    let (base, _) = address.base_and_offset(module);
    let object = object(base);
    (object == base || addresses::hidden(base).is_some()).then_some(object)
}

/// The variables that an instruction writes, or lets others write.
fn written(inst: Inst) -> Vec<Value> {
    let pointers = if may_write_in_a_call(inst) {
        inst.arguments()
    } else {
        inst.stored().into_iter().chain(inst.pointer().filter(|_| inst.stored().is_some())).collect()
    };
    pointers.into_iter().filter(|value| value.ty().is_pointer()).map(object).collect()
}

fn object(address: Value) -> Value {
    let object = address.underlying_object();
    addresses::hidden(object).map_or(object, Value::underlying_object)
}
