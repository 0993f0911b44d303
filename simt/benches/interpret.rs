//! Speed of the interpreter in thread-instructions per second on one OS thread: what criterion prints as elements.
//!
//! The kernels are in `interpret.c`, their PTX in `interpret.ptx`. Each result is checked before it is timed.
//! `OMPTARGET_SIMT_CHECK=race` in the environment times them under that checker, `OMPTARGET_SIMT_MEMORY_MODEL=weak` in the
//! weak memory mode.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simt::check::Checks;
use simt::{Device, DeviceConfig, LaunchConfig, MemoryModel};
use std::hint::black_box;

/// Elements of saxpy and reduction.
const ELEMENTS: usize = 1 << 20;
/// Width and height of the mandelbrot picture, and its iteration limit.
const WIDTH: u32 = 128;
const LIMIT: u32 = 256;

/// A parameter block.
#[derive(Clone, Default)]
struct Parameters(Vec<u8>);

impl Parameters {
    /// Appends a parameter, aligned to its size.
    fn with<const N: usize>(mut self, value: [u8; N]) -> Self {
        self.0.resize(self.0.len().next_multiple_of(N), 0);
        self.0.extend(value);
        self
    }
}

/// A device with data in it.
struct Bench {
    device: Device,
    module: simt::Module,
    /// The checkers in the environment.
    checks: String,
}

impl Bench {
    fn new() -> Self {
        Self::on(1)
    }

    /// With teams on so many OS threads.
    fn on(threads: usize) -> Self {
        let memory_model = match std::env::var("OMPTARGET_SIMT_MEMORY_MODEL").as_deref() {
            Ok("weak") => MemoryModel::Weak,
            _ => MemoryModel::Sequential,
        };
        let config = DeviceConfig { memory_bytes: 1 << 30, threads, memory_model, ..DeviceConfig::default() };
        let device = Device::new(config).expect("a device");
        let checks = std::env::var("OMPTARGET_SIMT_CHECK").unwrap_or_default();
        device.check(Checks::parse(&checks).expect("names of checkers")).expect("room for the checkers");
        let module = device.load(include_str!("interpret.ptx")).expect("the kernels");
        Self { device, module, checks }
    }

    fn upload(&self, bytes: &[u8]) -> u64 {
        let address = self.device.alloc(bytes.len() as u64).expect("device memory");
        self.device.write(address, bytes).expect("a copy to the device");
        address
    }

    fn download(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        self.device.read(address, &mut data).expect("a copy from the device");
        data
    }

    /// Starts a kernel; the thread instructions that it took.
    fn launch(&self, name: &str, shape: [u32; 2], block: Parameters) -> u64 {
        let function = self.module.function(name).expect("the kernel");
        let config = LaunchConfig { grid: [shape[0], 1, 1], block: [shape[1], 1, 1], dynamic_shared: 0 };
        self.device.launch(&function, config, &block.0).expect("a launch").thread_instructions
    }

    /// Times a kernel; `check` looks at the memory after the first run.
    fn time(
        &self,
        c: &mut Criterion,
        name: &str,
        id: &str,
        shape: [u32; 2],
        block: &Parameters,
        check: impl FnOnce(&Self),
    ) {
        self.time_all(c, id, || self.launch(name, shape, block.clone()), check);
    }

    /// The same for what `run` does, which says how many thread instructions that were.
    fn time_all(&self, c: &mut Criterion, id: &str, run: impl Fn() -> u64, check: impl FnOnce(&Self)) {
        let instructions = run();
        check(self);
        let name = if self.checks.is_empty() { "interpret" } else { &self.checks };
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(instructions));
        group.bench_function(id, |b| b.iter(|| black_box(run())));
        group.finish();
    }
}

fn saxpy(c: &mut Criterion) {
    let bench = Bench::new();
    let x: Vec<u8> = (0..ELEMENTS).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let (x, y) = (bench.upload(&x), bench.upload(&vec![0; 4 * ELEMENTS]));
    let block = Parameters::default()
        .with((ELEMENTS as u64).to_le_bytes())
        .with(2f32.to_le_bytes())
        .with(x.to_le_bytes())
        .with(y.to_le_bytes());
    bench.time(c, "saxpy", "saxpy <<<64,256>>>", [64, 256], &block, |bench| {
        let y = bench.download(y, 4 * ELEMENTS);
        let right = |(i, value): (usize, &[u8])| value == (2.0 * i as f32).to_le_bytes();
        assert!(y.chunks(4).enumerate().all(right), "saxpy is wrong");
    });
}

