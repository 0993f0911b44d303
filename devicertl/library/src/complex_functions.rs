//! The functions of `<complex.h>`, and powers with whole exponents as flang calls them, for `double`: those for `float` are the same ones,
//! rounded. A number is its real and its imaginary part; `devicertl/build/src/complex.rs` has the functions by their names, which take and
//! return it as compilers want it.
//!
//! Inverse functions are those of W. Kahan, "Branch cuts for complex elementary functions" (1987), with the sides of the cuts as in ISO C,
//! annex G. Infinities and NaNs come out as they come from the parts.

use crate::c_functions;

/// The real and the imaginary part.
type Complex = [f64; 2];

/// Functions of real numbers: those of libdevice, and on the host, for tests, of C's library.
macro_rules! real_functions {
    ($($name:ident $on_device:literal ($($arg:ident),*);)*) => {
        unsafe extern "C" { $(
            #[cfg_attr(target_arch = "nvptx64", link_name = $on_device)]
            safe fn $name($($arg: f64),*) -> f64;
        )* }
    };
}
real_functions! {
    asinh "__nv_asinh" (x);
    atan2 "__nv_atan2" (y, x);
    cos "__nv_cos" (x);
    cosh "__nv_cosh" (x);
    exp "__nv_exp" (x);
    hypot "__nv_hypot" (x, y);
    log "__nv_log" (x);
    log1p "__nv_log1p" (x);
    sin "__nv_sin" (x);
    sinh "__nv_sinh" (x);
    sqrt "__nv_sqrt" (x);
    tan "__nv_tan" (x);
}

/// Above it the exponential function leaves the range of `double`, and both hyperbolic functions are half of it.
const LARGE: f64 = 709.0;

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

fn times_i([a, b]: Complex) -> Complex {
    [-b, a]
}

fn over_i([a, b]: Complex) -> Complex {
    [b, -a]
}

fn conjugate([a, b]: Complex) -> Complex {
    [a, -b]
}

/// `z + real`, whose imaginary part keeps the sign of a zero.
fn plus([a, b]: Complex, real: f64) -> Complex {
    [a + real, b]
}

/// `1 / z`, by its larger part.
fn reciprocal([a, b]: Complex) -> Complex {
    if a.abs() >= b.abs() {
        let ratio = b / a;
        let denominator = a + b * ratio;
        [1.0 / denominator, -ratio / denominator]
    } else {
        let ratio = a / b;
        let denominator = a * ratio + b;
        [ratio / denominator, -1.0 / denominator]
    }
}

/// `exp(a)` times these factors, of which each may be in range where the exponential function alone is not.
fn scaled_by_exp(a: f64, factors: Complex) -> Complex {
    let root = exp(a / 2.0);
    factors.map(|factor| factor * root * root)
}

fn c_exp([a, b]: Complex) -> Complex {
    if b == 0.0 {
        return [exp(a), b];
    }
    if a == f64::NEG_INFINITY && !b.is_finite() {
        return [0.0, 0.0];
    }
    let turn = [cos(b), sin(b)];
    if a > LARGE { scaled_by_exp(a, turn) } else { turn.map(|part| exp(a) * part) }
}

fn absolute([a, b]: Complex) -> f64 {
    hypot(a, b)
}

fn argument([a, b]: Complex) -> f64 {
    atan2(b, a)
}

fn c_log(z: Complex) -> Complex {
    let [a, b] = z.map(f64::abs);
    let (large, small) = if a < b { (b, a) } else { (a, b) };
    let size = if large > 0.5 && large < 2.0 {
        log1p((large - 1.0) * (large + 1.0) + small * small) / 2.0
    } else if large > f64::MAX / 2.0 {
        log(hypot(a / 2.0, b / 2.0)) + core::f64::consts::LN_2
    } else {
        log(hypot(a, b))
    };
    [size, argument(z)]
}

fn c_sqrt([a, b]: Complex) -> Complex {
    if b.is_infinite() {
        return [f64::INFINITY, b];
    }
    if a.is_infinite() {
        let other = if b.is_nan() { b } else { 0.0_f64.copysign(b) };
        return if a > 0.0 { [a, other] } else { [other.abs(), f64::INFINITY.copysign(b)] };
    }
    let large = a.abs().max(b.abs());
    if large == 0.0 {
        return [0.0, b];
    }
    // Powers of 4, so that the sum of both parts is in range and has all digits.
    const DOWN: f64 = 1.0 / 16.0;
    const UP: f64 = (1_u64 << 54) as f64;
    let by = if large > 1e300 {
        DOWN
    } else if large < 1e-290 {
        UP * UP
    } else {
        1.0
    };
    let (a, b) = (a * by, b * by);
    let root = sqrt((hypot(a, b) + a.abs()) / 2.0);
    let other = b / (2.0 * root);
    let back = 1.0 / sqrt(by);
    if a >= 0.0 { [root * back, other * back] } else { [other.abs() * back, root.copysign(b) * back] }
}

fn c_pow(z: Complex, w: Complex) -> Complex {
    if z == [0.0, 0.0] && w[0] >= 0.0 {
        return [if w == [0.0, 0.0] { 1.0 } else { 0.0 }, 0.0];
    }
    c_exp(times(w, c_log(z)))
}

