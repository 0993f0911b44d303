//! Shadow memory: for each four bytes the last write, and two accesses more, mostly reads.
//!
//! The three are planes of their own, so that what a warp reads or writes in a row lies in a row here too. Pages exist
//! once they are touched, and most of the third plane never is. Of each page of memory it is known when it was last written:
//! much of what is read is never written by the same launch, and then there is no write to look for.

#![allow(clippy::needless_range_loop, reason = "loops over grains index several arrays")]

use super::block::{Block, Entries};
use super::cell::{Cell, GRAIN};
use super::event::{Entry, Events};
use super::spread::{PAGE_SHIFT, Spread};
use crate::code::LANES;
use crate::mem::Mapping;

/// Bytes of a line of the host's caches.
pub const LINE: usize = 64;

/// Asks the host to have a line ready.
#[inline(always)]
pub fn prefetch(p: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address has no effect but on caches.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}

/// The accesses that are remembered of a grain: the last write and two more. The third is none if the second is; a
/// write of other bytes than the last one wrote stands before a read.
pub type Row = [Cell; 3];

/// The three planes of a memory.
pub struct Shadow {
    planes: Mapping,
    base: u64,
    grains: usize,
    /// Of each page the number of an event that is not before any write to it.
    written: Vec<u32>,
}

/// Bytes of three planes for each byte of memory.
const PLANES: usize = 3 * size_of::<Entry>() / GRAIN as usize;

impl Shadow {
    /// Shadow of `bytes` bytes from `base` on; `None` if the host has no address space for it.
    pub fn new(base: u64, bytes: u64) -> Option<Self> {
        let bytes = usize::try_from(bytes.next_multiple_of(4096)).ok()?;
        let planes = Mapping::new(bytes.checked_mul(PLANES)?, std::iter::empty())?;
        let grains = bytes / GRAIN as usize;
        Some(Self { planes, base, grains, written: vec![0; grains >> PAGE_SHIFT] })
    }

    /// Bytes that it has room for.
    pub fn bytes(&self) -> u64 {
        self.grains as u64 * GRAIN
    }

    /// The number of a grain; of another memory it is too large.
    #[inline(always)]
    pub fn index(&self, address: u64) -> usize {
        (address.wrapping_sub(self.base) / GRAIN) as usize
    }

    /// Whether a number is that of a grain here.
    #[inline(always)]
    pub fn has(&self, index: usize) -> bool {
        index < self.grains
    }

    /// One of the three planes.
    #[inline(always)]
    fn plane(&mut self, plane: usize) -> &mut [Entry] {
        let start = self.planes.start().cast::<Entry>().wrapping_add(plane % 3 * self.grains);
        // SAFETY: each of the three planes has `grains` entries, any bits are an entry, and only `self` refers to them.
        unsafe { std::slice::from_raw_parts_mut(start, self.grains) }
    }

    /// Notes a write to some grains before the event of a number.
    #[inline(always)]
    pub fn mark(&mut self, spread: &impl Spread, number: u32) {
        spread.mark(&mut self.written, number);
    }

    /// The same for one grain.
    #[inline(always)]
    pub fn mark_one(&mut self, address: u64, number: u32) {
        let page = self.index(address) >> PAGE_SHIFT;
        if let Some(written) = self.written.get_mut(page) {
            *written = number;
        }
    }

    /// Asks the host to have ready what an access to `bytes` bytes will look at.
    #[inline(always)]
    pub fn prefetch(&self, address: u64, bytes: u64, write: bool) {
        let (first, last) = (self.index(address), self.index(address.saturating_add(bytes)));
        if last >= self.grains || first > last {
            return;
        }
        let planes = self.planes.start().cast::<Entry>();
        for line in (first..=last).step_by(LINE / size_of::<Entry>()) {
            prefetch(planes.wrapping_add(self.grains + line).cast());
            if write {
                prefetch(planes.wrapping_add(line).cast());
            }
        }
    }

    /// Fills a block with what is remembered of 32 places since event `floor`, if they all are of this memory and have one
    /// history in all of their grains.
    #[inline(always)]
    pub fn load(&mut self, spread: &impl Spread, floor: u32, block: &mut Block) -> bool {
        let [writes, reads, third] = &mut block.planes;
        if !spread.inside(self.grains) || spread.load(self.plane(1), reads) != 0 {
            return false;
        }
        *writes = Entries::default();
        *third = Entries::default();
        let mut differ = 0;
        if spread.written(&mut self.written) >= floor {
            differ |= spread.load(self.plane(0), writes);
        }
        if reads.iter().fold(0, |any, entry| any | entry.0) & Entry::MORE != 0 {
            let differ_there = spread.load(self.plane(2), third);
            for j in 0..LANES {
                third[j].0 &= u32::from(reads[j].more()).wrapping_neg();
                differ |= differ_there & u32::from(reads[j].more()) << j;
            }
        }
        differ == 0
    }

