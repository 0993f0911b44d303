//! The mapping table of one device: which host range has which counterpart, and how often it is in use.

use crate::device::{DevicePtr, EventHandle, QueueHandle};
use crate::location::MapName;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

/// A reference count; an infinite one never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(u64);

impl Count {
    /// Not in use.
    pub const ZERO: Self = Self(0);
    /// In use until the program ends: globals of `declare target` and associated pointers.
    pub const INFINITE: Self = Self(u64::MAX);

    /// One use.
    pub const ONE: Self = Self(1);

    /// Whether nobody uses it.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether it never changes.
    pub const fn is_infinite(self) -> bool {
        self.0 == u64::MAX
    }

    fn increment(&mut self) {
        if !self.is_infinite() {
            self.0 += 1;
        }
    }

    fn decrement(&mut self) {
        if !self.is_infinite() {
            self.0 = self.0.saturating_sub(1);
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_infinite() { f.write_str("INF") } else { self.0.fmt(f) }
    }
}

/// A pointer in mapped memory that was attached: its device copy holds a device address.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// Host address of the pointer.
    pub slot: usize,
    /// What its device copy holds: the address, and for Fortran descriptors the rest of the descriptor.
    pub contents: Box<[u8]>,
}

/// A copy to the device that another queue may have to wait for.
#[derive(Debug)]
pub struct Pending {
    /// The queue that copies.
    pub queue: QueueHandle,
    /// Lies behind the copy.
    pub event: EventHandle,
    done: AtomicBool,
}

impl Pending {
    /// A copy that `event` follows.
    pub fn new(queue: QueueHandle, event: EventHandle) -> Arc<Self> {
        Arc::new(Self { queue, event, done: AtomicBool::new(false) })
    }

    /// The queue was synchronized: nobody needs to wait any more.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
    }

    /// Whether the copy is known to be complete.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }
}

/// One mapped range.
#[derive(Debug)]
pub struct Entry {
    /// Base address of the variable on the host.
    pub base: usize,
    /// First mapped host address.
    pub begin: usize,
    /// Behind the last mapped host address.
    pub end: usize,
    /// Start of the allocation on the device; lower than `device_begin` by the padding.
    pub allocation: DevicePtr,
    /// Counterpart of `begin`.
    pub device_begin: DevicePtr,
    /// Uses by `map` clauses.
    pub dynamic_count: Count,
    /// Uses with the `ompx_hold` modifier.
    pub hold_count: Count,
    /// Attached pointers inside of the range.
    pub shadows: Vec<Shadow>,
    /// Regions that are between their end and the completion of their queue; the last of them removes the entry.
    pub enders: u32,
    /// The copy that made the data valid, while it may still run.
    pub pending: Option<Arc<Pending>>,
    /// Encoded name, kept for messages.
    pub name: Option<CString>,
}

impl Entry {
    /// Device address of a host address in the range, or near it.
    pub fn device_address(&self, host: usize) -> DevicePtr {
        DevicePtr(self.device_begin.0.wrapping_add(host.wrapping_sub(self.begin) as u64))
    }

