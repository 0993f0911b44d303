//! The functions, their domains and CUDA's bounds.
//!
//! All bounds were compared with two editions of NVIDIA's guide, which agree: CUDA C++ Programming Guide, section 17.1, tables
//! 17 and 18 (the edition that has quad precision in table 19), and CUDA Programming Guide, sections 5.5.7 and 5.5.8.
//! `lgamma` has a bound outside of -23.0001 to -2.2637, `lgammaf` outside of -10.001 to -2.264; `jn` and `jnf` have one for
//! n = 128 alone, and other n must keep it here too; `powi` has none.

use super::{
    Bound::{Absolute, None, Ulps},
    Case, formulas,
    mpfr::Big,
};
use devicertl::math::{
    bessel_i::*, bessel_j::*, erf::*, exponential::*, gamma::*, norm::*, real::*, roots::*, tangent::*,
    trig::*,
};

const MAX: f64 = f64::MAX;

/// `|x, y| formula` becomes a function of a list.
macro_rules! reference {
    (|$a:ident| $value:expr) => {
        |x: &[Big]| {
            let $a = &x[0];
            $value
        }
    };
    (|$a:ident, $b:ident| $value:expr) => {
        |x: &[Big]| {
            let ($a, $b) = (&x[0], &x[1]);
            $value
        }
    };
    (|all $x:ident| $value:expr) => {
        |$x: &[Big]| $value
    };
}

macro_rules! call {
    ($f:ident $t:ident $x:ident 1) => {
        $f($x[0] as $t) as f64
    };
    ($f:ident $t:ident $x:ident 2) => {
        $f($x[0] as $t, $x[1] as $t) as f64
    };
    ($f:ident $t:ident $x:ident 3) => {
        $f($x[0] as $t, $x[1] as $t, $x[2] as $t) as f64
    };
    ($f:ident $t:ident $x:ident 4) => {
        $f($x[0] as $t, $x[1] as $t, $x[2] as $t, $x[3] as $t) as f64
    };
    // The first argument is an integer.
    ($f:ident $t:ident $x:ident n) => {
        $f($x[0] as i32, $x[1] as $t) as f64
    };
    // The second argument is an integer.
    ($f:ident $t:ident $x:ident i) => {
        $f($x[0] as $t, $x[1] as i32) as f64
    };
}

/// Arguments of a quick look.
macro_rules! sample {
    (|$x:ident| formulas::erfinv $($_rest:tt)*) => {
        200
    };
    (|$x:ident| formulas::erfcinv $($_rest:tt)*) => {
        200
    };
    (|$x:ident| formulas::normcdfinv $($_rest:tt)*) => {
        200
    };
    ($($_other:tt)*) => {
        1000
    };
}

/// A line: argument form, function of doubles with its bound, function of floats with its bound, domain, what of it, and
/// the true function.
macro_rules! cases {
    ($($form:tt $double:ident $bound:expr, $single:ident $single_bound:expr, $ranges:expr, $part:literal,
        ($($reference:tt)*);)*) => {
        /// All measured functions.
        pub const CASES: &[Case] = &[$(
            Case { name: stringify!($double), part: $part, single: false, run: |x| call!($double f64 x $form),
                reference: reference!($($reference)*), ranges: &$ranges, sample: sample!($($reference)*), bound: $bound },
            Case { name: stringify!($single), part: $part, single: true, run: |x| call!($single f32 x $form),
                reference: reference!($($reference)*), ranges: &$ranges, sample: sample!($($reference)*), bound: $single_bound },
        )*];
    };
}

/// A range of all numbers.
const ALL: (f64, f64) = (-MAX, MAX);