fn power(z: Complex, n: i64) -> Complex {
    let (mut left, mut square, mut result) = (n.unsigned_abs(), z, [1.0, 0.0]);
    let mut is_one = true;
    while left != 0 {
        if left & 1 != 0 {
            result = if is_one { square } else { times(result, square) };
            is_one = false;
        }
        left >>= 1;
        if left != 0 {
            square = times(square, square);
        }
    }
    if n < 0 { reciprocal(result) } else { result }
}

fn c_sinh([a, b]: Complex) -> Complex {
    if b == 0.0 {
        return [sinh(a), b];
    }
    if a.abs() > LARGE {
        return scaled_by_exp(a.abs(), [0.5 * cos(b) * 1_f64.copysign(a), 0.5 * sin(b)]);
    }
    [sinh(a) * cos(b), cosh(a) * sin(b)]
}

fn c_cosh([a, b]: Complex) -> Complex {
    if b == 0.0 {
        return [cosh(a), b * 1_f64.copysign(a)];
    }
    if a.abs() > LARGE {
        return scaled_by_exp(a.abs(), [0.5 * cos(b), 0.5 * sin(b) * 1_f64.copysign(a)]);
    }
    [cosh(a) * cos(b), sinh(a) * sin(b)]
}

fn c_tanh([a, b]: Complex) -> Complex {
    if a.abs() > 20.0 {
        let small = exp(-2.0 * a.abs());
        let turn = if b.is_finite() { 4.0 * sin(b) * cos(b) } else { 0.0 };
        return [1_f64.copysign(a), turn * small];
    }
    let (tangent, size) = (tan(b), sinh(a));
    let beta = 1.0 + tangent * tangent;
    if beta.is_infinite() {
        return [sqrt(1.0 + size * size) / size, 1.0 / tangent];
    }
    let denominator = 1.0 + beta * size * size;
    [beta * sqrt(1.0 + size * size) * size / denominator, tangent / denominator]
}

fn c_acos(z: Complex) -> Complex {
    let (below, above) = (c_sqrt(plus([-z[0], -z[1]], 1.0)), c_sqrt(plus(z, 1.0)));
    [2.0 * atan2(below[0], above[0]), asinh(times(conjugate(above), below)[1])]
}

fn c_asin(z: Complex) -> Complex {
    let (below, above) = (c_sqrt(plus([-z[0], -z[1]], 1.0)), c_sqrt(plus(z, 1.0)));
    [atan2(z[0], times(below, above)[0]), asinh(times(conjugate(below), above)[1])]
}

fn c_acosh(z: Complex) -> Complex {
    let (below, above) = (c_sqrt(plus(z, -1.0)), c_sqrt(plus(z, 1.0)));
    [asinh(times(conjugate(below), above)[0]), 2.0 * atan2(below[1], above[0])]
}

fn c_atanh([a, b]: Complex) -> Complex {
    /// Squares of larger numbers than this are out of range.
    const SQUARED: f64 = 1e150;
    if a.abs() > SQUARED || b.abs() > SQUARED {
        return [reciprocal([a, b])[0], core::f64::consts::FRAC_PI_2.copysign(b)];
    }
    let x = a.abs();
    let size = match (1.0 - x) * (1.0 - x) + b * b {
        // So near to 1 that there is nothing left.
        0.0 => (core::f64::consts::LN_2 - log(b.abs())) / 2.0,
        distance => log1p(4.0 * x / distance) / 4.0,
    };
    [size.copysign(a), atan2(2.0 * b, (1.0 - x) * (1.0 + x) - b * b) / 2.0]
}

macro_rules! of_one {
    ($($name:ident $z:ident => $value:expr;)*) => { c_functions! { $(
        /// The function of `a + bi`.
        fn $name(to: *mut [f64; 2], a: f64, b: f64) {
            let $z = [a, b];
            to.write($value);
        }
    )* } };
}
of_one! {
    __omptarget_cexp z => c_exp(z);
    __omptarget_clog z => c_log(z);
    __omptarget_csqrt z => c_sqrt(z);
    __omptarget_csinh z => c_sinh(z);
    __omptarget_ccosh z => c_cosh(z);
    __omptarget_ctanh z => c_tanh(z);
    __omptarget_csin z => over_i(c_sinh(times_i(z)));
    __omptarget_ccos z => c_cosh(times_i(z));
    __omptarget_ctan z => over_i(c_tanh(times_i(z)));
    __omptarget_casin z => c_asin(z);
    __omptarget_cacos z => c_acos(z);
    __omptarget_catan z => over_i(c_atanh(times_i(z)));
    __omptarget_casinh z => over_i(c_asin(times_i(z)));
    __omptarget_cacosh z => c_acosh(z);
    __omptarget_catanh z => c_atanh(z);
}

c_functions! {
    /// `a + bi` to the power of `c + di`.
    fn __omptarget_cpow(to: *mut [f64; 2], a: f64, b: f64, c: f64, d: f64) {
        to.write(c_pow([a, b], [c, d]));
    }
    /// `a + bi` to the power of `n`.
    fn __omptarget_cpowi(to: *mut [f64; 2], a: f64, b: f64, n: i64) {
        to.write(power([a, b], n));
    }
    /// The absolute value of `a + bi`.
    fn __omptarget_cabs(a: f64, b: f64) -> f64 {
        absolute([a, b])
    }
    /// The argument of `a + bi`.
    fn __omptarget_carg(a: f64, b: f64) -> f64 {
        argument([a, b])
    }
}
