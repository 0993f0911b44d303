//! Calls that touch no variable of their caller's stack, says the mark `tail`.
//!
//! LLVM marks calls so where they get no address of the stack. Later openmp-opt moves memory to the stack that the runtime or the heap was to
//! give, and leaves the marks on calls that get its address: LLVM then takes what such a call writes for unwritten (`docs/upstream.md`).
//! GPUs have no tail calls, so functions that allocate, and those that such a function may become part of, have no marks.

use crate::ir::{Function, Module};
use std::collections::HashSet;

/// What gives memory that openmp-opt moves to the stack.
const ALLOCATIONS: [&str; 6] = ["__kmpc_alloc_shared", "_Znam", "_Znwm", "aligned_alloc", "calloc", "malloc"];

/// LLVM's attribute of functions in which nothing is to be marked.
const UNMARKED: &str = "disable-tail-calls";

/// Takes the marks off, and keeps LLVM from setting new ones; whether there are such functions.
pub fn run(module: Module) -> bool {
    let mut found: HashSet<Function> = HashSet::new();
    let mut work: Vec<Function> =
        ALLOCATIONS.iter().filter_map(|name| module.function(name)).flat_map(callers).collect();
    while let Some(function) = work.pop() {
        if found.insert(function) {
            work.extend(callers(function));
        }
    }
    for function in &found {
        function.may_touch_the_stack();
        function.set_string_attribute(UNMARKED, "true");
    }
    !found.is_empty()
}

/// The functions that call `function`, or name it otherwise: the runtime's calls of regions may become direct ones.
fn callers(function: Function) -> Vec<Function> {
    function.value().using_instructions().into_iter().map(|user| user.function()).collect()
}
