//! The math functions on the device: each result keeps CUDA's bound.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tests_gpu::math::{self, EXPECTED, TABLE};
use tests_gpu::{Dist, Outcome, Run};

/// The program; the table is beside it.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("math");
    let program = Dist::find().and_then(|dist| math::build(&dist, &[], &math::table()?, &folder));
    program.unwrap_or_else(|error| panic!("{error:#}"))
});

fn run_in(folder: &Path) -> Outcome {
    Run::on_device().in_folder(folder).of(&PROGRAM).unwrap_or_else(|error| panic!("{error:#}"))
}

fn results_keep_cudas_bounds() {
    let outcome = run_in(PROGRAM.parent().unwrap());
    assert!(outcome.status.success() && outcome.stdout == EXPECTED, "{outcome}");
}

/// The square root of 2 is no result of `hypot(3, 4)`, and a function that is not tried has shown nothing.
fn results_out_of_bounds_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let table = fs::read_to_string(PROGRAM.with_file_name(TABLE)).unwrap();
    let without: String = table
        .lines()
        .filter(|line| !line.starts_with("__nv_erfcx "))
        .map(|line| format!("{line}\n"))
        .collect();
    let root = 2_f64.sqrt().to_bits();
    let line = [3_f64.to_bits(), 4_f64.to_bits(), root, root].map(|bits| format!(" {bits:x}")).concat();
    fs::write(folder.path().join(TABLE), format!("{without}__nv_hypot{line}\n")).unwrap();
    let outcome = run_in(folder.path());
    assert!(!outcome.status.success() && outcome.stdout.ends_with("FAILED\n"), "{outcome}");
    let wrong: Vec<&str> = outcome.stdout.lines().collect();
    assert!(wrong[0].starts_with("__nv_hypot of 3 4 is 5, not from 1.41421"), "{outcome}");
    assert!(wrong.contains(&"__nv_erfcx is not in the table"), "{outcome}");
}

tests_gpu::trials!(results_keep_cudas_bounds, results_out_of_bounds_are_found);
