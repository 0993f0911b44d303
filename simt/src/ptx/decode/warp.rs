//! Barriers, warp operations, stack operations, and what else concerns several threads.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B32, Kind, U32, U64};
use super::Form;
use crate::code::{BarrierKind, IntOp2, Op, ReduxOp, ShflMode, VoteMode, Width};

/// `bar[.cta].sync|arrive|red`, `barrier[.cta].sync|arrive|red[.aligned]`, `bar.warp.sync`.
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
    if form.take("red") {
        return barrier_reduction(body, base, form);
    }
    let arrive = form.must(&[("sync", false), ("arrive", true)])?;
    let aligned = base == "bar" || form.take("aligned");
    form.end()?;
    let (kind, id, count) = if arrive {
        let [id, count] = body.operands()?;
        (BarrierKind::Arrive, id, Some(count))
    } else {
        let (id, count) = body.one_or_two_operands()?;
        (BarrierKind::Sync, id, count)
    };
    let id = body.src(id, U32)?;
    let count = count.map(|count| body.src(count, U32)).transpose()?;
    body.emit(Op::Barrier { aligned, kind, id, count });
    Ok(())
}

/// `bar.red.popc.u32 d, a[, b], [!]c`, `bar.red.and|or.pred p, a[, b], [!]c`, and the same of `barrier`.
fn barrier_reduction(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let op = form.must(&[("popc", 0), ("and", 1), ("or", 2)])?;
    let aligned = base == "bar" || form.take("aligned");
    if !form.take(if op == 0 { "u32" } else { "pred" }) {
        return Err(Fault::Form);
    }
    form.end()?;
    let (d, id, count, vote) = match body.operands_and_more::<3, 4>()? {
        ([d, id, vote], None) => (d, id, None, vote),
        ([d, id, count], Some(vote)) => (d, id, Some(count), vote),
    };
    let id = body.src(id, U32)?;
    let count = count.map(|count| body.src(count, U32)).transpose()?;
    let a = body.pred_src(vote)?;
    let kind = match op {
        0 => BarrierKind::Popc { dst: body.dst(d, Width::W32)?, a },
        1 => BarrierKind::And { dst: body.pred_dst(d)?, a },
        _ => BarrierKind::Or { dst: body.pred_dst(d)?, a },
    };
    body.emit(Op::Barrier { aligned, kind, id, count });
    Ok(())
}

/// `match.any|all.sync.b32|b64 d[|p], a, mask`; `all` alone has the predicate.
pub(super) fn matching(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let all = form.must(&[("any", false), ("all", true)])?;
    if !form.take("sync") {
        return Err(Fault::Form);
    }
    let ty = form.last_ty(|ty| ty.kind == Kind::Bits && ty.width >= Width::W32)?;
    let ([d, a, mask], second) = body.operands_and_second()?;
    let pred = match second {
        Some(pred) if all => body.pred_dst(pred)?,
        Some(_) => return Fault::operand("this instruction has no second result"),
        None => body.frame.scratch_predicate(0),
    };
    let (dst, a, mask) = (body.dst(d, Width::W32)?, body.src(a, ty)?, body.src(mask, B32)?);
    body.emit(Op::Match { all, width: ty.width, dst, pred, a, mask });
    Ok(())
}

/// `redux.sync.op.u32|s32|b32 d, a, mask`, `redux.sync.min|max[.abs][.NaN].f32`.
pub(super) fn redux(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("sync") {
        return Err(Fault::Form);
    }
    let op = form.must(&[
        ("add", IntOp2::Add),
        ("min", IntOp2::Min),
        ("max", IntOp2::Max),
        ("and", IntOp2::And),
        ("or", IntOp2::Or),
        ("xor", IntOp2::Xor),
    ])?;
    let (abs, nan) = (form.take("abs"), form.take("NaN"));
    let bits = matches!(op, IntOp2::And | IntOp2::Or | IntOp2::Xor);
    let ty = form.last_ty(|ty| match ty.kind {
        _ if ty.width != Width::W32 => false,
        Kind::Float => matches!(op, IntOp2::Min | IntOp2::Max),
        kind => !abs && !nan && bits == (kind == Kind::Bits),
    })?;
    let [d, a, mask] = body.operands()?;
    let (dst, a, mask) = (body.dst(d, Width::W32)?, body.src(a, ty)?, body.src(mask, B32)?);
    let op = match ty.kind {
        Kind::Float => ReduxOp::Float { max: op == IntOp2::Max, abs, nan },
        _ => ReduxOp::Int(op, ty.int()),
    };
    body.emit(Op::Redux { op, dst, a, mask });
    Ok(())
}

/// `elect.sync d|p, mask`.
pub(super) fn elect(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("sync") {
        return Err(Fault::Form);
    }
    form.end()?;
    let ([d, mask], Some(leader)) = body.operands_and_second()? else {
        return Fault::operand("the result is a register and a predicate, `d|p`");
    };
    let (dst, leader, mask) = (body.dst(d, Width::W32)?, body.pred_dst(leader)?, body.src(mask, B32)?);
    body.emit(Op::Elect { dst, leader, mask });
    Ok(())
}

/// `alloca.u64 d, size[, align]`, `stacksave.u64 d`, `stackrestore.u64 a`.
pub(super) fn stack(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    form.last_ty(|ty| ty == U64)?;
    match base {
        "stacksave" => {
            let [d] = body.operands()?;
            let dst = body.dst(d, Width::W64)?;
            body.emit(Op::StackSave { dst });
        }
        "stackrestore" => {
            let [a] = body.operands()?;
            let a = body.src(a, U64)?;
            body.emit(Op::StackRestore { a });
        }
        _ => {
            let (d, size, align) = match body.operands_and_more::<2, 3>()? {
                ([d, size], None) => (d, size, 8),
                ([d, size], Some(Operand::Int(align))) if align.is_power_of_two() && align < 1 << 16 => {
                    (d, size, align as u32)
                }
                _ => return Fault::operand("the alignment is a power of two"),
            };
            let (dst, size) = (body.dst(d, Width::W64)?, body.src(size, U64)?);
            body.emit(Op::StackAlloc { dst, size, align });
        }
    }
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

/// `vote.sync.all|any|uni.pred p, [!]a, mask`, `vote.sync.ballot.b32 d, [!]a, mask`. `.sync` may follow the mode as well.
pub(super) fn vote(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let first = form.take("sync");
    let mode = form.must(&[
        ("all", Some(VoteMode::All)),
        ("any", Some(VoteMode::Any)),
        ("uni", Some(VoteMode::Uni)),
        ("ballot", None),
    ])?;
    if !first && !form.take("sync") || !form.take(if mode.is_some() { "pred" } else { "b32" }) {
        return Err(Fault::Form);
    }
    form.end()?;
    let [d, a, mask] = body.operands()?;
    let (a, mask) = (body.pred_src(a)?, body.src(mask, B32)?);
    let op = match mode {
        Some(mode) => Op::Vote { mode, dst: body.pred_dst(d)?, a, mask },
        None => Op::Ballot { dst: body.dst(d, Width::W32)?, a, mask },
    };
    body.emit(op);
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
