//! Builds the runtime once, and kernels with it.

use devicertl_build::{
    Outputs,
    kernel::{self, Compiler, Link},
    toolchain::Llvm,
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
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("");
        devicertl_build::store::build_once(&target, &scratch("runtime"))
            .unwrap_or_else(|error| panic!("{error:#}"))
    })
}

/// LLVM's tools.
pub fn llvm() -> Llvm {
    Llvm::find().unwrap_or_else(|error| panic!("{error:#}"))
}

/// A bitcode file as text.
pub fn text(bitcode: &Path) -> String {
    let args = ["-o".as_ref(), "-".as_ref(), bitcode.as_os_str()];
    llvm().run("llvm-dis", &args).unwrap_or_else(|error| panic!("{error:#}"))
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

/// A CUDA folder for clang, with `libdevice` as its math library.
pub fn cuda_folder(folder: &Path, libdevice: &Path) {
    kernel::cuda_folder(folder, libdevice).unwrap_or_else(|error| panic!("{error:#}"));
}

/// PTX of `kernel` (a file beside this one) with our math library.
pub fn compile(kernel: &str, link: Link) -> String {
    let folder = scratch(&format!("{kernel}-{link:?}"));
    cuda_folder(&folder.join("cuda"), &runtime().math);
    compile_with(kernel, link, &[], &folder)
}

/// As [`compile`], without openmp-opt.
pub fn compile_without_openmp_opt(kernel: &str, link: Link) -> String {
    let folder = scratch(&format!("{kernel}-{link:?}-off"));
    cuda_folder(&folder.join("cuda"), &runtime().math);
    compile_with(kernel, link, &["-openmp-opt-disable"], &folder)
}

/// PTX of `kernel` with these options of LLVM and the CUDA folder `folder/cuda`.
pub fn compile_with(kernel: &str, link: Link, llvm_options: &[&str], folder: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/device/kernels/{kernel}.c"));
    let (llvm, cuda) = (llvm(), folder.join("cuda"));
    let compiler =
        Compiler { llvm: &llvm, cuda: &cuda, bitcode: &runtime().runtime, archive: &runtime().archive };
    let ptx =
        compiler.ptx(link, &source, &[], llvm_options, folder).unwrap_or_else(|error| panic!("{error:#}"));
    fs::read_to_string(ptx).unwrap()
}
