//! Pages about the results of a run: tables, plots, and what is slower than CUDA or LLVM. All of it comes from the data.
//!
//! Times and rates are shown as ratios inside the run: beside the row's first of [`REFERENCES`], or as a part of what the
//! ceiling programs reached. Cycles and counts are shown as they are. The spread is that from the smallest to the largest
//! sample, as a part of the median.

mod plot;
mod table;

use crate::device_bench;
use crate::figures::{Figure, Unit, Variant};
use crate::results::{NO_TIME, Results};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
pub use table::{Row, rows};

/// With whom ours are compared, the hardest first.
pub const REFERENCES: [Variant; 4] = [Variant::Cuda, Variant::Llvm22, Variant::Llvm19, Variant::Raw];

/// Variants that are this project's.
const OURS: [Variant; 3] = [Variant::Ours, Variant::Passes, Variant::Rust];

/// Suspected causes, written by hand, by `group name variant` of a figure of ours, by `group name`, by `group variant`, or by
/// `group` alone.
pub type Causes = BTreeMap<String, String>;

/// A figure of ours that is worse than that of CUDA or LLVM by more than both spread.
pub struct Slower {
    /// Group, name and parameters.
    pub what: String,
    /// By which causes are found: `group name`.
    pub key: String,
    unit: Unit,
    ours: Variant,
    than: Variant,
    /// Cost of ours, in parts of the other one's.
    pub ratio: f64,
}

impl fmt::Display for Slower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, unit, ours, than, ratio, .. } = self;
        let (ours, than, ratio) = (ours.word(), than.word(), in_words(*ratio));
        write!(f, "{what}, {}: {ours} costs {ratio} of {than}", unit.word())
    }
}

/// A ratio; to nothing at all there is none.
fn in_words(ratio: f64) -> String {
    if ratio.is_finite() { format!("{ratio:.2}") } else { "more than the nothing".to_owned() }
}

impl Slower {
    /// Its suspected cause.
    pub fn cause<'a>(&self, causes: &'a Causes) -> Option<&'a str> {
        let group = self.key.split(' ').next().unwrap_or_default();
        let with_variant = |key: &str| format!("{key} {}", self.ours.word());
        let keys = [with_variant(&self.key), self.key.clone(), with_variant(group), group.to_owned()];
        keys.iter().find_map(|key| causes.get(key)).map(String::as_str)
    }
}

/// What is slower, the largest gap first.
pub fn slower(results: &Results) -> Vec<Slower> {
    let mut found = Vec::new();
    for row in rows(results) {
        for ours in OURS {
            // What is Rust on both sides differs in the runtime alone.
            let llvm = if ours == Variant::Rust { Variant::RustLlvm22 } else { Variant::Llvm22 };
            for than in [Variant::Cuda, llvm] {
                let (Some(mine), Some(other)) = (row.cells.get(&ours), row.cells.get(&than)) else {
                    continue;
                };
                let apart = if row.unit.smaller_is_better() {
                    mine.min() > other.max()
                } else {
                    mine.max() < other.min()
                };
                if apart {
                    let ratio = cost(mine, other);
                    let key = format!("{} {}", row.group, row.name);
                    found.push(Slower { what: row.label(), key, unit: row.unit, ours, than, ratio });
                }
            }
        }
    }
    found.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    found
}

/// What a figure costs, in parts of what another one costs.
fn cost(figure: &Figure, other: &Figure) -> f64 {
    let ratio = figure.median() / other.median();
    if figure.unit.smaller_is_better() { ratio } else { 1.0 / ratio }
}

/// A plot, and the name of its file.
pub struct Plot {
    /// `barriers.svg`.
    pub file: String,
    /// An SVG image.
    pub svg: String,
}

/// One plot for each group whose figures have something to be compared with.
///
/// # Errors
/// A plot cannot be drawn.
pub fn plots(results: &Results) -> Result<Vec<Plot>> {
    let mut groups: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows(results) {
        groups.entry(row.group.clone()).or_default().push(row);
    }
    let mut plots = Vec::new();
    for (group, rows) in groups {
        if let Some(svg) = plot::bars(&group, &rows)? {
            plots.push(Plot { file: format!("{group}.svg"), svg });
        }
    }
    Ok(plots)
}

/// Where a run comes from, in words.
pub fn origin(results: &Results) -> String {
    let Results { device, commit, command, .. } = results;
    format!("{device}, commit {commit}, `{command}`")
}

/// What has to be said first about a run without a GPU.
const NO_GPU: &str = "**This run was made without a GPU, on the SIMT interpreter.** It shows what code is executed and not how long a GPU takes: \
its cycles are warp instructions of the whole block, and its times and rates are left out, but for those of the host runtime, which ran on the \
stand-in for the driver with launches left out.";

