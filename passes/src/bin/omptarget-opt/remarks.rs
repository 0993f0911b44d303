//! Remarks as files: lines for people, LLVM's YAML, JSON.

use passes::ir::RemarkKind;
use passes::remark::Given;
use serde_json::json;
use std::fmt::Write;

/// How remarks are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// A line each, as compilers print them.
    Text,
    /// As LLVM writes them for `-fsave-optimization-record`.
    Yaml,
    /// An array of objects.
    Json,
}

/// All remarks in this form.
pub fn text(format: Format, remarks: &[Given]) -> String {
    match format {
        Format::Text => remarks.iter().map(|given| line(given) + "\n").collect(),
        Format::Yaml => remarks.iter().map(yaml).collect(),
        Format::Json => {
            let all: Vec<_> = remarks.iter().map(json).collect();
            format!("{:#}\n", serde_json::Value::Array(all))
        }
    }
}

/// `FILE:LINE:COLUMN: remark: TEXT [OMPnnn]`; the function where there is no place in the source.
pub fn line(given: &Given) -> String {
    let place = given.location.as_ref().map_or_else(|| given.function.clone(), ToString::to_string);
    format!("{place}: remark: {} [{}]", given.remark.message(), given.remark.id())
}

fn kind(given: &Given) -> &'static str {
    match given.remark.kind() {
        RemarkKind::Passed => "Passed",
        RemarkKind::Missed => "Missed",
        RemarkKind::Analysis => "Analysis",
    }
}

/// A document as LLVM writes it; texts stand in quotes, in which a quote is written twice.
fn yaml(given: &Given) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let mut out = format!("--- !{}\nPass:            openmp-opt\n", kind(given));
    let _ = writeln!(out, "Name:            {}", given.remark.id());
    if let Some(at) = &given.location {
        let file = quoted(&at.file);
        let _ =
            writeln!(out, "DebugLoc:        {{ File: {file}, Line: {}, Column: {} }}", at.line, at.column);
    }
    let _ = writeln!(out, "Function:        {}\nArgs:", quoted(&given.function));
    let _ = writeln!(out, "  - String:          {}", quoted(&given.remark.message()));
    let _ = writeln!(out, "  - String:          {}\n...", quoted(&format!(" [{}]", given.remark.id())));
    out
}

fn json(given: &Given) -> serde_json::Value {
    json!({
        "id": given.remark.id(),
        "kind": kind(given).to_lowercase(),
        "message": given.remark.message(),
        "function": given.function,
        "file": given.location.as_ref().map(|at| &at.file),
        "line": given.location.as_ref().map(|at| at.line),
        "column": given.location.as_ref().map(|at| at.column),
    })
}
