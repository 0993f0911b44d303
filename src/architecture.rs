//! The GPU architectures that a command line names, and the CUDA folder that knows them.

use crate::layout;
use anyhow::{Result, anyhow, bail};
use hostrtl::device::{self, Wanted};
use hostrtl::env::Settings;
use hostrtl::image::Arch;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Architecture of the device code when the command line names none.
pub const DEFAULT: &str = "sm_90";

/// The options that name architectures, with commas between them; the second is clang's former one.
const OPTIONS: [&str; 2] = ["--offload-arch=", "--cuda-gpu-arch="];

/// Stands for the architectures of this machine's GPUs.
const NATIVE: &str = "native";

/// The architectures that a command line names. (Beside `-fopenmp-targets=` it is `-Xopenmp-target=TRIPLE -march=sm_NN`.)
pub fn named(user: &[OsString]) -> Vec<String> {
    let of_target = |argument: &str| {
        let name = argument.strip_prefix("-march=").filter(|name| name.starts_with("sm_"))?;
        Some(name.to_owned())
    };
    let list = |argument: &OsString| {
        let argument = argument.to_str()?;
        option_and_list(argument).map(|(_, list)| list.to_owned()).or_else(|| of_target(argument))
    };
    user.iter()
        .filter_map(list)
        .flat_map(|list| list.split(',').map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

fn option_and_list(argument: &str) -> Option<(&'static str, &str)> {
    OPTIONS.into_iter().find_map(|option| Some((option, argument.strip_prefix(option)?)))
}

/// The command line with names in the place of `native`: those of the devices that a program would run on, which is the
/// interpreter's where there is no GPU. (clang asks NVIDIA's driver, and has no answer without a GPU.)
///
/// # Errors
/// There is no such device.
pub fn without_native(user: &[OsString]) -> Result<Vec<OsString>> {
    with_names_for_native(user, of_devices)
}

fn with_names_for_native(
    user: &[OsString],
    names: impl Fn() -> Result<Vec<String>>,
) -> Result<Vec<OsString>> {
    let named = |argument: &OsString| {
        let Some((option, list)) = argument.to_str().and_then(option_and_list) else {
            return Ok(argument.clone());
        };
        if !list.split(',').any(|name| name == NATIVE) {
            return Ok(argument.clone());
        }
        let natives = names().map_err(|why| anyhow!("{option}{list}: {why}; name one, such as {DEFAULT}"))?;
        let all = list.split(',').filter(|name| *name != NATIVE).map(str::to_owned).chain(natives);
        Ok(format!("{option}{}", all.collect::<Vec<_>>().join(",")).into())
    };
    user.iter().map(named).collect()
}

/// The architectures of the devices, each once.
fn of_devices() -> Result<Vec<String>> {
    let (settings, _) = Settings::from_process()?;
    let devices = device::open(&settings, Wanted::by([])).map_err(|none| anyhow!(none.reason))?;
    let mut names: Vec<String> = devices
        .iter()
        .map(|device| device.properties().arch)
        .filter(|arch| matches!(arch, Arch::Gpu(_)))
        .map(|arch| arch.to_string())
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        bail!("there is no GPU among the devices");
    }
    Ok(names)
}

/// The CUDA folder of the installation that knows all of `architectures`.
///
/// # Errors
/// One of them is not NVIDIA's.
pub fn stand_in(prefix: &Path, architectures: &[String]) -> Result<PathBuf> {
    let known = architectures.iter().map(|name| layout::stand_in_cuda(name)).collect::<Result<Vec<_>>>()?;
    let newest = known.into_iter().max_by_key(|cuda| cuda.version).unwrap_or(&layout::CUDA_11_8);
    Ok(prefix.join(newest.folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn all_that_are_named() {
        let line =
            ["--offload-arch=sm_80,sm_90", "-march=native", "--cuda-gpu-arch=sm_70", "-march=sm_75", "a.c"];
        assert_eq!(named(&words(&line)), ["sm_80", "sm_90", "sm_70", "sm_75"]);
    }

    #[test]
    fn native_is_what_the_devices_are() {
        let two = || Ok(vec!["sm_80".to_owned(), "sm_90".to_owned()]);
        let line = words(&["-O2", "--offload-arch=native", "--cuda-gpu-arch=sm_120,native", "-march=native"]);
        assert_eq!(
            with_names_for_native(&line, two).unwrap(),
            ["-O2", "--offload-arch=sm_80,sm_90", "--cuda-gpu-arch=sm_120,sm_80,sm_90", "-march=native"]
        );
        let none = || bail!("there is none");
        let error = with_names_for_native(&line, none).unwrap_err().to_string();
        assert_eq!(error, "--offload-arch=native: there is none; name one, such as sm_90");
        assert_eq!(with_names_for_native(&line[..1], none).unwrap(), ["-O2"]);
    }
}