/// The results as Markdown; `image` gives the path of a plot.
///
/// # Errors
/// A plot cannot be drawn.
pub fn markdown(results: &Results, causes: &Causes, image: impl Fn(&Plot) -> String) -> Result<String> {
    let mut text = String::new();
    if results.simt {
        writeln!(text, "{NO_GPU}\n")?;
    }
    checks(&mut text, results)?;
    let headline = device_bench::headline(&results.figures);
    if !headline.is_empty() {
        writeln!(text, "## What generic kernels cost beside SPMD kernels\n\n{headline}")?;
    }
    let slow = slower(results);
    writeln!(text, "## Slower than CUDA or LLVM\n")?;
    writeln!(text, "Figures of ours that are worse by more than the samples of either spread.\n")?;
    if slow.is_empty() {
        writeln!(text, "None.\n")?;
    } else {
        writeln!(
            text,
            "| figure | unit | ours | than | cost | suspected cause |\n|---|---|---|---|---|---|"
        )?;
        for one in &slow {
            let Slower { what, unit, ours, than, ratio, .. } = one;
            let cause = one.cause(causes).unwrap_or("not looked into");
            let (unit, ours, than) = (unit.word(), ours.word(), than.word());
            let cost = if ratio.is_finite() { in_words(*ratio) } else { format!("{than} has none") };
            writeln!(text, "| {what} | {unit} | {ours} | {than} | {cost} | {cause} |")?;
        }
        writeln!(text)?;
    }
    let plots = plots(results)?;
    for (group, table) in table::tables(results) {
        writeln!(text, "## {group}\n")?;
        if let Some(plot) = plots.iter().find(|plot| plot.file == format!("{group}.svg")) {
            writeln!(text, "{}\n", image(plot))?;
        }
        writeln!(text, "{table}")?;
    }
    Ok(text)
}

/// What was checked, and what was left out.
fn checks(text: &mut String, results: &Results) -> Result<()> {
    let failed = results.failed().count();
    writeln!(text, "## Checks\n")?;
    writeln!(text, "- Programs: {} right, {failed} wrong.", results.programs.len() - failed)?;
    for program in results.failed() {
        let first = program.failure.lines().next().unwrap_or_default();
        writeln!(text, "  - {} as {}: {first}", program.name, program.image)?;
    }
    if let Some((line, _)) = &results.calibration {
        writeln!(text, "- Instruction forms beside the interpreter: {line}.")?;
    }
    for (tool, programs) in &results.sanitized {
        writeln!(text, "- compute-sanitizer {tool}: nothing found in {programs} programs.")?;
    }
    for failure in &results.failures {
        let first = failure.text.lines().next().unwrap_or_default();
        let (stage, what, variant) = (&failure.stage, &failure.what, failure.variant.word());
        writeln!(text, "- {stage}, {what} ({variant}) failed: `{}`", first.replace('`', "'"))?;
    }
    let (late, others): (Vec<&String>, Vec<&String>) =
        results.skipped.iter().partition(|what| what.ends_with(NO_TIME));
    others.iter().try_for_each(|what| writeln!(text, "- Left out: {what}."))?;
    if !late.is_empty() {
        writeln!(text, "- Left out: {} runs, as {NO_TIME}: {}.", late.len(), runs(&late))?;
    }
    writeln!(text)?;
    Ok(())
}

/// Runs that were left out, those of one program or bench together.
fn runs(what: &[&String]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for what in what {
        let name = what.rsplit_once(": ").map_or(&***what, |(name, _)| name);
        let run = name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
        let (of, variant) = run.or_else(|| name.rsplit_once('.')).unwrap_or((name, ""));
        match groups.iter_mut().find(|(other, _)| *other == of) {
            Some((_, variants)) => variants.push(variant),
            None => groups.push((of, vec![variant])),
        }
    }
    let text = groups.into_iter().map(|(of, variants)| match variants[..] {
        [""] => of.to_owned(),
        _ => format!("{of} ({})", variants.join(", ")),
    });
    text.collect::<Vec<_>>().join("; ")
}

