//! Classes of numbers, numbers as bits, and NaNs.

macro_rules! classes {
    ($($t:ident $bits:ident: $isnan:ident $isinf:ident $isfinite:ident $signbit:ident $nan:ident;)*) => { $(
        /// Not 0 for NaN.
        #[unsafe(no_mangle)]
        pub extern "C" fn $isnan(x: $t) -> i32 {
            x.is_nan() as i32
        }
        /// Not 0 for an infinity.
        #[unsafe(no_mangle)]
        pub extern "C" fn $isinf(x: $t) -> i32 {
            x.is_infinite() as i32
        }
        /// Not 0 for a finite number.
        #[unsafe(no_mangle)]
        pub extern "C" fn $isfinite(x: $t) -> i32 {
            x.is_finite() as i32
        }
        /// Not 0 if the sign bit is set.
        #[unsafe(no_mangle)]
        pub extern "C" fn $signbit(x: $t) -> i32 {
            (x.to_bits() >> ($bits::BITS - 1)) as i32
        }
        /// A quiet NaN whose lower bits are the number in the text `tag`, as C's `strtoull` reads it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $nan(tag: *const u8) -> $t {
            // SAFETY: the caller's text, which ends with a zero.
            let payload = unsafe { number(tag) };
            let quiet = $t::NAN.to_bits();
            $t::from_bits(quiet | payload as $bits & (1 << ($t::MANTISSA_DIGITS - 2)) - 1)
        }
    )* };
}
classes! {
    f64 u64: __nv_isnand __nv_isinfd __nv_isfinited __nv_signbitd __nv_nan;
    f32 u32: __nv_isnanf __nv_isinff __nv_finitef __nv_signbitf __nv_nanf;
}

/// The number that `text` is, decimal, octal or hexadecimal; 0 if it is none.
unsafe fn number(mut text: *const u8) -> u64 {
    let mut value = 0u64;
    let mut base = 10;
    // SAFETY: nothing behind the zero at the end is read.
    unsafe {
        if *text == b'0' {
            base = 8;
            text = text.add(1);
            if *text | 0x20 == b'x' {
                base = 16;
                text = text.add(1);
            }
        }
        while *text != 0 {
            let digit = match *text {
                c @ b'0'..=b'9' => c - b'0',
                c => (c | 0x20).wrapping_sub(b'a').saturating_add(10),
            } as u64;
            if digit >= base {
                return 0;
            }
            value = value.wrapping_mul(base).wrapping_add(digit);
            text = text.add(1);
        }
    }
    value
}

macro_rules! bits {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $value:expr;)*) => { $(
        /// The same bits, or half of them.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $ret {
            $value
        }
    )* };
}
bits! {
    __nv_double_as_longlong(x: f64) -> u64 = x.to_bits();
    __nv_longlong_as_double(x: u64) -> f64 = f64::from_bits(x);
    __nv_float_as_int(x: f32) -> i32 = x.to_bits() as i32;
    __nv_float_as_uint(x: f32) -> u32 = x.to_bits();
    __nv_int_as_float(x: i32) -> f32 = f32::from_bits(x as u32);
    __nv_uint_as_float(x: u32) -> f32 = f32::from_bits(x);
    __nv_double2hiint(x: f64) -> i32 = (x.to_bits() >> 32) as i32;
    __nv_double2loint(x: f64) -> i32 = x.to_bits() as i32;
    __nv_hiloint2double(high: i32, low: i32) -> f64 = f64::from_bits((high as u32 as u64) << 32 | low as u32 as u64);
}
