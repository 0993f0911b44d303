//! The benches of device code: programs of `kernels/bench` that take the time in the kernel, on the device's clock, or
//! around launches, and check each result before they tell its [`Figure`]s.
//!
//! Each row of [`BENCHES`] is built with the runtimes that it compares ([`build`]) and run with the sizes for the device at
//! hand ([`run`]). The environment chooses the device, as for all programs: `OMPTARGET_DEVICE`.
//!
//! **Cycles of the embedded device are no GPU cycles**: its `%clock64` counts the warp instructions that the whole block has
//! executed, those of waiting warps included. They show what code is executed, not how long it takes.

mod headline;
mod rust;

pub use headline::headline;
pub use rust::as_program as as_rust_bench;

use crate::figures::{self, Figure, Variant};
use crate::{Case, Dist, Route, Run, build as build_case, driver, nvcc};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// One program, and how it is run.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    /// Its name: the source's, and a mode if the source is compiled in several. In the names of files and criterion's groups.
    pub name: &'static str,
    /// Below `kernels/`: what clang or nvcc compiles, and the same in Rust.
    source: &'static str,
    in_rust: Option<&'static str>,
    /// Options of the compiler besides `-O2`, without which a kernel would not be what the bench is about.
    options: &'static [&'static str],
    /// What it is built with, but for those in Rust.
    of_source: &'static [Variant],
    /// Arguments for each [`Size`], in that order.
    arguments: [&'static str; 3],
}

/// How much is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Everything once, for tests.
    Once,
    /// What the embedded device does in seconds.
    Simt,
    /// What a GPU does in seconds.
    Gpu,
}

impl Size {
    /// For a device of this name.
    pub fn of(device: &str) -> Self {
        if driver::is_simt(device) { Self::Simt } else { Self::Gpu }
    }
}

/// Seconds after which a program is ended. On a GPU each takes a fraction of that: a GPU may be lent for minutes only.
pub const LIMIT_SECONDS: u32 = 60;
const GPU_LIMIT_SECONDS: u32 = 20;

/// The same for LLVM's runtimes, some of whose constructs do not come to an end.
const LLVM_LIMIT_SECONDS: u32 = 8;

/// Device memory for `memory.c`, in which all threads of the GPU allocate at once.
const HEAP_BYTES: u32 = 256 << 20;

/// What is to be said wherever cycles of the embedded device are shown.
pub const SIMT_CYCLES: &str =
    "Cycles of the SIMT device are the warp instructions that the whole block executed, and no GPU cycles.";

use Variant::{Cuda, Llvm19, Llvm22, Ours, Passes, Raw, Rust, RustLlvm22};

/// With everything that compiles OpenMP.
const OPENMP: &[Variant] = &[Ours, Passes, Llvm22, Llvm19];
/// With runtimes alone: the code is such that the passes have nothing to do.
const RUNTIMES: &[Variant] = &[Ours, Llvm22, Llvm19];

/// What the passes alone change: the runtime has no part in it.
const PASSES_ALONE: &[Variant] = &[Passes, Llvm22, Llvm19];

/// What the others are compared with; its figures have their groups.
const CUDA: &[Variant] = &[Cuda];

/// Kernels that are not launched by OpenMP, where a bench has them.
const RUST: &[Variant] = &[Rust, RustLlvm22];

/// What only NVIDIA's nvcc compiles ([`nvcc`]).
const NVCC: &[Variant] = &[Raw];

/// Options of `parallel.c`: kernels become SPMD, by openmp-opt or by our passes.
const SPMD: &[&str] = &["-DGROUP=\"parallel-spmd\""];

/// Kernels stay generic and the compiler writes their state machine.
const CUSTOM_MACHINE: &[&str] = &[
    "-DGROUP=\"parallel-machine\"",
    "-Xarch_device",
    "-mllvm=-openmp-opt-disable-spmdization",
    "-Xoffload-linker",
    "-mllvm=-openmp-opt-disable-spmdization",
];

/// Kernels stay generic and call the runtime's state machine.
const RUNTIME_MACHINE: &[&str] = &[
    "-DGROUP=\"parallel-runtime\"",
    "-Xarch_device",
    "-mllvm=-openmp-opt-disable-spmdization",
    "-Xarch_device",
    "-mllvm=-openmp-opt-disable-state-machine-rewrite",
    "-Xoffload-linker",
    "-mllvm=-openmp-opt-disable-spmdization",
    "-Xoffload-linker",
    "-mllvm=-openmp-opt-disable-state-machine-rewrite",
];

macro_rules! benches {
    ($($name:literal [$source:literal $($in_rust:literal)?] $options:expr, $variants:expr, $once:literal, $simt:literal, $gpu:literal;)+) => {
        /// All benches, those first whose figures matter most.
        pub const BENCHES: &[Bench] = &[$(
            Bench {
                name: $name,
                source: concat!("bench/", $source),
                in_rust: [$(Some(concat!("bench/", $in_rust)),)? None][0],
                options: $options,
                of_source: $variants,
                arguments: [$once, $simt, $gpu],
            },
        )+];
    };
}

