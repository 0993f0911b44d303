//! Cube roots, and 1 over square and cube roots.

use super::machine::{fma, fmaf, rsqrt_approx, rsqrt_approxf};

macro_rules! square_roots {
    ($($t:ident: $refined:ident $rsqrt:ident $approx:ident $fma:ident;)*) => { $(
        /// 1 over the square root of `x + low`, where `low` is far below `x`: a step of Newton's behind the machine's
        /// approximation.
        pub(super) fn $refined(x: $t, low: $t) -> $t {
            let y = $approx(x);
            // 1 - (x + low) y y, with the rounding of x y.
            let t = x * y;
            let e = $fma(-t, y, 1.0) - ($fma(x, y, -t) + low * y) * y;
            // Of 0 and an infinity the approximation is exact.
            if e.is_nan() { y } else { $fma(y * e, 0.5, y) }
        }
        /// 1 over the square root: the machine's approximation is off by less than 1 ulp (double) or 2 (single).
        #[unsafe(no_mangle)]
        pub extern "C" fn $rsqrt(x: $t) -> $t {
            $approx(x)
        }
    )* };
}
square_roots! {
    f64: rsqrt __nv_rsqrt rsqrt_approx fma;
    f32: rsqrtf __nv_rsqrtf rsqrt_approxf fmaf;
}

/// 1 over the square root, to nearest: in double precision, whose error is too small to change any float.
#[unsafe(no_mangle)]
pub extern "C" fn __nv_frsqrt_rn(x: f32) -> f32 {
    rsqrt(x as f64, 0.0) as f32
}

macro_rules! cube_roots {
    ($($t:ident: $fma:ident, magic $magic:literal, steps $steps:literal,
        scale $up:literal $down:literal; $rcbrt:ident $cbrt:ident $root:ident)*) => { $(
        /// 1 over the cube root of a positive normal number.
        fn $root(x: $t) -> $t {
            // A third of the exponent, by the bits: 3 % off.
            let mut y = $t::from_bits($magic - x.to_bits() / 3);
            // Each step has order three.
            for _ in 0..$steps {
                let e = $fma(-x * y, y * y, 1.0);
                y = $fma(y * e, $fma(e, 2.0 / 9.0, 1.0 / 3.0), y);
            }
            // What is left, exactly enough: 1 - x y y y.
            let square = y * y;
            let square_low = $fma(y, y, -square);
            let product = x * y;
            let product_low = $fma(x, y, -product);
            let e = $fma(-product, square, 1.0) - (product * square_low + product_low * square);
            $fma(y * e, 1.0 / 3.0, y)
        }
        /// 1 over the cube root.
        #[unsafe(no_mangle)]
        pub extern "C" fn $rcbrt(x: $t) -> $t {
            let a = x.abs();
            if !(a > 0.0 && a < $t::INFINITY) {
                return 1.0 / x;
            }
            let subnormal = a < $t::MIN_POSITIVE;
            let y = $root(if subnormal { a * $up * $up * $up } else { a });
            (if subnormal { y * $up } else { y }).copysign(x)
        }
        /// Cube root.
        #[unsafe(no_mangle)]
        pub extern "C" fn $cbrt(x: $t) -> $t {
            let a = x.abs();
            if !(a > 0.0 && a < $t::INFINITY) {
                return x + x;
            }
            let subnormal = a < $t::MIN_POSITIVE;
            let a = if subnormal { a * $up * $up * $up } else { a };
            let y = $root(a);
            let square = y * y;
            let c = a * square;
            // One step of Newton's with the exact rest a - c c c, and 1 / (3 c c) = y y / 3.
            let c2 = c * c;
            let c2_low = $fma(c, c, -c2);
            let rest = $fma(-c2, c, a) - c2_low * c;
            let c = $fma(rest, square * (1.0 / 3.0), c);
            (if subnormal { c * $down } else { c }).copysign(x)
        }
    )* };
}
cube_roots! {
    f64: fma, magic 0x553ef0ff289dd796, steps 3, scale 262144.0 3.814697265625e-6;
        __nv_rcbrt __nv_cbrt reciprocal_root
    f32: fmaf, magic 0x54a2fa8c, steps 2, scale 256.0 3.90625e-3;
        __nv_rcbrtf __nv_cbrtf reciprocal_rootf
}
