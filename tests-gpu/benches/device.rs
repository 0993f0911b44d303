//! The benches of device code (`tests_gpu::device_bench`), in cycles of the device's clock or in seconds around launches, on
//! the device that `OMPTARGET_BENCH_DEVICE` names: `simt`, `cuda` or `auto`.
//!
//! `cargo test` runs each program once, with our runtime and small sizes. `cargo bench -p tests-gpu --bench device` has a criterion group for each
//! bench and device, in which a figure's name ends in the variant; a word on the command line chooses benches. A program
//! prints all samples of a figure at once, so criterion is given the same few again and again: their spread is that of the
//! program's output. `OMPTARGET_BENCH_FIGURES=FILE` writes all figures as JSON. The table of generic and SPMD kernels comes last.
//! What cycles of the SIMT device are tells `tests_gpu::device_bench`.

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Criterion, Throughput};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tests_gpu::device_bench::{self, BENCHES, Bench, LIMIT_SECONDS, SIMT_CYCLES, Size};
use tests_gpu::figures::{Figure, Unit, Variant};
use tests_gpu::{Dist, dist, driver};

/// A figure's unit as criterion's measurement: all values come from programs.
struct Of(Unit);

impl Measurement for Of {
    type Intermediate = ();
    type Value = f64;

    fn start(&self) {}

    fn end(&self, (): ()) -> f64 {
        0.0
    }

    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for Of {
    fn scale_values(&self, _typical: f64, _values: &mut [f64]) -> &'static str {
        self.0.word()
    }

    fn scale_throughputs(
        &self,
        _typical: f64,
        _throughput: &Throughput,
        _values: &mut [f64],
    ) -> &'static str {
        self.0.word()
    }

    fn scale_for_machines(&self, _values: &mut [f64]) -> &'static str {
        self.0.word()
    }
}

/// A bench with one of its variants.
type Pair = (&'static Bench, Variant);

/// A program, or why there is none.
type Built = Result<PathBuf, String>;

/// Builds all, one on each processor at a time.
fn build_all(dist: &Dist, pairs: &[Pair]) -> Vec<Built> {
    let folder = dist::target().join("tests-gpu/device-bench");
    let (next, built) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((bench, variant)) = pairs.get(index) else { return };
                    let program = device_bench::build(dist, bench, *variant, &[], &folder);
                    let program = program.map_err(|error| format!("{error:#}"));
                    built.lock().expect("no holder of this lock panics").insert(index, program);
                }
            });
        }
    });
    built.into_inner().expect("no holder of this lock panics").into_values().collect()
}

/// The figures of all benches. What is wrong with the work of others is only told.
fn figures(pairs: &[Pair], built: Vec<Built>, size: Size) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (&(bench, variant), program) in pairs.iter().zip(built) {
        let name = format!("{} with {}", bench.name, variant.word());
        // Those of others may be missing, and what is wrong with them is not wrong here.
        let of_others = variant.is_of_others();
        let ran = program.and_then(|program| {
            device_bench::run(&program, bench, variant, size, LIMIT_SECONDS)
                .map_err(|error| format!("{error:#}"))
        });
        match ran {
            Err(error) if of_others => eprintln!("{name} is left out: {error}"),
            Err(error) => panic!("{name}: {error}"),
            Ok(ran) if of_others => {
                ran.wrong.iter().for_each(|line| eprintln!("{name}: wrong: {line}"));
                if !ran.failure.is_empty() {
                    eprintln!("{name}: {}", ran.failure);
                }
                figures.extend(ran.figures);
            }
            Ok(ran) => figures.extend(ran.complete().unwrap_or_else(|error| panic!("{name}: {error:#}"))),
        }
    }
    figures
}

/// Hands the figures with this unit to criterion.
fn measure(unit: Unit, device: &str, figures: &[Figure]) {
    let of_unit: Vec<&Figure> = figures.iter().filter(|figure| figure.unit == unit).collect();
    if of_unit.is_empty() {
        return;
    }
    // There is nothing to warm up and nothing to wait for: the values are there.
    let mut criterion = Criterion::default()
        .with_measurement(Of(unit))
        .sample_size(10)
        .nresamples(1001)
        .warm_up_time(Duration::from_nanos(1))
        .measurement_time(Duration::from_millis(1))
        .configure_from_args();
    for figure in of_unit {
        let mut group = criterion.benchmark_group(format!("{device}/{}", figure.group));
        let parameters = figure.parameters.iter().map(|(key, value)| format!(" {key}={value}"));
        let name = format!("{}{}/{}", figure.name, parameters.collect::<String>(), figure.variant.word());
        let mut samples = figure.samples.iter().cycle();
        group.bench_function(name, |bencher| {
            bencher
                .iter_custom(|iterations| samples.next().expect("a figure has a sample") * iterations as f64);
        });
        group.finish();
    }
    criterion.final_summary();
}

fn main() {
    if let Some(ended) = device_bench::as_rust_bench() {
        std::process::exit(ended.into());
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let whole = arguments.iter().any(|argument| argument == "--bench");
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if let Some(device) = std::env::var_os("OMPTARGET_BENCH_DEVICE") {
        // SAFETY: there are no other threads yet.
        unsafe { std::env::set_var("OMPTARGET_DEVICE", device) };
    }
    let wanted = |bench: &Bench| {
        words.is_empty() || words.iter().any(|word| word.contains(bench.name) || bench.name.contains(*word))
    };
    let all = BENCHES.iter().filter(|bench| wanted(bench));
    let mut pairs: Vec<Pair> =
        all.flat_map(|bench| bench.variants().map(move |variant| (bench, variant))).collect();
    if !whole {
        // Each costs a compilation: a test takes every source once that can be compiled everywhere.
        let mut sources = HashSet::new();
        pairs.retain(|(bench, variant)| *variant != Variant::Raw && sources.insert(bench.source(*variant)));
    }
    if pairs.is_empty() || arguments.iter().any(|argument| argument == "--list") {
        return;
    }
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let built = build_all(&dist, &pairs);
    let device = driver::Device::open().unwrap_or_else(|error| panic!("{error:#}")).name;
    let size = if whole { Size::of(&device) } else { Size::Once };
    let figures = figures(&pairs, built, size);
    if let Some(file) = std::env::var_os("OMPTARGET_BENCH_FIGURES") {
        let text = serde_json::to_string_pretty(&figures).unwrap_or_else(|error| panic!("{error}"));
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    }
    for unit in Unit::ALL {
        measure(unit, &device, &figures);
    }
    if whole {
        println!("On {device}:\n\n{}", device_bench::headline(&figures));
        if size == Size::Simt {
            println!("{SIMT_CYCLES}");
        }
    }
}
