//! Error functions beside `erf` and `erfc`: scaled, of the normal distribution, and the inverses.

use super::{
    exponential::{__nv_exp, __nv_expf, __nv_logf},
    machine::{self, horner},
    tangent::__nv_erff,
};

/// exp(x^2) erfc(x) of `x` that is not negative: times 1 + 2 x it is a polynomial in (x - k) / (x + k).
fn scaled(x: f64) -> f64 {
    let d = x + 3.5;
    let q = (x - 3.5) / d;
    // The quotient's rounding matters where the polynomial is steep.
    let low = machine::fma(-q, d, x - 3.5) - q * (x - (d - 3.5));
    let t = q + low / d;
    let p = horner!(fma, t, [
        1.2423492448711544, -0.14000918013761943, -0.010555596332218517, 0.09751909515325694,
        -0.11508959816018113, 0.08798315382496404, -0.048823325828076115, 0.019099330940033483,
        -0.0042150199068584394, -0.0003022678475964475, 0.00056438442099107, -0.00012151264404055977,
        -4.278229586257152e-5, 2.4261990209351784e-5, 2.3286507520620417e-6, -3.817678906342322e-6,
        -4.518247843848838e-8, 6.068717232342333e-7, -6.42543381724482e-9, -1.0169311749297213e-7,
        -7.848144877627789e-10, 1.695005794754332e-8, 6.128742893197456e-10, -2.3745715548729327e-9,
        -9.209200150357828e-11, 1.9336310832086907e-10
    ]);
    p / machine::fma(x, 2.0, 1.0)
}

/// exp(x^2) erfc(x) of `x` that is not negative.
fn scaledf(x: f32) -> f32 {
    let d = x + 3.0;
    let t = (x - 3.0) / d;
    let p = horner!(fmaf, t, [
        1.253008, -1.3562106e-1, -4.7562197e-2, 1.296439e-1, -1.1927494e-1, 6.831787e-2, -2.37646e-2,
        2.4959128e-3, 1.8763198e-3, -7.2304625e-4, -9.306629e-5, 7.600581e-5
    ]);
    p / machine::fmaf(x, 2.0, 1.0)
}

/// exp(x^2) erfc(x).
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erfcx(x: f64) -> f64 {
    let a = x.abs();
    // (inf - k) / (inf + k) is no number.
    let p = if a < 1e300 { scaled(a) } else { FRAC_1_SQRT_PI / a };
    if x >= 0.0 || x.is_nan() {
        return p;
    }
    let square = x * x;
    let e = __nv_exp(square);
    // The square's rounding matters to its exponential.
    let low = machine::fma(x, x, -square);
    let twice = machine::fma(2.0 * e, low, 2.0 * e);
    if e.is_infinite() || twice.is_infinite() { f64::INFINITY } else { twice - p }
}

/// exp(x^2) erfc(x).
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erfcxf(x: f32) -> f32 {
    let a = x.abs();
    if a < 0.5 {
        return __nv_expf(x * x) * (1.0 - __nv_erff(x));
    }
    let p = if a < 1e30 { scaledf(a) } else { FRAC_1_SQRT_PI as f32 / a };
    if x >= 0.0 || x.is_nan() {
        return p;
    }
    let square = x * x;
    let e = 2.0 * __nv_expf(square);
    if e.is_infinite() { f32::INFINITY } else { machine::fmaf(e, machine::fmaf(x, x, -square), e) - p }
}

/// 1 over the square root of pi.
const FRAC_1_SQRT_PI: f64 = 0.5641895835477563;
/// 1 over the square root of 2, in two parts.
const FRAC_1_SQRT_2: (f64, f64) = (0.7071067811865476, -4.833646656726457e-17);
const FRAC_1_SQRT_2_F: (f32, f32) = (7.07106769e-1, 1.21016175e-8);

/// Normal distribution: erfc(-x / sqrt(2)) / 2.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_normcdf(x: f64) -> f64 {
    // Beyond, the result is 0 or 1.
    let x = x.clamp(-40.0, 40.0);
    let high = -x * FRAC_1_SQRT_2.0;
    let low = machine::fma(-x, FRAC_1_SQRT_2.0, -high) - x * FRAC_1_SQRT_2.1;
    let value = libm::erfc(high);
    // exp(-high^2), by way of erfcx where it is far below 1.
    let slope = if high > 1.0 { value / scaled(high) } else { __nv_exp(-high * high) };
    0.5 * machine::fma(-2.0 * FRAC_1_SQRT_PI * slope, low, value)
}

/// Normal distribution.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_normcdff(x: f32) -> f32 {
    let x = x.clamp(-16.0, 16.0);
    let high = -x * FRAC_1_SQRT_2_F.0;
    let low = machine::fmaf(-x, FRAC_1_SQRT_2_F.0, -high) - x * FRAC_1_SQRT_2_F.1;
    let value = libm::erfcf(high);
    let slope = if high > 1.0 { value / scaledf(high) } else { __nv_expf(-high * high) };
    0.5 * machine::fmaf(-2.0 * FRAC_1_SQRT_PI as f32 * slope, low, value)
}

