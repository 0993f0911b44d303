//! Errors of the math functions against MPFR.

#![allow(dead_code, reason = "each user needs a part")]

pub mod bounds;
pub mod formulas;
pub mod mpfr;

use mpfr::Big;

/// What CUDA promises.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// Numbers between the result and the nearest one to the true value.
    Ulps(u64),
    /// Difference from the true value.
    Absolute(f64),
    /// Nothing.
    None,
}

/// A function, where it is measured, and what it must reach.
pub struct Case {
    /// Symbol.
    pub name: &'static str,
    /// Which part of its domain; empty for all, infinities and NaN too.
    pub part: &'static str,
    /// Whether it computes floats.
    pub single: bool,
    /// The function.
    pub run: fn(&[f64]) -> f64,
    /// The same, with many digits.
    pub reference: fn(&[Big]) -> Big,
    /// Least and largest value of each argument.
    pub ranges: &'static [(f64, f64)],
    /// How many arguments a quick look tries: true values of some functions take long.
    pub sample: usize,
    /// CUDA's bound.
    pub bound: Bound,
}

/// The worst of many results.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    /// Difference from the true value in units in the last place of that.
    pub ulps: f64,
    /// Numbers between result and nearest one.
    pub steps: u64,
    /// Difference from the true value.
    pub absolute: f64,
    /// Arguments of the largest `steps`, or `absolute` where that is what counts.
    pub arguments: Vec<f64>,
    /// How many were tried.
    pub tried: usize,
}

impl Worst {
    /// Whether `bound` holds.
    pub fn within(&self, bound: Bound) -> bool {
        match bound {
            Bound::Ulps(n) => self.steps <= n,
            Bound::Absolute(limit) => self.absolute <= limit,
            Bound::None => true,
        }
    }
}

/// A random number, always the same for the same state.
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// Values where functions go wrong.
const EDGES: [f64; 24] = [
    0.0,
    1.0,
    0.5,
    2.0,
    3.0,
    4.0,
    8.0,
    10.0,
    0.25,
    1e-5,
    1e10,
    16777216.0,
    1e300,
    5e-324,
    2.2250738585072014e-308,
    1.401298464324817e-45,
    1.1754943508222875e-38,
    3.4028234663852886e38,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    2.404825557695773,
    6381956970095103.0 * 7.3174e292,
    1.9e22,
];

/// The neighbour of `x` that is `steps` away.
fn near(x: f64, steps: i64, single: bool) -> f64 {
    if single {
        f32::from_bits((x as f32).to_bits().wrapping_add(steps as u32)) as f64
    } else {
        f64::from_bits(x.to_bits().wrapping_add(steps as u64))
    }
}

/// Argument number `index`: an edge and its neighbours, a multiple of pi / 2, a random number with all exponents alike
/// or with all values alike.
fn argument(index: usize, (low, high): (f64, f64), case: &Case, state: &mut u64) -> f64 {
    let single = case.single;
    let bits = random(state);
    let inside = |x: f64| {
        let x = if single { x as f32 as f64 } else { x };
        let belongs = if x.is_finite() { x >= low && x <= high } else { case.part.is_empty() };
        if belongs { Some(x) } else { None }
    };
    if index < EDGES.len() * 6 {
        let edge = EDGES[index / 6];
        let edge = near(edge, (index % 3) as i64 - 1, single);
        if let Some(x) = inside(if index % 6 < 3 { edge } else { -edge }) {
            return x;
        }
    }
    if bits.is_multiple_of(16) {
        let multiple = std::f64::consts::FRAC_PI_2 * (bits >> 32 & ((1 << (bits >> 4 & 31)) - 1)) as f64;
        if let Some(x) = inside(multiple) {
            return x;
        }
    }
    if bits & 1 == 0 {
        for _ in 0..64 {
            let bits = random(state);
            let x = if single { f32::from_bits(bits as u32) as f64 } else { f64::from_bits(bits) };
            // Exponents near 0 are what programs use.
            let x = if bits >> 33 & 1 == 0 || single { x } else { x.signum() * x.abs().powf(1.0 / 64.0) };
            if x.is_finite()
                && let Some(x) = inside(x)
            {
                return x;
            }
        }
    }
    let part = (random(state) >> 11) as f64 / (1u64 << 53) as f64;
    let x = low * (1.0 - part) + high * part;
    inside(x).unwrap_or(low)
}

