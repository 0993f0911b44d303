//! Unmapping at the end of a construct.

use super::Walk;
use crate::arrays::{Argument, Arrays};
use crate::error::{Error, PresentOn, Result};
use crate::info::InfoFlags;
use crate::lock;
use crate::queue::Action;
use crate::region::Region;
use crate::table::{Count, Lookup, Table};
use crate::tool::{self, Work};

impl Region<'_> {
    /// Unmaps what the construct mapped at its begin.
    ///
    /// Where every map only counts down, and not to zero, the table's lock is not needed.
    pub fn end_of_own(&mut self, maps: &Arrays<'_>) -> Result<()> {
        if self.queue().simple {
            let _scope = tool::begin(self.device.id, || Work::Unmap);
            let uses = &mut self.queue().uses;
            // Last map first, here too: of two maps of one entry the first one is its last use.
            uses.reverse();
            uses.retain(|used| !used.counts.release_unless_last(used.hold));
            if uses.is_empty() {
                return Ok(());
            }
            let device = self.device;
            let mut table = lock(&device.table);
            let mut uses = core::mem::take(&mut self.queue().uses);
            for used in uses.drain(..) {
                self.end_entry(&mut table, &maps.get(used.index), used.key, true)?;
            }
            self.queue().uses = uses;
            drop(table);
            return self.perform();
        }
        self.end(maps)
    }

    /// Unmaps, last map first; what is no longer used goes when the queue is done.
    pub fn end(&mut self, maps: &Arrays<'_>) -> Result<()> {
        let _scope = tool::begin(self.device.id, || Work::Unmap);
        maps.check(self.location)?;
        let device = self.device;
        let mut table = lock(&device.table);
        // From here on they are what the maps below say.
        self.queue().uses.clear();
        self.end_maps(&mut table, maps, false)?;
        drop(table);
        self.perform()
    }

    pub(super) fn end_maps(&mut self, table: &mut Table, maps: &Arrays<'_>, from_mapper: bool) -> Result<()> {
        for index in (0..maps.len()).rev() {
            let map = maps.get(index);
            if map.kind.is_literal() || map.kind.is_private() {
                continue;
            }
            if let Some(mapper) = map.mapper {
                self.run_mapper(table, &map, mapper, Walk::End)?;
            } else if !map.kind.is_attach() {
                self.end_one(table, &map, from_mapper && index == 0)?;
            }
        }
        Ok(())
    }

    fn end_one(&mut self, table: &mut Table, map: &Argument<'_>, first_of_mapper: bool) -> Result<()> {
        let Argument { begin, size, kind, .. } = *map;
        let key = match table.lookup(begin, size) {
            Lookup::Contained(key) => key,
            Lookup::Overlaps(key) if kind.is_implicit() => key,
            _ if kind.is_present() && !self.device.shares_memory() => {
                return Err(Error::NotPresent { on: PresentOn::End, begin, size });
            }
            // Not mapped: the map is ignored (OpenMP 5.2, 5.8.3).
            _ => return Ok(()),
        };
        let counts = (kind.parent().is_none() || kind.is_ptr_and_obj()) && !first_of_mapper;
        self.end_entry(table, map, key, counts)
    }

    /// Ends a map that lies in an entry, with the use that it is if it `counts`.
    fn end_entry(&mut self, table: &mut Table, map: &Argument<'_>, key: usize, counts: bool) -> Result<()> {
        let Argument { begin, size, kind, .. } = *map;
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        let (hold, delete) = (kind.is_hold(), kind.is_delete());
        if delete {
            entry.counts.reset(hold);
        }
        let before = if counts { entry.counts.decrement(hold) } else { entry.counts.get(hold) };
        let last = before == Count::ONE && entry.counts.get(!hold).is_zero();
        entry.users += 1;
        self.wait_for(entry)?;
        if self.device.info.has(InfoFlags::MAPPING_EXISTS) {
            let action = match (counts, last, delete) {
                (false, ..) => " (update suppressed)",
                (true, true, true) => " (reset, delayed deletion)",
                (true, true, false) => " (decremented, delayed deletion)",
                (true, false, _) => " (decremented)",
            };
            self.device.print_lookup(entry, begin, size, hold, action);
        }
        if kind.is_from() && (last || kind.is_always()) && size > 0 {
            self.plan_copy_from(entry, begin, size);
        }
        // After the copy, whose pointers have to be restored before the entry goes.
        self.queue().actions.push(Action::LeaveEntry { key });
        Ok(())
    }
}
