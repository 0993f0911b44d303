//! The results: each as a line when it comes, on standard output and in `results.txt`, and all of them as `results.json`.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tests_gpu::bundle::{BenchResult, ProgramResult, Results};

/// Results so far.
pub struct Report {
    inner: Mutex<Inner>,
}

struct Inner {
    results: Results,
    text: File,
    json: PathBuf,
}

impl Inner {
    /// Adds a line to the text.
    fn line(&mut self, line: &str) {
        println!("{line}");
        // A file that cannot be written to loses lines; standard output has them too.
        let _ = writeln!(self.text, "{line}");
    }

    /// Writes everything so far: whoever ends the run early still gets it.
    fn save(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.results)? + "\n";
        fs::write(&self.json, text).with_context(|| format!("cannot write {}", self.json.display()))
    }
}

impl Report {
    /// An empty report in the folder `out`.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn begin(commit: &str, out: &Path) -> Result<Self> {
        fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
        let text = out.join("results.txt");
        let text = File::create(&text).with_context(|| format!("cannot write {}", text.display()))?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let results = Results {
            commit: commit.to_owned(),
            unix_time: now.map_or(0, |time| time.as_secs()),
            ..Results::default()
        };
        let mut inner = Inner { results, text, json: out.join("results.json") };
        inner.line(&format!("commit {commit}  unix time {}", inner.results.unix_time));
        inner.save()?;
        Ok(Self { inner: Mutex::new(inner) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device, empty until a program has told it.
    pub fn device(&self) -> String {
        self.lock().results.device.clone()
    }

    /// A program has told the device.
    pub fn found_device(&self, name: &str) {
        let mut inner = self.lock();
        if inner.results.device.is_empty() {
            inner.results.device = name.to_owned();
            inner.line(&format!("device {name}"));
        }
    }

    /// Something is left out.
    pub fn skip(&self, what: &str) {
        let mut inner = self.lock();
        inner.line(&format!("skipped {what}"));
        inner.results.skipped.push(what.to_owned());
    }

    /// A program has run.
    pub fn program(&self, result: ProgramResult) {
        let mut inner = self.lock();
        inner.line(&program_line(&result));
        result.failure.lines().for_each(|text| inner.line(&format!("       {text}")));
        inner.results.programs.push(result);
        // Lost only if the folder has become unwritable; `finish` tells.
        let _ = inner.save();
    }

    /// The instruction forms have been compared: the last line of that report, and whether all are equal.
    pub fn calibration(&self, result: (String, bool)) {
        let mut inner = self.lock();
        inner.line(&format!("calibration: {}", result.0));
        inner.results.calibration = Some(result);
    }

    /// A piece of work has been timed.
    pub fn bench(&self, result: BenchResult) {
        let mut inner = self.lock();
        if inner.results.benches.is_empty() {
            inner.line(&format!(
                "\n{:10} {:6} {:>10} {:>14} {:>14} {:>14}",
                "work", "image", "elements", "median us", "min us", "max us"
            ));
        }
        inner.line(&bench_line(&result));
        inner.results.benches.push(result);
    }

    /// The summary; whether everything was run and right.
    ///
    /// # Errors
    /// The results cannot be written.
    pub fn finish(&self) -> Result<bool> {
        let mut inner = self.lock();
        let failed: Vec<String> =
            inner.results.programs.iter().filter(|p| !p.failure.is_empty()).map(program_line).collect();
        let benches = inner.results.benches.iter().filter(|b| !b.failure.is_empty()).count();
        let programs = inner.results.programs.len();
        let device = inner.results.device.clone();
        inner.line(&format!("\nsummary on {device}"));
        failed.iter().for_each(|line| inner.line(line));
        inner.line(&format!("programs: {} passed, {} failed", programs - failed.len(), failed.len()));
        let forms = inner.results.calibration.clone();
        inner
            .line(&format!("instruction forms: {}", forms.as_ref().map_or("not compared", |forms| &forms.0)));
        let timed = inner.results.benches.len() - benches;
        inner.line(&format!("benches: {timed} timed, {benches} failed"));
        for what in inner.results.skipped.clone() {
            inner.line(&format!("left out: {what}"));
        }
        // Cubins are left out where they cannot run; what there was no time for has not been shown to be right.
        let complete = inner.results.skipped.iter().all(|what| !what.ends_with("no time was left"));
        let right = programs > 0
            && complete
            && failed.is_empty()
            && benches == 0
            && forms.is_none_or(|(_, equal)| equal);
        inner.line(if right { "everything is right" } else { "NOT everything is right" });
        inner.save()?;
        Ok(right)
    }
}

fn program_line(result: &ProgramResult) -> String {
    let ProgramResult { name, image, failure, launches, seconds } = result;
    let verdict = if failure.is_empty() { "passed" } else { "FAILED" };
    format!("{verdict} {name:36} {image:6} {launches:6} launches {seconds:8.3} s")
}

fn bench_line(result: &BenchResult) -> String {
    let BenchResult { work, image, elements, seconds, failure, .. } = result;
    match (seconds.first(), seconds.get(seconds.len() / 2), seconds.last()) {
        (Some(min), Some(median), Some(max)) => {
            let [median, min, max] = [median, min, max].map(|seconds| seconds * 1e6);
            format!("{work:10} {image:6} {elements:10} {median:14.2} {min:14.2} {max:14.2}")
        }
        _ => format!("{work:10} {image:6} {elements:10} FAILED {failure}"),
    }
}
