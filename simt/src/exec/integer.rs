//! Integer arithmetic (PTX ISA 9.0, 9.7.1.1 to 9.7.1.13, with carries 9.7.2), logic (9.7.8.1 to 9.7.8.4) and comparisons (9.7.6.2).

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]

use super::lanes::{Lanes, by_int, by_signed_width, by_width, compare, map1, map2, map3};
use crate::code::{CarryOp, Compare, Half, Int, IntOp1, IntOp2, LANES, Op, Pred, Reg, Src, Width};

/// Executes an operation of this file; `false` if it is not one.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to.
#[inline(always)]
pub unsafe fn execute(l: &Lanes, op: &Op) -> bool {
    // SAFETY: the operands belong to the frame's function and their widths are those that the decoder gave the
    // operation, which is the contract of `Op`.
    unsafe {
        match *op {
            Op::Int1 { op, width, dst, a } => int1(l, op, width, dst, a),
            Op::Int2 { op, ty, dst, a, b } => int2(l, op, ty, dst, a, b),
            Op::SatS32 { subtract: false, dst, a, b } => {
                map2!(l, dst, a, b, (i32, i32) => i32, |x, y| x.saturating_add(y));
            }
            Op::SatS32 { subtract: true, dst, a, b } => {
                map2!(l, dst, a, b, (i32, i32) => i32, |x, y| x.saturating_sub(y));
            }
            Op::MulWide { ty, dst, a, b } => mul_wide(l, ty, dst, a, b),
            Op::Mad { half, ty, dst, a, b, c } => mad(l, half, ty, dst, a, b, c),
            Op::MadWide { ty, dst, a, b, c } => mad_wide(l, ty, dst, a, b, c),
            Op::Carry { op, ty, carry_in, carry_out, dst, a, b, c } => match ty.width {
                Width::W64 => carry64(l, op, ty.signed, carry_in, carry_out, dst, a, b, c),
                _ => carry32(l, op, ty.signed, carry_in, carry_out, dst, a, b, c),
            },
            Op::CompareInt { cmp, ty, dst, a, b } => compare_int(l, cmp, ty, dst, a, b),
            _ => return false,
        }
    }
    true
}

/// `neg`, `abs`, `not`, `brev` (PTX ISA 9.0, 9.7.1.11, 9.7.1.10, 9.7.8.4, 9.7.1.18).
#[inline(always)]
unsafe fn int1(l: &Lanes, op: IntOp1, width: Width, dst: Reg, a: Src) {
    // SAFETY: see `execute`.
    unsafe {
        by_width!(
            width,
            T,
            match op {
                IntOp1::Neg => map1!(l, dst, a, T => T, |x| x.wrapping_neg()),
                IntOp1::Abs => by_signed_width!(width, S, map1!(l, dst, a, S => S, |x| x.wrapping_abs())),
                IntOp1::Not => map1!(l, dst, a, T => T, |x| !x),
                IntOp1::Brev => map1!(l, dst, a, T => T, |x| x.reverse_bits()),
            }
        );
    }
}

