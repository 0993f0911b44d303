//! From a crate to LLVM IR as text, with no pass of LLVM's optimiser.
//!
//! * `-C no-prepopulate-passes`: LLVM must not see indirect calls before they are marked convergent, nor fold
//!   `__nvvm_reflect` for the CPU of this build.
//! * `-Zmir-enable-passes=-JumpThreading`: rustc's own pass duplicates barriers (rust-lang/rust#137086).
//! * `-Zinline-mir=no`: then a barrier in the source is a call in the output, and [`crate::check`] can count them.

use crate::toolchain::{DeviceRustc, TARGET, run};
use anyhow::{Context, Result, bail};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

/// The IR of the crates.
#[derive(Clone, Debug)]
pub struct Modules {
    /// `devicertl`.
    pub runtime: PathBuf,
    /// `device-library`.
    pub library: PathBuf,
    /// `libm`, which the math functions call.
    pub libm: PathBuf,
    /// `core`, of which `libm` calls a little and the library more; `None` if the toolchain brought it compiled.
    pub core: Option<PathBuf>,
}

const FLAGS: [&str; 7] = [
    "-Ctarget-cpu=sm_70",
    "-Cno-prepopulate-passes",
    "-Zmir-enable-passes=-JumpThreading",
    "-Zinline-mir=no",
    "-Coverflow-checks=no",
    "-Cdebug-assertions=no",
    "--emit=llvm-ir",
];

/// Compiles the crate in folder `root` and the one in `library` there; cargo's files go below `out`.
///
/// # Errors
/// With the compiler's messages.
pub fn compile(device: &DeviceRustc, root: &Path, out: &Path) -> Result<Modules> {
    let deps = cargo_build(device, root, out).context("compiling the device runtime")?;
    cargo_build(device, &root.join("library"), out)
        .context("compiling the library functions of device code")?;
    Ok(Modules {
        runtime: newest(&deps, "devicertl")?,
        library: newest(&deps, "device_library")?,
        libm: newest(&deps, "libm")?,
        core: if device.build_std { Some(newest(&deps, "core")?) } else { None },
    })
}

/// Compiles a Rust source of kernels that needs no other crate but `abi`, which is in the folder of that name; its IR. cargo's files
/// go below `out`, which other sources may use at the same time.
///
/// # Errors
/// With the compiler's messages.
pub fn kernels(device: &DeviceRustc, source: &Path, abi: &Path, out: &Path) -> Result<PathBuf> {
    let name = source.file_stem().and_then(|stem| stem.to_str()).context("a source has a name")?;
    // The crates have names of their own: the compiled core and the folder of all results are common to them.
    let crate_name = format!("kernels_{name}");
    let manifest = format!(
        "[package]\nname = {crate_name:?}\nedition = \"2024\"\n[lib]\npath = {:?}\n[dependencies]\nabi = {{ path = {:?} }}\n\
         [workspace]\n",
        source.display().to_string(),
        abi.display().to_string()
    );
    let root = out.join(name);
    std::fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
    let file = root.join("Cargo.toml");
    std::fs::write(&file, manifest).with_context(|| format!("cannot write {}", file.display()))?;
    let deps = cargo_build(device, &root, out).with_context(|| format!("compiling {}", source.display()))?;
    newest(&deps, &crate_name)
}

/// Runs cargo in folder `root`; the folder with the IR of all crates.
fn cargo_build(device: &DeviceRustc, root: &Path, out: &Path) -> Result<PathBuf> {
    let target_dir = out.join("cargo");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What an outer cargo, clippy or the user's shell set for other builds must not reach this one.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_", "RUSTC_", "RUSTFLAGS", "RUSTDOCFLAGS", "CLIPPY_"].iter().any(|p| text.starts_with(p))
            && !["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR"]
                .iter()
                .any(|p| text.starts_with(p))
        {
            cargo.env_remove(&name);
        }
    }
    cargo
        .env("RUSTC", &device.rustc)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"))
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .args(["build", "--release", "--lib", "--target", TARGET, "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target_dir);
    if device.build_std {
        cargo.arg("-Zbuild-std=core");
    }
    run(&mut cargo)?;
    Ok(target_dir.join(TARGET).join("release/deps"))
}

/// The newest `<name>-<hash>.ll`: older ones are of other versions of the compiler.
fn newest(folder: &Path, name: &str) -> Result<PathBuf> {
    let mut best: Option<(SystemTime, PathBuf)> = None;
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let file = entry.file_name();
        let file = file.to_string_lossy();
        let is_it = file
            .strip_suffix(".ll")
            .and_then(|stem| stem.rsplit_once('-'))
            .is_some_and(|(stem, hash)| stem == name && hash.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_it {
            let time = entry.metadata()?.modified()?;
            if best.as_ref().is_none_or(|(newest, _)| time > *newest) {
                best = Some((time, entry.path()));
            }
        }
    }
    match best {
        Some((_, path)) => Ok(path),
        None => bail!("rustc left no IR of the crate {name} in {}", folder.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::newest;

    #[test]
    fn finds_the_crate_and_not_its_neighbours() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["core-0a.ll", "core-0a.d", "core_arch-0b.ll", "my-core-0c.ll", "libcore-0a.rlib"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        assert_eq!(newest(folder.path(), "core").unwrap(), folder.path().join("core-0a.ll"));
        assert!(newest(folder.path(), "libm").unwrap_err().to_string().contains("libm"));
    }
}
