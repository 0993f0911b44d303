//! The mapping table of one device: which host range has which counterpart, and how often it is in use.

use crate::device::DevicePtr;
use crate::location::MapName;
use crate::pending::Pending;
use crate::sync::AtomicU64;
use core::fmt;
use core::ops::Bound;
use core::sync::atomic::Ordering;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// A reference count as it was when it was read; an infinite one never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(u64);

impl Count {
    /// Not in use.
    pub const ZERO: Self = Self(0);
    /// One use.
    pub const ONE: Self = Self(1);
    /// In use until the program ends: globals of `declare target` and associated pointers.
    pub const INFINITE: Self = Self(u64::MAX);

    /// Whether nobody uses it.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether it is 1 to so many.
    pub const fn is_at_most(self, uses: u64) -> bool {
        0 < self.0 && self.0 <= uses && !self.is_infinite()
    }

    /// Whether it never changes.
    pub const fn is_infinite(self) -> bool {
        self.0 == u64::MAX
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_infinite() { f.write_str("INF") } else { self.0.fmt(f) }
    }
}

/// The two reference counts of an entry, shared with the constructs that use it.
///
/// Counts change under the table's lock, with one exception: a construct takes its own use away without it, as long as
/// that is not the last one ([`Counts::release_unless_last`]). So whoever has the lock sees no count fall to 0, and each
/// change is one atomic operation. Nothing else is published through them: all orderings are relaxed.
#[derive(Debug)]
pub struct Counts {
    /// Uses by `map` clauses.
    dynamic: AtomicU64,
    /// Uses with the `ompx_hold` modifier.
    hold: AtomicU64,
}

impl Counts {
    /// One use, of this kind.
    pub fn one(hold: bool) -> Arc<Self> {
        let [dynamic, hold] = [!hold, hold].map(|one| AtomicU64::new(u64::from(one)));
        Arc::new(Self { dynamic, hold })
    }

    /// In use for ever.
    pub fn infinite() -> Arc<Self> {
        Arc::new(Self { dynamic: AtomicU64::new(u64::MAX), hold: AtomicU64::new(0) })
    }

    /// The count of this kind.
    pub fn get(&self, hold: bool) -> Count {
        Count(self.of(hold).load(Ordering::Relaxed))
    }

    /// One more use. Under the table's lock.
    pub fn increment(&self, hold: bool) {
        self.change(hold, |count| count.saturating_add(1));
    }

    /// One use less, down to 0; gives the count before. Under the table's lock.
    pub fn decrement(&self, hold: bool) -> Count {
        self.change(hold, |count| if count == u64::MAX { count } else { count.saturating_sub(1) })
    }

    /// Forgets all uses but one, which the caller is about to take away (`delete`). Under the table's lock.
    pub fn reset(&self, hold: bool) {
        self.change(hold, |count| if count == u64::MAX { count } else { count.min(1) });
    }

    /// Takes one use away, unless it is the last one of its kind. Needs no lock.
    pub fn release_unless_last(&self, hold: bool) -> bool {
        let less = |count| match count {
            u64::MAX => Some(count),
            0 | 1 => None,
            count => Some(count - 1),
        };
        self.of(hold).fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    fn change(&self, hold: bool, change: impl Fn(u64) -> u64) -> Count {
        let changed =
            self.of(hold).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(change(count)));
        let (Ok(before) | Err(before)) = changed;
        Count(before)
    }

    fn of(&self, hold: bool) -> &AtomicU64 {
        if hold { &self.hold } else { &self.dynamic }
    }
}

/// The pointers in mapped memory that were attached: their device copies hold device addresses.
#[derive(Debug, Default)]
pub struct Shadows {
    /// What the device copy of a pointer holds, by the pointer's host address: the device address, and for Fortran descriptors the rest of the descriptor.
    contents: BTreeMap<usize, Box<[u8]>>,
    /// Bytes of the longest.
    longest: usize,
}

impl Shadows {
    /// Remembers one; false when its device copy holds these bytes already.
    pub fn set(&mut self, slot: usize, contents: &[u8]) -> bool {
        self.longest = self.longest.max(contents.len());
        let before = self.contents.get_mut(&slot);
        match before {
            Some(before) if **before == *contents => return false,
            Some(before) => *before = contents.into(),
            None => drop(self.contents.insert(slot, contents.into())),
        }
        true
    }

