//! Functions with more than one result, with integers, or made of others; classification; approximations.

use super::machine;

macro_rules! both {
    ($($t:ident $bits:ident, $m:ident:
        $ldexp:ident $scalbn:ident $powi:ident $frexp:ident $modf:ident $sincos:ident $remquo:ident $ilogb:ident
        $logb:ident $llrint:ident $llround:ident $rcbrt:ident $rhypot:ident $rsqrt:ident
        $norm3d:ident $norm4d:ident $rnorm3d:ident $rnorm4d:ident $sinpi:ident $cospi:ident $sincospi:ident
        $isnan:ident $isinf:ident $isfinite:ident $signbit:ident;
    )*) => { $(
        /// `x` times 2 to the power `n`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $ldexp(x: $t, n: i32) -> $t {
            $m::scalbn(x, n)
        }
        /// `x` times 2 to the power `n`.
        #[unsafe(no_mangle)]
        pub extern "C" fn $scalbn(x: $t, n: i32) -> $t {
            $m::scalbn(x, n)
        }
        /// `x` to the power `n`, by repeated squaring.
        #[unsafe(no_mangle)]
        pub extern "C" fn $powi(x: $t, n: i32) -> $t {
            let (mut base, mut left, mut result) = (x, n.unsigned_abs(), 1.0);
            while left != 0 {
                if left & 1 != 0 {
                    result *= base;
                }
                base *= base;
                left >>= 1;
            }
            if n < 0 { 1.0 / result } else { result }
        }
        /// Mantissa in [0.5, 1) and exponent.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $frexp(x: $t, exponent: *mut i32) -> $t {
            let (mantissa, e) = $m::frexp(x);
            // SAFETY: the caller's variable.
            unsafe { exponent.write(e) }
            mantissa
        }
        /// Fraction; the integer part goes to `whole`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $modf(x: $t, whole: *mut $t) -> $t {
            let (fraction, w) = $m::modf(x);
            // SAFETY: the caller's variable.
            unsafe { whole.write(w) }
            fraction
        }
        /// Sine and cosine.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sincos(x: $t, sine: *mut $t, cosine: *mut $t) {
            let (s, c) = $m::sincos(x);
            // SAFETY: the caller's variables.
            unsafe {
                sine.write(s);
                cosine.write(c);
            }
        }
        /// Remainder; low bits of the quotient go to `quotient`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $remquo(x: $t, y: $t, quotient: *mut i32) -> $t {
            let (remainder, q) = $m::remquo(x, y);
            // SAFETY: the caller's variable.
            unsafe { quotient.write(q) }
            remainder
        }
        /// Exponent; `INT_MIN` of 0 and NaN, `INT_MAX` of an infinity, as libdevice has it.
        #[unsafe(no_mangle)]
        pub extern "C" fn $ilogb(x: $t) -> i32 {
            if x == 0.0 || x.is_nan() {
                i32::MIN
            } else if x.is_infinite() {
                i32::MAX
            } else {
                $m::ilogb(x)
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
                $m::ilogb(x) as $t
            }
        }
        /// Nearest integer, ties to even.
        #[unsafe(no_mangle)]
        pub extern "C" fn $llrint(x: $t) -> i64 {
            $m::rint(x) as i64
        }
        /// Nearest integer, ties away from 0.
        #[unsafe(no_mangle)]
        pub extern "C" fn $llround(x: $t) -> i64 {
            $m::round(x) as i64
        }
        /// 1 over the cube root.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rcbrt(x: $t) -> $t {
            1.0 / $m::cbrt(x)
        }
        /// 1 over the length of a vector.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rhypot(x: $t, y: $t) -> $t {
            1.0 / $m::hypot(x, y)
        }
        /// 1 over the square root.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rsqrt(x: $t) -> $t {
            1.0 / $m::sqrt(x)
        }
        /// Length of a vector.
        #[unsafe(no_mangle)]
        pub extern "C" fn $norm3d(x: $t, y: $t, z: $t) -> $t {
            $m::hypot($m::hypot(x, y), z)
        }
        /// Length of a vector.
        #[unsafe(no_mangle)]
        pub extern "C" fn $norm4d(x: $t, y: $t, z: $t, w: $t) -> $t {
            $m::hypot($m::hypot(x, y), $m::hypot(z, w))
        }
        /// 1 over the length of a vector.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rnorm3d(x: $t, y: $t, z: $t) -> $t {
            1.0 / $m::hypot($m::hypot(x, y), z)
        }
        /// 1 over the length of a vector.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rnorm4d(x: $t, y: $t, z: $t, w: $t) -> $t {
            1.0 / $m::hypot($m::hypot(x, y), $m::hypot(z, w))
        }
        /// Sine of pi times `x`, exact where `x` is a multiple of 1/2.
        #[unsafe(no_mangle)]
        pub extern "C" fn $sinpi(x: $t) -> $t {
            $m::sincospi(x).0
        }
        /// Cosine of pi times `x`, exact where `x` is a multiple of 1/2.
        #[unsafe(no_mangle)]
        pub extern "C" fn $cospi(x: $t) -> $t {
            $m::sincospi(x).1
        }
        /// Sine and cosine of pi times `x`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sincospi(x: $t, sine: *mut $t, cosine: *mut $t) {
            let (s, c) = $m::sincospi(x);
            // SAFETY: the caller's variables.
            unsafe {
                sine.write(s);
                cosine.write(c);
            }
        }
        /// Not 0 for NaN.
        #[unsafe(no_mangle)]
        pub extern "C" fn $isnan(x: $t) -> i32 {
            x.is_nan() as i32
        }
        /// Not 0 for an infinity.
        #[unsafe(no_mangle)]
        pub extern "C" fn $isinf(x: $t) -> i32 {
            x.is_infinite() as i32
        }
        /// Not 0 for a finite number.
        #[unsafe(no_mangle)]
        pub extern "C" fn $isfinite(x: $t) -> i32 {
            x.is_finite() as i32
        }
        /// Not 0 if the sign bit is set.
        #[unsafe(no_mangle)]
        pub extern "C" fn $signbit(x: $t) -> i32 {
            (x.to_bits() >> ($bits::BITS - 1)) as i32
        }
    )* };
}
both! {
    f64 u64, double:
        __nv_ldexp __nv_scalbn __nv_powi __nv_frexp __nv_modf __nv_sincos __nv_remquo __nv_ilogb
        __nv_logb __nv_llrint __nv_llround __nv_rcbrt __nv_rhypot __nv_rsqrt
        __nv_norm3d __nv_norm4d __nv_rnorm3d __nv_rnorm4d __nv_sinpi __nv_cospi __nv_sincospi
        __nv_isnand __nv_isinfd __nv_isfinited __nv_signbitd;
    f32 u32, single:
        __nv_ldexpf __nv_scalbnf __nv_powif __nv_frexpf __nv_modff __nv_sincosf __nv_remquof __nv_ilogbf
        __nv_logbf __nv_llrintf __nv_llroundf __nv_rcbrtf __nv_rhypotf __nv_rsqrtf
        __nv_norm3df __nv_norm4df __nv_rnorm3df __nv_rnorm4df __nv_sinpif __nv_cospif __nv_sincospif
        __nv_isnanf __nv_isinff __nv_finitef __nv_signbitf;
}

