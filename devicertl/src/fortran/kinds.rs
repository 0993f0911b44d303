//! Kinds of types by what they are to hold (Fortran 2018, 16.9.168 to 16.9.171): `SELECTED_CHAR_KIND`, `SELECTED_INT_KIND`,
//! `SELECTED_LOGICAL_KIND` and `SELECTED_REAL_KIND`. The kinds are those of the host, whose numbers a program has; a device computes with
//! those of up to 8 bytes.

use super::number::{Category, Kind};
use super::{File, fortran};

/// A kind of integers: its number, and how many decimal digits all of its numbers can have.
const INTEGERS: [(u32, i64); 5] = [(1, 2), (2, 4), (4, 9), (8, 18), (16, 38)];

/// A kind of real numbers: its number, its decimal digits and its range in powers of 10.
const REALS: [(u32, i64, i64); 6] =
    [(2, 3, 4), (3, 2, 37), (4, 6, 37), (8, 15, 307), (10, 18, 4931), (16, 33, 4931)];

/// There is no such kind.
const NO_KIND: i32 = -1;
/// Neither digits nor range, and only one of them, are there.
const NO_DIGITS: i32 = -1;
const NO_RANGE: i32 = -2;
/// No kind has so many digits and this range.
const NOT_TOGETHER: i32 = -4;
/// No kind has this base.
const NO_BASE: i32 = -5;

/// An integer of so many bytes, or, if it is not there, another one.
///
/// # Safety
/// There must be one, or null.
#[inline(always)]
unsafe fn integer(at: *const u8, bytes: i32, otherwise: i64) -> i64 {
    if at.is_null() {
        return otherwise;
    }
    // SAFETY: as the caller promises.
    unsafe { Kind { category: Category::Integer, bytes: bytes as u64 }.load(at) as i64 }
}

/// The least integer kind of the mask, a bit for each, with so many digits.
fn of_integers(digits: i64, mask: u32) -> i32 {
    let mut number = 0;
    while number < INTEGERS.len() {
        let (kind, most) = INTEGERS[number % INTEGERS.len()];
        if digits <= most && mask >> kind & 1 != 0 {
            return kind as i32;
        }
        number += 1;
    }
    NO_KIND
}

/// The least real kind of the mask with so many digits and this range.
fn of_reals(digits: i64, range: i64, base: i64, mask: u32) -> i32 {
    if base != 2 {
        return NO_BASE;
    }
    let (mut number, mut has_digits, mut has_range) = (0, false, false);
    while number < REALS.len() {
        let (kind, most_digits, most_range) = REALS[number % REALS.len()];
        if mask >> kind & 1 != 0 {
            if digits <= most_digits && range <= most_range {
                return kind as i32;
            }
            has_digits |= digits <= most_digits;
            has_range |= range <= most_range;
        }
        number += 1;
    }
    match (has_digits, has_range) {
        (true, true) => NOT_TOGETHER,
        (true, false) => NO_RANGE,
        (false, true) => NO_DIGITS,
        (false, false) => NO_DIGITS + NO_RANGE,
    }
}

/// Whether a text is a word, in capitals or not. Behind it there may be blanks. LLVM makes a number of the word, where a text would be a
/// variable.
///
/// # Safety
/// A text of so many bytes.
#[inline(always)]
unsafe fn is_word(text: *const u8, bytes: u64, word: &[u8; 16]) -> bool {
    let (mut left, mut at) = (u128::from_le_bytes(*word), 0);
    while at < bytes || left as u8 != b' ' {
        // SAFETY: below the length.
        let letter = if at < bytes { unsafe { text.add(at as usize).read() } } else { b' ' };
        if letter.to_ascii_uppercase() != left as u8 {
            return false;
        }
        left = left >> 8 | u128::from(b' ') << 120;
        at += 1;
    }
    true
}

fortran! {
    /// SELECTED_CHAR_KIND.
    fn _FortranASelectedCharKind(_file: File, _line: i32, name: *const u8, bytes: u64) -> i32 {
        if is_word(name, bytes, b"ASCII           ") || is_word(name, bytes, b"DEFAULT         ") {
            1
        } else if is_word(name, bytes, b"ISO_10646       ") || is_word(name, bytes, b"UCS-4           ") {
            4
        } else {
            NO_KIND
        }
    }
    /// SELECTED_INT_KIND among the kinds of the host.
    fn _FortranASelectedIntKind(file: File, line: i32, digits: *const u8, bytes: i32) -> i32 {
        _FortranASelectedIntKindMasked(file, line, digits, bytes, i32::MAX)
    }
    /// SELECTED_INT_KIND among the kinds whose bits the mask has.
    fn _FortranASelectedIntKindMasked(_file: File, _line: i32, digits: *const u8, bytes: i32, mask: i32) -> i32 {
        of_integers(integer(digits, bytes, 0), mask as u32)
    }
    /// SELECTED_LOGICAL_KIND.
    fn _FortranASelectedLogicalKind(_file: File, _line: i32, bits: *const u8, bytes: i32) -> i32 {
        match integer(bits, bytes, 0) {
            ..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            _ => NO_KIND,
        }
    }
    /// SELECTED_REAL_KIND among the kinds of the host.
    fn _FortranASelectedRealKind(
        file: File, line: i32, digits: *const u8, digits_bytes: i32, range: *const u8, range_bytes: i32, base: *const u8,
        base_bytes: i32,
    ) -> i32 {
        _FortranASelectedRealKindMasked(
            file, line, digits, digits_bytes, range, range_bytes, base, base_bytes, i32::MAX,
        )
    }
    /// SELECTED_REAL_KIND among the kinds whose bits the mask has.
    fn _FortranASelectedRealKindMasked(
        _file: File, _line: i32, digits: *const u8, digits_bytes: i32, range: *const u8, range_bytes: i32,
        base: *const u8, base_bytes: i32, mask: i32,
    ) -> i32 {
        let [digits, range] = [integer(digits, digits_bytes, 0), integer(range, range_bytes, 0)];
        of_reals(digits, range, integer(base, base_bytes, 2), mask as u32)
    }
}
