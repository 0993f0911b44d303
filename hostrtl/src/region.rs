//! One construct at work on a device: it owns a queue from its begin to its end.

mod copies;

use crate::device::{DevicePtr, DeviceResult, FunctionHandle, Launch, QueueHandle};
use crate::error::Result;
use crate::info::{self, InfoFlags};
use crate::launch::Shape;
use crate::location::{Location, MapName};
use crate::lock;
use crate::offload::OffloadDevice;
use crate::pending::Stage;
use crate::queue::{Action, Block, Queue, Use};
use crate::table::Table;
use crate::tool::{self, Copied, Exchanged, Work};

/// A construct at work. [`Region::finish`] completes it; dropping it instead gives up after an error and takes back what
/// it has mapped.
#[derive(Debug)]
pub struct Region<'d> {
    pub(crate) device: &'d OffloadDevice,
    pub(crate) location: Location<'d>,
    /// `None` only after `finish`.
    queue: Option<Box<Queue>>,
}

impl<'d> Region<'d> {
    /// Takes a queue of the device.
    pub fn start(device: &'d OffloadDevice, location: Location<'d>) -> Result<Self> {
        Ok(Self { device, location, queue: Some(device.take_queue()?) })
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
        let id = self.device.id;
        let _scope =
            tool::begin(id, || Work::OnDevices(Exchanged { from: (id, from), to: (id, to), bytes: size }));
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

    /// Sends `staging` to its device block and gives that block's address.
    pub(crate) fn send_staging(&mut self) -> DeviceResult<DevicePtr> {
        let (block, size) = (self.queue().scratch, self.queue().staging.len());
        let block = self.grow(block, size)?;
        self.queue().scratch = block;
        let source = self.queue().staging.as_ptr() as usize;
        let environment = self.queue().environment;
        let (id, has) = (self.device.id, self.device.info.has(InfoFlags::DATA_TRANSFER));
        let (variables, target) = (source + environment, block.address.offset(environment));
        // For users these are two copies, as in LLVM: one of the variables, one of the plugin's.
        let _scope = (size > environment).then(|| {
            let bytes = size - environment;
            if has {
                info::copy_to_device(id, variables, target, bytes, "unknown");
            }
            let name = MapName::default();
            tool::begin(id, || Work::ToDevice(Copied { host: variables, device: target, bytes, name }))
        });
        if has && environment > 0 {
            info::copy_launch_environment(id, source, block.address);
        }
        let queue = self.work();
        // SAFETY: nothing touches `staging` before the next construct, which starts with a synchronized queue.
        unsafe { self.device.device.submit(queue, block.address, source as *const u8, size)? };
        Ok(block.address)
    }

    /// The buffer for reductions over teams, of at least `size` bytes.
    pub(crate) fn reduction_buffer(&mut self, size: usize) -> DeviceResult<DevicePtr> {
        let block = self.queue().reduction;
        let block = self.grow(block, size)?;
        self.queue().reduction = block;
        Ok(block.address)
    }

    /// A block of the queue that is large enough; no kernel uses it yet, so an old one can go at once.
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

    /// Runs a kernel with the arguments that the queue holds.
    pub(crate) fn launch(
        &mut self,
        function: FunctionHandle,
        shape: Shape,
        shared_memory: u32,
    ) -> DeviceResult<()> {
        self.mark_copies()?;
        let launch = Launch { function, grid: shape.grid, block: shape.block, shared_memory };
        let device = self.device.device.as_ref();
        let handle = self.work();
        device.launch(handle, &launch, &self.queue().arguments)
    }

    /// Waits until the queue is done; costs nothing when there is nothing to wait for.
    pub(crate) fn synchronize(&mut self) -> DeviceResult<()> {
        if self.queue().busy {
            let scope = tool::begin(self.device.id, || Work::Wait);
            self.device.device.synchronize(self.queue().handle)?;
            drop(scope);
            self.queue_is_done();
        }
        Ok(())
    }

    /// Whether the queue is done, without waiting.
    pub(crate) fn is_done(&mut self) -> DeviceResult<bool> {
        if self.queue().busy {
            if !self.device.device.query(self.queue().handle)? {
                return Ok(false);
            }
            self.queue_is_done();
        }
        Ok(true)
    }

    fn queue_is_done(&mut self) {
        let queue = self.queue();
        queue.busy = false;
        queue.held.clear();
        for claim in queue.fulfilled.drain(..) {
            claim.finish(Stage::Done);
        }
    }

    /// Waits until all work is done, then removes what is no longer mapped.
    pub fn finish(mut self) -> Result<()> {
        self.synchronize()?;
        self.complete()?;
        self.give_back();
        Ok(())
    }

    fn complete(&mut self) -> Result<()> {
        // The construct has succeeded: what it has mapped stays until it is unmapped.
        self.queue().uses.clear();
        while self.end_late()? {
            self.synchronize()?;
        }
        if self.queue().actions.is_empty() {
            return Ok(());
        }
        let device = self.device;
        Ok(self.run_actions(&mut lock(&device.table))?)
    }

    fn run_actions(&mut self, table: &mut Table) -> DeviceResult<()> {
        let mut actions = core::mem::take(&mut self.queue().actions);
        let mut outcome = Ok(());
        for action in actions.drain(..) {
            let done = match action {
                Action::Restore { slot, contents } => {
                    // SAFETY: the slot is mapped program memory, of which these bytes were read when the copy was planned.
                    unsafe {
                        core::ptr::copy_nonoverlapping(contents.as_ptr(), slot as *mut u8, contents.len())
                    };
                    Ok(())
                }
                Action::LeaveEntry { key } => self.device.leave_entry(table, key),
                Action::Free { address, size } => {
                    let _scope = tool::begin(self.device.id, || Work::Free(address));
                    self.device.memory.free(self.device.device.as_ref(), address, size)
                }
            };
            outcome = outcome.and(done);
        }
        self.queue().actions = actions;
        outcome
    }

    /// Takes back what a construct that failed has mapped, so that others find the table as if it had not been. Further
    /// errors are of no use to anybody.
    fn take_back(&mut self) {
        let device = self.device;
        let mut table = lock(&device.table);
        // What others had mapped before is as good as it was. What this construct mapped first is not, if somebody else
        // has mapped it since: it keeps its failed claim.
        let queue = self.queue();
        for key in queue.claimed_keys.drain(..) {
            let is_new = queue.new_ranges.iter().any(|(begin, _)| *begin == key);
            if let (Some(entry), false) = (table.get_mut(key), is_new)
                && entry.pending.as_ref().is_some_and(|pending| pending.stage() == Stage::Failed)
            {
                entry.pending = None;
            }
        }
        let mut uses = core::mem::take(&mut queue.uses);
        uses.append(&mut queue.late);
        for Use { key, counts, mapped } in uses.drain(..).rev() {
            counts.decrement(mapped.kind.is_hold());
            if let Some(entry) = table.get_mut(key) {
                entry.users += 1;
                let _ = device.leave_entry(&mut table, key);
            }
        }
        let _ = self.run_actions(&mut table);
    }

    fn give_back(&mut self) {
        if let Some(mut queue) = self.queue.take() {
            queue.clear();
            self.device.give_queue_back(queue);
        }
    }
}

impl Drop for Region<'_> {
    /// After an error: host memory must stay as long as the device may use it, so wait. A queue that cannot even do
    /// that is left alone for good, buffers included; so is the memory that its work may still use.
    fn drop(&mut self) {
        let Some(queue) = &mut self.queue else { return };
        // Nobody waits for copies that will not be made.
        if core::mem::take(&mut queue.claimed)
            && let Some(claim) = &queue.claim
        {
            claim.finish(Stage::Failed);
        }
        match self.synchronize() {
            Ok(()) => {
                self.take_back();
                self.give_back();
            }
            Err(_) => core::mem::forget(self.queue.take()),
        }
    }
}
