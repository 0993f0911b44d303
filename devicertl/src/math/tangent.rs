//! Hyperbolic tangent, arc tangent, and the error function in single precision.

use super::{
    exponential::{self, __nv_expf},
    machine::{self, fmaf, horner},
};

/// Hyperbolic tangent: 1 - 2 / (exp(2 x) + 1), with what rounding takes from the exponential and the quotient.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_tanh(x: f64) -> f64 {
    let a = x.abs();
    if a < 0.55 {
        let z = x * x;
        let p = horner!(fma, z, [
            -0.3333333333333329, 0.133333333333251, -0.053968253962740735, 0.021869488353882433,
            -0.008863232042703043, 0.003592086102723537, -0.0014555031524081706, 0.0005882758187047057,
            -0.00023294057547422652, 8.266949075065554e-5, -1.908716406672918e-5
        ]);
        // The sum of -0 and what its cube rounds to is +0.
        return machine::fma(x * z, p, x).copysign(x);
    }
    // Beyond, the result is 1; a NaN stays.
    let (e, e_low) = exponential::parts(a.clamp(0.0, 20.0) * 2.0);
    let d = e + 1.0;
    let low = (e - (d - 1.0)) + e_low;
    let t = 2.0 / d;
    let t_low = (machine::fma(-t, d, 2.0) - t * low) * (t * 0.5);
    ((1.0 - t) - t_low).copysign(x)
}

/// Hyperbolic tangent.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_tanhf(x: f32) -> f32 {
    let a = x.abs();
    if a < 0.55 {
        let z = x * x;
        let p = horner!(fmaf, z, [
            -3.3333316e-1, 1.3332513e-1, -5.384344e-2, 2.1031275e-2, -6.21243e-3
        ]);
        return fmaf(x * z, p, x).copysign(x);
    }
    (1.0 - 2.0 / (__nv_expf(a * 2.0) + 1.0)).copysign(x)
}

/// Error function: near 0 a polynomial, else 1 - exp(x p(x)).
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erff(x: f32) -> f32 {
    let a = x.abs();
    if a < 1.0 {
        let z = x * x;
        let p = horner!(fmaf, z, [
            1.2837917e-1, -3.7612626e-1, 1.12836e-1, -2.6854446e-2, 5.1895366e-3, -8.0208457e-4, 7.889119e-5
        ]);
        return fmaf(x, p, x);
    }
    // Beyond, the result is 1; a NaN stays.
    let a = a.clamp(0.0, 4.0);
    let t = a - 2.4;
    let p = horner!(fmaf, t, [
        -3.0337396, -8.8770694e-1, -2.1997755e-2, 4.261252e-3, -7.8434e-4, 1.2798831e-4, -1.4915189e-5,
        5.894074e-6, 1.947076e-6
    ]);
    (1.0 - __nv_expf(a * p)).copysign(x)
}

macro_rules! arc_tangents {
    ($($t:ident: $kernel:ident $atan:ident $atan2:ident $half_pi_low:literal;)*) => { $(
        /// Arc tangent.
        #[unsafe(no_mangle)]
        pub extern "C" fn $atan(x: $t) -> $t {
            let a = x.abs();
            // atan(x) = pi / 2 - atan(1 / x).
            let r = if a > 1.0 {
                core::$t::consts::FRAC_PI_2 - ($kernel(1.0 / a) - $half_pi_low)
            } else {
                $kernel(a)
            };
            r.copysign(x)
        }
        /// Angle of a point.
        #[unsafe(no_mangle)]
        pub extern "C" fn $atan2(y: $t, x: $t) -> $t {
            let (a, b) = (x.abs(), y.abs());
            if x.is_nan() || y.is_nan() {
                return x + y;
            }
            let (larger, smaller) = if b > a { (b, a) } else { (a, b) };
            let quotient = if larger == 0.0 {
                0.0
            } else if smaller == $t::INFINITY {
                1.0
            } else {
                smaller / larger
            };
            let r = $kernel(quotient);
            let r = if b > a { core::$t::consts::FRAC_PI_2 - (r - $half_pi_low) } else { r };
            let r = if x.is_sign_negative() { core::$t::consts::PI - (r - 2.0 * $half_pi_low) } else { r };
            r.copysign(y)
        }
    )* };
}
arc_tangents! {
    f64: kernel __nv_atan __nv_atan2 6.123233995736766e-17;
    f32: kernelf __nv_atanf __nv_atan2f -4.37113883e-8;
}

/// Arc tangent of `x` in [0, 1].
fn kernel(x: f64) -> f64 {
    let z = x * x;
    let p = horner!(fma, z, [
        -0.3333333333333328, 0.19999999999981652, -0.14285714284131185, 0.1111111104887776,
        -0.09090907690676417, 0.07692287385084401, -0.0666646255271781, 0.05880860522642828,
        -0.0525494363107967, 0.047270011674663145, -0.0423108926954187, 0.036878363112463654,
        -0.03027027129014818, 0.022426028019593192, -0.014308727759747444, 0.0074809363359319885,
        -0.0030292643124315063, 0.0008816487561159501, -0.00016293588326447774, 1.4292793207901358e-5
    ]);
    machine::fma(x * z, p, x)
}

/// Arc tangent of `x` in [0, 1].
fn kernelf(x: f32) -> f32 {
    let z = x * x;
    let p = horner!(fmaf, z, [
        -3.333331e-1, 1.999888e-1, -1.4267592e-1, 1.09690376e-1, -8.451121e-2, 5.8751848e-2, -3.1951107e-2,
        1.1321487e-2, -1.8829951e-3
    ]);
    fmaf(x * z, p, x)
}
