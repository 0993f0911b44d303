//! Integer arithmetic, logic, shifts and bit fields.

use super::super::body::Body;
use super::super::operand::{Fault, Operand};
use super::super::types::{B32, Kind, Type, U32};
use super::Form;
use crate::code::{
    CarryOp, Compare, CountOp, DotOp, Half, IntOp1, IntOp2, Op, Pred, PredOp, PrmtMode, Reg, ShiftOp, Src,
    Width,
};

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
        "min" => extremum(body, IntOp2::Min, form),
        "max" => extremum(body, IntOp2::Max, form),
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
        "bmsk" => bmsk(body, form),
        "szext" => szext(body, form),
        "fns" => fns(body, form),
        "dp4a" | "dp2a" => dot(body, base, form),
        "cnot" => cnot(body, form.last_ty(bits)?),
        "mad24" => mad24(body, form),
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
    let dst = body.dst(d, ty.width)?;
    let (op, [a, b]) = factors24(body, half, ty, [a, b])?;
    body.emit(Op::Int2 { op, ty: ty.int(), dst, a, b });
    Ok(())
}

/// `mad24.lo|hi`: the same, plus the third source; `.hi.sat.s32` clamps the sum.
fn mad24(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let half = form.must(HALVES)?;
    let sat = half == Half::Hi && form.take("sat");
    let ty = form.last_ty(|ty| number(ty) && ty.width == Width::W32 && (!sat || signed(ty)))?;
    let [d, a, b, c] = body.operands()?;
    let (dst, c) = (body.dst(d, ty.width)?, body.src(c, ty)?);
    let (op, [a, b]) = factors24(body, half, ty, [a, b])?;
    add_product(body, (op, ty), sat, dst, [a, b, c]);
    Ok(())
}

/// A product in a scratch register, and its sum with the third source.
fn add_product(body: &mut Body<'_, '_>, (op, ty): (IntOp2, Type), sat: bool, dst: Reg, [a, b, c]: [Src; 3]) {
    let product = body.frame.scratch(ty.width);
    body.prepare(Op::Int2 { op, ty: ty.int(), dst: product, a, b });
    let a = Src::reg(product);
    body.emit(if sat {
        Op::SatS32 { subtract: false, dst, a, b: c }
    } else {
        Op::Int2 { op: IntOp2::Add, ty: ty.int(), dst, a, b: c }
    });
}

/// The factors of a product of 24-bit numbers, and the operation that gives its lower or upper 32 bits.
fn factors24<'a>(
    body: &mut Body<'_, 'a>,
    half: Half,
    ty: Type,
    [a, b]: [Operand<'a>; 2],
) -> Result<(IntOp2, [Src; 2]), Fault> {
    let eight = body.src(Operand::Int(8), U32)?;
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
    let op = if half == Half::Lo { IntOp2::MulLo } else { IntOp2::MulHi };
    Ok((op, [factor(a)?, factor(b)?]))
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
    if !carry_in && half == Half::Hi && form.take("sat") {
        let ty = form.last_ty(|ty| signed(ty) && ty.width == Width::W32)?;
        let [d, a, b, c] = body.operands()?;
        let (dst, a, b, c) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?, body.src(c, ty)?);
        add_product(body, (IntOp2::MulHi, ty), true, dst, [a, b, c]);
        return Ok(());
    }
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

/// `prmt.b32[.mode]`.
fn prmt(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.must(&[("b32", ())])?;
    let modes = &[
        ("f4e", PrmtMode::Forward4),
        ("b4e", PrmtMode::Backward4),
        ("rc8", PrmtMode::Replicate8),
        ("ecl", PrmtMode::EdgeLeft),
        ("ecr", PrmtMode::EdgeRight),
        ("rc16", PrmtMode::Replicate16),
    ];
    let mode = form.pick(modes).unwrap_or(PrmtMode::Index);
    form.end()?;
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, selector) =
        (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?, body.src(c, B32)?);
    body.emit(Op::Prmt { mode, dst, a, b, selector });
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

