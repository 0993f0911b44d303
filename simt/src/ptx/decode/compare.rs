//! Comparisons, selection and predicate logic.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B32, F32, Kind, Type};
use super::Form;
use crate::code::{Compare, Float, Guard, Op, Pred, PredOp, Src, Width};

const COMPARISONS: &[(&str, Compare)] = &[
    ("eq", Compare::Eq),
    ("ne", Compare::Ne),
    ("lt", Compare::Lt),
    ("le", Compare::Le),
    ("gt", Compare::Gt),
    ("ge", Compare::Ge),
    ("equ", Compare::Equ),
    ("neu", Compare::Neu),
    ("ltu", Compare::Ltu),
    ("leu", Compare::Leu),
    ("gtu", Compare::Gtu),
    ("geu", Compare::Geu),
    ("num", Compare::Num),
    ("nan", Compare::Nan),
];

/// Those that integers have.
pub(super) const OF_INTEGERS: &[(&str, Compare)] = COMPARISONS.split_at(6).0;

/// Other names of the comparisons of unsigned numbers.
const UNSIGNED: &[(&str, Compare)] =
    &[("lo", Compare::Lt), ("ls", Compare::Le), ("hi", Compare::Gt), ("hs", Compare::Ge)];

const LOGIC: &[(&str, PredOp)] = &[("and", PredOp::And), ("or", PredOp::Or), ("xor", PredOp::Xor)];

/// Whether a type has the comparison.
fn exists(cmp: Compare, unsigned_name: bool, ftz: bool, ty: Type) -> bool {
    let equality = matches!(cmp, Compare::Eq | Compare::Ne);
    let ordered = equality || matches!(cmp, Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge);
    let kind = match ty.kind {
        Kind::Bits => equality,
        Kind::Unsigned => ordered,
        Kind::Signed => ordered && !unsigned_name,
        Kind::Float | Kind::Brain => !unsigned_name,
    };
    kind && ty.width >= Width::W16 && (!ftz || ty.kind == Kind::Float && ty.width <= Width::W32)
}

/// The types of two halves.
const PAIRS: &[(&str, Float)] = &[("f16x2", Float::F16), ("bf16x2", Float::Bf16)];

/// The two halves of a source, the lower one first.
pub(super) fn halves<'a>(body: &mut Body<'_, 'a>, operand: Operand<'a>) -> Result<[Src; 2], Fault> {
    let src = body.src(operand, B32)?;
    let [low, high] = [body.frame.scratch(Width::W16), body.frame.scratch(Width::W16)];
    body.prepare(Op::Unpack { width: Width::W32, count: 2, parts: [low, high, low, high], src });
    Ok([Src::reg(low), Src::reg(high)])
}

/// Compares the halves of two registers: a scratch predicate for each, combined with `c`.
fn compare_halves<'a>(
    body: &mut Body<'_, 'a>,
    (cmp, ty, ftz): (Compare, Float, bool),
    [a, b]: [Operand<'a>; 2],
    combine: Option<(PredOp, Pred)>,
) -> Result<[Pred; 2], Fault> {
    let (a, b) = (halves(body, a)?, halves(body, b)?);
    let results = [body.frame.scratch_predicate(2), body.frame.scratch_predicate(3)];
    for (k, dst) in results.into_iter().enumerate() {
        body.prepare(Op::CompareFloat { cmp, ty, ftz, dst, a: a[k], b: b[k] });
        if let Some((op, c)) = combine {
            body.prepare(Op::Pred { op, dst, a: dst, b: c });
        }
    }
    Ok(results)
}

/// Whether the type of two halves has the comparison.
fn pair_exists(unsigned: Option<Compare>, ftz: bool, ty: Float) -> bool {
    unsigned.is_none() && (!ftz || ty == Float::F16)
}

/// `setp.cmp[.and|or|xor][.ftz].f16x2|bf16x2 p|q, a, b[, [!]c]`: `p` of the lower halves, `q` of the upper ones.
fn setp_pair(
    body: &mut Body<'_, '_>,
    compare: (Compare, Float, bool),
    combine: Option<PredOp>,
) -> Result<(), Fault> {
    let ([d, a, b], c, second) = setp_operands(body, combine.is_some())?;
    let Some(second) = second else { return Fault::operand("the result is two predicates, `p|q`") };
    let dst = [body.pred_dst(d)?, body.pred_dst(second)?];
    let c = c.map(|c| body.pred_src(c)).transpose()?;
    let results = compare_halves(body, compare, [a, b], combine.zip(c))?;
    if body.guard != Guard::ALWAYS {
        copy_guard(body);
    }
    for (dst, result) in dst.into_iter().zip(results) {
        body.emit(Op::Pred { op: PredOp::Or, dst, a: result, b: Pred::FALSE });
    }
    Ok(())
}

/// Destination and two sources of `setp`, what the result is combined with, and the second destination.
type SetpOperands<'a> = ([Operand<'a>; 3], Option<Operand<'a>>, Option<Operand<'a>>);

