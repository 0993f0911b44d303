//! `cvt`: between integers, between floating-point types, and from one to the other.

use super::half::{Direction, encode, value};
use super::{Input, Random, Result, case, check, inputs, integers, letter, low, number, width};

const INTEGERS: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
type Rounding = (&'static str, fn(f64) -> f64);
const INTEGRAL: [Rounding; 4] =
    [("rni", f64::round_ties_even), ("rzi", f64::trunc), ("rmi", f64::floor), ("rpi", f64::ceil)];
const ROUNDINGS: [(&str, Direction); 4] =
    [("rn", Direction::Nearest), ("rz", Direction::Zero), ("rm", Direction::Down), ("rp", Direction::Up)];

fn range(ty: &str) -> (i128, i128) {
    let bits = width(ty);
    if ty.starts_with('s') { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// A number as a register holds it: extended by its type.
fn register(ty: &str, value: i128, bits: u32) -> u64 {
    low(number(ty, value as u64) as u64, bits)
}

/// All pairs of types, into the narrowest register and a wider one, wrapping and clamped.
#[test]
fn integers_to_integers() {
    let mut cases = vec![];
    for to in INTEGERS {
        for from in INTEGERS {
            for bits in [width(to).max(16), 64] {
                let (l, from_l) = (letter(bits), letter(width(from)));
                let text = |sat: &str| format!("cvt{sat}.{to}.{from} %{l}0, %{from_l}1;");
                let wrap = move |[a, ..]: Input| register(to, number(from, a), bits);
                cases.push(case(text(""), Result::Bits(bits), wrap));
                let (least, largest) = range(to);
                let clamp = move |[a, ..]: Input| register(to, number(from, a).clamp(least, largest), bits);
                cases.push(case(text(".sat"), Result::Bits(bits), clamp));
            }
        }
        // From a register wider than the type.
        let l = letter(width(to).max(16));
        let expect = move |[a, ..]: Input| register(to, number("s8", a), width(to).max(16));
        cases.push(case(format!("cvt.{to}.s8 %{l}0, %d1;"), Result::Bits(width(to).max(16)), expect));
    }
    check(&cases, &inputs(&integers()));
}

/// Floating-point numbers around the limits of all integer types, ties, and special ones.
fn floats(bits: u32) -> Vec<Input> {
    let mut values =
        vec![0.0, 0.5, 1.5, 2.5, 0.499_999_9, 0.75, 1e-40, 1e30, 65504.0, 65520.0, f64::INFINITY, f64::NAN];
    for limit in [7, 8, 15, 16, 31, 32, 63, 64] {
        let power = 2f64.powi(limit);
        values.extend([
            power,
            power - 1.0,
            power + 1.0,
            power - 0.5,
            power.next_down(),
            f64::from((power as f32).next_down()),
        ]);
    }
    let word = |x: f64| match bits {
        16 => encode(x, Direction::Nearest).into(),
        32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    };
    let both = values.into_iter().flat_map(|x| [x, -x]);
    let mut random = Random(0xabcd_ef01_2345_6789);
    both.map(word).chain((0..500).map(|_| random.next())).map(|x| [x, 0, 0]).collect::<Vec<_>>()
}

/// What becomes of NaN by the manual: the largest bit of the type if the source or the result has 64 bits, else 0.
fn nan(to: &str, from: u32) -> i128 {
    if from == 64 || width(to) == 64 { 1 << (width(to) - 1) } else { 0 }
}

#[test]
fn floats_to_integers() {
    for from in [16, 32, 64] {
        let mut cases = vec![];
        for to in INTEGERS {
            for (name, round) in INTEGRAL {
                let bits = width(to).max(16);
                let (l, from_l) = (letter(bits), letter(from));
                let (least, largest) = range(to);
                let convert = move |x: f64| {
                    let x = if x.is_nan() { nan(to, from) } else { (round(x) as i128).clamp(least, largest) };
                    register(to, x, bits)
                };
                let text = format!("cvt.{name}.{to}.f{from} %{l}0, %{from_l}1;");
                cases.push(case(text, Result::Bits(bits), move |[a, ..]| convert(value(a, from))));
                if from == 32 {
                    let flushed = move |a: u64| {
                        let x = f32::from_bits(a as u32);
                        if x.is_subnormal() { 0.0 } else { f64::from(x) }
                    };
                    let text = format!("cvt.{name}.ftz.{to}.f32 %{l}0, %{from_l}1;");
                    cases.push(case(text, Result::Bits(bits), move |[a, ..]| convert(flushed(a))));
                }
            }
        }
        check(&cases, &floats(from));
    }
}

/// The neighbour of `nearest` that the direction asks for. `as` rounds to nearest.
fn from_integer(exact: i128, to: u32, direction: Direction) -> u64 {
    let direction = match direction {
        Direction::Zero if exact > 0 => Direction::Down,
        Direction::Zero => Direction::Up,
        other => other,
    };
    let nearest = if to == 32 { f64::from(exact as f32) } else { exact as f64 };
    let rest = exact - nearest as i128;
    let step = match direction {
        Direction::Down if rest < 0 => -1,
        Direction::Up if rest > 0 => 1,
        _ => 0,
    };
    match (to, step) {
        (32, -1) => (nearest as f32).next_down().to_bits().into(),
        (32, 1) => (nearest as f32).next_up().to_bits().into(),
        (32, _) => (nearest as f32).to_bits().into(),
        (_, -1) => nearest.next_down().to_bits(),
        (_, 1) => nearest.next_up().to_bits(),
        _ => nearest.to_bits(),
    }
}

#[test]
fn integers_to_floats() {
    let mut cases = vec![];
    for from in INTEGERS {
        let from_l = letter(width(from));
        for (name, direction) in ROUNDINGS {
            for to in [32, 64] {
                let text = format!("cvt.{name}.f{to}.{from} %{}0, %{from_l}1;", letter(to));
                let expect = move |[a, ..]: Input| from_integer(number(from, a), to, direction);
                cases.push(case(text, Result::Bits(to), expect));
            }
            // Every integer below 2^53 is an f64; larger ones are beyond f16 in any case.
            let expect = move |[a, ..]: Input| u64::from(encode(number(from, a) as f64, direction));
            cases.push(case(format!("cvt.{name}.f16.{from} %h0, %{from_l}1;"), Result::Bits(16), expect));
        }
    }
    check(&cases, &inputs(&integers()));
}

#[test]
fn floats_to_floats() {
    let word = |x: f64, bits: u32| match bits {
        32 => u64::from((x as f32).to_bits()),
        16 => u64::from(encode(x, Direction::Nearest)),
        _ => x.to_bits(),
    };
    for from in [16u32, 32, 64] {
        let l = letter(from);
        let mut cases = vec![];
        for to in [16u32, 32, 64].into_iter().filter(|to| *to >= from) {
            let text = |m: &str| format!("cvt{m}.f{to}.f{from} %{}0, %{l}1;", letter(to));
            cases.push(case(text(""), Result::Float(to), move |[a, ..]| word(value(a, from), to)));
            let saturate = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
            cases.push(case(text(".sat"), Result::Float(to), move |[a, ..]| {
                word(saturate(value(a, from)), to)
            }));
        }
        for (name, round) in INTEGRAL {
            let expect = move |[a, ..]: Input| word(round(value(a, from)), from);
            cases.push(case(
                format!("cvt.{name}.f{from}.f{from} %{l}0, %{l}1;"),
                Result::Float(from),
                expect,
            ));
        }
        for (name, direction) in ROUNDINGS {
            if from > 16 {
                let expect = move |[a, ..]: Input| u64::from(encode(value(a, from), direction));
                cases.push(case(format!("cvt.{name}.f16.f{from} %h0, %{l}1;"), Result::Float(16), expect));
            }
            if from == 64 {
                let expect =
                    move |[a, ..]: Input| u64::from(narrowed(f64::from_bits(a), direction).to_bits());
                cases.push(case(format!("cvt.{name}.f32.f64 %r0, %d1;"), Result::Float(32), expect));
                let flushed = move |[a, ..]: Input| {
                    let x = narrowed(f64::from_bits(a), direction);
                    u64::from(if x.is_subnormal() { 0f32.copysign(x) } else { x }.to_bits())
                };
                cases.push(case(format!("cvt.{name}.ftz.f32.f64 %r0, %d1;"), Result::Float(32), flushed));
            }
        }
        let mut inputs = floats(from);
        inputs.extend(
            [1e-310, f64::from(f32::MIN_POSITIVE).next_down(), 3e38, 3.5e38].map(|x| [word(x, from), 0, 0]),
        );
        check(&cases, &inputs);
    }
}

/// An f64 as f32; `as` rounds to nearest.
fn narrowed(x: f64, direction: Direction) -> f32 {
    let nearest = x as f32;
    let direction = match direction {
        Direction::Zero if x > 0.0 => Direction::Down,
        Direction::Zero => Direction::Up,
        other => other,
    };
    match direction {
        Direction::Down if f64::from(nearest) > x => nearest.next_down(),
        Direction::Up if f64::from(nearest) < x => nearest.next_up(),
        _ => nearest,
    }
}
