//! Floating-point arithmetic (PTX ISA 9.0, 9.7.3; of 16 bits 9.7.4, mixed 9.7.5) and comparisons (9.7.6.2, 9.7.7.2).
//!
//! To nearest, f32 and f64 use the host's operations, which are the same IEEE 754 ones; other rounding modes, f16 and
//! `.ftz`/`.sat` go through [`super::soft`]. A NaN result of f32 is 0x7fffffff, as the GPU makes it; f64 keeps what the
//! host makes of the operands' payloads.
//!
//! The approximations (`ex2`, `lg2`, `sin`, `cos`, `tanh`, `rcp`, `rsqrt`, `sqrt`, `div` with `.approx` or `.full`) are
//! the host library's results, which are more exact than the GPU's and not bit for bit the same.

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]
#![allow(
    clippy::double_comparisons,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    reason = "with NaN, ordered and unordered comparisons are not each other's negation"
)]

use super::lanes::{Lanes, compare, map1, map2, map3};
use super::soft;
use crate::code::{Compare, Float, FloatMode, FloatOp1, FloatOp2, LANES, Op, Pred, Reg, Round, Src};

/// Makes every NaN the one that the GPU makes.
#[inline(always)]
pub fn canonical(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(0x7fff_ffff) } else { x }
}

/// Minimum and maximum (PTX ISA 9.0, 9.7.3.11 and 9.7.3.12): the other operand if one is NaN, and -0 is less than +0.
macro_rules! extremum {
    ($name:ident, $T:ty, $x:ident, $y:ident, $pick:expr) => {
        #[inline(always)]
        fn $name($x: $T, $y: $T) -> $T {
            let chosen = if $pick { $x } else { $y };
            let chosen = if $y.is_nan() { $x } else { chosen };
            if $x.is_nan() { $y } else { chosen }
        }
    };
}
extremum!(min32, f32, x, y, x < y || x == y && x.is_sign_negative());
extremum!(max32, f32, x, y, x > y || x == y && x.is_sign_positive());
extremum!(min64, f64, x, y, x < y || x == y && x.is_sign_negative());
extremum!(max64, f64, x, y, x > y || x == y && x.is_sign_positive());

/// Executes an operation of this file; `false` if it is not one.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to.
#[inline(always)]
pub unsafe fn execute(l: &Lanes, op: &Op) -> bool {
    // SAFETY: the operands belong to the frame's function and have the width of the operation's type.
    unsafe {
        match *op {
            Op::Float1 { op, ty, mode, dst, a } => float1(l, op, ty, mode, dst, a),
            Op::Float2 { op, ty, mode, dst, a, b } => float2(l, op, ty, mode, dst, a, b),
            Op::Fma { ty: Float::F32, mode: FloatMode::DEFAULT, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (f32, f32, f32) => f32, |x, y, z| canonical(x.mul_add(y, z)));
            }
            Op::Fma { ty: Float::F64, mode: FloatMode::DEFAULT, dst, a, b, c } => {
                map3!(l, dst, a, b, c, (f64, f64, f64) => f64, |x, y, z| x.mul_add(y, z));
            }
            Op::Fma { ty, mode, dst, a, b, c } => {
                slow(l, ty, mode, dst, [a, b, c], |[x, y, z]| soft::fma(ty, x, y, z, mode.round))
            }
            Op::CompareFloat { cmp, ty, ftz, dst, a, b } => compare_float(l, cmp, ty, ftz, dst, a, b),
            _ => return false,
        }
    }
    true
}

/// Bits of lane `i` of a source.
#[inline(always)]
unsafe fn bits(l: &Lanes, ty: Float, src: Src, i: usize) -> u64 {
    // SAFETY: the caller's operands have the width of the type.
    unsafe {
        match ty {
            Float::F16 | Float::Bf16 => l.lane::<u16>(src, i).into(),
            Float::F32 => l.lane::<u32>(src, i).into(),
            Float::F64 => l.lane::<u64>(src, i),
        }
    }
}

/// One lane after the other, with `.ftz` and `.sat`.
#[inline(always)]
unsafe fn slow<const N: usize>(
    l: &Lanes,
    ty: Float,
    mode: FloatMode,
    dst: Reg,
    sources: [Src; N],
    f: impl Fn([u64; N]) -> u64,
) {
    let flush = |x: u64| if mode.ftz { soft::flush(ty, x) } else { x };
    let mut r = [0u64; LANES];
    // SAFETY: see `execute`.
    unsafe {
        for i in super::lanes::lanes_of(l.mask) {
            let result = flush(f(sources.map(|src| flush(bits(l, ty, src, i)))));
            let result = if mode.relu { soft::rectify(ty, result) } else { result };
            r[i] = if mode.sat { soft::saturate(ty, result) } else { result };
        }
        match ty {
            Float::F16 | Float::Bf16 => l.put(dst, r.map(|x| x as u16)),
            Float::F32 => l.put(dst, r.map(|x| x as u32)),
            Float::F64 => l.put(dst, r),
        }
    }
}

