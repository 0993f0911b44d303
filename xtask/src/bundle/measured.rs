//! What a bundle measures: whole programs in several variants, benches of device code, and one program for two host runtimes.

use super::kept::{Kept, Recipe};
use super::{LeftOut, copy, programs::parallel};
use crate::setup;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::slice;
use tests_gpu::bundle::{BENCH_FOLDER, BENCHES, Built, HOST, LLVM, STAND_IN, WHOLE, is_chosen};
use tests_gpu::figures::Variant;
use tests_gpu::{Dist, build, device_bench, host, stand_in, whole};

/// Builds the whole programs that `only` chooses; their files.
///
/// # Errors
/// One of them does not build. That one is not there, or that nvcc does not make it, is only said.
pub fn whole_programs(
    dist: &Dist,
    only: Option<&str>,
    fetched: Option<&Path>,
    folder: &Path,
    left_out: &LeftOut,
    kept: &Kept,
) -> Result<Vec<PathBuf>> {
    let folder = folder.join(WHOLE);
    let chosen = whole::PROGRAMS.iter().filter(|program| is_chosen(program.name, only));
    let work: Vec<_> =
        chosen.flat_map(|program| program.variants.iter().map(move |&variant| (program, variant))).collect();
    let built = parallel(&work, |&(program, variant)| {
        let name = format!("{} ({})", program.name, variant.word());
        let Some(inputs) = program.inputs(variant, fetched)? else {
            left_out.add(format!("{name}: its sources are not there (--fetched)"));
            return Ok(None);
        };
        let files = program.files(variant, &folder);
        let make = || program.build(dist, variant, fetched, &folder).map(drop);
        let recipe = Recipe {
            name: &format!("whole {name}"),
            command: &format!("{program:?}"),
            files: &inputs,
            passes: variant == Variant::Passes,
        };
        match kept.take_or_make(&recipe, &files, make) {
            Err(error) if program.needs_nvcc(variant) => {
                left_out.add_failed(&name, &error);
                Ok(None)
            }
            made => made.context(name).map(|()| files.into_iter().next()),
        }
    })?;
    Ok(built.into_iter().flatten().collect())
}

/// Builds the benches of device code that `only` chooses, and writes their list; their files.
///
/// # Errors
/// One of them does not build with a runtime of ours. That it does not with one of LLVM's, or by nvcc, is only said.
pub fn device_benches(
    dist: &Dist,
    only: Option<&str>,
    folder: &Path,
    left_out: &LeftOut,
    kept: &Kept,
) -> Result<Vec<PathBuf>> {
    let chosen = device_bench::BENCHES.iter().filter(|bench| is_chosen(bench.name, only));
    let work: Vec<_> =
        chosen.flat_map(|bench| bench.variants.iter().map(move |&variant| (bench, variant))).collect();
    let place = folder.join(BENCH_FOLDER);
    let built = parallel(&work, |&(bench, variant)| {
        let name = format!("bench {} ({})", bench.name, variant.word());
        let file = bench.file(variant, &place);
        let make = || device_bench::build(dist, bench, variant, &[], &place).map(drop);
        let (files, command) = ([build::source(bench.source)], format!("{bench:?}"));
        let passes = variant == Variant::Passes;
        let recipe = Recipe { name: &name, command: &command, files: &files, passes };
        match kept.take_or_make(&recipe, slice::from_ref(&file), make) {
            Ok(()) => {}
            Err(error) if matches!(variant, Variant::Llvm22 | Variant::Llvm19 | Variant::Raw) => {
                left_out.add_failed(&name, &error);
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        let file = file.strip_prefix(folder).context("a bench is built into the bundle")?.to_path_buf();
        Ok(Some(Built { bench: bench.name.to_owned(), variant, file }))
    })?;
    let built: Vec<Built> = built.into_iter().flatten().collect();
    fs::write(folder.join(BENCHES), serde_json::to_string(&built)?)?;
    Ok(built.iter().map(|one| folder.join(&one.file)).collect())
}

/// Builds the bench of host runtimes, with PTX and with machine code in ELF images, and copies LLVM's libomptarget with all
/// that it needs, and the stand-in for the driver.
///
/// # Errors
/// The bench does not build, or a file cannot be copied. That there is no libomptarget of LLVM's is only said.
pub fn host_runtimes(
    dist: &Dist,
    cubin: Option<&[String]>,
    folder: &Path,
    left_out: &LeftOut,
) -> Result<Vec<PathBuf>> {
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
        left_out.add("LLVM's libomptarget: there is no pyomp".to_owned());
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