fn reduce(c: &mut Criterion) {
    let bench = Bench::new();
    let x: Vec<u8> = (0..ELEMENTS).flat_map(|i| ((i % 1000) as f64).to_le_bytes()).collect();
    let (x, exact) = (bench.upload(&x), (0..ELEMENTS).map(|i| (i % 1000) as f64).sum::<f64>());
    for blocks in [64u32, 4096] {
        let sums = bench.upload(&vec![0; 8 * blocks as usize]);
        let block = Parameters::default()
            .with((ELEMENTS as u64).to_le_bytes())
            .with(x.to_le_bytes())
            .with(sums.to_le_bytes());
        let id = format!("reduction <<<{blocks},256>>>");
        bench.time(c, "reduce", &id, [blocks, 256], &block, |bench| {
            let sums = bench.download(sums, 8 * blocks as usize);
            let sum: f64 =
                sums.chunks(8).map(|sum| f64::from_le_bytes(sum.try_into().expect("8 bytes"))).sum();
            assert!(sum == exact, "the reduction is wrong: {sum} instead of {exact}");
        });
    }
}

fn mandelbrot(c: &mut Criterion) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for threads in [1, cores] {
        let bench = Bench::on(threads);
        let pixels = WIDTH * WIDTH;
        let counts = bench.upload(&vec![0; 4 * pixels as usize]);
        let block = Parameters::default()
            .with(WIDTH.to_le_bytes())
            .with(LIMIT.to_le_bytes())
            .with(counts.to_le_bytes());
        let id =
            if threads == 1 { "mandelbrot f64".to_owned() } else { format!("mandelbrot, {threads} cores") };
        bench.time(c, "mandelbrot", &id, [pixels / 256, 256], &block, |bench| {
            let counts = bench.download(counts, 4 * pixels as usize);
            let count = |i: usize| u32::from_le_bytes(counts[4 * i..][..4].try_into().expect("4 bytes"));
            let row = (WIDTH / 2 * WIDTH) as usize;
            // The points -2 and 0 belong to the set, 1 - 3/WIDTH leaves it.
            let inside = (count(row), count(row + 2 * WIDTH as usize / 3));
            assert_eq!(inside, (LIMIT, LIMIT), "mandelbrot is wrong");
            assert!((1..10).contains(&count(row + WIDTH as usize - 1)), "mandelbrot is wrong");
        });
        if cores == 1 {
            break;
        }
    }
}

