//! Device memory for mappings and private variables, with reuse of freed blocks.
//!
//! A driver takes longer to give a block and to take it back than to launch a kernel, and it waits for the device to do so. Programs
//! without `target data` map the same arrays anew for each construct.

use crate::device::{AllocKind, Backend, Device, DeviceError, DevicePtr, DeviceResult};
use crate::diagnosis;
use crate::lock;
use crate::sync::Mutex;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Atomics on variables of one or two bytes work on the 4-byte word around them, which must belong to the block.
const GRANULE: usize = 4;
/// Blocks of at most so many bytes are rounded up to powers of two, and all of them are kept (LLVM's threshold).
const SMALL: usize = 8 * 1024;
/// Largest block that is kept on a GPU. To copy such a one takes far longer than to allocate it.
const LARGEST_KEPT: usize = 64 << 20;
/// The part of a device's memory that larger blocks than [`SMALL`] may keep from others, and the bound for that in bytes.
const PART_KEPT: u64 = 16;
const MOST_KEPT: u64 = 1 << 30;
/// Sizes of larger blocks between a power of two and the next: at most one part of so many is wasted.
const STEPS: usize = 16;

/// What freed blocks are kept for reuse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// All of at most so many bytes; with 0 none.
    UpTo(usize),
    /// As suits a GPU.
    Bounded,
}

impl Keep {
    /// What a kind of device keeps. The SIMT device keeps no blocks: it allocates fast, and it finds accesses beyond a
    /// block's end and after its end only while blocks are what they seem.
    pub const fn by_default(backend: Backend) -> Self {
        match backend {
            Backend::Cuda { .. } => Self::Bounded,
            Backend::Simt | Backend::X86 => Self::UpTo(0),
        }
    }
}

/// Keeps freed blocks, by size.
#[derive(Debug)]
pub struct MemoryManager {
    keep: Keep,
    kept: Mutex<Kept>,
    /// Most bytes of blocks that are not small, as [`MemoryManager::bound`] has found; 0 before.
    bound: AtomicU64,
}

/// The blocks that are kept.
#[derive(Debug, Default)]
struct Kept {
    /// By the number of their [`Class`].
    blocks: Vec<Vec<DevicePtr>>,
    /// Bytes of all blocks that are not small.
    bytes: u64,
}

/// Blocks of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Class {
    number: usize,
    /// Bytes of each.
    size: usize,
}

impl Class {
    /// The class of the least blocks with room for `bytes`.
    fn of(bytes: usize) -> Self {
        let power = bytes.next_power_of_two().max(GRANULE);
        let step = if power <= SMALL { power } else { power / 2 / STEPS };
        let size = bytes.max(1).next_multiple_of(step);
        let octave = size.ilog2() as usize;
        // The place between this power of two and the next.
        let place = ((size - (1 << octave)) * STEPS) >> octave;
        Self { number: octave * STEPS + place, size }
    }

    /// What blocks of this class count of the bytes that are bounded.
    fn counted(self) -> u64 {
        if self.size <= SMALL { 0 } else { self.size as u64 }
    }
}

impl Kept {
    fn take(&mut self, class: Class) -> Option<DevicePtr> {
        let block = self.blocks.get_mut(class.number)?.pop()?;
        self.bytes -= class.counted();
        Some(block)
    }

    fn put(&mut self, class: Class, block: DevicePtr) {
        if self.blocks.len() <= class.number {
            self.blocks.resize_with(class.number + 1, Vec::new);
        }
        self.blocks[class.number].push(block);
        self.bytes += class.counted();
    }

    /// Takes all blocks out, or all that are not small.
    fn drain(&mut self, small_too: bool) -> Vec<DevicePtr> {
        let first = if small_too { 0 } else { Class::of(SMALL).number + 1 };
        self.bytes = 0;
        self.blocks.iter_mut().skip(first).flat_map(|blocks| blocks.drain(..)).collect()
    }
}

impl MemoryManager {
    /// Keeps nothing yet.
    pub fn new(keep: Keep) -> Self {
        Self { keep, kept: Mutex::default(), bound: AtomicU64::new(0) }
    }

