//! Numbers of 256 bits: the library MPFR, which every gcc brings along, loaded when the program runs.

use libloading::Library;
use std::{
    cell::Cell,
    ffi::{c_int, c_long},
    ops::{Add, Div, Mul, Neg, Sub},
    sync::OnceLock,
};

const BITS: c_long = 256;
const NEAREST: c_int = 0;

/// `mpfr_t` of MPFR 4.
#[repr(C)]
struct Raw {
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    limbs: *mut u64,
}

type Unary = unsafe extern "C" fn(*mut Raw, *const Raw, c_int) -> c_int;
type Binary = unsafe extern "C" fn(*mut Raw, *const Raw, *const Raw, c_int) -> c_int;

macro_rules! library {
    ($($name:ident: $ty:ty = $symbol:literal;)*) => {
        struct Functions { $($name: $ty,)* }

        fn library() -> &'static Functions {
            static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
            FUNCTIONS.get_or_init(|| {
                // SAFETY: the library has no start-up code that could do harm.
                let library = unsafe { Library::new("libmpfr.so.6") }.expect("libmpfr6, which gcc depends on");
                let library = Box::leak(Box::new(library));
                // SAFETY: the types are those of mpfr.h.
                unsafe { Functions { $($name: *library.get::<$ty>($symbol).expect("a function of MPFR"),)* } }
            })
        }
    };
}
library! {
    init: unsafe extern "C" fn(*mut Raw, c_long) = b"mpfr_init2";
    clear: unsafe extern "C" fn(*mut Raw) = b"mpfr_clear";
    set: unsafe extern "C" fn(*mut Raw, f64, c_int) -> c_int = b"mpfr_set_d";
    get: unsafe extern "C" fn(*const Raw, c_int) -> f64 = b"mpfr_get_d";
    get_single: unsafe extern "C" fn(*const Raw, c_int) -> f32 = b"mpfr_get_flt";
    scale: unsafe extern "C" fn(*mut Raw, *const Raw, c_long, c_int) -> c_int = b"mpfr_mul_2si";
    is_nan: unsafe extern "C" fn(*const Raw) -> c_int = b"mpfr_nan_p";
    is_infinite: unsafe extern "C" fn(*const Raw) -> c_int = b"mpfr_inf_p";
    is_zero: unsafe extern "C" fn(*const Raw) -> c_int = b"mpfr_zero_p";
    pi: unsafe extern "C" fn(*mut Raw, c_int) -> c_int = b"mpfr_const_pi";
    lgamma: unsafe extern "C" fn(*mut Raw, *mut c_int, *const Raw, c_int) -> c_int = b"mpfr_lgamma";
    jn: unsafe extern "C" fn(*mut Raw, c_long, *const Raw, c_int) -> c_int = b"mpfr_jn";
    yn: unsafe extern "C" fn(*mut Raw, c_long, *const Raw, c_int) -> c_int = b"mpfr_yn";
    add: Binary = b"mpfr_add";
    sub: Binary = b"mpfr_sub";
    mul: Binary = b"mpfr_mul";
    div: Binary = b"mpfr_div";
    pow: Binary = b"mpfr_pow";
    atan2: Binary = b"mpfr_atan2";
    hypot: Binary = b"mpfr_hypot";
    neg: Unary = b"mpfr_neg";
    sqrt: Unary = b"mpfr_sqrt";
    rsqrt: Unary = b"mpfr_rec_sqrt";
    cbrt: Unary = b"mpfr_cbrt";
    exp: Unary = b"mpfr_exp";
    exp2: Unary = b"mpfr_exp2";
    exp10: Unary = b"mpfr_exp10";
    expm1: Unary = b"mpfr_expm1";
    ln: Unary = b"mpfr_log";
    log2: Unary = b"mpfr_log2";
    log10: Unary = b"mpfr_log10";
    log1p: Unary = b"mpfr_log1p";
    sin: Unary = b"mpfr_sin";
    cos: Unary = b"mpfr_cos";
    tan: Unary = b"mpfr_tan";
    asin: Unary = b"mpfr_asin";
    acos: Unary = b"mpfr_acos";
    atan: Unary = b"mpfr_atan";
    sinh: Unary = b"mpfr_sinh";
    cosh: Unary = b"mpfr_cosh";
    tanh: Unary = b"mpfr_tanh";
    asinh: Unary = b"mpfr_asinh";
    acosh: Unary = b"mpfr_acosh";
    atanh: Unary = b"mpfr_atanh";
    erf: Unary = b"mpfr_erf";
    erfc: Unary = b"mpfr_erfc";
    gamma: Unary = b"mpfr_gamma";
}

/// A number.
pub struct Big(Raw);

