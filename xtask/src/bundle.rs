//! `cargo xtask gpu-bundle`: a folder that runs programs and benches on a machine with nothing but a GPU driver.

use crate::{dist, process, setup};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests_gpu::bundle::{self, CALIBRATION, COMMIT, PROGRAMS, Program};
use tests_gpu::{BENCH, Case, Dist, build, rex};

/// Most bytes of a bundle.
const LIMIT: u64 = 64 << 20;

/// Everything but [`RUN`], compressed: PTX is text.
const CONTENTS: &str = "contents.tar.gz";

const RUN: &str = r#"#!/bin/sh
# Runs everything in this bundle on the device at hand, in less than nine minutes (BUNDLE_SECONDS=N: about N seconds), and
# writes results.txt and results.json, as they come, and calibration.txt (instruction forms that differ from the SIMT
# device) to $OUT (default ./out). The last lines are a summary. Exit status: 0 if everything was run and is right,
# 1 if not, 2 if the bundle could not be run. OMPTARGET_DEVICE=simt runs it without a GPU.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$here/contents.tar.gz" -C "$work"
export LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
status=0
"$work/bin/bundle-runner" "$work" "${OUT:-./out}" || status=$?
exit $status
"#;

/// Libraries that a machine has, and that have to be of one kind with its loader: glibc.
const OF_THE_MACHINE: &[&str] =
    &["libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux", "linux-vdso"];

/// Makes the bundle in the folder `out`, which is replaced, of programs whose name contains `only`.
///
/// # Errors
/// Something cannot be built, a host run fails, or the bundle is too large to carry.
pub fn run(out: &Path, only: Option<&str>) -> Result<()> {
    setup::run()?;
    let dist = dist::run()?;
    process::run(process::cargo().args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "tests-gpu",
        "--bin",
        "bundle-runner",
        "--bin",
        "calibrate",
    ]))?;
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let contents = tempfile::tempdir().context("cannot make a temporary folder")?;
    let folder = contents.path();
    for name in ["bin", "lib"] {
        fs::create_dir_all(folder.join(name))
            .with_context(|| format!("cannot make {name} in {}", folder.display()))?;
    }
    for program in ["bundle-runner", "calibrate"] {
        copy(&process::target().join("release").join(program), &folder.join("bin").join(program))?;
    }
    let mut expect = Command::new(folder.join("bin/calibrate"));
    process::run(expect.arg("--expect").arg(folder.join(CALIBRATION)))?;

    let mut kinds: Vec<(&str, Vec<String>)> = vec![("ptx", Vec::new())];
    if setup::assembler_folder().join("ptxas").exists() {
        kinds.push(("cubin", vec![format!("--cuda-path={}", cuda_folder(&dist)?.display())]));
    } else {
        eprintln!("xtask: no ptxas: the bundle holds PTX only");
    }
    let dist = Dist::find_in(&dist)?;
    let mut work = vec![];
    for (image, options) in &kinds {
        let folder = folder.join(image);
        let cases = bundle::cases(image, only).into_iter().chain([&BENCH]);
        work.extend(cases.map(|case| Work { image, case, options, folder: folder.clone() }));
    }
    let mut programs = build_all(&dist, &work)?;
    programs.retain(|program| program.name != BENCH.name());
    for (image, _) in &kinds {
        programs.extend(rex_clients(&dist, image, only, &folder.join(image))?);
    }
    ensure!(!programs.is_empty(), "no program's name contains {}", only.unwrap_or_default());
    fs::write(folder.join(PROGRAMS), serde_json::to_string(&programs)?)?;
    for (name, file) in libraries(&dist, &work)? {
        copy(&file, &folder.join("lib").join(name))?;
    }
    fs::write(folder.join(COMMIT), commit()?)?;
    let mut pack = Command::new("tar");
    pack.arg("-czf").arg(out.join(CONTENTS)).arg("-C").arg(folder).arg(".");
    process::run(&mut pack)?;
    let run = out.join("run.sh");
    fs::write(&run, RUN)?;
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755))?;

    let bytes = fs::metadata(out.join(CONTENTS))?.len();
    ensure!(bytes < LIMIT, "the bundle has {bytes} bytes; more than {LIMIT} cannot be carried");
    println!("{}: {} programs, {:.1} MiB", run.display(), programs.len(), bytes as f64 / (1 << 20) as f64);
    Ok(())
}

