//! `omptarget info`: devices, driver, settings, and what a program would run on, as text or JSON.

mod images;

use anyhow::{Context, Result};
use clap::Args;
use hostrtl::device::{self, Backend, Device, Wanted};
use hostrtl::diagnosis::bytes;
use hostrtl::env::Settings;
use hostrtl::env::variables::VARIABLES;
use images::Image;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `omptarget info`.
#[derive(Args)]
pub struct Options {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// A program whose images are shown.
    program: Option<PathBuf>,
}

/// All that is told.
#[derive(Serialize)]
struct Report {
    /// What constructs run on, and why.
    choice: String,
    driver: Driver,
    devices: Vec<Shown>,
    /// Variables that are set and have an effect.
    environment: Vec<Variable>,
    /// What is wrong with the environment.
    complaints: Vec<String>,
    /// The images of the program, when one was given.
    images: Option<Vec<Image>>,
}

#[derive(Serialize)]
struct Driver {
    /// The library of the CUDA driver, when it is used.
    file: Option<PathBuf>,
    /// Its CUDA version.
    version: Option<String>,
    /// Why there is no GPU to use.
    missing: Option<String>,
}

#[derive(Serialize)]
struct Shown {
    number: usize,
    name: String,
    architecture: String,
    kind: String,
    threads_per_block: u32,
    parallel_threads: u64,
    memory_bytes: Option<u64>,
    free_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Variable {
    name: &'static str,
    value: String,
    effect: &'static str,
}

/// Tells what there is.
///
/// # Errors
/// The environment names no kind of device, the program cannot be read, or nothing can be written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let report = report(options)?;
    let mut out = io::stdout().lock();
    let written = if options.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)
    } else {
        print(&report, &mut out)
    };
    match written {
        // `omptarget info | head` has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.context("cannot write to the standard output")?,
    }
    Ok(ExitCode::SUCCESS)
}

fn report(options: &Options) -> Result<Report> {
    let (settings, mut complaints) = Settings::from_process()?;
    let value = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let environment = VARIABLES
        .iter()
        .filter_map(|v| Some(Variable { name: v.name, value: value(v.name)?, effect: v.effect }))
        .collect();
    let images = options.program.as_deref().map(images::of_file).transpose()?;
    let kinds = images.iter().flatten().map(|image| &image.image);
    let opened = device::open(&settings, Wanted::by(kinds));
    let missing = cuda_shim::why_no_gpu();
    let wanted = value("OMPTARGET_DEVICE").filter(|value| !value.is_empty()).unwrap_or_else(|| "auto".into());
    let (choice, devices) = match opened {
        Ok(devices) => (choice(&wanted, &devices, missing.as_deref()), devices),
        Err(none) => {
            let instead = if none.fatal {
                "a program ends at its first construct"
            } else {
                "constructs run on the host"
            };
            (format!("{instead}: {}", none.reason), Vec::new())
        }
    };
    let of_gpu = devices.iter().find_map(|device| match device.properties().backend {
        version @ Backend::Cuda { .. } => Some(version.to_string()),
        _ => None,
    });
    let file = match cuda_shim::backend() {
        cuda_shim::Backend::Cuda { path } if of_gpu.is_some() => Some(path.clone()),
        _ => None,
    };
    let images = images.map(|images| with_devices(images, &devices));
    complaints.sort();
    Ok(Report {
        choice,
        driver: Driver { file, version: of_gpu, missing },
        devices: devices.iter().enumerate().map(|(number, device)| shown(number, device.as_ref())).collect(),
        environment,
        complaints,
        images,
    })
}

