//! Video instructions: every form of the calibration's list against the manual's pseudo code (PTX ISA 9.0, 9.7.18), which reads
//! the modifiers from the text of the instruction.

use super::{Case, Input, Random, Result, case, check, low, number, signed};
use simt::calibrate::forms;

/// An instruction in pieces.
struct Form<'a> {
    base: &'a str,
    modifiers: Vec<&'a str>,
    /// Register number, what follows the dot, and the minus sign.
    operands: Vec<(usize, &'a str, bool)>,
}

fn cut(text: &str) -> Form<'_> {
    let (opcode, operands) = text.trim_end_matches(';').split_once(' ').unwrap();
    let mut words = opcode.split('.');
    let operands = operands.split(", ").map(|operand| {
        let (register, part) = operand.split_once('.').unwrap_or((operand, ""));
        (register.trim_start_matches(['-', '%', 'r']).parse().unwrap(), part, operand.starts_with('-'))
    });
    Form { base: words.next().unwrap(), modifiers: words.clone().collect(), operands: operands.collect() }
}

impl Form<'_> {
    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The types in order.
    fn types(&self) -> Vec<&str> {
        self.modifiers.iter().copied().filter(|word| matches!(*word, "u32" | "s32")).collect()
    }

    /// Source `k` (1 to 3) of registers 2 to 4.
    fn word(&self, k: usize, input: Input) -> u64 {
        low(input[self.operands[k].0 - 2], 32)
    }
}

/// `partSelectSignExtend`.
fn part(word: u64, ty: &str, name: &str) -> i128 {
    let (bits, at) = match name.as_bytes() {
        [] => (32, 0),
        [b'b', n] => (8, 8 * (n - b'0')),
        [_, n] => (16, 16 * (n - b'0')),
        _ => panic!("{name}"),
    };
    let value = low(word >> at, bits);
    if ty == "s32" { signed(value, bits) } else { value.into() }
}

