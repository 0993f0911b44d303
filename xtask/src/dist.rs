//! `cargo xtask dist`: the installation in target/dist that tests, demo and bundle use.

use crate::process::{self, cargo, root, target};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

/// The name that programs made by clang-22 ask for.
const SONAME: &str = "libomptarget.so.22.1";
/// Other names for the same file: the linker's, and that of programs made by clang-19.
const OTHER_NAMES: &[&str] = &["libomptarget.so", "libomptarget.so.19.1"];

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
    ]))?;
    for folder in ["bin", "lib"] {
        fs::create_dir_all(dist.join(folder))
            .with_context(|| format!("cannot make {}", dist.join(folder).display()))?;
    }
    link_library(&dist.join("lib"))?;
    let program = dist.join("bin/omptarget");
    let _ = fs::remove_file(&program); // a running one cannot be written to
    fs::copy(target().join("release/omptarget"), &program)
        .with_context(|| format!("cannot write {}", program.display()))?;
    process::run(Command::new(&program).arg("install").arg("--prefix").arg(&dist))?;
    Ok(dist)
}

/// A cargo cdylib cannot carry versioned symbols: the shared library is linked from the staticlib.
fn link_library(folder: &std::path::Path) -> Result<()> {
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
    for name in OTHER_NAMES {
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        symlink(SONAME, &path).with_context(|| format!("cannot make the link {}", path.display()))?;
    }
    Ok(())
}
