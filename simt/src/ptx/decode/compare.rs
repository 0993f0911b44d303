//! Comparisons, selection and predicate logic.

use super::super::body::Body;
use super::super::operand::Fault;
use super::super::types::{Kind, Type};
use super::Form;
use crate::code::{Compare, Guard, Op, Pred, PredOp, Width};

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
    kind && ty.width >= Width::W16 && (!ftz || ty.kind == Kind::Float && ty.width == Width::W32)
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
    let ty = form.last_ty(|ty| exists(cmp, unsigned.is_some(), ftz, ty))?;
    let compare = |body: &mut Body<'_, '_>, dst, a, b| match ty.float() {
        Some(float) => body.emit(Op::CompareFloat { cmp, ty: float, ftz, dst, a, b }),
        None => body.emit(Op::CompareInt { cmp, ty: ty.int(), dst, a, b }),
    };
    let ([d, a, b], other, second) = if combine.is_some() {
        let ([d, a, b, c], second) = body.operands_and_second()?;
        ([d, a, b], Some(c), second)
    } else {
        let (operands, second) = body.operands_and_second()?;
        (operands, None, second)
    };
    let (a, b) = (body.src(a, ty)?, body.src(b, ty)?);
    let dst = body.pred_dst(d)?;
    if combine.is_none() && second.is_none() {
        compare(body, dst, a, b);
        return Ok(());
    }
    // Two results, or a combination: the comparison goes to a scratch predicate. The guard may be one of the results, so
    // it is copied before they are written.
    let other = other.map(|c| body.pred_src(c)).transpose()?;
    let [result, inverse] = [body.frame.scratch_predicate(2), body.frame.scratch_predicate(3)];
    let guard = body.guard;
    if guard != Guard::ALWAYS {
        let copy = body.frame.scratch_predicate(4);
        let (a, b) = (guard.pred(), if guard.negated() { Pred::TRUE } else { Pred::FALSE });
        body.prepare(Op::Pred { op: PredOp::Xor, dst: copy, a, b });
        body.guard = Guard::new(copy, false);
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
