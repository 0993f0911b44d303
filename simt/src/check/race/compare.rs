//! An access of a warp, taken apart into grains, each compared with what is remembered of it.
//!
//! What lanes access in a row of whole grains is compared 32 grains at a time; everything else, and what is refused there,
//! grain by grain.

#![allow(clippy::needless_range_loop, reason = "loops over lanes or grains index several arrays")]

use super::cell::{Cell, GRAIN, What};
use super::code::Code;
use super::event::{Entry, Events};
use super::order::Cta;
use super::quick::{Grains, Known, Memo, Quick};
use super::row::advance;
use super::shadow::Shadow;
use super::tell::{Meeting, Teller};
use super::values;
use crate::code::{LANES, Op};
use crate::exec::lanes_of;
use crate::exec::memory::{Spot, spot};
use crate::watch::{AccessKind, At, MemoryAccess};

/// Bytes of 32 grains.
const PART: u64 = LANES as u64 * GRAIN;

/// A memory's shadow, and the first event that counts in it.
pub struct Side<'a> {
    /// The shadow.
    pub shadow: &'a mut Shadow,
    /// Events before it count as none.
    pub floor: u32,
}

/// An access that is being compared.
pub struct Compare<'a> {
    /// Where it is made.
    pub at: &'a At<'a, 'a>,
    /// The access.
    pub access: &'a MemoryAccess,
    /// Kind and place, without bytes.
    pub what: What,
    /// Its CTA.
    pub cta: &'a Cta,
    /// What its lanes know.
    pub known: Known<'a>,
    /// The events.
    pub events: &'a mut Events,
    /// Global memory, shared memory.
    pub sides: [Side<'a>; 2],
    /// Whether a store of what is there already counts.
    pub same_value: bool,
    /// For races.
    pub teller: &'a mut Teller,
    /// For races.
    pub code: &'a Code,
    /// What has been asked for.
    pub memo: Memo,
    /// The last event of single lanes, which mostly is that of the next lane too, and its number.
    pub last: Option<(What, u32)>,
}

/// All 32 lanes in a row of grains, one, two or four for each.
const fn whole(grains: u32, chunk: u32) -> Grains {
    let mut all = Grains { lanes: [0; LANES], active: [u32::MAX; LANES] };
    let mut j = 0;
    while j < LANES as u32 {
        all.lanes[j as usize] = (chunk * LANES as u32 + j) / grains;
        j += 1;
    }
    all
}

/// The first two parts of a row: lanes with one grain each, and with two.
static WHOLE: [[Grains; 2]; 2] = [[whole(1, 0), whole(1, 1)], [whole(2, 0), whole(2, 1)]];

/// Whether lanes access whole grains one after the other.
#[inline(always)]
fn is_row(access: &MemoryAccess, lanes: u32) -> bool {
    let first = lanes.trailing_zeros() as usize & 31;
    let bytes = u64::from(access.bytes);
    let start = access.addresses[first].wrapping_sub(first as u64 * bytes);
    if !(bytes | start).is_multiple_of(GRAIN) || lanes.is_power_of_two() {
        return false;
    }
    let mut differ = 0;
    if lanes == u32::MAX {
        for (lane, address) in access.addresses.iter().enumerate() {
            differ |= address ^ start.wrapping_add(lane as u64 * bytes);
        }
    } else {
        for lane in lanes_of(lanes) {
            differ |= access.addresses[lane] ^ start.wrapping_add(lane as u64 * bytes);
        }
    }
    differ == 0
}

