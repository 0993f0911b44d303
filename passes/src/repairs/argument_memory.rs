//! Functions that access what their arguments point to, and nothing else, says an attribute.
//!
//! Where all calls of such a function give the same variable, LLVM 22's openmp-opt takes the accesses for those of a global variable. Together
//! with the attribute, which says that there are none, the function does nothing, and its calls go: a team's array that a
//! region or serial code hands to a function that is not inlined stays as it was (`docs/upstream.md`). So functions that only their module
//! calls do not say it, as long as openmp-opt is to come.

use crate::ir::{Function, Module};

/// The attribute.
const MEMORY: &str = "memory";

/// Takes the attribute from all such functions; whether there were any.
pub fn run(module: Module) -> bool {
    module.functions().into_iter().fold(false, |any, function| forget(function) | any)
}

/// Takes it from one of them; whether it is one.
pub fn forget(function: Function) -> bool {
    let says_it = !function.is_declaration() && function.is_local() && function.accesses_arguments_alone();
    if says_it {
        function.remove_attribute(MEMORY);
    }
    says_it
}
