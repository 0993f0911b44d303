//! Allocators of OpenMP (5.2, chapter 6): `omp_alloc` and its family.
//!
//! Where memory lies follows from the allocator. Memory that only one team may access (`access` cgroup or pteam: the
//! predefined `omp_cgroup_mem_alloc` and `omp_pteam_mem_alloc`, and allocators with that trait) comes from the team's
//! pool in shared memory while it fits, and then from the device heap; all other memory from the heap. Memory of the
//! pool is gone when its team ends; the heap's stays until it is freed, in another kernel if need be.
//!
//! [`block`] has the memory and what stands in front of it, [`traits`] the allocators, [`spaces`] the memory
//! spaces. [`dynamic`] is no allocator: what a launch gives each team.

pub mod block;
pub mod dynamic;
pub mod spaces;
pub mod traits;

use crate::{
    arch::{self, Failure},
    debug, libc, state,
};
use block::Block;
use core::ptr::null_mut;
use traits::{Fallback, Handle};

/// Memory of an allocator, by its rules; null if they end in nothing.
fn allocate(bytes: u64, alignment: u64, handle: Handle) -> *mut u8 {
    if !alignment.is_power_of_two() {
        return null_mut();
    }
    let mut handle = handle.or_default();
    loop {
        let Some(rules) = handle.rules() else { return null_mut() };
        if let Some(reserved) = rules.reserve(bytes) {
            let alignment = alignment.max(rules.alignment);
            let mut block = null_mut();
            if rules.shared {
                block = Block::in_pool(bytes, alignment, handle);
            }
            if block.is_null() && rules.heap {
                block = Block::on_heap(bytes, alignment, handle);
            }
            if !block.is_null() {
                return block;
            }
            reserved.give_back();
        }
        match rules.fallback {
            Fallback::DefaultMemory => return Block::on_heap(bytes, alignment, Handle::DEFAULT),
            Fallback::Null => return null_mut(),
            Fallback::Abort => arch::fail(Failure::Allocator),
            Fallback::Allocator(next) => handle = next,
        }
    }
}

/// Inlined, so that a program that uses the heap alone has nothing of the pool.
#[inline(always)]
fn allocate_by_kind(bytes: u64, alignment: u64, handle: Handle) -> *mut u8 {
    if handle.is_plain_heap() {
        Block::on_heap(bytes, alignment, handle)
    } else {
        allocate_by_rules(bytes, alignment, handle)
    }
}

#[inline(never)]
fn allocate_by_rules(bytes: u64, alignment: u64, handle: Handle) -> *mut u8 {
    allocate(bytes, alignment, handle)
}

/// Zeroed memory for `count` elements.
#[inline(always)]
fn allocate_zeroed(alignment: u64, count: u64, bytes: u64, handle: Handle) -> *mut u8 {
    let Some(bytes) = count.checked_mul(bytes) else { return null_mut() };
    let memory = allocate_by_kind(bytes, alignment, handle);
    if !memory.is_null() {
        // SAFETY: fresh memory of this size.
        unsafe { libc::fill(memory, 0, bytes as usize) }
    }
    memory
}

/// Gives memory back, from whichever allocator it is.
///
/// # Safety
/// `memory` must be null or come from this module and be in use.
#[inline(never)]
unsafe fn release(memory: *mut u8) {
    if memory.is_null() {
        return;
    }
    // SAFETY: as the caller promises.
    unsafe {
        let block = Block::of(memory);
        debug::check(Failure::Free, core::ptr::null(), 0, || block.is_in_use());
        block.owner().give_back(block.bytes());
        block.free();
    }
}

macro_rules! routines {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => { $(
        #[allow(missing_docs)]
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
    )* };
}

routines! {
    fn omp_alloc(bytes: u64, allocator: Handle) -> *mut u8 {
        allocate_by_kind(bytes, 1, allocator)
    }
    fn omp_aligned_alloc(alignment: u64, bytes: u64, allocator: Handle) -> *mut u8 {
        allocate_by_kind(bytes, alignment, allocator)
    }
    fn omp_calloc(count: u64, bytes: u64, allocator: Handle) -> *mut u8 {
        allocate_zeroed(1, count, bytes, allocator)
    }
    fn omp_aligned_calloc(alignment: u64, count: u64, bytes: u64, allocator: Handle) -> *mut u8 {
        allocate_zeroed(alignment, count, bytes, allocator)
    }
    /// Without `allocator` the memory comes from the one that it came from before.
    fn omp_realloc(memory: *mut u8, bytes: u64, allocator: Handle, _free_allocator: Handle) -> *mut u8 {
        if memory.is_null() {
            return allocate_by_rules(bytes, 1, allocator);
        }
        if bytes == 0 {
            // SAFETY: the caller's memory.
            unsafe { release(memory) };
            return null_mut();
        }
        // SAFETY: the caller's memory, which came from this module.
        let old = unsafe { Block::of(memory) };
        let allocator = if allocator == Handle::NULL { old.owner() } else { allocator };
        let new = allocate_by_rules(bytes, 1, allocator);
        if !new.is_null() {
            // SAFETY: both have at least this size, and are different.
            unsafe {
                libc::copy_up(new, memory, bytes.min(old.bytes()) as usize);
                release(memory);
            }
        }
        new
    }
    /// The memory itself knows its allocator.
    fn omp_free(memory: *mut u8, _allocator: Handle) {
        // SAFETY: the caller's memory.
        unsafe { release(memory) }
    }
    fn __kmpc_alloc(_gtid: i32, bytes: u64, allocator: *mut u8) -> *mut u8 {
        allocate_by_kind(bytes, 1, Handle::of(allocator as u64))
    }
    fn __kmpc_aligned_alloc(_gtid: i32, alignment: u64, bytes: u64, allocator: *mut u8) -> *mut u8 {
        allocate_by_kind(bytes, alignment, Handle::of(allocator as u64))
    }
    fn __kmpc_free(_gtid: i32, memory: *mut u8, _allocator: *mut u8) {
        // SAFETY: the caller's memory.
        unsafe { release(memory) }
    }
    /// def-allocator-var of the current task.
    fn omp_get_default_allocator() -> Handle {
        Handle::of(state::def_allocator())
    }
    #[inline(always)]
    fn omp_set_default_allocator(allocator: Handle) {
        if allocator != Handle::NULL {
            state::set_def_allocator(allocator.bits())
        }
    }
}
