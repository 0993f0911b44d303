//! One device as the runtime drives it.
//!
//! Addresses are device addresses: the runtime computes with them and never reads through them. Work is given to
//! queues; what is in one queue runs in order, different queues run side by side.

pub mod cuda;
pub mod foreign;
#[cfg(target_arch = "x86_64")]
pub mod host;
#[cfg(test)]
pub(crate) mod recorder;

use crate::env::{DeviceChoice, Settings};
use crate::image::{Arch, ImageKind};
use abi::mode::ExecMode;
use core::ffi::CStr;

/// An address in a device's memory.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct DevicePtr(pub u64);

impl DevicePtr {
    /// The address `bytes` further on.
    pub const fn offset(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes as u64))
    }
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub usize);
    )*};
}
handles! {
    /// A loaded image.
    ImageHandle,
    /// A kernel of a loaded image.
    FunctionHandle,
    /// A queue of work.
    QueueHandle,
    /// A point in a queue.
    EventHandle,
}

/// A call of the device's driver that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error in {call}: {text}")]
pub struct DeviceError {
    /// Name of the driver's function.
    pub call: String,
    /// The driver's words.
    pub text: String,
}

impl DeviceError {
    /// Whether there is not enough memory on the device.
    pub fn is_out_of_memory(&self) -> bool {
        self.text.contains("out of memory")
    }

    /// Whether the memory was page-locked before.
    pub fn is_already_registered(&self) -> bool {
        self.text.contains("CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED")
    }
}

/// Result of a device operation.
pub type DeviceResult<T> = Result<T, DeviceError>;

/// Kinds of memory that a device hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocKind {
    /// Memory of the device.
    Device,
    /// Page-locked memory of the host that the device can reach.
    Host,
    /// Memory that moves between host and device.
    Shared,
}

/// What stands behind a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// A GPU behind the CUDA driver of this version (`1000 * major + 10 * minor`).
    Cuda {
        /// As `cuDriverGetVersion` gives it.
        driver_version: i32,
    },
    /// The embedded SIMT device.
    Simt,
    /// This CPU, with images for x86-64.
    X86,
}

impl Backend {
    /// Mode of a kernel about which its image says nothing. For a GPU that is one without the device runtime, which gets
    /// grid and block as they are passed; on this CPU the kernel makes its teams and threads by libomp, and LLVM calls it
    /// generic.
    pub const fn unmarked_mode(self) -> ExecMode {
        match self {
            Self::Cuda { .. } | Self::Simt => ExecMode::BARE,
            Self::X86 => ExecMode::GENERIC,
        }
    }
}

impl core::fmt::Display for Backend {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Cuda { driver_version } => {
                write!(f, "CUDA driver {}.{}", driver_version / 1000, driver_version % 1000 / 10)
            }
            Self::Simt => f.write_str("simt"),
            Self::X86 => f.write_str("in this process"),
        }
    }
}

/// What does not change about a device.
#[derive(Clone, Debug)]
pub struct Properties {
    /// Name for people.
    pub name: String,
    /// What stands behind it.
    pub backend: Backend,
    /// What it runs.
    pub arch: Arch,
    /// Most threads of a block.
    pub max_threads: u32,
    /// Most blocks in x.
    pub max_blocks: u32,
    /// Threads that can be resident at once on the whole device.
    pub hardware_parallelism: u64,
    /// Most bytes of shared memory of a block, static and dynamic; 0 where there is no such memory.
    pub shared_memory: u32,
}

/// A kernel to run, less its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The kernel.
    pub function: FunctionHandle,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_memory: u32,
}

/// What the driver knows of a kernel's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionAttributes {
    /// Registers of a thread, where there are any.
    pub registers: Option<u32>,
    /// Bytes of shared memory that the code names.
    pub static_shared_memory: u32,
}

/// One device.
pub trait Device: Send + Sync {
    /// What does not change about it.
    fn properties(&self) -> &Properties;

    /// The device's own interface, if it has one.
    fn foreign(&self) -> Option<&dyn foreign::Foreign> {
        None
    }

