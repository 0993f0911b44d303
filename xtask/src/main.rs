//! `cargo xtask`: everything that is done to this project beyond `cargo build`.

mod dist;
mod process;
mod setup;
mod test;

use clap::{Parser, Subcommand};
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
    /// Build the installation target/dist: command line, libomptarget.so, device runtime.
    Dist,
    /// Install what is missing, build, and run every check and test.
    Test,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Setup => setup::run(),
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
