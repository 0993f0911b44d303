//! Integer arithmetic, logic, shifts and bit fields.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B32, Kind, Type, U32};
use super::Form;
use crate::code::{CarryOp, CountOp, Half, IntOp1, IntOp2, Op, ShiftOp, Src, Width};

/// `.u16` to `.s64`.
fn number(ty: Type) -> bool {
    matches!(ty.kind, Kind::Unsigned | Kind::Signed) && ty.width >= Width::W16
}

/// `.s16` to `.s64`.
fn signed(ty: Type) -> bool {
    ty.kind == Kind::Signed && ty.width >= Width::W16
}

/// `.b16` to `.b64`.
fn bits(ty: Type) -> bool {
    ty.kind == Kind::Bits && ty.width >= Width::W16
}

/// 32 or 64 bits, signed or unsigned.
fn wide_number(ty: Type) -> bool {
    number(ty) && ty.width >= Width::W32
}

/// `.b32` or `.b64`.
fn wide_bits(ty: Type) -> bool {
    bits(ty) && ty.width >= Width::W32
}

/// All integer instructions, by base opcode.
pub(super) fn arithmetic(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    match base {
        "add" | "sub" => sum(body, base == "sub", form),
        "addc" => carry_sum(body, CarryOp::Add, true, form),
        "subc" => carry_sum(body, CarryOp::Sub, true, form),
        "mul" => mul(body, form),
        "mul24" => mul24(body, form),
        "sad" => sad(body, form.last_ty(number)?),
        "mad" => mad(body, form, false),
        "madc" => mad(body, form, true),
        "div" => binary(body, IntOp2::Div, form.last_ty(number)?),
        "rem" => binary(body, IntOp2::Rem, form.last_ty(number)?),
        "min" => binary(body, IntOp2::Min, form.last_ty(number)?),
        "max" => binary(body, IntOp2::Max, form.last_ty(number)?),
        "and" => binary(body, IntOp2::And, form.last_ty(bits)?),
        "or" => binary(body, IntOp2::Or, form.last_ty(bits)?),
        "xor" => binary(body, IntOp2::Xor, form.last_ty(bits)?),
        "shl" => shift(body, ShiftOp::Left, form.last_ty(bits)?),
        "shr" => {
            let ty = form.last_ty(|ty| number(ty) || bits(ty))?;
            let op = if ty.kind == Kind::Signed { ShiftOp::RightArithmetic } else { ShiftOp::RightLogical };
            shift(body, op, ty)
        }
        "neg" => unary(body, IntOp1::Neg, form.last_ty(signed)?),
        "abs" => unary(body, IntOp1::Abs, form.last_ty(signed)?),
        "not" => unary(body, IntOp1::Not, form.last_ty(bits)?),
        "brev" => unary(body, IntOp1::Brev, form.last_ty(wide_bits)?),
        "popc" => count(body, CountOp::Popc, form.last_ty(wide_bits)?),
        "clz" => count(body, CountOp::Clz, form.last_ty(wide_bits)?),
        "bfind" => {
            let op = if form.take("shiftamt") { CountOp::BfindShift } else { CountOp::Bfind };
            count(body, op, form.last_ty(wide_number)?)
        }
        "bfe" => bfe(body, form),
        "bfi" => bfi(body, form),
        "prmt" => prmt(body, form),
        "shf" => funnel(body, form),
        "lop3" => lop3(body, form),
        _ => Err(Fault::Form),
    }
}

fn unary(body: &mut Body<'_, '_>, op: IntOp1, ty: Type) -> Result<(), Fault> {
    let [d, a] = body.operands()?;
    let (dst, a) = (body.dst(d, ty.width)?, body.src(a, ty)?);
    body.emit(Op::Int1 { op, width: ty.width, dst, a });
    Ok(())
}

fn count(body: &mut Body<'_, '_>, op: CountOp, ty: Type) -> Result<(), Fault> {
    let [d, a] = body.operands()?;
    let (dst, a) = (body.dst(d, Width::W32)?, body.src(a, ty)?);
    body.emit(Op::Count { op, ty: ty.int(), dst, a });
    Ok(())
}

