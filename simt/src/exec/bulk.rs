//! Accesses to memory that CTAs on other OS threads may access too: relaxed atomics, or, where 32 consecutive elements are
//! accessed at once, vector instructions that the compiler does not look into.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::code::{LANES, Width};

/// How 32 consecutive elements are copied to or from memory that other threads may access: each element by one access of
/// the machine, which the compiler knows nothing about. A tier does that in its own vector width, as vectors that are
/// written in parts and read as a whole at once are slow.
pub trait Bulk {
    /// Copies 32 elements of `width`.
    ///
    /// # Safety
    /// Both sides have room for the elements and are aligned to them; the host has the tier.
    unsafe fn copy(to: *mut u8, from: *const u8, width: Width);
}

/// Element by element.
pub struct Scalar;

impl Bulk for Scalar {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8, width: Width) {
        for i in 0..LANES {
            let at = i * width.bytes() as usize;
            // SAFETY: by the caller's promise.
            unsafe { write(to.add(at), width, read(from.add(at).cast_mut(), width)) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($name:ident, $doc:literal, $feature:literal, $bytes:literal, $class:ident, $move:literal) => {
        #[doc = $doc]
        #[cfg(target_arch = "x86_64")]
        pub struct $name;

        #[cfg(target_arch = "x86_64")]
        impl Bulk for $name {
            #[target_feature(enable = $feature)]
            #[inline]
            unsafe fn copy(to: *mut u8, from: *const u8, width: Width) {
                let bytes = LANES * width.bytes() as usize;
                for at in (0..bytes).step_by($bytes) {
                    // SAFETY: by the caller's promise; 32 elements of at least 16 bits are a multiple of the vector.
                    unsafe {
                        std::arch::asm!(
                            concat!($move, " {v}, [{from}]"),
                            concat!($move, " [{to}], {v}"),
                            from = in(reg) from.add(at),
                            to = in(reg) to.add(at),
                            v = out($class) _,
                            options(nostack, preserves_flags)
                        );
                    }
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
vector!(Ymm, "32 bytes at a time.", "avx", 32, ymm_reg, "vmovdqu");
#[cfg(target_arch = "x86_64")]
vector!(Zmm, "64 bytes at a time.", "avx512f", 64, zmm_reg, "vmovdqu64");

/// Reads an element.
///
/// # Safety
/// `p` is aligned to the width, and mapped.
#[inline(always)]
pub unsafe fn read(p: *mut u8, width: Width) -> u64 {
    // SAFETY: by the caller's promise; all accesses to the memory are atomic or volatile.
    unsafe {
        match width {
            Width::W8 => AtomicU8::from_ptr(p).load(Ordering::Relaxed).into(),
            Width::W16 => AtomicU16::from_ptr(p.cast()).load(Ordering::Relaxed).into(),
            Width::W32 => AtomicU32::from_ptr(p.cast()).load(Ordering::Relaxed).into(),
            Width::W64 => AtomicU64::from_ptr(p.cast()).load(Ordering::Relaxed),
        }
    }
}

/// Writes the low bits of `value` to an element.
///
/// # Safety
/// As for [`read`].
#[inline(always)]
pub unsafe fn write(p: *mut u8, width: Width, value: u64) {
    // SAFETY: by the caller's promise; all accesses to the memory are atomic or volatile.
    unsafe {
        match width {
            Width::W8 => AtomicU8::from_ptr(p).store(value as u8, Ordering::Relaxed),
            Width::W16 => AtomicU16::from_ptr(p.cast()).store(value as u16, Ordering::Relaxed),
            Width::W32 => AtomicU32::from_ptr(p.cast()).store(value as u32, Ordering::Relaxed),
            Width::W64 => AtomicU64::from_ptr(p.cast()).store(value, Ordering::Relaxed),
        }
    }
}
