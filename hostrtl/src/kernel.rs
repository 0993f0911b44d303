//! One kernel of a loaded image, with what its compiler wrote down about it.

use crate::device::{DeviceError, FunctionHandle, ImageHandle};
use crate::error::{Error, Result};
use crate::launch::{DEFAULT_THREADS, KernelBounds, LARGE_TEAM_THREADS};
use crate::location::Location;
use crate::offload::OffloadDevice;
use crate::region::Region;
use abi::kernel::{ConfigurationEnvironment, KERNEL_ENVIRONMENT_SUFFIX};
use abi::mode::ExecMode;
use std::ffi::{CStr, CString};

/// Suffix of the byte that held the execution mode before there was a kernel environment; REX still writes it.
const EXEC_MODE_SUFFIX: &str = "_exec_mode";

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its symbol.
    pub name: String,
    /// Its handle in the device's driver.
    pub function: FunctionHandle,
    /// The compiler's decisions; all zero for a bare kernel.
    pub configuration: ConfigurationEnvironment,
    /// Most threads of a block that its registers allow.
    pub max_threads: u32,
    /// Threads of it that the device runs at once, in blocks of as many as teams mostly have; `None` where nobody knows.
    pub threads_at_once: Option<u64>,
    /// Whether large teams run as many threads at once, where teams may be large.
    pub large_teams: bool,
}

impl Kernel {
    /// Looks a kernel up in an image.
    ///
    /// The environment is read from the loaded image, not from the file: that works for PTX and cubin alike. Without
    /// one the kernel has no OpenMP state, unless an `_exec_mode` byte says otherwise.
    pub fn resolve(
        offload: &OffloadDevice,
        image: ImageHandle,
        name: &CStr,
        location: Location<'_>,
    ) -> Result<Self> {
        let text = name.to_string_lossy().into_owned();
        let Some((function, max_threads)) = offload.device.function(image, name)? else {
            return Err(Error::NoKernel(text));
        };
        let mut region = Region::start(offload, location)?;
        let mut read = |suffix: &str, bytes: &mut [u8]| -> Result<bool> {
            let symbol = CString::new(format!("{text}{suffix}")).unwrap_or_default();
            match offload.device.global(image, &symbol)? {
                None => Ok(false),
                Some((_, size)) if size < bytes.len() => Err(Error::Device(DeviceError {
                    call: format!("reading {text}{suffix}"),
                    text: format!("it has {size} bytes instead of {}", bytes.len()),
                })),
                Some((address, _)) => {
                    region.read(address, bytes)?;
                    Ok(true)
                }
            }
        };
        let mut configuration = ConfigurationEnvironment::default();
        if !read(KERNEL_ENVIRONMENT_SUFFIX, bytemuck::bytes_of_mut(&mut configuration))? {
            let mut mode = [offload.device.properties().backend.unmarked_mode().0];
            read(EXEC_MODE_SUFFIX, &mut mode)?;
            configuration = ConfigurationEnvironment { exec_mode: ExecMode(mode[0]), ..Default::default() };
        }
        region.finish()?;
        let mode = configuration.exec_mode;
        let at_once = |threads| offload.device.threads_at_once(function, threads, offload.shared_memory);
        let threads_at_once =
            (mode != ExecMode::BARE).then(|| at_once(DEFAULT_THREADS.min(max_threads))).flatten();
        let may_be_large =
            mode == ExecMode::SPMD_NO_LOOP && configuration.max_threads >= LARGE_TEAM_THREADS as i32;
        let large_teams =
            may_be_large && threads_at_once.is_some() && at_once(LARGE_TEAM_THREADS) >= threads_at_once;
        Ok(Self { name: text, function, configuration, max_threads, threads_at_once, large_teams })
    }

    /// The error of a launch that the device refused or a run that did not end well.
    pub(crate) fn failed(&self, location: Location<'_>, cause: DeviceError) -> Error {
        Error::Kernel { kernel: self.name.clone(), location: location.to_string(), cause }
    }

    /// The same for a construct's end: a call of the device that fails there waited for the kernel.
    pub(crate) fn failed_at_end(&self, location: Location<'_>, error: Error) -> Error {
        match error {
            Error::Device(cause) => self.failed(location, cause),
            other => other,
        }
    }

    /// What launch arithmetic needs.
    pub fn bounds(&self) -> KernelBounds {
        KernelBounds {
            mode: self.configuration.exec_mode,
            any_league: self.configuration.min_teams == 1,
            reduces: self.reduction_buffer_size() > 0,
            min_threads: self.configuration.min_threads,
            max_threads: self.configuration.max_threads,
            function_max_threads: self.max_threads,
            threads_at_once: self.threads_at_once,
            large_teams: self.large_teams,
        }
    }

    /// Bytes of the buffer for its reductions over teams; 0 when it has none.
    pub fn reduction_buffer_size(&self) -> usize {
        let positive = |value: i32| usize::try_from(value).unwrap_or(0);
        positive(self.configuration.reduction_data_size)
            * positive(self.configuration.reduction_buffer_length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::recorder::{Recorder, Symbol};
    use crate::env::Settings;

    fn resolve(device: Recorder) -> Result<Kernel> {
        let offload = OffloadDevice::new(0, 1, Box::new(device), &Settings::default());
        Kernel::resolve(&offload, ImageHandle(1), c"k", Location::default())
    }

    fn environment(mode: u8) -> Vec<u8> {
        let mut bytes = vec![0; 48];
        bytes[2] = mode;
        bytes[4..8].copy_from_slice(&1_i32.to_le_bytes());
        bytes[8..12].copy_from_slice(&128_i32.to_le_bytes());
        bytes[20..24].copy_from_slice(&16_i32.to_le_bytes());
        bytes[24..28].copy_from_slice(&1024_i32.to_le_bytes());
        bytes
    }

    #[test]
    fn environment_of_the_image() {
        let device = Recorder::new()
            .with_symbol("k", Symbol::Kernel(512))
            .with_symbol("k_kernel_environment", Symbol::Global(environment(2)));
        let kernel = resolve(device).unwrap();
        assert_eq!(
            kernel.bounds(),
            KernelBounds {
                mode: ExecMode::SPMD,
                any_league: false,
                reduces: true,
                min_threads: 1,
                max_threads: 128,
                function_max_threads: 512,
                threads_at_once: None,
                large_teams: false,
            }
        );
        assert_eq!(kernel.reduction_buffer_size(), 16 * 1024);
    }

    #[test]
    fn exec_mode_byte_stands_in() {
        let device = Recorder::new()
            .with_symbol("k", Symbol::Kernel(512))
            .with_symbol("k_exec_mode", Symbol::Global(vec![2]));
        assert_eq!(resolve(device).unwrap().bounds().mode, ExecMode::SPMD);
    }

    #[test]
    fn without_both_it_is_bare() {
        let kernel = resolve(Recorder::new().with_symbol("k", Symbol::Kernel(512))).unwrap();
        assert_eq!(kernel.bounds().mode, ExecMode::BARE);
        assert_eq!(kernel.reduction_buffer_size(), 0);
    }

    #[test]
    fn missing_kernel_and_short_environment() {
        assert_eq!(resolve(Recorder::new()).unwrap_err(), Error::NoKernel("k".into()));
        let device = Recorder::new()
            .with_symbol("k", Symbol::Kernel(512))
            .with_symbol("k_kernel_environment", Symbol::Global(vec![0; 8]));
        assert_eq!(
            resolve(device).unwrap_err().to_string(),
            "error in reading k_kernel_environment: it has 8 bytes instead of 28"
        );
    }
}
