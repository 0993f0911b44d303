//! Approximations. clang's headers call those of sine, cosine and logarithms where `__CLANG_GPU_APPROX_TRANSCENDENTALS__`
//! is defined, and all for `__expf` and its kin (docs/upstream.md).

use super::machine::{cos_approxf, divide_approxf, exp2_approxf, log2_approxf, sin_approxf};

macro_rules! functions {
    ($($name:ident($($arg:ident),*) = $value:expr;)*) => { $(
        /// An approximation.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: f32),*) -> f32 {
            $value
        }
    )* };
}
functions! {
    __nv_fast_sinf(x) = sin_approxf(x);
    __nv_fast_cosf(x) = cos_approxf(x);
    __nv_fast_tanf(x) = divide_approxf(sin_approxf(x), cos_approxf(x));
    __nv_fast_log2f(x) = log2_approxf(x);
    __nv_fast_logf(x) = log2_approxf(x) * core::f32::consts::LN_2;
    __nv_fast_log10f(x) = log2_approxf(x) * core::f32::consts::LOG10_2;
    __nv_fast_expf(x) = exp2_approxf(x * core::f32::consts::LOG2_E);
    __nv_fast_exp10f(x) = exp2_approxf(x * core::f32::consts::LOG2_10);
    // Near 0 the difference would lose all digits.
    __nv_fast_tanhf(x) = if x.abs() < 0.001 {
        x
    } else {
        1.0 - divide_approxf(2.0, exp2_approxf(x * (2.0 * core::f32::consts::LOG2_E)) + 1.0)
    };
    __nv_fast_powf(x, y) = exp2_approxf(y * log2_approxf(x));
    __nv_fast_fdividef(x, y) = divide_approxf(x, y);
}

/// Approximations of sine and cosine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __nv_fast_sincosf(x: f32, sine: *mut f32, cosine: *mut f32) {
    // SAFETY: the caller's variables.
    unsafe {
        sine.write(sin_approxf(x));
        cosine.write(cos_approxf(x));
    }
}
