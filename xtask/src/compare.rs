//! `cargo xtask compare`: OpenMP programs with our device and host runtime and with LLVM's, side by side on the SIMT
//! device.
//!
//! Both are compiled by the same clang (22 with device LTO, or 19), and run on the stand-in for the CUDA driver: LLVM's
//! libomptarget opens it as it opens a real one.

pub mod measure;
mod programs;

use crate::process::target;
use crate::{dist, setup};
use anyhow::{Context, Result};
use measure::{Measured, Outcome};
use programs::{PROGRAMS, Program};
use std::fmt::Write;
use std::path::Path;
use tests_gpu::stand_in::Host;
use tests_gpu::{Dist, Route};

/// Device runtime and host runtime of one maker.
struct Side {
    name: &'static str,
    route: Route,
    host: Host,
}

/// The LLVM whose compiler is used, and with whose runtimes ours are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Release {
    /// With device LTO.
    #[value(name = "22")]
    Llvm22,
    /// What Debian 12 has, without device LTO: kernels call the runtime.
    #[value(name = "19")]
    Llvm19,
}

impl Release {
    const fn sides(self) -> [Side; 2] {
        let (ours, (route, host)) = match self {
            Self::Llvm22 => (Route::Elf, (Route::LlvmDevice, Host::Llvm22)),
            Self::Llvm19 => (Route::Clang19Elf, (Route::Llvm19Device, Host::Llvm19)),
        };
        [Side { name: "ours", route: ours, host: Host::Ours }, Side { name: "LLVM's", route, host }]
    }
}

/// Compares all programs and writes the table to `out`, else to standard output. `fetched` is the folder with checkouts
/// of the programs that are not part of this project.
///
/// # Errors
/// Something is missing and cannot be installed, or a program of ours does not compile with our runtime.
pub fn run(release: Release, fetched: Option<&Path>, only: Option<&str>, out: Option<&Path>) -> Result<()> {
    setup::run()?;
    setup::PYOMP.install()?;
    let dist = Dist::find_in(&dist::run()?)?;
    let folder = target().join("compare");
    let (mut rows, mut notes) = (String::new(), String::new());
    for program in PROGRAMS {
        if only.is_some_and(|only| !program.name.contains(only)) {
            continue;
        }
        let Some(sources) = program.sources(fetched) else {
            eprintln!("xtask: {} is not there: pass --fetched FOLDER", program.name);
            continue;
        };
        eprintln!("xtask: {}", program.name);
        let mut both = vec![];
        for side in &release.sides() {
            let file = folder.join(format!("{}.{:?}", program.name, side.route));
            let measured = measure::measure(&dist, program, &sources, side.route, side.host, &file)?;
            if let Some(note) = measured.note() {
                writeln!(notes, "- {}, {}: {note}", program.name, side.name)?;
            }
            both.push(measured);
        }
        rows += &row(program, &both[0], &both[1]);
    }
    let page = format!("{}\n{HEAD}{rows}\n## Notes\n\n{notes}", programs::introduction(release));
    match out {
        Some(path) => std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display())),
        None => {
            print!("{page}");
            Ok(())
        }
    }
}

const HEAD: &str = "\
| program | subject | result, ours | result, LLVM's | findings | launches | thread instructions | warp instructions | barriers |
|---|---|---|---|---|---|---|---|---|
";

/// A row: the results, and `ours / LLVM's` in each other cell.
fn row(program: &Program, ours: &Measured, llvm: &Measured) -> String {
    let cell = |get: fn(&Measured) -> Option<u64>| {
        let text = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), grouped);
        format!("{} / {}", text(get(ours)), text(get(llvm)))
    };
    let cells = [
        cell(|m| m.findings()),
        cell(|m| m.sum().map(|sum| sum.launches)),
        cell(|m| m.sum().map(|sum| sum.thread_instructions)),
        cell(|m| m.sum().map(|sum| sum.warp_instructions)),
        cell(|m| m.sum().map(|sum| sum.barriers)),
    ];
    let word = |measured: &Measured| match measured.outcome {
        Outcome::Right => "right",
        Outcome::Differs => "**differs**",
        Outcome::Fails(_) => "**fails**",
        Outcome::DoesNotLink(_) => "**does not link**",
    };
    let results = format!("{} | {}", word(ours), word(llvm));
    format!("| {} | {} | {results} | {} |\n", program.name, program.subject, cells.join(" | "))
}

/// A number with a space before every three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for group in digits.as_bytes()[first..].chunks(3) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.extend(group.iter().map(|&digit| char::from(digit)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_grouped() {
        let texts = [0, 12, 999, 1000, 12345, 1234567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1 000", "12 345", "1 234 567"]);
    }
}
