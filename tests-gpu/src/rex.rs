//! Clients in the shape of the REX compiler's output (`kernels/rex`): registration by hand from a file that they read from
//! the folder they run in, old entries, bare kernels. One binary takes an image of any kind.

use crate::{Dist, build};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file with the image, whatever is in it.
pub const IMAGE: &str = "rex_lib_nvidia.cubin";

/// A client with what it prints.
pub struct Client {
    /// Its source below `kernels/rex`, without the ending.
    pub name: &'static str,
    /// `{...}` is printed by kernels: grid and block as they were passed on a GPU, one of each on this CPU.
    expected: &'static str,
}

/// All clients.
pub const CLIENTS: [Client; 5] = [
    Client {
        name: "shapes",
        expected: "{1 1}target: 0, 1 to 8\n{4 1}teams: 0, 0 10 60 70\n{1 6}parallel: 0, 1 51 70\n\
                   {1 4}loop: 0, 0 55 110 165\n",
    },
    Client {
        name: "data",
        expected: "first: 0, 1 on the host\nupdate: 1 46.25 50.75\nsecond: 0\nend: 1.25 1 -1 50.75\n",
    },
    Client { name: "threads", expected: "failures: 0\n" },
    Client { name: "axpy", expected: "axpy: 0, wrong: 0\nsums: 0, 500 500500 250250\n" },
    Client {
        name: "legacy",
        expected: "version 2: 0, 101 104\ntarget: 0, 201 204\nnowait: 0, 301 304\nmapper: 0, 401 404\n\
                   teams: 0, 501 504\nteams, mapper: 0, 601 604\nagain: 0, 701 704\n",
    },
];

impl Client {
    /// What it prints when kernels see these grids and blocks.
    fn output(&self, shape: impl Fn(&str) -> String) -> String {
        let mut parts = self.expected.split('{');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (passed, rest) = part.split_once('}').unwrap_or(("", part));
            text += &format!("grid {} environment 1\n{rest}", shape(passed));
        }
        text
    }

    /// What it prints with an image for this CPU.
    pub fn on_this_cpu(&self) -> String {
        self.output(|_| "1 block 1".to_owned())
    }

    /// What it prints with an image for a GPU.
    pub fn on_a_gpu(&self) -> String {
        self.output(|passed| passed.replacen(' ', " block ", 1))
    }

    /// Builds the program into `file`.
    ///
    /// # Errors
    /// The compiler fails, or says anything.
    pub fn program(&self, dist: &Dist, file: &Path) -> Result<()> {
        let library = dist.folder().join("lib").display().to_string();
        let (search, path) = (format!("-L{library}"), format!("-Wl,-rpath,{library}"));
        let options = ["-O1", "-Wall", &search, &path, "-lomptarget"];
        clang(&options, &source(&format!("{}.c", self.name)), file)
    }

    /// Builds the image for this CPU into `folder`.
    ///
    /// # Errors
    /// As [`Self::program`].
    pub fn image_for_this_cpu(&self, folder: &Path) -> Result<PathBuf> {
        self.image(&["-fPIC", "-shared"], folder)
    }

    /// Builds the image for a GPU as PTX into `folder`.
    ///
    /// # Errors
    /// As [`Self::program`].
    pub fn ptx(&self, folder: &Path) -> Result<PathBuf> {
        let target = ["--target=nvptx64-nvidia-cuda", "-march=sm_75", "-S"];
        self.image(&[&target[..], &["-Xclang", "-target-feature", "-Xclang", "+ptx63"]].concat(), folder)
    }

    /// Makes machine code for sm_90 of the PTX in `folder`, in its place.
    ///
    /// # Errors
    /// The assembler fails.
    pub fn assemble(&self, ptxas: &Path, folder: &Path) -> Result<()> {
        let (ptx, image) = (folder.join("image.ptx"), folder.join(IMAGE));
        fs::rename(&image, &ptx).with_context(|| format!("cannot move {}", image.display()))?;
        let mut command = Command::new(ptxas);
        command.arg("-arch=sm_90").arg(&ptx).arg("-o").arg(&image);
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        ensure!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
        fs::remove_file(&ptx).with_context(|| format!("cannot remove {}", ptx.display()))
    }

    fn image(&self, options: &[&str], folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let image = folder.join(IMAGE);
        let options = [&["-O1", "-Wall"], options].concat();
        clang(&options, &source(&format!("{}_device.cpp", self.name)), &image)?;
        Ok(image)
    }
}

/// A file of `kernels/rex`.
pub fn source(name: &str) -> PathBuf {
    build::source(&format!("rex/{name}"))
}

fn clang(arguments: &[&str], source: &Path, output: &Path) -> Result<()> {
    let mut command = Command::new("clang-22");
    command.args(arguments).arg(source).arg("-o").arg(output);
    let result = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let said = String::from_utf8_lossy(&result.stderr);
    if !result.status.success() || !said.is_empty() {
        bail!("{command:?}\n{said}");
    }
    Ok(())
}
