//! Sources as input: clang makes IR of the device of them, without a pass having run.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Debian's clang. `OMPTARGET_CLANG` names another, as for `omptarget cc`.
const CLANG: &str = "/usr/lib/llvm-22/bin/clang";

/// As the fronts of the passes see a file: value names and lines are kept for the report.
const OPTIONS: [&str; 13] = [
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
    "-fopenmp",
    "--offload-arch=sm_90",
    "--offload-device-only",
    "-nogpulib",
    "-nogpuinc",
    "--cuda-feature=+ptx86",
    "-fno-discard-value-names",
    "-g1",
    "-emit-llvm",
    "-S",
];

/// The IR of a C or C++ source; none if `input` is something else.
///
/// # Errors
/// clang does not compile it.
pub fn if_source(input: &Path, more: &[String]) -> Result<Option<tempfile::NamedTempFile>> {
    let extension = input.extension().unwrap_or_default().to_string_lossy();
    if !matches!(&*extension, "c" | "cc" | "cpp" | "cxx" | "C") {
        if !more.is_empty() {
            bail!("{} is no C or C++ source: what stands behind -- is for clang", input.display());
        }
        return Ok(None);
    }
    let file = tempfile::Builder::new().suffix(".ll").tempfile().context("cannot make a temporary file")?;
    let clang = std::env::var_os("OMPTARGET_CLANG").unwrap_or_else(|| CLANG.into());
    let mut command = Command::new(&clang);
    command.args(OPTIONS).args(more).arg(input).arg("-o").arg(file.path());
    let status = command.status().with_context(|| {
        format!(
            "cannot start {}: `cargo xtask setup` installs it, OMPTARGET_CLANG names another",
            clang.display()
        )
    })?;
    if !status.success() {
        bail!("{} does not compile {}", clang.display(), input.display());
    }
    Ok(Some(file))
}
