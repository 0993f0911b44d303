//! Real numbers taken apart (Fortran 2018, 16.9 and 16.4): exponents, fractions, spacings, neighbours, remainders. Both kinds are
//! handled in the bits of their own.

use super::{File, fortran};
use crate::math::parts::{fmod, fmodf};

macro_rules! model {
    ($(
        $t:ident $bits:ident, digits $digits:literal, bias $bias:literal, module $module:ident, remainder $fmod:ident:
        $exponent4:ident $exponent8:ident $fraction:ident $scale:ident $set:ident $spacing:ident $reciprocal:ident
        $nearest:ident $mod:ident $modulo:ident
    )*) => { $(
        mod $module {
            const MANTISSA: u32 = $digits - 1;
            const HIDDEN: $bits = 1 << MANTISSA;
            const EXPONENTS: $bits = ($bits::MAX >> 1) & !(HIDDEN - 1);

            /// `x` is `fraction * 2^exponent`, and the fraction at least a half; 0 and 0 of zero.
            #[inline(always)]
            pub fn parts(x: $t) -> ($t, i32) {
                let bits = x.to_bits();
                let sign = bits & !($bits::MAX >> 1);
                let (exponent, mantissa) = ((bits & EXPONENTS) >> MANTISSA, bits & (HIDDEN - 1));
                if exponent == 0 && mantissa == 0 {
                    return (x, 0);
                }
                let (exponent, mantissa) = if exponent == 0 {
                    let up = mantissa.leading_zeros() - ($bits::BITS - 1 - MANTISSA);
                    (1 - up as i32, mantissa << up)
                } else {
                    (exponent as i32, mantissa)
                };
                let half = ($bias - 1) << MANTISSA;
                ($t::from_bits(sign | half | mantissa & (HIDDEN - 1)), exponent - ($bias - 1))
            }

            /// `x * 2^by`, rounded once.
            #[inline(always)]
            pub fn scaled(x: $t, by: i64) -> $t {
                if x == 0.0 || !x.is_finite() {
                    return x;
                }
                let (fraction, exponent) = parts(x);
                let by = by.clamp(-8192, 8192) as i32 + exponent;
                // Of powers that are numbers themselves. The last step may lose digits, and it alone.
                let power = |exponent: i32| $t::from_bits(((exponent + $bias) as $bits) << MANTISSA);
                if by > $bias + 1 {
                    fraction * $t::INFINITY
                } else if by > 1 - $bias {
                    fraction * 2.0 * power(by - 1)
                } else if by > -($bias + $digits) {
                    fraction * power(2 - $bias) * power(by - 2 + $bias)
                } else {
                    fraction * 0.0
                }
            }
        }

        fortran! {
            /// The exponent; 0 of zero, the largest integer of what is no number.
            fn $exponent4(x: $t) -> i32 {
                if x.is_finite() { $module::parts(x).1 } else { i32::MAX }
            }
            /// The same in 64 bits.
            fn $exponent8(x: $t) -> i64 {
                if x.is_finite() { $module::parts(x).1 as i64 } else { i64::MAX }
            }
            /// The fraction, from a half up to 1.
            fn $fraction(x: $t) -> $t {
                if x.is_finite() { $module::parts(x).0 } else { $t::NAN }
            }
            /// `x * 2^by`.
            fn $scale(x: $t, by: i64) -> $t {
                $module::scaled(x, by)
            }
            /// The fraction with another exponent.
            fn $set(x: $t, exponent: i64) -> $t {
                if x.is_finite() { $module::scaled($module::parts(x).0, exponent) } else { $t::NAN }
            }
            /// From one number of this size to the next; of small ones the least normal number.
            fn $spacing(x: $t) -> $t {
                if !x.is_finite() {
                    return $t::NAN;
                }
                let exponent = ($module::parts(x).1 - $digits).max(1 - $bias);
                if x == 0.0 { $t::MIN_POSITIVE } else { $module::scaled(1.0, exponent.into()) }
            }
            /// How many such steps the number has.
            fn $reciprocal(x: $t) -> $t {
                if !x.is_finite() {
                    return $t::NAN;
                }
                $module::scaled($module::parts(x).0.abs(), $digits)
            }
            /// The next number in a direction.
            fn $nearest(x: $t, upwards: bool) -> $t {
                if x == 0.0 {
                    let least = $t::from_bits(1);
                    return if upwards { least } else { -least };
                }
                if x.is_nan() || x == (if upwards { $t::INFINITY } else { $t::NEG_INFINITY }) {
                    return x;
                }
                let away = (x > 0.0) == upwards;
                $t::from_bits(if away { x.to_bits() + 1 } else { x.to_bits() - 1 })
            }
            /// The remainder with the sign of `x`.
            fn $mod(x: $t, by: $t, _file: File, _line: i32) -> $t {
                $fmod(x, by)
            }
            /// The remainder with the sign of `by`.
            fn $modulo(x: $t, by: $t, _file: File, _line: i32) -> $t {
                let remainder = $fmod(x, by);
                if remainder != 0.0 && (remainder < 0.0) != (by < 0.0) { remainder + by } else { remainder }
            }
        }
    )* };
}
model! {
    f32 u32, digits 24, bias 127, module single, remainder fmodf:
        _FortranAExponent4_4 _FortranAExponent4_8 _FortranAFraction4 _FortranAScale4 _FortranASetExponent4 _FortranASpacing4
        _FortranARRSpacing4 _FortranANearest4 _FortranAModReal4 _FortranAModuloReal4
    f64 u64, digits 53, bias 1023, module double, remainder fmod:
        _FortranAExponent8_4 _FortranAExponent8_8 _FortranAFraction8 _FortranAScale8 _FortranASetExponent8 _FortranASpacing8
        _FortranARRSpacing8 _FortranANearest8 _FortranAModReal8 _FortranAModuloReal8
}

fortran! {
    /// The processor's word for exceptions of IEEE 754: a GPU keeps none.
    fn _FortranAMapException(_exceptions: u32) -> u32 {
        0
    }
    /// Raises exceptions: a GPU keeps none (Fortran 2018, 17.3: they need not be supported).
    fn _FortranAferaiseexcept(_exceptions: i32) {}
}
