//! The timed work of `kernels/bench.c`, for the benches and for bundles.

use crate::{Case, Route, Run};
use anyhow::{Context, Result};
use std::path::Path;

/// The program that does the work and takes the time.
pub const BENCH: Case = Case::new("bench.c", Route::Omptarget, "O3", &[&["-O3"]]);

/// One piece of work.
pub struct Work {
    /// Its name on the program's command line.
    pub name: &'static str,
    /// Elements of each array.
    pub elements: u64,
    /// Bytes that one iteration reads and writes; 0 where that does not matter.
    pub bytes: u64,
}

const ELEMENTS: u64 = 1 << 20;

/// All pieces.
pub const WORK: [Work; 5] = [
    Work { name: "empty", elements: 1, bytes: 0 },
    Work { name: "saxpy", elements: ELEMENTS, bytes: 24 * ELEMENTS },
    Work { name: "dot", elements: ELEMENTS, bytes: 16 * ELEMENTS },
    Work { name: "regions", elements: 1, bytes: 0 },
    Work { name: "transfer", elements: ELEMENTS, bytes: 16 * ELEMENTS },
];

/// Seconds that `iterations` of `work` take, as `program`, the built [`BENCH`], measures them itself.
///
/// # Errors
/// The program fails, a wrong result included, or prints no number.
pub fn time(program: &Path, work: &Work, iterations: u64) -> Result<f64> {
    let run = Run::on_device().with("LIBOMPTARGET_INFO", 0);
    let run = run.argument(work.name).argument(iterations).argument(work.elements);
    let outcome = run.of(program)?.successful()?;
    outcome.stdout.trim().parse().with_context(|| format!("no number of seconds: {outcome}"))
}
