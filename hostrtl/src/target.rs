//! Kernels launched from Rust, in the shapes of `target`, `target teams` and `target parallel`, with map clauses of Rust
//! types and errors as values.
//!
//! The kernels are in an [`Image`]: PTX, a cubin, a fat binary, bitcode or a shared object for x86-64. It runs on the
//! device that the environment chooses, as for compiled programs; without a GPU that is the SIMT device. A kernel's
//! parameters are 8 bytes each: addresses for what is mapped and for buffers, values for literals.
//!
//! ```
//! use hostrtl::target::{Image, Target, TargetError};
//!
//! let ptx = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernel.ptx"));
//! let image = Image::register(ptx, &["fill", "scale"])?;
//!
//! // #pragma omp target teams num_teams(2) thread_limit(4) map(from: numbers)
//! let mut numbers = [0_u64; 8];
//! let fill = Target::new(image.kernel("fill")?).teams(2).threads(4).from(&mut numbers).literal(40_u64);
//! // SAFETY: `fill` takes an address and a number, and writes one number for each of its 8 threads.
//! unsafe { fill.launch()? };
//! assert_eq!(numbers, [42; 8]);
//!
//! // #pragma omp target parallel num_threads(3) map(tofrom: data) map(from: environment)
//! let (mut data, mut environment) = ([1.0, 2.0, 3.0], [0_u64]);
//! let scale = Target::new(image.kernel("scale")?).with_environment().threads(3);
//! let scale = scale.tofrom(&mut data).literal(3_u64).from(&mut environment);
//! // SAFETY: `scale` takes the launch environment first, then these three; it works on as many numbers as it is told.
//! unsafe { scale.launch()? };
//! assert_eq!(data, [2.0, 4.0, 6.0]);
//! # Ok::<(), TargetError>(())
//! ```

mod buffer;

pub use buffer::Buffer;

use crate::api::tgt::{Packet, start_kernel};
use crate::arrays::OwnedArrays;
use crate::error::Error;
use crate::image::ImageKind;
use crate::launch::Request;
use crate::libomp;
use crate::location::Location;
use crate::offload::OffloadDevice;
use crate::runtime::runtime;
use abi::entry::{BinaryDescriptor, DeviceImage, OldOffloadEntry};
use abi::kernel::DynGroupprivateFallback;
use abi::map::MapType;
use bytemuck::Pod;
use core::marker::PhantomData;
use core::ptr::null;
use std::ffi::CString;

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// There is no device, or not this one.
    #[error("{0}")]
    NoDevice(String),
    /// The bytes are no image that anything could run.
    #[error(
        "the image is of {0}: it has to be PTX, a cubin, a fat binary, LLVM bitcode or an object for x86-64"
    )]
    BadImage(String),
    /// The name was not given when the image was registered.
    #[error("no kernel '{0}' was named when the image was registered")]
    NoKernel(String),
    /// Two lengths that have to be the same.
    #[error("{what} has {len} elements, the buffer {expected}")]
    Length {
        /// Source or destination.
        what: &'static str,
        /// Its elements.
        len: usize,
        /// The buffer's.
        expected: usize,
    },
    /// The runtime or the device failed.
    #[error(transparent)]
    Construct(#[from] Error),
}

/// Result of this module's functions.
pub type Result<T> = core::result::Result<T, TargetError>;

/// A device image with named kernels, registered as a compiled program registers its own; dropping it takes that back.
pub struct Image {
    kernels: Vec<Region>,
    descriptor: Box<BinaryDescriptor>,
    // What the descriptor points to, which nobody may move or free while it is registered.
    _image: Box<DeviceImage>,
    _bytes: Box<[u8]>,
    _entries: Box<[OldOffloadEntry]>,
}

/// A kernel's name, and the byte whose address is its region id.
struct Region {
    name: CString,
    id: Box<u8>,
}

// SAFETY: the pointers go to memory of the image itself, which is only read.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// Registers an image. The runtime loads it at the first launch on a device that can run it.
    pub fn register(bytes: impl AsRef<[u8]>, kernels: &[&str]) -> Result<Self> {
        let bytes: Box<[u8]> = bytes.as_ref().into();
        let kind = ImageKind::of(&bytes);
        if matches!(kind, ImageKind::Unknown | ImageKind::OtherElf { .. }) {
            return Err(TargetError::BadImage(kind.to_string()));
        }
        let region = |name: &&str| match CString::new(*name) {
            Ok(text) => Ok(Region { name: text, id: Box::new(0) }),
            Err(_) => Err(TargetError::NoKernel((*name).to_owned())),
        };
        let kernels = kernels.iter().map(region).collect::<Result<Vec<_>>>()?;
        let entry = |region: &Region| OldOffloadEntry {
            address: (&raw const *region.id).cast_mut().cast(),
            name: region.name.as_ptr(),
            size: 0,
            flags: 0,
            data: 0,
        };
        let entries: Box<[_]> = kernels.iter().map(entry).collect();
        let (code, table) = (bytes.as_ptr_range(), entries.as_ptr_range());
        let image = Box::new(DeviceImage {
            image_start: code.start.cast(),
            image_end: code.end.cast(),
            entries_begin: table.start.cast(),
            entries_end: table.end.cast(),
        });
        let descriptor = Box::new(BinaryDescriptor {
            num_device_images: 1,
            device_images: &raw const *image,
            host_entries_begin: table.start.cast(),
            host_entries_end: table.end.cast(),
        });
        // SAFETY: everything lives, where it is, until `drop` takes the registration back.
        unsafe { runtime().register(&raw const *descriptor) };
        Ok(Self { kernels, descriptor, _image: image, _bytes: bytes, _entries: entries })
    }

    /// A kernel by its name.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'_>> {
        let region = self.kernels.iter().find(|region| region.name.as_bytes() == name.as_bytes());
        region.map(|region| Kernel { region }).ok_or_else(|| TargetError::NoKernel(name.to_owned()))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        runtime().unregister(&raw const *self.descriptor);
    }
}

