//! NVIDIA's compiler, for what needs NVIDIA's runtime library: CUB's reductions, and the CUDA versions of programs of others.
//! Nothing else does, and where it is missing these are left out.

use crate::dist;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder below `.deps` to which `cargo xtask gpu-bundle` installs nvcc with all that it needs, from PyPI.
pub const FOLDER: &str = "toolkit";

/// The library of NVIDIA's that is part of the driver: what is linked with it is linked with an empty one of that name.
const DRIVER_LIBRARY: &str = "libnvidia-ml.so.1";

/// That of [`FOLDER`], else that on the PATH or where CUDA's toolkit puts it.
fn command() -> Command {
    let toolkit = dist::root().join(".deps").join(FOLDER).join("nvidia/cu13");
    let program = toolkit.join("bin/nvcc");
    if program.is_file() {
        let mut nvcc = Command::new(program);
        nvcc.arg("-L").arg(toolkit.join("lib"));
        return nvcc;
    }
    let mut nvcc = Command::new("nvcc");
    nvcc.env("PATH", std::env::var("PATH").unwrap_or_default() + ":/usr/local/cuda/bin");
    nvcc
}

/// Compiles `sources` for sm_90 and, as PTX, for what comes behind it, into the file `program`; what ptxas says about the
/// kernels ([`resources`]).
///
/// # Errors
/// There is no nvcc, or it fails.
pub fn compile(sources: &[PathBuf], options: &[&str], program: &Path) -> Result<String> {
    let folder = program.parent().context("a program in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut nvcc = command();
    nvcc.args(["-O3", "-w", "-std=c++17", "-arch=sm_90", "-Xptxas=-v"]).args(options);
    let stand_in = tempfile::tempdir().context("cannot make a temporary folder")?;
    if options.iter().any(|option| option.contains(DRIVER_LIBRARY)) {
        empty_library(&stand_in.path().join(DRIVER_LIBRARY))?;
        nvcc.arg("-L").arg(stand_in.path()).arg("-Xlinker=--unresolved-symbols=ignore-all");
    }
    let output = nvcc.args(sources).arg("-o").arg(program).output();
    let output = output.context("cannot start nvcc, which is part of NVIDIA's CUDA toolkit")?;
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    ensure!(output.status.success(), "nvcc: {said}");
    Ok(said)
}

/// A shared library that defines nothing.
fn empty_library(file: &Path) -> Result<()> {
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-x", "c", "/dev/null", "-o"]).arg(file).arg(format!("-Wl,-soname,{DRIVER_LIBRARY}"));
    let output = cc.output().context("cannot start cc")?;
    ensure!(output.status.success(), "cc: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Most registers and shared bytes of the kernels whose name contains `kernel`, in what ptxas said.
pub fn resources(said: &str, kernel: &str) -> Option<(u64, u64)> {
    let (mut of_kernel, mut most) = (false, None);
    for line in said.lines() {
        if let Some((_, name)) = line.split_once("Compiling entry function '") {
            of_kernel = name.contains(kernel);
        } else if of_kernel && line.contains(" registers") {
            let before = |what: &str| {
                let words = line.split(what).next()?.split_whitespace();
                line.contains(what).then(|| words.last()?.parse::<u64>().ok()).flatten()
            };
            let (registers, shared) = (before(" registers")?, before(" bytes smem").unwrap_or(0));
            let (more, larger) = most.unwrap_or((0, 0));
            most = Some((registers.max(more), shared.max(larger)));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_those_of_the_kernels_of_that_name() {
        let said = "ptxas info    : Compiling entry function '_Z3dotIdEv' for 'sm_90'\n\
                    ptxas info    : Function properties for _Z3dotIdEv\n\
                    ptxas info    : Used 17 registers, used 1 barriers, 8192 bytes smem\n\
                    ptxas info    : Compiling entry function '_Z5triadIdEv' for 'sm_90'\n\
                    ptxas info    : Used 22 registers, used 0 barriers\n\
                    ptxas info    : Compiling entry function '_Z5triadIfEv' for 'sm_90'\n\
                    ptxas info    : Used 30 registers, used 0 barriers\n";
        assert_eq!(resources(said, "IdE"), Some((22, 8192)));
        assert_eq!(resources(said, "triadIf"), Some((30, 0)));
        assert_eq!(resources(said, "copy"), None);
    }

    #[test]
    fn a_program_that_cannot_be_made_says_who_did_not_make_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = compile(&[folder.path().join("absent.cu")], &[], &folder.path().join("program"));
        assert!(format!("{:#}", error.unwrap_err()).contains("nvcc"));
    }
}
