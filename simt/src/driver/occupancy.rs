//! Occupancy: how many blocks of a kernel a multiprocessor of the reported size would hold at once.
//!
//! Threads, blocks and shared memory count; registers do not, because the device allocates none.

use super::device::{
    BLOCKS_PER_MULTIPROCESSOR, MULTIPROCESSORS, SHARED_PER_MULTIPROCESSOR, SHARED_RESERVED,
    THREADS_PER_MULTIPROCESSOR, WARP,
};
use super::error::{CUresult, CuResult, put};
use super::object::{FunctionObject, Handle};
use super::state::driver;
use super::types::{CUfunction, CUoccupancyB2DSize, c_int};
use crate::device::{MAX_SHARED, MAX_THREADS};

/// What a kernel brings along.
#[derive(Clone, Copy)]
struct Kernel {
    max_threads: u32,
    shared: u32,
    max_dynamic_shared: u32,
}

impl Kernel {
    fn of(function: CUfunction) -> CuResult<Self> {
        let driver = driver()?;
        let state = driver.state();
        let object = state.get::<FunctionObject>(Handle::from_c(function))?;
        let attributes = object.function.attributes();
        Ok(Self {
            max_threads: attributes.max_threads_per_block,
            shared: attributes.shared_bytes,
            max_dynamic_shared: object.max_dynamic_shared,
        })
    }

    /// Blocks of `block` threads with `dynamic` bytes of dynamic shared memory on one multiprocessor.
    fn blocks(self, block: u32, dynamic: usize) -> u32 {
        let dynamic = u32::try_from(dynamic).unwrap_or(u32::MAX);
        if block == 0 || block > self.max_threads || dynamic > self.max_dynamic_shared {
            return 0;
        }
        let by_threads = THREADS_PER_MULTIPROCESSOR / block.next_multiple_of(WARP);
        let by_shared = SHARED_PER_MULTIPROCESSOR / (self.shared + dynamic + SHARED_RESERVED);
        by_threads.min(by_shared).min(BLOCKS_PER_MULTIPROCESSOR)
    }

    /// Bytes of dynamic shared memory that leave room for `blocks` blocks.
    fn room(self, blocks: u32) -> u32 {
        let share = SHARED_PER_MULTIPROCESSOR / blocks;
        share.saturating_sub(SHARED_RESERVED).min(MAX_SHARED).saturating_sub(self.shared)
    }

    /// The block size, at most `limit`, with the most threads on a multiprocessor; among equals the largest. With the
    /// blocks that fill the device.
    fn best(self, limit: u32, dynamic: impl Fn(u32) -> usize) -> Option<(u32, u32)> {
        let largest = limit.min(self.max_threads);
        let smaller = (1..=largest / WARP).rev().map(|warps| warps * WARP);
        let sizes = (!largest.is_multiple_of(WARP)).then_some(largest).into_iter().chain(smaller);
        let mut best = None;
        for block in sizes {
            let blocks = self.blocks(block, dynamic(block));
            if blocks > 0 && best.is_none_or(|(_, _, threads)| blocks * block > threads) {
                best = Some((blocks * MULTIPROCESSORS as u32, block, blocks * block));
            }
        }
        best.map(|(grid, block, _)| (grid, block))
    }
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`; the flag of the other form is about caching.
pub(super) unsafe fn max_blocks(
    blocks: *mut c_int,
    function: CUfunction,
    block: c_int,
    dynamic: usize,
) -> CuResult {
    let kernel = Kernel::of(function)?;
    let block = u32::try_from(block).ok().filter(|&block| block > 0).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(blocks, kernel.blocks(block, dynamic) as c_int) }
}

/// `cuOccupancyMaxPotentialBlockSize`: a limit of 0 or less is none; a function gives the dynamic shared memory of each
/// block size if it is not the same for all.
pub(super) unsafe fn best_block(
    grid: *mut c_int,
    block: *mut c_int,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: c_int,
) -> CuResult {
    let kernel = Kernel::of(function)?;
    let limit = u32::try_from(limit).ok().filter(|&limit| limit > 0).unwrap_or(MAX_THREADS);
    let bytes = |block: u32| match dynamic_of {
        // SAFETY: the caller gives a function of the block size.
        Some(function) => unsafe { function(block as c_int) },
        None => dynamic,
    };
    let (best_grid, best_block) = kernel.best(limit, bytes).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: null or valid, as the API demands.
    unsafe {
        put(grid, best_grid as c_int)?;
        put(block, best_block as c_int)
    }
}

/// `cuOccupancyAvailableDynamicSMemPerBlock`
pub(super) unsafe fn available_shared(
    bytes: *mut usize,
    function: CUfunction,
    blocks: c_int,
    block: c_int,
) -> CuResult {
    let kernel = Kernel::of(function)?;
    let positive = |n: c_int| u32::try_from(n).ok().filter(|&n| n > 0).ok_or(CUresult::INVALID_VALUE);
    let (blocks, _) = (positive(blocks)?, positive(block)?);
    // SAFETY: null or valid, as the API demands.
    unsafe { put(bytes, kernel.room(blocks) as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Kernel = Kernel { max_threads: 1024, shared: 0, max_dynamic_shared: 48 << 10 };

    #[test]
    fn threads_blocks_and_shared_memory_limit() {
        assert_eq!(PLAIN.blocks(1024, 0), 2);
        assert_eq!(PLAIN.blocks(33, 0), 32, "two warps each, 32 of 64 warps");
        assert_eq!(PLAIN.blocks(1, 0), 32);
        assert_eq!(PLAIN.blocks(128, 47 << 10), 4, "48 of 228 KiB each, the reserved one included");
        assert_eq!(PLAIN.blocks(1025, 0), 0);
        assert_eq!(PLAIN.blocks(32, (48 << 10) + 1), 0);
        assert_eq!(Kernel { shared: 48 << 10, ..PLAIN }.blocks(128, 0), 4);
    }

    #[test]
    fn the_best_block_fills_the_multiprocessor() {
        assert_eq!(PLAIN.best(1024, |_| 0), Some((8, 1024)));
        assert_eq!(PLAIN.best(100, |_| 0), Some((128, 64)), "32 blocks of two warps fill it");
        assert_eq!(Kernel { max_threads: 20, ..PLAIN }.best(1024, |_| 0), Some((128, 20)));
        // 512 bytes a thread and 1 KiB a block: 13 blocks of one warp, 6 of two, 4 of three (50,176 bytes each).
        assert_eq!(PLAIN.best(1024, |block| block as usize * 512), Some((52, 32)));
        assert_eq!(PLAIN.best(1024, |_| 1 << 20), None);
    }

    #[test]
    fn room_for_blocks_is_room() {
        for blocks in 1..=4 {
            let room = PLAIN.room(blocks);
            let generous = Kernel { max_dynamic_shared: room, ..PLAIN };
            assert!(generous.blocks(32, room as usize) >= blocks);
        }
        assert_eq!(PLAIN.room(1), 227 << 10);
        assert_eq!(PLAIN.room(1000), 0);
    }
}
