//! The plugin in the compilers that load it: remarks with carets, optimisation records, and what others say to it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SOURCE: &str = "void ext(int *);
void f(int n, int *a) {
#pragma omp target map(tofrom: a[0:n])
  {
    a[0] = 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += 1;
  }
#pragma omp target map(tofrom: a[0:n])
  {
    ext(a);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += 1;
  }
}
";

const DEVICE: &str =
    "-O2 -fopenmp --offload-arch=sm_90 --offload-device-only -nogpulib -nogpuinc --cuda-feature=+ptx86 -S";

/// The plugin: of the installation that is tested, if there is one. For a test cargo builds no library that Rust cannot link: it is
/// asked to.
fn plugin() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        if let Some(dist) = std::env::var_os("OMPTARGET_DIST") {
            return Path::new(&dist).join("lib/omptarget-passes.so");
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--package", "passes-plugin"])
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success(), "{cargo:?}");
        // target/PROFILE/deps/THIS
        let test = std::env::current_exe().unwrap();
        let plugin = test.ancestors().nth(2).unwrap().join("libomptarget_passes.so");
        assert!(plugin.is_file(), "{} is not there", plugin.display());
        plugin
    };
    BUILT.get_or_init(build).clone()
}

/// Runs a tool of an LLVM in a folder with `a.c`; whether it ended well, and both outputs.
fn llvm(version: u32, tool: &str, folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    std::fs::write(folder.join("a.c"), SOURCE).unwrap();
    let program = format!("/usr/lib/llvm-{version}/bin/{tool}");
    let output = Command::new(&program)
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; run `cargo xtask setup`"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

fn clang(folder: &Path, more: &[&str]) -> String {
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let arguments: Vec<&str> =
        DEVICE.split(' ').chain([&*plugin, "a.c"]).chain(more.iter().copied()).collect();
    let (fine, _, said) = llvm(22, "clang", folder, &arguments);
    assert!(fine, "{said}");
    said
}

#[test]
fn opt_runs_the_pass_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/no_parallel_region.ll");
    let load = format!("-load-pass-plugin={}", plugin().display());
    let input = input.display().to_string();
    let arguments = [&*load, "-passes=omptarget,verify", "-pass-remarks=openmp-opt", "-S", &input];
    let (fine, module, said) = llvm(22, "opt", folder.path(), &arguments);
    assert!(fine && said.contains("Transformed generic-mode kernel to SPMD-mode. [OMP120]"), "{said}");
    assert!(module.contains("exit.threads:"), "{module}");
}

#[test]
fn clang_shows_remarks_with_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let said =
        clang(folder.path(), &["-emit-llvm", "-o", "a.ll", "-g1", "-Rpass=openmp", "-Rpass-analysis=openmp"]);
    for part in [
        "a.c:3:1: remark: Transformed generic-mode kernel to SPMD-mode. [OMP120] [-Rpass=openmp-opt]",
        "a.c:12:5: remark: Value has potential side effects preventing SPMD-mode execution.",
        "   12 |     ext(a);\n      |     ^",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let module = std::fs::read_to_string(folder.path().join("a.ll")).unwrap();
    assert!(module.contains("i8 0, i8 0, i8 3") && module.contains("i8 1, i32 1, i32 128"), "{module}");
}

#[test]
fn without_optimisation_the_plugin_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let said = clang(folder.path(), &["-O0", "-emit-llvm", "-o", "a.ll", "-Rpass=openmp"]);
    assert_eq!(said, "");
}

