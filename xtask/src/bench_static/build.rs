//! From a program and a runtime to PTX.

use super::programs::{Program, Variant};
use super::tools::Tools;
use anyhow::{Context, Result};
use devicertl_build::toolchain::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How clang links the device runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// `-foffload-lto`.
    Lto,
    /// `-mlink-builtin-bitcode`.
    Builtin,
}

impl Link {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Lto, Self::Builtin];

    /// In file names and lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lto => "LTO",
            Self::Builtin => "default mode",
        }
    }

    /// As a heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Lto => "Device LTO (`-foffload-lto`)",
            Self::Builtin => "clang's default mode (`-mlink-builtin-bitcode`)",
        }
    }
}

/// A device runtime.
pub struct Runtime {
    /// In file names.
    pub name: &'static str,
    bitcode: PathBuf,
    archive_folder: PathBuf,
}

impl Runtime {
    /// This project's, built from the sources as they are.
    ///
    /// # Errors
    /// It does not build.
    pub fn ours(scratch: &Path) -> Result<Self> {
        let outputs = devicertl_build::build(&scratch.join("runtime"))?;
        let archive_folder = outputs.archive.parent().expect("a file in a folder").to_owned();
        Ok(Self { name: "ours", bitcode: outputs.runtime, archive_folder })
    }

    /// LLVM 22's.
    ///
    /// # Errors
    /// Its archive cannot be written.
    pub fn llvm(tools: &Tools, scratch: &Path) -> Result<Self> {
        let folder = scratch.join("llvm-archive");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let archive = folder.join("libompdevice.a");
        let _ = fs::remove_file(&archive); // an old one would be added to
        run(Command::new(tools.llvm.tool("llvm-ar")).arg("rcs").arg(&archive).arg(&tools.peer))?;
        Ok(Self { name: "llvm", bitcode: tools.peer.clone(), archive_folder: folder })
    }
}

/// The PTX of the program's kernels.
///
/// # Errors
/// It does not compile.
pub fn ptx(
    tools: &Tools,
    runtime: &Runtime,
    link: Link,
    variant: Variant,
    program: &Program,
    source: &Path,
    folder: &Path,
) -> Result<PathBuf> {
    let folder = folder.join(program.name).join(variant.name());
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let ptx = folder.join("kernels.ptx");
    let cxx = source.extension().is_some_and(|extension| extension == "cpp");
    let mut clang = Command::new(tools.llvm.tool(if cxx { "clang++" } else { "clang" }));
    clang.args(["-O3", "-fopenmp", "--offload-arch=sm_90"]).args(program.options);
    clang.arg(format!("--cuda-path={}", tools.cuda.display()));
    // Headers of the program lie beside it, or one folder up.
    clang.arg("-I").arg(source.with_file_name("")).arg("-I").arg(source.with_file_name(".."));
    for option in variant.options() {
        clang.arg("-Xarch_device").arg(format!("-mllvm={option}"));
    }
    clang.arg(source);
    match link {
        Link::Builtin => {
            clang.arg(format!("--libomptarget-nvptx-bc-path={}", runtime.bitcode.display()));
            clang.args(["--offload-device-only", "-c", "-o"]).arg(&ptx);
            run(&mut clang)?;
        }
        Link::Lto => {
            let library = folder.join("library.so");
            // clang-linker-wrapper looks for a program called clang.
            if let Some(bin) = tools.llvm.tool("clang").parent().filter(|bin| !bin.as_os_str().is_empty()) {
                let path = std::env::var("PATH").unwrap_or_default();
                clang.env("PATH", format!("{}:{path}", bin.display()));
            }
            clang.args(["-foffload-lto", "-Xoffload-linker", "--lto-emit-asm"]);
            for option in variant.options() {
                clang.arg("-Xoffload-linker").arg(format!("-mllvm={option}"));
            }
            clang.arg("-Xoffload-linker").arg(format!("-L{}", runtime.archive_folder.display()));
            // No host library is needed to look at the device image.
            clang.args(["-nodefaultlibs", "-shared", "-fPIC", "-o"]).arg(&library);
            run(&mut clang)?;
            let image = format!("--image=file={},triple=nvptx64-nvidia-cuda", ptx.display());
            run(Command::new(tools.llvm.tool("llvm-offload-binary")).arg(&library).arg(image))?;
        }
    }
    Ok(ptx)
}
