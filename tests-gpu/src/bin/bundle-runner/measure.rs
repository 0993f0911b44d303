//! The stages of a run that measure: benches of the host runtime and of single pieces of work, and whole programs. One at a
//! time: nothing else runs beside them.

use crate::report::Report;
use crate::stage::Job;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tests_gpu::bench::{self, BENCH};
use tests_gpu::bundle::{BENCHES, Built, HOST, LLVM, STAND_IN, WHOLE};
use tests_gpu::device_bench::{Bench, Ran};
use tests_gpu::figures::{Figure, Unit, Variant};
use tests_gpu::whole::{self, Size};
use tests_gpu::{Run, device_bench, driver, host};

/// Samples of each figure.
const SAMPLES: usize = 7;
/// A sample takes at least so long, so that the clock's resolution does not matter.
const SAMPLE_SECONDS: f64 = 0.1;
/// Entries of a mapping table that takes longer to fill than there is time.
const LARGE_TABLE: u64 = 100_000;
/// Why programs of NVIDIA's compiler do not run on the embedded device.
const NEEDS_A_GPU: &str = "programs of nvcc run on a GPU alone";
/// What a whole program may take: a multiple of what it takes.
const PROGRAM_SECONDS: u32 = 60;

/// The benches: those of device code, work of `kernels/bench.c`, then that of the host runtimes.
///
/// # Errors
/// The list of benches is not understood.
pub fn benches<'a>(bundle: &'a Path, simt: bool, report: &'a Report) -> Result<Vec<Job<'a>>> {
    let mut jobs = device_benches(bundle, simt, report)?;
    for work in &bench::WORK {
        let run = move |_| {
            let program = bundle.join("ptx").join(BENCH.name());
            match sampled(1, |iterations| bench::time(&program, work, iterations)) {
                Ok(samples) => {
                    let parameters = BTreeMap::from([("elements".to_owned(), work.elements.to_string())]);
                    report.figures(vec![figure("work", work.name, Variant::Ours, parameters, samples)]);
                }
                Err(error) => report.failure("bench", work.name, Variant::Ours, &format!("{error:#}")),
            }
        };
        jobs.push(Job::new(format!("bench {}", work.name), run));
    }
    jobs.push(Job::new("host: calls of the driver".to_owned(), |_| {
        let sizes: Vec<usize> =
            host::WORK.iter().filter(|work| work.name == "pinned").map(|work| work.size as usize).collect();
        match driver::host_figures(SAMPLES, 1000, &sizes) {
            Ok(figures) => report.figures(figures),
            Err(error) => report.failure("bench", "host", Variant::Raw, &format!("{error:#}")),
        }
    }));
    jobs.extend(host_runtimes(bundle, simt, report));
    Ok(jobs)
}

/// The benches of device code, in all variants that the bundle has. That LLVM's runtime finds wrong results is a result.
fn device_benches<'a>(bundle: &'a Path, simt: bool, report: &'a Report) -> Result<Vec<Job<'a>>> {
    let list = fs::read_to_string(bundle.join(BENCHES)).with_context(|| format!("cannot read {BENCHES}"))?;
    let list: Vec<Built> =
        serde_json::from_str(&list).with_context(|| format!("{BENCHES} is not understood"))?;
    let size = if simt { Size::Simt } else { Size::Gpu };
    let mut jobs = Vec::new();
    for Built { bench: name, variant, file } in list {
        let bench = device_bench::BENCHES.iter().find(|bench| bench.name == name);
        let bench = bench.with_context(|| format!("there is no bench {name}"))?;
        let what = format!("bench {name} ({})", variant.word());
        if simt && variant == Variant::Raw {
            report.skip(&format!("{what}: {NEEDS_A_GPU}"));
            continue;
        }
        let run = move |left| match device_bench::run(&bundle.join(&file), bench, variant, size, left) {
            Ok(ran) => device_bench(ran, bench, variant, report),
            Err(error) => report.failure("bench", bench.name, variant, &format!("{error:#}")),
        };
        jobs.push(Job::new(what, run));
    }
    Ok(jobs)
}

/// Reports what became of a bench of device code.
fn device_bench(ran: Ran, bench: &Bench, variant: Variant, report: &Report) {
    report.figures(ran.figures);
    let failure = (!ran.failure.is_empty()).then_some(ran.failure);
    for text in ran.wrong.into_iter().chain(failure) {
        report.failure("bench", bench.name, variant, &text);
    }
}

