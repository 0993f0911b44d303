//! The instructions that the math functions use. Approximations are exact here.

macro_rules! instructions {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $value:expr;)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name($($arg: $ty),*) -> $ret { $value }
    )* };
}
instructions! {
    __devrtl_sqrt(x: f64) -> f64 = x.sqrt();
    __devrtl_sqrtf(x: f32) -> f32 = x.sqrt();
    __devrtl_trunc(x: f64) -> f64 = x.trunc();
    __devrtl_truncf(x: f32) -> f32 = x.trunc();
    __devrtl_rint(x: f64) -> f64 = x.round_ties_even();
    __devrtl_rintf(x: f32) -> f32 = x.round_ties_even();
    __devrtl_fma(x: f64, y: f64, z: f64) -> f64 = x.mul_add(y, z);
    __devrtl_fmaf(x: f32, y: f32, z: f32) -> f32 = x.mul_add(y, z);
    __devrtl_fmax(x: f64, y: f64) -> f64 = x.max(y);
    __devrtl_fmaxf(x: f32, y: f32) -> f32 = x.max(y);
    // A NaN of double precision and one that becomes 64 bits give the least number (PTX ISA, cvt).
    __devrtl_to_int(x: f64) -> i32 = if x.is_nan() { i32::MIN } else { x.round_ties_even() as i32 };
    __devrtl_to_intf(x: f32) -> i32 = x.round_ties_even() as i32;
    __devrtl_to_llong(x: f64) -> i64 = if x.is_nan() { i64::MIN } else { x as i64 };
    __devrtl_to_llongf(x: f32) -> i64 = if x.is_nan() { i64::MIN } else { x as i64 };
    __devrtl_rsqrt_approx(x: f64) -> f64 = 1.0 / x.sqrt();
    __devrtl_rsqrt_approxf(x: f32) -> f32 = (1.0 / (x as f64).sqrt()) as f32;
    __devrtl_sin_approxf(x: f32) -> f32 = (x as f64).sin() as f32;
    __devrtl_cos_approxf(x: f32) -> f32 = (x as f64).cos() as f32;
    __devrtl_log2_approxf(x: f32) -> f32 = (x as f64).log2() as f32;
    __devrtl_exp2_approxf(x: f32) -> f32 = (x as f64).exp2() as f32;
    __devrtl_divide_approxf(x: f32, y: f32) -> f32 = x / y;
}
