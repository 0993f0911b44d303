//! Loads, stores, atomics, fences and address spaces.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B64, Kind, Type};
use super::{Form, param};
use crate::code::{
    Access, AtomOp, IntOp2, LOCAL_WINDOW, Op, Order, Reg, SHARED_WINDOW, Scope, Space, Src, Width,
};

/// Spaces of loads, stores and atomics; without one: generic.
const SPACES: &[(&str, Space)] = &[
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("local", Space::Local),
    ("const", Space::Const),
];

const SCOPES: &[(&str, Scope)] =
    &[("cta", Scope::Cta), ("cluster", Scope::Cluster), ("gpu", Scope::Gpu), ("sys", Scope::Sys)];

const VECTORS: &[(&str, u8)] = &[("v2", 2), ("v4", 4)];

/// Order and scope at the head of a load or store. `ordered` are the orders that need a scope.
fn order(form: &mut Form<'_>, ordered: &[(&str, Order)]) -> Result<(Order, Scope), Fault> {
    if form.take("volatile") {
        return Ok((Order::Volatile, Scope::Sys));
    }
    if let Some(order) = form.pick(ordered) {
        return Ok((order, form.must(SCOPES)?));
    }
    form.take("weak");
    Ok((Order::Weak, Scope::Sys))
}

/// Element types of loads and stores: all but f16.
fn element(form: &mut Form<'_>) -> Result<Type, Fault> {
    form.last_ty(|ty| ty.kind != Kind::Float || ty.width >= Width::W32)
}

/// `ld`.
pub(super) fn load(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let (order, scope) = order(&mut form, &[("relaxed", Order::Relaxed), ("acquire", Order::Acquire)])?;
    if order == Order::Weak && (form.take("param") || form.take("param::entry") || form.take("param::func")) {
        let count = form.pick(VECTORS).unwrap_or(1);
        let ty = element(&mut form)?;
        return param::load(body, ty, count);
    }
    let space = form.pick(SPACES).unwrap_or(Space::Generic);
    // Cache hints; `.cv` would change what is read.
    let hinted =
        order == Order::Weak && form.pick(&[("ca", ()), ("cg", ()), ("cs", ()), ("lu", ())]).is_some();
    let non_coherent = !hinted && order == Order::Weak && space == Space::Global && form.take("nc");
    if order != Order::Weak && matches!(space, Space::Const | Space::Local) && order != Order::Volatile {
        return Err(Fault::Form);
    }
    let count = form.pick(VECTORS).unwrap_or(1);
    let ty = element(&mut form)?;
    let [d, address] = body.operands()?;
    finish_load(
        body,
        ty,
        count,
        (d, address),
        Access { space, element: ty.int(), register: ty.width.max(Width::W16), order, scope, non_coherent },
    )
}

/// Emits a load; the width of the registers is found in the operands.
pub(super) fn finish_load<'a>(
    body: &mut Body<'_, 'a>,
    ty: Type,
    count: u8,
    (d, address): (Operand<'a>, Operand<'a>),
    mut access: Access,
) -> Result<(), Fault> {
    let (address, offset) = body.address(address, access.space)?;
    if count == 1 {
        let (dst, register) = body.wide_dst(d, ty.width)?;
        access.register = register;
        body.emit(Op::Load { access, dst, address, offset });
    } else {
        let (dst, register) = vector_dst(body, d, count, ty)?;
        access.register = register;
        body.emit(Op::LoadVector { access, count, dst, address, offset });
    }
    Ok(())
}

/// The registers of a vector, all of one width.
pub(super) fn vector_dst<'a>(
    body: &mut Body<'_, 'a>,
    operand: Operand<'a>,
    count: u8,
    ty: Type,
) -> Result<([Reg; 4], Width), Fault> {
    let (elements, register) = vector(body, operand, count, ty)?;
    let mut dst = [Reg(0); 4];
    for (place, element) in dst.iter_mut().zip(elements).take(count.into()) {
        *place = body.dst(element, register)?;
    }
    Ok((dst, register))
}

