//! Finding the files of installed LLVM releases.

use abi::table::Llvm;
use std::{fs, path::PathBuf};

/// Ends the test with what is missing and how to get it.
pub fn missing(what: &str) -> ! {
    panic!(
        "{what} not found: run `cargo xtask setup`, which installs llvm-22-dev, libomp-22-dev and liboffload-22"
    )
}

/// Directories of installed LLVM releases with a known table, newest last.
fn releases() -> Vec<(Llvm, PathBuf)> {
    let lib = fs::read_dir("/usr/lib").expect("/usr/lib is readable");
    let mut found: Vec<_> = lib
        .flatten()
        .filter_map(|dir| {
            let major = dir.file_name().to_str()?.strip_prefix("llvm-")?.parse().ok()?;
            Some((Llvm::from_major(major)?, dir.path()))
        })
        .collect();
    found.sort();
    found
}

/// Every file `relative` below the directory of an installed LLVM release.
pub fn installed(relative: &str) -> Vec<(Llvm, PathBuf)> {
    let with_file = releases().into_iter().map(|(llvm, dir)| (llvm, dir.join(relative)));
    with_file.filter(|(_, path)| path.exists()).collect()
}