    /// The mapped expression.
    pub fn map_name(&self) -> MapName<'_> {
        self.name.as_deref().map_or(MapName::default(), MapName::from_text)
    }

    /// One more use.
    pub fn increment(&mut self, hold: bool) {
        self.count(hold).increment();
    }

    /// One use less.
    pub fn decrement(&mut self, hold: bool) {
        self.count(hold).decrement();
    }

    /// Forgets all uses but one, which the caller is about to take away (`delete`).
    pub fn reset(&mut self, hold: bool) {
        let count = self.count(hold);
        if !count.is_infinite() && !count.is_zero() {
            *count = Count::ONE;
        }
    }

    /// Whether taking one use away, or all of them with `delete`, leaves none.
    pub fn is_last(&self, hold: bool, delete: bool) -> bool {
        let (this, other) = match hold {
            true => (self.hold_count, self.dynamic_count),
            false => (self.dynamic_count, self.hold_count),
        };
        other.is_zero() && if delete { !this.is_infinite() } else { this == Count::ONE }
    }

    /// Whether nobody uses the entry.
    pub fn is_unused(&self) -> bool {
        self.dynamic_count.is_zero() && self.hold_count.is_zero()
    }

    /// Whether there is exactly one use, of either kind.
    pub fn has_one_use(&self) -> bool {
        matches!((self.dynamic_count, self.hold_count), (Count(0), Count::ONE) | (Count::ONE, Count(0)))
    }

    /// Bytes of the allocation on the device.
    pub fn allocation_size(&self) -> usize {
        (self.device_begin.0 - self.allocation.0) as usize + (self.end - self.begin)
    }

    /// Remembers an attached pointer; false when its device copy holds these bytes already.
    pub fn set_shadow(&mut self, slot: usize, contents: &[u8]) -> bool {
        match self.shadows.iter_mut().find(|shadow| shadow.slot == slot) {
            Some(shadow) if *shadow.contents == *contents => return false,
            Some(shadow) => shadow.contents = contents.into(),
            None => self.shadows.push(Shadow { slot, contents: contents.into() }),
        }
        true
    }

    /// Attached pointers that overlap host bytes `[begin, begin + size)`.
    pub fn shadows_in(&self, begin: usize, size: usize) -> impl Iterator<Item = &Shadow> {
        self.shadows
            .iter()
            .filter(move |shadow| shadow.slot < begin + size && begin < shadow.slot + shadow.contents.len())
    }

    fn count(&mut self, hold: bool) -> &mut Count {
        if hold { &mut self.hold_count } else { &mut self.dynamic_count }
    }
}

/// How a host range lies to the mapped ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// Inside of the entry with this key.
    Contained(usize),
    /// Begins inside of or before the entry with this key, and neither is inside of it nor clear of it.
    Overlaps(usize),
    /// Touches no entry.
    Absent,
}

/// All mapped ranges, by host address. They never overlap.
#[derive(Debug, Default)]
pub struct Table {
    entries: BTreeMap<usize, Entry>,
}

impl Table {
    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entries in the order of their host addresses.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Finds host range `[begin, begin + size)`.
    ///
    /// A range of size 0 also lies in an entry between whose base and begin it points, so that a pointer to the base
    /// of a mapped section is translated (OpenMP 5.2, 5.8.6).
    pub fn lookup(&self, begin: usize, size: usize) -> Lookup {
        let before = self.entries.range(..=begin).next_back();
        let after =
            self.entries.range((core::ops::Bound::Excluded(begin), core::ops::Bound::Unbounded)).next();
        if size == 0 {
            return match (before, after) {
                (Some((key, entry)), _) if begin < entry.end || begin < entry.base => Lookup::Contained(*key),
                (_, Some((key, entry))) if begin >= entry.base => Lookup::Contained(*key),
                _ => Lookup::Absent,
            };
        }
        let end = begin.saturating_add(size);
        match (before, after) {
            (Some((key, entry)), _) if begin < entry.end => {
                if end <= entry.end {
                    Lookup::Contained(*key)
                } else {
                    Lookup::Overlaps(*key)
                }
            }
            (_, Some((key, entry))) if end > entry.begin => Lookup::Overlaps(*key),
            _ => Lookup::Absent,
        }
    }

    /// The entry with this key.
    pub fn get(&self, key: usize) -> Option<&Entry> {
        self.entries.get(&key)
    }

    /// The entry with this key.
    pub fn get_mut(&mut self, key: usize) -> Option<&mut Entry> {
        self.entries.get_mut(&key)
    }

    /// Adds a range that [`Table::lookup`] found absent; its key is its first host address.
    pub fn insert(&mut self, entry: Entry) -> usize {
        let key = entry.begin;
        self.entries.insert(key, entry);
        key
    }

    /// Takes an entry out.
    pub fn remove(&mut self, key: usize) -> Option<Entry> {
        self.entries.remove(&key)
    }

