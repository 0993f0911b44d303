//! Programs on the stand-in for the CUDA driver (`lib/simt/libcuda.so.1` of the installation): with our host runtime or
//! LLVM's, with our device runtime or LLVM's.

use crate::{Dist, Run, dist};
use anyhow::{Context, Result, bail};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whose libomptarget runs a program. It is chosen when the program starts, by the path of libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// Ours, which the programs find by themselves.
    Ours,
    /// LLVM 22's: Debian's liboffload-22.
    Llvm22,
    /// LLVM 19's: Debian's libomp5-19.
    Llvm19,
}

impl Host {
    /// The folder of LLVM's libraries.
    const fn folder(self) -> Option<&'static str> {
        match self {
            Self::Ours => None,
            Self::Llvm22 => Some("/usr/lib/llvm-22/lib"),
            Self::Llvm19 => Some("/usr/lib/llvm-19/lib"),
        }
    }

    /// The file that a program which was linked with LLVM's asks for.
    const fn library(self) -> &'static str {
        match self {
            Self::Ours | Self::Llvm22 => "libomptarget.so.22.1",
            Self::Llvm19 => "libomptarget.so.19.1",
        }
    }

    /// A folder with this libomptarget under the name that a linker looks for: it stands in a development package, and
    /// that of LLVM 19 cannot be installed beside that of LLVM 22.
    ///
    /// # Errors
    /// The folder cannot be made, or the library is not installed.
    pub fn link_folder(self) -> Result<PathBuf> {
        let library = Path::new(self.folder().context("only LLVM's is looked for")?).join(self.library());
        if !library.is_file() {
            bail!("{} is not there: `cargo xtask setup` installs it", library.display());
        }
        let folder = dist::target().join("tests-gpu").join(format!("link-{}", self.library()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        match symlink(&library, folder.join("libomptarget.so")) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                bail!("cannot make a link to {}: {error}", library.display())
            }
            _ => Ok(folder),
        }
    }

    /// A run on the device with this host runtime on the stand-in.
    pub fn on_stand_in(self, dist: &Dist) -> Run {
        let driver = dist.folder().join("lib/simt").display().to_string();
        let path = self.folder().map_or_else(|| driver.clone(), |folder| format!("{folder}:{driver}"));
        Run::on_device().with("LD_LIBRARY_PATH", path).with("OMPTARGET_DEVICE", "cuda")
    }

    /// A run of a program with an image for the host's CPU, which needs no driver.
    pub fn on_host_cpu(self) -> Run {
        match self.folder() {
            Some(folder) => Run::on_device().with("LD_LIBRARY_PATH", folder),
            None => Run::on_device(),
        }
    }

    /// A run on the host alone, with this host runtime.
    pub fn on_host(self) -> Run {
        match self.folder() {
            Some(folder) => Run::on_host().with("LD_LIBRARY_PATH", folder),
            None => Run::on_host(),
        }
    }
}

/// The folder of a Python package that `cargo xtask setup` installs if it can.
pub fn python_package(folder: &str) -> Option<PathBuf> {
    Some(dist::root().join(".deps").join(folder)).filter(|folder| folder.is_dir())
}

/// LLVM 22's device runtime as bitcode: the package pyomp carries it.
pub fn llvm_bitcode() -> Option<PathBuf> {
    let file = python_package("pyomp")?.join("numba/openmp/libs/openmp/lib/libomptarget-nvptx.bc");
    file.is_file().then_some(file)
}

/// The folder with LLVM 19's device runtime as `libomptarget.devicertl.a`: Debian's libomp-19-dev has it, which cannot be
/// installed beside that of LLVM 22, so it is only unpacked.
pub fn llvm_19_archive() -> Option<PathBuf> {
    let folder = dist::root().join(".deps/libomp-19-dev/usr/lib/llvm-19/lib");
    folder.join("libomptarget.devicertl.a").is_file().then_some(folder)
}

/// A folder with LLVM 22's device runtime as `libompdevice.a`.
///
/// # Errors
/// Its package is not installed, or the archive cannot be written.
pub fn llvm_device_runtime() -> Result<PathBuf> {
    static FOLDER: std::sync::OnceLock<Result<PathBuf, String>> = std::sync::OnceLock::new();
    let folder = FOLDER.get_or_init(|| archive().map_err(|error| format!("{error:#}")));
    folder.clone().map_err(anyhow::Error::msg)
}

fn archive() -> Result<PathBuf> {
    let bitcode =
        llvm_bitcode().context("LLVM 22's device runtime is not there: pip could not install pyomp")?;
    let folder = dist::target().join("tests-gpu/llvm-22");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Other processes may do the same: the archive is written apart and then moved.
    let archive = folder.join(format!("{}.a", std::process::id()));
    let output = Command::new("llvm-ar-22").arg("rcs").arg(&archive).arg(&bitcode).output();
    let output = output.context("cannot start llvm-ar-22")?;
    if !output.status.success() {
        bail!("llvm-ar-22: {}", String::from_utf8_lossy(&output.stderr));
    }
    fs::rename(&archive, folder.join("libompdevice.a")).context("cannot move the archive")?;
    Ok(folder)
}
