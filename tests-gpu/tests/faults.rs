//! Every driver call of a program fails once: the program gives its result all the same, or says which call failed and ends
//! as OpenMP prescribes. It never crashes, hangs, or gives a wrong result in silence. On the stand-in for the driver, which
//! can be told to fail.

use std::os::unix::process::ExitStatusExt;
use tests_gpu::stand_in::Host;
use tests_gpu::{Case, Dist, Outcome, Route, program};

/// Programs that use all kinds of constructs and routines.
const PROGRAMS: [Case; 4] = [
    Case::new("features/map_types.c", Route::Elf, "faults", &[&["-O2", "-g"]]),
    Case::new("features/memory_api.c", Route::Elf, "faults", &[&["-O2", "-g"]]),
    Case::new("features/firstprivate.c", Route::Elf, "faults", &[&["-O2", "-g"]]),
    Case::new("features/declare_target.c", Route::Elf, "faults", &[&["-O2", "-g"]]),
];

/// Out of memory, and an error that stays.
const CODES: [u32; 2] = [2, 700];
/// The signal of `abort`.
const SIGABRT: i32 = 6;
/// What the runtime says when it refuses to start, and the programs when a routine of theirs failed.
const REFUSED: i32 = 1;

fn is_fine(outcome: &Outcome, expected: &str) -> bool {
    let names_a_call =
        outcome.stderr.contains("error in cu") || outcome.stderr.contains(" gives CUDA_ERROR_");
    let says_why = names_a_call && outcome.stderr.contains("omptarget");
    match (outcome.status.code(), outcome.status.signal()) {
        (Some(0), _) => outcome.stdout == expected,
        (Some(REFUSED), _) | (_, Some(SIGABRT)) => says_why,
        _ => false,
    }
}

#[test]
fn each_call_fails_once() {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let folder = tempfile::tempdir().unwrap();
    for case in &PROGRAMS {
        let program = program(case).unwrap_or_else(|e| panic!("{e:#}"));
        let run = || Host::Ours.on_stand_in(&dist).with("LIBOMPTARGET_INFO", 0);
        let trace = folder.path().join(case.name().replace('/', "."));
        let whole = run().with("OMPTARGET_SIMT_TRACE", trace.display()).of(&program).unwrap();
        let expected = whole.successful().unwrap_or_else(|e| panic!("{e:#}")).stdout;
        let calls = std::fs::read_to_string(&trace).unwrap();
        let calls: Vec<&str> = calls.lines().collect();
        assert!(calls.len() > 50, "{} makes only {} driver calls", case.name(), calls.len());
        let mut ended = 0;
        for (index, call) in calls.iter().enumerate() {
            let fault = format!("{}={}", index + 1, CODES[index % CODES.len()]);
            let outcome = run().with("OMPTARGET_SIMT_FAULT", &fault).of(&program).unwrap();
            assert!(is_fine(&outcome, &expected), "{}, call {fault} ({call})\n{outcome}", case.name());
            ended += u32::from(!outcome.status.success());
        }
        assert!(ended as usize > calls.len() / 4, "{}: faults are not felt", case.name());
    }
}