    /// Makes the device current in this thread. Called once at every entry into the runtime: libomp's hidden helper
    /// threads enter too, and drivers keep the current device by thread.
    fn bind(&self) -> DeviceResult<()>;

    /// Lets kernels reach the memory of this program (`requires unified_shared_memory`); false where they cannot.
    fn share_host_memory(&self) -> DeviceResult<bool>;

    /// Loads an image.
    fn load(&self, image: &[u8], kind: &ImageKind) -> DeviceResult<ImageHandle>;
    /// Unloads an image.
    fn unload(&self, image: ImageHandle) -> DeviceResult<()>;
    /// Address and size in bytes of a global; `None` when the image has no such symbol.
    fn global(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(DevicePtr, usize)>>;
    /// A kernel and the most threads of a block that it can run with; `None` when the image has no such symbol.
    fn function(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(FunctionHandle, u32)>>;

    /// What the driver knows of a kernel's code.
    fn attributes(&self, _function: FunctionHandle) -> DeviceResult<FunctionAttributes> {
        Ok(FunctionAttributes::default())
    }

    /// Threads of a kernel that the device runs at once in blocks of `block` threads with so many bytes of dynamic shared memory;
    /// `None` where nobody knows.
    fn threads_at_once(&self, _function: FunctionHandle, _block: u32, _shared_memory: u32) -> Option<u64> {
        None
    }

    /// Free bytes and all bytes of its memory; `None` where nobody counts them.
    fn memory(&self) -> DeviceResult<Option<(u64, u64)>> {
        Ok(None)
    }

    /// Whether kernels may access all bytes of a range by its address.
    fn is_accessible(&self, _address: usize, _bytes: usize) -> bool {
        false
    }

    /// Allocates memory, aligned to at least 256 bytes.
    fn alloc(&self, bytes: usize, kind: AllocKind) -> DeviceResult<DevicePtr>;
    /// Frees memory of [`Device::alloc`] with the same kind.
    fn free(&self, address: DevicePtr, kind: AllocKind) -> DeviceResult<()>;

    /// A new queue. Queues live as long as the process: the runtime pools them.
    fn create_queue(&self) -> DeviceResult<QueueHandle>;

    /// Copies from the host.
    ///
    /// # Safety
    /// `source` is valid for reads of `bytes` until the queue is synchronized.
    unsafe fn submit(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: *const u8,
        bytes: usize,
    ) -> DeviceResult<()>;
    /// Copies to the host.
    ///
    /// # Safety
    /// `destination` is valid for writes of `bytes` until the queue is synchronized.
    unsafe fn retrieve(
        &self,
        queue: QueueHandle,
        destination: *mut u8,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()>;
    /// Copies within the device.
    fn exchange(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()>;
    /// Sets each byte to `value`.
    fn fill(&self, queue: QueueHandle, destination: DevicePtr, value: u8, bytes: usize) -> DeviceResult<()>;
    /// Runs a kernel; every argument is one 8-byte slot.
    fn launch(&self, queue: QueueHandle, launch: &Launch, arguments: &[u64]) -> DeviceResult<()>;
    /// Waits until all work of the queue is done; errors of that work come out here.
    fn synchronize(&self, queue: QueueHandle) -> DeviceResult<()>;
    /// Whether all work of the queue is done; errors of that work come out here.
    fn query(&self, queue: QueueHandle) -> DeviceResult<bool>;

    /// A new event. Events live as long as the process.
    fn create_event(&self) -> DeviceResult<EventHandle>;
    /// Moves the event behind all work that is in the queue now.
    fn record(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()>;
    /// Lets later work of the queue wait for the event.
    fn wait(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()>;
}

impl core::fmt::Debug for dyn Device + '_ {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Device({})", self.properties().name)
    }
}

/// Why there are no devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoDevices {
    /// What is missing.
    pub reason: String,
    /// The user asked for this very kind of device: the program must not run elsewhere.
    pub fatal: bool,
}

/// What registered images ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// There is an image for something else than this CPU, or none at all.
    pub gpu: bool,
    /// There is an image for this CPU.
    pub host_cpu: bool,
}

impl Wanted {
    /// By the kinds of all images.
    pub fn by<'k>(images: impl IntoIterator<Item = &'k ImageKind>) -> Self {
        let mut count = 0;
        let host = images.into_iter().inspect(|_| count += 1).filter(|kind| kind.is_for_host_cpu()).count();
        Self { gpu: host == 0 || host < count, host_cpu: host > 0 }
    }
}

/// All devices of the kind that the settings ask for; `auto` is what the images ask for, GPUs first.
pub fn open(settings: &Settings, wanted: Wanted) -> Result<Vec<Box<dyn Device>>, NoDevices> {
    match settings.device {
        DeviceChoice::None => {
            Err(NoDevices { reason: "OMPTARGET_DEVICE=none switches devices off".into(), fatal: false })
        }
        DeviceChoice::X86 => host_cpu(settings, 0),
        DeviceChoice::Auto if wanted.host_cpu => {
            let gpus = if wanted.gpu { cuda::open(settings) } else { Ok(Vec::new()) };
            let mut devices = gpus.unwrap_or_default();
            devices.extend(host_cpu(settings, devices.len())?);
            Ok(devices)
        }
        DeviceChoice::Auto | DeviceChoice::Cuda | DeviceChoice::Simt => cuda::open(settings),
    }
}

#[cfg(target_arch = "x86_64")]
fn host_cpu(settings: &Settings, first: usize) -> Result<Vec<Box<dyn Device>>, NoDevices> {
    Ok(host::open(settings, first))
}

#[cfg(not(target_arch = "x86_64"))]
fn host_cpu(settings: &Settings, _first: usize) -> Result<Vec<Box<dyn Device>>, NoDevices> {
    Err(NoDevices {
        reason: "OMPTARGET_DEVICE=x86: this CPU does not run x86-64 code".into(),
        fatal: settings.device == DeviceChoice::X86,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_error(device: DeviceChoice) -> NoDevices {
        open(&Settings { device, ..Settings::default() }, Wanted::by([])).err().unwrap()
    }

    #[test]
    fn none_is_no_error() {
        assert!(!open_error(DeviceChoice::None).fatal);
    }

    #[test]
    fn what_images_ask_for() {
        let (ptx, host) = (ImageKind::of(b".version 7.8\n.target sm_75\n"), ImageKind::HostElf);
        for (images, gpu, host_cpu) in [
            (&[][..], true, false),
            (core::slice::from_ref(&ptx), true, false),
            (core::slice::from_ref(&host), false, true),
            (&[host.clone(), ptx.clone(), host.clone()], true, true),
            (&[ImageKind::Unknown], true, false),
        ] {
            assert_eq!(Wanted::by(images), Wanted { gpu, host_cpu }, "{images:?}");
        }
    }

    /// Backends of the devices, by kind of image and choice of the user.
    #[test]
    fn devices_by_images_and_settings() {
        let backends = |device, gpu, host_cpu| -> Vec<Backend> {
            let settings = Settings { device, x86_devices: 2, ..Settings::default() };
            let devices = open(&settings, Wanted { gpu, host_cpu }).unwrap();
            devices.iter().map(|device| device.properties().backend).collect()
        };
        assert_eq!(backends(DeviceChoice::Auto, false, true), [Backend::X86; 2]);
        assert_eq!(backends(DeviceChoice::X86, true, false), [Backend::X86; 2]);
        let both = backends(DeviceChoice::Auto, true, true);
        assert!(both.len() > 2 && both[0] != Backend::X86 && both.ends_with(&[Backend::X86; 2]), "{both:?}");
        assert!(!backends(DeviceChoice::Auto, true, false).contains(&Backend::X86));
    }

    #[test]
    fn backend_names() {
        assert_eq!(Backend::Cuda { driver_version: 13000 }.to_string(), "CUDA driver 13.0");
        assert_eq!(Backend::Cuda { driver_version: 12080 }.to_string(), "CUDA driver 12.8");
        assert_eq!(Backend::Simt.to_string(), "simt");
    }
}
