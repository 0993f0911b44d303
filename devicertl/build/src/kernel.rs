//! From a program to the PTX of its kernels with a device runtime, for tests and measurements that look at the code.

use crate::compile;
use crate::toolchain::{DeviceRustc, Llvm, run};
use anyhow::{Context, Result};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// How clang links the device runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// `-mlink-builtin-bitcode` for each file, the default.
    Builtin,
    /// `-foffload-lto` with the archive.
    Lto,
}

/// Hands the PTX through as the assembled file.
const PTXAS: &str = "\
#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
  --output-file) out=$2; shift ;;
  --gpu-name) shift ;;
  -*) ;;
  *) in=$1 ;;
  esac
  shift
done
cp \"$in\" \"$out\"
";

/// Makes a CUDA folder for clang, with `libdevice` as its math library. Its ptxas hands the PTX through.
///
/// # Errors
/// It cannot be written.
pub fn cuda_folder(folder: &Path, libdevice: &Path) -> Result<()> {
    let ptxas = folder.join("bin/ptxas");
    let make = || -> std::io::Result<()> {
        for part in ["bin", "include", "nvvm/libdevice"] {
            fs::create_dir_all(folder.join(part))?;
        }
        fs::write(folder.join("include/cuda.h"), "#define CUDA_VERSION 12080\n")?;
        fs::copy(libdevice, folder.join("nvvm/libdevice/libdevice.10.bc"))?;
        fs::write(&ptxas, PTXAS)?;
        let mut permissions = fs::metadata(&ptxas)?.permissions();
        permissions.set_mode(0o755);
        fs::set_permissions(&ptxas, permissions)
    };
    make().with_context(|| format!("cannot make {}", folder.display()))
}

/// How programs are compiled.
#[derive(Clone, Copy, Debug)]
pub struct Compiler<'a> {
    /// clang and the tools that read its files.
    pub llvm: &'a Llvm,
    /// What [`cuda_folder`] made.
    pub cuda: &'a Path,
    /// The device runtime for [`Link::Builtin`].
    pub bitcode: &'a Path,
    /// The device runtime for [`Link::Lto`]: `libompdevice.a`.
    pub archive: &'a Path,
}

impl Compiler<'_> {
    /// Compiles `source`, C or C++, for sm_90 with these options of clang, and of LLVM for the device code; the PTX
    /// and what else is made go to `folder`.
    ///
    /// # Errors
    /// It does not compile.
    pub fn ptx(
        &self,
        link: Link,
        source: &Path,
        options: &[&str],
        llvm_options: &[&str],
        folder: &Path,
    ) -> Result<PathBuf> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let ptx = folder.join("kernels.ptx");
        let cxx = source.extension().is_some_and(|extension| extension == "cpp");
        let mut clang = Command::new(self.llvm.tool(if cxx { "clang++" } else { "clang" }));
        clang.args(["-O3", "-fopenmp", "--offload-arch=sm_90"]).args(options);
        clang.arg(format!("--cuda-path={}", self.cuda.display()));
        for option in llvm_options {
            clang.arg("-Xarch_device").arg(format!("-mllvm={option}"));
        }
        clang.arg(source);
        match link {
            Link::Builtin => {
                clang.arg(format!("--libomptarget-nvptx-bc-path={}", self.bitcode.display()));
                clang.args(["--offload-device-only", "-c", "-o"]).arg(&ptx);
                run(&mut clang)?;
            }
            Link::Lto => {
                let library = folder.join("library.so");
                // clang-linker-wrapper looks for a program called clang.
                if let Some(bin) = self.llvm.tool("clang").parent().filter(|bin| !bin.as_os_str().is_empty())
                {
                    let path = std::env::var("PATH").unwrap_or_default();
                    clang.env("PATH", format!("{}:{path}", bin.display()));
                }
                clang.args(["-foffload-lto", "-Xoffload-linker", "--lto-emit-asm"]);
                for option in llvm_options {
                    clang.arg("-Xoffload-linker").arg(format!("-mllvm={option}"));
                }
                let folder = self.archive.parent().context("an archive in a folder")?;
                clang.arg("-Xoffload-linker").arg(format!("-L{}", folder.display()));
                // No host library is needed to look at the device image.
                clang.args(["-nodefaultlibs", "-shared", "-fPIC", "-o"]).arg(&library);
                run(&mut clang)?;
                let image = format!("--image=file={},triple=nvptx64-nvidia-cuda", ptx.display());
                run(Command::new(self.llvm.tool("llvm-offload-binary")).arg(&library).arg(image))?;
            }
        }
        Ok(ptx)
    }
}

/// Makes the PTX for sm_90 of a Rust source of kernels, with the device runtime `archive` (`libompdevice.a`) by device LTO, as
/// clang links its programs. `cuda` is a CUDA folder, and what else is made goes to `folder`.
///
/// # Errors
/// It does not compile or link.
pub fn of_rust(
    device: &DeviceRustc,
    llvm: &Llvm,
    source: &Path,
    archive: &Path,
    cuda: &Path,
    folder: &Path,
) -> Result<PathBuf> {
    let kernels = compile::kernels(device, source, folder)?;
    let text = fs::read_to_string(&kernels).with_context(|| format!("cannot read {}", kernels.display()))?;
    let ptx = folder.join("kernels.ptx");
    let modules = [folder.join("kernels.bc"), folder.join("openmp.bc")];
    run(Command::new(llvm.tool("llvm-as")).arg(&kernels).arg("-o").arg(&modules[0]))?;
    // openmp-opt, which lets the runtime's functions be inlined, looks at nothing without these flags of clang's.
    let openmp = folder.join("openmp.ll");
    let head: Vec<&str> = text.lines().filter(|line| line.starts_with("target ")).collect();
    fs::write(&openmp, format!("{}\n{OPENMP_FLAGS}", head.join("\n")))
        .with_context(|| format!("cannot write {}", openmp.display()))?;
    run(Command::new(llvm.tool("llvm-as")).arg(&openmp).arg("-o").arg(&modules[1]))?;
    let library = archive.parent().context("an archive in a folder")?;
    let mut link = Command::new(llvm.tool("clang-nvlink-wrapper"));
    link.args(["-arch", "sm_90", "-O2", "--lto-emit-asm"]).arg(format!("--cuda-path={}", cuda.display()));
    link.args(&modules).arg(format!("-L{}", library.display())).arg("-lompdevice").arg("-o").arg(&ptx);
    run(&mut link)?;
    Ok(ptx)
}

/// The flags of a module of device code that clang compiles with `-fopenmp`.
const OPENMP_FLAGS: &str = "!llvm.module.flags = !{!0, !1}\n\
    !0 = !{i32 7, !\"openmp\", i32 51}\n\
    !1 = !{i32 7, !\"openmp-device\", i32 51}\n";
