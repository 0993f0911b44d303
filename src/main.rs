//! `omptarget`: compile OpenMP programs for the device with stock clang, and install the files that this needs.

mod cc;
mod install;
mod layout;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
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
    /// The device image is PTX text, so no file of NVIDIA's is needed. With a --cuda-path of your own that holds
    /// ptxas and nvlink the image is a cubin. Without --offload-arch the device code is for sm_90. -v also prints
    /// the clang command. OMPTARGET_CLANG names another clang.
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
    /// Write the device runtime and the files that clang wants beside it.
    Install {
        /// Folder to write to: lib/nvptx64-nvidia-cuda/, cuda/, etc/ below it.
        #[arg(long)]
        prefix: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Cc { clang_arguments } => cc::run("clang", &clang_arguments),
        Command::Cxx { clang_arguments } => cc::run("clang++", &clang_arguments),
        Command::Install { prefix } => install::run(&prefix).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|error| {
        eprintln!("omptarget: error: {error:#}");
        ExitCode::FAILURE
    })
}
