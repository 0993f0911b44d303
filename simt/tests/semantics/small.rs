//! Conversions to and from numbers of 4, 6 and 8 bits, and stochastic rounding: values by the definition of the formats (PTX ISA
//! 9.0, 5.2.3), rounding by search among all numbers of the format.

use super::{Case, Input, Random, Result, case, check, low};

/// A format with a sign.
#[derive(Clone, Copy)]
struct Format {
    name: &'static str,
    exponent: u32,
    fraction: u32,
    /// Bits of the largest number; larger ones are infinity or NaN, if there are any.
    largest: u64,
    nan: u64,
}

const E4M3: Format = Format { name: "e4m3", exponent: 4, fraction: 3, largest: 0x7e, nan: 0x7f };
const E5M2: Format = Format { name: "e5m2", exponent: 5, fraction: 2, largest: 0x7b, nan: 0x7f };
const E2M1: Format = Format { name: "e2m1", exponent: 2, fraction: 1, largest: 7, nan: 7 };
const E2M3: Format = Format { name: "e2m3", exponent: 2, fraction: 3, largest: 0x1f, nan: 0x1f };
const E3M2: Format = Format { name: "e3m2", exponent: 3, fraction: 2, largest: 0x1f, nan: 0x1f };
const F16: Format = Format { name: "f16", exponent: 5, fraction: 10, largest: 0x7bff, nan: 0x7fff };
const BF16: Format = Format { name: "bf16", exponent: 8, fraction: 7, largest: 0x7f7f, nan: 0x7fff };

impl Format {
    fn sign(self) -> u32 {
        self.exponent + self.fraction
    }

    /// The value of a number without sign.
    fn value(self, bits: u64) -> f64 {
        let (field, fraction) = (bits >> self.fraction, low(bits, self.fraction) as f64);
        let bias = (1 << (self.exponent - 1)) - 1;
        let unit = 2f64.powi(field.max(1) as i32 - bias - self.fraction as i32);
        if field == 0 { fraction * unit } else { (fraction + 2f64.powi(self.fraction as i32)) * unit }
    }

    /// The number at or below a magnitude, and how far it is to the next one, from 0 to 1. Beyond the largest number the steps
    /// go on, as if there were more.
    fn floor(self, magnitude: f64) -> (u64, f64) {
        let (mut least, mut above) = (0, self.largest + 2);
        if magnitude >= self.value(self.largest + 1) {
            return (self.largest + 1, 0.0);
        }
        while above - least > 1 {
            let middle = (least + above) / 2;
            if self.value(middle) <= magnitude { least = middle } else { above = middle }
        }
        let (x, next) = (self.value(least), self.value(least + 1));
        (least, (magnitude - x) / (next - x))
    }

    /// A finite magnitude by `up`, which is asked with the number below and the distance; then what lies beyond the largest one.
    fn encode(self, x: f64, satfinite: bool, relu: bool, up: impl Fn(u64, f64) -> bool) -> u64 {
        if x.is_nan() {
            return self.nan;
        }
        let sign = u64::from(x.is_sign_negative()) << self.sign();
        if relu && sign != 0 {
            return 0;
        }
        let rounded = if x.is_infinite() {
            self.largest + 1
        } else {
            let (below, distance) = self.floor(x.abs());
            below + u64::from(distance > 0.0 && up(below, distance))
        };
        sign | match rounded {
            n if n <= self.largest => n,
            _ if satfinite => self.largest,
            // Only f16 and bf16 are asked for without, and have infinity there.
            _ => self.largest + 1,
        }
    }

    fn nearest(self, x: f64, relu: bool) -> u64 {
        self.encode(x, true, relu, |below, distance| distance > 0.5 || distance == 0.5 && below % 2 == 1)
    }
}

fn single(bits: u64) -> f64 {
    f32::from_bits(bits as u32).into()
}

