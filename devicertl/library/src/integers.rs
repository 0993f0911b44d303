//! Conversions between floating-point numbers and integers of 128 bits, which LLVM's back end for GPUs cannot compile: our passes
//! (`passes/src/repairs/wide_integers.rs`) call these functions, which are named as in LLVM's and GCC's libraries.

use crate::c_functions;

/// The absolute value of a number without its fraction, and whether it is negative. What is out of the range of 128 bits gives anything
/// (ISO C 6.3.1.4).
fn magnitude(x: f64) -> (u128, bool) {
    let bits = x.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i32 - 1075, bits & ((1 << 52) - 1) | 1 << 52);
    let magnitude = match exponent {
        // Less than 1, or with a fraction.
        ..-52 => 0,
        -52..0 => u128::from(mantissa >> -exponent),
        0.. => u128::from(mantissa).wrapping_shl(exponent as u32),
    };
    (magnitude, x.is_sign_negative())
}

fn signed(x: f64) -> i128 {
    let (magnitude, negative) = magnitude(x);
    let number = magnitude as i128;
    if negative { number.wrapping_neg() } else { number }
}

/// The upper bits of a number, of which only so many count that rounding them rounds the number, and the power of 2 that they count.
fn upper(number: u128) -> (u64, u32) {
    let shift = 64_u32.saturating_sub(number.leading_zeros());
    let lost = number & ((1 << shift) - 1) != 0;
    ((number >> shift) as u64 | u64::from(lost), shift)
}

fn to_double(number: u128) -> f64 {
    let (upper, shift) = upper(number);
    upper as f64 * f64::from_bits(u64::from(1023 + shift) << 52)
}

fn to_float(number: u128) -> f32 {
    let (upper, shift) = upper(number);
    upper as f32 * f32::from_bits((127 + shift) << 23)
}

c_functions! {
    /// A signed integer from a `double`.
    fn __fixdfti(x: f64) -> i128 {
        signed(x)
    }
    /// A signed integer from a `float`.
    fn __fixsfti(x: f32) -> i128 {
        signed(x.into())
    }
    /// An unsigned integer from a `double`.
    fn __fixunsdfti(x: f64) -> u128 {
        magnitude(x).0
    }
    /// An unsigned integer from a `float`.
    fn __fixunssfti(x: f32) -> u128 {
        magnitude(x.into()).0
    }
    /// A `double` from a signed integer.
    fn __floattidf(number: i128) -> f64 {
        to_double(number.unsigned_abs()).copysign(if number < 0 { -1.0 } else { 1.0 })
    }
    /// A `float` from a signed integer.
    fn __floattisf(number: i128) -> f32 {
        to_float(number.unsigned_abs()).copysign(if number < 0 { -1.0 } else { 1.0 })
    }
    /// A `double` from an unsigned integer.
    fn __floatuntidf(number: u128) -> f64 {
        to_double(number)
    }
    /// A `float` from an unsigned integer.
    fn __floatuntisf(number: u128) -> f32 {
        to_float(number)
    }
}
