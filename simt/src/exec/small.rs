//! Conversions to and from the small floating-point types: tf32, e4m3, e5m2 (PTX ISA 5.2.3, "Alternate Floating-Point Data
//! Formats", and "cvt").
//!
//! Every f16 and f32 is an f64, in which scaling by powers of two is exact, so that a value is rounded once.

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]

use super::lanes::{Lanes, lanes_of};
use super::soft;
use crate::code::{Float, FloatMode, LANES, Op, Round, Small, Width};

/// A format with a sign, an exponent and a fraction.
struct Format {
    fraction_bits: i32,
    bias: i32,
    /// The largest number.
    largest: f64,
    /// Canonical NaN and infinity, without sign; no infinity: NaN.
    nan: u32,
    infinity: u32,
}

const fn format(ty: Small) -> Format {
    match ty {
        Small::Tf32 => Format {
            fraction_bits: 10,
            bias: 127,
            // 2^128 - 2^117.
            largest: f64::from_bits(0x47ef_fc00_0000_0000),
            nan: 0x7fff_ffff >> 13,
            infinity: 0x7f80_0000 >> 13,
        },
        Small::E4m3 => Format { fraction_bits: 3, bias: 7, largest: 448.0, nan: 0x7f, infinity: 0x7f },
        Small::E5m2 => Format { fraction_bits: 2, bias: 15, largest: 57344.0, nan: 0x7f, infinity: 0x7c },
    }
}

/// 2 to a power in the range of f64's normal numbers.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Format {
    /// The bits of a value, rounded. `away`: to nearest, ties away from zero.
    fn encode(&self, x: f64, round: Round, away: bool, mode: FloatMode) -> u32 {
        if x.is_nan() {
            return self.nan;
        }
        let magnitude = x.abs();
        // The exponent of the last place.
        let leading = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        let place = power(leading - self.fraction_bits);
        let units = magnitude / place;
        let rounded = match round {
            _ if away => units.round(),
            Round::Nearest => units.round_ties_even(),
            _ => units.trunc(),
        } * place;
        let rounded = if magnitude.is_finite() { rounded } else { magnitude };
        let bits = if rounded > self.largest {
            if mode.satfinite || round == Round::Zero && magnitude.is_finite() {
                self.pattern(self.largest)
            } else {
                self.infinity
            }
        } else {
            self.pattern(rounded)
        };
        let sign_bit = if self.bias == 127 { 18 } else { 7 };
        bits | u32::from(x.is_sign_negative()) << sign_bit
    }

    /// The bits of a number of the format.
    fn pattern(&self, number: f64) -> u32 {
        let leading = ((number.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        let units = (number / power(leading - self.fraction_bits)) as u32;
        // A normal number has a unit at the top, which raises the exponent field by one.
        (((leading + self.bias - 1) as u32) << self.fraction_bits) + units
    }

    /// The value of a byte.
    fn decode(&self, bits: u32) -> f64 {
        let magnitude = bits & 0x7f;
        let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
        let field = (magnitude >> self.fraction_bits) as i32;
        let fraction = f64::from(magnitude & ((1 << self.fraction_bits) - 1));
        match field {
            _ if magnitude == self.infinity && self.infinity != self.nan => sign * f64::INFINITY,
            _ if magnitude >= self.infinity => f64::NAN,
            0 => sign * fraction * power(1 - self.bias - self.fraction_bits),
            _ => {
                let units = fraction + power(self.fraction_bits);
                sign * units * power(field - self.bias - self.fraction_bits)
            }
        }
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
                    let x = if mode.relu && x <= 0.0 { 0.0 } else { x };
                    r[i] = f.encode(x, mode.round, away, mode);
                }
                match register {
                    // The lower bits of a NaN are ones as well.
                    Width::W32 => {
                        l.put(dst, r.map(|x| if x & 0x3ffff == f.nan { 0x7fff_ffff } else { x << 13 }))
                    }
                    _ => l.put(dst, r.map(|x| x as u16)),
                }
            }
            Op::FromSmall { from, mode, dst, src } => {
                for i in lanes_of(l.mask) {
                    let x = format(from).decode(l.lane::<u16>(src, i).into());
                    let x = if mode.relu && x <= 0.0 { 0.0 } else { x };
                    r[i] = soft::convert(Float::F16, Float::F64, x.to_bits(), Round::Nearest) as u32;
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

    /// All numbers of the types of 8 bits survive the way to f64 and back, and neighbours' middles are rounded to even.
    #[test]
    fn every_byte() {
        for ty in [Small::E4m3, Small::E5m2] {
            let f = format(ty);
            let mode = FloatMode { satfinite: true, ..FloatMode::DEFAULT };
            let encode = |x: f64| f.encode(x, Round::Nearest, false, mode);
            let mut last = f64::NEG_INFINITY;
            for bits in 0..f.infinity {
                let x = f.decode(bits);
                assert_eq!((encode(x), encode(-x)), (bits, bits | 0x80), "{ty:?} {bits:#x}");
                assert!(x > last);
                if bits > 0 {
                    assert_eq!(encode((x + last) / 2.0) & 1, 0, "{ty:?} {bits:#x}");
                    assert_eq!(encode((x + last).mul_add(0.5, x * 1e-6)), bits);
                }
                last = x;
            }
            assert_eq!(last, f.largest);
            assert!(f.decode(0x7f).is_nan());
            assert_eq!(f.encode(f64::INFINITY, Round::Nearest, false, mode), f.pattern(f.largest));
            assert_eq!(encode(f64::NAN), 0x7f);
        }
    }
}