/// The same program on our host runtime and on LLVM's.
fn host_runtimes<'a>(bundle: &'a Path, simt: bool, report: &'a Report) -> Vec<Job<'a>> {
    let program = bundle.join(HOST).join(if simt { "elf" } else { "cubin" }).join(host::BENCH.name());
    if !program.is_file() {
        report.skip("host runtimes: the bundle has no image for this device");
        return Vec::new();
    }
    let mut jobs = Vec::new();
    for work in host::WORK.iter().filter(|work| work.size < LARGE_TABLE || work.name != "lookup") {
        for (variant, folder) in [(Variant::Ours, "lib"), (Variant::Llvm22, LLVM)] {
            if !bundle.join(folder).join("libomptarget.so.22.1").exists() {
                continue; // said by the bundle's maker
            }
            let program = program.clone();
            let run = move |_| {
                let run = on_host_runtime(bundle, folder, simt);
                let time = |iterations: u64| host::time_of(&run, &program, work, iterations);
                match sampled(work.least, time) {
                    Ok(samples) => {
                        let parameters = BTreeMap::from([("size".to_owned(), work.size.to_string())]);
                        report.figures(vec![figure("host", work.name, variant, parameters, samples)]);
                    }
                    Err(error) => report.failure("host", work.name, variant, &format!("{error:#}")),
                }
            };
            jobs.push(Job::new(format!("host {} {} ({})", work.name, work.size, variant.word()), run));
        }
    }
    jobs
}

/// A run with the libomptarget of a folder of the bundle; on the embedded device as stand-in for the driver, with launches
/// left out, so that the time is that of the host runtime.
fn on_host_runtime(bundle: &Path, folder: &str, simt: bool) -> Run {
    let mut folders = vec![bundle.join(folder), bundle.join("lib")];
    if simt {
        folders.insert(1, bundle.join(STAND_IN));
    }
    let path: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let run = Run::on_device().with("LD_LIBRARY_PATH", path.join(":")).with("OMPTARGET_DEVICE", "cuda");
    if simt { run.with("OMPTARGET_SIMT_LAUNCHES", "skip") } else { run }
}

/// Seconds of one iteration, one value a sample, each over as many iterations as a sample needs.
fn sampled(least: u64, time: impl Fn(u64) -> Result<f64>) -> Result<Vec<f64>> {
    let mut iterations = least;
    let mut seconds = Vec::with_capacity(SAMPLES);
    while seconds.len() < SAMPLES {
        let sample = time(iterations)?;
        if sample < SAMPLE_SECONDS && seconds.is_empty() {
            let factor = (1.5 * SAMPLE_SECONDS / sample.max(1e-9)).clamp(2.0, 1000.0);
            iterations = (iterations as f64 * factor).ceil() as u64;
        } else {
            seconds.push(sample / iterations as f64);
        }
    }
    Ok(seconds)
}

fn figure(
    group: &str,
    name: &str,
    variant: Variant,
    parameters: BTreeMap<String, String>,
    samples: Vec<f64>,
) -> Figure {
    Figure { group: group.into(), name: name.into(), variant, parameters, unit: Unit::Seconds, samples }
}

/// Whole programs, in all variants that the bundle has.
pub fn whole_programs<'a>(bundle: &'a Path, simt: bool, report: &'a Report) -> Vec<Job<'a>> {
    let size = if simt { Size::Simt } else { Size::Gpu };
    let mut jobs = Vec::new();
    for program in whole::PROGRAMS {
        for &variant in program.variants {
            let file = bundle.join(WHOLE).join(program.file(variant));
            if !file.is_file() {
                continue; // made without it
            }
            let what = format!("{} ({})", program.name, variant.word());
            if simt && program.needs_nvcc(variant) {
                report.skip(&format!("{what}: {NEEDS_A_GPU}"));
                continue;
            }
            let run = move |left| {
                let seconds = PROGRAM_SECONDS.min(left);
                let whole = Whole { program, variant, size, file: &file, seconds };
                match whole.measured() {
                    Ok(figures) => report.figures(figures),
                    Err(error) => report.failure("compare", program.name, variant, &format!("{error:#}")),
                }
            };
            jobs.push(Job::new(what, run));
        }
    }
    jobs
}

/// A whole program, and how it is run.
struct Whole<'a> {
    program: &'a whole::Program,
    variant: Variant,
    size: Size,
    file: &'a Path,
    seconds: u32,
}

