//! The passes in their order: ours between stock ones.

use crate::summary::{KernelSummary, kernels};
use anyhow::Result;
use passes::analysis::kernel::Kernel;
use passes::remark::{Given, Remarks};
use passes::spmdize::Outcome;
use passes::{Settings, ir};
use std::collections::HashMap;

/// The names that mean our passes. The last one stands inside of a `cgscc(...)`.
const OURS: [&str; 5] = [
    "openmp-opt",
    "openmp-opt-postlink",
    "openmp-opt-cgscc",
    "module(openmp-opt)",
    "cgscc(openmp-opt-cgscc)",
];

/// The names of those that run before and behind LLVM's own.
const AROUND: [(&str, Step); 4] = [
    ("omptarget-begin", Step::Begin),
    ("omptarget-many", Step::Many),
    ("omptarget-last", Step::Last),
    ("omptarget-end", Step::End),
];

/// One step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Our passes.
    Ours,
    /// What LLVM's passes are to find.
    Begin,
    /// LLVM's openmp-opt, if many kernels give the runtime functions.
    Many,
    /// Those of ours that run behind LLVM's.
    Last,
    /// Undoes `Begin`.
    End,
    /// Stock passes, as LLVM takes them.
    Stock(String),
}

/// What a run did.
pub struct Done {
    /// Whether the module is code of the device.
    pub is_device_code: bool,
    /// Functions that start as kernels, but are none that the passes know.
    pub unknown_kernels: Vec<String>,
    /// All remarks of our passes, in order.
    pub remarks: Vec<Given>,
    /// All kernels.
    pub kernels: Vec<KernelSummary>,
}

/// Cuts a pipeline at our passes.
pub fn split(pipeline: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for name in elements(pipeline) {
        let around = AROUND.into_iter().find(|(known, _)| *known == name);
        match (around, steps.last_mut()) {
            (Some((_, step)), _) => steps.push(step),
            _ if OURS.contains(&name) => steps.push(Step::Ours),
            (None, Some(Step::Stock(text))) => {
                text.push(',');
                text.push_str(name);
            }
            _ => steps.push(Step::Stock(name.to_owned())),
        }
    }
    steps
}

/// The parts between commas that stand in no brackets.
fn elements(pipeline: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut found: Vec<&str> = pipeline
        .split(|c| {
            match c {
                '(' | '<' => depth += 1,
                ')' | '>' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .map(str::trim)
        .collect();
    found.retain(|name| !name.is_empty());
    found
}

/// Runs the steps.
///
/// # Errors
/// LLVM does not know a stock pass.
pub fn run(module: ir::Module, steps: &[Step], whole_program: bool) -> Result<Done> {
    let settings = Settings { linked: whole_program, whole_program, ..Settings::from_llvm() };
    let before = kernels(module);
    let mut remarks = Vec::new();
    let mut outcomes: HashMap<String, Outcome> = HashMap::new();
    for step in steps {
        match step {
            Step::Stock(pipeline) => module.run_passes(pipeline)?,
            Step::Begin => {
                passes::begin(module, &settings);
            }
            Step::Many => {
                passes::many_callees::run(module)?;
            }
            Step::End => {
                passes::end(module);
                if settings.whole_program {
                    passes::heap::run(module);
                }
            }
            Step::Last => {
                let mut given = Remarks::default();
                passes::last::run(module, &settings, &mut given)?;
                remarks.extend(given.given);
            }
            Step::Ours => {
                let report = passes::run(module, &settings)?;
                remarks.extend(report.remarks.given);
                for (kernel, outcome) in report.kernels {
                    // A later step may find nothing left to do.
                    let first = outcomes.entry(kernel).or_default();
                    if outcome != Outcome::default() {
                        *first = outcome;
                    }
                }
            }
        }
    }
    let unknown = |function: &ir::Function| {
        Kernel::of(*function).is_none()
            && function.instructions().any(|inst| inst.callee_name() == "__kmpc_target_init")
    };
    Ok(Done {
        is_device_code: module.is_device_code(),
        unknown_kernels: module
            .functions()
            .into_iter()
            .filter(unknown)
            .map(|function| function.name())
            .collect(),
        kernels: before
            .into_iter()
            .map(|kernel| {
                let outcome = outcomes.remove(&kernel.name);
                kernel.after(module, outcome, &remarks)
            })
            .collect(),
        remarks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_cut_at_our_passes() {
        let stock = |text: &str| Step::Stock(text.to_owned());
        assert_eq!(split("openmp-opt"), [Step::Ours]);
        assert_eq!(
            split("function(sroa,instcombine<x,y>), globaldce,openmp-opt-postlink,default<O2>"),
            [stock("function(sroa,instcombine<x,y>),globaldce"), Step::Ours, stock("default<O2>")]
        );
        assert_eq!(split("cgscc(openmp-opt-cgscc),openmp-opt"), [Step::Ours, Step::Ours]);
        assert_eq!(split(""), []);
    }
}
