//! What a bundle measures: whole programs in several variants, and one program for two host runtimes.

use super::{copy, programs::parallel};
use crate::setup;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tests_gpu::bundle::{BENCH_FOLDER, BENCHES, Built, HOST, LLVM, STAND_IN, WHOLE, is_chosen};
use tests_gpu::figures::Variant;
use tests_gpu::{Dist, build, device_bench, host, stand_in, whole};

/// Builds the whole programs that `only` chooses; their files.
///
/// # Errors
/// One of them does not build. That one is not there is only said.
pub fn whole_programs(
    dist: &Dist,
    only: Option<&str>,
    fetched: Option<&Path>,
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    let folder = folder.join(WHOLE);
    let chosen = whole::PROGRAMS.iter().filter(|program| is_chosen(program.name, only));
    let work: Vec<_> =
        chosen.flat_map(|program| program.variants.iter().map(move |&variant| (program, variant))).collect();
    let built = parallel(&work, |&(program, variant)| {
        let file = program.build(dist, variant, fetched, &folder);
        let file = file.with_context(|| format!("{} ({})", program.name, variant.word()))?;
        if file.is_none() {
            eprintln!("xtask: {} is not there: pass --fetched FOLDER", program.name);
        }
        Ok(file)
    })?;
    Ok(built.into_iter().flatten().collect())
}

/// Builds the benches of device code that `only` chooses, and writes their list; their files.
///
/// # Errors
/// One of them does not build with a runtime of ours. That it does not with one of LLVM's is only said.
pub fn device_benches(dist: &Dist, only: Option<&str>, folder: &Path) -> Result<Vec<PathBuf>> {
    let chosen = device_bench::BENCHES.iter().filter(|bench| is_chosen(bench.name, only));
    let work: Vec<_> =
        chosen.flat_map(|bench| bench.variants.iter().map(move |&variant| (bench, variant))).collect();
    let place = folder.join(BENCH_FOLDER);
    let built = parallel(&work, |&(bench, variant)| {
        let file = match device_bench::build(dist, bench, variant, &[], &place) {
            Ok(file) => file,
            Err(error) if matches!(variant, Variant::Llvm22 | Variant::Llvm19) => {
                eprintln!("xtask: without it: {error:#}");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let file = file.strip_prefix(folder).context("a bench is built into the bundle")?.to_path_buf();
        Ok(Some(Built { bench: bench.name.to_owned(), variant, file }))
    })?;
    // What only a machine with NVIDIA's toolkit can compile goes as source.
    fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
    for source in device_bench::CUB_SOURCES {
        copy(&build::source("bench").join(source), &place.join(source))?;
    }
    let built: Vec<Built> = built.into_iter().flatten().collect();
    fs::write(folder.join(BENCHES), serde_json::to_string(&built)?)?;
    Ok(built.iter().map(|one| folder.join(&one.file)).collect())
}

/// Builds the bench of host runtimes, with PTX and with machine code in ELF images, and copies LLVM's libomptarget with all
/// that it needs, and the stand-in for the driver.
///
/// # Errors
/// The bench does not build, or a file cannot be copied. That there is no libomptarget of LLVM's is only said.
pub fn host_runtimes(dist: &Dist, cubin: Option<&[String]>, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut programs = vec![build::build(dist, &host::BENCH, &[], &folder.join(HOST).join("elf"))?];
    if let Some(options) = cubin {
        programs.push(build::build(dist, &host::BENCH, options, &folder.join(HOST).join("cubin"))?);
    }
    let stand_in = folder.join(STAND_IN);
    fs::create_dir_all(&stand_in).with_context(|| format!("cannot make {}", stand_in.display()))?;
    copy(&dist.folder().join("lib/simt/libcuda.so.1"), &stand_in.join("libcuda.so.1"))?;
    symlink("libcuda.so.1", stand_in.join("libcuda.so"))?;
    // That of pyomp has LLVM inside; Debian's needs a library of 150 MB.
    let Ok(bitcode) = setup::PYOMP.install() else {
        eprintln!("xtask: no pyomp: the bundle has no libomptarget of LLVM's");
        return Ok(programs);
    };
    let llvm = folder.join(LLVM);
    fs::create_dir_all(&llvm).with_context(|| format!("cannot make {}", llvm.display()))?;
    let library = bitcode.with_file_name("libomptarget.so.22.1");
    copy(&library, &llvm.join("libomptarget.so.22.1"))?;
    // Its own libomp would be a second one in the process.
    symlink("../lib/libomp.so.5", llvm.join("libomp.so"))?;
    if let Some(package) = stand_in::python_package("pyomp") {
        for file in fs::read_dir(package.join("pyomp.libs")).context("pyomp has no libraries")? {
            let file = file?.path();
            if let Some(name) = file.file_name() {
                copy(&file, &llvm.join(name))?;
            }
        }
    }
    Ok(programs)
}