benches! {
    "reductions" ["reductions.c" "reductions.rs"] &[], OPENMP,
        "samples=1 threads=64 sizes=100",
        "samples=2 threads=64,256 sizes=1e3,1e4",
        "samples=5 threads=128,1024 sizes=1e4,1e6,1e8";
    "loops" ["loops.c" "loops.rs"] &[], OPENMP,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=20 threads=32,128",
        "samples=5 repeats=100 threads=32,128,1024 teams=1,sm";
    "launch" ["launch.c" "launch.rs"] &[], OPENMP,
        "samples=1 repeats=2",
        "samples=5 repeats=20 threads=32,128 teams=1,64",
        "samples=5 repeats=100 threads=32,128,1024 teams=1,sm,65536";
    "sync" ["sync.c" "sync.rs"] &[], OPENMP,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=10 threads=1,32,128",
        "samples=5 repeats=100 threads=1,32,128,1024 teams=1,sm";
    "tasks" ["tasks.c" "tasks.rs"] &[], OPENMP,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=10 threads=1,32,128",
        "samples=5 repeats=50 threads=1,32,128,1024 teams=1,sm";
    "parallel-runtime" ["parallel.c" "parallel_generic.rs"] RUNTIME_MACHINE, RUNTIMES,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=20 threads=32,128,512",
        "samples=5 repeats=100 threads=32,128,480 teams=1,sm";
    "parallel-machine" ["parallel.c" "parallel_generic.rs"] CUSTOM_MACHINE, RUNTIMES,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=20 threads=32,128,512",
        "samples=5 repeats=100 threads=32,128,480 teams=1,sm";
    "parallel-spmd" ["parallel.c" "parallel_spmd.rs"] SPMD, OPENMP,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=20 threads=32,128,512",
        "samples=5 repeats=100 threads=32,128,480 teams=1,sm";
    "barriers" ["barriers.c" "barriers.rs"] &[], OPENMP,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=20 threads=32,64,128,256,512,1024",
        "samples=5 repeats=200 threads=32,128,1024 teams=1,sm";
    "memory" ["memory.c" "memory.rs"] &[], RUNTIMES,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=20 threads=32,128",
        "samples=5 repeats=100 threads=32,128,480 teams=1,sm";
    "blocks" ["blocks.c"] &[], PASSES_ALONE,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=5 threads=32,128",
        "samples=5 repeats=50 threads=32,128,1024 teams=1,sm";
    "nested" ["nested.c" "nested.rs"] &[], OPENMP,
        "samples=1 repeats=2 threads=64",
        "samples=2 repeats=5 threads=32,128",
        "samples=5 repeats=50 threads=32,128,512 teams=1,sm";
    "baseline" ["baseline.cu"] &[], CUDA,
        "samples=1 repeats=2 threads=64 sizes=100",
        "samples=2 repeats=20 threads=32,64,128,256,512,1024 sizes=1e3,1e4",
        "samples=5 repeats=200 threads=32,128,1024 teams=1,sm sizes=1e4,1e6,1e8";
    "cub" ["cub.cu"] &[], NVCC,
        "samples=1 sizes=100",
        "samples=2 sizes=1e3,1e4",
        "samples=5 sizes=1e4,1e6,1e8";
}

impl Bench {
    /// What it is built with.
    pub fn variants(&self) -> impl Iterator<Item = Variant> + use<> {
        let in_rust: &[Variant] = if self.in_rust.is_some() { RUST } else { &[] };
        self.of_source.iter().chain(in_rust).copied()
    }

    /// Its source as `variant`, below `kernels/`.
    pub fn source(&self, variant: Variant) -> &'static str {
        self.in_rust.filter(|_| variant.is_rust()).unwrap_or(self.source)
    }

    /// The files that it is made of as `variant`, but for headers of C: all that decides what [`build`] makes of an installation.
    pub fn files(&self, variant: Variant) -> Vec<PathBuf> {
        let source = build_case::source(self.source(variant));
        let with = if variant.is_rust() { rust::modules() } else { Vec::new() };
        std::iter::once(source).chain(with).collect()
    }

    fn case(&self, variant: Variant) -> Result<Case> {
        let route = match variant {
            Variant::Ours => Route::Plain,
            Variant::Passes => Route::Omptarget,
            Variant::Llvm22 => Route::LlvmDevicePtx,
            Variant::Llvm19 => Route::Llvm19DevicePtx,
            Variant::Cuda => Route::Cuda,
            Variant::Rust | Variant::RustLlvm22 | Variant::Raw => {
                bail!("{} has no variant {}", self.name, variant.word())
            }
        };
        Ok(Case::new(self.source, route, variant.word(), &[&["-O2"]]))
    }

    /// The file that [`build`] makes of it in `folder`.
    pub fn file(&self, variant: Variant, folder: &Path) -> PathBuf {
        let folder = folder.join(self.name);
        match self.case(variant) {
            Ok(case) => folder.join(case.name()),
            Err(_) => folder.join(format!("{}.{}", self.name, variant.word())),
        }
    }

    /// The arguments of its program.
    pub fn arguments(&self, size: Size) -> impl Iterator<Item = &'static str> {
        self.arguments[size as usize].split_whitespace()
    }
}

