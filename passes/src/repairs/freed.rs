//! Memory that is freed, or not: a pointer that may be one of several.
//!
//! LLVM 22's openmp-opt moves what `malloc` gives to the stack if it is freed, and drops the `free` with it: also one that frees something else
//! on another way. Of a list whose first node goes to the stack no node is freed any more (`docs/upstream.md`). So while LLVM's passes run
//! a `free` of which it is not sure what it frees is the call of a function that they know nothing of. Between their runs
//! it may become sure.

use crate::ir::{Function, Inst, Module};

/// LLVM's name for what frees memory. C++'s functions, in clang's headers, call it.
const FREE: &str = "free";

/// The name meanwhile.
const UNKNOWN: &str = "omptarget_free";

/// What gives memory that nothing else has.
const ALLOCATIONS: [&str; 3] = ["aligned_alloc", "calloc", "malloc"];

/// Gives the calls another callee; whether there were any.
pub fn begin(module: Module) -> bool {
    let Some(free) = module.function(FREE).filter(|free| free.is_declaration()) else { return false };
    let unknown =
        module.function_or_declare(UNKNOWN, module.void_type(), &[module.pointer_type()], &["nounwind"]);
    unknown.copy_string_attributes(free, &["llvm.assume"]);
    let users = free.value().using_instructions();
    users.into_iter().fold(false, |any, call| decide(call, [free, unknown]) | any)
}

/// Looks at the calls of one function again; whether that changed any.
pub fn between(function: Function) -> bool {
    let module = function.module();
    let (Some(free), Some(unknown)) = (module.function(FREE), module.function(UNKNOWN)) else { return false };
    let calls: Vec<Inst> = function.instructions().filter(|inst| inst.is_call()).collect();
    calls.into_iter().fold(false, |any, call| decide(call, [free, unknown]) | any)
}

/// Undoes that; whether there was anything to undo.
pub fn end(module: Module) -> bool {
    let Some(unknown) = module.function(UNKNOWN) else { return false };
    let free = module.function_or_declare(FREE, module.void_type(), &[module.pointer_type()], &["nounwind"]);
    unknown.value().replace_all_uses(free.value());
    unknown.erase();
    true
}

/// Sets the callee of a call of one of the two; whether it was the other one.
fn decide(call: Inst, [free, unknown]: [Function; 2]) -> bool {
    let Some(now) = call.callee().filter(|callee| [free, unknown].contains(callee)) else { return false };
    let freed = call.arguments().first().and_then(|pointer| pointer.strip_casts().as_inst());
    let is_sure = freed.is_some_and(|of| ALLOCATIONS.contains(&&*of.callee_name()));
    let right = if is_sure { free } else { unknown };
    if now != right {
        call.set_callee(right);
    }
    now != right
}
