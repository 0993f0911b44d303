//! Bit fields, bytes, dot products, selections and tests of numbers: the manual's own pseudo code, in wide integers.

use super::{Case, Input, Result, case, check, inputs, integers, letter, low, number, signed, width};

/// Small values beside the usual ones, for positions, widths and counts.
fn all() -> Vec<Input> {
    let mut all = inputs(&integers());
    for n in 0..40 * 40 {
        all.push([0x8421_f00f_5aa5_3cc3u64.rotate_left(n), u64::from(n / 40), u64::from(n % 40)]);
        all.push([u64::from(n / 40), u64::from(n % 40), 3]);
    }
    // Negative counts of `fns`.
    all.extend((0u64..32 * 33).map(|n| [0xdead_beef_5aa5_3cc3, n / 33, (n % 33).wrapping_neg()]));
    all
}

fn word(text: &str, expect: impl Fn(u64, u64, u64) -> i128 + 'static) -> Case {
    case(text, Result::Bits(32), move |[a, b, c]| low(expect(low(a, 32), low(b, 32), low(c, 32)) as u64, 32))
}

#[test]
fn bit_fields() {
    let mask = |position: u64, width: u64| (((1i128 << width) - 1) << position) & 0xffff_ffff;
    let extend = |value: u64, width: u64, is_signed: bool| match width {
        0 => 0,
        _ if is_signed => signed(value, width as u32),
        _ => i128::from(low(value, width as u32)),
    };
    let nth = |mask: u64, base: u64, n: u64| {
        let n = signed(n, 32);
        let bit = |k: i128| mask >> k & 1 != 0;
        let mut left = n.abs();
        let step = if n < 0 { -1 } else { 1 };
        let mut at = i128::from(base);
        if n == 0 {
            return if bit(at) { at } else { -1 };
        }
        while (0..32).contains(&at) {
            left -= i128::from(bit(at));
            if left == 0 {
                return at;
            }
            at += step;
        }
        -1
    };
    let cases = [
        word("bmsk.clamp.b32 %r0, %r1, %r2;", move |a, b, _| mask(a.min(32), b.min(32))),
        word("bmsk.wrap.b32 %r0, %r1, %r2;", move |a, b, _| mask(a & 31, b & 31)),
        word("szext.clamp.u32 %r0, %r1, %r2;", move |a, b, _| extend(a, b.min(32), false)),
        word("szext.clamp.s32 %r0, %r1, %r2;", move |a, b, _| extend(a, b.min(32), true)),
        word("szext.wrap.u32 %r0, %r1, %r2;", move |a, b, _| extend(a, b & 31, false)),
        word("szext.wrap.s32 %r0, %r1, %r2;", move |a, b, _| extend(a, b & 31, true)),
    ];
    check(&cases, &all());
    // A base beyond the word is undefined.
    let inside: Vec<Input> = all().into_iter().filter(|[_, b, _]| low(*b, 32) < 32).collect();
    check(&[word("fns.b32 %r0, %r1, %r2, %r3;", nth)], &inside);
}

