//! `cargo xtask`: everything that is done to this project beyond `cargo build`.

mod bench_passes;
mod bench_static;
mod bundle;
mod compare;
mod demo;
mod dist;
mod process;
mod results;
mod setup;
mod test;

use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tasks of this project.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what is missing, by apt and pip.
    Setup,
    /// Compile three OpenMP programs with stock clang-22 and run them on the device and on the host.
    Demo,
    /// Build the installation target/dist: command line, libomptarget.so, device runtime.
    Dist,
    /// Install what is missing, build, and run every check and test.
    Test,
    /// Make a folder that runs programs and benches on a machine with nothing but a GPU driver.
    GpuBundle {
        /// The folder, which is replaced; by default target/gpu-bundle.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Only programs whose name contains this, or one of these with commas between them.
        #[arg(long)]
        only: Option<String>,
        /// A folder with checkouts of BabelStream, XSBench and RSBench; without it they are left out.
        #[arg(long)]
        fetched: Option<PathBuf>,
    },
    /// File results under results/ and make docs/performance.md of them.
    Results {
        #[command(subcommand)]
        task: results::Task,
    },
    /// Registers, memory and instructions of kernels beside LLVM 22's runtime, as a table.
    BenchStatic {
        /// Measure these programs instead: a file with a source and clang's options on each line.
        #[arg(long, conflicts_with = "fetched")]
        list: Option<PathBuf>,
        #[command(flatten)]
        table: Table,
    },
    /// What the passes and LLVM's openmp-opt make of target regions with serial code, as a table; needs target/dist.
    BenchPasses {
        /// Only programs whose name contains this, and no times of the passes.
        #[arg(long)]
        only: Option<String>,
        /// The file to write; else the table goes to standard output.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// OpenMP programs with our runtimes and with LLVM's, side by side on the SIMT device, as a table.
    Compare {
        /// The release of the compiler and of LLVM's runtimes.
        #[arg(long, value_enum, default_value = "22")]
        llvm: compare::Release,
        #[command(flatten)]
        table: Table,
    },
}

/// Which programs a table has, and where it goes.
#[derive(Args)]
struct Table {
    /// A folder with checkouts of BabelStream, XSBench and RSBench; without it they are left out.
    #[arg(long)]
    fetched: Option<PathBuf>,
    /// Only programs whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// The file to write; else the table goes to standard output.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Table {
    fn make<R>(&self, run: impl FnOnce(Option<&Path>, Option<&str>, Option<&Path>) -> R) -> R {
        run(self.fetched.as_deref(), self.only.as_deref(), self.out.as_deref())
    }
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Setup => setup::run(),
        Task::Demo => demo::run(),
        Task::GpuBundle { out, only, fetched } => {
            let out = out.unwrap_or_else(|| process::target().join("gpu-bundle"));
            bundle::run(&out, only.as_deref(), fetched.as_deref())
        }
        Task::Results { task } => results::run(&task),
        Task::BenchStatic { list, table } => {
            table.make(|fetched, only, out| bench_static::run(list.as_deref(), fetched, only, out))
        }
        Task::BenchPasses { only, out } => bench_passes::run(only.as_deref(), out.as_deref()),
        Task::Compare { llvm, table } => {
            table.make(|fetched, only, out| compare::run(llvm, fetched, only, out))
        }
        Task::Dist => dist::run().map(|_| ()),
        Task::Test => test::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
