//! The runtime of this process: settings, registered libraries, devices and the offload policy.

use crate::device::{self, Device, NoDevices, Properties, Wanted};
use crate::diagnosis;
use crate::env::{OffloadKind, QueryCount, Settings};
use crate::error::{Error, Result};
use crate::info::{self, InfoFlags, InfoLevel};
use crate::libomp;
use crate::location::Location;
use crate::lock;
use crate::offload::OffloadDevice;
use crate::policy::{self, Policy, Target};
use crate::record::RecordingDevice;
use crate::register::{Image, Registry, SharedRegistry};
use crate::tool;
use abi::entry::BinaryDescriptor;
use core::sync::atomic::{AtomicU64, Ordering};
use std::ffi::CStr;
use std::sync::OnceLock;

/// The runtime.
pub struct Runtime {
    settings: Settings,
    info: InfoLevel,
    registry: SharedRegistry,
    devices: OnceLock<core::result::Result<Vec<OffloadDevice>, NoDevices>>,
    policy: OnceLock<Policy>,
    incompatible_reported: OnceLock<()>,
    /// `generation of the registry << 16 | usable devices`.
    usable: AtomicU64,
}

/// The runtime of this process. The first call reads the environment; a value that makes no sense ends the process.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| match Settings::from_process() {
        Ok((settings, warnings)) => {
            warnings.iter().for_each(info::message);
            tool::start(&settings);
            Runtime::new(settings)
        }
        Err(error) => exit_for_configuration(&error.to_string()),
    })
}

