//! Compares the instructions of the GPU with those of the embedded device, form by form: see [`simt::calibrate`].
//!
//! `calibrate --expect FILE` writes what the embedded device computes. `calibrate [--seconds N] FILE OUT` runs the same kernels
//! through the CUDA driver, or on the embedded device with `OMPTARGET_DEVICE=simt`, and writes a table of the forms that
//! differ, as they come, to standard output and to `OUT/calibration.txt`. The exit status is 1 if one differs, fails, or was
//! not reached in time.

use anyhow::{Context, Result, bail, ensure};
use cuda_shim as cu;
use simt::calibrate::{self, Probe, VERSIONS};
use simt::driver::types::{CUdeviceptr, CUfunction, CUmodule};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::ptr::null_mut;
use std::time::{Duration, Instant};
use tests_gpu::driver::{Device, check};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--expect", file] => expect(Path::new(file)).map(|()| true),
        [file, out] => compare(Path::new(file), Path::new(out), None),
        ["--seconds", seconds, file, out] => match seconds.parse() {
            Ok(seconds) => compare(Path::new(file), Path::new(out), Some(Duration::from_secs(seconds))),
            Err(_) => Err(anyhow::anyhow!("{seconds:?} is no number of seconds")),
        },
        _ => {
            Err(anyhow::anyhow!("usage: calibrate --expect FILE, or calibrate [--seconds N] FILE OUT-FOLDER"))
        }
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

/// Lines for standard output and a file.
struct Table(File);

impl Table {
    fn line(&mut self, line: &str) -> Result<()> {
        println!("{line}");
        writeln!(self.0, "{line}").context("cannot write calibration.txt")
    }
}

fn compare(file: &Path, out: &Path, time: Option<Duration>) -> Result<bool> {
    let start = Instant::now();
    let expected = read(file)?;
    let mut gpu = Gpu::open()?;
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut table = Table(File::create(out.join("calibration.txt")).context("cannot write calibration.txt")?);
    let (mut equal, mut differ, mut failed, mut refused, mut late) = (0, 0, 0, 0, 0);
    let probes = calibrate::probes();
    ensure!(
        probes.len() == expected.len(),
        "{} has {} probes, not {}",
        file.display(),
        expected.len(),
        probes.len()
    );
    table.line(&format!("calibration on {}", gpu.name))?;
    table.line(&format!("{:<48} {:>7} {:>8}  first", "form", "threads", "ulp"))?;
    // The rules are the last of the list and the first in importance: few, and each of another kind.
    let (rules, forms): (Vec<&Probe>, Vec<&Probe>) = probes.iter().partition(|probe| is_rule(probe));
    for probe in rules.into_iter().chain(forms) {
        let expected = expected.get(&probe.name).with_context(|| format!("no results of {}", probe.name))?;
        if time.is_some_and(|time| start.elapsed() >= time) {
            late += 1;
            continue;
        }
        let Some(module) = gpu.load(probe)? else {
            refused += 1;
            continue;
        };
        let name =
            if is_rule(probe) { &probe.name } else { probe.name.split(' ').next().unwrap_or_default() };
        match gpu.run(probe, module) {
            Ok(found) => match probe.compare(expected, &found) {
                None => equal += 1,
                Some(difference) => {
                    differ += 1;
                    let ulp = difference.ulp.map_or("-".into(), |ulp| ulp.to_string());
                    let (threads, example) = (difference.threads, difference.example);
                    table.line(&format!("{name:<48} {threads:>7} {ulp:>8}  {example}"))?;
                }
            },
            Err(error) => {
                failed += 1;
                table.line(&format!("{name:<48} {:>7} {:>8}  {error:#}", "all", "-"))?;
                // A kernel that fails takes its context with it.
                gpu.close()?;
                gpu = Gpu::open()?;
            }
        }
    }
    let mut sum =
        format!("{} probes: {equal} equal, {differ} differ, {refused} not for this device", probes.len());
    for (count, what) in [(failed, "failed"), (late, "not reached in time")] {
        if count > 0 {
            write!(sum, ", {count} {what}")?;
        }
    }
    table.line(&sum)?;
    // A device that takes nothing has shown nothing.
    Ok(differ + failed + late == 0 && equal > 0)
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
