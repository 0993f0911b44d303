//! The bench of kernels in Rust (`kernels/bench/barriers.rs`): compiled by the device crate's rustc, linked with the device
//! runtime as clang links its programs, and launched by calls of the driver alone. Its figures have the names of their
//! counterparts in C.

use crate::driver::{self, call};
use crate::figures::{self, Figure, Printed, Unit, Variant};
use crate::{Dist, build, dist};
use anyhow::{Context, Result, bail, ensure};
use cuda_shim as cu;
use devicertl_build::{kernel, toolchain};
use simt::driver::types::{CUdeviceptr, CUfunction, CUmodule};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

/// Names of the figures, and of their kernels.
const KERNELS: [(&str, &CStr); 3] =
    [("empty_loop", c"empty_loop"), ("bar_sync", c"bar_sync_loop"), ("simple_spmd", c"simple_spmd_loop")];

/// Makes the PTX of a source below `kernels/` as `file`.
///
/// # Errors
/// There is no rustc for the device, or it or the linker fails.
pub fn build(dist: &Dist, source: &str, file: &Path) -> Result<PathBuf> {
    let (device, llvm) = (toolchain::device_rustc()?, toolchain::Llvm::find()?);
    let archive = dist.folder().join("lib/nvptx64-nvidia-cuda/libompdevice.a");
    // With cargo's files, for which a bundle has no room, and with core, which takes longest.
    let folder = dist::target().join("tests-gpu/rust-kernels");
    let (source, cuda) = (build::source(source), dist.folder().join("cuda"));
    let ptx = kernel::of_rust(&device, &llvm, &source, &archive, &cuda, &folder)?;
    let place = file.parent().context("a file in a folder")?;
    fs::create_dir_all(place).with_context(|| format!("cannot make {}", place.display()))?;
    fs::copy(&ptx, file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file.to_path_buf())
}

/// What the arguments of a bench say, as in `kernels/bench/options.h`.
struct Options<'a> {
    samples: usize,
    repeats: u64,
    threads: Vec<u32>,
    teams: Vec<&'a str>,
}

impl<'a> Options<'a> {
    fn read(arguments: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self { samples: 3, repeats: 10, threads: vec![32], teams: vec!["1"] };
        for argument in arguments {
            let (key, value) =
                argument.split_once('=').with_context(|| format!("{argument} is no KEY=VALUE"))?;
            match key {
                "samples" => options.samples = value.parse()?,
                "repeats" => options.repeats = value.parse()?,
                "threads" => options.threads = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "teams" => options.teams = value.split(',').collect(),
                _ => bail!("{argument} is not understood"),
            }
        }
        ensure!(options.samples > 0 && options.repeats > 0, "no samples or no repeats");
        Ok(options)
    }
}

/// Measures the kernels of the PTX in `file`.
///
/// # Errors
/// A call of the driver fails, or an argument is not understood.
pub fn run<'a>(file: &Path, arguments: impl Iterator<Item = &'a str>) -> Result<Printed> {
    let options = Options::read(arguments)?;
    let device = driver::Device::open()?;
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = CString::new(text).context("PTX with a zero in it")?;
    let mut module: CUmodule = null_mut();
    call!(cuModuleLoadData(&raw mut module, text.as_ptr().cast()))?;
    let mut printed = Printed::default();
    let sizes =
        options.teams.iter().flat_map(|&word| options.threads.iter().map(move |&threads| (word, threads)));
    for (word, threads) in sizes {
        let teams = match word {
            "sm" => device.multiprocessors,
            // As options.h says.
            "full" => device.multiprocessors * (2048 / threads).min(32),
            number => number.parse()?,
        };
        for (name, kernel) in KERNELS {
            let mut function: CUfunction = null_mut();
            call!(cuModuleGetFunction(&raw mut function, module, kernel.as_ptr()))?;
            let (samples, mistakes) = measured(function, teams, threads, &options)?;
            let parameters = [("teams", word.to_owned()), ("threads", threads.to_string())];
            let parameters = BTreeMap::from(parameters.map(|(key, value)| (key.to_owned(), value)));
            let (group, name) = ("barriers".to_owned(), name.to_owned());
            let (variant, unit) = (Variant::Rust, Unit::Cycles);
            if mistakes == 0 {
                printed.figures.push(Figure { group, name, variant, parameters, unit, samples });
            } else {
                printed.wrong.push(format!(
                    "{group} {name} teams={word} threads={threads}: it is no barrier, or not all blocks ran"
                ));
            }
        }
    }
    call!(cuModuleUnload(module))?;
    Ok(printed)
}

