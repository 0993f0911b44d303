//! How exact the math functions are on a device: a program that calls each of them (`kernels/math/accuracy.c`), and the table
//! that it reads, with arguments and the results that keep CUDA's bounds. MPFR says which, on this machine.

use crate::{Case, Dist, Route, build, dist};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// The program.
pub const CASE: Case = Case::new("math/accuracy.c", Route::Omptarget, "O2", &[&["-O2", "-lm"]]);

/// What it prints if all is well.
pub const EXPECTED: &str = "passed\n";

/// The name of the table in the folder that it runs in.
pub const TABLE: &str = "libdevice.txt";

/// What the table holds.
///
/// # Errors
/// It cannot be made.
pub fn table() -> Result<Vec<u8>> {
    // The functions' own tests have the references.
    let mut cargo = dist::cargo();
    cargo.args(["run", "--quiet", "--package", "devicertl", "--example", "math_table"]);
    let output = cargo.output().context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{cargo:?}\n{said}");
    Ok(output.stdout)
}

/// Builds the program with `options` into `folder`, and writes `table` there.
///
/// # Errors
/// One of them cannot be made.
pub fn build(dist: &Dist, options: &[String], table: &[u8], folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join(TABLE);
    fs::write(&file, table).with_context(|| format!("cannot write {}", file.display()))?;
    build::build(dist, &CASE, options, folder)
}
