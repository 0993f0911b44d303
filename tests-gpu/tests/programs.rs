//! Every case of the table on the device: the right kernels are launched in the right mode, the output is that of a
//! run on the host, it stays the same whatever the interpreter's scheduler does, and the checkers of the SIMT device find
//! nothing.
//!
//! Most of the programs take long under the checkers: those marked in the table run under all of them each time, the
//! others with `OMPTARGET_TEST_CHECK=all cargo test -p tests-gpu --test programs -- /checks`, where the variable names
//! the checkers.

use libtest_mimic::{Failed, Trial};
use std::collections::VecDeque;
use tests_gpu::{CASES, Case, Run, as_on_the_host, program};

/// Seeds of the interpreter's scheduler that each program runs under. A GPU schedules as it likes: there it is as many
/// repetitions.
const SEEDS: u32 = 16;
/// The same for programs about the defects of LLVM's runtime, many of which show under few schedules.
const DEFECT_SEEDS: u32 = 64;

/// Programs that are begun before the remaining trials of one are.
const AHEAD: usize = 16;

/// What the checkers may take for a program that runs for a second without them.
const CHECK_SECONDS: u32 = 900;

fn main() {
    let asked_for = std::env::var("OMPTARGET_TEST_CHECK").ok();
    let trials = |case: &'static Case| {
        let host = Trial::test(format!("{}/as_on_the_host", case.name()), move || Ok(as_on_the_host(case)?));
        let seeds = Trial::test(format!("{}/seeds", case.name()), move || seeds(case));
        let checks = (case.checked || asked_for.is_some() && !case.shares_memory()).then(|| {
            let names = asked_for.clone().unwrap_or_else(|| "all".to_owned());
            Trial::test(format!("{}/checks", case.name()), move || checks(case, &names))
        });
        case.compares_with_host().then_some(host).into_iter().chain([seeds]).chain(checks)
    };
    tests_gpu::harness::run(apart(CASES.iter().map(trials)))
}

/// The trials of all programs in the order in which they start: the first of a program, which builds it, well before
/// the others, which would wait for that and leave a core idle.
fn apart<T>(programs: impl Iterator<Item = impl Iterator<Item = T>>) -> Vec<T> {
    let mut later = VecDeque::new();
    let mut order = Vec::new();
    for mut trials in programs {
        order.extend(trials.next());
        later.push_back(trials);
        if later.len() > AHEAD {
            order.extend(later.pop_front().into_iter().flatten());
        }
    }
    order.extend(later.into_iter().flatten());
    order
}

fn seeds(case: &Case) -> Result<(), Failed> {
    let program = program(case)?;
    let with = |seed| Run::on_device().with("OMPTARGET_SIMT_SEED", seed).of(&program)?.successful();
    let first = with(0)?;
    let defect = case.is_defect(); // some of these launch from several threads, in any order
    for seed in 1..if case.needs_many_schedules() { DEFECT_SEEDS } else { SEEDS } {
        let other = with(seed)?;
        if other.stdout != first.stdout || !defect && other.launches() != first.launches() {
            return Err(format!("seed {seed} differs\n{other}\nseed 0\n{first}").into());
        }
    }
    Ok(())
}

/// The checkers say nothing, and change nothing.
fn checks(case: &Case, names: &str) -> Result<(), Failed> {
    let program = program(case)?;
    let on_simt = || Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_SEED", 1);
    let plain = on_simt().of(&program)?.successful()?;
    let checked =
        on_simt().with("OMPTARGET_SIMT_CHECK", names).within(CHECK_SECONDS).of(&program)?.successful()?;
    if checked.stdout != plain.stdout {
        return Err(format!("the output differs under the checkers\n{checked}\nwithout\n{plain}").into());
    }
    Ok(())
}
