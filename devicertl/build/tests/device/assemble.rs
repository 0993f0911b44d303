//! The whole library as PTX.

use super::toolbox::{llvm, ptxas, runtime, scratch};
use devicertl_build::{ptx::Ptx, toolchain::run};
use std::{path::Path, process::Command};

/// Architectures, each with the oldest PTX version that knows it and the functions that the runtime needs.
const ARCHITECTURES: [(u32, u32); 5] = [(75, 63), (80, 70), (90, 78), (100, 86), (120, 87)];

/// PTX of a bitcode file; everything in it is kept.
fn ptx(file: &Path, arch: u32, version: u32) -> String {
    let llvm = llvm();
    let name = file.file_stem().unwrap().to_str().unwrap();
    let folder = scratch("assemble");
    let (bitcode, text) =
        (folder.join(format!("{name}.{arch}.bc")), folder.join(format!("{name}.{arch}.ptx")));
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
    std::fs::read_to_string(text).unwrap()
}

#[test]
fn the_library_assembles_for_every_architecture() {
    let ptxas = ptxas();
    if ptxas.is_none() {
        eprintln!("skipped: no ptxas");
    }
    for (arch, version) in ARCHITECTURES {
        for file in [&runtime().runtime, &runtime().math] {
            let text = ptx(file, arch, version);
            assert!(text.contains(&format!(".target sm_{arch}")));
            let Some(ptxas) = &ptxas else { continue };
            let input = scratch("assemble")
                .join(format!("{}.{arch}.ptx", file.file_stem().unwrap().to_str().unwrap()));
            // Without optimisation: the question is whether ptxas takes it.
            run(Command::new(ptxas)
                .args([
                    format!("-arch=sm_{arch}"),
                    "-O0".into(),
                    "-c".into(),
                    "-o".into(),
                    "/dev/null".into(),
                ])
                .arg(input))
            .unwrap_or_else(|error| panic!("sm_{arch}: {error:#}"));
        }
    }
}

#[test]
fn the_state_is_as_large_as_it_was() {
    let all = Ptx::new(&ptx(&runtime().runtime, 90, 78));
    // 1024 the pool, 128 the arguments of regions, 128 which threads have a state, 128 which leave a region, 8192 the
    // positions of threads in ordered and static ones, and the words.
    assert_eq!(all.shared().unwrap().iter().map(|(_, bytes)| bytes).sum::<u32>(), 9756);
    let mut undefined = all.undefined();
    undefined.sort();
    undefined.dedup();
    assert_eq!(undefined, ["__assertfail", "__devrtl_dynamic_shared_memory", "free", "malloc", "vprintf"]);
}
