//! Inverse functions of hyperbolic ones and of those of angles, of complex numbers.
//!
//! T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, Implementing the complex arcsine and arccosine functions using exception handling, 1997, as
//! FreeBSD's library has it (`catrig.c`): no difference of numbers that are almost the same is taken.

use super::{NAN, Number, power::logarithm, turned};
use crate::math::{acos, asin, atan, atan2, atanh, double, hypot, log, log1p, sqrt};
use core::f64::consts::{FRAC_PI_2, LN_2};

const EPSILON: f64 = f64::EPSILON;
/// From here on a number is its own root of the square and 1.
const LARGE: f64 = 1.0 / EPSILON;
/// Below this a function is its argument.
const SMALL: f64 = 9e-9;
/// What of pi/2 its `double` leaves out.
const PI_2_REST: f64 = 6.123233995736766e-17;
/// Four times the root of the least normal number.
const FOUR_ROOTS: f64 = f64::from_bits((1023 - 509) << 52);

/// Half of the difference of the distance `far` of (`a`, `b`) and `b`.
fn half_difference(a: f64, b: f64, far: f64) -> f64 {
    if b < 0.0 {
        (far - b) / 2.0
    } else if b == 0.0 {
        a / 2.0
    } else {
        a * a / (far + b) / 2.0
    }
}

/// What the functions are made of, of `x` and `y` from 0 on: the real part of the inverse of `sinh`, and the sine of the imaginary one,
/// or, where that is near 1, two numbers whose quotient is the tangent.
struct Parts {
    real: f64,
    angle: Angle,
}

enum Angle {
    Sine(f64),
    Tangent(f64, f64),
}

fn parts(x: f64, y: f64) -> Parts {
    let (above, below) = (hypot(x, y + 1.0), hypot(x, y - 1.0));
    let a = ((above + below) / 2.0).max(1.0);
    let near = x < EPSILON * (y - 1.0).abs();
    let real = if a >= 10.0 {
        log(a + sqrt(a * a - 1.0))
    } else if y == 1.0 && x < EPSILON * EPSILON / 128.0 {
        sqrt(x)
    } else if !near {
        let more = half_difference(x, 1.0 + y, above) + half_difference(x, 1.0 - y, below);
        log1p(more + sqrt(more * (a + 1.0)))
    } else if y < 1.0 {
        x / sqrt((1.0 - y) * (1.0 + y))
    } else {
        log1p((y - 1.0) + sqrt((y - 1.0) * (y + 1.0)))
    };
    let angle = if y < FOUR_ROOTS {
        // The quotient may be no normal number.
        Angle::Tangent(y * (2.0 / EPSILON), a * (2.0 / EPSILON))
    } else if y / a <= 0.6417 {
        Angle::Sine(y / a)
    } else if y == 1.0 && x < EPSILON / 128.0 {
        Angle::Tangent(y, sqrt(x) * sqrt((a + y) / 2.0))
    } else if !near {
        let more = half_difference(x, y + 1.0, above) + half_difference(x, y - 1.0, below);
        Angle::Tangent(y, sqrt(more * (a + y)))
    } else if y > 1.0 {
        let much = 4.0 / EPSILON / EPSILON;
        Angle::Tangent(y * much, x * much * y / sqrt((y + 1.0) * (y - 1.0)))
    } else {
        Angle::Tangent(y, sqrt((1.0 - y) * (1.0 + y)))
    };
    Parts { real, angle }
}

pub fn sinh_inverse([x, y]: Number) -> Number {
    if x.is_nan() || y.is_nan() {
        return match (x, y) {
            _ if x.is_infinite() => [x, y],
            _ if y.is_infinite() => [y, x],
            _ if y == 0.0 => [x, y],
            _ => NAN,
        };
    }
    let (far_x, far_y) = (x.abs(), y.abs());
    let [real, imaginary] = if far_x > LARGE || far_y > LARGE {
        let [real, angle] = logarithm([far_x, far_y]);
        [real + LN_2, angle]
    } else if far_x < SMALL && far_y < SMALL {
        [far_x, far_y]
    } else {
        let Parts { real, angle } = parts(far_x, far_y);
        let angle = match angle {
            Angle::Sine(sine) => asin(sine),
            Angle::Tangent(y, x) => atan2(y, x),
        };
        [real, angle]
    };
    [real.copysign(x), imaginary.copysign(y)]
}

