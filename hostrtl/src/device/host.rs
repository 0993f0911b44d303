//! This CPU as a device: images of `-fopenmp-targets=x86_64-pc-linux-gnu`, which are shared objects.
//!
//! Each device has memory and copies of the images' globals of its own, and queues that are truly asynchronous, so that
//! mapping rules and asynchronous paths behave as on a GPU. A device address is a real address: code that mixes host and
//! device pointers up reads something, which is why new and freed memory is filled with patterns.
//!
//! clang generates host code for such images: teams and threads come from libomp, which the image shares with the
//! program. So a launch is one call, whatever its grid and block.

mod call;
mod fault;
mod image;
mod memory;
mod queue;

use super::{
    AllocKind, Backend, Device, DeviceError, DevicePtr, DeviceResult, EventHandle, FunctionHandle,
    ImageHandle, Launch, Properties, QueueHandle,
};
use crate::env::Settings;
use crate::image::{Arch, ImageKind};
use crate::sync::Mutex;
use crate::{jit, lock};
use core::ffi::CStr;
use core::ops::Range;
use image::Image;
use memory::Memory;
use queue::{Event, Queue, Work};
use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

/// Things that live as long as the process, by number: handles.
struct Registry<T: 'static>(RwLock<Vec<&'static T>>);

impl<T> Registry<T> {
    const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    fn add(&self, value: T) -> (usize, &'static T) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let value: &'static T = Box::leak(Box::new(value));
        all.push(value);
        (all.len() - 1, value)
    }

    fn get(&self, number: usize) -> DeviceResult<&'static T> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(number).copied().ok_or_else(|| error("handle", format!("there is no {number}")))
    }
}

static QUEUES: Registry<Queue> = Registry::new();
static EVENTS: Registry<Event> = Registry::new();
static FUNCTIONS: Registry<Function> = Registry::new();

/// A kernel.
struct Function {
    address: usize,
    name: std::ffi::CString,
}

/// What queues and faults need to know of a device.
struct Shared {
    number: i32,
    /// Set by a fault in device code: nothing works after it.
    lost: OnceLock<DeviceError>,
}

/// One device.
pub struct HostDevice {
    properties: Properties,
    shared: &'static Shared,
    stack_size: usize,
    process: u32,
    jit: jit::Options,
    images: Mutex<HashMap<usize, Image>>,
    memory: Mutex<Memory>,
}

/// The devices that the settings ask for, numbered from `first`.
pub fn open(settings: &Settings, first: usize) -> Vec<Box<dyn Device>> {
    let number = |index: u32| first as i32 + index as i32;
    (0..settings.x86_devices)
        .map(|index| Box::new(HostDevice::new(number(index), settings)) as Box<dyn Device>)
        .collect()
}

impl HostDevice {
    fn new(number: i32, settings: &Settings) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let properties = Properties {
            name: "x86-64 CPU".into(),
            backend: Backend::X86,
            arch: Arch::X86_64,
            max_threads: 1,
            max_blocks: 1,
            hardware_parallelism: threads,
            shared_memory: 0,
        };
        Self {
            properties,
            shared: Box::leak(Box::new(Shared { number, lost: OnceLock::new() })),
            stack_size: settings.stack_size.unwrap_or(queue::DEFAULT_STACK),
            process: std::process::id(),
            jit: settings.jit.clone(),
            images: Mutex::default(),
            memory: Mutex::new(Memory::new(physical_memory())),
        }
    }

    fn queue(&self, handle: QueueHandle) -> DeviceResult<&'static Queue> {
        QUEUES.get(handle.0)
    }

    fn queues(&self) -> impl Iterator<Item = &'static Queue> {
        let all = QUEUES.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        all.into_iter().filter(|queue| core::ptr::eq(queue.device, self.shared))
    }
}

