//! `cargo xtask setup`: installs what is missing, and nothing when all is there.

use crate::process::{self, root};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Debian package and a file of it that shows that it is installed.
struct Package {
    name: &'static str,
    proof: &'static str,
}

/// All but clang-19 is LLVM 22 of Debian 12's security archive, so that rustc and clang have the same LLVM.
const PACKAGES: &[Package] = &[
    Package { name: "gcc", proof: "/usr/bin/cc" },
    Package { name: "libc6-dev", proof: "/usr/include/stdio.h" },
    Package { name: "clang-22", proof: "/usr/lib/llvm-22/bin/clang" },
    // clang-linker-wrapper and clang-nvlink-wrapper: every offload link runs them
    Package { name: "clang-tools-22", proof: "/usr/lib/llvm-22/bin/clang-linker-wrapper" },
    Package { name: "llvm-22", proof: "/usr/lib/llvm-22/bin/llvm-link" },
    // OMPKinds.def, which the function table is compared with
    Package { name: "llvm-22-dev", proof: "/usr/include/llvm-22/llvm/Frontend/OpenMP/OMPKinds.def" },
    Package { name: "libomp-22-dev", proof: "/usr/lib/llvm-22/lib/libomp.so" },
    // LLVM's libomptarget.so, whose exports are compared with ours; never linked
    Package { name: "liboffload-22", proof: "/usr/lib/x86_64-linux-gnu/libomptarget.so.22.1" },
    Package { name: "flang-22", proof: "/usr/lib/llvm-22/bin/flang" },
    // the Fortran runtime of the host and the module omp_lib
    Package { name: "libflang-22-dev", proof: "/usr/lib/llvm-22/include/flang/omp_lib.mod" },
    // For its tests alone. libomp-19-dev cannot stand beside libomp-22-dev.
    Package { name: "clang-19", proof: "/usr/lib/llvm-19/bin/clang" },
    Package { name: "clang-tools-19", proof: "/usr/lib/llvm-19/bin/clang-linker-wrapper" },
    // rustc 1.96 with LLVM 22.1.8 and the sources of core, for the device crate
    Package { name: "rustc-web", proof: "/usr/bin/rustc" },
    Package { name: "rust-web-src", proof: "/usr/lib/rustlib/src/rust/library/core/src/lib.rs" },
];

/// NVIDIA's assembler: optional. With it tests assemble the PTX and `gpu-bundle` adds cubins.
const ASSEMBLER: &str = "nvidia-cuda-nvcc==13.0.88";

/// Where [`ASSEMBLER`] puts ptxas and nvlink, when it is installed.
pub fn assembler_folder() -> PathBuf {
    root().join(".deps/nvidia/nvidia/cu13/bin")
}

/// Installs packages as root or with sudo.
fn apt_install(missing: &[&str]) -> Result<()> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let privileged = |arguments: &[&str]| {
        let mut command = Command::new(if is_root { "apt-get" } else { "sudo" });
        if !is_root {
            command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        }
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        command
    };
    process::run(&mut privileged(&["update"]))?;
    let mut install = privileged(&["install", "-y", "--no-install-recommends"]);
    process::run(install.args(missing))
}

/// Installs what is missing.
///
/// # Errors
/// A needed package cannot be installed. A missing assembler is only a remark.
pub fn run() -> Result<()> {
    let missing: Vec<&str> =
        PACKAGES.iter().filter(|p| !Path::new(p.proof).exists()).map(|p| p.name).collect();
    if !missing.is_empty() {
        eprintln!("xtask: installing {}", missing.join(" "));
        apt_install(&missing)?;
    }
    if let Some(package) = PACKAGES.iter().find(|package| !Path::new(package.proof).exists()) {
        bail!(
            "package {} is installed but {} is not there: this project expects Debian 12 with its security archive",
            package.name,
            package.proof
        );
    }
    install_assembler();
    Ok(())
}

fn install_assembler() {
    if assembler_folder().join("ptxas").exists() {
        return;
    }
    if let Err(error) = pip_install(ASSEMBLER, &root().join(".deps/nvidia")) {
        eprintln!("xtask: no ptxas ({error:#}); nothing needs it, but its checks are skipped");
    }
}

/// Installs a package of PyPI, without what it depends on, into `folder`.
///
/// # Errors
/// pip cannot be started or fails.
pub fn pip_install(package: &str, folder: &Path) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
    ]);
    process::run(pip.arg("--target").arg(folder).arg(package))
}
