//! `cargo xtask bench-static`: what the kernels of a set of programs cost before they run, beside LLVM 22's runtime.
//!
//! The same clang with the same options links each program with our runtime and with LLVM's (the bitcode that the
//! PyPI package pyomp carries), in both link modes; ptxas and nvdisasm tell registers, memory and instructions.

mod build;
pub mod measure;
mod programs;
mod tools;

use crate::process::target;
use anyhow::{Context, Result};
use build::{LINKS, Runtime, name, title};
use devicertl_build::kernel::Link;
use measure::{COLUMNS, Kernel};
use programs::{Program, Variant};
use std::fmt::Write;
use std::path::Path;

/// Measures everything and writes the table to `out`, else to standard output. `fetched` is the folder with checkouts
/// of the programs that are not part of this project.
///
/// # Errors
/// A tool is missing and cannot be installed, or a program does not compile.
pub fn run(fetched: Option<&Path>, only: Option<&str>, out: Option<&Path>) -> Result<()> {
    let scratch = target().join("bench-static");
    let tools = tools::Tools::install(&scratch)?;
    let runtimes = [Runtime::ours(&scratch)?, Runtime::llvm(&tools, &scratch)?];
    let mut libraries = Vec::new();
    for runtime in &runtimes {
        libraries.push(measure::library(&tools, &build::library(&tools, runtime, &scratch)?)?);
    }
    let mut text = String::new();
    let mut heavier = Vec::new();
    for link in LINKS {
        writeln!(text, "\n## {}\n\n{}", title(link), head())?;
        for program in programs::PROGRAMS {
            if only.is_some_and(|only| !program.name.contains(only)) {
                continue;
            }
            let Some(source) = program.source(fetched) else {
                eprintln!("xtask: {} is not there: pass --fetched FOLDER", program.name);
                continue;
            };
            for &variant in program.variants {
                let mut both = Vec::new();
                for (runtime, library) in runtimes.iter().zip(&libraries) {
                    let folder = scratch.join(runtime.name).join(name(link));
                    let ptx = build::ptx(&tools, runtime, link, variant, program, &source, &folder)?;
                    both.push(measure::kernels(&tools, library, &ptx, &source)?);
                }
                rows(&mut text, &mut heavier, (link, program, variant), &both[0], &both[1])?;
            }
        }
    }
    let mut page = format!("{}{text}\n## Heavier than LLVM\n\n", programs::INTRODUCTION);
    if heavier.is_empty() {
        page += "No cell.\n";
    }
    for line in heavier {
        writeln!(page, "- {line}")?;
    }
    match out {
        Some(path) => std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display())),
        None => {
            print!("{page}");
            Ok(())
        }
    }
}

fn head() -> String {
    let names = COLUMNS.iter().map(|column| column.name).collect::<Vec<_>>().join(" | ");
    format!("| program | variant | kernel | {names} |\n|{}", "---|".repeat(COLUMNS.len() + 3))
}

/// A row for each kernel, `ours / LLVM's` in each cell.
fn rows(
    text: &mut String,
    heavier: &mut Vec<String>,
    (link, program, variant): (Link, &Program, Variant),
    ours: &[Kernel],
    llvm: &[Kernel],
) -> Result<()> {
    for kernel in ours {
        let other = llvm.iter().find(|other| other.name == kernel.name);
        write!(text, "| {} | {} | {} |", program.name, variant.name(), kernel.name)?;
        for column in COLUMNS {
            let mine = (column.get)(kernel);
            match other.map(column.get) {
                Some(theirs) if mine > theirs => {
                    write!(text, " **{mine}** / {theirs} |")?;
                    let place = format!("{}, {}, {}", name(link), program.name, variant.name());
                    heavier.push(format!("{place}, {}: {} {mine} / {theirs}", kernel.name, column.name));
                }
                Some(theirs) => write!(text, " {mine} / {theirs} |")?,
                None => write!(text, " {mine} / - |")?,
            }
        }
        text.push('\n');
    }
    Ok(())
}
