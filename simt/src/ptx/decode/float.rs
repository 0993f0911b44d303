//! Floating-point arithmetic.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{BF16, F16, F32, Type};
use super::Form;
use crate::code::{Compare, Float, FloatMode, FloatOp1, FloatOp2, Op, Pred, PredOp, Round, Src, Width};

/// `.rn` and the like.
pub(super) const ROUNDINGS: &[(&str, Round)] =
    &[("rn", Round::Nearest), ("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)];

/// The floating-point type that ends the form; `.ftz` and `.sat` belong to f32 and f16.
fn last(form: &mut Form<'_>, mode: FloatMode) -> Result<(Type, Float), Fault> {
    let ty = form.last_ty(|ty| ty.float().is_some())?;
    let float = ty.float().ok_or(Fault::Form)?;
    let allowed = matches!(float, Float::F32 | Float::F16) || !mode.ftz && !mode.sat;
    if allowed { Ok((ty, float)) } else { Err(Fault::Form) }
}

/// The type of sources of 16 bits in an operation of f32: the form ends in `.f32.f16` or `.f32.bf16` (sm_100 and above).
fn takes_mixed(form: &mut Form<'_>, mode: FloatMode) -> Option<Type> {
    let ty = match form.rest {
        ".f32.f16" => F16,
        ".f32.bf16" => BF16,
        _ => return None,
    };
    if mode.ftz {
        return None;
    }
    form.rest = "";
    Some(ty)
}

/// A source of 16 bits, widened to f32, which is exact.
fn widened<'a>(body: &mut Body<'_, 'a>, operand: Operand<'a>, ty: Type) -> Result<Src, Fault> {
    let src = body.src(operand, ty)?;
    let dst = body.frame.scratch(Width::W32);
    let (to, from) = (Float::F32, ty.float().ok_or(Fault::Form)?);
    body.prepare(Op::ConvertFloat { to, from, integral: false, mode: FloatMode::DEFAULT, dst, src });
    Ok(Src::reg(dst))
}

/// All floating-point instructions, by base opcode.
pub(super) fn arithmetic(body: &mut Body<'_, '_>, base: &str, form: Form<'_>) -> Result<(), Fault> {
    match base {
        "add" => sum(body, FloatOp2::Add, form),
        "sub" => sum(body, FloatOp2::Sub, form),
        "mul" => sum(body, FloatOp2::Mul, form),
        "fma" => fma(body, form, true),
        // Since sm_20 the same as `fma`.
        "mad" => fma(body, form, false),
        "testp" => testp(body, form),
        "div" => div(body, form),
        "min" => extremum(body, false, form),
        "max" => extremum(body, true, form),
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
    FloatMode { round, ftz: form.take("ftz"), sat: form.take("sat"), ..FloatMode::DEFAULT }
}

/// The types of 16 bits round to nearest only.
fn check_half(float: Float, mode: FloatMode) -> Result<(), Fault> {
    if float.width() == Width::W16 && mode.round != Round::Nearest { Err(Fault::Form) } else { Ok(()) }
}

/// `add`, `sub`, `mul`: `[.rnd][.ftz][.sat]`; `add`, `sub`: `[.rnd][.sat].f32.f16|bf16 d, a, b` with `a` of 16 bits.
fn sum(body: &mut Body<'_, '_>, op: FloatOp2, mut form: Form<'_>) -> Result<(), Fault> {
    let mode = mode(&mut form);
    if op != FloatOp2::Mul
        && let Some(half) = takes_mixed(&mut form, mode)
    {
        let [d, a, b] = body.operands()?;
        let (dst, a, b) = (body.dst(d, Width::W32)?, widened(body, a, half)?, body.src(b, F32)?);
        body.emit(Op::Float2 { op, ty: Float::F32, mode, dst, a, b });
        return Ok(());
    }
    let ty = last(&mut form, mode)?;
    check_half(ty.1, mode)?;
    binary(body, op, ty, mode)
}

/// `fma.rnd[.ftz][.sat]`, `.rn[.ftz].relu` of the types of 16 bits, and `.rnd[.sat].f32.f16|bf16 d, a, b, c` with `a` and `b`
/// of 16 bits. `mad` has f32 and f64 alone.
fn fma(body: &mut Body<'_, '_>, mut form: Form<'_>, halves: bool) -> Result<(), Fault> {
    let round = form.must(ROUNDINGS)?;
    let mode = FloatMode { round, ftz: form.take("ftz"), sat: form.take("sat"), ..FloatMode::DEFAULT };
    let relu = halves && !mode.sat && form.take("relu");
    let mode = FloatMode { relu, ..mode };
    if halves
        && !relu
        && let Some(half) = takes_mixed(&mut form, mode)
    {
        let [d, a, b, c] = body.operands()?;
        let (dst, a, b) = (body.dst(d, Width::W32)?, widened(body, a, half)?, widened(body, b, half)?);
        let c = body.src(c, F32)?;
        body.emit(Op::Fma { ty: Float::F32, mode, dst, a, b, c });
        return Ok(());
    }
    let (ty, float) = last(&mut form, mode)?;
    check_half(float, mode)?;
    if relu != (relu && ty.width == Width::W16) || !halves && ty.width == Width::W16 {
        return Err(Fault::Form);
    }
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, c) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?, body.src(c, ty)?);
    body.emit(Op::Fma { ty: float, mode, dst, a, b, c });
    Ok(())
}

