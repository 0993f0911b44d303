//! Gamma function and arc sine in single precision; logarithm of the gamma function.

use super::{
    exponential::__nv_logf,
    machine::{self, fmaf, horner},
    trig::__nv_sinpif,
};

/// Gamma function: of an argument in [1, 2) by a polynomial, else by the recurrence, whose product is kept in two parts.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_tgammaf(x: f32) -> f32 {
    if !(x > -43.0 && x < 36.0) {
        // Large negative numbers that are no integers give a zero whose sign alternates.
        let whole = machine::truncf(x);
        return if x > 0.0 {
            f32::INFINITY
        } else if x == whole || x.is_nan() {
            f32::NAN
        } else if machine::truncf(whole * 0.5) * 2.0 == whole {
            -0.0
        } else {
            0.0
        };
    }
    if x.abs() < 1e-8 {
        // 1 / x - 0.577...
        return 1.0 / x;
    }
    let whole = machine::rintf(x - 1.5);
    if x <= 0.0 && x == machine::truncf(x) {
        return f32::NAN;
    }
    let t = (x - whole) - 1.5;
    let g = horner!(fmaf, t, [
        8.8622695e-1, 3.2338403e-2, 4.1481343e-1, -1.07295245e-1, 1.4464638e-1, -7.7509195e-2, 5.858865e-2,
        -3.8187657e-2, 2.6057227e-2, -1.603008e-2, 1.0386845e-2, -1.1228706e-2, 7.94538e-3
    ]);
    // The powers of 2 keep the product of up to 44 factors in range.
    let (mut product, mut low) = (5.421010862427522e-20, 0.0);
    let mut multiply = |factor: f32, factor_low: f32| {
        let p = product * factor;
        low = fmaf(product, factor, -p) + (low * factor + product * factor_low);
        product = p;
    };
    let mut k = machine::to_intf(whole);
    if k >= 0 {
        while k > 0 {
            multiply(x - k as f32, 0.0);
            k -= 1;
        }
        return fmaf(g, product, g * low) * 18446744073709551616.0;
    }
    while k < 0 {
        k += 1;
        let offset = -k as f32;
        let sum = x + offset;
        let part = sum - x;
        multiply(sum, (x - (sum - part)) + (offset - part));
    }
    let quotient = g / product;
    fmaf(quotient, -low / product, quotient) * 5.421010862427522e-20
}

/// Logarithm of the gamma function's magnitude.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_lgammaf(x: f32) -> f32 {
    let positive = libm::lgammaf(x.abs());
    // Near 0 it is -ln |x| on both sides; the product below would underflow.
    if x > -4.7683716e-7 || x.is_nan() {
        return positive;
    }
    // Reflected.
    let sine = __nv_sinpif(x).abs();
    if sine == 0.0 || sine.is_nan() {
        return f32::INFINITY;
    }
    __nv_logf(core::f32::consts::PI / (x.abs() * sine)) - positive
}

/// Arc sine.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_asinf(x: f32) -> f32 {
    let a = x.abs();
    let outer = a > 0.5;
    // asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
    let z = if outer { fmaf(a, -0.5, 0.5) } else { a * a };
    let s = if outer { machine::sqrtf(z) } else { a };
    let p = horner!(fmaf, z, [
        1.6666673e-1, 7.498761e-2, 4.5020267e-2, 2.6433034e-2, 3.8328964e-2
    ]);
    let r = fmaf(s * z, p, s);
    (if outer { fmaf(r, -2.0, -4.37113883e-8) + core::f32::consts::FRAC_PI_2 } else { r }).copysign(x)
}
