//! Where the files of an installation stand below its prefix.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The folder that clang itself would search for a device runtime.
pub const DEVICE_LIBRARIES: &str = "lib/nvptx64-nvidia-cuda";

/// What device code includes in front of clang's own headers.
pub const DEVICE_HEADERS: &str = "include/omptarget";

/// What all code includes in front of clang's own headers.
pub const HEADERS: &str = "include/omptarget-all";

/// The device runtime as clang-19 takes it.
pub const HOST_ARCHIVE: &str = "lib/libomptarget.devicertl.a";

/// A shared library and its other names, which are links to it.
pub struct Library {
    /// Folder below the prefix.
    pub folder: &'static str,
    /// The name that programs ask for.
    pub file: &'static str,
    /// Its other names.
    pub names: &'static [&'static str],
}

/// The host runtime, by the name that programs of clang-22 ask for; the linker's, and that of programs made by clang-19.
pub const HOST_LIBRARY: Library = Library {
    folder: "lib",
    file: "libomptarget.so.22.1",
    names: &["libomptarget.so", "libomptarget.so.19.1"],
};
/// The SIMT device in the place of the CUDA driver. In a folder of its own, where it hides no real driver by accident.
pub const DRIVER: Library = Library { folder: "lib/simt", file: "libcuda.so.1", names: &["libcuda.so"] };

/// This program.
pub const PROGRAM: &str = "bin/omptarget";

/// The passes as a program, and as a plugin of clang.
pub const PASS_TOOL: &str = "bin/omptarget-opt";
/// See [`PASS_TOOL`].
pub const PASS_PLUGIN: &str = "lib/omptarget-passes.so";

/// clang's options. Which `--cuda-path` stands beside them decides the device image: PTX text with a [`StandInCuda`],
/// a cubin with a CUDA toolkit.
pub const CONFIG: &str = "etc/omptarget.cfg";

/// flang's options.
pub const FORTRAN_CONFIG: &str = "etc/omptarget-fortran.cfg";

/// A folder that clang takes for a CUDA installation. Its version decides the PTX version that clang writes; its
/// [`TOOLS`] are this program.
pub struct StandInCuda {
    /// Folder below the prefix.
    pub folder: &'static str,
    /// `CUDA_VERSION` in its cuda.h.
    pub version: u32,
}

/// Programs in the `bin` of a [`StandInCuda`]: other names of [`PROGRAM`], which goes by the name it is called by.
pub const TOOLS: [&str; 2] = ["ptxas", "nvlink"];

/// Writes PTX 7.8, which every driver since CUDA 11.8 reads; knows GPUs up to sm_90.
pub const CUDA_11_8: StandInCuda = StandInCuda { folder: "cuda", version: 11080 };
/// Writes PTX 8.0, for sm_90a.
pub const CUDA_12_0: StandInCuda = StandInCuda { folder: "cuda-12.0", version: 12000 };
/// Writes PTX 8.7, for GPUs from sm_100 on.
pub const CUDA_12_8: StandInCuda = StandInCuda { folder: "cuda-12.8", version: 12080 };
/// Writes PTX 8.8, for the GPUs that 8.7 does not know.
pub const CUDA_12_9: StandInCuda = StandInCuda { folder: "cuda-12.9", version: 12090 };
/// All of them.
pub const STAND_INS: [&StandInCuda; 4] = [&CUDA_11_8, &CUDA_12_0, &CUDA_12_8, &CUDA_12_9];

/// The stand-in whose PTX version knows `architecture` (`sm_90`, `sm_90a`).
///
/// # Errors
/// `architecture` is not the name of an NVIDIA GPU architecture.
pub fn stand_in_cuda(architecture: &str) -> Result<&'static StandInCuda> {
    let name = architecture.strip_prefix("sm_").unwrap_or("");
    let letter = name.trim_start_matches(|c: char| c.is_ascii_digit());
    match (name[..name.len() - letter.len()].parse::<u32>(), letter) {
        // PTX ISA, "Release Notes".
        (Ok(90), "a") => Ok(&CUDA_12_0),
        (Ok(number), _) if number <= 90 => Ok(&CUDA_11_8),
        (Ok(103 | 121), _) => Ok(&CUDA_12_9),
        (Ok(_), _) => Ok(&CUDA_12_8),
        (Err(_), _) => bail!("--offload-arch={architecture}: expected an NVIDIA architecture such as sm_90"),
    }
}

/// The prefix that the running program was installed to: the folder above its `bin`.
///
/// # Errors
/// The program stands alone, without the files of an installation.
pub fn prefix() -> Result<PathBuf> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let prefix = program.parent().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
    if !prefix.join(CONFIG).is_file() {
        bail!(
            "{} is not there: this program is used from an installation; make one with `cargo xtask dist`, \
             or run `omptarget install --prefix DIR` and use DIR/bin/omptarget",
            prefix.join(CONFIG).display()
        );
    }
    Ok(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_in_knows_the_architecture() {
        assert_eq!(stand_in_cuda("sm_75").unwrap().version, 11080);
        assert_eq!(stand_in_cuda("sm_90a").unwrap().version, 12000);
        assert_eq!(stand_in_cuda("sm_100").unwrap().version, 12080);
        assert_eq!(stand_in_cuda("sm_120a").unwrap().version, 12080);
        assert_eq!(stand_in_cuda("sm_121").unwrap().version, 12090);
        let error = stand_in_cuda("gfx90a").err().unwrap().to_string();
        assert!(error.contains("gfx90a"), "{error}");
    }
}
