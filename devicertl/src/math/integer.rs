//! Functions of integers.

macro_rules! functions {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $value:expr;)*) => { $(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $ret {
            $value
        }
    )* };
}
functions! {
    __nv_abs(x: i32) -> i32 = x.wrapping_abs();
    __nv_llabs(x: i64) -> i64 = x.wrapping_abs();
    __nv_max(x: i32, y: i32) -> i32 = x.max(y);
    __nv_min(x: i32, y: i32) -> i32 = x.min(y);
    __nv_umax(x: u32, y: u32) -> u32 = x.max(y);
    __nv_umin(x: u32, y: u32) -> u32 = x.min(y);
    __nv_llmax(x: i64, y: i64) -> i64 = x.max(y);
    __nv_llmin(x: i64, y: i64) -> i64 = x.min(y);
    __nv_ullmax(x: u64, y: u64) -> u64 = x.max(y);
    __nv_ullmin(x: u64, y: u64) -> u64 = x.min(y);
    __nv_brev(x: u32) -> u32 = x.reverse_bits();
    __nv_brevll(x: u64) -> u64 = x.reverse_bits();
    __nv_clz(x: i32) -> i32 = x.leading_zeros() as i32;
    __nv_clzll(x: i64) -> i32 = x.leading_zeros() as i32;
    __nv_ffs(x: i32) -> i32 = if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 };
    __nv_ffsll(x: i64) -> i32 = if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 };
    __nv_popc(x: i32) -> i32 = x.count_ones() as i32;
    __nv_popcll(x: i64) -> i32 = x.count_ones() as i32;
    __nv_mulhi(x: i32, y: i32) -> i32 = ((x as i64 * y as i64) >> 32) as i32;
    __nv_umulhi(x: u32, y: u32) -> u32 = ((x as u64 * y as u64) >> 32) as u32;
    __nv_mul64hi(x: i64, y: i64) -> i64 = ((x as i128 * y as i128) >> 64) as i64;
    __nv_umul64hi(x: u64, y: u64) -> u64 = ((x as u128 * y as u128) >> 64) as u64;
    // Averages, without overflow: rounded down and up.
    __nv_hadd(x: i32, y: i32) -> i32 = (x & y) + ((x ^ y) >> 1);
    __nv_uhadd(x: u32, y: u32) -> u32 = (x & y) + ((x ^ y) >> 1);
    __nv_rhadd(x: i32, y: i32) -> i32 = (x | y) - ((x ^ y) >> 1);
    __nv_urhadd(x: u32, y: u32) -> u32 = (x | y) - ((x ^ y) >> 1);
}
