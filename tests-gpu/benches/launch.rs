//! Time of a launch, of a streaming kernel, of a reduction, of parallel regions in one kernel and of transfers, on
//! the device that the environment chooses. `kernels/bench.c` does the work and takes the time.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use tests_gpu::bench::{BENCH, WORK, time};
use tests_gpu::program;

fn benches(criterion: &mut Criterion) {
    let program = program(&BENCH).unwrap_or_else(|e| panic!("{e:#}"));
    for work in &WORK {
        // A group's throughput holds for all that follows in it.
        let mut group = criterion.benchmark_group(if work.bytes > 0 { "stream" } else { "launch" });
        // Each sample is a process of its own: few of them, and what they time is inside.
        group.sample_size(10);
        if work.bytes > 0 {
            group.throughput(Throughput::Bytes(work.bytes));
        }
        group.bench_function(work.name, |bencher| {
            bencher.iter_custom(|iterations| {
                let seconds = time(&program, work, iterations).unwrap_or_else(|e| panic!("{e:#}"));
                Duration::from_secs_f64(seconds)
            });
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
