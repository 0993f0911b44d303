//! Memory of one device, apart from the program's heap: a stale device address never hits what the program allocated.
//!
//! Blocks are powers of two out of large pieces. A freed block is given out again last in, first out, as runtimes and
//! drivers do that keep blocks; only large ones go back to the system, and then an access is a fault.

use super::error;
use crate::device::{DevicePtr, DeviceResult};
use core::ops::Range;
use core::ptr::{null_mut, with_exposed_provenance_mut};
use std::collections::BTreeMap;

/// Least size of a block, and its alignment.
const LEAST: usize = 256;
/// Blocks of more than this come from the system and go back to it.
const LARGE: usize = 1 << 20;
/// What small blocks are cut from.
const PIECE: usize = 16 << 20;

/// What every byte of new memory is.
pub const FRESH: u8 = 0xa5;
/// What every byte of freed memory is.
pub const FREED: u8 = 0xdd;

/// The blocks of a device.
pub struct Memory {
    /// Bytes of each block that is in use, as they were asked for.
    blocks: BTreeMap<u64, usize>,
    /// Freed blocks by the logarithm of their size.
    free: [Vec<u64>; usize::BITS as usize],
    /// What is left of the newest piece.
    rest: Range<u64>,
    /// Bytes that may still be asked for.
    pub left: usize,
    /// Bytes that could be asked for at first.
    pub size: usize,
}

impl Memory {
    /// Memory of at most `size` bytes.
    pub fn new(size: usize) -> Self {
        Self { blocks: BTreeMap::new(), free: [const { Vec::new() }; _], rest: 0..0, left: size, size }
    }

    /// A new block, filled.
    pub fn alloc(&mut self, bytes: usize) -> DeviceResult<DevicePtr> {
        let out_of_memory = || error("alloc", format!("out of memory ({bytes} bytes)"));
        let wanted = bytes.max(1);
        let left = self.left.checked_sub(wanted).ok_or_else(out_of_memory)?;
        let address = match wanted > LARGE {
            true => map(wanted),
            false => self.small(wanted),
        };
        let address = address.ok_or_else(out_of_memory)?;
        self.left = left;
        // SAFETY: a block of at least this size that nobody uses.
        unsafe { block(address).write_bytes(FRESH, wanted) };
        self.blocks.insert(address, wanted);
        Ok(DevicePtr(address))
    }

    fn small(&mut self, bytes: usize) -> Option<u64> {
        let size = size_of_block(bytes);
        if let Some(address) = self.free[size.ilog2() as usize].pop() {
            return Some(address);
        }
        if self.rest.end - self.rest.start < size as u64 {
            let piece = map(PIECE)?;
            self.rest = piece..piece + PIECE as u64;
        }
        let address = self.rest.start;
        self.rest.start += size as u64;
        Some(address)
    }

    /// The block in use that begins last before an address, or at it.
    pub fn block_of(&self, address: usize) -> Option<Range<usize>> {
        let (start, bytes) = self.blocks.range(..=address as u64).next_back()?;
        Some(*start as usize..*start as usize + bytes)
    }

    /// Takes a block back, and fills it.
    pub fn free(&mut self, address: DevicePtr) -> DeviceResult<()> {
        let Some(bytes) = self.blocks.remove(&address.0) else {
            return Err(error("free", format!("no block begins at {:#018x}", address.0)));
        };
        self.left += bytes;
        if bytes > LARGE {
            // SAFETY: a mapping of this size that `alloc` made, which nobody may use any more.
            unsafe { libc::munmap(block(address.0).cast(), bytes) };
            return Ok(());
        }
        // SAFETY: a block of at least this size, which nobody may use any more.
        unsafe { block(address.0).write_bytes(FREED, bytes) };
        self.free[size_of_block(bytes).ilog2() as usize].push(address.0);
        Ok(())
    }
}

fn size_of_block(bytes: usize) -> usize {
    bytes.next_power_of_two().max(LEAST)
}

fn block(address: u64) -> *mut u8 {
    with_exposed_provenance_mut(address as usize)
}

/// New memory of the system.
fn map(bytes: usize) -> Option<u64> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, wherever there is room.
    let address = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
    (address != libc::MAP_FAILED).then(|| address.expose_provenance() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_apart_and_counted() {
        let mut memory = Memory::new(64 << 20);
        let sizes = [0, 1, 256, 257, 4096, LARGE, LARGE + 1, 30 << 20];
        let mut blocks: Vec<_> =
            sizes.iter().map(|size| (memory.alloc(*size).unwrap().0, *size as u64)).collect();
        blocks.sort_unstable();
        assert!(blocks.iter().all(|(address, _)| address.is_multiple_of(LEAST as u64)), "{blocks:x?}");
        assert!(blocks.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{blocks:x?}");
        assert_eq!(memory.alloc(40 << 20).unwrap_err().text, format!("out of memory ({} bytes)", 40 << 20));
        for (address, _) in blocks {
            memory.free(DevicePtr(address)).unwrap();
            assert!(memory.free(DevicePtr(address)).is_err());
        }
        memory.alloc(40 << 20).unwrap();
    }

    #[test]
    fn the_last_block_freed_is_the_next_of_its_size() {
        let mut memory = Memory::new(1 << 20);
        let (first, second) = (memory.alloc(1000).unwrap(), memory.alloc(600).unwrap());
        memory.free(first).unwrap();
        memory.free(second).unwrap();
        assert_eq!([memory.alloc(1024).unwrap(), memory.alloc(513).unwrap()], [second, first]);
    }
}
