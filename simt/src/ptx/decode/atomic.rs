//! Atomics and fences.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{Kind, Type};
use super::Form;
use super::memory::{SCOPES, SPACES, VECTORS, with_policy};
use crate::code::{AtomOp, Float, Op, Order, Scope, Space, Src, Width};

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
    let mut results = vec![];
    for k in 0..count {
        let (d, b) = if count == 1 { (d, b) } else { (part(body, d, count, k)?, part(body, b, count, k)?) };
        let value = body.src(b, Type { kind: ty.kind, width: op.width() })?;
        let mut dst = body.dst(d, op.width())?;
        if count > 1 && !matches!(d, Operand::Sink) {
            // The elements that follow may still read that register, as a source or as the address.
            let result = body.frame.scratch(op.width());
            results.push((dst, result));
            dst = result;
        }
        let offset = offset.checked_add(i32::from(k) * op.width().bytes() as i32);
        let offset = offset.ok_or_else(|| Fault::Operand("the offset is too large".into()))?;
        body.emit(Op::Atom { op, space, order, scope, dst, address, offset, value });
    }
    for (dst, result) in results {
        body.emit(Op::Mov { width: op.width(), dst, src: Src::reg(result) });
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
    body.emit(Op::Cas {
        width: ty.width,
        space,
        order,
        scope,
        dst,
        address,
        offset,
        compare,
        value,
        of_load: false,
    });
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
