//! The common cases of an access: nothing is in its way, and what was there before need not be kept.
//!
//! That holds if the last write and the second access of the grain are ordered before it and, so that nothing is lost,
//! the second one may be replaced. [`super::row`] is the whole rule; whatever is refused here goes there. A warp that reads
//! or writes 32 grains in a row has one event, and mostly meets one.

#![allow(clippy::needless_range_loop, reason = "loops over lanes or grains index several arrays")]

use super::cell::What;
use super::clock::{Clock, Node};
use super::event::{Entry, Events};
use crate::code::LANES;

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
struct Verdict {
    /// The access is ordered before those of all lanes.
    all: bool,
    /// It is ordered before the lane that made it.
    own: bool,
    /// Its lanes have just made the same access.
    again: bool,
}

/// The last events that were asked for, as write and as second access. Good for one access, and bytes of a grain.
#[derive(Default)]
pub struct Memo([(u32, Verdict); 2]);

/// The lanes of 32 grains in a row, and the grains that are accessed.
pub struct Grains {
    /// Lane of each.
    pub lanes: [u32; LANES],
    /// All ones for those of active lanes.
    pub active: [u32; LANES],
}

/// What 32 entries have in common.
#[derive(PartialEq, Eq, Debug)]
enum Common {
    /// All are none.
    None,
    /// One event; whether each entry is of the lane that accesses it.
    One(u32, bool),
    /// Several events.
    Many,
}

