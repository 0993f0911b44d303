//! `-fomptarget-opt` at the link: programs whose kernels stay generic in each file alone, because what they call is in
//! another file or behind a pointer. All device code at once, all of them become SPMD kernels, and run as on the host.

use anyhow::Result;
use libtest_mimic::{Arguments, Trial};
use tests_gpu::{Case, Route, as_on_the_host, program, run::under_seeds};

/// Seeds of the interpreter's scheduler that each program runs under.
const SEEDS: u32 = 8;

/// The programs, below `kernels/spmd`, each with its other files.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("spmd/callee_in_other_tu.c", &["spmd/callee_in_other_tu_work.c"]),
    ("spmd/extern_call_unknown.c", &["spmd/extern_functions.c"]),
    ("spmd/function_pointer_table_extern.c", &["spmd/extern_functions.c"]),
    ("spmd/function_shared_by_two_kernels.c", &["spmd/extern_functions.c"]),
    ("spmd/virtual_call_in_serial_part.cpp", &[]),
];

fn main() {
    let trials = PROGRAMS.iter().map(|(source, units)| {
        let route = if source.ends_with(".cpp") { Route::OmptargetCxx } else { Route::Omptarget };
        let case = Case::new(source, route, "link-time", &[&["-O2", "-fomptarget-opt"]]);
        let case = Case { units, modes: &["Generic-SPMD"], ..case };
        Trial::test(case.name(), move || test(&case).map_err(|error| format!("{error:?}").into()))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn test(case: &Case) -> Result<()> {
    as_on_the_host(case)?;
    under_seeds(&program(case)?, SEEDS, "race,barrier")
}