/// Why it is these devices.
fn choice(wanted: &str, devices: &[Box<dyn Device>], missing: Option<&str>) -> String {
    let kind = devices
        .first()
        .map_or_else(|| "nothing".to_owned(), |device| device.properties().backend.to_string());
    match (wanted, missing) {
        ("auto", Some(missing)) => {
            format!("{kind}: OMPTARGET_DEVICE is auto, and there is no GPU: {missing}")
        }
        ("auto", None) => format!("{kind}: OMPTARGET_DEVICE is auto, and there is a GPU"),
        _ => format!("{kind}: OMPTARGET_DEVICE is {wanted}"),
    }
}

fn shown(number: usize, device: &dyn Device) -> Shown {
    let properties = device.properties();
    // What cannot be asked is left out.
    let memory = device.bind().and_then(|()| device.memory()).ok().flatten();
    Shown {
        number,
        name: properties.name.clone(),
        architecture: properties.arch.to_string(),
        kind: properties.backend.to_string(),
        threads_per_block: properties.max_threads,
        parallel_threads: properties.hardware_parallelism,
        memory_bytes: memory.map(|(_, total)| total),
        free_bytes: memory.map(|(free, _)| free),
    }
}

/// Adds on which devices each image runs, and what to do when it runs on none.
fn with_devices(mut images: Vec<Image>, devices: &[Box<dyn Device>]) -> Vec<Image> {
    for image in &mut images {
        let fits = |device: &dyn Device| {
            let properties = device.properties();
            image.image.runs_on(properties.arch, properties.backend)
        };
        let numbered = devices.iter().enumerate();
        image.runs_on =
            numbered.filter(|(_, device)| fits(device.as_ref())).map(|(number, _)| number).collect();
        let first = devices.first().map(|device| device.properties()).filter(|_| image.runs_on.is_empty());
        image.advice = first.map(|properties| image.image.advice(properties.arch, properties.backend));
    }
    images
}

fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "runs on     {}", report.choice)?;
    match (&report.driver.file, &report.driver.missing) {
        (Some(file), _) => {
            writeln!(
                out,
                "driver      {} ({})",
                file.display(),
                report.driver.version.as_deref().unwrap_or("?")
            )?;
        }
        // The choice has told it already.
        (None, Some(missing)) if report.choice.contains(missing) => {}
        (None, Some(missing)) => writeln!(out, "driver      none to use: {missing}")?,
        (None, None) => writeln!(out, "driver      there is a GPU, which is not used")?,
    }
    for device in &report.devices {
        let memory = match (device.free_bytes, device.memory_bytes) {
            (Some(free), Some(total)) => format!(", {} of {} free", bytes(free), bytes(total)),
            _ => String::new(),
        };
        writeln!(
            out,
            "device {:<4} {} ({}, {}){memory}",
            device.number, device.name, device.architecture, device.kind
        )?;
        writeln!(
            out,
            "            {} threads in a block, {} at once",
            device.threads_per_block, device.parallel_threads
        )?;
    }
    for variable in &report.environment {
        writeln!(out, "set         {}={}: {}", variable.name, variable.value, variable.effect)?;
    }
    for complaint in &report.complaints {
        writeln!(out, "wrong       {complaint}")?;
    }
    let Some(images) = &report.images else { return Ok(()) };
    if images.is_empty() {
        writeln!(
            out,
            "image       none: the program has no target regions, or was not linked for offloading"
        )?;
    }
    for image in images {
        writeln!(out, "image       {}, {} bytes", image.kind, image.bytes)?;
        match &image.runs_on[..] {
            [] => writeln!(
                out,
                "            runs on no device{}",
                image.advice.as_deref().map(|advice| format!("; {advice}")).unwrap_or_default()
            )?,
            devices => writeln!(
                out,
                "            runs on device {}",
                devices.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
            )?,
        }
        for kernel in &image.kernels {
            writeln!(out, "    kernel  {} ({kernel})", hostrtl::tool::trace::readable(kernel))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_a_reason() {
        assert_eq!(choice("simt", &[], None), "nothing: OMPTARGET_DEVICE is simt");
        assert!(choice("auto", &[], Some("no driver")).contains("there is no GPU: no driver"));
    }
}
