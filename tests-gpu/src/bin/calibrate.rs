//! Compares the instructions of the GPU with those of the embedded device, form by form: see [`simt::calibrate`].
//!
//! `calibrate --expect FILE` writes what the embedded device computes. `calibrate [--seconds N] FILE OUT` runs the same kernels
//! through the CUDA driver, or on the embedded device with `OMPTARGET_DEVICE=simt`, and writes a table of the forms that
//! differ to standard output and to `OUT/calibration.txt`. The exit status is 1 if one differs, fails, or was
//! not reached in time.
//!
//! The driver's compiler takes most of the time, and a kernel that fails takes its context with it: the forms are divided among
//! processes (`--part`).

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use cuda_shim as cu;
use serde::{Deserialize, Serialize};
use simt::calibrate::{self, Probe, VERSIONS};
use simt::driver::types::{CUdeviceptr, CUfunction, CUmodule};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::ptr::null_mut;
use std::str::FromStr;
use std::time::{Duration, Instant};
use tests_gpu::driver::{Device, check};

/// Compares the instructions of a GPU with those of the embedded device.
#[derive(Parser)]
struct Arguments {
    /// Write what the embedded device computes to FILE, and do no more.
    #[arg(long)]
    expect: bool,
    /// Begin no form after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Compare part I of N alone, and write rows and counts: what a process is started for.
    #[arg(long, value_name = "I/N", conflicts_with = "out")]
    part: Option<Part>,
    /// The file with what the embedded device computes.
    file: PathBuf,
    /// The folder of the table.
    #[arg(required_unless_present_any = ["expect", "part"])]
    out: Option<PathBuf>,
}

/// One part of the forms: those whose number leaves this remainder.
#[derive(Clone, Copy)]
struct Part {
    number: usize,
    of: usize,
}

impl FromStr for Part {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (number, of) = text.split_once('/').context("I/N is wanted")?;
        let part = Self { number: number.parse()?, of: of.parse()? };
        ensure!(part.number < part.of, "there are {} parts, from 0 on", part.of);
        Ok(part)
    }
}

/// What became of forms.
#[derive(Default, Serialize, Deserialize)]
struct Counts {
    equal: u32,
    differ: u32,
    /// The driver takes the form on no device of this kind.
    refused: u32,
    failed: u32,
    late: u32,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.equal += other.equal;
        self.differ += other.differ;
        self.refused += other.refused;
        self.failed += other.failed;
        self.late += other.late;
    }

    fn line(&self, probes: usize) -> String {
        let Self { equal, differ, refused, failed, late } = self;
        let mut sum =
            format!("{probes} probes: {equal} equal, {differ} differ, {refused} not for this device");
        for (count, what) in [(failed, "failed"), (late, "not reached in time")] {
            if *count > 0 {
                sum += &format!(", {count} {what}");
            }
        }
        sum
    }
}

/// Processes at a time on a GPU: each has a context, of some hundred megabytes.
const PARTS: usize = 12;