    /// Remembers what has changed. Of several lanes that change one grain one prevails: the places of the others.
    #[inline(always)]
    pub fn store<S: Spread>(&mut self, spread: &S, floor: u32, block: &Block) -> u32 {
        for k in 0..3 {
            if block.changed[k] != 0 {
                spread.store(self.plane(k), &block.planes[k], block.changed[k]);
            }
        }
        if spread.apart() || block.changed == [0; 3] {
            return 0;
        }
        let mut after = Block::default();
        if !self.load(spread, floor, &mut after) {
            return u32::MAX;
        }
        let mut lost = 0;
        for j in 0..LANES {
            let counts = u32::from(block.planes[1][j].more()).wrapping_neg();
            let masks = [u32::MAX, u32::MAX, counts];
            let differ = |any, k: usize| any | (after.planes[k][j].0 ^ block.planes[k][j].0) & masks[k];
            lost |= u32::from((0..3).fold(0, differ) != 0) << j;
        }
        lost
    }

    /// Writes and reads of `count` grains from an address on, if they all are of this memory.
    #[inline(always)]
    pub fn rows(&mut self, address: u64, count: usize) -> Option<(&mut [Entry], &mut [Entry])> {
        let start = self.index(address);
        if start.checked_add(count)? > self.grains {
            return None;
        }
        let writes = self.planes.start().cast::<Entry>().wrapping_add(start);
        let reads = writes.wrapping_add(self.grains);
        // SAFETY: each plane has `grains` entries, so the two parts lie inside the mapping and apart. Any bits are an
        // entry, and only `self` refers to them.
        unsafe {
            Some((
                std::slice::from_raw_parts_mut(writes, count),
                std::slice::from_raw_parts_mut(reads, count),
            ))
        }
    }

    /// The third entry of an address that [`Shadow::rows`] knows.
    fn third(&mut self, address: u64) -> &mut Entry {
        let index = (address.wrapping_sub(self.base) / GRAIN) as usize % self.grains;
        // SAFETY: the third plane has `grains` entries, and only `self` refers to them.
        unsafe { &mut *self.planes.start().cast::<Entry>().add(2 * self.grains + index) }
    }

    /// Does something with all that is known of a grain since event `floor`.
    pub fn with_row<R>(
        &mut self,
        address: u64,
        events: &mut Events,
        floor: u32,
        change: impl FnOnce(&mut Row) -> R,
    ) -> Option<R> {
        let (writes, reads) = self.rows(address, 1)?;
        let (write, read) = (writes[0], reads[0]);
        let third = if read.more() { *self.third(address) } else { Entry::default() };
        let old = [write, read.alone(), third];
        let cells = old.map(|entry| events.cell(entry, floor));
        let mut row = cells;
        let result = change(&mut row);
        // In this order the quick look at the second entry is enough, see `quick`.
        let rank = |cell: &Cell| (cell.lanes == 0, !cell.what.is(super::cell::What::WRITE));
        let mut from = [0, 1, 2];
        if rank(&row[2]) < rank(&row[1]) {
            row.swap(1, 2);
            from.swap(1, 2);
        }
        let mut entries = [0, 1, 2].map(|k| match row[k] == cells[from[k]] && row[k].lanes != 0 {
            true => old[from[k]],
            false => events.entry(row[k]),
        });
        if entries[2] != Entry::default() {
            entries[1].0 |= Entry::MORE;
            *self.third(address) = entries[2];
        }
        let (writes, reads) = self.rows(address, 1)?;
        (writes[0], reads[0]) = (entries[0], entries[1]);
        Some(result)
    }

    /// Forgets what is known of `bytes` bytes at `address`.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        if let Some((writes, reads)) = self.rows(address, bytes.div_ceil(GRAIN) as usize) {
            writes.fill(Entry::default());
            reads.fill(Entry::default());
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.planes.discard();
        self.written.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::What;
    use super::super::spread::{Consecutive, Scattered};
    use super::*;

