//! Video instructions (PTX ISA 9.0, 9.7.18).

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::B32;
use super::Form;
use super::compare::OF_INTEGERS;
use crate::code::{Op, Part, Reg, Src, VideoMad, VideoOp, VideoScalar, VideoSecond, VideoSimd, Width};

const TYPES: &[(&str, bool)] = &[("u32", false), ("s32", true)];

const SECONDS: &[(&str, VideoSecond)] =
    &[("add", VideoSecond::Add), ("min", VideoSecond::Min), ("max", VideoSecond::Max)];

/// All of them, by base opcode.
pub(super) fn video(body: &mut Body<'_, '_>, base: &str, form: Form<'_>) -> Result<(), Fault> {
    if base == "vmad" {
        return mad(body, form);
    }
    let (name, count) = match base.as_bytes().last() {
        Some(b'2') => (&base[..base.len() - 1], 2),
        Some(b'4') => (&base[..base.len() - 1], 4),
        _ => (base, 1),
    };
    let op = match name {
        "vadd" => Some(VideoOp::Add),
        "vsub" => Some(VideoOp::Sub),
        "vabsdiff" => Some(VideoOp::AbsDiff),
        "vmin" => Some(VideoOp::Min),
        "vmax" => Some(VideoOp::Max),
        "vavrg" if count > 1 => Some(VideoOp::Average),
        // Their modifiers say the rest.
        "vset" => None,
        "vshl" if count == 1 => Some(VideoOp::Shl { clamp: true }),
        "vshr" if count == 1 => Some(VideoOp::Shr { clamp: true }),
        _ => return Err(Fault::Form),
    };
    if count == 1 { scalar(body, op, form) } else { simd(body, op, count == 4, form) }
}

/// The type of the destination, which `vset` does not have, and those of the sources.
fn types(form: &mut Form<'_>, op: Option<VideoOp>) -> Result<(bool, [bool; 2]), Fault> {
    let signed = op.is_some() && form.must(TYPES)?;
    Ok((signed, [form.must(TYPES)?, form.must(TYPES)?]))
}

/// A source: its register or literal, the part of it, and whether it has a minus sign.
fn source<'a>(body: &mut Body<'_, 'a>, operand: Operand<'a>) -> Result<(Src, Part, bool), Fault> {
    let Operand::Part { reg, width: Width::W32, name, negative } = operand else {
        return Ok((body.src(operand, B32)?, Part::WORD, false));
    };
    let part = if name.is_empty() { Some(Part::WORD) } else { Part::by_name(name) };
    let part = part.ok_or_else(|| Fault::Operand(format!("there is no part `.{name}` of a register")))?;
    Ok((Src::reg(reg), part, negative))
}

/// A source without a minus sign.
fn positive<'a>(body: &mut Body<'_, 'a>, operand: Operand<'a>) -> Result<(Src, Part), Fault> {
    match source(body, operand)? {
        (src, part, false) => Ok((src, part)),
        _ => Fault::operand("this operand has no minus sign"),
    }
}

/// `vop.dtype.atype.btype[.sat][.op2] d[.dsel], a[.asel], b[.bsel][, c]`; `vshl` and `vshr` with `.clamp` or `.wrap` behind `.sat`,
/// `vset.atype.btype.cmp`.
fn scalar(body: &mut Body<'_, '_>, op: Option<VideoOp>, mut form: Form<'_>) -> Result<(), Fault> {
    let (signed, sources_signed) = types(&mut form, op)?;
    let sat = op.is_some() && form.take("sat");
    let op = match op {
        None => VideoOp::Set(form.must(OF_INTEGERS)?),
        Some(VideoOp::Shl { .. } | VideoOp::Shr { .. }) if sources_signed[1] => return Err(Fault::Form),
        Some(VideoOp::Shl { .. }) => VideoOp::Shl { clamp: form.must(LIMITS)? },
        Some(VideoOp::Shr { .. }) => VideoOp::Shr { clamp: form.must(LIMITS)? },
        Some(op) => op,
    };
    let second = form.pick(SECONDS);
    form.end()?;
    let ([d, a, b], c) = body.operands_and_more::<3, 4>()?;
    let (d, second) = match (d, second) {
        (Operand::Part { reg, width: Width::W32, name, negative: false }, None) => {
            match Part::by_name(name) {
                Some(part) => (Operand::Register(reg, Width::W32), VideoSecond::Merge(part)),
                None => return Fault::operand(format!("there is no part `.{name}` of a register")),
            }
        }
        (_, second) => (d, second.unwrap_or(VideoSecond::None)),
    };
    let ((a, first), (b, other)) = (positive(body, a)?, positive(body, b)?);
    let c = match (c, second) {
        (None, VideoSecond::None) => a,
        (Some(c), VideoSecond::Add | VideoSecond::Min | VideoSecond::Max | VideoSecond::Merge(_)) => {
            body.src(c, B32)?
        }
        _ => {
            return Fault::operand(
                "the third source goes with a second operation or a part of the destination",
            );
        }
    };
    let dst = body.dst(d, Width::W32)?;
    let form = VideoScalar { op, signed, sources_signed, sat, parts: [first, other], second };
    body.emit(Op::VideoScalar { form, dst, a, b, c });
    Ok(())
}

