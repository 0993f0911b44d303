//! Floating point against an independent implementation, LLVM's APFloat: every operation with every rounding, `.ftz`, `.sat`
//! and `.relu`, for all types, on all pairs of edge values and on random ones. The approximate functions of the types of 16
//! bits against f64, with the bounds that the manual states.

use super::{Case, Input, Random, Result, case, check, letter, low};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round, StatusAnd};

const ROUNDS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];

/// What the formats differ in: name, bits, the NaN of the GPU, infinity, one.
trait Format: Float {
    const NAME: &'static str;
    const WIDTH: u32;
    const QUIET: u64;
    const INF: u64;
    const ONE: u64;
}

macro_rules! describe {
    ($type:ident, $name:literal, $width:literal, $nan:literal, $infinity:literal, $one:literal) => {
        impl Format for $type {
            const NAME: &'static str = $name;
            const WIDTH: u32 = $width;
            const QUIET: u64 = $nan;
            const INF: u64 = $infinity;
            const ONE: u64 = $one;
        }
    };
}
describe!(Half, "f16", 16, 0x7fff, 0x7c00, 0x3c00);
describe!(BFloat, "bf16", 16, 0x7fff, 0x7f80, 0x3f80);
describe!(Single, "f32", 32, 0x7fff_ffff, 0x7f80_0000, 0x3f80_0000);
describe!(Double, "f64", 64, 0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0000, 0x3ff0_0000_0000_0000);

fn sign<T: Format>() -> u64 {
    1 << (T::WIDTH - 1)
}

fn is_nan<T: Format>(bits: u64) -> bool {
    bits & !sign::<T>() > T::INF
}

/// What the modifiers of a form do.
#[derive(Clone, Copy)]
struct Mode {
    ftz: bool,
    sat: bool,
    relu: bool,
}

const PLAIN: Mode = Mode { ftz: false, sat: false, relu: false };

fn flush<T: Format>(mode: Mode, bits: u64) -> u64 {
    // The exponent field is 0.
    if mode.ftz && bits & T::INF == 0 { bits & sign::<T>() } else { bits }
}

fn value<T: Format>(mode: Mode, bits: u64) -> T {
    T::from_bits(flush::<T>(mode, low(bits, T::WIDTH)).into())
}

/// The bits of a result after the modifiers.
fn finish<T: Format>(mode: Mode, result: StatusAnd<T>) -> u64 {
    let bits = result.value.to_bits() as u64;
    let nan = is_nan::<T>(bits);
    let negative = bits & sign::<T>() != 0;
    match mode {
        _ if nan => {
            if mode.sat {
                0
            } else {
                T::QUIET
            }
        }
        Mode { sat: true, .. } | Mode { relu: true, .. } if negative => 0,
        Mode { sat: true, .. } => flush::<T>(mode, bits).min(T::ONE),
        _ => flush::<T>(mode, bits),
    }
}

/// Numbers at every edge of a format, and some between.
fn edges<T: Format>() -> Vec<u64> {
    let fraction = (T::INF & T::INF.wrapping_neg()) - 1;
    let smallest = fraction + 1;
    let half = T::ONE - smallest;
    let positive = [
        0,
        1,
        fraction >> 1,
        fraction,
        smallest,
        smallest + 1,
        half,
        T::ONE - 1,
        T::ONE,
        T::ONE + 1,
        T::ONE + fraction / 2,
        T::ONE + fraction,
        T::INF - 1,
        T::INF - smallest,
        T::INF,
        T::QUIET,
        T::INF + 1,
    ];
    positive.into_iter().flat_map(|bits| [bits, bits | sign::<T>()]).collect()
}

/// All pairs of edges with a third one, and random numbers, of which many have exponents that are close.
fn inputs<T: Format>() -> Vec<Input> {
    let edges = edges::<T>();
    let count = edges.len();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let pairs =
        (0..count * count).map(|n| [edges[n / count], edges[n % count], edges[(n * 7 + n / count) % count]]);
    let mut all: Vec<Input> = pairs.collect();
    for n in 0..1024 {
        let near = |word: u64| {
            (word & ((T::ONE >> 3) * 2 + 1) | word << (T::WIDTH - 1)) & (T::ONE | sign::<T>() | T::ONE >> 4)
                | word & 7
        };
        let words = [random.next(), random.next(), random.next()];
        all.push(if n % 2 == 0 {
            words
        } else {
            words.map(|w| near(w) | w & ((T::INF & T::INF.wrapping_neg()) - 1))
        });
    }
    all
}