fn clamp(x: i128, bits: u32, is_signed: bool) -> i128 {
    let (least, most) =
        if is_signed { (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    x.max(least).min(most)
}

fn compare(form: &Form<'_>, a: i128, b: i128) -> i128 {
    let holds = match () {
        () if form.has("eq") => a == b,
        () if form.has("ne") => a != b,
        () if form.has("lt") => a < b,
        () if form.has("le") => a <= b,
        () if form.has("gt") => a > b,
        () => a >= b,
    };
    i128::from(holds)
}

fn operate(form: &Form<'_>, a: i128, b: i128) -> i128 {
    let amount = if form.has("wrap") { b & 0x1f } else { b.min(32) };
    match form.base.trim_end_matches(['2', '4']) {
        "vadd" => a + b,
        "vsub" => a - b,
        "vabsdiff" => {
            if a > b {
                a - b
            } else {
                b - a
            }
        }
        "vmin" => {
            if a < b {
                a
            } else {
                b
            }
        }
        "vmax" => {
            if a > b {
                a
            } else {
                b
            }
        }
        "vavrg" if a + b >= 0 => (a + b + 1) >> 1,
        "vavrg" => (a + b) >> 1,
        "vshl" => a * 2i128.pow(amount as u32),
        "vshr" => a.div_euclid(2i128.pow(amount as u32)),
        "vset" => compare(form, a, b),
        other => panic!("{other}"),
    }
}

fn scalar(form: &Form<'_>, input: Input) -> i128 {
    let types = form.types();
    let set = form.base == "vset";
    let (d, [a, b]) = if set { ("u32", [types[0], types[1]]) } else { (types[0], [types[1], types[2]]) };
    let value = operate(
        form,
        part(form.word(1, input), a, form.operands[1].1),
        part(form.word(2, input), b, form.operands[2].1),
    );
    let selected = form.operands[0].1;
    let bits = match selected.as_bytes() {
        [] => 32,
        [b'b', _] => 8,
        _ => 16,
    };
    let value = if form.has("sat") { clamp(value, bits, d == "s32") } else { value };
    if form.operands.len() == 3 {
        return value;
    }
    let word = form.word(3, input);
    let third = number(d, word);
    match selected {
        "" if form.has("add") => value + third,
        "" if form.has("min") => value.min(third),
        "" => value.max(third),
        _ => {
            let at = bits * u32::from(selected.as_bytes()[1] - b'0');
            let field = low(u64::MAX, bits) << at;
            i128::from((value as u64) << at & field | word & !field)
        }
    }
}

fn mad(form: &Form<'_>, input: Input) -> i128 {
    let types = form.types();
    let [a, b] = [1, 2].map(|k| part(form.word(k, input), types[k], form.operands[k].1));
    let [minus_a, minus_b, minus_c] = [1, 2, 3].map(|k| form.operands[k].2);
    let is_signed = types[1] == "s32" || types[2] == "s32" || minus_a != minus_b || minus_c;
    let mut sum = a * b;
    let mut c = form.word(3, input);
    let mut lsb = 0;
    if form.has("po") {
        lsb = 1;
    } else if minus_a != minus_b {
        sum = !sum;
        lsb = 1;
    } else if minus_c {
        c ^= 0xffff_ffff;
        lsb = 1;
    }
    sum += number(if is_signed { "s32" } else { "u32" }, c) + lsb;
    let shift = if form.has("shr7") {
        7
    } else if form.has("shr15") {
        15
    } else {
        0
    };
    let result = sum.div_euclid(1 << shift);
    if form.has("sat") { clamp(result, 32, is_signed) } else { result }
}

fn simd(form: &Form<'_>, input: Input) -> i128 {
    let (count, bits, defaults) =
        if form.base.ends_with('4') { (4, 8, ["3210", "3210", "7654"]) } else { (2, 16, ["10", "10", "32"]) };
    let types = form.types();
    let set = types.len() == 2;
    let (d, sources) = if set { ("u32", [types[0], types[1]]) } else { (types[0], [types[1], types[2]]) };
    let digits = |k: usize| match form.operands[k].1 {
        "" => defaults[k].as_bytes(),
        name => &name.as_bytes()[1..],
    };
    let both = form.word(2, input) << 32 | form.word(1, input);
    // Element 0 is named last.
    let element = |k: usize, lane: usize| {
        let which = u32::from(digits(k)[count - 1 - lane] - b'0');
        let value = low(both >> (which * bits), bits);
        if sources[k - 1] == "s32" { signed(value, bits) } else { value.into() }
    };
    let c = form.word(3, input);
    let mut sum = if form.has("add") { i128::from(c) } else { 0 };
    for lane in 0..count {
        let value = operate(form, element(1, lane), element(2, lane));
        let value = if form.has("sat") { clamp(value, bits, d == "s32") } else { value };
        let computed = digits(0).contains(&(b'0' + lane as u8));
        let at = bits * lane as u32;
        let field = low(u64::MAX, bits) << at;
        sum += match (form.has("add"), computed) {
            (true, true) => value,
            (true, false) => 0,
            (false, true) => i128::from((value as u64) << at & field),
            (false, false) => i128::from(c & field),
        };
    }
    sum
}

fn reference(text: &str, input: Input) -> u64 {
    let form = cut(text);
    let value = match form.base {
        "vmad" => mad(&form, input),
        base if base.ends_with(['2', '4']) => simd(&form, input),
        _ => scalar(&form, input),
    };
    low(value as u64, 32)
}

/// The harness has the destination in register 0 and the sources from 1 on.
fn renumbered(text: &str) -> String {
    (1..5).fold(text.to_owned(), |text, n| text.replace(&format!("%r{n}"), &format!("%r{}", n - 1)))
}

fn all() -> Vec<Input> {
    let edges =
        [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x8001_7f80];
    let pairs = edges.iter().flat_map(|&a| edges.iter().map(move |&b: &u64| [a, b, a ^ b.rotate_left(7)]));
    let mut random = Random(7);
    // Small amounts for the shifts, too.
    let amounts =
        (0..40).map(|n| [0x8000_f123u64.rotate_left(n), u64::from(n) | u64::from(n) << 8, 0x8421_fedc]);
    let mut all: Vec<Input> = pairs.chain(amounts).collect();
    all.extend((0..72).map(|_| [random.next(), random.next(), random.next()]));
    all
}

#[test]
fn every_form_of_the_list() {
    let forms: Vec<String> =
        forms().into_iter().filter(|form| form.starts_with('v') && !form.starts_with("vote")).collect();
    assert!(forms.len() > 1700, "{} forms", forms.len());
    let inputs = all();
    for part in forms.chunks(200) {
        let cases: Vec<Case> = part
            .iter()
            .map(|text| {
                let form = text.clone();
                case(renumbered(text), Result::Bits(32), move |input| reference(&form, input))
            })
            .collect();
        check(&cases, &inputs);
    }
}

/// Selections of every part, which the list has only some of.
#[test]
fn every_part() {
    let mut forms = vec![];
    for d in ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"] {
        for part in ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"] {
            let second = if d.is_empty() { ".add" } else { "" };
            forms.push(format!("vsub.s32.s32.u32.sat{second} %r1{d}, %r2{part}, %r3.h1, %r4;"));
            forms.push(format!("vmad.s32.u32.s32.shr7 %r1, %r2.b3, %r3{part}, %r4;"));
        }
    }
    for mask in 1..16u32 {
        let names: String =
            (0..4).rev().filter(|k| mask >> k & 1 != 0).map(|k| char::from(b'0' + k)).collect();
        forms.push(format!(
            "vadd4.s32.s32.u32.sat %r1.b{names}, %r2.b7{}01, %r3.b{}264, %r4;",
            mask % 8,
            mask / 2
        ));
        forms.push(format!("vset4.u32.s32.lt.add %r1.b{names}, %r2.b0{}15, %r3, %r4;", mask % 8));
    }
    for (mask, a, b) in [("h0", "h03", "h21"), ("h1", "h12", "h33"), ("h10", "h30", "h11")] {
        forms.push(format!("vavrg2.s32.s32.s32 %r1.{mask}, %r2.{a}, %r3.{b}, %r4;"));
        forms.push(format!("vabsdiff2.u32.s32.u32.add %r1.{mask}, %r2.{a}, %r3.{b}, %r4;"));
    }
    let cases: Vec<Case> = forms
        .into_iter()
        .map(|text| case(renumbered(&text), Result::Bits(32), move |input| reference(&text, input)))
        .collect();
    check(&cases, &all());
}

