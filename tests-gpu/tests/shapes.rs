//! Target regions with serial code, one program a shape: the output is that of a run on the host, the kernels have the
//! expected modes, and nothing changes under the schedules of many seeds, with the checkers of races and barriers on.

use anyhow::{Context, Result, bail};
use libtest_mimic::{Arguments, Trial};
use std::process::Command;
use tests_gpu::{Case, Dist, as_on_the_host, program, shapes::SHAPES};

/// Seeds of the interpreter's scheduler that each program runs under.
const SEEDS: &str = "16";

fn main() {
    let trials = SHAPES.iter().map(|shape| {
        let case = shape.generic();
        Trial::test(case.name(), move || test(&case).map_err(|error| format!("{error:?}").into()))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn test(case: &Case) -> Result<()> {
    as_on_the_host(case)?;
    let mut command = Command::new(Dist::find()?.driver());
    command.args(["run", "--seeds", SEEDS, "--check", "race,barrier"]).arg(program(case)?);
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        bail!("{command:?}: {}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
    }
    Ok(())
}
