//! Runs a bundle on the machine it was carried to: checks every program, times every piece of work, writes the results.
//!
//! Needs nothing but a driver: no compiler, no cargo. `run.sh` of the bundle starts it.

use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime};
use tests_gpu::bench::{self, BENCH, WORK, Work};
use tests_gpu::bundle::{BenchResult, COMMIT, IMAGES, ProgramResult, Results};
use tests_gpu::{Case, Run, bundle as contents, launch};

/// How the runtime's name of the embedded device ends.
const SIMT: &str = ", simt)";
/// Samples of each bench.
const SAMPLES: usize = 7;
/// A sample takes at least so long, so that the clock's resolution does not matter.
const SAMPLE_SECONDS: f64 = 0.1;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bundle-runner: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `bundle-runner BUNDLE OUT`; whether everything was right.
fn run() -> Result<bool> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [bundle, out] = arguments.as_slice() else { bail!("usage: bundle-runner BUNDLE-FOLDER OUT-FOLDER") };
    let commit = bundle.join(COMMIT);
    let commit = fs::read_to_string(&commit).with_context(|| format!("cannot read {}", commit.display()))?;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;

    let unix_time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let commit = commit.trim().to_owned();
    let mut results = Results {
        commit,
        unix_time,
        device: String::new(),
        skipped: vec![],
        programs: vec![],
        benches: vec![],
    };
    for image in IMAGES.into_iter().filter(|image| bundle.join(image).is_dir()) {
        // the first kind, PTX, runs on every device and tells which one it is
        if image == "cubin" && results.device.ends_with(SIMT) {
            results.skipped.push("cubin: the SIMT device runs PTX, not machine code");
            continue;
        }
        let folder = bundle.join(image);
        results
            .programs
            .extend(contents::cases(image).map(|case| check(&folder, image, case, &mut results.device)));
        results.benches.extend(WORK.iter().map(|work| time(&folder, image, work)));
    }

    let report = readable(&results);
    print!("{report}");
    for (name, contents) in
        [("results.json", serde_json::to_string_pretty(&results)? + "\n"), ("results.txt", report)]
    {
        fs::write(out.join(name), contents)
            .with_context(|| format!("cannot write {}", out.join(name).display()))?;
    }
    let right = |failure: &String| failure.is_empty();
    Ok(!results.programs.is_empty()
        && results.programs.iter().all(|p| right(&p.failure))
        && results.benches.iter().all(|b| right(&b.failure)))
}

fn check(folder: &Path, image: &'static str, case: &Case, device: &mut String) -> ProgramResult {
    let mut result =
        ProgramResult { name: case.name(), image, failure: String::new(), launches: 0, seconds: 0.0 };
    let mut attempt = || -> Result<()> {
        let program = folder.join(case.name());
        let host = case.host_run().of(&program)?.successful()?;
        let start = Instant::now();
        let outcome = Run::on_device().of(&program)?.successful()?;
        result.seconds = start.elapsed().as_secs_f64();
        result.launches = outcome.launches().len();
        if let (true, Some(name)) = (device.is_empty(), launch::device(&outcome.stderr)) {
            *device = name;
        }
        if result.launches == 0 {
            bail!("launched no kernel");
        }
        if outcome.stdout != host.stdout {
            bail!("printed\n{}instead of\n{}", outcome.stdout, host.stdout);
        }
        Ok(())
    };
    if let Err(error) = attempt() {
        result.failure = format!("{error:#}");
    }
    result
}

fn time(folder: &Path, image: &'static str, work: &Work) -> BenchResult {
    let mut iterations = 1;
    let mut seconds = Vec::new();
    let mut failure = String::new();
    while seconds.len() < SAMPLES && failure.is_empty() {
        match bench::time(&folder.join(BENCH.name()), work, iterations) {
            Err(error) => failure = format!("{error:#}"),
            Ok(sample) if sample < SAMPLE_SECONDS && seconds.is_empty() => {
                let factor = (1.5 * SAMPLE_SECONDS / sample.max(1e-9)).clamp(2.0, 1000.0);
                iterations = (iterations as f64 * factor).ceil() as u64;
            }
            Ok(sample) => seconds.push(sample / iterations as f64),
        }
    }
    seconds.sort_by(f64::total_cmp);
    BenchResult { work: work.name, image, elements: work.elements, iterations, seconds, failure }
}

fn readable(results: &Results) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    let mut line = |arguments: std::fmt::Arguments| {
        let _ = writeln!(text, "{arguments}");
    };
    line(format_args!("commit {}  unix time {}", results.commit, results.unix_time));
    line(format_args!("device {}\n", results.device));
    results.skipped.iter().for_each(|what| line(format_args!("skipped {what}")));
    for ProgramResult { name, image, failure, launches, seconds } in &results.programs {
        let verdict = if failure.is_empty() { "passed" } else { "FAILED" };
        line(format_args!("{verdict} {name:36} {image:6} {launches:6} launches {seconds:8.3} s"));
        failure.lines().for_each(|text| line(format_args!("       {text}")));
    }
    line(format_args!(
        "\n{:10} {:6} {:>10} {:>14} {:>14} {:>14}",
        "work", "image", "elements", "median us", "min us", "max us"
    ));
    for BenchResult { work, image, elements, seconds, failure, .. } in &results.benches {
        match (seconds.first(), seconds.get(seconds.len() / 2), seconds.last()) {
            (Some(min), Some(median), Some(max)) => {
                let us = |seconds: &f64| seconds * 1e6;
                let (min, median, max) = (us(min), us(median), us(max));
                line(format_args!("{work:10} {image:6} {elements:10} {median:14.2} {min:14.2} {max:14.2}"));
            }
            _ => line(format_args!("{work:10} {image:6} {elements:10} FAILED {failure}")),
        }
    }
    let passed = results.programs.iter().filter(|p| p.failure.is_empty()).count();
    line(format_args!("\n{passed} passed, {} failed", results.programs.len() - passed));
    text
}
