//! The results: each as a line when it comes, on standard output and in `results.txt`, and all of them as `results.json` and
//! as a page.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tests_gpu::driver::Device;
use tests_gpu::figures::{Figure, Variant};
use tests_gpu::performance;
use tests_gpu::results::{self, Failure, ProgramResult, Results};

/// Results so far.
pub struct Report {
    inner: Mutex<Inner>,
}

struct Inner {
    results: Results,
    text: File,
    out: PathBuf,
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
        let file = self.out.join(results::FILE);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    }
}

impl Report {
    /// An empty report in the folder `out`.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn begin(commit: &str, command: &str, device: &Device, out: &Path) -> Result<Self> {
        fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
        let text = out.join("results.txt");
        let text = File::create(&text).with_context(|| format!("cannot write {}", text.display()))?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let results = Results {
            commit: commit.to_owned(),
            unix_time: now.map_or(0, |time| time.as_secs()),
            command: command.to_owned(),
            device: device.line(),
            simt: device.is_simt(),
            ..Results::default()
        };
        let mut inner = Inner { results, text, out: out.to_path_buf() };
        let head = &inner.results;
        let head =
            format!("commit {commit}  unix time {}\n{command}\ndevice {}", head.unix_time, head.device);
        inner.line(&head);
        inner.save()?;
        Ok(Self { inner: Mutex::new(inner) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to the results, and saves them. That is lost only if the folder has become unwritable; `finish` tells.
    fn add(&self, line: &str, add: impl FnOnce(&mut Results)) {
        let mut inner = self.lock();
        inner.line(line);
        add(&mut inner.results);
        let _ = inner.save();
    }

    /// Something is left out.
    pub fn skip(&self, what: &str) {
        self.add(&format!("skipped {what}"), |results| results.skipped.push(what.to_owned()));
    }

    /// A program has run.
    pub fn program(&self, result: ProgramResult) {
        let mut text = program_line(&result);
        result.failure.lines().for_each(|line| text += &format!("\n       {line}"));
        self.add(&text, |results| results.programs.push(result));
    }

    /// The instruction forms have been compared: the last line of that report, and whether all are equal.
    pub fn calibration(&self, result: (String, bool)) {
        self.add(&format!("calibration: {}", result.0), |results| results.calibration = Some(result));
    }

    /// Something has been measured.
    pub fn figures(&self, figures: Vec<Figure>) {
        for figure in figures {
            let line = figure_line(&figure);
            self.add(&line, |results| results.figures.push(figure));
        }
    }

    /// Something is wrong.
    pub fn failure(&self, stage: &str, what: &str, variant: Variant, text: &str) {
        let (stage, what, text) = (stage.to_owned(), what.to_owned(), text.to_owned());
        let failure = Failure { stage, what, variant, text };
        self.add(&failure_lines(&failure), |results| results.failures.push(failure));
    }

    /// So many programs passed a tool.
    pub fn sanitized(&self, tool: &str, programs: usize) {
        let line = format!("{tool}: nothing found in {programs} programs");
        self.add(&line, |results| results.sanitized.push((tool.to_owned(), programs)));
    }

    /// The summary and the page; whether everything was run and right.
    ///
    /// # Errors
    /// The results cannot be written.
    pub fn finish(&self) -> Result<bool> {
        let mut inner = self.lock();
        let results = inner.results.clone();
        let page = inner.out.join("results.html");
        fs::write(&page, performance::page(&results, &performance::Causes::default())?)
            .with_context(|| format!("cannot write {}", page.display()))?;
        inner.line(&format!("\nsummary on {}", results.device));
        results.failed().for_each(|program| inner.line(&program_line(program)));
        let failed = results.failed().count();
        inner.line(&format!("programs: {} passed, {failed} failed", results.programs.len() - failed));
        let forms = results.calibration.as_ref().map_or("not compared", |forms| &forms.0);
        inner.line(&format!("instruction forms: {forms}"));
        let ours = results.failures.iter().filter(|failure| failure.is_ours()).count();
        let others = results.failures.len() - ours;
        let measured = results.figures.len();
        inner.line(&format!("figures: {measured} measured; failures: {ours}, of LLVM's runtimes {others}"));
        results.failures.iter().for_each(|failure| inner.line(&failure_lines(failure)));
        for (tool, programs) in &results.sanitized {
            inner.line(&format!("{tool}: nothing found in {programs} programs"));
        }
        let slower = performance::slower(&results);
        inner.line(&format!("slower than CUDA or LLVM: {} figures", slower.len()));
        slower.iter().take(10).for_each(|slow| inner.line(&format!("  {slow}")));
        results.skipped.iter().for_each(|what| inner.line(&format!("left out: {what}")));
        let right = results.all_right();
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

/// The median; all samples are in the file.
fn figure_line(figure: &Figure) -> String {
    let parameters: String = figure.parameters.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    let what = format!("{} {}{parameters}", figure.group, figure.name);
    let (variant, unit, spread) = (figure.variant.word(), figure.unit.word(), 50.0 * figure.spread());
    format!("{what:48} {variant:7} {:12.5e} {unit} ±{spread:.0} %", figure.median())
}

fn failure_lines(failure: &Failure) -> String {
    let Failure { stage, what, variant, text } = failure;
    format!("FAILED {stage} {what} ({}): {}", variant.word(), text.replace('\n', "\n       "))
}
