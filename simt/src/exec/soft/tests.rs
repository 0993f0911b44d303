//! Against the host's arithmetic, by hand, and by what rounding promises.

use super::*;

fn f32_to_f16(value: f32) -> u16 {
    convert(Float::F16, Float::F32, value.to_bits().into(), Round::Nearest) as u16
}

/// Values of every kind, and pseudo-random ones.
fn samples64() -> Vec<f64> {
    let mut v = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        3.0,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        -f64::from_bits(3),
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-300,
        1e300,
        0.1,
        -7.25,
    ];
    let mut x = 0x1234_5678_9abc_def1u64;
    for _ in 0..40 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        v.push(f64::from_bits(x));
        v.push(f64::from_bits(x >> 12 | 0x3ff0_0000_0000_0000));
    }
    v
}

fn same64(got: u64, want: f64) -> bool {
    f64::from_bits(got).is_nan() && want.is_nan() || got == want.to_bits()
}

fn same32(got: u64, want: f32) -> bool {
    f32::from_bits(got as u32).is_nan() && want.is_nan() || got == u64::from(want.to_bits())
}

#[test]
fn to_nearest_agrees_with_the_host() {
    for &a in &samples64() {
        for &b in &samples64() {
            let (x, y) = (a.to_bits(), b.to_bits());
            assert!(same64(add(Float::F64, x, y, Round::Nearest), a + b), "{a:e} + {b:e}");
            assert!(same64(mul(Float::F64, x, y, Round::Nearest), a * b), "{a:e} * {b:e}");
            assert!(same64(div(Float::F64, x, y, Round::Nearest), a / b), "{a:e} / {b:e}");
            for &c in &[0.0, -0.0, 1e-5, -a * b, f64::MAX, f64::from_bits(1), f64::INFINITY] {
                let got = fma(Float::F64, x, y, c.to_bits(), Round::Nearest);
                assert!(same64(got, a.mul_add(b, c)), "{a:e} * {b:e} + {c:e}");
            }
            let (s, t) = (a as f32, b as f32);
            let (x, y) = (u64::from(s.to_bits()), u64::from(t.to_bits()));
            assert!(same32(add(Float::F32, x, y, Round::Nearest), s + t), "{s:e} + {t:e}");
            assert!(same32(div(Float::F32, x, y, Round::Nearest), s / t), "{s:e} / {t:e}");
        }
        assert!(same64(sqrt(Float::F64, a.to_bits(), Round::Nearest), a.sqrt()), "sqrt {a:e}");
        assert!(same32(convert(Float::F32, Float::F64, a.to_bits(), Round::Nearest), a as f32), "{a:e}");
        let s = a as f32;
        assert!(same64(convert(Float::F64, Float::F32, s.to_bits().into(), Round::Nearest), f64::from(s)));
    }
}

#[test]
fn directed_results_enclose_the_exact_one_and_are_neighbours() {
    let next = |x: f64| x.next_up();
    for &a in &samples64() {
        for &b in &samples64() {
            for op in [add, mul, div] {
                let r = |round| f64::from_bits(op(Float::F64, a.to_bits(), b.to_bits(), round));
                let (n, z, d, u) = (r(Round::Nearest), r(Round::Zero), r(Round::Down), r(Round::Up));
                if n.is_nan() {
                    assert!(z.is_nan() && d.is_nan() && u.is_nan());
                    continue;
                }
                assert!(d <= n && n <= u, "{d:e} {n:e} {u:e}");
                assert!(d == u || next(d) == u, "{a:e} {b:e}: {d:e} {u:e}");
                assert!(z == if u <= 0.0 { u } else { d }, "{d:e} {z:e} {u:e}");
            }
        }
    }
}

#[test]
fn directed_rounding_by_hand() {
    let tiny = f64::from_bits(1).to_bits();
    let one64 = one(Float::F64);
    assert_eq!(add(Float::F64, one64, tiny, Round::Up), 1f64.next_up().to_bits());
    assert_eq!(add(Float::F64, one64, tiny, Round::Down), one64);
    assert_eq!(add(Float::F64, one64, tiny | 1 << 63, Round::Zero), 1f64.next_down().to_bits());
    assert_eq!(add(Float::F64, one64, one64 | 1 << 63, Round::Down), 1 << 63);
    assert_eq!(mul(Float::F64, tiny, tiny, Round::Up), tiny);
    assert_eq!(mul(Float::F64, tiny, tiny, Round::Zero), 0);
    assert_eq!(mul(Float::F64, f64::MAX.to_bits(), f64::MAX.to_bits(), Round::Zero), f64::MAX.to_bits());
    assert_eq!(from_integer(Float::F32, (1 << 24) + 1, Round::Up), u64::from(16_777_218f32.to_bits()));
    assert_eq!(from_integer(Float::F32, -((1 << 24) + 1), Round::Up), u64::from((-16_777_216f32).to_bits()));
    assert_eq!(from_integer(Float::F64, i128::from(u64::MAX), Round::Nearest), (u64::MAX as f64).to_bits());
}

#[test]
fn every_f16_survives_the_way_through_f32() {
    for bits in 0..=u16::MAX {
        let f = f16_to_f32(bits);
        let via_soft = convert(Float::F32, Float::F16, bits.into(), Round::Nearest) as u32;
        assert_eq!(f.to_bits(), via_soft, "{bits:#x}");
        let back = f32_to_f16(f);
        assert_eq!(back, if f.is_nan() { 0x7fff } else { bits });
    }
    // Ties go to even, and overflow to infinity.
    assert_eq!(f32_to_f16(2049.0), f32_to_f16(2048.0));
    assert_eq!(f32_to_f16(2051.0), f32_to_f16(2052.0));
    assert_eq!(f32_to_f16(65519.0), 0x7bff);
    assert_eq!(f32_to_f16(65520.0), 0x7c00);
}

#[test]
fn saturation_and_flushing() {
    let f = |x: f32| u64::from(x.to_bits());
    assert_eq!(saturate(Float::F32, f(2.0)), f(1.0));
    assert_eq!(saturate(Float::F32, f(-2.0)), 0);
    assert_eq!(saturate(Float::F32, f(-0.0)), 0);
    assert_eq!(saturate(Float::F32, f(0.25)), f(0.25));
    assert_eq!(saturate(Float::F32, f(f32::NAN)), 0);
    assert_eq!(saturate(Float::F32, f(f32::INFINITY)), f(1.0));
    assert_eq!(flush(Float::F32, 0x8000_0001), 0x8000_0000);
    assert_eq!(flush(Float::F32, f(f32::MIN_POSITIVE)), f(f32::MIN_POSITIVE));
}
