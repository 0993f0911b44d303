//! `cvt`.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{F32, Kind, Type};
use super::Form;
use super::compare::halves;
use super::float::ROUNDINGS;
use crate::code::{Float, FloatMode, Int, IntOp2, Op, PrmtMode, Reg, Round, ShiftOp, Small, Src, Width};

/// `.rni` and the like: to an integral value.
const INTEGRAL: &[(&str, Round)] =
    &[("rni", Round::Nearest), ("rzi", Round::Zero), ("rmi", Round::Down), ("rpi", Round::Up)];

/// Modifiers of a conversion.
struct Modifiers {
    round: Option<Round>,
    integral: Option<Round>,
    ftz: bool,
    sat: bool,
    relu: bool,
    satfinite: bool,
}

impl Modifiers {
    fn mode(&self) -> FloatMode {
        let round = self.round.or(self.integral).unwrap_or(Round::Nearest);
        let Self { ftz, sat, relu, satfinite, .. } = *self;
        FloatMode { round, ftz, sat, relu, satfinite }
    }
}

/// `cvt[.rnd][.ftz][.sat].to.from d, a`; `cvt.rnd[.relu][.satfinite].to.f32` to the types of 16 bits, of two in 32 bits, and to the
/// small ones; `cvt.pack.sat`.
pub(super) fn cvt(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if form.take("pack") {
        return pack(body, form);
    }
    if form.take("rs") {
        return stochastic(body, form);
    }
    let integral = form.pick(INTEGRAL);
    let away = integral.is_none() && form.take("rna");
    let round = if integral.is_none() && !away { form.pick(ROUNDINGS) } else { None };
    let (ftz, sat) = (form.take("ftz"), form.take("sat"));
    // Either order is in use.
    let first = form.take("satfinite");
    let relu = form.take("relu");
    let satfinite = first || form.take("satfinite");
    let modifiers = Modifiers { round, integral, ftz, sat, relu, satfinite };
    if let Some(kind) = form.pick(SMALL) {
        return small(body, kind, form, &modifiers, away);
    }
    if let Some(pair) = form.pick(PAIRS) {
        return to_pair(body, pair, form, &modifiers, away);
    }
    let to = form.ty()?;
    let from = form.last_ty(|from| from.kind != Kind::Bits && to.kind != Kind::Bits)?;
    if away {
        return Err(Fault::Form);
    }
    if relu || satfinite {
        let narrow = to.float().is_some() && to.width == Width::W16 && from == F32;
        if !narrow || ftz || sat || !matches!(round, Some(Round::Nearest | Round::Zero)) {
            return Err(Fault::Form);
        }
    }
    let brain = to.kind == Kind::Brain || from.kind == Kind::Brain;
    if brain && (sat || to.width == Width::W8 || from.width == Width::W8) {
        return Err(Fault::Form);
    }
    let f32_involved = [to, from].iter().any(|ty| ty.float() == Some(Float::F32));
    if modifiers.ftz && !f32_involved {
        return Err(Fault::Form);
    }
    match (to.float(), from.float()) {
        (None, None) => int_to_int(body, to, from, &modifiers),
        (None, Some(float)) => float_to_int(body, to, (from, float), &modifiers),
        (Some(float), None) => int_to_float(body, (to, float), from, &modifiers),
        (Some(to_float), Some(from_float)) => {
            float_to_float(body, (to, to_float), (from, from_float), &modifiers)
        }
    }
}

fn int_to_int(body: &mut Body<'_, '_>, to: Type, from: Type, modifiers: &Modifiers) -> Result<(), Fault> {
    if modifiers.round.is_some() || modifiers.integral.is_some() {
        return Err(Fault::Form);
    }
    let [d, a] = body.operands()?;
    let (dst, to_register) = body.wide_dst(d, to.width)?;
    let (src, from_register) = body.wide_src(a, from)?;
    let (to, from, sat) = (to.int(), from.int(), modifiers.sat);
    body.emit(Op::ConvertInt { to, from, to_register, from_register, sat, dst, src });
    Ok(())
}

/// Out-of-range values are clamped with and without `.sat`.
fn float_to_int(
    body: &mut Body<'_, '_>,
    to: Type,
    (from_ty, from): (Type, Float),
    modifiers: &Modifiers,
) -> Result<(), Fault> {
    if modifiers.integral.is_none() || modifiers.ftz && from != Float::F32 {
        return Err(Fault::Form);
    }
    let [d, a] = body.operands()?;
    let (dst, to_register) = body.wide_dst(d, to.width)?;
    let src = body.src(a, from_ty)?;
    body.emit(Op::FloatToInt { to: to.int(), from, to_register, mode: modifiers.mode(), dst, src });
    Ok(())
}

