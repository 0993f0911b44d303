//! An access of a warp, taken apart into grains, each compared with what is remembered of it.
//!
//! Whole grains, or elements of two, are compared 32 at a time, in a row or wherever the lanes point; everything else, and
//! what is refused there, grain by grain.

#![allow(clippy::needless_range_loop, reason = "loops over lanes or grains index several arrays")]

use super::block::{Block, Grains};
use super::cell::{Cell, GRAIN, What};
use super::code::Code;
use super::event::{Entry, Event, Events};
use super::order::Cta;
use super::quick::{Known, Memo, Quick};
use super::row::advance;
use super::shadow::{LINE, Shadow, prefetch};
use super::spread::{Consecutive, Scattered, Spread};
use super::tell::{Meeting, Teller};
use super::values;
use crate::code::{LANES, Op};
use crate::exec::lanes_of;
use crate::exec::spaces::{Spot, spot};
use crate::watch::{AccessKind, At, MemoryAccess};

/// Single accesses are compared one by one if there are fewer.
const FEW: u32 = 3;

/// One grain for each lane.
pub static EACH_LANE: [u32; LANES] = lanes_in_row(1, 0);

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

/// The grains of some lanes.
#[inline(always)]
fn grains_of(some: u32, lanes: &[u32; LANES]) -> u32 {
    match some {
        0 | u32::MAX => some,
        _ => (0..LANES).fold(0, |all, j| all | (some >> lanes[j] & 1) << j),
    }
}

/// Whether the addresses of some lanes are those of `expected`.
#[inline(always)]
fn all_at(access: &MemoryAccess, lanes: u32, expected: impl Fn(u64) -> u64) -> bool {
    let mut differ = 0;
    for lane in 0..LANES {
        let counts = u64::from(lanes >> lane & 1).wrapping_neg();
        differ |= (access.addresses[lane] ^ expected(lane as u64)) & counts;
    }
    differ == 0
}

/// Whether lanes access whole grains one after the other.
#[inline(always)]
fn is_row(access: &MemoryAccess, lanes: u32) -> bool {
    let first = lanes.trailing_zeros() as usize & 31;
    let bytes = u64::from(access.bytes);
    let start = access.addresses[first].wrapping_sub(first as u64 * bytes);
    (bytes | start).is_multiple_of(GRAIN)
        && all_at(access, lanes, |lane| start.wrapping_add(lane.wrapping_mul(bytes)))
}

/// The places of lanes in one memory.
struct Each {
    /// The first grain of each lane. Inactive lanes have one of others.
    grains: [usize; LANES],
    /// Whether it is shared memory.
    shared: bool,
    /// What an address is more than an offset there.
    window: u64,
}

