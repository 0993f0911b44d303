//! The stages of a run that check: programs, several at a time, and the comparison of instruction forms.

use crate::report::Report;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tests_gpu::bundle::{CALIBRATION, Program};
use tests_gpu::results::{NO_TIME, ProgramResult};

/// What a program may take. The longest takes seconds on a GPU, and up to a minute on the SIMT device of a busy machine.
const PROGRAM_SECONDS: u32 = 120;
/// Programs that run at a time: loading compiles PTX on a processor.
const AT_A_TIME: usize = 8;
/// Runs all programs that there is time for.
pub fn programs(folder: &Path, programs: &[&Program], end: Instant, report: &Report) {
    each(programs, |program| {
        let left = end.saturating_duration_since(Instant::now()).as_secs();
        match left {
            0 => report.skip(&format!("{} with {}: {NO_TIME}", program.name, program.image)),
            _ => report.program(check(folder, program, PROGRAM_SECONDS.min(left as u32))),
        }
    });
}

/// Does so for all programs, several at a time.
pub fn each(programs: &[&Program], work: impl Fn(&Program) + Sync) {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(AT_A_TIME);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(program);
                }
            });
        }
    });
}

fn check(folder: &Path, program: &Program, seconds: u32) -> ProgramResult {
    let mut result = ProgramResult {
        name: program.name.clone(),
        image: program.image.clone(),
        failure: String::new(),
        launches: 0,
        seconds: 0.0,
    };
    let start = Instant::now();
    let (run, file) = program.run(folder);
    let outcome = run.within(seconds).of(&file);
    result.seconds = start.elapsed().as_secs_f64();
    let judge = || -> Result<()> {
        let outcome = outcome?.successful()?;
        result.launches = outcome.launches().len();
        if result.launches == 0 {
            bail!("launched no kernel\n{outcome}");
        }
        match &program.expected {
            Some(expected) if outcome.stdout != *expected => {
                bail!("printed\n{}instead of\n{expected}", outcome.stdout)
            }
            _ => Ok(()),
        }
    };
    if let Err(error) = judge() {
        result.failure = format!("{error:#}");
    }
    result
}

/// Compares instruction forms for so long; the last line of the report, and whether all are equal.
///
/// # Errors
/// The program cannot be started.
pub fn calibration(bundle: &Path, out: &Path, time: Duration) -> Result<(String, bool)> {
    let mut command = Command::new(bundle.join("bin/calibrate"));
    command.arg("--seconds").arg(time.as_secs().to_string()).arg(bundle.join(CALIBRATION)).arg(out);
    let output = command.output().context("cannot start calibrate")?;
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    let last = said.lines().last().unwrap_or("it says nothing").to_owned();
    Ok((last, output.status.success()))
}
