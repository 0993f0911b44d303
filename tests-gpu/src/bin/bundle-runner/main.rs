//! Runs a bundle on the machine it was carried to: checks every program, measures, compares, and writes the results as they
//! come.
//!
//! Needs nothing but a driver: no compiler, no cargo. `run.sh` of the bundle starts it.

mod measure;
mod report;
mod sanitize;
mod stage;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use report::Report;
use std::fs;
use std::iter::repeat_n;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tests_gpu::bundle::{CALIBRATION, COMMIT, LEFT_OUT, PROGRAMS, Program, is_chosen};
use tests_gpu::driver::Device;
use tests_gpu::results::NO_TIME;

/// Runs what a bundle holds.
#[derive(Parser)]
struct Arguments {
    /// The unpacked bundle.
    bundle: PathBuf,
    /// The folder of the results.
    out: PathBuf,
    /// What to run.
    #[arg(value_enum, default_value = "all")]
    mode: Mode,
    /// About so many seconds for it: a machine with a GPU may be lent for ten minutes.
    #[arg(long, env = "BUNDLE_SECONDS", default_value_t = 510)]
    seconds: u64,
    /// Of the test programs only those with one of these in their names: NAME,NAME.
    #[arg(long, env = "BUNDLE_ONLY")]
    only: Option<String>,
    /// Each test program so many times in a row, for what goes wrong now and then.
    #[arg(long, env = "BUNDLE_TIMES", default_value_t = 1)]
    times: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Mode {
    /// Each test program prints on the device what it prints on the host.
    Tests,
    /// The benches of device code and of the host runtime.
    Bench,
    /// Whole programs in CUDA, with LLVM's device runtime, with ours, and with the passes.
    Compare,
    /// All test programs under the tools of compute-sanitizer.
    Sanitize,
    /// Each instruction form gives what the embedded device computes.
    Calibrate,
    /// All of that, the most valuable first.
    All,
}

/// The stages of `all`, each with the part of the time that has passed when it ends at the latest. What a stage had no time
/// for gets what others leave.
const STAGES: [(Mode, Step, f64); 8] = [
    (Mode::Bench, Step::Bench, 0.35),
    (Mode::Compare, Step::Compare, 0.6),
    (Mode::Calibrate, Step::Calibrate, 0.7),
    (Mode::Tests, Step::Ptx, 0.85),
    (Mode::All, Step::Rest, 0.9),
    (Mode::Tests, Step::Cubin, 0.96),
    (Mode::Sanitize, Step::Sanitize, 1.0),
    (Mode::All, Step::Rest, 1.0),
];

#[derive(Clone, Copy)]
enum Step {
    Ptx,
    Cubin,
    Bench,
    Compare,
    Calibrate,
    Sanitize,
    /// What the stages before had no time for.
    Rest,
}

fn main() -> ExitCode {
    if let Some(ended) = tests_gpu::device_bench::as_rust_bench() {
        return ExitCode::from(ended);
    }
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bundle-runner: error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything was run and right.
fn run(arguments: &Arguments) -> Result<bool> {
    let Arguments { bundle, out, mode, seconds, only, times } = arguments;
    let device = Device::open().context("there is no device")?;
    let report = Report::begin(read(&bundle.join(COMMIT))?.trim(), &command(*mode), &device, out)?;
    let programs: Vec<Program> = serde_json::from_str(&read(&bundle.join(PROGRAMS))?)
        .with_context(|| format!("{PROGRAMS} is not understood"))?;
    let left_out: Vec<String> = serde_json::from_str(&read(&bundle.join(LEFT_OUT))?)
        .with_context(|| format!("{LEFT_OUT} is not understood"))?;
    left_out.iter().for_each(|what| report.skip(what));
    let of_image = |image| {
        let chosen = programs
            .iter()
            .filter(|program| program.image == image && is_chosen(&program.name, only.as_deref()));
        chosen.flat_map(|program| repeat_n(program, *times)).collect::<Vec<_>>()
    };
    // In their order; programs first.
    let (mut programs_left, mut measures_left) = (Vec::new(), Vec::new());
    let seconds_each = stage::seconds_each(device.is_simt());
    let check = |programs, end| stage::programs(bundle, programs, seconds_each, end, &report);
    let start = Instant::now();
    for (part_of, step, until) in STAGES {
        if *mode != Mode::All && *mode != part_of {
            continue;
        }
        let until = if *mode == Mode::All { until } else { 1.0 };
        let end = start + Duration::from_secs(*seconds).mul_f64(until);
        match step {
            Step::Ptx => programs_left.extend(check(of_image("ptx"), end)),
            Step::Cubin if device.is_simt() => {
                report.skip("cubin: the SIMT device runs PTX, not machine code");
            }
            Step::Cubin => programs_left.extend(check(of_image("cubin"), end)),
            Step::Bench => {
                let jobs = measure::benches(bundle, device.is_simt(), &report)?;
                measures_left.extend(stage::measure(jobs, end));
            }
            Step::Compare => {
                let jobs = measure::whole_programs(bundle, device.is_simt(), &report);
                measures_left.extend(stage::measure(jobs, end));
            }
            Step::Rest => {
                programs_left = check(programs_left, end);
                measures_left = stage::measure(measures_left, end);
            }
            Step::Calibrate if bundle.join(CALIBRATION).is_file() => {
                let left = end.saturating_duration_since(Instant::now());
                report.calibration(stage::calibration(bundle, out, left)?);
            }
            Step::Calibrate => report.skip("instruction forms: the bundle was made without them"),
            Step::Sanitize => sanitize::programs(&bundle.join("ptx"), &of_image("ptx"), end, &report),
        }
    }
    for program in programs_left {
        report.skip(&format!("{} with {}: {NO_TIME}", program.name, program.image));
    }
    measures_left.iter().for_each(|job| report.skip(&format!("{}: {NO_TIME}", job.what)));
    report.finish()
}

/// The command that a user gave, for the results.
fn command(mode: Mode) -> String {
    let name = mode.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let set = |variable| {
        std::env::var(variable).map_or_else(|_| String::new(), |value| format!("{variable}={value} "))
    };
    let variables = ["OMPTARGET_DEVICE", "BUNDLE_SECONDS", "BUNDLE_ONLY", "BUNDLE_TIMES"].map(set).concat();
    format!("{variables}./run.sh {name}")
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_tells_all_modes_and_no_others() {
        let usage = tests_gpu::bundle::RUN.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let told: Vec<&str> = usage.unwrap().0.split('|').collect();
        let modes =
            Mode::value_variants().iter().map(|mode| mode.to_possible_value().unwrap().get_name().to_owned());
        assert_eq!(told, modes.collect::<Vec<_>>());
    }

    #[test]
    fn each_mode_has_a_stage() {
        for mode in Mode::value_variants() {
            assert!(STAGES.iter().any(|(part_of, ..)| part_of == mode), "{mode:?}");
        }
        assert!(STAGES.is_sorted_by_key(|(_, _, until)| *until) && STAGES[STAGES.len() - 1].2 == 1.0);
    }
}
