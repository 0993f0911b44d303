//! `realloc`, `aligned_alloc` and their like. CUDA's `malloc` does not tell how long a block is, nor where one begins, so a program with
//! these functions has another `malloc` over the driver's, which writes both in front of the memory that it gives: the linker of device
//! code (`ptx-link/src/resolve.rs`) lets all that calls `malloc` and `free` call `__omptarget_wrap_malloc` and `__omptarget_wrap_free`, and
//! those call the driver's by the names that begin with `__omptarget_real_`. Other programs have none of it.

use super::process::end;
use core::ffi::c_int;
use core::ptr::null_mut;

unsafe extern "C" {
    #[cfg_attr(not(target_arch = "nvptx64"), link_name = "malloc")]
    fn __omptarget_real_malloc(bytes: usize) -> *mut u8;
    #[cfg_attr(not(target_arch = "nvptx64"), link_name = "free")]
    fn __omptarget_real_free(block: *mut u8);
}

/// Numbers of Linux's errors.
const NO_MEMORY: c_int = 12;
const INVALID: c_int = 22;

/// Sets `errno`, which is the C library's.
fn set_error(number: c_int) {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            safe fn __omptarget_set_error(number: c_int);
        }
        __omptarget_set_error(number);
    }
    #[cfg(not(target_arch = "nvptx64"))]
    super::process::set_error(number);
}

/// What stands in front of the memory of each block.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Head {
    /// How long it is.
    bytes: usize,
    /// [`Head::MARK`], and how far it is from the beginning of the block.
    mark: u64,
}

impl Head {
    /// By this a head is known, and memory of another program that has none. The lower half is free.
    const MARK: u64 = 0x6d65_6d6f << 32;

    /// The head of the memory at an address.
    ///
    /// LLVM knows what `malloc` gives and that nothing is in front of it: it must not see that the address is such a one.
    fn of(memory: *mut u8) -> *mut Self {
        // SAFETY: a variable of this function.
        let hidden = unsafe { (&raw const memory).read_volatile() };
        hidden.cast::<Self>().wrapping_sub(1)
    }
}

/// What `malloc` gives is aligned so.
const ALIGNMENT: usize = align_of::<Head>();

/// A block of memory with its head, and its address divided by `alignment`, a power of two; null if there is none.
fn allocate(bytes: usize, alignment: usize) -> *mut u8 {
    let alignment = alignment.max(ALIGNMENT);
    let room = size_of::<Head>() + (alignment - ALIGNMENT);
    let block = match bytes.checked_add(room) {
        // How far it is must fit into the mark.
        // SAFETY: no rules.
        Some(all) if room <= u32::MAX as usize => unsafe { __omptarget_real_malloc(all) },
        _ => null_mut(),
    };
    if block.is_null() {
        set_error(NO_MEMORY);
        return block;
    }
    let first = block.wrapping_add(size_of::<Head>());
    let memory = first.wrapping_add(first.addr().wrapping_neg() & (alignment - 1));
    let head = Head { bytes, mark: Head::MARK | (memory.addr() - block.addr()) as u64 };
    // SAFETY: inside the block.
    unsafe { Head::of(memory).write(head) };
    memory
}

/// How long a block is, and where it begins.
///
/// # Safety
/// Memory of `malloc`.
unsafe fn block_of(memory: *mut u8) -> (usize, *mut u8) {
    // SAFETY: it has a head, or is not of this program's `malloc`: then what stands there is memory of the heap all the same.
    let Head { bytes, mark } = unsafe { Head::of(memory).read() };
    if mark >> 32 != Head::MARK >> 32 {
        end(c"memory is given back that malloc did not give, or a second time");
    }
    (bytes, memory.wrapping_sub(mark as u32 as usize))
}

/// # Safety
/// Memory of `malloc`, or null.
unsafe fn release(memory: *mut u8) {
    if memory.is_null() {
        return;
    }
    // SAFETY: as the caller promises; the head is the block's until it is given back.
    unsafe {
        let (_, block) = block_of(memory);
        Head::of(memory).write_volatile(Head { bytes: 0, mark: 0 });
        __omptarget_real_free(block);
    }
}

/// # Safety
/// Memory of `malloc`, or null.
unsafe fn resize(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        return allocate(bytes, ALIGNMENT);
    }
    // SAFETY: as the caller promises.
    unsafe {
        if bytes == 0 {
            release(memory);
            return null_mut();
        }
        let (before, _) = block_of(memory);
        if bytes <= before && before <= 2 * bytes {
            // It stays where it is, and as long as it was.
            return memory;
        }
        let other = allocate(bytes, ALIGNMENT);
        if !other.is_null() {
            other.copy_from_nonoverlapping(memory, before.min(bytes));
            release(memory);
        }
        other
    }
}

/// Aligned memory, or null and `errno` for what is no alignment.
fn aligned(alignment: usize, bytes: usize) -> *mut u8 {
    if !alignment.is_power_of_two() {
        set_error(INVALID);
        return null_mut();
    }
    allocate(bytes, alignment)
}

super::c_functions! {
    /// `malloc` of a program that has one of the others.
    fn __omptarget_wrap_malloc(bytes: usize) -> *mut u8 { allocate(bytes, ALIGNMENT) }
    /// `free` of such a program.
    fn __omptarget_wrap_free(memory: *mut u8) { release(memory) }
    /// Of 0 bytes nothing is left, as glibc has it.
    fn realloc(memory: *mut u8, bytes: usize) -> *mut u8 { resize(memory, bytes) }
    fn reallocarray(memory: *mut u8, count: usize, bytes: usize) -> *mut u8 {
        match count.checked_mul(bytes) {
            Some(all) => resize(memory, all),
            None => {
                set_error(NO_MEMORY);
                null_mut()
            }
        }
    }
    fn aligned_alloc(alignment: usize, bytes: usize) -> *mut u8 { aligned(alignment, bytes) }
    fn memalign(alignment: usize, bytes: usize) -> *mut u8 { aligned(alignment, bytes) }
    fn posix_memalign(to: *mut *mut u8, alignment: usize, bytes: usize) -> c_int {
        if !alignment.is_power_of_two() || alignment < size_of::<*mut u8>() {
            return INVALID;
        }
        let memory = allocate(bytes, alignment);
        if memory.is_null() {
            return NO_MEMORY;
        }
        to.write(memory);
        0
    }
    fn malloc_usable_size(memory: *mut u8) -> usize { if memory.is_null() { 0 } else { block_of(memory).0 } }
}
