//! 32 grains at once, each accessed by one lane of a warp.
//!
//! They mostly hold few events between them, in what one row of memory or one index array has been used for. So the events
//! are taken one after the other, each with all the grains that hold it, by comparisons of vectors. What is decided is what
//! [`super::row`] would decide grain by grain; what races or is rare is refused, and goes there.

#![allow(clippy::needless_range_loop, reason = "loops over grains index several arrays")]

use super::event::{Entry, Event};
use super::quick::Quick;
use crate::code::LANES;

/// The entries of 32 grains in one plane.
pub type Entries = [Entry; LANES];

/// The lanes that access 32 grains.
pub struct Grains<'a> {
    /// Lane of each.
    pub lanes: &'a [u32; LANES],
    /// One bit for each that is accessed.
    pub active: u32,
}

/// What is remembered of 32 grains.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Block {
    /// Writes, second and third accesses; a third one is none if the second has no [`Entry::MORE`].
    pub planes: [Entries; 3],
    /// The grains in which each plane has changed.
    pub changed: [u32; 3],
}

/// One bit for each grain.
#[inline(always)]
fn bits(condition: impl Fn(usize) -> bool) -> u32 {
    let mut all = 0;
    for j in 0..LANES {
        all |= u32::from(condition(j)) << j;
    }
    all
}

/// Entries, those of some grains with [`Entry::MORE`].
#[inline(always)]
fn with_more(entries: &Entries, grains: u32) -> Entries {
    let mut all = *entries;
    for j in 0..LANES {
        all[j].0 |= (grains >> j & 1) * Entry::MORE;
    }
    all
}

/// Puts entries in the place of others where a bit is set.
#[inline(always)]
fn put(into: &mut Entries, from: &Entries, chosen: u32) {
    for j in 0..LANES {
        let mask = (chosen >> j & 1).wrapping_neg();
        into[j].0 = from[j].0 & mask | into[j].0 & !mask;
    }
}

/// What becomes of reads in the second or third plane.
#[derive(Default)]
struct Readers {
    /// The lane has joined others.
    joined: u32,
    /// Nothing stands there, or what need not be kept.
    free: u32,
    /// The lane has joined others, or has read it already.
    done: u32,
    /// It is for the whole rule.
    refused: u32,
}

