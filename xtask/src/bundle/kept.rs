//! What an earlier bundle built of the same inputs: a bundle is some three hundred programs, and most changes touch few.

use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::{Dist, build};

/// The programs of earlier bundles, each with a hash of what it was made of in its name.
pub struct Kept {
    folder: PathBuf,
    /// Of what all programs are made of.
    common: DefaultHasher,
    /// With what those are made besides to which the passes are applied.
    passes: PathBuf,
}

/// How a program is made.
pub struct Recipe<'a> {
    /// Of the program: no two programs of a bundle have the same.
    pub name: &'a str,
    /// The command, or what it comes from.
    pub command: &'a str,
    /// What is compiled, but for headers of `kernels/`.
    pub files: &'a [PathBuf],
    /// The passes are applied.
    pub passes: bool,
}

/// What of an installation gets into a program, or decides how it is compiled.
const OF_THE_INSTALLATION: [&str; 5] =
    ["bin/omptarget", "cuda", "etc", "lib/nvptx64-nvidia-cuda", "lib/libomptarget.devicertl.a"];

impl Kept {
    /// Those in `folder`, for programs that the installation `dist` makes.
    ///
    /// # Errors
    /// Something cannot be read.
    pub fn open(folder: PathBuf, dist: &Dist) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut common = DefaultHasher::new();
        for part in OF_THE_INSTALLATION {
            add(&mut common, &dist.folder().join(part), &|_| true)?;
        }
        let is_header = |file: &Path| file.extension().is_some_and(|ending| ending == "h" || ending == "hpp");
        add(&mut common, &build::source(""), &is_header)?;
        Ok(Self { folder, common, passes: dist.folder().join("lib/omptarget-passes.so") })
    }

    /// Puts the files of a program at their places `to`: the kept ones if they were made in the same way of the same files, else
    /// what `make` puts there.
    ///
    /// # Errors
    /// Those of `make`, or a file cannot be read or copied.
    pub fn take_or_make(
        &self,
        recipe: &Recipe,
        to: &[PathBuf],
        make: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let mut hasher = self.common.clone();
        recipe.command.hash(&mut hasher);
        for file in recipe.files.iter().chain(recipe.passes.then_some(&self.passes)) {
            add(&mut hasher, file, &|_| true)?;
        }
        let folder = self.folder.join(recipe.name);
        let kept = folder.join(format!("{:016x}", hasher.finish()));
        if kept.is_dir() {
            return to.iter().try_for_each(|file| copy(&kept.join(name_of(file)?), file));
        }
        make()?;
        // One of each name is enough. It is moved to its place whole: who ends this early leaves no half of one.
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        let half = folder.join("half");
        to.iter().try_for_each(|file| copy(file, &half.join(name_of(file)?)))?;
        fs::rename(&half, &kept).with_context(|| format!("cannot write {}", kept.display()))
    }
}

fn name_of(file: &Path) -> Result<&OsStr> {
    file.file_name().with_context(|| format!("{} is no file", file.display()))
}

/// Copies to a folder that is made if it is not there. Another process does it: what this one has open to write, all that its threads
/// start meanwhile have open too, and a program that somebody has open to write cannot be run ("Text file busy").
fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let output = Command::new("cp").arg(from).arg(to).output().context("cannot start cp")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

/// Adds the contents of a file, or those of all files of a folder and below it that are `wanted`, in the order of their names.
fn add(hasher: &mut DefaultHasher, path: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
    if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut entries = entries.collect::<std::io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        return entries.iter().try_for_each(|entry| add(hasher, &entry.path(), wanted));
    }
    if wanted(path) {
        path.file_name().hash(hasher);
        fs::read(path).with_context(|| format!("cannot read {}", path.display()))?.hash(hasher);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_program_is_made_once_for_each_command_and_source() {
        let folder = tempfile::tempdir().unwrap();
        let (source, to) = (folder.path().join("a.c"), folder.path().join("out/a"));
        let (kept, passes) = (folder.path().join("kept"), folder.path().join("passes"));
        fs::write(&passes, "1").unwrap();
        let kept = Kept { folder: kept, common: DefaultHasher::new(), passes: passes.clone() };
        let count = Cell::new(0);
        let made_with = |command: &str, passes: bool| {
            let before = count.get();
            let make = || {
                count.set(count.get() + 1);
                fs::create_dir_all(to.parent().unwrap())?;
                Ok(fs::write(&to, command)?)
            };
            let recipe = Recipe { name: "a", command, files: std::slice::from_ref(&source), passes };
            kept.take_or_make(&recipe, std::slice::from_ref(&to), make).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), command);
            count.get() > before
        };
        let made = |command: &str| made_with(command, false);
        fs::write(&source, "1").unwrap();
        assert!(made("cc -O2"));
        fs::remove_dir_all(to.parent().unwrap()).unwrap();
        assert!(!made("cc -O2"));
        assert!(made("cc -O3"), "another command");
        fs::write(&source, "2").unwrap();
        assert!(made("cc -O3"), "another source");
        assert!(!made("cc -O3"));
        assert!(made_with("cc -O4", true) && !made_with("cc -O4", true));
        fs::write(&passes, "2").unwrap();
        assert!(made_with("cc -O4", true), "other passes");
    }
}