fn setp_operands<'a>(body: &mut Body<'_, 'a>, combined: bool) -> Result<SetpOperands<'a>, Fault> {
    if combined {
        let ([d, a, b, c], second) = body.operands_and_second()?;
        return Ok(([d, a, b], Some(c), second));
    }
    let (operands, second) = body.operands_and_second()?;
    Ok((operands, None, second))
}

/// The guard may be one of several results, so it is copied before they are written.
fn copy_guard(body: &mut Body<'_, '_>) {
    let guard = body.guard;
    let copy = body.frame.scratch_predicate(4);
    let (a, b) = (guard.pred(), if guard.negated() { Pred::TRUE } else { Pred::FALSE });
    body.prepare(Op::Pred { op: PredOp::Xor, dst: copy, a, b });
    body.guard = Guard::new(copy, false);
}

/// What `set` writes for true.
fn truth(ty: Type) -> Option<u64> {
    Some(match (ty.kind, ty.float()) {
        (_, Some(Float::F16)) => 0x3c00,
        (_, Some(Float::Bf16)) => 0x3f80,
        (_, Some(Float::F32)) => 1f32.to_bits().into(),
        (Kind::Unsigned | Kind::Signed, None) if matches!(ty.width, Width::W16 | Width::W32) => {
            u64::MAX >> (64 - ty.width.bits())
        }
        _ => return None,
    })
}

/// `set.cmp[.and|or|xor][.ftz].dtype.stype d, a, b[, [!]c]`: all ones or 1.0 if the comparison holds, else 0.
pub(super) fn set(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let unsigned = form.pick(UNSIGNED);
    let cmp = match unsigned {
        Some(cmp) => cmp,
        None => form.must(COMPARISONS)?,
    };
    let combine = form.pick(LOGIC);
    let ftz = form.take("ftz");
    if let Some(pair) = form.pick(PAIRS) {
        if form.must(PAIRS)? != pair || !pair_exists(unsigned, ftz, pair) {
            return Err(Fault::Form);
        }
        form.end()?;
        return set_pair(body, (cmp, pair, ftz), combine);
    }
    let to = form.ty()?;
    let value = truth(to).ok_or(Fault::Form)?;
    let ty = form.last_ty(|ty| exists(cmp, unsigned.is_some(), ftz, ty))?;
    // Results of 16 bits belong to sources of 16 bits, and a floating-point one to the same type.
    let half = ty.float().filter(|_| ty.width == Width::W16);
    let fits = match to.float() {
        Some(Float::F32) => half.is_none(),
        Some(float) => half == Some(float),
        None => to.width == Width::W32 || half.is_some(),
    };
    if !fits {
        return Err(Fault::Form);
    }
    let (d, a, b, c) = three_or_four(body, combine.is_some())?;
    let (dst, a, b) = (body.dst(d, to.width)?, body.src(a, ty)?, body.src(b, ty)?);
    let pred = body.frame.scratch_predicate(2);
    let c = c.map(|c| body.pred_src(c)).transpose()?;
    body.prepare(match ty.float() {
        Some(float) => Op::CompareFloat { cmp, ty: float, ftz, dst: pred, a, b },
        None => Op::CompareInt { cmp, ty: ty.int(), dst: pred, a, b },
    });
    if let (Some(op), Some(c)) = (combine, c) {
        body.prepare(Op::Pred { op, dst: pred, a: pred, b: c });
    }
    let (yes, no) = (body.constant(value, to.width), body.constant(0, to.width));
    body.emit(Op::Select { width: to.width, dst, a: yes, b: no, pred });
    Ok(())
}

/// Destination, two sources, and if there is one the predicate that the result is combined with.
fn three_or_four<'a>(
    body: &mut Body<'_, 'a>,
    combined: bool,
) -> Result<(Operand<'a>, Operand<'a>, Operand<'a>, Option<Operand<'a>>), Fault> {
    if combined {
        let [d, a, b, c] = body.operands()?;
        return Ok((d, a, b, Some(c)));
    }
    let [d, a, b] = body.operands()?;
    Ok((d, a, b, None))
}

/// `set.cmp.f16x2.f16x2`, `set.cmp.bf16x2.bf16x2`.
fn set_pair(
    body: &mut Body<'_, '_>,
    compare: (Compare, Float, bool),
    combine: Option<PredOp>,
) -> Result<(), Fault> {
    let (d, a, b, c) = three_or_four(body, combine.is_some())?;
    let dst = body.dst(d, Width::W32)?;
    let c = c.map(|c| body.pred_src(c)).transpose()?;
    let results = compare_halves(body, compare, [a, b], combine.zip(c))?;
    let one = if compare.1 == Float::F16 { 0x3c00 } else { 0x3f80 };
    let (yes, no) = (body.constant(one, Width::W16), body.constant(0, Width::W16));
    let parts = results.map(|pred| {
        let dst = body.frame.scratch(Width::W16);
        body.prepare(Op::Select { width: Width::W16, dst, a: yes, b: no, pred });
        Src::reg(dst)
    });
    let [low, high] = parts;
    body.emit(Op::Pack { width: Width::W32, count: 2, dst, parts: [low, high, low, high] });
    Ok(())
}

