//! The operations compiled for the vector units that the host may have, and the choice among them.
//!
//! The bodies in [`super::integer`] and its neighbours are plain loops over 32 lanes, inlined into one function for each
//! tier; the compiler makes vector code of them for the features of that function. So no compiler flag is needed.

use super::fault::Fault;
use super::lanes::Lanes;
use super::spaces::Spaces;
use super::{bits, bulk, convert, float, integer, memory, moves, small, video, warpop};
use crate::code::Op;

/// A way to execute operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tier {
    /// What every host has.
    Plain,
    /// x86-64 with AVX2, FMA and the bit operations (x86-64-v3).
    #[cfg(target_arch = "x86_64")]
    V3,
    /// x86-64 with AVX-512 (x86-64-v4).
    #[cfg(target_arch = "x86_64")]
    V4,
}

macro_rules! bodies {
    ($name:ident, $bulk:ident $(, $feature:literal)?) => {
        mod $name {
            use super::*;

            /// # Safety
            /// As for [`Tier::compute`].
            $(#[target_feature(enable = $feature)])?
            pub unsafe fn compute(l: &Lanes, op: &Op) {
                // SAFETY: passed on.
                unsafe {
                    let done = moves::execute(l, op)
                        || integer::execute(l, op)
                        || bits::execute(l, op)
                        || float::execute(l, op)
                        || convert::execute(l, op)
                        || small::execute(l, op)
                        || video::execute(l, op);
                    debug_assert!(done, "{op:?}");
                }
            }

            /// # Safety
            /// As for [`Tier::run`].
            $(#[target_feature(enable = $feature)])?
            pub unsafe fn run<R>(body: impl FnOnce() -> R) -> R {
                body()
            }

            /// # Safety
            /// As for [`Tier::shuffle`].
            $(#[target_feature(enable = $feature)])?
            pub unsafe fn shuffle(l: &Lanes, op: &Op, members: u32) {
                // SAFETY: passed on.
                unsafe { warpop::shuffle_alone(l, op, members) }
            }

            /// # Safety
            /// As for [`Tier::access`].
            $(#[target_feature(enable = $feature)])?
            pub unsafe fn access(l: &Lanes, s: &Spaces<'_>, op: &Op) -> Result<(), Box<Fault>> {
                // SAFETY: passed on.
                unsafe { memory::execute::<bulk::$bulk>(l, s, op) }
            }
        }
    };
}

bodies!(plain, Scalar);
#[cfg(target_arch = "x86_64")]
bodies!(v3, Ymm, "avx2,fma,bmi1,bmi2,popcnt,lzcnt,f16c");
#[cfg(target_arch = "x86_64")]
bodies!(v4, Zmm, "avx512f,avx512vl,avx512bw,avx512dq,avx512cd,avx2,fma,bmi1,bmi2,popcnt,lzcnt,f16c");

impl Tier {
    /// Executes an operation on registers.
    ///
    /// # Safety
    /// The host has the tier; the operands belong to the function of the frame that `l` points to.
    #[inline(always)]
    pub unsafe fn compute(self, l: &Lanes, op: &Op) {
        // SAFETY: passed on.
        unsafe {
            match self {
                Self::Plain => plain::compute(l, op),
                #[cfg(target_arch = "x86_64")]
                Self::V3 => v3::compute(l, op),
                #[cfg(target_arch = "x86_64")]
                Self::V4 => v4::compute(l, op),
            }
        }
    }

    /// Runs a function that is compiled for the tier where it is inlined.
    ///
    /// # Safety
    /// The host has the tier.
    #[inline(always)]
    pub unsafe fn run<R>(self, body: impl FnOnce() -> R) -> R {
        // SAFETY: passed on.
        unsafe {
            match self {
                Self::Plain => plain::run(body),
                #[cfg(target_arch = "x86_64")]
                Self::V3 => v3::run(body),
                #[cfg(target_arch = "x86_64")]
                Self::V4 => v4::run(body),
            }
        }
    }

    /// Executes a shuffle among the lanes of the mask; `members` are those of them that may be read.
    ///
    /// # Safety
    /// As for [`Tier::compute`].
    #[inline(always)]
    pub unsafe fn shuffle(self, l: &Lanes, op: &Op, members: u32) {
        // SAFETY: passed on.
        unsafe {
            match self {
                Self::Plain => plain::shuffle(l, op, members),
                #[cfg(target_arch = "x86_64")]
                Self::V3 => v3::shuffle(l, op, members),
                #[cfg(target_arch = "x86_64")]
                Self::V4 => v4::shuffle(l, op, members),
            }
        }
    }

    /// Executes a load, a store or an atomic operation.
    ///
    /// # Errors
    /// An access that is not allowed.
    ///
    /// # Safety
    /// As for [`Tier::compute`]; `s` is that of the frame, and the mask is not empty.
    #[inline(always)]
    pub unsafe fn access(self, l: &Lanes, s: &Spaces<'_>, op: &Op) -> Result<(), Box<Fault>> {
        // SAFETY: passed on.
        unsafe {
            match self {
                Self::Plain => plain::access(l, s, op),
                #[cfg(target_arch = "x86_64")]
                Self::V3 => v3::access(l, s, op),
                #[cfg(target_arch = "x86_64")]
                Self::V4 => v4::access(l, s, op),
            }
        }
    }
}

/// The tiers that the host has, the best one last.
pub fn available() -> Vec<Tier> {
    let mut tiers = vec![Tier::Plain];
    #[cfg(target_arch = "x86_64")]
    {
        let v3 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("f16c");
        let v4 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512cd");
        tiers.extend(v3.then_some(Tier::V3));
        tiers.extend((v3 && v4).then_some(Tier::V4));
    }
    tiers
}

/// The best tier that the host has.
pub fn best() -> Tier {
    available().pop().unwrap_or(Tier::Plain)
}
