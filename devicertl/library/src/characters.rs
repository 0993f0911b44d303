//! `<ctype.h>` in the "C" locale: no byte above 127 is of any class.

use core::ffi::c_int;

/// The bits of glibc's `<ctype.h>`, which its macros look for in the table themselves.
mod class {
    pub const UPPER: u16 = 1 << 8;
    pub const LOWER: u16 = 1 << 9;
    pub const ALPHA: u16 = 1 << 10;
    pub const DIGIT: u16 = 1 << 11;
    pub const XDIGIT: u16 = 1 << 12;
    pub const SPACE: u16 = 1 << 13;
    pub const PRINT: u16 = 1 << 14;
    pub const GRAPH: u16 = 1 << 15;
    pub const BLANK: u16 = 1;
    pub const CNTRL: u16 = 1 << 1;
    pub const PUNCT: u16 = 1 << 2;
    pub const ALNUM: u16 = 1 << 3;
}

/// glibc's tables begin with the values of `char` with a sign: element 128 is that of 0.
const FIRST: usize = 128;
const LENGTH: usize = 384;

const fn classes(byte: u8) -> u16 {
    let mut bits = 0;
    let of = [
        (byte.is_ascii_uppercase(), class::UPPER),
        (byte.is_ascii_lowercase(), class::LOWER),
        (byte.is_ascii_alphabetic(), class::ALPHA),
        (byte.is_ascii_digit(), class::DIGIT),
        (byte.is_ascii_hexdigit(), class::XDIGIT),
        (is_space(byte), class::SPACE),
        (byte.is_ascii_graphic() || byte == b' ', class::PRINT),
        (byte.is_ascii_graphic(), class::GRAPH),
        (byte == b' ' || byte == b'\t', class::BLANK),
        (byte.is_ascii_control(), class::CNTRL),
        (byte.is_ascii_punctuation(), class::PUNCT),
        (byte.is_ascii_alphanumeric(), class::ALNUM),
    ];
    let mut k = 0;
    while k < of.len() {
        bits |= if of[k].0 { of[k].1 } else { 0 };
        k += 1;
    }
    bits
}

/// Whether C calls a byte white space: Rust's has no vertical tabulator.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

static CLASSES: [u16; LENGTH] = {
    let mut table = [0; LENGTH];
    let mut byte = 0;
    while byte < 128 {
        table[FIRST + byte] = classes(byte as u8);
        byte += 1;
    }
    table
};

/// The values of `tolower` and `toupper`; those of other numbers than bytes of ASCII are themselves. -1 is `EOF`, the same byte as 255.
const fn letters(upper: bool) -> [i32; LENGTH] {
    let mut table = [0; LENGTH];
    let mut k = 0;
    while k < LENGTH {
        let value = k as i32 - FIRST as i32;
        table[k] = match value {
            0..128 if upper => (value as u8).to_ascii_uppercase() as i32,
            0..128 => (value as u8).to_ascii_lowercase() as i32,
            // As glibc has it: bytes with a sign are what they are without.
            ..=-2 => value + 256,
            _ => value,
        };
        k += 1;
    }
    table
}

static LOWER: [i32; LENGTH] = letters(false);
static UPPER: [i32; LENGTH] = letters(true);

/// The address of the element for 0, which glibc's macros want the address of.
#[repr(transparent)]
pub struct Middle<T>(*const T);

// SAFETY: it is the address of a table that nobody changes.
unsafe impl<T> Sync for Middle<T> {}

static CLASSES_MIDDLE: Middle<u16> = Middle(&raw const CLASSES[FIRST]);
static LOWER_MIDDLE: Middle<i32> = Middle(&raw const LOWER[FIRST]);
static UPPER_MIDDLE: Middle<i32> = Middle(&raw const UPPER[FIRST]);

fn is(value: c_int, class: u16) -> c_int {
    match usize::try_from(value) {
        Ok(byte @ 0..128) => (CLASSES[FIRST + byte] & class).into(),
        _ => 0,
    }
}

super::c_functions! {
    fn isalnum(c: c_int) -> c_int { is(c, class::ALNUM) }
    fn isalpha(c: c_int) -> c_int { is(c, class::ALPHA) }
    fn isblank(c: c_int) -> c_int { is(c, class::BLANK) }
    fn iscntrl(c: c_int) -> c_int { is(c, class::CNTRL) }
    fn isdigit(c: c_int) -> c_int { is(c, class::DIGIT) }
    fn isgraph(c: c_int) -> c_int { is(c, class::GRAPH) }
    fn islower(c: c_int) -> c_int { is(c, class::LOWER) }
    fn isprint(c: c_int) -> c_int { is(c, class::PRINT) }
    fn ispunct(c: c_int) -> c_int { is(c, class::PUNCT) }
    fn isspace(c: c_int) -> c_int { is(c, class::SPACE) }
    fn isupper(c: c_int) -> c_int { is(c, class::UPPER) }
    fn isxdigit(c: c_int) -> c_int { is(c, class::XDIGIT) }
    fn isascii(c: c_int) -> c_int { (c & !0x7f == 0).into() }
    fn toascii(c: c_int) -> c_int { c & 0x7f }
    fn tolower(c: c_int) -> c_int {
        if is(c, class::UPPER) != 0 { c + 32 } else { c }
    }
    fn toupper(c: c_int) -> c_int {
        if is(c, class::LOWER) != 0 { c - 32 } else { c }
    }
    /// What the macros of glibc's `<ctype.h>` read.
    fn __ctype_b_loc() -> *const Middle<u16> { &raw const CLASSES_MIDDLE }
    /// The same for `tolower`.
    fn __ctype_tolower_loc() -> *const Middle<i32> { &raw const LOWER_MIDDLE }
    /// The same for `toupper`.
    fn __ctype_toupper_loc() -> *const Middle<i32> { &raw const UPPER_MIDDLE }
}
