//! `omptarget install --prefix DIR`: compilers find everything below DIR with one option, or with environment variables
//! alone.

use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::{Dist, Run, build::source};

/// A prefix that was just installed to.
fn installed(name: &str) -> PathBuf {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&prefix);
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    run(Command::new(dist.driver()).args(["install", "--prefix"]).arg(&prefix));
    prefix
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{said}");
}

/// Compiles with `compiler`, the stand-in tools on the PATH, and runs the program with the library of the prefix.
fn works(prefix: &Path, compiler: &str, program: &str, options: &[&str], library_path: Option<&str>) {
    let output = prefix.join("program");
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new(compiler);
    command.env("PATH", format!("{}/cuda/bin:/usr/lib/llvm-22/bin:{path}", prefix.display()));
    command.env_remove("LIBRARY_PATH").current_dir(prefix);
    if let Some(folders) = library_path {
        command.env("LIBRARY_PATH", folders);
    }
    run(command
        .args(options)
        .args(["--offload-arch=sm_90", "-O2"])
        .arg(source(program))
        .arg("-o")
        .arg(&output));
    let run = Run::on_device().with("LD_LIBRARY_PATH", prefix.join("lib").display());
    let outcome =
        run.of(&output).and_then(|outcome| outcome.successful()).unwrap_or_else(|e| panic!("{e:#}"));
    assert!(!outcome.launches().is_empty(), "{outcome}");
}

fn one_configuration_file() {
    let prefix = installed("install-config");
    let config = |name: &str| format!("--config={}/etc/{name}.cfg", prefix.display());
    works(&prefix, "clang-22", "saxpy_reduce.c", &[&config("omptarget")], None);
    works(&prefix, "flang-22", "fortran/reductions.f90", &[&config("omptarget-fortran")], None);
    let mut own = Command::new(prefix.join("bin/omptarget"));
    own.args(["cc", "-c"]).arg(source("saxpy_reduce.c")).arg("-o").arg(prefix.join("object"));
    run(&mut own);
    for driver in ["libcuda.so.1", "libcuda.so"] {
        assert!(prefix.join("lib/simt").join(driver).is_file(), "{driver}, the stand-in for CUDA's");
        assert!(!prefix.join("lib").join(driver).exists(), "{driver} would hide a real one");
    }
}

fn environment_variables_alone() {
    let prefix = installed("install-environment");
    let lib = prefix.join("lib").display().to_string();
    let folders = format!("{lib}/nvptx64-nvidia-cuda:{lib}");
    works(&prefix, "clang-22", "saxpy_reduce.c", &["-fopenmp"], Some(&folders));
    works(&prefix, "clang-22", "saxpy_reduce.c", &["-fopenmp", "-foffload-lto"], Some(&folders));
}

fn projects_of_cmake() {
    let prefix = installed("install-cmake");
    let (program, build) = (prefix.join("bin/omptarget").display().to_string(), prefix.join("build"));
    let mut configure = Command::new("cmake");
    for (variable, language) in [("CC", "cc"), ("CXX", "c++"), ("FC", "fc")] {
        configure.env(variable, format!("{program} {language}"));
    }
    let project = source("units/CMakeLists.txt");
    run(configure.arg("-S").arg(project.parent().unwrap()).arg("-B").arg(&build));
    run(Command::new("cmake").arg("--build").arg(&build));
    for program in ["levels", "shapes", "call"] {
        let outcome = Run::on_device().of(&build.join(program)).and_then(tests_gpu::Outcome::successful);
        let outcome = outcome.unwrap_or_else(|e| panic!("{program}: {e:#}"));
        assert!(!outcome.launches().is_empty(), "{outcome}");
    }
}

tests_gpu::trials! {
    one_configuration_file,
    projects_of_cmake,
    environment_variables_alone,
}
