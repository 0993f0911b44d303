//! Arithmetic on two floating-point numbers in one register: `.f16x2` in 32 bits, `.f32x2` in 64 (sm_100 and above).
//!
//! The parts are unpacked to scratch registers, computed one by one, and packed again.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::Type;
use super::Form;
use super::float::ROUNDINGS;
use crate::code::{Float, FloatMode, FloatOp1, FloatOp2, Op, Reg, Round, Src, Width};

/// `add`, `sub`, `mul`, `fma` on both types; `neg`, `abs`, `min`, `max` on `.f16x2`.
pub(super) fn arithmetic(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let rounds = matches!(base, "add" | "sub" | "mul" | "fma");
    let round = if rounds { form.pick(ROUNDINGS) } else { None };
    if base == "fma" && round.is_none() {
        return Err(Fault::Form);
    }
    let mode = FloatMode {
        round: round.unwrap_or(Round::Nearest),
        ftz: rounds && form.take("ftz"),
        sat: rounds && form.take("sat"),
    };
    let nan = matches!(base, "min" | "max") && form.take("NaN");
    let ty = form.must(&[("f16x2", Float::F16), ("f32x2", Float::F32)])?;
    form.end()?;
    let exists = match ty {
        // As for a single f16: to nearest, without `.ftz`.
        Float::F16 => mode.round == Round::Nearest && !mode.ftz,
        _ => rounds && !mode.sat,
    };
    if !exists {
        return Err(Fault::Form);
    }
    let two = |op| move |dst: Reg, [a, b, _]: [Src; 3]| Op::Float2 { op, ty, mode, dst, a, b };
    let one = |op| move |dst: Reg, [a, ..]: [Src; 3]| Op::Float1 { op, ty, mode, dst, a };
    match base {
        "add" => each(body, ty, 2, two(FloatOp2::Add)),
        "sub" => each(body, ty, 2, two(FloatOp2::Sub)),
        "mul" => each(body, ty, 2, two(FloatOp2::Mul)),
        "min" => each(body, ty, 2, two(if nan { FloatOp2::MinNan } else { FloatOp2::Min })),
        "max" => each(body, ty, 2, two(if nan { FloatOp2::MaxNan } else { FloatOp2::Max })),
        "neg" => each(body, ty, 1, one(FloatOp1::Neg)),
        "abs" => each(body, ty, 1, one(FloatOp1::Abs)),
        "fma" => each(body, ty, 3, |dst, [a, b, c]| Op::Fma { ty, mode, dst, a, b, c }),
        _ => Err(Fault::Form),
    }
}

/// Reads a destination and `count` sources and does the operation on each part.
fn each(
    body: &mut Body<'_, '_>,
    ty: Float,
    count: usize,
    op: impl Fn(Reg, [Src; 3]) -> Op,
) -> Result<(), Fault> {
    let (d, sources) = match count {
        1 => body.operands().map(|[d, a]| (d, [a, Operand::Sink, Operand::Sink]))?,
        2 => body.operands().map(|[d, a, b]| (d, [a, b, Operand::Sink]))?,
        _ => body.operands().map(|[d, a, b, c]| (d, [a, b, c]))?,
    };
    let width = if ty == Float::F16 { Width::W32 } else { Width::W64 };
    let dst = body.dst(d, width)?;
    let mut parts = [[Reg(0); 2]; 3];
    for (parts, source) in parts.iter_mut().zip(sources).take(count) {
        let src = body.src(source, Type::bits(width))?;
        *parts = [body.frame.scratch(ty.width()), body.frame.scratch(ty.width())];
        let [low, high] = *parts;
        body.prepare(Op::Unpack { width, count: 2, parts: [low, high, low, high], src });
    }
    for part in 0..2 {
        // The result takes the place of the first source.
        body.prepare(op(parts[0][part], parts.map(|parts| Src::reg(parts[part]))));
    }
    let [low, high] = parts[0].map(Src::reg);
    body.emit(Op::Pack { width, count: 2, dst, parts: [low, high, low, high] });
    Ok(())
}
