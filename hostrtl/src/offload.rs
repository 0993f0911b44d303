//! What the runtime keeps for one device: mapping table, queues, memory, loaded images and kernels.

use crate::constructors::{self, Phase};
use crate::device::{AllocKind, Device, DevicePtr, DeviceResult, EventHandle, ImageHandle};
use crate::diagnosis;
use crate::env::{LockMapped, Settings};
use crate::error::{Error, Result};
use crate::indirect::{self, IndirectTable};
use crate::info::{self, InfoFlags, InfoLevel};
use crate::kernel::Kernel;
use crate::launch::Limits;
use crate::location::{Location, MapName};
use crate::lock;
use crate::memory::{Keep, MemoryManager};
use crate::queue::Queue;
use crate::region::Region;
use crate::register::{Image, Library, SharedRegistry};
use crate::sync::Mutex;
use crate::table::{Entry, Lookup, Table};
use crate::tool::{self, Work};
use abi::device::{CANCELLATION, DEVICE_ENVIRONMENT_SYMBOL, DeviceEnvironment};
use arc_swap::ArcSwap;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crossbeam_queue::{ArrayQueue, SegQueue};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

/// Idle queues that are found without a lock; there are as many as constructs have run at once.
const POOLED_QUEUES: usize = 64;

/// One device.
pub struct OffloadDevice {
    /// Its number.
    pub id: i32,
    /// The device itself.
    pub device: Box<dyn Device>,
    /// Bits of `LIBOMPTARGET_INFO`.
    pub info: InfoLevel,
    /// Bounds of every launch.
    pub limits: Limits,
    /// Dynamic shared memory of every kernel in bytes.
    pub shared_memory: u32,
    /// `OMPTARGET_DUMP_OFFLOAD_ENTRIES` is this device.
    dumps_entries: bool,
    /// `LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS`.
    pub attach_auto_as_always: bool,
    /// `LIBOMPTARGET_MAP_FORCE_ATOMIC`: a construct waits for data that another one copies.
    pub map_force_atomic: bool,
    shares_memory: AtomicBool,
    /// What is mapped.
    pub table: Mutex<Table>,
    /// Idle queues. Without a lock, because every construct takes one.
    queues: ArrayQueue<Box<Queue>>,
    /// `LIBOMPTARGET_NUM_INITIAL_STREAMS`: queues to make at first.
    initial_queues: usize,
    /// `LIBOMPTARGET_NUM_INITIAL_EVENTS`: events to make at first.
    initial_events: usize,
    /// Events that no queue has yet.
    events: SegQueue<EventHandle>,
    /// `LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS`.
    pub(crate) lock_mapped: LockMapped,
    /// Those for which there is no place in `queues`.
    more_queues: SegQueue<Box<Queue>>,
    pub(crate) memory: MemoryManager,
    environment: DeviceEnvironment,
    images: Mutex<Images>,
    /// Who loads images: one at a time.
    loading: Mutex<()>,
    /// By region id; replaced as a whole, so that a launch reads it without a lock.
    kernels: ArcSwap<BTreeMap<usize, Arc<Kernel>>>,
    /// Value of the registry's generation for which all images are loaded.
    loaded_generation: AtomicU64,
}

/// Images by the key of their library; `Err` says why the library has none that runs here.
#[derive(Default)]
struct Images {
    by_library: BTreeMap<usize, core::result::Result<Loaded, String>>,
    /// The library whose image is being loaded.
    loading: Option<usize>,
    announced: bool,
}

/// An image in the device, with what belongs to it.
#[derive(Clone, Copy)]
struct Loaded {
    image: ImageHandle,
    indirect: Option<IndirectTable>,
}

impl core::fmt::Debug for OffloadDevice {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OffloadDevice").field("id", &self.id).finish_non_exhaustive()
    }
}

