//! `LIBOMPTARGET_RECORD`: what is needed to run a kernel again without its program, written to files when it is launched.
//!
//! A device that records stands in front of the real one. All device memory comes from one block, so that a copy of the
//! block is a copy of everything that kernels see. For a kernel `k` it writes, as LLVM's library does, `k.json` (the
//! launch), `k.memory` (the block before it), `k.image`, `k.globals`, and with `LIBOMPTARGET_RR_SAVE_OUTPUT`
//! `k.original.output` (the block after it), in the current folder. A later launch of the same kernel takes their place.

pub mod recorded;

use crate::device::foreign::Foreign;
use crate::device::{
    AllocKind, Device, DeviceError, DevicePtr, DeviceResult, EventHandle, FunctionAttributes, FunctionHandle,
    ImageHandle, Launch, Properties, QueueHandle,
};
use crate::image::ImageKind;
use crate::lock;
use crate::sync::Mutex;
use abi::device::DEVICE_ENVIRONMENT_SYMBOL;
use abi::kernel::{ConfigurationEnvironment, KERNEL_ENVIRONMENT_SUFFIX};
use abi::mode::ExecMode;
use core::ffi::CStr;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};

/// What the environment asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Bytes of the block that all device memory comes from (`LIBOMPTARGET_RR_DEVMEM_SIZE`, in GiB).
    pub bytes: usize,
    /// `LIBOMPTARGET_RR_SAVE_OUTPUT`.
    pub save_output: bool,
}

impl Recording {
    /// Without `LIBOMPTARGET_RR_DEVMEM_SIZE`.
    pub const DEFAULT_BYTES: usize = 1 << 30;
}

/// Alignment of what is taken from the block, as that of a device's own memory.
const ALIGNMENT: usize = 256;
/// Threads that a launch adds to a thread limit in generic mode, for the main thread.
const MAIN_WARP: u32 = 32;

/// A device in front of another one.
pub struct RecordingDevice {
    inner: Box<dyn Device>,
    number: i32,
    recording: Recording,
    /// Where the files go.
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The block; none when there was no room for it.
    block: Option<DevicePtr>,
    used: usize,
    images: BTreeMap<usize, Box<[u8]>>,
    functions: BTreeMap<usize, (usize, CString)>,
    /// Variables of images that the runtime asked for: (image, name) and (address, size).
    globals: BTreeMap<(usize, CString), (DevicePtr, usize)>,
}

impl RecordingDevice {
    /// Records what runs on `inner`, which has this number.
    pub fn new(inner: Box<dyn Device>, number: i32, recording: Recording, folder: &Path) -> Self {
        let device = Self { inner, number, recording, folder: folder.to_owned(), state: Mutex::default() };
        // Before all else, so that a replay finds the same address free. A failure comes again, and is told, later.
        let _ = device.take(0);
        device
    }

    /// Memory of the block. Nothing is used twice: a record of an earlier launch stays valid.
    fn take(&self, bytes: usize) -> DeviceResult<DevicePtr> {
        let mut state = lock(&self.state);
        let block = match state.block {
            Some(block) => block,
            None => *state.block.insert(self.inner.alloc(self.recording.bytes, AllocKind::Device)?),
        };
        let end = bytes.checked_next_multiple_of(ALIGNMENT).and_then(|size| state.used.checked_add(size));
        match end {
            Some(end) if end <= self.recording.bytes => {
                let address = block.offset(state.used);
                state.used = end;
                Ok(address)
            }
            _ => Err(DeviceError {
                call: "LIBOMPTARGET_RECORD".into(),
                text: format!(
                    "{bytes} bytes do not fit: {} of {} are used; LIBOMPTARGET_RR_DEVMEM_SIZE is the size in GiB",
                    state.used, self.recording.bytes
                ),
            }),
        }
    }

    fn contents(&self, queue: QueueHandle, address: DevicePtr, bytes: usize) -> DeviceResult<Vec<u8>> {
        let mut contents = vec![0_u8; bytes];
        if bytes > 0 {
            // SAFETY: the bytes live, and nobody else has them, until the synchronization below.
            unsafe { self.inner.retrieve(queue, contents.as_mut_ptr(), address, bytes)? };
            self.inner.synchronize(queue)?;
        }
        Ok(contents)
    }