/// Integer arithmetic with two operands. Division by zero gives all ones and leaves the dividend as remainder.
#[inline(always)]
unsafe fn int2(l: &Lanes, op: IntOp2, ty: Int, dst: Reg, a: Src, b: Src) {
    macro_rules! unsigned {
        (|$x:ident, $y:ident| $e:expr) => {
            by_width!(ty.width, T, map2!(l, dst, a, b, (T, T) => T, |$x, $y| $e))
        };
    }
    macro_rules! typed {
        (|$x:ident, $y:ident| $e:expr) => {
            by_int!(ty, T, map2!(l, dst, a, b, (T, T) => T, |$x, $y| $e))
        };
    }
    macro_rules! high {
        ($T:ty, $W:ty) => {
            map2!(l, dst, a, b, ($T, $T) => $T, |x, y| {
                ((<$W>::from(x) * <$W>::from(y)) >> <$T>::BITS) as $T
            })
        };
    }
    // SAFETY: see `execute`.
    unsafe {
        match op {
            IntOp2::Add => unsigned!(|x, y| x.wrapping_add(y)),
            IntOp2::Sub => unsigned!(|x, y| x.wrapping_sub(y)),
            IntOp2::MulLo => unsigned!(|x, y| x.wrapping_mul(y)),
            IntOp2::And => unsigned!(|x, y| x & y),
            IntOp2::Or => unsigned!(|x, y| x | y),
            IntOp2::Xor => unsigned!(|x, y| x ^ y),
            IntOp2::Min => typed!(|x, y| x.min(y)),
            IntOp2::Max => typed!(|x, y| x.max(y)),
            IntOp2::Div => typed!(|x, y| if y == 0 { !0 } else { x.wrapping_div(y) }),
            IntOp2::Rem => typed!(|x, y| if y == 0 { x } else { x.wrapping_rem(y) }),
            IntOp2::MulHi => match (ty.signed, ty.width) {
                (false, Width::W8 | Width::W16) => high!(u16, u32),
                (false, Width::W32) => high!(u32, u64),
                (false, Width::W64) => high!(u64, u128),
                (true, Width::W8 | Width::W16) => high!(i16, i32),
                (true, Width::W32) => high!(i32, i64),
                (true, Width::W64) => high!(i64, i128),
            },
        }
    }
}

/// `mul.wide` (PTX ISA 9.0, 9.7.1.3).
#[inline(always)]
unsafe fn mul_wide(l: &Lanes, ty: Int, dst: Reg, a: Src, b: Src) {
    // SAFETY: see `execute`.
    unsafe {
        match (ty.signed, ty.width) {
            (false, Width::W32) => map2!(l, dst, a, b, (u32, u32) => u64, |x, y| u64::from(x) * u64::from(y)),
            (true, Width::W32) => map2!(l, dst, a, b, (i32, i32) => i64, |x, y| i64::from(x) * i64::from(y)),
            (false, _) => map2!(l, dst, a, b, (u16, u16) => u32, |x, y| u32::from(x) * u32::from(y)),
            (true, _) => map2!(l, dst, a, b, (i16, i16) => i32, |x, y| i32::from(x) * i32::from(y)),
        }
    }
}

/// `mad.lo`, `mad.hi` (PTX ISA 9.0, 9.7.1.4).
#[inline(always)]
unsafe fn mad(l: &Lanes, half: Half, ty: Int, dst: Reg, a: Src, b: Src, c: Src) {
    macro_rules! high {
        ($T:ty, $W:ty) => {
            map3!(l, dst, a, b, c, ($T, $T, $T) => $T, |x, y, z| {
                (((<$W>::from(x) * <$W>::from(y)) >> <$T>::BITS) as $T).wrapping_add(z)
            })
        };
    }
    // SAFETY: see `execute`.
    unsafe {
        match (half, ty.signed, ty.width) {
            (Half::Lo, ..) => by_width!(
                ty.width,
                T,
                map3!(l, dst, a, b, c, (T, T, T) => T, |x, y, z| {
                    x.wrapping_mul(y).wrapping_add(z)
                })
            ),
            (Half::Hi, false, Width::W8 | Width::W16) => high!(u16, u32),
            (Half::Hi, false, Width::W32) => high!(u32, u64),
            (Half::Hi, false, Width::W64) => high!(u64, u128),
            (Half::Hi, true, Width::W8 | Width::W16) => high!(i16, i32),
            (Half::Hi, true, Width::W32) => high!(i32, i64),
            (Half::Hi, true, Width::W64) => high!(i64, i128),
        }
    }
}

/// `mad.wide` (PTX ISA 9.0, 9.7.1.4).
#[inline(always)]
unsafe fn mad_wide(l: &Lanes, ty: Int, dst: Reg, a: Src, b: Src, c: Src) {
    macro_rules! wide {
        ($T:ty, $W:ty) => {
            map3!(l, dst, a, b, c, ($T, $T, $W) => $W, |x, y, z| {
                (<$W>::from(x) * <$W>::from(y)).wrapping_add(z)
            })
        };
    }
    // SAFETY: see `execute`.
    unsafe {
        match (ty.signed, ty.width) {
            (false, Width::W32) => wide!(u32, u64),
            (true, Width::W32) => wide!(i32, i64),
            (false, _) => wide!(u16, u32),
            (true, _) => wide!(i16, i32),
        }
    }
}

