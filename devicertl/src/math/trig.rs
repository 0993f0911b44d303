//! Sine, cosine and tangent, of an angle in radians or in half turns.

use super::{
    machine::{self, horner},
    reduce::{self, Angle},
};

/// Sine of an angle in [-pi/4, pi/4].
fn kernel_sin(high: f64, low: f64) -> f64 {
    let z = high * high;
    let p = horner!(
        fma,
        z,
        [
            -0.16666666666666632,
            0.008333333333322453,
            -0.00019841269829815167,
            2.755731368849623e-06,
            -2.5050756873325798e-08,
            1.5896691080324426e-10
        ]
    );
    high + machine::fma(high * z, p, machine::fma(-0.5 * z, low, low))
}

/// Cosine of an angle in [-pi/4, pi/4].
fn kernel_cos(high: f64, low: f64) -> f64 {
    let z = high * high;
    let p = horner!(
        fma,
        z,
        [
            0.041666666666666616,
            -0.001388888888887601,
            2.4801587290492546e-05,
            -2.755731460863242e-07,
            2.087575437436971e-09,
            -1.1361103211531552e-11
        ]
    );
    let half = 0.5 * z;
    let one = 1.0 - half;
    one + machine::fma(z * z, p, machine::fma(-high, low, (1.0 - one) - half))
}

/// Sine of an angle in [-pi/4, pi/4].
fn kernel_sinf(high: f32, low: f32) -> f32 {
    let z = high * high;
    let p = horner!(fmaf, z, [-1.6666655e-1, 8.332176e-3, -1.9516975e-4]);
    high + machine::fmaf(high * z, p, low)
}

/// Cosine of an angle in [-pi/4, pi/4].
fn kernel_cosf(high: f32, low: f32) -> f32 {
    let z = high * high;
    let p = horner!(fmaf, z, [-0.5, 4.1666646e-2, -1.3887372e-3, 2.4438765e-5]);
    machine::fmaf(z, p, machine::fmaf(-high, low, 1.0))
}

macro_rules! trigonometric {
    ($($t:ident: $angle:ident $precise_angle:ident $kernel_sin:ident $kernel_cos:ident $fma:ident $to_int:ident $rint:ident
        $pi:expr, $pi_low:expr;
        $sin:ident $cos:ident $tan:ident $sincos:ident $sinpi:ident $cospi:ident $sincospi:ident
        $of_angle:ident $half_turns:ident;
    )*) => { $(
        /// Sine and cosine; the compiler drops what is not used.
        pub(super) fn $of_angle(angle: Angle<$t>) -> ($t, $t) {
            let (s, c) = ($kernel_sin(angle.high, angle.low), $kernel_cos(angle.high, angle.low));
            let (s, c) = if angle.quarters & 1 == 0 { (s, c) } else { (c, -s) };
            if angle.quarters & 2 == 0 { (s, c) } else { (-s, -c) }
        }
        /// Sine.
        #[unsafe(no_mangle)]
        pub extern "C" fn $sin(x: $t) -> $t {
            let angle = reduce::$angle(x);
            // One kernel runs: the other's argument would be thrown away.
            let value = if angle.quarters & 1 == 0 {
                $kernel_sin(angle.high, angle.low)
            } else {
                $kernel_cos(angle.high, angle.low)
            };
            // The sum with the low part must not turn -0 to 0.
            let value = if x == 0.0 { x } else { value };
            if angle.quarters & 2 == 0 { value } else { -value }
        }
        /// Cosine.
        #[unsafe(no_mangle)]
        pub extern "C" fn $cos(x: $t) -> $t {
            let angle = reduce::$angle(x);
            let value = if angle.quarters & 1 == 0 {
                $kernel_cos(angle.high, angle.low)
            } else {
                $kernel_sin(angle.high, angle.low)
            };
            if (angle.quarters + 1) & 2 == 0 { value } else { -value }
        }
        /// Tangent.
        #[unsafe(no_mangle)]
        pub extern "C" fn $tan(x: $t) -> $t {
            let angle = reduce::$precise_angle(x);
            let odd = angle.quarters & 1 != 0;
            let (s, c) = ($kernel_sin(angle.high, angle.low), $kernel_cos(angle.high, angle.low));
            let value = if odd { -c / s } else { s / c };
            if x == 0.0 { x } else { value }
        }
        /// Sine and cosine.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sincos(x: $t, sine: *mut $t, cosine: *mut $t) {
            let (s, c) = $of_angle(reduce::$angle(x));
            // SAFETY: the caller's variables.
            unsafe {
                sine.write(if x == 0.0 { x } else { s });
                cosine.write(c);
            }
        }
        /// Pi times `x` as an angle: what is left of `x` beside quarter turns is exact.
        fn $half_turns(x: $t) -> Angle<$t> {
            let x = machine::$fma(machine::$rint(x * 0.5), -2.0, x);
            let quarters = machine::$to_int(x * 2.0);
            let rest = machine::$fma(quarters as $t, -0.5, x);
            let high = rest * $pi;
            Angle { high, low: machine::$fma(rest, $pi, -high) + rest * $pi_low, quarters }
        }
        /// Sine of pi times `x`, exact where `x` is a multiple of 1/2.
        #[unsafe(no_mangle)]
        pub extern "C" fn $sinpi(x: $t) -> $t {
            let (s, _) = $of_angle($half_turns(x));
            if s == 0.0 { (0.0 as $t).copysign(x) } else { s }
        }
        /// Cosine of pi times `x`, exact where `x` is a multiple of 1/2.
        #[unsafe(no_mangle)]
        pub extern "C" fn $cospi(x: $t) -> $t {
            // A zero is positive.
            $of_angle($half_turns(x)).1 + 0.0
        }
        /// Sine and cosine of pi times `x`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sincospi(x: $t, sine: *mut $t, cosine: *mut $t) {
            let (s, c) = $of_angle($half_turns(x));
            // SAFETY: the caller's variables.
            unsafe {
                sine.write(if s == 0.0 { (0.0 as $t).copysign(x) } else { s });
                cosine.write(c + 0.0);
            }
        }
    )* };
}
trigonometric! {
    f64: angle precise_angle kernel_sin kernel_cos fma to_int rint
        core::f64::consts::PI, 1.2246467991473532e-16;
        __nv_sin __nv_cos __nv_tan __nv_sincos __nv_sinpi __nv_cospi __nv_sincospi of_angle half_turns;
    f32: anglef anglef kernel_sinf kernel_cosf fmaf to_intf rintf
        core::f32::consts::PI, -8.74227766e-8;
        __nv_sinf __nv_cosf __nv_tanf __nv_sincosf __nv_sinpif __nv_cospif __nv_sincospif of_anglef half_turnsf;
}