/// The samples of one figure, and what was wrong in all launches. The first is not counted.
fn measured(
    function: CUfunction,
    teams: u32,
    threads: u32,
    options: &Options<'_>,
) -> Result<(Vec<f64>, usize)> {
    let launches = (0..=options.samples).map(|_| launched(function, teams, threads, options.repeats));
    let launches = launches.collect::<Result<Vec<_>>>()?;
    let mistakes = launches.iter().map(|(_, wrong)| wrong).sum();
    Ok((launches.into_iter().skip(1).map(|(cycles, _)| cycles).collect(), mistakes))
}

/// One launch with new inputs and poisoned outputs: cycles of one of the repeats, the median of all blocks, and what is wrong.
fn launched(function: CUfunction, teams: u32, threads: u32, mut repeats: u64) -> Result<(f64, usize)> {
    let mut cycles = vec![u64::MAX; teams as usize];
    let slots = vec![0xa5a5_a5a5_u32; teams as usize * threads as usize];
    let mut wrong = [0_u32];
    let mut seed: u32 = fastrand::u32(..);
    let (mut on_device, mut places) = (to_device(&cycles)?, to_device(&slots)?);
    let mut flag = to_device(&wrong)?;
    let mut arguments: [*mut c_void; 5] = [
        (&raw mut repeats).cast(),
        (&raw mut seed).cast(),
        (&raw mut on_device).cast(),
        (&raw mut places).cast(),
        (&raw mut flag).cast(),
    ];
    let none = null_mut();
    call!(cuLaunchKernel(function, teams, 1, 1, threads, 1, 1, 0, null_mut(), arguments.as_mut_ptr(), none))?;
    call!(cuCtxSynchronize())?;
    call!(cuMemcpyDtoH_v2(cycles.as_mut_ptr().cast(), on_device, size_of_val(&cycles[..])))?;
    call!(cuMemcpyDtoH_v2(wrong.as_mut_ptr().cast(), flag, size_of_val(&wrong)))?;
    for memory in [on_device, places, flag] {
        call!(cuMemFree_v2(memory))?;
    }
    let missing = cycles.iter().filter(|&&of_block| of_block == u64::MAX).count();
    let cycles: Vec<f64> = cycles.into_iter().map(|of_block| of_block as f64).collect();
    Ok((figures::median(&cycles) / repeats as f64, missing + wrong[0] as usize))
}

/// New memory of the device with these values.
fn to_device<T: Copy>(values: &[T]) -> Result<CUdeviceptr> {
    let mut memory: CUdeviceptr = 0;
    call!(cuMemAlloc_v2(&raw mut memory, size_of_val(values)))?;
    call!(cuMemcpyHtoD_v2(memory, values.as_ptr().cast(), size_of_val(values)))?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_those_of_the_benches_in_c() {
        let options = Options::read("samples=2 repeats=5 threads=32,64 teams=1,sm".split(' ')).unwrap();
        assert_eq!((options.samples, options.repeats), (2, 5));
        assert_eq!((options.threads, options.teams), (vec![32, 64], vec!["1", "sm"]));
        for wrong in ["samples", "sizes=1", "repeats=0", "threads=x"] {
            assert!(Options::read([wrong].into_iter()).is_err(), "{wrong}");
        }
    }
}
