//! Pointers in mapped memory that are to point to the device copy of their pointee.

use super::{POINTER_SIZE, read_bytes, read_pointer};
use crate::device::DevicePtr;
use crate::error::Result;
use crate::queue::{Attachment, Step, name_of};
use crate::region::Region;
use crate::table::{Lookup, Table};

impl Region<'_> {
    /// Performs the attachments of the construct (map type `ATTACH`): where the pointer or its pointee was mapped
    /// first by this construct, or always; only when both are mapped (OpenMP 6.0, attach modifier).
    pub(super) fn attach_all(&mut self, table: &mut Table) -> Result<()> {
        if self.queue().attachments.is_empty() {
            return Ok(());
        }
        let mut attachments = core::mem::take(&mut self.queue().attachments);
        for Attachment { slot, pointee, size, always } in attachments.drain(..) {
            let queue = self.queue();
            let is_new =
                |address| queue.new_ranges.iter().any(|(begin, end)| (*begin..*end).contains(&address));
            if !(always || is_new(slot) || is_new(pointee)) {
                continue;
            }
            let address = |table: &Table, begin, size| match table.lookup(begin, size) {
                Lookup::Contained(key) => table.get(key).map(|entry| entry.device_address(begin)),
                _ => None,
            };
            let Some(pointee_address) = address(table, pointee, 0) else { continue };
            self.device.print_found(table, pointee, 0);
            let Some(slot_address) = address(table, slot, size) else { continue };
            self.device.print_found(table, slot, size);
            self.attach(table, slot, slot_address, size, Some((pointee_address, pointee)))?;
        }
        self.queue().attachments = attachments;
        Ok(())
    }

    /// Lets the device copy of a pointer point to the device copy of its pointee; to null when there is none.
    pub(super) fn attach(
        &mut self,
        table: &mut Table,
        slot: usize,
        slot_address: DevicePtr,
        size: usize,
        pointee: Option<(DevicePtr, usize)>,
    ) -> Result<()> {
        let mut contents = read_bytes(slot, size);
        let base = pointee.map_or(0, |(address, host)| {
            address.0.wrapping_sub(host.wrapping_sub(read_pointer(slot)) as u64)
        });
        contents[..POINTER_SIZE].copy_from_slice(&base.to_le_bytes());
        let Lookup::Contained(key) = table.lookup(slot, size) else { return Ok(()) };
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        // The pointer arrives behind the data around it, and who relies on the one waits for the other.
        self.wait_for(entry)?;
        if !entry.shadows.set(slot, &contents) {
            return Ok(());
        }
        let mut late = Some((slot_address, contents));
        if self.is_claimed_by_another(entry)
            && let Some(pending) = &entry.pending
        {
            late = late.and_then(|late| pending.hand_over(late));
        }
        if let Some((device, bytes)) = late {
            // Once more: the other may have fulfilled its claim in the meantime.
            self.wait_for(entry)?;
            self.claim(entry);
            let name = name_of(entry.map_name());
            self.queue().steps.push(Step::Bytes { device, bytes, name });
        }
        Ok(())
    }
}
