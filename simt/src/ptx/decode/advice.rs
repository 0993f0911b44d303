//! Advice to caches, of which there are none.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B64, F32, U32};
use super::Form;
use crate::code::{Op, Space, Width};

/// `prefetch[.space].L1|L2`, `prefetch.global.L2::evict_last|evict_normal`, `prefetchu.L1`, `applypriority[.global].L2::evict_normal`,
/// `discard[.global].L2`: advice to caches, of which there are none. What is discarded keeps its value, which is one of those
/// that the manual allows.
pub(super) fn advise(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let space = form.pick(&[("global", Space::Global), ("local", Space::Local)]).unwrap_or(Space::Generic);
    let global = space == Space::Global;
    let levels: &[&str] = match base {
        "prefetch" if global => &["L1", "L2", "L2::evict_last", "L2::evict_normal"],
        "prefetch" => &["L1", "L2"],
        "prefetchu" if space == Space::Generic => &["L1"],
        "applypriority" if space != Space::Local => &["L2::evict_normal"],
        "discard" if space != Space::Local => &["L2"],
        _ => return Err(Fault::Form),
    };
    if !levels.contains(&form.peek().unwrap_or_default()) {
        return Err(Fault::Form);
    }
    form.skip(form.peek().unwrap_or_default());
    form.end()?;
    let address = if base.starts_with("prefetch") {
        let [address] = body.operands()?;
        address
    } else {
        let [address, size] = body.operands()?;
        if !matches!(size, Operand::Int(128)) {
            return Fault::operand("the size is 128");
        }
        address
    };
    body.address(address, space)?;
    body.emit(Op::Hint);
    Ok(())
}

/// `createpolicy.fractional.L2::a[.L2::b].b64 d[, fraction]`, `createpolicy.range[.global].L2::a[.L2::b].b64 d, [a], size,
/// size`, `createpolicy.cvt.L2.b64 d, a`: what advises no cache is any value; here 0.
pub(super) fn policy(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    const PRIMARY: &[&str] =
        &["L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"];
    const SECONDARY: &[&str] = &["L2::evict_first", "L2::evict_unchanged"];
    let kind = form.must(&[("fractional", 0), ("range", 1), ("cvt", 2)])?;
    if kind == 1 {
        form.take("global");
    }
    if kind == 2 {
        form.must(&[("L2", ())])?;
    } else {
        let mut take = |names: &[&str]| names.iter().any(|name| form.take(name));
        if !take(PRIMARY) {
            return Err(Fault::Form);
        }
        take(SECONDARY);
    }
    form.last_ty(|ty| ty == B64)?;
    let d = match kind {
        0 => match body.operands_and_more::<1, 2>()? {
            ([d], None) => d,
            ([d], Some(fraction)) => body.src(fraction, F32).map(|_| d)?,
        },
        1 => {
            let [d, a, primary, total] = body.operands()?;
            body.address(a, Space::Global)?;
            body.src(primary, U32)?;
            body.src(total, U32)?;
            d
        }
        _ => {
            let [d, a] = body.operands()?;
            body.src(a, B64)?;
            d
        }
    };
    let (dst, src) = (body.dst(d, Width::W64)?, body.constant(0, Width::W64));
    body.emit(Op::Mov { width: Width::W64, dst, src });
    Ok(())
}
