//! Math functions that are made here, against Rust's.

mod machine;

use devicertl::math::{class::*, exponential::*, integer::*, norm::*, parts::*, roots::*, trig::*, video::*};

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
    assert_eq!((__nv_llround(2.5), __nv_llroundf(-2.5), __nv_llround(-0.4)), (3, -3, 0));
    for x in [0.5, 0.49999999999999994, 2.5, -2.5, 4503599627370497.0, -0.3, 1e300, f64::INFINITY] {
        same(__nv_round(x), x.round(), f64::to_bits, &format!("round({x})"));
    }
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

#[test]
fn averages_round_down_and_up() {
    assert_eq!((__nv_hadd(3, 4), __nv_rhadd(3, 4), __nv_hadd(-3, -4), __nv_rhadd(-3, -4)), (3, 4, -4, -3));
    assert_eq!((__nv_uhadd(!0, !0 - 1), __nv_urhadd(!0, !0 - 1)), (!0 - 1, !0));
    assert_eq!((__nv_hadd(i32::MAX, i32::MAX), __nv_rhadd(i32::MIN, i32::MIN)), (i32::MAX, i32::MIN));
}

#[test]
fn fractions_and_exponents_of_all_numbers() {
    for x in patterns().map(f64::from_bits) {
        let (mut whole, mut exponent) = (0.0, 0);
        // SAFETY: variables of this test.
        let (fraction, mantissa) =
            unsafe { (__nv_modf(x, &raw mut whole), __nv_frexp(x, &raw mut exponent)) };
        if x.is_nan() {
            assert!(fraction.is_nan() && mantissa.is_nan());
            continue;
        }
        same(whole, x.trunc(), f64::to_bits, "integer part");
        same(
            fraction,
            if x.is_infinite() { 0.0f64.copysign(x) } else { x.fract().copysign(x) },
            f64::to_bits,
            "fraction",
        );
        if x.is_finite() && x != 0.0 {
            assert!((0.5..1.0).contains(&mantissa.abs()), "{x:e}: {mantissa}");
            same(__nv_ldexp(mantissa, exponent), x, f64::to_bits, "mantissa and exponent");
            assert_eq!(__nv_ilogb(x), exponent - 1, "{x:e}");
        } else {
            assert_eq!((mantissa, exponent), (x, 0));
        }
    }
    let mut exponent = 0;
    // SAFETY: a variable of this test.
    assert_eq!((unsafe { __nv_frexpf(f32::from_bits(1), &raw mut exponent) }, exponent), (0.5, -148));
}

#[test]
fn an_infinite_part_makes_a_vector_infinite() {
    assert_eq!(
        (__nv_hypot(f64::NAN, f64::NEG_INFINITY), __nv_rhypotf(f32::INFINITY, f32::NAN)),
        (f64::INFINITY, 0.0)
    );
    assert!(__nv_norm3d(1.0, f64::NAN, 2.0).is_nan());
    assert_eq!((__nv_hypot(0.0, -0.0), __nv_rhypot(0.0, 0.0)), (0.0, f64::INFINITY));
    assert_eq!((__nv_hypot(3e300, 4e300), __nv_hypotf(3e-45, 4e-45)), (5e300, 5.6e-45));
    let parts = [2.0; 16];
    // SAFETY: an array of this test.
    unsafe {
        assert_eq!((__nv_norm(16, parts.as_ptr()), __nv_rnorm(4, parts.as_ptr())), (8.0, 0.25));
        assert_eq!(__nv_norm(0, parts.as_ptr()), 0.0);
        assert_eq!(__nv_normf(2, [3e30f32, 4e30].as_ptr()), 5e30);
    }
}

#[test]
fn a_nan_carries_its_number() {
    let bits = |text: &std::ffi::CStr| {
        // SAFETY: a text of this test.
        let nan = unsafe { __nv_nan(text.as_ptr().cast()) };
        assert!(nan.is_nan());
        nan.to_bits() & 0xffff
    };
    assert_eq!((bits(c""), bits(c"12"), bits(c"0x1F"), bits(c"017"), bits(c"text")), (0, 12, 31, 15, 0));
}

#[test]
fn bits_of_numbers() {
    assert_eq!((__nv_double2hiint(-2.0), __nv_double2loint(1.0 + f64::EPSILON)), (-0x4000_0000, 1));
    assert_eq!(__nv_hiloint2double(__nv_double2hiint(-1.1), __nv_double2loint(-1.1)), -1.1);
    assert_eq!((__nv_float_as_int(-0.0), __nv_uint_as_float(0x3f80_0000)), (i32::MIN, 1.0));
}

