//! The test programs of a bundle, each built once and run on the host.

use super::kept::{Kept, Recipe};
use crate::{process, setup};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::iter::once;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests_gpu::bundle::{Program, is_chosen};
use tests_gpu::{BENCH, Case, Dist, build, math, rex};

/// One program to build.
pub struct Work<'a> {
    /// `ptx` or `cubin`.
    pub image: &'a str,
    /// Source and command line.
    pub case: Case,
    /// More options.
    pub options: &'a [String],
    /// Of all programs with this kind of image.
    pub folder: PathBuf,
}

impl Work<'_> {
    /// Builds the program and runs it on the host, if that tells what it has to print.
    fn done(&self, dist: &Dist, kept: &Kept) -> Result<Program> {
        let program = self.folder.join(self.case.name());
        // What a command says about its output is the same in all bundles.
        let command = build::command(dist, &self.case, self.options, Path::new("program"))?;
        let sources = once(self.case.source).chain(self.case.units.iter().copied()).map(build::source);
        let (name, command) = (format!("{}.{}", self.image, self.case.name()), format!("{command:?}"));
        let passes = self.case.runs_passes();
        let files: Vec<PathBuf> = sources.collect();
        let recipe = Recipe { name: &name, command: &command, files: &files, passes };
        kept.take_or_make(&recipe, slice::from_ref(&program), || {
            build::build(dist, &self.case, self.options, &self.folder).map(drop)
        })?;
        let expected = if self.case.compares_with_host() && self.case.name() != BENCH.name() {
            Some(self.case.host_run().of(&program)?.successful()?.stdout)
        } else {
            None
        };
        Ok(Program::new(self.case.name(), self.image, expected))
    }
}

/// Builds the clients in the shape of REX's output, whose image is a file beside them.
///
/// # Errors
/// One does not build.
pub fn rex_clients(dist: &Dist, image: &str, only: Option<&str>, of_image: &Path) -> Result<Vec<Program>> {
    let mut programs = vec![];
    for client in &rex::CLIENTS {
        let name = format!("rex.{}", client.name);
        if !is_chosen(&name, only) {
            continue;
        }
        let program = Program { reads_a_file: true, ..Program::new(name, image, Some(client.on_a_gpu())) };
        let folder = program.folder(of_image);
        client.ptx(&folder)?;
        if image == "cubin" {
            client.assemble(&setup::assembler_folder().join("ptxas"), &folder)?;
        }
        client.program(dist, &folder.join(&program.name))?;
        programs.push(program);
    }
    Ok(programs)
}

/// Builds the program that shows how exact the math functions are, with its table beside it, for each of `kinds`: a kind of image and
/// its options.
///
/// # Errors
/// One of them cannot be made.
pub fn math_programs(
    dist: &Dist,
    kinds: &[(&str, Vec<String>)],
    only: Option<&str>,
    folder: &Path,
) -> Result<Vec<Program>> {
    if !is_chosen(&math::CASE.name(), only) {
        return Ok(Vec::new());
    }
    let table = math::table()?;
    let build = |(image, options): &(&str, Vec<String>)| {
        let program = Program::new(math::CASE.name(), image, Some(math::EXPECTED.to_owned()));
        let program = Program { reads_a_file: true, ..program };
        math::build(dist, options, &table, &program.folder(&folder.join(image)))?;
        Ok(program)
    };
    kinds.iter().map(build).collect()
}

/// Tests of the host runtime that need nothing but a device, and whether they launch kernels.
const TESTS: [(&str, bool); 3] = [("offload", true), ("target", true), ("routines", false)];

/// Builds those tests of the host runtime that `only` chooses, as programs; their kernels are PTX.
///
/// # Errors
/// One does not build.
pub fn host_tests(only: Option<&str>, of_image: &Path) -> Result<Vec<Program>> {
    let chosen = TESTS.map(|(test, launches)| (test, format!("tests.{test}"), launches));
    let chosen: Vec<_> = chosen.into_iter().filter(|(_, name, _)| is_chosen(name, only)).collect();
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let mut cargo = process::cargo();
    cargo.args([
        "test",
        "--release",
        "--no-run",
        "--quiet",
        "--message-format=json",
        "--package",
        "tests-gpu",
    ]);
    cargo.args(chosen.iter().flat_map(|(test, ..)| ["--test", *test]));
    let output = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "{}: {cargo:?}", output.status);
    let built: Vec<Artifact> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    fs::create_dir_all(of_image).with_context(|| format!("cannot make {}", of_image.display()))?;
    chosen
        .into_iter()
        .map(|(test, name, launches)| {
            let artifact = built.iter().find(|artifact| artifact.target.name == test);
            let executable = artifact.with_context(|| format!("cargo tells of no test {test}"))?;
            let file = of_image.join(&name);
            super::copy_stripped(&executable.executable, &file)?;
            Ok(Program { no_launch: !launches, ..Program::new(name, "ptx", None) })
        })
        .collect()
}

/// What cargo tells of an executable that it has made, as far as it matters here.
#[derive(Deserialize)]
struct Artifact {
    target: Target,
    executable: PathBuf,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds all, in their order.
///
/// # Errors
/// A program does not build, or fails on the host.
pub fn build_all(dist: &Dist, work: &[Work], kept: &Kept) -> Result<Vec<Program>> {
    parallel(work, |one| {
        one.done(dist, kept).with_context(|| format!("{} as {}", one.case.name(), one.image))
    })
}

/// Does so with each, one on each processor at a time; the results in their order.
///
/// # Errors
/// One fails; the others need not begin then.
pub fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    let result = work(item);
                    if result.is_err() {
                        next.store(items.len(), Ordering::Relaxed);
                    } else if (index + 1).is_multiple_of(20) {
                        eprintln!("xtask: {} of {} programs", index + 1, items.len());
                    }
                    done.lock().expect("no holder of this lock panics").insert(index, result);
                }
            });
        }
    });
    done.into_inner().expect("no holder of this lock panics").into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They take the device that there is, and compile nothing.
    #[test]
    fn tests_of_a_bundle_need_nothing_but_a_device() {
        for (test, _) in TESTS {
            let text =
                fs::read_to_string(process::root().join(format!("tests-gpu/tests/{test}.rs"))).unwrap();
            assert!(text.contains("tests_gpu::trials!"), "{test}");
            for tool in ["Dist", "Command::new", "program("] {
                assert!(!text.contains(tool), "{test} needs {tool}");
            }
        }
    }
}
