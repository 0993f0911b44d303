//! Operations that the machine has, made of one instruction each by `prelude/math.txt`.

macro_rules! operations {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        unsafe extern "C" { $(
            #[allow(missing_docs)]
            #[link_name = concat!("__devrtl_", stringify!($name))]
            pub safe fn $name($($arg: $ty),*) -> $ret;
        )* }
    };
}
operations! {
    sqrt(x: f64) -> f64;
    sqrtf(x: f32) -> f32;
    trunc(x: f64) -> f64;
    truncf(x: f32) -> f32;
    rint(x: f64) -> f64;
    rintf(x: f32) -> f32;
    fma(x: f64, y: f64, z: f64) -> f64;
    fmaf(x: f32, y: f32, z: f32) -> f32;
    fmax(x: f64, y: f64) -> f64;
    fmaxf(x: f32, y: f32) -> f32;
    // Nearest integer; a NaN gives 0 or the least number, what does not fit the nearest that does.
    to_int(x: f64) -> i32;
    to_intf(x: f32) -> i32;
    // Towards 0.
    to_llong(x: f64) -> i64;
    to_llongf(x: f32) -> i64;
    // Approximations.
    rsqrt_approx(x: f64) -> f64;
    rsqrt_approxf(x: f32) -> f32;
    sin_approxf(x: f32) -> f32;
    cos_approxf(x: f32) -> f32;
    log2_approxf(x: f32) -> f32;
    exp2_approxf(x: f32) -> f32;
    divide_approxf(x: f32, y: f32) -> f32;
}

/// Horner's rule, each step a fused multiply-add: `c0 + x * (c1 + x * (c2 + ...))`.
macro_rules! horner {
    ($fma:ident, $x:expr, [$last:expr]) => { $last };
    ($fma:ident, $x:expr, [$first:expr, $($more:expr),+]) => {
        $crate::math::machine::$fma($x, horner!($fma, $x, [$($more),+]), $first)
    };
}
pub(super) use horner;
