//! `target update` (OpenMP 5.2, 13.9).

use super::Walk;
use crate::arrays::{Argument, Arrays};
use crate::error::{Error, PresentOn, Result};
use crate::lock;
use crate::noncontiguous;
use crate::queue::Action;
use crate::region::Region;
use crate::table::{Lookup, Table};

impl Region<'_> {
    /// Copies what the maps say, as far as it is mapped.
    pub fn update(&mut self, maps: &Arrays<'_>) -> Result<()> {
        let device = self.device;
        let mut table = lock(&device.table);
        self.update_maps(&mut table, maps)?;
        drop(table);
        self.perform()
    }

    pub(super) fn update_maps(&mut self, table: &mut Table, maps: &Arrays<'_>) -> Result<()> {
        for index in 0..maps.len() {
            let map = maps.get(index);
            if map.kind.is_literal() || map.kind.is_private() {
                continue;
            }
            if let Some(mapper) = map.mapper {
                self.run_mapper(table, &map, mapper, Walk::Update)?;
            } else if map.kind.is_non_contiguous() {
                // SAFETY: a map of this type points to descriptors of dimensions.
                let pieces = unsafe { noncontiguous::pieces(map.begin, map.size) };
                let pieces = pieces.ok_or_else(|| Error::Section {
                    index,
                    name: map.name.name().to_owned(),
                    size: map.size,
                    location: self.location.to_string(),
                })?;
                for (offset, size) in pieces {
                    self.update_one(table, &map, map.base.wrapping_add(offset), size)?;
                }
            } else {
                self.update_one(table, &map, map.begin, map.size)?;
            }
        }
        Ok(())
    }

    fn update_one(&mut self, table: &mut Table, map: &Argument<'_>, begin: usize, size: usize) -> Result<()> {
        let Lookup::Contained(key) = table.lookup(begin, size) else {
            return match map.kind.is_present() && !self.device.shares_memory() {
                true => Err(Error::NotPresent { on: PresentOn::Update, begin, size }),
                // Not mapped: nothing happens (OpenMP 5.2, 13.9).
                false => Ok(()),
            };
        };
        self.device.print_found(table, begin, size);
        if size == 0 {
            return Ok(());
        }
        if let Some(entry) = table.get_mut(key) {
            // It has to stay while the copies run, even if another thread unmaps it.
            entry.users += 1;
            self.queue().actions.push(Action::LeaveEntry { key });
        }
        if map.kind.is_to() {
            self.plan_copy_to(table, key, begin, size)?;
        }
        if map.kind.is_from()
            && let Some(entry) = table.get_mut(key)
        {
            self.wait_for(entry)?;
            self.plan_copy_from(entry, begin, size);
        }
        Ok(())
    }
}
