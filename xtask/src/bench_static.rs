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
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Measures the programs of `list`, else those of the table, and writes what there is to say to `out`, else to standard output. `fetched` is the
/// folder with checkouts of the programs that are not part of this project.
///
/// # Errors
/// A tool is missing and cannot be installed, or a program of the table does not compile. One of a list that does not is left out.
pub fn run(
    list: Option<&Path>,
    fetched: Option<&Path>,
    only: Option<&str>,
    out: Option<&Path>,
) -> Result<()> {
    let scratch = target().join("bench-static");
    let tools = tools::Tools::install(&scratch)?;
    let runtimes = [Runtime::ours(&scratch)?, Runtime::llvm(&tools, &scratch)?];
    let mut libraries = Vec::new();
    for runtime in &runtimes {
        libraries.push(measure::library(&tools, &build::library(&tools, runtime, &scratch)?)?);
    }
    let programs = match list {
        Some(list) => programs::of_list(list, only)?,
        None => programs::of_the_table(fetched, only),
    };
    let mut page = Page::default();
    for link in LINKS {
        writeln!(page.text, "\n## {}\n\n{}", title(link), head())?;
        for program in &programs {
            for &variant in program.variants {
                let of_both = || -> Result<Vec<_>> {
                    let of = |(runtime, library): (&Runtime, _)| {
                        let folder = scratch.join(runtime.name).join(name(link));
                        let ptx = build::ptx(&tools, runtime, link, variant, program, &folder)?;
                        measure::kernels(&tools, library, &ptx, &program.source)
                    };
                    runtimes.iter().zip(&libraries).map(of).collect()
                };
                match of_both() {
                    Ok(both) => page.add((link, program, variant), &both[0], &both[1])?,
                    Err(error) if list.is_some() => {
                        eprintln!("xtask: {} is left out: {error:#}", program.name);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }
    let page = page.end()?;
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

/// Cells of a column.
#[derive(Clone, Copy, Default)]
struct Sum {
    lighter: u32,
    equal: u32,
    heavier: u32,
    ours: u64,
    llvm: u64,
}

/// What was measured.
#[derive(Default)]
struct Page {
    text: String,
    heavier: Vec<String>,
    /// For each variant, in the order of [`COLUMNS`].
    sums: BTreeMap<&'static str, [Sum; COLUMNS.len()]>,
}

impl Page {
    /// A row for each kernel, `ours / LLVM's` in each cell.
    fn add(
        &mut self,
        (link, program, variant): (Link, &Program, Variant),
        ours: &[Kernel],
        llvm: &[Kernel],
    ) -> Result<()> {
        let sums = self.sums.entry(variant.name()).or_default();
        for kernel in ours {
            let other = llvm.iter().find(|other| other.symbol == kernel.symbol);
            write!(self.text, "| {} | {} | {} |", program.name, variant.name(), kernel.name)?;
            for (column, sum) in COLUMNS.iter().zip(sums.iter_mut()) {
                let mine = (column.get)(kernel);
                let Some(theirs) = other.map(column.get) else {
                    write!(self.text, " {mine} / - |")?;
                    continue;
                };
                sum.ours += u64::from(mine);
                sum.llvm += u64::from(theirs);
                let mark = if mine > theirs { "**" } else { "" };
                write!(self.text, " {mark}{mine}{mark} / {theirs} |")?;
                match mine.cmp(&theirs) {
                    Ordering::Less => sum.lighter += 1,
                    Ordering::Equal => sum.equal += 1,
                    Ordering::Greater => {
                        sum.heavier += 1;
                        let place = format!("{}, {}, {}", name(link), program.name, variant.name());
                        let cell = format!("{}: {} {mine} / {theirs}", kernel.name, column.name);
                        self.heavier.push(format!("{place}, {cell}"));
                    }
                }
            }
            self.text.push('\n');
        }
        Ok(())
    }

    /// The whole page.
    fn end(self) -> Result<String> {
        let mut page = format!("{}{}\n## All kernels\n\n", programs::INTRODUCTION, self.text);
        page += "Kernels, in both modes, in which ours is lighter than LLVM's, as heavy, and heavier; and the sums.\n\n";
        page += "| variant | column | lighter | equal | heavier | ours | LLVM's |\n|---|---|---|---|---|---|---|\n";
        for (variant, sums) in &self.sums {
            for (column, Sum { lighter, equal, heavier, ours, llvm }) in COLUMNS.iter().zip(sums) {
                let name = column.name;
                writeln!(page, "| {variant} | {name} | {lighter} | {equal} | {heavier} | {ours} | {llvm} |")?;
            }
        }
        page += "\n## Heavier than LLVM\n\n";
        if self.heavier.is_empty() {
            page += "No cell.\n";
        }
        for line in self.heavier {
            writeln!(page, "- {line}")?;
        }
        Ok(page)
    }
}