impl OffloadDevice {
    /// Device number `id` of `count`.
    pub fn new(id: i32, count: usize, device: Box<dyn Device>, settings: &Settings) -> Self {
        let properties = device.properties();
        let limits = Limits {
            max_threads: properties.max_threads,
            max_team_threads: settings.max_threads.unwrap_or(u32::MAX),
            max_teams: settings.max_teams.unwrap_or(u32::MAX).min(properties.max_blocks),
            min_threads_for_low_trip_count: settings.min_threads_for_low_trip_count,
            reuse_blocks: settings.reuse_blocks_for_high_trip_count,
            threads_at_once: properties.hardware_parallelism,
        };
        let of_device = Keep::by_default(properties.backend);
        let keep = settings.memory_manager_threshold.map_or(of_device, Keep::UpTo);
        let environment = DeviceEnvironment {
            device_debug_kind: settings.device_debug_kind & !CANCELLATION
                | if settings.cancellation { CANCELLATION } else { 0 },
            num_devices: count as u32,
            device_num: id as u32,
            dynamic_mem_size: settings.shared_memory_size,
            // `%globaltimer` counts nanoseconds.
            clock_frequency: 1_000_000_000,
            indirect_call_table: 0,
            indirect_call_table_size: 0,
            hardware_parallelism: properties.hardware_parallelism,
        };
        Self {
            id,
            info: InfoLevel::new(settings.info),
            limits,
            shared_memory: settings.shared_memory_size,
            dumps_entries: settings.dump_offload_entries == u32::try_from(id).ok(),
            attach_auto_as_always: settings.attach_auto_as_always,
            map_force_atomic: settings.map_force_atomic,
            shares_memory: AtomicBool::new(false),
            table: Mutex::default(),
            queues: ArrayQueue::new(POOLED_QUEUES),
            initial_queues: settings.initial_streams,
            initial_events: settings.initial_events,
            events: SegQueue::new(),
            lock_mapped: settings.lock_mapped,
            more_queues: SegQueue::new(),
            memory: MemoryManager::new(keep),
            environment,
            images: Mutex::default(),
            loading: Mutex::default(),
            kernels: ArcSwap::default(),
            loaded_generation: AtomicU64::new(0),
            device,
        }
    }

    /// Lets kernels reach the memory of this program, which need not be mapped then; false where they cannot.
    pub fn share_host_memory(&self) -> bool {
        let shared = self.device.bind().and_then(|()| self.device.share_host_memory()).unwrap_or(false);
        self.shares_memory.store(shared, Ordering::Relaxed);
        shared
    }

    /// Whether kernels reach the memory of this program.
    pub fn shares_memory(&self) -> bool {
        self.shares_memory.load(Ordering::Relaxed)
    }

    /// Makes the device ready for use by this thread: current, with the images of all registered libraries loaded.
    pub fn prepare(&self, registry: &SharedRegistry) -> Result<()> {
        self.device.bind()?;
        if self.is_loaded(registry) { Ok(()) } else { self.load_all(registry) }
    }

    /// Makes the mapping table ready, which has the variables of all registered libraries. Who only reads the table needs
    /// no more, and no call of the driver.
    pub fn prepare_table(&self, registry: &SharedRegistry) -> Result<()> {
        if self.is_loaded(registry) { Ok(()) } else { self.prepare(registry) }
    }

    fn is_loaded(&self, registry: &SharedRegistry) -> bool {
        self.loaded_generation.load(Ordering::Acquire) == registry.generation()
    }

    /// Loads the images of libraries that are new.
    fn load_all(&self, registry: &SharedRegistry) -> Result<()> {
        let generation = registry.generation();
        let _one = lock(&self.loading);
        self.announce()?;
        // Without the lock of the registry or of the images: who registers a library meanwhile, or takes one back, has the lock of
        // the system's loader, which this CPU as device needs to load.
        loop {
            let mut images = lock(&self.images);
            let is_new = |library: &&Library| !images.by_library.contains_key(&library.key());
            let Some(library) = registry.read().libraries().iter().find(is_new).cloned() else { break };
            images.loading = Some(library.key());
            drop(images);
            let loaded = self.load(&library);
            let mut images = lock(&self.images);
            images.loading = None;
            images.by_library.insert(library.key(), loaded?);
        }
        self.loaded_generation.store(generation, Ordering::Release);
        Ok(())
    }

    /// Makes the queues and events that there are at first, and says that the device is there, once.
    fn announce(&self) -> Result<()> {
        let mut images = lock(&self.images);
        if images.by_library.is_empty() {
            for _ in 0..self.initial_queues {
                self.give_queue_back(Box::new(Queue::new(self.device.create_queue()?)));
            }
            for _ in 0..self.initial_events {
                self.events.push(self.device.create_event()?);
            }
        }
        if !core::mem::replace(&mut images.announced, true) {
            let properties = self.device.properties();
            tool::ompt::device_initialized(self.id, &properties.arch.to_string());
            if self.info.has(InfoFlags::KERNEL_LAUNCH) {
                let text = format_args!("{} ({}, {})", properties.name, properties.arch, properties.backend);
                info::device_info(self.id, text);
            }
        }
        Ok(())
    }