impl Quick<'_> {
    /// The grains whose entry counts.
    #[inline(always)]
    fn live(&self, entries: &Entries) -> u32 {
        let floor = self.floor << Entry::SHIFT;
        bits(|j| entries[j].0 >= floor)
    }

    /// Whether any entry counts.
    #[inline(always)]
    fn any_live(&self, entries: &Entries) -> bool {
        let floor = self.floor << Entry::SHIFT;
        entries.iter().fold(false, |any, entry| any | (entry.0 >= floor))
    }

    /// Of some grains those in which an entry keeps the lane from passing over it.
    #[inline(always)]
    fn held(&mut self, plane: usize, entries: &Entries, grains: &Grains<'_>, of: u32) -> u32 {
        if !self.any_live(entries) {
            return 0;
        }
        let (mut rest, mut held) = (self.live(entries) & of, 0);
        while rest != 0 {
            let number = entries[rest.trailing_zeros() as usize].event();
            let here = bits(|j| entries[j].event() == number) & rest;
            rest &= !here;
            let verdict = self.verdict(plane, number);
            if !verdict.all {
                let own = if verdict.own { bits(|j| entries[j].lane() == grains.lanes[j]) } else { 0 };
                held |= here & !own;
            }
        }
        held
    }

    /// Writes to 32 grains, `new` being the entries and `same` the grains where the value is there already: remembers
    /// them. Those that are refused are as they were.
    #[inline(always)]
    pub fn write_block(&mut self, block: &mut Block, new: &Entries, same: u32, grains: &Grains<'_>) -> u32 {
        let [writes, reads, third] = &mut block.planes;
        let todo = bits(|j| writes[j] != new[j]) & grains.active;
        if todo == 0 {
            return 0;
        }
        let mut refused = self.held(0, writes, grains, todo);
        refused |= self.held(1, reads, grains, todo);
        refused |= self.held(2, third, grains, todo);
        let change = todo & !refused;
        // See `row::advance`.
        let keep = self.live(writes) & same;
        put(writes, new, change & !keep);
        put(reads, &[Entry::default(); LANES], change);
        block.changed = [change & !keep, change, 0];
        refused
    }

    /// Reads in one of the two planes: of some grains those that the lane has read in this epoch, or that others of its
    /// warp have, which it joins.
    #[inline(always)]
    fn readers(&mut self, plane: usize, entries: &mut Entries, grains: &Grains<'_>, of: u32) -> Readers {
        let live = self.live(entries) & of;
        let mut found = Readers { free: of & !live, ..Readers::default() };
        let mut rest = live;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let number = entries[first].event();
            let mut here = bits(|j| entries[j].event() == number) & rest;
            let verdict = self.verdict(plane, number);
            if verdict.again {
                let behind = |j: usize| grains.lanes[j].wrapping_sub(entries[j].lane()) & Entry::LANE;
                let distance = behind(first);
                here &= bits(|j| behind(j) == distance);
                let event = *self.events.get(number);
                let shape = event.shape | 1 << distance;
                if shape != event.shape {
                    let joined = Entry::new(self.events.number(Event { shape, what: self.what, ..event }), 0);
                    let new = entries.map(|old| Entry(joined.0 | old.0 & (Entry::LANE | Entry::MORE)));
                    put(entries, &new, here);
                    found.joined |= here;
                }
                found.done |= here;
            } else if verdict.write {
                found.refused |= here;
            } else if verdict.all {
                found.free |= here;
            } else if verdict.own {
                found.free |= here & bits(|j| entries[j].lane() == grains.lanes[j]);
            }
            rest &= !here;
        }
        found
    }

    /// The same as [`Quick::write_block`] for reads.
    #[inline(always)]
    pub fn read_block(&mut self, block: &mut Block, new: &Entries, grains: &Grains<'_>) -> u32 {
        let [writes, reads, third] = &mut block.planes;
        let mut todo = bits(|j| reads[j].alone() != new[j]) & grains.active;
        if todo == 0 {
            return 0;
        }
        let refused = self.held(0, writes, grains, todo);
        todo &= !refused;
        if !self.any_live(reads) {
            put(reads, new, todo);
            block.changed = [0, todo, 0];
            return refused;
        }
        let second = self.readers(1, reads, grains, todo);
        let refused = refused | second.refused;
        todo &= !(second.refused | second.done);
        // If the second access counts, so does a third one.
        let more = self.live(reads) & bits(|j| reads[j].more());
        let new_with_more = with_more(new, more);
        if todo & (more | !second.free) == 0 {
            put(reads, &new_with_more, todo);
            block.changed = [0, second.joined | todo, 0];
            return refused;
        }
        let last = self.readers(2, third, grains, todo);
        todo &= !(last.refused | last.done);
        // With too many readers one of them is forgotten.
        let odd = bits(|j| self.time.wrapping_add(grains.lanes[j]) & 1 != 0);
        let into_third = todo & !second.free & (last.free | odd);
        put(reads, &new_with_more, todo & !into_third);
        *reads = with_more(reads, into_third);
        put(third, new, into_third);
        block.changed = [0, second.joined | todo, last.joined | into_third];
        refused | last.refused
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::{Cell, What};
    use super::super::compare::EACH_LANE;
    use super::super::event::Events;
    use super::super::order::Cta;
    use super::super::quick::Memo;
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

    fn quick<'a>(cta: &'a Cta, events: &'a mut Events, kind: u32, memo: &'a mut Memo) -> Quick<'a> {
        let what = What::new(kind, 1);
        Quick { events, floor: 1, known: cta.quickly(0, ALL), time: cta.now, what, memo }
    }

    /// An access of warp 0 to 32 grains by one lane each: what is remembered then, and what is refused.
    fn access(cta: &Cta, events: &mut Events, block: &Block, kind: u32, grains: &Grains<'_>) -> (Block, u32) {
        let mut block = block.clone();
        let new = grains.lanes.map(|lane| {
            let what = What::new(kind, 1);
            events.entry(Cell { who: cta.who(0), time: cta.now, lanes: 1 << lane, what })
        });
        let mut memo = Memo::default();
        let mut quick = quick(cta, events, kind, &mut memo);
        let refused = match kind & What::WRITE {
            0 => quick.read_block(&mut block, &new, grains),
            _ => quick.write_block(&mut block, &new, 0, grains),
        };
        block.changed = [0; 3];
        (block, refused)
    }

    const EACH: Grains<'_> = Grains { lanes: &EACH_LANE, active: ALL };

    #[test]
    fn the_common_cases_are_decided_here() {
        let cta = cta();
        let [me, other, foreign] = [cta.who(0), cta.who(1), 7 << 5];
        // The last access of each lane to its grain, and whether a write and a read of warp 0 are refused.
        for (name, who, time, kind, refused) in [
            ("nothing", 0, 0, 0, [0, 0]),
            ("its own write", me, 3, WRITE, [0, 0]),
            ("its own read", me, 3, READ, [0, 0]),
            ("its own one byte", me, 3, What::WRITE | 1, [0, 0]),
            ("another warp, before the barrier", other, 1, WRITE, [0, 0]),
            ("another warp, after it", other, 3, WRITE, [ALL, ALL]),
            ("another warp's read", other, 3, READ, [ALL, 0]),
            ("another CTA", foreign, 1, WRITE, [ALL, ALL]),
        ] {
            for (kind_now, refused) in [WRITE, READ].into_iter().zip(refused) {
                let mut events = Events::new();
                let mut block = Block::default();
                if kind != 0 {
                    let plane = usize::from(kind & What::WRITE == 0);
                    let what = What::new(kind, 9);
                    let cell = |j: usize| Cell { who, time, lanes: 1 << j, what };
                    block.planes[plane] = std::array::from_fn(|j| events.entry(cell(j)));
                }
                let (after, now) = access(&cta, &mut events, &block, kind_now, &EACH);
                assert_eq!(now, refused, "{kind_now:#x} after {name}");
                assert!(refused == 0 || after == block, "{kind_now:#x} after {name}");
            }
        }
    }

    #[test]
    fn lanes_that_read_what_others_of_their_warp_have_read_join_them_in_one_event() {
        let (cta, mut events) = (cta(), Events::new());
        // Lane j reads grain j, then grains j - 1 and j + 1, as in a stencil.
        let mut block = Block::default();
        for shift in [0, 1, 31] {
            let lanes = EACH.lanes.map(|j| (j + shift) % 32);
            let refused;
            (block, refused) =
                access(&cta, &mut events, &block, READ, &Grains { lanes: &lanes, active: ALL });
            assert_eq!(refused, 0);
        }
        for j in 0..LANES {
            let lanes = (1 << j | 1 << ((j + 1) % 32) | 1 << ((j + 31) % 32)) as u32;
            assert_eq!(events.cell(block.planes[1][j], 1).lanes, lanes);
        }
        assert_eq!(events.next(), 4, "one event for each of the reads");
        let before = block.clone();
        let (after, _) = access(&cta, &mut events, &block, READ, &EACH);
        assert_eq!(after, before, "nothing is new");
    }

    #[test]
    fn readers_of_three_ctas_leave_two() {
        let (cta, mut events) = (cta(), Events::new());
        let what = What::new(READ, 9);
        let mut block = Block::default();
        for (plane, slot) in [(1, 7), (2, 8)] {
            let foreign = |j: usize| Cell { who: slot << 5, time: 1, lanes: 1 << j, what };
            block.planes[plane] = std::array::from_fn(|j| events.entry(foreign(j)));
            let (after, refused) = access(&cta, &mut events, &block, READ, &EACH);
            assert_eq!(refused, 0);
            for j in 0..LANES {
                let whos = [1, 2].map(|plane| events.cell(after.planes[plane][j], 1).who);
                let even = (cta.now as usize + j).is_multiple_of(2);
                let first = if plane == 2 && even { cta.who(0) } else { 7 << 5 };
                let second = if first == cta.who(0) { 8 << 5 } else { cta.who(0) };
                assert_eq!(whos, [first, second]);
                assert!(after.planes[1][j].more());
            }
            block.planes[1].iter_mut().for_each(|entry| entry.0 |= Entry::MORE);
        }
    }

    #[test]
    fn what_is_decided_here_is_what_the_whole_rule_decides() {
        let cta = cta();
        let mut random = Random::new(5, 0);
        let mut decided = 0;
        for _ in 0..6000 {
            let mut events = Events::new();
            let mut pick = |n: u64| random.below(n) as usize;
            // Kinds of accesses that the grains have in turn or alone, mostly by the lane that comes again.
            let mut some = || Cell {
                who: [cta.who(0), cta.who(0), cta.who(1), 7 << 5][pick(4)],
                time: 1 + pick(3) as u32,
                lanes: [1, 1, 0b11][pick(3)],
                what: What::new([READ, WRITE, ATOMIC, READ | What::STRONG, 3, What::WRITE | 1][pick(6)], 9),
            };
            let kinds = [some(), some(), some()];
            let mut block = Block::default();
            for lane in 0..LANES {
                for plane in 0..3 {
                    let Cell { lanes, what, .. } = kinds[plane];
                    let lanes = lanes.rotate_left(if pick(40) == 0 { pick(32) as u32 } else { lane as u32 });
                    let fits = match plane {
                        0 => what.is(What::WRITE),
                        1 => !what.is(What::WRITE) || what.bytes() != What::ALL_BYTES,
                        // Reads of one warp at one time are one access.
                        _ => {
                            !what.is(What::WRITE)
                                && block.planes[1][lane] != Entry::default()
                                && (kinds[1].who, kinds[1].time) != (kinds[2].who, kinds[2].time)
                        }
                    };
                    if fits && pick(20) != 0 {
                        block.planes[plane][lane] = events.entry(Cell { lanes, ..kinds[plane] });
                        block.planes[1][lane].0 |= if plane == 2 { Entry::MORE } else { 0 };
                    }
                }
            }
            let kind = [READ, WRITE, ATOMIC][pick(3)];
            let grains = Grains { active: [ALL, ALL, 0xfff0][pick(3)], ..EACH };
            let (after, refused) = access(&cta, &mut events, &block, kind, &grains);
            decided += u32::from(refused == 0);
            for j in 0..LANES {
                let [before, after] = [&block, &after].map(|block| block.planes.map(|plane| plane[j]));
                if (refused | !grains.active) >> j & 1 != 0 {
                    assert_eq!(before, after, "changed without need");
                    continue;
                }
                let cells = |entries: [Entry; 3]| entries.map(|entry| events.cell(entry, 1));
                let what = What::new(kind, 1);
                let new = Cell { who: cta.who(0), time: cta.now, lanes: 1 << j, what };
                let mut row = cells(before);
                assert_eq!(advance(&mut row, new, &cta, true), None, "{before:?} is passed over");
                // Places may differ, and a write that comes again may leave what is ordered before it.
                let known = |cell: &Cell| (cell.who, cell.time, cell.lanes);
                let (rule, here) = (row.each_ref().map(known), cells(after).each_ref().map(known));
                let same = rule == here || [rule[0], rule[2], rule[1]] == here;
                assert!(same || kind != READ && here[0] == known(&new), "{rule:?} {here:?}");
            }
        }
        assert!((1000..5500).contains(&decided), "{decided} of 6000 blocks");
    }
}
