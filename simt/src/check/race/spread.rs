//! Where what is compared at once lies: 32 places of one grain each, or of the two grains of an eight-byte element.
//!
//! The two grains of an element mostly have one history, and then one entry is compared for both.

#![allow(clippy::needless_range_loop, reason = "loops over places index several arrays")]

use super::block::Entries;
use super::event::Entry;
use crate::code::LANES;
use crate::exec::lanes_of;

/// Bits of a grain's number that say where in its page it is.
pub const PAGE_SHIFT: u32 = 10;

/// Pages that are looked at one after the other; where more lie between the first and the last one, those of the places.
const PAGES: usize = 4;

/// 32 places, by the numbers of their grains.
pub trait Spread {
    /// Grains of a place: one or two.
    const GRAINS: usize;
    /// The first place of those with the lowest and with the highest number.
    fn ends(&self) -> [usize; 2];
    /// The number of a place's first grain.
    fn grain(&self, place: usize) -> usize;
    /// Whether no grain comes twice.
    fn apart(&self) -> bool;
    /// Copies the entries of the first grains from a plane that has them all; the places whose grains differ.
    fn load(&self, plane: &[Entry], into: &mut Entries) -> u32;
    /// Copies some entries to all grains of their places, in a plane that has them all. Where grains are apart, the others
    /// have not changed.
    fn store(&self, plane: &mut [Entry], from: &Entries, chosen: u32);

    /// Whether a plane of so many entries has them all.
    #[inline(always)]
    fn inside(&self, entries: usize) -> bool {
        self.ends()[1].checked_add(Self::GRAINS).is_some_and(|end| end <= entries)
    }

    /// The pages from the first to the last one, if they are few.
    #[inline(always)]
    fn pages<'a>(&self, pages: &'a mut [u32]) -> Option<&'a mut [u32]> {
        let [first, last] = self.ends();
        let (first, last) = (first >> PAGE_SHIFT, (last + Self::GRAINS - 1) >> PAGE_SHIFT);
        if last - first < PAGES { pages.get_mut(first..=last) } else { None }
    }

    /// Of their pages the greatest number, or a greater one.
    #[inline(always)]
    fn written(&self, pages: &mut [u32]) -> u32 {
        if let Some(few) = self.pages(pages) {
            return few.iter().fold(0, |most, page| most.max(*page));
        }
        let of = |place| pages.get(self.grain(place) >> PAGE_SHIFT).map_or(u32::MAX, |page| *page);
        (0..LANES).fold(0, |most, place| most.max(of(place)))
    }

    /// Gives their pages a number, and perhaps pages between them.
    #[inline(always)]
    fn mark(&self, pages: &mut [u32], number: u32) {
        if let Some(few) = self.pages(pages) {
            few.fill(number);
            return;
        }
        for place in 0..LANES {
            if let Some(page) = pages.get_mut(self.grain(place) >> PAGE_SHIFT) {
                *page = number;
            }
        }
    }
}

/// One behind the other, from this grain on.
pub struct Consecutive<const GRAINS: usize>(pub usize);

impl<const GRAINS: usize> Spread for Consecutive<GRAINS> {
    const GRAINS: usize = GRAINS;

    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        [self.0, self.0.saturating_add((LANES - 1) * GRAINS)]
    }

    #[inline(always)]
    fn grain(&self, place: usize) -> usize {
        self.0 + place * GRAINS
    }

    #[inline(always)]
    fn apart(&self) -> bool {
        true
    }

    #[inline(always)]
    fn load(&self, plane: &[Entry], into: &mut Entries) -> u32 {
        let row = &plane[self.0..][..GRAINS * LANES];
        let mut differ = 0;
        for j in 0..LANES {
            into[j] = row[GRAINS * j];
            differ |= u32::from(row[GRAINS * j] != row[GRAINS * j + GRAINS - 1]) << j;
        }
        differ
    }

    #[inline(always)]
    fn store(&self, plane: &mut [Entry], from: &Entries, _: u32) {
        let row = &mut plane[self.0..][..GRAINS * LANES];
        for j in 0..LANES {
            row[GRAINS * j] = from[j];
            row[GRAINS * j + GRAINS - 1] = from[j];
        }
    }
}

/// Anywhere.
pub struct Scattered<const GRAINS: usize> {
    grains: [usize; LANES],
    ends: [usize; 2],
    apart: bool,
}

impl<const GRAINS: usize> Scattered<GRAINS> {
    /// The places with these first grains.
    #[inline(always)]
    pub fn new(grains: [usize; LANES]) -> Self {
        let (mut low, mut high, mut apart) = (grains[0], grains[0], true);
        for j in 1..LANES {
            low = low.min(grains[j]);
            high = high.max(grains[j]);
            apart &= grains[j - 1].wrapping_add(GRAINS) <= grains[j];
        }
        Self { grains, ends: [low, high], apart }
    }

    /// The places behind these.
    #[inline(always)]
    pub fn next(mut self) -> Self {
        self.grains.iter_mut().chain(&mut self.ends).for_each(|grain| *grain += GRAINS);
        self
    }
}

impl<const GRAINS: usize> Spread for Scattered<GRAINS> {
    const GRAINS: usize = GRAINS;

    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        self.ends
    }

    #[inline(always)]
    fn grain(&self, place: usize) -> usize {
        self.grains[place]
    }

    #[inline(always)]
    fn apart(&self) -> bool {
        self.apart
    }

    #[inline(always)]
    fn load(&self, plane: &[Entry], into: &mut Entries) -> u32 {
        assert!(self.inside(plane.len()));
        let mut differ = 0;
        for j in 0..LANES {
            // SAFETY: no number is above the higher end (`new`, `next`), and the plane has all grains of that one.
            let [first, last] =
                [0, GRAINS - 1].map(|grain| unsafe { *plane.get_unchecked(self.grains[j] + grain) });
            into[j] = first;
            differ |= u32::from(first != last) << j;
        }
        differ
    }

    #[inline(always)]
    fn store(&self, plane: &mut [Entry], from: &Entries, chosen: u32) {
        for j in lanes_of(chosen) {
            plane[self.grains[j]..][..GRAINS].fill(from[j]);
        }
    }
}
