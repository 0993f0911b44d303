//! Building programs, each command line once.

use crate::{Case, Dist, Route, dist, stand_in};
use anyhow::{Context, Result, bail};
use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

/// Debian's folder of clang-22 and of the `clang` that clang-linker-wrapper looks for on the PATH.
pub const LLVM_FOLDER: &str = "/usr/lib/llvm-22/bin";

/// The same of clang-19.
const LLVM_19_FOLDER: &str = "/usr/lib/llvm-19/bin";

/// Where clang-22 has its omp.h.
const HEADERS: &str = "/usr/lib/llvm-22/lib/clang/22/include";

/// The source `name` below `kernels/`.
pub fn source(name: &str) -> PathBuf {
    dist::root().join("kernels").join(name)
}

/// The compiler of `route`, with the options that put the runtimes into a program.
///
/// # Errors
/// A runtime of LLVM that the route takes is not installed.
pub fn compiler(dist: &Dist, route: Route, cxx: bool) -> Result<Command> {
    let prefix = dist.folder();
    let clang = if cxx { "clang++-22" } else { "clang-22" };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_llvm_19 = matches!(route, Route::Llvm19Device | Route::Llvm19DevicePtx);
    let of_llvm_22 = matches!(route, Route::LlvmDevice | Route::LlvmDevicePtx);
    let old = of_llvm_19 || matches!(route, Route::Clang19 | Route::Clang19Elf);
    let llvm = if old { LLVM_19_FOLDER } else { LLVM_FOLDER };
    let first = [PathBuf::from(llvm), prefix.join("cuda/bin")];
    let folders = first.into_iter().chain(std::env::split_paths(&path));
    let with = |option: &str, below: &str| joined(option, &prefix.join(below));
    let driver = |language: &str| {
        let mut command = Command::new(dist.driver());
        command.arg(language);
        command
    };
    let mut command = match route {
        Route::Omptarget => driver(if cxx { "c++" } else { "cc" }),
        Route::Plain => {
            let mut command = driver(if cxx { "c++" } else { "cc" });
            command.arg("-fno-omptarget-opt");
            command
        }
        Route::OmptargetFc => driver("fc"),
        Route::Flang | Route::FlangElf => {
            let mut command = Command::new("flang-22");
            command.args(["-fopenmp", "--offload-arch=sm_90"]);
            command.arg("-Xoffload-linker").arg(with("-L", "lib/nvptx64-nvidia-cuda"));
            command.arg(with("-L", "lib")).arg(with("-Wl,-rpath,", "lib"));
            command
        }
        Route::Clang19 | Route::Clang19Elf | Route::Llvm19Device | Route::Llvm19DevicePtx => {
            let mut command = Command::new(if cxx { "clang++-19" } else { "clang-19" });
            command.args(["-fopenmp", "--offload-arch=sm_90", "-nogpulib"]).arg(with("--cuda-path=", "cuda"));
            // Debian's omp.h for clang-19 cannot stand beside that for clang-22: it gets the latter's.
            command.args(["-idirafter", HEADERS]);
            if route != Route::Clang19 {
                command.arg(joined("-L", &stand_in::Host::Llvm19.link_folder()?));
            }
            if of_llvm_19 {
                // Before ours, which has the same name.
                let folder = stand_in::llvm_19_archive().context(
                    "LLVM 19's device runtime is not there: `cargo xtask setup` could not download libomp-19-dev",
                )?;
                command.arg(joined("-L", &folder));
            }
            command.arg(with("-L", "lib")).arg(with("-Wl,-rpath,", "lib")).arg("-lomptarget.devicertl");
            command
        }
        Route::Config => {
            let mut command = Command::new(clang);
            command.arg(with("--config=", "etc/omptarget.cfg"));
            command.arg(with("--cuda-path=", "cuda")).arg("--offload-arch=sm_90");
            command
        }
        Route::Cuda => {
            let mut command = Command::new("clang++-22");
            command.args(["-foffload-via-llvm", "--offload-arch=sm_90"]).arg(with("--cuda-path=", "cuda"));
            command.arg("-Xoffload-linker").arg(with("-L", "lib/nvptx64-nvidia-cuda"));
            command.arg(with("-L", "lib")).arg(with("-Wl,-rpath,", "lib"));
            command
        }
        Route::HostCpu | Route::GpuAndHostCpu => {
            let mut command = Command::new(clang);
            command.arg("-fopenmp").arg("-Xoffload-linker").arg(with("-L", "lib"));
            command.arg(with("-L", "lib")).arg(with("-Wl,-rpath,", "lib"));
            if route == Route::HostCpu {
                command.arg("-fopenmp-targets=x86_64-pc-linux-gnu");
            } else {
                command.args(["-fopenmp-targets=nvptx64-nvidia-cuda,x86_64-pc-linux-gnu", "-foffload-lto"]);
                command.args(["-Xopenmp-target=nvptx64-nvidia-cuda", "-march=sm_90"]);
                command.arg(with("--cuda-path=", "cuda"));
                command.arg("-Xoffload-linker").arg(with("-L", "lib/nvptx64-nvidia-cuda"));
            }
            command
        }
        Route::Clang | Route::NoLto | Route::Elf | Route::LlvmDevice | Route::LlvmDevicePtx => {
            let mut command = Command::new(clang);
            command.args(["-fopenmp", "--offload-arch=sm_90"]).arg(with("--cuda-path=", "cuda"));
            if route == Route::NoLto {
                let bitcode = "lib/nvptx64-nvidia-cuda/libomptarget-nvptx.bc";
                command.arg(with("--libomptarget-nvptx-bc-path=", bitcode));
            } else {
                command.arg("-foffload-lto");
            }
            let runtime = if of_llvm_22 {
                joined("-L", &stand_in::llvm_device_runtime()?)
            } else {
                with("-L", "lib/nvptx64-nvidia-cuda")
            };
            command.arg("-Xoffload-linker").arg(runtime);
            command.arg(with("-L", "lib")).arg(with("-Wl,-rpath,", "lib"));
            command
        }
    };
    let elf = [Route::Elf, Route::LlvmDevice, Route::FlangElf, Route::Clang19Elf, Route::Llvm19Device];
    if elf.contains(&route) {
        command.env("OMPTARGET_IMAGE", "elf");
    }
    if !matches!(route, Route::Omptarget | Route::Plain | Route::OmptargetFc) {
        command.env("PATH", std::env::join_paths(folders).context("PATH cannot be extended")?);
    }
    Ok(command)
}

