//! `cargo xtask bench-passes`: the target regions with serial code of `kernels/spmd`, generic, converted by LLVM's
//! openmp-opt and converted by our passes.

mod measure;
mod modes;
mod time;

use crate::compare::grouped;
use crate::process::{root, target};
use crate::setup;
use anyhow::{Context, Result, anyhow, ensure};
use measure::{Measured, SIDES, Side, Verdict};
use modes::{CONVERTED, GENERIC};
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests_gpu::Dist;
use tests_gpu::shapes::{SHAPES, Shape};

const INTRODUCTION: &str = "\
Each program of `kernels/spmd` is compiled five times by clang-22 (`-O2`, device LTO, sm_90) with our device runtime: without
openmp-opt (generic: workers wait in the runtime); with the option `openmp-opt-disable-spmdization`, so that kernels stay generic
and openmp-opt (LLVM's machine) or our passes (our machine) write their state machines; as clang does it (LLVM); and with
`-fomptarget-opt` (ours: the passes on each file and at the link). Nothing here ran on a GPU.

Modes, barriers (`bar` and `barrier` instructions in all of the image), registers and static shared bytes (`ptxas -v -O3`, the
kernel with most) are of the image. Result: the programs of LLVM and ours ran under 3 seeds of the SIMT device, the others
under one, with the checkers of races and barriers; right means the output of the run on the host each time and no finding.
Instructions and barriers are sums over the launches of the first seed, one OS thread.
";

/// Of the summary's tables.
const HEAD: &str = "| | generic | LLVM's machine | our machine | LLVM | ours |\n|---|---|---|---|---|---|";

/// A program with its measurements.
struct Row {
    name: &'static str,
    sides: [Measured; SIDES.len()],
}

impl Row {
    fn side(&self, side: Side) -> &Measured {
        &self.sides[side as usize]
    }

    /// Generic, LLVM's and ours.
    fn three(&self) -> [&Measured; 3] {
        [Side::Generic, Side::Llvm, Side::Ours].map(|side| self.side(side))
    }
}

/// Measures everything and writes the page to `out`, else to standard output.
///
/// # Errors
/// There is no installation or no ptxas, or a tool fails.
pub fn run(only: Option<&str>, out: Option<&Path>) -> Result<()> {
    let dist = Dist::find()?;
    let ptxas = setup::assembler_folder().join("ptxas");
    ensure!(ptxas.is_file(), "{} is not there: run `cargo xtask setup`", ptxas.display());
    let folder = target().join("bench-passes");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let shapes: Vec<_> =
        SHAPES.iter().filter(|shape| only.is_none_or(|only| shape.source.contains(only))).collect();
    let rows = rows(&dist, &ptxas, &shapes, &folder)?;
    let commit = std::process::Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .current_dir(root())
        .output()
        .context("cannot start git")?;
    let mut page = format!(
        "# The passes beside LLVM 22's openmp-opt\n\nMade by `cargo xtask bench-passes` at commit {}.\n\n{INTRODUCTION}",
        String::from_utf8_lossy(&commit.stdout).trim()
    );
    summary(&mut page, &rows)?;
    if only.is_none() {
        page += "\n## Time of the passes\n\nProcessor time in milliseconds with start, reading and writing, median of 10.\n\n";
        page += &time::table(&dist, &folder.join("modules"))?;
    }
    tables(&mut page, &rows)?;
    match out {
        Some(path) => std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display())),
        None => {
            print!("{page}");
            Ok(())
        }
    }
}

/// Measures the programs, several at a time.
fn rows(dist: &Dist, ptxas: &Path, shapes: &[&Shape], folder: &Path) -> Result<Vec<Row>> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(vec![]);
    let work = || -> Result<()> {
        while let Some(shape) = shapes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = shape.source.trim_start_matches("spmd/");
            eprintln!("xtask: {name}");
            let sides = SIDES.map(|side| measure::measure(dist, ptxas, shape, side, folder));
            let [a, b, c, d, e] = sides;
            rows.lock().expect("no holder panics").push(Row { name, sides: [a?, b?, c?, d?, e?] });
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow!("a worker panicked"))?)
    })?;
    let mut rows = rows.into_inner().expect("no holder panics");
    rows.sort_by_key(|row| row.name);
    Ok(rows)
}

