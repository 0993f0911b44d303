//! `cargo xtask dist`: the installation in target/dist that tests, demo and bundle use.

use crate::process::{self, cargo, root, target};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name that programs made by clang-22 ask for.
const SONAME: &str = "libomptarget.so.22.1";
/// Other names for the same file: the linker's, and that of programs made by clang-19.
const OTHER_NAMES: &[&str] = &["libomptarget.so", "libomptarget.so.19.1"];

/// The stand-in for the CUDA driver, in a folder of its own: below `lib` it would hide a real one.
const DRIVER_FOLDER: &str = "lib/simt";
const DRIVER_SONAME: &str = "libcuda.so.1";
/// The name that LLVM's libomptarget opens.
const DRIVER_NAMES: &[&str] = &["libcuda.so"];

/// Builds it and gives its folder.
///
/// # Errors
/// A build or link step fails, or a file cannot be written.
pub fn run() -> Result<PathBuf> {
    let dist = target().join("dist");
    process::run(cargo().args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "omptarget",
        "--package",
        "omptarget-so",
        "--package",
        "libcuda-simt",
        "--package",
        "passes",
        "--package",
        "passes-plugin",
    ]))?;
    for folder in ["bin", "lib", DRIVER_FOLDER] {
        fs::create_dir_all(dist.join(folder))
            .with_context(|| format!("cannot make {}", dist.join(folder).display()))?;
    }
    link_library(&dist.join("lib"))?;
    copy_driver(&dist.join(DRIVER_FOLDER))?;
    let program = dist.join("bin/omptarget");
    copy("omptarget", &program)?;
    copy("omptarget-opt", &dist.join("bin/omptarget-opt"))?;
    copy("libomptarget_passes.so", &dist.join("lib/omptarget-passes.so"))?;
    process::run(Command::new(&program).arg("install").arg("--prefix").arg(&dist))?;
    Ok(dist)
}

/// A cargo cdylib cannot carry versioned symbols: the shared library is linked from the staticlib.
fn link_library(folder: &Path) -> Result<()> {
    let script = root().join("omptarget-so/exports");
    let mut link = Command::new("cc");
    link.arg("-shared").arg("-o").arg(folder.join(SONAME));
    link.arg("-Wl,--whole-archive")
        .arg(target().join("release/libomptarget_so.a"))
        .arg("-Wl,--no-whole-archive");
    link.args(["-Wl,--gc-sections", "-Wl,-z,nodelete", "-Wl,-z,defs", "-Wl,--strip-debug"]);
    link.arg(format!("-Wl,-soname,{SONAME}")).arg(format!("-Wl,--version-script={}", script.display()));
    link.args(["-lpthread", "-ldl", "-lgcc_s", "-lc", "-lm"]);
    process::run(&mut link)?;
    other_names(folder, SONAME, OTHER_NAMES)
}

/// Copies a built file; a running program may have the old one open.
fn copy(built: &str, to: &Path) -> Result<()> {
    let _ = fs::remove_file(to);
    fs::copy(target().join("release").join(built), to)
        .with_context(|| format!("cannot write {}", to.display()))?;
    Ok(())
}

fn copy_driver(folder: &Path) -> Result<()> {
    copy("libcuda_simt.so", &folder.join(DRIVER_SONAME))?;
    other_names(folder, DRIVER_SONAME, DRIVER_NAMES)
}

/// Links in `folder` to the file of that name.
fn other_names(folder: &Path, file: &str, names: &[&str]) -> Result<()> {
    for name in names {
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        symlink(file, &path).with_context(|| format!("cannot make the link {}", path.display()))?;
    }
    Ok(())
}
