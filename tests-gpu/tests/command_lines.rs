//! Command lines of `omptarget cc` and `fc` that the compilers alone answer badly, and the architectures that they know.

use std::path::Path;
use std::process::{Command, Output};
use tests_gpu::{Dist, Run, build::source};

fn omptarget(arguments: &[&str]) -> Output {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let mut command = Command::new(dist.driver());
    command.args(arguments).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

fn fails(arguments: &[&str], words: &[&str]) {
    let output = omptarget(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && words.iter().all(|word| said.contains(word)),
        "{arguments:?}\n{said}"
    );
}

#[test]
fn nothing_to_compile() {
    fails(&["cc"], &["no input files"]);
    fails(&["fc"], &["no input files"]);
}

#[test]
fn a_source_of_c_for_flang() {
    fails(&["fc", "-O2", "part.c", "-o", "part"], &["part.c", "omptarget cc -c"]);
}

/// Each needs a PTX version that knows it.
#[test]
fn architectures() {
    let saxpy = source("saxpy_reduce.c");
    for name in ["sm_70", "sm_80", "sm_90a", "sm_100", "sm_103", "sm_120", "sm_121"] {
        let architecture = format!("--offload-arch={name}");
        let output = omptarget(&["cc", "-O1", &architecture, &saxpy.to_string_lossy(), "-o", name]);
        assert!(output.status.success(), "{name}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// `native` is what the program would run on, and a target without an architecture gets the default.
#[test]
fn architectures_that_have_no_number() {
    let (saxpy, fortran) = (source("saxpy_reduce.c"), source("fortran/reductions.f90"));
    for (name, language, option, source) in [
        ("native", "cc", "--offload-arch=native", &saxpy),
        ("native-fortran", "fc", "--offload-arch=native", &fortran),
        ("target", "cc", "-fopenmp-targets=nvptx64-nvidia-cuda", &saxpy),
        ("short-target", "cc", "-fopenmp-targets=nvptx64", &saxpy),
    ] {
        let output = omptarget(&[language, "-O1", option, &source.to_string_lossy(), "-o", name]);
        assert!(output.status.success(), "{name}\n{}", String::from_utf8_lossy(&output.stderr));
        let outcome = Run::on_device().of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
        assert!(outcome.status.success() && !outcome.launches().is_empty(), "{name}\n{outcome}");
    }
}

/// The CPU as device, alone and beside NVIDIA's: the plugin of the passes is for NVIDIA's code.
#[test]
fn the_cpu_as_device() {
    const NVIDIA: [&str; 2] = ["-Xopenmp-target=nvptx64-nvidia-cuda", "-march=sm_90"];
    let source = source("saxpy_reduce.c");
    for (name, targets, more) in [
        ("cpu", "x86_64-pc-linux-gnu", &[][..]),
        ("cpu-nvidia", "nvptx64-nvidia-cuda,x86_64-pc-linux-gnu", &NVIDIA[..]),
    ] {
        let targets = format!("-fopenmp-targets={targets}");
        let mut arguments = vec!["cc", "-O2", &targets];
        arguments.extend(more);
        let source = source.to_string_lossy();
        arguments.extend([&*source, "-o", name]);
        let output = omptarget(&arguments);
        assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
        for device in ["x86", "simt"].into_iter().take(if more.contains(&NVIDIA[0]) { 2 } else { 1 }) {
            let run = Run::on_device().with("OMPTARGET_DEVICE", device);
            let outcome = run.of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
            assert!(
                outcome.status.success() && !outcome.launches().is_empty(),
                "{name} on {device}\n{outcome}"
            );
        }
    }
}
