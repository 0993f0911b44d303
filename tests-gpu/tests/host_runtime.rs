//! Host runtime: a CUDA source that clang-22 compiles with `-foffload-via-llvm`, a program on
//! several devices, a recorded kernel, and the life of a process: fork, exit, libraries that come and go.

use std::path::PathBuf;
use std::process::Command;
use tests_gpu::{Case, Route, Run, program};

fn kernels_of_a_cuda_source() {
    let program = built(&Case::new("host/square.cu", Route::Cuda, "cuda", &[&["-O2"]]));
    let outcome = Run::on_device().of(&program).and_then(|outcome| outcome.successful());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(outcome.stdout, "passed\n");
}

/// Compiles a program with `omptarget cc`.
fn compiled(source: &'static str) -> PathBuf {
    built(&Case::new(source, Route::Omptarget, "host", &[&["-O2"]]))
}

fn built(case: &Case) -> PathBuf {
    tests_gpu::program(case).unwrap_or_else(|error| panic!("{error:#}"))
}

fn several_devices() {
    let run = Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_DEVICES", 3);
    let outcome = run.of(&compiled("host/devices.c")).and_then(|outcome| outcome.successful());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
    assert!(outcome.stderr.contains("3 devices"), "{outcome}");
}

/// With two threads of the interpreter, which no child of a fork has.
fn life_of_a_process() {
    let program = compiled("host/life.c");
    let options: &[&[&str]] = &[&["-O2", "-shared", "-fPIC", "-DLIBRARY"]];
    let library = built(&Case::new("host/life.c", Route::Omptarget, "library", options));
    let library = library.display().to_string();
    for arguments in [&["fork"][..], &["exit"], &["end"], &["register"], &["load", &library]] {
        let run = Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_THREADS", 2);
        let run = arguments.iter().fold(run, |run, argument| run.argument(argument));
        let outcome = run.of(&program).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(outcome.status.code(), Some(0), "{arguments:?}\n{outcome}");
        assert!(!outcome.launches().is_empty(), "{arguments:?}\n{outcome}");
    }
}

/// On both devices, as long as it takes for one thread to offload while another one ends the program.
fn regions_behind_the_end_of_a_program_run_on_the_host() {
    let of_x86: &[&[&str]] = &[&["-O2", "-fopenmp-targets=x86_64-pc-linux-gnu"]];
    let of_x86 = built(&Case::new("host/end_of_program.c", Route::Omptarget, "x86", of_x86));
    for (device, program) in [("simt", compiled("host/end_of_program.c")), ("x86", of_x86)] {
        for _ in 0..5 {
            let run = Run::on_device().with("OMPTARGET_DEVICE", device);
            let outcome = run.of(&program).and_then(|outcome| outcome.successful());
            let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
            assert!(outcome.stdout.ends_with("passed\nbehind the program\n"), "{outcome}");
        }
    }
}

/// A kernel without a loop needs all its teams.
fn few_teams_leave_no_iteration_out() {
    let options: &[&[&str]] =
        &[&["-O3", "-fopenmp-assume-threads-oversubscription", "-fopenmp-assume-teams-oversubscription"]];
    let program = program(&Case::new("fortran/no_loop.f90", Route::OmptargetFc, "no-loop", options))
        .unwrap_or_else(|error| panic!("{error:#}"));
    let run = Run::on_device().with("OMP_NUM_TEAMS", 4).with("OMP_TEAMS_THREAD_LIMIT", 16);
    let outcome = run.of(&program).and_then(|outcome| outcome.successful());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(outcome.modes(), ["SPMD-No-Loop"], "{outcome}");
}

/// Only those that the largest region needs, unless the kernel asks how many there could be.
fn teams_have_as_many_threads_as_regions_ask_for() {
    let program = compiled("features/small_regions.c");
    let outcome = Run::on_device().of(&program).and_then(|outcome| outcome.successful());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
    let threads: Vec<u32> = outcome.launches().into_iter().map(|launch| launch.block[0]).collect();
    assert_eq!(threads[..3], [64, 64, 128], "{outcome}");
}

/// Both memories are the same block at the same address, so pointers inside of it hold.
fn a_recorded_kernel_runs_again_with_equal_output() {
    for source in ["host/recorded.c", "host/recorded_bare.c"] {
        let folder = tempfile::tempdir().unwrap();
        let run = |command: &mut Command| {
            let output = command.current_dir(folder.path()).env("OMPTARGET_DEVICE", "simt").output().unwrap();
            assert!(output.status.success(), "{source}: {output:?}");
        };
        let record = [("LIBOMPTARGET_RECORD", "1"), ("LIBOMPTARGET_RR_SAVE_OUTPUT", "1")];
        run(Command::new(compiled(source)).envs(record));
        let json = std::fs::read_dir(folder.path()).unwrap().flatten().find_map(|file| {
            let name = file.file_name().into_string().ok()?;
            Some((name.strip_suffix(".json")?.to_owned(), std::fs::read(file.path()).ok()?))
        });
        let (kernel, json) = json.expect("a recorded kernel");
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let arguments = json["ArgPtrs"].as_array().unwrap().iter().map(|argument| argument.to_string());
        let mut replay = Command::new(compiled("host/replay.c"));
        replay.arg(&kernel);
        for field in ["NumTeamsClause", "ThreadLimitClause", "BumpAllocVAStart"] {
            replay.arg(json[field].to_string());
        }
        run(replay.args(arguments));
        let file = |suffix: &str| std::fs::read(folder.path().join(format!("{kernel}{suffix}"))).unwrap();
        assert!(file(".original.output") == file(".replay.output"), "{source}: the same memory after it");
        assert!(file(".original.output") != file(".memory"), "{source}: the kernel did something");
    }
}

tests_gpu::trials! {
    kernels_of_a_cuda_source,
    several_devices,
    life_of_a_process,
    regions_behind_the_end_of_a_program_run_on_the_host,
    few_teams_leave_no_iteration_out,
    teams_have_as_many_threads_as_regions_ask_for,
    a_recorded_kernel_runs_again_with_equal_output,
}