impl Device for HostDevice {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Queues have threads, of which a forked process has none.
    fn bind(&self) -> DeviceResult<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(error("bind", "the process was forked after it had opened the device")),
        }
    }

    fn share_host_memory(&self) -> DeviceResult<bool> {
        Ok(true)
    }

    fn load(&self, image: &[u8], kind: &ImageKind) -> DeviceResult<ImageHandle> {
        fault::watch()?;
        let compiled;
        let file = match kind {
            ImageKind::Bitcode { .. } => {
                compiled = self.jit.shared_object(image).map_err(|text| error("JIT", text))?;
                &compiled[..]
            }
            _ => image,
        };
        let image = Image::load(file, self.shared)?;
        let handle = image.handle();
        lock(&self.images).insert(handle, image);
        Ok(ImageHandle(handle))
    }

    fn unload(&self, image: ImageHandle) -> DeviceResult<()> {
        // Code that still runs must stay: for ever if it is what calls this, by `exit`.
        if self.queues().any(Queue::is_mine) {
            return Ok(());
        }
        self.queues().try_for_each(Queue::synchronize)?;
        let image = lock(&self.images).remove(&image.0);
        image.map(drop).ok_or_else(|| error("unload", "there is no such image"))
    }

    fn global(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(DevicePtr, usize)>> {
        let images = lock(&self.images);
        let image = images.get(&image.0).ok_or_else(|| error("global", "there is no such image"))?;
        Ok(image.symbol(name).map(|(address, size)| (DevicePtr(address as u64), size)))
    }

    fn function(&self, image: ImageHandle, name: &CStr) -> DeviceResult<Option<(FunctionHandle, u32)>> {
        let Some((address, _)) = self.global(image, name)? else { return Ok(None) };
        let (handle, _) = FUNCTIONS.add(Function { address: address.0 as usize, name: name.to_owned() });
        Ok(Some((FunctionHandle(handle), self.properties.max_threads)))
    }

    fn memory(&self) -> DeviceResult<Option<(u64, u64)>> {
        let memory = lock(&self.memory);
        Ok(Some((memory.left as u64, memory.size as u64)))
    }

    /// Code of this device can reach all of the program's memory; what it may is what was made for it.
    fn is_accessible(&self, address: usize, bytes: usize) -> bool {
        let Some(end) = address.checked_add(bytes.max(1)) else { return false };
        let within = |part: &Range<usize>| part.start <= address && end <= part.end;
        lock(&self.memory).block_of(address).is_some_and(|block| within(&block))
            || lock(&self.images).values().any(|image| within(&image.range))
    }

    fn alloc(&self, bytes: usize, _kind: AllocKind) -> DeviceResult<DevicePtr> {
        lock(&self.memory).alloc(bytes)
    }

    fn free(&self, address: DevicePtr, _kind: AllocKind) -> DeviceResult<()> {
        lock(&self.memory).free(address)
    }

    fn create_queue(&self) -> DeviceResult<QueueHandle> {
        let (handle, queue) = QUEUES.add(Queue::new(self.shared));
        queue.start(self.stack_size).map_err(|cause| error("create_queue", cause.to_string()))?;
        Ok(QueueHandle(handle))
    }

    unsafe fn submit(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: *const u8,
        bytes: usize,
    ) -> DeviceResult<()> {
        let (to, from) = (destination.0 as usize, source.expose_provenance());
        self.queue(queue)?.push(Work::Copy { to, from, bytes })
    }

    unsafe fn retrieve(
        &self,
        queue: QueueHandle,
        destination: *mut u8,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        let (to, from) = (destination.expose_provenance(), source.0 as usize);
        self.queue(queue)?.push(Work::Copy { to, from, bytes })
    }

    fn exchange(
        &self,
        queue: QueueHandle,
        destination: DevicePtr,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        let (to, from) = (destination.0 as usize, source.0 as usize);
        self.queue(queue)?.push(Work::Copy { to, from, bytes })
    }

    fn fill(&self, queue: QueueHandle, destination: DevicePtr, value: u8, bytes: usize) -> DeviceResult<()> {
        self.queue(queue)?.push(Work::Fill { to: destination.0 as usize, value, bytes })
    }

    fn launch(&self, queue: QueueHandle, launch: &Launch, arguments: &[u64]) -> DeviceResult<()> {
        let function = FUNCTIONS.get(launch.function.0)?;
        self.queue(queue)?.launch(function, arguments)
    }

    fn synchronize(&self, queue: QueueHandle) -> DeviceResult<()> {
        self.queue(queue)?.synchronize()
    }

    fn query(&self, queue: QueueHandle) -> DeviceResult<bool> {
        self.queue(queue)?.query()
    }

    fn create_event(&self) -> DeviceResult<EventHandle> {
        Ok(EventHandle(EVENTS.add(Event::default()).0))
    }

    fn record(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()> {
        let event = EVENTS.get(event.0)?;
        let count = event.promise();
        self.queue(queue)?.push(Work::Record { event, count })
    }

    fn wait(&self, queue: QueueHandle, event: EventHandle) -> DeviceResult<()> {
        let event = EVENTS.get(event.0)?;
        let count = event.promised();
        self.queue(queue)?.push(Work::Wait { event, count })
    }
}

fn error(call: &str, text: impl Into<String>) -> DeviceError {
    DeviceError { call: format!("x86 device: {call}"), text: text.into() }
}

/// Bytes of memory of this machine: a program that asks for more is refused before the kernel kills it.
fn physical_memory() -> usize {
    // SAFETY: plain questions.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    usize::try_from(pages).unwrap_or(0).saturating_mul(usize::try_from(size).unwrap_or(0))
}

#[cfg(test)]
mod tests;
