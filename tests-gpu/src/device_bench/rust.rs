//! The benches of kernels in Rust (`kernels/bench/*.rs`): compiled by the device crate's rustc, linked with a device runtime as
//! clang links its programs, and launched by calls of the driver alone. Their figures have the names of their counterparts in C.
//!
//! A bench in C is a program, which is ended if it does not end. What stands for that here is a process of the running
//! executable, which [`as_program`] makes the program of one bench.

mod launch;
#[macro_use]
#[path = "../../../kernels/bench/shared/numbers.rs"]
mod numbers;
mod reductions;
mod table;

use super::Bench;
use crate::driver::{self, call};
use crate::figures::{self, Figure, Unit, Variant};
use crate::{Dist, Run, build, dist, stand_in};
use anyhow::{Context, Result, bail, ensure};
use cuda_shim as cu;
use devicertl_build::{kernel::RustKernels, toolchain};
use launch::{Memory, Module};
use numbers::hash;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use table::{Argument, KERNELS, Kernels, Row};

/// Files and folders of what the sources have in common.
pub fn modules() -> Vec<PathBuf> {
    vec![build::source("bench/shared"), dist::root().join("abi/src")]
}

/// Makes the PTX of `bench` as `file`.
///
/// # Errors
/// There is no rustc for the device, or no device runtime of LLVM's if that is to be linked, or it or the linker fails.
pub fn build(dist: &Dist, bench: &Bench, variant: Variant, file: &Path) -> Result<PathBuf> {
    let (device, llvm) = (toolchain::device_rustc()?, toolchain::Llvm::find()?);
    let library = if variant.is_of_llvm() {
        stand_in::llvm_device_runtime()?
    } else {
        dist.folder().join("lib/nvptx64-nvidia-cuda")
    };
    let kernels = RustKernels {
        device: &device,
        llvm: &llvm,
        abi: &dist::root().join("abi"),
        archive: &library.join("libompdevice.a"),
        cuda: &dist.folder().join("cuda"),
    };
    // The options of the bench that are for the link of the device code.
    let linker = bench.options.windows(2).filter(|pair| pair[0] == "-Xoffload-linker");
    let options: Vec<&str> = linker.filter_map(|pair| pair[1].strip_prefix("-mllvm=")).collect();
    // With cargo's files, for which a bundle has no room, and with core, which takes longest.
    let folder = dist::target().join("tests-gpu/rust-kernels");
    let place = file.parent().context("a file in a folder")?;
    fs::create_dir_all(place).with_context(|| format!("cannot make {}", place.display()))?;
    kernels.ptx(&build::source(bench.source(variant)), &options, &folder, file)?;
    Ok(file.to_path_buf())
}

/// The variable that makes a process the program of a bench: the file with its PTX.
const PROGRAM: &str = "OMPTARGET_RUST_BENCH";

/// The run of `bench`, whose PTX is in `file`, and the executable, to which the bench's arguments are to be given.
///
/// # Errors
/// The executable of this process is not known.
pub fn run(run: Run, bench: &Bench, file: &Path) -> Result<(Run, PathBuf)> {
    let executable = std::env::current_exe().context("the executable is not known")?;
    Ok((run.with(PROGRAM, file.display()).argument(bench.name), executable))
}

/// Is the program of a bench, if this process was started as one: the exit status then. An executable that runs benches asks this
/// first.
pub fn as_program() -> Option<u8> {
    let file = PathBuf::from(std::env::var_os(PROGRAM)?);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    Some(match program(&file, &arguments) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error:#}");
            2
        }
    })
}

/// Prints the figures of the kernels in `file`.
fn program(file: &Path, arguments: &[String]) -> Result<()> {
    let (bench, arguments) = arguments.split_first().context("no bench is named")?;
    let options = Options::read(arguments.iter().map(String::as_str))?;
    let device = driver::Device::open()?;
    // CU_LIMIT_MALLOC_HEAP_SIZE, as the host runtime sets it for programs in C.
    call!(cuCtxSetLimit(2, super::HEAP_BYTES as usize))?;
    let module = Module::load(file)?;
    if bench == reductions::GROUP {
        return reductions::measure(&module, &options);
    }
    let kernels = KERNELS.iter().find(|kernels| kernels.bench == bench);
    let kernels = kernels.with_context(|| format!("no bench {bench} has kernels in Rust"))?;
    measure(kernels, &module, &device, &options)
}

