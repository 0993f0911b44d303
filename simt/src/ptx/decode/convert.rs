//! `cvt`.

use super::super::body::Body;
use super::super::operand::Fault;
use super::super::types::{Kind, Type};
use super::Form;
use super::float::ROUNDINGS;
use crate::code::{Float, FloatMode, Op, Round};

/// `.rni` and the like: to an integral value.
const INTEGRAL: &[(&str, Round)] =
    &[("rni", Round::Nearest), ("rzi", Round::Zero), ("rmi", Round::Down), ("rpi", Round::Up)];

/// Modifiers of a conversion.
struct Modifiers {
    round: Option<Round>,
    integral: Option<Round>,
    ftz: bool,
    sat: bool,
}

impl Modifiers {
    fn mode(&self) -> FloatMode {
        let round = self.round.or(self.integral).unwrap_or(Round::Nearest);
        FloatMode { round, ftz: self.ftz, sat: self.sat }
    }
}

/// `cvt[.rnd][.ftz][.sat].to.from d, a`.
pub(super) fn cvt(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let integral = form.pick(INTEGRAL);
    let round = if integral.is_none() { form.pick(ROUNDINGS) } else { None };
    let modifiers = Modifiers { round, integral, ftz: form.take("ftz"), sat: form.take("sat") };
    let to = form.ty()?;
    let from = form.last_ty(|from| from.kind != Kind::Bits && to.kind != Kind::Bits)?;
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
    // Narrowing must say how to round; the same width may round to an integral value; widening is exact.
    let exists = match to_ty.width.cmp(&from_ty.width) {
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