/// An approximation, computed in f64 and rounded to f32 or f16.
#[inline(always)]
unsafe fn approximate(l: &Lanes, ty: Float, mode: FloatMode, dst: Reg, a: Src, f: impl Fn(f64) -> f64) {
    let compute = |[x]: [u64; 1]| {
        let x = f64::from_bits(soft::convert(Float::F64, ty, x, Round::Nearest));
        soft::convert(ty, Float::F64, f(x).to_bits(), Round::Nearest)
    };
    // SAFETY: see `execute`.
    unsafe { slow(l, ty, mode, dst, [a], compute) }
}

/// `neg`, `abs`, `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2`, `tanh` (PTX ISA 9.0, 9.7.3.9, 9.7.3.10, 9.7.3.13 to 9.7.3.22,
/// 9.7.4.5, 9.7.4.6, 9.7.4.9, 9.7.4.10).
#[inline(always)]
unsafe fn float1(l: &Lanes, op: FloatOp1, ty: Float, mode: FloatMode, dst: Reg, a: Src) {
    let fast = mode == FloatMode::DEFAULT;
    let sign = 1u64 << (ty.width().bits() - 1);
    // SAFETY: see `execute`.
    unsafe {
        match (op, ty) {
            (FloatOp1::Neg, Float::F32) if fast => map1!(l, dst, a, u32 => u32, |x| x ^ 1 << 31),
            (FloatOp1::Neg, Float::F64) if fast => map1!(l, dst, a, u64 => u64, |x| x ^ 1 << 63),
            (FloatOp1::Abs, Float::F32) if fast => map1!(l, dst, a, u32 => u32, |x| x & !(1 << 31)),
            (FloatOp1::Abs, Float::F64) if fast => map1!(l, dst, a, u64 => u64, |x| x & !(1 << 63)),
            (FloatOp1::Neg, _) => slow(l, ty, mode, dst, [a], |[x]| x ^ sign),
            (FloatOp1::Abs, _) => slow(l, ty, mode, dst, [a], |[x]| x & !sign),
            (FloatOp1::Rcp | FloatOp1::RcpApprox, Float::F32) if fast => {
                map1!(l, dst, a, f32 => f32, |x| canonical(1.0 / x));
            }
            (FloatOp1::Rcp, Float::F64) if fast => map1!(l, dst, a, f64 => f64, |x| 1.0 / x),
            (FloatOp1::Sqrt | FloatOp1::SqrtApprox, Float::F32) if fast => {
                map1!(l, dst, a, f32 => f32, |x| canonical(x.sqrt()));
            }
            (FloatOp1::Sqrt, Float::F64) if fast => map1!(l, dst, a, f64 => f64, |x| x.sqrt()),
            (FloatOp1::Rcp, _) => {
                slow(l, ty, mode, dst, [a], |[x]| soft::div(ty, soft::one(ty), x, mode.round));
            }
            (FloatOp1::Sqrt, _) => slow(l, ty, mode, dst, [a], |[x]| soft::sqrt(ty, x, mode.round)),
            (FloatOp1::RcpApprox | FloatOp1::RsqrtApprox, Float::F64) if mode.ftz => {
                // Only the upper halves of operand and result count, and subnormal numbers are zero. Without `.ftz` there is
                // `rsqrt` alone, which has all bits.
                slow(l, ty, mode, dst, [a], |[x]| {
                    let x = f64::from_bits(soft::flush(ty, x) & !0xffff_ffff);
                    let r = if op == FloatOp1::RcpApprox { 1.0 / x } else { 1.0 / x.sqrt() };
                    if r.is_nan() { r.to_bits() } else { soft::flush(ty, r.to_bits()) & !0xffff_ffff }
                });
            }
            (FloatOp1::RcpApprox, _) => approximate(l, ty, mode, dst, a, |x| 1.0 / x),
            (FloatOp1::SqrtApprox, _) => approximate(l, ty, mode, dst, a, f64::sqrt),
            (FloatOp1::RsqrtApprox, _) => approximate(l, ty, mode, dst, a, |x| 1.0 / x.sqrt()),
            (FloatOp1::Ex2Approx, _) => approximate(l, ty, mode, dst, a, f64::exp2),
            (FloatOp1::Lg2Approx, _) => approximate(l, ty, mode, dst, a, f64::log2),
            (FloatOp1::SinApprox, _) => approximate(l, ty, mode, dst, a, f64::sin),
            (FloatOp1::CosApprox, _) => approximate(l, ty, mode, dst, a, f64::cos),
            (FloatOp1::TanhApprox, _) => approximate(l, ty, mode, dst, a, f64::tanh),
        }
    }
}

