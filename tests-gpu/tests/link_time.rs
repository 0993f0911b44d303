//! `-fomptarget-opt` where a compiler links or is not clang: what it says about objects of machine code and about
//! Fortran, and that it does right by them. The programs that only the link can convert are among `shapes`.

use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::{Dist, Run, build::source};

/// `omptarget` with a language and arguments, in an empty folder; what it said.
fn compile(folder: &Path, language: &str, arguments: &[&str]) -> String {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let mut command = Command::new(dist.driver());
    command.arg(language).arg("-O2").args(arguments).current_dir(folder);
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

#[test]
fn pointers_may_lead_into_machine_code() {
    let (file, other) = (source("units/pointer.c"), source("units/pointer_other.c"));
    let (file, other) = (file.to_str().unwrap(), other.to_str().unwrap());
    for (how, mode) in [("-foffload-lto", "Generic-SPMD"), ("-fno-offload-lto", "Generic")] {
        let folder = scratch(how);
        compile(&folder, "cc", &[how, "-c", other, "-o", "other.o"]);
        let said = compile(&folder, "cc", &["-fomptarget-opt", file, "other.o", "-o", "program"]);
        let note = "omptarget: note: other-nvptx64-nvidia-cuda-sm_90-";
        assert_eq!(said.contains(note) && said.contains("is machine code"), mode == "Generic", "{said}");
        assert_eq!(modes(&folder.join("program")), [mode, mode]);
    }
}

#[test]
fn remarks_on_fortran() {
    let file = source("fortran/serial.f90");
    let options = ["-fomptarget-opt", "-Rpass=openmp-opt", "-c", file.to_str().unwrap()];
    let said = compile(&scratch("fortran"), "fc", &options);
    for line in [20, 45, 66] {
        let place = format!("serial.f90:{line}:");
        let remark = "Transformed generic-mode kernel to SPMD-mode. [OMP120]";
        assert!(said.lines().any(|said| said.contains(&place) && said.contains(remark)), "{said}");
    }
}
