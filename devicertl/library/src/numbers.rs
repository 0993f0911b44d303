//! Numbers from texts: of `<stdlib.h>`.

use super::characters::is_space;
use super::process::{invalid, out_of_range};
use core::ffi::c_int;

type Text = *const u8;

/// A reader of a C string, which reads nothing behind its null.
#[derive(Clone, Copy)]
struct Reader(Text);

impl Reader {
    unsafe fn peek(self) -> u8 {
        // SAFETY: no null has been passed.
        unsafe { self.0.read() }
    }

    fn skip(&mut self, bytes: usize) {
        self.0 = self.0.wrapping_add(bytes);
    }

    /// Passes a byte, whatever its case, if it is the next one.
    unsafe fn take(&mut self, byte: u8) -> bool {
        // SAFETY: as above.
        let taken = unsafe { self.peek() }.eq_ignore_ascii_case(&byte);
        self.skip(taken.into());
        taken
    }

    /// Passes a word if it is next, whatever the case of its letters.
    unsafe fn take_word(&mut self, word: &[u8]) -> bool {
        let mut ahead = *self;
        // SAFETY: a byte is passed if it is one of the word, so no null is.
        let taken = word.iter().all(|byte| unsafe { ahead.take(*byte) });
        if taken {
            *self = ahead;
        }
        taken
    }

    unsafe fn digit(self, base: u32) -> Option<u32> {
        // SAFETY: as above.
        char::from(unsafe { self.peek() }).to_digit(base)
    }

    /// Passes a sign; whether it is a minus.
    unsafe fn minus(&mut self) -> bool {
        // SAFETY: as above.
        unsafe {
            let minus = self.take(b'-');
            if !minus {
                self.take(b'+');
            }
            minus
        }
    }

    /// Passes white space and a sign; whether it is a minus.
    unsafe fn sign(&mut self) -> bool {
        // SAFETY: as above.
        unsafe {
            while is_space(self.peek()) {
                self.skip(1);
            }
            self.minus()
        }
    }
}

/// An integer in a text: its sign, what it is without it, and whether that is too much for 64 bits. `end` becomes where it ends, the
/// beginning of the text if there is none. `binary`: with C23's `0b`.
unsafe fn integer(text: Text, end: *mut Text, base: c_int, binary: bool) -> (bool, u64, bool) {
    // As glibc has it, `end` too.
    if base != 0 && !(2..=36).contains(&base) {
        invalid();
        return (false, 0, false);
    }
    let mut at = Reader(text);
    let (mut value, mut over, mut any) = (0u64, false, false);
    // SAFETY: a C string.
    let negative = unsafe { at.sign() };
    let mut base = base as u32;
    for (letter, of) in [(b'x', 16), (b'b', 2)] {
        let mut ahead = at;
        // SAFETY: as above; a prefix without a digit behind it is the number 0 and something else.
        let prefixed = (base == 0 || base == of)
            && (of == 16 || binary)
            && unsafe { ahead.take(b'0') && ahead.take(letter) && ahead.digit(of).is_some() };
        if prefixed {
            (at, base) = (ahead, of);
        }
    }
    if base == 0 {
        // SAFETY: as above.
        base = if unsafe { at.peek() } == b'0' { 8 } else { 10 };
    }
    // SAFETY: as above.
    while let Some(digit) = unsafe { at.digit(base) } {
        let (more, a) = value.overflowing_mul(base.into());
        let (more, b) = more.overflowing_add(digit.into());
        (value, over, any) = (more, over | a | b, true);
        at.skip(1);
    }
    if !end.is_null() {
        // SAFETY: the caller's.
        unsafe { end.write(if any { at.0 } else { text }) };
    }
    (negative, value, over)
}

unsafe fn signed(text: Text, end: *mut Text, base: c_int, binary: bool) -> i64 {
    // SAFETY: the caller's string.
    let (negative, value, over) = unsafe { integer(text, end, base, binary) };
    let most = if negative { i64::MIN.unsigned_abs() } else { i64::MAX as u64 };
    if over || value > most {
        out_of_range();
        return if negative { i64::MIN } else { i64::MAX };
    }
    if negative { (value as i64).wrapping_neg() } else { value as i64 }
}

unsafe fn unsigned(text: Text, end: *mut Text, base: c_int, binary: bool) -> u64 {
    // SAFETY: the caller's string.
    let (negative, value, over) = unsafe { integer(text, end, base, binary) };
    if over {
        out_of_range();
        return u64::MAX;
    }
    if negative { value.wrapping_neg() } else { value }
}