fn int_to_float(
    body: &mut Body<'_, '_>,
    (to_ty, to): (Type, Float),
    from: Type,
    modifiers: &Modifiers,
) -> Result<(), Fault> {
    if modifiers.round.is_none() || modifiers.ftz {
        return Err(Fault::Form);
    }
    let [d, a] = body.operands()?;
    let dst = body.dst(d, to_ty.width)?;
    let (src, from_register) = body.wide_src(a, from)?;
    body.emit(Op::IntToFloat { to, from: from.int(), from_register, mode: modifiers.mode(), dst, src });
    Ok(())
}

fn float_to_float(
    body: &mut Body<'_, '_>,
    (to_ty, to): (Type, Float),
    (from_ty, from): (Type, Float),
    modifiers: &Modifiers,
) -> Result<(), Fault> {
    // Narrowing must say how to round; the same type may round to an integral value; widening is exact. Of the types of 16
    // bits none holds the other.
    let exists = match to_ty.width.cmp(&from_ty.width) {
        std::cmp::Ordering::Equal if to != from => modifiers.round.is_some(),
        std::cmp::Ordering::Less => modifiers.round.is_some(),
        std::cmp::Ordering::Equal => modifiers.round.is_none(),
        std::cmp::Ordering::Greater => modifiers.round.is_none() && modifiers.integral.is_none(),
    };
    if !exists {
        return Err(Fault::Form);
    }
    let [d, a] = body.operands()?;
    let (dst, src) = (body.dst(d, to_ty.width)?, body.src(a, from_ty)?);
    let integral = modifiers.integral.is_some();
    body.emit(Op::ConvertFloat { to, from, integral, mode: modifiers.mode(), dst, src });
    Ok(())
}

const PAIRS: &[(&str, Float)] = &[("f16x2", Float::F16), ("bf16x2", Float::Bf16)];

/// The types of conversions alone, and how many share a register.
const SMALL: &[(&str, Small)] = &[
    ("tf32", Small::Tf32),
    ("e4m3x2", Small::E4m3),
    ("e5m2x2", Small::E5m2),
    ("e2m1x2", Small::E2m1),
    ("e2m3x2", Small::E2m3),
    ("e3m2x2", Small::E3m2),
    ("ue8m0x2", Small::Ue8m0),
];

/// `cvt.rn.satfinite[.relu].e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2.f32 d, a, b`, `.e4m3x2|e5m2x2|e2m1x2.f16x2 d, a`;
/// `cvt.rz|rp[.satfinite].ue8m0x2.f32 d, a, b`, `.bf16x2 d, a`; `cvt.rna[.satfinite].tf32.f32`,
/// `cvt.rn|rz[.relu][.satfinite].tf32.f32`.
fn small(
    body: &mut Body<'_, '_>,
    to: Small,
    mut form: Form<'_>,
    modifiers: &Modifiers,
    away: bool,
) -> Result<(), Fault> {
    let mode = modifiers.mode();
    let pair = match to {
        Small::E4m3 | Small::E5m2 | Small::E2m1 if form.take("f16x2") => Some(Float::F16),
        Small::Ue8m0 if form.take("bf16x2") => Some(Float::Bf16),
        _ => {
            form.last_ty(|ty| ty == F32)?;
            None
        }
    };
    form.end()?;
    let rounds = match to {
        Small::Tf32 => away && !mode.relu || matches!(modifiers.round, Some(Round::Nearest | Round::Zero)),
        Small::Ue8m0 => matches!(modifiers.round, Some(Round::Zero | Round::Up)) && !mode.relu,
        _ => modifiers.round == Some(Round::Nearest) && mode.satfinite,
    };
    if !rounds || mode.ftz || mode.sat {
        return Err(Fault::Form);
    }
    if to == Small::Tf32 {
        let [d, a] = body.operands()?;
        let (dst, src) = (body.dst(d, Width::W32)?, body.src(a, F32)?);
        body.emit(Op::ToSmall { to, from: Float::F32, away, mode, register: Width::W32, dst, src });
        return Ok(());
    }
    let (d, sources, from) = if let Some(from) = pair {
        let [d, a] = body.operands()?;
        (d, halves(body, a)?, from)
    } else {
        // The first source goes to the upper half.
        let [d, a, b] = body.operands()?;
        (d, [body.src(b, F32)?, body.src(a, F32)?], Float::F32)
    };
    let dst = body.dst(d, Width::W16)?;
    let parts = sources.map(|src| {
        let dst = body.frame.scratch(Width::W16);
        body.prepare(Op::ToSmall { to, from, away, mode, register: Width::W16, dst, src });
        Src::reg(dst)
    });
    let op = beside(body, to, dst, parts);
    body.emit(op);
    Ok(())
}

