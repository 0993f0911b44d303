//! Conversions to and from the small floating-point types: tf32, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, and stochastic rounding
//! (PTX ISA 9.0, 5.2.3 and 9.7.9.21).
//!
//! Every f16, bf16 and f32 is an f64, in which scaling by powers of two is exact, so that a value is rounded once.

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]

use super::lanes::{Lanes, lanes_of};
use super::soft;
use crate::code::{Float, FloatMode, LANES, Op, Round, Small, Width};

/// A format with a sign, an exponent and a fraction.
struct Format {
    fraction_bits: i32,
    bias: i32,
    sign_bit: u32,
    /// The largest number.
    largest: f64,
    /// Canonical NaN and infinity, without sign. No infinity: the bits of NaN; no NaN either: those of the largest number.
    nan: u32,
    infinity: u32,
}

const fn format(ty: Small) -> Format {
    let (fraction_bits, bias, sign_bit, largest, nan, infinity) = match ty {
        // 2^128 - 2^117.
        Small::Tf32 => {
            (10, 127, 18, f64::from_bits(0x47ef_fc00_0000_0000), 0x7fff_ffff >> 13, 0x7f80_0000 >> 13)
        }
        Small::E4m3 => (3, 7, 7, 448.0, 0x7f, 0x7f),
        Small::E5m2 => (2, 15, 7, 57344.0, 0x7f, 0x7c),
        Small::E2m1 => (1, 1, 3, 6.0, 0x7, 0x7),
        Small::E2m3 => (3, 1, 5, 7.5, 0x1f, 0x1f),
        Small::E3m2 => (2, 3, 5, 28.0, 0x1f, 0x1f),
        // Apart: see `encode_power`.
        Small::Ue8m0 => (0, 127, 8, f64::from_bits((127 + 1023) << 52), 0xff, 0xff),
        Small::Half => (10, 15, 15, 65504.0, 0x7fff, 0x7c00),
        // 2^128 - 2^120.
        Small::Brain => (7, 127, 15, f64::from_bits(0x47ef_e000_0000_0000), 0x7fff, 0x7f80),
    };
    Format { fraction_bits, bias, sign_bit, largest, nan, infinity }
}

/// How a value between two numbers is rounded.
#[derive(Clone, Copy)]
enum Rule {
    /// To nearest, ties to even.
    Even,
    /// To nearest, ties away from zero.
    Away,
    /// Towards zero.
    Zero,
    /// Away from zero if the upper bits of what is cut off, plus these random ones, carry.
    Random { bits: u8, value: u32 },
}

impl Rule {
    fn new(round: Round, away: bool) -> Self {
        match round {
            _ if away => Self::Away,
            Round::Nearest => Self::Even,
            _ => Self::Zero,
        }
    }

    /// A number that is not negative, rounded to an integer.
    fn integer(self, x: f64) -> f64 {
        match self {
            Self::Even => x.round_ties_even(),
            Self::Away => x.round(),
            Self::Zero => x.trunc(),
            Self::Random { bits, value } => {
                let scale = power(bits.into());
                let cut = (x.fract() * scale).trunc();
                x.trunc() + f64::from(u8::from(cut + f64::from(value) >= scale))
            }
        }
    }
}