impl Compare<'_> {
    /// Compares all of the access and remembers it. Whether it is one to a single address.
    #[inline(always)]
    pub fn all(&mut self, op: &Op) -> bool {
        let (at, access) = (self.at, self.access);
        let store = access.kind == AccessKind::Store;
        let first = at.lanes.trailing_zeros() as usize & 31;
        let start = access.addresses[first];
        let one_lane = at.lanes.is_power_of_two();
        let one_address = one_lane || all_at(access, at.lanes, |_| start);
        if one_address && (one_lane || !store) {
            let same = if store { values::stores_same(at, op, access) } else { 0 };
            self.lanes_at(start, at.lanes, same);
            return true;
        }
        if !one_address && is_row(access, at.lanes) {
            self.row(op, start, first);
            return false;
        }
        let same = if store { values::stores_same(at, op, access) } else { 0 };
        if self.scattered(same) {
            return one_address;
        }
        let mut rest = at.lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let address = access.addresses[lane];
            // Lanes that read one address are one access, and so are atomic operations.
            let together = |other: &usize| !store && access.addresses[*other] == address;
            let lanes =
                lanes_of(rest & (rest - 1)).take_while(together).fold(1 << lane, |all, l| all | 1 << l);
            rest &= !lanes;
            self.lanes_at(address, lanes, same);
        }
        one_address
    }

    /// An access of lanes to whole grains one after the other, the first lane's at `start`.
    #[inline(always)]
    fn row(&mut self, op: &Op, start: u64, first: usize) {
        let (at, access) = (self.at, self.access);
        let (address, shared) = match spot(access.space, start) {
            Spot::Global(a) => (a, false),
            Spot::Shared(a) => (a, true),
            Spot::Local(_) => return,
        };
        let (bytes, store) = (u64::from(access.bytes), access.kind == AccessKind::Store);
        if !shared {
            // What is remembered of memory lies elsewhere: all of it is asked for at once.
            let all = LANES as u64 * bytes;
            self.sides[0].shadow.prefetch(address, all - 1, access.kind != AccessKind::Load);
            (0..all).step_by(LINE).for_each(|line| prefetch(address.wrapping_add(line) as *const u8));
        }
        let same = if store { values::row_stores_same(at, op, access) } else { 0 };
        // Of the element that lane 0 has or would have.
        let start = address.wrapping_sub(first as u64 * bytes);
        let index = self.sides[usize::from(shared)].shadow.index(start);
        if bytes == 2 * GRAIN && index.is_multiple_of(2) {
            let pairs = Consecutive::<2>(index);
            if self.block(&pairs, shared, &EACH_LANE, same, |j| start.wrapping_add(j as u64 * 2 * GRAIN)) {
                return;
            }
        }
        let grains = access.bytes / GRAIN as u32;
        for part in 0..grains {
            let lanes = if grains == 1 { EACH_LANE } else { lanes_in_row(grains, part) };
            let part = part as usize * LANES;
            let row = Consecutive::<1>(index.wrapping_add(part));
            let address = |j| start.wrapping_add((part + j) as u64 * GRAIN);
            if !self.block(&row, shared, &lanes, same, address) {
                self.single(shared, &lanes, same, address);
            }
        }
    }

    /// An access of lanes that each have whole grains of their own in one memory, if it is one and is not done grain by
    /// grain.
    #[inline(always)]
    fn scattered(&mut self, same: u32) -> bool {
        let Some(Each { grains, shared, window }) = self.each() else { return false };
        let access = self.access;
        let address = |j: usize| access.addresses[j].wrapping_sub(window);
        if u64::from(access.bytes) == 2 * GRAIN
            && grains.iter().fold(0, |all, grain| all | grain).is_multiple_of(2)
            && self.block(&Scattered::<2>::new(grains), shared, &EACH_LANE, same, address)
        {
            return true;
        }
        let mut spread = Scattered::<1>::new(grains);
        for grain in 0..u64::from(access.bytes) / GRAIN {
            let address = |j| address(j).wrapping_add(grain * GRAIN);
            if !self.block(&spread, shared, &EACH_LANE, same, address) {
                self.single(shared, &EACH_LANE, same, address);
            }
            spread = spread.next();
        }
        true
    }

    /// The access of lanes to one address; `same`: the lanes that store what is there.
    #[inline(always)]
    fn lanes_at(&mut self, address: u64, lanes: u32, same: u32) {
        let flag = if same & lanes != 0 { What::SAME_VALUE } else { 0 };
        match spot(self.access.space, address) {
            Spot::Global(a) => self.bytes(a, false, lanes, flag),
            Spot::Shared(a) => self.bytes(a, true, lanes, flag),
            Spot::Local(_) => {}
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

    /// The places of lanes that access whole grains of one memory, neighbours different ones.
    #[inline(always)]
    fn each(&self) -> Option<Each> {
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
        let (mut all, mut unaligned, mut most) = ([0; LANES], 0, 0);
        for lane in 0..LANES {
            let active = lanes >> lane & 1 != 0;
            let address = access.addresses[if active { lane } else { first }].wrapping_sub(window);
            all[lane] = shadow.index(address);
            unaligned |= address % GRAIN;
            most = most.max(all[lane]);
        }
        let mut twins = 0;
        for lane in 1..LANES {
            twins |= u32::from(all[lane] == all[lane - 1]) << lane;
        }
        let end = most.checked_add((u64::from(access.bytes) / GRAIN) as usize - 1)?;
        (unaligned == 0 && twins & lanes == 0 && shadow.has(end)).then_some(Each {
            grains: all,
            shared,
            window,
        })
    }

    /// Accesses of single lanes to 32 places: lane and address of each. False if the places cannot be compared at once.
    #[inline(always)]
    fn block<S: Spread>(
        &mut self,
        spread: &S,
        shared: bool,
        lanes: &[u32; LANES],
        same: u32,
        address: impl Fn(usize) -> u64,
    ) -> bool {
        let Side { shadow, floor } = &mut self.sides[usize::from(shared)];
        let mut block = Block::default();
        if !shadow.load(spread, *floor, &mut block) {
            return false;
        }
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
        let mut quick = Quick {
            events: self.events,
            floor: *floor,
            known: self.known,
            time: event.time,
            what,
            memo: &mut self.memo,
        };
        let grains = Grains { lanes, active };
        let mut rest = if what.is(What::WRITE) {
            quick.write_block(&mut block, &new, silent_grains, &grains)
        } else {
            quick.read_block(&mut block, &new, &grains)
        };
        if what.is(What::WRITE) {
            shadow.mark(spread, self.events.next());
        }
        rest |= shadow.store(spread, *floor, &block) & active;
        for j in lanes_of(rest) {
            let what = if silent_grains >> j & 1 != 0 { silent } else { what };
            for grain in 0..S::GRAINS as u64 {
                self.grain(address(j).wrapping_add(grain * GRAIN), shared, 1 << lanes[j], what);
            }
        }
        true
    }

    /// The same for 32 grains that are not all of this memory, one by one.
    #[cold]
    fn single(&mut self, shared: bool, lanes: &[u32; LANES], same: u32, address: impl Fn(usize) -> u64) {
        let what = self.what.0 | What::ALL_BYTES;
        for j in lanes_of(grains_of(self.at.lanes, lanes)) {
            let flag = if same >> lanes[j] & 1 != 0 { What::SAME_VALUE } else { 0 };
            self.grain(address(j), shared, 1 << lanes[j], What(what | flag));
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
