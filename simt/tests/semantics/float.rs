//! Floating-point arithmetic to nearest, `.ftz`, `.sat`, comparisons, approximations.

use super::half::{Direction, decode, encode, value};
use super::{Case, Input, Random, Result, case, check, letter};

/// f32 and f64 where something changes, and any bits.
fn floats(bits: u32) -> Vec<Input> {
    let plain = [0.0, 1.0, 1.5, 2.5, 0.5, 0.1, 3.0, 1e10, 1e-10, 0.75, 16_777_217.0];
    let word = |x: f64| if bits == 32 { u64::from((x as f32).to_bits()) } else { x.to_bits() };
    let mut values: Vec<u64> = plain.iter().flat_map(|x| [word(*x), word(-x)]).collect();
    let infinity = word(f64::INFINITY);
    let smallest_normal = if bits == 32 { 0x0080_0000 } else { f64::MIN_POSITIVE.to_bits() };
    let special =
        [1, smallest_normal - 1, smallest_normal, smallest_normal + 1, infinity - 1, infinity, infinity + 1];
    let sign = 1u64 << (bits - 1);
    values.extend(special.iter().flat_map(|x| [*x, *x | sign]));
    values.push(word(f64::NAN));
    super::inputs(&values)
}

/// A subnormal f32 becomes a zero of the same sign.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// `.sat`.
fn saturate(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

fn d(x: u64) -> f64 {
    f64::from_bits(x)
}

/// `op.f64` and `op.f32` with sources 1 to 3, the latter also with `.ftz` and `.sat` if the form has them.
fn both(
    op: &str,
    sources: u32,
    sat: bool,
    on32: fn([f32; 3]) -> f32,
    on64: fn([f64; 3]) -> f64,
) -> Vec<Case> {
    let text = |modifiers: &str, l: &str, ty: &str| {
        let sources: String = (1..=sources).map(|n| format!(", %{l}{n}")).collect();
        format!("{op}{modifiers}.{ty} %{l}0{sources};")
    };
    let plain = move |input: Input| u64::from(on32(input.map(f)).to_bits());
    let flushed = move |input: Input| u64::from(flush(on32(input.map(|x| flush(f(x))))).to_bits());
    let mut cases = vec![
        case(text("", "d", "f64"), Result::Float(64), move |input| on64(input.map(d)).to_bits()),
        case(text("", "r", "f32"), Result::Float(32), plain),
        case(text(".ftz", "r", "f32"), Result::Float(32), flushed),
    ];
    if sat {
        let clamp = |bits: u64| u64::from((saturate(f(bits).into()) as f32).to_bits());
        cases.push(case(text(".sat", "r", "f32"), Result::Float(32), move |input| clamp(plain(input))));
        cases.push(case(text(".ftz.sat", "r", "f32"), Result::Float(32), move |input| clamp(flushed(input))));
    }
    cases
}

#[test]
fn to_nearest() {
    let mut cases = vec![];
    for rn in ["", ".rn"] {
        cases.extend(both(&format!("add{rn}"), 2, true, |[a, b, _]| a + b, |[a, b, _]| a + b));
        cases.extend(both(&format!("sub{rn}"), 2, true, |[a, b, _]| a - b, |[a, b, _]| a - b));
        cases.extend(both(&format!("mul{rn}"), 2, true, |[a, b, _]| a * b, |[a, b, _]| a * b));
    }
    cases.extend(both("fma.rn", 3, true, |[a, b, c]| a.mul_add(b, c), |[a, b, c]| a.mul_add(b, c)));
    cases.extend(both("div.rn", 2, false, |[a, b, _]| a / b, |[a, b, _]| a / b));
    cases.extend(both("rcp.rn", 1, false, |[a, ..]| 1.0 / a, |[a, ..]| 1.0 / a));
    cases.extend(both("sqrt.rn", 1, false, |[a, ..]| a.sqrt(), |[a, ..]| a.sqrt()));
    cases.extend(both("neg", 1, false, |[a, ..]| -a, |[a, ..]| -a));
    cases.extend(both("abs", 1, false, |[a, ..]| a.abs(), |[a, ..]| a.abs()));
    // `.ftz` is a modifier of f32 alone.
    let (wide, narrow): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.text.contains("f64"));
    check(&wide, &floats(64));
    check(&narrow, &floats(32));
}

