//! The timed work of `kernels/bench_host.c`, on our host runtime and on LLVM's, both on the stand-in driver, which leaves
//! launches out: what remains is the time of the runtime, with that of its driver calls.

use crate::stand_in::Host;
use crate::{Case, Dist, Route, Run};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// The program that does the work and takes the time.
pub const BENCH: Case = Case::new("bench_host.c", Route::Elf, "O2", &[&["-O2"]]);

/// One piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Its name on the program's command line.
    pub name: &'static str,
    /// What it says: bytes, entries or threads.
    pub size: u64,
    /// Words for people.
    pub meaning: &'static str,
    /// Iterations that a run is to have at least, lest the first ones be all that is timed.
    pub least: u64,
}

const fn work(name: &'static str, size: u64, meaning: &'static str) -> Work {
    Work { name, size, meaning, least: 10_000 }
}

/// Of a table whose size decides how long a lookup waits for memory.
const fn lookup(size: u64, meaning: &'static str) -> Work {
    Work { least: 200_000, ..work("lookup", size, meaning) }
}

/// All pieces.
pub const WORK: [Work; 18] = [
    work("launch", 1, "launch without maps"),
    work("mapped", 1, "launch, four arrays mapped already"),
    work("map_unmap", 1, "launch that maps and unmaps two small arrays"),
    work("packed", 1, "launch, eight private structs"),
    work("enter_exit", 256, "enter and exit data, 256 bytes"),
    Work { least: 50, ..work("enter_exit", 1 << 20, "enter and exit data, 1 MiB") },
    Work { least: 2, ..work("pageable", 64 << 20, "64 MiB to the device and back") },
    Work { least: 2, ..work("pinned", 64 << 20, "64 MiB of pinned memory to the device and back") },
    lookup(10, "lookup, table of 10 entries"),
    lookup(1_000, "lookup, table of 10^3 entries"),
    lookup(10_000, "lookup, table of 10^4 entries"),
    lookup(100_000, "lookup, table of 10^5 entries"),
    lookup(1_000_000, "lookup, table of 10^6 entries"),
    work("threads", 1, "launch, mapped, 1 thread"),
    work("threads", 2, "launch, mapped, 2 threads at once"),
    work("threads", 4, "launch, mapped, 4 threads at once"),
    work("threads", 8, "launch, mapped, 8 threads at once"),
    work("threads", 16, "launch, mapped, 16 threads at once"),
];

fn run(host: Host, dist: &Dist, work: &Work, iterations: u64) -> Run {
    with(&host.on_stand_in(dist).with("OMPTARGET_SIMT_LAUNCHES", "skip"), work, iterations)
}

fn with(run: &Run, work: &Work, iterations: u64) -> Run {
    run.clone().with("LIBOMPTARGET_INFO", 0).argument(work.name).argument(iterations).argument(work.size)
}

/// Seconds that `iterations` of `work` take, as `program`, the built [`BENCH`], measures them itself.
///
/// # Errors
/// The program fails, or prints no number.
pub fn time(host: Host, dist: &Dist, program: &Path, work: &Work, iterations: u64) -> Result<f64> {
    seconds(&run(host, dist, work, iterations), program)
}

/// The same, on the host runtime that the run names.
///
/// # Errors
/// As [`time`].
pub fn time_of(run: &Run, program: &Path, work: &Work, iterations: u64) -> Result<f64> {
    seconds(&with(run, work, iterations), program)
}

fn seconds(run: &Run, program: &Path) -> Result<f64> {
    let outcome = run.of(program)?.successful()?;
    outcome.stdout.trim().parse().with_context(|| format!("no number of seconds: {outcome}"))
}

/// Driver calls of one iteration, by name: what more iterations call more. `folder` is for the traces.
///
/// # Errors
/// The program fails, or one of its threads calls another number of times than the others.
pub fn calls(
    host: Host,
    dist: &Dist,
    program: &Path,
    work: &Work,
    folder: &Path,
) -> Result<BTreeMap<String, u64>> {
    let traced = |iterations: u64| -> Result<BTreeMap<String, u64>> {
        let file = folder.join(format!("{host:?}-{}-{iterations}", work.name));
        let _ = std::fs::remove_file(&file);
        run(host, dist, work, iterations)
            .with("OMPTARGET_SIMT_TRACE", file.display())
            .of(program)?
            .successful()?;
        let trace = std::fs::read_to_string(&file).with_context(|| format!("no trace {}", file.display()))?;
        let mut calls = BTreeMap::new();
        for line in trace.lines() {
            let name = line.split(' ').nth(1).context("a line of the trace without a name")?;
            *calls.entry(name.to_owned()).or_default() += 1;
        }
        Ok(calls)
    };
    const FEW: u64 = 20;
    const MANY: u64 = 60;
    let (few, many) = (traced(FEW)?, traced(MANY)?);
    let iterations = MANY - FEW;
    let mut calls = BTreeMap::new();
    for (name, count) in many {
        let more = count - few.get(&name).copied().unwrap_or(0);
        ensure!(more % iterations == 0, "{name} is called {more} times in {iterations} iterations");
        if more > 0 {
            calls.insert(name, more / iterations);
        }
    }
    Ok(calls)
}