/// `add.cc` to `madc` (PTX ISA 9.0, 9.7.2.1 to 9.7.2.6).
macro_rules! carry {
    ($name:ident, $T:ty, $S:ty, $W:ty, $SW:ty) => {
        #[allow(clippy::too_many_arguments, reason = "the fields of one operation")]
        #[inline(always)]
        unsafe fn $name(
            l: &Lanes,
            op: CarryOp,
            signed: bool,
            carry_in: bool,
            carry_out: bool,
            dst: Reg,
            a: Src,
            b: Src,
            c: Src,
        ) {
            // SAFETY: see `execute`; the flag belongs to the frame.
            unsafe {
                let (x, y, z) = (l.get::<$T>(a), l.get::<$T>(b), l.get::<$T>(c));
                // What a subtraction leaves is the carry of the sum that a GPU makes of it: 1 if it borrowed nothing.
                let flags = match (carry_in, op) {
                    (true, _) => *l.carry,
                    (false, CarryOp::Sub) => u32::MAX,
                    (false, _) => 0,
                };
                let mut r: [$T; LANES] = [0; LANES];
                let mut out = 0u32;
                for i in 0..LANES {
                    let add = |x: $T, y: $T| <$W>::from(x) + <$W>::from(y) + <$W>::from(flags >> i & 1);
                    let wide: $W = match op {
                        CarryOp::Add => add(x[i], y[i]),
                        CarryOp::Sub => add(x[i], !y[i]),
                        CarryOp::MadLo => add(x[i].wrapping_mul(y[i]), z[i]),
                        CarryOp::MadHi if signed => {
                            let product = <$SW>::from(x[i] as $S) * <$SW>::from(y[i] as $S);
                            add((product >> <$T>::BITS) as $T, z[i])
                        }
                        CarryOp::MadHi => {
                            add(((<$W>::from(x[i]) * <$W>::from(y[i])) >> <$T>::BITS) as $T, z[i])
                        }
                    };
                    r[i] = wide as $T;
                    out |= ((wide >> <$T>::BITS) as u32 & 1) << i;
                }
                l.put(dst, r);
                if carry_out {
                    *l.carry = *l.carry & !l.mask | out & l.mask;
                }
            }
        }
    };
}
carry!(carry32, u32, i32, u64, i64);
carry!(carry64, u64, i64, u128, i128);