fn main() -> ExitCode {
    let Arguments { expect: is_expecting, seconds, part, file, out } = Arguments::parse();
    let time = seconds.map(Duration::from_secs);
    let result = match (part, out) {
        _ if is_expecting => expect(&file).map(|()| true),
        (None, Some(out)) => compare(&file, &out, seconds),
        (part, _) => compare_part(&file, part.unwrap_or(Part { number: 0, of: 1 }), time).map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("calibrate: error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Writes one line for each probe: its name and the results as hexadecimal words.
fn expect(file: &Path) -> Result<()> {
    let mut text = String::new();
    for probe in calibrate::probes() {
        let results = probe.on_simt().with_context(|| probe.name.clone())?;
        let words: Vec<String> = results.iter().map(|word| format!("{word:x}")).collect();
        writeln!(text, "{}\t{}", probe.name, words.join(" "))?;
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Reads what [`expect`] wrote.
fn read(file: &Path) -> Result<HashMap<String, Vec<u64>>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().map(|line| {
        let (name, words) = line.split_once('\t').with_context(|| format!("bad line {line}"))?;
        let words = words.split(' ').map(|word| u64::from_str_radix(word, 16)).collect::<Result<_, _>>()?;
        Ok((name.to_owned(), words))
    });
    lines.collect()
}

/// Compares all forms, in several processes, and writes the table; whether all are equal.
fn compare(file: &Path, out: &Path, seconds: Option<u64>) -> Result<bool> {
    let name = Gpu::open()?.name;
    let probes = read(file)?.len();
    let own = std::env::current_exe().context("this program has no file")?;
    let parts = std::thread::available_parallelism().map_or(1, usize::from).min(PARTS);
    let started: Vec<Child> = (0..parts)
        .map(|number| {
            let mut command = Command::new(&own);
            command.arg("--part").arg(format!("{number}/{parts}")).arg(file).stdout(Stdio::piped());
            if let Some(seconds) = seconds {
                command.arg("--seconds").arg(seconds.to_string());
            }
            command.spawn().with_context(|| format!("cannot start {command:?}"))
        })
        .collect::<Result<_>>()?;
    let mut table = format!("calibration on {name}\n{:<48} {:>7} {:>8}  first\n", "form", "threads", "ulp");
    let mut counts = Counts::default();
    for child in started {
        let output = child.wait_with_output().context("a part does not end")?;
        ensure!(output.status.success(), "a part of the comparison: {}", output.status);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let (rows, of_part) = said.trim_end().rsplit_once('\n').unwrap_or(("", said.trim_end()));
        counts.add(&serde_json::from_str(of_part).with_context(|| format!("a part's counts: {of_part}"))?);
        if !rows.is_empty() {
            table += rows;
            table.push('\n');
        }
    }
    table += &counts.line(probes);
    println!("{table}");
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    std::fs::write(out.join("calibration.txt"), table + "\n").context("cannot write calibration.txt")?;
    // A device that takes nothing has shown nothing.
    Ok(counts.differ + counts.failed + counts.late == 0 && counts.equal > 0)
}

/// Compares a part of the forms: prints a row for each that is not equal, and the counts.
fn compare_part(file: &Path, part: Part, time: Option<Duration>) -> Result<()> {
    let start = Instant::now();
    let expected = read(file)?;
    let mut gpu = Gpu::open()?;
    let probes = calibrate::probes();
    ensure!(
        probes.len() == expected.len(),
        "{} has {} probes, not {}",
        file.display(),
        expected.len(),
        probes.len()
    );
    let mut counts = Counts::default();
    // The rules are the last of the list and the first in importance: few, and each of another kind.
    let (rules, forms): (Vec<&Probe>, Vec<&Probe>) = probes.iter().partition(|probe| is_rule(probe));
    let of_part = rules.into_iter().chain(forms).skip(part.number).step_by(part.of);
    for probe in of_part {
        let expected = expected.get(&probe.name).with_context(|| format!("no results of {}", probe.name))?;
        if time.is_some_and(|time| start.elapsed() >= time) {
            counts.late += 1;
            continue;
        }
        let Some(module) = gpu.load(probe)? else {
            counts.refused += 1;
            continue;
        };
        let name =
            if is_rule(probe) { &probe.name } else { probe.name.split(' ').next().unwrap_or_default() };
        match gpu.run(probe, module) {
            Ok(found) => match probe.compare(expected, &found) {
                None => counts.equal += 1,
                Some(difference) => {
                    counts.differ += 1;
                    let ulp = difference.ulp.map_or("-".into(), |ulp| ulp.to_string());
                    let (threads, example) = (difference.threads, difference.example);
                    println!("{name:<48} {threads:>7} {ulp:>8}  {example}");
                }
            },
            Err(error) => {
                counts.failed += 1;
                println!("{name:<48} {:>7} {:>8}  {error:#}", "all", "-");
                // A kernel that fails takes its context with it.
                gpu.close()?;
                gpu = Gpu::open()?;
            }
        }
    }
    println!("{}", serde_json::to_string(&counts)?);
    Ok(())
}

/// Whether it shows a rule of barriers or warps and not an instruction form.
fn is_rule(probe: &Probe) -> bool {
    probe.name.starts_with("rule")
}

/// The first device of the driver.
struct Gpu {
    name: String,
    target: String,
    /// The newest version of PTX that the driver has taken.
    version: Option<&'static str>,
    inputs: CUdeviceptr,
    slots: CUdeviceptr,
    results: CUdeviceptr,
}

macro_rules! call {
    ($function:ident($($argument:expr),*)) => {{
        // SAFETY: the arguments are of the types that the driver API asks for; pointers are to live values.
        let code = unsafe { cu::$function($($argument),*) };
        check(stringify!($function), code)
    }};
}

impl Gpu {
    fn open() -> Result<Self> {
        let device = Device::open()?;
        let mut gpu = Self {
            name: format!("{} ({})", device.name, device.target),
            target: device.target,
            version: None,
            inputs: 0,
            slots: 0,
            results: 0,
        };
        let inputs: Vec<u8> = calibrate::inputs().iter().flat_map(|word| word.to_le_bytes()).collect();
        gpu.inputs = Self::allocate(inputs.len())?;
        call!(cuMemcpyHtoD_v2(gpu.inputs, inputs.as_ptr().cast(), inputs.len()))?;
        gpu.slots = Self::allocate(calibrate::slots().len())?;
        gpu.results = Self::allocate(calibrate::THREADS as usize * 16)?;
        Ok(gpu)
    }

    /// Ends the context, whatever has become of it.
    fn close(self) -> Result<()> {
        call!(cuDevicePrimaryCtxReset_v2(0))
    }

    fn allocate(bytes: usize) -> Result<CUdeviceptr> {
        let mut address = 0;
        call!(cuMemAlloc_v2(&raw mut address, bytes))?;
        Ok(address)
    }

    /// Loads a probe; none if the driver refuses its form on this device.
    fn load(&mut self, probe: &Probe) -> Result<Option<CUmodule>> {
        let versions = self.version.map_or(VERSIONS.to_vec(), |version| vec![version]);
        for version in versions {
            let mut module = null_mut();
            let text = CString::new(probe.module(version, &self.target))?;
            if call!(cuModuleLoadData(&raw mut module, text.as_ptr().cast())).is_ok() {
                self.version = Some(version);
                return Ok(Some(module));
            }
        }
        Ok(None)
    }

    fn run(&self, probe: &Probe, module: CUmodule) -> Result<Vec<u64>> {
        let mut function: CUfunction = null_mut();
        call!(cuModuleGetFunction(&raw mut function, module, c"k".as_ptr()))?;
        let slots = calibrate::slots();
        call!(cuMemcpyHtoD_v2(self.slots, slots.as_ptr().cast(), slots.len()))?;
        let mut results = vec![0u8; calibrate::THREADS as usize * 16];
        call!(cuMemsetD8_v2(self.results, 0, results.len()))?;
        let mut addresses = [self.inputs, self.slots, self.results];
        let mut parameters = addresses.each_mut().map(|address| (&raw mut *address).cast::<c_void>());
        let [x, y, z] = probe.block;
        call!(cuLaunchKernel(
            function,
            1,
            1,
            1,
            x,
            y,
            z,
            0,
            null_mut(),
            parameters.as_mut_ptr(),
            null_mut()
        ))?;
        call!(cuCtxSynchronize())?;
        call!(cuMemcpyDtoH_v2(results.as_mut_ptr().cast(), self.results, results.len()))?;
        call!(cuModuleUnload(module))?;
        let words = calibrate::words(&results);
        if words.is_empty() {
            bail!("no results");
        }
        Ok(words)
    }
}