/// f32 around the ranges of all formats, middles between numbers, and every byte.
fn all() -> Vec<Input> {
    let mut all = vec![];
    let edge = |x: f64| u64::from((x as f32).to_bits());
    for format in [E4M3, E5M2, E2M1, E2M3, E3M2] {
        for n in 0..=format.largest + 1 {
            let (x, next) = (format.value(n), format.value(n + 1));
            let middle = edge((x + next) / 2.0);
            all.push([edge(x), middle, 0x1234_8000 ^ n << 9]);
            all.push([middle + 1, (middle - 1) | 1 << 31, 0xffff_ffff - n]);
        }
    }
    let special: [u64; 10] = [
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffff_ffff,
        0,
        0x8000_0000,
        1,
        0x0040_0000,
        0x0040_0001,
        0x007f_ffff,
    ];
    all.extend(special.iter().flat_map(|&a| special.map(|b: u64| [a, b, a ^ b.rotate_right(5)])));
    let powers = (0..=254u64).flat_map(|e| [e << 23, e << 23 | 1, e << 23 | 0x40_0000, e << 23 | 0x7f_ffff]);
    all.extend(powers.map(|x| [x, x | 1 << 31, x.wrapping_mul(0x9e37_79b9)]));
    all.extend((0..256).map(|n| [n | (255 - n) << 8, n << 8, n]));
    let mut random = Random(5);
    all.extend((0..800).map(|_| [random.next() & 0x8fff_ffff | 0x3000_0000, random.next(), random.next()]));
    all
}

/// `.rn` to and from two numbers.
fn pairs(format: Format) -> Vec<Case> {
    let name = format.name;
    let place = if name == "e2m1" { 4 } else { 8 };
    let join = move |high: u64, low: u64| high << place | low;
    let half = move |bits: u64, relu: bool| {
        let magnitude = format.value(low(bits, format.sign()));
        let negative = bits >> format.sign() & 1 != 0;
        match () {
            () if negative && relu => 0,
            () => super::half::encode(
                if negative { -magnitude } else { magnitude },
                super::half::Direction::Zero,
            )
            .into(),
        }
    };
    // Bytes have registers of their own; moving a pair of them in and out is exact.
    let (before, narrow, after) = if name == "e2m1" {
        (".reg .b8 %b<3>; mov.b16 {%b1, %b2}, %h1; ", "%b1", " mov.b16 %h0, {%b1, 0};")
    } else {
        ("", "%h0", "")
    };
    let from = if name == "e2m1" { "%b1" } else { "%h1" };
    let mut cases = vec![];
    for (text, relu) in [("", false), (".relu", true)] {
        cases.push(case(
            format!("{before}cvt.rn.satfinite{text}.{name}x2.f32 {narrow}, %r1, %r2;{after}"),
            Result::Bits(16),
            move |[a, b, _]| join(format.nearest(single(a), relu), format.nearest(single(b), relu)),
        ));
        if !matches!(name, "e4m3" | "e5m2") {
            cases.push(case(
                format!("{before}cvt.rn{text}.f16x2.{name}x2 %r0, {from};"),
                Result::Bits(32),
                move |[a, ..]| half(a >> place, relu) << 16 | half(a, relu),
            ));
        }
    }
    if name == "e2m1" {
        cases.push(case(
            format!("{before}cvt.rn.satfinite.{name}x2.f16x2 {narrow}, %r1;{after}"),
            Result::Bits(16),
            move |[a, ..]| {
                let [low, high] =
                    [a, a >> 16].map(|x| format.nearest(super::half::value(x & 0xffff, 16), false));
                join(high, low)
            },
        ));
    }
    cases
}

#[test]
fn pairs_to_nearest() {
    for format in [E4M3, E5M2, E2M1, E2M3, E3M2] {
        super::check_unguarded(&pairs(format), &all());
    }
}

/// The exponent of a power of two at or below (`.rz`) or at or above (`.rp`) a magnitude, without sign.
fn power(x: f64, up: bool, satfinite: bool) -> u64 {
    let magnitude = x.abs();
    let value = |field: u64| 2f64.powi(field as i32 - 127);
    let largest = if satfinite { 0xfe } else { 0xff };
    match () {
        () if x.is_nan() => 0xff,
        () if magnitude <= value(0) => 0,
        () if up => (0..=0xfe).find(|n| value(*n) >= magnitude).unwrap_or(largest),
        () if magnitude >= value(0xff) => largest,
        () => (0..=0xfe).rev().find(|n| value(*n) <= magnitude).unwrap_or(0),
    }
}

