//! Reductions over a section of what a pointer of the function points to: `int *p = ...;` and `reduction(+: p[:2])`.
//!
//! clang calls the private copy of the section by the pointer's name. Where it sees that an address behind this name is handed on (`f(&p[0])`),
//! it has the runtime allocate the variable of that name, and then takes the pointer's memory for the private copy as well, which may be
//! larger: each overwrites the other (docs/upstream.md). So the pointer gets memory of its own, and the private copy as much as it needs.

use crate::analysis::control::{Cfg, Dominators};
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};

/// The size of a pointer, in bytes.
const POINTER: u64 = 8;

/// Parts such pointers from the private copies; whether there were any.
pub fn run(module: Module) -> bool {
    let parts: Vec<(Function, Vec<Variable>)> = module
        .functions()
        .into_iter()
        .map(|function| (function, function.instructions().filter_map(Variable::of).collect()))
        .filter(|(_, variables): &(Function, Vec<Variable>)| !variables.is_empty())
        .collect();
    for (function, variables) in &parts {
        let dominators = Cfg::of(*function).dominators();
        variables.iter().for_each(|variable| variable.part(module, &dominators));
    }
    !parts.is_empty()
}

/// A pointer that shares its memory with private copies of sections.
struct Variable {
    /// The call of the runtime that allocates the memory.
    memory: Inst,
    /// For each section the load of the pointer for the address of its first element, with which the construct begins.
    starts: Vec<Inst>,
}

impl Variable {
    /// What the call `memory` allocates, if it is shared so.
    fn of(memory: Inst) -> Option<Self> {
        if memory.callee_name() != "__kmpc_alloc_shared"
            || memory.operand(0).as_constant_int() != Some(POINTER)
        {
            return None;
        }
        let users = memory.value().using_instructions();
        let starts: Vec<Inst> = users.into_iter().filter_map(|user| start(memory.value(), user)).collect();
        (!starts.is_empty()).then_some(Self { memory, starts })
    }

    fn part(&self, module: Module, dominators: &Dominators) {
        let bytes = self.bytes_of_copy(module).max(POINTER);
        let size = Builder::before(self.memory).long(bytes);
        let users = self.memory.value().using_instructions();
        let pointer = self.memory.clone_before(self.memory);
        self.memory.set_operand(0, size);
        for user in users {
            if user.callee_name() == "__kmpc_free_shared" {
                user.clone_before(user).set_operand(0, pointer.value());
                user.set_operand(1, size);
            } else if self.is_of_pointer(user, dominators) {
                user.replace_operand(self.memory.value(), pointer.value());
            }
        }
    }

    /// Whether an instruction uses the memory as that of the pointer. A private copy is used through other addresses, or for other types than
    /// a pointer's, and only in its construct.
    fn is_of_pointer(&self, user: Inst, dominators: &Dominators) -> bool {
        let memory = Some(self.memory.value());
        let moves_pointer = user.pointer() == memory
            && match user.opcode() {
                Opcode::LLVMLoad => user.value().ty().is_pointer(),
                _ => user.operand(0).ty().is_pointer(),
            };
        moves_pointer || !self.starts.iter().any(|start| dominators.dominates_instruction(*start, user))
    }

    /// The bytes of the largest private copy: up to the end that its loops compare with, if it has several elements.
    fn bytes_of_copy(&self, module: Module) -> u64 {
        let memory = self.memory.value();
        let users = memory.using_instructions();
        let elements = users.iter().filter(|user| user.opcode() == Opcode::LLVMGetElementPtr);
        elements
            .map(|element| {
                let (base, offset) = element.value().base_and_offset(module);
                let end = if base == memory { offset.max(0) as u64 } else { 0 };
                end.max(module.size_of(element.element_type()))
            })
            .max()
            .unwrap_or(0)
    }
}

/// Where the construct begins in which `user` is `memory + (p - first)`, that is what stands for the pointer there. `memory` is that of
/// the pointer `p` and of the private copy, `first` the address of the section's first element.
fn start(memory: Value, user: Inst) -> Option<Inst> {
    if user.opcode() != Opcode::LLVMGetElementPtr || user.operand(0) != memory {
        return None;
    }
    let elements = instruction(user.value().operands().last().copied()?, Opcode::LLVMSDiv)?;
    let bytes = instruction(elements.operand(0), Opcode::LLVMSub)?;
    load_of(memory, instruction(bytes.operand(0), Opcode::LLVMPtrToInt)?.operand(0))?;
    let first = instruction(bytes.operand(1), Opcode::LLVMPtrToInt)?.operand(0);
    load_of(memory, instruction(first, Opcode::LLVMGetElementPtr)?.operand(0))
}

/// The load from `memory` that gives `value`.
fn load_of(memory: Value, value: Value) -> Option<Inst> {
    instruction(value, Opcode::LLVMLoad).filter(|load| load.operand(0) == memory)
}

fn instruction(value: Value, opcode: Opcode) -> Option<Inst> {
    value.as_inst().filter(|inst| inst.opcode() == opcode)
}
