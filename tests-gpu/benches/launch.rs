//! Time of a launch, of a streaming kernel, of a reduction, of parallel regions in one kernel and of transfers, on
//! the device that the environment chooses. `kernels/bench.c` does the work and takes the time.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use tests_gpu::{BENCH, Run, program};

/// Elements of each vector.
const ELEMENTS: u64 = 1 << 20;

/// Name of a case of the program, bytes that one iteration reads and writes.
const WORK: [(&str, u64); 5] = [
    ("empty", 0),
    ("saxpy", 24 * ELEMENTS),
    ("dot", 16 * ELEMENTS),
    ("regions", 0),
    ("transfer", 16 * ELEMENTS),
];

fn benches(criterion: &mut Criterion) {
    let program = program(&BENCH).unwrap_or_else(|e| panic!("{e:#}"));
    let mut group = criterion.benchmark_group("program");
    // Each sample is a process of its own: few of them, and what they time is inside.
    group.sample_size(10);
    for (name, bytes) in WORK {
        if bytes > 0 {
            group.throughput(Throughput::Bytes(bytes));
        }
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let run = Run::on_device().with("LIBOMPTARGET_INFO", 0);
                let run = run.argument(name).argument(iterations).argument(ELEMENTS);
                let outcome =
                    run.of(&program).and_then(|o| o.successful()).unwrap_or_else(|e| panic!("{e:#}"));
                let seconds = outcome.stdout.trim().parse().unwrap_or_else(|e| panic!("{e}: {outcome}"));
                Duration::from_secs_f64(seconds)
            });
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
