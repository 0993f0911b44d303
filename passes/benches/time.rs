//! Processor time of the passes beside LLVM's own openmp-opt, in one process, on the same modules: a program of
//! `kernels/spmd`, and all of them in one, if `cargo xtask bench-passes` has left that module in `target`.
//!
//! Processor time and not wall time, so that other work of the machine counts less. Modules are read anew for each run,
//! which is not timed.

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use passes::Settings;
use passes::ir::{Context, Module, set_bool_option};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The processor time of this process.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a place for the result.
        let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
        assert_eq!(status, 0, "Linux has this clock");
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn end(&self, start: Duration) -> Duration {
        self.start() - start
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// A module with the context that it lives in.
struct Loaded {
    module: Module,
    _context: Context,
}

impl Loaded {
    fn read(path: &Path) -> Self {
        let context = Context::default();
        Self { module: context.read(path).expect("the module was just written"), _context: context }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.module.dispose();
    }
}

/// The modules, with their names.
fn modules(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let solver = folder.join("solver.bc");
    let status = Command::new(env!("CARGO_BIN_EXE_omptarget-opt"))
        .arg(root.join("kernels/spmd/cg_solver_one_region.c"))
        .args(["--passes=no-op-module", "-o"])
        .arg(&solver)
        .status()
        .expect("the tool was built with this bench");
    assert!(status.success(), "clang-22 compiles the solver");
    let mut found = vec![("solver", solver)];
    let all = root.join("target/bench-passes/modules/all.bc");
    found.extend(all.is_file().then_some(("all programs", all)));
    found
}

fn time(c: &mut Criterion<CpuTime>) {
    let folder = tempfile::tempdir().expect("a place for modules");
    // Before the first run, which tells LLVM's pass to leave some steps to ours.
    let settings = Settings::from_llvm();
    for (name, path) in modules(folder.path()) {
        let mut group = c.benchmark_group(name);
        let stock = || {
            for step in ["openmp-opt-disable-spmdization", "openmp-opt-disable-deglobalization"] {
                set_bool_option(step, false);
            }
            Loaded::read(&path)
        };
        group.bench_function("LLVM", |b| {
            let run = |loaded: Loaded| {
                loaded.module.run_passes("openmp-opt").expect("LLVM knows its pass");
                loaded
            };
            b.iter_batched(stock, run, BatchSize::PerIteration)
        });
        group.bench_function("ours", |b| {
            let run = |loaded: Loaded| {
                let report = passes::run(loaded.module, &settings).expect("the passes take it");
                assert!(report.kernels.iter().all(|(_, outcome)| outcome.converted));
                loaded
            };
            b.iter_batched(|| Loaded::read(&path), run, BatchSize::PerIteration)
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime).sample_size(20);
    targets = time
}
criterion_main!(benches);
