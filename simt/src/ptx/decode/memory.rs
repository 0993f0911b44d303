//! Loads and stores.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B64, Kind, Type};
use super::{Form, param};
use crate::code::{Access, Int, Op, Order, Reg, Scope, Space, Src, Width};

/// Spaces of loads, stores and atomics; without one: generic.
pub(super) const SPACES: &[(&str, Space)] = &[
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("local", Space::Local),
    ("const", Space::Const),
];

pub(super) const SCOPES: &[(&str, Scope)] =
    &[("cta", Scope::Cta), ("cluster", Scope::Cluster), ("gpu", Scope::Gpu), ("sys", Scope::Sys)];

pub(super) const VECTORS: &[(&str, u8)] = &[("v2", 2), ("v4", 4), ("v8", 8)];

/// Order and scope at the head of a load or store. `ordered` are the orders that need a scope.
fn order(form: &mut Form<'_>, ordered: &[(&str, Order)]) -> Result<(Order, Scope), Fault> {
    if form.take("volatile") {
        return Ok((Order::Volatile, Scope::Sys));
    }
    if form.take("mmio") {
        // One access to a device's memory, which the embedded device has none of.
        return if form.take("relaxed") && form.take("sys") {
            Ok((Order::Relaxed, Scope::Sys))
        } else {
            Err(Fault::Form)
        };
    }
    if let Some(order) = form.pick(ordered) {
        return Ok((order, form.must(SCOPES)?));
    }
    form.take("weak");
    Ok((Order::Weak, Scope::Sys))
}

/// Takes what advises the caches (PTX ISA 9.7.9.1, "Cache Operators", and 9.7.9.2, "Cache Eviction Priority Hints"), of
/// which there are none. True if a cache policy follows as the last operand.
pub(super) fn cache_hints(form: &mut Form<'_>, order: Order, loads: bool) -> bool {
    const FIRST: &[(&str, ())] = &[
        ("L1::evict_normal", ()),
        ("L1::evict_unchanged", ()),
        ("L1::evict_first", ()),
        ("L1::evict_last", ()),
        ("L1::no_allocate", ()),
    ];
    const SECOND: &[(&str, ())] =
        &[("L2::evict_normal", ()), ("L2::evict_first", ()), ("L2::evict_last", ())];
    let mut policy = false;
    if order != Order::Volatile {
        form.pick(FIRST);
        form.pick(SECOND);
        policy = form.take("L2::cache_hint");
    }
    if loads {
        form.pick(&[("L2::64B", ()), ("L2::128B", ()), ("L2::256B", ())]);
    }
    policy
}

/// The operands, without the cache policy that follows if the form says so.
pub(super) fn with_policy<'a, const N: usize, const M: usize>(
    body: &mut Body<'_, 'a>,
    policy: bool,
) -> Result<[Operand<'a>; N], Fault> {
    match body.operands_and_more::<N, M>()? {
        (operands, Some(hint)) if policy => body.src(hint, B64).map(|_| operands),
        (operands, None) if !policy => Ok(operands),
        _ => Fault::operand("a cache policy belongs to .L2::cache_hint, and to nothing else"),
    }
}

/// The element of loads and stores that ends the form: all types but f16; `b128` is two of 64 bits.
fn element(form: &mut Form<'_>) -> Result<(Type, bool), Fault> {
    if form.rest == ".b128" {
        return Ok((B64, true));
    }
    let ty =
        form.last_ty(|ty| ty.kind != Kind::Brain && (ty.kind != Kind::Float || ty.width >= Width::W32))?;
    Ok((ty, false))
}

/// Refuses vectors of more than 128 bits, which are for global memory alone, where they have 256.
fn check_vector(space: Space, count: u8, (ty, quad): (Type, bool)) -> Result<(), Fault> {
    let bytes = u32::from(count) * ty.width.bytes();
    let long = space == Space::Global && bytes == 32 && ty.width >= Width::W32;
    if (bytes <= 16 && count < 8 || long) && !(quad && count > 1) { Ok(()) } else { Err(Fault::Form) }
}

/// `ld`.
pub(super) fn load(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let (order, scope) = order(&mut form, &[("relaxed", Order::Relaxed), ("acquire", Order::Acquire)])?;
    if order == Order::Weak && (form.take("param") || form.take("param::entry") || form.take("param::func")) {
        let count = form.pick(VECTORS).unwrap_or(1);
        let element = element(&mut form)?;
        check_vector(Space::Param, count, element)?;
        return param::load(body, element, count);
    }
    let space = form.pick(SPACES).unwrap_or(Space::Generic);
    if order != Order::Weak && matches!(space, Space::Const | Space::Local) && order != Order::Volatile {
        return Err(Fault::Form);
    }
    let plain = order == Order::Weak;
    let operator =
        if plain { form.pick(&["ca", "cg", "cs", "lu", "cv"].map(|name| (name, name))) } else { None };
    let cached = !matches!(operator, Some("lu" | "cv"));
    let non_coherent = cached && plain && space == Space::Global && form.take("nc");
    // `.cv` is for memory that others write meanwhile: it is not to be left out.
    let order = if operator == Some("cv") { Order::Volatile } else { order };
    finish(body, form, operator.is_some(), (space, order, scope, non_coherent))
}

