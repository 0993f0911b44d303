//! Operations that the machine has, defined in `prelude/math.ll`.

macro_rules! operations {
    ($($name:ident / $single:ident ($($arg:ident),*): $symbol:literal, $symbol_single:literal;)*) => {
        unsafe extern "C" { $(
            #[link_name = $symbol]
            pub safe fn $name($($arg: f64),*) -> f64;
            #[link_name = $symbol_single]
            pub safe fn $single($($arg: f32),*) -> f32;
        )* }
    };
}
operations! {
    sqrt / sqrtf(x): "__devrtl_sqrt", "__devrtl_sqrtf";
    fabs / fabsf(x): "__devrtl_fabs", "__devrtl_fabsf";
    floor / floorf(x): "__devrtl_floor", "__devrtl_floorf";
    ceil / ceilf(x): "__devrtl_ceil", "__devrtl_ceilf";
    trunc / truncf(x): "__devrtl_trunc", "__devrtl_truncf";
    rint / rintf(x): "__devrtl_rint", "__devrtl_rintf";
    fmin / fminf(x, y): "__devrtl_fmin", "__devrtl_fminf";
    fmax / fmaxf(x, y): "__devrtl_fmax", "__devrtl_fmaxf";
    copysign / copysignf(x, y): "__devrtl_copysign", "__devrtl_copysignf";
    fma / fmaf(x, y, z): "__devrtl_fma", "__devrtl_fmaf";
}

// Approximations in single precision, which `-ffast-math` asks for.
unsafe extern "C" {
    #[link_name = "__devrtl_fast_sinf"]
    pub safe fn fast_sinf(x: f32) -> f32;
    #[link_name = "__devrtl_fast_cosf"]
    pub safe fn fast_cosf(x: f32) -> f32;
    #[link_name = "__devrtl_fast_log2f"]
    pub safe fn fast_log2f(x: f32) -> f32;
    #[link_name = "__devrtl_fast_exp2f"]
    pub safe fn fast_exp2f(x: f32) -> f32;
    #[link_name = "__devrtl_fast_dividef"]
    pub safe fn fast_dividef(x: f32, y: f32) -> f32;
}