    /// A block of at least `bytes`, with any contents.
    pub fn alloc(&self, device: &dyn Device, bytes: usize) -> DeviceResult<DevicePtr> {
        let Some(class) = self.class(bytes) else {
            return self.alloc_apart(device, bytes.next_multiple_of(GRANULE), AllocKind::Device);
        };
        let reused = lock(&self.kept).take(class);
        match reused {
            Some(block) => Ok(block),
            None => self.alloc_apart(device, class.size, AllocKind::Device),
        }
    }

    /// Takes back a block of [`MemoryManager::alloc`] with the same number of bytes.
    pub fn free(&self, device: &dyn Device, block: DevicePtr, bytes: usize) -> DeviceResult<()> {
        let Some(class) = self.class(bytes) else { return device.free(block, AllocKind::Device) };
        if class.counted() == 0 {
            lock(&self.kept).put(class, block);
            return Ok(());
        }
        let bound = self.bound(device);
        if class.counted() > bound {
            return device.free(block, AllocKind::Device);
        }
        let mut kept = lock(&self.kept);
        // Blocks of sizes that nobody wants any more would keep those out that somebody wants.
        let old = if kept.bytes + class.counted() > bound { kept.drain(false) } else { Vec::new() };
        kept.put(class, block);
        drop(kept);
        give_back(device, old)
    }

    /// A block that the caller gives back to the device.
    pub fn alloc_apart(&self, device: &dyn Device, bytes: usize, kind: AllocKind) -> DeviceResult<DevicePtr> {
        // Once more with the kept blocks given back.
        device.alloc(bytes, kind).or_else(|error| {
            self.release(device)?;
            device.alloc(bytes, kind).map_err(|_| with_free_memory(device, error))
        })
    }

    /// Gives all kept blocks back to the device.
    pub fn release(&self, device: &dyn Device) -> DeviceResult<()> {
        let blocks = lock(&self.kept).drain(true);
        give_back(device, blocks)
    }

    /// None for blocks that are not kept.
    fn class(&self, bytes: usize) -> Option<Class> {
        let largest = match self.keep {
            Keep::UpTo(largest) => largest,
            Keep::Bounded => LARGEST_KEPT,
        };
        (bytes <= largest).then(|| Class::of(bytes))
    }

    fn bound(&self, device: &dyn Device) -> u64 {
        if self.keep != Keep::Bounded {
            return u64::MAX;
        }
        // Several threads may ask, and find the same.
        let mut bound = self.bound.load(Relaxed);
        if bound == 0 {
            let total = device.memory().ok().flatten().map_or(0, |(_, total)| total);
            bound = (total / PART_KEPT).min(MOST_KEPT);
            self.bound.store(bound, Relaxed);
        }
        bound
    }
}

fn give_back(device: &dyn Device, blocks: Vec<DevicePtr>) -> DeviceResult<()> {
    blocks.into_iter().try_for_each(|block| device.free(block, AllocKind::Device))
}

