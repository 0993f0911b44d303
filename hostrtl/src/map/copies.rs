//! Plans of copies between an entry and the program's memory, and what they have to wait for.

use super::read_bytes;
use crate::error::Result;
use crate::pending::{Stage, add};
use crate::queue::{Action, Postponed, Step, Transfer, name_of};
use crate::region::Region;
use crate::table::{Entry, Table};

impl Region<'_> {
    /// Lets this queue wait for the data of an entry that another one copies. False: that copy failed, so the data is not
    /// there.
    pub(super) fn wait_for(&mut self, entry: &mut Entry) -> Result<bool> {
        let Some(pending) = &entry.pending else { return Ok(true) };
        if self.queue().is_own(pending) {
            return Ok(true);
        }
        match pending.stage() {
            Stage::Done => entry.pending = None,
            Stage::Failed => {
                entry.pending = None;
                return Ok(false);
            }
            Stage::Claimed => add(&mut self.queue().waits, pending),
            Stage::Submitted => self.wait_behind(pending)?,
        }
        Ok(true)
    }

    /// Lets others wait for what this construct is about to copy to an entry.
    pub(super) fn claim(&mut self, entry: &mut Entry) {
        if self.device.map_force_atomic {
            let queue = self.queue();
            entry.pending = Some(queue.claim());
            queue.claimed_keys.push(entry.begin);
        }
    }

    /// Whether another construct has claimed the entry and not yet submitted its copies.
    pub(super) fn is_claimed_by_another(&mut self, entry: &Entry) -> bool {
        let pending = entry.pending.as_ref();
        pending.is_some_and(|pending| !self.queue().is_own(pending) && pending.stage() == Stage::Claimed)
    }

    /// Plans a copy of part of an entry to the device. Attached pointers in it keep their device value: it is sent again.
    /// While another construct copies to the entry, this copy has to be planned again.
    pub(crate) fn plan_copy_to(
        &mut self,
        table: &mut Table,
        key: usize,
        begin: usize,
        size: usize,
    ) -> Result<()> {
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        let held_up = self.is_claimed_by_another(entry);
        self.wait_for(entry)?;
        if held_up {
            self.queue().postponed.push(Postponed { key, begin, size });
            return Ok(());
        }
        self.claim(entry);
        let queue = self.queue();
        let (device, name) = (entry.device_address(begin), name_of(entry.map_name()));
        queue.steps.push(Step::To(Transfer { device, host: begin, size, name }));
        for (slot, contents) in entry.shadows.within(begin, size) {
            let (device, bytes) = (entry.device_address(slot), contents.into());
            queue.steps.push(Step::Bytes { device, bytes, name: 0 });
        }
        Ok(())
    }

    /// Plans a copy of part of an entry to the host. Attached pointers in it keep their host value: it is written back.
    pub(super) fn plan_copy_from(&mut self, entry: &Entry, begin: usize, size: usize) {
        let queue = self.queue();
        for (slot, contents) in entry.shadows.within(begin, size) {
            // The host value of now, not of the time of the attachment: the program may have moved its pointer.
            let contents = read_bytes(slot, contents.len());
            queue.actions.push(Action::Restore { slot, contents });
        }
        let (device, name) = (entry.device_address(begin), name_of(entry.map_name()));
        queue.steps.push(Step::From(Transfer { device, host: begin, size, name }));
    }
}
