//! Memory that the threads of a team share: the pool behind `__kmpc_alloc_shared`, the arguments of regions, the
//! dynamic shared memory of the launch.
//!
//! The pool is a bitmap of granules. Any thread may take and give back memory in any order, lanes of one warp
//! included, so nothing is ever lost; what does not fit comes from the device heap.

use crate::{
    arch::{self, Arg, Failure},
    debug, state,
};

/// Bytes that one bit of the bitmap stands for; also the alignment of all memory.
pub const GRANULE: usize = 16;
const _: () = assert!(state::POOL_BYTES == GRANULE * 64, "the bitmap is one word");

/// Memory of the device heap; never null.
#[inline(always)]
pub fn from_heap(bytes: u64) -> *mut u8 {
    let memory = arch::malloc(bytes);
    if memory.is_null() {
        arch::fail(arch::Failure::OutOfMemory)
    }
    memory
}

/// Copies a value word by word. (Of an ordinary copy LLVM makes a loop over its bytes where code is rare, and ptxas unrolls
/// it; so the words are volatile.)
///
/// # Safety
/// Both must be valid and aligned to 8 bytes, of which the size must be a multiple.
pub unsafe fn copy_words<T>(to: *mut T, from: *const T) {
    const { assert!(size_of::<T>().is_multiple_of(8) && align_of::<T>() >= 8) }
    let mut i = 0;
    while i < size_of::<T>() / 8 {
        // SAFETY: as the caller promises.
        unsafe { to.cast::<u64>().add(i).write_volatile(from.cast::<u64>().add(i).read_volatile()) }
        i += 1;
    }
}

/// Copies `count` elements, few, whose number is known only at run time.
///
/// # Safety
/// Both must be valid for so many, and not overlap.
#[inline(always)]
pub unsafe fn copy_elements<T>(to: *mut T, from: *const T, count: u64) {
    let mut i = 0;
    while i < count as usize {
        // SAFETY: as the caller promises.
        unsafe { to.add(i).write(from.add(i).read()) }
        i += 1;
    }
}

/// Makes all bytes of a value in memory of the heap 0, as [`copy_words`] copies one.
///
/// # Safety
/// `to` must be valid for writes and aligned to 16 bytes, of which the size must be a multiple.
pub unsafe fn clear_words<T>(to: *mut T) {
    const { assert!(size_of::<T>().is_multiple_of(16) && align_of::<T>() >= 8) }
    let mut i = 0;
    while i < size_of::<T>() / 16 {
        // SAFETY: as the caller promises.
        unsafe { arch::clear_16(to.cast::<u8>().add(16 * i)) }
        i += 1;
    }
}

/// Bit masks of a piece of `granules` granules.
#[derive(Clone, Copy)]
struct Piece(u64);

impl Piece {
    /// `None` if it is larger than the pool.
    fn of(bytes: u64) -> Option<(Self, u32)> {
        let granules = bytes.max(1).div_ceil(GRANULE as u64);
        if granules > 64 { None } else { Some((Self(!0 >> (64 - granules)), granules as u32)) }
    }
}

/// Whether pieces of the pool can be so large.
pub fn fits_pool(bytes: u64) -> bool {
    bytes <= state::POOL_BYTES as u64
}

/// First place in `used` with `granules` free neighbours.
fn first_fit(used: u64, granules: u32) -> Option<u32> {
    // After each step bit i says: the next `have` granules from i on are free.
    let mut free = !used;
    let mut have = 1;
    while have < granules {
        let step = have.min(granules - have);
        free &= free >> step;
        have += step;
    }
    if free == 0 { None } else { Some(free.trailing_zeros()) }
}

/// The bitmap.
fn bitmap() -> *mut u64 {
    (&raw mut state::POOL_USED).cast()
}

/// Takes `piece` at `place`; whether it was free.
fn claim(piece: Piece, place: u32) -> bool {
    let bits = piece.0 << place;
    // SAFETY: the bitmap of this block.
    unsafe {
        let before = arch::block_or_u64(bitmap(), bits);
        if before & bits == 0 {
            return true;
        }
        // Some of it is another's: give back what was not.
        arch::block_and_u64(bitmap(), !(bits & !before));
    }
    false
}

#[inline(always)]
fn pool_start() -> *mut u8 {
    (&raw mut state::POOL).cast()
}

/// Bytes of whole granules.
#[inline(always)]
pub fn in_granules(bytes: u64) -> u64 {
    bytes.next_multiple_of(GRANULE as u64)
}

/// Memory of the pool, or null if it has no piece of this size. The pool of another file than the kernel's is not set
/// up, and gives none.
pub fn from_pool(bytes: u64) -> *mut u8 {
    let Some((piece, granules)) = Piece::of(bytes) else { return core::ptr::null_mut() };
    if !arch::in_own_unit() {
        return core::ptr::null_mut();
    }
    // Threads begin at different places, so that the lanes of a warp do not all want the same one.
    let mut place = arch::tid() % 64 * granules % (65 - granules);
    loop {
        // SAFETY: a place in the pool, and the bitmap of this block.
        unsafe {
            if claim(piece, place) {
                return pool_start().add(place as usize * GRANULE);
            }
            match first_fit(arch::block_or_u64(bitmap(), 0), granules) {
                Some(free) => place = free,
                None => break,
            }
        }
    }
    state::set_pool_overflowed(1);
    core::ptr::null_mut()
}

