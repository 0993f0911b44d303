//! Barriers, warp operations, and what else concerns several threads.

use super::super::body::Body;
use super::super::operand::Fault;
use super::super::types::{B32, U32};
use super::Form;
use crate::code::{Op, ShflMode, VoteMode, Width};

/// `bar[.cta].sync`, `barrier[.cta].sync[.aligned]`, `bar.warp.sync`.
pub(super) fn barrier(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    if base == "bar" && form.take("warp") {
        if !form.take("sync") {
            return Err(Fault::Form);
        }
        form.end()?;
        let [mask] = body.operands()?;
        let mask = body.src(mask, B32)?;
        body.emit(Op::WarpBarrier { mask });
        return Ok(());
    }
    form.take("cta");
    if !form.take("sync") {
        return Err(Fault::Form);
    }
    let aligned = base == "bar" || form.take("aligned");
    form.end()?;
    let (id, count) = body.one_or_two_operands()?;
    let id = body.src(id, U32)?;
    let count = count.map(|count| body.src(count, U32)).transpose()?;
    body.emit(Op::Barrier { aligned, id, count });
    Ok(())
}

const SHUFFLES: &[(&str, ShflMode)] =
    &[("up", ShflMode::Up), ("down", ShflMode::Down), ("bfly", ShflMode::Bfly), ("idx", ShflMode::Idx)];

/// `shfl.sync.mode.b32 d[|p], a, b, c, mask`.
pub(super) fn shfl(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("sync") {
        return Err(Fault::Form);
    }
    let mode = form.must(SHUFFLES)?;
    form.last_ty(|ty| ty == B32)?;
    let ([d, a, b, clamp, mask], second) = body.operands_and_second()?;
    let in_range = match second {
        Some(pred) => body.pred_dst(pred)?,
        None => body.frame.scratch_predicate(0),
    };
    let (dst, a, b) = (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?);
    let (clamp, mask) = (body.src(clamp, B32)?, body.src(mask, B32)?);
    body.emit(Op::Shfl { mode, dst, in_range, a, b, clamp, mask });
    Ok(())
}

/// `vote.sync.all|any|uni.pred p, [!]a, mask`, `vote.sync.ballot.b32 d, [!]a, mask`.
pub(super) fn vote(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("sync") {
        return Err(Fault::Form);
    }
    if form.take("ballot") {
        form.last_ty(|ty| ty == B32)?;
        let [d, a, mask] = body.operands()?;
        let (dst, a, mask) = (body.dst(d, Width::W32)?, body.pred_src(a)?, body.src(mask, B32)?);
        body.emit(Op::Ballot { dst, a, mask });
        return Ok(());
    }
    let mode = form.must(&[("all", VoteMode::All), ("any", VoteMode::Any), ("uni", VoteMode::Uni)])?;
    if !form.take("pred") {
        return Err(Fault::Form);
    }
    form.end()?;
    let [d, a, mask] = body.operands()?;
    let (dst, a, mask) = (body.pred_dst(d)?, body.pred_src(a)?, body.src(mask, B32)?);
    body.emit(Op::Vote { mode, dst, a, mask });
    Ok(())
}

/// `activemask.b32 d`.
pub(super) fn activemask(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.last_ty(|ty| ty == B32)?;
    let [d] = body.operands()?;
    let dst = body.dst(d, Width::W32)?;
    body.emit(Op::ActiveMask { dst });
    Ok(())
}

/// `nanosleep.u32 t`.
pub(super) fn nanosleep(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.last_ty(|ty| ty == U32)?;
    let [duration] = body.operands()?;
    let duration = body.src(duration, U32)?;
    body.emit(Op::NanoSleep { duration });
    Ok(())
}
