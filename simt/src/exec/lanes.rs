//! Access to the registers of one frame: 32 lanes at a time, under a lane mask.

use crate::code::{LANES, Pred, Reg, Src};

/// A type that a register lane can hold.
pub trait Lane: Copy + Default {}
impl Lane for u16 {}
impl Lane for i16 {}
impl Lane for u32 {}
impl Lane for i32 {}
impl Lane for u64 {}
impl Lane for i64 {}
impl Lane for f32 {}
impl Lane for f64 {}

/// The register file of a frame and the lanes that an instruction is executed for.
///
/// The pointers belong to a frame that lives as long as the value is used, and the operands given to the methods
/// belong to its function: [`super::verify`] has checked that they lie inside the files.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// Register file, aligned to 64.
    pub registers: *mut u8,
    /// Constant pool of the function, aligned to 64.
    pub constants: *const u8,
    /// Predicate file.
    pub predicates: *mut u32,
    /// The carry flag of each lane.
    pub carry: *mut u32,
    /// Lanes whose results are written.
    pub mask: u32,
}

impl Lanes {
    /// Address of the first lane of a source.
    #[inline(always)]
    pub fn source(&self, src: Src) -> *const u8 {
        let (base, offset) =
            if src.0 >= 0 { (self.registers.cast_const(), src.0) } else { (self.constants, !src.0) };
        base.wrapping_add(offset as usize)
    }

    /// The 32 lanes of a source.
    ///
    /// # Safety
    /// The operand belongs to the frame's function and has lanes of the size of `T`.
    #[inline(always)]
    pub unsafe fn get<T: Lane>(&self, src: Src) -> [T; LANES] {
        // SAFETY: by the caller's promise the operand has 32 lanes of T, aligned to 64; any bits are a T.
        unsafe { *self.source(src).cast::<[T; LANES]>() }
    }

    /// One lane of a source.
    ///
    /// # Safety
    /// As for [`Lanes::get`]; `lane` is below 32.
    #[inline(always)]
    pub unsafe fn lane<T: Lane>(&self, src: Src, lane: usize) -> T {
        // SAFETY: as in `get`.
        unsafe { *self.source(src).cast::<T>().add(lane) }
    }

    /// Writes the lanes of the mask.
    ///
    /// # Safety
    /// The register belongs to the frame's function and has lanes of the size of `T`.
    #[inline(always)]
    pub unsafe fn put<T: Lane>(&self, dst: Reg, value: [T; LANES]) {
        // SAFETY: by the caller's promise the register has 32 lanes of T, aligned to 64, and nothing else refers to
        // the register file.
        unsafe {
            let to = self.registers.add(dst.0 as usize).cast::<[T; LANES]>();
            if self.mask == u32::MAX {
                *to = value;
            } else {
                let mut mixed = *to;
                for i in 0..LANES {
                    mixed[i] = if self.mask >> i & 1 != 0 { value[i] } else { mixed[i] };
                }
                *to = mixed;
            }
        }
    }

    /// Writes one lane, whatever the mask is.
    ///
    /// # Safety
    /// As for [`Lanes::put`]; `lane` is below 32.
    #[inline(always)]
    pub unsafe fn put_lane<T: Lane>(&self, dst: Reg, lane: usize, value: T) {
        // SAFETY: as in `put`.
        unsafe { *self.registers.add(dst.0 as usize).cast::<T>().add(lane) = value }
    }

    /// The lanes where a predicate is true; bits outside of the mask are those of the other lanes.
    ///
    /// # Safety
    /// The predicate belongs to the frame's function.
    #[inline(always)]
    pub unsafe fn predicate(&self, pred: Pred) -> u32 {
        // SAFETY: by the caller's promise the index lies in the file.
        unsafe { *self.predicates.add(pred.0 as usize) }
    }

    /// Writes the lanes of the mask of a predicate.
    ///
    /// # Safety
    /// As for [`Lanes::predicate`].
    #[inline(always)]
    pub unsafe fn put_predicate(&self, dst: Pred, value: u32) {
        // SAFETY: by the caller's promise the index lies in the file.
        unsafe {
            let to = self.predicates.add(dst.0 as usize);
            *to = *to & !self.mask | value & self.mask;
        }
    }
}

