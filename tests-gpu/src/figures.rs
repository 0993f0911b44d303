//! One format for every figure of every bench: what a bench program prints, and what is made of it.
//!
//! A bench program prints one line for each quantity that it measured, with all samples as they came:
//!
//! ```text
//! figure barriers simple_spmd threads=128 teams=132 cycles : 31 30 31
//! wrong reductions double elements=1000: 499.0 instead of 500.5
//! ```
//!
//! A line that begins otherwise is the program's own talk and is passed over. Who ran the program knows which
//! [`Variant`] it was.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Whose compiler, passes and device runtime a program was built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// clang-22 and this project's device runtime.
    Ours,
    /// The same with this project's passes.
    Passes,
    /// Kernels in Rust with this project's device runtime.
    Rust,
    /// clang-22 and LLVM 22's device runtime.
    Llvm22,
    /// Kernels in Rust with LLVM 22's device runtime.
    #[serde(rename = "rust-llvm22")]
    RustLlvm22,
    /// clang-19 and LLVM 19's device runtime.
    Llvm19,
    /// CUDA, without OpenMP.
    Cuda,
    /// What NVIDIA gives: one instruction, calls of the driver, or CUB.
    Raw,
}

impl Variant {
    /// All, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::Ours,
        Self::Passes,
        Self::Rust,
        Self::Llvm22,
        Self::RustLlvm22,
        Self::Llvm19,
        Self::Cuda,
        Self::Raw,
    ];

    /// Whether its device runtime is one of LLVM's, whose failures are results.
    pub const fn is_of_llvm(self) -> bool {
        matches!(self, Self::Llvm22 | Self::RustLlvm22 | Self::Llvm19)
    }

    /// Whether others made what it measures: where that cannot be built or fails, nothing is wrong here.
    pub const fn is_of_others(self) -> bool {
        self.is_of_llvm() || matches!(self, Self::Raw)
    }

    /// Whether its kernels are in Rust, and launched without a host runtime.
    pub const fn is_rust(self) -> bool {
        matches!(self, Self::Rust | Self::RustLlvm22)
    }

    /// Its word in files and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Passes => "passes",
            Self::Rust => "rust",
            Self::Llvm22 => "llvm22",
            Self::RustLlvm22 => "rust-llvm22",
            Self::Llvm19 => "llvm19",
            Self::Cuda => "cuda",
            Self::Raw => "raw",
        }
    }
}

/// What the samples of a figure are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Steps of the device's clock (`%clock64`). On the embedded device these are warp instructions that the whole team
    /// has executed, and no time.
    Cycles,
    /// Time.
    Seconds,
    /// Memory bandwidth or transfers.
    BytesPerSecond,
    /// Floating point operations in a second.
    Flops,
    /// Registers, calls, instructions.
    Count,
}

impl Unit {
    /// All.
    pub const ALL: [Self; 5] = [Self::Cycles, Self::Seconds, Self::BytesPerSecond, Self::Flops, Self::Count];

    /// Its word in the output of a program.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Seconds => "seconds",
            Self::BytesPerSecond => "bytes_per_second",
            Self::Flops => "flops",
            Self::Count => "count",
        }
    }

    /// Whether a smaller figure is the better one.
    pub const fn smaller_is_better(self) -> bool {
        !matches!(self, Self::BytesPerSecond | Self::Flops)
    }
}

/// One measured quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The bench that it belongs to: `barriers`, `reductions`.
    pub group: String,
    /// What was measured.
    pub name: String,
    /// How the program was built.
    pub variant: Variant,
    /// Sizes and the like, by name.
    pub parameters: BTreeMap<String, String>,
    /// What the samples are.
    pub unit: Unit,
    /// As they were measured, in their order; never empty, all finite.
    pub samples: Vec<f64>,
}

/// The middle sample, or the mean of the two in the middle. There must be one.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    } else {
        sorted[middle]
    }
}

impl Figure {
    /// [`median`] of the samples.
    pub fn median(&self) -> f64 {
        median(&self.samples)
    }

    /// The smallest sample.
    pub fn min(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The largest sample.
    pub fn max(&self) -> f64 {
        self.samples.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// From the smallest to the largest sample, as a part of the median: differences below it are noise. Samples that
    /// are all zero have none.
    pub fn spread(&self) -> f64 {
        let range = self.max() - self.min();
        if range == 0.0 { 0.0 } else { range / self.median().abs() }
    }

    /// What it measures, without who did: figures of several variants with the same key are compared.
    pub fn key(&self) -> (&str, &str, &BTreeMap<String, String>, Unit) {
        (&self.group, &self.name, &self.parameters, self.unit)
    }

    /// A line after the word `figure`.
    fn parse(rest: &str, variant: Variant) -> Result<Self> {
        let (head, samples) = rest.split_once(" : ").context("there is no ` : ` before the samples")?;
        let (head, unit) = head.rsplit_once(' ').context("there is no unit")?;
        let unit = Unit::ALL.into_iter().find(|known| known.word() == unit);
        let unit = unit.context("the word before ` : ` is no unit")?;
        let mut words = head.split_whitespace();
        let (group, name) = (words.next().context("no group")?, words.next().context("no name")?);
        let mut parameters = BTreeMap::new();
        for word in words {
            let (key, value) = word.split_once('=').with_context(|| format!("{word} is no KEY=VALUE"))?;
            let twice = parameters.insert(key.to_owned(), value.to_owned()).is_some();
            ensure!(!twice, "{key} stands twice");
        }
        let samples = samples.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        ensure!(!samples.is_empty(), "there are no samples");
        ensure!(samples.iter().all(|sample| sample.is_finite()), "a sample is not finite");
        Ok(Self { group: group.to_owned(), name: name.to_owned(), variant, parameters, unit, samples })
    }
}

/// The line that a program would print.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "figure {} {}", self.group, self.name)?;
        self.parameters.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))?;
        write!(f, " {} :", self.unit.word())?;
        self.samples.iter().try_for_each(|sample| write!(f, " {sample}"))
    }
}

