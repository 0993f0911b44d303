//! The common cases of an access: nothing is in its way, and what was there before need not be kept.
//!
//! That holds if the last write and the second access of the grain are ordered before it and, so that nothing is lost,
//! the second one may be replaced. [`super::row`] is the whole rule; whatever is refused here goes there. Of 32 grains at
//! once [`super::block`] decides.

use super::cell::What;
use super::clock::{Clock, Node};
use super::event::{Entry, Events};

/// What decides quickly that an access is ordered before what a warp does now.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The warp.
    pub who: u32,
    /// Stamps of its CTA below this.
    pub cta: u32,
    /// Stamps of the warp below this.
    pub warp: u32,
    /// What all of the lanes know besides.
    pub extra: Option<&'a Clock>,
}

/// What is known of an event.
#[derive(Clone, Copy, Default)]
pub struct Verdict {
    /// The access is ordered before those of all lanes, and need not be kept.
    pub all: bool,
    /// The same for the lane that made it.
    pub own: bool,
    /// Its lanes have just made the same access.
    pub again: bool,
    /// It is a write.
    pub write: bool,
}

/// The last events that were asked for, as write, second and third access. Good for one access, and bytes of a grain.
#[derive(Default)]
pub struct Memo([(u32, Verdict); 3]);

/// Compares an access of a warp with what is remembered.
pub struct Quick<'a> {
    /// The events.
    pub events: &'a mut Events,
    /// Events before this one count as none.
    pub floor: u32,
    /// What orders accesses.
    pub known: Known<'a>,
    /// When the access is made.
    pub time: u32,
    /// What it is.
    pub what: What,
    /// What has been asked for.
    pub memo: &'a mut Memo,
}

impl Quick<'_> {
    /// What is known of an event that stands in one of the three planes, of which the first holds writes.
    pub fn verdict(&mut self, plane: usize, number: u32) -> Verdict {
        if self.memo.0[plane].0 == number {
            return self.memo.0[plane].1;
        }
        let (event, known, new) = (*self.events.get(number), &self.known, self.what);
        let (slot, write) = (event.who >> 5, event.what.is(What::WRITE));
        let goes = if new.is(What::WRITE) {
            new.covers(event.what)
        } else if plane == 0 {
            true
        } else {
            new.covers(event.what) && !write && (!new.is(What::STRONG) || event.what.is(What::STRONG))
        };
        let mine = event.who == known.who;
        // A strong access that another one follows is forgotten.
        let strong = plane == 0 && event.what.morally_strong(new, slot == known.who >> 5);
        let all = strong
            || mine && event.time < known.warp
            || slot == known.who >> 5 && event.time < known.cta
            || known.extra.is_some_and(|clock| {
                clock.get(Node::cta(slot)) > event.time || clock.get(Node::warp(event.who)) > event.time
            });
        let again = mine && event.time == self.time && event.what.same_kind(new);
        let verdict = Verdict { all: goes && all, own: goes && mine && event.shape == 1, again, write };
        self.memo.0[plane] = (number, verdict);
        verdict
    }

    /// Whether nothing keeps an entry from being passed over by a lane.
    #[inline(always)]
    fn passes(&mut self, plane: usize, entry: Entry, lane: u32) -> bool {
        if entry.event() < self.floor {
            return true;
        }
        let verdict = self.verdict(plane, entry.event());
        verdict.all || verdict.own && entry.lane() == lane
    }

    /// Whether the second entry of a grain says that these lanes have just read it.
    #[inline(always)]
    fn read_again(&mut self, read: Entry, lanes: u32) -> bool {
        read.event() >= self.floor
            && self.verdict(1, read.event()).again
            && lanes & !self.events.cell(read, self.floor).lanes == 0
    }

    /// An access of one lane, or of several, to one grain, `new` being the entry: remembers it, or changes nothing and
    /// returns false.
    #[inline(always)]
    pub fn grain(&mut self, write: &mut Entry, read: &mut Entry, new: Entry, lanes: u32) -> bool {
        // No entry has this lane, so several lanes pass over what is ordered before all of them.
        let lane = if lanes.is_power_of_two() { new.lane() } else { u32::MAX };
        if self.what.is(What::WRITE) {
            if *write == new {
                return true;
            }
            if read.more() || !self.passes(0, *write, lane) || !self.passes(1, *read, lane) {
                return false;
            }
            // See `row::advance`.
            if write.event() < self.floor || !self.what.is(What::SAME_VALUE) {
                *write = new;
            }
            *read = Entry::default();
            return true;
        }
        if read.alone() == new || self.read_again(*read, lanes) {
            return true;
        }
        if !self.passes(0, *write, lane) || !self.passes(1, *read, lane) {
            return false;
        }
        // If the second access counts, so does a third one.
        let more = if read.event() < self.floor { 0 } else { read.0 & Entry::MORE };
        *read = Entry(new.0 | more);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Cell;
    use super::super::order::Cta;
    use super::super::row::advance;
    use super::*;
    use crate::schedule::Random;

    #[test]
    fn what_passes_here_races_by_no_rule() {
        // CTA 3 after a barrier (clock 2) and one of warp 0 alone (clock 3).
        let mut cta = Cta::new(3, 2);
        cta.barrier(0, &[u32::MAX; 2], |_| u32::MAX);
        cta.warp_barrier(0, u32::MAX, u32::MAX);
        let mut random = Random::new(5, 0);
        let mut decided = 0;
        for _ in 0..10_000 {
            let mut events = Events::new();
            let mut pick = |n: u64| random.below(n) as usize;
            let mut kind = || {
                let kinds = [15, What::WRITE | 15, What::WRITE | What::STRONG | 15, 3, What::WRITE | 1];
                What::new(kinds[pick(5)], 1)
            };
            let kinds = [kind(), kind(), kind()];
            let mut some = |what| Cell {
                who: [cta.who(0), cta.who(0), cta.who(1), 7 << 5][pick(4)],
                time: 1 + pick(3) as u32,
                lanes: [1, 2, 3, 7][pick(4)],
                what,
            };
            let [write, read] = [some(kinds[0]), some(kinds[1])];
            let write = if write.what.is(What::WRITE) { write } else { Cell::default() };
            let new = Cell { who: cta.who(0), time: cta.now, ..some(kinds[2]) };
            let [mut one, mut two, entry] = [write, read, new].map(|cell| events.entry(cell));
            let (mut memo, known) = (Memo::default(), cta.quickly(0, u32::MAX));
            let mut quick = Quick {
                events: &mut events,
                floor: 1,
                known,
                time: cta.now,
                what: new.what,
                memo: &mut memo,
            };
            if quick.grain(&mut one, &mut two, entry, new.lanes) {
                decided += 1;
                let race = advance(&mut [write, read, Cell::default()], new, &cta, true);
                assert!(race.is_none(), "{race:?} is passed over");
            }
        }
        assert!((1000..9000).contains(&decided), "{decided} of 10000 grains");
    }
}
