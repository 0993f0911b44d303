//! Functions of real numbers that `libm` has as they are.

macro_rules! functions {
    ($($double:ident $single:ident ($($arg:ident),*) = $f:ident $ff:ident;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $double($($arg: f64),*) -> f64 {
            libm::$f($($arg),*)
        }
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $single($($arg: f32),*) -> f32 {
            libm::$ff($($arg),*)
        }
    )* };
}
functions! {
    __nv_acos __nv_acosf(x) = acos acosf;
    __nv_asinh __nv_asinhf(x) = asinh asinhf;
    __nv_atanh __nv_atanhf(x) = atanh atanhf;
    __nv_cosh __nv_coshf(x) = cosh coshf;
    __nv_erfc __nv_erfcf(x) = erfc erfcf;
    __nv_expm1 __nv_expm1f(x) = expm1 expm1f;
    __nv_fdim __nv_fdimf(x, y) = fdim fdimf;
    __nv_log1p __nv_log1pf(x) = log1p log1pf;
    __nv_nextafter __nv_nextafterf(x, y) = nextafter nextafterf;
    __nv_pow __nv_powf(x, y) = pow powf;
    __nv_remainder __nv_remainderf(x, y) = remainder remainderf;
    __nv_sinh __nv_sinhf(x) = sinh sinhf;
}

macro_rules! double {
    ($($name:ident = $f:ident;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: f64) -> f64 {
            libm::$f(x)
        }
    )* };
}
double! {
    __nv_asin = asin;
    __nv_erf = erf;
    __nv_exp2 = exp2;
    __nv_lgamma = lgamma;
    __nv_log = log;
    __nv_log10 = log10;
    __nv_log2 = log2;
    __nv_tgamma = tgamma;
}

macro_rules! acosh {
    ($($t:ident: $name:ident = $f:ident;)*) => { $(
        /// Area hyperbolic cosine; for large negative numbers `libm` gives some number.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: $t) -> $t {
            if x < 1.0 { $t::NAN } else { libm::$f(x) }
        }
    )* };
}
acosh! {
    f64: __nv_acosh = acosh;
    f32: __nv_acoshf = acoshf;
}