impl Runtime {
    /// A runtime that has not looked for devices yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            info: InfoLevel::new(settings.info),
            settings,
            registry: SharedRegistry::default(),
            devices: OnceLock::new(),
            policy: OnceLock::new(),
            incompatible_reported: OnceLock::new(),
            usable: AtomicU64::new(u64::MAX),
        }
    }

    /// A runtime on these devices.
    #[cfg(test)]
    pub fn with_devices(settings: Settings, devices: Vec<Box<dyn Device>>) -> Self {
        let runtime = Self::new(settings);
        let devices = number(devices, &runtime.settings);
        runtime.devices.set(Ok(devices)).expect("a new runtime has no devices");
        runtime
    }

    /// What is registered.
    pub fn registry(&self) -> &SharedRegistry {
        &self.registry
    }

    /// Bits of `LIBOMPTARGET_INFO`.
    pub fn info(&self) -> InfoFlags {
        self.info.get()
    }

    /// Changes the bits of `LIBOMPTARGET_INFO`, for all devices.
    pub fn set_info(&self, flags: InfoFlags) {
        self.info.set(flags);
        self.devices().iter().for_each(|device| device.info.set(flags));
    }

    /// `OMPTARGET_QUERY_COUNT_*`.
    pub fn query_count(&self) -> QueryCount {
        self.settings.query_count
    }

    /// All devices, whether or not a program for them is registered. The first call opens them.
    pub fn devices(&self) -> &[OffloadDevice] {
        match self.open() {
            Ok(devices) => devices,
            Err(_) => &[],
        }
    }

    fn open(&self) -> &core::result::Result<Vec<OffloadDevice>, NoDevices> {
        self.devices.get_or_init(|| match device::open(&self.settings, self.wanted()) {
            Ok(devices) => Ok(number(devices, &self.settings)),
            Err(NoDevices { reason, fatal: true }) => exit_for_configuration(&reason),
            Err(none) => Err(none),
        })
    }

    /// Why target regions have no device to run on.
    pub(crate) fn why_no_device(&self) -> String {
        match self.open() {
            _ if self.offload_kind() == OffloadKind::Disabled => {
                "OMP_TARGET_OFFLOAD switches devices off".to_owned()
            }
            Err(NoDevices { reason, .. }) => format!("there is no device: {reason}"),
            Ok(_) => "no registered image runs on a device".to_owned(),
        }
    }

    /// What is registered when devices are opened: a library for another kind of device comes too late.
    fn wanted(&self) -> Wanted {
        Wanted::by(self.registry.read().images().map(Image::kind))
    }

    /// Number of devices that target regions can run on: none when images are registered and none of them fits any
    /// device, which is told once.
    pub fn usable_devices(&self) -> usize {
        let generation = self.registry.generation();
        let cached = self.usable.load(Ordering::Acquire);
        if cached >> 16 == generation {
            return (cached & 0xffff) as usize;
        }
        let usable = self.count_usable();
        self.usable.store(generation << 16 | usable as u64, Ordering::Release);
        usable
    }

    fn count_usable(&self) -> usize {
        if self.offload_kind() == OffloadKind::Disabled {
            return 0;
        }
        let devices = self.devices();
        let registry = self.registry.read();
        let mut images = registry.images().peekable();
        let fits = images.peek().is_none()
            || images.any(|image| {
                devices.iter().any(|offload| {
                    let properties = offload.device.properties();
                    image.kind().runs_on(properties.arch, properties.backend)
                })
            });
        if fits {
            return if self.meets_requirements(&registry) { devices.len() } else { 0 };
        }
        if let Some(first) = devices.first() {
            self.incompatible_reported.get_or_init(|| {
                for library in registry.libraries() {
                    info::error(library.mismatch(first.id, first.device.properties()));
                }
            });
        }
        0
    }

    /// Whether the devices are what the program requires; those that are not do not count as devices (OpenMP 5.2, 8.2).
    fn meets_requirements(&self, registry: &Registry) -> bool {
        if !registry.requires_unified_shared_memory() {
            return true;
        }
        let misses = |offload: &&OffloadDevice| !offload.share_host_memory();
        let Some(offload) = self.devices().iter().find(misses) else { return true };
        self.incompatible_reported.get_or_init(|| {
            let Properties { name, backend, .. } = offload.device.properties();
            info::error(format_args!(
                "device {}, {name} ({backend}), cannot reach the memory of the program, which '#pragma omp requires \
                 unified_shared_memory' asks for; map the data and leave the directive out",
                offload.id
            ));
        });
        false
    }

    fn offload_kind(&self) -> OffloadKind {
        libomp::offload_kind().unwrap_or(self.settings.offload)
    }

    /// The policy, decided by the first construct.
    pub fn policy(&self) -> Policy {
        *self.policy.get_or_init(|| Policy::decide(self.offload_kind(), self.usable_devices()))
    }

    /// The device that a construct for device `number` runs on, -1 being the default device, made ready for this
    /// thread. `None`: the construct runs on the host.
    ///
    /// What cannot be is told here, and ends the process.
    pub fn select(&self, number: i64, location: Location<'_>) -> Option<&OffloadDevice> {
        if self.policy() == Policy::Disabled {
            return None;
        }
        let number = if number == DEFAULT_DEVICE { libomp::default_device().into() } else { number };
        let usable = self.usable_devices();
        match policy::target(self.policy(), number, usable) {
            Target::Host => None,
            Target::Missing if self.has_ended() => None,
            Target::Missing => self.give_up(location),
            Target::OutOfRange => {
                info::write_line(format_args!(
                    "omptarget fatal error 7: \"invalid value\" device number '{number}' out of range, only {usable} \
                     devices available"
                ));
                abort()
            }
            Target::Device(index) => {
                let device = &self.devices()[index];
                match self.prepare(device) {
                    Ok(()) => Some(device),
                    Err(error) => self.fail(&error, location),
                }
            }
        }
    }

    /// Makes a device ready for this thread.
    pub fn prepare(&self, device: &OffloadDevice) -> Result<()> {
        device.prepare(&self.registry)
    }

    /// Makes a device's mapping table ready for questions.
    pub fn prepare_table(&self, device: &OffloadDevice) -> Result<()> {
        device.prepare_table(&self.registry)
    }

    /// Whether all that was registered is gone: the program ends, and a construct that still comes is of another thread or of an exit handler. The
    /// driver may be gone, too.
    pub fn has_ended(&self) -> bool {
        self.registry.generation() > 0 && self.registry.read().libraries().is_empty()
    }

    /// Ends the process after a construct failed, as the policy says: without devices nobody gets here.
    pub fn fail(&self, error: &Error, location: Location<'_>) -> ! {
        error.report();
        diagnosis::explain(self.devices(), error);
        self.give_up(location)
    }

    /// The words of LLVM at the end of a program whose offloading failed.
    fn give_up(&self, location: Location<'_>) -> ! {
        if self.info().has(InfoFlags::DUMP_TABLE) {
            self.dump_tables(location);
        } else {
            info::error("Consult https://openmp.llvm.org/design/Runtimes.html for debugging options.");
        }
        if let Err(NoDevices { reason, .. }) = self.open() {
            info::error(format_args!("No devices: {reason}"));
        } else if self.usable_devices() == 0 {
            let registry = self.registry.read();
            let kinds: Vec<String> = registry.images().map(|image| image.kind().to_string()).collect();
            info::error(format_args!(
                "No images found compatible with the installed hardware. Found {} image(s): ({})",
                kinds.len(),
                kinds.join(",")
            ));
        }
        let reason = "failure of target construct while offloading is mandatory";
        if location.is_available() {
            // LLVM puts the place in front of its own prefix.
            info::write_line(format_args!("{location}: {FATAL_PREFIX}{reason}"));
            abort();
        }
        info::error("Source location information not present. Compile with -g or -gline-tables-only.");
        fatal(reason)
    }

    /// After a construct that succeeded: LLVM prints the tables then, too.
    pub fn succeed(&self, location: Location<'_>) {
        if self.info().has(InfoFlags::DUMP_TABLE) {
            self.dump_tables(location);
        }
    }

    /// Prints the mapping tables of all devices.
    pub fn dump_tables(&self, location: Location<'_>) {
        for device in self.devices() {
            info::mapping_table(device.id, &lock(&device.table), location);
        }
    }

    /// Registers a program or library.
    ///
    /// # Safety
    /// As for [`SharedRegistry::add`].
    pub unsafe fn register(&self, descriptor: *const BinaryDescriptor) {
        // SAFETY: the contract of this function.
        unsafe { self.registry.add(descriptor) };
        if let Some(clause) = self.registry.read().inconsistent_requirement() {
            info::write_line(format_args!(
                "omptarget fatal error 2: '#pragma omp requires {clause}' not used consistently!"
            ));
            abort();
        }
    }

    /// Takes a registration back. Devices that were never opened stay closed.
    pub fn unregister(&self, descriptor: *const BinaryDescriptor) {
        let removed = self.registry.remove(descriptor);
        let (Some(library), Some(Ok(devices))) = (removed, self.devices.get()) else { return };
        let last = self.registry.read().libraries().is_empty();
        if last && self.info().has(InfoFlags::DUMP_TABLE) {
            // The last device first, as LLVM closes them.
            for device in devices.iter().rev() {
                info::mapping_table(device.id, &lock(&device.table), Location::from_text(LIBRARY));
            }
        }
        for device in devices {
            device.unload(&library);
            if last {
                tool::ompt::device_finalized(device.id);
            }
        }
    }
}

