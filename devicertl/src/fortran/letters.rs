//! Short texts, and numbers in letters as flang's runtime prints them.

use super::decimal::Decimal;
use super::number::{Category, Kind};

/// Room for a text.
const MOST: usize = 32;

/// A short text, behind which zeros stand.
pub(super) struct Letters {
    /// The letters.
    pub text: [u8; MOST],
    /// How many there are.
    pub count: usize,
}

impl Letters {
    /// No letter yet.
    #[inline(always)]
    pub fn new() -> Self {
        Self { text: [0; MOST], count: 0 }
    }

    /// Puts up to eight letters behind the others. LLVM makes instructions of them, where a text would be a variable.
    #[inline(always)]
    pub fn word(&mut self, word: &[u8; 8]) {
        let mut left = u64::from_le_bytes(*word);
        while left != 0 {
            self.put(left as u8);
            left >>= 8;
        }
    }

    /// A whole number.
    pub fn integer(&mut self, value: i64) {
        if value < 0 {
            self.put(b'-');
        }
        self.whole(value.unsigned_abs(), 1);
    }

    fn put(&mut self, letter: u8) {
        if self.count < MOST {
            // SAFETY: below the number of letters.
            unsafe { *self.text.as_mut_ptr().add(self.count) = letter }
            self.count += 1;
        }
    }

    /// Digits, at least so many.
    fn whole(&mut self, value: u64, least: usize) {
        let (mut digits, mut left) = (1, value / 10);
        while left != 0 || digits < least {
            digits += 1;
            left /= 10;
        }
        let (mut place, mut left) = (self.count + digits, value);
        self.count = place;
        while place != self.count - digits {
            place -= 1;
            if place < MOST {
                // SAFETY: below the number of letters.
                unsafe { *self.text.as_mut_ptr().add(place) = b'0' + (left % 10) as u8 }
            }
            left /= 10;
        }
    }

    /// That of a number.
    #[inline(never)]
    pub fn of(kind: Kind, bits: u64) -> Self {
        let mut letters = Self::new();
        if kind.category == Category::Real {
            letters.real(f64::from_bits(bits), kind.bytes);
        } else {
            letters.integer(bits as i64);
        }
        letters
    }

    /// A real number of 4 or 8 bytes: as many digits as tell it from others, with an exponent if it is small or large.
    fn real(&mut self, x: f64, bytes: u64) {
        if x.is_nan() {
            self.put(b'N');
            self.put(b'a');
            return self.put(b'N');
        }
        if x.is_sign_negative() {
            self.put(b'-');
        }
        if x.is_infinite() {
            self.put(b'I');
            self.put(b'n');
            return self.put(b'f');
        }
        if x == 0.0 {
            self.put(b'0');
            return self.put(b'.');
        }
        let single = bytes == 4;
        let (bits, mantissa_bits, bias) =
            if single { ((x.abs() as f32).to_bits().into(), 23, 127) } else { (x.abs().to_bits(), 52, 1023) };
        let (exponent, fraction) = ((bits >> mantissa_bits) as i32, bits & ((1 << mantissa_bits) - 1));
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << mantissa_bits };
        let least = exponent.max(1) - bias - mantissa_bits;
        let decimal = Decimal::shortest(mantissa, least, fraction == 0 && exponent > 1);
        let most = if single { 6 } else { 15 };
        let mut next = 0;
        if (0..=most).contains(&decimal.exponent) {
            while (next as i32) < decimal.exponent {
                self.put(b'0' + decimal.digit(next));
                next += 1;
            }
            self.put(b'.');
            while next < decimal.count {
                self.put(b'0' + decimal.digit(next));
                next += 1;
            }
            return;
        }
        self.put(b'0' + decimal.digit(0));
        self.put(b'.');
        while next + 1 < decimal.count {
            next += 1;
            self.put(b'0' + decimal.digit(next));
        }
        let power = decimal.exponent - 1;
        self.put(b'E');
        self.put(if power < 0 { b'-' } else { b'+' });
        self.whole(power.unsigned_abs().into(), 2);
    }
}
