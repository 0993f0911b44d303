//! `cvt`: conversions between numbers (PTX ISA 9.0, 9.7.9.21 and 6.5.1; rounding 6.5.2).

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]
#![allow(clippy::useless_conversion, reason = "one body serves all widths")]

use super::lanes::{Lanes, by_width, lanes_of, map1};
use super::moves::extend;
use super::soft;
use crate::code::{Float, FloatMode, Int, LANES, Op, Reg, Round, Src, Width};

const U16: Int = Int { width: Width::W16, signed: false };
const U32: Int = Int { width: Width::W32, signed: false };
const S32: Int = Int { width: Width::W32, signed: true };
const U64: Int = Int { width: Width::W64, signed: false };
const S64: Int = Int { width: Width::W64, signed: true };

/// Executes an operation of this file; `false` if it is not one.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to.
#[inline(always)]
pub unsafe fn execute(l: &Lanes, op: &Op) -> bool {
    // SAFETY: the operands belong to the frame's function and have the widths that the operation says.
    unsafe {
        match *op {
            Op::ConvertInt { to, from, to_register, from_register, sat, dst, src } => {
                convert_int(l, to, from, (to_register, from_register), sat, dst, src);
            }
            Op::FloatToInt { to, from, to_register, mode, dst, src } => {
                float_to_int(l, to, from, to_register, mode, dst, src);
            }
            Op::IntToFloat { to, from, from_register, mode, dst, src } => {
                int_to_float(l, to, from, from_register, mode, dst, src);
            }
            Op::ConvertFloat { to, from, integral, mode, dst, src } => {
                convert_float(l, to, from, integral, mode, dst, src);
            }
            _ => return false,
        }
    }
    true
}

/// The lanes of a source, zero-extended.
#[inline(always)]
unsafe fn widen(l: &Lanes, width: Width, src: Src) -> [u64; LANES] {
    // SAFETY: the caller's operand has lanes of `width`.
    unsafe {
        by_width!(width, T, {
            let a = l.get::<T>(src);
            let mut r = [0u64; LANES];
            for i in 0..LANES {
                r[i] = u64::from(a[i]);
            }
            r
        })
    }
}

/// Writes the low bits of each value.
#[inline(always)]
unsafe fn narrow(l: &Lanes, width: Width, dst: Reg, value: [u64; LANES]) {
    // SAFETY: the caller's register has lanes of `width`.
    unsafe {
        by_width!(width, T, {
            let mut r = [0; LANES];
            for i in 0..LANES {
                r[i] = value[i] as T;
            }
            l.put::<T>(dst, r);
        });
    }
}

