//! What clang emits for OpenMP C is read completely, at every optimisation level and for every target.

use simt::code::{Function, FunctionKind, Module};
use std::process::Command;

/// Most of what a target region can hold: reductions, atomics, types of all sizes, structures by value, function
/// pointers, a switch, local arrays, parallel regions in a generic kernel.
const PROGRAM: &str = include_str!("parse_clang.c");

/// PTX of the program.
fn compile(arch: &str, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("program.c");
    let output = folder.path().join("program.ptx");
    std::fs::write(&source, PROGRAM).unwrap();
    let mut clang = Command::new("clang-22");
    clang.args(["-fopenmp", "--no-offloadlib", "--offload-device-only", "-S", "--cuda-feature=+ptx87"]);
    clang.arg(format!("--offload-arch={arch}")).args(flags).arg(&source).arg("-o").arg(&output);
    let run = clang.output().expect("clang-22 runs (`cargo xtask setup` installs it)");
    assert!(run.status.success(), "{clang:?}: {}", String::from_utf8_lossy(&run.stderr));
    std::fs::read_to_string(output).unwrap()
}

fn entries(module: &Module) -> Vec<&Function> {
    module.functions.iter().filter(|function| function.kind == FunctionKind::Entry).collect()
}

#[test]
fn every_level_and_target() {
    for arch in ["sm_75", "sm_90", "sm_120"] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let text = compile(arch, &[level]);
            let mut module =
                simt::ptx::decode(&text).unwrap_or_else(|report| panic!("{arch} {level}: {report}"));
            assert_eq!(format!("sm_{}", module.target), arch);
            assert_eq!(entries(&module).len(), PROGRAM.matches("#pragma omp target").count());
            let unknown = "the runtime is not linked";
            assert!(entries(&module).iter().all(|entry| !entry.undefined.is_empty()), "{unknown}");
            assert!(
                module
                    .undefined
                    .iter()
                    .all(|symbol| symbol.name.contains("kmpc_") || symbol.name.starts_with("omp_"))
            );
            let contents = module.place(0x10000);
            let inside =
                |(offset, bytes): &(u64, Vec<u8>)| offset + bytes.len() as u64 <= module.global_bytes;
            assert!(contents.iter().all(inside));
        }
    }
}

#[test]
fn debug_information_gives_source_lines() {
    let text = compile("sm_90", &["-O1", "-g"]);
    let module = simt::ptx::decode(&text).unwrap();
    for entry in entries(&module) {
        let spans = (0..entry.code.len() as u32).filter_map(|pc| entry.source_at(pc));
        let known = spans
            .filter(|span| module.files.get(&span.at.file).is_some_and(|name| name.contains("program.c")));
        assert!(known.count() > entry.code.len() / 2, "{}", entry.name);
    }
}