/// A number of a type with a fraction, in a text.
trait Float: Copy {
    const INFINITE: Self;
    const NAN: Self;
    fn decimal(text: &str) -> Self;
    /// `mantissa` times two to the `exponent`, rounded once to the nearest, to even.
    fn binary(mantissa: u64, exponent: i64) -> Self;
    fn negated(self) -> Self;
    fn is_infinite(self) -> bool;
    fn is_too_small(self) -> bool;
}

macro_rules! float {
    ($ty:ident, $bits:ident, $digits:expr, $least:expr, $most:expr) => {
        impl Float for $ty {
            const INFINITE: Self = $ty::INFINITY;
            const NAN: Self = $ty::NAN;
            fn decimal(text: &str) -> Self {
                text.parse().unwrap_or(0.0)
            }
            fn binary(mantissa: u64, exponent: i64) -> Self {
                if mantissa == 0 {
                    return 0.0;
                }
                // The exponent of the leading bit, and that of the last bit that the type can hold.
                let top = exponent + 63 - i64::from(mantissa.leading_zeros());
                let last = (top - ($digits - 1)).max($least);
                if top > $most {
                    return Self::INFINITE;
                }
                let drop = last - exponent;
                let kept = match drop {
                    ..=0 => mantissa << -drop,
                    1..64 => {
                        let (kept, rest) = (mantissa >> drop, mantissa & ((1 << drop) - 1));
                        let half = 1 << (drop - 1);
                        kept + u64::from(rest > half || rest == half && kept & 1 == 1)
                    }
                    64 => u64::from(mantissa > 1 << 63),
                    _ => 0,
                };
                // A carry out of the digits, too, makes the next exponent with the digits 0.
                let bits = if kept >> ($digits - 1) == 0 {
                    kept
                } else {
                    (((last - $least + 1) as u64) << ($digits - 1)) + (kept - (1 << ($digits - 1)))
                };
                $ty::from_bits(bits as $bits)
            }
            fn negated(self) -> Self {
                -self
            }
            fn is_infinite(self) -> bool {
                $ty::is_infinite(self)
            }
            fn is_too_small(self) -> bool {
                self.abs() < $ty::MIN_POSITIVE
            }
        }
    };
}

float!(f64, u64, 53, -1074, 1023);
float!(f32, u32, 24, -149, 127);

/// The digits and the exponent behind `at` as Rust reads them: where they end, whether there is a digit, and whether one is not 0.
unsafe fn decimal_end(mut at: Reader) -> (Reader, bool, bool) {
    let (mut any, mut not_zero) = (false, false);
    // SAFETY: a C string, of which nothing behind the null is passed.
    unsafe {
        for fraction in [false, true] {
            if fraction && !at.take(b'.') {
                break;
            }
            while let Some(digit) = at.digit(10) {
                (any, not_zero) = (true, not_zero || digit != 0);
                at.skip(1);
            }
        }
        let mut ahead = at;
        if any && ahead.take(b'e') {
            ahead.minus();
            if ahead.digit(10).is_some() {
                while ahead.digit(10).is_some() {
                    ahead.skip(1);
                }
                at = ahead;
            }
        }
    }
    (at, any, not_zero)
}

/// A hexadecimal number behind `0x`: bits below the 64th count as one that is set.
unsafe fn hexadecimal<T: Float>(at: &mut Reader) -> Option<(T, bool)> {
    let (mut mantissa, mut exponent, mut any) = (0u64, 0i64, false);
    // SAFETY: a C string, of which nothing behind the null is passed.
    unsafe {
        for fraction in [false, true] {
            if fraction && !at.take(b'.') {
                break;
            }
            while let Some(digit) = at.digit(16) {
                if mantissa >> 60 == 0 {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= if fraction { 4 } else { 0 };
                } else {
                    mantissa |= u64::from(digit != 0);
                    exponent += if fraction { 0 } else { 4 };
                }
                any = true;
                at.skip(1);
            }
        }
        if !any {
            return None;
        }
        let mut ahead = *at;
        if ahead.take(b'p') {
            let negative = ahead.minus();
            if ahead.digit(10).is_some() {
                let mut power = 0i64;
                while let Some(digit) = ahead.digit(10) {
                    power = (power * 10 + i64::from(digit)).min(1 << 40);
                    ahead.skip(1);
                }
                exponent += if negative { -power } else { power };
                *at = ahead;
            }
        }
    }
    Some((T::binary(mantissa, exponent), mantissa != 0))
}

