//! What is known of a kernel once its mode is: answers of the runtime, repeated questions, barriers and regions that are
//! not needed.
//!
//! [`dead_regions`] comes before the conversion, which then has less to do, the others behind it.

pub mod barriers;
pub mod calls;
pub mod dead_regions;
pub mod dedup;

use crate::Settings;
use crate::ir::Module;
use crate::remark::Remarks;

/// What comes behind the conversion.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) {
    calls::run(module, settings, remarks);
    dedup::run(module, remarks);
    barriers::run(module, settings, remarks);
}
