//! `cargo xtask demo`: three OpenMP programs, compiled by stock clang-22, run on the device and on the host.

use crate::{dist, process, setup};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use tests_gpu::launch;

/// A program of the demo: source in `kernels/`, what is shown, and options that change how clang treats it.
struct Program {
    source: &'static str,
    title: &'static str,
    options: &'static [&'static str],
}

const PROGRAMS: &[Program] = &[
    Program {
        source: "saxpy_reduce.c",
        title: "saxpy and reductions in double, float and int",
        options: &[],
    },
    Program {
        source: "generic.c",
        title: "serial and parallel parts, as clang optimises them",
        options: &[],
    },
    Program {
        source: "generic.c",
        title: "serial and parallel parts, kept in generic mode",
        options: tests_gpu::KEEP_GENERIC,
    },
    Program { source: "cg.c", title: "conjugate gradients on a Poisson matrix", options: &[] },
];

/// Runs the demo.
///
/// # Errors
/// Something cannot be built, or a result differs from the host's.
pub fn run() -> Result<()> {
    setup::run()?;
    let dist = dist::run()?;
    let folder = process::target().join("demo");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (number, program) in PROGRAMS.iter().enumerate() {
        let binary = folder.join(format!("{number}-{}", program.source.trim_end_matches(".c")));
        let mut compile = Command::new(dist.join("bin/omptarget"));
        compile
            .arg("cc")
            .arg("-O2")
            .args(program.options)
            .arg(process::root().join("kernels").join(program.source));
        process::run(compile.arg("-lm").arg("-o").arg(&binary))?;
        show(program, &binary)?;
    }
    println!("\nall results are equal to the host runs");
    Ok(())
}

fn show(program: &Program, binary: &Path) -> Result<()> {
    let host = execute(Command::new(binary).env("OMP_TARGET_OFFLOAD", "DISABLED"))?;
    let device = execute(
        Command::new(binary)
            .env("OMP_TARGET_OFFLOAD", "MANDATORY")
            .env("LIBOMPTARGET_INFO", launch::LAUNCH_INFO),
    )?;
    let log = String::from_utf8_lossy(&device.stderr);

    println!("\n== {}: {}", program.source, program.title);
    println!("device   {}", launch::device(&log).context("the runtime did not say which device it used")?);
    let mut counts = BTreeMap::new();
    for launch in launch::launches(&log) {
        *counts.entry(launch).or_insert(0) += 1;
    }
    for (launch, count) in &counts {
        let dimensions = |d: [u32; 3]| d.map(|n| n.to_string()).join(",");
        let (grid, block) = (dimensions(launch.grid), dimensions(launch.block));
        println!(
            "kernel   {:24} {:12} grid [{grid}] block [{block}] x {count}",
            launch.region(),
            launch.mode
        );
    }
    let result = String::from_utf8_lossy(&device.stdout);
    result.lines().for_each(|line| println!("result   {line}"));
    ensure!(!counts.is_empty(), "{}: no kernel was launched", program.source);
    if device.stdout != host.stdout {
        bail!("{}: the host run says otherwise:\n{}", program.source, String::from_utf8_lossy(&host.stdout));
    }
    println!("equal to the host run");
    Ok(())
}

fn execute(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        bail!("{}: {command:?}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
    }
    Ok(output)
}
