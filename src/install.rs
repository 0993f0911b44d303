//! `omptarget install`: writes the device runtime, which this program carries, and what clang wants beside it.

use crate::layout::{self, StandInCuda};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The device runtime for `--libomptarget-nvptx-bc-path` and for clang's own search.
const DEVICE_BITCODE: &[u8] = include_bytes!(env!("OMPTARGET_DEVICE_BC"));
/// The same as the archive that `-lompdevice` finds.
const DEVICE_ARCHIVE: &[u8] = include_bytes!(env!("OMPTARGET_DEVICE_AR"));
/// The `__nv_*` mathematical functions, in the place of NVIDIA's libdevice.
const DEVICE_MATH: &[u8] = include_bytes!(env!("OMPTARGET_DEVICE_MATH_BC"));

/// clang expands `<CFGDIR>` to the folder of the configuration file.
const COMMON_OPTIONS: &str = "\
-fopenmp
-foffload-lto
-Xoffload-linker -L<CFGDIR>/../lib/nvptx64-nvidia-cuda
-L<CFGDIR>/../lib
-Wl,-rpath,<CFGDIR>/../lib
";

/// Writes all files below `prefix`, replacing what is there.
///
/// # Errors
/// A file or folder cannot be written; the message names it.
pub fn run(prefix: &Path) -> Result<()> {
    let libraries = Path::new(layout::DEVICE_LIBRARIES);
    write(prefix, &libraries.join("libomptarget-nvptx.bc"), DEVICE_BITCODE)?;
    write(prefix, &libraries.join("libompdevice.a"), DEVICE_ARCHIVE)?;
    for cuda in [&layout::CUDA_11_8, &layout::CUDA_12_8] {
        stand_in(prefix, cuda)?;
    }
    let ptx = format!(
        "# OpenMP offload with device images as PTX text.\n\
         # Add --offload-arch=sm_NN and --cuda-path=<prefix>/cuda (from sm_100 on: <prefix>/cuda-12.8).\n\
         {COMMON_OPTIONS}-Xoffload-linker --lto-emit-asm\n"
    );
    let cubin = format!(
        "# OpenMP offload with device images as cubins.\n\
         # Add --offload-arch=sm_NN and a --cuda-path that holds bin/ptxas, bin/nvlink and nvvm/libdevice.\n\
         {COMMON_OPTIONS}"
    );
    write(prefix, Path::new(layout::PTX_CONFIG), ptx.as_bytes())?;
    write(prefix, Path::new(layout::CUBIN_CONFIG), cubin.as_bytes())
}

fn stand_in(prefix: &Path, cuda: &StandInCuda) -> Result<()> {
    let folder = Path::new(cuda.folder);
    let bin = prefix.join(folder).join("bin"); // must exist; stays empty
    fs::create_dir_all(&bin).with_context(|| format!("cannot make the folder {}", bin.display()))?;
    write(
        prefix,
        &folder.join("include/cuda.h"),
        format!("#define CUDA_VERSION {}\n", cuda.version).as_bytes(),
    )?;
    write(prefix, &folder.join("nvvm/libdevice/libdevice.10.bc"), DEVICE_MATH)
}

fn write(prefix: &Path, name: &Path, contents: &[u8]) -> Result<()> {
    let path = prefix.join(name);
    let folder = path.parent().unwrap_or(prefix);
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    fs::write(&path, contents).with_context(|| format!("cannot write {}", path.display()))
}
