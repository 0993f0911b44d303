//! The repairs alone as a plugin: `omptarget cc` loads it where the passes are not wanted, so that programs are right without
//! them, too.

use passes::{Error, Settings, ir::Module, last, plugin::Stage, remark::Remarks, repairs};

passes::plugin!(c"omptarget-repairs", run);

/// In a device link, too, there may be other code than the module's.
fn run(module: Module, stage: Stage) -> Result<bool, Error> {
    match stage {
        Stage::Unoptimized => Ok(repairs::run_unoptimized(module)),
        Stage::Optimized => Ok(last::run(module, &Settings::from_llvm(), &mut Remarks::default())?),
        Stage::Compile | Stage::Link => {
            let settings = Settings { linked: stage == Stage::Link, ..Settings::from_llvm() };
            Ok(repairs::run(module, &settings, &mut Remarks::default())?)
        }
    }
}