/// `setp` of integers (PTX ISA 9.0, 9.7.6.2; the comparisons are those of 9.3.1.1).
#[inline(always)]
unsafe fn compare_int(l: &Lanes, cmp: Compare, ty: Int, dst: Pred, a: Src, b: Src) {
    macro_rules! typed {
        (|$x:ident, $y:ident| $e:expr) => {
            by_int!(ty, T, compare!(l, a, b, T, |$x, $y| $e))
        };
    }
    // SAFETY: see `execute`.
    unsafe {
        let r = match cmp {
            Compare::Eq | Compare::Equ => by_width!(ty.width, T, compare!(l, a, b, T, |x, y| x == y)),
            Compare::Ne | Compare::Neu => by_width!(ty.width, T, compare!(l, a, b, T, |x, y| x != y)),
            Compare::Lt | Compare::Ltu => typed!(|x, y| x < y),
            Compare::Le | Compare::Leu => typed!(|x, y| x <= y),
            Compare::Gt | Compare::Gtu => typed!(|x, y| x > y),
            Compare::Ge | Compare::Geu => typed!(|x, y| x >= y),
            // Integers are always numbers.
            Compare::Num => u32::MAX,
            Compare::Nan => 0,
        };
        l.put_predicate(dst, r);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    const U32: Int = Int { width: Width::W32, signed: false };
    const S32: Int = Int { width: Width::W32, signed: true };
    const U64: Int = Int { width: Width::W64, signed: false };
    const S64: Int = Int { width: Width::W64, signed: true };
    const S16: Int = Int { width: Width::W16, signed: true };

    fn int(op: IntOp2, ty: Int, a: u64, b: u64) -> u64 {
        Bench::new().binary(ty.width, ty.width, ty.width, a, b, |dst, a, b| Op::Int2 { op, ty, dst, a, b })
    }

    #[test]
    fn arithmetic_wraps_and_division_by_zero_has_a_value() {
        assert_eq!(int(IntOp2::Add, U32, 0xffff_ffff, 2), 1);
        assert_eq!(int(IntOp2::Sub, S16, 0x8000, 1), 0x7fff);
        assert_eq!(int(IntOp2::MulHi, U64, u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!(int(IntOp2::MulHi, S32, u64::from(u32::MAX), 5), 0xffff_ffff);
        assert_eq!(int(IntOp2::MulHi, S16, 0xffff, 5), 0xffff);
        assert_eq!(int(IntOp2::Div, S32, 0x8000_0000, 0xffff_ffff), 0x8000_0000);
        assert_eq!(int(IntOp2::Rem, S32, 0x8000_0000, 0xffff_ffff), 0);
        assert_eq!(int(IntOp2::Div, U32, 7, 0), 0xffff_ffff);
        assert_eq!(int(IntOp2::Rem, U32, 7, 0), 7);
        assert_eq!(int(IntOp2::Rem, S64, -7i64 as u64, 3), -1i64 as u64);
        assert_eq!(int(IntOp2::Min, S32, 0xffff_ffff, 1), 0xffff_ffff);
        assert_eq!(int(IntOp2::Max, U32, 0xffff_ffff, 1), 0xffff_ffff);
    }

    #[test]
    fn carries_chain() {
        let mut bench = Bench::new();
        let (lo, hi) = (bench.register(Width::W32), bench.register(Width::W32));
        let max = bench.constant(Width::W32, 0xffff_ffff);
        let one = bench.constant(Width::W32, 1);
        let five = bench.constant(Width::W32, 5);
        let step = |op, carry_in, dst, a, b| Op::Carry {
            op,
            ty: U32,
            carry_in,
            carry_out: true,
            dst,
            a,
            b,
            c: five,
        };
        bench.run(&step(CarryOp::Add, false, lo, max, one));
        bench.run(&step(CarryOp::Add, true, hi, five, five));
        assert_eq!((bench.value(Width::W32, lo), bench.value(Width::W32, hi)), (0, 11));
        bench.run(&step(CarryOp::Sub, false, lo, one, five));
        bench.run(&step(CarryOp::Sub, true, hi, five, one));
        assert_eq!((bench.value(Width::W32, lo), bench.value(Width::W32, hi)), (0xffff_fffc, 3));
        // 5 - 1 borrows nothing, 1 - 5 does.
        for (a, b, sum) in [(five, one, 7), (one, five, 6)] {
            bench.run(&step(CarryOp::Sub, false, lo, a, b));
            bench.run(&step(CarryOp::Add, true, hi, five, one));
            assert_eq!(bench.value(Width::W32, hi), sum);
        }
        bench.run(&step(CarryOp::MadHi, false, lo, max, max));
        assert_eq!(bench.value(Width::W32, lo), 3);
        bench.run(&step(CarryOp::MadLo, true, lo, five, five));
        assert_eq!(bench.value(Width::W32, lo), 31);
    }

    #[test]
    fn only_the_lanes_of_the_mask_are_written() {
        let mut bench = Bench::new();
        let dst = bench.register(Width::W32);
        let one = bench.constant(Width::W32, 1);
        let two = bench.constant(Width::W32, 2);
        bench.run(&Op::Mov { width: Width::W32, dst, src: one });
        bench.mask = 0x8000_0001;
        bench.run(&Op::Int2 { op: IntOp2::Add, ty: U32, dst, a: two, b: two });
        let lanes: [u32; LANES] = bench.lanes(dst);
        assert_eq!(lanes.iter().filter(|&&x| x == 4).count(), 2);
        assert_eq!((lanes[0], lanes[1], lanes[31]), (4, 1, 4));
    }
}
