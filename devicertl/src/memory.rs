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
/// Bits of the bitmap.
const GRANULES: u32 = 64;
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

/// Makes all bytes of a value in memory of the heap 0.
///
/// # Safety
/// `to` must be valid for writes and aligned to 16 bytes, of which the size must be a multiple.
pub unsafe fn clear<T>(to: *mut T) {
    const { assert!(size_of::<T>() != 0 && size_of::<T>().is_multiple_of(16) && align_of::<T>() >= 8) }
    // SAFETY: as the caller promises.
    unsafe { arch::clear(to.cast(), size_of::<T>() as u32) }
}

/// Granules of a piece that the pool can hold, at least one.
#[inline(always)]
fn granules(bytes: u64) -> u32 {
    ((bytes as u32).max(1) - 1) / GRANULE as u32 + 1
}

/// The bits of a piece of so many granules at the first place.
///
/// # Safety
/// It must not be larger than the pool.
#[inline(always)]
unsafe fn piece(granules: u32) -> u64 {
    let last = granules.wrapping_sub(1);
    // SAFETY: as the caller promises.
    unsafe { core::hint::assert_unchecked(last < GRANULES) };
    !(!1 << last)
}

/// Whether pieces of the pool can be so large.
pub fn fits_pool(bytes: u64) -> bool {
    bytes <= state::POOL_BYTES as u64
}

/// The places in `used` with `granules` free neighbours, at least one and at most all.
#[inline(always)]
fn places(used: u64, granules: u32) -> u64 {
    // Bit i stays if all granules are free whose distance from i is a sum of the steps' halves, which are all distances
    // below `granules`. Always six steps: of a loop ptxas would make more code.
    let mut free = !used;
    let mut more = granules;
    let mut step = 0;
    while step < GRANULES.ilog2() {
        let half = more / 2;
        free &= free >> half;
        more -= half;
        step += 1;
    }
    free
}

