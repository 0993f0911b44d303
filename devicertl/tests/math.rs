//! Math functions that are made here, against Rust's.

mod machine;

use devicertl::math::{integer::*, real::*, special::*};

/// Bit patterns of all kinds: signs, exponents from subnormal to infinite, odd mantissas.
fn patterns() -> impl Iterator<Item = u64> + Clone {
    let exponents = [0u64, 1, 2, 1000, 1022, 1023, 1024, 1050, 1076, 2045, 2046, 2047];
    let mantissas = [0u64, 1, 3, 0x8_0000_0000_0000, 0xF_FFFF_FFFF_FFFF, 0x5_1234_5678_9ABC];
    exponents
        .into_iter()
        .flat_map(move |e| mantissas.into_iter().flat_map(move |m| [e << 52 | m, 1 << 63 | e << 52 | m]))
}

#[track_caller]
fn same<T: PartialEq + std::fmt::Debug + Copy>(got: T, wanted: T, bits: impl Fn(T) -> u64, what: &str) {
    // NaN is not equal to itself; its bits do not matter.
    #[expect(clippy::eq_op)]
    let both_nan = got != got && wanted != wanted;
    assert!(both_nan || bits(got) == bits(wanted), "{what}: {got:?}, not {wanted:?}");
}

#[test]
fn fmod_is_exact() {
    for (a, b) in patterns().flat_map(|a| patterns().map(move |b| (a, b))) {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        same(__nv_fmod(x, y), x % y, f64::to_bits, &format!("fmod({x:e}, {y:e})"));
        let (x, y) = (f32::from_bits((a >> 32) as u32), f32::from_bits((b >> 32) as u32));
        same(__nv_fmodf(x, y), x % y, |v| v.to_bits().into(), &format!("fmodf({x:e}, {y:e})"));
    }
}

#[test]
fn sinpi_and_cospi_are_exact_at_multiples_of_a_half() {
    for (x, sine, cosine) in [
        (0.0, 0.0, 1.0),
        (0.5, 1.0, 0.0),
        (1.0, 0.0, -1.0),
        (-1.5, 1.0, 0.0),
        (-0.5, -1.0, 0.0),
        (2.0, 0.0, 1.0),
        (9_007_199_254_740_993.0, 0.0, 1.0),
        (1e300, 0.0, 1.0),
    ] {
        assert_eq!((__nv_sinpi(x), __nv_cospi(x)), (sine, cosine), "{x}");
    }
    assert_eq!(__nv_sinpif(-0.0).to_bits(), (-0.0f32).to_bits());
    assert!(__nv_sinpi(f64::INFINITY).is_nan() && __nv_cospif(f32::NAN).is_nan());
    assert!((__nv_sinpi(0.25) - 0.5f64.sqrt()).abs() < 1e-15);
}

#[test]
fn exponents() {
    assert_eq!((__nv_ilogb(8.0), __nv_ilogb(0.7), __nv_ilogb(5e-324)), (3, -1, -1074));
    assert_eq!(
        (__nv_ilogb(0.0), __nv_ilogbf(f32::NAN), __nv_ilogb(f64::INFINITY)),
        (i32::MIN, i32::MIN, i32::MAX)
    );
    assert_eq!(
        (__nv_logb(8.0), __nv_logb(0.0), __nv_logbf(f32::NEG_INFINITY)),
        (3.0, f64::NEG_INFINITY, f32::INFINITY)
    );
    assert_eq!((__nv_ldexp(3.0, 4), __nv_scalbnf(1.0, -149)), (48.0, f32::from_bits(1)));
}

#[test]
fn powers_and_roots() {
    assert_eq!((__nv_powi(2.0, 10), __nv_powi(2.0, -3), __nv_powi(7.0, 0)), (1024.0, 0.125, 1.0));
    assert_eq!(__nv_powi(-1.0, i32::MIN), 1.0);
    assert_eq!((__nv_rsqrt(4.0), __nv_rcbrt(8.0), __nv_rhypot(3.0, 4.0)), (0.5, 0.5, 0.2));
    assert_eq!((__nv_norm3d(2.0, 3.0, 6.0), __nv_norm4d(1.0, 1.0, 1.0, 1.0)), (7.0, 2.0));
    assert!((__nv_norm4df(1.0, 1.0, 1.0, 1.0) - 2.0).abs() < 3e-7);
}

#[test]
fn classes_and_rounding() {
    assert_eq!(
        (__nv_isnand(f64::NAN), __nv_isinff(1.0), __nv_isfinited(1.0), __nv_finitef(f32::INFINITY)),
        (1, 0, 1, 0)
    );
    assert_eq!((__nv_signbitd(-0.0), __nv_signbitf(0.0)), (1, 0));
    assert_eq!((__nv_llrint(2.5), __nv_llround(2.5), __nv_llrintf(-3.5)), (2, 3, -4));
    assert_eq!((__nv_rint(0.5), __nv_round(0.5), __nv_trunc(-1.7)), (0.0, 1.0, -1.0));
}

#[test]
fn results_through_pointers() {
    let (mut a, mut b, mut i) = (0.0, 0.0, 0);
    // SAFETY: variables of this test.
    unsafe {
        assert_eq!((__nv_modf(-3.25, &raw mut a), a), (-0.25, -3.0));
        assert_eq!((__nv_frexp(48.0, &raw mut i), i), (0.75, 6));
        assert_eq!((__nv_remquo(7.0, 2.0, &raw mut i), i & 7), (-1.0, 4));
        __nv_sincos(1.0, &raw mut a, &raw mut b);
    }
    assert_eq!((a, b), (__nv_sin(1.0), __nv_cos(1.0)));
}

#[test]
fn integers() {
    assert_eq!((__nv_abs(-3), __nv_llabs(i64::MIN), __nv_min(-1, 1), __nv_umin(!0, 1)), (3, i64::MIN, -1, 1));
    assert_eq!(
        (__nv_ffs(0), __nv_ffs(8), __nv_clz(1), __nv_popcll(-1), __nv_brev(1)),
        (0, 4, 31, 64, 1 << 31)
    );
    assert_eq!((__nv_mulhi(-1, 2), __nv_umulhi(!0, 2), __nv_umul64hi(!0, !0)), (-1, 1, !0 - 1));
}
