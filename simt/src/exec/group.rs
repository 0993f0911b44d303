//! The groups of a warp.
//!
//! A **group** is a set of lanes at the same instruction of the same frame. Lanes come together again without knowledge of
//! the control flow graph: of the groups that can run, the one in the deepest frame with the lowest instruction goes
//! first, and it stops where another group of its frame stands.

use super::warp::Warp;

/// What a group waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Nothing: it can run.
    Ready,
    /// A barrier of the CTA that it has not been counted at yet: if the barrier is aligned, all lanes of the warp have to
    /// come first.
    Arriving {
        /// Barrier.
        id: u32,
        /// Threads.
        count: Option<u32>,
        /// All threads of the warp must execute the same instruction.
        aligned: bool,
    },
    /// A barrier of the CTA, at which it has arrived.
    Barrier {
        /// Barrier.
        id: u32,
    },
    /// The lanes of `mask`, at a warp operation.
    WarpOperation {
        /// Members.
        mask: u32,
    },
}

/// Lanes at the same instruction.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Lanes; never empty.
    pub lanes: u32,
    /// Instruction: the next one, or the one waited in.
    pub pc: u32,
    /// Index in [`Warp::frames`].
    pub frame: u32,
    /// Whether it can run.
    pub state: State,
    /// When it ran last, in turns of the warp.
    pub ran: u64,
}

impl Warp {
    /// Adds a group that can run, to one that stands at the same place if there is one.
    pub fn add(&mut self, group: Group) {
        let same = |g: &&mut Group| g.state == State::Ready && g.frame == group.frame && g.pc == group.pc;
        match self.groups.iter_mut().find(same) {
            Some(other) => {
                other.lanes |= group.lanes;
                other.ran = other.ran.min(group.ran);
            }
            None => self.groups.push(Group { state: State::Ready, ..group }),
        }
    }

    /// Whether a group can run.
    pub fn ready(&self) -> bool {
        self.groups.iter().any(|g| g.state == State::Ready)
    }

    /// Takes out the group that runs next. Normally that is the one in the deepest frame with the lowest instruction;
    /// after a preemption the one that has waited longest, so that no group is left out for ever.
    pub fn choose(&mut self) -> Option<Group> {
        let ready = self.groups.iter().enumerate().filter(|(_, g)| g.state == State::Ready);
        let chosen = if std::mem::take(&mut self.fair) {
            ready.min_by_key(|(_, g)| g.ran)
        } else {
            ready.min_by_key(|(_, g)| (u32::MAX - self.frames[g.frame as usize].depth, g.pc))
        };
        let index = chosen?.0;
        Some(self.take(index))
    }

    /// Takes out the group that can run with the highest priority.
    pub fn choose_by(&mut self, priority: impl Fn(&Group) -> u64) -> Option<Group> {
        let ready = self.groups.iter().enumerate().filter(|(_, g)| g.state == State::Ready);
        let index = ready.max_by_key(|(_, g)| priority(g))?.0;
        Some(self.take(index))
    }

    /// Takes out a group that can run by its number among them.
    pub fn choose_nth(&mut self, n: usize) -> Option<Group> {
        let ready: Vec<usize> =
            (0..self.groups.len()).filter(|&k| self.groups[k].state == State::Ready).collect();
        let index = *ready.get(n % ready.len().max(1))?;
        Some(self.take(index))
    }

    /// Takes out a group, for the next turn.
    fn take(&mut self, index: usize) -> Group {
        self.turn += 1;
        let mut group = self.groups.swap_remove(index);
        group.ran = self.turn;
        group
    }

    /// The lowest instruction from `pc` on at which another group of the frame stands.
    pub fn meeting(&self, frame: u32, pc: u32) -> u32 {
        let here = |g: &&Group| g.state == State::Ready && g.frame == frame && g.pc >= pc;
        self.groups.iter().filter(here).map(|g| g.pc).min().unwrap_or(u32::MAX)
    }

    /// Takes the lanes of the group that can run at this place, if there is one.
    pub fn absorb(&mut self, frame: u32, pc: u32) -> u32 {
        let same = |g: &Group| g.state == State::Ready && g.frame == frame && g.pc == pc;
        match self.groups.iter().position(same) {
            Some(k) => self.groups.swap_remove(k).lanes,
            None => 0,
        }
    }

    /// Lets the groups that `waits` selects go on after the instruction that they wait in.
    pub fn release(&mut self, waits: impl Fn(&Group) -> bool) {
        let mut k = 0;
        while k < self.groups.len() {
            if self.groups[k].state != State::Ready && waits(&self.groups[k]) {
                let group = self.groups.swap_remove(k);
                self.add(Group { pc: group.pc + 1, ..group });
                // `add` may have put it last again, ready now; what was swapped in has to be looked at.
            } else {
                k += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::warp::tests::warp;
    use super::*;

    fn group(lanes: u32, pc: u32, frame: u32) -> Group {
        Group { lanes, pc, frame, state: State::Ready, ran: 0 }
    }

    #[test]
    fn the_deepest_frame_and_the_lowest_instruction_go_first() {
        let mut w = warp();
        w.add(group(1, 9, 0));
        w.add(group(2, 3, 0));
        w.add(group(4, 20, 1));
        w.groups.push(Group { state: State::Barrier { id: 0 }, ..group(8, 0, 1) });
        let order: Vec<u32> = std::iter::from_fn(|| w.choose()).map(|g| g.lanes).collect();
        assert_eq!(order, [4, 2, 1]);
        assert!(!w.ready());
    }

    #[test]
    fn groups_at_the_same_place_become_one() {
        let mut w = warp();
        w.add(group(1, 9, 0));
        w.add(group(2, 9, 0));
        w.add(group(4, 9, 1));
        assert_eq!(w.groups.len(), 2);
        assert_eq!(w.meeting(0, 5), 9);
        assert_eq!(w.meeting(0, 10), u32::MAX);
        assert_eq!(w.absorb(0, 9), 3);
        assert_eq!(w.absorb(0, 9), 0);
    }

    #[test]
    fn a_fair_choice_takes_the_one_that_has_waited_longest() {
        let mut w = warp();
        w.add(group(1, 9, 0));
        w.add(group(2, 3, 0));
        let first = w.choose().unwrap();
        assert_eq!(first.lanes, 2);
        w.add(first);
        w.fair = true;
        assert_eq!(w.choose().unwrap().lanes, 1);
    }

    #[test]
    fn release_moves_all_that_wait_and_merges_them() {
        let mut w = warp();
        for lane in 0..5 {
            w.groups.push(Group { state: State::Barrier { id: lane % 2 }, ..group(1 << lane, 7, 0) });
        }
        w.release(|g| g.state == State::Barrier { id: 0 });
        assert_eq!(w.absorb(0, 8), 0b10101);
        assert_eq!(w.groups.len(), 2);
    }
}
