//! `cargo xtask demo`: three OpenMP programs, compiled by stock clang-22, run on the device and on the host.

use crate::{dist, process, setup};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use tests_gpu::{CASES, Dist, Run, build, launch};

/// Cases of the tests that are shown, and what they show.
const SHOWN: &[(&str, &str)] = &[
    ("saxpy_reduce.O2", "saxpy and reductions in double, float and int"),
    ("generic.O2", "serial and parallel parts, as clang optimises them"),
    ("generic.generic", "serial and parallel parts, kept in generic mode"),
    ("cg.O2", "conjugate gradients on a Poisson matrix"),
];

/// Runs the demo.
///
/// # Errors
/// Something cannot be built, or a result differs from the host's.
pub fn run() -> Result<()> {
    setup::run()?;
    let dist = Dist::find_in(&dist::run()?)?;
    let folder = process::target().join("demo");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, title) in SHOWN {
        let case = CASES
            .iter()
            .find(|case| case.name() == *name)
            .with_context(|| format!("there is no case {name}"))?;
        let program = folder.join(name);
        process::run(&mut build::command(&dist, case, &[], &program)?)?;
        show(case.source, title, &program)?;
    }
    println!("\nall results are equal to the host runs");
    Ok(())
}

fn show(source: &str, title: &str, program: &Path) -> Result<()> {
    let host = Run::on_host().of(program)?.successful()?;
    let device = Run::on_device().of(program)?.successful()?;

    println!("\n== {source}: {title}");
    println!(
        "device   {}",
        launch::device(&device.stderr).context("the runtime did not say which device it used")?
    );
    let mut counts = BTreeMap::new();
    for launch in device.launches() {
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
    device.stdout.lines().for_each(|line| println!("result   {line}"));
    ensure!(!counts.is_empty(), "{source}: no kernel was launched");
    if device.stdout != host.stdout {
        bail!("{source}: the host run says otherwise:\n{}", host.stdout);
    }
    println!("equal to the host run");
    Ok(())
}
