//! The functions of `<complex.h>`. A number is its real and its imaginary part, in memory of the caller: `devicertl/build/src/library.rs`
//! has the functions as clang calls them, and those that are one of libdevice's.
//!
//! Those of `float` are those of `double`, rounded: nothing is lost or too large on the way.

use super::{hyperbolic, inverse, power, turned};

/// A function for `double` and one for `float`, of one number or two.
macro_rules! complex_functions {
    ($($double:ident, $float:ident($($re:ident, $im:ident),*) = $function:expr;)*) => {
        crate::c_functions! { $(
            fn $double(to: *mut [f64; 2], $($re: f64, $im: f64),*) {
                to.write(($function)($([$re, $im]),*));
            }
            fn $float(to: *mut [f32; 2], $($re: f32, $im: f32),*) {
                let result: [f64; 2] = ($function)($([$re.into(), $im.into()]),*);
                to.write(result.map(|part| part as f32));
            }
        )* }
    };
}

complex_functions! {
    __omptarget_cacos, __omptarget_cacosf(x, y) = inverse::cos_inverse;
    __omptarget_cacosh, __omptarget_cacoshf(x, y) = inverse::cosh_inverse;
    __omptarget_casin, __omptarget_casinf(x, y) = inverse::sin_inverse;
    __omptarget_casinh, __omptarget_casinhf(x, y) = inverse::sinh_inverse;
    __omptarget_catan, __omptarget_catanf(x, y) = inverse::tan_inverse;
    __omptarget_catanh, __omptarget_catanhf(x, y) = inverse::tanh_inverse;
    __omptarget_ccos, __omptarget_ccosf(x, y) = |[x, y]: [f64; 2]| hyperbolic::cosh_of([-y, x]);
    __omptarget_ccosh, __omptarget_ccoshf(x, y) = hyperbolic::cosh_of;
    __omptarget_cexp, __omptarget_cexpf(x, y) = power::exponential;
    __omptarget_clog, __omptarget_clogf(x, y) = power::logarithm;
    __omptarget_cpow, __omptarget_cpowf(x, y, a, b) = power::power;
    __omptarget_cproj, __omptarget_cprojf(x, y) = power::projection;
    __omptarget_csin, __omptarget_csinf(x, y) = |number| turned(hyperbolic::sinh_of, number);
    __omptarget_csinh, __omptarget_csinhf(x, y) = hyperbolic::sinh_of;
    __omptarget_csqrt, __omptarget_csqrtf(x, y) = power::root;
    __omptarget_ctan, __omptarget_ctanf(x, y) = |number| turned(hyperbolic::tanh_of, number);
    __omptarget_ctanh, __omptarget_ctanhf(x, y) = hyperbolic::tanh_of;
}

crate::c_functions! {
    /// A number to the power of `n`, for what flang calls.
    fn __omptarget_cpowk(to: *mut [f64; 2], x: f64, y: f64, n: i64) {
        to.write(power::whole_power([x, y], n));
    }
    /// The same of `float`.
    fn __omptarget_cpowkf(to: *mut [f32; 2], x: f32, y: f32, n: i64) {
        to.write(power::whole_power([x.into(), y.into()], n).map(|part| part as f32));
    }
}