/// The command that builds `case`, with `more` options, into the file `output`.
///
/// # Errors
/// As [`compiler`].
pub fn command(dist: &Dist, case: &Case, more: &[String], output: &Path) -> Result<Command> {
    let mut command = compiler(dist, case.route, case.source.ends_with(".cpp"))?;
    if case.is_fortran() {
        command.arg("-module-dir").arg(modules(output));
    }
    command
        .arg(source(case.source))
        .args(case.units.iter().map(|unit| source(unit)))
        .args(case.options.iter().copied().flatten())
        .args(if case.passes { dist.pass_options()? } else { Vec::new() })
        .args(more)
        .arg("-o")
        .arg(output);
    Ok(command)
}

/// An option and a path as one argument.
fn joined(option: &str, path: &Path) -> OsString {
    let mut whole = OsString::from(option);
    whole.push(path);
    whole
}

/// The folder for the module files of a Fortran program.
fn modules(program: &Path) -> PathBuf {
    let mut folder = program.as_os_str().to_owned();
    folder.push(".modules");
    folder.into()
}

/// Builds `case`, with `more` options, into `folder`.
///
/// # Errors
/// The compiler fails or says anything: a warning about a program of ours is a mistake of ours.
pub fn build(dist: &Dist, case: &Case, more: &[String], folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let program = folder.join(case.name());
    let mut command = command(dist, case, more, &program)?;
    if case.is_fortran() {
        fs::create_dir_all(modules(&program)).context("cannot make a folder")?;
    }
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let _ = fs::remove_dir_all(modules(&program)); // of use to the compiler alone
    let said = String::from_utf8_lossy(&output.stderr);
    // clang says this of every simd loop for a GPU (and then how many warnings those were), and nvlink of every kernel
    // with a call through a pointer; no option silences them.
    let known = ["loop not vectorized", "nvlink warning : Stack size for entry function"];
    let count = |line: &str| line.ends_with(" warning generated.") || line.ends_with(" warnings generated.");
    let expected =
        |line: &str| line.is_empty() || count(line) || known.iter().any(|text| line.contains(text));
    if !output.status.success() || !said.lines().all(expected) {
        bail!("{}: {command:?}\n{said}", output.status);
    }
    Ok(program)
}

/// The program of `case`, built once a process.
///
/// # Errors
/// There is no installation, or the program cannot be built.
pub fn program(case: &Case) -> Result<PathBuf> {
    type Built = Arc<OnceLock<Result<PathBuf, String>>>;
    static BUILT: LazyLock<Mutex<HashMap<String, Built>>> = LazyLock::new(Mutex::default);
    let slot = BUILT.lock().expect("no holder of this lock panics").entry(case.name()).or_default().clone();
    let built = slot.get_or_init(|| {
        let folder = dist::target().join("tests-gpu");
        Dist::find().and_then(|dist| build(&dist, case, &[], &folder)).map_err(|e| format!("{e:#}"))
    });
    built.clone().map_err(anyhow::Error::msg)
}
