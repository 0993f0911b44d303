//! Operations on bits: counts, fields, dot products (PTX ISA 9.0, 9.7.1.14 to 9.7.1.24), bytes (9.7.9.7), boolean functions and
//! shifts (9.7.8.6 to 9.7.8.9).

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]

use super::lanes::{Lanes, by_signed_width, by_width, map1, map2, map3};
use crate::code::{CountOp, DotOp, Int, LANES, Op, PrmtMode, Reg, ShiftOp, Src, Width};

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
            Op::Count { op, ty, dst, a } => count(l, op, ty, dst, a),
            Op::Shift { op, width, dst, a, b } => shift(l, op, width, dst, a, b),
            Op::Bfe { ty, dst, a, pos, len } => bfe(l, ty, dst, a, pos, len),
            Op::Bfi { width, dst, a, b, pos, len } => bfi(l, width, dst, [a, b, pos, len]),
            // Apart from the others: this one is frequent.
            Op::Prmt { mode: PrmtMode::Index, dst, a, b, selector } => {
                map3!(l, dst, a, b, selector, (u32, u32, u32) => u32, |x, y, z| {
                    permute(PrmtMode::Index, x, y, z)
                });
            }
            Op::Prmt { mode, dst, a, b, selector } => {
                map3!(l, dst, a, b, selector, (u32, u32, u32) => u32, |x, y, z| permute(mode, x, y, z));
            }
            Op::BitMask { clamp, dst, a, b } => {
                map2!(l, dst, a, b, (u32, u32) => u32, |x, y| bit_mask(x, y, clamp));
            }
            Op::Extend { signed, clamp, dst, a, b } => {
                map2!(l, dst, a, b, (u32, u32) => u32, |x, y| sign_or_zero_extend(x, y, signed, clamp));
            }
            Op::NthBit { dst, a, base, n } => {
                map3!(l, dst, a, base, n, (u32, u32, i32) => u32, |x, y, z| nth_bit(x, y, z));
            }
            Op::Dot { op, a_signed, b_signed, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (u32, u32, u32) => u32, |x, y, z| dot(op, a_signed, b_signed, x, y, z));
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
            _ => return false,
        }
    }
    true
}

/// A position from the number of leading bits before it.
#[inline(always)]
fn position(leading: u32, bits: u32, shift: bool) -> u32 {
    if leading == bits {
        u32::MAX
    } else if shift {
        leading
    } else {
        bits - 1 - leading
    }
}

/// `popc`, `clz`, `bfind` (PTX ISA 9.0, 9.7.1.14 to 9.7.1.16).
#[inline(always)]
unsafe fn count(l: &Lanes, op: CountOp, ty: Int, dst: Reg, a: Src) {
    let shift = op == CountOp::BfindShift;
    // SAFETY: see `execute`.
    unsafe {
        match (op, ty.signed) {
            (CountOp::Popc, _) => by_width!(ty.width, T, map1!(l, dst, a, T => u32, |x| x.count_ones())),
            (CountOp::Clz, _) => by_width!(ty.width, T, map1!(l, dst, a, T => u32, |x| x.leading_zeros())),
            (_, false) => by_width!(
                ty.width,
                T,
                map1!(l, dst, a, T => u32, |x| {
                    position(x.leading_zeros(), T::BITS, shift)
                })
            ),
            // Of a negative number the highest 0 is meant.
            (_, true) => by_signed_width!(
                ty.width,
                T,
                map1!(l, dst, a, T => u32, |x| {
                    position((x ^ x >> (T::BITS - 1)).leading_zeros(), T::BITS, shift)
                })
            ),
        }
    }
}

/// `shl`, `shr` (PTX ISA 9.0, 9.7.8.8, 9.7.8.9).
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

/// `bfe` (PTX ISA 9.0, 9.7.1.19).
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

/// `bfi` (PTX ISA 9.0, 9.7.1.20).
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

