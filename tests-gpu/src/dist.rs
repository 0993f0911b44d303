//! The installation under test, and the folder of the programs.

use anyhow::{Result, bail};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// An installation as `cargo xtask dist` makes it.
pub struct Dist {
    folder: PathBuf,
}

impl Dist {
    /// The folder that `OMPTARGET_DIST` names, else `target/dist`.
    ///
    /// # Errors
    /// There is no installation; the message says how to make one.
    pub fn find() -> Result<Self> {
        Self::find_in(
            &std::env::var_os("OMPTARGET_DIST").map_or_else(|| target().join("dist"), PathBuf::from),
        )
    }

    /// The installation in `folder`.
    ///
    /// # Errors
    /// There is none.
    pub fn find_in(folder: &Path) -> Result<Self> {
        let dist = Self { folder: folder.to_path_buf() };
        if !dist.driver().is_file() {
            bail!("{} is not there: run `cargo xtask dist`, or set OMPTARGET_DIST", dist.driver().display());
        }
        Ok(dist)
    }

    /// The compiler driver `omptarget`.
    pub fn driver(&self) -> PathBuf {
        self.folder.join("bin/omptarget")
    }

    /// The options with which a compiler runs the passes on each file, and no step of openmp-opt that does what they do.
    ///
    /// # Errors
    /// The plugin is not there.
    pub fn pass_options(&self) -> Result<Vec<OsString>> {
        let plugin = self.folder.join("lib/omptarget-passes.so");
        if !plugin.is_file() {
            bail!("{} is not there: run `cargo xtask dist`", plugin.display());
        }
        let mut load = OsString::from("-fpass-plugin=");
        load.push(plugin);
        let mut options = vec!["-Xarch_device".into(), load];
        for step in ["spmdization", "deglobalization"] {
            options.push("-Xoffload-linker".into());
            options.push(format!("-mllvm=-openmp-opt-disable-{step}").into());
        }
        Ok(options)
    }

    /// The installation itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package stands in the root of the repository")
}

/// The cargo that runs this program, in the root of the repository.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    command
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}
