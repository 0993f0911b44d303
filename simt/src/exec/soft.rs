//! IEEE 754 arithmetic in integers: exact results, rounded once to any format in any direction (PTX ISA 9.0, 9.7.3 and 9.7.4; what
//! NaN becomes and which subnormal numbers are kept stands there in "Floating-Point Instructions").
//!
//! The fast paths of [`super::float`] use the host's arithmetic, which rounds to nearest only; directed rounding, binary16
//! and the conversions between formats come here. A value is a sign, an integer of up to 125 bits, a power of two
//! and a sticky bit for what was cut off.

use crate::code::{Float, Round};

/// What the formats differ in.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of precision, with the hidden one.
    precision: u32,
    /// Largest exponent; the smallest of a normal number is `1 - largest`.
    largest: i32,
    /// The quiet NaN that the GPU makes.
    nan: u64,
}

const fn format(ty: Float) -> Format {
    match ty {
        Float::F16 => Format { precision: 11, largest: 15, nan: 0x7fff },
        Float::Bf16 => Format { precision: 8, largest: 127, nan: 0x7fff },
        Float::F32 => Format { precision: 24, largest: 127, nan: 0x7fff_ffff },
        Float::F64 => Format { precision: 53, largest: 1023, nan: 0xfff8_0000_0000_0000 },
    }
}

impl Format {
    const fn fraction_bits(self) -> u32 {
        self.precision - 1
    }
    const fn exponent_mask(self) -> u64 {
        (2 * self.largest + 1) as u64
    }
    const fn infinity(self) -> u64 {
        self.exponent_mask() << self.fraction_bits()
    }
    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.fraction_bits() + self.exponent_mask().count_ones())
    }
}

/// A finite value other than zero: `mantissa * 2^exponent`, a little more in magnitude if `sticky`.
#[derive(Clone, Copy, Debug)]
struct Exact {
    negative: bool,
    mantissa: u128,
    exponent: i32,
    sticky: bool,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Nan,
    Infinite(bool),
    Zero(bool),
    Finite(Exact),
}

impl Value {
    fn negative(self) -> bool {
        match self {
            Self::Nan => false,
            Self::Infinite(negative) | Self::Zero(negative) => negative,
            Self::Finite(x) => x.negative,
        }
    }
}

/// Position that [`Exact::normal`] brings the leading bit to; leaves room for the carry of an addition.
const TOP: u32 = 124;

impl Exact {
    fn normal(self) -> Self {
        let shift = TOP - self.mantissa.ilog2();
        Self { mantissa: self.mantissa << shift, exponent: self.exponent - shift as i32, ..self }
    }

    /// Sum; `None` if it is exactly zero. At most one operand is inexact, which all callers see to.
    fn add(self, other: Self) -> Option<Self> {
        let (mut big, mut small) = (self.normal(), other.normal());
        if (big.exponent, big.mantissa) < (small.exponent, small.mantissa) {
            std::mem::swap(&mut big, &mut small);
        }
        let distance = (big.exponent - small.exponent) as u32;
        let aligned = small.mantissa.checked_shr(distance).unwrap_or(0);
        let sticky = aligned.checked_shl(distance) != Some(small.mantissa) || aligned == 0;
        let mantissa = if big.negative == small.negative {
            big.mantissa + aligned
        } else {
            // What was cut off the subtrahend makes the difference smaller by less than one unit.
            big.mantissa - aligned - u128::from(sticky)
        };
        (mantissa != 0 || sticky).then_some(Self { mantissa, sticky, ..big })
    }

    fn mul(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
            sticky: false,
        }
    }

    fn round(self, ty: Float, round: Round) -> u64 {
        let f = format(ty);
        let leading = self.exponent + self.mantissa.ilog2() as i32;
        let mut quantum = leading.max(1 - f.largest) - f.fraction_bits() as i32;
        let shift = quantum - self.exponent;
        let (mut units, above_half, half, inexact) = if shift <= 0 {
            (self.mantissa << -shift, false, false, self.sticky)
        } else if shift >= 128 {
            (0, false, false, true)
        } else {
            let lost = self.mantissa & (u128::MAX >> (128 - shift));
            let middle = 1 << (shift - 1);
            let exactly = lost == middle && !self.sticky;
            (self.mantissa >> shift, lost >= middle && !exactly, exactly, lost != 0 || self.sticky)
        };
        let up = match round {
            Round::Nearest => above_half || (half && units & 1 == 1),
            Round::Zero => false,
            Round::Down => inexact && self.negative,
            Round::Up => inexact && !self.negative,
        };
        units += u128::from(up);
        if units >> f.precision != 0 {
            units >>= 1;
            quantum += 1;
        }
        let sign = f.sign(self.negative);
        if quantum + f.fraction_bits() as i32 > f.largest && units >> f.fraction_bits() != 0 {
            let to_infinity = match round {
                Round::Nearest => true,
                Round::Zero => false,
                Round::Down => self.negative,
                Round::Up => !self.negative,
            };
            return sign | (f.infinity() - u64::from(!to_infinity));
        }
        // Adding, not masking: the hidden bit of a normal number raises the exponent field by one.
        let field = (quantum + f.fraction_bits() as i32 + f.largest - 1) as u64;
        sign | ((field << f.fraction_bits()) + units as u64)
    }
}

