//! Page-locking the memory that a program maps, for as long as it is mapped (`LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS`): the
//! driver copies such memory without a buffer of its own in between, and without the host's waiting for it.

use crate::device::DeviceResult;
use crate::env::LockMapped;
use crate::offload::OffloadDevice;
use crate::table::Entry;

impl OffloadDevice {
    /// Page-locks the host memory of a new entry, if that is asked for.
    ///
    /// Memory that is page-locked already, in whole or in part, stays that of whoever did so. On a device in the host's own
    /// memory there is nothing to do.
    pub(crate) fn lock_mapped(&self, entry: &mut Entry) -> DeviceResult<()> {
        let bytes = entry.end - entry.begin;
        if self.lock_mapped == LockMapped::Off || bytes == 0 {
            return Ok(());
        }
        match self.device.foreign().map(|own| own.page_lock(entry.begin, bytes)) {
            Some(Ok(())) => entry.is_locked = true,
            Some(Err(error))
                if self.lock_mapped == LockMapped::Mandatory && !error.is_already_registered() =>
            {
                return Err(error);
            }
            Some(Err(_)) | None => {}
        }
        Ok(())
    }

    /// Takes that back.
    pub(crate) fn unlock_mapped(&self, entry: &Entry) -> DeviceResult<()> {
        match self.device.foreign() {
            Some(own) if entry.is_locked => own.unlock(entry.begin),
            _ => Ok(()),
        }
    }
}