/// What stands for a construct in tables that are printed outside of any.
pub const LIBRARY: &CStr = c";libomptarget;libomptarget;0;0;;";

/// Device number that means the default device.
pub const DEFAULT_DEVICE: i64 = -1;

fn number(devices: Vec<Box<dyn Device>>, settings: &Settings) -> Vec<OffloadDevice> {
    let count = devices.len();
    let numbered = devices.into_iter().enumerate().map(|(id, device)| (id as i32, device));
    let recorded = |id, device: Box<dyn Device>| match settings.recording {
        Some(recording) => Box::new(RecordingDevice::new(device, id, recording, ".".as_ref())),
        None => device,
    };
    numbered.map(|(id, device)| OffloadDevice::new(id, count, recorded(id, device), settings)).collect()
}

const FATAL_PREFIX: &str = "omptarget fatal error 1: ";

/// `omptarget fatal error 1:`, then abort, as LLVM does.
pub fn fatal(text: &str) -> ! {
    info::write_line(format_args!("{FATAL_PREFIX}{text}"));
    abort()
}

/// Aborts, but not without what the program and its kernels printed.
fn abort() -> ! {
    tool::flush();
    // SAFETY: the stream is valid while the process runs.
    unsafe { libc::fflush(stdout) };
    std::process::abort()
}

unsafe extern "C" {
    /// The C library's stream.
    static stdout: *mut libc::FILE;
}

/// Ends a process whose environment asks for what there is not. No core file: nothing is wrong with the program.
fn exit_for_configuration(text: &str) -> ! {
    info::write_line(format_args!("{FATAL_PREFIX}{text}"));
    // SAFETY: flushes what the program printed; exit handlers are skipped, since libomp's may wait for this thread.
    unsafe {
        libc::fflush(core::ptr::null_mut());
        libc::_exit(1)
    }
}