/// `slct.type.s32 d, a, b, c`, `slct[.ftz].type.f32 d, a, b, c`: `a` if `c` is at least 0, else `b`.
pub(super) fn slct(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let ftz = form.take("ftz");
    let ty = form.ty()?;
    let by = form.last_ty(|by| by == F32 || !ftz && by.kind == Kind::Signed && by.width == Width::W32)?;
    if ty.width < Width::W16 || ty.float().is_some() && ty.width == Width::W16 {
        return Err(Fault::Form);
    }
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, c) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?, body.src(c, by)?);
    let (zero, pred) = (body.constant(0, Width::W32), body.frame.scratch_predicate(0));
    let cmp = Compare::Ge;
    body.prepare(match by.float() {
        Some(float) => Op::CompareFloat { cmp, ty: float, ftz, dst: pred, a: c, b: zero },
        None => Op::CompareInt { cmp, ty: by.int(), dst: pred, a: c, b: zero },
    });
    body.emit(Op::Select { width: ty.width, dst, a, b, pred });
    Ok(())
}

/// `setp.cmp[.and|or|xor][.ftz].type p[|q], a, b[, [!]c]`.
pub(super) fn setp(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let unsigned = form.pick(UNSIGNED);
    let cmp = match unsigned {
        Some(cmp) => cmp,
        None => form.must(COMPARISONS)?,
    };
    let combine = form.pick(LOGIC);
    let ftz = form.take("ftz");
    if let Some(pair) = form.pick(PAIRS) {
        form.end()?;
        if !pair_exists(unsigned, ftz, pair) {
            return Err(Fault::Form);
        }
        return setp_pair(body, (cmp, pair, ftz), combine);
    }
    let ty = form.last_ty(|ty| exists(cmp, unsigned.is_some(), ftz, ty))?;
    let compare = |body: &mut Body<'_, '_>, dst, a, b| match ty.float() {
        Some(float) => body.emit(Op::CompareFloat { cmp, ty: float, ftz, dst, a, b }),
        None => body.emit(Op::CompareInt { cmp, ty: ty.int(), dst, a, b }),
    };
    let ([d, a, b], other, second) = setp_operands(body, combine.is_some())?;
    let (a, b) = (body.src(a, ty)?, body.src(b, ty)?);
    let dst = body.pred_dst(d)?;
    if combine.is_none() && second.is_none() {
        compare(body, dst, a, b);
        return Ok(());
    }
    // Two results, or a combination: the comparison goes to a scratch predicate.
    let other = other.map(|c| body.pred_src(c)).transpose()?;
    let [result, inverse] = [body.frame.scratch_predicate(2), body.frame.scratch_predicate(3)];
    if body.guard != Guard::ALWAYS {
        copy_guard(body);
    }
    compare(body, result, a, b);
    body.emit(Op::Pred { op: PredOp::Xor, dst: inverse, a: result, b: Pred::TRUE });
    // Both are formed before either is stored, since `c` may be a destination as well.
    if let (Some(op), Some(c)) = (combine, other) {
        body.emit(Op::Pred { op, dst: result, a: result, b: c });
        body.emit(Op::Pred { op, dst: inverse, a: inverse, b: c });
    }
    body.emit(Op::Pred { op: PredOp::Or, dst, a: result, b: Pred::FALSE });
    if let Some(second) = second {
        let dst = body.pred_dst(second)?;
        body.emit(Op::Pred { op: PredOp::Or, dst, a: inverse, b: Pred::FALSE });
    }
    Ok(())
}

/// `selp.type d, a, b, p`.
pub(super) fn selp(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let ty = form.last_ty(|ty| ty.width >= Width::W32 || ty.width == Width::W16 && ty.kind != Kind::Float)?;
    let [d, a, b, p] = body.operands()?;
    let (dst, a, b, pred) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?, body.pred_src(p)?);
    body.emit(Op::Select { width: ty.width, dst, a, b, pred });
    Ok(())
}

/// `and.pred`, `or.pred`, `xor.pred`, `not.pred`.
pub(super) fn logic(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("pred") {
        return Err(Fault::Form);
    }
    form.end()?;
    let Some((_, op)) = LOGIC.iter().find(|(name, _)| *name == base) else {
        let [d, a] = body.operands()?;
        let (dst, a) = (body.pred_dst(d)?, body.pred_src(a)?);
        body.emit(Op::Pred { op: PredOp::Xor, dst, a, b: Pred::TRUE });
        return Ok(());
    };
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.pred_dst(d)?, body.pred_src(a)?, body.pred_src(b)?);
    body.emit(Op::Pred { op: *op, dst, a, b });
    Ok(())
}
