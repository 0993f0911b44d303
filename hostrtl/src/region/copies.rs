//! The copies of a construct, and its order to others that copy to or rely on the same data.

use super::Region;
use crate::device::{DeviceError, DeviceResult};
use crate::error::{Error, Result};
use crate::location::MapName;
use crate::lock;
use crate::pending::{Pending, Stage, contains};
use crate::queue::{Step, Transfer};
use std::sync::Arc;

impl Region<'_> {
    /// Makes the copies that were found necessary under the table's lock, without it: first those that depend on nobody;
    /// then this construct's claim is fulfilled, so that others can go on; then it waits for the claims of others; and what
    /// those held up is asked for again.
    pub(crate) fn perform(&mut self) -> Result<()> {
        loop {
            self.perform_steps()?;
            self.fulfil_claim()?;
            while let Some(other) = self.queue().waits.pop() {
                match other.wait() {
                    Stage::Submitted => self.wait_behind(&other)?,
                    Stage::Claimed | Stage::Done => {}
                    Stage::Failed => {
                        return Err(Error::Device(DeviceError {
                            call: "copying data".into(),
                            text: "the construct that mapped it first, in another thread, failed to copy it"
                                .into(),
                        }));
                    }
                }
            }
            if self.queue().postponed.is_empty() {
                return Ok(());
            }
            let device = self.device;
            let table = &mut lock(&device.table);
            let mut postponed = core::mem::take(&mut self.queue().postponed);
            for again in postponed.drain(..) {
                self.plan_copy_to(table, again.key, again.begin, again.size)?;
            }
            // What is postponed once more is in the new list.
        }
    }

    fn perform_steps(&mut self) -> DeviceResult<()> {
        let mut steps = core::mem::take(&mut self.queue().steps);
        let mut outcome = Ok(());
        for step in steps.drain(..) {
            let done = match step {
                // SAFETY: the program mapped these bytes: valid until the construct ends (`RawArrays::view`). The name is
                // null or a C string (`name_of`).
                Step::To(Transfer { device, host, size, name }) => unsafe {
                    self.submit(device, host, size, MapName::from_ptr(name as *const _))
                },
                // SAFETY: as above.
                Step::From(Transfer { device, host, size, name }) => unsafe {
                    self.retrieve(host, device, size, MapName::from_ptr(name as *const _))
                },
                // SAFETY: the name as above.
                Step::Bytes { device, bytes, name } => unsafe {
                    self.submit_owned_as(device, bytes, MapName::from_ptr(name as *const _))
                },
            };
            outcome = done;
            if outcome.is_err() {
                break;
            }
        }
        self.queue().steps = steps;
        outcome
    }

    /// Tells others that the data that they may rely on is under way.
    fn fulfil_claim(&mut self) -> DeviceResult<()> {
        if !self.queue().claimed {
            return Ok(());
        }
        let claim = self.queue().claim();
        let mut outcome = Ok(());
        claim.fulfil(|late| {
            outcome = late.drain(..).try_for_each(|(device, bytes)| self.submit_owned(device, bytes));
            if outcome.is_ok() { Stage::Submitted } else { Stage::Failed }
        });
        let queue = self.queue();
        queue.claimed = false;
        queue.fulfilled.push(claim);
        outcome
    }

    /// Lets this queue wait for the copies of a claim that are in another one now. Once: what the construct does from then
    /// on comes behind them.
    pub(crate) fn wait_behind(&mut self, other: &Arc<Pending>) -> DeviceResult<()> {
        let offload = self.device;
        let queue = self.queue();
        if other.queue == queue.handle || contains(&queue.behind, other) {
            return Ok(());
        }
        let event = other.copied(|| {
            let event = offload.event(&mut queue.event)?;
            offload.device.record(other.queue, event)?;
            Ok(event)
        })?;
        offload.device.wait(self.work(), event)?;
        self.queue().behind.push(other.clone());
        Ok(())
    }

    /// A kernel comes behind the copies of this construct: who needs the data is not to wait for the kernel.
    pub(super) fn mark_copies(&mut self) -> DeviceResult<()> {
        let offload = self.device;
        let queue = self.queue();
        if queue.fulfilled.is_empty() {
            return Ok(());
        }
        let event = offload.event(&mut queue.mark)?;
        offload.device.record(queue.handle, event)?;
        queue.fulfilled.iter().for_each(|claim| claim.mark(event));
        Ok(())
    }
}
