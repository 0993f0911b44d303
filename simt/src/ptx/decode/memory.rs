//! Loads, stores, atomics, fences and address spaces.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B64, F32, Kind, Type, U32};
use super::{Form, param};
use crate::code::{
    Access, AtomOp, Float, Int, IntOp2, LOCAL_WINDOW, Op, Order, Reg, SHARED_WINDOW, Scope, Space, Src, Width,
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

const VECTORS: &[(&str, u8)] = &[("v2", 2), ("v4", 4), ("v8", 8)];

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
fn cache_hints(form: &mut Form<'_>, order: Order, loads: bool) -> bool {
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
fn with_policy<'a, const N: usize, const M: usize>(
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
        return if element.1 { Err(Fault::Form) } else { param::load(body, element.0, count) };
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
    let access = Access { space, element: ty.int(), register, order, scope, non_coherent };
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
fn load_quad<'a>(body: &mut Body<'_, 'a>, [d, a]: [Operand<'a>; 2], access: Access) -> Result<(), Fault> {
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
        return if element.1 { Err(Fault::Form) } else { param::store(body, element.0, count) };
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
    let access = |register| Access { space, element: ty.int(), register, order, scope, non_coherent: false };
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

/// The operation of an atomic other than `cas`, if the type has it. `vector`: f32, and with `.noftz` the small types,
/// have minimum and maximum as well.
fn atom_op(atomic: Atomic, ty: Type, packed: bool, noftz: bool, vector: bool) -> Option<AtomOp> {
    let number = matches!(ty.kind, Kind::Unsigned | Kind::Signed) && ty.width >= Width::W32;
    let bits = ty.kind == Kind::Bits && ty.width >= Width::W32;
    let u32 = ty.kind == Kind::Unsigned && ty.width == Width::W32;
    // 64 bits are added without a sign.
    let sum = number && !(ty.kind == Kind::Signed && ty.width == Width::W64);
    if let Some(float) = ty.float() {
        let half = ty.width == Width::W16;
        if noftz != half || vector && float == Float::F64 {
            return None;
        }
        return Some(match (atomic, packed) {
            (Atomic::Add, false) => AtomOp::FloatAdd(float),
            (Atomic::Min, false) if vector && half => AtomOp::FloatMin(float),
            (Atomic::Max, false) if vector && half => AtomOp::FloatMax(float),
            (Atomic::Add, true) => AtomOp::PackedAdd(float),
            (Atomic::Min, true) if vector => AtomOp::PackedMin(float),
            (Atomic::Max, true) if vector => AtomOp::PackedMax(float),
            _ => return None,
        });
    }
    if noftz || vector {
        return None;
    }
    Some(match atomic {
        Atomic::Add if sum => AtomOp::Add(ty.int()),
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

/// Space, order and scope of an atomic.
#[derive(Clone, Copy)]
struct Ordering {
    space: Space,
    order: Order,
    scope: Scope,
}

/// `atom[.sem][.scope][.space].op[.noftz][.L2::cache_hint][.vN].type d, [a], b[, c][, policy]`, and `red`, the same
/// without `d`.
pub(super) fn atom(body: &mut Body<'_, '_>, mut form: Form<'_>, result: bool) -> Result<(), Fault> {
    let order = form.pick(ATOM_ORDERS).unwrap_or(Order::Relaxed);
    let scope = form.pick(SCOPES).unwrap_or(Scope::Gpu);
    let space = form.pick(SPACES).unwrap_or(Space::Generic);
    let ordering = Ordering { space, order, scope };
    if matches!(space, Space::Local | Space::Const)
        || !result && matches!(order, Order::Acquire | Order::AcqRel)
    {
        return Err(Fault::Form);
    }
    let atomic = form.must(ATOMICS)?;
    let noftz = form.take("noftz");
    let policy = form.take("L2::cache_hint");
    if matches!(atomic, Atomic::Cas | Atomic::Exchange) && (!result || noftz) {
        return Err(Fault::Form);
    }
    if atomic == Atomic::Cas {
        return cas(body, form, policy, ordering);
    }
    if atomic == Atomic::Exchange && form.rest == ".b128" {
        let [d, a, b] = with_policy::<3, 4>(body, policy)?;
        let (address, offset) = body.address(a, space)?;
        let ([value, _], [dst, _]) = (body.quad(b, false)?, body.quad(d, true)?);
        let value = Src::reg(value);
        body.emit(Op::Atom128 { space, order, scope, dst, address, offset, compare: None, value });
        return Ok(());
    }
    let count = form.pick(VECTORS).unwrap_or(1);
    let (ty, packed) = match form.pick(&[("f16x2", "f16"), ("bf16x2", "bf16")]).and_then(Type::parse) {
        Some(ty) => (ty, true),
        None => (form.ty()?, false),
    };
    form.end()?;
    let op = atom_op(atomic, ty, packed, noftz, count > 1).ok_or(Fault::Form)?;
    let bytes = u32::from(count) * op.width().bytes();
    if count > 1 && (space != Space::Global && space != Space::Generic || bytes > 16) {
        return Err(Fault::Form);
    }
    let [d, a, b] = if result {
        with_policy::<3, 4>(body, policy)?
    } else {
        let [a, b] = with_policy::<2, 3>(body, policy)?;
        [Operand::Sink, a, b]
    };
    let (address, offset) = body.address(a, space)?;
    // The manual promises that each element is updated atomically, not the vector.
    for k in 0..count {
        let (d, b) = if count == 1 { (d, b) } else { (part(body, d, count, k)?, part(body, b, count, k)?) };
        let value = body.src(b, Type { kind: ty.kind, width: op.width() })?;
        let dst = body.dst(d, op.width())?;
        let offset = offset.checked_add(i32::from(k) * op.width().bytes() as i32);
        let offset = offset.ok_or_else(|| Fault::Operand("the offset is too large".into()))?;
        body.emit(Op::Atom { op, space, order, scope, dst, address, offset, value });
    }
    Ok(())
}

/// Element `k` of a vector; of no result, none.
fn part<'a>(body: &Body<'_, 'a>, operand: Operand<'a>, count: u8, k: u8) -> Result<Operand<'a>, Fault> {
    match operand {
        Operand::Vector(first, end) if end - first == usize::from(count) => {
            Ok(body.elements[first + usize::from(k)])
        }
        Operand::Sink => Ok(Operand::Sink),
        _ => Fault::operand(format!("a vector of {count} elements is needed")),
    }
}

/// `atom.cas`, 16 to 128 bits.
fn cas(body: &mut Body<'_, '_>, mut form: Form<'_>, policy: bool, ordering: Ordering) -> Result<(), Fault> {
    let Ordering { space, order, scope } = ordering;
    if form.rest == ".b128" {
        let [d, a, b, c] = with_policy::<4, 5>(body, policy)?;
        let (address, offset) = body.address(a, space)?;
        let [[compare, _], [value, _]] = [body.quad(b, false)?, body.quad(c, false)?];
        let [dst, _] = body.quad(d, true)?;
        let (compare, value) = (Some(Src::reg(compare)), Src::reg(value));
        body.emit(Op::Atom128 { space, order, scope, dst, address, offset, compare, value });
        return Ok(());
    }
    let ty = form.last_ty(|ty| ty.kind == Kind::Bits && ty.width >= Width::W16)?;
    let [d, a, b, c] = with_policy::<4, 5>(body, policy)?;
    let (address, offset) = body.address(a, space)?;
    let (compare, value, dst) = (body.src(b, ty)?, body.src(c, ty)?, body.dst(d, ty.width)?);
    body.emit(Op::Cas { width: ty.width, space, order, scope, dst, address, offset, compare, value });
    Ok(())
}

/// `membar.cta|gl|sys`, `fence[.sc|acq_rel|acquire|release].scope`, `fence.proxy.alias|async`.
pub(super) fn fence(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    if base == "fence" && form.take("proxy") {
        return proxy_fence(body, form);
    }
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

/// `fence.proxy` orders the generic accesses of a thread with those through other proxies (PTX ISA 8.1, "Proxies"). There
/// are no others here: several virtual addresses of one location (`.alias`) do not exist, and the instructions of the
/// async proxy are refused. So there is nothing to do.
fn proxy_fence(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("alias") {
        if !form.take("async") {
            return Err(Fault::Form);
        }
        form.pick(&[("global", ()), ("shared::cta", ())]);
    }
    form.end()?;
    let [] = body.operands()?;
    body.emit(Op::Hint);
    Ok(())
}

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
        if !matches!(size, Operand::Int(128, false)) {
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
