//! Memory that the threads of a team share: the pool behind `__kmpc_alloc_shared`, the arguments of regions, the
//! dynamic shared memory of the launch.
//!
//! The pool is a bitmap of granules. Any thread may take and give back memory in any order, lanes of one warp
//! included, so nothing is ever lost; what does not fit comes from the device heap.

use crate::{
    arch::{self, Arg, Failure},
    debug, state,
};

/// Bytes that one bit of the bitmap stands for. (The bitmap has 32 of them, because the machine has no `or` of 64 bits in
/// shared memory: ptxas would write a loop, through which the lanes of a warp go one by one.)
pub const GRANULE: usize = 32;
/// Bits of the bitmap.
const GRANULES: u32 = 32;
const _: () = assert!(state::POOL_BYTES == GRANULE * GRANULES as usize, "the bitmap is one word");

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

/// Granules of a piece.
#[inline(always)]
fn granules(bytes: u64) -> u64 {
    bytes.wrapping_add(GRANULE as u64 - 1) / GRANULE as u64
}

/// The bits that a piece of so many granules at the first place leaves to others.
#[inline(always)]
fn others(granules: u32) -> u32 {
    (!0u64 << (granules % 64)) as u32
}

/// Whether pieces of the pool can be so large.
pub fn fits_pool(bytes: u64) -> bool {
    bytes <= state::POOL_BYTES as u64
}

/// The places in `used` with `granules` free neighbours, at least one.
#[inline(always)]
fn places(used: u32, granules: u32) -> u32 {
    // After each step bit i says: the next `have` granules from i on are free.
    let mut free = !used;
    let mut have = 1;
    while have < granules {
        let step = have.min(granules - have);
        free &= free >> step;
        have += step;
    }
    free
}

/// The bitmap.
fn bitmap() -> *mut u32 {
    (&raw mut state::POOL_USED).cast()
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

/// A piece of the pool; what `busy` gives for its granules, the place that was tried and the bitmap before if that place
/// is another's; or what `refused` gives. The pool of another file than the kernel's is not set up, and gives none.
#[inline(always)]
fn take(
    bytes: u64,
    busy: impl FnOnce(u32, u32, u32) -> *mut u8,
    refused: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    // A warp waits for the slowest of its lanes: what does not hold the pieces of all that come together gives them none,
    // without a look at the bitmap. This is the test of the size, too.
    let together = arch::activemask();
    let granules = granules(bytes);
    if granules * u64::from(together.count_ones()) > u64::from(GRANULES) {
        if fits_pool(bytes) {
            state::set_pool_overflowed(1)
        }
        return refused();
    }
    if !arch::in_own_unit() {
        return refused();
    }
    // So each of them tries a place of its own.
    let granules = granules as u32;
    let tried = (together & arch::lanes_before()).count_ones() * granules;
    // SAFETY: so many lanes come before this one, and they and this one have places for all their granules.
    unsafe { core::hint::assert_unchecked(granules <= GRANULES && tried < GRANULES) };
    let bits = !others(granules) << tried;
    // SAFETY: the bitmap of this block.
    let before = unsafe { arch::block_or_u32(bitmap(), bits) };
    if before & bits == 0 { at(tried) } else { busy(granules, tried, before) }
}

/// Takes a piece of the pool where its first place `tried` was not free in the bitmap `before`; null if there is none.
#[inline(always)]
fn find(granules: u32, tried: u32, mut before: u32) -> *mut u8 {
    let piece = !others(granules);
    let mut bits = piece << tried;
    loop {
        if before & bits != bits {
            // Some of it is another's: give back what was not.
            // SAFETY: the bitmap of this block.
            unsafe { arch::block_and_u32(bitmap(), !bits | before) };
        }
        // From there on, so that the lanes of a warp do not all want the same one.
        let free = places(before, granules).rotate_right(tried);
        if free == 0 {
            state::set_pool_overflowed(1);
            return core::ptr::null_mut();
        }
        let place = (tried + free.trailing_zeros()) % GRANULES;
        bits = piece << place;
        // SAFETY: the bitmap of this block.
        before = unsafe { arch::block_or_u32(bitmap(), bits) };
        if before & bits == 0 {
            return at(place);
        }
    }
}

/// The piece at `place`.
#[inline(always)]
fn at(place: u32) -> *mut u8 {
    // SAFETY: a place in the pool.
    unsafe { pool_start().add(place as usize * GRANULE) }
}

/// Memory of the pool, or null if it has no piece of this size.
pub fn from_pool(bytes: u64) -> *mut u8 {
    take(bytes, find, core::ptr::null_mut)
}

/// Whether a word of the pool that is in use holds the address of memory of one thread alone. Stale words count too.
#[cold]
pub fn pool_has_local_address() -> bool {
    const WORDS: usize = GRANULE / size_of::<*const u8>();
    // SAFETY: the bitmap of this block.
    let mut used = unsafe { arch::block_load_u32(bitmap()) };
    while used != 0 {
        let granule = at(used.trailing_zeros()).cast::<*const u8>();
        used &= used - 1;
        let mut word = 0;
        while word < WORDS {
            // SAFETY: a word of the pool. One that another thread writes at the same time belongs to a variable that only
            // that thread has.
            if arch::is_local(unsafe { granule.add(word).read_volatile() }) {
                return true;
            }
            word += 1;
        }
    }
    false
}

/// Gives back a piece of the pool, or whole granules of one.
///
/// # Safety
/// `memory` must be in a piece that is in use and has that many bytes from there.
#[inline(always)]
pub unsafe fn to_pool(memory: *mut u8, bytes: u64) {
    let granules = granules(bytes);
    let first = (memory as usize).wrapping_sub(pool_start() as usize) / GRANULE;
    debug::check(Failure::FreeShared, core::ptr::null(), bytes as i64, || {
        fits_pool(bytes) && first < GRANULES as usize && first as u64 + granules <= GRANULES.into()
    });
    let others = others(granules as u32).rotate_left(first as u32 % GRANULES);
    // SAFETY: a piece of the pool, so its bits are this thread's to clear.
    let before = unsafe { arch::block_and_u32(bitmap(), others) };
    debug::check(Failure::FreeShared, core::ptr::null(), bytes as i64, || before | others == !0);
}

/// Memory that other threads of the team may reach: of the pool if it has a piece of this size, else of the heap.
#[inline(always)]
pub fn shared(bytes: u64) -> *mut u8 {
    take(
        bytes,
        |granules, tried, before| elsewhere(bytes, granules, tried, before),
        || instead_of_pool(bytes),
    )
}

/// [`shared`] where the first place that was tried is another's.
#[cold]
#[inline(never)]
fn elsewhere(bytes: u64, granules: u32, tried: u32, before: u32) -> *mut u8 {
    let memory = find(granules, tried, before);
    if memory.is_null() { instead_of_pool(bytes) } else { memory }
}

/// Memory that the pool does not have.
#[inline(always)]
fn instead_of_pool(bytes: u64) -> *mut u8 {
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
