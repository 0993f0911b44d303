//! From a program to the PTX of its kernels with a device runtime, for tests and measurements that look at the code.

use crate::compile;
use crate::ir::{self, Callee};
use crate::toolchain::{DeviceRustc, Llvm, run};
use anyhow::{Context, Result};
use std::{
    collections::BTreeSet,
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

/// How kernels in Rust are made.
#[derive(Clone, Copy, Debug)]
pub struct RustKernels<'a> {
    /// Their compiler.
    pub device: &'a DeviceRustc,
    /// The tools that link them.
    pub llvm: &'a Llvm,
    /// The folder of the crate `abi`.
    pub abi: &'a Path,
    /// The device runtime: `libompdevice.a`.
    pub archive: &'a Path,
    /// A CUDA folder.
    pub cuda: &'a Path,
}

impl RustKernels<'_> {
    /// Makes the PTX `ptx` for sm_90 of `source`, with the device runtime by device LTO, as clang links its programs, and with these
    /// options of LLVM for the link. What else is made goes below `folder`, apart for each name of `ptx`.
    ///
    /// # Errors
    /// It does not compile or link.
    pub fn ptx(&self, source: &Path, llvm_options: &[&str], folder: &Path, ptx: &Path) -> Result<()> {
        let kernels = compile::kernels(self.device, source, self.abi, folder)?;
        let text =
            fs::read_to_string(&kernels).with_context(|| format!("cannot read {}", kernels.display()))?;
        let (stem, name) = (source.file_stem(), ptx.file_name());
        let work = folder.join(stem.context("a source has a name")?).join(name.context("PTX in a file")?);
        fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
        let head: Vec<&str> = text.lines().filter(|line| line.starts_with("target ")).collect();
        let parts =
            [("kernels", marked(&text)?), ("openmp", format!("{}\n{OPENMP_MODULE}", head.join("\n")))];
        let mut link = Command::new(self.llvm.tool("clang-nvlink-wrapper"));
        link.args(["-arch", "sm_90", "-O2", "--lto-emit-asm"]);
        link.arg(format!("--cuda-path={}", self.cuda.display()));
        for (name, text) in parts {
            let (ir, module) = (work.join(format!("{name}.ll")), work.join(format!("{name}.bc")));
            fs::write(&ir, text).with_context(|| format!("cannot write {}", ir.display()))?;
            // As clang compiles each file for device LTO. rustc has left everything to LLVM.
            let mut opt = Command::new(self.llvm.tool("opt"));
            run(opt.arg("-passes=lto-pre-link<O2>").arg(&ir).arg("-o").arg(&module))?;
            link.arg(module);
        }
        let library = self.archive.parent().context("an archive in a folder")?;
        link.args(llvm_options.iter().map(|option| format!("-mllvm={option}")));
        link.arg(format!("-L{}", library.display())).arg("-lompdevice").arg("-o").arg(ptx);
        run(&mut link).map(drop)
    }
}

/// What clang says of device code and rustc does not: every function may come to a barrier, so that its calls are not moved, and a
/// kernel with `__kmpc_target_init` is one of OpenMP, at which openmp-opt looks.
fn marked(text: &str) -> Result<String> {
    let module = ir::parse(text).context("rustc's output")?;
    let init = Callee::Function("__kmpc_target_init".to_owned());
    let is_openmp = |f: &&ir::Function| f.calls.iter().any(|call| call.callee == init);
    let kernels: BTreeSet<&str> =
        module.functions.iter().filter(is_openmp).map(|f| f.name.as_str()).collect();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let name = line.strip_prefix("define ptx_kernel void @").and_then(|rest| rest.split('(').next());
        if line.starts_with("attributes #") {
            out += &line.replacen("{ ", "{ convergent ", 1);
        } else if name.is_some_and(|name| kernels.contains(name)) {
            out += line.strip_suffix('{').with_context(|| format!("not the head of a function: {line}"))?;
            out += "\"kernel\" {";
        } else {
            out += line;
        }
        out.push('\n');
    }
    Ok(out)
}

/// What a module of device code has that clang compiles with `-fopenmp`: the flags without which openmp-opt looks at nothing, and
/// the constants that say what the user assumes.
const OPENMP_MODULE: &str = "\
    @__omp_rtl_debug_kind = weak_odr hidden constant i32 0\n\
    @__omp_rtl_assume_teams_oversubscription = weak_odr hidden constant i32 0\n\
    @__omp_rtl_assume_threads_oversubscription = weak_odr hidden constant i32 0\n\
    @__omp_rtl_assume_no_thread_state = weak_odr hidden constant i32 0\n\
    @__omp_rtl_assume_no_nested_parallelism = weak_odr hidden constant i32 0\n\
    !llvm.module.flags = !{!0, !1}\n\
    !0 = !{i32 7, !\"openmp\", i32 51}\n\
    !1 = !{i32 7, !\"openmp-device\", i32 51}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_openmp_are_marked_and_all_functions_convergent() {
        let text = "define ptx_kernel void @a(ptr %e) unnamed_addr #0 {\n  %r = call i32 @__kmpc_target_init(ptr %e, ptr %e) #1\n  ret void\n}\n\
                    define ptx_kernel void @b() #0 {\n  ret void\n}\n\
                    declare i32 @__kmpc_target_init(ptr, ptr) #1\n\
                    attributes #0 = { nounwind }\nattributes #1 = { \"a\"=\"b\" }\n";
        let marked = marked(text).unwrap();
        for line in [
            "define ptx_kernel void @a(ptr %e) unnamed_addr #0 \"kernel\" {",
            "define ptx_kernel void @b() #0 {",
            "attributes #0 = { convergent nounwind }",
            "attributes #1 = { convergent \"a\"=\"b\" }",
        ] {
            assert!(marked.lines().any(|other| other == line), "{line}: {marked}");
        }
    }
}
