//! Bessel functions of orders 0 and 1, single precision. Up to 8 polynomials, between zeros of the function with the
//! distance from the zero as a factor, so that the error stays relative; beyond, amplitude and phase of a wave, both
//! polynomials in 1 / x^2.

use super::{
    exponential::__nv_logf,
    machine::{self, horner},
};

/// Order 0 of the first kind, up to 8.
pub(super) fn j0_smallf(x: f32) -> f32 {
    if x < 1.414 {
        let z = x * x;
        let p = horner!(fmaf, z, [
            -2.5e-1, 1.5625e-2, -4.3402775e-4, 6.7816504e-6, -6.778468e-8, 4.566737e-10
        ]);
        machine::fmaf(z, p, 1.0)
    } else if x < 4.0 {
        let p = horner!(fmaf, x - 2.7, [
            -4.8259383e-1, 1.388754e-1, 4.7860906e-2, -1.0996736e-2, -1.7510253e-3, 3.331666e-4,
            3.3553493e-5, -5.4380857e-6, -3.829587e-7, 5.4619782e-8
        ]);
        ((x - 2.4048254) - 1.08705905e-7) * p
    } else {
        let p = horner!(fmaf, x - 6.0, [
            3.1389537e-1, -7.753659e-2, -4.3430034e-2, 8.464996e-3, 1.6907145e-3, -2.9039267e-4,
            -3.245788e-5, 5.0463304e-6, 3.7592696e-7, -5.3644655e-8, -2.7494926e-9, 3.6891082e-10
        ]);
        ((x - 5.520078) - -7.1934146e-8) * p
    }
}

/// Order 1 of the first kind, up to 8.
pub(super) fn j1_smallf(x: f32) -> f32 {
    if x < 2.0 {
        let z = x * x;
        let p = horner!(fmaf, z, [
            5.0e-1, -6.25e-2, 2.6041628e-3, -5.4249584e-5, 6.763454e-7, -5.252546e-9
        ]);
        x * p
    } else if x < 5.4 {
        let p = horner!(fmaf, x - 3.7, [
            -4.087437e-1, 3.8238306e-2, 5.5220842e-2, -3.9750966e-3, -2.3358911e-3, 1.3711111e-4,
            4.8722188e-5, -2.4100336e-6, -6.0630816e-7, 2.4540974e-8, 4.7400635e-9
        ]);
        ((x - 3.831706) - -7.685059e-8) * p
    } else {
        let p = horner!(fmaf, x - 6.7, [
            3.0211073e-1, 8.922499e-3, -4.864326e-2, 3.7632536e-4, 2.2341572e-3, -3.6318637e-5,
            -4.8621987e-5, 8.903762e-7, 5.9980783e-7, -1.0809846e-8
        ]);
        ((x - 7.015587) - -1.8321172e-7) * p
    }
}

/// Order 0 of the second kind, up to 8.
pub(super) fn y0_smallf(x: f32) -> f32 {
    if x < 0.55 {
        let z = x * x;
        let p = horner!(fmaf, z, [
            -7.38043e-2, 1.7760602e-1, -1.6073965e-2, 5.385792e-4, -9.4123125e-6
        ]);
        machine::fmaf(core::f32::consts::FRAC_2_PI * __nv_logf(x), j0_smallf(x), p)
    } else if x < 1.4 {
        let p = horner!(fmaf, x - 0.975, [
            8.407033e-1, -4.602285e-1, 1.7303956e-1, -1.6653013e-1, 1.5196174e-1, -1.3046311e-1,
            1.1665724e-1, -1.0580794e-1, 8.24691e-2, -7.334938e-2, 1.3894933e-1, -1.3683192e-1
        ]);
        ((x - 8.93577e-1) - -1.3357979e-8) * p
    } else if x < 2.6 {
        let p = horner!(fmaf, x - 2.0, [
            4.612844e-1, -3.2017767e-1, 3.455435e-2, -8.5165014e-4, 6.582562e-3, -3.4246133e-3,
            1.3411875e-3, -5.7857594e-4, 2.6579757e-4, -1.533569e-4, 6.930175e-5
        ]);
        ((x - 8.93577e-1) - -1.3357979e-8) * p
    } else if x < 5.4 {
        let p = horner!(fmaf, x - 4.0, [
            -4.0028608e-1, 5.577207e-2, 5.7630472e-2, -7.218633e-3, -2.1408496e-3, 2.0801737e-4, 4.94715e-5,
            -4.9981777e-6, -3.1248914e-7, -1.0746911e-8, 2.2352985e-8, -4.5970743e-9
        ]);
        ((x - 3.9576783) - 1.0129118e-7) * p
    } else {
        let p = horner!(fmaf, x - 6.7, [
            3.009735e-1, 1.6873926e-2, -4.9856275e-2, -1.9667148e-4, 2.3401203e-3, -2.7636917e-5,
            -5.0691277e-5, 7.915556e-7, 6.2634956e-7, -1.0522509e-8
        ]);
        ((x - 7.086051) - 7.305812e-8) * p
    }
}

