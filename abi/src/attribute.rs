//! Attributes by which the device runtime's build speaks to the passes.

/// A function that gains nothing from the analysis of what calls it: the passes let LLVM's openmp-opt, whose time grows faster than
/// the code it looks at, pass over it.
pub const FINISHED: &str = "omptarget-finished";
