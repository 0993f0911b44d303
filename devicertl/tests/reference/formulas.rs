//! Functions that MPFR does not have.

use super::mpfr::Big;

/// 1 over the square root of pi.
fn per_root_pi() -> Big {
    Big::pi().rsqrt()
}

/// exp(x^2) erfc(x).
pub fn erfcx(x: &Big) -> Big {
    if x.is_infinite() {
        return Big::new(if x.to_f64() > 0.0 { 0.0 } else { f64::INFINITY });
    }
    // Where exp(x^2) is too large for MPFR, the asymptotic series.
    if x.exponent() > 12 && x.to_f64() > 0.0 {
        let per = &Big::new(-0.5) / &(x * x);
        let mut sum = Big::new(1.0);
        for factor in [7.0, 5.0, 3.0, 1.0] {
            sum = &(&(&sum * &per) * factor) + 1.0;
        }
        return &(&per_root_pi() / x) * &sum;
    }
    &(x * x).exp() * &x.erfc()
}

/// Normal distribution.
pub fn normcdf(x: &Big) -> Big {
    (&-x * &Big::new(0.5).sqrt()).erfc().scale(-1)
}

/// Inverse of erfc, by Newton's method on its logarithm, from the side on which it never jumps over.
pub fn erfcinv(y: &Big) -> Big {
    let value = y.to_f64();
    if y.is_nan() || !(0.0..=2.0).contains(&value) {
        return Big::new(f64::NAN);
    }
    if value == 0.0 {
        return Big::new(f64::INFINITY);
    }
    if (y - 1.0).to_f64() > 0.0 {
        return -&erfcinv(&(&Big::new(2.0) - y));
    }
    let target = y.ln();
    let mut t = (-&target).sqrt();
    if t.to_f64() == 0.0 {
        return Big::new(0.0);
    }
    let two_per_root_pi = per_root_pi().scale(1);
    for _ in 0..100 {
        let c = t.erfc();
        let slope = &two_per_root_pi * &(-&(&t * &t)).exp();
        let step = &(&(&c.ln() - &target) * &c) / &slope;
        t = &t + &step;
        if step.exponent() < t.exponent() - 60 {
            break;
        }
    }
    t
}

/// Inverse of erf.
pub fn erfinv(x: &Big) -> Big {
    if !x.is_infinite() && x.exponent() < -100 {
        return x / &per_root_pi().scale(1);
    }
    erfcinv(&(&Big::new(1.0) - x))
}

/// Inverse of the normal distribution.
pub fn normcdfinv(p: &Big) -> Big {
    &-&erfcinv(&p.scale(1)) * &Big::new(2.0).sqrt()
}

/// Modified Bessel function of order `n`, by its series.
pub fn bessel_i(n: i32, x: &Big) -> Big {
    if !x.to_f64().is_finite() || x.to_f64().abs() > 1e4 {
        let infinite = x.to_f64().abs() * f64::INFINITY;
        return Big::new(if n == 1 { infinite.copysign(x.to_f64()) } else { infinite });
    }
    let half = x.scale(-1);
    let square = &half * &half;
    let mut term = if n == 0 { Big::new(1.0) } else { half };
    let mut sum = term.clone();
    for k in 1.. {
        term = &(&term * &square) / (k * (k + n)) as f64;
        sum = &sum + &term;
        if term.to_f64() == 0.0 || term.exponent() < sum.exponent() - 250 {
            break;
        }
    }
    sum
}

/// Sine of pi times `x` and a quarter turn for each of `quarters`.
pub fn sinpi(x: &Big, quarters: i64) -> Big {
    let x = x.to_f64() % 2.0;
    if x.is_nan() {
        return Big::new(f64::NAN);
    }
    let nearest = (2.0 * x).round();
    // -0 less 0 is 0.
    let rest = if nearest == 0.0 { x } else { x - nearest * 0.5 };
    let rest = &Big::new(rest) * &Big::pi();
    let quarters = quarters + nearest as i64;
    let value = if quarters & 1 == 0 { rest.sin() } else { rest.cos() };
    if quarters & 2 == 0 { value } else { -&value }
}

/// Square root of the sum of squares; infinite if any part is.
pub fn norm(parts: &[Big]) -> Big {
    if parts.iter().any(Big::is_infinite) {
        return Big::new(f64::INFINITY);
    }
    parts.iter().fold(Big::new(0.0), |sum, x| &sum + &(x * x)).sqrt()
}
