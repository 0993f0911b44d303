//! Hyperbolic functions of complex numbers. Those of angles are the same, of the number turned.

use super::{NAN, Number, power::times_exponential};
use crate::math::{cos, cosh, exp, sin, sinh, sqrt, tan};

/// From here on `exp(-x)` is nothing beside `exp(x)`.
const ONE_SIDED: f64 = 22.0;

pub fn sinh_of([x, y]: Number) -> Number {
    match (x.is_finite(), y.is_finite()) {
        _ if y == 0.0 => [sinh(x), y],
        (true, true) if x.abs() < ONE_SIDED => [sinh(x) * cos(y), cosh(x) * sin(y)],
        (true, true) => times_exponential(0.5, x.abs(), [cos(y) * 1.0_f64.copysign(x), sin(y)]),
        (true, false) if x == 0.0 => [x, f64::NAN],
        (false, true) if x.is_infinite() => [x * cos(y), f64::INFINITY * sin(y)],
        (false, false) if x.is_infinite() => [x, f64::NAN],
        _ => NAN,
    }
}

pub fn cosh_of([x, y]: Number) -> Number {
    match (x.is_finite(), y.is_finite()) {
        _ if y == 0.0 => [cosh(x), if x.is_nan() { y } else { y * 1.0_f64.copysign(x) }],
        (true, true) if x.abs() < ONE_SIDED => [cosh(x) * cos(y), sinh(x) * sin(y)],
        (true, true) => times_exponential(0.5, x.abs(), [cos(y), sin(y) * 1.0_f64.copysign(x)]),
        (true, false) if x == 0.0 => [f64::NAN, 0.0],
        (false, true) if x.is_infinite() => [f64::INFINITY * cos(y), x * sin(y)],
        (false, false) if x.is_infinite() => [f64::INFINITY, f64::NAN],
        _ => NAN,
    }
}

/// W. Kahan, Branch cuts for complex elementary functions, 1987.
pub fn tanh_of([x, y]: Number) -> Number {
    if x.is_nan() {
        return [x, if y == 0.0 { y } else { f64::NAN }];
    }
    if x.is_infinite() {
        return [1.0_f64.copysign(x), 0.0_f64.copysign(if y.is_finite() { sin(y) * cos(y) } else { y })];
    }
    if !y.is_finite() {
        return [if x == 0.0 { x } else { f64::NAN }, f64::NAN];
    }
    if x.abs() >= ONE_SIDED {
        let small = exp(-x.abs());
        return [1.0_f64.copysign(x), 4.0 * sin(y) * cos(y) * small * small];
    }
    let (tangent, sine) = (tan(y), sinh(x));
    let beta = 1.0 + tangent * tangent;
    let rho = sqrt(1.0 + sine * sine);
    let below = 1.0 + beta * sine * sine;
    [beta * rho * sine / below, tangent / below]
}
