//! The passes where a compiler links or is not clang-22: what they say about objects of machine code, about Fortran and
//! in clang-19, and that they do right by them. The programs that only the link can convert are among `shapes`.

use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::{Dist, Route, Run, build, build::source};

/// `omptarget` with a language and arguments, in an empty folder; what it said.
fn compile(folder: &Path, language: &str, arguments: &[&str]) -> String {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let mut command = Command::new(dist.driver());
    run(command.arg(language).arg("-O2").args(arguments).current_dir(folder))
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}\n{said}");
    said
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The modes of the kernels of a program that runs as on the host.
fn modes(program: &Path) -> Vec<String> {
    let run = |run: Run| run.of(program).and_then(tests_gpu::Outcome::successful);
    let device = run(Run::on_device()).unwrap_or_else(|e| panic!("{e:#}"));
    let host = run(Run::on_host()).unwrap_or_else(|e| panic!("{e:#}"));
    assert_eq!(device.stdout, host.stdout, "{device}");
    device.launches().into_iter().map(|launch| launch.mode).collect()
}

fn pointers_may_lead_into_machine_code() {
    let (file, other) = (source("units/pointer.c"), source("units/pointer_other.c"));
    let (file, other) = (file.to_str().unwrap(), other.to_str().unwrap());
    for (how, mode) in [("-foffload-lto", "Generic-SPMD"), ("-fno-offload-lto", "Generic")] {
        let folder = scratch(how);
        compile(&folder, "cc", &[how, "-c", other, "-o", "other.o"]);
        let said = compile(&folder, "cc", &[file, "other.o", "-o", "program"]);
        let note = "omptarget: note: other-nvptx64-nvidia-cuda-sm_90-";
        assert_eq!(said.contains(note) && said.contains("is machine code"), mode == "Generic", "{said}");
        assert_eq!(modes(&folder.join("program")), [mode, mode]);
        // It matters to kernels with such calls alone.
        let without_pointers = source("generic.c");
        let said = compile(&folder, "cc", &[without_pointers.to_str().unwrap(), "other.o", "-o", "other"]);
        assert!(!said.contains("note"), "{said}");
    }
}

fn constants_and_structures_that_another_file_reads() {
    let [file, other] = ["units/table.c", "units/table_other.c"].map(source);
    let files = [file.to_str().unwrap(), other.to_str().unwrap()];
    let folder = scratch("table");
    for how in ["-foffload-lto", "-fno-offload-lto"] {
        compile(&folder, "cc", &[how, files[0], files[1], "-o", "program"]);
        assert_eq!(modes(&folder.join("program")).len(), 1, "{how}");
    }
}

/// What openmp-opt wrote down about one file need not be true for the program, and what stays of atomic operations on a thread's own
/// variables no link puts right.
fn files_that_only_their_compilation_optimises() {
    let [file, other] = ["units/inner.c", "units/inner_other.c"].map(source);
    let folder = scratch("unoptimized-link");
    for (file, object) in [(&file, "inner.o"), (&other, "other.o")] {
        compile(&folder, "cc", &["-c", file.to_str().unwrap(), "-o", object]);
    }
    let openmp_opt_off: &[&str] = &["-Xoffload-linker", "-mllvm=-openmp-opt-disable"];
    for how in [&["-O0"], openmp_opt_off] {
        compile(&folder, "cc", &[&["inner.o", "other.o", "-o", "program"], how].concat());
        assert_eq!(modes(&folder.join("program")), ["Generic"], "{how:?}");
    }
}

fn remarks_on_fortran() {
    let file = source("fortran/serial.f90");
    let options = ["-fomptarget-opt", "-Rpass=openmp-opt", "-c", file.to_str().unwrap()];
    let said = compile(&scratch("fortran"), "fc", &options);
    for line in [18, 43, 64] {
        let place = format!("serial.f90:{line}:");
        let remark = "Transformed generic-mode kernel to SPMD-mode. [OMP120]";
        assert!(said.lines().any(|said| said.contains(&place) && said.contains(remark)), "{said}");
    }
}

fn functions_of_other_files_in_fortran() {
    let [other, file] = ["units/fortran_module.f90", "units/fortran_call.f90"].map(source);
    let (other, file) = (other.to_str().unwrap(), file.to_str().unwrap());
    let ways = [("-foffload-lto", true), ("-fno-offload-lto", false), ("-O2", true), ("-O0", false)];
    for (how, is_joined) in ways {
        let mode = if is_joined { "Generic-SPMD" } else { "Generic" };
        let folder = scratch(&format!("fortran{how}"));
        let options = ["-module-dir", ".", how];
        let with = |more: &[&str]| compile(&folder, "fc", &[&options, more].concat());
        let said = with(&["-c", other]);
        assert!(!is_joined || !said.contains("warning"), "{said}");
        assert!(folder.join("fortran_module.o").is_file(), "{how}");
        // One file is an object, the other a source.
        with(&["fortran_module.o", file, "-o", "program"]);
        assert_eq!(modes(&folder.join("program")), [mode]);
    }
}

