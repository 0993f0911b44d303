//! `omptarget`: compile OpenMP programs for the device with stock clang, run them on the SIMT device, and install the
//! files that this needs.
//!
//! Called by the name `ptxas` or `nvlink` it is the stand-in for that tool ([`ptx_link::tools`]).

mod architecture;
mod cc;
mod directives;
mod fc;
mod fortran_steps;
mod headers;
mod host_archive;
mod info;
mod install;
mod layout;
mod libdevice;
mod opt;
mod run;

use clap::{Parser, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;

/// OpenMP offload for NVIDIA GPUs with stock clang.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile and link a C program as clang-22 does, for the device too; all flags go to clang.
    ///
    /// The device image is PTX text, so no file of NVIDIA's is needed. With the --cuda-path of a CUDA toolkit the
    /// image is a cubin. Without --offload-arch the device code is for sm_90; sources without an OpenMP directive have
    /// none. -v also prints the clang command. OMPTARGET_CLANG names another clang.
    /// Our passes run over the device code, of each file and of all files at the link (docs/passes.md); with
    /// -fno-omptarget-opt they do not, and nor with another clang, unless -fomptarget-opt asks for them.
    /// The __nv_* functions come from the --cuda-path, else ours; OMPTARGET_LIBDEVICE=ours takes ours in any case,
    /// OMPTARGET_LIBDEVICE=nvidia never.
    #[command(disable_help_flag = true)]
    Cc {
        /// Arguments for clang.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        clang_arguments: Vec<OsString>,
    },
    /// The same for C++, with clang++.
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// Arguments for clang++.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        clang_arguments: Vec<OsString>,
    },
    /// The same for Fortran, with flang-22.
    ///
    /// A --cuda-path, which flang does not know, becomes the first folder of its PATH. OMPTARGET_FLANG names another
    /// flang. Unless -O0 or -fno-offload-lto is given, flang compiles each source for the device and the host apart, and
    /// objects hold bitcode for the device, over which the passes run once more at the link.
    #[command(disable_help_flag = true)]
    Fc {
        /// Arguments for flang.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        flang_arguments: Vec<OsString>,
    },
    /// Run the passes over LLVM IR of device code, or tell what they do to a source (--explain): `omptarget opt --help`.
    #[command(disable_help_flag = true)]
    Opt {
        /// Arguments for omptarget-opt.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run a program on the embedded SIMT device, under a seed, under many, with checkers, or with a report.
    ///
    /// Sets OMPTARGET_DEVICE=simt and the OMPTARGET_SIMT_* variables that stand for the options, and
    /// OMP_TARGET_OFFLOAD=MANDATORY unless it is set. The exit status is the program's.
    Run(Box<run::Options>),
    /// Tell which devices and driver there are, what a program would run on and why, and what a program's images are.
    ///
    /// The environment counts: OMPTARGET_DEVICE=cuda omptarget info tells what is missing for a GPU.
    Info(info::Options),
    /// Write the device runtime and the files that clang wants beside it.
    Install {
        /// Folder to write to: lib/nvptx64-nvidia-cuda/, cuda/, etc/ below it.
        #[arg(long)]
        prefix: PathBuf,
    },
}

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().map(PathBuf::from).unwrap_or_default();
    match called.file_name().and_then(OsStr::to_str) {
        Some("ptxas") => return stand_in("ptxas fatal", ptx_link::tools::ptxas(&Vec::from_iter(words))),
        Some("nvlink") => return stand_in("nvlink error", ptx_link::tools::nvlink(&Vec::from_iter(words))),
        _ => {}
    }
    let result = match Arguments::parse().command {
        Command::Cc { clang_arguments } => cc::run("clang", &clang_arguments),
        Command::Cxx { clang_arguments } => cc::run("clang++", &clang_arguments),
        Command::Fc { flang_arguments } => fc::run(&flang_arguments),
        Command::Opt { arguments } => opt::run(&arguments),
        Command::Run(options) => run::run(&options),
        Command::Info(options) => info::run(&options),
        Command::Install { prefix } => install::run(&prefix).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|error| {
        eprintln!("omptarget: error: {error:#}");
        ExitCode::FAILURE
    })
}

/// How NVIDIA's tools end: one line for each thing that is wrong.
fn stand_in(prefix: &str, result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    for line in format!("{error:#}").lines() {
        eprintln!("{prefix}   : {line}");
    }
    ExitCode::FAILURE
}