/// What the arguments of a bench say, as in `kernels/bench/options.h`.
struct Options<'a> {
    samples: usize,
    repeats: u64,
    threads: Vec<u32>,
    teams: Vec<&'a str>,
    sizes: Vec<u64>,
}

impl<'a> Options<'a> {
    fn read(arguments: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options =
            Self { samples: 3, repeats: 10, threads: vec![32], teams: vec!["1"], sizes: vec![1000] };
        // 1e9 too.
        let size = |word: &str| Ok::<_, anyhow::Error>(word.parse::<f64>()? as u64);
        for argument in arguments {
            let (key, value) =
                argument.split_once('=').with_context(|| format!("{argument} is no KEY=VALUE"))?;
            match key {
                "samples" => options.samples = value.parse()?,
                "repeats" => options.repeats = value.parse()?,
                "threads" => options.threads = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "teams" => options.teams = value.split(',').collect(),
                "sizes" => options.sizes = value.split(',').map(size).collect::<Result<_, _>>()?,
                _ => bail!("{argument} is not understood"),
            }
        }
        ensure!(options.samples > 0 && options.repeats > 0, "no samples or no repeats");
        ensure!(!options.sizes.contains(&0), "no elements");
        Ok(options)
    }
}

/// Threads of a region of a generic kernel that has `threads` threads besides those of the main thread's warp, as far as a block
/// holds them.
fn generic_size(threads: u32) -> u32 {
    threads.min(1024 - 32)
}

/// Measures all kernels in all sizes.
fn measure(kernels: &Kernels, module: &Module, device: &driver::Device, options: &Options<'_>) -> Result<()> {
    if let Some(before) = kernels.before {
        module.function(before)?.launch(1, 1, 0, &mut [])?;
    }
    // Sizes last, as in C: a kernel that fails with one ends the process, and those that LLVM's runtimes fail with stand last.
    let whole =
        kernels.rows.iter().flat_map(|row| row.arguments.iter().map(move |&argument| (row, argument)));
    let sizes =
        || options.teams.iter().flat_map(|&word| options.threads.iter().map(move |&threads| (word, threads)));
    for ((row, argument), (word, threads)) in whole.flat_map(|one| sizes().map(move |size| (one, size))) {
        let teams = match word {
            "sm" => device.multiprocessors,
            // As options.h says.
            "full" => device.multiprocessors * (2048 / threads).min(32),
            number => number.parse()?,
        };
        let sized = Sized { row, module, teams, threads, options };
        let (unit, (samples, mistakes)) = if row.on_host {
            (Unit::Seconds, sized.launches()?)
        } else {
            (Unit::Cycles, sized.cycles(argument)?)
        };
        let parameters = [("teams", word.to_owned()), ("threads", threads.to_string())];
        let parameters = parameters.into_iter().chain(argument.parameter());
        print(kernels.bench, row.name, parameters, unit, samples, mistakes);
    }
    Ok(())
}

/// Prints the line of a figure, or what is wrong with it.
fn print<'a>(
    group: &str,
    name: &str,
    parameters: impl IntoIterator<Item = (&'a str, String)>,
    unit: Unit,
    samples: Vec<f64>,
    mistakes: usize,
) {
    let parameters: BTreeMap<_, _> =
        parameters.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    if mistakes == 0 {
        let (group, name) = (group.to_owned(), name.to_owned());
        // Who started this process knows which variant it is.
        println!("{}", Figure { group, name, variant: Variant::Rust, parameters, unit, samples });
    } else {
        let parameters: String = parameters.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        println!("wrong {group} {name}{parameters}: {mistakes} times no result or a wrong one");
    }
}

/// A kernel and the sizes of its launches.
struct Sized<'a> {
    row: &'a Row,
    module: &'a Module,
    teams: u32,
    threads: u32,
    options: &'a Options<'a>,
}

