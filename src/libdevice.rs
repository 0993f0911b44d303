//! Whose `__nv_*` functions a program gets: `OMPTARGET_LIBDEVICE`.
//!
//! clang takes `nvvm/libdevice/libdevice.10.bc` of the CUDA folder. The stand-in folders have ours there, a real one has
//! NVIDIA's. `ours` with a real folder: clang gets a folder of links to it that differs in that file.

use crate::layout;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use tempfile::TempDir;

/// The variable.
pub const VARIABLE: &str = "OMPTARGET_LIBDEVICE";
/// Place of the file below a CUDA folder.
const FILE: &str = "nvvm/libdevice/libdevice.10.bc";

/// The folder that clang must get in place of `cuda`, the user's; `None` if the right file is there already.
///
/// # Errors
/// `wish` is not known or cannot be met, or the folder cannot be written.
pub fn folder(wish: Option<&OsStr>, prefix: &Path, cuda: Option<&Path>) -> Result<Option<TempDir>> {
    match (wish.and_then(OsStr::to_str), cuda) {
        _ if wish.is_none_or(OsStr::is_empty) => Ok(None),
        (Some("ours"), None) | (Some("nvidia"), Some(_)) => Ok(None),
        (Some("ours"), Some(cuda)) => {
            linked(cuda, &prefix.join(layout::CUDA_11_8.folder).join(FILE)).map(Some)
        }
        (Some("nvidia"), None) => bail!("{VARIABLE}=nvidia needs the --cuda-path of a CUDA installation"),
        _ => bail!("{VARIABLE}={}: expected `ours` or `nvidia`", wish.unwrap_or_default().display()),
    }
}

/// A folder that is `cuda` with another libdevice.
fn linked(cuda: &Path, libdevice: &Path) -> Result<TempDir> {
    let cuda = fs::canonicalize(cuda).with_context(|| format!("no CUDA folder {}", cuda.display()))?;
    let folder =
        tempfile::Builder::new().prefix("omptarget-cuda-").tempdir().context("cannot make a folder")?;
    for entry in fs::read_dir(&cuda).with_context(|| format!("cannot read {}", cuda.display()))? {
        let entry = entry?;
        if entry.file_name() != "nvvm" {
            symlink(entry.path(), folder.path().join(entry.file_name())).context("cannot make a link")?;
        }
    }
    let file = folder.path().join(FILE);
    fs::create_dir_all(file.parent().unwrap_or(folder.path())).context("cannot make a folder")?;
    symlink(libdevice, &file).with_context(|| format!("cannot make the link {}", file.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(wish: &str, cuda: Option<&Path>) -> Result<Option<TempDir>> {
        folder(Some(OsStr::new(wish)), Path::new("/prefix"), cuda)
    }

    #[test]
    fn the_cuda_folder_decides_unless_told() {
        let cuda = tempfile::tempdir().unwrap();
        assert!(folder(None, Path::new("/prefix"), Some(cuda.path())).unwrap().is_none());
        assert!(of("", None).unwrap().is_none());
        assert!(of("nvidia", Some(cuda.path())).unwrap().is_none());
        assert!(of("ours", None).unwrap().is_none());
    }

    #[test]
    fn our_functions_with_the_rest_of_the_users_cuda() {
        let (prefix, cuda) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let ours = prefix.path().join("cuda").join(FILE);
        for (file, text) in
            [(&ours, "ours"), (&cuda.path().join(FILE), "theirs"), (&cuda.path().join("bin/ptxas"), "ptxas")]
        {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let folder = folder(Some(OsStr::new("ours")), prefix.path(), Some(cuda.path())).unwrap().unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "ours");
        assert_eq!(fs::read_to_string(folder.path().join("bin/ptxas")).unwrap(), "ptxas");
        assert_eq!(fs::read_to_string(cuda.path().join(FILE)).unwrap(), "theirs", "the user's folder stays");
    }

    #[test]
    fn wishes_that_cannot_be_met_say_so() {
        assert!(of("nvidia", None).unwrap_err().to_string().contains("--cuda-path"));
        assert!(of("mine", None).unwrap_err().to_string().contains("OMPTARGET_LIBDEVICE=mine"));
    }
}
