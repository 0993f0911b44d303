//! What a bundle for a machine with a GPU holds, as its maker (`cargo xtask gpu-bundle`) and its runner agree on it.

use serde::{Deserialize, Serialize};

/// Name of the file with the [`Manifest`], in the root of the bundle.
pub const MANIFEST: &str = "manifest.json";

/// Everything that the runner has to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Commit that the bundle was built from, with `-dirty` behind it if files had changed.
    pub commit: String,
    /// Programs whose output is compared.
    pub programs: Vec<Program>,
    /// Cases that are timed.
    pub benches: Vec<Bench>,
}

/// A compiled program and what it must print.
#[derive(Debug, Serialize, Deserialize)]
pub struct Program {
    /// Name in reports.
    pub name: String,
    /// Device image in it: `ptx` or `cubin`.
    pub image: String,
    /// Path in the bundle.
    pub file: String,
    /// Standard output of the host run.
    pub expected: String,
}

/// A case of `kernels/bench.c`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Bench {
    /// The case.
    pub case: String,
    /// Device image in it: `ptx` or `cubin`.
    pub image: String,
    /// Path of the bench program in the bundle.
    pub file: String,
    /// Elements of each array.
    pub elements: u64,
}

/// What the runner found; written as `results.json`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Results {
    /// Commit of the bundle.
    pub commit: String,
    /// Seconds since 1970 at the start.
    pub unix_time: u64,
    /// Device as the runtime names it.
    pub device: String,
    /// One entry a program.
    pub programs: Vec<ProgramResult>,
    /// One entry a case.
    pub benches: Vec<BenchResult>,
}

/// How a program went.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgramResult {
    /// Name of the program.
    pub name: String,
    /// `ptx` or `cubin`.
    pub image: String,
    /// Empty if the output was right, else what was wrong.
    pub failure: String,
    /// Kernels launched.
    pub launches: usize,
    /// Wall time of the whole program in seconds, start and image load included.
    pub seconds: f64,
}

/// How long a case takes.
#[derive(Debug, Serialize, Deserialize)]
pub struct BenchResult {
    /// The case.
    pub case: String,
    /// `ptx` or `cubin`.
    pub image: String,
    /// Elements of each array.
    pub elements: u64,
    /// Iterations of each sample.
    pub iterations: u64,
    /// Seconds of one iteration, one value a sample, ascending.
    pub seconds: Vec<f64>,
    /// Empty, or why there is no figure.
    pub failure: String,
}

impl BenchResult {
    /// The middle of the samples, if there are any.
    pub fn median(&self) -> Option<f64> {
        self.seconds.get(self.seconds.len() / 2).copied()
    }
}
