//! The rounding modifiers `.rz`, `.rm`, `.rp`, checked by the sign of what rounding to nearest leaves over, which is
//! found without error.

use super::half::Direction;
use super::{Case, Input, Random, Result, case, check};

const DIRECTIONS: [(&str, Direction); 4] =
    [("rn", Direction::Nearest), ("rz", Direction::Zero), ("rm", Direction::Down), ("rp", Direction::Up)];

/// The neighbour of `nearest`, or itself, that a direction asks for; `rest` has the sign of exact minus nearest.
fn directed(nearest: f64, rest: f64, direction: Direction, down: f64, up: f64) -> f64 {
    let direction = match direction {
        Direction::Zero if nearest > 0.0 => Direction::Down,
        Direction::Zero => Direction::Up,
        other => other,
    };
    match direction {
        Direction::Down if rest < 0.0 => down,
        Direction::Up if rest > 0.0 => up,
        _ => nearest,
    }
}

fn directed64(nearest: f64, rest: f64, direction: Direction) -> u64 {
    directed(nearest, rest, direction, nearest.next_down(), nearest.next_up()).to_bits()
}

fn directed32(nearest: f32, rest: f64, direction: Direction) -> u64 {
    let (down, up) = (nearest.next_down().into(), nearest.next_up().into());
    u64::from((directed(nearest.into(), rest, direction, down, up) as f32).to_bits())
}

/// a + b = sum + error, exactly.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// A sum that is exactly zero is -0 when rounding down, unless both terms have the same sign.
fn exact_zero(a: f64, b: f64, direction: Direction) -> Option<bool> {
    (a + b == 0.0 && two_sum(a, b).1 == 0.0).then(|| {
        if a.is_sign_negative() == b.is_sign_negative() {
            a.is_sign_negative()
        } else {
            direction == Direction::Down
        }
    })
}

fn add64(a: f64, b: f64, direction: Direction) -> u64 {
    let (sum, error) = two_sum(a, b);
    match exact_zero(a, b, direction) {
        Some(negative) => u64::from(negative) << 63,
        None => directed64(sum, error, direction),
    }
}

/// The f32 of high + low, where high is the f64 nearest to the sum.
fn narrow(high: f64, low: f64, direction: Direction) -> u64 {
    let mut nearest = high as f32;
    // High may lie exactly between two f32 while the sum does not.
    let middle = |neighbour: f32| (f64::from(nearest) + f64::from(neighbour)) / 2.0 == high;
    if low > 0.0 && middle(nearest.next_up()) {
        nearest = nearest.next_up();
    } else if low < 0.0 && middle(nearest.next_down()) {
        nearest = nearest.next_down();
    }
    let rest = high - f64::from(nearest);
    directed32(nearest, if rest == 0.0 { low } else { rest }, direction)
}

fn add32(a: f64, b: f64, direction: Direction) -> u64 {
    match exact_zero(a, b, direction) {
        Some(negative) => u64::from(negative) << 31,
        None => narrow(two_sum(a, b).0, two_sum(a, b).1, direction),
    }
}

fn f(x: u64) -> f64 {
    f32::from_bits(x as u32).into()
}

fn d(x: u64) -> f64 {
    f64::from_bits(x)
}

/// Numbers of moderate size: no result overflows, underflows or loses bits of the error.
fn moderate(bits: u32) -> Vec<Input> {
    let mut random = Random(0xfeed_beef_1234_5679);
    let mut number = || {
        let word = random.next();
        let (sign, fraction, exponent) = (word >> 63, word, (word >> 48) % 40);
        // Every fourth one is short, so that exact results occur.
        let cut = if word >> 40 & 3 == 0 { 20 } else { 0 };
        if bits == 32 {
            sign << 31 | (107 + exponent) << 23 | fraction & 0x007f_ffff >> cut << cut
        } else {
            sign << 63 | (1003 + exponent) << 52 | fraction & 0x000f_ffff_ffff_ffff >> (2 * cut) << (2 * cut)
        }
    };
    let mut inputs: Vec<Input> = (0..3000).map(|_| [number(), number(), number()]).collect();
    let sign = 1 << (bits - 1);
    let cancel: Vec<_> = inputs[..50].iter().map(|[a, b, _]| [*a, *a ^ sign, *b]).collect();
    inputs.extend(cancel);
    inputs
}

/// An operation with each rounding.
fn each(
    text: impl Fn(&str) -> String,
    bits: u32,
    expect: impl Fn(Input, Direction) -> u64 + Copy + 'static,
) -> Vec<Case> {
    let cases = DIRECTIONS
        .map(|(name, direction)| case(text(name), Result::Bits(bits), move |input| expect(input, direction)));
    cases.into()
}

