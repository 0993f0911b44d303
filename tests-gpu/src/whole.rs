//! Whole programs in CUDA, with LLVM 22's device runtime, with ours, and with ours and the passes: `kernels/whole`, and
//! BabelStream, XSBench and RSBench where a folder with checkouts of them is given.
//!
//! All of them are launched by our host runtime, from PTX, and wait for each launch: what differs is the code on the device.

pub use crate::device_bench::Size;
use crate::figures::{self, Figure, Printed, Unit, Variant};
use crate::{Dist, Outcome, Route, Run, build, nvcc};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The group of their figures.
pub const GROUP: &str = "programs";

/// Where Debian has libomp for clang-22.
const OPENMP_LIBRARIES: &str = "/usr/lib/llvm-22/lib";

/// One program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Of its files and figures.
    pub name: &'static str,
    /// What it is built as.
    pub variants: &'static [Variant],
    /// Arguments for the embedded device, and for a GPU: data that is several times its caches.
    arguments: [&'static str; 2],
    from: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    /// `kernels/whole/NAME.c` and `NAME.cu`; it prints figures.
    Own,
    /// Its versions in OpenMP and in CUDA, and what their output means.
    Fetched { openmp: Sources, cuda: InCuda, talk: Talk },
}

/// Files below the folder of checkouts, and options.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    /// What is compiled.
    pub files: &'static [&'static str],
    /// More options of the compiler.
    pub options: &'static [&'static str],
}

impl Sources {
    /// The files, if all of them are there.
    pub fn below(&self, folder: Option<&Path>) -> Option<Vec<PathBuf>> {
        files_below(folder?, self.files)
    }
}

/// The files `names` of a folder, if all of them are there.
pub fn files_below(folder: &Path, names: &[&str]) -> Option<Vec<PathBuf>> {
    names.iter().map(|name| Some(folder.join(name)).filter(|file| file.is_file())).collect()
}

/// What a program of others is in CUDA. Only nvcc compiles it: [`nvcc`].
#[derive(Clone, Copy, Debug)]
struct InCuda {
    sources: Sources,
    /// In the names of the kernels that a run launches.
    kernel: &'static str,
}

/// BabelStream in OpenMP.
pub const BABELSTREAM: Sources = Sources {
    files: &["BabelStream/src/main.cpp", "BabelStream/src/omp/OMPStream.cpp"],
    options: &["-std=c++17", "-DOMP", "-DOMP_TARGET_GPU"],
};

/// XSBench in OpenMP.
pub const XSBENCH: Sources = Sources {
    files: &[
        "XSBench/openmp-offload/Main.c",
        "XSBench/openmp-offload/Simulation.c",
        "XSBench/openmp-offload/GridInit.c",
        "XSBench/openmp-offload/Materials.c",
        "XSBench/openmp-offload/XSutils.c",
        "XSBench/openmp-offload/io.c",
    ],
    options: &["-std=gnu99"],
};

/// What a program of others says about its time.
#[derive(Clone, Copy, Debug)]
enum Talk {
    /// The table that BabelStream's `--csv` prints.
    BabelStream,
    /// A line `Runtime: N seconds`.
    Runtime,
}

use Variant::{Cuda, Llvm22, Ours, Passes, Raw};

const ALL: &[Variant] = &[Cuda, Llvm22, Ours, Passes];

const fn own(name: &'static str, arguments: [&'static str; 2]) -> Program {
    Program { name, variants: ALL, arguments, from: Source::Own }
}

