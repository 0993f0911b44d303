//! `cargo xtask results`: files what a bundle has written, and makes docs/performance.md of what is filed.

use crate::process::root;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::performance::{self, Causes};
use tests_gpu::results::{FILE, Results};

/// What to do.
#[derive(clap::Subcommand)]
pub enum Task {
    /// File the folder that a bundle wrote ($OUT) as results/DATE-DEVICE, and make the page anew.
    Add {
        /// The folder.
        folder: PathBuf,
    },
    /// Make docs/performance.md anew from what is filed: that of the newest run on a GPU, else of the newest one.
    Page,
}

/// Suspected causes of what is slow, by figure; written by hand.
const CAUSES: &str = "results/causes.json";
/// The page, and the folder of its plots beside it.
const PAGE: &str = "docs/performance.md";
const PLOTS: &str = "docs/performance";

/// Does it.
///
/// # Errors
/// A file cannot be read, is not understood, or cannot be written.
pub fn run(task: &Task) -> Result<()> {
    if let Task::Add { folder } = task {
        let filed = add(folder, &root().join("results"))?;
        println!("{}", filed.display());
    }
    page(root())
}

/// Copies what belongs to a run into a folder of its own below `results`, which it gives.
fn add(from: &Path, results: &Path) -> Result<PathBuf> {
    let run = read(&from.join(FILE))?;
    ensure!(!run.commit.ends_with("-dirty"), "the bundle was made of changed files: commit {}", run.commit);
    let to = results.join(format!("{}-{}", date(run.unix_time)?, device(&run)));
    fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    for name in [FILE, "results.txt", "calibration.txt"] {
        let file = from.join(name);
        if file.is_file() {
            fs::copy(&file, to.join(name)).with_context(|| format!("cannot copy {}", file.display()))?;
        }
    }
    Ok(to)
}

fn read(file: &Path) -> Result<Results> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not understood", file.display()))
}

/// The device as a word in a name: `simt`, or what it is called, in small letters.
fn device(run: &Results) -> String {
    if run.simt {
        return "simt".to_owned();
    }
    let name = run.device.split(" (").next().unwrap_or_default().to_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

/// The day in UTC, by coreutils.
fn date(unix_time: u64) -> Result<String> {
    let output = Command::new("date").args(["-u", "-d", &format!("@{unix_time}"), "+%F"]).output();
    let output = output.context("cannot start date")?;
    ensure!(output.status.success(), "date: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Makes the page of what is filed below `root`.
fn page(root: &Path) -> Result<()> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(root.join("results")).context("there are no results")? {
        let folder = entry?.path();
        if folder.join(FILE).is_file() {
            runs.push((read(&folder.join(FILE))?, folder));
        }
    }
    // GPUs last, and the newest last.
    runs.sort_by_key(|(run, _)| (!run.simt, run.unix_time));
    let (run, folder) = runs.pop().context("there are no results of a bundle")?;
    let causes = fs::read_to_string(root.join(CAUSES)).with_context(|| format!("cannot read {CAUSES}"))?;
    let causes: Causes =
        serde_json::from_str(&causes).with_context(|| format!("{CAUSES} is not understood"))?;
    let plots = root.join(PLOTS);
    if plots.exists() {
        fs::remove_dir_all(&plots).with_context(|| format!("cannot empty {PLOTS}"))?;
    }
    fs::create_dir_all(&plots).with_context(|| format!("cannot make {PLOTS}"))?;
    for plot in performance::plots(&run)? {
        fs::write(plots.join(&plot.file), &plot.svg)
            .with_context(|| format!("cannot write {}", plot.file))?;
    }
    let body = performance::markdown(&run, &causes, |plot| {
        format!("![{}](performance/{})", plot.file.trim_end_matches(".svg"), plot.file)
    })?;
    let name = |folder: &Path| folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = format!(
        "# Performance\n\nMade by `cargo xtask results` from `results/{}`; nothing here is typed by hand but the causes \
         (`{CAUSES}`). {}, {}.\n\n{body}",
        name(&folder),
        date(run.unix_time)?,
        performance::origin(&run)
    );
    if !runs.is_empty() {
        text += "## Other runs\n\n";
    }
    for (run, folder) in runs.iter().rev() {
        text += &format!("- [{}](../results/{}): {}\n", name(folder), name(folder), performance::origin(run));
    }
    fs::write(root.join(PAGE), text.trim_end().to_owned() + "\n")
        .with_context(|| format!("cannot write {PAGE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(device: &str, simt: bool, unix_time: u64) -> Results {
        Results { device: device.into(), simt, unix_time, commit: "abc".into(), ..Results::default() }
    }

    #[test]
    fn runs_are_filed_by_day_and_device() {
        let folder = tempfile::tempdir().unwrap();
        let (from, results) = (folder.path().join("out"), folder.path().join("results"));
        fs::create_dir_all(&from).unwrap();
        let write = |run: &Results| fs::write(from.join(FILE), serde_json::to_string(run).unwrap()).unwrap();
        write(&run("NVIDIA H200 (sm_90, CUDA 13.0)", false, 1_795_000_000));
        fs::write(from.join("calibration.txt"), "forms\n").unwrap();
        assert_eq!(add(&from, &results).unwrap(), results.join("2026-11-18-nvidia-h200"));
        assert!(results.join("2026-11-18-nvidia-h200/calibration.txt").is_file());
        write(&run("SIMT device (sm_90, CUDA 13.0)", true, 0));
        assert_eq!(add(&from, &results).unwrap(), results.join("1970-01-01-simt"));
        write(&Results { commit: "abc-dirty".into(), ..run("", true, 0) });
        assert!(add(&from, &results).unwrap_err().to_string().contains("changed files"));
    }

    #[test]
    fn the_page_is_about_the_newest_run_on_a_gpu() {
        let folder = tempfile::tempdir().unwrap();
        for (name, run) in
            [("old", run("GPU", false, 1)), ("new", run("GPU", false, 2)), ("simt", run("S", true, 3))]
        {
            let folder = folder.path().join("results").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(FILE), serde_json::to_string(&run).unwrap()).unwrap();
        }
        fs::create_dir_all(folder.path().join("docs")).unwrap();
        fs::write(folder.path().join(CAUSES), "{}").unwrap();
        page(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join(PAGE)).unwrap();
        assert!(text.contains("from `results/new`") && text.contains("- [simt](../results/simt)"), "{text}");
        let other = |name: &str| text.find(&format!("[{name}]"));
        assert!(other("old") < other("simt"), "{text}");
    }
}