/// The results as one page of HTML, with plots inside.
///
/// # Errors
/// A plot cannot be drawn.
pub fn page(results: &Results, causes: &Causes) -> Result<String> {
    let text = markdown(results, causes, |plot| plot.svg.clone())?;
    let mut body = String::new();
    let mut in_table = false;
    for line in text.lines() {
        if in_table && !line.starts_with('|') {
            body += "</table>\n";
            in_table = false;
        }
        if let Some(title) = line.strip_prefix("## ") {
            writeln!(body, "<h2>{}</h2>", escaped(title))?;
        } else if line.starts_with("|---") {
            // between head and rows
        } else if line.starts_with('|') {
            let cell = if in_table { "td" } else { "th" };
            if !in_table {
                body += "<table>\n";
                in_table = true;
            }
            body += "<tr>";
            for text in line.trim_matches('|').split(" | ") {
                write!(body, "<{cell}>{}</{cell}>", escaped(text.trim()))?;
            }
            body += "</tr>\n";
        } else if line.trim_start().starts_with('<') {
            body += line; // a plot
            body.push('\n');
        } else if !line.is_empty() {
            writeln!(body, "<p>{}</p>", escaped(&line.replace("**", "")))?;
        }
    }
    if in_table {
        body += "</table>\n";
    }
    let origin = escaped(&origin(results));
    Ok(format!("{HEAD}<h1>Results</h1>\n<p>{origin}</p>\n{body}</body></html>\n"))
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>omptarget-rs: results</title>\n<style>\n\
body { font: 14px sans-serif; max-width: 70em; margin: 2em auto }\ntable { border-collapse: collapse; margin: 1em 0 }\n\
td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: left }\n</style></head><body>\n";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::parse;

    fn results(simt: bool) -> Results {
        let of = |variant, lines: &str| parse(lines, variant).unwrap().figures;
        let figures = [
            of(Variant::Raw, "figure programs ceiling_copy size=8 bytes_per_second : 100 100"),
            of(
                Variant::Cuda,
                "figure programs cg size=8 seconds : 1 1.1\nfigure programs cg size=8 bytes_per_second : 90 80",
            ),
            of(
                Variant::Ours,
                "figure programs cg size=8 seconds : 2 2.2\nfigure programs cg size=8 bytes_per_second : 45 40\n\
                 figure programs cg what=shared_bytes count : 12",
            ),
            of(
                Variant::Passes,
                "figure programs cg size=8 seconds : 1.05 1.06\nfigure programs cg what=shared_bytes count : 0",
            ),
            of(Variant::Llvm22, "figure programs cg what=shared_bytes count : 8"),
        ];
        Results { figures: figures.concat(), simt, device: "a <GPU>".into(), ..Results::default() }
    }

    #[test]
    fn what_is_slower_by_more_than_the_spread_is_listed_with_its_cause() {
        let slow = slower(&results(false));
        let lines: Vec<_> = slow.iter().map(Slower::to_string).collect();
        assert_eq!(
            lines,
            [
                "programs cg size=8, seconds: ours costs 2.00 of cuda",
                "programs cg size=8, bytes_per_second: ours costs 2.00 of cuda",
                "programs cg what=shared_bytes, count: ours costs 1.50 of llvm22"
            ]
        );
        let causes = |key: &str| Causes::from([(key.to_owned(), "launches".to_owned())]);
        assert_eq!(slow[0].cause(&causes("programs cg")), Some("launches"));
        assert_eq!(slow[0].cause(&causes("programs")), Some("launches"));
        assert_eq!(slow[0].cause(&causes("programs cg ours")), Some("launches"));
        assert_eq!(slow[0].cause(&causes("programs cg passes")), None);
        assert_eq!(slow[0].cause(&causes("programs ours")), Some("launches"));
        assert_eq!(slow[0].cause(&causes("programs stream")), None);
    }

    #[test]
    fn times_of_the_interpreter_are_left_out() {
        let text = markdown(&results(true), &Causes::default(), |plot| plot.file.clone()).unwrap();
        assert!(text.starts_with("**This run was made without a GPU"), "{text}");
        assert!(!text.contains("seconds |") && text.contains("what=shared_bytes"), "{text}");
    }

    #[test]
    fn runs_without_time_stand_together() {
        let skipped = ["a.O0 with ptx", "memcheck of 3 programs", "a.O2 with ptx", "bench b (ours)"];
        let skipped: Vec<String> = skipped.iter().map(|what| format!("{what}: {NO_TIME}")).collect();
        let all = skipped.iter().collect::<Vec<_>>();
        assert_eq!(runs(&all), "a (O0 with ptx, O2 with ptx); memcheck of 3 programs; bench b (ours)");
    }

    #[test]
    fn the_page_holds_tables_and_plots() {
        let page = page(&results(false), &Causes::default()).unwrap();
        for part in ["a &lt;GPU&gt;", "<svg", "<td>programs cg size=8</td>", "85.0 % ±6 %", "not looked into"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(page.matches("<table>").count(), page.matches("</table>").count());
    }
}
