//! Arithmetic on two numbers in one register: `.f16x2`, `.bf16x2`, `.u16x2` and `.s16x2` in 32 bits, `.f32x2` in 64 (sm_100
//! and above).
//!
//! The parts are unpacked to scratch registers, computed one by one, and packed again.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::Type;
use super::Form;
use super::float::{ROUNDINGS, extremum_op};
use crate::code::{Float, FloatMode, FloatOp1, FloatOp2, Int, IntOp2, Op, Reg, Round, Src, Width};

/// `add`, `sub`, `mul`, `fma` on all floating-point types, `neg`, `abs`, `min`, `max`, `tanh`, `ex2` on those of 16 bits; `add`,
/// `min`, `max` on integers.
pub(super) fn arithmetic(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    if matches!(form.rest, ".u16x2" | ".s16x2" | ".relu.s16x2") {
        return integers(body, base, form);
    }
    let rounds = matches!(base, "add" | "sub" | "mul" | "fma");
    let extremum = matches!(base, "min" | "max");
    let function = matches!(base, "tanh" | "ex2");
    let round = if rounds { form.pick(ROUNDINGS) } else { None };
    if base == "fma" && round.is_none() || function && !form.take("approx") {
        return Err(Fault::Form);
    }
    let ftz = form.take("ftz");
    let sat = rounds && form.take("sat");
    let relu = base == "fma" && !sat && form.take("relu");
    let round = round.unwrap_or(Round::Nearest);
    let mode = FloatMode { round, ftz, sat, relu, ..FloatMode::DEFAULT };
    let nan = extremum && form.take("NaN");
    let xorsign = extremum && form.take("xorsign");
    if xorsign && !form.take("abs") {
        return Err(Fault::Form);
    }
    let ty = form.must(&[("f16x2", Float::F16), ("bf16x2", Float::Bf16), ("f32x2", Float::F32)])?;
    form.end()?;
    let exists = match ty {
        // As for a single number: to nearest.
        Float::F16 => mode.round == Round::Nearest && !(function && ftz),
        Float::Bf16 => mode.round == Round::Nearest && ftz == (base == "ex2") && !sat,
        _ => rounds && !sat && !relu,
    };
    if !exists {
        return Err(Fault::Form);
    }
    let two = |op| move |dst: Reg, [a, b, _]: [Src; 3]| Op::Float2 { op, ty, mode, dst, a, b };
    let one = |op| move |dst: Reg, [a, ..]: [Src; 3]| Op::Float1 { op, ty, mode, dst, a };
    let part = ty.width();
    match base {
        "add" => each(body, part, 2, two(FloatOp2::Add)),
        "sub" => each(body, part, 2, two(FloatOp2::Sub)),
        "mul" => each(body, part, 2, two(FloatOp2::Mul)),
        "min" | "max" => each(body, part, 2, two(extremum_op(base == "max", nan, xorsign))),
        "neg" => each(body, part, 1, one(FloatOp1::Neg)),
        "abs" => each(body, part, 1, one(FloatOp1::Abs)),
        "tanh" => each(body, part, 1, one(FloatOp1::TanhApprox)),
        "ex2" => each(body, part, 1, one(FloatOp1::Ex2Approx)),
        "fma" => each(body, part, 3, |dst, [a, b, c]| Op::Fma { ty, mode, dst, a, b, c }),
        _ => Err(Fault::Form),
    }
}

/// `add.u16x2|s16x2`, `min|max.u16x2|s16x2`, `min|max.relu.s16x2`.
fn integers(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let op = match base {
        "add" => IntOp2::Add,
        "min" => IntOp2::Min,
        "max" => IntOp2::Max,
        _ => return Err(Fault::Form),
    };
    let relu = form.take("relu");
    if relu && base == "add" {
        return Err(Fault::Form);
    }
    let ty = Int { width: Width::W16, signed: form.must(&[("u16x2", false), ("s16x2", true)])? };
    if !relu {
        return each(body, ty.width, 2, |dst, [a, b, _]| Op::Int2 { op, ty, dst, a, b });
    }
    let zero = body.constant(0, ty.width);
    each_then(
        body,
        ty.width,
        2,
        |dst, [a, b, _]| Op::Int2 { op, ty, dst, a, b },
        |dst| Some(Op::Int2 { op: IntOp2::Max, ty, dst, a: Src::reg(dst), b: zero }),
    )
}

/// Reads a destination and `count` sources and does the operation on each part.
fn each(
    body: &mut Body<'_, '_>,
    part: Width,
    count: usize,
    op: impl Fn(Reg, [Src; 3]) -> Op,
) -> Result<(), Fault> {
    each_then(body, part, count, op, |_| None)
}

/// The same with a second operation on the results.
fn each_then(
    body: &mut Body<'_, '_>,
    part: Width,
    count: usize,
    op: impl Fn(Reg, [Src; 3]) -> Op,
    then: impl Fn(Reg) -> Option<Op>,
) -> Result<(), Fault> {
    let (d, sources) = match count {
        1 => body.operands().map(|[d, a]| (d, [a, Operand::Sink, Operand::Sink]))?,
        2 => body.operands().map(|[d, a, b]| (d, [a, b, Operand::Sink]))?,
        _ => body.operands().map(|[d, a, b, c]| (d, [a, b, c]))?,
    };
    let width = if part == Width::W16 { Width::W32 } else { Width::W64 };
    let dst = body.dst(d, width)?;
    let mut parts = [[Reg(0); 2]; 3];
    for (parts, source) in parts.iter_mut().zip(sources).take(count) {
        let src = body.src(source, Type::bits(width))?;
        *parts = [body.frame.scratch(part), body.frame.scratch(part)];
        let [low, high] = *parts;
        body.prepare(Op::Unpack { width, count: 2, parts: [low, high, low, high], src });
    }
    for part in 0..2 {
        // The result takes the place of the first source.
        body.prepare(op(parts[0][part], parts.map(|parts| Src::reg(parts[part]))));
        then(parts[0][part]).into_iter().for_each(|op| body.prepare(op));
    }
    let [low, high] = parts[0].map(Src::reg);
    body.emit(Op::Pack { width, count: 2, dst, parts: [low, high, low, high] });
    Ok(())
}