/// The smaller or larger one; a number wins over NaN; -0 is below +0.
fn extremum(a: f64, b: f64, largest: bool) -> f64 {
    let a_first = if a == b { a.is_sign_negative() } else { a < b };
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a_first != largest => a,
        _ => b,
    }
}

#[test]
fn minimum_maximum_copysign() {
    let mut cases = vec![];
    for (op, largest) in [("min", false), ("max", true)] {
        for bits in [32, 64] {
            let l = letter(bits);
            let word = move |x: f64| if bits == 32 { (x as f32).to_bits().into() } else { x.to_bits() };
            let expect = move |[a, b, _]: Input| word(extremum(value(a, bits), value(b, bits), largest));
            cases.push(case(format!("{op}.f{bits} %{l}0, %{l}1, %{l}2;"), Result::Float(bits), expect));
            if bits == 32 {
                let nan = move |[a, b, c]: Input| {
                    if f(a).is_nan() || f(b).is_nan() { 0x7fff_ffff } else { expect([a, b, c]) }
                };
                cases.push(case(format!("{op}.NaN.f32 %r0, %r1, %r2;"), Result::Float(32), nan));
                let zero = |x: u64| flush(f(x)).to_bits().into();
                let flushed = move |[a, b, c]: Input| expect([zero(a), zero(b), c]);
                cases.push(case(format!("{op}.ftz.f32 %r0, %r1, %r2;"), Result::Float(32), flushed));
            }
        }
    }
    for bits in [32u32, 64] {
        let l = letter(bits);
        let sign = 1u64 << (bits - 1);
        let expect = move |[a, b, _]: Input| a & sign | b & (sign - 1);
        cases.push(case(format!("copysign.f{bits} %{l}0, %{l}1, %{l}2;"), Result::Float(bits), expect));
    }
    let (wide, narrow): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.text.contains("f64"));
    check(&wide, &floats(64));
    check(&narrow, &floats(32));
}

/// What a comparison says about less, equal, greater and unordered, in this order.
const COMPARISONS: [(&str, [bool; 4]); 14] = [
    ("eq", [false, true, false, false]),
    ("ne", [true, false, true, false]),
    ("lt", [true, false, false, false]),
    ("le", [true, true, false, false]),
    ("gt", [false, false, true, false]),
    ("ge", [false, true, true, false]),
    ("equ", [false, true, false, true]),
    ("neu", [true, false, true, true]),
    ("ltu", [true, false, false, true]),
    ("leu", [true, true, false, true]),
    ("gtu", [false, false, true, true]),
    ("geu", [false, true, true, true]),
    ("num", [true, true, true, false]),
    ("nan", [false, false, false, true]),
];

#[test]
fn comparisons() {
    for bits in [16, 32, 64] {
        let l = letter(bits);
        let mut cases = vec![];
        for (name, answers) in COMPARISONS {
            let answer = move |a: f64, b: f64| match a.partial_cmp(&b) {
                Some(order) => answers[(order as i8 + 1) as usize],
                None => answers[3],
            };
            let expect = move |[a, b, _]: Input| answer(value(a, bits), value(b, bits)).into();
            cases.push(case(format!("setp.{name}.f{bits} %p0, %{l}1, %{l}2;"), Result::Predicate, expect));
            if bits == 32 {
                let expect = move |[a, b, _]: Input| answer(flush(f(a)).into(), flush(f(b)).into()).into();
                cases.push(case(format!("setp.{name}.ftz.f32 %p0, %r1, %r2;"), Result::Predicate, expect));
            }
        }
        check(&cases, &if bits == 16 { halves() } else { floats(bits) });
    }
}

/// f16 where something changes, and any bits.
fn halves() -> Vec<Input> {
    let positive =
        [0u64, 1, 2, 0x3ff, 0x400, 0x401, 0x3555, 0x3c00, 0x3c01, 0x4200, 0x7bff, 0x7c00, 0x7c01, 0x7e00];
    super::inputs(&positive.iter().flat_map(|bits| [*bits, *bits | 0x8000]).collect::<Vec<_>>())
}

/// The f16 nearest to a * b + c, by way of an f64 rounded to odd, which loses nothing that matters.
fn fma16(a: f64, b: f64, c: f64) -> u16 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let odd = if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 != 0 {
        sum
    } else if error > 0.0 {
        sum.next_up()
    } else {
        sum.next_down()
    };
    encode(odd, Direction::Nearest)
}

