//! LLVM IR passes for OpenMP device code: what LLVM's `openmp-opt` does, with the same names, options and remarks.
//!
//! One pass a folder or file: [`spmdize`], [`merge`], [`no_loop`], [`deglobalize`], [`state_machine`], [`fold`], [`reduction`], [`repairs`], [`definitive`], [`finished`], [`last`], [`heap`]. They look at a module through [`analysis`] and change it
//! through [`ir`], the only place that calls LLVM.

mod alignment;
pub mod analysis;
mod definitive;
pub mod deglobalize;
mod finished;
pub mod fold;
pub mod heap;
pub mod ir;
pub mod last;
pub mod many_callees;
pub mod merge;
pub mod no_loop;
mod own_atomics;
pub mod plugin;
pub mod reduction;
pub mod remark;
pub mod repairs;
mod settings;
pub mod spmdize;
pub mod state_machine;
pub mod uncalled;
pub mod verify;

pub use settings::Settings;

use abi::mode::ExecMode;
use analysis::kernel::Kernel;
use remark::{Remark, Remarks, Site};
use std::collections::HashSet;

/// What a run did.
#[derive(Default)]
pub struct Report {
    /// All remarks, in order.
    pub remarks: Remarks,
    /// The kernels that were generic, by the names that the host knows, and what became of them.
    pub kernels: Vec<(String, spmdize::Outcome)>,
    /// Whether the module was changed.
    pub changed: bool,
}

/// Why a run gave no module to go on with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// LLVM refused something.
    #[error(transparent)]
    Ir(#[from] ir::Error),
    /// A converted kernel breaks the rules: a defect of the passes.
    #[error("the conversion to SPMD is wrong (please report this): {0}")]
    Fault(Box<verify::Fault>),
    /// A function has lost what it got, and what is whose only names would tell.
    #[error(
        "{function}: clang drops the values of its pointers to arrays of variable length, and without their names it is not \
         to be seen which is whose; compile with -fno-discard-value-names"
    )]
    Names {
        /// The function.
        function: String,
    },
}

/// Stock passes that must have run before: they take variables out of memory, and ways that only an exception takes out of the
/// code. A GPU has no exceptions: the back end leaves these ways out, too.
pub const FIRST: &str = "function(lower-invoke,sroa,early-cse,simplifycfg)";

/// Steps of LLVM's own pass that these passes do themselves.
const STOCK_STEPS: [&str; 2] = ["openmp-opt-disable-spmdization", "openmp-opt-disable-deglobalization"];

/// From now on LLVM's own openmp-opt leaves kernels generic and variables where they are.
fn leave_to_ours() {
    STOCK_STEPS.iter().for_each(|step| {
        ir::set_bool_option(step, true);
    });
}

/// Runs the passes over a module of device code. If they had something to do, LLVM's own openmp-opt leaves it to them in
/// the rest of this process.
///
/// # Errors
/// A stock pass that is needed before is not there; or the result was to be verified and is wrong.
pub fn run(module: ir::Module, settings: &Settings) -> Result<Report, Error> {
    let [before, after] = settings.print;
    if settings.print_kernels {
        Kernel::all(module).iter().for_each(|kernel| eprintln!("OpenMP GPU kernel {}", kernel.name()));
    }
    if before {
        eprintln!("Module before openmp-opt:\n{}", module.text());
    }
    let mut report = Report { changed: repairs::everywhere(module), ..Report::default() };
    if module.is_device_code() {
        let started = (settings.linked && repairs::join(module)) | repairs::start(module, settings.linked)?;
        if !settings.disable && !Kernel::all(module).is_empty() {
            report = run_passes(module, settings)?;
            leave_to_ours();
        } else {
            report.changed |= repairs::share_variables(module, settings.linked, true);
        }
        report.changed |= started | repairs::make_room(module, settings.linked);
        report.changed |= repairs::run(module, settings, &mut report.remarks)?;
    }
    if after {
        eprintln!("Module after openmp-opt:\n{}", module.text());
    }
    Ok(report)
}

/// Prepares a module for LLVM's own passes, when ours have run; whether that changed it.
pub fn begin(module: ir::Module, settings: &Settings) -> bool {
    module.is_device_code()
        && !settings.disable
        && definitive::begin(module)
            | finished::begin(module)
            | repairs::freed::begin(module)
            | repairs::addresses::begin(module)
            | repairs::choices::begin(module)
            | repairs::recurrences::begin(module)
}

/// Undoes what [`begin`] did; whether there was anything to undo.
pub fn end(module: ir::Module) -> bool {
    definitive::end(module)
        | finished::end(module)
        | repairs::freed::end(module)
        | repairs::addresses::end(module)
        | repairs::recurrences::end(module)
}

/// The functions whose bodies say nothing about what is called, since another may take their place at the link.
fn tell_interposable(module: ir::Module, remarks: &mut Remarks) {
    let kernels: HashSet<_> = Kernel::all(module).into_iter().map(|kernel| kernel.function).collect();
    for function in module.functions() {
        let replaced = !function.is_declaration() && function.is_interposable();
        if replaced
            && !function.value().users().is_empty()
            && !function.has_attribute("cold")
            && !kernels.contains(&function)
        {
            remarks.give(Remark::Interposable, Site::Function(function));
        }
    }
}

fn run_passes(module: ir::Module, settings: &Settings) -> Result<Report, Error> {
    let mut report = Report { changed: true, ..Report::default() };
    if !settings.disable_internalization {
        tell_interposable(module, &mut report.remarks);
    }
    module.run_passes(FIRST)?;
    fold::dead_regions::run(module, &mut report.remarks);
    no_loop::fuse(module, settings, &mut report.remarks);
    no_loop::join_chunks(module, settings, &mut report.remarks);
    if !settings.disable_spmdization && spmdize::open_calls(module, settings) {
        module.run_passes(FIRST)?;
    }
    let mut clones = spmdize::Clones::new();
    if !settings.disable_spmdization {
        let outcomes = spmdize::run(module, settings, &mut clones, &mut report.remarks);
        report.kernels = outcomes.into_iter().map(|(kernel, outcome)| (kernel.name(), outcome)).collect();
    }
    // Here, for those that stay generic, and before the loop is written in which their workers wait.
    repairs::share_variables(module, settings.linked, false);
    let converted = Kernel::all(module).into_iter().filter(|kernel| kernel.mode() == ExecMode::GENERIC_SPMD);
    let converted = converted.map(|kernel| kernel.function).chain(clones.into_values()).collect();
    deglobalize::run_on_rest(module, &converted, settings, &mut report.remarks);
    no_loop::run(module, settings, &mut report.remarks);
    no_loop::share_last(module);
    fold::run(module, settings, &mut report.remarks);
    reduction::run(module, settings, &mut report.remarks);
    state_machine::run(module, settings, &mut report.remarks);
    // What was converted before, in its file, has been optimised since, and is not read so easily.
    let here = |fault: &verify::Fault| {
        report.kernels.iter().any(|(name, outcome)| outcome.converted && *name == fault.kernel)
    };
    if settings.verify
        && let Some(fault) = verify::faults(module).into_iter().find(here)
    {
        return Err(Error::Fault(Box::new(fault)));
    }
    Ok(report)
}