/// One program to build.
struct Work<'a> {
    image: &'a str,
    case: &'a Case,
    options: &'a [String],
    folder: PathBuf,
}

impl Work<'_> {
    /// Builds the program and runs it on the host, if that tells what it has to print.
    fn done(&self, dist: &Dist) -> Result<Program> {
        let program = build::build(dist, self.case, self.options, &self.folder)?;
        let expected = if self.case.compares_with_host() && self.case.name() != BENCH.name() {
            Some(self.case.host_run().of(&program)?.successful()?.stdout)
        } else {
            None
        };
        let (name, image) = (self.case.name(), self.image.to_owned());
        Ok(Program { name, image, expected, reads_a_file: false })
    }
}

/// Builds the clients in the shape of REX's output, whose image is a file beside them.
fn rex_clients(dist: &Dist, image: &str, only: Option<&str>, of_image: &Path) -> Result<Vec<Program>> {
    let mut programs = vec![];
    for client in &rex::CLIENTS {
        let name = format!("rex.{}", client.name);
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let expected = Some(client.on_a_gpu());
        let program = Program { name, image: image.to_owned(), expected, reads_a_file: true };
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

/// Builds all, one on each processor at a time; in their order.
fn build_all(dist: &Dist, work: &[Work]) -> Result<Vec<Program>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = work.get(index) else { return };
                    let result =
                        one.done(dist).with_context(|| format!("{} as {}", one.case.name(), one.image));
                    if result.is_err() {
                        next.store(work.len(), Ordering::Relaxed); // the others need not begin
                    } else if (index + 1).is_multiple_of(20) {
                        eprintln!("xtask: {} of {} programs", index + 1, work.len());
                    }
                    done.lock().expect("no holder of this lock panics").insert(index, result);
                }
            });
        }
    });
    done.into_inner().expect("no holder of this lock panics").into_values().collect()
}

/// The shared libraries that the programs need and that a machine need not have, by name.
fn libraries(dist: &Dist, work: &[Work]) -> Result<BTreeMap<String, PathBuf>> {
    let mut libraries = BTreeMap::new();
    let files: BTreeSet<PathBuf> = work.iter().map(|one| one.folder.join(one.case.name())).collect();
    // What the runtimes need themselves is among what the programs need.
    for file in files {
        let mut command = Command::new("ldd");
        command
            .arg(&file)
            .env("LD_LIBRARY_PATH", format!("{}:{LLVM_LIBRARIES}", dist.folder().join("lib").display()));
        let output = command.output().context("cannot start ldd")?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            // `	libomp.so.5 => /usr/lib/llvm-22/lib/libomp.so.5 (0x...)`
            let Some((name, place)) = line.trim().split_once(" => ") else { continue };
            ensure!(place != "not found", "{} needs {name}, which is not there", file.display());
            let place = place.split(" (").next().unwrap_or(place);
            if !OF_THE_MACHINE.iter().any(|known| name.starts_with(known)) {
                libraries.insert(name.to_owned(), fs::canonicalize(place)?);
            }
        }
    }
    Ok(libraries)
}

/// Where Debian has libomp.
const LLVM_LIBRARIES: &str = "/usr/lib/llvm-22/lib";

/// A CUDA folder with the real ptxas and nvlink, and our mathematical functions as libdevice.
fn cuda_folder(dist: &Path) -> Result<PathBuf> {
    let cuda = process::target().join("cuda-assembler");
    let tools = cuda.join("bin");
    for folder in [&tools, &cuda.join("include"), &cuda.join("nvvm/libdevice")] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    for tool in ["ptxas", "nvlink"] {
        let _ = fs::remove_file(tools.join(tool));
        symlink(setup::assembler_folder().join(tool), tools.join(tool))?;
    }
    for file in ["include/cuda.h", "nvvm/libdevice/libdevice.10.bc"] {
        copy(&dist.join("cuda").join(file), &cuda.join(file))?;
    }
    Ok(cuda)
}

fn commit() -> Result<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(process::root()).output();
    let text = output.context("cannot start git")?.stdout;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
