//! The numbers of the benches in Rust, for kernels and for the host that judges them: what looks random (`options.h`), and the inputs
//! of the reductions and what is right (`reductions.h`).
#![allow(dead_code)] // kernels and host use other parts

/// A number that looks random (the finaliser of MurmurHash3).
#[inline(always)]
pub fn hash(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// Inputs repeat after so many elements, so that the host need not add up 10^9.
pub const PERIOD: u64 = 1 << 20;

/// A complex number.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

/// The largest value, and the first place where it is.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Place {
    pub value: f64,
    pub index: i64,
}

/// One reduction.
pub trait Reduction {
    /// What is reduced.
    type Value: Copy + Default;
    /// In which the host computes.
    type Wide: Copy + From<Self::Value>;
    /// In the names of its figures and kernels.
    const NAME: &'static str;
    /// Where it begins.
    const START: Self::Value;
    /// Element `i` of an input.
    fn input(key: u32, i: u64) -> Self::Value;
    /// Takes one more element in.
    fn combine(result: &mut Self::Value, next: Self::Value);
    /// The same on the host.
    fn combine_wide(result: &mut Self::Wide, next: Self::Wide);
    /// Whether a result is as right as the order of the operations leaves it.
    fn is_right(result: Self::Value, right: Self::Wide) -> bool;
}

/// What the reduction of the first `n` elements of an input has to give.
pub fn right_result<R: Reduction>(key: u32, n: u64) -> R::Wide {
    let (mut whole, mut all) = (R::Wide::from(R::START), R::Wide::from(R::START));
    for i in 0..n.min(PERIOD) {
        let next = R::Wide::from(R::input(key, i));
        if i < n % PERIOD {
            R::combine_wide(&mut all, next);
        }
        R::combine_wide(&mut whole, next);
    }
    for _ in 0..n / PERIOD {
        R::combine_wide(&mut all, whole);
    }
    all
}

#[inline(always)]
fn word(key: u32, i: u64) -> u32 {
    hash(key.wrapping_add((i % PERIOD) as u32))
}

// Sums of these integers have no overflow, and sums of the others are far from cancelling.
#[inline(always)]
fn small(key: u32, i: u64) -> i32 {
    (word(key, i) & 255) as i32 - 128
}

/// All bits, but one of them is missing in some, unless it is one of the key's.
#[inline(always)]
fn bits(key: u32, i: u64) -> i32 {
    let word = word(key, i);
    if word >> 8 & 63 != 0 { -1 } else { !(1 << (word & 31) & !hash(key)) as i32 }
}

#[inline(always)]
fn single(key: u32, i: u64) -> f32 {
    (word(key, i) >> 8) as f32 / 16_777_216.0
}

#[inline(always)]
fn double(key: u32, i: u64) -> f64 {
    (f64::from(word(key, i)) + 0.5) / 4_294_967_296.0
}

#[inline(always)]
fn complex(key: u32, i: u64) -> Complex {
    Complex { re: double(key, i), im: double(key ^ 0x5bd1_e995, i) }
}

#[inline(always)]
fn place(key: u32, i: u64) -> Place {
    Place { value: double(key, i), index: i as i64 }
}

/// Whether they differ by no more than a part of the second, as NaN does from all.
fn near(result: f64, right: f64, relative: f64) -> bool {
    let difference = if result > right { result - right } else { right - result };
    difference <= relative * if right < 0.0 { -right } else { right }
}

fn same_int(result: i32, right: i32) -> bool {
    result == right
}

fn same_float(result: f32, right: f64) -> bool {
    near(result.into(), right, 1e-4)
}

fn same_double(result: f64, right: f64) -> bool {
    near(result, right, 1e-10)
}

fn same_complex(result: Complex, right: Complex) -> bool {
    same_double(result.re, right.re) && same_double(result.im, right.im)
}

fn same_place(result: Place, right: Place) -> bool {
    result.value == right.value && result.index == right.index
}

macro_rules! reductions {
    ($($type:ident $name:literal: $value:ty as $wide:ty, $start:expr, $input:ident, |$a:ident, $b:ident| $operation:expr, $same:ident;)*) => {
        $(
            #[doc = concat!("`", $name, "` of `reductions.h`.")]
            pub struct $type;

            impl Reduction for $type {
                type Value = $value;
                type Wide = $wide;
                const NAME: &'static str = $name;
                const START: $value = $start;

                #[inline(always)]
                fn input(key: u32, i: u64) -> $value {
                    $input(key, i)
                }

                #[inline(always)]
                fn combine(result: &mut $value, $b: $value) {
                    let $a = *result;
                    *result = $operation;
                }

                fn combine_wide(result: &mut $wide, $b: $wide) {
                    let $a = *result;
                    *result = $operation;
                }

                fn is_right(result: $value, right: $wide) -> bool {
                    $same(result, right)
                }
            }
        )*

        /// Does `each!(Type "name")` with each reduction.
        macro_rules! for_reductions {
            ($each:ident) => {
                $($each!($type $name);)*
            };
        }
    };
}

// Those of `reductions.h`, with minimum and maximum for one type: each costs a link of four kernels.
reductions! {
    IntSum "int_sum": i32 as i32, 0, small, |a, b| a + b, same_int;
    IntMin "int_min": i32 as i32, 1000, small, |a, b| if b < a { b } else { a }, same_int;
    IntMax "int_max": i32 as i32, -1000, small, |a, b| if b > a { b } else { a }, same_int;
    IntAnd "int_and": i32 as i32, -1, bits, |a, b| a & b, same_int;
    FloatSum "float_sum": f32 as f64, 0.0, single, |a, b| a + b, same_float;
    DoubleSum "double_sum": f64 as f64, 0.0, double, |a, b| a + b, same_double;
    ComplexSum "complex_sum": Complex as Complex, Complex { re: 0.0, im: 0.0 }, complex,
        |a, b| Complex { re: a.re + b.re, im: a.im + b.im }, same_complex;
    PlaceOfMax "place_of_max": Place as Place, Place { value: -1.0, index: -1 }, place,
        |a, b| if b.value > a.value || b.value == a.value && b.index < a.index { b } else { a }, same_place;
}