unsafe fn float<T: Float>(text: Text, end: *mut Text) -> T {
    let mut at = Reader(text);
    // SAFETY: a C string, of which nothing behind the null is passed; the bytes that Rust reads are digits, signs, points and letters.
    let (value, stop) = unsafe {
        let negative = at.sign();
        let mut hex = at;
        let found = if at.take_word(b"inf") {
            at.take_word(b"inity");
            Some((T::INFINITE, false))
        } else if at.take_word(b"nan") {
            let mut ahead = at;
            if ahead.take(b'(') {
                while ahead.peek().is_ascii_alphanumeric() || ahead.peek() == b'_' {
                    ahead.skip(1);
                }
                if ahead.take(b')') {
                    at = ahead;
                }
            }
            Some((T::NAN, false))
        } else if let Some(found) =
            (hex.take(b'0') && hex.take(b'x')).then(|| hexadecimal(&mut hex)).flatten()
        {
            at = hex;
            Some(found)
        } else {
            let (stop, any, not_zero) = decimal_end(at);
            let bytes = core::slice::from_raw_parts(at.0, stop.0.offset_from_unsigned(at.0));
            at = stop;
            any.then(|| (T::decimal(core::str::from_utf8_unchecked(bytes)), not_zero))
        };
        match found {
            Some((value, not_zero)) => {
                if not_zero && (value.is_infinite() || value.is_too_small()) {
                    out_of_range();
                }
                (if negative { value.negated() } else { value }, at.0)
            }
            None => (T::decimal("0"), text),
        }
    };
    if !end.is_null() {
        // SAFETY: the caller's.
        unsafe { end.write(stop) };
    }
    value
}

super::c_functions! {
    fn strtol(text: Text, end: *mut Text, base: c_int) -> i64 { signed(text, end, base, false) }
    fn strtoll(text: Text, end: *mut Text, base: c_int) -> i64 { signed(text, end, base, false) }
    fn strtoimax(text: Text, end: *mut Text, base: c_int) -> i64 { signed(text, end, base, false) }
    fn strtoul(text: Text, end: *mut Text, base: c_int) -> u64 { unsigned(text, end, base, false) }
    fn strtoull(text: Text, end: *mut Text, base: c_int) -> u64 { unsigned(text, end, base, false) }
    fn strtoumax(text: Text, end: *mut Text, base: c_int) -> u64 { unsigned(text, end, base, false) }
    /// `strtol` of C23 and C++.
    fn __isoc23_strtol(text: Text, end: *mut Text, base: c_int) -> i64 { signed(text, end, base, true) }
    /// `strtoll` of C23 and C++.
    fn __isoc23_strtoll(text: Text, end: *mut Text, base: c_int) -> i64 { signed(text, end, base, true) }
    /// `strtoimax` of C23 and C++.
    fn __isoc23_strtoimax(text: Text, end: *mut Text, base: c_int) -> i64 { signed(text, end, base, true) }
    /// `strtoul` of C23 and C++.
    fn __isoc23_strtoul(text: Text, end: *mut Text, base: c_int) -> u64 { unsigned(text, end, base, true) }
    /// `strtoull` of C23 and C++.
    fn __isoc23_strtoull(text: Text, end: *mut Text, base: c_int) -> u64 { unsigned(text, end, base, true) }
    /// `strtoumax` of C23 and C++.
    fn __isoc23_strtoumax(text: Text, end: *mut Text, base: c_int) -> u64 { unsigned(text, end, base, true) }
    fn imaxabs(number: i64) -> i64 { number.wrapping_abs() }
    fn atoi(text: Text) -> c_int { signed(text, core::ptr::null_mut(), 10, false) as c_int }
    fn atol(text: Text) -> i64 { signed(text, core::ptr::null_mut(), 10, false) }
    fn atoll(text: Text) -> i64 { signed(text, core::ptr::null_mut(), 10, false) }
    fn strtod(text: Text, end: *mut Text) -> f64 { float(text, end) }
    fn strtof(text: Text, end: *mut Text) -> f32 { float(text, end) }
    fn atof(text: Text) -> f64 { float(text, core::ptr::null_mut()) }
}