const fn fetched(
    name: &'static str,
    arguments: [&'static str; 2],
    openmp: Sources,
    cuda: InCuda,
    talk: Talk,
) -> Program {
    Program { name, variants: ALL, arguments, from: Source::Fetched { openmp, cuda, talk } }
}

/// All, those first whose figures matter most. The first tells what the device can do at most.
pub const PROGRAMS: &[Program] = &[
    Program { variants: &[Raw], ..own("ceiling", ["8192 3", "67108864 9"]) },
    own("stream", ["8192 3", "67108864 9"]),
    own("cg", ["64 3", "8192 7"]),
    own("spmv", ["256 3", "262144 9"]),
    own("stencil", ["64 3", "8192 9"]),
    own("nbody", ["512 3", "65536 9"]),
    own("mandelbrot", ["48 3", "8192 9"]),
    fetched(
        "babelstream",
        ["--csv -s 16384 -n 5", "--csv -s 67108864 -n 50"],
        BABELSTREAM,
        InCuda {
            sources: Sources {
                files: &["BabelStream/src/main.cpp", "BabelStream/src/cuda/CUDAStream.cu"],
                options: &[
                    "-DCUDA",
                    "-DDEFAULT",
                    "-DGRID_STRIDE",
                    "-DUNROLL_FACTOR=4",
                    "--extended-lambda",
                    "-Xlinker=-l:libnvidia-ml.so.1",
                ],
            },
            // In double precision, as it is run.
            kernel: "Id",
        },
        Talk::BabelStream,
    ),
    fetched(
        "xsbench",
        ["-m event -s small -l 2000", "-m event -s large"],
        XSBENCH,
        InCuda {
            sources: Sources {
                files: &[
                    "XSBench/cuda/Main.cu",
                    "XSBench/cuda/Simulation.cu",
                    "XSBench/cuda/GridInit.cu",
                    "XSBench/cuda/Materials.cu",
                    "XSBench/cuda/XSutils.cu",
                    "XSBench/cuda/io.cu",
                ],
                options: &[],
            },
            kernel: "xs_lookup_kernel_baseline",
        },
        Talk::Runtime,
    ),
    fetched(
        "rsbench",
        ["-m event -s small -l 200", "-m event -s large"],
        Sources {
            files: &[
                "RSBench/openmp-offload/main.c",
                "RSBench/openmp-offload/simulation.c",
                "RSBench/openmp-offload/init.c",
                "RSBench/openmp-offload/material.c",
                "RSBench/openmp-offload/utils.c",
                "RSBench/openmp-offload/io.c",
            ],
            options: &["-std=gnu99"],
        },
        InCuda {
            sources: Sources {
                files: &[
                    "RSBench/cuda/main.cu",
                    "RSBench/cuda/simulation.cu",
                    "RSBench/cuda/init.cu",
                    "RSBench/cuda/material.cu",
                    "RSBench/cuda/utils.cu",
                    "RSBench/cuda/io.cu",
                ],
                options: &[],
            },
            kernel: "xs_lookup_kernel_baseline",
        },
        Talk::Runtime,
    ),
];

impl Program {
    /// Whether it is this project's.
    pub fn is_own(&self) -> bool {
        matches!(self.from, Source::Own)
    }

    /// The name of its file.
    pub fn file(&self, variant: Variant) -> String {
        format!("{}.{}", self.name, variant.word())
    }

    /// Its version in CUDA if only nvcc compiles that: it is launched by NVIDIA's runtime library and not by ours.
    fn by_nvcc(&self, variant: Variant) -> Option<&InCuda> {
        match &self.from {
            Source::Fetched { cuda, .. } if variant == Cuda => Some(cuda),
            _ => None,
        }
    }

    /// Whether only nvcc compiles it as `variant`; then it runs on GPUs alone.
    pub fn needs_nvcc(&self, variant: Variant) -> bool {
        self.by_nvcc(variant).is_some()
    }

    /// The files that [`Program::build`] makes in `folder`, the program first.
    pub fn files(&self, variant: Variant, folder: &Path) -> Vec<PathBuf> {
        let program = folder.join(self.file(variant));
        let note = self.needs_nvcc(variant).then(|| resources_file(&program));
        std::iter::once(program).chain(note).collect()
    }

    fn sources(&self, variant: Variant, fetched: Option<&Path>) -> Option<Vec<PathBuf>> {
        match self.from {
            Source::Own => {
                let ending = if matches!(variant, Cuda | Raw) { "cu" } else { "c" };
                Some(vec![build::source(&format!("whole/{}.{ending}", self.name))])
            }
            Source::Fetched { openmp, .. } => {
                self.by_nvcc(variant).map_or(openmp, |cuda| cuda.sources).below(fetched)
            }
        }
    }

    /// The files that it is made of, but for headers of this project; none if its sources are not there.
    ///
    /// # Errors
    /// A folder of them cannot be read.
    pub fn inputs(&self, variant: Variant, fetched: Option<&Path>) -> Result<Option<Vec<PathBuf>>> {
        let Some(sources) = self.sources(variant, fetched) else { return Ok(None) };
        if self.is_own() {
            return Ok(Some(sources));
        }
        let mut files = BTreeSet::new();
        for folder in include_folders(&sources) {
            let entries =
                fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
            for entry in entries {
                files.insert(entry?.path());
            }
        }
        Ok(Some(files.into_iter().filter(|file| file.is_file()).collect()))
    }

    /// Compiles the version in CUDA of a program of others; beside it a file with what its kernels take.
    fn compile_by_nvcc(&self, cuda: &InCuda, sources: &[PathBuf], file: &Path) -> Result<()> {
        let folders = include_folders(sources);
        let folders: Vec<String> = folders.map(|folder| format!("-I{}", folder.display())).collect();
        let options: Vec<&str> =
            cuda.sources.options.iter().copied().chain(folders.iter().map(String::as_str)).collect();
        let said = nvcc::compile(sources, &options, file)?;
        let taken = nvcc::resources(&said, cuda.kernel);
        let taken = taken.with_context(|| format!("there is no kernel {} in {}", cuda.kernel, self.name))?;
        let note = resources_file(file);
        fs::write(&note, serde_json::to_string(&taken)?)
            .with_context(|| format!("cannot write {}", note.display()))
    }

    /// Registers and shared bytes of its kernels as the compiler told them, if it did.
    ///
    /// # Errors
    /// The file beside the program is not understood.
    pub fn resources(&self, variant: Variant, file: &Path) -> Result<Option<(u64, u64)>> {
        if !self.needs_nvcc(variant) {
            return Ok(None);
        }
        let note = resources_file(file);
        let text = fs::read_to_string(&note).with_context(|| format!("cannot read {}", note.display()))?;
        Ok(Some(
            serde_json::from_str(&text).with_context(|| format!("{} is not understood", note.display()))?,
        ))
    }

    /// Builds it as `variant` into `folder`; nothing if its sources are not there.
    ///
    /// # Errors
    /// A runtime of LLVM is not installed, or the compiler fails.
    pub fn build(
        &self,
        dist: &Dist,
        variant: Variant,
        fetched: Option<&Path>,
        folder: &Path,
    ) -> Result<Option<PathBuf>> {
        let Some(sources) = self.sources(variant, fetched) else { return Ok(None) };
        let file = folder.join(self.file(variant));
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        if let Some(cuda) = self.by_nvcc(variant) {
            self.compile_by_nvcc(cuda, &sources, &file)?;
            return Ok(Some(file));
        }
        let cxx = sources.iter().any(|source| source.extension().is_some_and(|ending| ending == "cpp"));
        let route = match variant {
            Cuda | Raw => Route::Cuda,
            Llvm22 => Route::LlvmDevicePtx,
            Passes => Route::Omptarget,
            _ => Route::Plain,
        };
        let mut command = build::compiler(dist, route, cxx)?;
        command.args(["-O3", "-w"]).args(&sources).arg("-o").arg(&file).arg("-lm");
        if route == Route::Cuda {
            command.arg("-std=c++17").arg(format!("-L{}", OPENMP_LIBRARIES)).arg("-lomp");
        }
        command.args(include_folders(&sources).map(|folder| {
            let mut option = std::ffi::OsString::from("-I");
            option.push(folder);
            option
        }));
        if let Source::Fetched { openmp, .. } = self.from {
            command.args(openmp.options);
        }
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        if !output.status.success() {
            bail!("{}: {command:?}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        Ok(Some(file))
    }

    /// A run of it.
    pub fn run(&self, size: Size) -> Run {
        let arguments = self.arguments[usize::from(size == Size::Gpu)].split_whitespace();
        arguments.fold(Run::on_device(), |run, argument| run.argument(argument))
    }

    /// How often it is to be run: some tell one time only.
    pub fn runs(&self, size: Size) -> usize {
        match (size, self.from) {
            (Size::Gpu, Source::Fetched { talk: Talk::Runtime, .. }) => 3,
            _ => 1,
        }
    }

    /// Whether the run was right. All check themselves; but some know the checksum of the size for GPUs alone: of another
    /// one it has to be that of a run on the host.
    ///
    /// # Errors
    /// It was not.
    pub fn verified(&self, size: Size, outcome: &Outcome, file: &Path) -> Result<()> {
        let tells_a_checksum = matches!(self.from, Source::Fetched { talk: Talk::Runtime, .. });
        if size != Size::Gpu && tells_a_checksum {
            let checksum = |stdout: &str| {
                let line = stdout.lines().find(|line| line.starts_with("Verification checksum"));
                line.map(str::to_owned)
            };
            let host = self.run(size).with("OMP_TARGET_OFFLOAD", "DISABLED").of(file)?;
            let (found, expected) = (checksum(&outcome.stdout), checksum(&host.stdout));
            ensure!(found.is_some() && found == expected, "{found:?} instead of {expected:?}\n{outcome}");
        } else {
            ensure!(outcome.status.success(), "{outcome}");
        }
        Ok(())
    }

    /// What its output tells.
    ///
    /// # Errors
    /// The output is not understood.
    pub fn printed(&self, stdout: &str, variant: Variant) -> Result<Printed> {
        let Source::Fetched { talk, .. } = self.from else { return figures::parse(stdout, variant) };
        let figures = match talk {
            Talk::BabelStream => babelstream(stdout),
            Talk::Runtime => vec![(self.name.to_owned(), Unit::Seconds, vec![runtime(stdout)?])],
        };
        let figure = |(name, unit, samples)| Figure {
            group: GROUP.to_owned(),
            name,
            variant,
            parameters: BTreeMap::new(),
            unit,
            samples,
        };
        let figures: Vec<Figure> = figures.into_iter().map(figure).collect();
        if figures.is_empty() {
            bail!("{} printed no figure:\n{stdout}", self.name);
        }
        Ok(Printed { figures, wrong: Vec::new() })
    }
}

/// Headers of a program lie beside its sources, or one folder up.
fn include_folders(sources: &[PathBuf]) -> impl Iterator<Item = &Path> {
    let folders = sources.iter().filter_map(|source| source.parent());
    folders.flat_map(|folder| [folder, folder.parent().unwrap_or(folder)])
}

/// Where it is written down what the kernels of a program of nvcc's take.
fn resources_file(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_owned();
    name.push(".resources");
    name.into()
}

/// `function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime`: the times, of which the
/// program tells three, and the bandwidth in them.
fn babelstream(stdout: &str) -> Vec<(String, Unit, Vec<f64>)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let [name, _, _, _, most_megabytes, least, most, mean] = cells[..] else { return None };
        let times = [least, mean, most].iter().map(|cell| cell.parse().ok()).collect::<Option<Vec<f64>>>()?;
        let bytes = most_megabytes.parse::<f64>().ok()? * 1e6 * times[0];
        let rates = times.iter().map(|time| bytes / time).collect();
        let name = format!("babelstream_{}", name.to_lowercase());
        Some([(name.clone(), Unit::Seconds, times), (name, Unit::BytesPerSecond, rates)])
    };
    stdout.lines().filter_map(row).flatten().collect()
}

/// The number in `Runtime:     0.123 seconds`.
fn runtime(stdout: &str) -> Result<f64> {
    let line = stdout.lines().find(|line| line.trim_start().starts_with("Runtime:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.with_context(|| format!("there is no line `Runtime: N seconds`:\n{stdout}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_sources_are_there_and_names_are_told_once() {
        let mut files = std::collections::BTreeSet::new();
        for program in PROGRAMS {
            for &variant in program.variants {
                assert!(files.insert(program.file(variant)));
                if let Source::Own = program.from {
                    let sources = program.sources(variant, None).unwrap();
                    assert!(sources.iter().all(|source| source.is_file()), "{sources:?}");
                } else {
                    assert!(program.sources(variant, None).is_none());
                }
            }
        }
    }

    #[test]
    fn what_programs_of_others_say_becomes_figures() {
        let of = |name| PROGRAMS.iter().find(|program| program.name == name).unwrap();
        let table = "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\n\
                     Triad,50,1024,8,4000,1e-06,4e-06,2e-06\n";
        let figures = of("babelstream").printed(table, Ours).unwrap().figures;
        let lines: Vec<_> = figures.iter().map(Figure::to_string).collect();
        assert_eq!(
            lines,
            [
                "figure programs babelstream_triad seconds : 0.000001 0.000002 0.000004",
                "figure programs babelstream_triad bytes_per_second : 4000000000 2000000000 1000000000"
            ]
        );
        let text = "Simulation Complete.\nRuntime:     0.250 seconds\nLookups:     17,000\n";
        let figures = of("xsbench").printed(text, Llvm22).unwrap().figures;
        assert_eq!((figures[0].name.as_str(), figures[0].median()), ("xsbench", 0.25));
        assert!(of("rsbench").printed("no time", Ours).is_err());
        assert!(of("babelstream").printed("Failed validation\n", Ours).is_err());
    }
}
