//! `mov`: copies, addresses, special registers, packing and unpacking.

use super::super::body::{Body, Meaning};
use super::super::operand::{Fault, Operand, local_offset};
use super::super::types::{B64, Kind, Type};
use super::Form;
use crate::code::{Op, Pred, PredOp, Reg, Special, Src, Width};

/// `mov.type d, a`.
pub(super) fn mov(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if form.take("pred") {
        form.end()?;
        let [d, a] = body.operands()?;
        let (dst, a) = (body.pred_dst(d)?, body.pred_src(a)?);
        body.emit(Op::Pred { op: PredOp::Or, dst, a, b: Pred::FALSE });
        return Ok(());
    }
    if form.take("b128") {
        form.end()?;
        return quad(body);
    }
    let ty = form.last_ty(|ty| ty.width >= Width::W32 || ty.width == Width::W16 && ty.kind != Kind::Float)?;
    let width = ty.width;
    match body.operands()?.map(Operand::address_of_element) {
        [d, Operand::Vector(first, end)] => pack(body, ty, d, first..end),
        [Operand::Vector(first, end), a] => unpack(body, ty, first..end, a),
        // The lower half of 32 bits may be read alone. `%gridid` had 32 bits before PTX 3.0, and may still be read so.
        [d, Operand::Special(special, found)]
            if found == width
                || (width, found) == (Width::W16, Width::W32)
                || (special, width) == (Special::GridId, Width::W32) =>
        {
            let dst = body.dst(d, width)?;
            body.emit(Op::Special { width, dst, special });
            Ok(())
        }
        [d, a] => {
            let dst = body.dst(d, width)?;
            if let Some(offset) = local_address(body, a, ty)? {
                body.emit(Op::LocalAddress { width, dst, offset });
                return Ok(());
            }
            let src = body.src(a, ty)?;
            body.emit(Op::Mov { width, dst, src });
            Ok(())
        }
    }
}

/// The offset in local memory if the operand is a local variable or a parameter of this function.
fn local_address(body: &mut Body<'_, '_>, operand: Operand<'_>, ty: Type) -> Result<Option<u32>, Fault> {
    let Operand::Name(name, addend) = operand else { return Ok(None) };
    let base = match body.meaning(name) {
        Some(Meaning::Local(local)) => local.offset,
        Some(Meaning::Param(variable)) => match variable.own {
            Some(param) => body.spill(param)?,
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    if ty.kind == Kind::Float || ty.width < Width::W32 {
        return Fault::operand(format!("`{name}` is an address"));
    }
    Ok(Some(local_offset(base, addend)?))
}

/// The width of one of `count` parts.
fn part(ty: Type, count: usize) -> Result<Type, Fault> {
    let width = match (ty.kind, ty.width, count) {
        (Kind::Bits, Width::W64, 2) => Width::W32,
        (Kind::Bits, Width::W64, 4) | (Kind::Bits, Width::W32, 2) => Width::W16,
        (Kind::Bits, Width::W32, 4) | (Kind::Bits, Width::W16, 2) => Width::W8,
        _ => return Fault::operand("no such way to pack registers"),
    };
    Ok(Type::bits(width))
}

/// `mov.b128 q, q|{lo, hi}`, `mov.b128 {lo, hi}, q`.
fn quad(body: &mut Body<'_, '_>) -> Result<(), Fault> {
    let (dst, src) = match body.operands()? {
        [Operand::Vector(first, end), _] | [_, Operand::Vector(first, end)] if end - first != 2 => {
            return Fault::operand("a register of 128 bits has two halves");
        }
        [Operand::Vector(first, _), a] => {
            let [low, high] = [body.elements[first], body.elements[first + 1]];
            ([body.dst(low, Width::W64)?, body.dst(high, Width::W64)?], body.quad(a, false)?.map(Src::reg))
        }
        [d, Operand::Vector(first, _)] => {
            let [low, high] = [body.elements[first], body.elements[first + 1]];
            (body.quad(d, true)?, [body.src(low, B64)?, body.src(high, B64)?])
        }
        [d, a] => (body.quad(d, true)?, body.quad(a, false)?.map(Src::reg)),
    };
    for (dst, src) in dst.into_iter().zip(src) {
        body.emit(Op::Mov { width: Width::W64, dst, src });
    }
    Ok(())
}

fn pack<'a>(
    body: &mut Body<'_, 'a>,
    ty: Type,
    d: Operand<'a>,
    range: std::ops::Range<usize>,
) -> Result<(), Fault> {
    let part = part(ty, range.len())?;
    let count = range.len() as u8;
    let mut parts = [Src(0); 4];
    for (place, at) in parts.iter_mut().zip(range) {
        *place = body.src(body.elements[at], Type::bits(part.width.max(Width::W16)))?;
    }
    let dst = body.dst(d, ty.width)?;
    body.emit(Op::Pack { width: ty.width, count, dst, parts });
    Ok(())
}

fn unpack<'a>(
    body: &mut Body<'_, 'a>,
    ty: Type,
    range: std::ops::Range<usize>,
    a: Operand<'a>,
) -> Result<(), Fault> {
    let part = part(ty, range.len())?;
    let count = range.len() as u8;
    let mut parts = [Reg(0); 4];
    for (place, at) in parts.iter_mut().zip(range) {
        *place = body.dst(body.elements[at], part.width.max(Width::W16))?;
    }
    let src = body.src(a, ty)?;
    body.emit(Op::Unpack { width: ty.width, count, parts, src });
    Ok(())
}
