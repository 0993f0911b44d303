//! Moves between registers, parameter words, selections and predicate logic: `mov` (PTX ISA 9.0, 9.7.9.3 and 9.7.9.4), `selp`
//! (9.7.6.3), `ld.param` and `st.param` (9.7.9.8, 9.7.9.11, 5.1.6), `and`, `or`, `xor`, `not` of predicates (9.7.8.1 to 9.7.8.4).

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]
#![allow(clippy::useless_conversion, reason = "one body serves all widths")]

use super::lanes::{Lanes, by_width, map1, map2};
use crate::code::{Int, LANES, Op, PredOp, Reg, Src, Width};

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
            (Width::W32, 4) | (Width::W16, _) => {
                let mut r = [0u32; LANES];
                for (k, part) in parts.into_iter().take(count.into()).enumerate() {
                    let x = l.get::<u16>(part);
                    for i in 0..LANES {
                        r[i] |= u32::from(x[i] & 0xff) << (8 * k);
                    }
                }
                if width == Width::W32 { l.put(dst, r) } else { l.put(dst, r.map(|x| x as u16)) }
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
            (Width::W32, 4) | (Width::W16, _) => {
                let x =
                    if width == Width::W32 { l.get::<u32>(src) } else { l.get::<u16>(src).map(u32::from) };
                for k in 0..count.into() {
                    l.put(parts[k], x.map(|x| (x >> (8 * k)) as u16 & 0xff));
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
}
