//! The checkers of the SIMT device on OpenMP programs: they find what is planted in `kernels/bad/checks.c`, at its line,
//! and say nothing about the same without the mistake. (That they say nothing about other right programs is shown by
//! `programs.rs`.)

use std::path::{Path, PathBuf};
use tests_gpu::{Case, Route, Run, program};

/// Exit status of a program that ended well, with findings.
const FINDINGS: i32 = 66;

fn built(
    source: &'static str,
    variant: &'static str,
    options: &'static [&'static [&'static str]],
) -> PathBuf {
    let case = Case::new(source, Route::Omptarget, variant, options);
    program(&case).unwrap_or_else(|e| panic!("{e:#}"))
}

/// Exit status and standard error of a run with all checkers.
fn checked(program: &Path, arguments: &[&str], json: Option<&Path>) -> (Option<i32>, String) {
    let mut run = Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_CHECK", "all");
    if let Some(json) = json {
        run = run.with("OMPTARGET_SIMT_CHECK_JSON", json.display());
    }
    for argument in arguments {
        run = run.argument(argument);
    }
    let outcome = run.of(program).unwrap_or_else(|e| panic!("{e:#}"));
    (outcome.status.code(), outcome.stderr)
}

/// Mistakes: the program's argument, the checker, and what stands in the line that it must name.
const PLANTED: &[(&str, &str, &str)] = &[
    ("sum", "race", "// race: no atomic"),
    ("loops", "race", "// race: no barrier"),
    ("flag", "race", "// race: no flush"),
    ("teams", "race", "// race: teams"),
    ("heap", "uninit", "// uninit: nobody has copied it"),
    ("private", "uninit", "// uninit: no digit 0"),
    ("memory", "leak", "// leak"),
];

fn found_at_its_line(program: &Path, (name, check, mark): (&str, &str, &str)) {
    let source = include_str!("../../kernels/bad/checks.c");
    let line = 1 + source.lines().position(|line| line.contains(mark)).expect("the line");
    let (status, said) = checked(program, &[name], None);
    assert_eq!(status, Some(FINDINGS), "{name}\n{said}");
    assert!(said.contains(&format!("check {check}: ")), "{name}\n{said}");
    assert!(said.contains(&format!("checks.c:{line}:")), "{name}: line {line}\n{said}");
    let (status, said) = checked(program, &[name, "right"], None);
    assert_eq!(status, Some(0), "{name} right\n{said}");
}

#[test]
fn planted_mistakes_are_found_at_their_lines() {
    let program = built("bad/checks.c", "checks-O2", &[&["-O2", "-g"]]);
    for planted in PLANTED {
        found_at_its_line(&program, *planted);
    }
}

/// Not optimised, the variable is in the device runtime's pool; it is the program's all the same.
#[test]
fn variables_of_serial_code_are_not_the_runtimes() {
    let program = built("bad/checks.c", "checks-O0", &[&["-O0", "-g"]]);
    found_at_its_line(&program, ("serial", "race", "// race: a variable of serial code"));
}

#[test]
fn tools_get_lines_of_json() {
    let program = built("bad/checks.c", "checks-O2", &[&["-O2", "-g"]]);
    let file = std::env::temp_dir().join(format!("omptarget-checks-{}.json", std::process::id()));
    let (status, said) = checked(&program, &["sum"], Some(&file));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{e}\n{said}"));
    std::fs::remove_file(&file).expect("the file can be removed");
    assert_eq!(status, Some(FINDINGS), "{said}");
    let line = text.lines().next().expect("a finding");
    assert!(line.contains(r#""check":"race""#) && line.contains(r#"bad/checks.c","line":"#), "{line}");
}
