//! The repairs alone as a plugin: `omptarget cc` loads it where the passes are not wanted, so that programs are right without
//! them, too.

use passes::{Error, Settings, ir::Module, remark::Remarks, repairs};

passes::plugin!(c"omptarget-repairs", run);

/// In a device link, too, there may be other code than the module's.
fn run(module: Module, _whole_program: bool) -> Result<bool, Error> {
    Ok(repairs::run(module, &Settings::from_llvm(), &mut Remarks::default())?)
}
