//! One construct at work on a device: it owns a queue from its begin to its end.

use crate::device::{DevicePtr, DeviceResult, EventHandle, FunctionHandle, Launch, QueueHandle};
use crate::error::Result;
use crate::info::{self, InfoFlags};
use crate::launch::Shape;
use crate::location::{Location, MapName};
use crate::lock;
use crate::offload::OffloadDevice;
use crate::table::{Pending, Table};
use crate::tool::{self, Copied, Work};
use std::sync::Arc;

/// A queue with the buffers of its current construct. Pooled, so that warm constructs allocate nothing.
#[derive(Debug)]
pub struct Queue {
    pub(crate) handle: QueueHandle,
    event: Option<EventHandle>,
    /// Kernel arguments.
    pub(crate) arguments: Vec<u64>,
    /// Position in `arguments` of each map of the construct.
    pub(crate) positions: Vec<Option<usize>>,
    /// Bytes for the device block that holds launch environment and small private variables.
    pub(crate) staging: Vec<u8>,
    /// (position in `arguments`, offset in `staging`, base minus begin) of each packed private variable.
    pub(crate) packed: Vec<(usize, usize, usize)>,
    /// Device counterpart of `staging`.
    pub(crate) scratch: Block,
    /// Buffer for reductions over teams.
    pub(crate) reduction: Block,
    /// Host bytes under way to the device.
    held: Vec<Box<[u8]>>,
    /// What is to do when the queue is done.
    pub(crate) actions: Vec<Action>,
    /// Host ranges that this construct mapped first.
    pub(crate) new_ranges: Vec<(usize, usize)>,
    /// Attachments that wait for the end of the construct's maps.
    pub(crate) attachments: Vec<Attachment>,
    /// Entries to which data is under way that other constructs may rely on.
    pub(crate) touched: Vec<usize>,
    pending: Option<Arc<Pending>>,
    /// There is work that nobody has waited for.
    busy: bool,
}

/// A device block that only grows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    address: DevicePtr,
    size: usize,
}

/// Work for the host after the queue is done.
#[derive(Debug)]
pub(crate) enum Action {
    /// Write a pointer back that the copy from the device replaced by its device value.
    Restore { slot: usize, contents: Box<[u8]> },
    /// One region less between end and completion; removes the entry when it was the last.
    EndEntry { key: usize },
    /// Free a device block.
    Free { address: DevicePtr, size: usize },
}

/// A pointer that is to point to its pointee's counterpart (map type `ATTACH`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attachment {
    pub slot: usize,
    pub pointee: usize,
    /// Bytes of the pointer, or of the Fortran descriptor that starts with it.
    pub size: usize,
    pub always: bool,
}

impl Queue {
    fn new(handle: QueueHandle) -> Self {
        Self {
            handle,
            event: None,
            arguments: Vec::new(),
            positions: Vec::new(),
            staging: Vec::new(),
            packed: Vec::new(),
            scratch: Block::default(),
            reduction: Block::default(),
            held: Vec::new(),
            actions: Vec::new(),
            new_ranges: Vec::new(),
            attachments: Vec::new(),
            touched: Vec::new(),
            pending: None,
            busy: false,
        }
    }
}

/// A construct at work. [`Region::finish`] completes it; dropping it instead gives up after an error.
#[derive(Debug)]
pub struct Region<'d> {
    pub(crate) device: &'d OffloadDevice,
    pub(crate) location: Location<'d>,
    /// `None` only after `finish`.
    queue: Option<Queue>,
}

impl<'d> Region<'d> {
    /// Takes a queue of the device.
    pub fn start(device: &'d OffloadDevice, location: Location<'d>) -> Result<Self> {
        let pooled = lock(&device.queues).pop();
        let queue = match pooled {
            Some(queue) => queue,
            None => Queue::new(device.device.create_queue()?),
        };
        Ok(Self { device, location, queue: Some(queue) })
    }

    pub(crate) fn queue(&mut self) -> &mut Queue {
        self.queue.as_mut().expect("a region has its queue until it is consumed")
    }

    /// The queue's handle, for work that [`Region::synchronize`] will wait for.
    pub(crate) fn work(&mut self) -> QueueHandle {
        let queue = self.queue();
        queue.busy = true;
        queue.handle
    }

