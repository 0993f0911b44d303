//! How long the passes take beside LLVM's, on the largest modules at hand.

use anyhow::{Context, Result};
use devicertl_build::toolchain::{Llvm, run};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::shapes::SHAPES;
use tests_gpu::{Dist, build::source};

const RUNS: usize = 10;

/// A table: milliseconds of processor time of each program, on each module.
///
/// # Errors
/// A tool fails.
pub fn table(dist: &Dist, folder: &Path) -> Result<String> {
    let llvm = Llvm::find()?;
    let plugin = dist.folder().join("lib/omptarget-passes.so");
    let (opt, tool) = (llvm.tool("opt"), dist.folder().join("bin/omptarget-opt"));
    let command = |program: &Path, arguments: &[&str]| {
        let mut words = vec![program.display().to_string()];
        words.extend(arguments.iter().map(|&argument| argument.to_owned()));
        words
    };
    let load = format!("-load-pass-plugin={}", plugin.display());
    let commands = [
        ("`opt-22` without a pass", command(&opt, &["-passes=no-op-module"])),
        ("`opt-22 -passes=openmp-opt`", command(&opt, &["-passes=openmp-opt"])),
        ("the plugin in `opt-22`", command(&opt, &[&load, "-passes=omptarget"])),
        ("`omptarget-opt`", command(&tool, &[])),
    ];
    let mut text = String::from("| module |");
    commands.iter().for_each(|(name, _)| text += &format!(" {name} |"));
    writeln!(text, "\n|---|{}", "---|".repeat(commands.len()))?;
    for (name, module) in modules(dist, &llvm, folder)? {
        write!(text, "| {name}, {} KiB |", fs::metadata(&module)?.len() / 1024)?;
        let mut times = vec![vec![]; commands.len()];
        // In turn, so that what else the machine does falls on all.
        for _ in 0..RUNS {
            for (at, (_, words)) in commands.iter().enumerate() {
                times[at].extend(milliseconds(words, &module)?);
            }
        }
        for mut times in times {
            times.sort_by(f64::total_cmp);
            match times.get(RUNS / 2) {
                Some(time) => write!(text, " {time:.0} |")?,
                None => text += " **fails** |",
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// Processor time of a command over the module, which the shell tells; `None` if the command fails: LLVM's pass crashes
/// on some modules.
fn milliseconds(words: &[String], module: &Path) -> Result<Option<f64>> {
    let mut shell = Command::new("bash");
    shell.args(["-c", "TIMEFORMAT='%3U %3S'; { time \"$@\" 2>/dev/null; } 2>&1", "time"]).args(words);
    let output = shell.arg(module).args(["-o", "/dev/null"]).output().context("cannot start bash")?;
    if !output.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let seconds = said.split_whitespace().map(str::parse::<f64>).sum::<Result<f64, _>>();
    Ok(Some(seconds.with_context(|| format!("what is {said}"))? * 1000.0))
}

/// The modules: all programs in one, before any pass, and one program with the device runtime.
fn modules(dist: &Dist, llvm: &Llvm, folder: &Path) -> Result<[(String, PathBuf); 2]> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut parts = vec![];
    for name in SHAPES.iter().flat_map(|shape| [shape.source].into_iter().chain(shape.units.iter().copied()))
    {
        let part = folder.join(format!("{}.bc", name.replace('/', ".")));
        if parts.contains(&part) {
            continue;
        }
        let mut clang = Command::new(llvm.tool(if name.ends_with(".cpp") { "clang++" } else { "clang" }));
        clang.args(["-O2", "-w", "-fopenmp", "--offload-arch=sm_90", "-nogpulib", "--offload-device-only"]);
        clang.arg(format!("--cuda-path={}", dist.folder().join("cuda").display()));
        clang.args(["-emit-llvm", "-c", "-Xclang", "-disable-llvm-passes"]).arg(source(name));
        run(clang.arg("-o").arg(&part))?;
        // The programs have functions of the same name.
        let mut opt = Command::new(llvm.tool("opt"));
        opt.args(["-passes=internalize", "-internalize-public-api-list=__omp_offloading_*"]);
        run(opt.arg(&part).arg("-o").arg(&part))?;
        parts.push(part);
    }
    let link = |parts: &[PathBuf], name: &str| -> Result<PathBuf> {
        let module = folder.join(name);
        run(Command::new(llvm.tool("llvm-link")).args(parts).arg("-o").arg(&module))?;
        Ok(module)
    };
    let solver = parts.iter().find(|part| part.ends_with("spmd.cg_solver_one_region.c.bc"));
    let solver = solver.context("the solver is not among the programs")?.clone();
    let runtime = dist.folder().join("lib/nvptx64-nvidia-cuda/libomptarget-nvptx.bc");
    Ok([
        (format!("{} files in one", parts.len()), link(&parts, "all.bc")?),
        ("cg_solver_one_region with the device runtime".to_owned(), link(&[solver, runtime], "solver.bc")?),
    ])
}
