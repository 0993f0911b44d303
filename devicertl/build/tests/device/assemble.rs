//! The whole library as PTX.

use super::toolbox::{llvm, ptxas, runtime, scratch};
use devicertl_build::{ptx::Ptx, toolchain::run};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The file in `folder` with the PTX of a bitcode file; everything in that is kept.
fn ptx(file: &Path, arch: u32, version: u32, folder: &Path) -> PathBuf {
    let llvm = llvm();
    let stem = Path::new(file.file_stem().unwrap());
    let [bitcode, text] = ["bc", "ptx"].map(|extension| folder.join(stem).with_extension(extension));
    // `-mcpu` makes `__nvvm_reflect` fold.
    let optimised = Command::new(llvm.tool("opt"))
        .args([format!("-mcpu=sm_{arch}"), "-passes=default<O1>".into(), "-o".into()])
        .args([&bitcode, file])
        .output()
        .unwrap();
    assert!(optimised.status.success(), "{}", String::from_utf8_lossy(&optimised.stderr));
    run(Command::new(llvm.tool("llc"))
        .args([format!("-mcpu=sm_{arch}"), format!("-mattr=+ptx{version}"), "-O3".into(), "-o".into()])
        .args([&text, &bitcode]))
    .unwrap_or_else(|error| panic!("sm_{arch}: {error:#}"));
    text
}

/// `file` assembles for an architecture with the oldest PTX version that knows it and the functions that the runtime needs.
#[track_caller]
fn assembles(file: &Path, arch: u32, version: u32) {
    let file = ptx(file, arch, version, &scratch(&format!("assemble-{arch}")));
    assert!(std::fs::read_to_string(&file).unwrap().contains(&format!(".target sm_{arch}")));
    let Some(ptxas) = ptxas() else {
        eprintln!("skipped: no ptxas");
        return;
    };
    // Without optimisation: the question is whether ptxas takes it.
    let mut command = Command::new(ptxas);
    command.arg(format!("-arch=sm_{arch}")).args(["-O0", "-c", "-o", "/dev/null"]).arg(file);
    run(&mut command).unwrap_or_else(|error| panic!("sm_{arch}: {error:#}"));
}

/// A test for each architecture, so that they run side by side.
macro_rules! the_library_assembles_for {
    ($($test:ident: $arch:literal, PTX $version:literal;)*) => {
        $(#[test]
        fn $test() {
            assembles(&runtime().runtime, $arch, $version);
            assembles(&runtime().math, $arch, $version);
        })*
    };
}

the_library_assembles_for! {
    the_library_assembles_for_sm_75: 75, PTX 63;
    the_library_assembles_for_sm_80: 80, PTX 70;
    the_library_assembles_for_sm_90: 90, PTX 78;
    the_library_assembles_for_sm_100: 100, PTX 86;
    the_library_assembles_for_sm_120: 120, PTX 87;
}

#[test]
fn the_state_is_as_large_as_it_was() {
    let file = ptx(&runtime().runtime, 90, 78, &scratch("state"));
    let all = Ptx::new(&std::fs::read_to_string(file).unwrap());
    // 1024 the pool, 128 the arguments of regions, 128 which threads have a state, 128 which leave a region, 8192 the
    // positions of threads in ordered and static ones, and the words.
    assert_eq!(all.shared().unwrap().iter().map(|(_, bytes)| bytes).sum::<u32>(), 9756);
    let mut undefined = all.undefined();
    undefined.sort();
    undefined.dedup();
    assert_eq!(undefined, ["__assertfail", "__devrtl_dynamic_shared_memory", "free", "malloc", "vprintf"]);
}
