//! What a bundle for a machine with a GPU holds.
//!
//! `cargo xtask gpu-bundle` puts the programs of the table of [`crate::Case`]s into one folder for each kind of image, and what
//! they have to print into a list, so that the machine with the GPU has to run each of them but once.

use crate::figures::Variant;
use crate::shapes::SHAPES;
use crate::{CASES, Case, Route, Run};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Everything but [`RUN`] and [`UNPACK`], compressed: PTX is text, and most of a program's is in others too, megabytes away.
pub const CONTENTS: &str = "contents.tar.zst";

/// What makes a tar of [`CONTENTS`]: a machine need not have zstd.
pub const UNPACK: &str = "unpack";

/// The script that starts a run. It needs nothing but a shell and tar.
pub const RUN: &str = r#"#!/bin/sh
# ./run.sh [tests|bench|compare|sanitize|calibrate|all]: runs what this bundle holds on the device at hand, by default all of
# it, in less than nine minutes (BUNDLE_SECONDS=N: about N seconds). Writes results.txt and results.json, as they come,
# results.html, and calibration.txt (instruction forms that differ from the SIMT device) to $OUT (default ./out). The last
# lines are a summary. Exit status: 0 if everything was run and is right, 1 if not, 2 if the bundle could not be run.
# BUNDLE_ONLY=NAME,NAME: of the test programs those with one of these in their names. BUNDLE_TIMES=N: each N times.
# OMPTARGET_DEVICE=simt runs it without a GPU.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/unpack" "$here/contents.tar.zst" | tar -xf - -C "$work"
export LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
status=0
"$work/bin/bundle-runner" "$work" "${OUT:-./out}" "$@" || status=$?
exit $status
"#;

/// Executables of the bundle's own, in its folder `bin`: the runner, and what compares instruction forms.
pub const EXECUTABLES: [&str; 2] = ["bundle-runner", "calibrate"];

/// Folder of the libraries that its programs need.
pub const LIBRARIES: &str = "lib";

/// Kinds of device image; each is a folder of the bundle. A bundle made without ptxas has no cubins.
pub const IMAGES: [&str; 2] = ["ptx", "cubin"];

/// File with the commit that the bundle was built from.
pub const COMMIT: &str = "commit";

/// File with the list of programs: a [`Program`] each, in the order in which they run.
pub const PROGRAMS: &str = "programs.json";

/// File with what the embedded device computes for each instruction form.
pub const CALIBRATION: &str = "calibration";

/// File with the list of benches of device code: a [`Built`] each, in the order in which they run.
pub const BENCHES: &str = "benches.json";

/// File with what the bundle was to hold and does not, and why: a list of lines.
pub const LEFT_OUT: &str = "left_out.json";

/// Folder of their programs.
pub const BENCH_FOLDER: &str = "bench";

/// A bench of device code in a bundle.
#[derive(Serialize, Deserialize)]
pub struct Built {
    /// Its name in [`crate::device_bench::BENCHES`].
    pub bench: String,
    /// How it was built.
    pub variant: Variant,
    /// Its program, in the bundle.
    pub file: PathBuf,
}

/// Folder of the whole programs that [`crate::whole`] describes.
pub const WHOLE: &str = "whole";

/// Folder of the bench of host runtimes, with a folder for each kind of ELF image: `elf` has PTX in it.
pub const HOST: &str = "host";

/// Folder of LLVM's libomptarget, with what it needs.
pub const LLVM: &str = "llvm";

/// Folder of the stand-in for the driver.
pub const STAND_IN: &str = "simt";

/// A program of a bundle.
#[derive(Serialize, Deserialize)]
pub struct Program {
    /// Name of the case, and of the file.
    pub name: String,
    /// `ptx` or `cubin`.
    pub image: String,
    /// What it prints on the host; none for a program that checks itself.
    pub expected: Option<String>,
    /// It reads a file from the folder that it runs in: it stands in a folder of its own name.
    pub reads_a_file: bool,
    /// It launches nothing: it is about data.
    pub no_launch: bool,
}

impl Program {
    /// One that stands beside others and launches kernels.
    pub fn new(name: String, image: &str, expected: Option<String>) -> Self {
        Self { name, image: image.to_owned(), expected, reads_a_file: false, no_launch: false }
    }