fn values_between_c_and_fortran() {
    let [file, other] = ["units/values.f90", "units/values_other.c"].map(source);
    let (file, other) = (file.to_str().unwrap(), other.to_str().unwrap());
    for how in ["-foffload-lto", "-fno-offload-lto", "-O0"] {
        let folder = scratch(&format!("values{how}"));
        compile(&folder, "cc", &[how, "-c", other, "-o", "other.o"]);
        compile(&folder, "fc", &["-module-dir", ".", how, file, "other.o", "-o", "program"]);
        modes(&folder.join("program"));
    }
}

/// What stands in the place of the driver's `malloc` in a program with `realloc` is found by our linker of device code alone, which machine code needs;
/// a link of bitcode goes without, and NVIDIA's will do.
fn a_program_with_realloc_needs_no_linker_of_ours() {
    let [file, other] = ["units/blocks.c", "units/blocks_other.c"].map(source);
    let (file, other) = (file.to_str().unwrap(), other.to_str().unwrap());
    for (level, how, needs) in
        [("-O2", "-foffload-lto", false), ("-O0", "-foffload-lto", false), ("-O2", "-fno-offload-lto", true)]
    {
        let folder = scratch(&format!("realloc{level}{how}"));
        compile(&folder, "cc", &[level, how, "-c", other, "-o", "other.o"]);
        compile(&folder, "cc", &[level, file, "other.o", "-Wl,--save-temps", "-o", "program"]);
        let text = std::fs::read_to_string(folder.join("program.nvptx64.sm_90.s")).unwrap();
        let names = ["__omptarget_wrap_", "__omptarget_real_"].map(|name| text.contains(name));
        assert_eq!(names, [needs; 2], "{level} {how}");
        assert_eq!(text.contains("__omptarget_malloc"), !needs, "{level} {how}");
        modes(&folder.join("program"));
    }
}

/// LLVM says at each loop that it cannot do what it was asked to. Nobody asks for vectors on a device.
fn nothing_is_said_of_simd_loops() {
    let file = source("features/simd.c");
    let file = file.to_str().unwrap();
    for how in ["-foffload-lto", "-fno-offload-lto"] {
        let folder = scratch(&format!("simd{how}"));
        let said = compile(&folder, "cc", &[how, "--offload-device-only", "-c", file, "-o", "device"]);
        assert_eq!(said, "", "{how}");
        // Of the host's loops it may.
        compile(&folder, "cc", &[how, "-c", file, "-o", "simd.o"]);
        let said = compile(&folder, "cc", &[how, "simd.o", "-o", "program"]);
        assert_eq!(said, "", "{how}");
    }
}

/// The plugin for LLVM 19. Nothing else of LLVM 19's is built, so it is built here, apart.
fn plugin_19() -> PathBuf {
    let target = tests_gpu::dist::target().join("llvm19");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "passes-plugin", "--no-default-features"]);
    cargo.args(["--features", "llvm19", "--target-dir"]).arg(&target);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).env("CARGO_PROFILE_DEV_DEBUG", "0");
    assert!(cargo.status().expect("cargo starts").success(), "{cargo:?}");
    target.join("debug/libomptarget_passes.so")
}

fn clang_19_with_its_plugin() {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let program = scratch("clang-19").join("program");
    let mut clang = build::compiler(&dist, Route::Clang19, false).unwrap_or_else(|e| panic!("{e:#}"));
    clang.args(["-O2", "-Rpass=openmp-opt", "-Xarch_device"]);
    clang.arg(format!("-fpass-plugin={}", plugin_19().display()));
    let said = run(clang.arg(source("spmd/serial_loop_with_stores.c")).arg("-o").arg(&program));
    assert!(said.contains("Transformed generic-mode kernel to SPMD-mode. [OMP120]"), "{said}");
    assert_eq!(modes(&program), ["Generic-SPMD"]);
}

/// The other way round is in `passes/plugin/tests/plugin.rs`.
fn llvm_22_refuses_the_plugin_for_19() {
    let (plugin, folder) = (plugin_19(), scratch("plugin-19"));
    std::fs::write(folder.join("a.c"), "int main(void) { return 0; }\n").unwrap();
    for (program, option, more) in [
        ("opt", "-load-pass-plugin", &["-passes=omptarget", "a.ll"][..]),
        ("clang", "-fpass-plugin", &["-O2", "-c", "a.c", "-o", "a.o"]),
    ] {
        let mut command = Command::new(Path::new(build::LLVM_FOLDER).join(program));
        command.current_dir(&folder).arg(format!("{option}={}", plugin.display())).args(more);
        let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let refused = ["libomptarget_passes.so", "Wrong API version"].iter().all(|part| said.contains(part));
        assert!(!output.status.success() && refused, "{command:?}: {said}");
    }
}

tests_gpu::trials! {
    pointers_may_lead_into_machine_code,
    constants_and_structures_that_another_file_reads,
    files_that_only_their_compilation_optimises,
    remarks_on_fortran,
    functions_of_other_files_in_fortran,
    values_between_c_and_fortran,
    a_program_with_realloc_needs_no_linker_of_ours,
    nothing_is_said_of_simd_loops,
    clang_19_with_its_plugin,
    llvm_22_refuses_the_plugin_for_19,
}
