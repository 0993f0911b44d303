//! Running a program and looking at what it did.

use crate::launch::{self, Launch};
use crate::{Case, Dist, program};
use anyhow::{Context, Result, bail};
use std::{
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

/// A program that hangs is ended after this many seconds. Far more than any needs: it is no measurement.
const LIMIT_SECONDS: u32 = 120;

/// Variables that a caller's shell may hold and that would change what a test sees.
const CLEARED: [&str; 4] =
    ["OMP_TARGET_OFFLOAD", "OMP_NUM_THREADS", "OMP_DEFAULT_DEVICE", "OMPTARGET_SIMT_SEED"];

/// One run to make: the program's arguments and the environment that differs from the caller's.
#[derive(Clone)]
pub struct Run {
    environment: Vec<(String, String)>,
    arguments: Vec<String>,
    folder: Option<PathBuf>,
    limit_seconds: u32,
}

impl Default for Run {
    fn default() -> Self {
        Self { environment: Vec::new(), arguments: Vec::new(), folder: None, limit_seconds: LIMIT_SECONDS }
    }
}

impl Run {
    /// With target regions on the host, and each launch reported: there must be none. LLVM's runtime for the host has no threads steal
    /// iterations of dynamic loops: in 22 an assertion of its fails there now and then (`kmp_dispatch.cpp`, line 1618).
    pub fn on_host() -> Self {
        Self::offload("DISABLED").with("KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE", 1)
    }

    /// With target regions on the device or not at all, and each launch reported.
    pub fn on_device() -> Self {
        Self::offload("MANDATORY")
    }

    /// With target regions on the device, or on the host when that is what OpenMP prescribes.
    pub fn by_default() -> Self {
        Self::offload("DEFAULT")
    }

    fn offload(policy: &str) -> Self {
        Self::default().with("OMP_TARGET_OFFLOAD", policy).with("LIBOMPTARGET_INFO", launch::LAUNCH_INFO)
    }

    /// With another environment variable.
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.environment.push((name.into(), value.to_string()));
        self
    }

    /// With another argument.
    pub fn argument(mut self, value: impl ToString) -> Self {
        self.arguments.push(value.to_string());
        self
    }

    /// In another working folder.
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_path_buf());
        self
    }

    /// With another limit to its time.
    pub fn within(mut self, seconds: u32) -> Self {
        self.limit_seconds = seconds;
        self
    }

    /// Runs `program` to its end.
    ///
    /// # Errors
    /// It cannot be started, or does not end.
    pub fn of(&self, program: &Path) -> Result<Outcome> {
        let outcome = self.whatever_of(program)?;
        if outcome.timed_out() {
            bail!("{} did not end within {} s\n{outcome}", program.display(), self.limit_seconds);
        }
        Ok(outcome)
    }

    /// Runs `program` to its end or its limit, which is an outcome too.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn whatever_of(&self, program: &Path) -> Result<Outcome> {
        // coreutils' timeout: it also ends children.
        let mut command = Command::new("timeout");
        command.arg("--kill-after=5").arg(self.limit_seconds.to_string());
        command.arg(program).args(&self.arguments);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        for name in CLEARED {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
        Ok(Outcome {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status,
        })
    }
}

/// What a run left.
pub struct Outcome {
    /// Everything on standard output.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
    /// How it ended.
    pub status: ExitStatus,
}

impl Outcome {
    /// Whether the program was ended because it had not ended itself.
    pub fn timed_out(&self) -> bool {
        matches!(self.status.code(), Some(124 | 137))
    }

    /// This outcome, if the program ended with 0.
    ///
    /// # Errors
    /// It did not; the message holds all output.
    pub fn successful(self) -> Result<Self> {
        if !self.status.success() {
            bail!("{self}");
        }
        Ok(self)
    }

    /// The launches that were reported.
    pub fn launches(&self) -> Vec<Launch> {
        launch::launches(&self.stderr)
    }

    /// The modes of the kernels that were launched, sorted, each once.
    pub fn modes(&self) -> Vec<String> {
        let mut modes: Vec<_> = self.launches().into_iter().map(|launch| launch.mode).collect();
        modes.sort();
        modes.dedup();
        modes
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n--- stdout\n{}--- stderr\n{}---", self.status, self.stdout, self.stderr)
    }
}

/// `case` prints on the device what it prints on the host, and its kernels have the modes that it names.
///
/// # Errors
/// That is not so, or the program does not build.
pub fn as_on_the_host(case: &Case) -> Result<()> {
    let program = program(case)?;
    let host = case.host_run().of(&program)?.successful()?;
    let device = Run::on_device().of(&program)?.successful()?;
    if !host.launches().is_empty() {
        bail!("launches although offload is disabled\n{host}");
    }
    if device.stdout != host.stdout {
        bail!("the output differs from that on the host\n{device}\non the host\n{host}");
    }
    let modes = device.modes();
    if modes.is_empty() || !case.modes.is_empty() && modes != case.modes {
        bail!("modes {modes:?}, expected {:?}\n{device}", case.modes);
    }
    Ok(())
}

/// `program` ends well and prints the same under that many seeds of the SIMT device's scheduler, by `omptarget run`, and
/// the checkers that `checks` names find nothing.
///
/// # Errors
/// That is not so; the message has the command that repeats the run.
pub fn under_seeds(program: &Path, seeds: u32, checks: &str) -> Result<()> {
    let mut command = Command::new(Dist::find()?.driver());
    command.args(["run", "--seeds", &seeds.to_string(), "--check", checks]).arg(program);
    for name in CLEARED {
        command.env_remove(name);
    }
    succeeds(&mut command)
}

/// Runs a command, which must succeed.
///
/// # Errors
/// It does not; the message has the command and its output.
pub(crate) fn succeeds(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        bail!("{command:?}: {}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(run: &Run) -> Result<Outcome> {
        run.of(Path::new("/bin/sh"))
    }

    #[test]
    fn output_status_and_environment_are_passed() {
        let run = Run::on_host().with("COLOUR", "blue").argument("-c");
        let script = "echo $OMP_TARGET_OFFLOAD $COLOUR; echo trouble >&2; exit 3";
        let outcome = sh(&run.argument(script)).unwrap();
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("DISABLED blue\n", "trouble\n"));
        assert_eq!(outcome.status.code(), Some(3));
        let message = outcome.successful().err().unwrap().to_string();
        assert!(
            message.contains("blue") && message.contains("trouble") && message.contains('3'),
            "{message}"
        );
    }

    #[test]
    fn modes_are_those_of_all_launches() {
        let line =
            |mode| format!("Launching kernel k with [1,1,1] blocks and [1,1,1] threads in {mode} mode");
        let script =
            format!("(echo '{}'; echo '{}'; echo '{}') >&2", line("SPMD"), line("Generic"), line("SPMD"));
        let outcome = sh(&Run::on_device().argument("-c").argument(script)).unwrap().successful().unwrap();
        assert_eq!(outcome.launches().len(), 3);
        assert_eq!(outcome.modes(), ["Generic", "SPMD"]);
    }
}
