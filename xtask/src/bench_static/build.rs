//! From a program and a runtime to PTX.

use super::programs::{Program, Variant};
use super::tools::Tools;
use crate::process::target;
use anyhow::{Context, Result, ensure};
use devicertl_build::kernel::{Compiler, Link};
use devicertl_build::toolchain::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Both ways to link.
pub const LINKS: [Link; 2] = [Link::Lto, Link::Builtin];

/// In file names and lists.
pub const fn name(link: Link) -> &'static str {
    match link {
        Link::Lto => "LTO",
        Link::Builtin => "default mode",
    }
}

/// As a heading.
pub const fn title(link: Link) -> &'static str {
    match link {
        Link::Lto => "Device LTO (`-foffload-lto`)",
        Link::Builtin => "clang's default mode (`-mlink-builtin-bitcode`)",
    }
}

/// A device runtime.
pub struct Runtime {
    /// In file names.
    pub name: &'static str,
    ours: bool,
    bitcode: PathBuf,
    archive: PathBuf,
}

impl Runtime {
    /// This project's, built from the sources as they are.
    ///
    /// # Errors
    /// It does not build.
    pub fn ours(scratch: &Path) -> Result<Self> {
        let outputs = devicertl_build::store::build_once(&target(), &scratch.join("runtime"))?;
        Ok(Self { name: "ours", ours: true, bitcode: outputs.runtime, archive: outputs.archive })
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
        Ok(Self { name: "llvm", ours: false, bitcode: tools.peer.clone(), archive })
    }
}

/// PTX of all functions of the runtime: in its default mode clang calls some that a later link takes from the archive.
///
/// # Errors
/// A tool fails.
pub fn library(tools: &Tools, runtime: &Runtime, scratch: &Path) -> Result<PathBuf> {
    let folder = scratch.join(runtime.name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (optimised, ptx) = (folder.join("library.bc"), folder.join("library.ptx"));
    run(Command::new(tools.llvm.tool("opt")).arg("-O3").arg(&runtime.bitcode).arg("-o").arg(&optimised))?;
    let target = ["-mcpu=sm_90", "-mattr=+ptx83"];
    run(Command::new(tools.llvm.tool("llc")).args(target).arg(&optimised).arg("-o").arg(&ptx))?;
    Ok(ptx)
}

/// Options that run our passes: on each file, and on all device code at the link.
fn load_passes(link: Link) -> Result<Vec<String>> {
    let plugin = target().join("dist/lib/omptarget-passes.so");
    ensure!(plugin.is_file(), "{} is missing: run `cargo xtask dist`", plugin.display());
    let plugin = plugin.display();
    let mut options = vec!["-Xarch_device".to_owned(), format!("-fpass-plugin={plugin}")];
    if link == Link::Lto {
        let at_link = ["-mllvm".to_owned(), format!("-load-pass-plugin={plugin}")];
        options.extend(at_link.into_iter().flat_map(|option| ["-Xoffload-linker".to_owned(), option]));
    }
    Ok(options)
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
    folder: &Path,
) -> Result<PathBuf> {
    let source = &program.source;
    let folder = folder.join(&program.name).join(variant.name());
    // Headers of the program lie beside it, or one folder up.
    let headers = [source.with_file_name(""), source.with_file_name("..")]
        .map(|folder| format!("-I{}", folder.display()));
    let passes = if variant == Variant::Passes && runtime.ours { load_passes(link)? } else { Vec::new() };
    let options: Vec<_> = program.options.iter().chain(&headers).chain(&passes).map(String::as_str).collect();
    let compiler = Compiler {
        llvm: &tools.llvm,
        cuda: &tools.cuda,
        bitcode: &runtime.bitcode,
        archive: &runtime.archive,
    };
    compiler.ptx(link, source, &options, variant.options(), &folder)
}