/// The sources of a vector, all of one width.
pub(super) fn vector_src<'a>(
    body: &mut Body<'_, 'a>,
    operand: Operand<'a>,
    count: u8,
    ty: Type,
) -> Result<([Src; 4], Width), Fault> {
    let (elements, register) = vector(body, operand, count, ty)?;
    let mut src = [Src(0); 4];
    for (place, element) in src.iter_mut().zip(elements).take(count.into()) {
        *place = body.src(element, Type { kind: ty.kind, width: register })?;
    }
    Ok((src, register))
}

/// Elements of a vector and the width of its registers: that of the first register, which may exceed the type.
fn vector<'a>(
    body: &Body<'_, 'a>,
    operand: Operand<'a>,
    count: u8,
    ty: Type,
) -> Result<([Operand<'a>; 4], Width), Fault> {
    let Operand::Vector(first, end) = operand else {
        return Fault::operand("a vector in braces is needed");
    };
    if end - first != usize::from(count) {
        return Fault::operand(format!("a vector of {count} elements is needed"));
    }
    let mut elements = [Operand::Sink; 4];
    elements[..count.into()].copy_from_slice(&body.elements[first..end]);
    let width = elements.iter().find_map(|element| match element {
        Operand::Register(_, width) if *width >= ty.width => Some(*width),
        _ => None,
    });
    Ok((elements, width.unwrap_or(ty.width.max(Width::W16))))
}

/// `st`.
pub(super) fn store(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let (order, scope) = order(&mut form, &[("relaxed", Order::Relaxed), ("release", Order::Release)])?;
    if order == Order::Weak && (form.take("param") || form.take("param::func")) {
        let count = form.pick(VECTORS).unwrap_or(1);
        let ty = element(&mut form)?;
        return param::store(body, ty, count);
    }
    let space = form.pick(SPACES).unwrap_or(Space::Generic);
    if space == Space::Const || space == Space::Local && matches!(order, Order::Relaxed | Order::Release) {
        return Err(Fault::Form);
    }
    if order == Order::Weak {
        form.pick(&[("wb", ()), ("cg", ()), ("cs", ()), ("wt", ())]);
    }
    let count = form.pick(VECTORS).unwrap_or(1);
    let ty = element(&mut form)?;
    let [address, value] = body.operands()?;
    let (address, offset) = body.address(address, space)?;
    let access = |register| Access { space, element: ty.int(), register, order, scope, non_coherent: false };
    if count == 1 {
        let (src, register) = body.wide_src(value, ty)?;
        body.emit(Op::Store { access: access(register), src, address, offset });
    } else {
        let (src, register) = vector_src(body, value, count, ty)?;
        body.emit(Op::StoreVector { access: access(register), count, src, address, offset });
    }
    Ok(())
}

const ATOM_ORDERS: &[(&str, Order)] = &[
    ("relaxed", Order::Relaxed),
    ("acquire", Order::Acquire),
    ("release", Order::Release),
    ("acq_rel", Order::AcqRel),
];

/// What an atomic does, before its type is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atomic {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exchange,
    Cas,
}

const ATOMICS: &[(&str, Atomic)] = &[
    ("add", Atomic::Add),
    ("min", Atomic::Min),
    ("max", Atomic::Max),
    ("inc", Atomic::Inc),
    ("dec", Atomic::Dec),
    ("and", Atomic::And),
    ("or", Atomic::Or),
    ("xor", Atomic::Xor),
    ("exch", Atomic::Exchange),
    ("cas", Atomic::Cas),
];

