//! Addresses of one space and generic ones.

use super::super::body::Body;
use super::super::operand::Fault;
use super::super::types::{B64, Kind};
use super::Form;
use crate::code::{IntOp2, LOCAL_WINDOW, Op, SHARED_WINDOW, Space, Width};

/// Spaces that `cvta` and `isspacep` know. A parameter's address is one in local memory here.
const ADDRESS_SPACES: &[(&str, Space)] = &[
    ("global", Space::Global),
    ("const", Space::Const),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("local", Space::Local),
    ("param", Space::Param),
    ("param::entry", Space::Param),
];

/// `cvta[.to].space.u64 d, a`. As ptxas compiles it: of a generic address that is to be one in shared memory the lower half is
/// left, whatever its upper half is, and the other way it is put below the window's. So null does not stay null there and back.
/// Of local memory the window is subtracted or added, wrapping.
pub(super) fn cvta(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let to = form.take("to");
    let space = form.must(ADDRESS_SPACES)?;
    let ty = form.last_ty(|ty| ty.kind == Kind::Unsigned && ty.width == Width::W64)?;
    let [d, a] = body.operands()?;
    let (dst, a) = (body.dst(d, Width::W64)?, body.src(a, ty)?);
    let op = match (space, to) {
        (Space::Shared, true) => {
            let b = body.constant(u64::from(u32::MAX), Width::W64);
            Op::Int2 { op: IntOp2::And, ty: ty.int(), dst, a, b }
        }
        (Space::Shared, false) => {
            let b = body.constant(SHARED_WINDOW, Width::W64);
            let [pos, len] = [0, 32].map(|number| body.constant(number, Width::W32));
            Op::Bfi { width: Width::W64, dst, a, b, pos, len }
        }
        (Space::Local | Space::Param, _) => {
            let op = if to { IntOp2::Sub } else { IntOp2::Add };
            let b = body.constant(LOCAL_WINDOW, Width::W64);
            Op::Int2 { op, ty: ty.int(), dst, a, b }
        }
        _ => Op::Mov { width: Width::W64, dst, src: a },
    };
    body.emit(op);
    Ok(())
}

/// `isspacep.space p, a`.
pub(super) fn isspacep(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let space = form.must(ADDRESS_SPACES)?;
    form.end()?;
    let [d, a] = body.operands()?;
    let (dst, a) = (body.pred_dst(d)?, body.src(a, B64)?);
    body.emit(Op::IsSpace { space, dst, a });
    Ok(())
}