/// `add`, `sub`, `mul`, `div`, `min`, `max` (PTX ISA 9.0, 9.7.3.3 to 9.7.3.5, 9.7.3.8, 9.7.3.11, 9.7.3.12, 9.7.4.1 to 9.7.4.3, 9.7.4.7,
/// 9.7.4.8).
#[inline(always)]
unsafe fn float2(l: &Lanes, op: FloatOp2, ty: Float, mode: FloatMode, dst: Reg, a: Src, b: Src) {
    macro_rules! host {
        (|$x:ident, $y:ident| $e:expr) => {
            match ty {
                Float::F32 => return map2!(l, dst, a, b, (f32, f32) => f32, |$x, $y| canonical($e)),
                Float::F64 => return map2!(l, dst, a, b, (f64, f64) => f64, |$x, $y| $e),
                Float::F16 | Float::Bf16 => {}
            }
        };
        ($f32:ident, $f64:ident) => {
            match ty {
                Float::F32 => return map2!(l, dst, a, b, (f32, f32) => f32, |x, y| canonical($f32(x, y))),
                Float::F64 => return map2!(l, dst, a, b, (f64, f64) => f64, |x, y| $f64(x, y)),
                Float::F16 | Float::Bf16 => {}
            }
        };
    }
    let round = mode.round;
    // SAFETY: see `execute`.
    unsafe {
        if mode == FloatMode::DEFAULT {
            match op {
                FloatOp2::Add => host!(|x, y| x + y),
                FloatOp2::Sub => host!(|x, y| x - y),
                FloatOp2::Mul => host!(|x, y| x * y),
                FloatOp2::Div | FloatOp2::DivApprox | FloatOp2::DivFull => host!(|x, y| x / y),
                FloatOp2::Copysign => host!(|x, y| y.copysign(x)),
                FloatOp2::Min => host!(min32, min64),
                FloatOp2::Max => host!(max32, max64),
                _ => {}
            }
        }
        let sign = 1u64 << (ty.width().bits() - 1);
        slow(l, ty, mode, dst, [a, b], |[x, y]| match op {
            FloatOp2::Add => soft::add(ty, x, y, round),
            FloatOp2::Sub => soft::add(ty, x, y ^ sign, round),
            FloatOp2::Mul => soft::mul(ty, x, y, round),
            FloatOp2::Div | FloatOp2::DivApprox | FloatOp2::DivFull => soft::div(ty, x, y, round),
            FloatOp2::Min => soft::extremum(ty, x, y, false, false),
            FloatOp2::Max => soft::extremum(ty, x, y, true, false),
            FloatOp2::MinNan => soft::extremum(ty, x, y, false, true),
            FloatOp2::MaxNan => soft::extremum(ty, x, y, true, true),
            FloatOp2::MinXorsign => xorsign(ty, x, y, false, false),
            FloatOp2::MaxXorsign => xorsign(ty, x, y, true, false),
            FloatOp2::MinNanXorsign => xorsign(ty, x, y, false, true),
            FloatOp2::MaxNanXorsign => xorsign(ty, x, y, true, true),
            FloatOp2::Copysign => y & !sign | x & sign,
        });
    }
}

/// `min.xorsign.abs`, `max.xorsign.abs` (PTX ISA 9.0, 9.7.3.11, 9.7.3.12): a NaN result has no sign.
fn xorsign(ty: Float, x: u64, y: u64, max: bool, nan: bool) -> u64 {
    let sign = 1u64 << (ty.width().bits() - 1);
    let r = soft::extremum(ty, x & !sign, y & !sign, max, nan);
    let infinity = soft::infinity(ty, false);
    if r > infinity { r } else { r | (x ^ y) & sign }
}