/// All bits one if true.
#[inline(always)]
fn ones(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// Compares an access of a warp with what is remembered.
pub struct Quick<'a> {
    /// The events.
    pub events: &'a Events,
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
    fn verdict(&mut self, plane: usize, number: u32) -> Verdict {
        if self.memo.0[plane].0 == number {
            return self.memo.0[plane].1;
        }
        let (event, known, new) = (self.events.get(number), &self.known, self.what);
        let goes = if new.is(What::WRITE) {
            new.covers(event.what)
        } else if plane == 0 {
            true
        } else {
            new.covers(event.what)
                && !event.what.is(What::WRITE)
                && (!new.is(What::STRONG) || event.what.is(What::STRONG))
        };
        let mine = event.who == known.who;
        // A strong access that another one follows is forgotten.
        let strong = plane == 0 && event.what.morally_strong(new, event.slot() == known.who >> 5);
        let all = strong
            || mine && event.time < known.warp
            || event.slot() == known.who >> 5 && event.time < known.cta
            || known.extra.is_some_and(|clock| {
                clock.get(Node::cta(event.slot())) > event.time
                    || clock.get(Node::warp(event.who)) > event.time
            });
        let again = mine && event.time == self.time && event.what.same_kind(new);
        let verdict = Verdict { all: goes && all, own: goes && mine && event.lanes == 0, again };
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

    #[inline(always)]
    fn common(&self, entries: &[Entry; LANES], grains: &Grains) -> Common {
        let floor = self.floor << Entry::SHIFT;
        let (mut all, mut any, mut lanes, mut live) = (u32::MAX, 0, 0, 0);
        for j in 0..LANES {
            let mask = ones(entries[j].0 >= floor) & grains.active[j];
            live |= mask;
            all &= entries[j].0 | !mask;
            any |= entries[j].0 & mask;
            lanes |= (entries[j].0 ^ grains.lanes[j]) & Entry::LANE & mask;
        }
        match live {
            0 => Common::None,
            _ if all >> Entry::SHIFT == any >> Entry::SHIFT => Common::One(any >> Entry::SHIFT, lanes == 0),
            _ => Common::Many,
        }
    }

    /// Whether nothing keeps the entries of 32 grains from being passed over.
    #[inline(always)]
    fn all_pass(&mut self, plane: usize, entries: &[Entry; LANES], grains: &Grains) -> bool {
        match self.common(entries, grains) {
            Common::None => true,
            Common::One(number, own) => {
                let verdict = self.verdict(plane, number);
                verdict.all || verdict.own && own
            }
            Common::Many => {
                (0..LANES).all(|j| grains.active[j] == 0 || self.passes(plane, entries[j], grains.lanes[j]))
            }
        }
    }

    /// Writes of single lanes to 32 grains in a row, `new` being the entries and `same` all ones where the value is there
    /// already: remembers them, or changes nothing and returns false.
    #[inline(always)]
    pub fn write_row(
        &mut self,
        writes: &mut [Entry; LANES],
        reads: &mut [Entry; LANES],
        new: &[Entry; LANES],
        same: &[u32; LANES],
        grains: &Grains,
    ) -> bool {
        let (mut differ, mut more) = (0, 0);
        for j in 0..LANES {
            differ |= (writes[j].0 ^ new[j].0) & grains.active[j];
            more |= reads[j].0 & Entry::MORE & grains.active[j];
        }
        if differ == 0 {
            return true;
        }
        if more != 0 || !self.all_pass(0, writes, grains) || !self.all_pass(1, reads, grains) {
            return false;
        }
        let floor = self.floor << Entry::SHIFT;
        for j in 0..LANES {
            let keeps = ones(writes[j].0 >= floor) & same[j];
            let change = grains.active[j] & !keeps;
            writes[j].0 = new[j].0 & change | writes[j].0 & !change;
            reads[j].0 &= !grains.active[j];
        }
        true
    }

    /// The same for reads.
    #[inline(always)]
    pub fn read_row(
        &mut self,
        writes: &[Entry; LANES],
        reads: &mut [Entry; LANES],
        new: &[Entry; LANES],
        grains: &Grains,
    ) -> bool {
        let mut differ = 0;
        for j in 0..LANES {
            differ |= (reads[j].alone().0 ^ new[j].0) & grains.active[j];
        }
        if differ == 0 {
            return true;
        }
        if let Common::One(number, true) = self.common(reads, grains)
            && self.verdict(1, number).again
            // An event of several lanes has entries of none.
            && self.events.get(number).lanes == 0
        {
            let mut others = 0;
            for j in 0..LANES {
                others |= ones(reads[j].event() != number) & grains.active[j];
            }
            if others == 0 {
                return true;
            }
        }
        if !self.all_pass(0, writes, grains) || !self.all_pass(1, reads, grains) {
            return false;
        }
        let floor = self.floor << Entry::SHIFT;
        for j in 0..LANES {
            let more = ones(reads[j].0 >= floor) & reads[j].0 & Entry::MORE;
            reads[j].0 = (new[j].0 | more) & grains.active[j] | reads[j].0 & !grains.active[j];
        }
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

    const ALL: u32 = u32::MAX;
    const READ: u32 = What::ALL_BYTES;
    const WRITE: u32 = What::WRITE | READ;
    const ATOMIC: u32 = What::STRONG | WRITE;

    /// CTA 3 after a barrier (clock 2) and one of warp 0 alone (clock 3).
    fn cta() -> Cta {
        let mut cta = Cta::new(3, 2);
        cta.barrier(0, &[ALL, ALL], |_| ALL);
        cta.warp_barrier(0, ALL, ALL);
        cta
    }

    fn each_lane(active: u32) -> Grains {
        let lanes = std::array::from_fn(|j| j as u32);
        Grains { lanes, active: lanes.map(|j| (active >> j & 1).wrapping_neg()) }
    }

    fn quick<'a>(cta: &'a Cta, events: &'a Events, kind: u32, memo: &'a mut Memo) -> Quick<'a> {
        let what = What::new(kind, 1);
        Quick { events, floor: 1, known: cta.quickly(0, ALL), time: cta.now, what, memo }
    }

    #[test]
    fn the_common_cases_are_decided_here() {
        let cta = cta();
        let [me, other, foreign] = [cta.who(0), cta.who(1), 7 << 5];
        // The last access of each lane to its grain, and whether a write and a read of warp 0 pass.
        for (name, who, time, kind, passes) in [
            ("nothing", 0, 0, 0, [true, true]),
            ("its own write", me, 3, WRITE, [true, true]),
            ("its own read", me, 3, READ, [true, true]),
            ("its own one byte", me, 3, What::WRITE | 1, [true, true]),
            ("another warp, before the barrier", other, 1, WRITE, [true, true]),
            ("another warp, after it", other, 3, WRITE, [false, false]),
            ("another warp's read", other, 3, READ, [false, false]),
            ("another CTA", foreign, 1, WRITE, [false, false]),
        ] {
            let mut events = Events::new();
            let cell = |lane: u32| Cell { who, time, lanes: 1 << lane, what: What::new(kind, 9) };
            let old: [Entry; LANES] = match name {
                "nothing" => Default::default(),
                _ => std::array::from_fn(|lane| events.entry(cell(lane as u32))),
            };
            let grains = each_lane(ALL);
            let new = [WRITE, READ].map(|kind| {
                let what = What::new(kind, 1);
                let number = events.number(Cell { who: me, time: cta.now, lanes: 0, what });
                grains.lanes.map(|lane| Entry::new(number, lane))
            });
            let (written, read) =
                if kind & What::WRITE != 0 { (old, Default::default()) } else { (Default::default(), old) };
            let (mut writes, mut reads) = (written, read);
            let mut memo = Memo::default();
            let done = quick(&cta, &events, WRITE, &mut memo).write_row(
                &mut writes,
                &mut reads,
                &new[0],
                &[0; LANES],
                &grains,
            );
            assert_eq!(done, passes[0], "write after {name}");
            assert_eq!(writes, if done { new[0] } else { written }, "write after {name}");
            let (writes, mut reads) = (written, read);
            let mut memo = Memo::default();
            let done = quick(&cta, &events, READ, &mut memo).read_row(&writes, &mut reads, &new[1], &grains);
            assert_eq!(done, passes[1], "read after {name}");
            // The same read at another place is left as it is.
            let kept = !done || name == "its own read";
            assert_eq!(reads, if kept { read } else { new[1] }, "read after {name}");
        }
    }

    #[test]
    fn what_passes_here_races_by_no_rule() {
        let cta = cta();
        let mut random = Random::new(5, 0);
        let mut decided = 0;
        for _ in 0..4000 {
            let mut events = Events::new();
            let mut pick = |n: u64| random.below(n) as usize;
            // Two kinds of accesses, which the grains have in turn or alone, mostly by the lane that comes again.
            let mut some = || Cell {
                who: [cta.who(0), cta.who(0), cta.who(1), 7 << 5][pick(4)],
                time: 1 + pick(3) as u32,
                lanes: 0,
                what: What::new([READ, WRITE, ATOMIC, READ | What::STRONG, 3, What::WRITE | 1][pick(6)], 9),
            };
            let kinds = [some(), some()];
            let mut entries = [[Entry::default(); LANES]; 2];
            for (plane, lane) in (0..2).flat_map(|plane| (0..LANES).map(move |lane| (plane, lane))) {
                let write = kinds[plane].what.is(What::WRITE);
                let lanes = 1 << if pick(40) == 0 { pick(32) } else { lane };
                if (plane == 0) == write && pick(20) != 0 {
                    entries[plane][lane] = events.entry(Cell { lanes, ..kinds[plane] });
                }
            }
            let kind = [READ, WRITE, ATOMIC][pick(3)];
            let (active, same) = ([ALL, ALL, 0xfff0][pick(3)], [0, 0, ALL, 0xff][pick(4)]);
            let grains = each_lane(active);
            let flagged = |lane: usize| match same >> lane & 1 {
                1 if kind == WRITE => What::SAME_VALUE,
                _ => 0,
            };
            let cell = |lane: usize| Cell {
                who: cta.who(0),
                time: cta.now,
                lanes: 1 << lane,
                what: What::new(kind | flagged(lane), 1),
            };
            let new: [Entry; LANES] = std::array::from_fn(|lane| events.entry(cell(lane)));
            let keep = std::array::from_fn(|lane| ones(flagged(lane) != 0));
            let [mut writes, mut reads] = entries;
            let mut memo = Memo::default();
            let mut quick = quick(&cta, &events, kind, &mut memo);
            let done = if kind == READ {
                quick.read_row(&writes, &mut reads, &new, &grains)
            } else {
                quick.write_row(&mut writes, &mut reads, &new, &keep, &grains)
            };
            decided += u32::from(done);
            for lane in 0..LANES {
                let [write, read] = entries.map(|plane| plane[lane]);
                if !done || grains.active[lane] == 0 {
                    assert_eq!((writes[lane], reads[lane]), (write, read), "changed without need");
                }
                let (mut one, mut two) = (write, read);
                quick.what = cell(lane).what;
                let alone = quick.grain(&mut one, &mut two, new[lane], 1 << lane);
                let mut row = [events.cell(write, 1), events.cell(read, 1), Cell::default()];
                let race = advance(&mut row, cell(lane), &cta, true);
                let passed = alone || done && grains.active[lane] != 0;
                assert!(race.is_none() || !passed, "{race:?} is passed over");
            }
        }
        assert!((400..3600).contains(&decided), "{decided} of 4000 rows");
    }
}
