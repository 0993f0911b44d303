//! One program with one pair of runtimes: whether it is right, and what its kernels cost.

use super::programs::{Check, Program};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tests_gpu::stand_in::Host;
use tests_gpu::{Dist, Route, Run, build};

/// The schedule of all runs: one OS thread, so that the counts are the same each time.
const SEED: u32 = 1;
/// A launch that takes longer is taken for one that never ends.
const LIMIT: &str = "20s";

/// What became of a program.
pub enum Outcome {
    /// Its output is that of a run on the host, or it says that it passed.
    Right,
    /// It ended well with another output.
    Differs,
    /// It ended with an error: the line that tells most.
    Fails(String),
    /// The device runtime lacks what the program needs: the linker's words.
    DoesNotLink(String),
}

/// Sums over all launches.
#[derive(Default)]
pub struct Sum {
    /// Launches that ran to their end.
    pub launches: u64,
    /// Instructions, counted for each active lane.
    pub thread_instructions: u64,
    /// Instructions.
    pub warp_instructions: u64,
    /// Barriers of teams.
    pub barriers: u64,
}

impl Sum {
    /// What the file of `OMPTARGET_SIMT_STATS` tells; nothing if there is none.
    ///
    /// # Errors
    /// It is not understood.
    pub fn of(stats: &Path) -> Result<Self> {
        let mut sum = Self::default();
        for launch in json_lines::<LaunchLine>(stats)?.unwrap_or_default() {
            sum.launches += 1;
            sum.thread_instructions += launch.thread_instructions;
            sum.warp_instructions += launch.warp_instructions;
            sum.barriers += launch.barriers;
        }
        Ok(sum)
    }
}

/// A program that has been run.
pub struct Measured {
    /// What became of it.
    pub outcome: Outcome,
    sum: Option<Sum>,
    /// Findings by checker; `None` without checkers or a program.
    found: Option<BTreeMap<String, u64>>,
}

/// A launch in the file of `OMPTARGET_SIMT_STATS`.
#[derive(Deserialize)]
struct LaunchLine {
    thread_instructions: u64,
    warp_instructions: u64,
    barriers: u64,
}

/// A finding in the file of `OMPTARGET_SIMT_CHECK_JSON`.
#[derive(Deserialize)]
struct FindingLine {
    check: String,
    object: Option<String>,
}

impl FindingLine {
    /// The checker; races on LLVM's runtime's own variables go by the name that those on ours have.
    fn kind(self) -> String {
        let of_llvm = self.object.is_some_and(|object| object.contains("variable _ZN4ompx"));
        if of_llvm { "runtime".to_owned() } else { self.check }
    }
}

/// The lines of a file of JSON lines; `None` if there is no file.
pub fn json_lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<Vec<T>>> {
    let Ok(text) = fs::read_to_string(path) else { return Ok(None) };
    let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<T>, _>>();
    lines.map(Some).with_context(|| format!("{} is not understood", path.display()))
}

/// Builds the program into `file` and runs it on the host, on the device, and on the device under the checkers.
///
/// # Errors
/// It does not compile with clang-22 and our runtime, or a file cannot be read or written.
pub fn measure(
    dist: &Dist,
    program: &Program,
    sources: &[PathBuf],
    route: Route,
    host: Host,
    file: &Path,
) -> Result<Measured> {
    if let Err(words) = compile(dist, program, sources, route, file)? {
        // clang-19 does not know every program.
        if route == Route::Elf {
            bail!("{} does not compile:\n{words}", program.name);
        }
        let line = telling_line(&words);
        return Ok(Measured { outcome: Outcome::DoesNotLink(line), sum: None, found: None });
    }
    let with = |run: Run| program.arguments.iter().fold(run, |run, argument| run.argument(argument));
    let (stats, findings) = (file.with_extension("stats"), file.with_extension("findings"));
    for old in [&stats, &findings] {
        let _ = fs::remove_file(old);
    }
    let on_device =
        || with(host.on_stand_in(dist)).with("OMPTARGET_SIMT_SEED", SEED).with("OMPTARGET_SIMT_LIMIT", LIMIT);
    let device = on_device().with("OMPTARGET_SIMT_STATS", stats.display()).of(file);
    let outcome = match device {
        Err(error) => Outcome::Fails(telling_line(&format!("{error:#}"))),
        Ok(device) if !device.status.success() && program.ends_with_success() => {
            Outcome::Fails(telling_line(&format!("{}\n{}", device.stderr, device.stdout)))
        }
        Ok(device) => {
            let reference = match program.check {
                Check::AsOnTheHost => {
                    let reference = with(host.on_host()).of(file)?;
                    Some(if program.ends_with_success() { reference.successful()? } else { reference }.stdout)
                }
                Check::Itself => None,
            };
            let same = reference.is_none_or(|text| program.result(&text) == program.result(&device.stdout));
            if same { Outcome::Right } else { Outcome::Differs }
        }
    };
    let sum = Sum::of(&stats)?;
    // What a program does wrong shows in the other run: here it may end with anything.
    let checked = on_device().with("OMPTARGET_SIMT_CHECK", "all,runtime");
    let _ = checked.with("OMPTARGET_SIMT_CHECK_JSON", findings.display()).of(file);
    let found = json_lines::<FindingLine>(&findings)?.map(|lines| {
        let mut found = BTreeMap::new();
        lines.into_iter().for_each(|line| *found.entry(line.kind()).or_default() += 1);
        found
    });
    Ok(Measured { outcome, sum: Some(sum), found })
}