/// `dst = e(x)` in the lanes of the mask.
macro_rules! map1 {
    ($l:expr, $dst:expr, $a:expr, $A:ty => $R:ty, |$x:ident| $e:expr) => {{
        let a = $l.get::<$A>($a);
        let mut r = [<$R>::default(); LANES];
        for i in 0..LANES {
            let $x = a[i];
            r[i] = $e;
        }
        $l.put::<$R>($dst, r)
    }};
}

/// `dst = e(x, y)` in the lanes of the mask.
macro_rules! map2 {
    ($l:expr, $dst:expr, $a:expr, $b:expr, ($A:ty, $B:ty) => $R:ty, |$x:ident, $y:ident| $e:expr) => {{
        let a = $l.get::<$A>($a);
        let b = $l.get::<$B>($b);
        let mut r = [<$R>::default(); LANES];
        for i in 0..LANES {
            let ($x, $y) = (a[i], b[i]);
            r[i] = $e;
        }
        $l.put::<$R>($dst, r)
    }};
}

/// `dst = e(x, y, z)` in the lanes of the mask.
macro_rules! map3 {
    ($l:expr, $dst:expr, $a:expr, $b:expr, $c:expr, ($A:ty, $B:ty, $C:ty) => $R:ty,
     |$x:ident, $y:ident, $z:ident| $e:expr) => {{
        let a = $l.get::<$A>($a);
        let b = $l.get::<$B>($b);
        let c = $l.get::<$C>($c);
        let mut r = [<$R>::default(); LANES];
        for i in 0..LANES {
            let ($x, $y, $z) = (a[i], b[i], c[i]);
            r[i] = $e;
        }
        $l.put::<$R>($dst, r)
    }};
}

/// The mask of the lanes where `e(x, y)` holds.
macro_rules! compare {
    ($l:expr, $a:expr, $b:expr, $T:ty, |$x:ident, $y:ident| $e:expr) => {{
        let a = $l.get::<$T>($a);
        let b = $l.get::<$T>($b);
        let mut r = 0u32;
        for i in 0..LANES {
            let ($x, $y) = (a[i], b[i]);
            r |= u32::from($e) << i;
        }
        r
    }};
}

/// Evaluates an expression with `$T` standing for the unsigned type of a width.
macro_rules! by_width {
    ($width:expr, $T:ident, $body:expr) => {
        match $width {
            Width::W8 | Width::W16 => {
                type $T = u16;
                $body
            }
            Width::W32 => {
                type $T = u32;
                $body
            }
            Width::W64 => {
                type $T = u64;
                $body
            }
        }
    };
}

/// The same with the signed type.
macro_rules! by_signed_width {
    ($width:expr, $T:ident, $body:expr) => {
        match $width {
            Width::W8 | Width::W16 => {
                type $T = i16;
                $body
            }
            Width::W32 => {
                type $T = i32;
                $body
            }
            Width::W64 => {
                type $T = i64;
                $body
            }
        }
    };
}

/// The same with the type of an [`crate::code::Int`].
macro_rules! by_int {
    ($ty:expr, $T:ident, $body:expr) => {
        if $ty.signed { by_signed_width!($ty.width, $T, $body) } else { by_width!($ty.width, $T, $body) }
    };
}

pub(super) use {by_int, by_signed_width, by_width, compare, map1, map2, map3};

/// The lanes of a mask, lowest first.
#[inline(always)]
pub fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

/// Whether all lanes of `mask` hold the value of the lowest one of them.
#[inline(always)]
pub fn uniform<T: Copy + PartialEq>(values: &[T; LANES], mask: u32) -> bool {
    let first = values[mask.trailing_zeros() as usize & 31];
    let mut differ = 0u32;
    for (i, v) in values.iter().enumerate() {
        differ |= u32::from(*v != first) << i;
    }
    differ & mask == 0
}
