//! Integer, logic, bit and predicate operations, and moves between registers.

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]

use super::lanes::{Lanes, by_int, by_signed_width, by_width, compare, map1, map2, map3};
use crate::code::{
    CarryOp, Compare, CountOp, Half, Int, IntOp1, IntOp2, LANES, Op, PredOp, Reg, ShiftOp, Src, Width,
};

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
            Op::Mov { width, dst, src } => by_width!(width, T, map1!(l, dst, src, T => T, |x| x)),
            Op::Pack { width, count, dst, parts } => pack(l, width, count, dst, parts),
            Op::Unpack { width, count, parts, src } => unpack(l, width, count, parts, src),
            Op::Extract { element, register, byte, dst, word } => {
                extract(l, element, register, byte, dst, word)
            }
            Op::Insert { element, register, byte, word, src } => {
                insert(l, element, register, byte, word, src)
            }
            Op::Int1 { op, width, dst, a } => int1(l, op, width, dst, a),
            Op::Count { op, ty, dst, a } => count(l, op, ty, dst, a),
            Op::Int2 { op, ty, dst, a, b } => int2(l, op, ty, dst, a, b),
            Op::SatS32 { subtract: false, dst, a, b } => {
                map2!(l, dst, a, b, (i32, i32) => i32, |x, y| x.saturating_add(y));
            }
            Op::SatS32 { subtract: true, dst, a, b } => {
                map2!(l, dst, a, b, (i32, i32) => i32, |x, y| x.saturating_sub(y));
            }
            Op::Shift { op, width, dst, a, b } => shift(l, op, width, dst, a, b),
            Op::MulWide { ty, dst, a, b } => mul_wide(l, ty, dst, a, b),
            Op::Mad { half, ty, dst, a, b, c } => mad(l, half, ty, dst, a, b, c),
            Op::MadWide { ty, dst, a, b, c } => mad_wide(l, ty, dst, a, b, c),
            Op::Carry { op, ty, carry_in, carry_out, dst, a, b, c } => match ty.width {
                Width::W64 => carry64(l, op, ty.signed, carry_in, carry_out, dst, a, b, c),
                _ => carry32(l, op, ty.signed, carry_in, carry_out, dst, a, b, c),
            },
            Op::Bfe { ty, dst, a, pos, len } => bfe(l, ty, dst, a, pos, len),
            Op::Bfi { width, dst, a, b, pos, len } => bfi(l, width, dst, [a, b, pos, len]),
            Op::Prmt { dst, a, b, selector } => {
                map3!(l, dst, a, b, selector, (u32, u32, u32) => u32, |x, y, z| permute(x, y, z));
            }
            Op::Funnel { left, clamp, dst, a, b, amount } => {
                map3!(l, dst, a, b, amount, (u32, u32, u32) => u32, |x, y, n| {
                    let both = u64::from(y) << 32 | u64::from(x);
                    let n = if clamp { n.min(32) } else { n & 31 };
                    if left { ((u128::from(both) << n) >> 32) as u32 } else { (both >> n) as u32 }
                });
            }
            Op::Lop3 { table, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (u32, u32, u32) => u32, |x, y, z| {
                    let mut r = 0;
                    for k in 0..8u8 {
                        let pick = |bit: u8, v: u32| if k & bit != 0 { v } else { !v };
                        let all = if table >> k & 1 != 0 { u32::MAX } else { 0 };
                        r |= all & pick(4, x) & pick(2, y) & pick(1, z);
                    }
                    r
                });
            }
            Op::CompareInt { cmp, ty, dst, a, b } => compare_int(l, cmp, ty, dst, a, b),
            Op::Select { width, dst, a, b, pred } => {
                let p = l.predicate(pred);
                by_width!(width, T, {
                    let (x, y) = (l.get::<T>(a), l.get::<T>(b));
                    let mut r = [0; LANES];
                    for i in 0..LANES {
                        r[i] = if p >> i & 1 != 0 { x[i] } else { y[i] };
                    }
                    l.put::<T>(dst, r);
                });
            }
            Op::Pred { op, dst, a, b } => {
                let (x, y) = (l.predicate(a), l.predicate(b));
                let r = match op {
                    PredOp::And => x & y,
                    PredOp::Or => x | y,
                    PredOp::Xor => x ^ y,
                };
                l.put_predicate(dst, r);
            }
            _ => return false,
        }
    }
    true
}

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

