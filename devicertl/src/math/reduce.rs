//! Reduction of an angle to a quarter turn around 0, for `sin`, `cos` and `tan`.
//!
//! Small angles by Cody and Waite's method with fused multiply-adds: pi/2 is a sum of three numbers. Large ones by
//! Payne and Hanek's: the bits of 2/pi that matter for the exponent, times the mantissa, as integers.

use super::machine::{fma, fmaf, to_int, to_intf};

/// Bits of 2/pi behind the point, after a word of zeros: enough for the largest exponent.
static TWO_OVER_PI: [u64; 20] = [
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
];

/// 64 bits of the table from bit `at` on.
fn window(at: u32) -> u64 {
    let word = |i: u32| {
        // SAFETY: the minimum is inside.
        unsafe { *TWO_OVER_PI.get_unchecked(i.min(TWO_OVER_PI.len() as u32 - 1) as usize) }
    };
    let (i, shift) = (at / 64, at % 64);
    word(i) << shift | word(i + 1) >> 1 >> (63 - shift)
}

/// Where the window must start for an integer times 2 to the power `exponent`, so that the upper two bits of the
/// product are the number of quarter turns: whole turns fall out at the top.
fn start(exponent: i32) -> u32 {
    (exponent + 62) as u32
}

/// An angle in [-pi/4, pi/4] as a sum of two numbers, and the quarter turns that lie before it, modulo 4.
pub struct Angle<T> {
    /// The greater part.
    pub high: T,
    /// What rounding took from it.
    pub low: T,
    /// Quarter turns.
    pub quarters: i32,
}

/// pi/2 in three parts.
const HALF_PI: [f64; 3] = [core::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];
/// Up to here the quarter turns, times the first part of pi/2, differ from the angle by an exact number.
const SMALL: f64 = 1073741824.0;
/// Distance of two neighbours of 53 bits, relative.
const ULP: f64 = 1.0 / 9007199254740992.0;

/// Reduces `x`.
pub fn angle(x: f64) -> Angle<f64> {
    if x.abs() >= SMALL {
        return large_angle(x);
    }
    // A NaN becomes some integer and stays a NaN below.
    let quarters = to_int(x * core::f64::consts::FRAC_2_PI);
    let q = -(quarters as f64);
    let high = fma(q, HALF_PI[2], fma(q, HALF_PI[1], fma(q, HALF_PI[0], x)));
    Angle { high, low: 0.0, quarters }
}

/// The same with the low part for small angles too, which the tangent needs.
pub fn precise_angle(x: f64) -> Angle<f64> {
    if x.abs() >= SMALL {
        return large_angle(x);
    }
    let quarters = to_int(x * core::f64::consts::FRAC_2_PI);
    let q = -(quarters as f64);
    let first = fma(q, HALF_PI[0], x);
    let second = q * HALF_PI[1];
    let high = first + second;
    // The rounding of the sum, whichever of the two is larger, and that of the product.
    let part = high - first;
    let low = (first - (high - part)) + (second - part);
    Angle { high, low: fma(q, HALF_PI[2], low + fma(q, HALF_PI[1], -second)), quarters }
}

#[cold]
#[inline(never)]
fn large_angle(x: f64) -> Angle<f64> {
    if !x.is_finite() {
        return Angle { high: x * 0.0, low: 0.0, quarters: 0 };
    }
    let bits = x.to_bits();
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let at = start((bits >> 52) as i32 % 2048 - 1075);
    let product = ((mantissa.wrapping_mul(window(at)) as u128) << 64)
        .wrapping_add(mantissa as u128 * window(at + 64) as u128)
        .wrapping_add((mantissa as u128 * window(at + 128) as u128) >> 64);
    // Quarter turns in [-1/2, 1/2), scaled by 2 to the power 128.
    let (upper, lower) = (((product << 2) >> 64) as i64, (product << 2) as u64);
    let quarters = (product >> 126) as i32 + (upper < 0) as i32;
    // No double is so near to a quarter turn that the shift would be 64. A shift of all 128 bits is no instruction.
    let shift = (upper ^ upper >> 63).leading_zeros() - 1;
    let (upper, lower) = (upper << shift | (lower >> 1 >> (63 - shift)) as i64, lower << shift);
    let scale = f64::from_bits(((1023 - 53 - shift) as u64) << 52);
    let a = (upper >> 11) as f64 * scale;
    let b = ((upper & 0x7ff) << 42 | (lower >> 22) as i64) as f64 * (scale * ULP);
    let high = a * HALF_PI[0];
    let low = fma(a, HALF_PI[1], fma(a, HALF_PI[0], -high)) + b * HALF_PI[0];
    let (high, low) = (high + low, low - ((high + low) - high));
    if x < 0.0 { Angle { high: -high, low: -low, quarters: -quarters } } else { Angle { high, low, quarters } }
}

/// pi/2 in three parts.
const HALF_PI_F: [f32; 3] = [1.570796371e0, -4.371138829e-8, -1.715124510e-15];
/// As [`SMALL`]: the product of quarter turns and first part has an exact difference from the angle.
const SMALL_F: f32 = 65536.0;

/// Reduces `x`.
pub fn anglef(x: f32) -> Angle<f32> {
    if x.abs() >= SMALL_F {
        return large_anglef(x);
    }
    let quarters = to_intf(x * core::f32::consts::FRAC_2_PI);
    let q = -(quarters as f32);
    let high = fmaf(q, HALF_PI_F[2], fmaf(q, HALF_PI_F[1], fmaf(q, HALF_PI_F[0], x)));
    Angle { high, low: 0.0, quarters }
}

#[cold]
#[inline(never)]
fn large_anglef(x: f32) -> Angle<f32> {
    if !x.is_finite() {
        return Angle { high: x * 0.0, low: 0.0, quarters: 0 };
    }
    let bits = x.to_bits();
    let mantissa = (bits & ((1 << 23) - 1) | 1 << 23) as u64;
    let at = start((bits >> 23) as i32 % 256 - 150);
    let product = mantissa
        .wrapping_mul(window(at))
        .wrapping_add(((mantissa as u128 * window(at + 64) as u128) >> 64) as u64);
    // Quarter turns in [-1/2, 1/2), scaled by 2 to the power 64.
    let part = (product << 2) as i64;
    let quarters = (product >> 62) as i32 + (part < 0) as i32;
    let high = part as f32 * (core::f32::consts::FRAC_PI_2 / 18446744073709551616.0);
    if x < 0.0 { Angle { high: -high, low: 0.0, quarters: -quarters } } else { Angle { high, low: 0.0, quarters } }
}
