//! Runs a bundle on the machine it was carried to: checks every program, times every case, writes the results.
//!
//! Needs nothing but a driver: no compiler, no cargo. `run.sh` of the bundle starts it.

use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant, SystemTime};
use tests_gpu::bundle::{Bench, BenchResult, MANIFEST, Manifest, Program, ProgramResult, Results};
use tests_gpu::launch;

/// A program that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);
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
    let manifest = bundle.join(MANIFEST);
    let text =
        fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let manifest: Manifest =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", manifest.display()))?;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;

    let mut device = String::new();
    let unix_time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let programs: Vec<_> =
        manifest.programs.iter().map(|p| check(bundle, p, &mut device)).collect::<Result<_>>()?;
    let benches: Vec<_> = manifest.benches.iter().map(|b| time(bundle, b)).collect::<Result<_>>()?;
    let results = Results { commit: manifest.commit, unix_time, device, programs, benches };

    let report = readable(&results);
    print!("{report}");
    for (name, contents) in
        [("results.json", serde_json::to_string_pretty(&results)? + "\n"), ("results.txt", report)]
    {
        fs::write(out.join(name), contents)
            .with_context(|| format!("cannot write {}", out.join(name).display()))?;
    }
    Ok(results.programs.iter().all(|p| p.failure.is_empty())
        && results.benches.iter().all(|b| b.failure.is_empty()))
}

fn check(bundle: &Path, program: &Program, device: &mut String) -> Result<ProgramResult> {
    let start = Instant::now();
    let finished =
        execute(Command::new(bundle.join(&program.file)).env("LIBOMPTARGET_INFO", launch::LAUNCH_INFO))?;
    let seconds = start.elapsed().as_secs_f64();
    if let (true, Some(name)) = (device.is_empty(), launch::device(&finished.stderr)) {
        *device = name;
    }
    let launches = launch::launches(&finished.stderr).len();
    let failure = match finished {
        Finished { code: None, .. } => format!("no end after {} s, or killed", PATIENCE.as_secs()),
        Finished { code: Some(code), stderr, stdout } if code != 0 => {
            format!("exit code {code}\n{stdout}{}", without_info(&stderr))
        }
        Finished { stdout, .. } if stdout != program.expected => {
            format!("printed\n{stdout}instead of\n{}", program.expected)
        }
        _ if launches == 0 => "launched no kernel".to_owned(),
        _ => String::new(),
    };
    Ok(ProgramResult { name: program.name.clone(), image: program.image.clone(), failure, launches, seconds })
}

fn time(bundle: &Path, bench: &Bench) -> Result<BenchResult> {
    let mut result = BenchResult {
        case: bench.case.clone(),
        image: bench.image.clone(),
        elements: bench.elements,
        iterations: 1,
        seconds: Vec::new(),
        failure: String::new(),
    };
    let sample = |iterations: u64| -> Result<std::result::Result<f64, String>> {
        let mut command = Command::new(bundle.join(&bench.file));
        let finished =
            execute(command.arg(&bench.case).arg(iterations.to_string()).arg(bench.elements.to_string()))?;
        Ok(match (finished.code, finished.stdout.trim().parse()) {
            (Some(0), Ok(seconds)) => Ok(seconds),
            (code, _) => Err(format!("exit code {code:?}\n{}{}", finished.stdout, finished.stderr)),
        })
    };
    while result.seconds.len() < SAMPLES {
        match sample(result.iterations)? {
            Err(failure) => {
                result.failure = failure;
                return Ok(result);
            }
            Ok(seconds) if seconds < SAMPLE_SECONDS && result.seconds.is_empty() => {
                let factor = (1.5 * SAMPLE_SECONDS / seconds.max(1e-9)).clamp(2.0, 1000.0);
                result.iterations = (result.iterations as f64 * factor).ceil() as u64;
            }
            Ok(seconds) => result.seconds.push(seconds / result.iterations as f64),
        }
    }
    result.seconds.sort_by(f64::total_cmp);
    Ok(result)
}

struct Finished {
    /// `None` if it was killed.
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs a program on the device, with its output in files, so that a full pipe cannot stop it.
fn execute(command: &mut Command) -> Result<Finished> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let path = |name| folder.path().join(name);
    let file =
        |name| File::create(path(name)).with_context(|| format!("cannot write {}", path(name).display()));
    command.env("OMP_TARGET_OFFLOAD", "MANDATORY").stdout(file("stdout")?).stderr(file("stderr")?);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            break status.code();
        }
        if start.elapsed() > PATIENCE {
            child.kill().context("cannot end the program")?;
            child.wait().context("cannot wait for the program")?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let read = |name| fs::read(path(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Finished { code, stdout: read("stdout")?, stderr: read("stderr")? })
}

fn without_info(stderr: &str) -> String {
    stderr.lines().filter(|line| !line.contains(" info: ")).map(|line| format!("{line}\n")).collect()
}

fn readable(results: &Results) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    let mut line = |arguments: std::fmt::Arguments| {
        let _ = writeln!(text, "{arguments}");
    };
    line(format_args!("commit {}  unix time {}", results.commit, results.unix_time));
    line(format_args!("device {}\n", results.device));
    for program in &results.programs {
        let verdict = if program.failure.is_empty() { "passed" } else { "FAILED" };
        let ProgramResult { name, image, launches, seconds, .. } = program;
        line(format_args!("{verdict} {name:28} {image:6} {launches:6} launches {seconds:8.3} s"));
        program.failure.lines().for_each(|text| line(format_args!("       {text}")));
    }
    line(format_args!(
        "\n{:10} {:6} {:>10} {:>14} {:>14} {:>14}",
        "case", "image", "elements", "median us", "min us", "max us"
    ));
    for bench in &results.benches {
        let BenchResult { case, image, elements, seconds, failure, .. } = bench;
        match (bench.median(), seconds.first(), seconds.last()) {
            (Some(median), Some(min), Some(max)) => line(format_args!(
                "{case:10} {image:6} {elements:10} {:14.2} {:14.2} {:14.2}",
                median * 1e6,
                min * 1e6,
                max * 1e6
            )),
            _ => line(format_args!("{case:10} {image:6} {elements:10} FAILED {failure}")),
        }
    }
    let passed = results.programs.iter().filter(|p| p.failure.is_empty()).count();
    line(format_args!("\n{passed} passed, {} failed", results.programs.len() - passed));
    text
}
