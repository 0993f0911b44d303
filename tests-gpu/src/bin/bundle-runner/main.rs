//! Runs a bundle on the machine it was carried to: checks every program, compares instruction forms, times every piece of
//! work, and writes the results as they come.
//!
//! Needs nothing but a driver: no compiler, no cargo. `run.sh` of the bundle starts it.

mod report;
mod stage;

use anyhow::{Context, Result, bail};
use report::Report;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tests_gpu::bench::WORK;
use tests_gpu::bundle::{CALIBRATION, COMMIT, IMAGES, PROGRAMS, Program};

/// How the name of the embedded device begins, in-process and as stand-in for the driver.
const SIMT: &str = "SIMT device";
/// Seconds for everything, unless `BUNDLE_SECONDS` says otherwise: a machine with a GPU may be lent for ten minutes.
const SECONDS: u64 = 510;
/// Part of them that the comparison of instruction forms may take.
const CALIBRATION_PART: f64 = 0.5;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bundle-runner: error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// `bundle-runner BUNDLE OUT`; whether everything was run and right.
fn run() -> Result<bool> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [bundle, out] = arguments.as_slice() else { bail!("usage: bundle-runner BUNDLE-FOLDER OUT-FOLDER") };
    let seconds = match std::env::var("BUNDLE_SECONDS") {
        Ok(text) => text.parse().with_context(|| format!("BUNDLE_SECONDS={text} is no number of seconds"))?,
        Err(_) => SECONDS,
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    let report = Report::begin(read(&bundle.join(COMMIT))?.trim(), out)?;
    let programs: Vec<Program> = serde_json::from_str(&read(&bundle.join(PROGRAMS))?)
        .with_context(|| format!("{PROGRAMS} is not understood"))?;

    for image in IMAGES {
        let folder = bundle.join(image);
        let of_image: Vec<&Program> = programs.iter().filter(|program| program.image == image).collect();
        if of_image.is_empty() {
            continue;
        }
        // the first kind, PTX, runs on every device and tells which one it is
        if image == "cubin" && report.device().starts_with(SIMT) {
            report.skip("cubin: the SIMT device runs PTX, not machine code");
            continue;
        }
        stage::programs(&folder, &of_image, end, &report);
        if image == "ptx" && bundle.join(CALIBRATION).is_file() {
            let part = end.saturating_duration_since(Instant::now()).mul_f64(CALIBRATION_PART);
            report.calibration(stage::calibration(bundle, out, part)?);
        }
        for work in &WORK {
            match Instant::now() < end {
                true => report.bench(stage::time(&folder, image, work)),
                false => report.skip(&format!("bench {} with {image}: no time was left", work.name)),
            }
        }
    }
    report.finish()
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