/// What puts two numbers beside each other, the lower one first: bytes, or `e2m1` in the halves of a byte.
fn beside(body: &mut Body<'_, '_>, ty: Small, dst: Reg, [low, high]: [Src; 2]) -> Op {
    let width = Width::W16;
    if ty != Small::E2m1 {
        return Op::Pack { width, count: 2, dst, parts: [low, high, low, high] };
    }
    let (up, four) = (body.frame.scratch(width), body.constant(4, Width::W32));
    body.prepare(Op::Shift { op: ShiftOp::Left, width, dst: up, a: high, b: four });
    Op::Int2 { op: IntOp2::Or, ty: Int { width, signed: false }, dst, a: Src::reg(up), b: low }
}

/// `cvt.rs[.relu][.satfinite].f16x2|bf16x2.f32 d, a, b, rbits`; `cvt.rs[.relu].satfinite.e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4.f32 d,
/// {a, b, e, f}, rbits`.
///
/// PTX ISA 9.0, 9.7.9.21, says which bits of `rbits` belong to which source. Two sources share those of `e2m1x4`: the manual gives
/// them "8 bits from both 16-bits half", which here are 16 bits, the byte of the upper half above that of the lower one.
fn stochastic(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let first = form.take("satfinite");
    let relu = form.take("relu");
    let satfinite = first || form.take("satfinite");
    let mode = FloatMode { relu, satfinite, ..FloatMode::DEFAULT };
    let (to, bits, four) = form.must(&[
        ("f16x2", (Small::Half, 13u8, false)),
        ("bf16x2", (Small::Brain, 16, false)),
        ("e4m3x4", (Small::E4m3, 16, true)),
        ("e5m2x4", (Small::E5m2, 16, true)),
        ("e2m3x4", (Small::E2m3, 16, true)),
        ("e3m2x4", (Small::E3m2, 16, true)),
        ("e2m1x4", (Small::E2m1, 16, true)),
    ])?;
    form.last_ty(|ty| ty == F32)?;
    if four && !satfinite {
        return Err(Fault::Form);
    }
    // Sources from the lowest place up.
    let (d, sources, random) = if four {
        let [d, all, random] = body.operands()?;
        let Operand::Vector(first, end) = all else { return Fault::operand("the sources are a vector") };
        let elements: Vec<Operand<'_>> = body.elements[first..end].iter().rev().copied().collect();
        if elements.len() != 4 {
            return Fault::operand("the vector has four elements");
        }
        (d, elements, random)
    } else {
        let [d, a, b, random] = body.operands()?;
        (d, vec![b, a], random)
    };
    let random = body.src(random, Type::bits(Width::W32))?;
    let bytes = |body: &mut Body<'_, '_>, selector: u64| {
        let (dst, zero) = (body.frame.scratch(Width::W32), body.constant(0, Width::W32));
        let selector = body.constant(selector, Width::W32);
        body.prepare(Op::Prmt { mode: PrmtMode::Index, dst, a: random, b: zero, selector });
        Src::reg(dst)
    };
    // Random bits of the lower and of the upper sources.
    let [low, high] = match to {
        Small::E2m1 => [bytes(body, 0x4420), bytes(body, 0x4431)],
        _ => [random, bytes(body, 0x4432)],
    };
    let mut parts = vec![];
    for (k, operand) in sources.iter().enumerate() {
        let (src, dst) = (body.src(*operand, F32)?, body.frame.scratch(Width::W16));
        let random = if k < sources.len() / 2 { low } else { high };
        body.prepare(Op::ToSmallRandom { to, bits, mode, dst, src, random });
        parts.push(Src::reg(dst));
    }
    let width = if to == Small::E2m1 { Width::W16 } else { Width::W32 };
    let dst = body.dst(d, width)?;
    let parts = match (to, &parts[..]) {
        (Small::E2m1, &[f, e, b, a]) => {
            let [low, high] = [[f, e], [b, a]].map(|pair| {
                let dst = body.frame.scratch(Width::W16);
                let op = beside(body, to, dst, pair);
                body.prepare(op);
                Src::reg(dst)
            });
            [low, high, low, high]
        }
        (_, &[f, e, b, a]) => [f, e, b, a],
        (_, &[b, a, ..]) => [b, a, b, a],
        _ => return Err(Fault::Form),
    };
    let count = if width == Width::W16 || !four { 2 } else { 4 };
    body.emit(Op::Pack { width, count, dst, parts });
    Ok(())
}

