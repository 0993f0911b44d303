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
use tests_gpu::device_bench::Bench;
use tests_gpu::figures::Variant;
use tests_gpu::{Dist, build, device_bench, host, stand_in, whole};

/// The whole programs that `only` chooses, in all their variants.
fn whole_work(only: Option<&str>) -> Vec<(&'static whole::Program, Variant)> {
    let chosen = whole::PROGRAMS.iter().filter(|program| is_chosen(program.name, only));
    chosen.flat_map(|program| program.variants.iter().map(move |&variant| (program, variant))).collect()
}

/// The benches of device code that `only` chooses, in all their variants.
fn bench_work(only: Option<&str>) -> Vec<(&'static Bench, Variant)> {
    let chosen = device_bench::BENCHES.iter().filter(|bench| is_chosen(bench.name, only));
    chosen.flat_map(|bench| bench.variants().map(move |variant| (bench, variant))).collect()
}

/// Whether a program has been made. What needs tools of others may be left out, which is told.
///
/// # Errors
/// It has not, and is not to be left out.
fn or_left_out(made: Result<()>, of_others: bool, name: &str, left_out: &LeftOut) -> Result<bool> {
    match made {
        Err(error) if of_others => {
            left_out.add_failed(name, &error);
            Ok(false)
        }
        made => made.context(name.to_owned()).map(|()| true),
    }
}

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
    let built = parallel(&whole_work(only), |&(program, variant)| {
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
        let made = kept.take_or_make(&recipe, &files, make);
        let made = or_left_out(made, program.needs_nvcc(variant), &name, left_out)?;
        Ok(files.into_iter().next().filter(|_| made))
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
    let place = folder.join(BENCH_FOLDER);
    let built = parallel(&bench_work(only), |&(bench, variant)| {
        let name = format!("bench {} ({})", bench.name, variant.word());
        let file = bench.file(variant, &place);
        let make = || device_bench::build(dist, bench, variant, &[], &place).map(drop);
        let (files, command) = (bench.files(variant), format!("{bench:?}"));
        let passes = variant == Variant::Passes;
        let recipe = Recipe { name: &name, command: &command, files: &files, passes };
        let made = kept.take_or_make(&recipe, slice::from_ref(&file), make);
        if !or_left_out(made, variant.is_of_others(), &name, left_out)? {
            return Ok(None);
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

#[cfg(test)]
mod tests {
    use super::*;
    use tests_gpu::nvcc;

    #[test]
    fn what_is_in_cuda_and_in_rust_is_in_the_bundle() {
        let benches: Vec<_> =
            bench_work(None).iter().map(|(bench, variant)| (bench.name, *variant)).collect();
        for wanted in [
            ("baseline", Variant::Cuda),
            ("cub", Variant::Raw),
            ("barriers", Variant::Rust),
            ("nested", Variant::Rust),
            ("nested", Variant::RustLlvm22),
            ("reductions", Variant::Rust),
            ("reductions", Variant::RustLlvm22),
        ] {
            assert!(benches.contains(&wanted), "{wanted:?}");
        }
        assert_eq!(bench_work(Some("cub")).len(), 1);
        let whole = whole_work(None);
        let by_nvcc = whole.iter().filter(|(program, variant)| program.needs_nvcc(*variant));
        let by_nvcc: Vec<_> = by_nvcc.map(|(program, variant)| (program.name, *variant)).collect();
        assert_eq!(by_nvcc, ["babelstream", "xsbench", "rsbench"].map(|name| (name, Variant::Cuda)));
        for (program, _) in whole.iter().filter(|(program, _)| program.name != "ceiling") {
            assert!(program.variants.contains(&Variant::Cuda), "{}", program.name);
        }
    }

    #[test]
    fn what_nvcc_does_not_make_is_left_out_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let made =
            || nvcc::compile(&[folder.path().join("absent.cu")], &[], &folder.path().join("cub")).map(drop);
        let left_out = LeftOut::default();
        assert!(!or_left_out(made(), true, "bench cub (raw)", &left_out).unwrap());
        let lines = left_out.lines();
        assert!(lines.len() == 1 && lines[0].starts_with("bench cub (raw): "), "{lines:?}");
        assert!(lines[0].contains("nvcc"), "{lines:?}");
        let error = or_left_out(made(), false, "bench sync (ours)", &left_out).unwrap_err();
        assert!(format!("{error:#}").contains("bench sync (ours)") && left_out.lines().len() == 1);
        assert!(or_left_out(Ok(()), false, "", &left_out).unwrap());
    }
}
