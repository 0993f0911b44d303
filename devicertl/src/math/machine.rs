//! Operations that the machine has, made of one instruction each by `prelude/math.txt`.

macro_rules! operations {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $symbol:literal;)*) => {
        unsafe extern "C" { $(
            #[allow(missing_docs)]
            #[link_name = $symbol]
            pub safe fn $name($($arg: $ty),*) -> $ret;
        )* }
    };
}
operations! {
    sqrt(x: f64) -> f64 = "__devrtl_sqrt";
    sqrtf(x: f32) -> f32 = "__devrtl_sqrtf";
    trunc(x: f64) -> f64 = "__devrtl_trunc";
    truncf(x: f32) -> f32 = "__devrtl_truncf";
    rint(x: f64) -> f64 = "__devrtl_rint";
    rintf(x: f32) -> f32 = "__devrtl_rintf";
    fma(x: f64, y: f64, z: f64) -> f64 = "__devrtl_fma";
    fmaf(x: f32, y: f32, z: f32) -> f32 = "__devrtl_fmaf";
    fmax(x: f64, y: f64) -> f64 = "__devrtl_fmax";
    fmaxf(x: f32, y: f32) -> f32 = "__devrtl_fmaxf";
    // Nearest integer; a NaN gives 0 or the least number, what does not fit the nearest that does.
    to_int(x: f64) -> i32 = "__devrtl_to_int";
    to_intf(x: f32) -> i32 = "__devrtl_to_intf";
    // Towards 0.
    to_llong(x: f64) -> i64 = "__devrtl_to_llong";
    to_llongf(x: f32) -> i64 = "__devrtl_to_llongf";
    // Approximations.
    rsqrt_approx(x: f64) -> f64 = "__devrtl_rsqrt_approx";
    rsqrt_approxf(x: f32) -> f32 = "__devrtl_rsqrt_approxf";
    sin_approxf(x: f32) -> f32 = "__devrtl_sin_approxf";
    cos_approxf(x: f32) -> f32 = "__devrtl_cos_approxf";
    log2_approxf(x: f32) -> f32 = "__devrtl_log2_approxf";
    exp2_approxf(x: f32) -> f32 = "__devrtl_exp2_approxf";
    divide_approxf(x: f32, y: f32) -> f32 = "__devrtl_divide_approxf";
}

/// Horner's rule, each step a fused multiply-add: `c0 + x * (c1 + x * (c2 + ...))`.
macro_rules! horner {
    ($fma:ident, $x:expr, [$last:expr]) => { $last };
    ($fma:ident, $x:expr, [$first:expr, $($more:expr),+]) => {
        $crate::math::machine::$fma($x, horner!($fma, $x, [$($more),+]), $first)
    };
}
pub(super) use horner;
