//! Device memory for mappings and private variables, with reuse of small blocks.

use crate::device::{AllocKind, Backend, Device, DeviceError, DevicePtr, DeviceResult};
use crate::diagnosis;
use crate::lock;
use crate::sync::Mutex;

const BUCKETS: usize = usize::BITS as usize;

/// Threshold in bytes for a GPU, where an allocation costs far more than a launch. The SIMT device keeps no blocks: it
/// allocates fast, and it finds accesses beyond a block's end and after its end only while blocks are what they seem.
pub const fn default_threshold(backend: Backend) -> usize {
    match backend {
        Backend::Cuda { .. } => 8 * 1024,
        Backend::Simt | Backend::X86 => 0,
    }
}

/// Atomics on variables of one or two bytes work on the 4-byte word around them, which must belong to the block.
const GRANULE: usize = 4;

/// Keeps freed blocks of up to a threshold, in buckets by power of two.
#[derive(Debug)]
pub struct MemoryManager {
    threshold: usize,
    free: Mutex<[Vec<DevicePtr>; BUCKETS]>,
}

impl MemoryManager {
    /// Keeps blocks of at most `threshold` bytes; 0 keeps none.
    pub fn new(threshold: usize) -> Self {
        Self { threshold, free: Mutex::new([const { Vec::new() }; BUCKETS]) }
    }

    /// A block of at least `bytes`, with any contents.
    pub fn alloc(&self, device: &dyn Device, bytes: usize) -> DeviceResult<DevicePtr> {
        let Some((bucket, rounded)) = self.bucket(bytes) else {
            return self.alloc_from(device, bytes.next_multiple_of(GRANULE));
        };
        let reused = lock(&self.free)[bucket].pop();
        match reused {
            Some(block) => Ok(block),
            None => self.alloc_from(device, rounded),
        }
    }

    /// Takes back a block of [`MemoryManager::alloc`] with the same number of bytes.
    pub fn free(&self, device: &dyn Device, block: DevicePtr, bytes: usize) -> DeviceResult<()> {
        match self.bucket(bytes) {
            Some((bucket, _)) => {
                lock(&self.free)[bucket].push(block);
                Ok(())
            }
            None => device.free(block, AllocKind::Device),
        }
    }

    /// Gives all kept blocks back to the device.
    pub fn release(&self, device: &dyn Device) -> DeviceResult<()> {
        let blocks: Vec<DevicePtr> =
            lock(&self.free).iter_mut().flat_map(|bucket| bucket.drain(..)).collect();
        blocks.into_iter().try_for_each(|block| device.free(block, AllocKind::Device))
    }

    /// Asks the device, and once more with the kept blocks given back.
    fn alloc_from(&self, device: &dyn Device, bytes: usize) -> DeviceResult<DevicePtr> {
        device.alloc(bytes, AllocKind::Device).or_else(|error| {
            self.release(device)?;
            device.alloc(bytes, AllocKind::Device).map_err(|_| with_free_memory(device, error))
        })
    }

    fn bucket(&self, bytes: usize) -> Option<(usize, usize)> {
        if bytes > self.threshold {
            return None;
        }
        let rounded = bytes.next_power_of_two().max(GRANULE);
        Some((rounded.trailing_zeros() as usize, rounded))
    }
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
    fn small_blocks_are_reused_large_ones_are_not() {
        let device = Recorder::new();
        let memory = MemoryManager::new(8192);
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
        for threshold in [0, 8192] {
            let device = Recorder::new();
            let memory = MemoryManager::new(threshold);
            let block = memory.alloc(&device, 1).unwrap();
            device.write(block, &[0; 4]);
        }
    }

    #[test]
    fn threshold_zero_keeps_nothing() {
        let device = Recorder::new();
        let memory = MemoryManager::new(0);
        let block = memory.alloc(&device, 16).unwrap();
        memory.free(&device, block, 16).unwrap();
        assert_eq!((device.count("alloc"), device.count("free")), (1, 1));
    }

    #[test]
    fn kept_blocks_are_given_back_when_memory_runs_out() {
        let device = Recorder::new();
        let memory = MemoryManager::new(8192);
        let block = memory.alloc(&device, 4096).unwrap();
        memory.free(&device, block, 4096).unwrap();
        device.limit_memory(4096);
        memory.alloc(&device, 2048).unwrap();
        assert_eq!(device.count("free"), 1);
        let error = memory.alloc(&device, 4096).unwrap_err();
        assert!(error.to_string().contains("out of memory"));
    }
}
