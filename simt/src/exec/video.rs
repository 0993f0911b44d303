//! Video instructions: integer arithmetic on bytes, halves and words (PTX ISA 9.0, 9.7.18).
//!
//! Intermediate results are exact here. The manual's have 34 bits, which holds all but those of `vshl` by more than a bit or
//! two: their `.sat` clamps what the shift gives without any limit of width.

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]

use super::lanes::{Lanes, map3};
use crate::code::{Compare, LANES, Op, Part, VideoMad, VideoOp, VideoScalar, VideoSecond, VideoSimd};

/// Executes an operation of this file; `false` if it is not one.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to.
#[inline(always)]
pub unsafe fn execute(l: &Lanes, op: &Op) -> bool {
    // SAFETY: the operands belong to the frame's function, and all have 32 bits.
    unsafe {
        match *op {
            Op::VideoScalar { form, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (u32, u32, u32) => u32, |x, y, z| scalar(&form, x, y, z));
            }
            Op::VideoMad { form, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (u32, u32, u32) => u32, |x, y, z| mad(&form, x, y, z));
            }
            Op::VideoSimd { form, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (u32, u32, u32) => u32, |x, y, z| simd(&form, x, y, z));
            }
            _ => return false,
        }
    }
    true
}

/// `bits` bits of a word from bit `shift` on, extended.
fn select(word: u64, shift: u32, bits: u32, signed: bool) -> i128 {
    let up = 64 - bits;
    let top = word >> shift << up;
    if signed { i128::from(top as i64 >> up) } else { i128::from(top >> up) }
}

/// The parts of the first two sources.
fn parts_of(a: u32, b: u32, parts: [Part; 2], signed: [bool; 2]) -> [i128; 2] {
    [0, 1].map(|k| select([a, b][k].into(), parts[k].shift.into(), parts[k].bits.into(), signed[k]))
}

/// A word as a number.
fn number(word: u32, signed: bool) -> i128 {
    select(word.into(), 0, 32, signed)
}

/// The range of a type of `bits` bits.
fn clamp(x: i128, bits: u32, signed: bool) -> i128 {
    if signed { x.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { x.clamp(0, (1 << bits) - 1) }
}

/// The first operation of all but `vmad`.
fn primary(op: VideoOp, a: i128, b: i128) -> i128 {
    let amount = |clamp| if clamp { b.min(32) } else { b & 31 };
    match op {
        VideoOp::Add => a + b,
        VideoOp::Sub => a - b,
        VideoOp::AbsDiff => (a - b).abs(),
        VideoOp::Average => (a + b + i128::from(a + b >= 0)) >> 1,
        VideoOp::Min => a.min(b),
        VideoOp::Max => a.max(b),
        VideoOp::Shl { clamp } => a << amount(clamp),
        VideoOp::Shr { clamp } => a >> amount(clamp),
        VideoOp::Set(cmp) => i128::from(match cmp {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            _ => a >= b,
        }),
    }
}

/// PTX ISA 9.0, 9.7.18.1.1, 9.7.18.1.2 and 9.7.18.1.4.
fn scalar(form: &VideoScalar, a: u32, b: u32, c: u32) -> u32 {
    let [a, b] = parts_of(a, b, form.parts, form.sources_signed);
    let mut value = primary(form.op, a, b);
    if form.sat {
        let bits = if let VideoSecond::Merge(part) = form.second { part.bits } else { 32 };
        value = clamp(value, bits.into(), form.signed);
    }
    let third = number(c, form.signed);
    match form.second {
        VideoSecond::None => value as u32,
        VideoSecond::Add => (value + third) as u32,
        VideoSecond::Min => value.min(third) as u32,
        VideoSecond::Max => value.max(third) as u32,
        VideoSecond::Merge(Part { shift, bits }) => {
            let mask = u32::MAX >> (32 - bits) << shift;
            (value as u32) << shift & mask | c & !mask
        }
    }
}

/// PTX ISA 9.0, 9.7.18.1.3.
fn mad(form: &VideoMad, a: u32, b: u32, c: u32) -> u32 {
    let [a, b] = parts_of(a, b, form.parts, form.sources_signed);
    let signed = form.sources_signed != [false; 2] || form.negate_product || form.negate_addend;
    let product = a * b;
    let value = if form.negate_product { !product } else { product };
    let addend = number(if form.negate_addend { !c } else { c }, signed);
    let one = form.plus_one || form.negate_product || form.negate_addend;
    let value = (value + addend + i128::from(one)) >> form.shift;
    if form.sat { clamp(value, 32, signed) as u32 } else { value as u32 }
}

/// PTX ISA 9.0, 9.7.18.2.1 to 9.7.18.2.4.
fn simd(form: &VideoSimd, a: u32, b: u32, c: u32) -> u32 {
    let (bits, count) = if form.bytes { (8, 4) } else { (16, 2) };
    let both = u64::from(b) << 32 | u64::from(a);
    let element = |k: u32, source: usize| {
        let which = u32::from(form.selectors[source] >> (4 * k) & 0xf);
        select(both, which * bits, bits, form.sources_signed[source])
    };
    let mut result = if form.accumulate { i128::from(c) } else { 0 };
    for k in 0..count {
        let computed = form.mask >> k & 1 != 0;
        let value = primary(form.op, element(k, 0), element(k, 1));
        let value = if form.sat { clamp(value, bits, form.signed) } else { value };
        let field = (1u32 << bits) - 1;
        result += match (form.accumulate, computed) {
            (true, true) => value,
            (true, false) => 0,
            (false, true) => i128::from((value as u32 & field) << (k * bits)),
            (false, false) => i128::from(c & field << (k * bits)),
        };
    }
    result as u32
}
