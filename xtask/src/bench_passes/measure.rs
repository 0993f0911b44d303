//! One program compiled in one way: what its kernels are, what they take, and whether they run right.

use super::modes::{Kernel, kernels};
use crate::bench_static::measure::entries;
use crate::compare::measure::{Sum, json_lines, telling_line};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use tests_gpu::cases::STATE_MACHINE;
use tests_gpu::shapes::Shape;
use tests_gpu::{Case, Dist, Run, build};

/// A launch that takes longer is taken for one that never ends.
const LIMIT: &str = "10s";
/// Our passes on each file and at the link.
const OUR_PASSES: &str = "-fomptarget-opt";
/// Nothing of ours, not even what `omptarget cc` repairs.
const STOCK: &str = "-fno-omptarget-opt";

/// A way to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Without openmp-opt: workers wait in the runtime.
    Generic,
    /// Kernels stay generic, openmp-opt writes their state machines.
    LlvmMachine,
    /// The same by our passes.
    OurMachine,
    /// As clang does it.
    Llvm,
    /// With our passes.
    Ours,
}

/// All of them, in the order of the table.
pub const SIDES: [Side; 5] = [Side::Generic, Side::LlvmMachine, Side::OurMachine, Side::Llvm, Side::Ours];

impl Side {
    fn case(self, shape: &Shape) -> Case {
        match self {
            Self::Generic => shape.generic(),
            Self::LlvmMachine => shape.with_options("machine", &[&["-O2", STOCK], STATE_MACHINE]),
            Self::OurMachine => shape.with_options("our-machine", &[&["-O2", OUR_PASSES], STATE_MACHINE]),
            Self::Llvm => shape.with_options("compiler", &[&["-O2", STOCK]]),
            Self::Ours => shape.with_options("link-time", &[&["-O2", OUR_PASSES]]),
        }
    }

    /// Schedules of the SIMT device that a program runs under; the counts are those of the first.
    fn seeds(self) -> RangeInclusive<u32> {
        1..=if matches!(self, Self::Llvm | Self::Ours) { 3 } else { 1 }
    }
}

/// What became of a program, worse ones last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Under all seeds its output is that of a run on the host, and the checkers find nothing.
    Right,
    /// The same, but the checkers found so many things.
    Findings(usize),
    /// It ended with another output, or with an error: the line that tells most.
    Wrong(String),
    /// A launch did not end, or could not.
    Hangs(String),
    /// The compiler or ptxas refuses it.
    DoesNotBuild(String),
}

/// A program that has been measured.
pub struct Measured {
    /// What became of it.
    pub verdict: Verdict,
    /// Its kernels, by name.
    pub kernels: Vec<Kernel>,
    /// Barriers in the image.
    pub barriers: usize,
    /// Registers of the kernel that takes most.
    pub registers: u32,
    /// The same of static shared bytes.
    pub shared: u32,
    /// What its launches cost, if all ended well.
    pub sum: Option<Sum>,
}

impl Measured {
    fn failed(words: &str) -> Self {
        let verdict = Verdict::DoesNotBuild(telling_line(words));
        Self { verdict, kernels: vec![], barriers: 0, registers: 0, shared: 0, sum: None }
    }
}

