//! Products and quotients of complex numbers, as clang calls them: where infinities, NaNs and results beyond the type's range matter
//! (ISO C, annex G.5.1). A number is its real and its imaginary part, in memory of the caller: `devicertl/build/src/library.rs` has
//! the functions that return it as clang wants it.

use crate::c_functions;

macro_rules! of_type {
    ($module:ident, $float:ident, $multiply:ident, $divide:ident) => {
        pub(crate) mod $module {
            use crate::math::$module::{exponent, scale};

            /// What an infinite part has of its direction, and a finite one: 1 and 0, with their signs.
            fn direction(x: $float) -> $float {
                (if x.is_infinite() { 1.0 } else { 0.0 } as $float).copysign(x)
            }

            /// A NaN as 0 with its sign.
            fn without_nan(x: $float) -> $float {
                if x.is_nan() { (0.0 as $float).copysign(x) } else { x }
            }

            pub fn multiply(mut a: $float, mut b: $float, mut c: $float, mut d: $float) -> [$float; 2] {
                let [ac, bd, ad, bc] = [a * c, b * d, a * d, b * c];
                let product = [ac - bd, ad + bc];
                if !product.iter().all(|part| part.is_nan()) {
                    return product;
                }
                let mut again = false;
                if a.is_infinite() || b.is_infinite() {
                    [a, b, c, d] = [direction(a), direction(b), without_nan(c), without_nan(d)];
                    again = true;
                }
                if c.is_infinite() || d.is_infinite() {
                    [a, b, c, d] = [without_nan(a), without_nan(b), direction(c), direction(d)];
                    again = true;
                }
                if !again && [ac, bd, ad, bc].iter().any(|part| part.is_infinite()) {
                    [a, b, c, d] = [a, b, c, d].map(without_nan);
                    again = true;
                }
                if again {
                    [$float::INFINITY * (a * c - b * d), $float::INFINITY * (a * d + b * c)]
                } else {
                    product
                }
            }

            pub fn divide(a: $float, b: $float, c: $float, d: $float) -> [$float; 2] {
                let largest = c.abs().max(d.abs());
                let by = if largest > 0.0 && largest.is_finite() { -exponent(largest) } else { 0 };
                let [near_c, near_d] = [scale(c, by), scale(d, by)];
                let square = near_c * near_c + near_d * near_d;
                let quotient = [
                    scale((a * near_c + b * near_d) / square, by),
                    scale((b * near_c - a * near_d) / square, by),
                ];
                if !quotient.iter().all(|part| part.is_nan()) {
                    return quotient;
                }
                if square == 0.0 && !(a.is_nan() && b.is_nan()) {
                    let infinity = $float::INFINITY.copysign(c);
                    return [infinity * a, infinity * b];
                }
                let towards = |factor: $float, [a, b, c, d]: [$float; 4]| {
                    [factor * (a * c + b * d), factor * (b * c - a * d)]
                };
                if (a.is_infinite() || b.is_infinite()) && c.is_finite() && d.is_finite() {
                    return towards($float::INFINITY, [direction(a), direction(b), c, d]);
                }
                if largest.is_infinite() && a.is_finite() && b.is_finite() {
                    return towards(0.0, [a, b, direction(c), direction(d)]);
                }
                quotient
            }
        }

        c_functions! {
            /// `(a + bi) * (c + di)`.
            fn $multiply(to: *mut [$float; 2], a: $float, b: $float, c: $float, d: $float) {
                to.write($module::multiply(a, b, c, d));
            }
            /// `(a + bi) / (c + di)`.
            fn $divide(to: *mut [$float; 2], a: $float, b: $float, c: $float, d: $float) {
                to.write($module::divide(a, b, c, d));
            }
        }
    };
}

of_type!(single, f32, __omptarget_mulsc3, __omptarget_divsc3);
of_type!(double, f64, __omptarget_muldc3, __omptarget_divdc3);
