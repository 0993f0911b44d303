//! Loops whose body is a function, as flang writes them.
//!
//! LLVM 22's openmp-opt does not look for parallel regions in such a body, and says that the kernel has none inside each other. So our runtime
//! does not believe it where such a loop was, which costs a barrier. Here the loop is told that its body has no
//! regions, where that is so.

use crate::analysis::reach::Reaches;
use crate::ir::Module;
use abi::schedule::callback_loop::NO_REGIONS;

/// The functions of such loops begin with one of these. The number of their arguments: with one less, from before LLVM 22, they cannot
/// be told anything.
const LOOPS: [(&str, usize); 3] = [
    ("__kmpc_for_static_loop_", 7),
    ("__kmpc_distribute_static_loop_", 6),
    ("__kmpc_distribute_for_static_loop_", 8),
];

/// Tells loops that their bodies have no regions; whether there were any.
pub fn run(module: Module, whole_program: bool) -> bool {
    let mut reaches = Reaches::of(module, whole_program);
    let mut changed = false;
    for function in module.functions() {
        let name = function.name();
        let Some((_, arguments)) = LOOPS.iter().find(|(start, _)| name.starts_with(start)) else { continue };
        for call in function.value().using_instructions() {
            let given = call.arguments();
            if !call.is_call() || call.callee() != Some(function) || given.len() != *arguments {
                continue;
            }
            let Some(body) = given[1].strip_casts().as_function() else { continue };
            let Some(told) = given[arguments - 1].as_constant_int() else { continue };
            let reach = reaches.function(body);
            let now = told | NO_REGIONS as u64;
            // A task may hold a region, too: among the functions that set the runtime's state are those that run one.
            if reach.is_serial() && !reach.sets_state && now != told {
                call.set_operand(*arguments as u32 - 1, module.int_type(8).constant(now));
                changed = true;
            }
        }
    }
    changed
}
