//! Builds the runtime once, and kernels with it.

use devicertl_build::{
    Outputs,
    toolchain::{Llvm, run},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The runtime, built once for all tests.
pub fn runtime() -> &'static Outputs {
    static RUNTIME: OnceLock<Outputs> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        devicertl_build::build(&scratch("runtime")).unwrap_or_else(|error| panic!("{error:#}"))
    })
}

/// LLVM's tools.
pub fn llvm() -> Llvm {
    Llvm::find().unwrap_or_else(|error| panic!("{error:#}"))
}

/// An empty folder for one test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("device").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// ptxas, from `OMPTARGET_PTXAS`, PATH or `cargo xtask setup`; `None` where there is none.
pub fn ptxas() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/nvidia/nvidia/cu13/bin/ptxas");
    let named = std::env::var_os("OMPTARGET_PTXAS").map(PathBuf::from);
    [named, Some("ptxas".into()), Some(installed)].into_iter().flatten().find(|program| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

/// How clang links the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `-mlink-builtin-bitcode` for each file, the default.
    Builtin,
    /// `-foffload-lto` with the archive.
    Lto,
}

/// A CUDA folder for clang, with `libdevice` as its math library. Its ptxas hands the PTX through.
pub fn cuda_folder(folder: &Path, libdevice: &Path) {
    for part in ["bin", "include", "nvvm/libdevice"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    fs::write(folder.join("include/cuda.h"), "#define CUDA_VERSION 12080\n").unwrap();
    fs::copy(libdevice, folder.join("nvvm/libdevice/libdevice.10.bc")).unwrap();
    let ptxas = folder.join("bin/ptxas");
    fs::write(
        &ptxas,
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n  case $1 in\n  --output-file) out=$2; shift ;;\n  --gpu-name) shift ;;\n  \
         -*) ;;\n  *) in=$1 ;;\n  esac\n  shift\ndone\ncp \"$in\" \"$out\"\n",
    )
    .unwrap();
    let mut permissions = fs::metadata(&ptxas).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(&ptxas, permissions).unwrap();
}

/// PTX of `kernel` (a file beside this one) with our math library.
pub fn compile(kernel: &str, mode: Mode) -> String {
    let folder = scratch(&format!("{kernel}-{mode:?}"));
    cuda_folder(&folder.join("cuda"), &runtime().math);
    compile_with(kernel, mode, &folder)
}

/// PTX of `kernel` with the CUDA folder `folder/cuda`.
pub fn compile_with(kernel: &str, mode: Mode, folder: &Path) -> String {
    let runtime = runtime();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/device/kernels/{kernel}.c"));
    let with = |option: &str, path: &Path| format!("{option}{}", path.display());
    let llvm = llvm();
    let ptx = folder.join("kernel.ptx");
    let mut clang = Command::new(llvm.tool("clang"));
    clang
        .args(["-O3", "-fopenmp", "--offload-arch=sm_90"])
        .arg(with("--cuda-path=", &folder.join("cuda")))
        .arg(source);
    match mode {
        Mode::Builtin => {
            clang
                .arg(with("--libomptarget-nvptx-bc-path=", &runtime.runtime))
                .args(["--offload-device-only", "-c", "-o"])
                .arg(&ptx);
            run(&mut clang).unwrap_or_else(|error| panic!("{error:#}"));
        }
        Mode::Lto => {
            let library = folder.join("kernel.so");
            // clang-linker-wrapper looks for a program called clang.
            if let Some(bin) = llvm.tool("clang").parent().filter(|bin| !bin.as_os_str().is_empty()) {
                let path = std::env::var("PATH").unwrap_or_default();
                clang.env("PATH", format!("{}:{path}", bin.display()));
            }
            clang
                .args(["-foffload-lto", "-Xoffload-linker", "--lto-emit-asm", "-Xoffload-linker"])
                .arg(with("-L", runtime.archive.parent().unwrap()))
                // No host library is needed to look at the device image.
                .args(["-nostdlib", "-shared", "-fPIC", "-o"])
                .arg(&library);
            run(&mut clang).unwrap_or_else(|error| panic!("{error:#}"));
            let image = format!("--image=file={},triple=nvptx64-nvidia-cuda", ptx.display());
            run(Command::new(llvm.tool("llvm-offload-binary")).arg(&library).arg(image))
                .unwrap_or_else(|error| panic!("{error:#}"));
        }
    }
    fs::read_to_string(&ptx).unwrap()
}
