//! `cargo xtask gpu-bundle`: a folder that runs programs and benches on a machine with nothing but a GPU driver.

use crate::{dist, process, setup};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::bundle::{self, COMMIT};
use tests_gpu::{BENCH, Dist, build};

/// Most bytes of a bundle.
const LIMIT: u64 = 64 << 20;

/// Everything but [`RUN`], compressed: PTX is text.
const CONTENTS: &str = "contents.tar.gz";

const RUN: &str = r#"#!/bin/sh
# Runs everything in this bundle on the device at hand and writes calibration.txt (instruction forms that differ from the SIMT
# device), results.json and results.txt to $OUT (default ./out). Exits non-zero if a result is wrong or a form differs. OMPTARGET_DEVICE=simt runs it without a GPU.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$here/contents.tar.gz" -C "$work"
status=0
"$work/bin/calibrate" "$work/calibration" "${OUT:-./out}" || status=$?
LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/bin/bundle-runner" "$work" "${OUT:-./out}" || status=$?
exit $status
"#;

/// Makes the bundle in the folder `out`, which is replaced.
///
/// # Errors
/// Something cannot be built, a host run fails, or the bundle is too large to carry.
pub fn run(out: &Path) -> Result<()> {
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
    process::run(expect.arg("--expect").arg(folder.join("calibration")))?;
    copy(&dist.join("lib/libomptarget.so.22.1"), &folder.join("lib/libomptarget.so.22.1"))?;
    copy(&fs::canonicalize("/usr/lib/llvm-22/lib/libomp.so")?, &folder.join("lib/libomp.so.5"))?;

    let mut kinds: Vec<(&str, Vec<String>)> = vec![("ptx", Vec::new())];
    if setup::assembler_folder().join("ptxas").exists() {
        kinds.push(("cubin", vec![format!("--cuda-path={}", cuda_folder(&dist)?.display())]));
    } else {
        eprintln!("xtask: no ptxas: the bundle holds PTX only");
    }
    let dist = Dist::find_in(&dist)?;
    for (image, options) in &kinds {
        for case in bundle::cases(image).chain([&BENCH]) {
            build::build(&dist, case, options, &folder.join(image))?;
        }
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
    println!("{}: {:.1} MiB", run.display(), bytes as f64 / (1 << 20) as f64);
    Ok(())
}

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
