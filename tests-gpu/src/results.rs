//! The results of a run of a bundle: one type for its runner, for its pages, and for what `cargo xtask results add` files.

use crate::figures::{Figure, Unit, Variant};
use serde::{Deserialize, Serialize};

/// The file of a run.
pub const FILE: &str = "results.json";

/// Everything that was found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Results {
    /// Commit of the bundle.
    pub commit: String,
    /// Seconds since 1970 at the start.
    pub unix_time: u64,
    /// How the run was started.
    pub command: String,
    /// Name, architecture and driver of the device.
    pub device: String,
    /// The device is the embedded one: times say nothing about a GPU.
    pub simt: bool,
    /// What has been left out, and why: images that the device cannot run, what there was no time for.
    pub skipped: Vec<String>,
    /// The last line of the comparison of instruction forms, and whether all are equal.
    pub calibration: Option<(String, bool)>,
    /// One entry a program.
    pub programs: Vec<ProgramResult>,
    /// What was measured.
    pub figures: Vec<Figure>,
    /// What went wrong besides programs.
    pub failures: Vec<Failure>,
    /// Programs that ran under each tool of compute-sanitizer without a finding.
    pub sanitized: Vec<(String, usize)>,
}

/// How a program went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramResult {
    /// Name of the case.
    pub name: String,
    /// `ptx` or `cubin`.
    pub image: String,
    /// Empty if the output was that of the host run, else what was wrong.
    pub failure: String,
    /// Kernels launched.
    pub launches: usize,
    /// Wall time of the whole program in seconds, start and image load included.
    pub seconds: f64,
}

/// Something that was measured or looked at and is wrong.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// What was done: `compare`, `memcheck`.
    pub stage: String,
    /// The program.
    pub what: String,
    /// Its runtimes.
    pub variant: Variant,
    /// What was wrong.
    pub text: String,
}

impl Failure {
    /// Whether it is one of ours. That LLVM's runtime fails is a result.
    pub fn is_ours(&self) -> bool {
        !self.variant.is_of_llvm()
    }
}

impl Results {
    /// Whether a figure says anything on this device: times of the embedded one are those of the machine that it ran on,
    /// which count for the host runtime alone.
    pub fn is_telling(&self, figure: &Figure) -> bool {
        !self.simt || matches!(figure.unit, Unit::Cycles | Unit::Count) || figure.group == "host"
    }

    /// Programs that failed.
    pub fn failed(&self) -> impl Iterator<Item = &ProgramResult> {
        self.programs.iter().filter(|program| !program.failure.is_empty())
    }

    /// Whether everything was run and right. Cubins are left out where they cannot run; what there was no time for has not
    /// been shown to be right.
    pub fn all_right(&self) -> bool {
        let complete = self.skipped.iter().all(|what| !what.ends_with(NO_TIME));
        let something =
            self.programs.len() + self.figures.len() + self.sanitized.len() > 0 || self.calibration.is_some();
        something
            && complete
            && self.failed().next().is_none()
            && !self.failures.iter().any(Failure::is_ours)
            && self.calibration.as_ref().is_none_or(|(_, equal)| *equal)
    }
}

/// How the reason ends for what was left out because there was no time.
pub const NO_TIME: &str = "no time was left";

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(variant: Variant) -> Failure {
        Failure { stage: "compare".into(), what: "cg".into(), variant, text: "wrong".into() }
    }

    #[test]
    fn all_is_right_if_something_ran_and_nothing_of_ours_failed() {
        let mut results = Results::default();
        assert!(!results.all_right(), "nothing was run");
        results.calibration = Some(("3 probes: 3 equal".into(), true));
        assert!(results.all_right());
        results.failures.push(failure(Variant::Llvm22));
        results.skipped.push("cubin: the SIMT device runs PTX, not machine code".into());
        assert!(results.all_right());
        let with = |change: &dyn Fn(&mut Results)| {
            let mut changed = results.clone();
            change(&mut changed);
            changed.all_right()
        };
        assert!(!with(&|r| r.failures.push(failure(Variant::Passes))));
        assert!(!with(&|r| r.skipped.push(format!("cg with ptx: {NO_TIME}"))));
        assert!(!with(&|r| r.calibration = Some((String::new(), false))));
        let program = ProgramResult {
            name: "cg".into(),
            image: "ptx".into(),
            failure: "differs".into(),
            launches: 1,
            seconds: 0.5,
        };
        assert!(!with(&|r| r.programs.push(program.clone())));
    }
}
