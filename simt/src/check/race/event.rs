//! What shadow memory holds of an access: the number of an event, and a lane.
//!
//! The lanes of a warp that execute an instruction between two synchronisations make one event, so a row of memory that
//! they have read or written in order holds one number, and one look at the event answers for all of them. So it does if
//! each element has been read by its lane and the next one: an event has a shape, which lanes those are beside the
//! entry's. The events of earlier launches are forgotten: a number below the launch's first one says that the access is
//! ordered before it.

use super::cell::{Cell, What};

/// An access in shadow memory; zero is none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Entry(pub u32);

impl Entry {
    /// The bits of the lane; of several lanes, the one from which the event's shape is seen.
    pub const LANE: u32 = 31;
    /// In the second of three entries: there is a third one.
    pub const MORE: u32 = 32;
    /// Bits below the event's number.
    pub const SHIFT: u32 = 6;

    /// Number of the event.
    #[inline(always)]
    pub fn event(self) -> u32 {
        self.0 >> Self::SHIFT
    }
    /// Whether there is a third entry.
    #[inline(always)]
    pub fn more(self) -> bool {
        self.0 & Self::MORE != 0
    }
    /// Without that.
    #[inline(always)]
    pub fn alone(self) -> Self {
        Self(self.0 & !Self::MORE)
    }
    /// Its lane.
    #[inline(always)]
    pub fn lane(self) -> u32 {
        self.0 & Self::LANE
    }
    /// An event's entry for a lane.
    #[inline(always)]
    pub fn new(event: u32, lane: u32) -> Self {
        Self(event << Self::SHIFT | lane)
    }
}

/// What lanes of a warp do by one instruction, each element by as many of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Event {
    /// As in [`Cell`].
    pub who: u32,
    /// As in [`Cell`].
    pub time: u32,
    /// The lanes that access an element: bit 0 is the lane of the entry, bit 1 the next one, and lane 0 comes after 31.
    pub shape: u32,
    /// What it is.
    pub what: What,
}

/// Numbers of events that an entry has room for.
const NUMBERS: u32 = 1 << (32 - Entry::SHIFT);
/// Events that one access makes at most.
const RESERVE: u32 = 1 << 12;
/// Places in which events are looked for again.
const RECENT: usize = 1 << 10;

/// The events of a launch.
pub struct Events {
    list: Vec<Event>,
    /// Number of the first in the list.
    first: u32,
    /// Where the last event of each hash is.
    recent: Box<[u32; RECENT]>,
}

impl Events {
    /// None.
    pub fn new() -> Self {
        Self { list: Vec::new(), first: 1, recent: Box::new([0; RECENT]) }
    }

    /// The number of the next event.
    pub fn next(&self) -> u32 {
        self.first + self.list.len() as u32
    }

    /// Forgets all events; their numbers stay used.
    pub fn forget(&mut self) {
        self.first = self.next();
        self.list.clear();
        self.list.shrink_to(1 << 16);
    }

    /// Whether a launch should rather begin with all numbers: half of them are used.
    pub fn is_used(&self) -> bool {
        self.next() > NUMBERS / 2
    }

    /// Whether the numbers may not last for another access.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.next() > NUMBERS - RESERVE
    }

    /// Forgets all events and begins with the first number again; no entry may be left.
    pub fn restart(&mut self) {
        self.forget();
        self.first = 1;
        self.recent.fill(0);
    }

    /// An event. The number is one since the last [`Events::forget`].
    #[inline(always)]
    pub fn get(&self, number: u32) -> &Event {
        &self.list[(number - self.first) as usize]
    }

    /// The access of an entry; none if it is one from before event `floor`.
    pub fn cell(&self, entry: Entry, floor: u32) -> Cell {
        if entry.event() < floor {
            return Cell::default();
        }
        let Event { who, time, shape, what } = *self.get(entry.event());
        Cell { who, time, lanes: shape.rotate_left(entry.lane()), what }
    }

    /// The number of an event, which may be known.
    #[inline]
    pub fn number(&mut self, event: Event) -> u32 {
        let mix = event.what.0 ^ event.who.rotate_left(9) ^ event.time.rotate_left(18) ^ event.shape;
        let recent = &mut self.recent[(mix.wrapping_mul(0x9e37_79b1) >> 22) as usize % RECENT];
        let known = recent.checked_sub(self.first).and_then(|k| self.list.get(k as usize));
        if known != Some(&event) {
            *recent = self.first + self.list.len() as u32;
            self.list.push(event);
        }
        *recent
    }

    /// The entry of an access.
    pub fn entry(&mut self, cell: Cell) -> Entry {
        let Cell { who, time, lanes, what } = cell;
        if lanes == 0 {
            return Entry::default();
        }
        let lane = lanes.trailing_zeros();
        Entry::new(self.number(Event { who, time, shape: lanes.rotate_right(lane), what }), lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(time: u32, lanes: u32) -> Cell {
        Cell { who: 7, time, lanes, what: What::new(What::ALL_BYTES, 3) }
    }

    #[test]
    fn entries_bring_back_the_access_and_share_events() {
        let mut events = Events::new();
        for lanes in [1, 1 << 31, 0xff, 1 << 5] {
            let entry = events.entry(cell(1, lanes));
            assert_eq!(events.cell(entry, 1), cell(1, lanes));
            assert_eq!(events.cell(Entry(entry.0 | Entry::MORE), 1), cell(1, lanes));
        }
        assert_eq!(events.next(), 3, "one event for single lanes, one for the eight");
        for lanes in [0b11, 0b11 << 7, 0b11 << 30] {
            let entry = events.entry(cell(1, lanes));
            assert_eq!(events.cell(entry, 1), cell(1, lanes));
        }
        assert_eq!(events.next(), 4, "one event for a lane and the next one");
        assert_eq!(events.entry(Cell::default()), Entry::default());
    }

    #[test]
    fn what_came_before_the_floor_is_none() {
        let mut events = Events::new();
        let old = events.entry(cell(1, 1));
        events.forget();
        let new = events.entry(cell(1, 1));
        assert_ne!(old, new);
        assert_eq!((events.cell(old, 2), events.cell(new, 2)), (Cell::default(), cell(1, 1)));
    }

    #[test]
    fn numbers_begin_again_once_they_are_used() {
        let mut events = Events { first: NUMBERS / 2, ..Events::new() };
        assert!(!events.is_used() && !events.is_full());
        events.entry(cell(1, 1));
        assert!(events.is_used() && !events.is_full());
        events.first = NUMBERS - RESERVE;
        assert!(events.is_full());
        events.restart();
        assert_eq!(events.entry(cell(1, 1)), Entry::new(1, 0));
    }
}
