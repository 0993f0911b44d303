//! Arithmetic on the two halves or four bytes of a word, which CUDA 9.0 and 9.1 took from libdevice.

macro_rules! parts {
    ($($map:ident $sum:ident $bits:literal;)*) => { $(
        /// Applies `f` to each part of `a` and `b`, sign-extended or not; the low bits of the results are the parts.
        #[inline(always)]
        fn $map(signed: bool, a: u32, b: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
            let part = |word: u32, at: u32| {
                let upper = word << (32 - $bits - at);
                if signed { upper as i32 >> (32 - $bits) } else { (upper >> (32 - $bits)) as i32 }
            };
            let mut result = 0;
            let mut at = 0;
            while at < 32 {
                let value = f(part(a, at), part(b, at)) as u32;
                result |= (value & (u32::MAX >> (32 - $bits))) << at;
                at += $bits;
            }
            result
        }
        /// The sum of the parts, which are not negative.
        #[inline(always)]
        fn $sum(word: u32) -> u32 {
            let mut sum = 0;
            let mut at = 0;
            while at < 32 {
                sum += word >> at & (u32::MAX >> (32 - $bits));
                at += $bits;
            }
            sum
        }
    )* };
}
parts! {
    halves sum_of_halves 16;
    bytes sum_of_bytes 8;
}

/// Bounds of a part with `bits` bits.
const fn signed(bits: u32) -> (i32, i32) {
    (-1 << (bits - 1), (1 << (bits - 1)) - 1)
}
const fn unsigned(bits: u32) -> (i32, i32) {
    (0, (1 << bits) - 1)
}
/// The value in `range` that is nearest to `x`.
fn saturate(x: i32, range: (i32, i32)) -> i32 {
    x.max(range.0).min(range.1)
}

