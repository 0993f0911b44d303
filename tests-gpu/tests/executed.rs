//! What the benches of device code execute on the SIMT device, in warp instructions, is what `expected/executed.txt` says. It
//! tells nothing about time; it finds what runs more code than before, where no other test looks: a loop that takes twice the
//! instructions for a chunk has the same results.
//!
//! A figure that rises fails: look why. One that falls fails too, or it could rise again unseen. Then
//! `OMPTARGET_TEST_UPDATE=1 cargo test -p tests-gpu --test executed` writes the file, for all benches or those of a filter.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tests_gpu::device_bench::{BENCHES, Bench, build};
use tests_gpu::figures::{self, Figure, Unit, Variant};
use tests_gpu::{Dist, Run};

/// The benches, one or more for each construct: barriers, regions, reductions, single and critical, loops, shared memory, blocks, tasks,
/// regions inside a region. Each as its first variant is built: the runtime alone is what most are about, blocks are the passes' matter.
const PINNED: [&str; 11] = [
    "barriers",
    "parallel-runtime",
    "parallel-machine",
    "parallel-spmd",
    "reductions",
    "sync",
    "loops",
    "memory",
    "blocks",
    "tasks",
    "nested",
];

/// A team of one warp, which is all that is needed to see what a construct executes.
const ARGUMENTS: [&str; 5] = ["seed=1", "samples=1", "repeats=20", "threads=32", "sizes=1000"];

/// Schedules of the interpreter. How often a thread that waits looks depends on them; a figure is the median.
const SEEDS: u32 = 9;

/// How much of a figure may change, for those who wait: each change of the code makes other schedules.
const SLACK: f64 = 0.02;

/// Set, the file is written and not compared.
const UPDATE: &str = "OMPTARGET_TEST_UPDATE";

/// Held while the file is written, to which each bench has a part.
static WRITES: Mutex<()> = Mutex::new(());

fn main() {
    let trials = PINNED.map(|name| {
        let bench = BENCHES.iter().find(|bench| bench.name == name).expect("the name of a bench");
        Trial::test(name, move || executes_what_is_expected(bench))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit()
}

fn expected() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("expected/executed.txt")
}

fn executes_what_is_expected(bench: &Bench) -> Result<(), Failed> {
    let variant = bench.variants().next().expect("a bench has a variant");
    let found = measure(bench, variant)?;
    if std::env::var_os(UPDATE).is_some() {
        return write(bench, &found);
    }
    let mut known = figures::parse(&std::fs::read_to_string(expected())?, variant)?.figures;
    known.retain(|figure| figure.group == bench.name);
    let of = |figures: &[Figure], key: &Figure| {
        figures.iter().find(|figure| figure.key() == key.key()).map(Figure::median)
    };
    let mut wrong = Vec::new();
    for figure in found.iter().chain(known.iter().filter(|figure| of(&found, figure).is_none())) {
        let what = match (of(&known, figure), of(&found, figure)) {
            (Some(before), Some(now)) if now > before * (1.0 + SLACK) => format!("rose from {before}"),
            (Some(before), Some(now)) if now < before * (1.0 - SLACK) => format!("fell from {before}"),
            (Some(_), Some(_)) => continue,
            (None, _) => "is new".to_owned(),
            (_, None) => "is not there any more".to_owned(),
        };
        wrong.push(format!("{figure} {what}"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n(if that is right: {UPDATE}=1)", wrong.join("\n")).into())
}

/// Whether a figure counts instructions, and few of them of threads that look again and again whether they may go on: in teams
/// that are no whole warps most do nothing else.
fn is_pinned(figure: &Figure) -> bool {
    let is = |key: &str, value: &str| figure.parameters.get(key).is_some_and(|word| word == value);
    figure.unit == Unit::Cycles && !figure.parameters.contains_key("team") && !is("outer", "2")
}

/// The figures of one bench, each the median over the schedules.
fn measure(bench: &Bench, variant: Variant) -> Result<Vec<Figure>, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("executed");
    let program = build(&Dist::find()?, bench, variant, &[], &folder)?;
    let mut figures: Vec<Figure> = Vec::new();
    for seed in 0..SEEDS {
        let run = Run::on_device().with("LIBOMPTARGET_INFO", 0).with("OMPTARGET_DEVICE", "simt");
        let run = run.with("OMPTARGET_SIMT_SEED", seed);
        let run = ARGUMENTS.iter().fold(run, |run, argument| run.argument(argument));
        let outcome = run.of(&program)?.successful()?;
        let printed = figures::parse(&outcome.stdout, variant)?;
        if !printed.wrong.is_empty() {
            return Err(format!("wrong: {:?}", printed.wrong).into());
        }
        for figure in printed.figures.into_iter().filter(is_pinned) {
            match figures.iter_mut().find(|other| other.key() == figure.key()) {
                Some(other) => other.samples.extend(figure.samples),
                None => figures.push(figure),
            }
        }
    }
    for figure in &mut figures {
        figure.samples = vec![figure.median()];
    }
    Ok(figures)
}

/// Puts the figures of one bench into the file.
fn write(bench: &Bench, figures: &[Figure]) -> Result<(), Failed> {
    let _alone = WRITES.lock()?;
    let text = std::fs::read_to_string(expected()).unwrap_or_default();
    let of_bench = format!("figure {} ", bench.name);
    let others = text.lines().filter(|line| !line.starts_with(&of_bench)).map(str::to_owned);
    let mut lines: Vec<_> = others.chain(figures.iter().map(Figure::to_string)).collect();
    lines.sort();
    Ok(std::fs::write(expected(), lines.join("\n") + "\n")?)
}