fn binary(body: &mut Body<'_, '_>, op: IntOp2, ty: Type) -> Result<(), Fault> {
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?);
    body.emit(Op::Int2 { op, ty: ty.int(), dst, a, b });
    Ok(())
}

fn shift(body: &mut Body<'_, '_>, op: ShiftOp, ty: Type) -> Result<(), Fault> {
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, U32)?);
    body.emit(Op::Shift { op, width: ty.width, dst, a, b });
    Ok(())
}

/// `add`, `sub`: plain, `.sat.s32`, `.cc`.
fn sum(body: &mut Body<'_, '_>, subtract: bool, mut form: Form<'_>) -> Result<(), Fault> {
    if form.peek() == Some("cc") {
        return carry_sum(body, if subtract { CarryOp::Sub } else { CarryOp::Add }, false, form);
    }
    if !form.take("sat") {
        let op = if subtract { IntOp2::Sub } else { IntOp2::Add };
        return binary(body, op, form.last_ty(number)?);
    }
    let ty = form.last_ty(|ty| signed(ty) && ty.width == Width::W32)?;
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?);
    body.emit(Op::SatS32 { subtract, dst, a, b });
    Ok(())
}

/// `add.cc`, `addc[.cc]` and the same of `sub`.
fn carry_sum(body: &mut Body<'_, '_>, op: CarryOp, carry_in: bool, mut form: Form<'_>) -> Result<(), Fault> {
    let carry_out = form.take("cc");
    let ty = form.last_ty(wide_number)?;
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?);
    body.emit(Op::Carry { op, ty: ty.int(), carry_in, carry_out, dst, a, b, c: a });
    Ok(())
}

const HALVES: &[(&str, Half)] = &[("lo", Half::Lo), ("hi", Half::Hi)];

/// The type of twice the width.
fn doubled(ty: Type) -> Result<Type, Fault> {
    let width = match ty.width {
        Width::W16 => Width::W32,
        Width::W32 => Width::W64,
        _ => return Err(Fault::Form),
    };
    Ok(Type { kind: ty.kind, width })
}

fn mul(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("wide") {
        let op = match form.must(HALVES)? {
            Half::Lo => IntOp2::MulLo,
            Half::Hi => IntOp2::MulHi,
        };
        return binary(body, op, form.last_ty(number)?);
    }
    let ty = form.last_ty(number)?;
    let wide = doubled(ty)?;
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, wide.width)?, body.src(a, ty)?, body.src(b, ty)?);
    body.emit(Op::MulWide { ty: ty.int(), dst, a, b });
    Ok(())
}

/// `mul24.lo|hi`: the lower or upper 32 bits of the 48 of a product of 24-bit numbers.
fn mul24(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let half = form.must(HALVES)?;
    let ty = form.last_ty(|ty| number(ty) && ty.width == Width::W32)?;
    let [d, a, b] = body.operands()?;
    let (dst, eight) = (body.dst(d, ty.width)?, body.src(Operand::Int(8, false), U32)?);
    let mut factor = |operand| {
        let (number, raw) = (body.frame.scratch(Width::W32), body.src(operand, ty)?);
        body.prepare(Op::Shift { op: ShiftOp::Left, width: Width::W32, dst: number, a: raw, b: eight });
        if half == Half::Lo {
            let op = if ty.kind == Kind::Signed { ShiftOp::RightArithmetic } else { ShiftOp::RightLogical };
            body.prepare(Op::Shift { op, width: Width::W32, dst: number, a: Src::reg(number), b: eight });
        }
        Ok::<_, Fault>(Src::reg(number))
    };
    // Both numbers 8 bits up: the product is 16 bits up.
    let (a, b) = (factor(a)?, factor(b)?);
    let op = if half == Half::Lo { IntOp2::MulLo } else { IntOp2::MulHi };
    body.emit(Op::Int2 { op, ty: ty.int(), dst, a, b });
    Ok(())
}