/// The range of an integer type.
const fn range(ty: Int) -> (i128, i128) {
    let bits = ty.width.bits();
    if ty.signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The number that bits of a type stand for.
const fn number(bits: u64, ty: Int) -> i128 {
    if ty.signed { bits as i64 as i128 } else { bits as i128 }
}

/// Integer to integer (PTX ISA 9.0, 9.7.9.21): `.sat` clamps, otherwise the low bits are kept (6.5.1, "chop").
#[inline(always)]
unsafe fn convert_int(
    l: &Lanes,
    to: Int,
    from: Int,
    (to_register, from_register): (Width, Width),
    sat: bool,
    dst: Reg,
    src: Src,
) {
    // SAFETY: see `execute`.
    unsafe {
        match (to_register, from_register, to, from, sat) {
            (Width::W64, Width::W32, U64 | S64, U32, false) => {
                map1!(l, dst, src, u32 => u64, |x| u64::from(x))
            }
            (Width::W64, Width::W32, U64 | S64, S32, false) => {
                map1!(l, dst, src, i32 => i64, |x| i64::from(x))
            }
            (Width::W32, Width::W64, U32 | S32, U64 | S64, false) => {
                map1!(l, dst, src, u64 => u32, |x| x as u32)
            }
            (Width::W32, Width::W16, U32 | S32, U16, false) => {
                map1!(l, dst, src, u16 => u32, |x| u32::from(x))
            }
            (Width::W16, Width::W32, U16, U32 | S32, false) => map1!(l, dst, src, u32 => u16, |x| x as u16),
            _ => {
                let mut r = widen(l, from_register, src);
                if sat {
                    let (low, high) = range(to);
                    for i in 0..LANES {
                        r[i] = number(extend(r[i], from), from).clamp(low, high) as u64;
                    }
                } else {
                    for i in 0..LANES {
                        r[i] = extend(extend(r[i], from), to);
                    }
                }
                narrow(l, to_register, dst, r);
            }
        }
    }
}

/// Rounds to an integral value.
#[inline(always)]
fn integral_f64(x: f64, round: Round) -> f64 {
    match round {
        Round::Nearest => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

/// Float to integer. Values beyond the range are clamped; NaN is 0 if the source has fewer than 64 bits and the
/// result no more than 32, else the value with only the highest bit set (PTX ISA 9.0, 9.7.9.21).
#[inline(always)]
unsafe fn float_to_int(
    l: &Lanes,
    to: Int,
    from: Float,
    to_register: Width,
    mode: FloatMode,
    dst: Reg,
    src: Src,
) {
    // SAFETY: see `execute`.
    unsafe {
        match (from, to, to_register, mode) {
            (Float::F32, S32, Width::W32, FloatMode { round: Round::Zero, ftz: false, .. }) => {
                return map1!(l, dst, src, f32 => i32, |x| x as i32);
            }
            (Float::F64, S32, Width::W32, FloatMode { round: Round::Zero, .. }) => {
                return map1!(l, dst, src, f64 => i32, |x| if x.is_nan() { i32::MIN } else { x as i32 });
            }
            _ => {}
        }
        let mut r = widen(l, from.width(), src);
        let (low, high) = range(to);
        let nan =
            if from == Float::F64 || to.width == Width::W64 { 1u64 << (to.width.bits() - 1) } else { 0 };
        for i in lanes_of(l.mask) {
            let x = if mode.ftz { soft::flush(from, r[i]) } else { r[i] };
            let x = f64::from_bits(soft::convert(Float::F64, from, x, Round::Nearest));
            let value = integral_f64(x, mode.round);
            r[i] = extend(if x.is_nan() { nan } else { (value as i128).clamp(low, high) as u64 }, to);
        }
        narrow(l, to_register, dst, r);
    }
}

/// Integer to float (PTX ISA 9.0, 9.7.9.21).
#[inline(always)]
unsafe fn int_to_float(
    l: &Lanes,
    to: Float,
    from: Int,
    from_register: Width,
    mode: FloatMode,
    dst: Reg,
    src: Src,
) {
    // SAFETY: see `execute`.
    unsafe {
        match (to, from, from_register, mode) {
            (Float::F64, S32, Width::W32, _) => return map1!(l, dst, src, i32 => f64, |x| f64::from(x)),
            (Float::F64, U32, Width::W32, _) => return map1!(l, dst, src, u32 => f64, |x| f64::from(x)),
            (Float::F32, S32, Width::W32, FloatMode::DEFAULT) => {
                return map1!(l, dst, src, i32 => f32, |x| x as f32);
            }
            (Float::F32, U32, Width::W32, FloatMode::DEFAULT) => {
                return map1!(l, dst, src, u32 => f32, |x| x as f32);
            }
            (Float::F64, S64, Width::W64, FloatMode::DEFAULT) => {
                return map1!(l, dst, src, i64 => f64, |x| x as f64);
            }
            (Float::F64, U64, Width::W64, FloatMode::DEFAULT) => {
                return map1!(l, dst, src, u64 => f64, |x| x as f64);
            }
            _ => {}
        }
        let mut r = widen(l, from_register, src);
        for i in lanes_of(l.mask) {
            let value = soft::from_integer(to, number(extend(r[i], from), from), mode.round);
            r[i] = if mode.sat { soft::saturate(to, value) } else { value };
        }
        narrow(l, to.width(), dst, r);
    }
}

/// Float to float (PTX ISA 9.0, 9.7.9.21).
#[inline(always)]
unsafe fn convert_float(
    l: &Lanes,
    to: Float,
    from: Float,
    integral: bool,
    mode: FloatMode,
    dst: Reg,
    src: Src,
) {
    let nearest = mode == FloatMode::DEFAULT;
    // SAFETY: see `execute`.
    unsafe {
        match (to, from, integral) {
            (Float::F64, Float::F32, false) if nearest => {
                return map1!(l, dst, src, f32 => f64, |x| f64::from(x));
            }
            (Float::F32, Float::F64, false) if nearest => {
                return map1!(l, dst, src, f64 => f32, |x| super::float::canonical(x as f32));
            }
            (Float::F32, Float::F16, false) if nearest => {
                return map1!(l, dst, src, u16 => f32, |x| soft::f16_to_f32(x));
            }
            (Float::F32, Float::Bf16, false) if nearest => {
                return map1!(l, dst, src, u16 => f32, |x| soft::bf16_to_f32(x));
            }
            (Float::F64, Float::F64, true) if !mode.sat && mode.round == Round::Down => {
                return map1!(l, dst, src, f64 => f64, |x| x.floor());
            }
            _ => {}
        }
        let mut r = widen(l, from.width(), src);
        for i in lanes_of(l.mask) {
            let mut x = if mode.ftz { soft::flush(from, r[i]) } else { r[i] };
            let mut round = mode.round;
            if integral {
                let wide = f64::from_bits(soft::convert(Float::F64, from, x, Round::Nearest));
                x = soft::convert(from, Float::F64, integral_f64(wide, round).to_bits(), Round::Nearest);
                round = Round::Nearest;
            }
            x = soft::convert(to, from, x, round);
            x = if mode.ftz { soft::flush(to, x) } else { x };
            x = if mode.satfinite { soft::finite(to, x) } else { x };
            x = if mode.relu { soft::rectify(to, x) } else { x };
            r[i] = if mode.sat { soft::saturate(to, x) } else { x };
        }
        narrow(l, to.width(), dst, r);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    const S8: Int = Int { width: Width::W8, signed: true };
    const U8: Int = Int { width: Width::W8, signed: false };
    const S16: Int = Int { width: Width::W16, signed: true };

    fn register(ty: Int) -> Width {
        ty.width.max(Width::W16)
    }

    fn ints(to: Int, from: Int, sat: bool, a: u64) -> u64 {
        Bench::new().binary(register(to), register(from), register(from), a, 0, |dst, src, _| {
            Op::ConvertInt {
                to,
                from,
                to_register: register(to),
                from_register: register(from),
                sat,
                dst,
                src,
            }
        })
    }

    fn to_int(to: Int, from: Float, round: Round, a: u64) -> u64 {
        let mode = FloatMode { round, ..FloatMode::DEFAULT };
        Bench::new().binary(register(to), from.width(), from.width(), a, 0, |dst, src, _| Op::FloatToInt {
            to,
            from,
            to_register: register(to),
            mode,
            dst,
            src,
        })
    }

    #[test]
    fn integers_wrap_clamp_and_extend() {
        assert_eq!(ints(S64, S32, false, 0xffff_ffff), u64::MAX);
        assert_eq!(ints(U64, U32, false, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(ints(S16, S8, false, 0x1280), 0xff80);
        assert_eq!(ints(S8, S32, false, 0x180), 0xff80);
        assert_eq!(ints(U8, S32, true, 0xffff_ffff), 0);
        assert_eq!(ints(S8, S32, true, 1000), 127);
        assert_eq!(ints(S32, U64, true, u64::MAX), 0x7fff_ffff);
        assert_eq!(ints(U32, S64, true, (-5i64) as u64), 0);
        assert_eq!(ints(U32, U64, false, 0x1_0000_0002), 2);
    }

    #[test]
    fn floats_become_integers_clamped() {
        let f = |x: f64| x.to_bits();
        let g = |x: f32| u64::from(x.to_bits());
        assert_eq!(to_int(S32, Float::F64, Round::Zero, f(-1.9)), 0xffff_ffff);
        assert_eq!(to_int(S32, Float::F64, Round::Down, f(-1.1)), 0xffff_fffe);
        assert_eq!(to_int(S32, Float::F64, Round::Nearest, f(2.5)), 2);
        assert_eq!(to_int(S32, Float::F64, Round::Zero, f(1e20)), 0x7fff_ffff);
        assert_eq!(to_int(U32, Float::F32, Round::Zero, g(-3.0)), 0);
        assert_eq!(to_int(U64, Float::F32, Round::Zero, g(1e30)), u64::MAX);
        assert_eq!(to_int(S8, Float::F32, Round::Zero, g(-1000.0)), 0xff80);
        assert_eq!(to_int(S64, Float::F64, Round::Zero, f(-9e18)), (-9_000_000_000_000_000_000i64) as u64);
    }

    #[test]
    fn nan_becomes_what_the_manual_says() {
        let nan = 0x7fff_ffff;
        assert_eq!(to_int(S32, Float::F32, Round::Zero, nan), 0);
        assert_eq!(to_int(S64, Float::F32, Round::Zero, nan), 1 << 63);
        assert_eq!(to_int(S32, Float::F64, Round::Zero, f64::NAN.to_bits()), 1 << 31);
        assert_eq!(to_int(U32, Float::F64, Round::Zero, f64::NAN.to_bits()), 1 << 31);
    }

    #[test]
    fn integers_become_floats() {
        let to = |to: Float, from: Int, round, a| {
            let mode = FloatMode { round, ..FloatMode::DEFAULT };
            Bench::new().binary(to.width(), register(from), register(from), a, 0, |dst, src, _| {
                Op::IntToFloat { to, from, from_register: register(from), mode, dst, src }
            })
        };
        assert_eq!(to(Float::F64, S32, Round::Nearest, 0xffff_ffff), (-1f64).to_bits());
        assert_eq!(to(Float::F32, U32, Round::Zero, 0xffff_ffff), u64::from(4_294_967_040f32.to_bits()));
        assert_eq!(to(Float::F32, U32, Round::Nearest, 0xffff_ffff), u64::from(4_294_967_296f32.to_bits()));
        assert_eq!(to(Float::F64, U64, Round::Nearest, u64::MAX), (u64::MAX as f64).to_bits());
        assert_eq!(to(Float::F16, S32, Round::Nearest, 3), 0x4200);
        assert_eq!(to(Float::F32, U8, Round::Nearest, 0x1ff), u64::from(255f32.to_bits()));
    }

    #[test]
    fn floats_change_format_and_become_integral() {
        let to = |to: Float, from: Float, integral, round, a| {
            let mode = FloatMode { round, ..FloatMode::DEFAULT };
            Bench::new().binary(to.width(), from.width(), from.width(), a, 0, |dst, src, _| {
                Op::ConvertFloat { to, from, integral, mode, dst, src }
            })
        };
        assert_eq!(
            to(Float::F32, Float::F64, false, Round::Nearest, 0.1f64.to_bits()),
            u64::from(0.1f32.to_bits())
        );
        let down = to(Float::F32, Float::F64, false, Round::Down, 0.1f64.to_bits());
        assert_eq!(down, u64::from(0.1f32.next_down().to_bits()));
        assert_eq!(to(Float::F64, Float::F16, false, Round::Nearest, 0x3c00), 1f64.to_bits());
        assert_eq!(to(Float::F64, Float::F64, true, Round::Down, (-0.5f64).to_bits()), (-1f64).to_bits());
        assert_eq!(
            to(Float::F32, Float::F32, true, Round::Nearest, 2.5f32.to_bits().into()),
            u64::from(2f32.to_bits())
        );
        assert_eq!(to(Float::F32, Float::F32, true, Round::Zero, (-0.5f32).to_bits().into()), 1 << 31);
    }
}