/// What ptxas refuses, and what the manual does not have.
#[test]
fn combinations_that_do_not_exist() {
    for wrong in [
        "vadd.u32.u32.u32.add %r0.h0, %r1, %r2, %r3;",
        "vadd.u32.u32.u32 %r0.h0, %r1, %r2;",
        "vadd.u32.u32.u32 %r0, %r1.b4, %r2;",
        "vadd.u32.u32.u32 %r0, -%r1, %r2;",
        "vadd.u32.u32.u32 %r0, %d1, %r2;",
        "vshl.u32.u32.u32 %r0, %r1, %r2;",
        "vshl.u32.u32.s32.clamp %r0, %r1, %r2;",
        "vmad.u32.u32.u32 %r0, -%r1, %r2, -%r3;",
        "vmad.u32.u32.u32.po %r0, %r1, %r2, -%r3;",
        "vmad.u32.u32.u32 %r0, %r1, %r2, %r3.h0;",
        "vadd2.u32.u32.u32.sat.add %r0, %r1, %r2, %r3;",
        "vadd2.u32.u32.u32 %r0, %r1, %r2;",
        "vadd2.u32.u32.u32 %r0.h01, %r1, %r2, %r3;",
        "vadd2.u32.u32.u32 %r0, %r1.h04, %r2, %r3;",
        "vadd4.u32.u32.u32 %r0, %r1, %r2, 0;",
        "vset4.u32.u32.ne.max %r0, %r1, %r2, %r3;",
        "vavrg.u32.u32.u32 %r0, %r1, %r2;",
        "add.u32 %r0, -%r1, %r2;",
        "add.u32 %r0, %r1.b0, %r2;",
    ] {
        let text = super::module(&[case(wrong, Result::Bits(32), |_| 0)]);
        assert!(simt::ptx::decode(&text).is_err(), "{wrong}");
    }
}