/// `sad`: the difference's magnitude plus the third source.
fn sad(body: &mut Body<'_, '_>, ty: Type) -> Result<(), Fault> {
    let [d, a, b, c] = body.operands()?;
    let (a, b, c) = (body.src(a, ty)?, body.src(b, ty)?, body.src(c, ty)?);
    let dst = body.dst(d, ty.width)?;
    let (larger, smaller) = (body.frame.scratch(ty.width), body.frame.scratch(ty.width));
    let ty = ty.int();
    body.prepare(Op::Int2 { op: IntOp2::Max, ty, dst: larger, a, b });
    body.prepare(Op::Int2 { op: IntOp2::Min, ty, dst: smaller, a, b });
    body.prepare(Op::Int2 { op: IntOp2::Sub, ty, dst: larger, a: Src::reg(larger), b: Src::reg(smaller) });
    body.emit(Op::Int2 { op: IntOp2::Add, ty, dst, a: Src::reg(larger), b: c });
    Ok(())
}

/// `mad.lo|hi[.cc]`, `mad.wide`, `madc.lo|hi[.cc]`.
fn mad(body: &mut Body<'_, '_>, mut form: Form<'_>, carry_in: bool) -> Result<(), Fault> {
    if !carry_in && form.take("wide") {
        let ty = form.last_ty(number)?;
        let wide = doubled(ty)?;
        let [d, a, b, c] = body.operands()?;
        let (dst, a, b, c) =
            (body.dst(d, wide.width)?, body.src(a, ty)?, body.src(b, ty)?, body.src(c, wide)?);
        body.emit(Op::MadWide { ty: ty.int(), dst, a, b, c });
        return Ok(());
    }
    let half = form.must(HALVES)?;
    let carry_out = form.take("cc");
    let carry = carry_in || carry_out;
    let ty = form.last_ty(if carry { wide_number } else { number })?;
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, c) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?, body.src(c, ty)?);
    let op = match half {
        Half::Lo => CarryOp::MadLo,
        Half::Hi => CarryOp::MadHi,
    };
    let ty = ty.int();
    body.emit(if carry {
        Op::Carry { op, ty, carry_in, carry_out, dst, a, b, c }
    } else {
        Op::Mad { half, ty, dst, a, b, c }
    });
    Ok(())
}

fn bfe(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let ty = form.last_ty(wide_number)?;
    let [d, a, pos, len] = body.operands()?;
    let (dst, a, pos, len) =
        (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(pos, U32)?, body.src(len, U32)?);
    body.emit(Op::Bfe { ty: ty.int(), dst, a, pos, len });
    Ok(())
}

fn bfi(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let ty = form.last_ty(wide_bits)?;
    let [d, a, b, pos, len] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?);
    let (pos, len) = (body.src(pos, U32)?, body.src(len, U32)?);
    body.emit(Op::Bfi { width: ty.width, dst, a, b, pos, len });
    Ok(())
}

fn b32(ty: Type) -> bool {
    ty == B32
}

/// `prmt.b32` without a mode.
fn prmt(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.last_ty(b32)?;
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, selector) =
        (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?, body.src(c, B32)?);
    body.emit(Op::Prmt { dst, a, b, selector });
    Ok(())
}

fn funnel(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let left = form.must(&[("l", true), ("r", false)])?;
    let clamp = form.must(&[("clamp", true), ("wrap", false)])?;
    form.last_ty(b32)?;
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, amount) =
        (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?, body.src(c, U32)?);
    body.emit(Op::Funnel { left, clamp, dst, a, b, amount });
    Ok(())
}

/// `lop3.b32 d, a, b, c, table`, the table a literal.
fn lop3(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.last_ty(b32)?;
    let [d, a, b, c, table] = body.operands()?;
    let table = match table {
        Operand::Int(table @ 0..=255, false) => table as u8,
        _ => return Fault::operand("the table is a number below 256"),
    };
    let (dst, a, b, c) = (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?, body.src(c, B32)?);
    body.emit(Op::Lop3 { table, dst, a, b, c });
    Ok(())
}