/// Adds to an error how much memory there is now: when it is told, the construct has given back what it had.
fn with_free_memory(device: &dyn Device, mut error: DeviceError) -> DeviceError {
    if error.is_out_of_memory()
        && let Ok(Some((free, total))) = device.memory()
    {
        let (free, total) = (diagnosis::bytes(free), diagnosis::bytes(total));
        error.text = format!("{}: {free} of {total} are free", error.text);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::recorder::Recorder;

    #[test]
    fn blocks_up_to_a_threshold_are_reused() {
        let device = Recorder::new();
        let memory = MemoryManager::new(Keep::UpTo(8192));
        let small = memory.alloc(&device, 100).unwrap();
        memory.free(&device, small, 100).unwrap();
        assert_eq!(memory.alloc(&device, 128).unwrap(), small, "same power of two");
        assert_ne!(memory.alloc(&device, 129).unwrap(), small);
        assert_eq!(device.count("alloc"), 2);

        let large = memory.alloc(&device, 8193).unwrap();
        memory.free(&device, large, 8193).unwrap();
        assert_eq!(device.count("free"), 1);
    }

    #[test]
    fn words_around_small_variables_belong_to_the_block() {
        for keep in [Keep::UpTo(0), Keep::UpTo(8192), Keep::Bounded] {
            let device = Recorder::new();
            let memory = MemoryManager::new(keep);
            let block = memory.alloc(&device, 1).unwrap();
            device.write(block, &[0; 4]);
        }
    }

    #[test]
    fn threshold_zero_keeps_nothing() {
        let device = Recorder::new();
        let memory = MemoryManager::new(Keep::UpTo(0));
        let block = memory.alloc(&device, 16).unwrap();
        memory.free(&device, block, 16).unwrap();
        assert_eq!((device.count("alloc"), device.count("free")), (1, 1));
    }

    #[test]
    fn kept_blocks_are_given_back_when_memory_runs_out() {
        let device = Recorder::new();
        let memory = MemoryManager::new(Keep::UpTo(8192));
        let block = memory.alloc(&device, 4096).unwrap();
        memory.free(&device, block, 4096).unwrap();
        device.limit_memory(4096);
        memory.alloc(&device, 2048).unwrap();
        assert_eq!(device.count("free"), 1);
        let error = memory.alloc(&device, 4096).unwrap_err();
        assert!(error.to_string().contains("out of memory"));
    }

    #[test]
    fn classes_have_room_and_waste_little() {
        let sizes = (0..20_000).chain((14..34).flat_map(|power| {
            let size: usize = 1 << power;
            [size - 1, size, size + 1, size + size / 3, size + size / 16, size + size / 16 + 1]
        }));
        let mut classes = std::collections::BTreeMap::new();
        for bytes in sizes {
            let class = Class::of(bytes);
            assert!(class.size >= bytes && class.size.is_multiple_of(GRANULE), "{bytes}: {class:?}");
            if bytes > SMALL {
                assert!(class.size - bytes <= bytes / STEPS, "{bytes}: {class:?}");
            }
            assert_eq!(Class::of(class.size), class, "{bytes}");
            assert_eq!(*classes.entry(class.number).or_insert(class.size), class.size, "{bytes}");
        }
    }

    #[test]
    fn a_gpu_keeps_larger_blocks_up_to_a_bound() {
        let device = Recorder::new().with_memory(16 << 20);
        let memory = MemoryManager::new(Keep::Bounded);
        let counts = || (device.count("alloc"), device.count("free"));
        let alloc = |bytes| memory.alloc(&device, bytes).unwrap();
        let free = |block, bytes| memory.free(&device, block, bytes).unwrap();
        // A sixteenth, 1 MiB, is kept.
        let (small, half, third) = (alloc(100), alloc(500 << 10), alloc(300 << 10));
        free(small, 100);
        free(half, 500 << 10);
        free(third, 300 << 10);
        assert_eq!(counts(), (3, 0));
        assert_eq!(alloc(500 << 10), half);
        free(half, 500 << 10);
        assert_eq!(counts(), (3, 0));
        // Another one would be too much with those; small ones stay.
        let other = alloc(400 << 10);
        free(other, 400 << 10);
        assert_eq!(counts(), (4, 2));
        assert_eq!((alloc(400 << 10), alloc(100)), (other, small));
        // What alone is more than the bound is not kept.
        let large = alloc(2 << 20);
        free(large, 2 << 20);
        assert_eq!(counts(), (5, 3));
        free(other, 400 << 10);
        memory.release(&device).unwrap();
        assert_eq!(counts(), (5, 4));
    }

    #[test]
    fn blocks_of_others_get_what_is_kept_when_memory_runs_out() {
        let device = Recorder::new().with_memory(64 << 20);
        let memory = MemoryManager::new(Keep::Bounded);
        let block = memory.alloc(&device, 1 << 20).unwrap();
        memory.free(&device, block, 1 << 20).unwrap();
        device.limit_memory(1 << 20);
        memory.alloc_apart(&device, 1 << 20, AllocKind::Device).unwrap();
        assert_eq!(device.count("free"), 1);
    }
}
