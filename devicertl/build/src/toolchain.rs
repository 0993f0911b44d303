//! Finds the tools: a rustc that can build `core` for the device, and LLVM 22.

use anyhow::{Result, bail};
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Major version of the LLVM whose text and bitcode the tools must read.
pub const LLVM_MAJOR: u32 = 22;
/// What to do when a tool is missing.
const REMEDY: &str = "run `cargo xtask setup`";
/// The target.
pub const TARGET: &str = "nvptx64-nvidia-cuda";

/// A compiler for the device crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRustc {
    /// The program.
    pub rustc: PathBuf,
    /// Whether `core` must be built from its source; else the toolchain brings it.
    pub build_std: bool,
}

/// Environment variable that names the rustc for the device crate.
pub const RUSTC_VARIABLE: &str = "OMPTARGET_DEVICE_RUSTC";
/// Environment variable that names the folder of LLVM's tools.
pub const LLVM_VARIABLE: &str = "OMPTARGET_LLVM_BIN";

/// Finds a rustc for the device: what `OMPTARGET_DEVICE_RUSTC` says; else a toolchain of rustup with the target or
/// with `rust-src`; else `/usr/bin/rustc` (Debian: `rustc-web` with `rust-web-src`).
///
/// # Errors
/// When there is none; the message lists why each candidate is not one.
pub fn device_rustc() -> Result<DeviceRustc> {
    if let Some(named) = env::var_os(RUSTC_VARIABLE) {
        return examine(Path::new(&named))
            .map_err(|why| anyhow::anyhow!("{RUSTC_VARIABLE}: {why}; {REMEDY} and unset it"));
    }
    let mut candidates = rustup_toolchains();
    candidates.push("/usr/bin/rustc".into());
    let mut reasons = String::new();
    for candidate in candidates {
        match examine(&candidate) {
            Ok(found) => return Ok(found),
            Err(why) => reasons += &format!("\n  {why}"),
        }
    }
    bail!("no rustc can build the device runtime for {TARGET}: {REMEDY}, or set {RUSTC_VARIABLE}{reasons}")
}

/// The rustc of each toolchain that rustup has installed. Nothing is installed by asking.
fn rustup_toolchains() -> Vec<PathBuf> {
    let home = env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".rustup")));
    let Some(entries) = home.and_then(|home| std::fs::read_dir(home.join("toolchains")).ok()) else {
        return Vec::new();
    };
    let mut found: Vec<_> = entries.flatten().map(|entry| entry.path().join("bin/rustc")).collect();
    found.sort();
    found
}

/// What `rustc` can do, or why it cannot build the device crate.
fn examine(rustc: &Path) -> Result<DeviceRustc, String> {
    let ask = |args: &[&str]| -> Result<String, String> {
        let output = Command::new(rustc)
            .args(args)
            .env("RUSTC_BOOTSTRAP", "1")
            .output()
            .map_err(|error| format!("{}: {error}", rustc.display()))?;
        if !output.status.success() {
            return Err(format!("{}: {} failed", rustc.display(), args.join(" ")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let version = ask(&["-vV"])?;
    match llvm_of_rustc(&version) {
        Some(LLVM_MAJOR) => {}
        Some(other) => {
            return Err(format!("{}: built on LLVM {other}, not {LLVM_MAJOR}", rustc.display()));
        }
        None => return Err(format!("{}: does not say which LLVM it has", rustc.display())),
    }
    let lib = Path::new(ask(&["--print", "sysroot"])?.trim()).join("lib/rustlib");
    let rustc = rustc.to_owned();
    if lib.join("src/rust/library/core/src/lib.rs").is_file() {
        Ok(DeviceRustc { rustc, build_std: true })
    } else if lib.join(TARGET).join("lib").is_dir() {
        Ok(DeviceRustc { rustc, build_std: false })
    } else {
        Err(format!("{}: has neither the source of core (rust-src) nor the target {TARGET}", rustc.display()))
    }
}

/// The major version in the line `LLVM version: 22.1.8` of `rustc -vV`.
fn llvm_of_rustc(version: &str) -> Option<u32> {
    version.lines().find_map(|line| line.strip_prefix("LLVM version: ")).and_then(major)
}

fn major(version: &str) -> Option<u32> {
    version.trim().split('.').next()?.parse().ok()
}

/// LLVM's tools.
#[derive(Clone, Debug)]
pub struct Llvm {
    /// Folder and what follows the name of each tool there.
    place: (Option<PathBuf>, String),
}

impl Llvm {
    /// Finds the tools: in the folder that `OMPTARGET_LLVM_BIN` names, in Debian's folder, or on PATH with the
    /// version behind the name.
    ///
    /// # Errors
    /// When they are not there, or of another version.
    pub fn find() -> Result<Self> {
        let plain = |folder: PathBuf| Self { place: (Some(folder), String::new()) };
        let found = if let Some(named) = env::var_os(LLVM_VARIABLE) {
            plain(named.into())
        } else {
            let debian = PathBuf::from(format!("/usr/lib/llvm-{LLVM_MAJOR}/bin"));
            if debian.join("opt").is_file() {
                plain(debian)
            } else {
                Self { place: (None, format!("-{LLVM_MAJOR}")) }
            }
        };
        let opt = found.tool("opt");
        let version = Command::new(&opt).arg("--version").output();
        let text = match version {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
            _ => bail!("LLVM {LLVM_MAJOR}: {} does not run: {REMEDY}, or set {LLVM_VARIABLE}", opt.display()),
        };
        match text.split("LLVM version ").nth(1).and_then(major) {
            Some(LLVM_MAJOR) => Ok(found),
            _ => bail!("{} is not of LLVM {LLVM_MAJOR}: {REMEDY}, or set {LLVM_VARIABLE}", opt.display()),
        }
    }

    /// The program `name` of this LLVM.
    pub fn tool(&self, name: &str) -> PathBuf {
        let (folder, suffix) = &self.place;
        let file = format!("{name}{suffix}");
        folder.as_ref().map_or_else(|| PathBuf::from(&file), |folder| folder.join(&file))
    }

    /// Runs `name`; its standard output.
    ///
    /// # Errors
    /// When it does not run or fails, with what it printed.
    pub fn run(&self, name: &str, args: &[&std::ffi::OsStr]) -> Result<String> {
        let tool = self.tool(name);
        run(Command::new(&tool).args(args))
    }
}

/// Runs `command`; its standard output.
///
/// # Errors
/// When it does not run or fails, with what it printed.
pub fn run(command: &mut Command) -> Result<String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| anyhow::anyhow!("{shown}: {error}: {REMEDY}"))?;
    if !output.status.success() {
        bail!("{shown} failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llvm_version_of_rustc() {
        let text = "rustc 1.96.0\nbinary: rustc\nLLVM version: 22.1.8\n";
        assert_eq!(llvm_of_rustc(text), Some(22));
        assert_eq!(llvm_of_rustc("rustc 1.96.0\n"), None);
    }

    #[test]
    fn a_rustc_that_is_none_says_why() {
        let why = examine(Path::new("/nowhere/rustc")).unwrap_err();
        assert!(why.contains("/nowhere/rustc"), "{why}");
    }

    #[test]
    fn a_failing_tool_shows_what_it_printed() {
        let error = run(Command::new("sh").args(["-c", "echo reason >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("reason"));
    }
}
