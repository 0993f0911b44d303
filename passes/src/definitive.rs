//! Kernels are definitive while LLVM optimises a file that is not linked by device LTO.
//!
//! clang's kernels are `weak_odr`: where two files have one of a name, the linker keeps one, with what it calls. LLVM concludes
//! nothing from the body of such a function about what it calls. A device link makes it definitive, so there the
//! runtime's state folds; in clang's default mode it would stay. Nobody but the host calls a kernel, which gets one of the two
//! as it is, with the state of its file; so what is concluded from its body is right for what only it reaches. Code of the file that
//! kernels of other files may reach must not ask the runtime, or the linker's refusal, which knows of
//! state that did not fold, would not come.

use crate::analysis::kernel::Kernel;
use crate::analysis::runtime::{Known, is_openmp, known};
use crate::ir::{Function, Linkage, Module, Value};
use std::collections::{HashMap, HashSet};

/// The attribute that a kernel has meanwhile.
const MARK: &str = "omptarget-weak-odr";

/// Makes the kernels definitive, if the runtime is part of the module and no other file reaches it through this one; whether
/// that changed any.
pub fn begin(module: Module) -> bool {
    let has_runtime = module.function("__kmpc_target_init").is_some_and(|init| !init.is_declaration());
    if !has_runtime || others_ask_the_runtime(module) {
        return false;
    }
    let mut kernels = Kernel::all(module);
    kernels.retain(|kernel| kernel.function.linkage() == Linkage::LLVMWeakODRLinkage);
    for kernel in &kernels {
        kernel.function.set_linkage(Linkage::LLVMExternalLinkage);
        kernel.function.set_string_attribute(MARK, "");
    }
    !kernels.is_empty()
}

/// Undoes that; whether there was anything to undo.
pub fn end(module: Module) -> bool {
    let mut changed = false;
    for function in module.functions() {
        if function.remove_string_attribute(MARK) {
            function.set_linkage(Linkage::LLVMWeakODRLinkage);
            changed = true;
        }
    }
    changed
}

/// Whether code that a kernel of another file may reach asks the runtime.
fn others_ask_the_runtime(module: Module) -> bool {
    // The functions that each one names, and whether it does more with them than call them or give them to the runtime.
    let mut named: HashMap<Function, Vec<(Function, bool)>> = HashMap::new();
    let mut exposed = Vec::new();
    for function in module.functions() {
        let users = function.value().users();
        let is_in_a_table = users.iter().any(|user| user.as_inst().is_none());
        if !function.is_declaration() && !function.is_kernel() && (!function.is_local() || is_in_a_table) {
            exposed.push(function);
        }
        for user in users.into_iter().filter_map(Value::as_inst) {
            let is_given = user.is_call() && user.arguments().contains(&function.value());
            let stays = user.is_call() && (!is_given || is_openmp(&user.callee_name()));
            named.entry(user.function()).or_default().push((function, !stays));
        }
    }
    // What the program's own code gives away; the runtime's code is behind its functions.
    let kernels = module.functions().into_iter().filter(|function| function.is_kernel());
    for (function, leaves) in reached(kernels.chain(exposed.iter().copied()), &named) {
        if leaves && !is_openmp(&function.name()) {
            exposed.push(function);
        }
    }
    reached(exposed.into_iter(), &named).into_iter().any(|(function, _)| {
        let name = function.name();
        is_openmp(&name) && !matches!(known(function), Some(Known::ThreadNumber | Known::Uniform))
    })
}

/// What functions from `start` on name, up to the functions of the runtime, with what `named` says of it.
fn reached(
    start: impl Iterator<Item = Function>,
    named: &HashMap<Function, Vec<(Function, bool)>>,
) -> Vec<(Function, bool)> {
    let mut work: Vec<Function> = start.collect();
    let mut seen: HashSet<Function> = work.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(function) = work.pop() {
        for &(next, leaves) in named.get(&function).into_iter().flatten() {
            found.push((next, leaves));
            if !is_openmp(&next.name()) && seen.insert(next) {
                work.push(next);
            }
        }
    }
    found
}
