//! An access of a warp, taken apart into grains, each compared with what is remembered of it.
//!
//! Whole grains are compared 32 at a time, in a row or wherever the lanes point; everything else, and what is refused
//! there, grain by grain.

#![allow(clippy::needless_range_loop, reason = "loops over lanes or grains index several arrays")]

use super::block::{Block, Grains};
use super::cell::{Cell, GRAIN, What};
use super::code::Code;
use super::event::{Entry, Event, Events};
use super::order::Cta;
use super::quick::{Known, Memo, Quick};
use super::row::advance;
use super::shadow::Shadow;
use super::spread::{Consecutive, Scattered, Spread};
use super::tell::{Meeting, Teller};
use super::values;
use crate::code::{LANES, Op, SHARED_WINDOW, Space};
use crate::exec::lanes_of;
use crate::exec::spaces::{Spot, spot};
use crate::watch::{AccessKind, At, MemoryAccess};

/// Single accesses are compared one by one if there are fewer.
const FEW: u32 = 3;

/// One grain for each lane.
pub static EACH_LANE: [u32; LANES] = lanes_in_row(1, 0);

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

/// The lanes of 32 grains in a row, of which each lane has some.
const fn lanes_in_row(grains: u32, part: u32) -> [u32; LANES] {
    let mut lanes = [0; LANES];
    let mut j = 0;
    while j < LANES as u32 {
        lanes[j as usize] = (part * LANES as u32 + j) / grains;
        j += 1;
    }
    lanes
}

/// The first two parts of a row: lanes with one grain each, and with two.
static IN_ROW: [[[u32; LANES]; 2]; 2] =
    [[lanes_in_row(1, 0), lanes_in_row(1, 1)], [lanes_in_row(2, 0), lanes_in_row(2, 1)]];

/// The grains of some lanes.
#[inline(always)]
fn grains_of(some: u32, lanes: &[u32; LANES]) -> u32 {
    match some {
        0 | u32::MAX => some,
        _ => (0..LANES).fold(0, |all, j| all | (some >> lanes[j] & 1) << j),
    }
}

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
                let some;
                let lanes = if grains <= 2 {
                    &IN_ROW[grains as usize - 1][part as usize]
                } else {
                    some = lanes_in_row(grains, part);
                    &some
                };
                let start = start.wrapping_add(u64::from(part) * PART);
                let row = Consecutive(self.sides[usize::from(shared)].shadow.index(start));
                self.block(&row, shared, lanes, same, |j| start.wrapping_add(j as u64 * GRAIN));
            }
            return;
        }
        if let Some((mut each, shared)) = self.each() {
            let same = if store { values::stores_same(at, op, access) } else { 0 };
            let addresses = access.addresses;
            let window = if shared && access.space == Space::Generic { SHARED_WINDOW } else { 0 };
            for grain in 0..u64::from(access.bytes) / GRAIN {
                self.block(&each, shared, &EACH_LANE, same, |j| {
                    addresses[j].wrapping_sub(window).wrapping_add(grain * GRAIN)
                });
                each.0.iter_mut().for_each(|index| *index += 1);
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

    /// The first grain of each lane if lanes access whole grains of one memory, neighbours different ones, and whether
    /// that is shared memory. Inactive lanes have a grain of others.
    #[inline(always)]
    fn each(&self) -> Option<(Scattered, bool)> {
        let (access, lanes) = (self.access, self.at.lanes);
        let first = lanes.trailing_zeros() as usize & 31;
        if lanes.count_ones() < FEW || !u64::from(access.bytes).is_multiple_of(GRAIN) {
            return None;
        }
        let (address, shared) = match spot(access.space, access.addresses[first]) {
            Spot::Global(a) => (a, false),
            Spot::Shared(a) => (a, true),
            Spot::Local(_) => return None,
        };
        let window = access.addresses[first].wrapping_sub(address);
        let shadow = &self.sides[usize::from(shared)].shadow;
        let (mut all, mut unaligned, mut last, mut most, mut twins) = ([0; LANES], 0, usize::MAX, 0, false);
        for lane in 0..LANES {
            let active = lanes >> lane & 1 != 0;
            let address = access.addresses[if active { lane } else { first }].wrapping_sub(window);
            all[lane] = shadow.index(address);
            unaligned |= address % GRAIN;
            most = most.max(all[lane]);
            twins |= active && all[lane] == last;
            last = all[lane];
        }
        let end = most.checked_add((u64::from(access.bytes) / GRAIN) as usize - 1)?;
        (unaligned == 0 && !twins && shadow.has(end)).then_some((Scattered(all), shared))
    }

    /// Accesses of single lanes to 32 grains: lane and address of each.
    #[inline(always)]
    fn block<S: Spread>(
        &mut self,
        spread: &S,
        shared: bool,
        lanes: &[u32; LANES],
        same: u32,
        address: impl Fn(usize) -> u64,
    ) {
        let active = grains_of(self.at.lanes, lanes);
        let silent_grains = grains_of(same, lanes);
        let what = What(self.what.0 | What::ALL_BYTES);
        let silent = What(what.0 | What::SAME_VALUE);
        let event = Event { who: self.known.who, time: self.cta.now, shape: 1, what };
        let all_silent = silent_grains & active == active;
        let number = self.events.number(if all_silent { Event { what: silent, ..event } } else { event });
        let mut new = [Entry::default(); LANES];
        for j in 0..LANES {
            new[j] = Entry::new(number, lanes[j]);
        }
        if !all_silent && silent_grains != 0 {
            let number = self.events.number(Event { what: silent, ..event });
            for j in lanes_of(silent_grains) {
                new[j] = Entry::new(number, lanes[j]);
            }
        }
        let Side { shadow, floor } = &mut self.sides[usize::from(shared)];
        let mut rest = active;
        let mut block = Block::default();
        if shadow.load(spread, *floor, &mut block) {
            if what.is(What::WRITE) {
                shadow.mark(spread, self.events.next());
            }
            let mut quick = Quick {
                events: self.events,
                floor: *floor,
                known: self.known,
                time: event.time,
                what,
                memo: &mut self.memo,
            };
            let grains = Grains { lanes, active };
            rest = if what.is(What::WRITE) {
                quick.write_block(&mut block, &new, silent_grains, &grains)
            } else {
                quick.read_block(&mut block, &new, &grains)
            };
            rest |= shadow.store(spread, *floor, &block) & active;
        }
        for j in lanes_of(rest) {
            let what = if silent_grains >> j & 1 != 0 { silent } else { what };
            self.grain(address(j), shared, 1 << lanes[j], what);
        }
    }

    /// An access of lanes to one grain.
    fn grain(&mut self, address: u64, shared: bool, lanes: u32, what: What) {
        let Side { shadow, floor } = &mut self.sides[usize::from(shared)];
        if what.is(What::WRITE) {
            shadow.mark_one(address, self.events.next());
        }
        let Some((writes, reads)) = shadow.rows(address, 1) else { return };
        let new = Cell { who: self.known.who, time: self.cta.now, lanes, what };
        let entry = if lanes.is_power_of_two() {
            let number = match self.last {
                Some((last, number)) if last == what => number,
                _ => self.events.entry(new).event(),
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