    /// Copies program memory to the device.
    ///
    /// # Safety
    /// `host` is valid for reads of `size` bytes until the region ends.
    pub(crate) unsafe fn submit(
        &mut self,
        device: DevicePtr,
        host: usize,
        size: usize,
        name: MapName<'_>,
    ) -> DeviceResult<()> {
        if self.device.info.has(InfoFlags::DATA_TRANSFER) {
            info::copy_to_device(self.device.id, host, device, size, name.name());
        }
        let _scope =
            tool::begin(self.device.id, || Work::ToDevice(Copied { host, device, bytes: size, name }));
        let queue = self.work();
        // SAFETY: the contract of this function.
        unsafe { self.device.device.submit(queue, device, host as *const u8, size) }
    }

    /// Copies device memory to the program.
    ///
    /// # Safety
    /// `host` is valid for writes of `size` bytes until the region ends.
    pub(crate) unsafe fn retrieve(
        &mut self,
        host: usize,
        device: DevicePtr,
        size: usize,
        name: MapName<'_>,
    ) -> DeviceResult<()> {
        if self.device.info.has(InfoFlags::DATA_TRANSFER) {
            let text = format_args!(
                "Copying data from device to host, TgtPtr={:#018x}, HstPtr={host:#018x}, Size={size}, Name={}",
                device.0,
                name.name()
            );
            info::device_info(self.device.id, text);
        }
        let _scope =
            tool::begin(self.device.id, || Work::FromDevice(Copied { host, device, bytes: size, name }));
        let queue = self.work();
        // SAFETY: the contract of this function.
        unsafe { self.device.device.retrieve(queue, host as *mut u8, device, size) }
    }

    /// Copies within the device.
    pub(crate) fn exchange(&mut self, to: DevicePtr, from: DevicePtr, size: usize) -> DeviceResult<()> {
        let queue = self.work();
        self.device.device.exchange(queue, to, from, size)
    }

    /// Sets device memory byte by byte.
    pub(crate) fn fill(&mut self, address: DevicePtr, value: u8, size: usize) -> DeviceResult<()> {
        let queue = self.work();
        self.device.device.fill(queue, address, value, size)
    }

    /// Copies bytes of the runtime to the device; the region keeps them until its queue is done.
    pub(crate) fn submit_owned(&mut self, device: DevicePtr, bytes: Box<[u8]>) -> DeviceResult<()> {
        self.submit_owned_as(device, bytes, MapName::default())
    }

    /// The same, for part of a variable.
    pub(crate) fn submit_owned_as(
        &mut self,
        device: DevicePtr,
        bytes: Box<[u8]>,
        name: MapName<'_>,
    ) -> DeviceResult<()> {
        let (source, size) = (bytes.as_ptr() as usize, bytes.len());
        self.queue().held.push(bytes);
        // SAFETY: `held` keeps the bytes, at this address, until the queue is synchronized.
        unsafe { self.submit(device, source, size, name) }
    }

    /// Reads device memory and waits for it.
    pub(crate) fn read(&mut self, device: DevicePtr, bytes: &mut [u8]) -> DeviceResult<()> {
        let queue = self.work();
        // Of no interest to anybody who follows the program's copies.
        // SAFETY: the bytes are borrowed until the synchronization below.
        unsafe { self.device.device.retrieve(queue, bytes.as_mut_ptr(), device, bytes.len())? };
        self.synchronize()
    }

    /// Sends `staging`, which begins with a launch environment of that many bytes, to its device block and gives that
    /// block's address.
    pub(crate) fn send_staging(&mut self, environment: usize) -> DeviceResult<DevicePtr> {
        let size = self.queue().staging.len();
        let block = self.grow(self.queue.as_ref().map_or(Block::default(), |queue| queue.scratch), size)?;
        self.queue().scratch = block;
        let source = self.queue().staging.as_ptr() as usize;
        let (id, has) = (self.device.id, self.device.info.has(InfoFlags::DATA_TRANSFER));
        let (variables, target) = (source + environment, block.address.offset(environment));
        // For users these are two copies, as in LLVM: one of the variables, one of the plugin's.
        let _scope = (size > environment).then(|| {
            if has {
                info::copy_to_device(id, variables, target, size - environment, "unknown");
            }
            let bytes = size - environment;
            let name = MapName::default();
            tool::begin(id, || Work::ToDevice(Copied { host: variables, device: target, bytes, name }))
        });
        if has && environment > 0 {
            info::copy_launch_environment(id, source, block.address, environment);
        }
        let queue = self.work();
        // SAFETY: nothing touches `staging` before the next construct, which starts with a synchronized queue.
        unsafe { self.device.device.submit(queue, block.address, source as *const u8, size)? };
        Ok(block.address)
    }

