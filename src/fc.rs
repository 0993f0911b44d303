//! `omptarget fc`: flang with the options that put our device runtime and host runtime into a program.
//!
//! flang 22 has no option for a CUDA folder: it takes the one whose `ptxas` is the first on the PATH.

use crate::{architecture, cc, fortran_steps, layout};
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Names another flang.
const FLANG: &str = "OMPTARGET_FLANG";

/// Runs flang with the user's arguments and ours, and gives its exit code.
///
/// # Errors
/// There is no installation around this program, or flang cannot be started.
pub fn run(user: &[OsString]) -> Result<ExitCode> {
    let flang = find_flang();
    let user = &architecture::without_native(user)?;
    let prefix = layout::prefix()?;
    cc::check_plugin(&prefix, user)?;
    if let Some(source) = fortran_steps::inputs(user).find(|source| is_of_c(source)) {
        bail!(
            "{}: flang compiles Fortran; make an object of it with `omptarget cc -c` or `omptarget c++ -c`",
            source.display()
        );
    }
    let passes = cc::runs_passes(&prefix, user, FLANG);
    let lto = fortran_steps::is_wanted(user, passes);
    let (arguments, cuda) = arguments(&prefix, user, passes, lto)?;
    let first = [cc::llvm_folder(&flang), &cuda.join("bin")];
    fortran_steps::run(&flang, &arguments, &first, lto)
        .with_context(|| format!("flang-22: `cargo xtask setup` installs it, {FLANG} names another"))
}

/// What flang gets, and the CUDA folder. `passes` run, and `lto` is wanted.
fn arguments(prefix: &Path, user: &[OsString], passes: bool, lto: bool) -> Result<(Vec<OsString>, PathBuf)> {
    const CUDA: &str = "--cuda-path=";
    let path = |argument: &OsString| Some(PathBuf::from(argument.to_str()?.strip_prefix(CUDA)?));
    let architectures = architecture::named(user);
    let cuda = match user.iter().rev().find_map(path) {
        Some(cuda) => cuda,
        None => architecture::stand_in(prefix, &architectures)?,
    };
    let mut all = vec![cc::joined("--config=", prefix.join(layout::FORTRAN_CONFIG).as_os_str())];
    if architectures.is_empty() {
        all.push(format!("--offload-arch={}", architecture::DEFAULT).into());
    }
    // flang has no option that is for device code only, and tells of those for the link where it only compiles.
    if passes {
        all.push(cc::on_files(prefix));
        if lto || cc::wants_passes(user) == Some(true) {
            all.extend(cc::at_link(prefix, user));
        }
    }
    // clang tells the device linker; flang has it compile nothing.
    if let Some(level) = fortran_steps::optimisation(user).filter(|_| lto) {
        all.extend([cc::FOR_LINKER.into(), format!("--plugin-opt=O{level}").into()]);
    }
    let is_for_flang = |argument: &&OsString| {
        path(argument).is_none() && !cc::is_about_passes(argument) && !fortran_steps::is_about_lto(argument)
    };
    all.extend(user.iter().filter(is_for_flang).cloned());
    Ok((all, cuda))
}

/// Whether a file is a source of C or C++, by its name. flang takes it, and ends at the device's with an error about files.
fn is_of_c(source: &Path) -> bool {
    let extension = source.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["c", "cc", "cpp", "cxx", "C"].contains(&extension)
}

/// `OMPTARGET_FLANG`, else Debian's folder, else the PATH.
fn find_flang() -> PathBuf {
    if let Some(flang) = std::env::var_os(FLANG) {
        return flang.into();
    }
    let packaged = Path::new(cc::LLVM_FOLDER).join("flang");
    if packaged.exists() { packaged } else { "flang-22".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(user: &[&str]) -> (Vec<String>, PathBuf) {
        let user: Vec<OsString> = user.iter().map(OsString::from).collect();
        let passes = cc::wants_passes(&user) == Some(true);
        let (all, cuda) = arguments(Path::new("/p"), &user, passes, passes).unwrap();
        (all.into_iter().map(|argument| argument.into_string().unwrap()).collect(), cuda)
    }

    #[test]
    fn the_cuda_folder_goes_to_the_path() {
        let config = "--config=/p/etc/omptarget-fortran.cfg";
        assert_eq!(
            with(&["-O2", "a.f90"]),
            ([config, "--offload-arch=sm_90", "-O2", "a.f90"].map(str::to_owned).to_vec(), "/p/cuda".into())
        );
        assert_eq!(
            with(&["--offload-arch=sm_120", "a.f90"]),
            ([config, "--offload-arch=sm_120", "a.f90"].map(str::to_owned).to_vec(), "/p/cuda-12.8".into())
        );
        assert_eq!(
            with(&["--cuda-path=/cuda", "a.f90"]),
            ([config, "--offload-arch=sm_90", "a.f90"].map(str::to_owned).to_vec(), "/cuda".into())
        );
    }

    #[test]
    fn the_passes_run_on_files_and_at_the_link() {
        let (words, _) = with(&["-fomptarget-opt", "-O0", "a.f90"]);
        let plugin = "/p/lib/omptarget-passes.so";
        let expected = format!(
            "-fpass-plugin={plugin} -Xoffload-linker -mllvm -Xoffload-linker -load-pass-plugin={plugin} \
             -Xoffload-linker --plugin-opt=O0 -O0 a.f90"
        );
        assert_eq!(words[2..].join(" "), expected);
    }
}
