//! The CUDA driver, or what stands for it, called without any OpenMP: who is there, and what its calls cost by themselves.

use crate::figures::{Figure, Unit, Variant};
use anyhow::{Context, Result, ensure};
use cuda_shim as cu;
use simt::driver::types::{CUcontext, CUdeviceptr, CUfunction, CUmodule};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::Instant;

/// Fails with the name of the call.
///
/// # Errors
/// The code is not that of success.
pub fn check(what: &str, code: cu::CUresult) -> Result<()> {
    ensure!(code == cu::CUresult::SUCCESS, "{what} failed with error {}", code.0);
    Ok(())
}

/// Calls a function of the driver and fails with its name.
macro_rules! call {
    ($function:ident($($argument:expr),*)) => {{
        // SAFETY: the arguments are of the types that the driver API asks for; pointers are to live values.
        let code = unsafe { cu::$function($($argument),*) };
        $crate::driver::check(stringify!($function), code)
    }};
}
pub(crate) use call;

/// The first device of the driver.
pub struct Device {
    /// Its name, as the driver tells it.
    pub name: String,
    /// `sm_90`.
    pub target: String,
    /// Version of CUDA that the driver knows.
    pub cuda: String,
    /// How many blocks it runs at least at a time.
    pub multiprocessors: u32,
}

impl Device {
    /// Makes its primary context current and asks who it is.
    ///
    /// # Errors
    /// There is no device, or a call fails.
    pub fn open() -> Result<Self> {
        let (mut device, mut context): (i32, CUcontext) = (0, null_mut());
        call!(cuInit(0))?;
        call!(cuDeviceGet(&raw mut device, 0))?;
        call!(cuDevicePrimaryCtxRetain(&raw mut context, device))?;
        call!(cuCtxSetCurrent(context))?;
        let mut name = [0u8; 128];
        call!(cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32, device))?;
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
        let mut capability = [0i32; 2];
        // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
        for (value, attribute) in capability.iter_mut().zip([75, 76]) {
            call!(cuDeviceGetAttribute(value, attribute, device))?;
        }
        let mut multiprocessors = 0;
        // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT.
        call!(cuDeviceGetAttribute(&raw mut multiprocessors, 16, device))?;
        let mut version = 0;
        call!(cuDriverGetVersion(&raw mut version))?;
        Ok(Self {
            name: String::from_utf8_lossy(&name[..end]).into_owned(),
            target: format!("sm_{}{}", capability[0], capability[1]),
            cuda: format!("CUDA {}.{}", version / 1000, version % 1000 / 10),
            multiprocessors: u32::try_from(multiprocessors).context("the device has no multiprocessors")?,
        })
    }

    /// Name, architecture and driver in one line.
    pub fn line(&self) -> String {
        format!("{} ({}, {})", self.name, self.target, self.cuda)
    }

    /// Whether it is the embedded device, in this process or as stand-in for the driver.
    pub fn is_simt(&self) -> bool {
        is_simt(&self.name)
    }
}

/// Whether a device of this name is the embedded one, in-process or as stand-in for the driver.
pub fn is_simt(name: &str) -> bool {
    name.starts_with("SIMT device")
}

/// A kernel that does nothing.
const EMPTY: &std::ffi::CStr =
    c".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n";

/// What a launch of an empty kernel with the wait for it takes, and how fast memory of the program is copied to the device and
/// back, pageable and pinned: figures with the names and parameters of [`crate::host::WORK`]'s.
///
/// # Errors
/// A call fails.
pub fn host_figures(samples: usize, launches: usize, sizes: &[usize]) -> Result<Vec<Figure>> {
    Device::open()?;
    let (mut module, mut function): (CUmodule, CUfunction) = (null_mut(), null_mut());
    call!(cuModuleLoadData(&raw mut module, EMPTY.as_ptr().cast()))?;
    call!(cuModuleGetFunction(&raw mut function, module, c"empty".as_ptr()))?;
    let launch = || -> Result<()> {
        let none = null_mut();
        call!(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, null_mut(), none, none.cast()))?;
        call!(cuCtxSynchronize())
    };
    let mut figures = vec![Figure {
        group: "host".to_owned(),
        name: "launch".to_owned(),
        variant: Variant::Raw,
        parameters: BTreeMap::from([("size".to_owned(), "1".to_owned())]),
        unit: Unit::Seconds,
        samples: times(samples, launches, launch)?,
    }];
    for &size in sizes {
        for (name, pinned) in [("pageable", false), ("pinned", true)] {
            let samples = copies(samples, size, pinned)?;
            figures.push(Figure {
                group: "host".to_owned(),
                name: name.to_owned(),
                variant: Variant::Raw,
                parameters: BTreeMap::from([("size".to_owned(), size.to_string())]),
                unit: Unit::Seconds,
                samples,
            });
        }
    }
    Ok(figures)
}

/// Seconds of one call of `work`, as often measured as `samples` says, each time over so many iterations.
fn times(samples: usize, iterations: usize, work: impl Fn() -> Result<()>) -> Result<Vec<f64>> {
    work()?;
    let mut seconds = Vec::with_capacity(samples);
    for _ in 0..samples {
        let start = Instant::now();
        for _ in 0..iterations {
            work()?;
        }
        seconds.push(start.elapsed().as_secs_f64() / iterations as f64);
    }
    Ok(seconds)
}

/// Seconds of a copy of `size` bytes to the device and back.
fn copies(samples: usize, size: usize, pinned: bool) -> Result<Vec<f64>> {
    let mut pageable = vec![1u8; if pinned { 0 } else { size }];
    let mut host: *mut c_void = pageable.as_mut_ptr().cast();
    let mut device: CUdeviceptr = 0;
    if pinned {
        call!(cuMemHostAlloc(&raw mut host, size, 0))?;
    }
    call!(cuMemAlloc_v2(&raw mut device, size))?;
    let seconds = times(samples, 1, || {
        call!(cuMemcpyHtoD_v2(device, host.cast_const(), size))?;
        call!(cuMemcpyDtoH_v2(host, device, size))
    });
    call!(cuMemFree_v2(device))?;
    if pinned {
        call!(cuMemFreeHost(host))?;
    }
    seconds.context("copies")
}
