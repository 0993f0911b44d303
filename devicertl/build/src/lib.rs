//! Builds the device runtime: the crate `devicertl`, compiled for `nvptx64-nvidia-cuda`, is linked with the
//! definitions in `devicertl/prelude`, optimised as openmp-opt needs it, and checked. See [`build`].
//!
//! The steps, each with a file in the output folder for the one who must look:
//!
//! | step | module | result |
//! |---|---|---|
//! | cargo and rustc, no LLVM pass | [`compile`] | `devicertl.ll`, `device_library.ll`, `libm.ll`, `core.ll` |
//! | rules on the text | [`rules`] | `runtime.step.ll` |
//! | what Rust cannot spell | [`prelude`], [`instructions`] | `prelude-*.ll` |
//! | link, optimise | [`finish`] | `libomptarget-nvptx.bc`, `libdevice.10.bc`, `libompdevice.a`, `libomptarget.ptx` |
//! | read the result again | [`check`] | nothing, or an error that names what is wrong |
//!
//! [`store`] builds in `target/devicertl/work` and keeps the result. [`kernel`] and [`ptx`] look at what clang makes of programs with these files.

mod c_math;
pub mod check;
pub mod compile;
mod cxx;
pub mod exports;
pub mod finish;
pub mod instructions;
pub mod ir;
pub mod kernel;
mod library;
pub mod prelude;
pub mod ptx;
pub mod rules;
pub mod store;
pub mod toolchain;

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The finished files.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// `libomptarget-nvptx.bc`: the runtime for clang's default mode (`--libomptarget-nvptx-bc-path=`).
    pub runtime: PathBuf,
    /// `libompdevice.a`: runtime, what it has for Fortran, math, math by C's names, the C library, and what templates of libstdc++ call as members, for device LTO (`-lompdevice` of the device link).
    pub archive: PathBuf,
    /// `libdevice.10.bc`: the math functions, for a stand-in CUDA folder.
    pub math: PathBuf,
    /// `libomptarget.ptx`: runtime and math, for compilers of another LLVM.
    pub ptx: PathBuf,
}

impl Outputs {
    /// The files as [`build`] names them in `folder`.
    fn of(folder: &Path) -> Self {
        Self {
            runtime: folder.join("libomptarget-nvptx.bc"),
            archive: folder.join("libompdevice.a"),
            math: folder.join("libdevice.10.bc"),
            ptx: folder.join("libomptarget.ptx"),
        }
    }

    fn files(&self) -> [&Path; 4] {
        [&self.runtime, &self.archive, &self.math, &self.ptx]
    }

    /// Copies them to `folder`.
    fn copy(&self, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let copies = Self::of(folder);
        for (from, to) in self.files().into_iter().zip(copies.files()) {
            std::fs::copy(from, to)
                .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        }
        Ok(copies)
    }
}

/// Files and folders whose change makes a new build necessary.
pub fn inputs() -> Vec<PathBuf> {
    let root = root();
    let paths = [
        "build/src",
        "src",
        "Cargo.toml",
        "library/src",
        "library/Cargo.toml",
        "prelude",
        "expected",
        "../abi/src",
        "../abi/Cargo.toml",
        "../Cargo.lock",
    ];
    paths.iter().map(|path| root.join(path)).collect()
}

/// The folder of the crate `devicertl`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate lies inside devicertl").to_owned()
}

/// Compiles, links, optimises and checks the device runtime; everything is written below `out`.
///
/// # Errors
/// A missing tool (the message says what installs it), a failed tool with its output, or a result that breaks one
/// of the rules of [`check`].
pub fn build(out: &Path) -> Result<Outputs> {
    let rustc = toolchain::device_rustc()?;
    let llvm = toolchain::Llvm::find()?;
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let modules = compile::compile(&rustc, &root(), out)?;
    finish::finish(&llvm, &modules, &root(), out)
}
