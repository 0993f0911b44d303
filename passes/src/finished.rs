//! Library functions that openmp-opt passes over.
//!
//! openmp-opt asks about each load of each function of a module, and its questions ask each other: with the functions that
//! flang's `print` needs it takes a minute at a device link. They call nothing of a program's and take no pointers to shared
//! state, so the answers are of no use. What is not to be optimised it leaves alone; LLVM's other passes do, too,
//! which is no loss for code that was optimised when the device runtime was built. The back end is to optimise it again.

use crate::ir::{Function, Module};
use abi::attribute::FINISHED;

/// With these a function cannot be one that is not to be optimised.
const AGAINST: [&str; 3] = ["alwaysinline", "minsize", "optsize"];

/// Keeps openmp-opt from them; whether there are any.
pub fn begin(module: Module) -> bool {
    let mut functions = finished(module);
    functions.retain(|function| !AGAINST.iter().any(|name| function.has_attribute(name)));
    for function in &functions {
        function.add_attribute("noinline");
        function.add_attribute("optnone");
    }
    !functions.is_empty()
}

/// Undoes that; whether there was anything to undo.
pub fn end(module: Module) -> bool {
    let functions = finished(module);
    functions.iter().for_each(|function| function.remove_attribute("optnone"));
    !functions.is_empty()
}

fn finished(module: Module) -> Vec<Function> {
    let mut functions = module.functions();
    functions.retain(|function| !function.is_declaration() && function.string_attribute(FINISHED).is_some());
    functions
}