#[test]
fn f64_forms() {
    let mut cases = each(|r| format!("add.{r}.f64 %d0, %d1, %d2;"), 64, |[a, b, _], r| add64(d(a), d(b), r));
    cases.extend(each(|r| format!("sub.{r}.f64 %d0, %d1, %d2;"), 64, |[a, b, _], r| add64(d(a), -d(b), r)));
    cases.extend(each(
        |r| format!("mul.{r}.f64 %d0, %d1, %d2;"),
        64,
        |[a, b, _], r| {
            let (a, b) = (d(a), d(b));
            directed64(a * b, a.mul_add(b, -(a * b)), r)
        },
    ));
    let quotient = |a: f64, b: f64, r| directed64(a / b, (-(a / b)).mul_add(b, a) * b.signum(), r);
    cases.extend(each(
        |r| format!("div.{r}.f64 %d0, %d1, %d2;"),
        64,
        move |[a, b, _], r| quotient(d(a), d(b), r),
    ));
    cases.extend(each(|r| format!("rcp.{r}.f64 %d0, %d1;"), 64, move |[a, ..], r| quotient(1.0, d(a), r)));
    check(&cases, &moderate(64));
    let roots = each(
        |r| format!("sqrt.{r}.f64 %d0, %d1;"),
        64,
        |[a, ..], r| {
            let root = d(a).sqrt();
            directed64(root, (-root).mul_add(root, d(a)), r)
        },
    );
    let positive: Vec<_> = moderate(64).into_iter().map(|input| input.map(|x| x & !(1 << 63))).collect();
    check(&roots, &positive);
}

#[test]
fn f32_forms() {
    let mut cases = each(|r| format!("add.{r}.f32 %r0, %r1, %r2;"), 32, |[a, b, _], r| add32(f(a), f(b), r));
    cases.extend(each(|r| format!("sub.{r}.f32 %r0, %r1, %r2;"), 32, |[a, b, _], r| add32(f(a), -f(b), r)));
    // The product of two f32 is an f64.
    cases.extend(each(
        |r| format!("mul.{r}.f32 %r0, %r1, %r2;"),
        32,
        |[a, b, _], r| narrow(f(a) * f(b), 0.0, r),
    ));
    cases.extend(each(
        |r| format!("fma.{r}.f32 %r0, %r1, %r2, %r3;"),
        32,
        |[a, b, c], r| add32(f(a) * f(b), f(c), r),
    ));
    let quotient = |a: f64, b: f64, r| {
        let nearest = a as f32 / b as f32;
        directed32(nearest, (a - f64::from(nearest) * b) * b.signum(), r)
    };
    cases.extend(each(
        |r| format!("div.{r}.f32 %r0, %r1, %r2;"),
        32,
        move |[a, b, _], r| quotient(f(a), f(b), r),
    ));
    cases.extend(each(|r| format!("rcp.{r}.f32 %r0, %r1;"), 32, move |[a, ..], r| quotient(1.0, f(a), r)));
    check(&cases, &moderate(32));
    let roots = each(
        |r| format!("sqrt.{r}.f32 %r0, %r1;"),
        32,
        |[a, ..], r| {
            let root = (f(a) as f32).sqrt();
            directed32(root, f(a) - f64::from(root) * f64::from(root), r)
        },
    );
    let positive: Vec<_> = moderate(32).into_iter().map(|input| input.map(|x| x & !(1 << 31))).collect();
    check(&roots, &positive);
}

/// a * b + c of integers, whose exact value an i128 holds.
#[test]
fn fma_of_f64() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut integer = |bits: u32| (random.next() as i64 >> (64 - bits)) as f64;
    let inputs: Vec<Input> = (0..3000u32)
        .map(|n| [integer(54), integer(54), integer(54) * 2f64.powi((n % 60) as i32)].map(f64::to_bits))
        .collect();
    let cases = each(
        |r| format!("fma.{r}.f64 %d0, %d1, %d2, %d3;"),
        64,
        |[a, b, c], r| {
            let exact = d(a) as i128 * d(b) as i128 + d(c) as i128;
            // `as` rounds to nearest.
            let nearest = exact as f64;
            if exact == 0 {
                return u64::from(r == Direction::Down) << 63;
            }
            directed64(nearest, (exact - nearest as i128) as f64, r)
        },
    );
    check(&cases, &inputs);
}

/// Overflow gives the largest number where the rounding points to it, infinity else.
#[test]
fn overflow_and_underflow() {
    let [large, small] = [f32::MAX, f32::from_bits(1)].map(|x| u64::from(x.to_bits()));
    let infinity = u64::from(f32::INFINITY.to_bits());
    let sign = 0x8000_0000u64;
    let results = [("rn", infinity, 0), ("rz", large, 0), ("rm", large, 0), ("rp", infinity, small)];
    let mut cases = vec![];
    for (name, over, under) in results {
        cases.push(case(format!("add.{name}.f32 %r0, %r1, %r1;"), Result::Bits(32), move |_| over));
        cases.push(case(format!("mul.{name}.f32 %r0, %r2, %r2;"), Result::Bits(32), move |_| under));
        cases.push(case(format!("fma.{name}.f32 %r0, %r1, %r1, %r1;"), Result::Bits(32), move |_| over));
    }
    check(&cases, &[[large, small, 0]; 64]);
    let negative = [("rn", infinity), ("rz", large), ("rm", infinity), ("rp", large)];
    let cases = negative.map(|(name, over)| {
        case(format!("add.{name}.f32 %r0, %r1, %r1;"), Result::Bits(32), move |_| over | sign)
    });
    check(&cases, &[[large | sign, 0, 0]; 64]);
}