    /// Adds memory that belongs to somebody else and stays mapped.
    pub fn insert_permanent(&mut self, begin: usize, size: usize, device_begin: DevicePtr) {
        self.insert(Entry {
            base: begin,
            begin,
            end: begin + size,
            allocation: device_begin,
            device_begin,
            dynamic_count: Count::INFINITE,
            hold_count: Count::ZERO,
            shadows: Vec::new(),
            enders: 0,
            pending: None,
            name: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(base: usize, begin: usize, end: usize) -> Entry {
        Entry {
            base,
            begin,
            end,
            allocation: DevicePtr(0xd000),
            device_begin: DevicePtr(0xd000),
            dynamic_count: Count::ONE,
            hold_count: Count::ZERO,
            shadows: Vec::new(),
            enders: 0,
            pending: None,
            name: None,
        }
    }

    fn table() -> Table {
        let mut table = Table::default();
        table.insert(entry(100, 120, 140));
        table.insert(entry(200, 200, 240));
        table
    }

    #[test]
    fn sized_lookup() {
        let table = table();
        for (begin, size, expected) in [
            (120, 20, Lookup::Contained(120)),
            (125, 1, Lookup::Contained(120)),
            (139, 2, Lookup::Overlaps(120)),
            (110, 11, Lookup::Overlaps(120)),
            (110, 10, Lookup::Absent),
            (140, 60, Lookup::Absent),
            (140, 61, Lookup::Overlaps(200)),
            (240, 8, Lookup::Absent),
            (100, 300, Lookup::Overlaps(120)),
        ] {
            assert_eq!(table.lookup(begin, size), expected, "{begin}+{size}");
        }
    }

    #[test]
    fn lookup_of_size_zero_reaches_down_to_the_base() {
        let table = table();
        for (begin, expected) in [
            (120, Lookup::Contained(120)),
            (139, Lookup::Contained(120)),
            (140, Lookup::Absent),
            (100, Lookup::Contained(120)),
            (99, Lookup::Absent),
            (199, Lookup::Absent),
            (200, Lookup::Contained(200)),
            (240, Lookup::Absent),
        ] {
            assert_eq!(table.lookup(begin, 0), expected, "{begin}");
        }
        assert_eq!(Table::default().lookup(5, 0), Lookup::Absent);
    }

    #[test]
    fn end_of_the_address_space() {
        assert_eq!(table().lookup(usize::MAX - 1, 100), Lookup::Absent);
    }

    #[test]
    fn counts() {
        let mut entry = entry(0, 0, 8);
        assert!(entry.is_last(false, false) && entry.is_last(false, true));
        entry.increment(false);
        assert!(!entry.is_last(false, false) && entry.is_last(false, true));
        entry.increment(true);
        assert!(!entry.is_last(false, true), "a hold keeps it");
        entry.decrement(true);
        entry.reset(false);
        entry.decrement(false);
        assert!(entry.is_unused());
        entry.decrement(false);
        assert!(entry.is_unused(), "never below zero");
    }

    #[test]
    fn infinite_counts_do_not_move() {
        let mut table = Table::default();
        table.insert_permanent(64, 8, DevicePtr(0xd0));
        let entry = table.get_mut(64).unwrap();
        for _ in 0..3 {
            entry.decrement(false);
        }
        entry.reset(false);
        assert!(entry.dynamic_count.is_infinite() && !entry.is_last(false, true));
        assert_eq!(entry.dynamic_count.to_string(), "INF");
        assert_eq!(Count::ONE.to_string(), "1");
    }

    #[test]
    fn addresses_and_sizes() {
        let padded = Entry { device_begin: DevicePtr(0xd008), ..entry(100, 120, 140) };
        assert_eq!(padded.device_address(130), DevicePtr(0xd012));
        assert_eq!(padded.device_address(100).0, 0xd008 - 20, "the base may lie before the range");
        assert_eq!(padded.allocation_size(), 28);
    }

    #[test]
    fn shadows_by_range() {
        let mut entry = entry(0, 0, 64);
        assert!(entry.set_shadow(16, &[1; 8]));
        assert!(!entry.set_shadow(16, &[1; 8]), "nothing to send again");
        assert!(entry.set_shadow(16, &[2; 8]));
        assert!(entry.set_shadow(32, &[3; 8]));
        assert_eq!(entry.shadows_in(0, 17).count(), 1);
        assert_eq!(entry.shadows_in(23, 10).count(), 2);
        assert_eq!(entry.shadows_in(24, 8).count(), 0);
    }

    #[test]
    fn pending_copy() {
        let pending = Pending::new(QueueHandle(1), EventHandle(2));
        assert!(!pending.is_done());
        pending.finish();
        assert!(pending.is_done());
    }
}
