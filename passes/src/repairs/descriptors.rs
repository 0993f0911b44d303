//! Reductions of arrays in Fortran, whose variables are descriptors: a pointer to the elements, and bounds.
//!
//! The functions that LLVM 22 writes for them make descriptors of their own, for what another lane has or another team, and set nothing in
//! them but the pointer; the bounds are what the stack happens to hold. Where a lane takes what another one has, they
//! take its pointer, to a stack that is gone when the function returns. And the memory of a team's variables has room for pointers, not for
//! elements (docs/upstream.md).

use crate::analysis::callers::Callers;
use crate::analysis::kernel::Kernel;
use crate::analysis::reductions::{LEAGUE, TEAM, given};
use crate::ir::{Builder, Function, Inst, Module, Opcode, Value};

/// The arguments of the runtime's functions that are functions which make descriptors, and the parameter of each that is the list.
const MAKING: [(&str, usize, usize); 4] = [(TEAM, 3, 0), (LEAGUE, 5, 0), (LEAGUE, 8, 2), (LEAGUE, 10, 2)];
/// The argument that copies a team's variables to the memory for them.
const COPY: usize = 7;

/// Repairs the functions of a module of flang; whether it has any.
pub fn run(module: Module) -> bool {
    let mut changed = false;
    for (name, argument, parameter) in MAKING {
        for (_, function) in given(module, name, argument) {
            let Some(list) = function.parameters().get(parameter).copied() else { continue };
            let found = function.instructions().filter_map(|inst| Descriptor::of(module, inst));
            for descriptor in found.collect::<Vec<_>>() {
                changed |=
                    descriptor.complete(module, list) | descriptor.take_elements(module, function, list);
            }
        }
    }
    changed | make_room(module)
}

/// A descriptor on the stack of a function, in a list on its stack.
struct Descriptor {
    descriptor: Inst,
    /// The store of the pointer to its elements.
    pointer: Inst,
    /// The list, and how many bytes behind its start the descriptor's address is.
    list: (Value, i64),
}

impl Descriptor {
    /// The one whose pointer `inst` sets.
    fn of(module: Module, inst: Inst) -> Option<Self> {
        let (descriptor, 0) = stored_to(module, inst)? else { return None };
        let descriptor = descriptor.as_alloca()?;
        descriptor.allocated_type().element_count()?;
        let users = descriptor.value().using_instructions();
        let list = users.into_iter().find_map(|user| {
            let is_in = user.stored() == Some(descriptor.value());
            is_in.then(|| stored_to(module, user)).flatten().filter(|(list, _)| list.as_alloca().is_some())
        })?;
        Some(Self { descriptor, pointer: inst, list })
    }

    /// Sets everything that the variable's own descriptor has, in `list`, before the pointer is set.
    fn complete(&self, module: Module, list: Value) -> bool {
        let builder = Builder::before(self.pointer);
        let own = own(&builder, list, self.list.1);
        let ty = self.descriptor.allocated_type();
        let alignment = module.alignment_of(ty) as u32;
        builder.copy_aligned((self.descriptor.value(), alignment), (own, alignment), module.size_of(ty));
        true
    }

    /// Takes the elements where the own descriptor, in `list`, takes the pointer of this one.
    fn take_elements(&self, module: Module, function: Function, list: Value) -> bool {
        let Some(elements) = self.pointer.operand(0).as_alloca() else { return false };
        let ty = elements.allocated_type();
        let (bytes, alignment) = (module.size_of(ty), module.alignment_of(ty) as u32);
        let stores: Vec<(Inst, Value)> = function
            .instructions()
            .filter_map(|inst| {
                let to = inst.pointer().filter(|_| inst.opcode() == Opcode::LLVMStore)?;
                (slot(module, inst.operand(0), 2)? == self.list).then_some(())?;
                let (of, offset) = slot(module, to, 1)?;
                (offset == self.list.1 && is_parameter(of, list)).then_some((inst, to))
            })
            .collect();
        for (store, to) in &stores {
            let builder = Builder::before(*store);
            let own = builder.load(store.operand(0).ty(), *to, "own");
            builder.copy_aligned((own.value(), alignment), (store.operand(0), alignment), bytes);
            store.erase();
        }
        !stores.is_empty()
    }
}

/// The address at `offset` in the list that a function gets.
fn own(builder: &Builder, list: Value, offset: i64) -> Value {
    let place = builder.byte_behind(list, builder.long(offset as u64));
    builder.load(list.ty(), place, "own").value()
}

/// From where in which list `value` comes by so many loads.
fn slot(module: Module, value: Value, loads: u32) -> Option<(Value, i64)> {
    let load = value.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMLoad)?;
    let (base, offset) = load.operand(0).base_and_offset(module);
    match loads {
        1 => Some((base, offset)),
        _ if offset == 0 => slot(module, base, loads - 1),
        _ => None,
    }
}

/// Whether `value` is the parameter, which code that is not optimised reads from its stack.
fn is_parameter(value: Value, parameter: Value) -> bool {
    let kept_in = |load: Inst| load.operand(0).as_alloca().filter(|_| load.opcode() == Opcode::LLVMLoad);
    let holds = |place: Inst| {
        let mut users = place.value().using_instructions().into_iter();
        users.any(|user| user.stored() == Some(parameter))
    };
    value == parameter || value.as_inst().and_then(kept_in).is_some_and(holds)
}

/// Where a store of a pointer goes to: the object, and how many bytes behind its start.
fn stored_to(module: Module, inst: Inst) -> Option<(Value, i64)> {
    let to = inst.pointer().filter(|_| inst.stored().is_some_and(|stored| stored.ty().is_pointer()))?;
    Some(to.base_and_offset(module))
}

/// Makes room for the elements in the memory for what teams have; whether there was too little.
fn make_room(module: Module) -> bool {
    let copies = given(module, LEAGUE, COPY);
    if copies.is_empty() {
        return false;
    }
    let callers = Callers::of(module, false);
    let mut changed = false;
    for (call, copy) in copies {
        let Some(buffer) = copy.parameters().first().copied() else { continue };
        let structures = copy.instructions().filter(|inst| inst.opcode() == Opcode::LLVMGetElementPtr);
        let structures = structures.filter(|inst| is_parameter(inst.operand(0), buffer));
        let Some(bytes) = structures.map(|inst| module.size_of(inst.element_type())).max() else { continue };
        let kernels = callers.kernels_of(call.function()).unwrap_or_else(|| Kernel::all(module));
        for kernel in kernels.iter().filter(|kernel| kernel.reduction_bytes() < bytes) {
            kernel.set_reduction_bytes(bytes);
            changed = true;
        }
    }
    changed
}