fn unpack(ty: Float, bits: u64) -> Value {
    let f = format(ty);
    let fraction = bits & ((1 << f.fraction_bits()) - 1);
    let field = bits >> f.fraction_bits() & f.exponent_mask();
    let negative = bits & f.sign(true) != 0;
    match (field, fraction) {
        (0, 0) => Value::Zero(negative),
        (e, 0) if e == f.exponent_mask() => Value::Infinite(negative),
        (e, _) if e == f.exponent_mask() => Value::Nan,
        (e, _) => Value::Finite(Exact {
            negative,
            mantissa: u128::from(if e == 0 { fraction } else { fraction | 1 << f.fraction_bits() }),
            exponent: e.max(1) as i32 - f.largest - f.fraction_bits() as i32,
            sticky: false,
        }),
    }
}

/// The NaN that an operation gives: what the GPU makes, except that f64 keeps the payload of a NaN operand.
fn nan(ty: Float, operands: &[u64]) -> u64 {
    let is_nan = |bits: &&u64| matches!(unpack(ty, **bits), Value::Nan);
    match (ty, operands.iter().find(is_nan)) {
        (Float::F64, Some(bits)) => bits | 1 << 51,
        _ => format(ty).nan,
    }
}

fn zero(ty: Float, negative: bool) -> u64 {
    format(ty).sign(negative)
}

/// Infinity.
pub fn infinity(ty: Float, negative: bool) -> u64 {
    format(ty).sign(negative) | format(ty).infinity()
}

/// `a * b`.
pub fn mul(ty: Float, a: u64, b: u64, round: Round) -> u64 {
    let (x, y) = (unpack(ty, a), unpack(ty, b));
    let negative = x.negative() != y.negative();
    match (x, y) {
        (Value::Nan, _) | (_, Value::Nan) => nan(ty, &[a, b]),
        (Value::Infinite(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinite(_)) => nan(ty, &[]),
        (Value::Infinite(_), _) | (_, Value::Infinite(_)) => infinity(ty, negative),
        (Value::Zero(_), _) | (_, Value::Zero(_)) => zero(ty, negative),
        (Value::Finite(x), Value::Finite(y)) => x.mul(y).round(ty, round),
    }
}

/// `a * b + c`, rounded once.
pub fn fma(ty: Float, a: u64, b: u64, c: u64, round: Round) -> u64 {
    let (x, y, z) = (unpack(ty, a), unpack(ty, b), unpack(ty, c));
    let negative = x.negative() != y.negative();
    let product = match (x, y) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinite(_)) => Value::Nan,
        (Value::Infinite(_), _) | (_, Value::Infinite(_)) => Value::Infinite(negative),
        (Value::Zero(_), _) | (_, Value::Zero(_)) => Value::Zero(negative),
        (Value::Finite(x), Value::Finite(y)) => Value::Finite(x.mul(y)),
    };
    match (product, z) {
        (Value::Nan, _) | (_, Value::Nan) => nan(ty, &[a, b, c]),
        (Value::Infinite(p), Value::Infinite(q)) if p != q => nan(ty, &[]),
        (Value::Infinite(p), _) | (_, Value::Infinite(p)) => infinity(ty, p),
        (Value::Zero(p), Value::Zero(q)) => zero(ty, if p == q { p } else { round == Round::Down }),
        (Value::Zero(_), Value::Finite(_)) => c,
        (Value::Finite(p), Value::Zero(_)) => p.round(ty, round),
        (Value::Finite(p), Value::Finite(q)) => match p.add(q) {
            Some(sum) => sum.round(ty, round),
            None => zero(ty, round == Round::Down),
        },
    }
}

/// `a + b`.
pub fn add(ty: Float, a: u64, b: u64, round: Round) -> u64 {
    fma(ty, a, one(ty), b, round)
}

/// 1.
pub const fn one(ty: Float) -> u64 {
    (format(ty).largest as u64) << format(ty).fraction_bits()
}

/// `a / b`.
pub fn div(ty: Float, a: u64, b: u64, round: Round) -> u64 {
    let (x, y) = (unpack(ty, a), unpack(ty, b));
    let negative = x.negative() != y.negative();
    match (x, y) {
        (Value::Nan, _) | (_, Value::Nan) => nan(ty, &[a, b]),
        (Value::Infinite(_), Value::Infinite(_)) | (Value::Zero(_), Value::Zero(_)) => nan(ty, &[]),
        (Value::Infinite(_), _) | (_, Value::Zero(_)) => infinity(ty, negative),
        (Value::Zero(_), _) | (_, Value::Infinite(_)) => zero(ty, negative),
        (Value::Finite(x), Value::Finite(y)) => {
            let x = x.normal();
            let quotient = Exact {
                negative,
                mantissa: x.mantissa / y.mantissa,
                exponent: x.exponent - y.exponent,
                sticky: x.mantissa % y.mantissa != 0,
            };
            quotient.round(ty, round)
        }
    }
}