/// The compiler's words if it fails.
fn compile(
    dist: &Dist,
    program: &Program,
    sources: &[PathBuf],
    route: Route,
    file: &Path,
) -> Result<Result<(), String>> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let cxx = sources.iter().any(|source| source.extension().is_some_and(|extension| extension == "cpp"));
    let mut command = build::compiler(dist, route, cxx)?;
    // Headers of a program lie beside its sources.
    command.args(
        sources.iter().filter_map(|source| source.parent()).map(|folder| format!("-I{}", folder.display())),
    );
    command.args(sources).args(["-w", "-O2", "-lm"]).args(program.options).arg("-o").arg(file);
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(if output.status.success() { Ok(()) } else { Err(words) })
}

/// The line of an output that tells most: the SIMT device's report, else what is called an error, else the last one.
pub fn telling_line(output: &str) -> String {
    let find = |words: &[&str]| output.lines().find(|line| words.iter().any(|word| line.contains(word)));
    let line = find(&["omptarget simt: "])
        .or_else(|| find(&["Undefined reference"]))
        .or_else(|| find(&["did not end", "FAIL", "error", "Failed", "failed"]))
        .or_else(|| output.lines().rfind(|line| !line.trim().is_empty()));
    let line = line.unwrap_or("it says nothing").trim();
    // The linker names temporary files.
    line.split(" in '/tmp/").next().unwrap_or(line).to_owned()
}

impl Measured {
    /// What the kernels cost, if all of them ran.
    pub fn sum(&self) -> Option<&Sum> {
        self.sum.as_ref().filter(|_| matches!(self.outcome, Outcome::Right | Outcome::Differs))
    }

    /// Findings of the checkers.
    pub fn findings(&self) -> Option<u64> {
        self.found.as_ref().map(|found| found.values().sum())
    }

    /// What is to be said about it: why it failed, and what the checkers found.
    pub fn note(&self) -> Option<String> {
        let mut words = vec![];
        if let Outcome::Fails(line) | Outcome::DoesNotLink(line) = &self.outcome {
            words.push(format!("`{line}`"));
        }
        for (check, count) in self.found.iter().flatten() {
            words.push(format!("{count} of checker `{check}`"));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_tells_most_is_found() {
        let simt = "\"PluginInterface\" error: x\nomptarget simt: load of 4 bytes\nomptarget error: y\n";
        assert_eq!(telling_line(simt), "omptarget simt: load of 4 bytes");
        let linker =
            "warning\nnvlink error   : Undefined reference to 'memchr' in '/tmp/a.cubin'\nerror: b\n";
        assert_eq!(telling_line(linker), "nvlink error   : Undefined reference to 'memchr'");
        assert_eq!(telling_line("ok a\nFAIL b = 1\nlast\n"), "FAIL b = 1");
        assert_eq!(telling_line("one\ntwo\n\n"), "two");
    }

    #[test]
    fn races_on_the_variables_of_a_runtime_have_one_name() {
        let kind = |line: &str| serde_json::from_str::<FindingLine>(line).unwrap().kind();
        assert_eq!(
            kind(r#"{"check": "race", "object": "byte 0 of shared variable _ZN4ompx5state9TeamStateE"}"#),
            "runtime"
        );
        assert_eq!(
            kind(r#"{"check": "race", "object": "byte 0 of shared variable x", "kernel": "k"}"#),
            "race"
        );
        assert_eq!(kind(r#"{"check": "leak", "object": null}"#), "leak");
    }

    #[test]
    fn notes_tell_failures_and_findings() {
        let found = Some(BTreeMap::from([("race".to_owned(), 2)]));
        let measured = Measured { outcome: Outcome::Fails("x".to_owned()), sum: Some(Sum::default()), found };
        assert_eq!(measured.note().unwrap(), "`x`; 2 of checker `race`");
        assert!(measured.sum().is_none() && measured.findings() == Some(2));
        let silent = Measured { outcome: Outcome::Right, sum: None, found: Some(BTreeMap::new()) };
        assert_eq!((silent.note(), silent.findings()), (None, Some(0)));
    }
}
