//! Reference for f16: values by the definition of the format, rounding by search.

use std::sync::LazyLock;

/// The value of an f16.
pub fn decode(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 != 0 { -magnitude } else { magnitude }
}

/// The values of 0 to 0x7c00, in order. The last one stands for 2^16, where the next number would be.
static VALUES: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let mut values: Vec<_> = (0..0x7c00).map(decode).collect();
    values.push(65536.0);
    values
});

/// How a value is rounded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Direction {
    Nearest,
    Zero,
    Down,
    Up,
}

/// The f16 of an exact value.
pub fn encode(x: f64, direction: Direction) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << 15;
    let magnitude = x.abs();
    if x.is_nan() || x.is_infinite() {
        return if x.is_nan() { 0x7fff } else { sign | 0x7c00 };
    }
    let above = VALUES.partition_point(|value| *value < magnitude);
    let away = match direction {
        Direction::Nearest => None,
        Direction::Zero => Some(false),
        Direction::Down => Some(sign != 0),
        Direction::Up => Some(sign == 0),
    };
    let index = if above < 0x7c00 && VALUES[above] == magnitude {
        above
    } else {
        // Between two neighbours, or beyond the largest number.
        let (lower, upper) = (above.min(0x7c00) - 1, above.min(0x7c00));
        let (down, up) = (magnitude - VALUES[lower], VALUES[upper] - magnitude);
        let nearest = down > up || down == up && upper % 2 == 0;
        if away.unwrap_or(nearest) { upper } else { lower }
    };
    sign | index as u16
}

/// The value of the low bits of a word as f16, f32 or f64.
pub fn value(bits: u64, width: u32) -> f64 {
    match width {
        16 => decode(bits as u16),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

#[test]
fn reference() {
    assert_eq!((decode(0x3c00), decode(0xc000), decode(1)), (1.0, -2.0, 2f64.powi(-24)));
    let nearest = |x| encode(x, Direction::Nearest);
    assert!((0..0x7c00).all(|bits| nearest(decode(bits)) == bits));
    assert_eq!(
        (nearest(1.0 + 2f64.powi(-11)), nearest(1.0 + 3.0 * 2f64.powi(-11))),
        (0x3c00, 0x3c02),
        "ties to even"
    );
    assert_eq!((nearest(65519.9), nearest(65520.0), nearest(1e9)), (0x7bff, 0x7c00, 0x7c00));
    assert_eq!((encode(65536.0, Direction::Zero), encode(65536.0, Direction::Nearest)), (0x7bff, 0x7c00));
    assert_eq!((encode(1e9, Direction::Zero), encode(-1e9, Direction::Up)), (0x7bff, 0xfbff));
    assert_eq!((encode(1e-9, Direction::Up), encode(-1e-9, Direction::Up)), (1, 0x8000));
}
