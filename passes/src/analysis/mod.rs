//! What the passes need to know about a module before they change it.

pub mod callers;
pub mod capture;
pub mod control;
pub mod guards;
pub mod kernel;
pub mod points_to;
pub mod reach;
pub mod readers;
pub mod reductions;
pub mod runtime;