    /// Loads the best image of a library; the inner error says that none runs here.
    fn load(&self, library: &Library) -> Result<core::result::Result<Loaded, String>> {
        let properties = self.device.properties();
        let Some(image) = library.image_for(properties) else {
            return Ok(Err(library.mismatch(self.id, properties)));
        };
        let fail = |cause| {
            let advice = diagnosis::of_image(image.bytes(), image.kind(), properties.backend, &cause);
            Error::Load { device: self.id, cause, advice }
        };
        let handle = self.device.load(image.bytes(), image.kind()).map_err(fail)?;
        tool::ompt::device_loaded(self.id, image.bytes());
        if self.dumps_entries {
            info::offload_entries(self.id, library);
        }
        let functions = indirect::find(self, handle, library)?;
        let indirect = indirect::make(self, &functions)?;
        self.write_environment(handle, indirect)?;
        constructors::run(self, handle, image.bytes(), Phase::Init)?;
        let mut table = lock(&self.table);
        for entry in library.globals() {
            // A global that no device code uses may be gone from the image; then there is nothing to map.
            let Some((address, _)) = self.device.global(handle, &entry.name).map_err(fail)? else { continue };
            if table.lookup(entry.address, entry.size) == Lookup::Absent {
                table.insert_global(entry.address, entry.size, address, &entry.name);
            }
        }
        indirect::map(&mut table, &functions);
        drop(table);
        if self.shares_memory() {
            self.send_globals(handle, library)?;
        }
        Ok(Ok(Loaded { image: handle, indirect }))
    }

    /// Gives the globals of an image their values on the host: where memory is shared, compilers let them be the addresses
    /// of the true globals.
    fn send_globals(&self, image: ImageHandle, library: &Library) -> Result<()> {
        let mut region = Region::start(self, Location::default())?;
        for entry in library.globals() {
            if let Some((address, size)) = self.device.global(image, &entry.name)? {
                let name = MapName::default();
                // SAFETY: a global of the program, which stays; the region waits for the copy below.
                unsafe { region.submit(address, entry.address, entry.size.min(size), name)? };
            }
        }
        region.finish()
    }

    /// Tells the device runtime in the image about the device; images without that symbol do not ask.
    fn write_environment(&self, image: ImageHandle, indirect: Option<IndirectTable>) -> Result<()> {
        let name = CString::new(DEVICE_ENVIRONMENT_SYMBOL).unwrap_or_default();
        let Some((address, size)) = self.device.global(image, &name)? else { return Ok(()) };
        let environment = DeviceEnvironment {
            indirect_call_table: indirect.map_or(0, |table| table.address.0),
            indirect_call_table_size: indirect.map_or(0, |table| table.pairs),
            ..self.environment
        };
        let bytes = bytemuck::bytes_of(&environment);
        let mut region = Region::start(self, Location::default())?;
        region.submit_owned(address, bytes[..bytes.len().min(size)].into())?;
        region.finish()
    }

    /// The kernel of a region id, looked up in its image at the first call.
    pub fn kernel(
        &self,
        registry: &SharedRegistry,
        host: usize,
        location: Location<'_>,
    ) -> Result<Arc<Kernel>> {
        if let Some(kernel) = self.kernels.load().get(&host) {
            return Ok(kernel.clone());
        }
        let (image, name) = self.image_of(registry, host)?;
        let kernel = Arc::new(Kernel::resolve(self, image, &name, location)?);
        self.change_kernels(|kernels| drop(kernels.insert(host, kernel.clone())));
        Ok(kernel)
    }

    /// The image of a region id, and the region's symbol in it.
    pub(crate) fn image_of(&self, registry: &SharedRegistry, host: usize) -> Result<(ImageHandle, CString)> {
        let registry = registry.read();
        let (library, name) = registry.region(host).ok_or_else(|| registry.why_unknown(host))?;
        drop(registry);
        match lock(&self.images).by_library.get(&library) {
            Some(Ok(loaded)) => Ok((loaded.image, name)),
            Some(Err(mismatch)) => Err(Error::NoImage(mismatch.clone())),
            // Its library was registered a moment ago, and loaded before.
            None => Err(Error::Unloaded),
        }
    }

    fn change_kernels(&self, change: impl Fn(&mut BTreeMap<usize, Arc<Kernel>>)) {
        self.kernels.rcu(|kernels| {
            let mut kernels = BTreeMap::clone(kernels);
            change(&mut kernels);
            kernels
        });
    }