/// `cvt.rn|rz[.relu][.satfinite].f16x2|bf16x2.f32 d, a, b`, `cvt.rn[.relu].f16x2.e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 d, a`,
/// `cvt.rn.bf16x2.ue8m0x2 d, a`.
fn to_pair(
    body: &mut Body<'_, '_>,
    to: Float,
    mut form: Form<'_>,
    modifiers: &Modifiers,
    away: bool,
) -> Result<(), Fault> {
    let mode = modifiers.mode();
    let small = form.pick(&SMALL[1..]);
    if small.is_none() {
        form.last_ty(|ty| ty == F32)?;
    }
    form.end()?;
    let exact = match (small, to) {
        (None, _) => true,
        (Some(Small::Ue8m0), Float::Bf16) => !mode.relu && !mode.satfinite,
        (Some(Small::Ue8m0), _) => false,
        (Some(_), to) => to == Float::F16 && !mode.satfinite,
    };
    let rounds = match modifiers.round {
        Some(Round::Nearest) => exact,
        Some(Round::Zero) => small.is_none(),
        _ => false,
    };
    if !rounds || away || mode.ftz || mode.sat {
        return Err(Fault::Form);
    }
    let [low, high] = [body.frame.scratch(Width::W16), body.frame.scratch(Width::W16)];
    let dst = if let Some(from) = small {
        let [d, a] = body.operands()?;
        let src = body.src(a, Type::bits(Width::W16))?;
        if from == Small::E2m1 {
            let four = body.constant(4, Width::W32);
            body.prepare(Op::Mov { width: Width::W16, dst: low, src });
            let op = ShiftOp::RightLogical;
            body.prepare(Op::Shift { op, width: Width::W16, dst: high, a: src, b: four });
        } else {
            body.prepare(Op::Unpack { width: Width::W16, count: 2, parts: [low, high, low, high], src });
        }
        for dst in [low, high] {
            body.prepare(Op::FromSmall { from, mode, dst, src: Src::reg(dst) });
        }
        body.dst(d, Width::W32)?
    } else {
        // The first source goes to the upper half.
        let [d, a, b] = body.operands()?;
        for (dst, src) in [(low, body.src(b, F32)?), (high, body.src(a, F32)?)] {
            body.prepare(Op::ConvertFloat { to, from: Float::F32, integral: false, mode, dst, src });
        }
        body.dst(d, Width::W32)?
    };
    let parts = [low, high, low, high].map(Src::reg);
    body.emit(Op::Pack { width: Width::W32, count: 2, dst, parts });
    Ok(())
}

/// `cvt.pack.sat.u16|s16.s32 d, a, b`; `cvt.pack.sat.u8|s8|u4|s4|u2|s2.s32.b32 d, a, b, c`: `a` and `b`, clamped, side by side in the
/// lowest bits, the lowest bits of `c` above them (PTX ISA 9.0, 9.7.9.22).
fn pack(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("sat") {
        return Err(Fault::Form);
    }
    let (signed, bits) = form.must(&[
        ("u16", (false, 16u32)),
        ("s16", (true, 16)),
        ("u8", (false, 8)),
        ("s8", (true, 8)),
        ("u4", (false, 4)),
        ("s4", (true, 4)),
        ("u2", (false, 2)),
        ("s2", (true, 2)),
    ])?;
    form.must(&[("s32", ())])?;
    let (d, a, b, above) = if bits == 16 {
        form.end()?;
        let [d, a, b] = body.operands()?;
        (d, a, b, None)
    } else {
        form.must(&[("b32", ())])?;
        form.end()?;
        let [d, a, b, c] = body.operands()?;
        (d, a, b, Some(c))
    };
    let (least, most) =
        if signed { (-1i64 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let ty = Int { width: Width::W32, signed: true };
    let dst = body.dst(d, ty.width)?;
    let [least, most, mask, shift] =
        [least, most, (1 << bits) - 1, i64::from(bits)].map(|value| body.constant(value as u64, ty.width));
    let mut sum = match above {
        Some(c) => body.src(c, Type::bits(ty.width))?,
        None => body.constant(0, ty.width),
    };
    for operand in [a, b] {
        let a = body.src(operand, Type { kind: Kind::Signed, width: ty.width })?;
        let (value, total) = (body.frame.scratch(ty.width), body.frame.scratch(ty.width));
        let x = Src::reg(value);
        body.prepare(Op::Int2 { op: IntOp2::Max, ty, dst: value, a, b: least });
        body.prepare(Op::Int2 { op: IntOp2::Min, ty, dst: value, a: x, b: most });
        body.prepare(Op::Int2 { op: IntOp2::And, ty, dst: value, a: x, b: mask });
        body.prepare(Op::Shift { op: ShiftOp::Left, width: ty.width, dst: total, a: sum, b: shift });
        body.prepare(Op::Int2 { op: IntOp2::Or, ty, dst: total, a: Src::reg(total), b: x });
        sum = Src::reg(total);
    }
    body.emit(Op::Mov { width: ty.width, dst, src: sum });
    Ok(())
}
