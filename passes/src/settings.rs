//! The knobs, under the names that LLVM gives them.

use crate::ir::{bool_option, unsigned_option};

/// The environment variable that makes the passes verify what they did, unless it is 0.
pub const VERIFY: &str = "OMPTARGET_VERIFY_PASSES";

/// The environment variable that keeps adjacent parallel regions apart if it is 0. LLVM's option
/// `openmp-opt-enable-merging` is for its own merging, on hosts, and off unless asked for.
pub const MERGE: &str = "OMPTARGET_MERGE_REGIONS";

/// The environment variable that leaves the two loops of `distribute parallel for` as they are if it is 0.
pub const NO_LOOP: &str = "OMPTARGET_NO_LOOP";

/// The environment variable that leaves the copies of reductions between warps as they are if it is 0.
pub const REDUCTIONS: &str = "OMPTARGET_REDUCTIONS";

/// What the passes may do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The module is what a device link joins.
    pub linked: bool,
    /// The module is all the code of the device: linked, and only kernels are called from outside.
    pub whole_program: bool,
    /// Converted kernels are looked at once more ([`crate::verify`]). By the variable [`VERIFY`].
    pub verify: bool,
    /// Adjacent parallel regions of converted kernels become one. By the variable [`MERGE`].
    pub merge: bool,
    /// `distribute parallel for` becomes one loop ([`crate::no_loop`]). By the variable [`NO_LOOP`].
    pub no_loop: bool,
    /// Reductions copy between warps in one step ([`crate::reduction`]). By the variable [`REDUCTIONS`].
    pub reductions: bool,
    /// `openmp-opt-disable`: do nothing.
    pub disable: bool,
    /// `openmp-opt-disable-spmdization`: kernels stay generic.
    pub disable_spmdization: bool,
    /// `openmp-opt-disable-deglobalization`: variables stay where the compiler put them.
    pub disable_deglobalization: bool,
    /// `openmp-opt-disable-folding`: questions to the runtime are not answered here (OMP180).
    pub disable_folding: bool,
    /// `openmp-opt-disable-barrier-elimination`: all barriers stay.
    pub disable_barrier_elimination: bool,
    /// `openmp-opt-disable-internalization`: nothing is said about functions that others may replace (OMP140).
    pub disable_internalization: bool,
    /// `openmp-opt-print-module-before` and `-after`: the module as text on the standard error output.
    pub print: [bool; 2],
    /// `openmp-print-gpu-kernels`: the kernels' names there.
    pub print_kernels: bool,
    /// `openmp-opt-disable-state-machine-rewrite`: workers of generic kernels wait in the runtime's loop.
    pub disable_state_machine_rewrite: bool,
    /// `openmp-opt-shared-limit`: bytes of static shared memory for variables of the program.
    pub shared_limit: u32,
}

impl Settings {
    /// As LLVM's command line options say.
    pub fn from_llvm() -> Self {
        let is_set = |name| bool_option(name).unwrap_or(false);
        Self {
            linked: false,
            whole_program: false,
            verify: std::env::var_os(VERIFY).is_some_and(|value| value != "0"),
            merge: std::env::var_os(MERGE).is_none_or(|value| value != "0"),
            no_loop: std::env::var_os(NO_LOOP).is_none_or(|value| value != "0"),
            reductions: std::env::var_os(REDUCTIONS).is_none_or(|value| value != "0"),
            disable: is_set("openmp-opt-disable"),
            disable_spmdization: is_set("openmp-opt-disable-spmdization"),
            disable_deglobalization: is_set("openmp-opt-disable-deglobalization"),
            disable_folding: is_set("openmp-opt-disable-folding"),
            disable_barrier_elimination: is_set("openmp-opt-disable-barrier-elimination"),
            disable_internalization: is_set("openmp-opt-disable-internalization"),
            print: ["openmp-opt-print-module-before", "openmp-opt-print-module-after"].map(is_set),
            print_kernels: is_set("openmp-print-gpu-kernels"),
            disable_state_machine_rewrite: is_set("openmp-opt-disable-state-machine-rewrite"),
            shared_limit: unsigned_option("openmp-opt-shared-limit").unwrap_or(u32::MAX),
        }
    }
}
