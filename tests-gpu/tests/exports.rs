//! The names and versions that our `libomptarget.so` exports, against those of the libraries that it replaces.

use abi::table::host::{COMMON, ONLY_19, ONLY_22, OURS, VERSION_NODE};
use object::elf::{FileHeader64, STT_FUNC};
use object::read::elf::{FileHeader, Sym};
use object::{Endianness, SymbolIndex};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tests_gpu::Dist;

/// (name, version) of every function that a shared library defines for others.
fn exports(path: &Path) -> BTreeSet<(String, String)> {
    let data = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header = FileHeader64::<Endianness>::parse(&*data).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, &*data).unwrap();
    let symbols = sections.symbols(endian, &*data, object::elf::SHT_DYNSYM).unwrap();
    let versions = sections.versions(endian, &*data).unwrap().expect("versions");
    let functions = symbols.iter().enumerate().filter(|(_, symbol)| {
        !symbol.is_undefined(endian) && !symbol.is_local() && symbol.st_type() == STT_FUNC
    });
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    functions
        .map(|(index, symbol)| {
            let name = symbols.symbol_name(endian, symbol).unwrap();
            let version = versions.version(versions.version_index(endian, SymbolIndex(index))).unwrap();
            (text(name), text(version.map_or(&b"none"[..], |version| version.name())))
        })
        .collect()
}

fn ours() -> BTreeSet<(String, String)> {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    exports(&dist.folder().join("lib/libomptarget.so.22.1"))
}

fn with_version<'n>(names: impl IntoIterator<Item = &'n &'n str>) -> BTreeSet<(String, String)> {
    names.into_iter().map(|name| (String::from(*name), VERSION_NODE.to_owned())).collect()
}

#[test]
fn ours_are_those_of_both_releases() {
    assert_eq!(ours(), with_version(COMMON.iter().chain(&ONLY_22).chain(&ONLY_19).chain(&OURS)));
}

#[test]
fn the_lists_are_those_of_the_libraries() {
    let llvm = |folder: &str| PathBuf::from(folder).join("libomptarget.so");
    for (library, own) in [
        (llvm("/usr/lib/llvm-19/lib").with_extension("so.19.1"), &ONLY_19[..]),
        (llvm("/usr/lib/llvm-22/lib").with_extension("so.22.1"), &ONLY_22[..]),
    ] {
        let listed = with_version(COMMON.iter().chain(own));
        let found: BTreeSet<_> =
            exports(&library).into_iter().filter(|(name, _)| !name.starts_with("_Z")).collect();
        assert_eq!(found, listed, "{}", library.display());
    }
}