/// Builds `bench` as `variant`, with `more` options, into `folder`, where each pair has a file of its own.
///
/// # Errors
/// There is no such variant, a runtime of LLVM is not installed or lacks what the program needs, or the compiler fails.
pub fn build(
    dist: &Dist,
    bench: &Bench,
    variant: Variant,
    more: &[String],
    folder: &Path,
) -> Result<PathBuf> {
    let file = bench.file(variant, folder);
    if variant.is_rust() {
        return rust::build(dist, bench, variant, &file);
    }
    if variant == Variant::Raw {
        nvcc::compile(&[build_case::source(bench.source)], &[], &file)?;
        return Ok(file);
    }
    let options = bench.options.iter().map(|&option| option.to_owned());
    let options: Vec<String> = options.chain(more.iter().cloned()).collect();
    let program = build_case::build(dist, &bench.case(variant)?, &options, &folder.join(bench.name));
    program.with_context(|| format!("{} with {}", bench.name, variant.word()))
}

/// What became of a run.
#[derive(Debug, Default)]
pub struct Ran {
    /// All figures that there are.
    pub figures: Vec<Figure>,
    /// Results that the program found wrong: they have no figure.
    pub wrong: Vec<String>,
    /// Why there are not all figures: the program failed or did not end. Empty if it did neither.
    pub failure: String,
}

impl Ran {
    /// The figures, if all is well.
    ///
    /// # Errors
    /// Something is wrong, or there is no figure.
    pub fn complete(self) -> Result<Vec<Figure>> {
        if !self.failure.is_empty() || !self.wrong.is_empty() || self.figures.is_empty() {
            bail!("{} figures; wrong: {:?}; {}", self.figures.len(), self.wrong, self.failure);
        }
        Ok(self.figures)
    }
}

/// Runs `program`, which [`build`] has made of `bench` as `variant`, for `seconds` at most.
///
/// # Errors
/// It cannot be started, or prints what is no figure.
pub fn run(program: &Path, bench: &Bench, variant: Variant, size: Size, seconds: u32) -> Result<Ran> {
    let limit = match size {
        Size::Gpu if variant.is_of_llvm() => LLVM_LIMIT_SECONDS,
        Size::Gpu => GPU_LIMIT_SECONDS,
        _ => LIMIT_SECONDS,
    };
    let run = Run::on_device().with("LIBOMPTARGET_INFO", 0).with("LIBOMPTARGET_HEAP_SIZE", HEAP_BYTES);
    let limit = limit.min(seconds);
    let run = run.within(limit);
    // Kernels in Rust come without a program: this one is theirs.
    let (run, executable) =
        if variant.is_rust() { rust::run(run, bench, program)? } else { (run, program.to_path_buf()) };
    let run = bench.arguments(size).fold(run, |run, argument| run.argument(argument));
    let outcome = run.whatever_of(&executable)?;
    let printed = figures::parse(&outcome.stdout, variant).with_context(|| program.display().to_string())?;
    let failure = if outcome.timed_out() {
        let at = outcome.stderr.lines().last().unwrap_or("nothing was said");
        format!("it did not end within {limit} s: {at}")
    } else if !outcome.status.success() {
        format!("{}: {}", outcome.status, outcome.stderr.trim())
    } else {
        String::new()
    };
    Ok(Ran { figures: printed.figures, wrong: printed.wrong, failure })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_source_has_a_row_and_every_row_a_name() {
        let names: BTreeSet<_> = BENCHES.iter().map(|bench| bench.name).collect();
        assert_eq!(names.len(), BENCHES.len());
        let sources =
            |bench: &Bench| bench.variants().map(|variant| bench.source(variant)).collect::<Vec<_>>();
        let rows: BTreeSet<_> = BENCHES.iter().flat_map(sources).map(build_case::source).collect();
        let files = std::fs::read_dir(build_case::source("bench")).unwrap().flatten().map(|file| file.path());
        let files: BTreeSet<_> = files
            .filter(|file| file.is_file() && file.extension().is_none_or(|ending| ending != "h"))
            .collect();
        assert_eq!(rows, files);
        for bench in BENCHES {
            // What OpenMP compiles has the same in Rust.
            let is_openmp = bench.of_source.contains(&Ours);
            assert_eq!(bench.in_rust.is_some(), is_openmp, "{}", bench.name);
            for variant in bench.variants() {
                assert_eq!(
                    bench.case(variant).is_ok(),
                    !variant.is_rust() && variant != Raw,
                    "{}",
                    bench.name
                );
            }
            for size in [Size::Once, Size::Simt, Size::Gpu] {
                assert!(bench.arguments(size).all(|argument| argument.contains('=')), "{}", bench.name);
            }
        }
    }

    #[test]
    fn sizes_follow_the_device() {
        assert_eq!(Size::of("SIMT device (CPU)"), Size::Simt);
        assert_eq!(Size::of("NVIDIA H200"), Size::Gpu);
    }
}