#[test]
fn half_precision() {
    let h = |x: u64| decode(x as u16);
    let near = |x: f64| u64::from(encode(x, Direction::Nearest));
    let text = |op: &str| format!("{op}.f16 %h0, %h1, %h2;");
    let mut cases = vec![
        case(text("add.rn"), Result::Float(16), move |[a, b, _]| near(h(a) + h(b))),
        case(text("add"), Result::Float(16), move |[a, b, _]| near(h(a) + h(b))),
        case(text("sub.rn"), Result::Float(16), move |[a, b, _]| near(h(a) - h(b))),
        case(text("mul.rn"), Result::Float(16), move |[a, b, _]| near(h(a) * h(b))),
        case(text("mul.sat"), Result::Float(16), move |[a, b, _]| near(saturate(h(a) * h(b)))),
        case(text("min"), Result::Float(16), move |[a, b, _]| near(extremum(h(a), h(b), false))),
        case(text("max"), Result::Float(16), move |[a, b, _]| near(extremum(h(a), h(b), true))),
        case("neg.f16 %h0, %h1;", Result::Float(16), |[a, ..]| (a ^ 0x8000) & 0xffff),
        case("abs.f16 %h0, %h1;", Result::Float(16), |[a, ..]| a & 0x7fff),
    ];
    let fma = move |[a, b, c]: Input| u64::from(fma16(h(a), h(b), h(c)));
    cases.push(case("fma.rn.f16 %h0, %h1, %h2, %h3;", Result::Float(16), fma));
    let mixed = move |[a, b, _]: Input| u64::from((h(a) as f32 + f(b)).to_bits());
    cases.push(case("add.rn.f32.f16 %r0, %h1, %r2;", Result::Float(32), mixed));
    let mixed = move |[a, b, c]: Input| u64::from((h(a) as f32).mul_add(h(b) as f32, f(c)).to_bits());
    cases.push(case("fma.rn.f32.f16 %r0, %h1, %h2, %r3;", Result::Float(32), mixed));
    check(&cases, &halves());
}

/// Two numbers in one register.
#[test]
fn packed() {
    let halves16 = |op: fn(f64, f64, f64) -> f64| {
        move |[a, b, c]: Input| {
            let part = |n: u32| {
                u64::from(encode(
                    op(decode((a >> n) as u16), decode((b >> n) as u16), decode((c >> n) as u16)),
                    Direction::Nearest,
                ))
            };
            part(0) | part(16) << 16
        }
    };
    // Without NaN, whose bits differ.
    let numbers: Vec<Input> =
        halves().into_iter().map(|input| input.map(|word| word & 0x3bff_3bff_3bff_3bff)).collect();
    let cases = [
        case("add.rn.f16x2 %r0, %r1, %r2;", Result::Bits(32), halves16(|a, b, _| a + b)),
        case("sub.f16x2 %r0, %r1, %r2;", Result::Bits(32), halves16(|a, b, _| a - b)),
        case("mul.sat.f16x2 %r0, %r1, %r2;", Result::Bits(32), halves16(|a, b, _| saturate(a * b))),
        case("max.f16x2 %r0, %r1, %r2;", Result::Bits(32), halves16(|a, b, _| extremum(a, b, true))),
        case("neg.f16x2 %r0, %r1;", Result::Bits(32), halves16(|a, _, _| -a)),
        case("fma.rn.f16x2 %r0, %r1, %r2, %r3;", Result::Bits(32), |[a, b, c]| {
            let h = |x: u64, n: u32| decode((x >> n) as u16);
            let part = |n: u32| u64::from(fma16(h(a, n), h(b, n), h(c, n)));
            part(0) | part(16) << 16
        }),
        case("add.rn.ftz.f32x2 %d0, %d1, %d2;", Result::Bits(64), |[a, b, _]| {
            let part = |n: u32| u64::from(flush(flush(f(a >> n)) + flush(f(b >> n))).to_bits());
            part(0) | part(32) << 32
        }),
        case("fma.rn.f32x2 %d0, %d1, %d2, %d3;", Result::Bits(64), |[a, b, c]| {
            let part = |n: u32| u64::from(f(a >> n).mul_add(f(b >> n), f(c >> n)).to_bits());
            part(0) | part(32) << 32
        }),
    ];
    check(&cases, &numbers);
}