    fn write(&self, kernel: &str, suffix: &str, contents: &[u8]) -> DeviceResult<()> {
        let path = self.folder.join(format!("{kernel}{suffix}"));
        std::fs::write(&path, contents).map_err(|error| DeviceError {
            call: "LIBOMPTARGET_RECORD".into(),
            text: format!("{}: {error}", path.display()),
        })
    }

    /// The block as it is now, and where it starts.
    fn snapshot(&self, queue: QueueHandle) -> DeviceResult<(DevicePtr, Vec<u8>)> {
        let (block, used) = {
            let state = lock(&self.state);
            (state.block.unwrap_or_default(), state.used)
        };
        Ok((block, self.contents(queue, block, used)?))
    }

    /// Writes all files of a launch that is about to be made.
    fn before(&self, queue: QueueHandle, launch: &Launch, arguments: &[u64]) -> DeviceResult<String> {
        let (image, name) =
            lock(&self.state).functions.get(&launch.function.0).cloned().ok_or_else(|| DeviceError {
                call: "LIBOMPTARGET_RECORD".into(),
                text: "a kernel of no image".into(),
            })?;
        let kernel = name.to_string_lossy().into_owned();
        let (start, memory) = self.snapshot(queue)?;
        let configuration = self.configuration(queue, image, &kernel)?;
        // Kernels with an environment have a hidden first parameter, which every launch makes anew.
        let arguments = &arguments[usize::from(configuration.is_some()).min(arguments.len())..];
        let is_generic = configuration.is_some_and(|found| found.exec_mode == ExecMode::GENERIC);
        let thread_limit = launch.block[0].saturating_sub(if is_generic { MAIN_WARP } else { 0 });
        let json = serde_json::json!({
            "Name": kernel,
            "NumArgs": arguments.len(),
            "NumTeamsClause": launch.grid[0],
            "ThreadLimitClause": thread_limit,
            "LoopTripCount": 0,
            // Not LLVM's: what a replay needs to be exact.
            "Grid": launch.grid,
            "Block": launch.block,
            "SharedMemory": launch.shared_memory,
            "DeviceMemorySize": memory.len(),
            "DeviceId": self.number,
            "BumpAllocVAStart": start.0,
            "ArgPtrs": arguments,
            "ArgOffsets": vec![0; arguments.len()],
        });
        self.write(&kernel, ".json", json.to_string().as_bytes())?;
        self.write(&kernel, ".memory", &memory)?;
        let bytes = lock(&self.state).images.get(&image).cloned().unwrap_or_default();
        self.write(&kernel, ".image", &bytes)?;
        self.write(&kernel, ".globals", &self.globals(queue, image)?)?;
        Ok(kernel)
    }

    /// What the compiler wrote down about a kernel.
    fn configuration(
        &self,
        queue: QueueHandle,
        image: usize,
        kernel: &str,
    ) -> DeviceResult<Option<ConfigurationEnvironment>> {
        let symbol = CString::new(format!("{kernel}{KERNEL_ENVIRONMENT_SUFFIX}")).unwrap_or_default();
        let size = size_of::<ConfigurationEnvironment>();
        Ok(match self.inner.global(ImageHandle(image), &symbol)? {
            Some((address, length)) if length >= size => {
                Some(bytemuck::pod_read_unaligned(&self.contents(queue, address, size)?))
            }
            _ => None,
        })
    }

    /// The program's variables of an image: name with its end, size in four bytes, contents.
    fn globals(&self, queue: QueueHandle, image: usize) -> DeviceResult<Vec<u8>> {
        let globals = lock(&self.state).globals.clone();
        let mut file = Vec::new();
        for ((_, name), (address, size)) in globals.iter().filter(|((of, _), _)| *of == image) {
            let Ok(length) = u32::try_from(*size) else { continue };
            file.extend_from_slice(name.to_bytes_with_nul());
            file.extend_from_slice(&length.to_ne_bytes());
            file.extend_from_slice(&self.contents(queue, *address, *size)?);
        }
        Ok(file)
    }
}

/// Whether a variable of an image is the runtime's and not the program's.
fn is_of_the_runtime(name: &CStr) -> bool {
    let name = name.to_bytes();
    name == DEVICE_ENVIRONMENT_SYMBOL.as_bytes()
        || name.ends_with(KERNEL_ENVIRONMENT_SUFFIX.as_bytes())
        || name.ends_with(b"_exec_mode")
}