/// Builds `shape` in this way into `folder` and runs it.
///
/// # Errors
/// A tool is missing, a run on the host fails, or a file cannot be read or written.
pub fn measure(dist: &Dist, ptxas: &Path, shape: &Shape, side: Side, folder: &Path) -> Result<Measured> {
    let case = side.case(shape);
    let file = folder.join(case.name());
    let mut command = build::command(dist, &case, &["-w".to_owned()], &file)?;
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Ok(Measured::failed(&words));
    }
    let image = image(&file)?;
    let ptx = file.with_extension(format!("{}.ptx", case.variant));
    fs::write(&ptx, &image).with_context(|| format!("cannot write {}", ptx.display()))?;
    let mut assembler = Command::new(ptxas);
    assembler.args(["-arch", "sm_90", "-O3", "-v", "-o", "/dev/null"]).arg(&ptx);
    let output = assembler.output().with_context(|| format!("cannot start {}", ptxas.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Ok(Measured::failed(&said.replace(&format!("{}/", folder.display()), "")));
    }
    let usages = entries(&said);
    let most =
        |get: fn(u32, u32) -> u32| usages.iter().map(|(_, usage)| get(usage.registers, usage.shared)).max();
    let stats = file.with_extension(format!("{}.stats", case.variant));
    let verdict = runs(&case, &file, &stats, side.seeds())?;
    let ended = matches!(verdict, Verdict::Right | Verdict::Findings(_));
    Ok(Measured {
        sum: ended.then(|| Sum::of(&stats)).transpose()?,
        verdict,
        kernels: kernels(&image),
        barriers: barriers(&image),
        registers: most(|registers, _| registers).unwrap_or(0),
        shared: most(|_, shared| shared).unwrap_or(0),
    })
}

/// The PTX in a program.
fn image(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let at = bytes.windows(10).position(|window| window == b"\n.version ");
    let text = &bytes[at.with_context(|| format!("{} has no PTX", file.display()))? + 1..];
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    // If there is no gap behind the last line, other data follow.
    let end = text[..end].iter().rposition(|&byte| byte == b'\n').unwrap_or(end);
    String::from_utf8(text[..end].to_vec())
        .with_context(|| format!("the PTX in {} is no text", file.display()))
}

/// Barriers of a team in all kernels and functions.
fn barriers(ptx: &str) -> usize {
    let opcode = |line: &str| {
        let word = line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or("");
        word.starts_with("bar.") && !word.starts_with("bar.warp") || word.starts_with("barrier.")
    };
    ptx.lines().filter(|line| opcode(line)).count()
}

/// Runs the program under each seed and the checkers until something is wrong.
fn runs(case: &Case, file: &Path, stats: &Path, seeds: RangeInclusive<u32>) -> Result<Verdict> {
    let host = case.host_run().of(file)?.successful()?;
    ensure!(!host.stdout.is_empty(), "{} prints nothing", file.display());
    let findings = stats.with_extension("findings");
    let mut found = 0;
    let first = *seeds.start();
    for seed in seeds {
        let _ = fs::remove_file(&findings);
        let mut run = Run::on_device().with("OMPTARGET_SIMT_SEED", seed).with("OMPTARGET_SIMT_LIMIT", LIMIT);
        run = run.with("OMPTARGET_SIMT_CHECK", "race,barrier");
        run = run.with("OMPTARGET_SIMT_CHECK_JSON", findings.display());
        if seed == first {
            let _ = fs::remove_file(stats);
            run = run.with("OMPTARGET_SIMT_STATS", stats.display());
        }
        let device = match run.of(file) {
            Ok(device) => device,
            Err(error) => return Ok(Verdict::Hangs(telling_line(&format!("{error:#}")))),
        };
        found += json_lines::<serde_json::Value>(&findings)?.map_or(0, |lines| lines.len());
        if device.stdout != host.stdout {
            let line = telling_line(&format!("{}\n{}", device.stderr, device.stdout));
            // A finding may stand before it.
            let hangs = ["has not ended", "deadlock"].iter().any(|words| device.stderr.contains(words));
            return Ok(if hangs { Verdict::Hangs(line) } else { Verdict::Wrong(line) });
        }
    }
    Ok(if found == 0 { Verdict::Right } else { Verdict::Findings(found) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_of_teams_are_counted() {
        let ptx = "\tbar.sync 0;\n\t@%p1 barrier.sync 1, 64;\n\tbar.warp.sync -1;\n\tbarrier.sync.aligned 2;\n.b8 bar.x;\n";
        assert_eq!(barriers(ptx), 3);
    }
}
