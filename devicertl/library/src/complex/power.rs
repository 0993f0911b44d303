//! The exponential function of complex numbers, its inverse, powers and roots.

use super::{NAN, Number, product};
use crate::math::{atan2, cos, double, exp, fma, hypot, log, log1p, sin, sqrt};
use core::f64::consts::LN_2;

/// Twice this, `exp` is infinite; below it, it is not.
const LARGE: f64 = 709.0;

/// `factor` times `exp(x)` times the number `parts`, none of which is infinite, also where `exp(x)` alone is.
pub(super) fn times_exponential(factor: f64, mut x: f64, mut parts: Number) -> Number {
    // Beyond two steps it is infinite whatever the parts are, but 0.
    for _ in 0..2 {
        if x > LARGE {
            x -= LARGE;
            parts = parts.map(|part| part * exp(LARGE));
        }
    }
    let rest = factor * exp(x);
    parts.map(|part| part * rest)
}

pub fn exponential([x, y]: Number) -> Number {
    if y == 0.0 {
        return [exp(x), y];
    }
    if !y.is_finite() {
        return match x {
            f64::INFINITY => [x, f64::NAN],
            f64::NEG_INFINITY => [0.0, 0.0_f64.copysign(y)],
            _ => NAN,
        };
    }
    if x.is_infinite() {
        let size = exp(x);
        return [size * cos(y), size * sin(y)];
    }
    times_exponential(1.0, x, [cos(y), sin(y)])
}

/// The square of the distance from 0 without 1: each square is two numbers, and what sums of them lose is added at last.
fn square_without_one(x: f64, y: f64) -> f64 {
    let squares = [x * x, y * y];
    let rests = [fma(x, x, -squares[0]), fma(y, y, -squares[1])];
    let (mut sum, mut lost) = (-1.0, 0.0);
    for part in [squares[0], squares[1], rests[0], rests[1]] {
        let next = sum + part;
        let added = next - sum;
        lost += (sum - (next - added)) + (part - added);
        sum = next;
    }
    sum + lost
}

/// The logarithm of the distance from 0.
fn log_of_distance(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    if (0.5..1.375).contains(&large) {
        return log1p(square_without_one(large, small)) / 2.0;
    }
    /// So much is beyond all numbers that are not normal.
    const FAR: i32 = 600;
    let by = match large {
        _ if !large.is_finite() || large == 0.0 => 0,
        1e150.. => -FAR,
        ..1e-150 => FAR,
        _ => 0,
    };
    if by == 0 {
        return log(hypot(large, small));
    }
    log(hypot(double::scale(large, by), double::scale(small, by))) - f64::from(by) * LN_2
}

pub fn logarithm([x, y]: Number) -> Number {
    [log_of_distance(x, y), atan2(y, x)]
}

pub fn root([x, y]: Number) -> Number {
    if x == 0.0 && y == 0.0 {
        return [0.0, y];
    }
    if y.is_infinite() {
        return [f64::INFINITY, y];
    }
    if x.is_infinite() {
        // 0, or NaN where `y` is.
        let nothing = 0.0 * y;
        return if x > 0.0 { [x, nothing.copysign(y)] } else { [nothing.abs(), f64::INFINITY.copysign(y)] };
    }
    // In the middle of the numbers nothing is lost nor too large; a power of 2 with a root.
    let large = x.abs().max(y.abs());
    let by = match large {
        1e300.. => -4,
        ..1e-290 => 200,
        _ => 0,
    };
    let (near_x, near_y) = (double::scale(x, by), double::scale(y, by));
    let half = sqrt((near_x.abs() + hypot(near_x, near_y)) / 2.0);
    let other = near_y.abs() / (2.0 * half);
    let [real, imaginary] = if x >= 0.0 { [half, other] } else { [other, half] };
    [double::scale(real, -by / 2), double::scale(imaginary, -by / 2).copysign(y)]
}

/// As glibc has it, with its rounding: of a large exponent not all digits are right.
pub fn power(base: Number, exponent: Number) -> Number {
    let [a, b] = logarithm(base);
    let [c, d] = exponent;
    exponential(product::double::multiply(a, b, c, d))
}

/// `base` to the power of `n`, by squares as flang's runtime has it.
pub fn whole_power(base: Number, n: i64) -> Number {
    let multiply = |[a, b]: Number, [c, d]: Number| product::double::multiply(a, b, c, d);
    let (mut left, mut square, mut result) = (n.unsigned_abs(), base, None);
    while left != 0 {
        if left & 1 != 0 {
            result = Some(result.map_or(square, |result| multiply(result, square)));
        }
        left >>= 1;
        if left != 0 {
            square = multiply(square, square);
        }
    }
    let [a, b] = result.unwrap_or([1.0, 0.0]);
    if n < 0 { product::double::divide(1.0, 0.0, a, b) } else { [a, b] }
}

/// Infinity is one number, as on a sphere.
pub fn projection([x, y]: Number) -> Number {
    if x.is_infinite() || y.is_infinite() { [f64::INFINITY, 0.0_f64.copysign(y)] } else { [x, y] }
}
