//! What is measured.

use devicertl_build::root as devicertl;
use std::path::{Path, PathBuf};

/// Head of the page.
pub const INTRODUCTION: &str = "\
# Static cost of kernels, beside LLVM 22's device runtime

Made by `cargo xtask bench-static --fetched FOLDER`. Each cell: ours / LLVM's; bold where ours is higher. sm_90, the same
clang-22 with the same options, NVIDIA's libdevice for both, `ptxas -O3`; LLVM's device runtime is the bitcode of the PyPI
package pyomp 0.6.0. Nothing here ran on a GPU.

SASS counts the kernel's instructions without NOP, `all` also those of the functions that it reaches: those that it calls, and
those whose address it takes, which are called through a pointer; `calls` are the call instructions of all these. Barriers
and shuffles are counted with those of the called function at each call (a barrier that need not be aligned counts twice). A function of the runtime that the file leaves to a later link counts
as it is in the runtime's bitcode. Shared bytes are the kernel's; of a file that needs another one
they are what the file declares.
Variants: `converted` as clang does it; `passes` as `omptarget cc` does it, with our passes, LLVM's side as clang does it;
`machine` keeps generic kernels and lets the compiler write their state machine; `runtime` keeps them and the runtime's state machine; `off` is without openmp-opt.
";

/// How generic kernels are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As clang does it.
    Converted,
    /// With our passes, on our side, as `omptarget cc` does it.
    Passes,
    /// Kept, with a state machine by the compiler.
    Machine,
    /// Kept, with the runtime's state machine.
    Runtime,
    /// No openmp-opt.
    Off,
}

impl Variant {
    /// In the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Converted => "converted",
            Self::Passes => "passes",
            Self::Machine => "machine",
            Self::Runtime => "runtime",
            Self::Off => "off",
        }
    }

    /// LLVM's options.
    pub const fn options(self) -> &'static [&'static str] {
        match self {
            Self::Converted | Self::Passes => &[],
            Self::Machine => &["-openmp-opt-disable-spmdization"],
            Self::Runtime => {
                &["-openmp-opt-disable-spmdization", "-openmp-opt-disable-state-machine-rewrite"]
            }
            Self::Off => &["-openmp-opt-disable"],
        }
    }
}

const ALL: &[Variant] =
    &[Variant::Converted, Variant::Passes, Variant::Machine, Variant::Runtime, Variant::Off];
const SPMD: &[Variant] = &[Variant::Converted, Variant::Passes, Variant::Off];
const FETCHED: &[Variant] = &[Variant::Converted, Variant::Passes];

/// A program.
pub struct Program {
    /// In the table.
    pub name: &'static str,
    /// Below the folder of the checkouts if it is fetched, else beside the tests of the device code.
    path: &'static str,
    fetched: bool,
    /// How it is compiled.
    pub options: &'static [&'static str],
    /// In which variants.
    pub variants: &'static [Variant],
}

/// The base set, then programs that are fetched from GitHub: UoB-HPC/BabelStream, ANL-CESAR/XSBench and RSBench.
pub const PROGRAMS: &[Program] = &[
    own("k1 saxpy", "saxpy.c", SPMD),
    own("k2 dot", "dot.c", SPMD),
    own("k3 serial_parallel", "serial_parallel.c", ALL),
    own("k4 target_parallel", "target_parallel.c", SPMD),
    own("k5 inner_parallel", "inner_parallel.c", ALL),
    own("k6 nested", "nested.c", SPMD),
    own("k7 unknown_call", "unknown_call.c", ALL),
    own("empty", "empty.c", SPMD),
    own("critical", "critical.c", ALL),
    own("dynamic", "dynamic.c", SPMD),
    own("task", "task.c", SPMD),
    own("mixed", "mixed.c", &[Variant::Converted, Variant::Passes]),
    fetched("BabelStream", "BabelStream/src/omp/OMPStream.cpp", &["-DOMP_TARGET_GPU", "-std=c++17"]),
    fetched("XSBench", "XSBench/openmp-offload/Simulation.c", &["-std=gnu99"]),
    fetched("RSBench", "RSBench/openmp-offload/simulation.c", &["-std=gnu99"]),
];

const fn own(name: &'static str, path: &'static str, variants: &'static [Variant]) -> Program {
    Program { name, path, fetched: false, options: &[], variants }
}

const fn fetched(name: &'static str, path: &'static str, options: &'static [&'static str]) -> Program {
    Program { name, path, fetched: true, options, variants: FETCHED }
}

impl Program {
    /// Its source, if it is there.
    pub fn source(&self, fetched: Option<&Path>) -> Option<PathBuf> {
        let path = if self.fetched {
            fetched?.join(self.path)
        } else {
            devicertl().join("build/tests/device/kernels").join(self.path)
        };
        path.is_file().then_some(path)
    }
}
