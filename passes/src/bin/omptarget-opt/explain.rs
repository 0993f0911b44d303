//! The report for people: what became of each kernel, and what to change where it stays generic.

use crate::pipeline::Done;
use crate::summary::{KernelSummary, mode_name};
use abi::mode::ExecMode;
use passes::ir::Location;
use passes::remark::{Given, Reason, Remark};
use std::fmt::Write;

/// The whole report.
pub fn text(done: &Done) -> String {
    if done.kernels.is_empty() {
        return "There is no kernel in this module.\n".to_owned();
    }
    done.kernels.iter().map(kernel).collect::<Vec<_>>().join("\n")
}

fn kernel(kernel: &KernelSummary) -> String {
    let mut out = format!("kernel {} ({})\n", kernel.title(), kernel.name);
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "  {name:<9} {value}");
    };
    row("mode", &mode(kernel));
    rows(kernel).into_iter().for_each(|(name, value)| row(name, &value));
    let mut seen = Vec::new();
    for given in &kernel.remarks {
        let line = crate::remarks::line(given);
        // Two calls in one place, of two copies of the code.
        if seen.contains(&line) {
            continue;
        }
        seen.push(line);
        if let Remark::Blocked(reason) = given.remark {
            let _ = writeln!(out, "  blocked by {}", blocker(given, reason));
            out.push_str(&excerpt(given.location.as_ref()));
            let _ = writeln!(out, "    to do: {}", to_do(reason));
        } else if !matches!(given.remark, Remark::Spmd) {
            let place = match &given.location {
                Some(at) => format!("{at}: "),
                None if given.function != kernel.name => format!("{}: ", given.function),
                None => String::new(),
            };
            let _ = writeln!(out, "  {} {place}{}", given.remark.id(), given.remark.message());
        }
    }
    out
}

/// Before and after, in words.
pub fn mode(kernel: &KernelSummary) -> String {
    match kernel.before {
        _ if kernel.converted() && kernel.parallel_regions == 0 => {
            "generic before, SPMD now: thread 0 runs it, the others leave at once".to_owned()
        }
        _ if kernel.converted() => "generic before, SPMD now: all threads run it together".to_owned(),
        ExecMode::GENERIC if kernel.generic_state_machine => {
            "generic before and now: one thread runs serial code, the others wait in the runtime".to_owned()
        }
        ExecMode::GENERIC => "generic before and now, without the runtime's waiting loop".to_owned(),
        before => format!("{} before and now: nothing to convert", mode_name(before)),
    }
}

/// The figures of a kernel, with their names.
pub fn rows(kernel: &KernelSummary) -> Vec<(&'static str, String)> {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let parallel = count(kernel.parallel_regions, "parallel region", "parallel regions");
    let mut rows = Vec::new();
    match kernel.outcome.as_ref().filter(|outcome| outcome.converted) {
        Some(outcome) => {
            let alone =
                count(outcome.regions, "piece that thread 0 runs alone", "pieces that thread 0 runs alone");
            rows.push(("regions", format!("{alone}, {parallel}")));
            rows.push(("barriers", format!("{} added", outcome.barriers)));
            let told = count(outcome.broadcasts, "value", "values");
            rows.push((
                "shared",
                format!("{} bytes of variables, {told} from thread 0 to all", kernel.shared_bytes()),
            ));
        }
        None => rows.push(("regions", parallel)),
    }
    if !kernel.removed.is_empty() {
        let counted = |(what, n): &(&str, usize)| format!("{n} × {what}");
        rows.push(("removed", kernel.removed.iter().map(counted).collect::<Vec<_>>().join(", ")));
    }
    rows
}

/// The place and kind of what keeps a kernel generic.
pub fn blocker(given: &Given, reason: Reason) -> String {
    let place = given.location.as_ref().map_or_else(|| given.function.clone(), ToString::to_string);
    let what = match reason {
        Reason::UnknownCall | Reason::Callback if !given.callee.is_empty() => {
            format!(
                "the call of `{}`, whose code may start parallel regions and is not known here",
                given.callee
            )
        }
        Reason::UnknownCall => "a call of code that is not known here".to_owned(),
        Reason::IndirectCall => "a call through a pointer".to_owned(),
        _ => reason.advice().trim_end_matches('.').to_owned(),
    };
    format!("{place}: {what}")
}

/// What a user can change.
pub fn to_do(reason: Reason) -> &'static str {
    match reason {
        Reason::UnknownCall => {
            "put the function's body into this file and not as a weak one, or convert when all files are linked, or promise for the function \
             [[omp::assume(\"omp_no_parallelism\")]] (thread 0 calls it) or [[omp::assume(\"ompx_spmd_amenable\")]] \
             (all threads may call it)"
        }
        Reason::IndirectCall => {
            "call the functions by their names, or convert when all files are linked, or promise \
             [[omp::assume(\"omp_no_parallelism\")]] around the call"
        }
        Reason::Callback => "move the loop's parallel region out of the function that the runtime calls",
        Reason::UnknownRegion | Reason::UnknownKernel | Reason::LocalPointer => {
            "compile the file again with clang or flang 19 to 22, and run these passes before others"
        }
        Reason::Terminator => {
            "decide with if, switch or a loop whether the parallel region is reached, and not by an exception or \
             assembly"
        }
        Reason::EndlessLoop => "give the loop around the parallel region an end",
        Reason::EscapingVariable => {
            "do not pass the address of a local variable to a function with a parallel region from a function that \
             calls itself"
        }
    }
}

/// The line of the source, and a mark below its column. Empty where the source cannot be read.
fn excerpt(at: Option<&Location>) -> String {
    let Some(at) = at else { return String::new() };
    let Ok(source) = std::fs::read(at.path()) else { return String::new() };
    let source = String::from_utf8_lossy(&source);
    let Some(line) = source.lines().nth((at.line as usize).saturating_sub(1)) else { return String::new() };
    // Tabs stay, so that the mark stands right.
    let indent: String = line
        .chars()
        .take((at.column as usize).saturating_sub(1))
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    format!("    {:>5} | {line}\n          | {indent}^\n", at.line)
}