/// 2 to a power in the range of f64's normal numbers.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Format {
    /// The bits of a value, rounded.
    fn encode(&self, x: f64, rule: Rule, mode: FloatMode) -> u32 {
        if x.is_nan() {
            return self.nan;
        }
        let magnitude = x.abs();
        // The exponent of the last place.
        let leading = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        let place = power(leading - self.fraction_bits);
        let rounded = if magnitude.is_finite() { rule.integer(magnitude / place) * place } else { magnitude };
        let bits = if rounded > self.largest {
            if mode.satfinite || matches!(rule, Rule::Zero) && magnitude.is_finite() {
                self.pattern(self.largest)
            } else {
                self.infinity
            }
        } else {
            self.pattern(rounded)
        };
        bits | u32::from(x.is_sign_negative()) << self.sign_bit
    }

    /// The bits of a number of the format.
    fn pattern(&self, number: f64) -> u32 {
        let leading = ((number.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        let units = (number / power(leading - self.fraction_bits)) as u32;
        // A normal number has a unit at the top, which raises the exponent field by one.
        (((leading + self.bias - 1) as u32) << self.fraction_bits) + units
    }

    /// Whether there is a NaN.
    fn has_nan(&self) -> bool {
        self.pattern(self.largest) != self.nan
    }

    /// The value of some bits.
    fn decode(&self, bits: u32) -> f64 {
        let magnitude = bits & ((1 << self.sign_bit) - 1);
        let sign = if bits >> self.sign_bit & 1 != 0 { -1.0 } else { 1.0 };
        let field = (magnitude >> self.fraction_bits) as i32;
        let fraction = f64::from(magnitude & ((1 << self.fraction_bits) - 1));
        match field {
            _ if magnitude == self.infinity && self.infinity != self.nan => sign * f64::INFINITY,
            _ if magnitude >= self.infinity && self.has_nan() => f64::NAN,
            0 => sign * fraction * power(1 - self.bias - self.fraction_bits),
            _ => {
                let units = fraction + power(self.fraction_bits);
                sign * units * power(field - self.bias - self.fraction_bits)
            }
        }
    }
}

/// `.relu`.
fn rectify(x: f64, mode: FloatMode) -> f64 {
    if mode.relu && x <= 0.0 { 0.0 } else { x }
}

/// The `ue8m0` of a value: the exponent of its magnitude, which `.rp` raises unless the magnitude is a power of two. What is
/// below 2^-127 becomes that; what is beyond 2^127 becomes NaN, or with `.satfinite` 2^127.
fn encode_power(x: f64, mode: FloatMode) -> u32 {
    let magnitude = x.abs();
    if x.is_nan() {
        return 0xff;
    }
    let leading = (magnitude.to_bits() >> 52) as i32 - 1023;
    let up = mode.round == Round::Up && magnitude.to_bits() << 12 != 0;
    match leading + i32::from(up) + 127 {
        255.. if mode.satfinite => 0xfe,
        255.. => 0xff,
        // Below 2^-127 nothing is raised.
        _ if leading < -127 => 0,
        field => field as u32,
    }
}

/// The bf16 of a `ue8m0`.
fn decode_power(bits: u32) -> u32 {
    match bits & 0xff {
        0 => 0x0040,
        0xff => 0x7fff,
        field => field << 7,
    }
}

/// Executes an operation of this file; `false` if it is not one.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to.
#[inline(always)]
pub unsafe fn execute(l: &Lanes, op: &Op) -> bool {
    let mut r = [0u32; LANES];
    // SAFETY: the operands belong to the frame's function and have the widths that the operation says.
    unsafe {
        match *op {
            Op::ToSmall { to, from, away, mode, register, dst, src } => {
                let f = format(to);
                for i in lanes_of(l.mask) {
                    let bits = match from {
                        Float::F32 => l.lane::<u32>(src, i).into(),
                        _ => l.lane::<u16>(src, i).into(),
                    };
                    let x = f64::from_bits(soft::convert(Float::F64, from, bits, Round::Nearest));
                    r[i] = match to {
                        Small::Ue8m0 => encode_power(x, mode),
                        _ => f.encode(rectify(x, mode), Rule::new(mode.round, away), mode),
                    };
                }
                match register {
                    // The lower bits of a NaN are ones as well.
                    Width::W32 => {
                        l.put(dst, r.map(|x| if x & 0x3ffff == f.nan { 0x7fff_ffff } else { x << 13 }))
                    }
                    _ => l.put(dst, r.map(|x| x as u16)),
                }
            }
            Op::ToSmallRandom { to, bits, mode, dst, src, random } => {
                let f = format(to);
                for i in lanes_of(l.mask) {
                    let x = f64::from(f32::from_bits(l.lane(src, i)));
                    let value = l.lane::<u32>(random, i) & ((1 << bits) - 1);
                    r[i] = f.encode(rectify(x, mode), Rule::Random { bits, value }, mode);
                }
                l.put(dst, r.map(|x| x as u16));
            }
            Op::FromSmall { from, mode, dst, src } => {
                for i in lanes_of(l.mask) {
                    let bits = l.lane::<u16>(src, i).into();
                    r[i] = match from {
                        Small::Ue8m0 => decode_power(bits),
                        _ => {
                            let x = rectify(format(from).decode(bits), mode);
                            soft::convert(Float::F16, Float::F64, x.to_bits(), Round::Nearest) as u32
                        }
                    };
                }
                l.put(dst, r.map(|x| x as u16));
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers of the types of up to 8 bits survive the way to f64 and back, and neighbours' middles are rounded to even.
    #[test]
    fn every_number() {
        for ty in [Small::E4m3, Small::E5m2, Small::E2m1, Small::E2m3, Small::E3m2] {
            let f = format(ty);
            let mode = FloatMode { satfinite: true, ..FloatMode::DEFAULT };
            let encode = |x: f64| f.encode(x, Rule::Even, mode);
            let sign = 1 << f.sign_bit;
            let mut last = f64::NEG_INFINITY;
            for bits in 0..=f.pattern(f.largest) {
                let x = f.decode(bits);
                assert_eq!((encode(x), encode(-x)), (bits, bits | sign), "{ty:?} {bits:#x}");
                assert_eq!(f.decode(bits | sign), -x);
                assert!(x > last);
                if bits > 0 {
                    assert_eq!(encode((x + last) / 2.0) & 1, 0, "{ty:?} {bits:#x}");
                    assert_eq!(encode((x + last).mul_add(0.5, x * 1e-6)), bits);
                }
                last = x;
            }
            assert_eq!(last, f.largest);
            assert_eq!(f.decode(f.nan).is_nan(), f.has_nan());
            assert_eq!(encode(f64::NEG_INFINITY), f.pattern(f.largest) | sign);
            assert_eq!(encode(f64::NAN), f.nan);
        }
    }
}
