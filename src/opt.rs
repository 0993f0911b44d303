//! `omptarget opt`: the passes over LLVM IR of device code. The work is done by the `omptarget-opt` of the installation, a
//! program of its own: it needs LLVM's library, which this one does without.

use crate::{cc, layout};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs it with the same arguments, and gives its exit code.
///
/// # Errors
/// There is no installation around this program, or the tool cannot be started.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let tool = layout::prefix()?.join(layout::PASS_TOOL);
    cc::execute(&tool, arguments, &[])
        .context("omptarget-opt needs LLVM 22's library: `cargo xtask setup` installs it")
}
