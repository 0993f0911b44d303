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

/// All but clang-19 and the browser is LLVM 22 of Debian 12's security archive, so that rustc and clang have the same LLVM.
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
    // LLVM's libomptarget.so, whose exports are compared with ours, and which runs programs on the stand-in for the driver
    Package { name: "liboffload-22", proof: "/usr/lib/x86_64-linux-gnu/libomptarget.so.22.1" },
    Package { name: "flang-22", proof: "/usr/lib/llvm-22/bin/flang" },
    // the Fortran runtime of the host and the module omp_lib
    Package { name: "libflang-22-dev", proof: "/usr/lib/llvm-22/include/flang/omp_lib.mod" },
    // For its tests alone. libomp-19-dev cannot stand beside libomp-22-dev: see `UNPACKED`.
    Package { name: "clang-19", proof: "/usr/lib/llvm-19/bin/clang" },
    Package { name: "clang-tools-19", proof: "/usr/lib/llvm-19/bin/clang-linker-wrapper" },
    // LLVM 19's headers and opt: the passes are built for it too, and their plugin for 22 is shown to it
    Package { name: "llvm-19-dev", proof: "/usr/lib/llvm-19/bin/llvm-config" },
    Package { name: "llvm-19", proof: "/usr/lib/llvm-19/bin/opt" },
    // LLVM 19's libomptarget.so, which runs programs on the stand-in for the CUDA driver
    Package { name: "libomp5-19", proof: "/usr/lib/llvm-19/lib/libomptarget.so.19.1" },
    // a project of CMake's is compiled, in a test
    Package { name: "cmake", proof: "/usr/bin/cmake" },
    Package { name: "make", proof: "/usr/bin/make" },
    // packs the bundle for a machine with a GPU
    Package { name: "zstd", proof: "/usr/bin/zstd" },
    // opens the page that the profile writes, in a test
    Package { name: "chromium-headless-shell", proof: "/usr/bin/chromium-headless-shell" },
    // rustc 1.96 with LLVM 22.1.8 and the sources of core, for the device crate
    Package { name: "rustc-web", proof: "/usr/bin/rustc" },
    Package { name: "rust-web-src", proof: "/usr/lib/rustlib/src/rust/library/core/src/lib.rs" },
];

/// A Debian package that is not installed but unpacked into the folder of its name below `.deps`, for its file
/// [`Package::proof`] there: LLVM 19's device runtime, which tests run on the SIMT device.
const UNPACKED: Package =
    Package { name: "libomp-19-dev", proof: "usr/lib/llvm-19/lib/libomptarget.devicertl.a" };

/// A package of PyPI, the folder below `.deps` that it goes to, and a file of it.
pub struct PythonPackage {
    /// With its version; several with spaces between them.
    name: &'static str,
    folder: &'static str,
    proof: &'static str,
}

/// NVIDIA's assembler. With it tests assemble the PTX and `gpu-bundle` adds cubins.
const ASSEMBLER: PythonPackage =
    PythonPackage { name: "nvidia-cuda-nvcc==13.0.88", folder: "nvidia", proof: "nvidia/cu13/bin/ptxas" };
/// It carries LLVM 22's device runtime, which ours is compared with.
pub const PYOMP: PythonPackage = PythonPackage {
    name: "pyomp==0.6.0",
    folder: "pyomp",
    proof: "numba/openmp/libs/openmp/lib/libomptarget-nvptx.bc",
};
/// nvcc with all that it needs, for what only it compiles. One command installs them into one folder.
pub const TOOLKIT: PythonPackage = PythonPackage {
    name: "nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 \
           nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-nvml-dev==13.0.87",
    folder: tests_gpu::nvcc::FOLDER,
    proof: "nvidia/cu13/nvvm/bin/cicc",
};
/// NVIDIA's libdevice of CUDA 13.
pub const NVVM: PythonPackage = PythonPackage {
    name: "nvidia-nvvm==13.0.88",
    folder: "nvvm",
    proof: "nvidia/cu13/nvvm/libdevice/libdevice.10.bc",
};
/// NVIDIA's disassembler.
pub const DISASSEMBLER: PythonPackage = PythonPackage {
    name: "nvidia-cuda-nvdisasm==13.2.51",
    folder: "nvdisasm",
    proof: "nvidia/cu13/bin/nvdisasm",
};

/// Optional: without one of them the tests that use it are left out. The last five are Numba with what it wants of CUDA
/// (libNVVM, and the version of the runtime), for a test of the stand-in for the driver.
const OPTIONAL: &[PythonPackage] = &[
    ASSEMBLER,
    PYOMP,
    PythonPackage { name: "numpy==2.2.6", folder: "numba", proof: "numpy/__init__.py" },
    PythonPackage { name: "llvmlite==0.44.0", folder: "numba", proof: "llvmlite/__init__.py" },
    PythonPackage {
        name: "nvidia-cuda-nvcc-cu12==12.9.86",
        folder: "nvcc12",
        proof: "nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so",
    },
    PythonPackage {
        name: "nvidia-cuda-runtime-cu12==12.9.79",
        folder: "cudart12",
        proof: "nvidia/cuda_runtime/lib/libcudart.so.12",
    },
    // The test looks for this one.
    PythonPackage { name: "numba==0.61.2", folder: "numba", proof: "numba/__init__.py" },
];

impl PythonPackage {
    /// Its file, installed if it is not there.
    ///
    /// # Errors
    /// pip fails, or the file is not there afterwards.
    pub fn install(&self) -> Result<PathBuf> {
        let folder = root().join(".deps").join(self.folder);
        let file = folder.join(self.proof);
        if !file.exists() {
            pip_install(self.name, &folder)?;
        }
        if !file.exists() {
            bail!("{} is installed but {} is not there", self.name, file.display());
        }
        Ok(file)
    }
}

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
/// A needed package cannot be installed. A missing one of Python is only a remark.
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
    let missing = OPTIONAL.iter().filter_map(|package| Some((package.name, package.install().err()?)));
    for (name, error) in missing.chain(unpack().err().map(|error| (UNPACKED.name, error))) {
        eprintln!("xtask: no {name} ({error:#}); nothing needs it, but its checks are left out");
    }
    Ok(())
}

/// Downloads and unpacks [`UNPACKED`], unless it is there.
fn unpack() -> Result<()> {
    let folder = root().join(".deps").join(UNPACKED.name);
    if folder.join(UNPACKED.proof).exists() {
        return Ok(());
    }
    let download = tempfile::tempdir()?;
    process::run(
        Command::new("apt-get")
            .args(["download", "-qq", "-o", "APT::Sandbox::User=root", UNPACKED.name])
            .current_dir(download.path()),
    )?;
    std::fs::create_dir_all(&folder)?;
    for file in std::fs::read_dir(download.path())? {
        process::run(Command::new("dpkg-deb").arg("-x").arg(file?.path()).arg(&folder))?;
    }
    Ok(())
}

/// Installs packages of PyPI, without what they depend on, into `folder`.
///
/// # Errors
/// pip cannot be started or fails.
fn pip_install(packages: &str, folder: &Path) -> Result<()> {
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
    process::run(pip.arg("--target").arg(folder).args(packages.split_whitespace()))
}