/// Order 1 of the second kind, up to 8.
pub(super) fn y1_smallf(x: f32) -> f32 {
    if x < 1.0 {
        let z = x * x;
        let p = horner!(fmaf, z, [
            -1.960571e-1, 5.434869e-2, -2.955298e-3, 7.162276e-5, -9.702472e-7
        ]);
        let log = __nv_logf(x) * j1_smallf(x);
        machine::fmaf(core::f32::consts::FRAC_2_PI, log, x * p) - core::f32::consts::FRAC_2_PI / x
    } else if x < 2.0 {
        let p = horner!(fmaf, x - 1.5, [
            5.914276e-1, -9.4519906e-2, 1.4426176e-2, -5.359395e-2, 3.8717523e-2, -2.4470305e-2,
            1.6503908e-2, -1.1136079e-2, 6.9965106e-3, -4.583302e-3, 4.704871e-3, -3.2812066e-3
        ]);
        ((x - 2.1971414) - -8.288927e-8) * p
    } else if x < 3.8 {
        let p = horner!(fmaf, x - 2.9, [
            4.21052e-1, -1.6388577e-1, -2.7352313e-2, 7.826066e-3, 2.5389933e-3, -7.845768e-4, 1.3106276e-4,
            -4.693455e-5, 1.8685883e-5, -8.8049055e-6, 3.0108292e-6
        ]);
        ((x - 2.1971414) - -8.288927e-8) * p
    } else {
        let p = horner!(fmaf, x - 5.9, [
            -3.148441e-1, 7.564228e-2, 4.2388573e-2, -7.819548e-3, -1.6792692e-3, 2.614243e-4, 3.392176e-5,
            -4.6531313e-6, -3.892543e-7, 4.707152e-8, 3.4990504e-9, -4.0955025e-10, -6.547233e-13,
            -9.118543e-13
        ]);
        ((x - 5.429681) - 2.1651435e-7) * p
    }
}

/// Amplitude times square root of 2, and phase times `x` less its linear part: order 0.
pub(super) fn wave0f(z: f32) -> (f32, f32) {
    let amplitude = horner!(fmaf, z, [
        7.978846e-1, -4.9865086e-2, 8.167257e-2, -3.27306e-1
    ]);
    let phase = horner!(fmaf, z, [
        -1.2499999e-1, 6.509197e-2, -2.0534675e-1, 1.1401428
    ]);
    (amplitude, phase)
}

/// The same of order 1.
pub(super) fn wave1f(z: f32) -> (f32, f32) {
    let amplitude = horner!(fmaf, z, [
        7.978846e-1, 1.4959969e-1, -1.530287e-1, 4.9993065e-1
    ]);
    let phase = horner!(fmaf, z, [
        3.75e-1, -1.6404606e-1, 3.652317e-1, -1.7067055
    ]);
    (amplitude, phase)
}