/// Numbers from the least to `x`.
fn ordinal(x: f64, single: bool) -> i64 {
    let (magnitude, negative) = if single {
        ((x as f32).abs().to_bits() as i64, x < 0.0)
    } else {
        (x.abs().to_bits() as i64, x < 0.0)
    };
    if negative { -magnitude } else { magnitude }
}

/// `count` lists of arguments.
pub fn arguments(case: &Case, count: usize, seed: u64) -> impl Iterator<Item = Vec<f64>> {
    let mut state = seed;
    (0..count).map(move |index| {
        // Not all arguments are edges at once.
        let at = |i: usize| if i == 0 { index } else { (index * 7 + i * 31) % (count.max(400)) };
        case.ranges
            .iter()
            .enumerate()
            .map(|(i, (low, high))| {
                let largest = if case.single { f32::MAX as f64 } else { f64::MAX };
                argument(at(i), (low.max(-largest), high.min(largest)), case, &mut state)
            })
            .collect()
    })
}

/// What the function gives with many digits.
fn exact(case: &Case, arguments: &[f64]) -> Big {
    (case.reference)(&arguments.iter().map(|x| Big::new(*x)).collect::<Vec<_>>())
}

/// Tries `count` arguments.
pub fn measure(case: &Case, count: usize, seed: u64) -> Worst {
    let mut worst = Worst { tried: count, ..Worst::default() };
    for arguments in arguments(case, count, seed) {
        let got = (case.run)(&arguments);
        let (steps, ulps, absolute) = difference(got, &exact(case, &arguments), case.single);
        let larger = match case.bound {
            Bound::Absolute(_) => absolute > worst.absolute,
            _ => steps > worst.steps || ulps > worst.ulps && steps == worst.steps,
        };
        if larger {
            worst.arguments = arguments;
        }
        worst.steps = worst.steps.max(steps);
        worst.ulps = worst.ulps.max(ulps);
        worst.absolute = worst.absolute.max(absolute);
    }
    worst
}

/// The least and the largest result that keep the bound, NaN if that is the result. Where CUDA has no bound, far more is accepted than was
/// measured (`results/2026-11-21-math-ulp.md`), so that another function's result is not.
pub fn accepted(case: &Case, arguments: &[f64]) -> (f64, f64) {
    const FAR: u64 = 64;
    let exact = exact(case, arguments);
    let nearest = if case.single { exact.to_f32() as f64 } else { exact.to_f64() };
    let steps = match case.bound {
        _ if nearest.is_nan() => return (nearest, nearest),
        Bound::Absolute(limit) => return (nearest - limit, nearest + limit),
        Bound::Ulps(steps) => steps,
        Bound::None => FAR,
    };
    let (at, steps) = (ordinal(nearest, case.single), steps as i64);
    (of_ordinal(at - steps, case.single), of_ordinal(at + steps, case.single))
}

/// The number whose [`ordinal`] this is, or the infinity beyond all.
fn of_ordinal(ordinal: i64, single: bool) -> f64 {
    let magnitude = if single {
        f32::from_bits(ordinal.unsigned_abs().min(f32::INFINITY.to_bits().into()) as u32) as f64
    } else {
        f64::from_bits(ordinal.unsigned_abs().min(f64::INFINITY.to_bits()))
    };
    if ordinal < 0 { -magnitude } else { magnitude }
}

/// How far `got` is from `exact`: in numbers, in units of the last place, absolute.
fn difference(got: f64, exact: &Big, single: bool) -> (u64, f64, f64) {
    const FAR: (u64, f64, f64) = (u64::MAX, f64::INFINITY, f64::INFINITY);
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() && got.is_nan() { (0, 0.0, 0.0) } else { FAR };
    }
    let nearest = if single { exact.to_f32() as f64 } else { exact.to_f64() };
    let steps = ordinal(got, single).abs_diff(ordinal(nearest, single));
    if exact.is_infinite() || !got.is_finite() || !nearest.is_finite() {
        return (steps, steps as f64, if steps == 0 { 0.0 } else { f64::INFINITY });
    }
    let off = &Big::new(got) - exact;
    let (least, digits) = if single { (-149, 23) } else { (-1074, 52) };
    let unit = (exact.exponent() - digits).max(least);
    (steps, off.scale(-unit).to_f64().abs(), off.to_f64().abs())
}
