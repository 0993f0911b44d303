//! The comparison of instruction forms that `cargo xtask gpu-bundle` carries, on the SIMT device in the place of a GPU.

use std::fs;
use std::process::Command;

/// All forms are equal but the one whose expected result was changed.
#[test]
fn a_changed_result_is_found_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("calibration"), folder.path().join("out"));
    let calibrate = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calibrate"));
        command.env("OMPTARGET_DEVICE", "simt");
        command
    };
    assert!(calibrate().arg("--expect").arg(&file).status().unwrap().success());
    let text = fs::read_to_string(&file).unwrap();
    let probes = text.lines().count();
    assert!(probes > 6000, "{probes} probes");
    let changed = text.lines().map(|line| match line.strip_prefix("cvt.rn.satfinite.e4m3x2.f32 ") {
        Some(rest) => format!("cvt.rn.satfinite.e4m3x2.f32 {}f\n", &rest[..rest.len() - 1]),
        None => format!("{line}\n"),
    });
    fs::write(&file, changed.collect::<String>()).unwrap();
    let run = calibrate().arg(&file).arg(&out).output().unwrap();
    let report = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(1), "{report}");
    assert!(
        report.contains(&format!("{probes} probes: {} equal, 1 differ, 0 not for this device", probes - 1)),
        "{report}"
    );
    let differing: Vec<_> = report.lines().filter(|line| line.contains("instead of")).collect();
    assert!(matches!(differing[..], [line] if line.starts_with("cvt.rn.satfinite.e4m3x2.f32 ")), "{report}");
    assert_eq!(fs::read_to_string(out.join("calibration.txt")).unwrap(), report);
}
