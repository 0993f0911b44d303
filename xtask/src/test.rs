//! `cargo xtask test`: everything that must hold, in the order in which it is cheapest to fail.

use crate::process::{self, cargo};
use crate::{dist, setup};
use anyhow::Result;

/// Installs, builds, checks and tests.
///
/// # Errors
/// The first thing that fails.
pub fn run() -> Result<()> {
    setup::run()?;
    if has_component("fmt") {
        process::run(cargo().args(["fmt", "--all", "--check"]))?;
    }
    if has_component("clippy") {
        process::run(cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ]))?;
    }
    let dist = dist::run()?;
    let mut test = cargo();
    test.args(["test", "--workspace", "--no-fail-fast"]).env("OMPTARGET_DIST", &dist);
    let ptxas = setup::assembler_folder().join("ptxas");
    if ptxas.exists() {
        test.env("OMPTARGET_PTXAS", ptxas);
    }
    process::run(&mut test)?;
    // Another build of one crate: its locks are shuttle's.
    process::run(cargo().args([
        "test",
        "--package",
        "hostrtl",
        "--lib",
        "--features",
        "shuttle",
        "interleavings",
    ]))
}

/// A minimal rustup has neither rustfmt nor clippy; the code is then tested all the same.
fn has_component(name: &str) -> bool {
    let found = cargo().args([name, "--version"]).output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("xtask: no `cargo {name}`: that check is left out");
    }
    found
}