/// What a program printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    /// The figures, in their order.
    pub figures: Vec<Figure>,
    /// The lines of results that the program found wrong, without the word: these have no figure.
    pub wrong: Vec<String>,
}

/// Reads what a program printed. LLVM's runtime has defects that the programs find (docs/defects.md), so a wrong result is
/// no error here; with a runtime of ours whoever asks has to take it for one.
///
/// # Errors
/// A line is not of the format, or two figures have the same name and parameters.
pub fn parse(stdout: &str, variant: Variant) -> Result<Printed> {
    let mut printed = Printed::default();
    for line in stdout.lines() {
        if let Some(rest) = line.strip_prefix("wrong ") {
            printed.wrong.push(rest.to_owned());
        } else if let Some(rest) = line.strip_prefix("figure ") {
            let figure = Figure::parse(rest, variant).with_context(|| format!("in `{line}`"))?;
            let twice = printed.figures.iter().any(|other| other.key() == figure.key());
            ensure!(!twice, "`{line}` stands twice");
            printed.figures.push(figure);
        }
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "figure barriers simple_spmd teams=132 threads=128 cycles : 31 30 31.5";

    fn one(line: &str) -> Result<Figure> {
        Ok(parse(line, Variant::Ours)?.figures.remove(0))
    }

    #[test]
    fn lines_are_read_and_written() {
        let figure = one(LINE).unwrap();
        assert_eq!((figure.group.as_str(), figure.name.as_str()), ("barriers", "simple_spmd"));
        let parameters = [("teams", "132"), ("threads", "128")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(figure.parameters, BTreeMap::from(parameters));
        assert_eq!((figure.unit, figure.samples.as_slice()), (Unit::Cycles, &[31.0, 30.0, 31.5][..]));
        assert_eq!(figure.to_string(), LINE);
        let plain = one("figure host launch seconds : 1e-6").unwrap();
        assert_eq!((plain.parameters.len(), plain.samples), (0, vec![1e-6]));
    }

    #[test]
    fn words_in_files_are_those_of_the_output() {
        for unit in Unit::ALL {
            assert_eq!(serde_json::to_string(&unit).unwrap(), format!("\"{}\"", unit.word()));
        }
        for variant in Variant::ALL {
            assert_eq!(serde_json::to_string(&variant).unwrap(), format!("\"{}\"", variant.word()));
        }
        let figure = one(LINE).unwrap();
        let text = serde_json::to_string(&figure).unwrap();
        assert_eq!(serde_json::from_str::<Figure>(&text).unwrap(), figure);
    }

    #[test]
    fn other_talk_is_passed_over() {
        let text = format!("BabelStream\n{LINE}\nfigures follow\nfigure host launch seconds : 1\n");
        assert_eq!(parse(&text, Variant::Llvm22).unwrap().figures.len(), 2);
    }

    #[test]
    fn wrong_results_are_told() {
        let text = format!("{LINE}\nwrong reductions double elements=9: 1 instead of 2\n");
        let printed = parse(&text, Variant::Passes).unwrap();
        assert_eq!(printed.wrong, ["reductions double elements=9: 1 instead of 2"]);
        assert_eq!(printed.figures.len(), 1);
    }

    #[test]
    fn lines_of_another_form_are_errors() {
        let message = |text: &str| format!("{:#}", parse(text, Variant::Passes).unwrap_err());
        for (text, part) in [
            ("figure a b cycles 1", "no ` : `"),
            ("figure a b ells : 1", "is no unit"),
            ("figure a cycles : 1", "no name"),
            ("figure a b c cycles : 1", "c is no KEY=VALUE"),
            ("figure a b c=1 c=2 cycles : 1", "c stands twice"),
            ("figure a b cycles : ", "no samples"),
            ("figure a b cycles : 1 nan", "not finite"),
            ("figure a b cycles : 1 x", "invalid float"),
            ("figure a b cycles : 1\nfigure a b cycles : 2", "stands twice"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }

    #[test]
    fn statistics_are_those_of_the_samples() {
        let of = |samples: &[f64]| Figure { samples: samples.to_vec(), ..one(LINE).unwrap() };
        let odd = of(&[4.0, 1.0, 2.0]);
        assert_eq!((odd.median(), odd.min(), odd.max(), odd.spread()), (2.0, 1.0, 4.0, 1.5));
        assert_eq!(of(&[4.0, 1.0]).median(), 2.5);
        assert_eq!(of(&[0.0, 0.0]).spread(), 0.0);
    }
}
