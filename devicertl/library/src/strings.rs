//! `<string.h>` and `<strings.h>`, but what `devicertl`'s `libc.rs` has.

use core::ffi::{c_int, c_long, c_longlong};
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

type Text = *const u8;

/// Bytes before the terminating null, at most `most`.
pub(crate) unsafe fn length(text: Text, most: usize) -> usize {
    let mut at = 0;
    // SAFETY: the caller's string goes on until its null, or for `most` bytes.
    while at < most && unsafe { text.add(at).read() } != 0 {
        at += 1;
    }
    at
}

/// Bytes of `text` before the first one that is in `set` or not, as `wanted` says.
unsafe fn span(text: Text, set: Text, wanted: bool) -> usize {
    let mut at = 0;
    // SAFETY: both are C strings, of which nothing behind the null is read.
    unsafe {
        while text.add(at).read() != 0 && is_in(text.add(at).read(), set) != wanted {
            at += 1;
        }
    }
    at
}

unsafe fn is_in(byte: u8, set: Text) -> bool {
    let mut at = 0;
    // SAFETY: a C string.
    unsafe {
        while set.add(at).read() != 0 {
            if set.add(at).read() == byte {
                return true;
            }
            at += 1;
        }
    }
    false
}

/// Whether the `bytes` bytes at both places are the same.
unsafe fn same(a: Text, b: Text, bytes: usize) -> bool {
    // SAFETY: valid for so many bytes.
    (0..bytes).all(|at| unsafe { a.add(at).read() == b.add(at).read() })
}

/// The order of two strings without regard to case, of `most` bytes at most.
unsafe fn order(a: Text, b: Text, most: usize) -> c_int {
    for at in 0..most {
        // SAFETY: no null before.
        let [left, right] =
            unsafe { [a.add(at).read(), b.add(at).read()] }.map(|byte| byte.to_ascii_lowercase());
        if left != right || left == 0 {
            return c_int::from(left) - c_int::from(right);
        }
    }
    0
}

/// Copies until the null, or `most` bytes; how many, without the null.
unsafe fn copy(to: *mut u8, from: Text, most: usize) -> usize {
    // SAFETY: the caller's places do not overlap, and `to` is large enough.
    unsafe {
        let bytes = length(from, most);
        to.copy_from_nonoverlapping(from, bytes);
        bytes
    }
}

/// The first place of `part`, of `bytes` bytes, that starts at one of the first `places` of `all`.
unsafe fn find(all: Text, places: usize, part: Text, bytes: usize) -> Text {
    // SAFETY: at least `bytes` follow each place.
    let found = (0..places).map(|at| all.wrapping_add(at)).find(|place| unsafe { same(*place, part, bytes) });
    found.unwrap_or(null())
}

/// The first place of a byte in a string, or the string's null.
unsafe fn find_byte(text: Text, byte: c_int) -> Text {
    let mut at = text;
    // SAFETY: a C string.
    while unsafe { at.read() != 0 && at.read() != byte as u8 } {
        at = at.wrapping_add(1);
    }
    at
}

/// The last place of a byte in so many.
unsafe fn last(memory: Text, byte: c_int, bytes: usize) -> Text {
    // SAFETY: valid for so many bytes.
    let found = (0..bytes).rev().find(|at| unsafe { memory.add(*at).read() } == byte as u8);
    found.map_or(null(), |at| memory.wrapping_add(at))
}

/// The number of the lowest bit that is set, from 1 on; 0 if there is none.
fn lowest(bits: u64) -> c_int {
    if bits == 0 { 0 } else { bits.trailing_zeros() as c_int + 1 }
}

/// `strtok_r`: the next word of `text`, or of what `rest` says is left, which becomes what is behind the word.
unsafe fn next_word(text: *mut u8, set: Text, rest: &mut *mut u8) -> *mut u8 {
    // SAFETY: the caller's C strings.
    unsafe {
        let text = if text.is_null() { *rest } else { text };
        let first = text.add(span(text, set, false));
        let end = first.add(span(first, set, true));
        *rest = end;
        if first == end {
            return null_mut();
        }
        if end.read() != 0 {
            end.write(0);
            *rest = end.add(1);
        }
        first
    }
}

/// What `strtok` goes on with: one for all threads of the device, as no memory there is a thread's own and has a name.
static REST: AtomicPtr<u8> = AtomicPtr::new(null_mut());

