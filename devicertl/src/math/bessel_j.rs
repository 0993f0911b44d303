//! Bessel functions of the first and second kind.

use super::{bessel_f32 as f32_parts, bessel_f64 as f64_parts, machine, reduce, reduce::Angle, roots, trig};

macro_rules! bessel {
    ($($t:ident $parts:ident: $angle:ident $of_angle:ident $rsqrt:ident $wave:ident $sqrt:ident
        $j0_small:ident $j1_small:ident $y0_small:ident $y1_small:ident $wave0:ident $wave1:ident
        $j0:ident $j1:ident $y0:ident $y1:ident $jn:ident $yn:ident $first:ident $second:ident, digits $digits:literal small $small:literal;
    )*) => { $(
        /// Amplitude, sine and cosine of the phase, for `x` above 8.
        fn $wave(x: $t, (amplitude, phase): ($t, $t)) -> ($t, $t, $t) {
            let Angle { high, low, quarters } = reduce::$angle(x);
            let phase = phase / x;
            let sum = high + phase;
            let (s, c) = trig::$of_angle(Angle { high: sum, low: (high - sum) + phase + low, quarters });
            (amplitude * core::$t::consts::FRAC_1_SQRT_2 * roots::$rsqrt(x, 0.0), s, c)
        }
        /// Order 0 of the first kind.
        #[unsafe(no_mangle)]
        pub extern "C" fn $j0(x: $t) -> $t {
            let x = x.abs();
            if x <= 8.0 {
                return $parts::$j0_small(x);
            }
            if x == $t::INFINITY {
                return 0.0;
            }
            let (a, s, c) = $wave(x, $parts::$wave0(1.0 / (x * x)));
            a * (c + s)
        }
        /// Order 1 of the first kind.
        #[unsafe(no_mangle)]
        pub extern "C" fn $j1(x: $t) -> $t {
            let a = x.abs();
            if a <= 8.0 {
                let value = $parts::$j1_small(a);
                return if x.is_sign_negative() { -value } else { value };
            }
            if a == $t::INFINITY {
                return (0.0 as $t).copysign(x);
            }
            let (amplitude, s, c) = $wave(a, $parts::$wave1(1.0 / (a * a)));
            let value = amplitude * (s - c);
            if x < 0.0 { -value } else { value }
        }
        /// Order 0 of the second kind.
        #[unsafe(no_mangle)]
        pub extern "C" fn $y0(x: $t) -> $t {
            if !(x > 0.0 && x < $t::INFINITY) {
                return $second(x);
            }
            if x <= 8.0 {
                return $parts::$y0_small(x);
            }
            let (a, s, c) = $wave(x, $parts::$wave0(1.0 / (x * x)));
            a * (s - c)
        }
        /// Order 1 of the second kind.
        #[unsafe(no_mangle)]
        pub extern "C" fn $y1(x: $t) -> $t {
            if !(x > 0.0 && x < $t::INFINITY) {
                return $second(x);
            }
            if x <= 8.0 {
                return $parts::$y1_small(x);
            }
            let (a, s, c) = $wave(x, $parts::$wave1(1.0 / (x * x)));
            -a * (s + c)
        }
        /// The second kind of what is not positive and finite.
        fn $second(x: $t) -> $t {
            if x == 0.0 {
                $t::NEG_INFINITY
            } else if x > 0.0 {
                0.0
            } else {
                $t::NAN
            }
        }
        /// Order `n`, above 1, of the first kind, of a positive finite `x`.
        fn $first(n: u32, x: $t) -> $t {
            let per_x = 2.0 / x;
            if n as $t <= x {
                // Upwards the recurrence is stable until the order passes the argument.
                let (mut below, mut here) = ($j0(x), $j1(x));
                let mut k = 1;
                while k < n {
                    (below, here) = (here, k as $t * per_x * here - below);
                    k += 1;
                }
                return here;
            }
            // The first term of the series is all.
            if x < $small {
                let (mut term, mut k) = (1.0, 1);
                while k <= n && term != 0.0 {
                    term *= 0.5 * x / k as $t;
                    k += 1;
                }
                return term;
            }
            // The least positive number is larger.
            if n as $t > 4.0 * x + 1000.0 {
                return 0.0;
            }
            // Downwards from any start, then scaled: J0 + 2 J2 + 2 J4 + ... = 1.
            let mut k = (n + machine::$sqrt($digits * n as $t) as u32) / 2 * 2;
            let (mut above, mut here, mut sum, mut wanted) = (0.0, 1.0, 0.0, 0.0);
            while k > 0 {
                let below = k as $t * per_x * here - above;
                (above, here) = (here, below);
                k -= 1;
                if here.abs() > 1e10 {
                    (above, here, sum, wanted) = (above * 1e-10, here * 1e-10, sum * 1e-10, wanted * 1e-10);
                }
                if k == n {
                    wanted = here;
                }
                if k % 2 == 0 {
                    sum += if k == 0 { here } else { 2.0 * here };
                }
            }
            wanted / sum
        }
        /// Order `n` of the first kind.
        #[unsafe(no_mangle)]
        pub extern "C" fn $jn(n: i32, x: $t) -> $t {
            let a = x.abs();
            let order = n.unsigned_abs();
            let value = match order {
                0 => $j0(a),
                1 => $j1(a),
                _ if a.is_nan() => a,
                _ if a == 0.0 || a == $t::INFINITY => 0.0,
                _ => $first(order, a),
            };
            // Odd orders are odd functions, and so is a change of the order's sign.
            if order & 1 != 0 && (n < 0) != x.is_sign_negative() { -value } else { value }
        }
        /// Order `n` of the second kind.
        #[unsafe(no_mangle)]
        pub extern "C" fn $yn(n: i32, x: $t) -> $t {
            let order = n.unsigned_abs();
            let (mut below, mut here) = ($y0(x), $y1(x));
            let per_x = 2.0 / x;
            let mut k = 1;
            // An infinity stays.
            while k < order && here.is_finite() && x < $t::INFINITY {
                (below, here) = (here, k as $t * per_x * here - below);
                k += 1;
            }
            let value = if order == 0 { below } else { here };
            if order & 1 != 0 && n < 0 { -value } else { value }
        }
    )* };
}
bessel! {
    f64 f64_parts: angle of_angle rsqrt wave sqrt
        j0_small j1_small y0_small y1_small wave0 wave1
        __nv_j0 __nv_j1 __nv_y0 __nv_y1 __nv_jn __nv_yn first second, digits 160.0 small 1e-8;
    f32 f32_parts: anglef of_anglef rsqrtf wavef sqrtf
        j0_smallf j1_smallf y0_smallf y1_smallf wave0f wave1f
        __nv_j0f __nv_j1f __nv_y0f __nv_y1f __nv_jnf __nv_ynf firstf secondf, digits 60.0 small 1e-4;
}
