//! Data under way to the device that other constructs may rely on.
//!
//! A construct decides what to copy under the lock of the mapping table and copies without it. Until its copies are in
//! its queue, the entries that it claimed say so by a [`Pending`], and other constructs have to wait; until they are
//! complete, other queues have to. Nobody who has a claim that is not yet fulfilled waits for another, so no two constructs
//! wait for each other.

use crate::device::{DevicePtr, DeviceResult, EventHandle, QueueHandle};
use crate::lock;
use crate::sync::{Condvar, Mutex};
use std::sync::{Arc, PoisonError};

/// Bytes for the device that somebody else is to send.
pub(crate) type Late = (DevicePtr, Box<[u8]>);

/// The claim of one construct.
#[derive(Debug)]
pub struct Pending {
    /// The queue that copies.
    pub queue: QueueHandle,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    /// Attached pointers that other constructs hand over, because they have to arrive after the data around them.
    late: Vec<Late>,
    /// The point in the queue behind the copies, once something else has come behind it.
    copied: Option<EventHandle>,
    /// How many wait.
    waiting: u32,
}

/// How far the data is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// The copies are not in the queue yet.
    #[default]
    Claimed,
    /// They are. Who needs them lets its queue wait for what is in that one.
    Submitted,
    /// They are complete.
    Done,
    /// They failed.
    Failed,
}

impl Pending {
    /// A claim for a construct that copies by this queue.
    pub fn new(queue: QueueHandle) -> Self {
        Self { queue, state: Mutex::default(), changed: Condvar::new() }
    }

    /// How far the data is now.
    pub fn stage(&self) -> Stage {
        lock(&self.state).stage
    }

    /// Waits while the data is only claimed, and gives what it is then.
    pub fn wait(&self) -> Stage {
        let claimed = |state: &mut State| state.stage == Stage::Claimed;
        let mut state = lock(&self.state);
        state.waiting += 1;
        let state = self.changed.wait_while(state, claimed);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state.stage
    }

    /// Gives bytes to the construct that has the claim; back when it has fulfilled it already.
    pub(crate) fn hand_over(&self, late: Late) -> Option<Late> {
        let mut state = lock(&self.state);
        if state.stage != Stage::Claimed {
            return Some(late);
        }
        state.late.push(late);
        None
    }

    /// Sends what was handed over with `send`, then moves on to the stage that `send` gives, with nothing handed over in
    /// between. Whoever waits goes on.
    pub(crate) fn fulfil(&self, send: impl FnOnce(&mut Vec<Late>) -> Stage) {
        let mut state = lock(&self.state);
        let stage = send(&mut state.late);
        self.move_on(&mut state, stage);
    }

    /// Something else is about to come behind the copies, which end at this event.
    pub(crate) fn mark(&self, event: EventHandle) {
        lock(&self.state).copied = Some(event);
    }

    /// The end of the copies: where it was marked, else `record` makes an event for all that is in the queue now, and
    /// nothing is marked meanwhile.
    pub(crate) fn copied(
        &self,
        record: impl FnOnce() -> DeviceResult<EventHandle>,
    ) -> DeviceResult<EventHandle> {
        let state = lock(&self.state);
        state.copied.map_or_else(record, Ok)
    }

    /// Moves on.
    pub fn finish(&self, stage: Stage) {
        self.move_on(&mut lock(&self.state), stage);
    }

    /// A notification is a call of the system, even where nobody waits.
    fn move_on(&self, state: &mut State, stage: Stage) {
        state.stage = stage;
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// A claim that nobody else holds any more becomes that of a new construct.
    pub(crate) fn renew(&mut self) {
        *self.state.get_mut().unwrap_or_else(PoisonError::into_inner) = State::default();
    }
}

/// Whether a claim is in a list.
pub(crate) fn contains(claims: &[Arc<Pending>], claim: &Arc<Pending>) -> bool {
    claims.iter().any(|known| Arc::ptr_eq(known, claim))
}

/// Adds a claim to a list, once.
pub(crate) fn add(claims: &mut Vec<Arc<Pending>>, claim: &Arc<Pending>) {
    if !contains(claims, claim) {
        claims.push(claim.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_goes_on_when_the_copies_are_submitted() {
        let pending = Arc::new(Pending::new(QueueHandle(1)));
        let waiting = std::thread::spawn({
            let pending = pending.clone();
            move || pending.wait()
        });
        assert_eq!(pending.hand_over((DevicePtr(8), Box::new([1]))), None);
        pending.fulfil(|late| {
            assert_eq!(core::mem::take(late), [(DevicePtr(8), Box::from([1_u8]))]);
            Stage::Submitted
        });
        assert_eq!(waiting.join().unwrap(), Stage::Submitted);
        let late = (DevicePtr(8), Box::from([2_u8]));
        assert_eq!(pending.hand_over(late.clone()), Some(late), "too late");
        pending.finish(Stage::Done);
        assert_eq!((pending.stage(), pending.wait()), (Stage::Done, Stage::Done));
    }

    #[test]
    fn what_comes_behind_a_mark_is_not_waited_for() {
        let mut pending = Pending::new(QueueHandle(1));
        let now = || Ok(EventHandle(1));
        assert_eq!(pending.copied(now), Ok(EventHandle(1)));
        pending.mark(EventHandle(2));
        assert_eq!(pending.copied(now), Ok(EventHandle(2)));
        pending.renew();
        assert_eq!(pending.copied(now), Ok(EventHandle(1)));
    }

    #[test]
    fn a_failure_ends_the_waiting() {
        let pending = Pending::new(QueueHandle(1));
        pending.finish(Stage::Failed);
        assert_eq!(pending.wait(), Stage::Failed);
    }
}
