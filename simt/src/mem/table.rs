//! The allocations and what is free; and in words, where an address lies among them and what was done to them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use super::GRANULE;

/// What a thread of a kernel did to an allocation.
#[derive(Clone, Debug)]
pub struct Event {
    /// Kernel, function and line.
    pub place: Arc<str>,
    /// `%ctaid`.
    pub cta: [u32; 3],
    /// `%tid`.
    pub thread: [u32; 3],
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [a, b, c]) = (self.thread, self.cta);
        write!(f, "by thread ({x},{y},{z}) of CTA ({a},{b},{c}) in {}", self.place)
    }
}

/// Who made an allocation.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The caller of the device: `cuMemAlloc` and its kin.
    Host,
    /// The kernel, by `malloc`.
    Kernel(Event),
    /// A module, for its variables; with the text that reports call it by.
    Module(Arc<str>),
}

/// An allocation.
#[derive(Clone, Debug)]
pub struct Block {
    pub bytes: u64,
    pub granules: u64,
    pub origin: Origin,
    /// By whom it was freed; none: by the host program, or not at all.
    pub freed: Option<Event>,
}

impl Block {
    /// What it takes of the kernels' heap.
    pub fn heap_bytes(&self) -> u64 {
        if matches!(self.origin, Origin::Kernel(_)) { heap_bytes(self.bytes) } else { 0 }
    }

    fn name(&self, start: u64) -> String {
        match &self.origin {
            Origin::Host => format!("the {}-byte allocation at {start:#x}", self.bytes),
            Origin::Kernel(_) => {
                format!("the {}-byte allocation of the kernel's malloc at {start:#x}", self.bytes)
            }
            Origin::Module(name) => format!("{name} ({} bytes at {start:#x})", self.bytes),
        }
    }

    /// Who allocated it, if that was a kernel.
    fn made(&self) -> String {
        if let Origin::Kernel(event) = &self.origin { format!("; allocated {event}") } else { String::new() }
    }

    /// Who allocated and freed it.
    pub fn history(&self) -> String {
        match &self.freed {
            Some(event) => format!("{}; freed {event}", self.made()),
            None => format!("{}; freed by the host program", self.made()),
        }
    }
}

/// What an allocation of so many bytes takes of the kernels' heap: malloc aligns to 16 bytes.
pub fn heap_bytes(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(16).unwrap_or(u64::MAX)
}

/// The kernels' heap: what `malloc` may take of the device's memory, and has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heap {
    /// Bytes that may be in use (`CU_LIMIT_MALLOC_HEAP_SIZE`).
    pub limit: u64,
    /// Bytes in use.
    pub used: u64,
    /// Most that have been.
    pub peak: u64,
    /// How often `malloc` has given null.
    pub refused: u64,
    /// Whether `malloc` has been called.
    pub touched: bool,
}

impl Heap {
    /// CUDA's limit unless the host program sets another one.
    pub const DEFAULT: u64 = 8 << 20;
}

impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of the {} bytes of the heap (CU_LIMIT_MALLOC_HEAP_SIZE)", self.used, self.limit)
    }
}

/// The allocations, by start address, and what is free, in granules.
pub struct Table {
    pub live: BTreeMap<u64, Block>,
    pub freed: VecDeque<(u64, Block)>,
    pub freed_granules: u64,
    free_by_start: BTreeMap<u64, u64>,
    free_by_size: BTreeSet<(u64, u64)>,
    pub used: u64,
    pub heap: Heap,
}

impl Table {
    /// One with `granules` free granules from `base` on.
    pub fn new(base: u64, granules: u64) -> Self {
        let mut table = Self {
            live: BTreeMap::new(),
            freed: VecDeque::new(),
            freed_granules: 0,
            free_by_start: BTreeMap::new(),
            free_by_size: BTreeSet::new(),
            used: 0,
            heap: Heap { limit: Heap::DEFAULT, used: 0, peak: 0, refused: 0, touched: false },
        };
        table.insert_free(base, granules);
        table
    }

