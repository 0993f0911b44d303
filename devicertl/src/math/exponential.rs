//! Exponential functions, logarithms in single precision, and integer powers.

use super::machine::{self, fmaf, horner, rint, rintf};

/// `x` times 2 to the power `n`, which is in [-300, 300].
fn scaled(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    let power = |n: i32| f32::from_bits(((n + 127) as u32) << 23);
    x * power(half) * power(n - half)
}

/// The exponential of `high + low`, times 2 to the power `n`; `high` lies in [-ln 2 / 2, ln 2 / 2].
fn exponential(high: f32, low: f32, n: i32) -> f32 {
    let p = horner!(fmaf, high, [5.0e-1, 1.666652e-1, 4.166621e-2, 8.368887e-3, 1.3950397e-3]);
    scaled(fmaf(high * high, p, low) + high + 1.0, n)
}

/// ln 2 in two parts.
const LN_2: (f32, f32) = (6.93147182e-1, -1.90465421e-9);

/// Exponential.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_expf(x: f32) -> f32 {
    // Beyond, the result is 0 or infinite; a NaN stays.
    let x = x.clamp(-150.0, 128.0);
    let n = rintf(x * core::f32::consts::LOG2_E);
    exponential(fmaf(n, -LN_2.1, fmaf(n, -LN_2.0, x)), 0.0, machine::to_intf(n))
}

/// 10 to the power `x`.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_exp10f(x: f32) -> f32 {
    let x = x.clamp(-64.0, 64.0);
    let n = rintf(x * core::f32::consts::LOG2_10);
    // log10(2) in two parts, then ln(10) in two parts.
    let rest = fmaf(n, 1.43209888e-8, fmaf(n, -3.01030010e-1, x));
    let high = rest * 2.30258512e0;
    let low = fmaf(rest, -3.19754356e-8, fmaf(rest, 2.30258512e0, -high));
    exponential(high, low, machine::to_intf(n))
}

/// 2 to the power `x`: the machine's approximation is as good as the others' polynomial.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_exp2f(x: f32) -> f32 {
    machine::exp2_approxf(x)
}

/// 10 to the power `x`.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_exp10(x: f64) -> f64 {
    let x = x.clamp(-400.0, 400.0);
    let n = rint(x * core::f64::consts::LOG2_10);
    let rest = machine::fma(n, 2.8037281277851704e-18, machine::fma(n, -0.3010299956639812, x));
    let high = rest * core::f64::consts::LN_10;
    let low = machine::fma(rest, -2.1707562233822494e-16, machine::fma(rest, core::f64::consts::LN_10, -high));
    let (value, rest) = exponential_parts(high, low);
    scaled_double(value + rest, machine::to_int(n))
}

/// `x` less `n` times ln 2.
fn reduced(x: f64, n: f64) -> f64 {
    machine::fma(n, -2.3190468138462996e-17, machine::fma(n, -core::f64::consts::LN_2, x))
}

/// Exponential.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_exp(x: f64) -> f64 {
    let x = x.clamp(-800.0, 800.0);
    let n = rint(x * core::f64::consts::LOG2_E);
    let (value, rest) = exponential_parts(reduced(x, n), 0.0);
    scaled_double(value + rest, machine::to_int(n))
}

/// The exponential of `x`, whose result and that over it are normal numbers, in two parts.
pub(super) fn parts(x: f64) -> (f64, f64) {
    let n = rint(x * core::f64::consts::LOG2_E);
    let (value, rest) = exponential_parts(reduced(x, n), 0.0);
    let power = f64::from_bits(((machine::to_int(n) + 1023) as u64) << 52);
    let sum = value + rest;
    (sum * power, ((value - sum) + rest) * power)
}

/// The exponential of `high + low` in two parts; `high` lies in [-ln 2 / 2, ln 2 / 2].
fn exponential_parts(high: f64, low: f64) -> (f64, f64) {
    let p = horner!(
        fma,
        high,
        [
            0.5,
            0.16666666666666682,
            0.04166666666666673,
            0.008333333333316983,
            0.001388888888885877,
            0.00019841269896612204,
            2.4801587373306232e-05,
            2.7557234570032653e-06,
            2.755723361845828e-07,
            2.511215302653917e-08,
            2.0926887180070016e-09
        ]
    );
    let sum = 1.0 + high;
    (sum, (high - (sum - 1.0)) + machine::fma(high * high, p, low))
}

/// `x` times 2 to the power `n`, which is in [-2000, 2000].
fn scaled_double(x: f64, n: i32) -> f64 {
    let half = n >> 1;
    let power = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    x * power(half) * power(n - half)
}

/// A positive number as 2 to the power `exponent`, times `1 + f` with `f` in [-1/3, 1/3].
struct Mantissa {
    exponent: f32,
    f: f32,
    /// ln(1 + f) - f.
    rest: f32,
}

fn mantissa(x: f32) -> Mantissa {
    let subnormal = x < f32::MIN_POSITIVE;
    let bits = (if subnormal { x * 8388608.0 } else { x }).to_bits();
    // 2/3 is the least mantissa.
    let exponent = bits.wrapping_sub(0x3f2aaaab) & 0xff800000;
    let f = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let p = horner!(
        fmaf,
        f,
        [
            -5.0e-1,
            3.3333212e-1,
            -2.4999525e-1,
            2.0010562e-1,
            -1.6689056e-1,
            1.4003813e-1,
            -1.2082665e-1,
            1.3993031e-1,
            -1.329605e-1
        ]
    );
    let exponent = (exponent as i32 >> 23) as f32 - if subnormal { 23.0 } else { 0.0 };
    Mantissa { exponent, f, rest: f * f * p }
}

/// The logarithm `value` of `x`, or what it is where `x` is no positive finite number.
fn checked(x: f32, value: f32) -> f32 {
    if x > 0.0 && x < f32::INFINITY {
        value
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x < 0.0 {
        f32::NAN
    } else {
        x
    }
}

/// Natural logarithm.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_logf(x: f32) -> f32 {
    let Mantissa { exponent, f, rest } = mantissa(x);
    checked(x, fmaf(exponent, LN_2.0, fmaf(exponent, LN_2.1, rest) + f))
}

/// Logarithm to base 2.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_log2f(x: f32) -> f32 {
    let Mantissa { exponent, f, rest } = mantissa(x);
    // log2(e) in two parts.
    let low = fmaf(f, 1.92596303e-8, rest * 1.44269502e0);
    checked(x, exponent + fmaf(f, 1.44269502e0, low))
}

/// Logarithm to base 10.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_log10f(x: f32) -> f32 {
    let Mantissa { exponent, f, rest } = mantissa(x);
    // log10(e) and log10(2), each in two parts.
    let low = fmaf(f, -1.01030500e-8, rest * 4.34294492e-1);
    let low = fmaf(exponent, -1.43209888e-8, low);
    checked(x, fmaf(exponent, 3.01030010e-1, fmaf(f, 4.34294492e-1, low)))
}

macro_rules! powi {
    ($($name:ident: $t:ident;)*) => { $(
        /// `x` to the power `n`, by repeated squaring.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: $t, n: i32) -> $t {
            let (mut base, mut left, mut result) = (x, n.unsigned_abs(), 1.0);
            while left != 0 {
                if left & 1 != 0 {
                    result *= base;
                }
                base *= base;
                left >>= 1;
            }
            if n < 0 { 1.0 / result } else { result }
        }
    )* };
}
powi! {
    __nv_powi: f64;
    __nv_powif: f32;
}