cases! {
    1 __nv_rsqrt Ulps(1), __nv_rsqrtf Ulps(2), [ALL], "", (|x| &Big::new(1.0) / &x.sqrt());
    1 __nv_cbrt Ulps(1), __nv_cbrtf Ulps(1), [ALL], "", (|x| x.cbrt());
    1 __nv_rcbrt Ulps(1), __nv_rcbrtf Ulps(1), [ALL], "", (|x| &Big::new(1.0) / &x.cbrt());
    2 __nv_hypot Ulps(2), __nv_hypotf Ulps(3), [ALL, ALL], "", (|x, y| x.hypot(y));
    2 __nv_rhypot Ulps(1), __nv_rhypotf Ulps(2), [ALL, ALL], "", (|all x| &Big::new(1.0) / &formulas::norm(x));
    3 __nv_norm3d Ulps(2), __nv_norm3df Ulps(3), [ALL, ALL, ALL], "", (|all x| formulas::norm(x));
    3 __nv_rnorm3d Ulps(1), __nv_rnorm3df Ulps(2), [ALL, ALL, ALL], "", (|all x| &Big::new(1.0) / &formulas::norm(x));
    4 __nv_norm4d Ulps(2), __nv_norm4df Ulps(3), [ALL, ALL, ALL, ALL], "", (|all x| formulas::norm(x));
    4 __nv_rnorm4d Ulps(1), __nv_rnorm4df Ulps(2), [ALL, ALL, ALL, ALL], "", (|all x| &Big::new(1.0) / &formulas::norm(x));
    1 __nv_exp Ulps(1), __nv_expf Ulps(2), [(-760.0, 720.0)], "", (|x| x.exp());
    1 __nv_exp2 Ulps(1), __nv_exp2f Ulps(2), [(-1100.0, 1030.0)], "", (|x| x.exp2());
    1 __nv_exp10 Ulps(1), __nv_exp10f Ulps(2), [(-330.0, 310.0)], "", (|x| x.exp10());
    1 __nv_expm1 Ulps(1), __nv_expm1f Ulps(1), [(-760.0, 720.0)], "", (|x| x.expm1());
    1 __nv_log Ulps(1), __nv_logf Ulps(1), [ALL], "", (|x| x.ln());
    1 __nv_log2 Ulps(1), __nv_log2f Ulps(1), [ALL], "", (|x| x.log2());
    1 __nv_log10 Ulps(1), __nv_log10f Ulps(2), [ALL], "", (|x| x.log10());
    1 __nv_log1p Ulps(1), __nv_log1pf Ulps(1), [ALL], "", (|x| x.log1p());
    2 __nv_pow Ulps(2), __nv_powf Ulps(4), [(0.0, MAX), ALL], "", (|x, y| x.pow(y));
    2 __nv_pow Ulps(2), __nv_powf Ulps(4), [(0.0, 10.0), (-30.0, 30.0)], "small exponents", (|x, y| x.pow(y));
    i __nv_powi None, __nv_powif None, [(-100.0, 100.0), (-20.0, 20.0)], "n to 20", (|x, n| x.pow(&Big::new(n.to_f64().trunc())));
    1 __nv_sin Ulps(2), __nv_sinf Ulps(2), [ALL], "", (|x| x.sin());
    1 __nv_cos Ulps(2), __nv_cosf Ulps(2), [ALL], "", (|x| x.cos());
    1 __nv_tan Ulps(2), __nv_tanf Ulps(4), [ALL], "", (|x| x.tan());
    1 __nv_sin Ulps(2), __nv_sinf Ulps(2), [(-100.0, 100.0)], "small angles", (|x| x.sin());
    1 __nv_cos Ulps(2), __nv_cosf Ulps(2), [(-100.0, 100.0)], "small angles", (|x| x.cos());
    1 __nv_tan Ulps(2), __nv_tanf Ulps(4), [(-100.0, 100.0)], "small angles", (|x| x.tan());
    1 __nv_sinpi Ulps(2), __nv_sinpif Ulps(1), [ALL], "", (|x| formulas::sinpi(x, 0));
    1 __nv_cospi Ulps(2), __nv_cospif Ulps(1), [ALL], "", (|x| formulas::sinpi(x, 1));
    1 __nv_asin Ulps(2), __nv_asinf Ulps(2), [(-1.5, 1.5)], "", (|x| x.asin());
    1 __nv_acos Ulps(2), __nv_acosf Ulps(2), [(-1.5, 1.5)], "", (|x| x.acos());
    1 __nv_atan Ulps(2), __nv_atanf Ulps(2), [ALL], "", (|x| x.atan());
    2 __nv_atan2 Ulps(2), __nv_atan2f Ulps(3), [ALL, ALL], "", (|y, x| y.atan2(x));
    1 __nv_sinh Ulps(2), __nv_sinhf Ulps(3), [(-750.0, 750.0)], "", (|x| x.sinh());
    1 __nv_cosh Ulps(1), __nv_coshf Ulps(2), [(-750.0, 750.0)], "", (|x| x.cosh());
    1 __nv_tanh Ulps(1), __nv_tanhf Ulps(2), [(-50.0, 50.0)], "", (|x| x.tanh());
    1 __nv_asinh Ulps(3), __nv_asinhf Ulps(3), [ALL], "", (|x| x.asinh());
    1 __nv_acosh Ulps(3), __nv_acoshf Ulps(4), [ALL], "", (|x| x.acosh());
    1 __nv_atanh Ulps(2), __nv_atanhf Ulps(3), [(-1.5, 1.5)], "", (|x| x.atanh());
    1 __nv_erf Ulps(2), __nv_erff Ulps(2), [(-10.0, 10.0)], "", (|x| x.erf());
    1 __nv_erfc Ulps(5), __nv_erfcf Ulps(4), [(-10.0, 28.0)], "", (|x| x.erfc());
    1 __nv_erfcx Ulps(4), __nv_erfcxf Ulps(4), [(-27.0, MAX)], "", (|x| formulas::erfcx(x));
    1 __nv_erfinv Ulps(5), __nv_erfinvf Ulps(2), [(-1.0, 1.0)], "", (|x| formulas::erfinv(x));
    1 __nv_erfcinv Ulps(6), __nv_erfcinvf Ulps(4), [(0.0, 2.0)], "", (|x| formulas::erfcinv(x));
    1 __nv_normcdf Ulps(5), __nv_normcdff Ulps(5), [(-40.0, 12.0)], "", (|x| formulas::normcdf(x));
    1 __nv_normcdfinv Ulps(8), __nv_normcdfinvf Ulps(5), [(0.0, 1.0)], "", (|x| formulas::normcdfinv(x));
    1 __nv_lgamma Ulps(4), __nv_lgammaf Ulps(6), [(0.0, MAX)], "x > 0", (|x| x.lgamma());
    1 __nv_lgamma Ulps(4), __nv_lgammaf Ulps(6), [(-1000.0, -24.0)], "x < -24", (|x| x.lgamma());
    1 __nv_lgamma None, __nv_lgammaf Ulps(6), [(-24.0, -10.01)], "-24 < x < -10", (|x| x.lgamma());
    1 __nv_lgamma Ulps(4), __nv_lgammaf Ulps(6), [(-2.26, 0.0)], "-2.26 < x < 0", (|x| x.lgamma());
    1 __nv_tgamma Ulps(10), __nv_tgammaf Ulps(5), [(-190.0, 175.0)], "", (|x| x.gamma());
    1 __nv_j0 Ulps(7), __nv_j0f Ulps(9), [(-8.0, 8.0)], "below 8", (|x| x.jn(0));
    1 __nv_j1 Ulps(7), __nv_j1f Ulps(9), [(-8.0, 8.0)], "below 8", (|x| x.jn(1));
    1 __nv_y0 Ulps(7), __nv_y0f Ulps(9), [(0.0, 8.0)], "below 8", (|x| x.yn(0));
    1 __nv_y1 Ulps(7), __nv_y1f Ulps(9), [(0.0, 8.0)], "below 8", (|x| x.yn(1));
    1 __nv_j0 Absolute(5e-12), __nv_j0f Absolute(2.2e-6), [(8.0, 1e6)], "above 8", (|x| x.jn(0));
    1 __nv_j1 Absolute(5e-12), __nv_j1f Absolute(2.2e-6), [(8.0, 1e6)], "above 8", (|x| x.jn(1));
    1 __nv_y0 Absolute(5e-12), __nv_y0f Absolute(2.2e-6), [(8.0, 1e6)], "above 8", (|x| x.yn(0));
    1 __nv_y1 Absolute(5e-12), __nv_y1f Absolute(2.2e-6), [(8.0, 1e6)], "above 8", (|x| x.yn(1));
    n __nv_jn Absolute(5e-12), __nv_jnf Absolute(2.2e-6), [(128.0, 128.0), (0.0, 1000.0)], "n = 128", (|n, x| x.jn(n.to_f64() as i64));
    n __nv_jn Absolute(5e-12), __nv_jnf Absolute(2.2e-6), [(2.0, 30.0), (-60.0, 60.0)], "n = 2 to 30", (|n, x| x.jn(n.to_f64() as i64));
    n __nv_yn Absolute(5e-12), __nv_ynf Absolute(2.2e-6), [(2.0, 6.0), (10.0, 1000.0)], "x > 1.5 n", (|n, x| x.yn(n.to_f64() as i64));
    // ceil(2 + 2.5 n)
    n __nv_yn None, __nv_ynf Ulps(15), [(5.0, 5.0), (0.0, 5.0)], "n = 5, x < n", (|n, x| x.yn(n.to_f64() as i64));
    n __nv_yn None, __nv_ynf Ulps(27), [(10.0, 10.0), (0.0, 10.0)], "n = 10, x < n", (|n, x| x.yn(n.to_f64() as i64));
    1 __nv_cyl_bessel_i0 Ulps(6), __nv_cyl_bessel_i0f Ulps(6), [(-720.0, 720.0)], "", (|x| formulas::bessel_i(0, x));
    1 __nv_cyl_bessel_i1 Ulps(6), __nv_cyl_bessel_i1f Ulps(6), [(-720.0, 720.0)], "", (|x| formulas::bessel_i(1, x));
}
