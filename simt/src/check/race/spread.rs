//! Where the 32 grains are that are compared at once.

#![allow(clippy::needless_range_loop, reason = "loops over grains index several arrays")]

use super::block::Entries;
use super::event::Entry;
use crate::code::LANES;
use crate::exec::lanes_of;

/// Bits of a grain's number that say where in its page it is.
pub const PAGE_SHIFT: u32 = 10;

/// Where 32 grains are, by their numbers.
pub trait Spread {
    /// Copies their entries from a plane, if it has them all.
    fn load(&self, plane: &[Entry], into: &mut Entries) -> bool;
    /// Copies some of their entries to a plane that has them all.
    fn store(&self, plane: &mut [Entry], from: &Entries, chosen: u32);
    /// Of their pages the greatest number.
    fn written(&self, pages: &[u32]) -> u32;
    /// Gives their pages a number.
    fn mark(&self, pages: &mut [u32], number: u32);
    /// Whether no grain comes twice.
    const APART: bool;
}

/// One behind the other, from this one on.
pub struct Consecutive(pub usize);

impl Consecutive {
    /// The pages of the first and the last one.
    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        [self.0, self.0.wrapping_add(LANES - 1)].map(|index| index >> PAGE_SHIFT)
    }
}

impl Spread for Consecutive {
    const APART: bool = true;

    #[inline(always)]
    fn load(&self, plane: &[Entry], into: &mut Entries) -> bool {
        let row = plane.get(self.0..).and_then(|rest| rest.first_chunk());
        row.is_some_and(|row| {
            *into = *row;
            true
        })
    }

    #[inline(always)]
    fn store(&self, plane: &mut [Entry], from: &Entries, _: u32) {
        if let Some(to) = plane.get_mut(self.0..).and_then(|rest| rest.first_chunk_mut()) {
            *to = *from;
        }
    }

    #[inline(always)]
    fn written(&self, pages: &[u32]) -> u32 {
        let [first, last] = self.ends().map(|page| pages.get(page).copied().unwrap_or(0));
        first.max(last)
    }

    #[inline(always)]
    fn mark(&self, pages: &mut [u32], number: u32) {
        for page in self.ends() {
            if let Some(page) = pages.get_mut(page) {
                *page = number;
            }
        }
    }
}

/// Anywhere.
pub struct Scattered(pub [usize; LANES]);

impl Spread for Scattered {
    const APART: bool = false;

    #[inline(always)]
    fn load(&self, plane: &[Entry], into: &mut Entries) -> bool {
        let inside = self.0.iter().fold(0, |most, index| most.max(*index)) < plane.len();
        if inside {
            for j in 0..LANES {
                into[j] = plane[self.0[j]];
            }
        }
        inside
    }

    #[inline(always)]
    fn store(&self, plane: &mut [Entry], from: &Entries, chosen: u32) {
        for j in lanes_of(chosen) {
            if let Some(to) = plane.get_mut(self.0[j]) {
                *to = from[j];
            }
        }
    }

    #[inline(always)]
    fn written(&self, pages: &[u32]) -> u32 {
        let of = |index: &usize| pages.get(index >> PAGE_SHIFT).copied().unwrap_or(0);
        self.0.iter().fold(0, |most, index| most.max(of(index)))
    }

    #[inline(always)]
    fn mark(&self, pages: &mut [u32], number: u32) {
        for index in self.0 {
            if let Some(page) = pages.get_mut(index >> PAGE_SHIFT) {
                *page = number;
            }
        }
    }
}
