//! What a bundle for a machine with a GPU holds, and the results that its runner writes.
//!
//! `cargo xtask gpu-bundle` puts the programs of every [`crate::Case`] into one folder for each kind of image.

use crate::{CASES, Case, Route};
use serde::Serialize;

/// Kinds of device image; each is a folder of the bundle. A bundle made without ptxas has no cubins.
pub const IMAGES: [&str; 2] = ["ptx", "cubin"];

/// The cases that a bundle holds with `image`: the routes other than `omptarget cc` exist for PTX only.
pub fn cases(image: &str) -> impl Iterator<Item = &'static Case> {
    let ptx = image == "ptx";
    CASES.iter().filter(move |case| ptx || matches!(case.route, Route::Omptarget | Route::OmptargetCxx))
}

/// File with the commit that the bundle was built from.
pub const COMMIT: &str = "commit";

/// Everything that the runner found; written as `results.json`.
#[derive(Serialize)]
pub struct Results {
    /// Commit of the bundle.
    pub commit: String,
    /// Seconds since 1970 at the start.
    pub unix_time: u64,
    /// Device as the runtime names it: name, architecture, driver.
    pub device: String,
    /// Kinds of image that the device cannot run, and why.
    pub skipped: Vec<&'static str>,
    /// One entry a program.
    pub programs: Vec<ProgramResult>,
    /// One entry a timed piece of work.
    pub benches: Vec<BenchResult>,
}

/// How a program went.
#[derive(Serialize)]
pub struct ProgramResult {
    /// Name of the case.
    pub name: String,
    /// `ptx` or `cubin`.
    pub image: &'static str,
    /// Empty if the output was that of the host run, else what was wrong.
    pub failure: String,
    /// Kernels launched.
    pub launches: usize,
    /// Wall time of the whole program in seconds, start and image load included.
    pub seconds: f64,
}

/// How long one piece of work of `kernels/bench.c` takes.
#[derive(Serialize)]
pub struct BenchResult {
    /// Which piece.
    pub work: &'static str,
    /// `ptx` or `cubin`.
    pub image: &'static str,
    /// Elements of each array.
    pub elements: u64,
    /// Iterations of each sample.
    pub iterations: u64,
    /// Seconds of one iteration, one value a sample, ascending.
    pub seconds: Vec<f64>,
    /// Empty, or why there is no figure.
    pub failure: String,
}