/// What the rows come to together.
fn summary(page: &mut String, rows: &[Row]) -> Result<()> {
    let generic = |row: &Row| row.side(Side::Generic).kernels.iter().filter(|k| k.mode == GENERIC).count();
    let converted = |row: &Row, side| row.side(side).kernels.iter().filter(|k| k.mode == CONVERTED).count();
    let kernels = |side| rows.iter().map(|row| converted(row, side)).sum::<usize>();
    let all: usize = rows.iter().map(generic).sum();
    let programs = rows.iter().filter(|row| generic(row) > 0).count();
    let whole =
        |side| rows.iter().filter(|row| generic(row) > 0 && converted(row, side) == generic(row)).count();
    writeln!(page, "\n## Summary\n\n{HEAD}")?;
    let mut line = |name: &str, get: &dyn Fn(Side) -> String| {
        writeln!(page, "| {name} | {} |", SIDES.map(get).join(" | "))
    };
    line(&format!("kernels converted, of {all} generic ones"), &|side| kernels(side).to_string())?;
    line(&format!("programs with all converted, of {programs}"), &|side| whole(side).to_string())?;
    for (name, is) in VERDICTS {
        line(&format!("programs: {name}"), &|side| {
            rows.iter().filter(|row| is(&row.side(side).verdict)).count().to_string()
        })?;
    }
    // Only programs that all sides run to their end can be compared.
    let both: Vec<_> = rows.iter().filter(|row| row.sides.iter().all(|side| side.sum.is_some())).collect();
    writeln!(
        page,
        "\nOf the {} programs that end well on all sides, beside generic; ratios are geometric means:\n\n\
         {HEAD}",
        both.len()
    )?;
    let mut line = |name: &str, get: &dyn Fn(Side) -> String| {
        writeln!(page, "| {name} | {} |", SIDES.map(get).join(" | "))
    };
    let mean = |get: fn(&Measured) -> f64, side| {
        let ratio = |row: &&Row| (get(row.side(side)) / get(row.side(Side::Generic))).ln();
        format!("{:.2}", (both.iter().map(ratio).sum::<f64>() / both.len() as f64).exp())
    };
    let total = |get: fn(&Measured) -> u64, side| grouped(both.iter().map(|row| get(row.side(side))).sum());
    line("registers, ratio", &|side| mean(|m| m.registers.into(), side))?;
    line("thread instructions, ratio", &|side| mean(|m| counted(m).0 as f64, side))?;
    line("warp instructions, ratio", &|side| mean(|m| counted(m).1 as f64, side))?;
    line("warp instructions, all", &|side| total(|m| counted(m).1, side))?;
    line("barriers executed, all", &|side| total(|m| counted(m).2, side))?;
    line("barriers in the images, all", &|side| total(|m| m.barriers as u64, side))?;
    line("static shared bytes, all", &|side| total(|m| m.shared.into(), side))?;
    Ok(())
}

/// Thread instructions, warp instructions and barriers of the launches.
fn counted(measured: &Measured) -> (u64, u64, u64) {
    let sum = measured.sum.as_ref();
    sum.map_or((0, 0, 0), |sum| (sum.thread_instructions, sum.warp_instructions, sum.barriers))
}

type Is = fn(&Verdict) -> bool;

/// The lines of the summary about results.
const VERDICTS: [(&str, Is); 5] = [
    ("right", |verdict| *verdict == Verdict::Right),
    ("right, with findings of the checkers", |verdict| matches!(verdict, Verdict::Findings(_))),
    ("wrong", |verdict| matches!(verdict, Verdict::Wrong(_))),
    ("hang", |verdict| matches!(verdict, Verdict::Hangs(_))),
    ("do not build", |verdict| matches!(verdict, Verdict::DoesNotBuild(_))),
];

/// The programs, and what failed in them.
fn tables(page: &mut String, rows: &[Row]) -> Result<()> {
    writeln!(
        page,
        "\n## Programs\n\n| program | mode before | mode, LLVM | mode, ours | barriers, generic / LLVM / ours | registers | shared bytes | result, LLVM's | ours |\n|{}",
        "---|".repeat(9)
    )?;
    for row in rows {
        let [generic, llvm, ours] = row.three();
        let modes = [generic, llvm, ours].map(|m| modes::text(&m.kernels)).join(" | ");
        let cell = |get: fn(&Measured) -> String| row.three().map(get).join(" / ");
        let cells = [
            cell(|m| m.barriers.to_string()),
            cell(|m| m.registers.to_string()),
            cell(|m| m.shared.to_string()),
            word(&llvm.verdict),
            word(&ours.verdict),
        ];
        writeln!(page, "| {} | {modes} | {} |", row.name, cells.join(" | "))?;
    }
    writeln!(
        page,
        "\n## What the launches execute\n\nGeneric / LLVM's machine / our machine / LLVM / ours.\n\n\
         | program | thread instructions | warp instructions | barriers |\n|---|---|---|---|"
    )?;
    for row in rows {
        let cell = |get: fn((u64, u64, u64)) -> u64| {
            let text = |m: &Measured| m.sum.as_ref().map_or("-".to_owned(), |_| grouped(get(counted(m))));
            row.sides.each_ref().map(text).join(" / ")
        };
        writeln!(page, "| {} | {} | {} | {} |", row.name, cell(|c| c.0), cell(|c| c.1), cell(|c| c.2))?;
    }
    writeln!(page, "\n## Failures\n")?;
    for (row, side) in rows.iter().flat_map(|row| SIDES.map(|side| (row, side))) {
        if let Verdict::Wrong(line) | Verdict::Hangs(line) | Verdict::DoesNotBuild(line) =
            &row.side(side).verdict
        {
            writeln!(page, "- {}, {side:?}: {}, `{line}`", row.name, word(&row.side(side).verdict))?;
        }
    }
    Ok(())
}

/// In the table.
fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Right => "right".to_owned(),
        Verdict::Findings(count) => format!("right, **{count} findings**"),
        Verdict::Wrong(_) => "**wrong**".to_owned(),
        Verdict::Hangs(_) => "**hangs**".to_owned(),
        Verdict::DoesNotBuild(_) => "**does not build**".to_owned(),
    }
}