fn result<T: Format>() -> Result {
    // f64 keeps the payload of a NaN, which the manual leaves open.
    if T::WIDTH == 64 { Result::Float(64) } else { Result::Bits(T::WIDTH) }
}

/// Registers of an operation: destination and sources.
fn registers<T: Format>(sources: usize) -> String {
    let l = letter(T::WIDTH);
    (0..=sources).map(|n| format!("%{l}{n}")).collect::<Vec<_>>().join(", ")
}

/// `add`, `sub`, `mul`, `div`, `fma` of one type.
fn arithmetic<T: Format + 'static>() -> Vec<Case> {
    let (name, half) = (T::NAME, T::WIDTH == 16);
    let mut cases = vec![];
    for (round_name, round) in ROUNDS.into_iter().take(if half { 1 } else { 4 }) {
        let modes = match name {
            "bf16" => vec![("", PLAIN), (".relu", Mode { relu: true, ..PLAIN })],
            "f64" => vec![("", PLAIN)],
            _ => vec![
                ("", PLAIN),
                (".ftz", Mode { ftz: true, ..PLAIN }),
                (".sat", Mode { sat: true, ..PLAIN }),
                (".ftz.sat", Mode { ftz: true, sat: true, relu: false }),
                (".relu", Mode { relu: true, ..PLAIN }),
                (".ftz.relu", Mode { ftz: true, sat: false, relu: true }),
            ],
        };
        for (modifiers, mode) in modes {
            let two = registers::<T>(2);
            let text = |op: &str| format!("{op}.{round_name}{modifiers}.{name} {two};");
            if !mode.relu {
                for (op, f) in [
                    ("add", T::add_r as fn(T, T, Round) -> StatusAnd<T>),
                    ("sub", T::sub_r),
                    ("mul", T::mul_r),
                ] {
                    cases.push(case(text(op), result::<T>(), move |[a, b, _]| {
                        finish(mode, f(value::<T>(mode, a), value::<T>(mode, b), round))
                    }));
                }
            }
            if !half && !mode.sat && !mode.relu {
                cases.push(case(text("div"), result::<T>(), move |[a, b, _]| {
                    finish(mode, value::<T>(mode, a).div_r(value::<T>(mode, b), round))
                }));
                let one = registers::<T>(1);
                cases.push(case(
                    format!("rcp.{round_name}{modifiers}.{name} {one};"),
                    result::<T>(),
                    move |[a, ..]| finish(mode, value::<T>(mode, T::ONE).div_r(value::<T>(mode, a), round)),
                ));
            }
            if half || !mode.relu {
                let text = format!("fma.{round_name}{modifiers}.{name} {};", registers::<T>(3));
                cases.push(case(text, result::<T>(), move |[a, b, c]| {
                    let [a, b, c] = [a, b, c].map(|x| value::<T>(mode, x));
                    finish(mode, a.mul_add_r(b, c, round))
                }));
            }
        }
    }
    cases
}

/// `min`, `max` by the manual's definition ("min": 9.7.1.13, 9.7.3.11, 9.7.4.6).
fn extremes<T: Format + 'static>() -> Vec<Case> {
    let wide = T::WIDTH == 64;
    let mut cases = vec![];
    for (op, max) in [("min", false), ("max", true)] {
        for (modifier, ftz) in [("", false), (".ftz", true)] {
            for (nan_name, nan) in [("", false), (".NaN", true)] {
                for (xor_name, xorsign) in [("", false), (".xorsign.abs", true)] {
                    if ftz && matches!(T::NAME, "f64" | "bf16") || wide && (nan || xorsign) {
                        continue;
                    }
                    let text =
                        format!("{op}{modifier}{nan_name}{xor_name}.{} {};", T::NAME, registers::<T>(2));
                    let mode = Mode { ftz, ..PLAIN };
                    cases.push(case(text, result::<T>(), move |[a, b, _]| {
                        let [mut x, mut y] = [a, b].map(|bits| flush::<T>(mode, low(bits, T::WIDTH)));
                        let product = (x ^ y) & sign::<T>();
                        if xorsign {
                            (x, y) = (x & !sign::<T>(), y & !sign::<T>());
                        }
                        let chosen = match (is_nan::<T>(x), is_nan::<T>(y)) {
                            (true, true) => return T::QUIET,
                            (true, _) | (_, true) if nan => return T::QUIET,
                            (true, false) => y,
                            (false, true) => x,
                            _ => {
                                let (p, q) = (T::from_bits(x.into()), T::from_bits(y.into()));
                                // -0 is less than +0.
                                let less = p < q || p == q && x > y;
                                if less != max { x } else { y }
                            }
                        };
                        chosen | if xorsign { product } else { 0 }
                    }));
                }
            }
        }
    }
    cases
}