    /// The buffer for reductions over teams, of at least `size` bytes.
    pub(crate) fn reduction_buffer(&mut self, size: usize) -> DeviceResult<DevicePtr> {
        let block = self.grow(self.queue.as_ref().map_or(Block::default(), |queue| queue.reduction), size)?;
        self.queue().reduction = block;
        Ok(block.address)
    }

    /// A block of the queue that is large enough; the queue is idle, so an old one can go at once.
    fn grow(&mut self, block: Block, size: usize) -> DeviceResult<Block> {
        if size <= block.size {
            return Ok(block);
        }
        let device = self.device.device.as_ref();
        if block.size != 0 {
            self.device.memory.free(device, block.address, block.size)?;
        }
        let size = size.next_power_of_two().max(1024);
        Ok(Block { address: self.device.memory.alloc(device, size)?, size })
    }

    /// Lets other queues find out when data that they may rely on has arrived. Called under the table's lock.
    pub(crate) fn publish_new(&mut self, table: &mut Table) -> DeviceResult<()> {
        let device = self.device.device.as_ref();
        let queue = self.queue();
        if queue.touched.is_empty() {
            return Ok(());
        }
        let event = match queue.event {
            Some(event) => event,
            None => *queue.event.insert(device.create_event()?),
        };
        device.record(queue.handle, event)?;
        let pending = Pending::new(queue.handle, event);
        for key in queue.touched.drain(..) {
            if let Some(entry) = table.get_mut(key) {
                entry.pending = Some(pending.clone());
            }
        }
        queue.pending = Some(pending);
        Ok(())
    }

    /// Runs a kernel with the arguments that the queue holds.
    pub(crate) fn launch(
        &mut self,
        function: FunctionHandle,
        shape: Shape,
        shared_memory: u32,
    ) -> DeviceResult<()> {
        let launch = Launch { function, grid: shape.grid, block: shape.block, shared_memory };
        let device = self.device.device.as_ref();
        let handle = self.work();
        device.launch(handle, &launch, &self.queue().arguments)
    }

    /// Waits until the queue is done; costs nothing when there is nothing to wait for.
    pub(crate) fn synchronize(&mut self) -> DeviceResult<()> {
        let (id, device) = (self.device.id, self.device.device.as_ref());
        let queue = self.queue();
        if !queue.busy {
            return Ok(());
        }
        let scope = tool::begin(id, || Work::Wait);
        device.synchronize(queue.handle)?;
        drop(scope);
        queue.busy = false;
        queue.held.clear();
        if let Some(pending) = queue.pending.take() {
            pending.finish();
        }
        Ok(())
    }

    /// Waits until all work is done, then removes what is no longer mapped.
    pub fn finish(mut self) -> Result<()> {
        self.synchronize()?;
        self.complete()?;
        self.give_back();
        Ok(())
    }

    fn complete(&mut self) -> Result<()> {
        if self.queue().actions.is_empty() {
            return Ok(());
        }
        let mut actions = core::mem::take(&mut self.queue().actions);
        let mut table = lock(&self.device.table);
        let mut outcome = Ok(());
        for action in actions.drain(..) {
            let done = match action {
                Action::Restore { slot, contents } => {
                    // SAFETY: the slot is mapped program memory, of which these bytes were read when the copy began.
                    unsafe {
                        core::ptr::copy_nonoverlapping(contents.as_ptr(), slot as *mut u8, contents.len())
                    };
                    Ok(())
                }
                Action::EndEntry { key } => self.device.end_entry(&mut table, key),
                Action::Free { address, size } => {
                    let _scope = tool::begin(self.device.id, || Work::Free(address));
                    self.device.memory.free(self.device.device.as_ref(), address, size)
                }
            };
            outcome = outcome.and(done);
        }
        drop(table);
        self.queue().actions = actions;
        Ok(outcome?)
    }

    fn give_back(&mut self) {
        if let Some(mut queue) = self.queue.take() {
            queue.actions.clear();
            queue.new_ranges.clear();
            queue.attachments.clear();
            queue.touched.clear();
            lock(&self.device.queues).push(queue);
        }
    }
}

impl Drop for Region<'_> {
    /// After an error: host memory must stay as long as the device may use it, so wait. A queue that cannot even do
    /// that is left alone for good, buffers included.
    fn drop(&mut self) {
        if self.queue.is_none() {
            return;
        }
        match self.synchronize() {
            Ok(()) => self.give_back(),
            Err(_) => core::mem::forget(self.queue.take()),
        }
    }
}
