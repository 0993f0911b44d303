//! The tools of the comparison, which nothing else needs: installed by pip when it is made.

use crate::setup;
use anyhow::{Result, bail};
use devicertl_build::kernel::cuda_folder;
use devicertl_build::toolchain::Llvm;
use std::path::{Path, PathBuf};

/// Where they are.
pub struct Tools {
    /// LLVM 22.
    pub llvm: Llvm,
    /// NVIDIA's assembler.
    pub ptxas: PathBuf,
    /// NVIDIA's disassembler.
    pub nvdisasm: PathBuf,
    /// LLVM 22's device runtime.
    pub peer: PathBuf,
    /// A CUDA folder for clang whose ptxas hands the PTX through.
    pub cuda: PathBuf,
}

impl Tools {
    /// Installs what is missing.
    ///
    /// # Errors
    /// pip fails, or a tool is not there afterwards.
    pub fn install(scratch: &Path) -> Result<Self> {
        setup::run()?;
        let ptxas = setup::assembler_folder().join("ptxas");
        if !ptxas.is_file() {
            bail!("{} is not there: `cargo xtask setup` could not install it", ptxas.display());
        }
        let cuda = scratch.join("cuda");
        cuda_folder(&cuda, &setup::NVVM.install()?)?;
        Ok(Self {
            llvm: Llvm::find()?,
            ptxas,
            nvdisasm: setup::DISASSEMBLER.install()?,
            peer: setup::PYOMP.install()?,
            cuda,
        })
    }
}
