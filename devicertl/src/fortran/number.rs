//! Numbers and logical values of all kinds as 64 bits.

use super::descriptor::TEXT;

/// What the 64 bits mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// An `i64`.
    Integer,
    /// The bits of an `f64`.
    Real,
    /// 0 or 1; where one is stored, anything but 0 is true.
    Logical,
}

/// How a number stands in memory.
#[derive(Clone, Copy)]
pub struct Kind {
    /// What it is.
    pub category: Category,
    /// Its size.
    pub bytes: u64,
}

/// `CFI_type_ptrdiff_t` and below it: signed integers. flang's logical arrays of more than a byte are among them.
const LAST_INTEGER: i8 = 24;
/// `CFI_type_float`.
const FLOAT: i8 = 27;
/// `CFI_type_double`.
const DOUBLE: i8 = 28;

impl Kind {
    /// That of a number of this type; none for other types.
    pub fn of_type(ty: i8, bytes: u64) -> Option<Self> {
        let category = match (ty, bytes) {
            (1..=LAST_INTEGER, 1 | 2 | 4 | 8) => Category::Integer,
            (FLOAT, 4) | (DOUBLE, 8) => Category::Real,
            _ => return None,
        };
        Some(Self { category, bytes })
    }

    /// That of a logical value; none for text.
    pub fn of_logical(ty: i8, bytes: u64) -> Option<Self> {
        (ty != TEXT && matches!(bytes, 1 | 2 | 4 | 8)).then_some(Self { category: Category::Logical, bytes })
    }

    /// Reads a number.
    ///
    /// # Safety
    /// There must be one of this kind.
    #[inline(always)]
    pub unsafe fn load(self, from: *const u8) -> u64 {
        // SAFETY: as the caller promises.
        let bits = unsafe {
            match (self.category, self.bytes) {
                (Category::Real, 4) => return f64::from(from.cast::<f32>().read()).to_bits(),
                (_, 1) => i64::from(from.cast::<i8>().read()),
                (_, 2) => i64::from(from.cast::<i16>().read()),
                (_, 4) => i64::from(from.cast::<i32>().read()),
                _ => from.cast::<i64>().read(),
            }
        };
        if self.category == Category::Logical { (bits != 0) as u64 } else { bits as u64 }
    }

    /// Writes a number.
    ///
    /// # Safety
    /// There must be memory for one of this kind.
    #[inline(always)]
    pub unsafe fn store(self, to: *mut u8, bits: u64) {
        let bits = if self.category == Category::Logical { (bits != 0) as u64 } else { bits };
        // SAFETY: as the caller promises.
        unsafe {
            match (self.category, self.bytes) {
                (Category::Real, 4) => to.cast::<f32>().write(f64::from_bits(bits) as f32),
                (_, 1) => to.write(bits as u8),
                (_, 2) => to.cast::<u16>().write(bits as u16),
                (_, 4) => to.cast::<u32>().write(bits as u32),
                _ => to.cast::<u64>().write(bits),
            }
        }
    }

    /// The bits of this kind for those of another: an integer as a real number.
    #[inline(always)]
    pub fn convert(self, bits: u64, from: Self) -> u64 {
        match (self.category, from.category) {
            (Category::Real, Category::Integer) => (bits as i64 as f64).to_bits(),
            _ => bits,
        }
    }

    /// The least number of this kind, or the greatest; not an infinity.
    pub fn limit(self, greatest: bool) -> u64 {
        if self.category == Category::Real {
            let most = if self.bytes == 4 { f64::from(f32::MAX) } else { f64::MAX };
            return (if greatest { most } else { -most }).to_bits();
        }
        let least = i64::MIN >> (64 - 8 * self.bytes);
        (if greatest { !least } else { least }) as u64
    }
}

/// Numbers as flang passes and returns them.
pub trait Number: Copy {
    /// Their kind.
    const KIND: Kind;
    /// From 64 bits.
    fn of_bits(bits: u64) -> Self;
}

macro_rules! numbers {
    ($($ty:ty: $category:ident, $bits:ident => $value:expr;)*) => { $(
        impl Number for $ty {
            const KIND: Kind = Kind { category: Category::$category, bytes: size_of::<$ty>() as u64 };
            #[inline(always)]
            fn of_bits($bits: u64) -> Self { $value }
        }
    )* };
}
numbers! {
    i8: Integer, bits => bits as i8;
    i16: Integer, bits => bits as i16;
    i32: Integer, bits => bits as i32;
    i64: Integer, bits => bits as i64;
    f32: Real, bits => f64::from_bits(bits) as f32;
    f64: Real, bits => f64::from_bits(bits);
}
