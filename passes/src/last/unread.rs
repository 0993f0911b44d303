//! Stores to variables in shared memory that nothing reads in any launch in which they are made.
//!
//! Shared memory belongs to one team of one launch, and a variable that is local to a module is read by its functions alone.
//! So a store is in vain if no function that the launched kernel reaches reads the variable, whatever other kernels do.

use crate::analysis::capture::only_accesses;
use crate::analysis::reach::is_address_taken;
use crate::analysis::runtime::{Known, known};
use crate::ir::{Function, Global, Inst, Module, Opcode, Value};
use std::collections::HashSet;

/// Removes them; whether there were any.
pub fn run(module: Module) -> bool {
    let variables: Vec<Accesses> = module.globals().into_iter().filter_map(Accesses::of).collect();
    if variables.iter().all(|variable| variable.stores.is_empty()) {
        return false;
    }
    let launches = launches(module);
    let mut changed = false;
    for variable in variables {
        for store in variable.stores {
            let made = store.function();
            let is_read = launches
                .iter()
                .any(|reached| reached.contains(&made) && !reached.is_disjoint(&variable.readers));
            if !is_read {
                store.erase();
                changed = true;
            }
        }
    }
    changed
}

/// What is done with a variable in shared memory.
struct Accesses {
    stores: Vec<Inst>,
    readers: HashSet<Function>,
}

impl Accesses {
    /// None if somebody may do something else with it, or read it unseen.
    fn of(variable: Global) -> Option<Self> {
        if !variable.is_shared() || !variable.is_local() {
            return None;
        }
        let mut found = Self { stores: Vec::new(), readers: HashSet::new() };
        // Pointers to it, and whether to nothing else.
        let mut work = vec![(variable.value(), true)];
        let mut seen = HashSet::new();
        while let Some((pointer, only)) = work.pop() {
            for user in pointer.users() {
                let Some(inst) = user.as_inst() else {
                    if !user.is_constant_expression() {
                        return None;
                    }
                    work.push((user, only));
                    continue;
                };
                match inst.opcode() {
                    Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast => work.push((user, only)),
                    Opcode::LLVMSelect | Opcode::LLVMPHI if seen.insert(inst) => work.push((user, false)),
                    Opcode::LLVMSelect | Opcode::LLVMPHI | Opcode::LLVMICmp => {}
                    _ if !only_accesses(inst, pointer) => return None,
                    Opcode::LLVMStore if !inst.is_volatile() => {
                        if only {
                            found.stores.push(inst);
                        }
                    }
                    _ => {
                        found.readers.insert(inst.function());
                    }
                }
            }
        }
        Some(found)
    }
}

/// For each kernel the functions that are executed when it is launched, and for kernels of other files those that may be.
fn launches(module: Module) -> Vec<HashSet<Function>> {
    let defined = module.functions().into_iter().filter(|function| !function.is_declaration());
    let (kernels, others): (Vec<_>, Vec<_>) = defined.partition(|function| function.is_kernel());
    let exposed: Vec<Function> =
        others.into_iter().filter(|function| !function.is_local() || is_address_taken(*function)).collect();
    let mut launches: Vec<_> = kernels.into_iter().map(|kernel| reached(vec![kernel], &exposed)).collect();
    launches.push(reached(exposed.clone(), &exposed));
    launches
}

/// The functions of `start` and all that they may call: where that is not known, the `exposed` ones.
fn reached(start: Vec<Function>, exposed: &[Function]) -> HashSet<Function> {
    let mut reached: HashSet<Function> = start.iter().copied().collect();
    let mut work = start;
    while let Some(function) = work.pop() {
        for call in function.instructions().filter(|inst| inst.is_call()) {
            let callees = match call.callee() {
                Some(callee) if !callee.is_declaration() && !callee.is_interposable() => vec![callee],
                Some(callee) if returns_without_calls(callee) => continue,
                None if call.called().is_some_and(Value::is_inline_asm) => continue,
                callee => exposed.iter().copied().chain(callee).collect(),
            };
            work.extend(callees.into_iter().filter(|callee| reached.insert(*callee)));
        }
    }
    reached
}

/// Whether a function of elsewhere calls none of this module.
fn returns_without_calls(callee: Function) -> bool {
    callee.is_intrinsic() || known(callee) == Some(Known::Leaf)
}
