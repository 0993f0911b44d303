//! Speed of the interpreter in thread-instructions per second on one OS thread: what criterion prints as elements.
//!
//! The kernels are in `interpret.c`, their PTX in `interpret.ptx`. Each result is checked before it is timed.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simt::{Device, DeviceConfig, LaunchConfig};
use std::hint::black_box;

/// Elements of saxpy and reduction.
const ELEMENTS: usize = 1 << 20;
/// Width and height of the mandelbrot picture, and its iteration limit.
const WIDTH: u32 = 128;
const LIMIT: u32 = 256;

/// A parameter block.
#[derive(Default)]
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
}

impl Bench {
    fn new() -> Self {
        let memory_bytes = 1 << 30;
        let config = DeviceConfig { memory_bytes, ..DeviceConfig::default() };
        let device = Device::new(config).expect("a device");
        let module = device.load(include_str!("interpret.ptx")).expect("the kernels");
        Self { device, module }
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

    /// Times a kernel; `check` looks at the memory after the first run.
    fn time(
        &self,
        c: &mut Criterion,
        name: &str,
        id: &str,
        shape: [u32; 2],
        block: &[u8],
        check: impl FnOnce(&Self),
    ) {
        let function = self.module.function(name).expect("the kernel");
        let config = LaunchConfig { grid: [shape[0], 1, 1], block: [shape[1], 1, 1], dynamic_shared: 0 };
        let launch = || self.device.launch(&function, config, block).expect("a launch");
        let stats = launch();
        check(self);
        let mut group = c.benchmark_group("interpret");
        group.throughput(Throughput::Elements(stats.thread_instructions));
        group.bench_function(id, |b| b.iter(|| black_box(launch())));
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
    bench.time(c, "saxpy", "saxpy <<<64,256>>>", [64, 256], &block.0, |bench| {
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
        bench.time(c, "reduce", &id, [blocks, 256], &block.0, |bench| {
            let sums = bench.download(sums, 8 * blocks as usize);
            let sum: f64 =
                sums.chunks(8).map(|sum| f64::from_le_bytes(sum.try_into().expect("8 bytes"))).sum();
            assert!(sum == exact, "the reduction is wrong: {sum} instead of {exact}");
        });
    }
}

fn mandelbrot(c: &mut Criterion) {
    let bench = Bench::new();
    let pixels = WIDTH * WIDTH;
    let counts = bench.upload(&vec![0; 4 * pixels as usize]);
    let block =
        Parameters::default().with(WIDTH.to_le_bytes()).with(LIMIT.to_le_bytes()).with(counts.to_le_bytes());
    bench.time(c, "mandelbrot", "mandelbrot f64", [pixels / 256, 256], &block.0, |bench| {
        let counts = bench.download(counts, 4 * pixels as usize);
        let count = |i: usize| u32::from_le_bytes(counts[4 * i..][..4].try_into().expect("4 bytes"));
        let row = (WIDTH / 2 * WIDTH) as usize;
        // The points -2 and 0 belong to the set, 1 - 3/WIDTH leaves it.
        assert_eq!((count(row), count(row + 2 * WIDTH as usize / 3)), (LIMIT, LIMIT), "mandelbrot is wrong");
        assert!((1..10).contains(&count(row + WIDTH as usize - 1)), "mandelbrot is wrong");
    });
}

criterion_group!(benches, saxpy, reduce, mandelbrot);
criterion_main!(benches);
