//! `omptarget install`: writes this program, the device runtime that it carries, and what clang wants beside it.

use crate::headers;
use crate::host_archive;
use crate::layout::{self, Library, StandInCuda};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The device runtime for `--libomptarget-nvptx-bc-path` and for clang's own search.
const DEVICE_BITCODE: &[u8] = include_bytes!(env!("OMPTARGET_DEVICE_BC"));
/// The same as the archive that `-lompdevice` finds.
const DEVICE_ARCHIVE: &[u8] = include_bytes!(env!("OMPTARGET_DEVICE_AR"));
/// Both as PTX.
const DEVICE_PTX: &str = include_str!(env!("OMPTARGET_DEVICE_PTX"));
/// The `__nv_*` mathematical functions, in the place of NVIDIA's libdevice.
const DEVICE_MATH: &[u8] = include_bytes!(env!("OMPTARGET_DEVICE_MATH_BC"));

/// clang expands `<CFGDIR>` to the folder of the configuration file, and is silent about what it does not use: the
/// bitcode file is for `-fno-offload-lto`. With the limit that openmp-opt has by itself LLVM 22 may make kernels wrong, as
/// `passes/src/repairs/fixpoint.rs` says.
const CONFIG: &str = "\
# OpenMP offload for NVIDIA GPUs. Add --offload-arch=sm_NN and a --cuda-path:
# <prefix>/cuda makes device images of PTX text (sm_90a: <prefix>/cuda-12.0, from sm_100 on <prefix>/cuda-12.8, sm_103 and
# sm_121: <prefix>/cuda-12.9), a CUDA toolkit makes cubins.
-fopenmp
-foffload-lto
--libomptarget-nvptx-bc-path=<CFGDIR>/../lib/nvptx64-nvidia-cuda/libomptarget-nvptx.bc
-Xarch_nvptx64 -mllvm=-openmp-opt-max-iterations=65536
-Xarch_nvptx64 -isystem<CFGDIR>/../include/omptarget
-isystem<CFGDIR>/../include/omptarget-all
-Xoffload-linker-nvptx64-nvidia-cuda -mllvm=-openmp-opt-max-iterations=65536
-Xoffload-linker -L<CFGDIR>/../lib/nvptx64-nvidia-cuda
-L<CFGDIR>/../lib
$-Wl,-rpath,<CFGDIR>/../lib
";

/// flang 22 knows no option for a bitcode file, device LTO or a CUDA folder.
const FORTRAN_CONFIG: &str = "\
# OpenMP offload for NVIDIA GPUs with flang. Add --offload-arch=sm_NN, and put <prefix>/cuda/bin (sm_90a:
# <prefix>/cuda-12.0/bin, from sm_100 on <prefix>/cuda-12.8/bin, sm_103 and sm_121: <prefix>/cuda-12.9/bin) or the bin of a CUDA
# toolkit in front of the PATH.
-fopenmp
-Xoffload-linker -L<CFGDIR>/../lib/nvptx64-nvidia-cuda
-L<CFGDIR>/../lib
$-Wl,-rpath,<CFGDIR>/../lib
";

/// Writes all files below `prefix`, replacing what is there.
///
/// # Errors
/// A file or folder cannot be written; the message names it.
pub fn run(prefix: &Path) -> Result<()> {
    let libraries = Path::new(layout::DEVICE_LIBRARIES);
    write(prefix, &libraries.join("libomptarget-nvptx.bc"), DEVICE_BITCODE)?;
    write(prefix, &libraries.join("libompdevice.a"), DEVICE_ARCHIVE)?;
    write(prefix, Path::new(layout::HOST_ARCHIVE), &host_archive::write(DEVICE_PTX)?)?;
    for (file, text) in headers::all() {
        write(prefix, &Path::new(layout::DEVICE_HEADERS).join(file), text.as_bytes())?;
    }
    let (file, text) = headers::OMP;
    write(prefix, &Path::new(layout::HEADERS).join(file), text.as_bytes())?;
    program(prefix)?;
    passes(prefix)?;
    for shared in [&layout::HOST_LIBRARY, &layout::DRIVER] {
        library(prefix, shared)?;
    }
    for cuda in layout::STAND_INS {
        stand_in(prefix, cuda)?;
    }
    write(prefix, Path::new(layout::FORTRAN_CONFIG), FORTRAN_CONFIG.as_bytes())?;
    write(prefix, Path::new(layout::CONFIG), CONFIG.as_bytes())
}

/// Copies the passes from beside the running program, where it was built with LLVM.
fn passes(prefix: &Path) -> Result<()> {
    let Ok(running) = layout::prefix() else { return Ok(()) };
    [layout::PASS_TOOL, layout::PASS_PLUGIN]
        .iter()
        .filter(|file| running.join(file).is_file())
        .try_for_each(|file| copy(&running.join(file), &prefix.join(file)))
}

/// Copies the running program into the installation, unless it is the installed one.
fn program(prefix: &Path) -> Result<()> {
    let running = std::env::current_exe().context("cannot find the path of this program")?;
    copy(&running, &prefix.join(layout::PROGRAM))
}

/// Copies a shared library when this program runs from an installation that has it.
fn library(prefix: &Path, library: &Library) -> Result<()> {
    let Ok(from) = layout::prefix() else { return Ok(()) };
    let path = |prefix: &Path| prefix.join(library.folder).join(library.file);
    let (from, to) = (path(&from), path(prefix));
    if !from.is_file() {
        return Ok(());
    }
    copy(&from, &to)?;
    for name in library.names {
        let path = to.with_file_name(name);
        let _ = fs::remove_file(&path);
        symlink(library.file, &path).with_context(|| format!("cannot make the link {}", path.display()))?;
    }
    Ok(())
}

/// Copies a file, unless both are the same one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if fs::canonicalize(to).ok() == fs::canonicalize(from).ok() {
        return Ok(());
    }
    make_folder_of(to)?;
    let _ = fs::remove_file(to); // a program that runs, or has it open, keeps what it has
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn stand_in(prefix: &Path, cuda: &StandInCuda) -> Result<()> {
    let folder = Path::new(cuda.folder);
    for tool in layout::TOOLS {
        let path = prefix.join(folder).join("bin").join(tool);
        make_folder_of(&path)?;
        let _ = fs::remove_file(&path);
        // Not a symbolic link: flang takes the folder where the file itself stands for the CUDA folder.
        let program = prefix.join(layout::PROGRAM);
        fs::hard_link(&program, &path)
            .or_else(|_| fs::copy(&program, &path).map(drop))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    write(
        prefix,
        &folder.join("include/cuda.h"),
        format!("#define CUDA_VERSION {}\n", cuda.version).as_bytes(),
    )?;
    write(prefix, &folder.join("nvvm/libdevice/libdevice.10.bc"), DEVICE_MATH)
}

fn write(prefix: &Path, name: &Path, contents: &[u8]) -> Result<()> {
    let path = prefix.join(name);
    make_folder_of(&path)?;
    fs::write(&path, contents).with_context(|| format!("cannot write {}", path.display()))
}

fn make_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
}