/// A kernel of an image.
#[derive(Clone, Copy)]
pub struct Kernel<'i> {
    region: &'i Region,
}

/// One launch: a `target` construct with its clauses. Maps and literals are the kernel's arguments, in their order.
pub struct Target<'a> {
    kernel: Kernel<'a>,
    device: Option<usize>,
    teams: u32,
    threads: u32,
    environment: bool,
    place: CString,
    maps: OwnedArrays,
    /// What is mapped stays borrowed until the launch is over.
    borrows: PhantomData<&'a mut [u8]>,
}

impl<'a> Target<'a> {
    /// `target`: one team of one thread, on the default device.
    #[track_caller]
    pub fn new(kernel: Kernel<'a>) -> Self {
        let caller = core::panic::Location::caller();
        let place = format!(";{};rust;{};{};;", caller.file(), caller.line(), caller.column());
        Self {
            kernel,
            device: None,
            teams: 1,
            threads: 1,
            environment: false,
            place: CString::new(place).unwrap_or_default(),
            maps: OwnedArrays::default(),
            borrows: PhantomData,
        }
    }

    /// `teams num_teams(count)`.
    pub fn teams(mut self, count: u32) -> Self {
        self.teams = count;
        self
    }

    /// `parallel num_threads(count)`: threads of each team.
    pub fn threads(mut self, count: u32) -> Self {
        self.threads = count;
        self
    }

    /// `device(number)`.
    pub fn device(mut self, number: usize) -> Self {
        self.device = Some(number);
        self
    }

    /// The kernel's first parameter is the launch environment, as compilers of LLVM 17 to 22 and REX make it.
    pub fn with_environment(mut self) -> Self {
        self.environment = true;
        self
    }

    /// `map(to: values)`.
    pub fn to<T: Pod>(self, values: &'a [T]) -> Self {
        self.map(values.as_ptr(), values.len(), MapType::TO)
    }

    /// `map(from: values)`.
    pub fn from<T: Pod>(self, values: &'a mut [T]) -> Self {
        self.map(values.as_mut_ptr(), values.len(), MapType::FROM)
    }

    /// `map(tofrom: values)`.
    pub fn tofrom<T: Pod>(self, values: &'a mut [T]) -> Self {
        self.map(values.as_mut_ptr(), values.len(), MapType(MapType::TO.0 | MapType::FROM.0))
    }

    /// `map(alloc: values)`: room on the device, and no copy.
    pub fn alloc<T: Pod>(self, values: &'a mut [T]) -> Self {
        self.map(values.as_mut_ptr(), values.len(), MapType(0))
    }

    /// A scalar by value.
    pub fn literal<T: Pod>(mut self, value: T) -> Self {
        const { assert!(size_of::<T>() <= size_of::<u64>(), "a literal has at most 8 bytes") };
        let mut slot = 0_usize;
        bytemuck::bytes_of_mut(&mut slot)[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        let kind = MapType(MapType::LITERAL.0 | MapType::TARGET_PARAM.0);
        self.maps.push(slot, slot, size_of::<T>() as i64, kind, null());
        self
    }

    /// `is_device_ptr`: a buffer on the device, which the launch has to run on too.
    pub fn buffer<T: Pod>(mut self, buffer: &'a mut Buffer<T>) -> Self {
        self.device.get_or_insert(buffer.device());
        self.literal(buffer.address())
    }

    fn map<T: Pod>(mut self, begin: *const T, len: usize, kind: MapType) -> Self {
        let begin = begin.expose_provenance();
        let kind = MapType(kind.0 | MapType::TARGET_PARAM.0);
        self.maps.push(begin, begin, (len * size_of::<T>()) as i64, kind, null());
        self
    }

    /// Runs the kernel and waits for it.
    ///
    /// # Safety
    /// The kernel takes these arguments, of these types and lengths, and stays within them; what it writes through
    /// `to` and `alloc` is lost. A buffer belongs to the device of the launch.
    pub unsafe fn launch(mut self) -> Result<()> {
        let device = device(self.device)?;
        let packet = Packet {
            arrays: self.maps.raw(),
            request: Request {
                num_teams: [self.teams, 1, 1],
                thread_limit: [self.threads, 1, 1],
                trip_count: 0,
            },
            shared_memory: 0,
            fallback: DynGroupprivateFallback::default(),
            hidden_parameter: self.environment,
            nowait: false,
        };
        let host = (&raw const *self.kernel.region.id).expose_provenance();
        let location = Location::from_text(&self.place);
        // SAFETY: the arrays are complete and live until the end; what they name is borrowed for as long.
        let unfinished = unsafe { start_kernel(runtime(), device, location, host, &packet) }?;
        Ok(unfinished.finish()?)
    }
}

/// A device by its number, or the default device, ready for this thread.
fn device(number: Option<usize>) -> Result<&'static OffloadDevice> {
    let runtime = runtime();
    let usable = runtime.usable_devices();
    if usable == 0 {
        return Err(TargetError::NoDevice(runtime.why_no_device()));
    }
    let number = number.unwrap_or_else(|| usize::try_from(libomp::default_device()).unwrap_or(0));
    let device = runtime.devices()[..usable].get(number).ok_or_else(|| {
        TargetError::NoDevice(format!("device number {number} is out of range: there are {usable} devices"))
    })?;
    runtime.prepare(device)?;
    Ok(device)
}