/// Conjugate gradients for the five-point Laplacian on a square of [`SIDE`]: ten iterations, six launches each.
fn cg(c: &mut Criterion) {
    const SIDE: usize = 256;
    const ROWS: usize = SIDE * SIDE;
    let (mut start, mut column, mut value) = (vec![0i32], vec![], vec![]);
    for row in 0..ROWS {
        let (i, j) = (row / SIDE, row % SIDE);
        for (here, to, v) in [
            (i > 0, row.wrapping_sub(SIDE), -1.0),
            (j > 0, row.wrapping_sub(1), -1.0),
            (true, row, 4.0f64),
            (j + 1 < SIDE, row + 1, -1.0),
            (i + 1 < SIDE, row + SIDE, -1.0),
        ] {
            if here {
                column.push(to as i32);
                value.push(v);
            }
        }
        start.push(column.len() as i32);
    }
    let bench = Bench::new();
    let ints = |all: &[i32]| bench.upload(&all.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
    let doubles = |all: &[f64]| bench.upload(&all.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
    let matrix = [ints(&start), ints(&column), doubles(&value)];
    let ones: Vec<f64> = vec![1.0; ROWS];
    let [x, r, p, q] = [0; 4].map(|_| doubles(&ones));
    let sum = doubles(&[0.0]);
    let shape = [64, 256];
    let n = || Parameters::default().with((ROWS as u64).to_le_bytes());
    let executed = std::cell::Cell::new(0);
    let launch = |name: &str, block: Parameters| {
        executed.set(executed.get() + bench.launch(name, shape, block));
    };
    let dot = |a: u64, b: u64| {
        bench.device.write(sum, &0f64.to_le_bytes()).expect("a copy");
        launch("dot", n().with(a.to_le_bytes()).with(b.to_le_bytes()).with(sum.to_le_bytes()));
        f64::from_le_bytes(bench.download(sum, 8).try_into().expect("8 bytes"))
    };
    let axpby = |a: f64, from: u64, b: f64, to: u64| {
        let scaled = n().with(a.to_le_bytes()).with(from.to_le_bytes());
        launch("axpby", scaled.with(b.to_le_bytes()).with(to.to_le_bytes()));
    };
    let residual = std::cell::Cell::new(0.0);
    let run = || {
        executed.set(0);
        // x = 0, r = p = 1
        axpby(0.0, x, 0.0, x);
        let bytes: Vec<u8> = ones.iter().flat_map(|n| n.to_le_bytes()).collect();
        for vector in [r, p] {
            bench.device.write(vector, &bytes).expect("a copy");
        }
        let mut rr = dot(r, r);
        for _ in 0..10 {
            let product = matrix.iter().fold(n(), |block, address| block.with(address.to_le_bytes()));
            launch("spmv", product.with(p.to_le_bytes()).with(q.to_le_bytes()));
            let alpha = rr / dot(p, q);
            axpby(alpha, p, 1.0, x);
            axpby(-alpha, q, 1.0, r);
            let next = dot(r, r);
            axpby(1.0, r, next / rr, p);
            rr = next;
        }
        residual.set(rr);
        executed.get()
    };
    bench.time_all(c, "cg, 10 iterations", run, |bench| {
        // What is left must be b - A x, and the solution grows by about one point an iteration from each side.
        let read = |at| {
            let bytes = bench.download(at, 8 * ROWS);
            bytes.chunks(8).map(|n| f64::from_le_bytes(n.try_into().expect("8 bytes"))).collect::<Vec<_>>()
        };
        let (x, r) = (read(x), read(r));
        for row in 0..ROWS {
            let entries = start[row] as usize..start[row + 1] as usize;
            let product: f64 = entries.map(|k| value[k] * x[column[k] as usize]).sum();
            assert!((1.0 - product - r[row]).abs() < 1e-9, "row {row} of CG is wrong");
        }
        assert!(residual.get().is_finite() && residual.get() > 0.0);
    });
}

fn spinlock(c: &mut Criterion) {
    let bench = Bench::new();
    let [lock, count] = [0; 2].map(|_| bench.upload(&[0; 4]));
    let block =
        Parameters::default().with(4u32.to_le_bytes()).with(lock.to_le_bytes()).with(count.to_le_bytes());
    bench.time(c, "spinlock", "spin lock <<<4,256>>>", [4, 256], &block, |bench| {
        assert_eq!(bench.download(count, 4), (4u32 * 4 * 256).to_le_bytes(), "the lock does not exclude");
    });
}

fn regions(c: &mut Criterion) {
    let bench = Bench::new();
    let out = bench.upload(&[0; 4 * 4 * 256]);
    let block = Parameters::default().with(200u32.to_le_bytes()).with(out.to_le_bytes());
    bench.time(c, "regions", "200 regions <<<4,256>>>", [4, 256], &block, |bench| {
        let all = bench.download(out, 4 * 4 * 256);
        assert!(all.chunks(4).all(|n| n == 300u32.to_le_bytes()), "a thread has left a region out");
    });
}

/// Lines of PTX in a second: read for the first time, and known from the module cache.
fn decode(c: &mut Criterion) {
    let text = include_str!("interpret.ptx");
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(text.lines().count() as u64));
    group.bench_function("lines", |b| b.iter(|| simt::ptx::parse(black_box(text)).expect("the kernels")));
    let bench = Bench::new();
    group.bench_function("lines, cached", |b| {
        b.iter(|| bench.device.load(black_box(text)).expect("the kernels"))
    });
    assert_eq!(bench.device.modules_read(), 1);
    group.finish();
}

criterion_group!(benches, saxpy, reduce, mandelbrot, cg, spinlock, regions, decode);
criterion_main!(benches);
