//! Target regions with serial code, one program a shape, as they are and converted by the passes: the output is that of a run on the host, the kernels have the
//! expected modes, and nothing changes under the schedules of many seeds, with the checkers of races and barriers on.

use anyhow::Result;
use libtest_mimic::Trial;
use tests_gpu::{
    Case, as_on_the_host, program,
    run::under_seeds,
    shapes::{SHAPES, Shape},
};

/// Seeds of the interpreter's scheduler that each program runs under.
const SEEDS: u32 = 16;

fn main() {
    let cases = SHAPES.iter().flat_map(|shape| [shape.generic(), shape.converted()]);
    // What the pass does to one file is the same without device LTO, and what runs behind it is clang's: a few will do.
    let alone = SHAPES.iter().step_by(24).filter_map(Shape::converted_alone);
    let linked = SHAPES.iter().filter_map(Shape::converted_at_link);
    // Variables of all kinds, where the main thread is not thread 0.
    let kept = SHAPES.iter().filter(|shape| shape.source.contains("local_")).map(Shape::kept_generic);
    let trials = cases.chain(alone).chain(linked).chain(kept).map(|case| {
        Trial::test(case.name(), move || test(&case).map_err(|error| format!("{error:?}").into()))
    });
    tests_gpu::harness::run(trials.collect())
}

fn test(case: &Case) -> Result<()> {
    as_on_the_host(case)?;
    under_seeds(&program(case)?, SEEDS, "race,barrier")
}