/// `div.rnd[.ftz].f32`, `div.rnd.f64`, `div.approx|full[.ftz].f32`.
fn div(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let fast = form.pick(&[("approx", FloatOp2::DivApprox), ("full", FloatOp2::DivFull)]);
    let round = if fast.is_some() { Round::Nearest } else { form.must(ROUNDINGS)? };
    let mode = FloatMode { round, ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let ty = last(&mut form, mode)?;
    match (fast, ty.1) {
        (Some(op), Float::F32) => binary(body, op, ty, mode),
        (None, Float::F32 | Float::F64) => binary(body, FloatOp2::Div, ty, mode),
        _ => Err(Fault::Form),
    }
}

/// What `min` or `max` is, by its modifiers.
pub(super) fn extremum_op(max: bool, nan: bool, xorsign: bool) -> FloatOp2 {
    match (max, nan, xorsign) {
        (false, false, false) => FloatOp2::Min,
        (true, false, false) => FloatOp2::Max,
        (false, true, false) => FloatOp2::MinNan,
        (true, true, false) => FloatOp2::MaxNan,
        (false, false, true) => FloatOp2::MinXorsign,
        (true, false, true) => FloatOp2::MaxXorsign,
        (false, true, true) => FloatOp2::MinNanXorsign,
        (true, true, true) => FloatOp2::MaxNanXorsign,
    }
}

/// `min`, `max`: `[.ftz][.NaN][.xorsign.abs].f32|f16|bf16`, `.f64`, and `[.ftz][.NaN][.abs].f32` of three sources.
fn extremum(body: &mut Body<'_, '_>, max: bool, mut form: Form<'_>) -> Result<(), Fault> {
    let mode = FloatMode { ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let nan = form.take("NaN");
    let xorsign = form.take("xorsign");
    let abs = form.take("abs");
    let ty = last(&mut form, mode)?;
    if xorsign && !abs || ty.1 == Float::F64 && (nan || abs) || abs && !xorsign && ty.1 != Float::F32 {
        return Err(Fault::Form);
    }
    let op = extremum_op(max, nan, xorsign);
    if ty.1 != Float::F32 || xorsign {
        return binary(body, op, ty, mode);
    }
    let ([d, a, b], c) = body.operands_and_more::<3, 4>()?;
    let Some(c) = c else {
        if abs {
            return Err(Fault::Form);
        }
        let (dst, a, b) = (body.dst(d, Width::W32)?, body.src(a, F32)?, body.src(b, F32)?);
        body.emit(Op::Float2 { op, ty: ty.1, mode, dst, a, b });
        return Ok(());
    };
    let dst = body.dst(d, Width::W32)?;
    let mut source = |operand| {
        let src = body.src(operand, F32)?;
        if !abs {
            return Ok::<_, Fault>(src);
        }
        let magnitude = body.frame.scratch(Width::W32);
        body.prepare(Op::Float1 {
            op: FloatOp1::Abs,
            ty: ty.1,
            mode: FloatMode::DEFAULT,
            dst: magnitude,
            a: src,
        });
        Ok(Src::reg(magnitude))
    };
    let (a, b, c) = (source(a)?, source(b)?, source(c)?);
    let two = body.frame.scratch(Width::W32);
    body.prepare(Op::Float2 { op, ty: ty.1, mode, dst: two, a, b });
    body.emit(Op::Float2 { op, ty: ty.1, mode, dst, a: Src::reg(two), b: c });
    Ok(())
}

/// `testp.property.f32|f64 p, a`: by comparisons of the magnitude. Zeros count as normal (PTX ISA, "testp").
fn testp(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let properties = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let property = form.must(&properties.map(|name| (name, name)))?;
    let ty = form.last_ty(|ty| matches!(ty.float(), Some(Float::F32 | Float::F64)))?;
    let float = ty.float().ok_or(Fault::Form)?;
    let [d, a] = body.operands()?;
    let (dst, x, width) = (body.pred_dst(d)?, body.src(a, ty)?, ty.width);
    let least =
        if float == Float::F32 { f32::MIN_POSITIVE.to_bits().into() } else { f64::MIN_POSITIVE.to_bits() };
    let infinite = if float == Float::F32 { f32::INFINITY.to_bits().into() } else { f64::INFINITY.to_bits() };
    let (zero, least) = (body.constant(0, width), body.constant(least, width));
    let infinite = body.constant(infinite, width);
    let magnitude = body.frame.scratch(width);
    body.prepare(Op::Float1 { op: FloatOp1::Abs, ty: float, mode: FloatMode::DEFAULT, dst: magnitude, a: x });
    let a = Src::reg(magnitude);
    let test = |cmp, dst, b| Op::CompareFloat { cmp, ty: float, ftz: false, dst, a, b };
    let simple = match property {
        "finite" => test(Compare::Lt, dst, infinite),
        "infinite" => test(Compare::Eq, dst, infinite),
        "number" => test(Compare::Num, dst, zero),
        "notanumber" => test(Compare::Nan, dst, zero),
        _ => {
            let [other, small] = [body.frame.scratch_predicate(2), body.frame.scratch_predicate(3)];
            body.prepare(test(Compare::Gt, other, zero));
            body.prepare(test(Compare::Lt, small, least));
            body.prepare(Op::Pred { op: PredOp::And, dst: small, a: small, b: other });
            if property == "subnormal" {
                Op::Pred { op: PredOp::Or, dst, a: small, b: Pred::FALSE }
            } else {
                // Finite, and if subnormal then not.
                body.prepare(test(Compare::Lt, other, infinite));
                Op::Pred { op: PredOp::Xor, dst, a: other, b: small }
            }
        }
    };
    body.emit(simple);
    Ok(())
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
    let mode = FloatMode { round: form.must(ROUNDINGS)?, ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let ty = last(&mut form, mode)?;
    if ty.0.width == Width::W16 {
        return Err(Fault::Form);
    }
    unary(body, exact, ty, mode)
}

/// `op.approx[.ftz].f32`, for f64 `rcp.approx.ftz`, `rsqrt.approx[.ftz]`, for the types of 16 bits `ex2` and `tanh`. `tanh` has
/// no `.ftz`.
fn approximate(body: &mut Body<'_, '_>, op: FloatOp1, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("approx") {
        return Err(Fault::Form);
    }
    let mode = FloatMode { ftz: form.take("ftz"), ..FloatMode::DEFAULT };
    let ty = form.last_ty(|ty| ty.float().is_some())?;
    let float = ty.float().ok_or(Fault::Form)?;
    let half = matches!(op, FloatOp1::Ex2Approx | FloatOp1::TanhApprox);
    let exists = match float {
        // `ex2` of bf16 flushes, and has to say so.
        Float::F16 => half && !mode.ftz,
        Float::Bf16 => half && mode.ftz == (op == FloatOp1::Ex2Approx),
        Float::F32 => op != FloatOp1::TanhApprox || !mode.ftz,
        Float::F64 => op == FloatOp1::RsqrtApprox || op == FloatOp1::RcpApprox && mode.ftz,
    };
    if exists { unary(body, op, (ty, float), mode) } else { Err(Fault::Form) }
}
