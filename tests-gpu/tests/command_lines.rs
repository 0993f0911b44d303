//! Command lines of `omptarget cc` and `fc` that the compilers alone answer badly, and the architectures that they know.

use std::process::{Command, Output};
use tests_gpu::{Dist, build::source};

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