#[test]
fn modes_of_prmt() {
    let mut cases = vec![];
    // The selected bytes for each value of the lowest two bits, from the highest byte to the lowest (PTX ISA, "prmt").
    for (mode, table) in [
        ("f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
        ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
        ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
        ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
        ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
        ("rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
    ] {
        let pick = move |a: u64, b: u64, c: u64| {
            let (bytes, picks) = (b << 32 | a, table[(c & 3) as usize]);
            (0..4).map(|k| i128::from(bytes >> (8 * (picks >> (4 * k) & 7)) & 0xff) << (8 * k)).sum()
        };
        cases.push(word(&format!("prmt.b32.{mode} %r0, %r1, %r2, %r3;"), pick));
    }
    check(&cases, &all());
}

#[test]
fn dot_products() {
    let mut cases = vec![];
    for (a_type, a_signed) in [("u32", false), ("s32", true)] {
        for (b_type, b_signed) in [("u32", false), ("s32", true)] {
            let part = |x: u64, bits: u32, k: u32, is_signed: bool| {
                let x = x >> (bits * k);
                if is_signed { signed(x, bits) } else { i128::from(low(x, bits)) }
            };
            let sum = move |bits: u32, first: u32, a: u64, b: u64, c: u64| {
                let products =
                    (0..32 / bits).map(|k| part(a, bits, k, a_signed) * part(b, 8, first + k, b_signed));
                i128::from(c) + products.sum::<i128>()
            };
            let text = |op: &str| format!("{op}.{a_type}.{b_type} %r0, %r1, %r2, %r3;");
            cases.push(word(&text("dp4a"), move |a, b, c| sum(8, 0, a, b, c)));
            cases.push(word(&text("dp2a.lo"), move |a, b, c| sum(16, 0, a, b, c)));
            cases.push(word(&text("dp2a.hi"), move |a, b, c| sum(16, 2, a, b, c)));
        }
    }
    check(&cases, &all());
}

#[test]
fn products_with_sums() {
    let mut cases = vec![];
    for ty in ["u32", "s32"] {
        let narrow = move |x: u64| if ty == "s32" { signed(x, 24) } else { i128::from(low(x, 24)) };
        for (half, shift) in [("lo", 0), ("hi", 16)] {
            cases.push(word(&format!("mad24.{half}.{ty} %r0, %r1, %r2, %r3;"), move |a, b, c| {
                ((narrow(a) * narrow(b)) >> shift) + i128::from(c)
            }));
        }
    }
    let clamp = |x: i128| x.clamp(i32::MIN.into(), i32::MAX.into());
    cases.push(word("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", move |a, b, c| {
        clamp(((signed(a, 24) * signed(b, 24)) >> 16) + signed(c, 32))
    }));
    cases.push(word("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", move |a, b, c| {
        clamp(((signed(a, 32) * signed(b, 32)) >> 32) + signed(c, 32))
    }));
    cases.push(word("min.relu.s32 %r0, %r1, %r2;", |a, b, _| signed(a, 32).min(signed(b, 32)).max(0)));
    cases.push(word("max.relu.s32 %r0, %r1, %r2;", |a, b, _| signed(a, 32).max(signed(b, 32)).max(0)));
    check(&cases, &all());
}

#[test]
fn two_integers_in_a_register() {
    let both = |f: fn(u64, u64) -> i128| {
        move |a: u64, b: u64, _: u64| {
            let part = |k: u32| i128::from(low(f(low(a >> k, 16), low(b >> k, 16)) as u64, 16));
            part(0) | part(16) << 16
        }
    };
    fn s(x: u64) -> i128 {
        signed(x, 16)
    }
    let cases = [
        word("add.u16x2 %r0, %r1, %r2;", both(|a, b| i128::from(a + b))),
        word("add.s16x2 %r0, %r1, %r2;", both(|a, b| i128::from(a + b))),
        word("min.u16x2 %r0, %r1, %r2;", both(|a, b| a.min(b).into())),
        word("max.u16x2 %r0, %r1, %r2;", both(|a, b| a.max(b).into())),
        word("min.s16x2 %r0, %r1, %r2;", both(|a, b| s(a).min(s(b)))),
        word("max.s16x2 %r0, %r1, %r2;", both(|a, b| s(a).max(s(b)))),
        word("min.relu.s16x2 %r0, %r1, %r2;", both(|a, b| s(a).min(s(b)).max(0))),
        word("max.relu.s16x2 %r0, %r1, %r2;", both(|a, b| s(a).max(s(b)).max(0))),
    ];
    check(&cases, &all());
}

#[test]
fn packing_with_saturation() {
    let mut cases = vec![];
    for ty in ["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"] {
        let bits = width(ty);
        let field = move |x: u64| {
            let (least, most) = if ty.starts_with('s') {
                (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            } else {
                (0, (1 << bits) - 1)
            };
            low(signed(x, 32).clamp(least, most) as u64, bits)
        };
        let (text, wide) = match bits {
            16 => (format!("cvt.pack.sat.{ty}.s32 %r0, %r1, %r2;"), true),
            _ => (format!("cvt.pack.sat.{ty}.s32.b32 %r0, %r1, %r2, %r3;"), false),
        };
        cases.push(word(&text, move |a, b, c| {
            let above = if wide { 0 } else { i128::from(c) << (2 * bits) };
            above | i128::from(field(a) << bits | field(b))
        }));
    }
    check(&cases, &all());
}

#[test]
fn selections() {
    let mut cases = vec![];
    for ty in ["b16", "b32", "b64"] {
        let (l, bits) = (letter(width(ty)), width(ty));
        cases.push(case(format!("cnot.{ty} %{l}0, %{l}1;"), Result::Bits(bits), move |[a, ..]| {
            u64::from(low(a, bits) == 0)
        }));
        cases.push(case(
            format!("slct.{ty}.s32 %{l}0, %{l}1, %{l}2, %r3;"),
            Result::Bits(bits),
            |[a, b, c]| {
                if c as i32 >= 0 { a } else { b }
            },
        ));
        cases.push(case(
            format!("slct.{ty}.f32 %{l}0, %{l}1, %{l}2, %r3;"),
            Result::Bits(bits),
            |[a, b, c]| {
                if f32::from_bits(c as u32) >= 0.0 { a } else { b }
            },
        ));
        let text = format!("slct.ftz.{ty}.f32 %{l}0, %{l}1, %{l}2, %r3;");
        cases.push(case(text, Result::Bits(bits), |[a, b, c]| {
            let c = f32::from_bits(c as u32);
            if c >= 0.0 || c.is_subnormal() { a } else { b }
        }));
    }
    for op in ["or", "and"] {
        let value = |[a, b, c]: Input| a ^ b & c;
        let text = format!("lop3.{op}.b32 %r0|%p0, %r1, %r2, %r3, 0x78, %p1;");
        cases.push(case(text.clone(), Result::Bits(32), value));
        cases.push(case(text, Result::Predicate, move |input| {
            let (set, q) = (low(value(input), 32) != 0, input[0] & 1 != 0);
            u64::from(if op == "or" { set || q } else { set && q })
        }));
    }
    let mut inputs = all();
    // Zeros of both signs, subnormal numbers, NaN, and values that cancel.
    for c in [0, 1, 0x8000_0000, 0x8000_0001, 0x7fc0_0000, 0xffc0_0000, 0xff80_0000] {
        inputs.push([5, 6, c]);
        inputs.push([c, c, u64::MAX]);
    }
    check(&cases, &inputs);
}

#[test]
fn comparisons_that_give_numbers() {
    let mut cases = vec![];
    for (cmp, holds) in [
        ("eq", (|a, b| a == b) as fn(i128, i128) -> bool),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ] {
        for ty in ["u16", "s16", "u32", "s32", "u64", "s64"] {
            let l = letter(width(ty));
            let truth = move |[a, b, _]: Input| holds(number(ty, a), number(ty, b));
            for (to, yes) in [("u32", 0xffff_ffff), ("s32", 0xffff_ffff), ("f32", 0x3f80_0000)] {
                let text = format!("set.{cmp}.{to}.{ty} %r0, %{l}1, %{l}2;");
                cases.push(case(text, Result::Bits(32), move |input| if truth(input) { yes } else { 0 }));
            }
            let text = format!("set.{cmp}.xor.u32.{ty} %r0, %{l}1, %{l}2, !%p1;");
            cases.push(case(text, Result::Bits(32), move |input| {
                if truth(input) != (input[0] & 1 == 0) { 0xffff_ffff } else { 0 }
            }));
        }
    }
    check(&cases, &inputs(&integers()));
}

#[test]
fn comparisons_of_floats_that_give_numbers() {
    let half = |x: u64| super::half::decode(x as u16);
    let brain = |x: u64| f64::from(f32::from_bits((x as u32) << 16));
    let mut cases = vec![];
    for (cmp, holds) in [
        ("eq", (|a, b| a == b) as fn(f64, f64) -> bool),
        ("ne", |a, b| a != b && !a.is_nan() && !b.is_nan()),
        ("lt", |a, b| a < b),
        ("geu", |a, b| a >= b || a.is_nan() || b.is_nan()),
        ("num", |a, b| !a.is_nan() && !b.is_nan()),
        ("nan", |a, b| a.is_nan() || b.is_nan()),
    ] {
        for (ty, one, value) in [("f16", 0x3c00u64, half as fn(u64) -> f64), ("bf16", 0x3f80, brain)] {
            let truth = move |a: u64, b: u64| holds(value(low(a, 16)), value(low(b, 16)));
            let text = format!("setp.{cmp}.{ty} %p0, %h1, %h2;");
            cases.push(case(text, Result::Predicate, move |[a, b, _]| u64::from(truth(a, b))));
            let text = format!("set.{cmp}.{ty}.{ty} %h0, %h1, %h2;");
            cases.push(case(text, Result::Bits(16), move |[a, b, _]| if truth(a, b) { one } else { 0 }));
            let text = format!("set.{cmp}.u32.{ty} %r0, %h1, %h2;");
            cases.push(case(text, Result::Bits(32), move |[a, b, _]| u64::from(truth(a, b)) * 0xffff_ffff));
            let text = format!("set.{cmp}.{ty}x2.{ty}x2 %r0, %r1, %r2;");
            cases.push(case(text, Result::Bits(32), move |[a, b, _]| {
                (u64::from(truth(a, b)) * one) | (u64::from(truth(a >> 16, b >> 16)) * one) << 16
            }));
            let text = format!("setp.{cmp}.{ty}x2 %p0|%p3, %r1, %r2;");
            cases.push(case(text, Result::Predicate, move |[a, b, _]| u64::from(truth(a, b))));
            let text = format!("setp.{cmp}.and.{ty}x2 %p3|%p0, %r1, %r2, %p1;");
            cases.push(case(text, Result::Predicate, move |[a, b, _]| {
                u64::from(truth(a >> 16, b >> 16) && a & 1 != 0)
            }));
        }
    }
    let edges = [
        0, 0x8000, 1, 0x8001, 0x3c00, 0x3f80, 0xbc00, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7fff, 0xffc0, 0x7c01,
    ];
    let edges: Vec<u64> = edges.iter().flat_map(|low| [*low, low << 16 | 0x3c00]).collect();
    check(&cases, &inputs(&edges));
}

#[test]
fn properties_of_numbers() {
    let mut cases = vec![];
    for (name, test) in [
        ("finite", f64::is_finite as fn(f64) -> bool),
        ("infinite", f64::is_infinite),
        ("number", |x: f64| !x.is_nan()),
        ("notanumber", f64::is_nan),
        ("normal", |x: f64| x.is_normal() || x == 0.0),
        ("subnormal", f64::is_subnormal),
    ] {
        let expect = move |[a, ..]: Input| u64::from(test(f64::from_bits(a)));
        cases.push(case(format!("testp.{name}.f64 %p0, %d1;"), Result::Predicate, expect));
        let expect = move |[a, ..]: Input| {
            let x = f32::from_bits(a as u32);
            // A subnormal f32 is a normal f64.
            u64::from(test(if x.is_subnormal() { f64::from_bits(1) } else { x.into() }))
        };
        cases.push(case(format!("testp.{name}.f32 %p0, %r1;"), Result::Predicate, expect));
    }
    let mut edges = integers();
    for x in [0.0, 1.0, f64::MIN_POSITIVE, f64::MIN_POSITIVE / 2.0, f64::MAX, f64::INFINITY, f64::NAN] {
        edges.extend([
            x.to_bits(),
            (-x).to_bits(),
            (x as f32).to_bits().into(),
            (-x as f32).to_bits().into(),
        ]);
    }
    edges.extend([1, 0x007f_ffff, 0x0080_0000, 0x7f80_0000, 0x7f80_0001, 0xff7f_ffff]);
    check(&cases, &inputs(&edges));
}