/// erfinv(x) / x, where `w` is -ln(1 - x^2) and `rest` 1 - |x|: a polynomial in `w` near 0, else one in its square root
/// that a step of Newton's makes exact.
fn inverse(w: f64, rest: f64, x: f64) -> f64 {
    if w < 6.25 {
        let t = w - 3.125;
        return x * horner!(fma, t, [
            1.6536545626831027, 0.24015818242558828, -0.006033670871427781, -0.0007407025341540153,
            0.0001867342080243677, -1.3882523395636197e-5, -1.3654691846149812e-6, 4.234788188931389e-7,
            -2.907038262560013e-8, -4.112661855790602e-9, 1.05121832637127e-9, -5.414243938705018e-11,
            -1.2976936639118533e-11, 2.630367459853846e-12, -8.117425762803265e-14, -3.999198569357036e-14,
            6.595215738106512e-15, -4.261872670678551e-17, -1.3007864272892022e-16, 1.574241407298307e-17,
            1.1461263771405876e-18, -3.568527776675736e-19, -1.041153920538791e-21, 3.3635677810921863e-21
        ]);
    }
    let s = machine::sqrt(w);
    let y = if s < 4.5 {
        let t = s - 3.5;
        horner!(fma, t, [
            3.335485624769253, 1.007368413362988, 0.0032805159861317252, -0.002057629089092162,
            0.001069825299458287, -0.0006982340584007891, 0.0004848627845671268, -0.00020842333092209548,
            2.8726727696755768e-5
        ])
    } else if s < 10.0 {
        let t = s - 7.25;
        horner!(fma, t, [
            7.121136634861281, 1.008340813767434, -0.0005058937702885936, 1.1437381177781028e-5,
            4.282810874174974e-6, -1.2258245765564614e-6, 2.4002362604239376e-7, -3.5115772408781536e-8,
            4.870203693014361e-9, -1.431597936184475e-9, 2.416630814009712e-10
        ])
    } else {
        let t = s - 18.5;
        horner!(fma, t, [
            18.42432204720062, 1.002634989411078, -0.00010321838694742774, 4.171472052395888e-6,
            -1.6872825023798718e-7, 6.561298953990643e-9, -2.350498667755867e-10, 1.0649628799703153e-11,
            -4.792269814891933e-13, -2.558415838890636e-14, 2.8691920302275943e-15
        ])
    };
    let y = y * x.abs();
    // y^2 - ln(erfcx(y)) = -ln(rest), whose derivative is 2 / sqrt(pi) / erfcx(y).
    let c = scaled(y);
    let square = y * y;
    let off = square + libm::log(rest) - libm::log(c) + machine::fma(y, y, -square);
    machine::fma(off * c, -0.5 / FRAC_1_SQRT_PI, y).copysign(x)
}

/// Inverse of `erf`.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erfinv(x: f64) -> f64 {
    let rest = 1.0 - x.abs();
    if rest <= 0.0 {
        return if rest == 0.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    inverse(-libm::log(rest * (1.0 + x.abs())), rest, x)
}

/// Inverse of `erfc`.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erfcinv(y: f64) -> f64 {
    // The nearer end.
    let rest = if y > 1.0 { 2.0 - y } else { y };
    if rest <= 0.0 {
        return if rest == 0.0 { f64::INFINITY.copysign(1.0 - y) } else { f64::NAN };
    }
    inverse(-libm::log(rest * (2.0 - rest)), rest, 1.0 - y)
}

/// As [`inverse`], with a polynomial everywhere.
fn inversef(w: f32, x: f32) -> f32 {
    if w < 5.0 {
        return x * horner!(fmaf, w, [
            8.862269e-1, 2.320138e-1, 1.1548665e-2, -2.3342988e-3, -1.2749458e-4, 4.4579494e-5, 3.976593e-6,
            -1.9748609e-6, 2.2083476e-7, -8.781386e-9
        ]);
    }
    let s = machine::sqrtf(w);
    let y = if s < 4.15 {
        let t = s - 3.25;
        horner!(fmaf, t, [
            3.0838857, 1.005259, 5.371216e-3, -3.751829e-3, 2.488143e-3, -1.6843623e-3, 9.6626533e-4,
            -3.6619062e-4, 1.5875697e-6, 8.470609e-5, -3.0672712e-5
        ])
    } else {
        let t = s - 7.0;
        horner!(fmaf, t, [
            6.8690195, 1.0085956, -5.1289523e-4, 6.3768894e-6, 6.257152e-6, -1.6629889e-6, 2.5604604e-7,
            -4.452869e-8, 1.5125886e-8, -2.2624476e-9
        ])
    };
    y * x
}

/// Inverse of `erf`.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erfinvf(x: f32) -> f32 {
    let rest = 1.0 - x.abs();
    if rest <= 0.0 {
        return if rest == 0.0 { f32::INFINITY.copysign(x) } else { f32::NAN };
    }
    inversef(-__nv_logf(rest * (1.0 + x.abs())), x)
}

/// Inverse of `erfc`.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_erfcinvf(y: f32) -> f32 {
    let rest = if y > 1.0 { 2.0 - y } else { y };
    if rest <= 0.0 {
        return if rest == 0.0 { f32::INFINITY.copysign(1.0 - y) } else { f32::NAN };
    }
    inversef(-__nv_logf(rest * (2.0 - rest)), 1.0 - y)
}

/// Inverse of the normal distribution.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_normcdfinv(p: f64) -> f64 {
    let value = -__nv_erfcinv(2.0 * p);
    if value.is_infinite() {
        return value;
    }
    machine::fma(value, -9.667293313452913e-17, value * core::f64::consts::SQRT_2)
}

/// Inverse of the normal distribution.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_normcdfinvf(p: f32) -> f32 {
    -core::f32::consts::SQRT_2 * __nv_erfcinvf(2.0 * p)
}
