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
    // hostrtl's tests once more, with shuttle's locks. The whole workspace, so that what they need is there from above: for
    // one package cargo chooses other features of its dependencies, and builds them all again.
    process::run(cargo().args([
        "test",
        "--workspace",
        "--lib",
        "--features",
        "hostrtl/shuttle",
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