/// `setp` of numbers (PTX ISA 9.0, 9.7.6.2, 9.7.7.2; the comparisons are those of 9.3.1.2).
#[inline(always)]
unsafe fn compare_float(l: &Lanes, cmp: Compare, ty: Float, ftz: bool, dst: Pred, a: Src, b: Src) {
    macro_rules! all {
        ($T:ty, |$v:ident| $value:expr) => {{
            macro_rules! with {
                (|$x:ident, $y:ident| $e:expr) => {
                    compare!(l, a, b, $T, |p, q| {
                        let $v = p;
                        let $x = $value;
                        let $v = q;
                        let $y = $value;
                        $e
                    })
                };
            }
            match cmp {
                Compare::Eq => with!(|x, y| x == y),
                Compare::Ne => with!(|x, y| x < y || x > y),
                Compare::Lt => with!(|x, y| x < y),
                Compare::Le => with!(|x, y| x <= y),
                Compare::Gt => with!(|x, y| x > y),
                Compare::Ge => with!(|x, y| x >= y),
                Compare::Equ => with!(|x, y| !(x < y || x > y)),
                Compare::Neu => with!(|x, y| x != y),
                Compare::Ltu => with!(|x, y| !(x >= y)),
                Compare::Leu => with!(|x, y| !(x > y)),
                Compare::Gtu => with!(|x, y| !(x <= y)),
                Compare::Geu => with!(|x, y| !(x < y)),
                Compare::Num => with!(|x, y| !x.is_nan() && !y.is_nan()),
                Compare::Nan => with!(|x, y| x.is_nan() || y.is_nan()),
            }
        }};
    }
    // SAFETY: see `execute`.
    unsafe {
        let r = match (ty, ftz) {
            (Float::F32, false) => all!(f32, |v| v),
            (Float::F32, true) => {
                all!(u32, |v| f32::from_bits(soft::flush(Float::F32, v.into()) as u32))
            }
            (Float::F64, _) => all!(f64, |v| v),
            (Float::F16, false) => all!(u16, |v| soft::f16_to_f32(v)),
            (Float::F16, true) => {
                all!(u16, |v| soft::f16_to_f32(soft::flush(Float::F16, v.into()) as u16))
            }
            (Float::Bf16, _) => all!(u16, |v| soft::bf16_to_f32(v)),
        };
        l.put_predicate(dst, r);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    fn op2(op: FloatOp2, ty: Float, mode: FloatMode, a: u64, b: u64) -> u64 {
        let w = ty.width();
        Bench::new().binary(w, w, w, a, b, |dst, a, b| Op::Float2 { op, ty, mode, dst, a, b })
    }

    fn f32s(op: FloatOp2, a: f32, b: f32) -> u32 {
        op2(op, Float::F32, FloatMode::DEFAULT, a.to_bits().into(), b.to_bits().into()) as u32
    }

    fn f64s(op: FloatOp2, a: f64, b: f64) -> f64 {
        f64::from_bits(op2(op, Float::F64, FloatMode::DEFAULT, a.to_bits(), b.to_bits()))
    }

    #[test]
    fn a_nan_of_f32_is_the_one_of_the_gpu() {
        assert_eq!(f32s(FloatOp2::Div, 0.0, 0.0), 0x7fff_ffff);
        assert_eq!(f32s(FloatOp2::Add, f32::from_bits(0xffc0_0001), 1.0), 0x7fff_ffff);
        assert_eq!(f32s(FloatOp2::Sub, f32::INFINITY, f32::INFINITY), 0x7fff_ffff);
    }

    #[test]
    fn minimum_and_maximum_avoid_nan_and_order_zeros() {
        for (a, b) in [(1.0, f64::NAN), (f64::NAN, 1.0)] {
            assert_eq!(f64s(FloatOp2::Min, a, b), 1.0);
            assert_eq!(f32s(FloatOp2::Max, a as f32, b as f32), 1f32.to_bits());
        }
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert!(f64s(FloatOp2::Min, a, b).is_sign_negative());
            assert!(f64s(FloatOp2::Max, a, b).is_sign_positive());
            assert_eq!(f32s(FloatOp2::Min, a as f32, b as f32), 1 << 31);
        }
        assert_eq!(f32s(FloatOp2::MinNan, 1.0, f32::NAN), 0x7fff_ffff);
        assert_eq!(f32s(FloatOp2::MaxNan, 1.0, 2.0), 2f32.to_bits());
        assert_eq!(f64s(FloatOp2::Min, -3.0, 2.0), -3.0);
        assert_eq!(f64s(FloatOp2::Max, -3.0, 2.0), 2.0);
        assert_eq!(f32s(FloatOp2::Min, f32::NAN, f32::NAN), 0x7fff_ffff);
    }

    #[test]
    fn modes_change_the_result() {
        let one = u64::from(1f32.to_bits());
        let tiny = u64::from(1e-30f32.to_bits());
        let with = |round| FloatMode { round, ..FloatMode::DEFAULT };
        assert_eq!(op2(FloatOp2::Add, Float::F32, with(Round::Up), one, tiny), one + 1);
        assert_eq!(op2(FloatOp2::Sub, Float::F32, with(Round::Zero), one, tiny), one - 1);
        let ftz = FloatMode { ftz: true, ..FloatMode::DEFAULT };
        assert_eq!(op2(FloatOp2::Add, Float::F32, ftz, 1, 1), 0);
        assert_eq!(op2(FloatOp2::Mul, Float::F32, ftz, tiny, tiny | 1 << 31), 1 << 31);
        let sat = FloatMode { sat: true, ..FloatMode::DEFAULT };
        assert_eq!(op2(FloatOp2::Add, Float::F32, sat, one, one), one);
        // 1 + 2^-11 is a tie in f16 and goes to even.
        assert_eq!(op2(FloatOp2::Add, Float::F16, FloatMode::DEFAULT, 0x3c00, 0x1000), 0x3c00);
        assert_eq!(op2(FloatOp2::Copysign, Float::F32, FloatMode::DEFAULT, 1 << 31, one), one | 1 << 31);
    }

    #[test]
    fn comparisons_know_nan() {
        let all = [
            (Compare::Eq, false, true),
            (Compare::Ne, false, false),
            (Compare::Lt, false, false),
            (Compare::Le, false, true),
            (Compare::Gt, false, false),
            (Compare::Ge, false, true),
            (Compare::Equ, true, true),
            (Compare::Neu, true, false),
            (Compare::Ltu, true, false),
            (Compare::Leu, true, true),
            (Compare::Gtu, true, false),
            (Compare::Geu, true, true),
            (Compare::Num, false, true),
            (Compare::Nan, true, false),
        ];
        for (cmp, with_nan, equal) in all {
            for ty in [Float::F16, Float::F32, Float::F64] {
                let nan = soft::convert(ty, Float::F32, 0x7fff_ffff, Round::Nearest);
                let mut bench = Bench::new();
                let (one, nan) = (bench.constant(ty.width(), soft::one(ty)), bench.constant(ty.width(), nan));
                let mut test =
                    |b| bench.test(|dst, _| Op::CompareFloat { cmp, ty, ftz: false, dst, a: one, b });
                assert_eq!((test(nan), test(one)), (with_nan, equal), "{cmp:?} {ty:?}");
            }
        }
    }

    #[test]
    fn approximations_are_close() {
        let one = |op, ty: Float, a: u64| {
            Bench::new().binary(ty.width(), ty.width(), ty.width(), a, 0, |dst, a, _| Op::Float1 {
                op,
                ty,
                mode: FloatMode::DEFAULT,
                dst,
                a,
            })
        };
        let f = |op, x: f32| f32::from_bits(one(op, Float::F32, x.to_bits().into()) as u32);
        assert_eq!(f(FloatOp1::Ex2Approx, 3.0), 8.0);
        assert_eq!(f(FloatOp1::Lg2Approx, 8.0), 3.0);
        assert_eq!(f(FloatOp1::RsqrtApprox, 4.0), 0.5);
        assert_eq!(f(FloatOp1::RcpApprox, 4.0), 0.25);
        assert_eq!(f(FloatOp1::Sqrt, 9.0), 3.0);
        assert!(f(FloatOp1::SinApprox, 1.0) > 0.84 && f(FloatOp1::CosApprox, 1.0) < 0.541);
        assert_eq!(f(FloatOp1::Lg2Approx, 0.0), f32::NEG_INFINITY);
        assert_eq!(one(FloatOp1::RcpApprox, Float::F64, 4f64.to_bits()), 0.25f64.to_bits());
        assert_eq!(one(FloatOp1::Neg, Float::F16, 0x3c00), 0xbc00);
        assert_eq!(one(FloatOp1::Abs, Float::F64, (-2f64).to_bits()), 2f64.to_bits());
    }

    #[test]
    fn fma_rounds_once() {
        let (a, c) = (1.0 + f64::EPSILON, -1.0 - 2.0 * f64::EPSILON);
        let got = Bench::new().ternary(
            [crate::code::Width::W64; 4],
            [a.to_bits(), a.to_bits(), c.to_bits()],
            |dst, a, b, c| Op::Fma { ty: Float::F64, mode: FloatMode::DEFAULT, dst, a, b, c },
        );
        assert_eq!(f64::from_bits(got), f64::EPSILON * f64::EPSILON);
    }
}
