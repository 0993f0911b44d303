//! The stages of a run that check: programs, several at a time, and the comparison of instruction forms.

use crate::report::Report;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tests_gpu::bundle::{CALIBRATION, Program};
use tests_gpu::results::ProgramResult;

/// What a program may take. The longest takes up to a minute on the SIMT device of a busy machine.
const SIMT_SECONDS: u64 = 120;
/// The same on a GPU, where the longest takes seconds, most of them the driver's compiler's: a GPU is lent for minutes, and
/// what hangs there costs the programs beside it time too.
const GPU_SECONDS: u64 = 40;
/// Programs that run at a time: loading compiles PTX on a processor.
const AT_A_TIME: usize = 8;

/// What the host runtime says of a device without `requires unified_shared_memory`: the program is not for it.
const NOT_REACHED: &str = "cannot reach the memory of the program";

/// What a program may take on such a device.
pub fn seconds_each(is_simt: bool) -> u64 {
    if is_simt { SIMT_SECONDS } else { GPU_SECONDS }
}

/// Runs the programs that there is time for, each in so many seconds; the others, in their order.
pub fn programs<'a>(
    bundle: &Path,
    programs: Vec<&'a Program>,
    seconds_each: u64,
    end: Instant,
    report: &Report,
) -> Vec<&'a Program> {
    let late = Mutex::new(HashSet::new());
    each(&programs, |program| {
        let left = end.saturating_duration_since(Instant::now()).as_secs().min(seconds_each) as u32;
        let result = (left > 0).then(|| check(&bundle.join(&program.image), program, left));
        match result {
            Some(result) if result.failure.contains(NOT_REACHED) => {
                report.skip(&format!("{} with {}: the device {NOT_REACHED}", result.name, result.image));
            }
            Some(result) if !is_cut(&result, left, seconds_each) => report.program(result),
            _ => {
                late.lock().unwrap_or_else(PoisonError::into_inner).insert((&program.name, &program.image));
            }
        }
    });
    let late = late.lock().unwrap_or_else(PoisonError::into_inner);
    programs.iter().copied().filter(|program| late.contains(&(&program.name, &program.image))).collect()
}

/// Whether a program that got fewer `seconds` than a program may take was ended for that: it has failed in nothing.
fn is_cut(result: &ProgramResult, seconds: u32, seconds_each: u64) -> bool {
    !result.failure.is_empty() && u64::from(seconds) < seconds_each && result.seconds >= f64::from(seconds)
}

/// One thing to measure.
pub struct Job<'a> {
    /// In words.
    pub what: String,
    /// Measures, in as many seconds, and reports.
    pub run: Box<dyn FnOnce(u32) + 'a>,
}

impl<'a> Job<'a> {
    /// One in these words.
    pub fn new(what: String, run: impl FnOnce(u32) + 'a) -> Self {
        Self { what, run: Box::new(run) }
    }
}

/// Measures what there is time for, one at a time; the others.
pub fn measure(jobs: Vec<Job>, end: Instant) -> Vec<Job> {
    let mut jobs = jobs.into_iter();
    loop {
        let left = end.saturating_duration_since(Instant::now()).as_secs() as u32;
        if left == 0 {
            return jobs.collect();
        }
        let Some(job) = jobs.next() else { return Vec::new() };
        (job.run)(left);
    }
}

/// Does so for all programs, several at a time.
pub fn each<'a>(programs: &[&'a Program], work: impl Fn(&'a Program) + Sync) {
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
        if result.launches == 0 && !program.no_launch {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_program_that_the_end_of_its_stage_cuts_has_not_failed() {
        let after = |seconds, failure: &str| ProgramResult {
            name: "cg".into(),
            image: "ptx".into(),
            failure: failure.into(),
            launches: 0,
            seconds,
        };
        assert!(is_cut(&after(5.01, "did not end within 5 s"), 5, 40));
        assert!(!is_cut(&after(5.01, ""), 5, 40), "it came to its end");
        assert!(!is_cut(&after(0.1, "printed 1"), 5, 40), "it was wrong before");
        assert!(!is_cut(&after(40.1, "did not end within 40 s"), 40, 40), "it had all the time");
        assert!(is_cut(&after(40.1, "did not end within 40 s"), 40, seconds_each(true)));
    }

    #[test]
    fn what_there_is_no_time_for_is_left_and_done_later() {
        let done = RefCell::new(Vec::new());
        let job = |number: u32| Job::new(format!("job {number}"), move |_| ());
        let left = measure(vec![job(1), job(2)], Instant::now());
        assert_eq!(left.iter().map(|job| job.what.as_str()).collect::<Vec<_>>(), ["job 1", "job 2"]);
        let jobs = [1, 2].map(|number| {
            let done = &done;
            Job::new(String::new(), move |seconds| done.borrow_mut().push((number, seconds > 0)))
        });
        assert!(measure(jobs.into(), Instant::now() + Duration::from_secs(60)).is_empty());
        assert_eq!(done.into_inner(), [(1, true), (2, true)]);
    }
}