impl Whole<'_> {
    fn run(&self) -> Run {
        self.program.run(self.size).with("LIBOMPTARGET_INFO", 0).within(self.seconds)
    }

    /// Times, and in a run of their own, whose time does not count, what its kernels take of the device.
    fn measured(&self) -> Result<Vec<Figure>> {
        let &Self { program, variant, size, file, .. } = self;
        let run = self.run();
        let mut figures: Vec<Figure> = Vec::new();
        for _ in 0..program.runs(size) {
            let outcome = run.of(file)?;
            program.verified(size, &outcome, file)?;
            let printed = program.printed(&outcome.stdout, variant)?;
            if !printed.wrong.is_empty() {
                bail!("{}", printed.wrong.join("\n"));
            }
            for figure in printed.figures {
                match figures.iter_mut().find(|known| known.key() == figure.key()) {
                    Some(known) => known.samples.extend(figure.samples),
                    None => figures.push(figure),
                }
            }
        }
        if variant != Variant::Raw {
            let most = match program.resources(variant, file)? {
                Some((registers, shared)) => {
                    BTreeMap::from([("registers", registers as f64), ("shared_bytes", shared as f64)])
                }
                None => self.resources()?,
            };
            figures.extend(most.into_iter().map(|(what, value)| self.count(what, value)));
        }
        Ok(figures)
    }

    fn count(&self, what: &str, value: f64) -> Figure {
        Figure {
            group: whole::GROUP.to_owned(),
            name: self.program.name.to_owned(),
            variant: self.variant,
            parameters: BTreeMap::from([("what".to_owned(), what.to_owned())]),
            unit: Unit::Count,
            samples: vec![value],
        }
    }

    /// Of all kernels: most registers and shared bytes; on the embedded device the instructions executed. Its PTX registers are
    /// not those of a GPU.
    fn resources(&self) -> Result<BTreeMap<&'static str, f64>> {
        let stats = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
        let run = self.run().with("LIBOMPTARGET_KERNEL_TRACE", 1);
        let outcome = run.with("OMPTARGET_SIMT_STATS", stats.path().display()).of(self.file)?;
        let mut most: BTreeMap<&str, f64> = BTreeMap::new();
        let mut keep = |what, value: u64| {
            let known = most.entry(what).or_default();
            *known = known.max(value as f64);
        };
        for line in outcome.stderr.lines() {
            if let Some((registers, shared)) = kernel_line(line) {
                if self.size == Size::Gpu {
                    keep("registers", registers);
                }
                keep("shared_bytes", shared);
            }
        }
        if self.size != Size::Gpu {
            #[derive(Deserialize)]
            struct Launch {
                warp_instructions: u64,
                barriers: u64,
            }
            let text = fs::read_to_string(stats.path()).context("the device counted nothing")?;
            let launches = text.lines().map(serde_json::from_str).collect::<Result<Vec<Launch>, _>>()?;
            keep("warp_instructions", launches.iter().map(|launch| launch.warp_instructions).sum());
            keep("barriers", launches.iter().map(|launch| launch.barriers).sum());
        }
        Ok(most)
    }
}

/// Registers and shared bytes in `... kernel: main, line 17 at a.c:17:1, grid [2,1,1], block [128,1,1], 184 registers, shared
/// 128+0 bytes, SPMD, 91.0 us`.
fn kernel_line(line: &str) -> Option<(u64, u64)> {
    let (head, rest) = line.split_once(" registers, shared ")?;
    let (fixed, dynamic) = rest.split_once(" bytes")?.0.split_once('+')?;
    let number = |text: &str| text.parse::<u64>().ok();
    Some((number(head.rsplit(' ').next()?)?, number(fixed)? + number(dynamic)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_shared_bytes_are_read() {
        let line = "omptarget device 0 kernel: main, line 17 at a.c:17:1, grid [2,1,1], block [128,1,1], 184 registers, \
                    shared 128+8 bytes, SPMD, 91.0 us";
        assert_eq!(kernel_line(line), Some((184, 136)));
        assert_eq!(kernel_line("omptarget device 0 info: ? registers, shared"), None);
    }

    #[test]
    fn samples_have_as_many_iterations_as_the_clock_needs() {
        let calls = std::cell::RefCell::new(Vec::new());
        let samples = sampled(10, |iterations| {
            calls.borrow_mut().push(iterations);
            Ok(iterations as f64 * 1e-4)
        });
        assert_eq!(samples.unwrap(), [1e-4; SAMPLES]);
        let calls = calls.into_inner();
        assert_eq!((calls[0], calls.len()), (10, SAMPLES + 1));
        assert!(calls[1..].iter().all(|&iterations| iterations as f64 * 1e-4 >= SAMPLE_SECONDS), "{calls:?}");
        assert!(sampled(1, |_| bail!("no device")).is_err());
    }
}
