//! Running other programs, and where things are.

use anyhow::{Context, Result, bail};
use std::process::Command;

pub use tests_gpu::dist::{cargo, root, target};

/// Says what is run and runs it.
///
/// # Errors
/// It cannot be started, or fails; the message holds the command.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    eprintln!("xtask: {line}");
    let status = command.status().with_context(|| format!("cannot start: {line}"))?;
    if !status.success() {
        bail!("{status}: {line}");
    }
    Ok(())
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
