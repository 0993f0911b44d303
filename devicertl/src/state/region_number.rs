//! What a region of an SPMD kernel is told in its global thread number.
//!
//! The number has no other use on a device: code generators hand it from the start of a region to the functions that they call
//! there, which know better which thread calls. So it says how many threads the team has, and a barrier in the region
//! asks no shared memory, whose answer LLVM cannot keep from one barrier to the next. Where the team is the block the number is a
//! constant.
//!
//! A number that says nothing comes from `__kmpc_global_thread_num`, in all regions of one thread, and in generic kernels: LLVM's and our
//! passes may take one such call for another, in another region, but none of them makes the number of a region.

use super::ALL_THREADS;
use crate::{arch, fork};

/// A global thread number.
#[derive(Clone, Copy)]
pub struct RegionNumber(u32);

/// What is above the size of the team in a number that says something. Others are the number of a thread, and lower.
const MARK: u32 = 0x2d5 << SIZE_BITS;
/// Bits for the size: at most 1024.
const SIZE_BITS: u32 = 11;

impl RegionNumber {
    /// Says nothing.
    pub const NONE: Self = Self(0);

    /// The number in a region of `size` threads, or [`ALL_THREADS`], which are all in it.
    #[inline(always)]
    pub fn of_team(size: u32) -> Self {
        Self(MARK | size)
    }

    /// What the compiler passes for it.
    #[inline(always)]
    pub fn of(passed: i32) -> Self {
        Self(passed as u32)
    }

    /// What a region gets.
    #[inline(always)]
    pub fn to_pass(self) -> i32 {
        self.0 as i32
    }

    /// Whether it says that the team is all threads of the block. Not in programs that may pass the number of a region to the code of
    /// another inside it, which is one thread's.
    #[inline(always)]
    pub fn is_of_block(self) -> bool {
        self.0 == Self::of_team(ALL_THREADS).0 && !fork::may_be_serialised()
    }

    /// The threads of the team, as above, if the compiler knows that it says so: where it stays a question, that is one more.
    /// Not in programs that may pass the number of a region to the code of another inside it, which is one thread's.
    #[inline(always)]
    pub fn team_size(self) -> Option<u32> {
        let says = self.0 >> SIZE_BITS == MARK >> SIZE_BITS && !fork::may_be_serialised();
        arch::is_known(says).then_some(self.0 ^ MARK)
    }
}
