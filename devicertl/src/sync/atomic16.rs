//! Atomic accesses through functions: objects of sizes or alignments for which clang has no instruction, like complex
//! numbers and 16-byte structures. They come as the generic functions of the C library interface (size, then addresses).
//!
//! An aligned object of 1, 2, 4 or 8 bytes is accessed by the machine's own atomics, as other code accesses it. Any
//! other one is accessed under a lock, which its address picks from a table. The order is always the strongest.
//!
//! In clang's default link mode each translation unit has a table of its own: there such an object must be accessed from
//! one unit only. With device LTO there is one table.

use super::lock;
use crate::arch;

/// Locks in the table of the prelude; a power of two.
const LOCKS: u64 = 256;

/// The lock of an object.
#[inline(always)]
fn lock_of(object: *mut u8) -> *mut u32 {
    let line = object as u64 >> 3;
    let index = (line ^ line >> 8) & (LOCKS - 1);
    // SAFETY: inside the table.
    unsafe { arch::atomic_locks().add(index as usize) }
}

/// Runs `access` while no other locked access of the object runs.
///
/// # Safety
/// `object` must be accessed in this way only.
#[inline(always)]
unsafe fn locked<R>(object: *mut u8, access: impl FnOnce() -> R) -> R {
    let lock = lock_of(object);
    // SAFETY: a lock of the table.
    unsafe {
        arch::fence_device();
        lock::take(lock);
        let result = access();
        lock::release(lock);
        arch::fence_device();
        result
    }
}

/// # Safety
/// Both must be valid for `bytes` bytes.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: u64) {
    for i in 0..bytes as usize {
        // SAFETY: as the caller promises.
        unsafe { to.add(i).write(from.add(i).read()) }
    }
}

/// # Safety
/// Both must be valid for `bytes` bytes.
#[inline(always)]
unsafe fn equal(a: *const u8, b: *const u8, bytes: u64) -> bool {
    // SAFETY: as the caller promises.
    (0..bytes as usize).all(|i| unsafe { a.add(i).read() == b.add(i).read() })
}

/// Runs `$native` with the functions of the machine for the size of the object, or `$locked`. The caller's values may have
/// less alignment.
macro_rules! by_size {
    ($object:ident, $bytes:ident, $native:ident($($arg:expr),*), $locked:expr) => {{
        let aligned = ($object as u64).is_multiple_of($bytes.max(1));
        match $bytes {
            1 => $native!(u8, atomic_load_u8, atomic_swap_u8, atomic_cas_u8, $($arg),*),
            2 if aligned => $native!(u16, atomic_load_u16, atomic_swap_u16, atomic_cas_u16, $($arg),*),
            4 if aligned => $native!(u32, atomic_load_u32, atomic_swap_u32, atomic_cas_u32, $($arg),*),
            8 if aligned => $native!(u64, atomic_load_u64, atomic_swap_u64, atomic_cas_u64, $($arg),*),
            _ => locked($object, || $locked),
        }
    }};
}

macro_rules! load {
    ($ty:ty, $load:ident, $swap:ident, $cas:ident, $object:expr, $to:expr) => {
        $to.cast::<$ty>().write_unaligned(arch::$load($object.cast()))
    };
}

macro_rules! swap {
    ($ty:ty, $load:ident, $swap:ident, $cas:ident, $object:expr, $from:expr, $to:expr) => {{
        let old = arch::$swap($object.cast(), $from.cast::<$ty>().read_unaligned());
        $to.cast::<$ty>().write_unaligned(old)
    }};
}

macro_rules! store {
    ($ty:ty, $load:ident, $swap:ident, $cas:ident, $object:expr, $from:expr) => {{
        arch::$swap($object.cast(), $from.cast::<$ty>().read_unaligned());
    }};
}

macro_rules! compare_exchange {
    ($ty:ty, $load:ident, $swap:ident, $cas:ident, $object:expr, $expected:expr, $from:expr) => {{
        let old = $expected.cast::<$ty>().read_unaligned();
        let now = arch::$cas($object.cast(), old, $from.cast::<$ty>().read_unaligned());
        if now != old {
            $expected.cast::<$ty>().write_unaligned(now)
        }
        now == old
    }};
}

/// `*to = *object`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_load(bytes: u64, object: *mut u8, to: *mut u8, _order: i32) {
    // SAFETY: the compiler's object and variable.
    unsafe { by_size!(object, bytes, load(object, to), copy(object, to, bytes)) }
}

/// `*object = *from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_store(bytes: u64, object: *mut u8, from: *mut u8, _order: i32) {
    // SAFETY: the compiler's object and variable.
    unsafe { by_size!(object, bytes, store(object, from), copy(from, object, bytes)) }
}

/// `*to = *object; *object = *from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_exchange(
    bytes: u64,
    object: *mut u8,
    from: *mut u8,
    to: *mut u8,
    _order: i32,
) {
    // SAFETY: the compiler's object and variables.
    unsafe {
        by_size!(object, bytes, swap(object, from, to), {
            // `from` and `to` may be the same variable.
            for i in 0..bytes as usize {
                let (old, new) = (object.add(i).read(), from.add(i).read());
                object.add(i).write(new);
                to.add(i).write(old);
            }
        })
    }
}

/// Whether `*object` had the bytes of `*expected`: then it has those of `*from` now, else `*expected` has its.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_compare_exchange(
    bytes: u64,
    object: *mut u8,
    expected: *mut u8,
    from: *mut u8,
    _success: i32,
    _failure: i32,
) -> bool {
    // SAFETY: the compiler's object and variables.
    unsafe {
        by_size!(object, bytes, compare_exchange(object, expected, from), {
            let same = equal(object, expected, bytes);
            if same {
                copy(from, object, bytes)
            } else {
                copy(object, expected, bytes)
            }
            same
        })
    }
}

/// Whether objects of this size at this address, or at one of their own alignment if it is null, are accessed without a lock: whether the
/// machine has the atomics. clang and libstdc++ ask for an address that is no multiple of more than the alignment.
#[unsafe(no_mangle)]
pub extern "C" fn __atomic_is_lock_free(bytes: u64, object: *const u8) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8) && (object as u64).is_multiple_of(bytes)
}