pub fn cos_inverse([x, y]: Number) -> Number {
    if x.is_nan() || y.is_nan() {
        return match (x, y) {
            _ if x.is_infinite() => [y, f64::NEG_INFINITY],
            _ if y.is_infinite() => [x, -y],
            _ if x == 0.0 => [FRAC_PI_2, y],
            _ => NAN,
        };
    }
    let (far_x, far_y) = (x.abs(), y.abs());
    let turn = |size: f64| if y.is_sign_negative() { size } else { -size };
    if far_x > LARGE || far_y > LARGE {
        let [real, angle] = logarithm([x, y]);
        return [angle.abs(), turn(real + LN_2)];
    }
    if x == 1.0 && y == 0.0 {
        return [0.0, -y];
    }
    if far_x < SMALL && far_y < SMALL {
        return [FRAC_PI_2 - (x - PI_2_REST), -y];
    }
    let Parts { real, angle } = parts(far_y, far_x);
    let angle = match angle {
        Angle::Sine(cosine) => acos(cosine.copysign(x)),
        Angle::Tangent(far, root) => atan2(root, far.copysign(x)),
    };
    [angle, turn(real)]
}

pub fn cosh_inverse(number: Number) -> Number {
    let [x, y] = cos_inverse(number);
    match (x.is_nan(), y.is_nan()) {
        (true, true) => [y, x],
        (true, false) => [y.abs(), x],
        // Of 0 and NaN alone.
        (false, true) => [y, x],
        (false, false) => [y.abs(), x.copysign(number[1])],
    }
}

/// `x / (x * x + y * y)` of numbers one of which is large.
fn real_of_reciprocal(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        return 0.0_f64.copysign(x);
    }
    if x == 0.0 {
        return x;
    }
    let by = -double::exponent(x.abs().max(y.abs()));
    let (x, y) = (double::scale(x, by), double::scale(y, by));
    double::scale(x / (x * x + y * y), by)
}

pub fn tanh_inverse([x, y]: Number) -> Number {
    let (far_x, far_y) = (x.abs(), y.abs());
    if y == 0.0 && far_x <= 1.0 {
        return [atanh(x), y];
    }
    if x == 0.0 {
        return [x, atan(y)];
    }
    if x.is_nan() || y.is_nan() {
        return match (x, y) {
            _ if x.is_infinite() => [0.0_f64.copysign(x), y],
            _ if y.is_infinite() => [0.0_f64.copysign(x), FRAC_PI_2.copysign(y)],
            _ => NAN,
        };
    }
    if far_x > LARGE || far_y > LARGE {
        return [real_of_reciprocal(x, y), FRAC_PI_2.copysign(y)];
    }
    if far_x < SMALL && far_y < SMALL {
        return [x, y];
    }
    let real = if far_x == 1.0 && far_y < EPSILON {
        (LN_2 - log(far_y)) / 2.0
    } else {
        log1p(4.0 * far_x / ((far_x - 1.0) * (far_x - 1.0) + far_y * far_y)) / 4.0
    };
    let angle = if far_x == 1.0 {
        atan2(2.0, -far_y) / 2.0
    } else {
        let square = if far_y < EPSILON { 0.0 } else { far_y * far_y };
        atan2(2.0 * far_y, (1.0 - far_x) * (1.0 + far_x) - square) / 2.0
    };
    [real.copysign(x), angle.copysign(y)]
}

pub fn sin_inverse(number: Number) -> Number {
    turned(sinh_inverse, number)
}

pub fn tan_inverse(number: Number) -> Number {
    turned(tanh_inverse, number)
}
