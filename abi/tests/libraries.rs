//! Owners and host exports against the dynamic symbols of the installed `libomp` and `libomptarget`.

mod support;

use abi::table::{self, Llvm, Owner, host};
use object::{
    Endianness,
    elf::FileHeader64,
    read::elf::{FileHeader, Sym},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use support::{installed, missing};

/// Names that a shared library exports, each with its version node, empty if it has none.
fn exports(path: &Path) -> BTreeMap<String, String> {
    let fail = |e: object::Error| -> ! { panic!("{}: {e}", path.display()) };
    let data = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let data = data.as_slice();
    let read = || -> object::Result<BTreeMap<String, String>> {
        let header = FileHeader64::<Endianness>::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        let symbols = sections.symbols(endian, data, object::elf::SHT_DYNSYM)?;
        let versions = sections.versions(endian, data)?;
        let mut found = BTreeMap::new();
        for (index, symbol) in symbols.enumerate() {
            if symbol.is_undefined(endian) || symbol.is_local() || symbol.st_type() == object::elf::STT_OBJECT
            {
                continue;
            }
            let name = String::from_utf8_lossy(symbol.name(endian, symbols.strings())?).into_owned();
            let mut node = String::new();
            if let Some(table) = &versions {
                let version = table.version_index(endian, index);
                // A hidden version is an old one, kept for programs that were linked long ago.
                if version.is_hidden() {
                    continue;
                }
                if let Some(version) = table.version(version)? {
                    node = String::from_utf8_lossy(version.name()).into_owned();
                }
            }
            found.insert(name, node);
        }
        Ok(found)
    };
    read().unwrap_or_else(|e| fail(e))
}

/// The version of a library from the directory `llvm-<major>` that its file really lies in: Debian's
/// `libomp-22-dev` comes with the `libomp` of LLVM 19.
fn real_version(path: &Path) -> Option<Llvm> {
    let real = path.canonicalize().ok()?;
    let major =
        real.components().find_map(|c| c.as_os_str().to_str()?.strip_prefix("llvm-"))?.parse().ok()?;
    Llvm::from_major(major)
}

#[test]
fn libomp_exports_what_the_table_says_it_owns() {
    let found = installed("lib/libomp.so.5");
    if !found.iter().any(|(llvm, _)| *llvm == Llvm::V22) {
        missing("/usr/lib/llvm-22/lib/libomp.so.5");
    }
    for (installed_for, path) in found {
        let llvm = real_version(&path).unwrap_or(installed_for);
        let exports = exports(&path);
        for entry in &table::ENTRIES {
            let owned = matches!(entry.owner, Owner::Libomp | Owner::Both);
            let exported = exports.contains_key(entry.name);
            // A function that compilers do not know yet, or no longer, may be in the library or not.
            if entry.is_in(llvm) || !owned {
                assert_eq!(exported, owned, "{} and the owner of {}", path.display(), entry.name);
            }
        }
    }
}

#[test]
fn libomptarget_exports_exactly_the_host_list() {
    let found: Vec<_> = [Llvm::V19, Llvm::V22]
        .into_iter()
        .flat_map(|llvm| installed(&format!("lib/{}", host::soname(llvm).expect("19 and 22 have one"))))
        .collect();
    if !found.iter().any(|(llvm, _)| *llvm == Llvm::V22) {
        missing("/usr/lib/llvm-22/lib/libomptarget.so.22.1");
    }
    for (llvm, path) in found {
        let exports = exports(&path);
        let theirs: BTreeSet<_> =
            exports.iter().filter(|(_, node)| *node == host::VERSION_NODE).map(|(n, _)| n.as_str()).collect();
        let ours: BTreeSet<_> = host::exports(llvm).expect("19 and 22 have a list").collect();
        assert_eq!(theirs, ours, "{}", path.display());
        for entry in table::entries(llvm) {
            let owned = entry.owner == Owner::Libomptarget;
            assert_eq!(
                theirs.contains(entry.name),
                owned,
                "{} and the owner of {}",
                path.display(),
                entry.name
            );
        }
    }
}
