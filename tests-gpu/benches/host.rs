//! Time of our host runtime and of LLVM's libomptarget 22 for launches, maps and lookups, on the same program and the
//! same stand-in driver.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::time::Duration;
use tests_gpu::host::{BENCH, WORK, time};
use tests_gpu::stand_in::Host;
use tests_gpu::{Dist, program};

fn benches(criterion: &mut Criterion) {
    let found = Dist::find().and_then(|dist| Ok((dist, program(&BENCH)?)));
    let (dist, program) = found.unwrap_or_else(|e| panic!("{e:#}"));
    for work in &WORK {
        let mut group = criterion.benchmark_group(work.name);
        // Each sample is a process of its own: few of them, and what they time is inside.
        group.sample_size(10);
        for host in [Host::Ours, Host::Llvm22] {
            group.bench_function(BenchmarkId::new(format!("{host:?}"), work.size), |bencher| {
                bencher.iter_custom(|iterations| {
                    // The process takes its time to start and to fill its table, which criterion counts when it chooses
                    // the number.
                    let whole = iterations.max(work.least);
                    let seconds =
                        time(host, &dist, &program, work, whole).unwrap_or_else(|e| panic!("{e:#}"));
                    Duration::from_secs_f64(seconds * iterations as f64 / whole as f64)
                });
            });
        }
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