    /// The folder that it runs in, below that of its kind of image.
    pub fn folder(&self, of_image: &Path) -> PathBuf {
        if self.reads_a_file { of_image.join(&self.name) } else { of_image.to_path_buf() }
    }

    /// The run that it is made for, and the file.
    pub fn run(&self, of_image: &Path) -> (Run, PathBuf) {
        let folder = self.folder(of_image);
        (Run::on_device().in_folder(&folder), folder.join(&self.name))
    }
}

/// Whether a program of this name is wanted: `only` is a list of parts of names, with commas between them.
pub fn is_chosen(name: &str, only: Option<&str>) -> bool {
    only.is_none_or(|only| only.split(',').any(|part| name.contains(part)))
}

/// The cases that a bundle holds with `image`, those first whose loss would weigh most: one variant of each source, then
/// the others, and the programs of `kernels/spmd` as the passes convert them; of those that `only` chooses.
///
/// ptxas compiles as the driver does, so that of cubins, which are there for the loader, one variant of each source is enough.
pub fn cases(image: &str, only: Option<&str>) -> Vec<Case> {
    let ptx = image == "ptx";
    let mut sources = HashSet::new();
    let (first, others): (Vec<_>, Vec<_>) = CASES
        .iter()
        .filter(|case| is_chosen(&case.name(), only))
        .filter(|case| ptx || is_of_clang_22(case.route))
        .partition(|case| sources.insert(case.source));
    let converted = SHAPES.iter().flat_map(|shape| [Some(shape.converted()), shape.converted_at_link()]);
    let converted = converted.flatten().filter(|case| is_chosen(&case.name(), only));
    let others = others.into_iter().copied().chain(converted).filter(|_| ptx);
    first.into_iter().copied().chain(others).collect()
}

/// Whether clang-22 makes the image, with device LTO.
fn is_of_clang_22(route: Route) -> bool {
    matches!(route, Route::Omptarget | Route::Plain | Route::Config | Route::Clang)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(image: &str, only: Option<&str>) -> Vec<String> {
        cases(image, only).iter().map(Case::name).collect()
    }

    #[test]
    fn each_source_is_there_early_and_as_a_cubin_once() {
        let ptx = names("ptx", None);
        let sources: HashSet<_> = CASES.iter().map(|case| case.source).collect();
        let early: HashSet<_> = cases("ptx", None)[..sources.len()].iter().map(|case| case.source).collect();
        assert_eq!(early, sources);
        let converted: Vec<_> = SHAPES.iter().map(|shape| shape.converted().name()).collect();
        assert!(converted.iter().all(|name| ptx.contains(name)), "{ptx:?}");
        let cubins = names("cubin", None);
        assert!(!converted.iter().any(|name| cubins.contains(name)), "{cubins:?}");
        assert!(
            cubins.contains(&"features.tasks.O2".to_owned())
                && !cubins.contains(&"features.tasks.O0".to_owned())
        );
        assert!(
            !cubins.iter().any(|name| name.contains("clang-19") || name.contains("fortran")),
            "{cubins:?}"
        );
    }

    #[test]
    fn the_script_names_only_what_the_bundle_holds() {
        let below = |folder: &str| {
            let parts = RUN.split(folder).skip(1);
            let is_end = |c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c));
            parts.map(|part| part.split(is_end).next().unwrap().to_owned()).collect::<HashSet<_>>()
        };
        assert_eq!(below("$here/"), HashSet::from([CONTENTS, UNPACK].map(str::to_owned)));
        let started = below("$work/").into_iter().filter(|part| part != LIBRARIES);
        let executables = EXECUTABLES.map(|name| format!("bin/{name}"));
        let started: Vec<_> = started.collect();
        assert!(!started.is_empty() && started.iter().all(|part| executables.contains(part)), "{started:?}");
    }

    #[test]
    fn a_part_of_a_name_selects() {
        assert_eq!(
            names("ptx", Some("tasks.O")),
            ["features.tasks.O2", "fortran.tasks.O2", "defects.tasks.O2", "features.tasks.O0"]
        );
        assert_eq!(names("cubin", Some("no such program")), [""; 0]);
        assert_eq!(names("cubin", Some("cg.O,generic.O")), ["generic.O2", "cg.O2"]);
    }
}