/// `bmsk` (PTX ISA 9.0, 9.7.1.22): `.clamp` takes position and width up to 32, `.wrap` their lowest five bits.
#[inline(always)]
fn bit_mask(position: u32, width: u32, clamp: bool) -> u32 {
    let (position, width) =
        if clamp { (position.min(32), width.min(32)) } else { (position & 31, width & 31) };
    (((1u64 << width) - 1) << position) as u32
}

/// `szext` (PTX ISA 9.0, 9.7.1.21): of a width of 0 there is no sign, and the result is 0.
#[inline(always)]
fn sign_or_zero_extend(value: u32, width: u32, signed: bool, clamp: bool) -> u32 {
    let width = if clamp { width.min(32) } else { width & 31 };
    let rest = 32 - width.max(1);
    match (width, signed) {
        (0, _) => 0,
        (_, true) => ((value << rest) as i32 >> rest) as u32,
        (_, false) => value << rest >> rest,
    }
}

/// `fns` (PTX ISA 9.0, 9.7.1.17). A base beyond the word finds nothing.
#[inline(always)]
fn nth_bit(mask: u32, base: u32, n: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    // The ones that count, in the order of the search.
    let mut rest = match n {
        0 => return if mask >> base & 1 != 0 { base } else { u32::MAX },
        1.. => mask >> base << base,
        _ => (mask << (31 - base) >> (31 - base)).reverse_bits(),
    };
    for _ in 1..n.unsigned_abs().min(33) {
        rest &= rest.wrapping_sub(1);
    }
    match (rest, n > 0) {
        (0, _) => u32::MAX,
        (_, true) => rest.trailing_zeros(),
        (_, false) => 31 - rest.trailing_zeros(),
    }
}

/// `dp4a`, `dp2a` (PTX ISA 9.0, 9.7.1.23 and 9.7.1.24): modulo 2^32.
#[inline(always)]
fn dot(op: DotOp, a_signed: bool, b_signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let part = |word: u32, bits: u32, k: u32, signed: bool| {
        let low = word >> (bits * k) << (32 - bits);
        if signed { (low as i32 >> (32 - bits)) as u32 } else { low >> (32 - bits) }
    };
    let (count, bits, first) = match op {
        DotOp::Four => (4, 8, 0),
        DotOp::TwoLow => (2, 16, 0),
        DotOp::TwoHigh => (2, 16, 2),
    };
    let product = |k| part(a, bits, k, a_signed).wrapping_mul(part(b, 8, first + k, b_signed));
    (0..count).fold(c, |sum, k| sum.wrapping_add(product(k)))
}

/// The selector of the plain mode that does what a mode does with the lowest two bits of its own (PTX ISA 9.0, 9.7.9.7, table).
#[inline(always)]
fn selected(mode: PrmtMode, n: u32) -> u32 {
    let byte = |k: u32| match mode {
        PrmtMode::Index | PrmtMode::Forward4 => n + k,
        PrmtMode::Backward4 => (n.wrapping_sub(k)) & 7,
        PrmtMode::Replicate8 => n,
        PrmtMode::EdgeLeft => k.max(n),
        PrmtMode::EdgeRight => k.min(n),
        PrmtMode::Replicate16 => 2 * (n & 1) + (k & 1),
    };
    byte(0) | byte(1) << 4 | byte(2) << 8 | byte(3) << 12
}

/// `prmt` (PTX ISA 9.0, 9.7.9.7).
#[inline(always)]
pub fn permute(mode: PrmtMode, x: u32, y: u32, selector: u32) -> u32 {
    let selector = if mode == PrmtMode::Index { selector } else { selected(mode, selector & 3) };
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

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    const U32: Int = Int { width: Width::W32, signed: false };
    const S32: Int = Int { width: Width::W32, signed: true };
    const U64: Int = Int { width: Width::W64, signed: false };
    const S64: Int = Int { width: Width::W64, signed: true };

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
        assert_eq!(permute(PrmtMode::Index, 0x3322_1100, 0x7766_5544, 0x7531), 0x7755_3311);
        assert_eq!(permute(PrmtMode::Index, 0x0000_0080, 0, 0x0008), 0x8080_80ff);
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