/// Square root.
pub fn sqrt(ty: Float, a: u64, round: Round) -> u64 {
    match unpack(ty, a) {
        Value::Nan => nan(ty, &[a]),
        Value::Zero(_) | Value::Infinite(false) => a,
        Value::Infinite(true) => nan(ty, &[]),
        Value::Finite(x) if x.negative => nan(ty, &[]),
        Value::Finite(x) => {
            let mut x = x.normal();
            if x.exponent % 2 != 0 {
                x.mantissa <<= 1;
                x.exponent -= 1;
            }
            let mantissa = x.mantissa.isqrt();
            let sticky = mantissa * mantissa != x.mantissa;
            Exact { negative: false, mantissa, exponent: x.exponent / 2, sticky }.round(ty, round)
        }
    }
}

/// Conversion between formats.
pub fn convert(to: Float, from: Float, a: u64, round: Round) -> u64 {
    match unpack(from, a) {
        // A NaN keeps its sign and payload on the way up to f64, and becomes the one NaN of the smaller formats.
        Value::Nan if to == Float::F64 => {
            let f = format(from);
            let payload = (a & ((1 << f.fraction_bits()) - 1)) << (52 - f.fraction_bits());
            format(to).sign(a & f.sign(true) != 0) | format(to).infinity() | 1 << 51 | payload
        }
        Value::Nan => format(to).nan,
        Value::Infinite(negative) => infinity(to, negative),
        Value::Zero(negative) => zero(to, negative),
        Value::Finite(x) => x.round(to, round),
    }
}

/// Conversion of an integer.
pub fn from_integer(to: Float, value: i128, round: Round) -> u64 {
    if value == 0 {
        return 0;
    }
    let exact = Exact { negative: value < 0, mantissa: value.unsigned_abs(), exponent: 0, sticky: false };
    exact.round(to, round)
}

/// Replaces a subnormal number by zero of its sign.
pub fn flush(ty: Float, a: u64) -> u64 {
    let f = format(ty);
    if a & f.infinity() == 0 { a & f.sign(true) } else { a }
}

/// Clamps to [0, 1]; NaN becomes +0.
pub fn saturate(ty: Float, a: u64) -> u64 {
    let f = format(ty);
    let is_nan = a & !f.sign(true) > f.infinity();
    if is_nan || a & f.sign(true) != 0 { 0 } else { a.min(one(ty)) }
}

/// Negative values become +0, and NaN the one of the GPU.
pub fn rectify(ty: Float, a: u64) -> u64 {
    let f = format(ty);
    match a & f.sign(true) {
        _ if a & !f.sign(true) > f.infinity() => f.nan,
        0 => a,
        _ => 0,
    }
}

/// Infinity becomes the largest number of its sign.
pub fn finite(ty: Float, a: u64) -> u64 {
    let f = format(ty);
    if a & !f.sign(true) == f.infinity() { a - 1 } else { a }
}

/// Minimum or maximum (PTX ISA 9.0, 9.7.3.11, 9.7.3.12): the other operand if one is NaN, or with `nan` NaN if one is; -0 is less
/// than +0. No operand is changed but NaN, which becomes the one of the GPU.
pub fn extremum(ty: Float, a: u64, b: u64, max: bool, nan: bool) -> u64 {
    let f = format(ty);
    let is_nan = |x: u64| x & !f.sign(true) > f.infinity();
    match (is_nan(a), is_nan(b)) {
        (true, true) => return f.nan,
        (true, _) | (_, true) if nan => return f.nan,
        (true, _) => return b,
        (_, true) => return a,
        _ => {}
    }
    // Sign and magnitude as a number: -0 becomes -1.
    let order = |x: u64| if x & f.sign(true) == 0 { x as i64 } else { !((x ^ f.sign(true)) as i64) };
    if (order(a) < order(b)) != max { a } else { b }
}

/// bfloat16 to f32, exactly.
#[inline(always)]
pub fn bf16_to_f32(bits: u16) -> f32 {
    super::float::canonical(f32::from_bits(u32::from(bits) << 16))
}

/// f16 to f32, exactly.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff);
    let sign = u32::from(bits & 0x8000) << 16;
    if magnitude >= 0x7c00 {
        let bits = if magnitude == 0x7c00 { sign | 0x7f80_0000 } else { 0x7fff_ffff };
        return f32::from_bits(bits);
    }
    // The exponent field is too small by the difference of the biases, which a multiplication puts right.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(scaled.to_bits() | sign)
}

#[cfg(test)]
mod tests;
