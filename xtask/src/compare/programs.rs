//! What is compared.

use super::Release;
use std::path::{Path, PathBuf};
use tests_gpu::build::source;
use tests_gpu::whole::{BABELSTREAM, XSBENCH, files_below};

/// Head of the page.
pub fn introduction(release: Release) -> String {
    let (title, command, how) = match release {
        Release::Llvm22 => (
            "# Our runtimes and LLVM 22's, side by side on the SIMT device",
            "`cargo xtask compare --fetched FOLDER`",
            "Each program is compiled twice by clang-22 (`-O2`, device LTO, sm_90): with
our device runtime, run by our `libomptarget.so`, and with LLVM 22's device runtime (the bitcode of the PyPI package
pyomp 0.6.0), run by LLVM's own `libomptarget.so.22.1` (Debian's liboffload-22).",
        ),
        Release::Llvm19 => (
            "# Our runtimes and LLVM 19's, side by side on the SIMT device",
            "`cargo xtask compare --llvm 19 --fetched FOLDER`",
            "Each program is compiled twice by clang-19 (`-O2`, sm_90): with
our device runtime, run by our `libomptarget.so`, and with LLVM 19's device runtime (the archive of Debian's
libomp-19-dev), run by LLVM's own `libomptarget.so.19.1` (Debian's libomp5-19). What clang-19 does not compile does not link.",
        ),
    };
    format!("{title}\n\nMade by {command}. {how}{REST}")
}

const REST: &str = " Both run on the stand-in for the CUDA
driver, one OS thread, seed 1, `OMP_TARGET_OFFLOAD=MANDATORY`. Nothing here ran on a GPU.

Right: the output is that of the same binary with its regions on the host (`OMP_TARGET_OFFLOAD=DISABLED`), or the
program, which checks itself, says that it passed; of XSBench the line with the checksum is compared. Findings are those
of `OMPTARGET_SIMT_CHECK=all,runtime` in a run of its own; races on the variables of either runtime are called `runtime`
in the notes. They are leads: what the checkers say about LLVM's runtime has not been traced to its source here. Counts
are sums over all launches, `ours / LLVM's`; a program that does not come to its end has none.
";

/// How it is known that a run is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// Its output is that of a run on the host.
    AsOnTheHost,
    /// It checks itself and tells by its exit status.
    Itself,
}

/// A program.
pub struct Program {
    /// In the table.
    pub name: &'static str,
    /// What it is about.
    pub subject: &'static str,
    /// Below `kernels/`, or below the folder of the checkouts if it is fetched.
    sources: &'static [&'static str],
    fetched: bool,
    /// More options of the compiler.
    pub options: &'static [&'static str],
    /// Arguments of the program.
    pub arguments: &'static [&'static str],
    /// How it is known that a run is right.
    pub check: Check,
    /// Only lines with this word are results, whatever the exit status; empty: all are.
    results: &'static str,
}

const fn own(name: &'static str, subject: &'static str, sources: &'static [&'static str]) -> Program {
    Program {
        name,
        subject,
        sources,
        fetched: false,
        options: &[],
        arguments: &[],
        check: Check::AsOnTheHost,
        results: "",
    }
}

const fn with(options: &'static [&'static str], program: Program) -> Program {
    Program { options, ..program }
}

/// A program that shows a defect of LLVM's device runtime (docs/defects.md).
const fn defect(name: &'static str, sources: &'static [&'static str]) -> Program {
    Program { check: Check::Itself, ..own(name, "docs/defects.md", sources) }
}

/// Ours, then those of others: UoB-HPC/BabelStream and ANL-CESAR/XSBench.
pub const PROGRAMS: &[Program] = &[
    own("saxpy_reduce", "loops and reductions over teams", &["saxpy_reduce.c"]),
    own("generic", "generic kernel, shared variables", &["generic.c"]),
    own("cg", "SPMD kernels, conjugate gradients", &["cg.c"]),
    with(&["-DT=double"], own("reductions", "reductions, one type", &["features/reductions.c"])),
    own("reduction_forms", "reductions, all forms", &["features/reduction_forms.c"]),
    own("schedule_static", "static schedules", &["features/schedule_static.c"]),
    own("schedule_dynamic", "dynamic schedules", &["features/schedule_dynamic.c"]),
    own("sync", "barrier, critical, single, masked", &["features/sync.c"]),
    own("atomics", "atomics", &["features/atomics.c"]),
    own("tasks", "tasks", &["features/tasks.c"]),
    own("task_deps", "dependences of tasks", &["features/task_deps.c"]),
    own("printf", "printf", &["features/printf.c"]),
    own("math", "mathematical functions", &["features/math.c"]),
    own("complex", "types: complex numbers", &["features/complex.c"]),
    own("map_types", "types: what maps carry", &["features/map_types.c"]),
    with(&["-fopenmp-version=51"], own("indirect", "calls through pointers", &["features/indirect.c"])),
    own("classes", "C++: classes, templates, lambdas", &["features/classes.cpp"]),
    own("units", "C++: two source files", &["units/shapes.cpp", "units/shapes_other.cpp"]),
    own("if_clause", "if clauses", &["features/if_clause.c"]),
    own("team_sizes", "teams of all sizes", &["features/team_sizes.c"]),
    own("nested_parallel", "regions inside regions", &["features/nested_parallel.c"]),
    own("ordered", "ordered regions", &["features/ordered.c"]),
    defect("defect: small_teams", &["defects/small_teams.c"]),
    defect("defect: narrow_regions", &["defects/narrow_regions.c"]),
    defect("defect: lastprivate", &["defects/lastprivate.c"]),
    defect("defect: shared_stack", &["defects/shared_stack.c"]),
    defect("defect: dynamic", &["defects/dynamic.c"]),
    defect("defect: critical", &["defects/critical.c"]),
    Program {
        fetched: true,
        options: BABELSTREAM.options,
        arguments: &["-s", "131072", "-n", "10"],
        check: Check::Itself,
        ..own("BabelStream", "131 072 elements; validates itself", BABELSTREAM.files)
    },
    Program {
        fetched: true,
        options: XSBENCH.options,
        arguments: &["-m", "event", "-s", "small", "-l", "100000"],
        // Its exit status says that the checksum is not that of 17 million look-ups.
        results: "Verification checksum",
        ..own("XSBench", "small, event, 100 000 look-ups; checksum as on the host", XSBENCH.files)
    },
];

impl Program {
    /// Its sources, if they are there.
    pub fn sources(&self, fetched: Option<&Path>) -> Option<Vec<PathBuf>> {
        let own = source("");
        files_below(if self.fetched { fetched? } else { &own }, self.sources)
    }

    /// Whether its exit status tells anything.
    pub fn ends_with_success(&self) -> bool {
        self.results.is_empty()
    }

    /// What of an output is compared.
    pub fn result<'a>(&self, output: &'a str) -> Vec<&'a str> {
        output.lines().filter(|line| line.contains(self.results)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_programs_are_there_and_named_once() {
        let mut names = std::collections::BTreeSet::new();
        for program in PROGRAMS {
            assert!(names.insert(program.name), "{}", program.name);
            assert_eq!(program.sources(None).is_some(), !program.fetched, "{}", program.name);
        }
    }

    #[test]
    fn results_may_be_some_of_the_lines() {
        let only = Program { results: "sum", ..own("a", "", &[]) };
        assert_eq!(only.result("time 3\nsum 4\n"), ["sum 4"]);
        assert_eq!(own("a", "", &[]).result("a\nb\n"), ["a", "b"]);
    }
}