/// The rest of a load after its space, order and operator.
fn finish(
    body: &mut Body<'_, '_>,
    mut form: Form<'_>,
    operator: bool,
    (space, order, scope, non_coherent): (Space, Order, Scope, bool),
) -> Result<(), Fault> {
    let policy = !operator && cache_hints(&mut form, order, true);
    let count = form.pick(VECTORS).unwrap_or(1);
    let element = element(&mut form)?;
    check_vector(space, count, element)?;
    let operands = with_policy::<2, 3>(body, policy)?;
    let ty = element.0;
    let register = ty.width.max(Width::W16);
    let access = Access { space, element: ty.int(), register, order, scope, non_coherent, for_cas: false };
    match (element, count) {
        ((_, true), _) => load_quad(body, operands, access),
        (_, 8) => load_eight(body, operands, access),
        _ => finish_load(body, ty, count, operands.into(), access),
    }
}

/// `ldu.global`: a load of what nobody writes, the same address in all lanes.
pub(super) fn load_uniform(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let space = if form.take("global") { Space::Global } else { Space::Generic };
    if form.has_any(&["b128", "v8"]) {
        return Err(Fault::Form);
    }
    finish(body, form, true, (space, Order::Weak, Scope::Sys, space == Space::Global))
}

/// `ld.b128`.
pub(super) fn load_quad<'a>(
    body: &mut Body<'_, 'a>,
    [d, a]: [Operand<'a>; 2],
    access: Access,
) -> Result<(), Fault> {
    let [low, high] = body.quad(d, true)?;
    let (address, offset) = body.address(a, access.space)?;
    body.emit(Op::LoadVector { access, count: 2, dst: [low, high, low, high], address, offset });
    Ok(())
}

/// `ld.v8` of 32 bits: four words of 64 bits, then cut in two.
fn load_eight<'a>(body: &mut Body<'_, 'a>, [d, a]: [Operand<'a>; 2], access: Access) -> Result<(), Fault> {
    let Operand::Vector(first, end) = d else { return Fault::operand("a vector in braces is needed") };
    if end - first != 8 {
        return Fault::operand("a vector of 8 elements is needed");
    }
    let (address, offset) = body.address(a, access.space)?;
    let words = [0; 4].map(|_| body.frame.scratch(Width::W64));
    let element = Int { width: Width::W64, signed: false };
    let access = Access { element, register: Width::W64, ..access };
    body.emit(Op::LoadVector { access, count: 4, dst: words, address, offset });
    for (word, at) in words.into_iter().zip((first..end).step_by(2)) {
        let low = body.dst(body.elements[at], Width::W32)?;
        let high = body.dst(body.elements[at + 1], Width::W32)?;
        body.emit(Op::Unpack {
            width: Width::W64,
            count: 2,
            parts: [low, high, low, high],
            src: Src::reg(word),
        });
    }
    Ok(())
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
        let element = element(&mut form)?;
        check_vector(Space::Param, count, element)?;
        return param::store(body, element, count);
    }
    let space = form.pick(SPACES).unwrap_or(Space::Generic);
    if space == Space::Const || space == Space::Local && matches!(order, Order::Relaxed | Order::Release) {
        return Err(Fault::Form);
    }
    let operator =
        order == Order::Weak && form.pick(&[("wb", ()), ("cg", ()), ("cs", ()), ("wt", ())]).is_some();
    let policy = !operator && cache_hints(&mut form, order, false);
    let count = form.pick(VECTORS).unwrap_or(1);
    let element = element(&mut form)?;
    check_vector(space, count, element)?;
    let (ty, quad) = element;
    let [address, value] = with_policy::<2, 3>(body, policy)?;
    let (address, offset) = body.address(address, space)?;
    let access = |register| Access {
        space,
        element: ty.int(),
        register,
        order,
        scope,
        non_coherent: false,
        for_cas: false,
    };
    match count {
        _ if quad => {
            let [low, high] = body.quad(value, false)?.map(Src::reg);
            let src = [low, high, low, high];
            body.emit(Op::StoreVector { access: access(Width::W64), count: 2, src, address, offset });
        }
        1 => {
            let (src, register) = body.wide_src(value, ty)?;
            body.emit(Op::Store { access: access(register), src, address, offset });
        }
        8 => {
            let src = pairs(body, value, ty)?;
            let element = Int { width: Width::W64, signed: false };
            let access = Access { element, ..access(Width::W64) };
            body.emit(Op::StoreVector { access, count: 4, src, address, offset });
        }
        _ => {
            let (src, register) = vector_src(body, value, count, ty)?;
            body.emit(Op::StoreVector { access: access(register), count, src, address, offset });
        }
    }
    Ok(())
}

/// Eight sources of 32 bits as four of 64.
fn pairs<'a>(body: &mut Body<'_, 'a>, value: Operand<'a>, ty: Type) -> Result<[Src; 4], Fault> {
    let Operand::Vector(first, end) = value else { return Fault::operand("a vector in braces is needed") };
    if end - first != 8 {
        return Fault::operand("a vector of 8 elements is needed");
    }
    let mut words = [Src(0); 4];
    for (word, at) in words.iter_mut().zip((first..end).step_by(2)) {
        let (low, high) = (body.src(body.elements[at], ty)?, body.src(body.elements[at + 1], ty)?);
        let dst = body.frame.scratch(Width::W64);
        body.prepare(Op::Pack { width: Width::W64, count: 2, dst, parts: [low, high, low, high] });
        *word = Src::reg(dst);
    }
    Ok(words)
}
