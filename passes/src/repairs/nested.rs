//! Regions inside regions of functions of other files: openmp-opt looks at a file alone and writes down for a kernel that it has none
//! (`MayUseNestedParallelism`), without regard to what the functions of others do that its serial code calls. At a device link it asks
//! anew, but for one that optimises nothing, or where it is switched off.

use crate::analysis::kernel::Kernel;
use crate::ir::Module;
use abi::mode::ExecMode;

/// Takes back what was written down about the generic kernels of files that a device link joins, as clang begins; whether there was any.
pub fn expect(module: Module) -> bool {
    let mut changed = false;
    for kernel in Kernel::all(module) {
        if kernel.mode() == ExecMode::GENERIC && !kernel.may_nest() {
            kernel.set_may_nest(true);
            changed = true;
        }
    }
    changed
}
