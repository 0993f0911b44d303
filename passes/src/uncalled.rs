//! What a device link brings along of the runtime, and no kernel calls: all of it is one member of `libompdevice.a`. It goes before
//! anything looks at the module, which is a fourth of its size then, and so is the time that the passes take.

use crate::analysis::runtime::{is_inside_runtime, is_openmp};
use crate::ir::{Error, Function, Linkage, Module};

/// The runtime's functions that passes write calls of: ours, and LLVM's openmp-opt.
const CALLED_BY_PASSES: [&str; 14] = [
    "__kmpc_alloc_shared",
    "__kmpc_barrier",
    "__kmpc_barrier_simple_generic",
    "__kmpc_barrier_simple_spmd",
    "__kmpc_free_shared",
    "__kmpc_get_hardware_num_threads_in_block",
    "__kmpc_get_hardware_thread_id_in_block",
    "__kmpc_get_shared_variables",
    "__kmpc_get_warp_size",
    "__kmpc_global_thread_num",
    "__kmpc_kernel_end_parallel",
    "__kmpc_kernel_parallel",
    "__kmpc_target_deinit",
    "__kmpc_target_init",
];

/// Drops from a module that a device link has joined what is local to it and nobody uses of the runtime; whether it is such a module. What
/// is not of the runtime stays: passes call mathematics and the compiler's functions by names of many forms.
///
/// # Errors
/// The stock pass that drops is not there.
pub fn run(module: Module) -> Result<bool, Error> {
    if !module.is_device_code() {
        return Ok(false);
    }
    let stays = |function: &Function| {
        let name = function.name();
        let is_of_runtime = is_openmp(&name) || is_inside_runtime(&name);
        function.linkage() == Linkage::LLVMInternalLinkage
            && !function.is_declaration()
            && (!is_of_runtime || CALLED_BY_PASSES.contains(&name.as_str()))
    };
    let kept: Vec<Function> = module.functions().into_iter().filter(stays).collect();
    kept.iter().for_each(|function| function.set_linkage(Linkage::LLVMExternalLinkage));
    let dropped = module.run_passes("globaldce");
    kept.iter().for_each(|function| function.set_linkage(Linkage::LLVMInternalLinkage));
    dropped.map(|()| true)
}
