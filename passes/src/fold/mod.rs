//! What is known of a kernel once its mode is: answers of the runtime, repeated questions, barriers and regions that are
//! not needed.
//!
//! [`dead_regions`] comes before the conversion, which then has less to do, the others behind it.

pub mod barriers;
pub mod calls;
pub mod dead_regions;
pub mod dedup;
pub mod team_size;

use crate::Settings;
use crate::analysis::callers::{Callers, is_runtime};
use crate::ir::{Function, Inst, Module};
use crate::remark::Remarks;
use std::cell::LazyCell;
use std::collections::HashSet;

/// What comes behind the conversion.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) {
    let runtime = runtime_code(module);
    // What the steps remove are calls of the runtime: nothing is called from more places than before.
    let callers = LazyCell::new(|| Callers::of(module, settings.whole_program));
    calls::run(module, &runtime, &callers, settings, remarks);
    team_size::run(module, &callers, settings);
    dedup::run(module, &runtime, remarks);
    barriers::run(module, &callers, settings, remarks);
}

/// The runtime's own functions, where it is linked: they change the state that questions are about, and nobody wants remarks
/// about them.
fn runtime_code(module: Module) -> HashSet<Function> {
    let mut work: Vec<Function> = module.functions();
    work.retain(|function| !function.is_declaration() && is_runtime(*function));
    let mut found: HashSet<Function> = work.iter().copied().collect();
    while let Some(function) = work.pop() {
        let callees = function.instructions().filter_map(Inst::callee);
        work.extend(callees.filter(|callee| !callee.is_declaration() && found.insert(*callee)));
    }
    found
}