    #[test]
    fn rows_come_back_with_writes_before_reads() {
        let (mut shadow, mut events) = (Shadow::new(0x1000, 100).unwrap(), Events::new());
        let cell = |lane: u32, kind| Cell { who: 1, time: 2, lanes: 1 << lane, what: What::new(kind, 9) };
        let (write, part) = (cell(1, What::WRITE | 15), cell(2, What::WRITE | 1));
        let read = cell(3, 15);
        let none = Cell::default();
        for (given, kept) in [
            ([write, none, none], [write, none, none]),
            ([write, none, read], [write, read, none]),
            ([write, read, part], [write, part, read]),
            ([none, read, read], [none, read, read]),
            ([none, none, none], [none, none, none]),
        ] {
            shadow.with_row(0x1010, &mut events, 1, |row| *row = given).unwrap();
            let found = shadow.with_row(0x1010, &mut events, 1, |row| *row).unwrap();
            assert_eq!(found, kept);
        }
        let next = events.next();
        shadow.with_row(0x1010, &mut events, 1, |row| *row = [write, read, read]).unwrap();
        assert_eq!(shadow.with_row(0x1010, &mut events, next, |row| *row).unwrap(), [none; 3]);
    }

    #[test]
    fn writes_are_looked_for_where_there_are_any() {
        let mut shadow = Shadow::new(0x10000, 3 << 12).unwrap();
        let written = Block {
            planes: [[Entry::new(7, 0); LANES], [Entry::default(); LANES], [Entry::default(); LANES]],
            changed: [u32::MAX, 0, 0],
        };
        let every_third = Scattered::<1>::new(std::array::from_fn(|j| 1024 + 3 * j));
        shadow.mark(&every_third, 7);
        assert_eq!(shadow.store(&every_third, 5, &written), 0);
        for (first, floor, writes) in
            [(1024, 5, 11), (1021, 5, 10), (1024, 8, 0), (1021, 8, 0), (0, 5, 0), (2048, 5, 0)]
        {
            let mut block = Block::default();
            assert!(shadow.load(&Consecutive::<1>(first), floor, &mut block));
            let found = block.planes[0].iter().filter(|entry| entry.event() >= floor).count();
            assert_eq!(found, writes, "{first} {floor}");
        }
        assert!(!shadow.load(&Consecutive::<1>(3 * 1024 - 31), 5, &mut Block::default()));
    }

    #[test]
    fn of_lanes_that_change_one_grain_one_prevails() {
        let mut shadow = Shadow::new(0x10000, 1 << 12).unwrap();
        let [one, none] = [Entry::new(7, 0), Entry::default()].map(|entry| [entry; LANES]);
        let mut read = Block { planes: [none, one, none], changed: [0, u32::MAX, 0] };
        let spread = Scattered::<1>::new(std::array::from_fn(|j| j % 30));
        assert_eq!(shadow.store(&spread, 5, &read), 0, "all say the same");
        read.planes[1] = std::array::from_fn(|j| Entry::new(7, j as u32));
        assert_eq!(shadow.store(&spread, 5, &read), 0b11, "lanes 30 and 31 come later");
    }

    #[test]
    fn elements_of_two_grains_are_compared_at_once_if_they_have_one_history() {
        let mut shadow = Shadow::new(0x10000, 2 << 12).unwrap();
        let each: Entries = std::array::from_fn(|j| Entry::new(7, j as u32));
        let read = Block { planes: [each, each, each], changed: [0, u32::MAX, 0] };
        let every_second = Scattered::<2>::new(std::array::from_fn(|j| 512 + 4 * j));
        assert_eq!(shadow.store(&Consecutive::<2>(0), 5, &read), 0);
        assert_eq!(shadow.store(&every_second, 5, &read), 0);
        let mut block = Block::default();
        assert!(shadow.load(&Consecutive::<2>(0), 5, &mut block) && block.planes[1] == each);
        assert!(shadow.load(&every_second, 5, &mut block) && block.planes[1] == each);
        assert!(shadow.load(&Consecutive::<1>(0), 5, &mut block) && block.planes[1][3] == each[1]);
        // The upper grain of an element of each is read alone.
        for grain in [2 * 9 + 1, 512 + 4 * 9 + 1] {
            shadow.rows(0x10000 + grain * GRAIN, 1).unwrap().1[0] = Entry::new(8, 0);
        }
        assert!(!shadow.load(&Consecutive::<2>(0), 5, &mut block));
        assert!(!shadow.load(&every_second, 5, &mut block));
        assert!(!shadow.load(&Consecutive::<2>(2 * 1024 - 62), 5, &mut block), "beyond the end");
    }

    #[test]
    fn rows_outside_are_refused() {
        let mut shadow = Shadow::new(0x1000, 4096).unwrap();
        assert_eq!(shadow.bytes(), 4096);
        for (address, count, inside) in
            [(0x1000, 1024, true), (0x1ffc, 1, true), (0x1ffc, 2, false), (0xffc, 2, false), (0, 1, false)]
        {
            assert_eq!(shadow.rows(address, count).is_some(), inside, "{address:#x} {count}");
        }
    }
}