#[test]
fn powers_of_two() {
    let bf16 = |bits: u64| single(low(bits, 16) << 16);
    let mut cases = vec![];
    for (round, up) in [("rz", false), ("rp", true)] {
        for (modifier, satfinite) in [("", false), (".satfinite", true)] {
            let to = move |x| power(x, up, satfinite);
            cases.push(case(
                format!("cvt.{round}{modifier}.ue8m0x2.f32 %h0, %r1, %r2;"),
                Result::Bits(16),
                move |[a, b, _]| to(single(a)) << 8 | to(single(b)),
            ));
            cases.push(case(
                format!("cvt.{round}{modifier}.ue8m0x2.bf16x2 %h0, %r1;"),
                Result::Bits(16),
                move |[a, ..]| to(bf16(a >> 16)) << 8 | to(bf16(a)),
            ));
        }
    }
    let back = |bits: u64| match low(bits, 8) {
        0xff => 0x7fff,
        n => u64::from((2f64.powi(n as i32 - 127) as f32).to_bits() >> 16),
    };
    cases.push(case("cvt.rn.bf16x2.ue8m0x2 %r0, %h1;", Result::Bits(32), move |[a, ..]| {
        back(a >> 8) << 16 | back(a)
    }));
    check(&cases, &all());
}

/// Stochastic rounding: up if the `bits` upper bits of what is cut off, plus the random ones, carry.
fn random(format: Format, x: f64, satfinite: bool, relu: bool, (value, bits): (u64, u32)) -> u64 {
    let scale = 2f64.powi(bits as i32);
    format.encode(x, satfinite, relu, |_, distance| {
        (distance * scale).floor() + low(value, bits) as f64 >= scale
    })
}

#[test]
fn stochastic_rounding() {
    let mut cases = vec![];
    for (modifiers, satfinite, relu) in [
        ("", false, false),
        (".satfinite", true, false),
        (".relu", false, true),
        (".relu.satfinite", true, true),
    ] {
        for (format, bits) in [(F16, 13), (BF16, 16)] {
            let text = format!("cvt.rs{modifiers}.{}x2.f32 %r0, %r1, %r2, %r3;", format.name);
            cases.push(case(text, Result::Bits(32), move |[a, b, r]| {
                let to = |x, r| random(format, single(x), satfinite, relu, (r, bits));
                to(a, r >> 16) << 16 | to(b, r)
            }));
        }
        if !satfinite {
            continue;
        }
        for format in [E4M3, E5M2, E2M3, E3M2] {
            let text = format!("cvt.rs{modifiers}.{}x4.f32 %r0, {{%r1, %r2, %r3, %r1}}, %r3;", format.name);
            cases.push(case(text, Result::Bits(32), move |[a, b, r]| {
                let to = |x, r| random(format, single(x), true, relu, (r, 16));
                to(a, r >> 16) << 24 | to(b, r >> 16) << 16 | to(r, r) << 8 | to(a, r)
            }));
        }
        let text = format!("cvt.rs{modifiers}.e2m1x4.f32 %h0, {{%r1, %r2, %r3, %r1}}, %r3;");
        cases.push(case(text, Result::Bits(16), move |[a, b, r]| {
            let bytes = |at: u32| (r >> (16 + at) & 0xff) << 8 | r >> at & 0xff;
            let to = |x, r| random(E2M1, single(x), true, relu, (r, 16));
            to(a, bytes(8)) << 12 | to(b, bytes(8)) << 8 | to(r, bytes(0)) << 4 | to(a, bytes(0))
        }));
    }
    check(&cases, &all());
}

#[test]
fn forms_that_do_not_exist() {
    for wrong in [
        "cvt.rn.e2m3x2.f32 %h0, %r1, %r2;",
        "cvt.rz.satfinite.e3m2x2.f32 %h0, %r1, %r2;",
        "cvt.rn.satfinite.e2m3x2.f16x2 %h0, %r1;",
        "cvt.rn.bf16x2.e2m3x2 %r0, %h1;",
        "cvt.rn.ue8m0x2.f32 %h0, %r1, %r2;",
        "cvt.rz.relu.ue8m0x2.f32 %h0, %r1, %r2;",
        "cvt.rz.ue8m0x2.f16x2 %h0, %r1;",
        "cvt.rn.f16x2.ue8m0x2 %r0, %h1;",
        "cvt.rs.e4m3x4.f32 %r0, {%r1, %r2, %r3, %r1}, %r3;",
        "cvt.rs.satfinite.e4m3x4.f32 %r0, {%r1, %r2}, %r3;",
        "cvt.rs.f16.f32 %h0, %r1, %r3;",
        "cvt.rs.f16x2.f32 %r0, %r1, %r2;",
    ] {
        let text = super::module(&[case(wrong, Result::Bits(32), |_| 0)]);
        assert!(simt::ptx::decode(&text).is_err(), "{wrong}");
    }
}
