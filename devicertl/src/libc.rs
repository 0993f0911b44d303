//! C and C++ support that clang leaves as calls: memory, strings, `abort`, virtual functions.
//!
//! On the device the functions have their C names and are weak, so a program may bring its own. On the host only tests
//! call them. `printf`, `puts` and `assert` are in `prelude/libc.ll`; `malloc` and `free` are the driver's.

use crate::arch;

/// Bytes that are moved at once where both addresses allow it.
const WORD: usize = size_of::<u64>();

/// Whether both addresses are those of words.
#[inline(always)]
fn in_words(a: *const u8, b: *const u8) -> bool {
    (a as usize | b as usize).is_multiple_of(WORD)
}

/// Copies from the first byte to the last, so `to` may lie below `from` and overlap it.
///
/// # Safety
/// Both must be valid for `bytes`.
#[inline(always)]
pub unsafe fn copy_up(to: *mut u8, from: *const u8, bytes: usize) {
    let mut at = 0;
    // SAFETY: below `bytes`, and aligned where words are moved.
    unsafe {
        if in_words(to, from) {
            while bytes - at >= WORD {
                to.add(at).cast::<u64>().write(from.add(at).cast::<u64>().read());
                at += WORD;
            }
        }
        while at < bytes {
            to.add(at).write(from.add(at).read());
            at += 1;
        }
    }
}

/// Copies from the last byte to the first, so `to` may lie above `from` and overlap it.
///
/// # Safety
/// Both must be valid for `bytes`.
#[inline(always)]
unsafe fn copy_down(to: *mut u8, from: *const u8, bytes: usize) {
    let mut left = bytes;
    // SAFETY: below `bytes`, and aligned where words are moved.
    unsafe {
        while left != 0 && !(in_words(to, from) && left.is_multiple_of(WORD)) {
            left -= 1;
            to.add(left).write(from.add(left).read());
        }
        while left != 0 {
            left -= WORD;
            to.add(left).cast::<u64>().write(from.add(left).cast::<u64>().read());
        }
    }
}

/// Sets `bytes` bytes.
///
/// # Safety
/// `to` must be valid for `bytes`.
#[inline(always)]
pub unsafe fn fill(to: *mut u8, value: u8, bytes: usize) {
    let mut at = 0;
    // SAFETY: below `bytes`, and aligned where words are written.
    unsafe {
        if in_words(to, to) {
            while bytes - at >= WORD {
                to.add(at).cast::<u64>().write(u64::from_ne_bytes([value; WORD]));
                at += WORD;
            }
        }
        while at < bytes {
            to.add(at).write(value);
            at += 1;
        }
    }
}

/// Bytes before the terminating null.
///
/// # Safety
/// `text` must be a C string.
#[inline(always)]
pub unsafe fn length(text: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: the string goes on until its null.
    while unsafe { text.add(length).read() } != 0 {
        length += 1;
    }
    length
}

/// Difference of the first bytes, of at most `most`, that differ. With `text` a null ends the comparison.
///
/// # Safety
/// Both must be valid for `most` bytes, or until the null.
#[inline(always)]
unsafe fn compare(a: *const u8, b: *const u8, most: usize, text: bool) -> i32 {
    let mut at = 0;
    while at < most {
        // SAFETY: below `most`, and no null before.
        let (left, right) = unsafe { (a.add(at).read(), b.add(at).read()) };
        if left != right {
            return left as i32 - right as i32;
        }
        if text && left == 0 {
            break;
        }
        at += 1;
    }
    0
}

macro_rules! c_library {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty $body:block)*) => { $(
        /// As in C.
        #[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            // SAFETY: the caller keeps C's rules for this function.
            unsafe { $body }
        }
    )* };
}

c_library! {
    fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
        copy_up(to, from, bytes);
        to
    }
    fn memmove(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
        if (to as usize).wrapping_sub(from as usize) >= bytes {
            copy_up(to, from, bytes)
        } else {
            copy_down(to, from, bytes)
        }
        to
    }
    fn memset(to: *mut u8, value: i32, bytes: usize) -> *mut u8 {
        fill(to, value as u8, bytes);
        to
    }
    fn memcmp(a: *const u8, b: *const u8, bytes: usize) -> i32 {
        compare(a, b, bytes, false)
    }
    fn memchr(memory: *const u8, byte: i32, bytes: usize) -> *const u8 {
        let mut at = 0;
        while at < bytes && memory.add(at).read() != byte as u8 {
            at += 1;
        }
        if at < bytes { memory.add(at) } else { core::ptr::null() }
    }
    fn strlen(text: *const u8) -> usize {
        length(text)
    }
    fn strcmp(a: *const u8, b: *const u8) -> i32 {
        compare(a, b, usize::MAX, true)
    }
    fn strncmp(a: *const u8, b: *const u8, most: usize) -> i32 {
        compare(a, b, most, true)
    }
    fn strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
        copy_up(to, from, length(from) + 1);
        to
    }
    fn strncpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
        let mut at = 0;
        while at < bytes && from.add(at).read() != 0 {
            to.add(at).write(from.add(at).read());
            at += 1;
        }
        fill(to.add(at), 0, bytes - at);
        to
    }
    fn strcat(to: *mut u8, from: *const u8) -> *mut u8 {
        copy_up(to.add(length(to)), from, length(from) + 1);
        to
    }
    fn strncat(to: *mut u8, from: *const u8, most: usize) -> *mut u8 {
        let (end, mut at) = (to.add(length(to)), 0);
        while at < most && from.add(at).read() != 0 {
            end.add(at).write(from.add(at).read());
            at += 1;
        }
        end.add(at).write(0);
        to
    }
    fn strchr(text: *const u8, byte: i32) -> *const u8 {
        let mut at = text;
        while at.read() != byte as u8 {
            if at.read() == 0 {
                return core::ptr::null();
            }
            at = at.add(1);
        }
        at
    }
    fn strrchr(text: *const u8, byte: i32) -> *const u8 {
        let mut left = length(text) + 1;
        while left != 0 {
            left -= 1;
            if text.add(left).read() == byte as u8 {
                return text.add(left);
            }
        }
        core::ptr::null()
    }
}

macro_rules! ends {
    ($($(#[$doc:meta])* fn $name:ident = $why:ident;)*) => { $(
        $(#[$doc])*
        #[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle))]
        pub extern "C" fn $name() -> ! {
            arch::fail(arch::Failure::$why)
        }
    )* };
}

ends! {
    /// As in C.
    fn abort = Abort;
    /// What stands in a virtual table for a function without a body.
    fn __cxa_pure_virtual = PureVirtual;
    /// What stands in a virtual table for a deleted function.
    fn __cxa_deleted_virtual = DeletedVirtual;
}

/// Destructors of static objects in functions are not kept: a device does not know the end of the program.
#[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle))]
pub extern "C" fn __cxa_atexit(_destructor: *const u8, _object: *mut u8, _library: *mut u8) -> i32 {
    0
}