/// Limits of shift amounts.
const LIMITS: &[(&str, bool)] = &[("clamp", true), ("wrap", false)];

/// `vmad.dtype.atype.btype[.po][.sat][.shr7|.shr15] d, [-]a[.asel], [-]b[.bsel], [-]c`. The signs of the sources decide about that
/// of the result, whatever `.dtype` is.
fn mad(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.must(TYPES)?;
    let sources_signed = [form.must(TYPES)?, form.must(TYPES)?];
    let plus_one = form.take("po");
    let sat = form.take("sat");
    let shift = form.pick(&[("shr7", 7), ("shr15", 15)]).unwrap_or(0);
    form.end()?;
    let [d, a, b, c] = body.operands()?;
    let ((a, first, minus_a), (b, other, minus_b)) = (source(body, a)?, source(body, b)?);
    let (c, whole, negate_addend) = source(body, c)?;
    let negate_product = minus_a != minus_b;
    if plus_one && (minus_a || minus_b || negate_addend) || negate_product && negate_addend {
        return Fault::operand(
            "at most one of the product, the addend and `.po` changes the sign or the sum",
        );
    }
    if whole != Part::WORD {
        return Fault::operand("the addend is a whole register");
    }
    let dst = body.dst(d, Width::W32)?;
    let parts = [first, other];
    let form = VideoMad { sources_signed, parts, negate_product, negate_addend, plus_one, sat, shift };
    body.emit(Op::VideoMad { form, dst, a, b, c });
    Ok(())
}

/// Digits that name elements, first letter `h` (two of four halves) or `b` (four of eight bytes), as nibbles.
fn selector(name: &str, bytes: bool) -> Option<u16> {
    let digits = name.strip_prefix(if bytes { 'b' } else { 'h' })?;
    let most = if bytes { b'7' } else { b'3' };
    let fits =
        digits.len() == if bytes { 4 } else { 2 } && digits.bytes().all(|c| (b'0'..=most).contains(&c));
    fits.then(|| digits.bytes().fold(0, |nibbles, c| nibbles << 4 | u16::from(c - b'0')))
}

/// The elements of the destination that are named, from the highest down.
fn mask(name: &str, bytes: bool) -> Option<u8> {
    let digits = name.strip_prefix(if bytes { 'b' } else { 'h' })?.as_bytes();
    let most = if bytes { b'3' } else { b'1' };
    let falls = digits.windows(2).all(|pair| pair[0] > pair[1]);
    let fits = !digits.is_empty() && falls && digits.iter().all(|c| (b'0'..=most).contains(c));
    fits.then(|| digits.iter().fold(0, |mask, c| mask | 1 << (c - b'0')))
}

/// `vop2|vop4.dtype.atype.btype[.sat|.add] d[.mask], a[.asel], b[.bsel], c`, `vset2|vset4.atype.btype.cmp[.add]`. All operands are
/// registers.
fn simd(body: &mut Body<'_, '_>, op: Option<VideoOp>, bytes: bool, mut form: Form<'_>) -> Result<(), Fault> {
    let (signed, sources_signed) = types(&mut form, op)?;
    let sat = op.is_some() && form.take("sat");
    let op = match op {
        None => VideoOp::Set(form.must(OF_INTEGERS)?),
        Some(op) => op,
    };
    let accumulate = !sat && form.take("add");
    form.end()?;
    let operands: [Operand<'_>; 4] = body.operands()?;
    // Register and name of each, the name empty if there is none.
    let mut names = [""; 4];
    let mut registers = [Reg(0); 4];
    for (k, operand) in operands.into_iter().enumerate() {
        (registers[k], names[k]) = match operand {
            Operand::Register(reg, Width::W32) => (reg, ""),
            Operand::Part { reg, width: Width::W32, name, negative: false } => (reg, name),
            _ => return Fault::operand("the operands are registers of 32 bits"),
        };
    }
    let unknown = |k: usize| Fault::Operand(format!("there is no selection `.{}` here", names[k]));
    let default = if bytes { ["b3210", "b3210", "b7654"] } else { ["h10", "h10", "h32"] };
    let name = |k: usize| if names[k].is_empty() { default[k] } else { names[k] };
    let mask = mask(name(0), bytes).ok_or_else(|| unknown(0))?;
    let selectors = [
        selector(name(1), bytes).ok_or_else(|| unknown(1))?,
        selector(name(2), bytes).ok_or_else(|| unknown(2))?,
    ];
    if !names[3].is_empty() {
        return Err(unknown(3));
    }
    let [dst, a, b, c] = registers;
    let [a, b, c] = [a, b, c].map(Src::reg);
    let form = VideoSimd { op, bytes, signed, sources_signed, sat, accumulate, mask, selectors };
    body.emit(Op::VideoSimd { form, dst, a, b, c });
    Ok(())
}