/// The bitmap.
fn bitmap() -> *mut u64 {
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

/// Whether the pool may have such a piece. That of another file than the kernel's is not set up, and gives none.
#[inline(always)]
fn may_have(bytes: u64) -> bool {
    fits_pool(bytes) && arch::in_own_unit()
}

/// Takes so many granules; the first of them, for which `first` is tried first.
///
/// # Safety
/// The pool must have that place for them.
#[inline(always)]
unsafe fn take(granules: u32, first: u32) -> Option<u32> {
    // SAFETY: as the caller promises.
    let piece = unsafe {
        core::hint::assert_unchecked(first < GRANULES);
        piece(granules)
    };
    let mut place = first;
    loop {
        let bits = piece << place;
        // SAFETY: the bitmap of this block.
        let before = unsafe { arch::block_or_u64(bitmap(), bits) };
        if before & bits == 0 {
            return Some(place);
        }
        // Some of it is another's: give back what was not.
        // SAFETY: the bitmap of this block.
        unsafe { arch::block_and_u64(bitmap(), before | !bits) };
        // The next one is looked for from there on, so that the lanes of a warp do not all want the same.
        let free = places(before, granules).rotate_right(first);
        if free == 0 {
            state::set_pool_overflowed(1);
            return None;
        }
        place = (first + free.trailing_zeros()) % GRANULES;
    }
}

/// The piece whose first granule this is.
#[inline(always)]
fn at(place: u32) -> *mut u8 {
    // SAFETY: a place in the pool.
    unsafe { pool_start().add(place as usize * GRANULE) }
}

/// Memory of the pool, or null if it has no piece of this size. LLVM 22 does not see that it is shared memory: it would take null
/// for an address there, which is no null again where it meets others (docs/upstream.md).
pub fn from_pool(bytes: u64) -> *mut u8 {
    if !may_have(bytes) {
        return core::ptr::null_mut();
    }
    let granules = granules(bytes);
    let own = (arch::activemask() & arch::lanes_before()).count_ones() * granules;
    // SAFETY: asked for, and at the start there is one for all that fits.
    let place = unsafe { take(granules, if own + granules <= GRANULES { own } else { 0 }) };
    place.map_or(core::ptr::null_mut(), |place| arch::opaque_64(at(place) as u64) as *mut u8)
}

/// A piece of the pool for each of the lanes that come together. If the pool cannot hold all of these, none has one: a warp
/// waits for the slowest of its lanes, so that no lane gains by a search while another asks the heap.
#[inline(always)]
fn for_all(bytes: u64) -> Option<u32> {
    if !may_have(bytes) {
        return None;
    }
    let granules = granules(bytes);
    let together = arch::activemask();
    if granules * together.count_ones() > GRANULES {
        state::set_pool_overflowed(1);
        return None;
    }
    // SAFETY: the pool has places for those that come before this one, and for this one.
    unsafe { take(granules, (together & arch::lanes_before()).count_ones() * granules) }
}

/// Whether a word of the pool that is in use holds the address of memory of one thread alone. Stale words count too.
#[cold]
pub fn pool_has_local_address() -> bool {
    const WORDS: usize = GRANULE / size_of::<*const u8>();
    // SAFETY: the bitmap of this block.
    let mut used = unsafe { arch::block_or_u64(bitmap(), 0) };
    while used != 0 {
        let granule = used.trailing_zeros() as usize;
        used &= used - 1;
        let mut word = 0;
        while word < WORDS {
            // SAFETY: a word of the pool. One that another thread writes at the same time belongs to a variable that
            // only that thread has.
            let value =
                unsafe { pool_start().add(granule * GRANULE).cast::<*const u8>().add(word).read_volatile() };
            if arch::is_local(value) {
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
pub unsafe fn to_pool(memory: *mut u8, bytes: u64) {
    let granules = granules(bytes);
    let granule = (memory as usize).wrapping_sub(pool_start() as usize) as u32 / GRANULE as u32;
    debug::check(Failure::FreeShared, core::ptr::null(), bytes as i64, || {
        fits_pool(bytes) && granule + granules <= GRANULES
    });
    // SAFETY: a piece of the pool, so its bits are this thread's to clear.
    let before = unsafe {
        let bits = piece(granules) << (granule % GRANULES);
        arch::block_and_u64(bitmap(), !bits) | !bits
    };
    debug::check(Failure::FreeShared, core::ptr::null(), bytes as i64, || before == !0);
}

/// Memory that other threads of the team may reach: of the pool if it has a piece of this size, else of the heap.
#[inline(always)]
pub fn shared(bytes: u64) -> *mut u8 {
    if let Some(place) = for_all(bytes) {
        return at(place);
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

/// A place for the arguments of the next region, which all workers will read. That of many arguments is of the pool, if there is
/// room: the heap takes 50,000 cycles for a block and its return (H200).
///
/// # Safety
/// Only the main thread of a generic kernel may call this.
#[inline(always)]
pub unsafe fn begin_sharing(count: u64) -> *mut Arg {
    set_place(count, place_for_many)
}

/// Sets the place for `count` arguments: the team's own if they are few, else one of `many`.
#[inline(always)]
fn set_place(count: u64, many: impl FnOnce(u64) -> *mut Arg) -> *mut Arg {
    let place = if count <= state::SHARED_ARGS as u64 { (&raw mut state::ARGS).cast() } else { many(count) };
    state::set_args_in_use(place);
    place
}

/// The region has ended.
///
/// # Safety
/// `place` must be of [`begin_sharing`] with the same `count`.
#[inline(always)]
pub unsafe fn end_sharing(place: *mut Arg, count: u64) {
    if count > state::SHARED_ARGS as u64 {
        // SAFETY: as the caller promises.
        unsafe { give_back_many(place, count) }
    }
}

#[inline(never)]
fn place_for_many(count: u64) -> *mut Arg {
    shared(count * size_of::<Arg>() as u64).cast()
}

/// # Safety
/// `place` must be of [`place_for_many`] with the same `count`.
#[inline(never)]
unsafe fn give_back_many(place: *mut Arg, count: u64) {
    // SAFETY: as the caller promises.
    unsafe { free_shared(place.cast(), count * size_of::<Arg>() as u64) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_begin_sharing_variables(out: *mut *mut Arg, count: u64) {
    // Of the heap: whoever ends it does not say how many there are.
    let place = set_place(count, |count| from_heap(count * size_of::<Arg>() as u64).cast());
    // SAFETY: the compiler's variable.
    unsafe { out.write(place) }
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_sharing_variables() {
    let place = state::args_in_use();
    if place != (&raw mut state::ARGS).cast() {
        // SAFETY: the compiler pairs the calls, so it came from the heap.
        unsafe { arch::free(place.cast()) }
    }
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
