//! The built device runtime, kept for the next one who wants it: checks, tests and releases of one tree build it once.
//!
//! What decides is the content of all that goes in, [`inputs`] and the tools, not times: a folder of cargo's each has a
//! build of its own, and the files are the same.

use crate::{Outputs, build, inputs, toolchain};
use anyhow::{Context, Result};
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runtime in folder `out`: as it was built before for cargo's folder `target`, which others may use at the same time, or built
/// now. `target/devicertl` keeps the last one, and what the compiler can use again.
///
/// # Errors
/// As [`build`]; or a file cannot be read or written.
pub fn build_once(target: &Path, out: &Path) -> Result<Outputs> {
    let store = &target.join("devicertl");
    let [work, growing] = ["work", "growing"].map(|name| store.join(name));
    fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    let lock = store.join("lock");
    // Held until this returns: another one may want the same build.
    let _held = File::create(&lock)
        .and_then(|file| file.lock().map(|()| file))
        .with_context(|| format!("cannot lock {}", lock.display()))?;
    let kept = store.join(key()?);
    if !kept.is_dir() {
        let built = build(&work)?;
        for old in fs::read_dir(store).with_context(|| format!("cannot read {}", store.display()))? {
            let old = old?.path();
            if old.is_dir() && old != work {
                fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))?;
            }
        }
        built.copy(&growing)?;
        fs::rename(&growing, &kept).with_context(|| format!("cannot name {}", kept.display()))?;
    }
    Outputs::of(&kept).copy(out)
}

/// A name for what the runtime would be built of.
fn key() -> Result<String> {
    let mut content = Content::default();
    let rustc = toolchain::device_rustc()?.rustc;
    let llvm = toolchain::Llvm::find()?.tool("opt");
    for (tool, question) in [(rustc, "-vV"), (llvm, "--version")] {
        content.add(tool.as_os_str().as_encoded_bytes());
        content.add(toolchain::run(Command::new(&tool).arg(question))?.as_bytes());
    }
    inputs().iter().try_for_each(|input| content.add_files(input))?;
    Ok(content.name())
}

/// A hash of pieces, each with its length.
#[derive(Default)]
struct Content(DefaultHasher);

impl Content {
    fn add(&mut self, piece: &[u8]) {
        self.0.write_usize(piece.len());
        self.0.write(piece);
    }

    /// Names and content of the file `path`, or of all files below a folder of that name.
    fn add_files(&mut self, path: &Path) -> Result<()> {
        for file in files(path)? {
            self.add(file.as_os_str().as_encoded_bytes());
            self.add(&fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
        }
        Ok(())
    }

    fn name(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// The file `path`, or all files below a folder of that name, sorted.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut entries: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    let mut all = Vec::new();
    for entry in entries {
        all.extend(files(&entry)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("b", "2"), ("a", "1"), ("c/d", "3")] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let names = ["a", "b", "c/d"].map(|name| folder.path().join(name));
        assert_eq!(files(folder.path()).unwrap(), names);
        let key = |names: &[&PathBuf]| {
            let mut content = Content::default();
            names.iter().try_for_each(|name| content.add_files(name)).unwrap();
            content.name()
        };
        let [a, b, _] = &names;
        let first = key(&[a, b]);
        assert_eq!(key(&[a, b]), first);
        assert_ne!(key(&[b, a]), first);
        fs::write(b, "4").unwrap();
        assert_ne!(key(&[a, b]), first);
    }
}
