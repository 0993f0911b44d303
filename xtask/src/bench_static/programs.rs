//! What is measured.

use anyhow::{Context, Result, ensure};
use devicertl_build::root as devicertl;
use std::fs;
use std::path::{Path, PathBuf};
use tests_gpu::bundle::is_chosen;

/// Head of the page.
pub const INTRODUCTION: &str = "\
# Static cost of kernels, beside LLVM 22's device runtime

Made by `cargo xtask bench-static --fetched FOLDER`. Each cell: ours / LLVM's; bold where ours is higher. sm_90, the same
clang-22 with the same options, NVIDIA's libdevice for both, `ptxas -O3`; LLVM's device runtime is the bitcode of the PyPI
package pyomp 0.6.0. Nothing here ran on a GPU.

SASS counts the kernel's instructions without NOP, `all` also those of the functions that it reaches: those that it calls, and
those whose address it takes, which are called through a pointer; `calls` are the call instructions of all these. Barriers
and shuffles are counted with those of the called function at each call (a barrier that need not be aligned counts twice). A function of the runtime that the file leaves to a later link counts
as it is in the runtime's bitcode. Shared bytes are the kernel's; of a file that needs another one
they are what the file declares.
Variants: `converted` as clang does it; `passes` as `omptarget cc` does it, with our passes, LLVM's side as clang does it;
`machine` keeps generic kernels and lets the compiler write their state machine; `runtime` keeps them and the runtime's state machine; `off` is without openmp-opt.
";

/// How generic kernels are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As clang does it.
    Converted,
    /// With our passes, on our side, as `omptarget cc` does it.
    Passes,
    /// Kept, with a state machine by the compiler.
    Machine,
    /// Kept, with the runtime's state machine.
    Runtime,
    /// No openmp-opt.
    Off,
}

impl Variant {
    /// In the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Converted => "converted",
            Self::Passes => "passes",
            Self::Machine => "machine",
            Self::Runtime => "runtime",
            Self::Off => "off",
        }
    }

    /// LLVM's options.
    pub const fn options(self) -> &'static [&'static str] {
        match self {
            Self::Converted | Self::Passes => &[],
            Self::Machine => &["-openmp-opt-disable-spmdization"],
            Self::Runtime => {
                &["-openmp-opt-disable-spmdization", "-openmp-opt-disable-state-machine-rewrite"]
            }
            Self::Off => &["-openmp-opt-disable"],
        }
    }
}

const ALL: &[Variant] =
    &[Variant::Converted, Variant::Passes, Variant::Machine, Variant::Runtime, Variant::Off];
const SPMD: &[Variant] = &[Variant::Converted, Variant::Passes, Variant::Off];
const AS_CLANG_AND_PASSES: &[Variant] = &[Variant::Converted, Variant::Passes];

/// A program.
pub struct Program {
    /// In the table.
    pub name: String,
    /// Its file.
    pub source: PathBuf,
    /// How it is compiled.
    pub options: Vec<String>,
    /// In which variants.
    pub variants: &'static [Variant],
}

/// Where a program of [`PROGRAMS`] is.
enum Place {
    /// Beside the tests of the device code.
    Here,
    /// Below the folder of the checkouts: it is fetched from GitHub.
    Fetched,
}

/// Name, place and path of a program, options and variants.
type Row = (&'static str, Place, &'static str, &'static [&'static str], &'static [Variant]);

/// The base set, then UoB-HPC/BabelStream, ANL-CESAR/XSBench and RSBench.
const PROGRAMS: &[Row] = &[
    ("k1 saxpy", Place::Here, "saxpy.c", &[], SPMD),
    ("k2 dot", Place::Here, "dot.c", &[], SPMD),
    ("k3 serial_parallel", Place::Here, "serial_parallel.c", &[], ALL),
    ("k4 target_parallel", Place::Here, "target_parallel.c", &[], SPMD),
    ("k5 inner_parallel", Place::Here, "inner_parallel.c", &[], ALL),
    ("k6 nested", Place::Here, "nested.c", &[], SPMD),
    ("k7 unknown_call", Place::Here, "unknown_call.c", &[], ALL),
    ("empty", Place::Here, "empty.c", &[], SPMD),
    ("critical", Place::Here, "critical.c", &[], ALL),
    ("dynamic", Place::Here, "dynamic.c", &[], SPMD),
    ("task", Place::Here, "task.c", &[], SPMD),
    ("mixed", Place::Here, "mixed.c", &[], AS_CLANG_AND_PASSES),
    (
        "BabelStream",
        Place::Fetched,
        "BabelStream/src/omp/OMPStream.cpp",
        &["-DOMP_TARGET_GPU", "-std=c++17"],
        AS_CLANG_AND_PASSES,
    ),
    ("XSBench", Place::Fetched, "XSBench/openmp-offload/Simulation.c", &["-std=gnu99"], AS_CLANG_AND_PASSES),
    ("RSBench", Place::Fetched, "RSBench/openmp-offload/simulation.c", &["-std=gnu99"], AS_CLANG_AND_PASSES),
];

/// Those of the table that `only` chooses and whose files are there; says which others there are.
pub fn of_the_table(fetched: Option<&Path>, only: Option<&str>) -> Vec<Program> {
    let kernels = devicertl().join("build/tests/device/kernels");
    let program = |(name, place, path, options, variants): &Row| {
        let source = match place {
            Place::Here => Some(kernels.join(path)),
            Place::Fetched => fetched.map(|folder| folder.join(path)),
        };
        let Some(source) = source.filter(|source| source.is_file()) else {
            eprintln!("xtask: {name} is not there: pass --fetched FOLDER");
            return None;
        };
        let options = options.iter().map(|&option| option.to_owned()).collect();
        Some(Program { name: (*name).to_owned(), source, options, variants })
    };
    PROGRAMS.iter().filter(|(name, ..)| is_chosen(name, only)).filter_map(program).collect()
}

/// The programs of a list that `only` chooses: on each line a file and options for clang, with blanks between. A program's name is its file's, with its
/// folder's.
///
/// # Errors
/// The list cannot be read, or a file is not there.
pub fn of_list(list: &Path, only: Option<&str>) -> Result<Vec<Program>> {
    let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut programs = lines
        .map(|(number, line)| {
            let mut words = line.split_whitespace();
            let source = PathBuf::from(words.next().expect("lines without a word are left out"));
            let place = format!("{}:{}", list.display(), number + 1);
            ensure!(source.is_file(), "{place}: {} is not a file", source.display());
            let source = source.canonicalize().with_context(|| place.clone())?;
            let mut names = source.iter().rev().map(|name| name.to_string_lossy());
            let (file, folder) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
            let name = format!("{folder}/{file}");
            let options = words.map(str::to_owned).collect();
            Ok(Program { name, source, options, variants: AS_CLANG_AND_PASSES })
        })
        .collect::<Result<Vec<_>>>()?;
    programs.retain(|program| is_chosen(&program.name, only));
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_files_and_options() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.c");
        fs::write(&source, "").unwrap();
        let list = folder.path().join("list");
        fs::write(&list, format!("\n{} -DN=1  -O2\n", source.display())).unwrap();
        let programs = of_list(&list, None).unwrap();
        assert_eq!(programs.len(), 1);
        assert!(programs[0].name.ends_with("/a.c"), "{}", programs[0].name);
        assert_eq!(programs[0].options, ["-DN=1", "-O2"]);
        fs::write(&list, "\nmissing.c\n").unwrap();
        let message = of_list(&list, None).err().unwrap().to_string();
        assert!(message.ends_with("list:2: missing.c is not a file"), "{message}");
    }
}
