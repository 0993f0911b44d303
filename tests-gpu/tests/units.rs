//! Programs of several files without device LTO: what needs one state of the runtime for all files is an error that says
//! what to do, at the link or when it runs; objects and static libraries of both kinds link.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};
use tests_gpu::{Case, Dist, Route, Run, build, program};

/// The program of two files in which one asks the runtime for the other's kernels.
fn levels(variant: &'static str, options: &'static [&'static [&'static str]]) -> Case {
    let (source, units) = ("units/levels.c", &["units/levels_other.c"]);
    Case { units, ..Case::new(source, Route::NoLto, variant, options) }
}

fn a_file_without_kernels_that_needs_the_state_fails_to_link() {
    for case in [levels("bad-O1", &[&["-O1"]]), levels("bad-O2", &[&["-O2"]])] {
        let error = program(&case).expect_err("the link succeeds").to_string();
        let words = "Undefined reference to '__omptarget_compile_and_link_with_foffload_lto_because_";
        assert!(error.contains(words), "{error}");
    }
}

fn so_does_one_with_kernels_of_its_own() {
    let case = levels("bad-kernel", &[&["-O2", "-DKERNEL"]]);
    let error = program(&case).expect_err("the link succeeds").to_string();
    assert!(error.contains("needs the OpenMP runtime's state") && error.contains("-foffload-lto"), "{error}");
}

fn without_optimisation_the_device_tells() {
    for case in [levels("bad-O0", &[&["-O0"]]), levels("bad-kernel-O0", &[&["-O0", "-DKERNEL"]])] {
        let program = program(&case).unwrap_or_else(|e| panic!("{e:#}"));
        let outcome = Run::on_device().of(&program).unwrap_or_else(|e| panic!("{e:#}"));
        let told = outcome.stderr.contains("compile with -foffload-lto");
        assert!(!outcome.status.success() && told, "{outcome}");
    }
}

/// An empty folder.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// `omptarget cc` or `c++` in `folder`.
fn compile<S: AsRef<OsStr>>(folder: &Path, language: &str, arguments: &[S]) {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    run(Command::new(dist.driver()).arg(language).args(arguments).current_dir(folder));
}

fn object(folder: &Path, language: &str, source: &str, output: &str, more: &[&str]) {
    let source = build::source(source);
    let mut arguments: Vec<&OsStr> =
        vec!["-O2".as_ref(), "-c".as_ref(), source.as_ref(), "-o".as_ref(), output.as_ref()];
    arguments.extend(more.iter().map(AsRef::<OsStr>::as_ref));
    compile(folder, language, &arguments);
}

fn runs(program: &Path) {
    let outcome = Run::on_device().of(program).and_then(tests_gpu::Outcome::successful);
    let outcome = outcome.unwrap_or_else(|e| panic!("{e:#}"));
    assert!(!outcome.launches().is_empty(), "{outcome}");
}

fn a_static_library_of_fat_objects() {
    for (name, mode) in [("library-lto", "-foffload-lto"), ("library-no-lto", "-fno-offload-lto")] {
        let folder = scratch(name);
        object(&folder, "c++", "units/shapes_other.cpp", "other.o", &[mode]);
        // A member that nothing needs, and that would not link without LTO.
        object(&folder, "cc", "units/levels_other.c", "unused.o", &[mode]);
        run(Command::new("llvm-ar-22")
            .args(["rcs", "libshapes.a", "other.o", "unused.o"])
            .current_dir(&folder));
        object(&folder, "c++", "units/shapes.cpp", "shapes.o", &[mode]);
        compile(&folder, "c++", &["shapes.o", "-L.", "-lshapes", mode, "-o", "shapes"]);
        runs(&folder.join("shapes"));
    }
}

fn objects_with_and_without_device_lto_link() {
    let folder = scratch("mixed");
    object(&folder, "c++", "units/shapes.cpp", "shapes.o", &[]);
    object(&folder, "c++", "units/shapes_other.cpp", "other.o", &["-fno-offload-lto"]);
    compile(&folder, "c++", &["shapes.o", "other.o", "-o", "shapes"]);
    runs(&folder.join("shapes"));
}

fn objects_compiled_apart_share_one_state() {
    let folder = scratch("apart");
    object(&folder, "cc", "units/levels.c", "levels.o", &[]);
    object(&folder, "cc", "units/levels_other.c", "other.o", &[]);
    compile(&folder, "cc", &["levels.o", "other.o", "-o", "levels"]);
    runs(&folder.join("levels"));
}

tests_gpu::trials! {
    a_file_without_kernels_that_needs_the_state_fails_to_link,
    so_does_one_with_kernels_of_its_own,
    without_optimisation_the_device_tells,
    a_static_library_of_fat_objects,
    objects_with_and_without_device_lto_link,
    objects_compiled_apart_share_one_state,
}