    fn insert_free(&mut self, mut start: u64, mut granules: u64) {
        if let Some((&before, &n)) = self.free_by_start.range(..start).next_back()
            && before + n * GRANULE == start
        {
            self.remove_free(before, n);
            start = before;
            granules += n;
        }
        let end = start + granules * GRANULE;
        if let Some(&n) = self.free_by_start.get(&end) {
            self.remove_free(end, n);
            granules += n;
        }
        self.free_by_start.insert(start, granules);
        self.free_by_size.insert((granules, start));
    }

    fn remove_free(&mut self, start: u64, granules: u64) {
        self.free_by_start.remove(&start);
        self.free_by_size.remove(&(granules, start));
    }

    /// Takes the smallest free range that fits.
    pub fn take(&mut self, granules: u64) -> Option<u64> {
        let &(n, start) = self.free_by_size.range((granules, 0)..).next()?;
        self.remove_free(start, n);
        if n > granules {
            self.insert_free(start + granules * GRANULE, n - granules);
        }
        Some(start)
    }

    /// Makes blocks of the quarantine available again until it holds at most `keep` granules.
    pub fn release(&mut self, keep: u64) {
        while self.freed_granules > keep {
            let Some((start, block)) = self.freed.pop_front() else { return };
            self.freed_granules -= block.granules;
            self.insert_free(start, block.granules);
        }
    }
}

/// What reports say of an address that has nothing to do with the allocations.
const NOWHERE: &str = "not near any allocation";
/// Up to here a pointer is called null with an offset.
const NULL_RANGE: u64 = 1 << 16;
/// Up to this distance an address is said to be before or past an allocation, and nothing else.
const NEAR: u64 = 1 << 20;

/// A number of bytes in words.
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl Table {
    /// In words: where `bytes` bytes at `address` lie relative to the allocations; and whether that is near one.
    pub fn describe(&self, address: u64, bytes: u64) -> (String, bool) {
        match address {
            0 => return ("a null pointer".into(), true),
            1..NULL_RANGE => return (format!("{} from a null pointer", Bytes(address)), true),
            _ => {}
        }
        let inside =
            |start: u64, block: &Block| address >= start && address - start < block.granules * GRANULE;
        if let Some((start, block)) = self.freed.iter().rev().find(|(start, block)| inside(*start, block)) {
            let (name, history) = (block.name(*start), block.history());
            let text = match (address - start).checked_sub(block.bytes) {
                None => format!("{} into {name}, which has been freed{history}", Bytes(address - start)),
                Some(n) => format!("{} past the end of {name}, which has been freed{history}", Bytes(n)),
            };
            return (text, true);
        }
        let before = self.live.range(..=address).next_back();
        let after = self.live.range(address..).next();
        // Distances to what ends before and to what begins behind.
        let past = before.map(|(start, block)| (address - start).saturating_sub(block.bytes));
        let ahead = after.map(|(start, _)| start - address);
        let text = match (before, after) {
            (Some((start, block)), _) if past == Some(0) && address - start < block.bytes => {
                let over = (address - start + bytes).saturating_sub(block.bytes);
                let over = if over > 0 { format!(", {} past its end", Bytes(over)) } else { String::new() };
                format!("{} into {}{over}{}", Bytes(address - start), block.name(*start), block.made())
            }
            (Some((start, block)), _) if past.is_some_and(|n| n <= ahead.unwrap_or(u64::MAX)) => {
                let (name, made) = (block.name(*start), block.made());
                match past.unwrap_or_default() {
                    0 => format!("just past the end of {name}{made}"),
                    n if n < NEAR => format!("{} past the end of {name}{made}", Bytes(n)),
                    n => format!("{NOWHERE}: {} past the end of {name}, the nearest{made}", Bytes(n)),
                }
            }
            (_, Some((start, block))) => {
                let (name, made) = (block.name(*start), block.made());
                match start - address {
                    n if n < NEAR => format!("{} before {name}{made}", Bytes(n)),
                    n => format!("{NOWHERE}: {} before {name}, the nearest{made}", Bytes(n)),
                }
            }
            _ => NOWHERE.into(),
        };
        let near = past.into_iter().chain(ahead).any(|n| n < NEAR);
        (text, near)
    }
}