#[test]
fn the_optimisation_record_has_our_remarks() {
    let folder = tempfile::tempdir().unwrap();
    clang(
        folder.path(),
        &[
            "-emit-llvm",
            "-o",
            "a.ll",
            "-g1",
            "-fsave-optimization-record",
            "-foptimization-record-file=a.yaml",
        ],
    );
    let record = std::fs::read_to_string(folder.path().join("a.yaml")).unwrap();
    let at = record.find("Name:            OMP120").unwrap_or_else(|| panic!("{record}"));
    let document = &record[..at + record[at..].find("...").unwrap()];
    let document = &document[document.rfind("--- ").unwrap()..];
    assert!(document.starts_with("--- !Passed\nPass:            openmp-opt"), "{document}");
    assert!(document.contains("File: a.c, Line: 3, Column: 1") && document.contains("OMP120"), "{document}");
}

#[test]
fn code_of_the_host_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = format!("-fpass-plugin={}", plugin().display());
    let host = ["-O2", "-fopenmp", "-S", "a.c", "-o", "-"];
    let (fine, with, said) = llvm(22, "clang", folder.path(), &[&host[..], &[&*plugin]].concat());
    assert!(fine, "{said}");
    assert_eq!(llvm(22, "clang", folder.path(), &host).1, with);
}

/// The plugin of one LLVM in another: refused with words, not a crash.
#[test]
fn llvm_19_refuses_the_plugin_of_22() {
    let folder = tempfile::tempdir().unwrap();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/host_module.ll").display().to_string();
    let file = plugin().display().to_string();
    let load = format!("-load-pass-plugin={file}");
    let (fine, _, said) = llvm(19, "opt", folder.path(), &[&load, "-passes=omptarget", "-S", &input]);
    assert!(!fine && said.contains(&file) && said.contains("Wrong API version"), "{said}");
    let load = format!("-fpass-plugin={file}");
    let (fine, _, said) = llvm(19, "clang", folder.path(), &["-O2", "-c", &load, "a.c", "-o", "a.o"]);
    assert!(!fine && said.contains("unable to load plugin") && said.contains("Wrong API version"), "{said}");
}

/// Which of three functions still read what they have stored just before, behind these passes.
fn still_reading(passes: &str) -> Vec<&'static str> {
    let function = |name: &str, loads: usize, call: &str| {
        let loads: String =
            (0..loads).map(|load| format!("  %v{load} = load volatile i32, ptr %o\n")).collect();
        format!(
            "define i32 @{name}(ptr %o) {{\n  %p = alloca i32\n  store i32 7, ptr %p\n{loads}{call}  %r = load i32, \
             ptr %p\n  ret i32 %r\n}}\n"
        )
    };
    let asks = "  call void @__kmpc_flush(ptr null)\n";
    let module = [
        "target triple = \"nvptx64-nvidia-cuda\"\n",
        &function("small", 3, asks),
        &function("large", 1600, ""),
        &function("large_and_asks", 1600, asks),
        "declare void @__kmpc_flush(ptr)\n!llvm.module.flags = !{!0, !1}\n!0 = !{i32 7, !\"openmp\", i32 51}\n\
         !1 = !{i32 7, !\"openmp-device\", i32 51}\n",
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ll"), module.concat()).unwrap();
    let (load, passes) =
        (format!("-load-pass-plugin={}", plugin().display()), format!("-passes={passes},verify"));
    let (fine, module, said) = llvm(22, "opt", folder.path(), &[&load, &passes, "-S", "a.ll"]);
    assert!(fine && !module.contains("optnone") && !module.contains("noinline"), "{said}{module}");
    let reads = |name: &&str| {
        let body = module.split(&format!("@{name}(")).nth(1).expect(name);
        body[..body.find("\n}").unwrap()].contains("ret i32 %r")
    };
    ["small", "large", "large_and_asks"].into_iter().filter(reads).collect()
}

#[test]
fn openmp_opt_passes_over_large_functions() {
    // Before anything is inlined only over those that do not ask the runtime.
    assert_eq!(still_reading("openmp-opt-postlink"), ["large"]);
    assert_eq!(still_reading("cgscc(inline),openmp-opt-postlink"), ["large", "large_and_asks"]);
    assert_eq!(still_reading("cgscc(openmp-opt-cgscc)"), ["large", "large_and_asks"]);
}