/// Both halves at once do what each alone does.
fn pairs<T: Format + 'static>() -> Vec<Case> {
    let name = T::NAME;
    let both = |f: fn(u64, u64, u64) -> u64| {
        move |[a, b, c]: Input| {
            let part = |k: u32| f(low(a >> k, 16), low(b >> k, 16), low(c >> k, 16));
            part(0) | part(16) << 16
        }
    };
    fn one<T: Format>(bits: u64) -> T {
        value(PLAIN, bits)
    }
    let nearest = Round::NearestTiesToEven;
    let _ = nearest;
    let sum = |a, b, _| finish(PLAIN, one::<T>(a).add_r(one(b), Round::NearestTiesToEven));
    let difference = |a, b, _| finish(PLAIN, one::<T>(a).sub_r(one(b), Round::NearestTiesToEven));
    let product = |a, b, _| finish(PLAIN, one::<T>(a).mul_r(one(b), Round::NearestTiesToEven));
    let fused = |a, b, c| finish(PLAIN, one::<T>(a).mul_add_r(one(b), one(c), Round::NearestTiesToEven));
    vec![
        case(format!("add.{name}x2 %r0, %r1, %r2;"), Result::Bits(32), both(sum)),
        case(format!("sub.rn.{name}x2 %r0, %r1, %r2;"), Result::Bits(32), both(difference)),
        case(format!("mul.{name}x2 %r0, %r1, %r2;"), Result::Bits(32), both(product)),
        case(format!("fma.rn.{name}x2 %r0, %r1, %r2, %r3;"), Result::Bits(32), both(fused)),
    ]
}

/// `cvt` from one type to another with each rounding.
fn conversions<F, T>() -> Vec<Case>
where
    F: Format + FloatConvert<T> + 'static,
    T: Format + 'static,
{
    let (to, from) = (letter(T::WIDTH), letter(F::WIDTH));
    let convert = |mode: Mode, round, a: u64| {
        let converted = value::<F>(PLAIN, a).convert_r(round, &mut false);
        finish::<T>(mode, converted)
    };
    let mut cases = vec![];
    if T::WIDTH > F::WIDTH {
        let expect = move |[a, ..]: Input| convert(PLAIN, Round::NearestTiesToEven, a);
        cases.push(case(format!("cvt.{}.{} %{to}0, %{from}1;", T::NAME, F::NAME), result::<T>(), expect));
        return cases;
    }
    for (name, round) in ROUNDS {
        let expect = move |[a, ..]: Input| convert(PLAIN, round, a);
        cases.push(case(
            format!("cvt.{name}.{}.{} %{to}0, %{from}1;", T::NAME, F::NAME),
            result::<T>(),
            expect,
        ));
    }
    if F::NAME == "f32" {
        for (name, round) in ROUNDS.into_iter().take(2) {
            let relu = Mode { relu: true, ..PLAIN };
            let expect = move |[a, ..]: Input| convert(relu, round, a);
            let text = format!("cvt.{name}.relu.{}.f32 %{to}0, %r1;", T::NAME);
            cases.push(case(text, result::<T>(), expect));
            // Infinity becomes the largest number.
            let finite = move |a| match convert(PLAIN, round, a) {
                bits if bits & !sign::<T>() == T::INF => bits - 1,
                bits => bits,
            };
            let text = format!("cvt.{name}.satfinite.{}.f32 %{to}0, %r1;", T::NAME);
            cases.push(case(text, result::<T>(), move |[a, ..]: Input| finite(a)));
            let both = move |[a, b, _]: Input| finite(a) << 16 | finite(b);
            let text = format!("cvt.{name}.satfinite.{}x2.f32 %r0, %r1, %r2;", T::NAME);
            cases.push(case(text, Result::Bits(32), both));
        }
    }
    cases
}

