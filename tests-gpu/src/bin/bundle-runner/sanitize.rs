//! The stage of a run that looks for what programs do wrong without showing it: NVIDIA's compute-sanitizer.

use crate::report::Report;
use crate::stage::each;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tests_gpu::bundle::Program;
use tests_gpu::figures::Variant;
use tests_gpu::results::NO_TIME;

/// Its tools, the one whose findings weigh most first.
const TOOLS: [&str; 4] = ["memcheck", "racecheck", "synccheck", "initcheck"];
/// What a program may take under one.
const SECONDS: u64 = 60;
/// The exit status that tells of findings: no program of ours ends with it.
const FOUND: i32 = 86;
/// Lines of a finding that are kept.
const LINES: usize = 12;

/// Runs all programs under each tool, as many as there is time for.
pub fn programs(folder: &Path, programs: &[&Program], end: Instant, report: &Report) {
    let Some(sanitizer) = find() else {
        return report.skip("compute-sanitizer: it is not on this machine");
    };
    for tool in TOOLS {
        let (clean, late) = (AtomicUsize::new(0), AtomicUsize::new(0));
        each(programs, |program| {
            let left = end.saturating_duration_since(Instant::now()).as_secs().min(SECONDS) as u32;
            if left == 0 {
                late.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let (run, file) = program.run(folder);
            let run = run.with("LIBOMPTARGET_INFO", 0);
            let run =
                ["--tool", tool, "--error-exitcode"].into_iter().fold(run, |run, word| run.argument(word));
            let run = run.argument(FOUND).argument(file.display()).within(left);
            match run.of(&sanitizer) {
                Ok(outcome) if outcome.status.success() => {
                    clean.fetch_add(1, Ordering::Relaxed);
                }
                Ok(outcome) => {
                    let said = format!("{}{}", outcome.stdout, outcome.stderr);
                    report.failure(tool, &program.name, Variant::Ours, &findings(&said));
                }
                // A tool may make a program slower than there is time for: that is no finding.
                Err(error) => report.skip(&format!("{tool} {}: {}", program.name, first_line(&error))),
            }
        });
        report.sanitized(tool, clean.into_inner());
        match late.into_inner() {
            0 => {}
            late => report.skip(&format!("{tool} of {late} programs: {NO_TIME}")),
        }
    }
}

/// On the PATH, or where CUDA's toolkit puts it.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.push("/usr/local/cuda/bin".into());
    folders.into_iter().map(|folder| folder.join("compute-sanitizer")).find(|file| file.is_file())
}

/// The first lines of the tool's own, which begin with `=========`; of others the last ones.
fn findings(said: &str) -> String {
    let of_tool: Vec<&str> = said.lines().filter(|line| line.starts_with("=========")).collect();
    let lines: Vec<&str> = if of_tool.len() > 1 {
        of_tool.into_iter().skip(1).take(LINES).collect()
    } else {
        let all: Vec<&str> = said.lines().collect();
        all[all.len().saturating_sub(LINES)..].to_vec()
    };
    lines.join("\n")
}

fn first_line(error: &anyhow::Error) -> String {
    format!("{error:#}").lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_the_lines_of_the_tool() {
        let said = "sum 4\n========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n=========     at k\n";
        assert_eq!(findings(said), "========= Invalid __global__ write of size 4 bytes\n=========     at k");
        assert_eq!(findings("a\nb\n"), "a\nb");
    }
}