macro_rules! names {
    ($($module:ident $t:ident: $($name:ident = $from:ident::$f:ident),+;)*) => { $(
        /// The functions of one type under the names of the other.
        mod $module {
            use super::machine;
            $( pub use $from::$f as $name; )+

            /// Sine and cosine of pi times `x`: reduced to a quarter turn without rounding.
            pub fn sincospi(x: $t) -> ($t, $t) {
                if !x.is_finite() {
                    return ($t::NAN, $t::NAN);
                }
                // The nearest multiple of 1/2; `x - quarter / 2` is exact.
                let quarter = rint(x * 2.0);
                let rest = x - quarter * 0.5;
                let (s, c) = sincos(rest * core::f64::consts::PI as $t);
                // Large values are even numbers of half turns.
                let turn = (quarter - 4.0 * machine_floor(quarter * 0.25)) as i32;
                let (s, c) = match turn {
                    0 => (s, c),
                    1 => (c, -s),
                    2 => (-s, -c),
                    _ => (-c, s),
                };
                // A zero has the sign of `x`, a cosine of 0 is positive.
                (if s == 0.0 { copysign(0.0, x) } else { s }, c + 0.0)
            }
        }
    )* };
}
names! {
    double f64:
        scalbn = libm::scalbn, frexp = libm::frexp, modf = libm::modf, sincos = libm::sincos,
        remquo = libm::remquo, ilogb = libm::ilogb, round = libm::round, cbrt = libm::cbrt, hypot = libm::hypot,
        rint = machine::rint, sqrt = machine::sqrt, machine_floor = machine::floor, copysign = machine::copysign;
    single f32:
        scalbn = libm::scalbnf, frexp = libm::frexpf, modf = libm::modff, sincos = libm::sincosf,
        remquo = libm::remquof, ilogb = libm::ilogbf, round = libm::roundf, cbrt = libm::cbrtf, hypot = libm::hypotf,
        rint = machine::rintf, sqrt = machine::sqrtf, machine_floor = machine::floorf, copysign = machine::copysignf;
}

macro_rules! fast {
    ($($name:ident($($arg:ident),*) = $value:expr;)*) => { $(
        /// An approximation.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: f32),*) -> f32 {
            $value
        }
    )* };
}
fast! {
    __nv_fast_sinf(x) = machine::fast_sinf(x);
    __nv_fast_cosf(x) = machine::fast_cosf(x);
    __nv_fast_tanf(x) = machine::fast_dividef(machine::fast_sinf(x), machine::fast_cosf(x));
    __nv_fast_log2f(x) = machine::fast_log2f(x);
    __nv_fast_logf(x) = machine::fast_log2f(x) * core::f32::consts::LN_2;
    __nv_fast_log10f(x) = machine::fast_log2f(x) * core::f32::consts::LOG10_2;
    __nv_fast_expf(x) = machine::fast_exp2f(x * core::f32::consts::LOG2_E);
    __nv_fast_exp10f(x) = machine::fast_exp2f(x * core::f32::consts::LOG2_10);
    __nv_fast_powf(x, y) = machine::fast_exp2f(y * machine::fast_log2f(x));
    __nv_fast_fdividef(x, y) = machine::fast_dividef(x, y);
}

/// Approximations of sine and cosine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __nv_fast_sincosf(x: f32, sine: *mut f32, cosine: *mut f32) {
    // SAFETY: the caller's variables.
    unsafe {
        sine.write(machine::fast_sinf(x));
        cosine.write(machine::fast_cosf(x));
    }
}
