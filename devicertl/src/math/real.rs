//! Functions of real numbers that the machine or `libm` has as they are.

use super::machine;

macro_rules! functions {
    ($from:ident: $($double:ident $single:ident ($($arg:ident),*) = $f:ident $ff:ident;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $double($($arg: f64),*) -> f64 {
            $from::$f($($arg),*)
        }
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $single($($arg: f32),*) -> f32 {
            $from::$ff($($arg),*)
        }
    )* };
}
functions! { machine:
    __nv_ceil __nv_ceilf(x) = ceil ceilf;
    __nv_copysign __nv_copysignf(x, y) = copysign copysignf;
    __nv_fabs __nv_fabsf(x) = fabs fabsf;
    __nv_floor __nv_floorf(x) = floor floorf;
    __nv_fma __nv_fmaf(x, y, z) = fma fmaf;
    __nv_fmax __nv_fmaxf(x, y) = fmax fmaxf;
    __nv_fmin __nv_fminf(x, y) = fmin fminf;
    __nv_nearbyint __nv_nearbyintf(x) = rint rintf;
    __nv_rint __nv_rintf(x) = rint rintf;
    __nv_sqrt __nv_sqrtf(x) = sqrt sqrtf;
    __nv_trunc __nv_truncf(x) = trunc truncf;
}
functions! { libm:
    __nv_acos __nv_acosf(x) = acos acosf;
    __nv_acosh __nv_acoshf(x) = acosh acoshf;
    __nv_asin __nv_asinf(x) = asin asinf;
    __nv_asinh __nv_asinhf(x) = asinh asinhf;
    __nv_atan __nv_atanf(x) = atan atanf;
    __nv_atan2 __nv_atan2f(y, x) = atan2 atan2f;
    __nv_atanh __nv_atanhf(x) = atanh atanhf;
    __nv_cbrt __nv_cbrtf(x) = cbrt cbrtf;
    __nv_cos __nv_cosf(x) = cos cosf;
    __nv_cosh __nv_coshf(x) = cosh coshf;
    __nv_erf __nv_erff(x) = erf erff;
    __nv_erfc __nv_erfcf(x) = erfc erfcf;
    __nv_exp __nv_expf(x) = exp expf;
    __nv_exp10 __nv_exp10f(x) = exp10 exp10f;
    __nv_exp2 __nv_exp2f(x) = exp2 exp2f;
    __nv_expm1 __nv_expm1f(x) = expm1 expm1f;
    __nv_fdim __nv_fdimf(x, y) = fdim fdimf;
    __nv_hypot __nv_hypotf(x, y) = hypot hypotf;
    __nv_j0 __nv_j0f(x) = j0 j0f;
    __nv_j1 __nv_j1f(x) = j1 j1f;
    __nv_lgamma __nv_lgammaf(x) = lgamma lgammaf;
    __nv_log __nv_logf(x) = log logf;
    __nv_log10 __nv_log10f(x) = log10 log10f;
    __nv_log1p __nv_log1pf(x) = log1p log1pf;
    __nv_log2 __nv_log2f(x) = log2 log2f;
    __nv_nextafter __nv_nextafterf(x, y) = nextafter nextafterf;
    __nv_pow __nv_powf(x, y) = pow powf;
    __nv_remainder __nv_remainderf(x, y) = remainder remainderf;
    __nv_round __nv_roundf(x) = round roundf;
    __nv_sin __nv_sinf(x) = sin sinf;
    __nv_sinh __nv_sinhf(x) = sinh sinhf;
    __nv_tan __nv_tanf(x) = tan tanf;
    __nv_tanh __nv_tanhf(x) = tanh tanhf;
    __nv_tgamma __nv_tgammaf(x) = tgamma tgammaf;
    __nv_y0 __nv_y0f(x) = y0 y0f;
    __nv_y1 __nv_y1f(x) = y1 y1f;
}

macro_rules! with_order {
    ($($double:ident $single:ident = $f:ident $ff:ident;)*) => { $(
        /// Bessel function of order `n`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $double(n: i32, x: f64) -> f64 {
            libm::$f(n, x)
        }
        /// Bessel function of order `n`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $single(n: i32, x: f32) -> f32 {
            libm::$ff(n, x)
        }
    )* };
}
with_order! {
    __nv_jn __nv_jnf = jn jnf;
    __nv_yn __nv_ynf = yn ynf;
}

macro_rules! fmod {
    ($($name:ident: $t:ident $bits:ident $mantissa:literal;)*) => { $(
        /// Remainder of `x / y` with the sign of `x`; exact. By long division, a bit at a time.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: $t, y: $t) -> $t {
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
    __nv_fmod: f64 u64 52;
    __nv_fmodf: f32 u32 23;
}
