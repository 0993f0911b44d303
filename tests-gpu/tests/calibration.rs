//! The instruction forms that `cargo xtask gpu-bundle` carries: what the GPU computes is what the SIMT device does, where
//! nothing is approximated; and the comparison itself, on the SIMT device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

fn calibrate() -> Command {
    Command::new(env!("CARGO_BIN_EXE_calibrate"))
}

/// The file with what the SIMT device computes.
static EXPECTED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calibration");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("expected");
    assert!(calibrate().arg("--expect").arg(&file).status().unwrap().success());
    file
});

/// What `command`, a comparison with `file`, says, and its exit status.
fn compared(command: &mut Command, file: &Path) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let Output { stdout, stderr, status } = command.arg(file).arg(folder.path()).output().unwrap();
    let report = String::from_utf8(stdout).unwrap();
    let written = fs::read_to_string(folder.path().join("calibration.txt"));
    assert!(written.is_ok_and(|text| text == report), "{report}{}", String::from_utf8_lossy(&stderr));
    (report, status.code())
}

/// Whether a line of the report is about a form that approximates: it tells threads, and units in the last place.
fn approximates(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().map(|word| word.parse::<u64>().is_ok()).collect();
    words.windows(2).any(|pair| pair == [true, true])
}

fn forms_that_do_not_approximate_are_equal() {
    let (report, _) = compared(&mut calibrate(), &EXPECTED);
    // Two lines of heading, and the sum.
    let lines: Vec<_> = report.lines().collect();
    let (sum, lines) = lines[2..].split_last().expect("a sum");
    let wrong: Vec<_> = lines.iter().filter(|line| !approximates(line)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let equal = sum.split(' ').zip(sum.split(' ').skip(1)).find(|(_, word)| word.starts_with("equal"));
    assert!(equal.and_then(|(count, _)| count.parse().ok()).is_some_and(|count: u32| count > 5000), "{sum}");
}

/// All forms are equal but the one whose expected result was changed.
fn a_changed_result_is_found_and_nothing_else() {
    let text = fs::read_to_string(&*EXPECTED).unwrap();
    let probes = text.lines().count();
    assert!(probes > 6000, "{probes} probes");
    let changed = text.lines().map(|line| match line.strip_prefix("cvt.rn.satfinite.e4m3x2.f32 ") {
        Some(rest) => format!("cvt.rn.satfinite.e4m3x2.f32 {}f\n", &rest[..rest.len() - 1]),
        None => format!("{line}\n"),
    });
    let file = EXPECTED.with_file_name("changed");
    fs::write(&file, changed.collect::<String>()).unwrap();
    let (report, status) = compared(calibrate().env("OMPTARGET_DEVICE", "simt"), &file);
    assert_eq!(status, Some(1), "{report}");
    assert!(
        report.contains(&format!("{probes} probes: {} equal, 1 differ, 0 not for this device", probes - 1)),
        "{report}"
    );
    let differing: Vec<_> = report.lines().filter(|line| line.contains("instead of")).collect();
    assert!(matches!(differing[..], [line] if line.starts_with("cvt.rn.satfinite.e4m3x2.f32 ")), "{report}");
    assert!(!approximates(differing[0]) && approximates("ex2.approx.f32 17 2  thread 0"), "{report}");
}

tests_gpu::trials!(forms_that_do_not_approximate_are_equal, a_changed_result_is_found_and_nothing_else);
