//! Floating-point arithmetic.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{F16, F32, Type};
use super::Form;
use crate::code::{Float, FloatMode, FloatOp1, FloatOp2, Op, Round, Src, Width};

/// `.rn` and the like.
pub(super) const ROUNDINGS: &[(&str, Round)] =
    &[("rn", Round::Nearest), ("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)];

/// The floating-point type that ends the form; `.ftz` belongs to f32, `.sat` to f32 and f16.
fn last(form: &mut Form<'_>, mode: FloatMode) -> Result<(Type, Float), Fault> {
    let ty = form.last_ty(|ty| ty.float().is_some())?;
    let float = ty.float().ok_or(Fault::Form)?;
    let allowed = (!mode.ftz || float == Float::F32) && (!mode.sat || float != Float::F64);
    if allowed { Ok((ty, float)) } else { Err(Fault::Form) }
}

/// Whether the form ends in `.f32.f16`: sources of f16 in an operation of f32 (sm_100 and above).
fn takes_mixed(form: &mut Form<'_>, mode: FloatMode) -> bool {
    let mixed = form.rest == ".f32.f16" && !mode.ftz;
    if mixed {
        form.rest = "";
    }
    mixed
}

/// A source of f16, widened to f32, which is exact.
fn widened<'a>(body: &mut Body<'_, 'a>, operand: Operand<'a>) -> Result<Src, Fault> {
    let src = body.src(operand, F16)?;
    let dst = body.frame.scratch(Width::W32);
    let (to, from) = (Float::F32, Float::F16);
    body.prepare(Op::ConvertFloat { to, from, integral: false, mode: FloatMode::DEFAULT, dst, src });
    Ok(Src::reg(dst))
}

/// All floating-point instructions, by base opcode.
pub(super) fn arithmetic(body: &mut Body<'_, '_>, base: &str, form: Form<'_>) -> Result<(), Fault> {
    match base {
        "add" => sum(body, FloatOp2::Add, form),
        "sub" => sum(body, FloatOp2::Sub, form),
        "mul" => sum(body, FloatOp2::Mul, form),
        "fma" => fma(body, form),
        "div" => div(body, form),
        "min" => extremum(body, FloatOp2::Min, FloatOp2::MinNan, form),
        "max" => extremum(body, FloatOp2::Max, FloatOp2::MaxNan, form),
        "neg" => sign(body, FloatOp1::Neg, form),
        "abs" => sign(body, FloatOp1::Abs, form),
        "copysign" => copysign(body, form),
        "rcp" => root(body, FloatOp1::Rcp, FloatOp1::RcpApprox, form),
        "sqrt" => root(body, FloatOp1::Sqrt, FloatOp1::SqrtApprox, form),
        "rsqrt" => approximate(body, FloatOp1::RsqrtApprox, form),
        "ex2" => approximate(body, FloatOp1::Ex2Approx, form),
        "lg2" => approximate(body, FloatOp1::Lg2Approx, form),
        "sin" => approximate(body, FloatOp1::SinApprox, form),
        "cos" => approximate(body, FloatOp1::CosApprox, form),
        "tanh" => approximate(body, FloatOp1::TanhApprox, form),
        _ => Err(Fault::Form),
    }
}

fn unary(
    body: &mut Body<'_, '_>,
    op: FloatOp1,
    (ty, float): (Type, Float),
    mode: FloatMode,
) -> Result<(), Fault> {
    let [d, a] = body.operands()?;
    let (dst, a) = (body.dst(d, ty.width)?, body.src(a, ty)?);
    body.emit(Op::Float1 { op, ty: float, mode, dst, a });
    Ok(())
}

fn binary(
    body: &mut Body<'_, '_>,
    op: FloatOp2,
    (ty, float): (Type, Float),
    mode: FloatMode,
) -> Result<(), Fault> {
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?);
    body.emit(Op::Float2 { op, ty: float, mode, dst, a, b });
    Ok(())
}

/// Rounding, `.ftz`, `.sat` in this order. Without a rounding modifier: to nearest.
fn mode(form: &mut Form<'_>) -> FloatMode {
    let round = form.pick(ROUNDINGS).unwrap_or(Round::Nearest);
    FloatMode { round, ftz: form.take("ftz"), sat: form.take("sat") }
}

/// f16 rounds to nearest only.
fn check_half(float: Float, mode: FloatMode) -> Result<(), Fault> {
    if float == Float::F16 && mode.round != Round::Nearest { Err(Fault::Form) } else { Ok(()) }
}

