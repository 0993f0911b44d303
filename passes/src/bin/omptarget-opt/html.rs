//! The report as a page of its own: each kernel's source, and beside each line who runs it.

use crate::explain;
use crate::pipeline::Done;
use crate::summary::KernelSummary;
use abi::mode::ExecMode;
use passes::analysis::guards::guarded_blocks;
use passes::analysis::kernel::Kernel;
use passes::analysis::runtime::parallel;
use passes::ir::Module;
use passes::remark::Remark;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Who runs the code of a line. Copies of a line may differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Runner {
    /// The main thread of a generic kernel; the others wait.
    Serial,
    /// Thread 0 of an SPMD kernel; the others go around it.
    Guarded,
    /// All threads, together, outside of parallel regions.
    Together,
    /// All threads in a parallel region.
    Parallel,
}

impl Runner {
    const ALL: [Self; 4] = [Self::Serial, Self::Guarded, Self::Together, Self::Parallel];

    /// Its class in the page, and what a reader sees.
    fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Guarded => "guarded",
            Self::Together => "together",
            Self::Parallel => "parallel",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::Serial => "one thread; the others wait in the runtime",
            Self::Guarded => "thread 0; the others go on to the next barrier",
            Self::Together => "all threads, the same values",
            Self::Parallel => "all threads, a share of the work each",
        }
    }
}

const STYLE: &str = ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#6a737d;--line:#d8dee4;\
--serial:#f6c9c6;--guarded:#fbe3ae;--together:#cfe3f7;--parallel:#cdebd0}\
@media(prefers-color-scheme:dark){:root{--ink:#e3e7eb;--paper:#15191e;--faint:#8b949e;--line:#343b43;\
--serial:#6b2c29;--guarded:#5f4a16;--together:#1f3f5f;--parallel:#1f4d2a}}\
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2em auto;max-width:80em;padding:0 1em}\
h2{border-top:1px solid var(--line);padding-top:1em}code,.source{font:13px/1.5 ui-monospace,monospace}\
table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:0 .8em 0 0}\
.source{width:100%}.source td{white-space:pre-wrap;padding:0 .6em}.source .number{color:var(--faint);text-align:right;width:3em}\
.source .who{width:11em;white-space:nowrap}.source .note td{white-space:normal;font-family:system-ui,sans-serif;color:var(--faint)}\
.blocked{border-left:4px solid var(--serial);padding-left:.8em}.runner{padding:0 .5em;border-radius:3px;margin-right:.2em}\
.serial{background:var(--serial)}.guarded{background:var(--guarded)}.together{background:var(--together)}.parallel{background:var(--parallel)}";

/// The page.
pub fn page(module: Module, done: &Done, input: &str) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    let title = escaped(&format!("OpenMP kernels of {input}"));
    let _ = writeln!(out, "<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>");
    out.push_str("<table id=\"legend\">");
    for runner in Runner::ALL {
        let _ = writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", label(runner), runner.explanation());
    }
    out.push_str("</table>\n");
    let kernels = Kernel::all(module);
    for summary in &done.kernels {
        let kernel = kernels.iter().find(|kernel| kernel.name() == summary.name);
        section(&mut out, summary, &kernel.map_or_else(BTreeMap::new, |kernel| lines(*kernel)));
    }
    if done.kernels.is_empty() {
        out.push_str("<p>There is no kernel in this module.</p>\n");
    }
    out.push_str("</body></html>\n");
    out
}

/// For each file, by its name and path, its lines.
type Lines = BTreeMap<(String, PathBuf), BTreeMap<u32, BTreeSet<Runner>>>;

fn section(out: &mut String, kernel: &KernelSummary, lines: &Lines) {
    let _ = writeln!(out, "<section class=\"kernel\"><h2>{}</h2>", escaped(&kernel.title()));
    let _ = writeln!(out, "<p><code>{}</code></p><table class=\"figures\">", escaped(&kernel.name));
    let _ = writeln!(out, "<tr><th>mode</th><td>{}</td></tr>", explain::mode(kernel));
    for (name, value) in explain::rows(kernel) {
        let _ = writeln!(out, "<tr><th>{name}</th><td>{value}</td></tr>");
    }
    out.push_str("</table>\n");
    for given in &kernel.remarks {
        if let Remark::Blocked(reason) = given.remark {
            let what = escaped(&explain::blocker(given, reason));
            let advice = escaped(explain::to_do(reason));
            let _ = writeln!(out, "<p class=\"blocked\">Blocked by {what}.<br>To do: {advice}.</p>");
        }
    }
    for ((file, path), lines) in lines {
        source(out, kernel, file, path, lines);
    }
    out.push_str("</section>\n");
}

/// The lines of a file from the kernel's first to its last, each with those who run it and the remarks about it.
fn source(
    out: &mut String,
    kernel: &KernelSummary,
    file: &str,
    path: &Path,
    lines: &BTreeMap<u32, BTreeSet<Runner>>,
) {
    let (Some(first), Some(last)) = (lines.keys().next(), lines.keys().next_back()) else { return };
    let text =
        std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let mut rows: Vec<&str> = text.lines().collect();
    rows.resize(rows.len().max(*last as usize), "");
    let _ = writeln!(out, "<h3>{}</h3><table class=\"source\">", escaped(file));
    for number in *first..=*last {
        let runners = lines.get(&number);
        let who: String = runners.into_iter().flatten().map(|runner| label(*runner)).collect();
        let class = runners.and_then(|runners| runners.first()).map_or("", |runner| runner.name());
        let line = escaped(rows[number as usize - 1]);
        let _ = writeln!(
            out,
            "<tr class=\"{class}\"><td class=\"number\">{number}</td><td class=\"who\">{who}</td><td>{line}</td></tr>"
        );
        let mut notes = BTreeSet::new();
        for given in &kernel.remarks {
            if given.location.as_ref().is_some_and(|at| at.file == file && at.line == number) {
                notes.insert(format!("{} [{}]", given.remark.message(), given.remark.id()));
            }
        }
        for note in notes {
            let _ = writeln!(out, "<tr class=\"note\"><td></td><td></td><td>{}</td></tr>", escaped(&note));
        }
    }
    out.push_str("</table>\n");
}

fn label(runner: Runner) -> String {
    format!("<span class=\"runner {0}\">{0}</span>", runner.name())
}

/// The lines of a kernel, by file, and who runs them.
fn lines(kernel: Kernel) -> Lines {
    let mut found = Lines::new();
    let first = if kernel.mode() == ExecMode::GENERIC { Runner::Serial } else { Runner::Together };
    let mut seen = HashSet::from([(kernel.function, first)]);
    let mut work = vec![(kernel.function, first)];
    while let Some((function, runner)) = work.pop() {
        // In a parallel region it is the serial code between regions that became one.
        let alone = if runner == Runner::Serial { HashSet::new() } else { guarded_blocks(function) };
        for block in function.blocks() {
            let runner = if alone.contains(&block) { Runner::Guarded } else { runner };
            for inst in block.instructions() {
                if let Some(at) = inst.location().filter(|at| at.line > 0) {
                    let path = at.path();
                    found.entry((at.file, path)).or_default().entry(at.line).or_default().insert(runner);
                }
                let next = match parallel(inst) {
                    Some(region) => {
                        region.code.strip_casts().as_function().map(|code| (code, Runner::Parallel))
                    }
                    None => inst.callee().map(|callee| (callee, runner)),
                };
                if let Some(next) = next.filter(|next| !next.0.is_declaration() && seen.insert(*next)) {
                    work.push(next);
                }
            }
        }
    }
    found
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