/// `lop3.b32 d, a, b, c, table`, the table a literal; `lop3.or|and.b32 d|p, a, b, c, table, [!]q`: `p` is `d != 0`, combined
/// with `q`.
fn lop3(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let combine = form.pick(&[("or", PredOp::Or), ("and", PredOp::And)]);
    form.last_ty(b32)?;
    let ([d, a, b, c, table], second) = match combine {
        None => (body.operands()?, None),
        Some(op) => {
            let ([d, a, b, c, table, q], pred) = body.operands_and_second()?;
            let pred =
                pred.ok_or_else(|| Fault::Operand("the result is a register and a predicate".into()))?;
            ([d, a, b, c, table], Some((op, pred, q)))
        }
    };
    let table = match table {
        Operand::Int(table @ 0..=255) => table as u8,
        _ => return Fault::operand("the table is a number below 256"),
    };
    let (dst, a, b, c) = (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?, body.src(c, B32)?);
    let Some((op, pred, q)) = second else {
        body.emit(Op::Lop3 { table, dst, a, b, c });
        return Ok(());
    };
    let (pred, q, zero) = (body.pred_dst(pred)?, body.pred_src(q)?, body.constant(0, Width::W32));
    let (value, set) = (body.frame.scratch(Width::W32), body.frame.scratch_predicate(2));
    let ty = U32.int();
    body.prepare(Op::Lop3 { table, dst: value, a, b, c });
    body.prepare(Op::CompareInt { cmp: Compare::Ne, ty, dst: set, a: Src::reg(value), b: zero });
    body.prepare(Op::Pred { op, dst: set, a: set, b: q });
    // The guard may be `p`, so `p` is written last.
    body.emit(Op::Mov { width: Width::W32, dst, src: Src::reg(value) });
    body.emit(Op::Pred { op: PredOp::Or, dst: pred, a: set, b: Pred::FALSE });
    Ok(())
}

const LIMITS: &[(&str, bool)] = &[("clamp", true), ("wrap", false)];

/// `bmsk.clamp|wrap.b32 d, position, width`.
fn bmsk(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let clamp = form.must(LIMITS)?;
    form.last_ty(b32)?;
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?);
    body.emit(Op::BitMask { clamp, dst, a, b });
    Ok(())
}

/// `szext.clamp|wrap.u32|s32 d, a, width`.
fn szext(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    let clamp = form.must(LIMITS)?;
    let ty = form.last_ty(|ty| number(ty) && ty.width == Width::W32)?;
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, Width::W32)?, body.src(a, ty)?, body.src(b, U32)?);
    body.emit(Op::Extend { signed: ty.kind == Kind::Signed, clamp, dst, a, b });
    Ok(())
}

/// `fns.b32 d, mask, base, n`.
fn fns(body: &mut Body<'_, '_>, mut form: Form<'_>) -> Result<(), Fault> {
    form.last_ty(b32)?;
    let [d, a, base, n] = body.operands()?;
    let (dst, a) = (body.dst(d, Width::W32)?, body.src(a, B32)?);
    let (base, n) = (body.src(base, B32)?, body.src(n, B32)?);
    body.emit(Op::NthBit { dst, a, base, n });
    Ok(())
}

/// `dp4a.atype.btype d, a, b, c`, `dp2a.lo|hi.atype.btype d, a, b, c`.
fn dot(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let op = match base {
        "dp4a" => DotOp::Four,
        _ => form.must(&[("lo", DotOp::TwoLow), ("hi", DotOp::TwoHigh)])?,
    };
    let types = &[("u32", false), ("s32", true)];
    let (a_signed, b_signed) = (form.must(types)?, form.must(types)?);
    form.end()?;
    let [d, a, b, c] = body.operands()?;
    let (dst, a, b, c) = (body.dst(d, Width::W32)?, body.src(a, B32)?, body.src(b, B32)?, body.src(c, B32)?);
    body.emit(Op::Dot { op, a_signed, b_signed, dst, a, b, c });
    Ok(())
}

/// `cnot`: 1 if the source is 0, else 0.
fn cnot(body: &mut Body<'_, '_>, ty: Type) -> Result<(), Fault> {
    let [d, a] = body.operands()?;
    let (dst, x, width) = (body.dst(d, ty.width)?, body.src(a, ty)?, ty.width);
    let (zero, one, pred) =
        (body.constant(0, width), body.constant(1, width), body.frame.scratch_predicate(0));
    body.prepare(Op::CompareInt { cmp: Compare::Eq, ty: ty.int(), dst: pred, a: x, b: zero });
    body.emit(Op::Select { width, dst, a: one, b: zero, pred });
    Ok(())
}

/// `min`, `max`: plain, and `.relu.s32`, where negative results are 0.
fn extremum(body: &mut Body<'_, '_>, op: IntOp2, mut form: Form<'_>) -> Result<(), Fault> {
    if !form.take("relu") {
        return binary(body, op, form.last_ty(number)?);
    }
    let ty = form.last_ty(|ty| signed(ty) && ty.width == Width::W32)?;
    let [d, a, b] = body.operands()?;
    let (dst, a, b) = (body.dst(d, ty.width)?, body.src(a, ty)?, body.src(b, ty)?);
    let (value, zero) = (body.frame.scratch(ty.width), body.constant(0, ty.width));
    body.prepare(Op::Int2 { op, ty: ty.int(), dst: value, a, b });
    body.emit(Op::Int2 { op: IntOp2::Max, ty: ty.int(), dst, a: Src::reg(value), b: zero });
    Ok(())
}
