//! Attributes and variables by which the device runtime and the passes speak to each other.

/// A function that gains nothing from the analysis of what calls it: the passes let LLVM's openmp-opt, whose time grows faster than
/// the code it looks at, pass over it.
pub const FINISHED: &str = "omptarget-finished";

/// A 32-bit variable of the runtime that is 0, unless code of the program may come to a barrier outside of parallel regions while it is
/// left to one thread of an SPMD kernel: then the passes write something else to it. (LLVM's openmp-opt leaves no calls to one thread.)
pub const LONE_BARRIERS: &str = "__omptarget_lone_barriers";

/// The same of a parallel region of one thread: where no code is left to one thread, all threads come to it, and wait for the one that runs it.
pub const LONE_REGIONS: &str = "__omptarget_lone_regions";