#[inline(always)]
unsafe fn count(l: &Lanes, op: CountOp, ty: Int, dst: Reg, a: Src) {
    // SAFETY: see `execute`.
    unsafe {
        by_int!(
            ty,
            T,
            match op {
                CountOp::Popc => map1!(l, dst, a, T => u32, |x| x.count_ones()),
                CountOp::Clz => map1!(l, dst, a, T => u32, |x| x.leading_zeros()),
                CountOp::Bfind | CountOp::BfindShift => map1!(l, dst, a, T => u32, |x| {
                    // Of a negative number the highest 0 is meant. For unsigned types the comparison is never true.
                    #[allow(unused_comparisons, reason = "T is signed in half of the cases")]
                    let x = if x < 0 { !x } else { x };
                    match (x, op) {
                        (0, _) => u32::MAX,
                        (x, CountOp::BfindShift) => x.leading_zeros(),
                        (x, _) => T::BITS - 1 - x.leading_zeros(),
                    }
                }),
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

#[inline(always)]
unsafe fn shift(l: &Lanes, op: ShiftOp, width: Width, dst: Reg, a: Src, b: Src) {
    // SAFETY: see `execute`.
    unsafe {
        match op {
            ShiftOp::Left => by_width!(
                width,
                T,
                map2!(l, dst, a, b, (T, u32) => T, |x, n| {
                    if n < T::BITS { x << (n & (T::BITS - 1)) } else { 0 }
                })
            ),
            ShiftOp::RightLogical => by_width!(
                width,
                T,
                map2!(l, dst, a, b, (T, u32) => T, |x, n| {
                    if n < T::BITS { x >> (n & (T::BITS - 1)) } else { 0 }
                })
            ),
            ShiftOp::RightArithmetic => {
                by_signed_width!(
                    width,
                    T,
                    map2!(l, dst, a, b, (T, u32) => T, |x, n| {
                        x >> n.min(T::BITS - 1)
                    })
                );
            }
        }
    }
}

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
                let flags = if carry_in { *l.carry } else { 0 };
                let mut r: [$T; LANES] = [0; LANES];
                let mut out = 0u32;
                for i in 0..LANES {
                    let add = |x: $T, y: $T| <$W>::from(x) + <$W>::from(y) + <$W>::from(flags >> i & 1);
                    let wide: $W = match op {
                        CarryOp::Add => add(x[i], y[i]),
                        CarryOp::Sub => <$W>::from(x[i])
                            .wrapping_sub(<$W>::from(y[i]))
                            .wrapping_sub((flags >> i & 1).into()),
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

#[inline(always)]
unsafe fn bfe(l: &Lanes, ty: Int, dst: Reg, a: Src, pos: Src, len: Src) {
    // SAFETY: see `execute`.
    unsafe {
        if ty.signed {
            by_signed_width!(
                ty.width,
                T,
                map3!(l, dst, a, pos, len, (T, u32, u32) => T, |x, pos, len| {
                    let (pos, len) = (pos & 255, len & 255);
                    let rest = T::BITS - len.clamp(1, T::BITS);
                    if len == 0 { 0 } else { (x >> pos.min(T::BITS - 1)) << rest >> rest }
                })
            );
        } else {
            by_width!(
                ty.width,
                T,
                map3!(l, dst, a, pos, len, (T, u32, u32) => T, |x, pos, len| {
                    let (pos, len) = (pos & 255, len & 255);
                    let rest = T::BITS - len.clamp(1, T::BITS);
                    if len == 0 || pos >= T::BITS { 0 } else { x >> (pos & (T::BITS - 1)) << rest >> rest }
                })
            );
        }
    }
}

#[inline(always)]
unsafe fn bfi(l: &Lanes, width: Width, dst: Reg, [a, b, pos, len]: [Src; 4]) {
    // SAFETY: see `execute`.
    unsafe {
        by_width!(width, T, {
            let lengths = l.get::<u32>(len);
            let mut k = 0;
            map3!(l, dst, a, b, pos, (T, T, u32) => T, |x, y, pos| {
                let (pos, len) = (pos & 255, lengths[k] & 255);
                k += 1;
                if len == 0 || pos >= T::BITS {
                    y
                } else {
                    let field = (T::MAX >> (T::BITS - len.min(T::BITS))) << pos;
                    y & !field | x << pos & field
                }
            });
        });
    }
}

/// `prmt.b32` without mode.
#[inline(always)]
fn permute(x: u32, y: u32, selector: u32) -> u32 {
    let both = u64::from(y) << 32 | u64::from(x);
    let mut r = 0;
    for k in 0..4 {
        let nibble = selector >> (4 * k) & 15;
        let byte = (both >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        r |= u32::from(byte) << (8 * k);
    }
    r
}

#[inline(always)]
unsafe fn compare_int(l: &Lanes, cmp: Compare, ty: Int, dst: crate::code::Pred, a: Src, b: Src) {
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

#[inline(always)]
unsafe fn pack(l: &Lanes, width: Width, count: u8, dst: Reg, parts: [Src; 4]) {
    // SAFETY: see `execute`.
    unsafe {
        match (width, count) {
            (Width::W64, 2) => map2!(l, dst, parts[0], parts[1], (u32, u32) => u64, |x, y| {
                u64::from(y) << 32 | u64::from(x)
            }),
            (Width::W64, _) => {
                let mut r = [0u64; LANES];
                for (k, part) in parts.into_iter().enumerate() {
                    let x = l.get::<u16>(part);
                    for i in 0..LANES {
                        r[i] |= u64::from(x[i]) << (16 * k);
                    }
                }
                l.put(dst, r);
            }
            _ => map2!(l, dst, parts[0], parts[1], (u16, u16) => u32, |x, y| {
                u32::from(y) << 16 | u32::from(x)
            }),
        }
    }
}

#[inline(always)]
unsafe fn unpack(l: &Lanes, width: Width, count: u8, parts: [Reg; 4], src: Src) {
    // SAFETY: see `execute`.
    unsafe {
        match (width, count) {
            (Width::W64, 2) => {
                let x = l.get::<u64>(src);
                for k in 0..2 {
                    let mut r = [0u32; LANES];
                    for i in 0..LANES {
                        r[i] = (x[i] >> (32 * k)) as u32;
                    }
                    l.put(parts[k], r);
                }
            }
            (Width::W64, _) => {
                let x = l.get::<u64>(src);
                for k in 0..4 {
                    let mut r = [0u16; LANES];
                    for i in 0..LANES {
                        r[i] = (x[i] >> (16 * k)) as u16;
                    }
                    l.put(parts[k], r);
                }
            }
            _ => {
                let x = l.get::<u32>(src);
                for k in 0..2 {
                    let mut r = [0u16; LANES];
                    for i in 0..LANES {
                        r[i] = (x[i] >> (16 * k)) as u16;
                    }
                    l.put(parts[k], r);
                }
            }
        }
    }
}

/// Extends the low bits of `value` as an element of memory or of a parameter word.
#[inline(always)]
pub fn extend(value: u64, element: Int) -> u64 {
    let rest = 64 - element.width.bits();
    if element.signed { ((value << rest) as i64 >> rest) as u64 } else { value << rest >> rest }
}

#[inline(always)]
unsafe fn extract(l: &Lanes, element: Int, register: Width, byte: u8, dst: Reg, word: Src) {
    // SAFETY: see `execute`.
    unsafe {
        match (element.width, register) {
            (Width::W64, _) => map1!(l, dst, word, u64 => u64, |x| x),
            (Width::W32, Width::W32) => map1!(l, dst, word, u64 => u32, |x| (x >> (8 * byte)) as u32),
            _ => by_width!(
                register,
                T,
                map1!(l, dst, word, u64 => T, |x| extend(x >> (8 * byte), element) as T)
            ),
        }
    }
}

#[inline(always)]
unsafe fn insert(l: &Lanes, element: Width, register: Width, byte: u8, word: Reg, src: Src) {
    // SAFETY: see `execute`.
    unsafe {
        if element == Width::W64 {
            map1!(l, word, src, u64 => u64, |x| x);
        } else {
            let field = (u64::MAX >> (64 - element.bits())) << (8 * byte);
            let old = Src::reg(word);
            by_width!(
                register,
                T,
                map2!(l, word, src, old, (T, u64) => u64, |x, y| {
                    y & !field | u64::from(x) << (8 * byte) & field
                })
            );
        }
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
    fn shifts_clamp() {
        let shift = |op, width, a, n| {
            Bench::new().binary(width, width, Width::W32, a, n, |dst, a, b| Op::Shift {
                op,
                width,
                dst,
                a,
                b,
            })
        };
        assert_eq!(shift(ShiftOp::Left, Width::W32, 1, 31), 1 << 31);
        assert_eq!(shift(ShiftOp::Left, Width::W32, 1, 32), 0);
        assert_eq!(shift(ShiftOp::RightLogical, Width::W64, u64::MAX, 64), 0);
        assert_eq!(shift(ShiftOp::RightArithmetic, Width::W32, 0x8000_0000, 200), 0xffff_ffff);
        assert_eq!(shift(ShiftOp::RightArithmetic, Width::W16, 0x8000, 3), 0xf000);
        assert_eq!(shift(ShiftOp::Left, Width::W16, 0xffff, 0xffff_ffff), 0);
    }

    #[test]
    fn bit_fields() {
        let bfe = |ty: Int, a, pos: u64, len: u64| {
            Bench::new().ternary(
                [ty.width, ty.width, Width::W32, Width::W32],
                [a, pos, len],
                |dst, a, pos, len| Op::Bfe { ty, dst, a, pos, len },
            )
        };
        assert_eq!(bfe(U32, 0xabcd_1234, 8, 8), 0x12);
        assert_eq!(bfe(U32, 0xabcd_1234, 28, 8), 0xa);
        assert_eq!(bfe(U32, 0xabcd_1234, 32, 8), 0);
        assert_eq!(bfe(S32, 0x0000_0f00, 8, 4), 0xffff_ffff);
        assert_eq!(bfe(S32, 0x8000_0000, 40, 8), 0xffff_ffff);
        assert_eq!(bfe(S32, 0x8000_0000, 0, 0), 0);
        assert_eq!(bfe(S64, 0x80, 0, 8), -128i64 as u64);
        assert_eq!(bfe(U64, u64::MAX, 4, 255), u64::MAX >> 4);
        let bfi = |a, b, pos: u64, len: u64| {
            let mut bench = Bench::new();
            let len = bench.constant(Width::W32, len);
            bench.ternary([Width::W32; 4], [a, b, pos], |dst, a, b, pos| Op::Bfi {
                width: Width::W32,
                dst,
                a,
                b,
                pos,
                len,
            })
        };
        assert_eq!(bfi(0xff, 0, 8, 4), 0xf00);
        assert_eq!(bfi(0xff, 0x1111_1111, 32, 4), 0x1111_1111);
        assert_eq!(bfi(0xff, 0x1111_1111, 28, 255), 0xf111_1111);
    }

    #[test]
    fn permute_picks_bytes_and_replicates_signs() {
        assert_eq!(permute(0x3322_1100, 0x7766_5544, 0x7531), 0x7755_3311);
        assert_eq!(permute(0x0000_0080, 0, 0x0008), 0x8080_80ff);
    }

    #[test]
    fn funnel_shifts() {
        let shf = |left, clamp, a, b, n| {
            Bench::new().ternary([Width::W32; 4], [a, b, n], |dst, a, b, amount| Op::Funnel {
                left,
                clamp,
                dst,
                a,
                b,
                amount,
            })
        };
        assert_eq!(shf(true, false, 0x8000_0000, 1, 33), 3);
        assert_eq!(shf(true, true, 0x8000_0000, 1, 33), 0x8000_0000);
        assert_eq!(shf(false, false, 0, 1, 4), 0x1000_0000);
        assert_eq!(shf(false, true, 5, 9, 40), 9);
    }

    #[test]
    fn lop3_is_its_table() {
        let lop = |table, a, b, c| {
            Bench::new().ternary([Width::W32; 4], [a, b, c], |dst, a, b, c| Op::Lop3 { table, dst, a, b, c })
        };
        let (a, b, c) = (0xf0f0_1234, 0xcccc_5678, 0xaaaa_9abc);
        assert_eq!(lop(0x80, a, b, c), a & b & c);
        assert_eq!(lop(0x96, a, b, c), a ^ b ^ c);
        assert_eq!(lop(0xca, a, b, c), (a & b | !a & c) & 0xffff_ffff);
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

    #[test]
    fn parameters_are_cut_out_of_words() {
        let mut bench = Bench::new();
        let (word, dst) = (bench.register(Width::W64), bench.register(Width::W32));
        let zero = bench.constant(Width::W64, 0);
        let byte = bench.constant(Width::W32, 0x1ff);
        bench.run(&Op::Mov { width: Width::W64, dst: word, src: zero });
        bench.run(&Op::Insert { element: Width::W8, register: Width::W32, byte: 3, word, src: byte });
        assert_eq!(bench.value(Width::W64, word), 0xff00_0000);
        let element = Int { width: Width::W8, signed: true };
        bench.run(&Op::Extract { element, register: Width::W32, byte: 3, dst, word: Src::reg(word) });
        assert_eq!(bench.value(Width::W32, dst), 0xffff_ffff);
        bench.run(&Op::Extract { element: U32, register: Width::W32, byte: 4, dst, word: Src::reg(word) });
        assert_eq!(bench.value(Width::W32, dst), 0);
    }

    #[test]
    fn counts() {
        let count = |op, ty: Int, a| {
            Bench::new().binary(Width::W32, ty.width, Width::W32, a, 0, |dst, a, _| Op::Count {
                op,
                ty,
                dst,
                a,
            })
        };
        assert_eq!(count(CountOp::Popc, U64, u64::MAX), 64);
        assert_eq!(count(CountOp::Clz, U32, 1), 31);
        assert_eq!(count(CountOp::Bfind, U32, 0x100), 8);
        assert_eq!(count(CountOp::Bfind, U32, 0), 0xffff_ffff);
        assert_eq!(count(CountOp::Bfind, S32, 0xffff_feff), 8);
        assert_eq!(count(CountOp::BfindShift, U64, 1), 63);
    }
}