/// Parts of a word against plain loops: every function by name, its parts' sign, and what it does to two parts.
#[test]
fn parts_of_words() {
    fn parts(word: u32, bits: u32, signed: bool) -> Vec<i64> {
        (0..32 / bits)
            .map(|i| {
                let part = (word >> (i * bits)) as i64 & ((1 << bits) - 1);
                if signed && part >> (bits - 1) != 0 { part - (1 << bits) } else { part }
            })
            .collect()
    }
    type Word = extern "C" fn(u32, u32) -> u32;
    let check = |f: Word, bits: u32, signed: bool, rule: &dyn Fn(i64, i64) -> i64, what: &str| {
        let words = [0, !0, 0x8000_7fff, 0x0180_7fff, 0x80ff_0001, 0x1234_89ab, 0x7f80_0180];
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (*a, *b))) {
            let (x, y) = (parts(a, bits, signed), parts(b, bits, signed));
            let wanted = (0..x.len()).fold(0, |word, i| {
                word | ((rule(x[i], y[i]) & ((1 << bits) - 1)) as u32) << (i as u32 * bits)
            });
            assert_eq!(f(a, b), wanted, "{what}({a:x}, {b:x})");
        }
    };
    macro_rules! check {
        ($($two:ident $four:ident $signed:literal |$x:ident, $y:ident, $low:ident, $high:ident| $rule:expr;)*) => { $(
            for (f, bits) in [($two as Word, 16), ($four as Word, 8)] {
                let ($low, $high) = if $signed { (-1i64 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
                let _ = ($low, $high);
                check(f, bits, $signed, &|$x, $y| $rule, stringify!($four));
            }
        )* };
    }
    check! {
        __nv_vadd2 __nv_vadd4 false |x, y, low, high| x + y;
        __nv_vsub2 __nv_vsub4 false |x, y, low, high| x - y;
        __nv_vaddss2 __nv_vaddss4 true |x, y, low, high| (x + y).clamp(low, high);
        __nv_vaddus2 __nv_vaddus4 false |x, y, low, high| (x + y).clamp(low, high);
        __nv_vsubss2 __nv_vsubss4 true |x, y, low, high| (x - y).clamp(low, high);
        __nv_vsubus2 __nv_vsubus4 false |x, y, low, high| (x - y).clamp(low, high);
        __nv_vabsdiffs2 __nv_vabsdiffs4 true |x, y, low, high| (x - y).abs();
        __nv_vabsdiffu2 __nv_vabsdiffu4 false |x, y, low, high| (x - y).abs();
        __nv_vavgu2 __nv_vavgu4 false |x, y, low, high| (x + y + 1) / 2;
        __nv_vhaddu2 __nv_vhaddu4 false |x, y, low, high| (x + y) / 2;
        __nv_vavgs2 __nv_vavgs4 true |x, y, low, high| if x + y >= 0 { (x + y + 1) / 2 } else { -((1 - x - y) / 2) };
        __nv_vmaxs2 __nv_vmaxs4 true |x, y, low, high| x.max(y);
        __nv_vmaxu2 __nv_vmaxu4 false |x, y, low, high| x.max(y);
        __nv_vmins2 __nv_vmins4 true |x, y, low, high| x.min(y);
        __nv_vminu2 __nv_vminu4 false |x, y, low, high| x.min(y);
        __nv_vcmpeq2 __nv_vcmpeq4 false |x, y, low, high| -i64::from(x == y);
        __nv_vcmpne2 __nv_vcmpne4 false |x, y, low, high| -i64::from(x != y);
        __nv_vcmpges2 __nv_vcmpges4 true |x, y, low, high| -i64::from(x >= y);
        __nv_vcmpgeu2 __nv_vcmpgeu4 false |x, y, low, high| -i64::from(x >= y);
        __nv_vcmpgts2 __nv_vcmpgts4 true |x, y, low, high| -i64::from(x > y);
        __nv_vcmpgtu2 __nv_vcmpgtu4 false |x, y, low, high| -i64::from(x > y);
        __nv_vcmples2 __nv_vcmples4 true |x, y, low, high| -i64::from(x <= y);
        __nv_vcmpleu2 __nv_vcmpleu4 false |x, y, low, high| -i64::from(x <= y);
        __nv_vcmplts2 __nv_vcmplts4 true |x, y, low, high| -i64::from(x < y);
        __nv_vcmpltu2 __nv_vcmpltu4 false |x, y, low, high| -i64::from(x < y);
        __nv_vseteq2 __nv_vseteq4 false |x, y, low, high| i64::from(x == y);
        __nv_vsetne2 __nv_vsetne4 false |x, y, low, high| i64::from(x != y);
        __nv_vsetges2 __nv_vsetges4 true |x, y, low, high| i64::from(x >= y);
        __nv_vsetgeu2 __nv_vsetgeu4 false |x, y, low, high| i64::from(x >= y);
        __nv_vsetgts2 __nv_vsetgts4 true |x, y, low, high| i64::from(x > y);
        __nv_vsetgtu2 __nv_vsetgtu4 false |x, y, low, high| i64::from(x > y);
        __nv_vsetles2 __nv_vsetles4 true |x, y, low, high| i64::from(x <= y);
        __nv_vsetleu2 __nv_vsetleu4 false |x, y, low, high| i64::from(x <= y);
        __nv_vsetlts2 __nv_vsetlts4 true |x, y, low, high| i64::from(x < y);
        __nv_vsetltu2 __nv_vsetltu4 false |x, y, low, high| i64::from(x < y);
    }
    assert_eq!(
        (__nv_vabs4(0x80ff_017f), __nv_vabsss4(0x80ff_017f), __nv_vneg2(0x8000_0001)),
        (0x8001_017f, 0x7f01_017f, 0x8000_ffff)
    );
    assert_eq!((__nv_vnegss2(0x8000_0001), __nv_vnegss4(0x80ff_0102)), (0x7fff_ffff, 0x7f01_fffe));
    assert_eq!(
        (__nv_vabs2(0x8000_ffff), __nv_vabsss2(0x8000_ffff), __nv_vneg4(0x80ff_0102)),
        (0x8000_0001, 0x7fff_0001, 0x8001_fffe)
    );
    assert_eq!((__nv_vsads4(0x80ff_0000, 0x7f01_0000), __nv_vsadu4(0x80ff_0000, 0x7f01_0000)), (257, 255));
    assert_eq!((__nv_vsads2(0xffff_0001, 0x0001_0001), __nv_vsadu2(0xffff_0001, 0x0001_0001)), (2, 0xfffe));
}