super::c_functions! {
    fn ffs(bits: c_int) -> c_int { lowest(bits as u32 as u64) }
    fn ffsl(bits: c_long) -> c_int { lowest(bits as u64) }
    fn ffsll(bits: c_longlong) -> c_int { lowest(bits as u64) }
    fn strnlen(text: Text, most: usize) -> usize { length(text, most) }
    fn strspn(text: Text, set: Text) -> usize { span(text, set, false) }
    fn strcspn(text: Text, set: Text) -> usize { span(text, set, true) }
    fn strpbrk(text: Text, set: Text) -> Text {
        let found = text.add(span(text, set, true));
        if found.read() == 0 { null() } else { found }
    }
    fn strstr(text: Text, part: Text) -> Text {
        let (all, bytes) = (length(text, usize::MAX), length(part, usize::MAX));
        find(text, (all + 1).saturating_sub(bytes), part, bytes)
    }
    fn memmem(memory: Text, all: usize, part: Text, bytes: usize) -> Text {
        find(memory, (all + 1).saturating_sub(bytes), part, bytes)
    }
    fn strcasecmp(a: Text, b: Text) -> c_int { order(a, b, usize::MAX) }
    fn strncasecmp(a: Text, b: Text, most: usize) -> c_int { order(a, b, most) }
    /// The order of the "C" locale.
    fn strcoll(a: Text, b: Text) -> c_int {
        let mut at = 0;
        while a.add(at).read() == b.add(at).read() && a.add(at).read() != 0 {
            at += 1;
        }
        c_int::from(a.add(at).read()) - c_int::from(b.add(at).read())
    }
    fn strchrnul(text: Text, byte: c_int) -> Text { find_byte(text, byte) }
    fn memrchr(memory: Text, byte: c_int, bytes: usize) -> Text { last(memory, byte, bytes) }
    fn stpcpy(to: *mut u8, from: Text) -> *mut u8 {
        let end = to.add(copy(to, from, usize::MAX));
        end.write(0);
        end
    }
    fn stpncpy(to: *mut u8, from: Text, bytes: usize) -> *mut u8 {
        let copied = copy(to, from, bytes);
        to.add(copied).write_bytes(0, bytes - copied);
        to.add(copied)
    }
    fn mempcpy(to: *mut u8, from: Text, bytes: usize) -> *mut u8 {
        to.copy_from_nonoverlapping(from, bytes);
        to.add(bytes)
    }
    fn memccpy(to: *mut u8, from: Text, byte: c_int, bytes: usize) -> *mut u8 {
        for at in 0..bytes {
            to.add(at).write(from.add(at).read());
            if from.add(at).read() == byte as u8 {
                return to.add(at + 1);
            }
        }
        null_mut()
    }
    fn bzero(to: *mut u8, bytes: usize) { to.write_bytes(0, bytes) }
    fn bcmp(a: Text, b: Text, bytes: usize) -> c_int { (!same(a, b, bytes)).into() }
    fn strtok_r(text: *mut u8, set: Text, rest: *mut *mut u8) -> *mut u8 { next_word(text, set, &mut *rest) }
    /// One thread at a time: what is left is one for all.
    fn strtok(text: *mut u8, set: Text) -> *mut u8 {
        let mut rest = REST.load(Ordering::Relaxed);
        if text.is_null() && rest.is_null() {
            return null_mut();
        }
        let word = next_word(text, set, &mut rest);
        REST.store(rest, Ordering::Relaxed);
        word
    }
    fn strsep(rest: *mut *mut u8, set: Text) -> *mut u8 {
        let text = rest.read();
        if text.is_null() {
            return text;
        }
        let end = text.add(span(text, set, true));
        if end.read() == 0 {
            rest.write(null_mut());
        } else {
            end.write(0);
            rest.write(end.add(1));
        }
        text
    }
    fn strcasestr(text: Text, part: Text) -> Text {
        let (all, bytes) = (length(text, usize::MAX), length(part, usize::MAX));
        let mut places = (0..(all + 1).saturating_sub(bytes)).map(|at| text.wrapping_add(at));
        places.find(|place| order(*place, part, bytes) == 0).unwrap_or(null())
    }
    fn index(text: Text, byte: c_int) -> Text {
        let found = find_byte(text, byte);
        if found.read() == byte as u8 { found } else { null() }
    }
    fn rindex(text: Text, byte: c_int) -> Text { last(text, byte, length(text, usize::MAX) + 1) }
    fn rawmemchr(memory: Text, byte: c_int) -> Text {
        let mut at = memory;
        while at.read() != byte as u8 {
            at = at.add(1);
        }
        at
    }
    /// A copy, in the "C" locale.
    fn strxfrm(to: *mut u8, from: Text, bytes: usize) -> usize {
        let needed = length(from, usize::MAX);
        if bytes > 0 {
            let copied = copy(to, from, bytes - 1);
            to.add(copied).write(0);
        }
        needed
    }
    /// No optimisation may leave it out.
    fn explicit_bzero(to: *mut u8, bytes: usize) {
        (0..bytes).for_each(|at| to.add(at).write_volatile(0));
    }
}