impl Compare<'_> {
    /// Compares all of the access and remembers it.
    #[inline(always)]
    pub fn all(&mut self, op: &Op) {
        let (at, access) = (self.at, self.access);
        let store = access.kind == AccessKind::Store;
        if is_row(access, at.lanes) {
            let first = at.lanes.trailing_zeros() as usize;
            let (address, shared) = match spot(access.space, access.addresses[first]) {
                Spot::Global(a) => (a, false),
                Spot::Shared(a) => (a, true),
                Spot::Local(_) => return,
            };
            // Of the element that lane 0 has or would have.
            let start = address.wrapping_sub(first as u64 * u64::from(access.bytes));
            let same = if store { values::row_stores_same(at, op, access) } else { 0 };
            let grains = access.bytes / GRAIN as u32;
            for part in 0..grains {
                self.part(start.wrapping_add(u64::from(part) * PART), shared, grains, part, same);
            }
            return;
        }
        let same = if store { values::stores_same(at, op, access) } else { 0 };
        let mut rest = at.lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let address = access.addresses[lane];
            // Lanes that read one address are one access, and so are atomic operations.
            let together = |other: &usize| !store && access.addresses[*other] == address;
            let lanes =
                lanes_of(rest & (rest - 1)).take_while(together).fold(1 << lane, |all, l| all | 1 << l);
            rest &= !lanes;
            let flag = if same >> lane & 1 != 0 { What::SAME_VALUE } else { 0 };
            match spot(access.space, address) {
                Spot::Global(a) => self.bytes(a, false, lanes, flag),
                Spot::Shared(a) => self.bytes(a, true, lanes, flag),
                Spot::Local(_) => {}
            }
        }
    }

    /// The accesses of lanes to one address.
    fn bytes(&mut self, start: u64, shared: bool, lanes: u32, flag: u32) {
        let bytes = u64::from(self.access.bytes);
        let mut offset = 0;
        while offset < bytes {
            let address = start.wrapping_add(offset);
            let inside = address % GRAIN;
            let count = (GRAIN - inside).min(bytes - offset);
            offset += count;
            let touched = ((1 << count) - 1) << inside;
            if touched != What::ALL_BYTES {
                self.memo = Memo::default();
            }
            self.grain(address, shared, lanes, What(self.what.0 | touched | flag));
        }
    }

    /// One of the parts of 32 grains of a row in which each lane has `grains` of them.
    #[inline(always)]
    fn part(&mut self, address: u64, shared: bool, grains: u32, part: u32, same: u32) {
        let lanes = self.at.lanes;
        let mut some;
        let all = if lanes == u32::MAX && grains <= 2 {
            &WHOLE[grains as usize - 1][part as usize]
        } else {
            some = whole(grains, part);
            for j in 0..LANES {
                some.active[j] = (lanes >> some.lanes[j] & 1).wrapping_neg();
            }
            &some
        };
        let what = What(self.what.0 | What::ALL_BYTES);
        let event = Cell { who: self.known.who, time: self.cta.now, lanes: 0, what };
        let silent = What(what.0 | What::SAME_VALUE);
        let number = self.events.number(if same == lanes { Cell { what: silent, ..event } } else { event });
        let mut new = [Entry::default(); LANES];
        for j in 0..LANES {
            new[j] = Entry::new(number, all.lanes[j]);
        }
        let mut keep = [0; LANES];
        if same == lanes {
            keep = [u32::MAX; LANES];
        } else if same != 0 {
            let number = self.events.number(Cell { what: silent, ..event });
            for j in 0..LANES {
                keep[j] = (same >> all.lanes[j] & 1).wrapping_neg();
                new[j].0 = new[j].0 & !keep[j] | Entry::new(number, all.lanes[j]).0 & keep[j];
            }
        }
        let Side { shadow, floor } = &mut self.sides[usize::from(shared)];
        if let Some((writes, reads)) = shadow.rows(address, LANES)
            && let (Ok(writes), Ok(reads)) = (writes.try_into(), reads.try_into())
        {
            let mut quick = Quick {
                events: self.events,
                floor: *floor,
                known: self.known,
                time: event.time,
                what,
                memo: &mut self.memo,
            };
            let done = if what.is(What::WRITE) {
                quick.write_row(writes, reads, &new, &keep, all)
            } else {
                quick.read_row(writes, reads, &new, all)
            };
            if done {
                return;
            }
        }
        for j in (0..LANES).filter(|&j| all.active[j] != 0) {
            let what = if keep[j] != 0 { silent } else { what };
            self.grain(address.wrapping_add(j as u64 * GRAIN), shared, 1 << all.lanes[j], what);
        }
    }

    /// An access of lanes to one grain.
    fn grain(&mut self, address: u64, shared: bool, lanes: u32, what: What) {
        let Side { shadow, floor } = &mut self.sides[usize::from(shared)];
        let Some((writes, reads)) = shadow.rows(address, 1) else { return };
        let new = Cell { who: self.known.who, time: self.cta.now, lanes, what };
        let entry = if lanes.is_power_of_two() {
            let number = match self.last {
                Some((last, number)) if last == what => number,
                _ => self.events.number(Cell { lanes: 0, ..new }),
            };
            self.last = Some((what, number));
            Entry::new(number, lanes.trailing_zeros())
        } else {
            self.events.entry(new)
        };
        let mut quick = Quick {
            events: self.events,
            floor: *floor,
            known: self.known,
            time: new.time,
            what,
            memo: &mut self.memo,
        };
        if quick.grain(&mut writes[0], &mut reads[0], entry, lanes) {
            return;
        }
        let (cta, same_value) = (self.cta, self.same_value);
        let raced =
            shadow.with_row(address, self.events, *floor, |row| advance(row, new, cta, same_value)).flatten();
        if let Some((before, lane)) = raced {
            let meeting = Meeting { now: new, lane, before, address: address & !(GRAIN - 1), shared };
            self.teller.tell(self.at, self.access, self.code, &meeting);
        }
    }
}
