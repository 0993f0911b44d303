//! The whole programs of the performance comparison (`kernels/whole`) find their own results right, in CUDA and in OpenMP
//! with our passes, and print figures.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use tests_gpu::figures::Variant;
use tests_gpu::whole::{PROGRAMS, Program, Size};
use tests_gpu::{Dist, dist};

fn main() {
    let mut trials = vec![];
    for program in PROGRAMS {
        for &variant in program.variants {
            if matches!(variant, Variant::Cuda | Variant::Raw | Variant::Passes) && program.is_own() {
                let test = move || figures(program, variant).map_err(|error| format!("{error:?}").into());
                trials.push(Trial::test(program.file(variant), test));
            }
        }
    }
    tests_gpu::harness::run(trials)
}

fn figures(program: &Program, variant: Variant) -> Result<()> {
    let folder = dist::target().join("tests-gpu/whole");
    let Some(file) = program.build(&Dist::find()?, variant, None, &folder)? else {
        unreachable!("an own program has its sources")
    };
    let outcome = program.run(Size::Simt).of(&file)?;
    program.verified(Size::Simt, &outcome, &file)?;
    let printed = program.printed(&outcome.stdout, variant)?;
    ensure!(printed.wrong.is_empty() && !printed.figures.is_empty(), "{outcome}");
    ensure!(!outcome.launches().is_empty(), "launched no kernel\n{outcome}");
    Ok(())
}
