//! Shadow memory: for each four bytes the last write, and two accesses more, mostly reads.
//!
//! The three are planes of their own, so that what a warp reads or writes in a row lies in a row here too. Pages exist
//! once they are touched, and most of the third plane never is.

use super::cell::{Cell, GRAIN};
use super::event::{Entry, Events};
use crate::mem::Mapping;

/// The accesses that are remembered of a grain: the last write and two more. The third is none if the second is; a
/// write of other bytes than the last one wrote stands before a read.
pub type Row = [Cell; 3];

/// The three planes of a memory.
pub struct Shadow {
    planes: Mapping,
    base: u64,
    grains: usize,
}

/// Bytes of three planes for each byte of memory.
const PLANES: usize = 3 * size_of::<Entry>() / GRAIN as usize;

impl Shadow {
    /// Shadow of `bytes` bytes from `base` on; `None` if the host has no address space for it.
    pub fn new(base: u64, bytes: u64) -> Option<Self> {
        let bytes = usize::try_from(bytes.next_multiple_of(4096)).ok()?;
        let planes = Mapping::new(bytes.checked_mul(PLANES)?, std::iter::empty())?;
        Some(Self { planes, base, grains: bytes / GRAIN as usize })
    }

    /// Bytes that it has room for.
    pub fn bytes(&self) -> u64 {
        self.grains as u64 * GRAIN
    }

    /// Writes and reads of `count` grains from an address on, if they all are of this memory.
    #[inline(always)]
    pub fn rows(&mut self, address: u64, count: usize) -> Option<(&mut [Entry], &mut [Entry])> {
        let start = (address.wrapping_sub(self.base) / GRAIN) as usize;
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
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::What;
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