/// `add`, `sub`, `mul`: `[.rnd][.ftz][.sat]`; `add`, `sub`: `[.rnd][.sat].f32.f16 d, a, b` with `a` of f16.
fn sum(body: &mut Body<'_, '_>, op: FloatOp2, mut form: Form<'_>) -> Result<(), Fault> {
    let mode = mode(&mut form);
    if op != FloatOp2::Mul && takes_mixed(&mut form, mode) {
        let [d, a, b] = body.operands()?;
        let (dst, a, b) = (body.dst(d, Width::W32)?, widened(body, a)?, body.src(b, F32)?);
        body.emit(Op::Float2 { op, ty: Float::F32, mode, dst, a, b });
        return Ok(());
    }
    let ty = last(&mut form, mode)?;
    check_half(ty.1, mode)?;
    binary(body, op, ty, mode)
}

/// `fma.rnd[.ftz][.sat]`, and `.rnd[.sat].f32.f16 d, a, b, c` with `a` and `b` of f16.
fn fma(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let round = form.must(ROUNDINGS)?;
    let mode = FloatMode { round, ftz: form.take("ftz"), sat: form.take("sat") };
    if takes_mixed(&mut form, mode) {
        let [d, a, b, c] = body.operands()?;
        let (dst, a, b, c) =
            (body.dst(d, Width::W32)?, widened(body, a)?, widened(body, b)?, body.src(c, F32)?);
        body.emit(Op::Fma { ty: Float::F32, mode, dst, a, b, c });
        return Ok(());
    }
    let (ty, float) = last(&mut form, mode)?;
    check_half(float, mode)?;
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, c) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?, body.src(c, ty)?);
    body.emit(Op::Fma { ty: float, mode, dst, a, b, c });
    Ok(())
}

/// `div.rnd[.ftz].f32`, `div.rnd.f64`, `div.approx|full[.ftz].f32`.
fn div(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let fast = form.pick(&[("approx", FloatOp2::DivApprox), ("full", FloatOp2::DivFull)]);
    let round = if fast.is_some() { Round::Nearest } else { form.must(ROUNDINGS)? };
    let mode = FloatMode { round, ftz: form.take("ftz"), sat: false };
    let ty = last(&mut form, mode)?;
    match (fast, ty.1) {
        (Some(op), Float::F32) => binary(body, op, ty, mode),
        (None, Float::F32 | Float::F64) => binary(body, FloatOp2::Div, ty, mode),
        _ => Err(Fault::Form),
    }
}

/// `min`, `max`: `[.ftz][.NaN].f32`, `.f64`, `[.NaN].f16`.
fn extremum(body: &mut Body<'_, '_>, op: FloatOp2, nan: FloatOp2, mut form: Form<'_>) -> Result<(), Fault> {
    let mode = FloatMode { ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let nans = form.take("NaN");
    let ty = last(&mut form, mode)?;
    if nans && ty.1 == Float::F64 {
        return Err(Fault::Form);
    }
    binary(body, if nans { nan } else { op }, ty, mode)
}

/// `neg`, `abs`: `[.ftz].f32`, `.f64`, `.f16`.
fn sign(body: &mut Body<'_, '_>, op: FloatOp1, mut form: Form<'_>) -> Result<(), Fault> {
    let mode = FloatMode { ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let ty = last(&mut form, mode)?;
    unary(body, op, ty, mode)
}

fn copysign(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let ty = last(&mut form, FloatMode::DEFAULT)?;
    if ty.0.width == Width::W16 {
        return Err(Fault::Form);
    }
    binary(body, FloatOp2::Copysign, ty, FloatMode::DEFAULT)
}

/// `rcp`, `sqrt`: `.approx[.ftz].f32`, `.rnd[.ftz].f32`, `.rnd.f64`, and `rcp.approx.ftz.f64`.
fn root(body: &mut Body<'_, '_>, exact: FloatOp1, approx: FloatOp1, mut form: Form<'_>) -> Result<(), Fault> {
    if form.peek() == Some("approx") {
        return approximate(body, approx, form);
    }
    let mode = FloatMode { round: form.must(ROUNDINGS)?, ftz: form.take("ftz"), sat: false };
    let ty = last(&mut form, mode)?;
    if ty.1 == Float::F16 {
        return Err(Fault::Form);
    }
    unary(body, exact, ty, mode)
}

/// `op.approx[.ftz].f32`, and for f64 `rcp.approx.ftz`, `rsqrt.approx[.ftz]`. `tanh` has no `.ftz`.
fn approximate(body: &mut Body<'_, '_>, op: FloatOp1, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("approx") {
        return Err(Fault::Form);
    }
    let mode = FloatMode { ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let ty = form.last_ty(|ty| ty.float().is_some())?;
    let float = ty.float().ok_or(Fault::Form)?;
    let exists = match float {
        Float::F16 | Float::Bf16 => false,
        Float::F32 => op != FloatOp1::TanhApprox || !mode.ftz,
        Float::F64 => op == FloatOp1::RsqrtApprox || op == FloatOp1::RcpApprox && mode.ftz,
    };
    if exists { unary(body, op, (ty, float), mode) } else { Err(Fault::Form) }
}