impl Sized<'_> {
    /// Threads of a block: the main thread of a generic kernel has a warp for itself.
    fn block(&self) -> u32 {
        if self.row.generic { generic_size(self.threads) + 32 } else { self.threads }
    }

    /// Threads of the region that takes all that there are.
    fn region(&self) -> u32 {
        if self.row.generic { generic_size(self.threads) } else { self.threads }
    }

    /// The samples of one figure, and what was wrong in all launches, with which it ends. The first launch is not counted.
    fn cycles(&self, argument: Argument) -> Result<(Vec<f64>, usize)> {
        let mut samples = Vec::new();
        for sample in 0..=self.options.samples {
            let (cycles, mistakes) = self.launched(argument)?;
            if mistakes > 0 {
                return Ok((samples, mistakes));
            }
            if sample > 0 {
                samples.push(cycles);
            }
        }
        Ok((samples, 0))
    }

    /// One launch with new inputs and poisoned outputs: cycles of one of the repeats, the median of all blocks, and what is wrong.
    fn launched(&self, argument: Argument) -> Result<(f64, usize)> {
        let Self { teams, threads, options, .. } = *self;
        let function = self.module.function_named(self.row.name)?;
        let cycles = Memory::of(&vec![u64::MAX; teams as usize])?;
        let slots = Memory::of(&vec![0xa5a5_a5a5_u32; teams as usize * threads as usize])?;
        let wrong = Memory::of(&[0_u32])?;
        let (mut repeats, mut seed, mut threads) = (options.repeats, fastrand::u32(..), threads);
        let mut argument = match argument {
            Argument::All => self.region().into(),
            other => other.of(threads),
        };
        let (mut on_device, mut places, mut flag) = (cycles.address, slots.address, wrong.address);
        let arguments: &mut [*mut _] = &mut [
            (&raw mut repeats).cast(),
            (&raw mut seed).cast(),
            (&raw mut threads).cast(),
            (&raw mut argument).cast(),
            (&raw mut on_device).cast(),
            (&raw mut places).cast(),
            (&raw mut flag).cast(),
        ];
        function.launch(teams, self.block(), 0, arguments)?;
        let of_blocks = cycles.read()?;
        let missing = of_blocks.iter().filter(|&&of_block| of_block == u64::MAX).count();
        let of_blocks: Vec<f64> = of_blocks.into_iter().map(|of_block| of_block as f64).collect();
        let each = if self.row.by_each_thread { threads.into() } else { 1.0 };
        let cycles = figures::median(&of_blocks) / repeats as f64 / each;
        Ok((cycles, missing + wrong.read()?[0] as usize))
    }

    /// The samples of launches that are waited for one by one, after one that shows that all blocks run.
    fn launches(&self) -> Result<(Vec<f64>, usize)> {
        let function = self.module.function_named(self.row.name)?;
        let words = Memory::of(&vec![0xa5a5_a5a5_u32; self.teams as usize])?;
        let (mut seed, mut place) = (fastrand::u32(..), words.address);
        let mut launch = |place: &mut u64| {
            let arguments: &mut [*mut _] = &mut [(&raw mut *place).cast(), (&raw mut seed).cast()];
            function.launch(self.teams, self.block(), 0, arguments)
        };
        launch(&mut place)?;
        let mut nowhere = 0;
        let mut samples = Vec::with_capacity(self.options.samples);
        for _ in 0..self.options.samples {
            let start = Instant::now();
            for _ in 0..self.options.repeats {
                launch(&mut nowhere)?;
            }
            samples.push(start.elapsed().as_secs_f64() / self.options.repeats as f64);
        }
        let right = |(team, word): &(u32, u32)| *word == hash(seed.wrapping_add(*team));
        let wrong = (0..).zip(words.read()?).filter(|word| !right(word)).count();
        Ok((samples, wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_bench::BENCHES;

    #[test]
    fn arguments_are_those_of_the_benches_in_c() {
        let options =
            Options::read("samples=2 repeats=5 threads=32,64 teams=1,sm sizes=1e3".split(' ')).unwrap();
        assert_eq!((options.samples, options.repeats), (2, 5));
        assert_eq!((options.threads, options.teams), (vec![32, 64], vec!["1", "sm"]));
        assert_eq!(options.sizes, vec![1000]);
        for wrong in ["samples", "sizes=0", "warps=1", "repeats=0", "threads=x"] {
            assert!(Options::read([wrong].into_iter()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_bench_in_rust_has_kernels_and_each_kernel_a_symbol() {
        let in_rust = BENCHES.iter().filter(|bench| bench.variants().any(Variant::is_rust));
        for bench in in_rust.filter(|bench| bench.name != reductions::GROUP) {
            let kernels = KERNELS.iter().find(|kernels| kernels.bench == bench.name);
            let kernels = kernels.unwrap_or_else(|| panic!("{}", bench.name));
            let files =
                bench.files(Variant::Rust).into_iter().chain([build::source("bench/shared/regions.rs")]);
            let text: String =
                files.filter(|file| file.is_file()).map(|file| fs::read_to_string(file).unwrap()).collect();
            for row in kernels.rows {
                assert!(text.contains(&format!("\"{}\"", row.name)), "{}: {}", bench.name, row.name);
            }
        }
    }
}
