//! Lengths of vectors, and 1 over them: without overflow between, infinite if any part is.

use super::{machine, roots};

macro_rules! norms {
    ($($t:ident $bits:ident: $fma:ident $sqrt:ident $rsqrt:ident $fmax:ident mantissa $mantissa:literal bias $bias:literal;
        $hypot:ident $rhypot:ident $norm3d:ident $rnorm3d:ident $norm4d:ident $rnorm4d:ident $norm:ident $rnorm:ident
        $Sum:ident)*) => { $(
        /// The sum of squares of numbers that were scaled to at most 2, in two parts.
        struct $Sum {
            /// The numbers' scale: a power of 2.
            scale: $t,
            /// 1 over it.
            unscale: $t,
            sum: $t,
            low: $t,
            infinite: bool,
        }
        impl $Sum {
            /// For numbers of which `largest` is the largest in magnitude.
            fn new(largest: $t) -> Self {
                let bits = largest.to_bits() >> $mantissa;
                // So that both powers are normal numbers.
                let exponent = bits.clamp(1, 2 * $bias - 1);
                let power = |exponent: $bits| $t::from_bits(exponent << $mantissa);
                let (scale, unscale) = (power(2 * $bias - exponent), power(exponent));
                Self { scale, unscale, sum: 0.0, low: 0.0, infinite: largest == $t::INFINITY }
            }
            /// Adds the square of `x`.
            fn add(&mut self, x: $t) {
                let x = x * self.scale;
                let square = x * x;
                let sum = self.sum + square;
                // Both roundings, in either order of size.
                let part = sum - self.sum;
                self.low += (self.sum - (sum - part)) + (square - part) + machine::$fma(x, x, -square);
                self.sum = sum;
            }
            /// The square root.
            fn root(&self) -> $t {
                if self.infinite {
                    return $t::INFINITY;
                }
                let root = machine::$sqrt(self.sum);
                let rest = machine::$fma(-root, root, self.sum) + self.low;
                let step = rest * 0.5 / root;
                // Of 0 there is no step.
                (if self.sum > 0.0 { root + step } else { root }) * self.unscale
            }
            /// 1 over the square root.
            fn reciprocal_root(&self) -> $t {
                if self.infinite {
                    return 0.0;
                }
                roots::$rsqrt(self.sum, self.low) * self.scale
            }
        }
        norms! { functions $t $fmax $Sum:
            $hypot(x, y) root; $rhypot(x, y) reciprocal_root;
            $norm3d(x, y, z) root; $rnorm3d(x, y, z) reciprocal_root;
            $norm4d(x, y, z, w) root; $rnorm4d(x, y, z, w) reciprocal_root;
        }
        norms! { arrays $t $fmax $Sum: $norm root; $rnorm reciprocal_root; }
    )* };
    (functions $t:ident $fmax:ident $Sum:ident: $($name:ident($first:ident $(, $more:ident)*) $what:ident;)*) => { $(
        /// Of a vector's length.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($first: $t $(, $more: $t)*) -> $t {
            let largest = $first.abs();
            $( let largest = machine::$fmax(largest, $more.abs()); )*
            let mut sum = $Sum::new(largest);
            sum.add($first);
            $( sum.add($more); )*
            sum.$what()
        }
    )* };
    (arrays $t:ident $fmax:ident $Sum:ident: $($name:ident $what:ident;)*) => { $(
        /// Of the length of a vector with `n` parts.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(n: i32, parts: *const $t) -> $t {
            // SAFETY: the caller's array has `n` elements.
            let part = |i: i32| unsafe { *parts.offset(i as isize) };
            let mut largest: $t = 0.0;
            let mut i = 0;
            while i < n {
                largest = machine::$fmax(largest, part(i).abs());
                i += 1;
            }
            let mut sum = $Sum::new(largest);
            i = 0;
            while i < n {
                sum.add(part(i));
                i += 1;
            }
            sum.$what()
        }
    )* };
}
norms! {
    f64 u64: fma sqrt rsqrt fmax mantissa 52 bias 1023;
        __nv_hypot __nv_rhypot __nv_norm3d __nv_rnorm3d __nv_norm4d __nv_rnorm4d __nv_norm __nv_rnorm SumOfSquares
    f32 u32: fmaf sqrtf rsqrtf fmaxf mantissa 23 bias 127;
        __nv_hypotf __nv_rhypotf __nv_norm3df __nv_rnorm3df __nv_norm4df __nv_rnorm4df __nv_normf __nv_rnormf SumOfSquaresF
}