    /// Forgets a library. Errors are of no use to anybody: at exit the driver may be gone already.
    pub fn unload(&self, library: &Library) {
        if lock(&self.images).loading == Some(library.key()) {
            // Who loads it reads it.
            drop(lock(&self.loading));
        }
        let Some(Ok(loaded)) = lock(&self.images).by_library.remove(&library.key()) else { return };
        tool::ompt::device_unloaded(self.id);
        self.change_kernels(|kernels| {
            library.regions().for_each(|entry| drop(kernels.remove(&entry.address)));
        });
        let mut table = lock(&self.table);
        for entry in library.globals().chain(library.indirect()) {
            if table.get(entry.address).is_some_and(|mapped| mapped.dynamic_count().is_infinite()) {
                table.remove(entry.address);
            }
        }
        drop(table);
        let bytes = library.image_for(self.device.properties()).map_or(&[][..], Image::bytes);
        if self.device.bind().is_ok() {
            let _ = constructors::run(self, loaded.image, bytes, Phase::Fini);
            if let Some(table) = loaded.indirect {
                let _ = self.device.free(table.address, AllocKind::Device);
            }
            let _ = self.device.unload(loaded.image);
        }
    }

    /// One construct less with work on an entry; removes it when it was the last and nobody uses the entry any more.
    pub(crate) fn leave_entry(&self, table: &mut Table, key: usize) -> DeviceResult<()> {
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        entry.users = entry.users.saturating_sub(1);
        if entry.users > 0 || !entry.is_unused() {
            return Ok(());
        }
        let Some(entry) = table.remove(key) else { return Ok(()) };
        if self.info.has(InfoFlags::MAPPING_CHANGED) {
            let text = format_args!(
                "Removing map entry with HstPtrBegin={:#018x}, TgtPtrBegin={:#018x}, Size={}, Name={}",
                entry.begin,
                entry.device_begin.0,
                entry.end - entry.begin,
                entry.map_name().name()
            );
            info::device_info(self.id, text);
        }
        let unlocked = self.unlock_mapped(&entry);
        let _scope = tool::begin(self.id, || Work::Free(entry.allocation));
        self.memory.free(self.device.as_ref(), entry.allocation, entry.allocation_size()).and(unlocked)
    }

    /// The line of a lookup that counts nothing: of a kernel's argument, an update, or a question of the program.
    pub(crate) fn print_found(&self, table: &Table, begin: usize, size: usize) {
        if !self.info.has(InfoFlags::MAPPING_EXISTS) {
            return;
        }
        if let Lookup::Contained(key) = table.lookup(begin, size)
            && let Some(entry) = table.get(key)
        {
            self.print_lookup(entry, begin, size, false, " (update suppressed)");
        }
    }

    /// The line of a lookup that found an entry, with what it does to one of the counts.
    pub(crate) fn print_lookup(&self, entry: &Entry, begin: usize, size: usize, hold: bool, action: &str) {
        let (dynamic_action, hold_action) = if hold { ("", action) } else { (action, "") };
        let text = format_args!(
            "Mapping exists with HstPtrBegin={begin:#018x}, TgtPtrBegin={:#018x}, Size={size}, \
             DynRefCount={}{dynamic_action}, HoldRefCount={}{hold_action}",
            entry.device_address(begin).0,
            entry.dynamic_count(),
            entry.hold_count()
        );
        info::device_info(self.id, text);
    }

    /// A queue that no construct has: a pooled one, else a new one.
    pub(crate) fn take_queue(&self) -> DeviceResult<Box<Queue>> {
        if let Some(queue) = self.queues.pop().or_else(|| self.more_queues.pop()) {
            return Ok(queue);
        }
        Ok(Box::new(Queue::new(self.device.create_queue()?)))
    }

    /// Takes an idle queue back.
    pub(crate) fn give_queue_back(&self, queue: Box<Queue>) {
        if let Err(queue) = self.queues.push(queue) {
            self.more_queues.push(queue);
        }
    }

    /// A queue's event; the first time one that was made with the device, else a new one.
    pub(crate) fn event(&self, of_queue: &mut Option<EventHandle>) -> DeviceResult<EventHandle> {
        if let Some(event) = *of_queue {
            return Ok(event);
        }
        let event = self.events.pop().map_or_else(|| self.device.create_event(), Ok)?;
        Ok(*of_queue.insert(event))
    }

    /// Device address of a mapped host address; `None` when byte `host` is not mapped.
    pub fn mapped_address(&self, host: usize) -> Option<DevicePtr> {
        let table = lock(&self.table);
        self.print_found(&table, host, 1);
        table.at(host).map(|entry| entry.device_address(host))
    }
}