/// To and from integers of 16, 32 and 64 bits.
fn integers<T: Format + 'static>() -> Vec<Case> {
    let l = letter(T::WIDTH);
    let mut cases = vec![];
    for ty in ["u16", "s16", "u32", "s32", "u64", "s64"] {
        let (bits, i) = (super::width(ty), letter(super::width(ty)));
        for (name, round) in ROUNDS {
            let text = format!("cvt.{name}.{}.{ty} %{l}0, %{i}1;", T::NAME);
            let from = move |[a, ..]: Input| finish(PLAIN, T::from_i128_r(super::number(ty, a), round));
            cases.push(case(text, result::<T>(), from));
            let text = format!("cvt.{name}i.{ty}.{} %{i}0, %{l}1;", T::NAME);
            let to = move |[a, ..]: Input| {
                let x = value::<T>(PLAIN, a);
                if x.is_nan() {
                    // PTX ISA, "cvt": 0 of the smaller types, else the highest bit.
                    return if T::WIDTH == 64 || bits == 64 { 1 << (bits - 1) } else { 0 };
                }
                // Saturates.
                let width = bits as usize;
                let number = if ty.starts_with('s') {
                    x.to_i128_r(width, round, &mut false).value as u64
                } else {
                    x.to_u128_r(width, round, &mut false).value as u64
                };
                low(number, bits)
            };
            cases.push(case(text, Result::Bits(bits), to));
        }
    }
    cases
}

#[test]
fn arithmetic_of_every_type() {
    check(&arithmetic::<Half>(), &inputs::<Half>());
    check(&arithmetic::<BFloat>(), &inputs::<BFloat>());
    check(&arithmetic::<Single>(), &inputs::<Single>());
    check(&arithmetic::<Double>(), &inputs::<Double>());
}

#[test]
fn minimum_and_maximum_of_every_type() {
    check(&extremes::<Half>(), &inputs::<Half>());
    check(&extremes::<BFloat>(), &inputs::<BFloat>());
    check(&extremes::<Single>(), &inputs::<Single>());
    check(&extremes::<Double>(), &inputs::<Double>());
}

#[test]
fn arithmetic_of_pairs() {
    // Neighbouring inputs fill the upper halves.
    fn wide<T: Format>() -> Vec<Input> {
        let single = inputs::<T>();
        let upper = single.iter().skip(7).chain(&single);
        single
            .iter()
            .zip(upper)
            .map(|(a, b)| [0, 1, 2].map(|k| low(a[k], 16) | low(b[k], 16) << 16))
            .collect()
    }
    check(&pairs::<Half>(), &wide::<Half>());
    check(&pairs::<BFloat>(), &wide::<BFloat>());
}

#[test]
fn conversions_between_types() {
    check(&conversions::<Single, Half>(), &inputs::<Single>());
    check(&conversions::<Single, BFloat>(), &inputs::<Single>());
    check(&conversions::<Double, Half>(), &inputs::<Double>());
    check(&conversions::<Double, BFloat>(), &inputs::<Double>());
    check(&conversions::<Double, Single>(), &inputs::<Double>());
    check(&conversions::<Half, Single>(), &inputs::<Half>());
    check(&conversions::<BFloat, Single>(), &inputs::<BFloat>());
    check(&conversions::<Half, BFloat>(), &inputs::<Half>());
    check(&conversions::<BFloat, Half>(), &inputs::<BFloat>());
    check(&conversions::<BFloat, Double>(), &inputs::<BFloat>());
}

#[test]
fn conversions_of_integers() {
    fn all<T: Format>() -> Vec<Input> {
        super::inputs(&super::integers()).into_iter().chain(inputs::<T>()).collect()
    }
    check(&integers::<Half>(), &all::<Half>());
    check(&integers::<BFloat>(), &all::<BFloat>());
    check(&integers::<Single>(), &all::<Single>());
    check(&integers::<Double>(), &all::<Double>());
}

