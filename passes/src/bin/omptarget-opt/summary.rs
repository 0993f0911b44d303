//! What became of each kernel, for the reports.

use abi::mode::ExecMode;
use passes::analysis::kernel::Kernel;
use passes::analysis::runtime::parallel;
use passes::ir::{Function, Module};
use passes::remark::{Given, Remark};
use passes::spmdize::Outcome;
use std::collections::HashSet;

/// A kernel before and after.
pub struct KernelSummary {
    /// The name that the host knows.
    pub name: String,
    /// The functions with its serial code: its own, and those that it calls.
    pub functions: HashSet<String>,
    /// These and the code of its parallel regions, with what that calls.
    reached: HashSet<String>,
    /// What was not needed: a word for it, and how many.
    pub removed: Vec<(&'static str, usize)>,
    /// How it was executed.
    pub before: ExecMode,
    /// How it is executed now.
    pub mode: ExecMode,
    /// Whether its workers wait in the runtime's loop.
    pub generic_state_machine: bool,
    /// Parallel regions that it starts.
    pub parallel_regions: usize,
    /// What the conversion added; none if it was not generic.
    pub outcome: Option<Outcome>,
    /// Remarks about its serial code.
    pub remarks: Vec<Given>,
}

/// The kernels of a module that was not changed yet.
pub fn kernels(module: Module) -> Vec<KernelSummary> {
    let summary = |kernel: Kernel| {
        let functions = serial_functions(kernel.function);
        let starts =
            |function: &Function| function.instructions().filter(|inst| parallel(*inst).is_some()).count();
        KernelSummary {
            name: kernel.name(),
            parallel_regions: functions.iter().map(starts).sum(),
            functions: functions.iter().map(|function| function.name()).collect(),
            reached: reached(kernel.function).iter().map(|function| function.name()).collect(),
            removed: Vec::new(),
            before: kernel.mode(),
            mode: kernel.mode(),
            generic_state_machine: kernel.uses_generic_state_machine(),
            outcome: None,
            remarks: Vec::new(),
        }
    };
    Kernel::all(module).into_iter().map(summary).collect()
}

/// A function and all that it calls by name: code outside of parallel regions.
pub fn serial_functions(first: Function) -> Vec<Function> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        for callee in function.instructions().filter_map(|inst| inst.callee()) {
            if !callee.is_declaration() && !found.contains(&callee) {
                found.push(callee);
            }
        }
    }
    found
}

/// A function, and all that it calls or starts by name.
fn reached(first: Function) -> Vec<Function> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        for inst in function.instructions() {
            let code = parallel(inst).and_then(|region| region.code.strip_casts().as_function());
            for callee in inst.callee().into_iter().chain(code) {
                if !callee.is_declaration() && !found.contains(&callee) {
                    found.push(callee);
                }
            }
        }
    }
    found
}

/// The word for what a remark says was removed.
fn removed(remark: &Remark) -> Option<&'static str> {
    match remark {
        Remark::DeadRegion => Some("parallel region without effect"),
        Remark::BarrierRemoved => Some("barrier"),
        Remark::Deduplicated(_) => Some("repeated call of the runtime"),
        Remark::Folded(..) => Some("call of the runtime with a known answer"),
        _ => None,
    }
}

impl KernelSummary {
    /// The same kernel after the passes.
    pub fn after(mut self, module: Module, outcome: Option<Outcome>, remarks: &[Given]) -> Self {
        if let Some(kernel) = Kernel::all(module).into_iter().find(|kernel| kernel.name() == self.name) {
            self.mode = kernel.mode();
            self.generic_state_machine = kernel.uses_generic_state_machine();
        }
        self.outcome = outcome;
        let original = |name: &str| name.split(".spmd").next().unwrap_or(name).to_owned();
        for given in remarks.iter().filter(|given| self.reached.contains(&original(&given.function))) {
            let Some(what) = removed(&given.remark) else { continue };
            match self.removed.iter_mut().find(|(word, _)| *word == what) {
                Some((_, count)) => *count += 1,
                None => self.removed.push((what, 1)),
            }
        }
        self.remarks = remarks
            .iter()
            .filter(|given| removed(&given.remark).is_none())
            .filter(|given| self.functions.contains(&original(&given.function)))
            .cloned()
            .collect();
        self
    }

    /// Whether the conversion changed how it is executed.
    pub fn converted(&self) -> bool {
        self.before == ExecMode::GENERIC && self.mode != ExecMode::GENERIC
    }

    /// Static shared memory for variables of the program.
    pub fn shared_bytes(&self) -> u64 {
        let bytes = |given: &Given| match given.remark {
            Remark::MovedToSharedMemory(bytes) => bytes,
            _ => 0,
        };
        self.remarks.iter().map(bytes).sum()
    }

    /// `main, line 5` of a name as compilers make it.
    pub fn title(&self) -> String {
        let source = self.name.strip_prefix("__omp_offloading_").and_then(|rest| rest.splitn(3, '_').nth(2));
        match source.and_then(|source| source.rsplit_once("_l")) {
            Some((function, line)) if line.chars().next().is_some_and(|c| c.is_ascii_digit()) => {
                let line: String = line.chars().take_while(char::is_ascii_digit).collect();
                format!("{function}, line {line}")
            }
            _ => self.name.clone(),
        }
    }
}

/// A mode in words.
pub fn mode_name(mode: ExecMode) -> &'static str {
    match mode {
        ExecMode::BARE => "bare",
        ExecMode::GENERIC => "generic",
        ExecMode::SPMD => "SPMD",
        ExecMode::GENERIC_SPMD => "SPMD (was generic)",
        ExecMode::SPMD_NO_LOOP => "SPMD without loops",
        _ => "unknown",
    }
}