/// The operation of an atomic other than `cas`, if the type has it.
fn atom_op(atomic: Atomic, ty: Type, noftz: bool) -> Option<AtomOp> {
    let number = matches!(ty.kind, Kind::Unsigned | Kind::Signed) && ty.width >= Width::W32;
    let bits = ty.kind == Kind::Bits && ty.width >= Width::W32;
    let u32 = ty.kind == Kind::Unsigned && ty.width == Width::W32;
    if noftz != (atomic == Atomic::Add && ty.kind == Kind::Float && ty.width == Width::W16) {
        return None;
    }
    Some(match atomic {
        Atomic::Add => match ty.float() {
            Some(float) => AtomOp::FloatAdd(float),
            None if number => AtomOp::Add(ty.int()),
            None => return None,
        },
        Atomic::Min if number => AtomOp::Min(ty.int()),
        Atomic::Max if number => AtomOp::Max(ty.int()),
        Atomic::Inc if u32 => AtomOp::Inc,
        Atomic::Dec if u32 => AtomOp::Dec,
        Atomic::And if bits => AtomOp::And(ty.width),
        Atomic::Or if bits => AtomOp::Or(ty.width),
        Atomic::Xor if bits => AtomOp::Xor(ty.width),
        Atomic::Exchange if bits => AtomOp::Exchange(ty.width),
        _ => return None,
    })
}

/// `atom[.sem][.scope][.space].op.type d, [a], b[, c]`, and `red`, the same without `d`.
pub(super) fn atom(body: &mut Body<'_, '_>, mut form: Form<'_>, result: bool) -> Result<(), Fault> {
    let order = form.pick(ATOM_ORDERS).unwrap_or(Order::Relaxed);
    let scope = form.pick(SCOPES).unwrap_or(Scope::Gpu);
    let space = form.pick(SPACES).unwrap_or(Space::Generic);
    if matches!(space, Space::Local | Space::Const)
        || !result && matches!(order, Order::Acquire | Order::AcqRel)
    {
        return Err(Fault::Form);
    }
    let atomic = form.must(ATOMICS)?;
    let noftz = form.take("noftz");
    if atomic == Atomic::Cas {
        let ty = form.last_ty(|ty| ty.kind == Kind::Bits && ty.width >= Width::W16)?;
        if !result || noftz {
            return Err(Fault::Form);
        }
        let [d, a, b, c] = body.operands()?;
        let (address, offset) = body.address(a, space)?;
        let (compare, value, dst) = (body.src(b, ty)?, body.src(c, ty)?, body.dst(d, ty.width)?);
        body.emit(Op::Cas { width: ty.width, space, order, scope, dst, address, offset, compare, value });
        return Ok(());
    }
    let ty = form.ty()?;
    form.end()?;
    let op = atom_op(atomic, ty, noftz).ok_or(Fault::Form)?;
    if !result && matches!(op, AtomOp::Exchange(_)) {
        return Err(Fault::Form);
    }
    let [d, a, b] = if result {
        body.operands()?
    } else {
        let [a, b] = body.operands()?;
        [Operand::Sink, a, b]
    };
    let (address, offset) = body.address(a, space)?;
    let (value, dst) = (body.src(b, ty)?, body.dst(d, ty.width)?);
    body.emit(Op::Atom { op, space, order, scope, dst, address, offset, value });
    Ok(())
}

/// `membar.cta|gl|sys`, `fence[.sc|acq_rel|acquire|release].scope`.
pub(super) fn fence(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let (order, scope) = if base == "membar" {
        (Order::SeqCst, form.must(&[("cta", Scope::Cta), ("gl", Scope::Gpu), ("sys", Scope::Sys)])?)
    } else {
        let orders = &[
            ("sc", Order::SeqCst),
            ("acq_rel", Order::AcqRel),
            ("acquire", Order::Acquire),
            ("release", Order::Release),
        ];
        (form.pick(orders).unwrap_or(Order::AcqRel), form.must(SCOPES)?)
    };
    form.end()?;
    let [] = body.operands()?;
    body.emit(Op::Fence { order, scope });
    Ok(())
}

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
