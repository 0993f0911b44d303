//! `omptarget run`: schedules, replay, limits, and what becomes of the program's exit status.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};
use tests_gpu::{Case, Dist, Route, program};

fn built(source: &'static str) -> PathBuf {
    let options: &[&[&str]] = &[&["-O2", "-g"]];
    let case = Case::new(source, Route::Omptarget, "run", options);
    program(&case).unwrap_or_else(|e| panic!("{e:#}"))
}

/// `omptarget run` with these words, with nothing in the environment that would change what it does.
fn run(words: &[&OsStr]) -> (Output, String, String) {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let mut command = Command::new(dist.driver());
    command.arg("run").args(words);
    for name in [
        "OMPTARGET_SIMT_SEED",
        "OMPTARGET_SIMT_SCHEDULE",
        "OMPTARGET_SIMT_MEMORY_MODEL",
        "OMPTARGET_SIMT_LIMIT",
        "OMP_TARGET_OFFLOAD",
    ] {
        command.env_remove(name);
    }
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    (output, stdout, stderr)
}

fn words<'a>(options: &[&'a str], program: &'a std::path::Path) -> Vec<&'a OsStr> {
    options.iter().map(|word| OsStr::new(*word)).chain([program.as_os_str()]).collect()
}

#[test]
fn variables_arguments_and_the_exit_status_are_passed_on() {
    let script = "echo $OMPTARGET_DEVICE $OMPTARGET_SIMT_SEED $OMP_TARGET_OFFLOAD $0; exit 7";
    let all = ["--seed", "5", "sh", "-c", script, "--seed"].map(OsStr::new);
    let (output, stdout, stderr) = run(&all);
    assert_eq!((output.status.code(), stdout.as_str()), (Some(7), "simt 5 MANDATORY --seed\n"), "{stderr}");
    let (output, _, stderr) = run(&["no/such/program"].map(OsStr::new));
    assert!(output.status.code() == Some(1) && stderr.contains("no/such/program"), "{stderr}");
}

#[test]
fn a_missing_barrier_is_found_and_its_schedule_repeated() {
    let program = built("bad/missing_barrier.c");
    for _ in 0..3 {
        let (output, stdout, stderr) = run(&words(&["--schedule=fair", "--threads=1"], &program));
        assert!(output.status.success() && stdout == "right\n", "round robin\n{stdout}{stderr}");
    }
    for schedule in ["random", "pct"] {
        let option = format!("--schedule={schedule}");
        let (output, stdout, stderr) = run(&words(&["--seeds=50", &option], &program));
        assert!(!output.status.success(), "{schedule}: not found\n{stderr}");
        assert!(stdout.contains("wrong") && stderr.contains("line 1 of the output"), "{stdout}{stderr}");
        // The command that it prints gives the output of the last run again.
        let replay =
            stderr.lines().find_map(|line| line.strip_prefix("omptarget: to repeat it: omptarget run "));
        let replay: Vec<&OsStr> =
            replay.unwrap_or_else(|| panic!("{stderr}")).split(' ').map(OsStr::new).collect();
        let last = stdout.lines().last().map(|line| format!("{line}\n"));
        for _ in 0..3 {
            assert_eq!(Some(run(&replay).1), last, "{replay:?}");
        }
    }
}

/// Missing flushes give wrong results in the weak memory mode, and nowhere else.
#[test]
fn the_weak_memory_mode_shows_missing_flushes() {
    let program = built("bad/missing_flush.c");
    for case in ["flag", "lock", "last"] {
        let runs = |options: &[&str], arguments: &[&str]| {
            let arguments = arguments.iter().map(OsStr::new);
            run(&words(options, &program).into_iter().chain(arguments).collect::<Vec<_>>())
        };
        let weak = ["--memory-model=weak", "--seeds=20"];
        let (output, stdout, stderr) = runs(&weak, &[case]);
        assert!(output.status.code() == Some(1) && stdout.contains("wrong"), "{case}\n{stdout}{stderr}");
        assert!(
            stderr.contains("to repeat it: omptarget run") && stderr.contains("--memory-model weak"),
            "{stderr}"
        );
        let (output, _, stderr) = runs(&weak, &[case, "right"]);
        assert!(output.status.success(), "{case} right\n{stderr}");
        let (output, _, stderr) = runs(&["--seeds=10"], &[case]);
        assert!(output.status.success(), "{case}, sequential\n{stderr}");
        // A checker sees the same program as without the mode.
        let (output, _, stderr) = runs(&["--memory-model=weak", "--check=all"], &[case, "right"]);
        assert!(output.status.success(), "{case} right, with checkers\n{stderr}");
    }
    // Those of serial code that all threads come along with are none that is missing.
    let program = built("features/serial_order.c");
    let (output, _, stderr) = run(&words(&["--memory-model=weak", "--seeds=20"], &program));
    assert!(output.status.success(), "serial code\n{stderr}");
    let (output, _, stderr) = run(&words(&["--memory-model=strong"], &program));
    assert!(output.status.code() == Some(2) && stderr.contains("[possible values: sc, weak]"), "{stderr}");
}

#[test]
fn a_program_without_the_bug_prints_the_same_under_all_schedules() {
    let program = built("saxpy_reduce.c");
    let (output, _, stderr) = run(&words(&["--seeds=10"], &program));
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("10 runs, nothing failed, all print the same"), "{stderr}");
}

#[test]
fn a_kernel_that_never_ends_is_stopped_with_its_line() {
    let program = built("bad/endless.c");
    let (output, _, stderr) = run(&words(&["--limit=100000"], &program));
    assert!(!output.status.success(), "{stderr}");
    for part in ["has not ended within the limit of 100000 instructions", "can run; in ", "endless.c:"] {
        assert!(stderr.contains(part), "{part} is missing in\n{stderr}");
    }
}

/// The race is there under every schedule: a checker needs no lucky one.
#[test]
fn what_a_checker_finds_makes_a_run_fail() {
    let program = built("bad/missing_barrier.c");
    let (output, stdout, stderr) = run(&words(&["--check=race", "--schedule=fair"], &program));
    assert_eq!((output.status.code(), stdout.as_str()), (Some(66), "right\n"), "{stderr}");
    assert!(stderr.contains("missing_barrier.c:15") && stderr.contains("missing_barrier.c:12"), "{stderr}");
    let (output, _, stderr) = run(&words(&["--check=race", "--seeds=3"], &program));
    assert_eq!(output.status.code(), Some(66), "{stderr}");
    assert!(stderr.contains("run 1 of 3") && stderr.contains("--check race"), "{stderr}");
    let (output, _, stderr) = run(&words(&["--check=rce"], &program));
    assert!(output.status.code() == Some(2) && stderr.contains("there is no checker"), "{stderr}");
}
