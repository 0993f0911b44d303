//! `error at(execution)` (OpenMP 5.2, 8.5).

use crate::arch;
use abi::ident::Ident;
use core::ffi::c_char;

/// `severity(warning)`; any other is fatal.
pub const WARNING: i32 = 1;
/// Bytes of a location that messages show; the rest of a longer one is cut off.
const LOCATION: usize = 256;

/// `;file;function;line;column;;` cut into texts.
struct Location {
    text: [u8; LOCATION],
    /// Where the parts start.
    parts: [usize; 4],
}

impl Location {
    /// # Safety
    /// `ident` must be null or a compiler's.
    unsafe fn of(ident: *const Ident) -> Self {
        let mut location = Self { text: [0; LOCATION], parts: [0; 4] };
        // SAFETY: `psource` is null or ends with a zero; all writes are inside the arrays.
        unsafe {
            let source = if ident.is_null() { core::ptr::null() } else { (*ident).psource.cast::<u8>() };
            let (mut at, mut part) = (0, 0);
            while !source.is_null() && at < LOCATION - 1 && part <= location.parts.len() {
                let byte = source.add(at).read();
                if byte == 0 {
                    break;
                }
                if byte == b';' {
                    if part < location.parts.len() {
                        location.parts.as_mut_ptr().add(part).write(at + 1);
                    }
                    part += 1;
                } else {
                    location.text.as_mut_ptr().add(at).write(byte);
                }
                at += 1;
            }
        }
        location
    }

    fn part(&self, index: usize) -> *const c_char {
        // SAFETY: below the number of parts; every part starts inside the text.
        unsafe { self.text.as_ptr().add(*self.parts.as_ptr().add(index)).cast() }
    }

    fn number(&self, index: usize) -> u32 {
        let mut digit = self.part(index).cast::<u8>();
        let mut number = 0u32;
        // SAFETY: the text ends with a zero.
        unsafe {
            while digit.read().is_ascii_digit() {
                number = number.wrapping_mul(10).wrapping_add((digit.read() - b'0') as u32);
                digit = digit.add(1);
            }
        }
        number
    }
}

/// Prints the message; a fatal one ends the program.
///
/// # Safety
/// `loc` and `message` must be null or a compiler's.
#[cold]
#[inline(never)]
pub unsafe fn report(loc: *const Ident, severity: i32, message: *const c_char) {
    // SAFETY: the compiler's location.
    let at = unsafe { Location::of(loc) };
    let (file, function, line, column) = (at.part(0), at.part(1), at.number(2), at.number(3));
    // SAFETY: texts that end with a zero; the message may be null.
    unsafe {
        if severity == WARNING {
            arch::user_warning(file, line, column, message)
        } else {
            arch::user_error(file, line, function, message)
        }
    }
}

/// The directive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_error(loc: *const Ident, severity: i32, message: *const c_char) {
    // SAFETY: the compiler's location and message.
    unsafe { report(loc, severity, message) }
}
