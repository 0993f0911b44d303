//! A queue of a device with the buffers of the construct that has it now. Pooled, so that warm constructs allocate nothing.

use crate::device::{DevicePtr, EventHandle, QueueHandle};
use crate::location::MapName;
use crate::map::Ends;
use crate::pending::Pending;
use crate::table::Counts;
use abi::map::MapType;
use std::sync::Arc;

/// The queue.
#[derive(Debug)]
pub struct Queue {
    pub(crate) handle: QueueHandle,
    /// For waiting behind other queues.
    pub(crate) event: Option<EventHandle>,
    /// Behind the copies of the construct, for other queues to wait for.
    pub(crate) mark: Option<EventHandle>,
    /// What the construct has mapped; taken back when it fails, and ended without a lock where that is possible.
    pub(crate) uses: Vec<Use>,
    /// Device address of each map of the construct, as far as the mapping table said it.
    pub(crate) addresses: Vec<Known>,
    /// Those of `uses` that others shared when the construct had nothing more to do: ended when its queue is done, because
    /// whoever has the last one copies the data back.
    pub(crate) late: Vec<Use>,
    /// Each of the construct's maps is in `uses` or is nothing to the table, and none needs more at its end than a count.
    pub(crate) simple: bool,
    /// Copies to make when the table's lock is free again.
    pub(crate) steps: Vec<Step>,
    /// The claim on entries that the construct copies to, once there is one.
    pub(crate) claim: Option<Arc<Pending>>,
    /// Whether entries hold the claim.
    pub(crate) claimed: bool,
    /// Entries that hold it, or held it when it was made.
    pub(crate) claimed_keys: Vec<usize>,
    /// Claims of the construct that are fulfilled, while the queue is not known to be done.
    pub(crate) fulfilled: Vec<Arc<Pending>>,
    /// Claims of others that have to be fulfilled before the construct goes on.
    pub(crate) waits: Vec<Arc<Pending>>,
    /// Claims of others whose copies this queue waits for already.
    pub(crate) behind: Vec<Arc<Pending>>,
    /// Copies to entries that others have claimed: to be asked for again when those claims are fulfilled.
    pub(crate) postponed: Vec<Postponed>,
    /// Kernel arguments.
    pub(crate) arguments: Vec<u64>,
    /// Position in `arguments` of each map of the construct.
    pub(crate) positions: Vec<Option<usize>>,
    /// Bytes for the device block that holds launch environment and small private variables.
    pub(crate) staging: Vec<u8>,
    /// How many of those, the first ones, are the launch environment.
    pub(crate) environment: usize,
    /// (position in `arguments`, offset in `staging`, base minus begin) of each packed private variable.
    pub(crate) packed: Vec<(usize, usize, usize)>,
    /// Device counterpart of `staging`.
    pub(crate) scratch: Block,
    /// Buffer for reductions over teams.
    pub(crate) reduction: Block,
    /// Host bytes under way to the device.
    pub(crate) held: Vec<Box<[u8]>>,
    /// What is to do when the queue is done.
    pub(crate) actions: Vec<Action>,
    /// Host ranges that this construct mapped first.
    pub(crate) new_ranges: Vec<(usize, usize)>,
    /// Attachments that wait for the end of the construct's maps.
    pub(crate) attachments: Vec<Attachment>,
    /// What the construct ends; of use only while it does.
    pub(crate) ends: Ends,
    /// There is work that nobody has waited for.
    pub(crate) busy: bool,
}

/// A device block that only grows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    pub address: DevicePtr,
    pub size: usize,
}

/// One use of an entry.
#[derive(Debug)]
pub(crate) struct Use {
    pub key: usize,
    pub counts: Arc<Counts>,
    pub mapped: Mapped,
}

/// The range of a map, and how it is mapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped {
    pub begin: usize,
    pub size: usize,
    pub kind: MapType,
}

/// What the mapping table said about a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// It was not asked.
    Unasked,
    /// There is no counterpart.
    Absent,
    /// The counterpart of the first address.
    At(DevicePtr),
}

/// A copy to make without the table's lock.
#[derive(Debug)]
pub(crate) enum Step {
    /// From program memory to the device.
    To(Transfer),
    /// From the device to program memory.
    From(Transfer),
    /// Bytes of the runtime, to the device.
    Bytes { device: DevicePtr, bytes: Box<[u8]>, name: usize },
}

/// One end, the other end, and how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub device: DevicePtr,
    pub host: usize,
    pub size: usize,
    /// Of [`name_of`].
    pub name: usize,
}

/// Address of the encoded name of a mapped expression, 0 without one. A step may have that of its entry, which stays as
/// long as the construct works on it, and that of its map, which is the program's.
pub(crate) fn name_of(name: MapName<'_>) -> usize {
    name.as_ptr() as usize
}

/// A copy to the device that another construct's claim holds up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Postponed {
    pub key: usize,
    pub begin: usize,
    pub size: usize,
}

/// Work for the host after the queue is done.
#[derive(Debug)]
pub(crate) enum Action {
    /// Write a pointer back that the copy from the device replaced by its device value.
    Restore { slot: usize, contents: Box<[u8]> },
    /// One construct less with work on an entry; removes it when it was the last and the entry is no longer in use.
    LeaveEntry { key: usize },
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
    /// A new queue of a device.
    pub(crate) fn new(handle: QueueHandle) -> Self {
        Self {
            handle,
            event: None,
            mark: None,
            uses: Vec::new(),
            late: Vec::new(),
            addresses: Vec::new(),
            simple: true,
            steps: Vec::new(),
            claim: None,
            claimed: false,
            claimed_keys: Vec::new(),
            fulfilled: Vec::new(),
            waits: Vec::new(),
            behind: Vec::new(),
            postponed: Vec::new(),
            arguments: Vec::new(),
            positions: Vec::new(),
            staging: Vec::new(),
            environment: 0,
            packed: Vec::new(),
            scratch: Block::default(),
            reduction: Block::default(),
            held: Vec::new(),
            actions: Vec::new(),
            new_ranges: Vec::new(),
            attachments: Vec::new(),
            ends: Ends::default(),
            busy: false,
        }
    }

    /// Forgets the construct.
    pub(crate) fn clear(&mut self) {
        self.uses.clear();
        self.late.clear();
        self.addresses.clear();
        self.simple = true;
        self.claimed_keys.clear();
        self.steps.clear();
        self.waits.clear();
        self.behind.clear();
        self.postponed.clear();
        self.actions.clear();
        self.new_ranges.clear();
        self.attachments.clear();
    }

    /// The construct's claim, for an entry that it is about to copy to.
    pub(crate) fn claim(&mut self) -> Arc<Pending> {
        if !self.claimed {
            self.claimed = true;
            // The claim of an earlier construct serves again when no entry holds it any more.
            match self.claim.as_mut().map(Arc::get_mut) {
                Some(Some(own)) => own.renew(),
                _ => self.claim = Some(Arc::new(Pending::new(self.handle))),
            }
        }
        self.claim.clone().expect("made above")
    }

    /// Whether a claim is the construct's own.
    pub(crate) fn is_own(&self, pending: &Arc<Pending>) -> bool {
        self.claimed && self.claim.as_ref().is_some_and(|claim| Arc::ptr_eq(claim, pending))
    }
}