#[test]
fn approximations() {
    let mut random = Random(0x1234_5678_9abc_def1);
    // Between 2^-20 and 2^20, both signs.
    let mut moderate = || {
        let bits = random.next();
        let exponent = 107 + (bits >> 32) % 40;
        bits & 0x8000_0000 | exponent << 23 | bits & 0x007f_ffff
    };
    let mut inputs: Vec<Input> = (0..500).map(|_| [moderate(), moderate(), 0]).collect();
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0, -1.0, 4.0, 0.25]
        .map(|x| u64::from(x.to_bits()));
    inputs.extend(special.iter().flat_map(|a| special.map(|b| [*a, b, 0])));
    let unary = |op: &str, on: fn(f64) -> f64| {
        let expect = move |[a, ..]: Input| u64::from((on(f(a).into()) as f32).to_bits());
        case(format!("{op}.f32 %r0, %r1;"), Result::Near(32), expect)
    };
    let mut cases = vec![];
    for ftz in ["", ".ftz"] {
        cases.push(unary(&format!("rcp.approx{ftz}"), f64::recip));
        cases.push(unary(&format!("sqrt.approx{ftz}"), f64::sqrt));
        // 1/sqrt(-0) is -inf, which 1 / (-0).sqrt() gives as well.
        cases.push(unary(&format!("rsqrt.approx{ftz}"), |x| x.sqrt().recip()));
        cases.push(unary(&format!("ex2.approx{ftz}"), f64::exp2));
        for op in ["approx", "full"] {
            let expect = move |[a, b, _]: Input| u64::from((f(a) / f(b)).to_bits());
            cases.push(case(format!("div.{op}{ftz}.f32 %r0, %r1, %r2;"), Result::Near(32), expect));
        }
    }
    check(&cases, &inputs);
    // Away from the zeros, where the error is absolute.
    let angles: Vec<Input> = (1..60).map(|n| [(n as f32 / 20.0).to_bits().into(), 0, 0]).collect();
    let cases = ["", ".ftz"].map(|ftz| {
        [unary(&format!("sin.approx{ftz}"), f64::sin), unary(&format!("cos.approx{ftz}"), f64::cos)]
    });
    check(&cases.into_iter().flatten().collect::<Vec<_>>(), &angles);
    let logarithms: Vec<Input> =
        inputs.into_iter().filter(|[a, ..]| (f(*a).abs() - 1.0).abs() > 0.1 || f(*a) == 1.0).collect();
    check(
        &[
            unary("lg2.approx", f64::log2),
            unary("lg2.approx.ftz", f64::log2),
            unary("tanh.approx", f64::tanh),
        ],
        &logarithms,
    );
}

/// Those of f64 with `.ftz` look at the upper half of the word only and give an upper half. Without it there is `rsqrt` alone, to
/// which CUDA's `rsqrt` and its bound of one unit in the last place come down: ptxas makes a routine of it.
#[test]
fn approximations_of_f64() {
    let mut inputs: Vec<Input> =
        [1.0, -3.0, 1e100, 1e-100, 0.1, 1.0 / 3.0].map(|x: f64| [x.to_bits(), 0, 0]).to_vec();
    inputs.extend([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|x| [x.to_bits(), 0, 0]));
    let upper = |x: u64| d(x >> 32 << 32);
    let rcp = move |[a, ..]: Input| upper(a).recip().to_bits();
    let near = case("rcp.approx.ftz.f64 %d0, %d1;", Result::Near(64), rcp);
    let gross = case("rsqrt.approx.ftz.f64 %d0, %d1;", Result::Near(64), move |[a, ..]: Input| {
        upper(a).sqrt().recip().to_bits()
    });
    let exact_low = case("rcp.approx.ftz.f64 %d4, %d1; @%p7 cvt.u32.u64 %r0, %d4;", Result::Bits(32), |_| 0);
    check(&[near, gross], &inputs);
    let numbers: Vec<_> = inputs.iter().copied().filter(|[a, ..]| !d(*a).is_nan()).collect();
    super::check_guarded(&[exact_low], &numbers);
    let whole =
        case("rsqrt.approx.f64 %d0, %d1;", Result::Float(64), |[a, ..]| d(a).sqrt().recip().to_bits());
    inputs.extend([f64::from_bits(1), 28.0, f64::MIN_POSITIVE / 3.0].map(|x| [x.to_bits(), 0, 0]));
    check(&[whole], &inputs);
}