/// Whether a word of the pool that is in use holds the address of memory of one thread alone. Stale words count too.
#[cold]
pub fn pool_has_local_address() -> bool {
    const WORDS: usize = GRANULE / size_of::<*const u8>();
    // SAFETY: the bitmap of this block.
    let used = unsafe { arch::block_or_u64(bitmap(), 0) };
    let mut granule = 0;
    while granule < 64 {
        if used >> granule & 1 != 0 {
            let mut word = 0;
            while word < WORDS {
                // SAFETY: a word of the pool. One that another thread writes at the same time belongs to a variable that
                // only that thread has.
                let value = unsafe {
                    pool_start().add(granule * GRANULE).cast::<*const u8>().add(word).read_volatile()
                };
                if arch::is_local(value) {
                    return true;
                }
                word += 1;
            }
        }
        granule += 1;
    }
    false
}

/// Gives back a piece of the pool, or whole granules of one.
///
/// # Safety
/// `memory` must be in a piece that is in use and has that many bytes from there.
pub unsafe fn to_pool(memory: *mut u8, bytes: u64) {
    if let Some((piece, _)) = Piece::of(bytes) {
        let granule = (memory as usize).wrapping_sub(pool_start() as usize) / GRANULE;
        let bits = piece.0 << (granule % 64);
        let is_piece = granule < 64 && bits.count_ones() == piece.0.count_ones();
        debug::check(Failure::FreeShared, core::ptr::null(), bytes as i64, || is_piece);
        // SAFETY: a piece of the pool, so its bits are this thread's to clear.
        let before = unsafe { arch::block_and_u64(bitmap(), !bits) };
        debug::check(Failure::FreeShared, core::ptr::null(), bytes as i64, || before & bits == bits);
    }
}

/// Memory that other threads of the team may reach: of the pool if it has a piece of this size, else of the heap.
#[inline(always)]
pub fn shared(bytes: u64) -> *mut u8 {
    let memory = from_pool(bytes);
    if !memory.is_null() {
        return memory;
    }
    debug::notice(debug::NOTICES, Failure::PoolFull, bytes as i64);
    from_heap(bytes)
}

/// Gives back what [`shared`] returned.
///
/// # Safety
/// `memory` must be in use, and `bytes` what it was taken with.
#[inline(always)]
pub unsafe fn free_shared(memory: *mut u8, bytes: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        if arch::is_shared(memory) && arch::in_own_unit() {
            to_pool(memory, bytes)
        } else {
            arch::free(memory)
        }
    }
}

/// Memory for variables of serial code that a region shares.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __kmpc_alloc_shared(bytes: u64) -> *mut u8 {
    shared(bytes)
}

/// Gives back what `__kmpc_alloc_shared` returned for the same number of bytes.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn __kmpc_free_shared(memory: *mut u8, bytes: u64) {
    // SAFETY: the compiler pairs the calls.
    unsafe { free_shared(memory, bytes) }
}

/// A place for the arguments of the next region, which all workers will read.
///
/// # Safety
/// `out` must be valid for writes. Only the main thread of a generic kernel may call this.
#[inline(always)]
pub unsafe fn begin_sharing(out: *mut *mut Arg, count: u64) {
    let place = if count <= state::SHARED_ARGS as u64 {
        (&raw mut state::ARGS).cast()
    } else {
        from_heap(count * size_of::<Arg>() as u64).cast()
    };
    state::set_args_in_use(place);
    // SAFETY: as the caller promises.
    unsafe { out.write(place) }
}

/// The region has ended.
///
/// # Safety
/// Must follow [`begin_sharing`].
#[inline(always)]
pub unsafe fn end_sharing() {
    let place = state::args_in_use();
    if place != (&raw mut state::ARGS).cast() {
        // SAFETY: then it came from the heap.
        unsafe { arch::free(place.cast()) }
    }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_begin_sharing_variables(out: *mut *mut Arg, count: u64) {
    // SAFETY: the compiler's variable.
    unsafe { begin_sharing(out, count) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_sharing_variables() {
    // SAFETY: the compiler pairs the calls.
    unsafe { end_sharing() }
}

/// The arguments of the region that a worker runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_get_shared_variables(out: *mut *mut Arg) {
    // SAFETY: the compiler's variable.
    unsafe { out.write(state::args_in_use()) }
}

/// Start of the shared memory that the launch added (`ompx_dyn_cgroup_mem`).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_dynamic_shared() -> *mut u8 {
    arch::dynamic_shared()
}

/// As `__kmpc_get_dynamic_shared`.
#[unsafe(no_mangle)]
pub extern "C" fn llvm_omp_get_dynamic_shared() -> *mut u8 {
    arch::dynamic_shared()
}

/// As `__kmpc_get_dynamic_shared`.
#[unsafe(no_mangle)]
pub extern "C" fn llvm_omp_target_dynamic_shared_alloc() -> *mut u8 {
    arch::dynamic_shared()
}