impl Big {
    fn make(fill: impl FnOnce(*mut Raw)) -> Self {
        let mut raw = Raw { precision: 0, sign: 0, exponent: 0, limbs: std::ptr::null_mut() };
        // SAFETY: makes a number of what was none.
        unsafe { (library().init)(&raw mut raw, BITS) };
        fill(&raw mut raw);
        Self(raw)
    }
    /// The same number.
    pub fn new(x: f64) -> Self {
        // SAFETY: the result is a number.
        Self::make(|raw| unsafe {
            (library().set)(raw, x, NEAREST);
        })
    }
    fn unary(&self, f: Unary) -> Self {
        // SAFETY: both are numbers.
        Self::make(|raw| unsafe {
            f(raw, &raw const self.0, NEAREST);
        })
    }
    fn binary(&self, other: &Self, f: Binary) -> Self {
        // SAFETY: all three are numbers.
        Self::make(|raw| unsafe {
            f(raw, &raw const self.0, &raw const other.0, NEAREST);
        })
    }
    /// Pi.
    pub fn pi() -> Self {
        // SAFETY: the result is a number.
        Self::make(|raw| unsafe {
            (library().pi)(raw, NEAREST);
        })
    }
    /// Times 2 to the power `n`.
    pub fn scale(&self, n: i64) -> Self {
        // SAFETY: both are numbers.
        Self::make(|raw| unsafe {
            (library().scale)(raw, &raw const self.0, n, NEAREST);
        })
    }
    /// Logarithm of the gamma function's magnitude.
    pub fn lgamma(&self) -> Self {
        let sign = Cell::new(0);
        // SAFETY: both are numbers.
        Self::make(|raw| unsafe {
            (library().lgamma)(raw, sign.as_ptr(), &raw const self.0, NEAREST);
        })
    }
    /// Bessel function of the first kind.
    pub fn jn(&self, n: i64) -> Self {
        // SAFETY: both are numbers.
        Self::make(|raw| unsafe {
            (library().jn)(raw, n, &raw const self.0, NEAREST);
        })
    }
    /// Bessel function of the second kind.
    pub fn yn(&self, n: i64) -> Self {
        // SAFETY: both are numbers.
        Self::make(|raw| unsafe {
            (library().yn)(raw, n, &raw const self.0, NEAREST);
        })
    }
    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        // SAFETY: a number.
        unsafe { (library().get)(&raw const self.0, NEAREST) }
    }
    /// The nearest float.
    pub fn to_f32(&self) -> f32 {
        // SAFETY: a number.
        unsafe { (library().get_single)(&raw const self.0, NEAREST) }
    }
    /// The power of 2 that the magnitude is at least; of 0 a very small one.
    pub fn exponent(&self) -> i64 {
        if self.is(library().is_zero) { i64::MIN / 2 } else { self.0.exponent - 1 }
    }
    /// Whether it is no number.
    pub fn is_nan(&self) -> bool {
        self.is(library().is_nan)
    }
    /// Whether it is infinite.
    pub fn is_infinite(&self) -> bool {
        self.is(library().is_infinite)
    }
    fn is(&self, f: unsafe extern "C" fn(*const Raw) -> c_int) -> bool {
        // SAFETY: a number.
        unsafe { f(&raw const self.0) != 0 }
    }
}

impl Clone for Big {
    fn clone(&self) -> Self {
        self.scale(0)
    }
}

impl Drop for Big {
    fn drop(&mut self) {
        // SAFETY: nobody uses it afterwards.
        unsafe { (library().clear)(&raw mut self.0) }
    }
}

macro_rules! functions {
    ($($name:ident)*; $($binary:ident)*) => {
        #[allow(missing_docs)]
        impl Big {
            $( pub fn $name(&self) -> Self { self.unary(library().$name) } )*
            $( pub fn $binary(&self, other: &Self) -> Self { self.binary(other, library().$binary) } )*
        }
    };
}
functions! {
    sqrt rsqrt cbrt exp exp2 exp10 expm1 ln log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh erf erfc gamma; pow atan2 hypot
}

macro_rules! operators {
    ($($trait:ident $name:ident;)*) => { $(
        impl $trait for &Big {
            type Output = Big;
            fn $name(self, other: &Big) -> Big { self.binary(other, library().$name) }
        }
        impl $trait<f64> for &Big {
            type Output = Big;
            fn $name(self, other: f64) -> Big { self.binary(&Big::new(other), library().$name) }
        }
    )* };
}
operators! { Add add; Sub sub; Mul mul; Div div; }

impl Neg for &Big {
    type Output = Big;
    fn neg(self) -> Big {
        self.unary(library().neg)
    }
}