/// `cvt.rn.satfinite` to two numbers of 8 bits, and back: `largest` is the largest number.
fn bytes<T>(name: &'static str, largest: u64) -> Vec<Case>
where
    T: Float + FloatConvert<Half> + 'static,
    Single: FloatConvert<T>,
    Half: FloatConvert<T>,
{
    fn to<T: Float, F: Format + FloatConvert<T>>(bits: u64, largest: u64) -> u64 {
        let x = value::<F>(PLAIN, bits);
        let found = x.convert_r(Round::NearestTiesToEven, &mut false).value;
        match () {
            () if x.is_nan() => 0x7f,
            // Beyond the largest number is infinity, or NaN where there is none.
            () if !found.is_finite() => largest | u64::from(x.is_negative()) << 7,
            () => found.to_bits() as u64,
        }
    }
    let from = |byte: u64| finish::<Half>(PLAIN, T::from_bits((byte & 0xff).into()).convert(&mut false));
    vec![
        case(format!("cvt.rn.satfinite.{name}x2.f32 %h0, %r1, %r2;"), Result::Bits(16), move |[a, b, _]| {
            to::<T, Single>(a, largest) << 8 | to::<T, Single>(b, largest)
        }),
        case(format!("cvt.rn.satfinite.{name}x2.f16x2 %h0, %r1;"), Result::Bits(16), move |[a, ..]| {
            to::<T, Half>(a >> 16, largest) << 8 | to::<T, Half>(a, largest)
        }),
        case(format!("cvt.rn.f16x2.{name}x2 %r0, %h1;"), Result::Bits(32), move |[a, ..]| {
            from(a >> 8) << 16 | from(a)
        }),
    ]
}

#[test]
fn numbers_of_eight_bits() {
    let mut all = inputs::<Single>();
    // Around the range of the small types, and every pair of bytes.
    let mut random = Random(99);
    all.extend((0..2000).map(|_| {
        [0; 3].map(|_| random.next() & 0x8fff_ffff | 0x3000_0000 | random.next() << 20 & 0x1000_0000)
    }));
    all.extend((0..0x1_0000).step_by(7).map(|x| [x, x * 0x9e37_79b9, 0]));
    check(&bytes::<Float8E4M3FN>("e4m3", 0x7e), &all);
    check(&bytes::<Float8E5M2>("e5m2", 0x7b), &all);
}

/// `tf32`: f32 with 10 bits of fraction; the rest is rounded off the bits as of an integer.
#[test]
fn numbers_of_tf32() {
    let tf32 = |x: u64, add: fn(u64) -> u64, finite: bool| {
        let (x, sign) = (low(x, 31), x & 1 << 31);
        let rounded = (x + add(x)) & !0x1fff;
        match x {
            _ if x > Single::INF => Single::QUIET,
            _ if finite && rounded >= Single::INF => sign | 0x7f7f_e000,
            _ => sign | rounded,
        }
    };
    let nearest = |x: u64| 0xfff + (x >> 13 & 1);
    let mut cases = vec![];
    for (round, add) in [("rn", nearest as fn(u64) -> u64), ("rz", |_| 0), ("rna", |_| 0x1000)] {
        for (modifier, finite) in [("", false), (".satfinite", true)] {
            let text = format!("cvt.{round}{modifier}.tf32.f32 %r0, %r1;");
            cases.push(case(text, Result::Bits(32), move |[a, ..]: Input| tf32(a, add, finite)));
        }
    }
    check(&cases, &inputs::<Single>());
}

/// The bounds of PTX ISA, "ex2" and "tanh" for the types of 16 bits: relative 2^-9.9 (f16) and 2^-7 (bf16) for `ex2`, absolute
/// 2^-10.987 (f16) and 2^-8 (bf16) for `tanh`. All 65,536 numbers.
#[test]
fn approximations_of_sixteen_bits() {
    fn number<T: Format + FloatConvert<Double>>(bits: u64) -> f64 {
        let x: Double = value::<T>(PLAIN, bits).convert(&mut false).value;
        f64::from_bits(x.to_bits() as u64)
    }
    fn bound<T: Format + FloatConvert<Double>>(op: &str, error: f64, relative: bool, f: fn(f64) -> f64) {
        let found =
            super::outputs(&format!("{op}.{} %h0, %h1;", T::NAME), (0..=0xffff).map(|x| [x, 0, 0]).collect());
        for (x, found) in (0u64..).zip(found) {
            let flushed = flush::<T>(Mode { ftz: op.ends_with("ftz"), ..PLAIN }, x);
            let (exact, found) = (f(number::<T>(flushed)), number::<T>(found));
            let smallest = number::<T>((T::INF & T::INF.wrapping_neg()) - 1);
            let limit = if relative { (exact * error).max(smallest) } else { error };
            let overflow = exact >= number::<T>(T::INF - 1);
            assert!(
                (exact - found).abs() <= limit
                    || exact.is_nan() && found.is_nan()
                    || overflow && found == f64::INFINITY,
                "{op}.{} of {x:#x}: {found:e} instead of {exact:e}",
                T::NAME
            );
        }
    }
    bound::<Half>("ex2.approx", 2f64.powf(-9.9), true, f64::exp2);
    bound::<BFloat>("ex2.approx.ftz", 2f64.powi(-7), true, f64::exp2);
    bound::<Half>("tanh.approx", 2f64.powf(-10.987), false, f64::tanh);
    bound::<BFloat>("tanh.approx", 2f64.powi(-8), false, f64::tanh);
}
