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

/// `cvta[.to].space.u64 d, a`: adds or subtracts the window, wrapping, so that address arithmetic may leave the window
/// in between.
pub(super) fn cvta(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let to = form.take("to");
    let space = form.must(ADDRESS_SPACES)?;
    let ty = form.last_ty(|ty| ty.kind == Kind::Unsigned && ty.width == Width::W64)?;
    let [d, a] = body.operands()?;
    let (dst, a) = (body.dst(d, Width::W64)?, body.src(a, ty)?);
    let window = match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local | Space::Param => LOCAL_WINDOW,
        _ => {
            body.emit(Op::Mov { width: Width::W64, dst, src: a });
            return Ok(());
        }
    };
    let op = if to { IntOp2::Sub } else { IntOp2::Add };
    let b = body.constant(window, Width::W64);
    body.emit(Op::Int2 { op, ty: ty.int(), dst, a, b });
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