    /// Those that overlap host bytes `[begin, begin + size)`, with their host addresses.
    pub fn within(&self, begin: usize, size: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let first = begin.saturating_sub(self.longest);
        let near = self.contents.range(first..begin.saturating_add(size));
        near.map(|(slot, contents)| (*slot, &**contents))
            .filter(move |(slot, contents)| begin < slot + contents.len())
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
    /// How often it is in use.
    pub counts: Arc<Counts>,
    /// Attached pointers inside of the range.
    pub shadows: Shadows,
    /// Constructs with work on it that is not complete; the last of them removes the entry, if it is no longer in use.
    pub users: u32,
    /// The copies that made the data valid, while they may still run.
    pub pending: Option<Arc<Pending>>,
    /// The host memory was page-locked for this entry.
    pub is_locked: bool,
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

    /// Uses by `map` clauses.
    pub fn dynamic_count(&self) -> Count {
        self.counts.get(false)
    }

    /// Uses with the `ompx_hold` modifier.
    pub fn hold_count(&self) -> Count {
        self.counts.get(true)
    }

    /// Whether nobody uses the entry.
    pub fn is_unused(&self) -> bool {
        self.dynamic_count().is_zero() && self.hold_count().is_zero()
    }

    /// Bytes of the allocation on the device.
    pub fn allocation_size(&self) -> usize {
        (self.device_begin.0 - self.allocation.0) as usize + (self.end - self.begin)
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
        let end = begin.saturating_add(size);
        let before = self.before(begin);
        if let Some((key, entry)) = before
            && begin < entry.end
        {
            let is_inside = end <= entry.end || size == 0;
            return if is_inside { Lookup::Contained(key) } else { Lookup::Overlaps(key) };
        }
        // Most lookups end above: the second search is for ranges that begin in no entry.
        let mut after = self.entries.range((Bound::Excluded(begin), Bound::Unbounded));
        match (before, after.next()) {
            (Some((key, entry)), _) if size == 0 && begin < entry.base => Lookup::Contained(key),
            (_, Some((key, entry))) if size == 0 && begin >= entry.base => Lookup::Contained(*key),
            (_, Some((key, entry))) if end > entry.begin => Lookup::Overlaps(*key),
            _ => Lookup::Absent,
        }
    }

    /// The entry that holds the byte at a host address.
    pub fn at(&self, host: usize) -> Option<&Entry> {
        let (_, entry) = self.before(host)?;
        (host < entry.end).then_some(entry)
    }

    /// The last entry that begins at `host` or before, with its key.
    fn before(&self, host: usize) -> Option<(usize, &Entry)> {
        self.entries.range(..=host).next_back().map(|(key, entry)| (*key, entry))
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

    /// Adds what the program has on the device under a name: a variable, or a function.
    pub fn insert_global(&mut self, begin: usize, size: usize, device_begin: DevicePtr, name: &CStr) {
        self.insert_permanent(begin, size, device_begin);
        if let Some(mapped) = self.get_mut(begin) {
            mapped.name = CString::new(format!(";{}", name.to_string_lossy())).ok();
        }
    }

    /// Adds memory that belongs to somebody else and stays mapped.
    pub fn insert_permanent(&mut self, begin: usize, size: usize, device_begin: DevicePtr) {
        self.insert(Entry {
            base: begin,
            begin,
            end: begin + size,
            allocation: device_begin,
            device_begin,
            counts: Counts::infinite(),
            shadows: Shadows::default(),
            users: 0,
            pending: None,
            is_locked: false,
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
            counts: Counts::one(false),
            shadows: Shadows::default(),
            users: 0,
            pending: None,
            is_locked: false,
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
            let holds_first_byte = table.at(begin).map(|entry| entry.begin);
            let first = if let Lookup::Contained(key) = table.lookup(begin, 1) { Some(key) } else { None };
            assert_eq!(holds_first_byte, first, "{begin}");
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
        let entry = entry(0, 0, 8);
        let counts = &entry.counts;
        assert!(
            counts.get(false) == Count::ONE && !counts.release_unless_last(false),
            "the last one needs the lock"
        );
        counts.increment(false);
        counts.increment(true);
        assert!(counts.get(false) != Count::ONE && counts.release_unless_last(false));
        assert_eq!((counts.decrement(true), counts.decrement(false)), (Count::ONE, Count::ONE));
        assert!(entry.is_unused());
        assert_eq!(counts.decrement(false), Count::ZERO, "never below zero");
        assert!(!counts.release_unless_last(false));
        counts.reset(false);
        assert!(entry.is_unused(), "there was nothing to forget");
        for _ in 0..3 {
            counts.increment(false);
        }
        counts.reset(false);
        assert_eq!(counts.get(false), Count::ONE);
    }

    #[test]
    fn infinite_counts_do_not_move() {
        let mut table = Table::default();
        table.insert_permanent(64, 8, DevicePtr(0xd0));
        let entry = table.get(64).unwrap();
        for _ in 0..3 {
            assert!(entry.counts.decrement(false).is_infinite() && entry.counts.release_unless_last(false));
        }
        entry.counts.reset(false);
        entry.counts.increment(false);
        assert!(entry.dynamic_count().is_infinite());
        assert_eq!(entry.dynamic_count().to_string(), "INF");
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
        assert!(entry.shadows.set(16, &[1; 8]));
        assert!(!entry.shadows.set(16, &[1; 8]), "nothing to send again");
        assert!(entry.shadows.set(16, &[2; 8]));
        assert!(entry.shadows.set(32, &[3; 8]));
        assert_eq!(entry.shadows.within(0, 17).count(), 1);
        assert_eq!(entry.shadows.within(23, 10).count(), 2);
        assert_eq!(entry.shadows.within(24, 8).count(), 0);
    }
}
