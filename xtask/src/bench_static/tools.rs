//! The tools of the comparison, which nothing else needs: installed by pip when it is made.

use crate::process::root;
use crate::setup;
use anyhow::{Result, bail};
use devicertl_build::kernel::cuda_folder;
use devicertl_build::toolchain::Llvm;
use std::path::{Path, PathBuf};

/// Package, folder below `.deps`, and a file of it.
const PACKAGES: &[(&str, &str, &str)] = &[
    ("pyomp==0.6.0", "pyomp", "numba/openmp/libs/openmp/lib/libomptarget-nvptx.bc"),
    ("nvidia-cuda-nvdisasm==13.2.51", "nvdisasm", "nvidia/cu13/bin/nvdisasm"),
    ("nvidia-nvvm==13.0.88", "nvvm", "nvidia/cu13/nvvm/libdevice/libdevice.10.bc"),
];

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
        let mut found = Vec::new();
        for (package, folder, file) in PACKAGES {
            let folder = root().join(".deps").join(folder);
            let file = folder.join(file);
            if !file.is_file() {
                setup::pip_install(package, &folder)?;
            }
            if !file.is_file() {
                bail!("{package} is installed but {} is not there", file.display());
            }
            found.push(file);
        }
        let ptxas = setup::assembler_folder().join("ptxas");
        if !ptxas.is_file() {
            bail!("{} is not there: `cargo xtask setup` could not install it", ptxas.display());
        }
        let cuda = scratch.join("cuda");
        cuda_folder(&cuda, &found[2])?;
        Ok(Self { llvm: Llvm::find()?, ptxas, nvdisasm: found[1].clone(), peer: found[0].clone(), cuda })
    }
}