macro_rules! functions {
    ($($two:ident $four:ident ($is_signed:literal, $a:ident $(, $b:ident)?; $bits:ident) = $value:expr;)*) => { $(
        functions! { @ $two halves 16 ($is_signed, $a $(, $b)?; $bits) = $value }
        functions! { @ $four bytes 8 ($is_signed, $a $(, $b)?; $bits) = $value }
    )* };
    (@ $name:ident $map:ident $n:literal ($is_signed:literal, $a:ident; $bits:ident) = $value:expr) => {
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(a: u32) -> u32 {
            #[allow(unused)]
            const $bits: u32 = $n;
            $map($is_signed, a, 0, |$a, _| $value)
        }
    };
    (@ $name:ident $map:ident $n:literal ($is_signed:literal, $a:ident, $b:ident; $bits:ident) = $value:expr) => {
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(a: u32, b: u32) -> u32 {
            #[allow(unused)]
            const $bits: u32 = $n;
            $map($is_signed, a, b, |$a, $b| $value)
        }
    };
}
functions! {
    __nv_vabs2 __nv_vabs4 (true, a; BITS) = a.abs();
    __nv_vabsss2 __nv_vabsss4 (true, a; BITS) = saturate(a.abs(), signed(BITS));
    __nv_vneg2 __nv_vneg4 (true, a; BITS) = -a;
    __nv_vnegss2 __nv_vnegss4 (true, a; BITS) = saturate(-a, signed(BITS));
    __nv_vabsdiffs2 __nv_vabsdiffs4 (true, a, b; BITS) = (a - b).abs();
    __nv_vabsdiffu2 __nv_vabsdiffu4 (false, a, b; BITS) = (a - b).abs();
    __nv_vadd2 __nv_vadd4 (false, a, b; BITS) = a + b;
    __nv_vaddss2 __nv_vaddss4 (true, a, b; BITS) = saturate(a + b, signed(BITS));
    __nv_vaddus2 __nv_vaddus4 (false, a, b; BITS) = saturate(a + b, unsigned(BITS));
    __nv_vsub2 __nv_vsub4 (false, a, b; BITS) = a - b;
    __nv_vsubss2 __nv_vsubss4 (true, a, b; BITS) = saturate(a - b, signed(BITS));
    __nv_vsubus2 __nv_vsubus4 (false, a, b; BITS) = saturate(a - b, unsigned(BITS));
    // Averages: rounded away from 0, up, down.
    __nv_vavgs2 __nv_vavgs4 (true, a, b; BITS) = (a + b + (a + b >= 0) as i32) >> 1;
    __nv_vavgu2 __nv_vavgu4 (false, a, b; BITS) = (a + b + 1) >> 1;
    __nv_vhaddu2 __nv_vhaddu4 (false, a, b; BITS) = (a + b) >> 1;
    __nv_vmaxs2 __nv_vmaxs4 (true, a, b; BITS) = a.max(b);
    __nv_vmaxu2 __nv_vmaxu4 (false, a, b; BITS) = a.max(b);
    __nv_vmins2 __nv_vmins4 (true, a, b; BITS) = a.min(b);
    __nv_vminu2 __nv_vminu4 (false, a, b; BITS) = a.min(b);
    // Comparisons: all bits of the part.
    __nv_vcmpeq2 __nv_vcmpeq4 (false, a, b; BITS) = -((a == b) as i32);
    __nv_vcmpne2 __nv_vcmpne4 (false, a, b; BITS) = -((a != b) as i32);
    __nv_vcmpges2 __nv_vcmpges4 (true, a, b; BITS) = -((a >= b) as i32);
    __nv_vcmpgeu2 __nv_vcmpgeu4 (false, a, b; BITS) = -((a >= b) as i32);
    __nv_vcmpgts2 __nv_vcmpgts4 (true, a, b; BITS) = -((a > b) as i32);
    __nv_vcmpgtu2 __nv_vcmpgtu4 (false, a, b; BITS) = -((a > b) as i32);
    __nv_vcmples2 __nv_vcmples4 (true, a, b; BITS) = -((a <= b) as i32);
    __nv_vcmpleu2 __nv_vcmpleu4 (false, a, b; BITS) = -((a <= b) as i32);
    __nv_vcmplts2 __nv_vcmplts4 (true, a, b; BITS) = -((a < b) as i32);
    __nv_vcmpltu2 __nv_vcmpltu4 (false, a, b; BITS) = -((a < b) as i32);
    // Comparisons: the lowest bit of the part.
    __nv_vseteq2 __nv_vseteq4 (false, a, b; BITS) = (a == b) as i32;
    __nv_vsetne2 __nv_vsetne4 (false, a, b; BITS) = (a != b) as i32;
    __nv_vsetges2 __nv_vsetges4 (true, a, b; BITS) = (a >= b) as i32;
    __nv_vsetgeu2 __nv_vsetgeu4 (false, a, b; BITS) = (a >= b) as i32;
    __nv_vsetgts2 __nv_vsetgts4 (true, a, b; BITS) = (a > b) as i32;
    __nv_vsetgtu2 __nv_vsetgtu4 (false, a, b; BITS) = (a > b) as i32;
    __nv_vsetles2 __nv_vsetles4 (true, a, b; BITS) = (a <= b) as i32;
    __nv_vsetleu2 __nv_vsetleu4 (false, a, b; BITS) = (a <= b) as i32;
    __nv_vsetlts2 __nv_vsetlts4 (true, a, b; BITS) = (a < b) as i32;
    __nv_vsetltu2 __nv_vsetltu4 (false, a, b; BITS) = (a < b) as i32;
}

macro_rules! sums {
    ($($name:ident = $sum:ident $differences:ident;)*) => { $(
        /// Sum of the differences' magnitudes.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(a: u32, b: u32) -> u32 {
            $sum($differences(a, b))
        }
    )* };
}
sums! {
    __nv_vsads2 = sum_of_halves __nv_vabsdiffs2;
    __nv_vsads4 = sum_of_bytes __nv_vabsdiffs4;
    __nv_vsadu2 = sum_of_halves __nv_vabsdiffu2;
    __nv_vsadu4 = sum_of_bytes __nv_vabsdiffu4;
}
