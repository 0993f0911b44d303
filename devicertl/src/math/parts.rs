//! Numbers taken apart and put together: exponents, fractions, remainders, neighbours.

use super::machine;

macro_rules! both {
    ($($t:ident $bits:ident mantissa $mantissa:literal bias $bias:literal, $trunc:ident $to_llong:ident:
        $ldexp:ident $scalbn:ident = $libm_scalbn:ident; $frexp:ident $modf:ident $round:ident $llround:ident
        $exponent:ident $ilogb:ident $logb:ident $remquo:ident = $libm_remquo:ident;
    )*) => { $(
        /// `x` times 2 to the power `n`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $ldexp(x: $t, n: i32) -> $t {
            libm::$libm_scalbn(x, n)
        }
        /// `x` times 2 to the power `n`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $scalbn(x: $t, n: i32) -> $t {
            libm::$libm_scalbn(x, n)
        }
        /// Mantissa in [0.5, 1) and exponent.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $frexp(x: $t, exponent: *mut i32) -> $t {
            const EXPONENT: $bits = (2 * $bias + 1) << $mantissa;
            let subnormal = x.abs() < $t::MIN_POSITIVE;
            // 2 to the power of the mantissa's bits.
            let bits = (if subnormal { x * ((1 as $bits) << $mantissa) as $t } else { x }).to_bits();
            let e = ((bits & EXPONENT) >> $mantissa) as i32 - if subnormal { $mantissa } else { 0 };
            let plain = x == 0.0 || !x.is_finite();
            // SAFETY: the caller's variable.
            unsafe { exponent.write(if plain { 0 } else { e - ($bias - 1) }) }
            if plain { x + x } else { $t::from_bits(bits & !EXPONENT | ($bias - 1) << $mantissa) }
        }
        /// Fraction; the integer part goes to `whole`. Both have the sign of `x`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $modf(x: $t, whole: *mut $t) -> $t {
            let w = machine::$trunc(x);
            // SAFETY: the caller's variable.
            unsafe { whole.write(w) }
            (if x.is_infinite() { 0.0 } else { x - w }).copysign(x)
        }
        /// Nearest integer, ties away from 0.
        #[unsafe(no_mangle)]
        pub extern "C" fn $round(x: $t) -> $t {
            let whole = machine::$trunc(x);
            if (x - whole).abs() >= 0.5 { whole + (1.0 as $t).copysign(x) } else { whole }
        }
        /// Nearest integer, ties away from 0.
        #[unsafe(no_mangle)]
        pub extern "C" fn $llround(x: $t) -> i64 {
            machine::$to_llong($round(x))
        }
        /// The exponent of a finite number that is not 0.
        fn $exponent(x: $t) -> i32 {
            let bits = x.abs().to_bits();
            match (bits >> $mantissa) as i32 {
                // The highest bit of a subnormal number.
                0 => 1 - $bias - $mantissa + ($bits::BITS as i32 - 1) - bits.leading_zeros() as i32,
                exponent => exponent - $bias,
            }
        }
        /// Exponent; `INT_MIN` of 0 and NaN, `INT_MAX` of an infinity, as libdevice has it.
        #[unsafe(no_mangle)]
        pub extern "C" fn $ilogb(x: $t) -> i32 {
            if x == 0.0 || x.is_nan() {
                i32::MIN
            } else if x.is_infinite() {
                i32::MAX
            } else {
                $exponent(x)
            }
        }
        /// Exponent as a real number.
        #[unsafe(no_mangle)]
        pub extern "C" fn $logb(x: $t) -> $t {
            if x == 0.0 {
                $t::NEG_INFINITY
            } else if !x.is_finite() {
                x * x
            } else {
                $exponent(x) as $t
            }
        }
        /// Remainder; low bits of the quotient go to `quotient`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $remquo(x: $t, y: $t, quotient: *mut i32) -> $t {
            let (remainder, q) = libm::$libm_remquo(x, y);
            // SAFETY: the caller's variable.
            unsafe { quotient.write(q) }
            remainder
        }
    )* };
}
both! {
    f64 u64 mantissa 52 bias 1023, trunc to_llong:
        __nv_ldexp __nv_scalbn = scalbn; __nv_frexp __nv_modf __nv_round __nv_llround
        exponent __nv_ilogb __nv_logb __nv_remquo = remquo;
    f32 u32 mantissa 23 bias 127, truncf to_llongf:
        __nv_ldexpf __nv_scalbnf = scalbnf; __nv_frexpf __nv_modff __nv_roundf __nv_llroundf
        exponentf __nv_ilogbf __nv_logbf __nv_remquof = remquof;
}

macro_rules! fmod {
    ($($fmod:ident $name:ident: $t:ident $bits:ident $mantissa:literal;)*) => { $(
        /// Remainder of `x / y` with the sign of `x`; exact.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: $t, y: $t) -> $t {
            $fmod(x, y)
        }
        /// The same. By long division, a bit at a time.
        #[inline(always)]
        pub fn $fmod(x: $t, y: $t) -> $t {
            const HIDDEN: $bits = 1 << $mantissa;
            const EXPONENTS: u32 = $bits::BITS - 1 - $mantissa;
            // Exponent and mantissa with the hidden bit, of subnormal numbers too.
            let normalise = |exponent: i32, mantissa: $bits| {
                let shift = mantissa.leading_zeros() - EXPONENTS;
                (exponent - shift as i32, mantissa << shift)
            };
            let parts = |bits: $bits| match (bits >> $mantissa) as i32 {
                0 => normalise(1, bits),
                exponent => (exponent, bits & (HIDDEN - 1) | HIDDEN),
            };
            let sign = x.to_bits() & 1 << ($bits::BITS - 1);
            let (a, b) = (x.abs().to_bits(), y.abs().to_bits());
            let infinity = ((1 << EXPONENTS) - 1) << $mantissa;
            if b == 0 || a >= infinity || b > infinity {
                return $t::NAN;
            }
            if a < b {
                return x;
            }
            let ((mut ea, mut ma), (eb, mb)) = (parts(a), parts(b));
            loop {
                if ma >= mb {
                    ma -= mb;
                }
                if ma == 0 {
                    return $t::from_bits(sign);
                }
                if ea == eb {
                    break;
                }
                // Skip the zero bits of the quotient at once.
                let shift = ((ma.leading_zeros() - EXPONENTS) as i32).max(1).min(ea - eb);
                ma <<= shift;
                ea -= shift;
            }
            let (exponent, mantissa) = normalise(ea, ma);
            if exponent > 0 {
                return $t::from_bits(sign | (exponent as $bits) << $mantissa | mantissa & (HIDDEN - 1));
            }
            $t::from_bits(sign | mantissa >> (1 - exponent))
        }
    )* };
}
fmod! {
    fmod __nv_fmod: f64 u64 52;
    fmodf __nv_fmodf: f32 u32 23;
}
