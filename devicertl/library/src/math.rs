//! Functions of `<math.h>` that libdevice does not have, and those of it that are called here.

use core::ffi::{c_int, c_long};

/// Functions of libdevice for `double`, on the host of its own library.
macro_rules! libdevice {
    ($(fn $name:ident($($arg:ident),*);)*) => {
        unsafe extern "C" { $(
            #[cfg_attr(target_arch = "nvptx64", link_name = concat!("__nv_", stringify!($name)))]
            pub(crate) safe fn $name($($arg: f64),*) -> f64;
        )* }
    };
}

libdevice! {
    fn acos(x);
    fn asin(x);
    fn atan(x);
    fn atan2(y, x);
    fn atanh(x);
    fn cos(x);
    fn cosh(x);
    fn exp(x);
    fn fma(x, y, z);
    fn hypot(x, y);
    fn lgamma(x);
    fn log(x);
    fn log1p(x);
    fn sin(x);
    fn sinh(x);
    fn sqrt(x);
    fn tan(x);
}

unsafe extern "C" {
    #[cfg_attr(target_arch = "nvptx64", link_name = "__nv_lgammaf")]
    safe fn lgammaf(x: f32) -> f32;
}

/// What is the same for both types, and functions by their names.
macro_rules! of_type {
    ($float:ident, $bits:ident, $module:ident, $lgamma:ident,
     [$next_up:ident, $next_down:ident, $llogb:ident, $scalb:ident, $significand:ident, $lgamma_r:ident]) => {
        pub(crate) mod $module {
            pub(crate) const MANTISSA: u32 = $float::MANTISSA_DIGITS - 1;
            const BIAS: i32 = $float::MAX_EXP - 1;

            /// Whether it has no fraction.
            pub(crate) fn is_whole(x: $float) -> bool {
                x.abs() >= power(MANTISSA as i32) || (x as i64) as $float == x
            }

            /// 2 to the power of `n`, which is that of a normal number.
            pub(crate) fn power(n: i32) -> $float {
                $float::from_bits(((n + BIAS) as $bits) << MANTISSA)
            }

            /// The exponent of a finite number that is not 0.
            pub(crate) fn exponent(x: $float) -> i32 {
                let x = x.abs();
                if x < $float::MIN_POSITIVE {
                    return exponent(x * power(MANTISSA as i32)) - MANTISSA as i32;
                }
                (x.to_bits() >> MANTISSA) as i32 - BIAS
            }

            /// `x` times 2 to the power of `n`, which may be out of the range of one number and not of two.
            pub(crate) fn scale(x: $float, n: i32) -> $float {
                x * power(n / 2) * power(n - n / 2)
            }
        }

        crate::c_functions! {
            fn $next_up(x: $float) -> $float { x.next_up() }
            fn $next_down(x: $float) -> $float { x.next_down() }
            /// 0 and NaN give the least number, as glibc has it.
            fn $llogb(x: $float) -> c_long {
                match x.is_infinite() {
                    true => c_long::MAX,
                    false if x == 0.0 || x.is_nan() => c_long::MIN,
                    false => $module::exponent(x).into(),
                }
            }
            fn $scalb(x: $float, n: $float) -> $float {
                if x.is_nan() || n.is_nan() {
                    return x * n;
                }
                if n.is_infinite() {
                    return if n > 0.0 { x * n } else { x / -n };
                }
                if !$module::is_whole(n) {
                    return $float::NAN;
                }
                if x == 0.0 || x.is_infinite() {
                    return x;
                }
                // A number from 1 to 2, and a power of 2 for it: one that makes it infinite or 0 is enough.
                let (own, least, most) = ($module::exponent(x), $float::MIN_EXP - 1, $float::MAX_EXP - 1);
                let unit = $module::scale(x, -own);
                let to = i64::from(own).saturating_add(n as i64).clamp(2 * i64::from(least), 2 * i64::from(most)) as i32;
                if to >= least {
                    $module::scale(unit, to)
                } else {
                    // The first product is exact, so that the number is rounded once.
                    unit * $module::power(least) * $module::power(to - least)
                }
            }
            fn $significand(x: $float) -> $float {
                if x == 0.0 || !x.is_finite() { x } else { $module::scale(x, -$module::exponent(x)) }
            }
            /// `sign`: whether the gamma function is negative there.
            fn $lgamma_r(x: $float, sign: *mut c_int) -> $float {
                // It changes at each negative integer, and is positive above -2 and below -1; at -0 it comes from below.
                let below = x < 0.0 && !$module::is_whole(x) && (x as i64) % 2 == 0;
                sign.write(if below || x == 0.0 && x.is_sign_negative() { -1 } else { 1 });
                $lgamma(x)
            }
        }
    };
}

of_type!(f64, u64, double, lgamma, [nextup, nextdown, llogb, scalb, significand, lgamma_r]);
of_type!(f32, u32, single, lgammaf, [nextupf, nextdownf, llogbf, scalbf, significandf, lgammaf_r]);
