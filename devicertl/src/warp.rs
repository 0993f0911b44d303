//! Lanes of a warp: masks, shuffles, votes.

use crate::{arch, nested, state, sync};

/// The lanes that take part in a reduction of the current team: all of a warp, or the team's of its last one.
#[inline(always)]
fn team_lanes() -> u32 {
    let size = state::team_size();
    if size == state::ALL_THREADS { arch::ALL_LANES } else { sync::lanes_below(size) }
}

/// Value of the lane `offset` above. `width` is a power of two of at most 32.
#[inline(always)]
fn shuffle_down_u64(mask: u32, value: u64, offset: u32, width: u32) -> u64 {
    let low = arch::shuffle_down(mask, value as u32, offset, width);
    let high = arch::shuffle_down(mask, (value >> 32) as u32, offset, width);
    (high as u64) << 32 | low as u64
}

/// This thread's state if it is reducing over a nested team, whose threads are not lanes of a warp; else null. Then the
/// offset is 0, and only then: elsewhere, where it is mostly a constant, nothing is left of the question.
#[inline(always)]
fn reducing_nested(offset: i16) -> *mut state::ThreadState {
    // An SPMD kernel has no nested teams.
    if offset != 0 || state::is_spmd() {
        return core::ptr::null_mut();
    }
    let own = state::own();
    // SAFETY: not null, so it is this thread's state.
    if !own.is_null() && unsafe { (*own).exchange } != 0 { own } else { core::ptr::null_mut() }
}

/// Shuffle down, not butterfly.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_shuffle_int32(value: i32, offset: i16, width: i16) -> i32 {
    let own = reducing_nested(offset);
    if !own.is_null() {
        // SAFETY: this thread's state, which is reducing.
        return unsafe { nested::exchange(own, value as u32 as u64) as i32 };
    }
    arch::shuffle_down(team_lanes(), value as u32, offset as u32, width as u32) as i32
}

/// Shuffle down, not butterfly.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_shuffle_int64(value: i64, offset: i16, width: i16) -> i64 {
    let own = reducing_nested(offset);
    if !own.is_null() {
        // SAFETY: this thread's state, which is reducing.
        return unsafe { nested::exchange(own, value as u64) as i64 };
    }
    shuffle_down_u64(team_lanes(), value as u64, offset as u32, width as u32) as i64
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_warp_active_thread_mask() -> i64 {
    arch::activemask() as i64
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_syncwarp(mask: i64) {
    arch::syncwarp(mask as u32)
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn ompx_ballot_sync(mask: i64, predicate: i32) -> i64 {
    arch::ballot(mask as u32, predicate != 0) as i64
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_i(mask: i64, value: i32, offset: i32, width: i32) -> i32 {
    arch::shuffle_down(mask as u32, value as u32, offset as u32, width as u32) as i32
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_l(mask: i64, value: i64, offset: i32, width: i32) -> i64 {
    shuffle_down_u64(mask as u32, value as u64, offset as u32, width as u32) as i64
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_f(mask: i64, value: f32, offset: i32, width: i32) -> f32 {
    f32::from_bits(arch::shuffle_down(mask as u32, value.to_bits(), offset as u32, width as u32))
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_d(mask: i64, value: f64, offset: i32, width: i32) -> f64 {
    f64::from_bits(shuffle_down_u64(mask as u32, value.to_bits(), offset as u32, width as u32))
}

/// All threads of the block, which execute it together. A barrier orders memory whatever `ordering` says.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block(_ordering: i32) {
    arch::syncthreads_aligned()
}

/// All threads of the block.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block_divergent(_ordering: i32) {
    arch::barrier(arch::BARRIER_REGION)
}

/// All threads of the block, which execute it together.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block_acq_rel() {
    arch::syncthreads_aligned()
}
