//! The shortest decimal number that lies nearer to a real number than to its neighbours, by long arithmetic (Steele and White, "How
//! to print floating-point numbers accurately", 1990). Slow and small: it is for text.

/// Words of a number: the least real number needs 1,130 bits, the greatest 1,030.
const WORDS: usize = 40;

/// A whole number, its lowest word first.
#[derive(Clone, Copy)]
struct Long([u32; WORDS]);

impl Long {
    /// `value * 2^shift`.
    #[inline(always)]
    fn shifted(value: u64, shift: u32) -> Self {
        let mut long = Self([0; WORDS]);
        let (word, bits) = (shift as usize / 32, shift % 32);
        let value = u128::from(value) << bits;
        let mut part = 0;
        while part < 3 {
            if word + part < WORDS {
                // SAFETY: below the number of words.
                unsafe { long.0.as_mut_ptr().add(word + part).write((value >> (32 * part)) as u32) }
            }
            part += 1;
        }
        long
    }

    #[inline(always)]
    fn word(&self, index: usize) -> u32 {
        // SAFETY: callers stay below the number of words.
        unsafe { *self.0.as_ptr().add(index) }
    }

    /// Makes of each word what `part` gives, and what the word before it carried.
    #[inline(always)]
    fn update(&mut self, part: impl Fn(usize, i64) -> i64) {
        let (mut carry, mut index) = (0, 0);
        while index < WORDS {
            let value = part(index, self.word(index).into()) + carry;
            // SAFETY: below the number of words.
            unsafe { *self.0.as_mut_ptr().add(index) = value as u32 }
            carry = value >> 32;
            index += 1;
        }
    }

    /// The same ten times as large.
    #[inline(never)]
    fn multiply_by_ten(&mut self) {
        self.update(|_, word| word * 10)
    }

    /// Adds another number to it.
    #[inline(never)]
    fn add(&mut self, other: &Self) {
        self.update(|index, word| word + i64::from(other.word(index)))
    }

    /// Takes another number, which is not larger, from it.
    #[inline(never)]
    fn subtract(&mut self, other: &Self) {
        self.update(|index, word| word - i64::from(other.word(index)))
    }

    /// Whether it is below another number.
    #[inline(never)]
    fn is_below(&self, other: &Self) -> bool {
        let mut index = WORDS;
        while index != 0 {
            index -= 1;
            if self.word(index) != other.word(index) {
                return self.word(index) < other.word(index);
            }
        }
        false
    }
}

/// A positive decimal number, `0.DIGITS * 10^exponent`.
pub struct Decimal {
    /// The digits, from 0 to 9; the first is not 0.
    digits: [u8; Self::MOST],
    /// How many there are.
    pub count: usize,
    /// The power of ten.
    pub exponent: i32,
}

impl Decimal {
    /// Digits that are enough for each `f64`.
    pub const MOST: usize = 17;

    /// That of `mantissa * 2^exponent`, a positive number whose neighbours are as far away as the mantissa's last bit is worth; or the
    /// lower one half as far, if it is a power of two.
    #[inline(never)]
    pub fn shortest(mantissa: u64, exponent: i32, is_power: bool) -> Self {
        // All numbers below count in parts of `one`. Halves of the distances are whole numbers.
        let more = 1 + u32::from(is_power);
        let (up, down) = (exponent.max(0) as u32, (-exponent).max(0) as u32);
        let mut rest = Long::shifted(mantissa, up + more);
        let mut above = Long::shifted(1, up + more - 1);
        let mut below = Long::shifted(1, up);
        let mut one = Long::shifted(1, down + more);

        // The greatest power of ten that is not above, or the one before it: the logarithm of 2 is 78913 / 2^18.
        let last_bit = 63 - mantissa.leading_zeros() as i32;
        let mut power = (((last_bit + exponent) * 78913) >> 18) + 1;
        let mut step = 0;
        while step < power {
            one.multiply_by_ten();
            step += 1;
        }
        while step > power {
            [&mut rest, &mut above, &mut below].into_iter().for_each(Long::multiply_by_ten);
            step -= 1;
        }
        let mut end = rest;
        end.add(&above);
        if one.is_below(&end) {
            one.multiply_by_ten();
            power += 1;
        }

        let mut made = Self { digits: [0; Self::MOST], count: 0, exponent: power };
        loop {
            [&mut rest, &mut above, &mut below].into_iter().for_each(Long::multiply_by_ten);
            let mut digit = 0;
            while !rest.is_below(&one) {
                rest.subtract(&one);
                digit += 1;
            }
            let mut end = rest;
            end.add(&above);
            let (low, high) = (rest.is_below(&below), one.is_below(&end));
            let is_last = low || high || made.count + 1 >= Self::MOST;
            if is_last {
                // The nearer one of the two that are near enough.
                let mut twice = rest;
                twice.add(&rest);
                digit += u8::from(high && (!low || !twice.is_below(&one)));
            }
            // SAFETY: fewer than there is room for, or it was the last one.
            unsafe { *made.digits.as_mut_ptr().add(made.count) = digit }
            made.count += 1;
            if is_last {
                return made;
            }
        }
    }

    /// A digit; 0 behind the last one.
    #[inline(always)]
    pub fn digit(&self, index: usize) -> u8 {
        // SAFETY: below the count.
        if index < self.count { unsafe { *self.digits.as_ptr().add(index) } } else { 0 }
    }
}
