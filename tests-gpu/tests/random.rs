//! Random programs on the device: each compares its result with the one computed when it was made.

use libtest_mimic::Trial;
use tests_gpu::random::batches;

fn main() {
    let trials = batches()
        .into_iter()
        .map(|batch| {
            Trial::test(batch.name(), move || batch.test().map_err(|error| format!("{error:?}").into()))
        })
        .collect();
    tests_gpu::harness::run(trials)
}