impl Device for RecordingDevice {
    fn properties(&self) -> &Properties {
        self.inner.properties()
    }

    fn foreign(&self) -> Option<&dyn Foreign> {
        self.inner.foreign()
    }

    fn bind(&self) -> DeviceResult<()> {
        self.inner.bind()
    }

    fn share_host_memory(&self) -> DeviceResult<bool> {
        self.inner.share_host_memory()
    }

    fn load(&self, image: &[u8], kind: &ImageKind) -> DeviceResult<ImageHandle> {
        let handle = self.inner.load(image, kind)?;
        lock(&self.state).images.insert(handle.0, image.into());
        Ok(handle)
    }

    fn unload(&self, image: ImageHandle) -> DeviceResult<()> {
        let mut state = lock(&self.state);
        state.images.remove(&image.0);
        state.globals.retain(|(of, _), _| *of != image.0);
        drop(state);
        self.inner.unload(image)
    }

    fn global(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(DevicePtr, usize)>> {
        let found = self.inner.global(image, name)?;
        if let Some(place) = found
            && !is_of_the_runtime(name)
        {
            lock(&self.state).globals.insert((image.0, name.to_owned()), place);
        }
        Ok(found)
    }

    fn function(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(FunctionHandle, u32)>> {
        let found = self.inner.function(image, name)?;
        if let Some((function, _)) = found {
            lock(&self.state).functions.insert(function.0, (image.0, name.to_owned()));
        }
        Ok(found)
    }

    fn attributes(&self, function: FunctionHandle) -> DeviceResult<FunctionAttributes> {
        self.inner.attributes(function)
    }

    fn memory(&self) -> DeviceResult<Option<(u64, u64)>> {
        let (used, all) = (lock(&self.state).used, self.recording.bytes);
        Ok(Some(((all - used) as u64, all as u64)))
    }

    fn is_accessible(&self, address: usize, bytes: usize) -> bool {
        self.inner.is_accessible(address, bytes)
    }

    fn alloc(&self, bytes: usize, kind: AllocKind) -> DeviceResult<DevicePtr> {
        match kind {
            AllocKind::Device => self.take(bytes),
            AllocKind::Host | AllocKind::Shared => self.inner.alloc(bytes, kind),
        }
    }

    fn free(&self, address: DevicePtr, kind: AllocKind) -> DeviceResult<()> {
        match kind {
            AllocKind::Device => Ok(()),
            AllocKind::Host | AllocKind::Shared => self.inner.free(address, kind),
        }
    }

    fn create_queue(&self) -> DeviceResult<QueueHandle> {
        self.inner.create_queue()
    }

    unsafe fn submit(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: *const u8,
        bytes: usize,
    ) -> DeviceResult<()> {
        // SAFETY: the contract is the same.
        unsafe { self.inner.submit(queue, destination, source, bytes) }
    }

    unsafe fn retrieve(
        &self,
        queue: QueueHandle,
        destination: *mut u8,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        // SAFETY: the contract is the same.
        unsafe { self.inner.retrieve(queue, destination, source, bytes) }
    }

    fn exchange(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        self.inner.exchange(queue, destination, source, bytes)
    }

    fn fill(&self, queue: QueueHandle, destination: DevicePtr, value: u8, bytes: usize) -> DeviceResult<()> {
        self.inner.fill(queue, destination, value, bytes)
    }

    fn launch(&self, queue: QueueHandle, launch: &Launch, arguments: &[u64]) -> DeviceResult<()> {
        let kernel = self.before(queue, launch, arguments)?;
        self.inner.launch(queue, launch, arguments)?;
        if self.recording.save_output {
            let (_, memory) = self.snapshot(queue)?;
            self.write(&kernel, ".original.output", &memory)?;
        }
        Ok(())
    }

    fn synchronize(&self, queue: QueueHandle) -> DeviceResult<()> {
        self.inner.synchronize(queue)
    }

    fn query(&self, queue: QueueHandle) -> DeviceResult<bool> {
        self.inner.query(queue)
    }

    fn create_event(&self) -> DeviceResult<EventHandle> {
        self.inner.create_event()
    }

    fn record(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()> {
        self.inner.record(queue, event)
    }

    fn wait(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()> {
        self.inner.wait(queue, event)
    }
}

#[cfg(test)]
mod tests;
