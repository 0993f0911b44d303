//! Device memory: one mapping of the host, cut into allocations, with every byte that may be accessed known.
//!
//! A device address is the address of the byte in the host's mapping, so it is never a small number, and memory of
//! the device can be looked at from the host as managed memory can. The mapping costs nothing until it is touched.
//!
//! Memory is handed out in granules of 256 bytes, with one granule left free behind each allocation. A map holds for
//! each granule the number of its leading bytes that are accessible: 256 inside an allocation, less in its last
//! granule, 0 elsewhere. An access that is aligned to its size lies in one granule, so one look-up and one comparison
//! decide whether it is allowed, to the byte.
//!
//! Freed blocks stay unused for a while (quarantine), so that a late access to one is seen.
//!
//! # Accesses from several threads
//! CTAs run on several OS threads and share this memory, and a kernel may well have a data race. No Rust reference
//! to device memory is ever made; scalar accesses are relaxed atomics on naturally aligned addresses.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Write as _};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::host_memory;
use crate::report::{Report, ReportKind};

/// Bytes of a granule, and the alignment of every allocation.
pub const GRANULE: u64 = 256;
/// Byte that fresh memory is filled with: large negative numbers in every type, so that using it shows.
pub const PATTERN: u8 = 0xcb;
/// Bytes at the start of an allocation that are filled with [`PATTERN`]; what lies behind is left as it is, so that
/// a large allocation costs no host memory before it is used.
const FILL_LIMIT: u64 = 64 << 20;
/// Where the mapping is put if nothing else is there, so that addresses are the same from run to run.
const PREFERRED_BASE: u64 = 0x2000_0000_0000;
/// What reports say of an address that has nothing to do with the allocations.
const NOWHERE: &str = "not near any allocation";
/// Distance of the further places that are tried, for further devices.
const PREFERRED_STEP: u64 = 1 << 40;

/// An anonymous, zeroed mapping whose pages exist only once they are touched.
pub struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping is plain memory that any thread may use; how it is accessed is the owner's matter.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// `bytes` bytes, at one of the preferred places if it is free.
    pub fn new(bytes: usize, preferred: impl Iterator<Item = u64>) -> Option<Self> {
        let map = |at: u64, flags: i32| {
            // SAFETY: a new anonymous mapping; without MAP_FIXED it replaces none.
            let p = unsafe {
                libc::mmap(
                    at as *mut libc::c_void,
                    bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flags,
                    -1,
                    0,
                )
            };
            (p != libc::MAP_FAILED).then_some(p)
        };
        for at in preferred {
            match map(at, libc::MAP_FIXED_NOREPLACE) {
                Some(p) if p as u64 == at => {
                    return Some(Self { start: NonNull::new(p.cast())?, bytes });
                }
                // A kernel that does not know MAP_FIXED_NOREPLACE took the address as a hint.
                // SAFETY: the mapping was made just now and nothing refers to it.
                Some(p) => unsafe {
                    libc::munmap(p, bytes);
                },
                None => {}
            }
        }
        Some(Self { start: NonNull::new(map(0, 0)?.cast())?, bytes })
    }

    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Makes all of it zero again, and gives the pages back.
    pub fn discard(&mut self) {
        // SAFETY: the mapping is owned, and private pages that are given back read as zero.
        unsafe {
            libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_DONTNEED);
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned and nothing refers to it any more.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.bytes);
        }
    }
}

/// Who made an allocation.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The caller of the device: `cuMemAlloc` and its kin.
    Host,
    /// The kernel, by `malloc`.
    Kernel,
    /// A module, for its variables; with the text that reports call it by.
    Module(Arc<str>),
}

#[derive(Clone, Debug)]
struct Block {
    bytes: u64,
    granules: u64,
    origin: Origin,
}

/// The allocations, by start address, and what is free, in granules.
struct Table {
    live: BTreeMap<u64, Block>,
    freed: VecDeque<(u64, Block)>,
    freed_granules: u64,
    free_by_start: BTreeMap<u64, u64>,
    free_by_size: BTreeSet<(u64, u64)>,
    used: u64,
}

impl Table {
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
    fn take(&mut self, granules: u64) -> Option<u64> {
        let &(n, start) = self.free_by_size.range((granules, 0)..).next()?;
        self.remove_free(start, n);
        if n > granules {
            self.insert_free(start + granules * GRANULE, n - granules);
        }
        Some(start)
    }

    /// Makes blocks of the quarantine available again until it holds at most `keep` granules.
    fn release(&mut self, keep: u64) {
        while self.freed_granules > keep {
            let Some((start, block)) = self.freed.pop_front() else { return };
            self.freed_granules -= block.granules;
            self.insert_free(start, block.granules);
        }
    }
}

/// The memory of one device.
pub struct Memory {
    arena: Mapping,
    valid: Mapping,
    base: u64,
    bytes: u64,
    table: Mutex<Table>,
}

impl Memory {
    /// Memory of `bytes` bytes, rounded down to granules.
    ///
    /// # Errors
    /// The host has no address space for it, or `bytes` is less than two granules.
    pub fn new(bytes: u64) -> Result<Self, Report> {
        let fail = |why: &str| {
            Report::new(
                ReportKind::OutOfMemory,
                format!("cannot make a device with {bytes} bytes of memory: {why}"),
            )
        };
        let granules = bytes / GRANULE;
        if granules < 2 {
            return Err(fail("that is less than two granules of 256 bytes"));
        }
        let size = granules * GRANULE;
        let host = usize::try_from(size).map_err(|_| fail("the host has no such addresses"))?;
        let places = (0..16).map(|k| PREFERRED_BASE + k * PREFERRED_STEP);
        let places = places.filter(|_| size <= PREFERRED_STEP);
        let map =
            || Some((Mapping::new(host, places)?, Mapping::new(granules as usize * 2, std::iter::empty())?));
        let (arena, valid) = map().ok_or_else(|| fail(&std::io::Error::last_os_error().to_string()))?;
        let base = arena.start.as_ptr() as u64;
        let mut table = Table {
            live: BTreeMap::new(),
            freed: VecDeque::new(),
            freed_granules: 0,
            free_by_start: BTreeMap::new(),
            free_by_size: BTreeSet::new(),
            used: 0,
        };
        table.insert_free(base, granules);
        Ok(Self { arena, valid, base, bytes: size, table: Mutex::new(table) })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of accessible leading bytes of the granule at `index`.
    #[inline(always)]
    fn valid_bytes(&self, index: u64) -> u64 {
        debug_assert!(index < self.bytes / GRANULE);
        // SAFETY: the map has one aligned u16 for each granule of the arena and `index` is one of them; the map is
        // only ever accessed by atomics.
        unsafe { AtomicU16::from_ptr(self.valid.start.as_ptr().cast::<u16>().add(index as usize)) }
            .load(Relaxed)
            .into()
    }

    fn set_valid(&self, start: u64, bytes: u64, value: impl Fn(u64) -> u64) {
        let first = (start - self.base) / GRANULE;
        for k in 0..bytes.div_ceil(GRANULE) {
            let count = value((bytes - k * GRANULE).min(GRANULE)) as u16;
            // SAFETY: as in `valid_bytes`; the block lies in the arena.
            unsafe { AtomicU16::from_ptr(self.valid.start.as_ptr().cast::<u16>().add((first + k) as usize)) }
                .store(count, Relaxed);
        }
    }

    /// Allocates `bytes` bytes at an address that is a multiple of [`GRANULE`]; `None` if there is no room. An
    /// allocation of no bytes has an address of its own and no byte that may be accessed.
    pub fn alloc(&self, bytes: u64, origin: Origin) -> Option<u64> {
        if bytes > self.bytes {
            return None;
        }
        let granules = bytes.div_ceil(GRANULE).max(1) + 1;
        let start = {
            let mut table = self.table();
            let start = table.take(granules).or_else(|| {
                table.release(0);
                table.take(granules)
            })?;
            table.live.insert(start, Block { bytes, granules, origin });
            table.used += granules;
            start
        };
        let fill = bytes.min(FILL_LIMIT) as usize;
        // SAFETY: the block lies in the arena, and until the map says so below no kernel accesses it.
        unsafe { std::ptr::write_bytes(start as *mut u8, PATTERN, fill) };
        self.set_valid(start, bytes, |n| n);
        Some(start)
    }

    /// Frees the allocation that starts at `address`.
    ///
    /// # Errors
    /// It is not the start of a live allocation, or belongs to a module; the text says what is there.
    pub fn free(&self, address: u64) -> Result<(), String> {
        let mut table = self.table();
        match table.live.get(&address) {
            Some(Block { origin: Origin::Module(name), .. }) => {
                return Err(format!("free of {address:#x}, which holds {name}"));
            }
            Some(_) => {}
            None if table.freed.iter().any(|(start, _)| *start == address) => {
                return Err(format!("double free of {address:#x}"));
            }
            None => {
                let place = place(&table, address, 0);
                return Err(format!("free of {address:#x}, which was not allocated: {place}"));
            }
        }
        self.retire(&mut table, address);
        Ok(())
    }

    /// Frees the block of a module.
    pub fn free_module(&self, address: u64) {
        let mut table = self.table();
        if table.live.contains_key(&address) {
            self.retire(&mut table, address);
        }
    }

    /// Moves a live block to the quarantine.
    fn retire(&self, table: &mut Table, address: u64) {
        let Some(block) = table.live.remove(&address) else { return };
        self.set_valid(address, block.bytes, |_| 0);
        self.give_back_pages(address, block.bytes);
        table.used -= block.granules;
        table.freed_granules += block.granules;
        table.freed.push_back((address, block));
        table.release(self.bytes / GRANULE / 16);
    }

    /// Returns the pages of a large freed block to the host; they read as zero when the block is used again.
    fn give_back_pages(&self, start: u64, bytes: u64) {
        if bytes < FILL_LIMIT {
            return;
        }
        let page = 4096;
        let first = start.next_multiple_of(page);
        let end = (start + bytes) / page * page;
        // SAFETY: whole pages inside the arena whose contents are no longer wanted.
        unsafe {
            libc::madvise(first as *mut libc::c_void, (end - first) as usize, libc::MADV_DONTNEED);
        }
    }

    /// Whether `bytes` bytes at `address` lie in one live allocation. The access must not cross a granule, which
    /// one that is aligned to its size (at most 256 bytes) never does.
    #[inline(always)]
    pub fn allows(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && self.valid_bytes(offset / GRANULE) >= offset % GRANULE + bytes
    }

    /// Whether `bytes` bytes at `address`, however many, lie in one live allocation.
    #[inline]
    pub fn allows_range(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        let Some(end) = offset.checked_add(bytes) else { return false };
        if offset >= self.bytes || end > self.bytes {
            return false;
        }
        if bytes == 0 {
            return true;
        }
        let (first, last) = (offset / GRANULE, (end - 1) / GRANULE);
        // Between two allocations there is always a granule without accessible bytes.
        (first..last).all(|k| self.valid_bytes(k) == GRANULE) && self.valid_bytes(last) > (end - 1) % GRANULE
    }

    /// Start and size of the live allocation that holds `address`; one past the end does not count.
    pub fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        let table = self.table();
        let (&start, block) = table.live.range(..=address).next_back()?;
        (address - start < block.bytes.max(1)).then_some((start, block.bytes))
    }

    /// Free and total bytes; the quarantine counts as free.
    pub fn info(&self) -> (u64, u64) {
        (self.bytes - self.table().used * GRANULE, self.bytes)
    }

    /// In words: where `bytes` bytes at `address` lie relative to the allocations.
    pub fn describe(&self, address: u64, bytes: u64) -> String {
        let text = place(&self.table(), address, bytes);
        if text != NOWHERE || address.wrapping_sub(self.base) < self.bytes {
            return text;
        }
        match host_memory::holder(address) {
            Some(holder) => {
                format!("a pointer of the host program, to {holder}, which the device cannot reach")
            }
            None => text,
        }
    }

    /// # Errors
    /// The range is not inside one live allocation.
    fn host_range(&self, what: &str, address: u64, bytes: u64) -> Result<(), Report> {
        if self.allows_range(address, bytes) {
            return Ok(());
        }
        let place = self.describe(address, bytes);
        Err(Report::new(
            ReportKind::OutOfBounds,
            format!("{what} of {} at device address {address:#x}: {place}", Bytes(bytes)),
        ))
    }

    /// Copies from device memory to the host.
    ///
    /// # Errors
    /// The range is not inside one live allocation.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), Report> {
        self.host_range("copy from the device", address, to.len() as u64)?;
        // SAFETY: the range lies in the arena, and `to` is writable memory outside of device memory or, for managed
        // memory, memory that its owner has given away for the copy.
        unsafe { copy(to.as_mut_ptr(), address as *const u8, to.len()) };
        Ok(())
    }

    /// Copies from the host to device memory.
    ///
    /// # Errors
    /// The range is not inside one live allocation.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), Report> {
        self.host_range("copy to the device", address, from.len() as u64)?;
        // SAFETY: as in `read`, the other way round.
        unsafe { copy(address as *mut u8, from.as_ptr(), from.len()) };
        Ok(())
    }

    /// Copies inside device memory; the ranges may overlap.
    ///
    /// # Errors
    /// A range is not inside one live allocation.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), Report> {
        self.host_range("copy inside the device, from", from, bytes)?;
        self.host_range("copy inside the device, to", to, bytes)?;
        if to.abs_diff(from) < bytes {
            let mut between = vec![0; bytes as usize];
            self.read(from, &mut between)?;
            return self.write(to, &between);
        }
        // SAFETY: both ranges lie in the arena and do not overlap.
        unsafe { copy(to as *mut u8, from as *const u8, bytes as usize) };
        Ok(())
    }

    /// First address and size of the arena.
    pub fn arena(&self) -> (u64, u64) {
        (self.base, self.bytes)
    }

    /// First address of the arena; what lies outside of arena and windows is no address of the device.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.arena.start.as_ptr() as u64) < self.bytes
    }
}

/// Copies `n` bytes by relaxed atomics, eight bytes at a time where both sides have the same alignment, else one.
///
/// # Safety
/// Both ranges are mapped, do not overlap, and are not accessed non-atomically by other threads meanwhile.
unsafe fn copy(to: *mut u8, from: *const u8, n: usize) {
    let from = from.cast_mut();
    let mut k = 0;
    // SAFETY: every byte copied lies in the ranges that the caller vouches for; eight bytes are copied at once only
    // where both addresses are multiples of eight.
    unsafe {
        let byte = |k: usize| {
            AtomicU8::from_ptr(to.add(k)).store(AtomicU8::from_ptr(from.add(k)).load(Relaxed), Relaxed)
        };
        if (to as usize) % 8 == (from as usize) % 8 {
            while k < n && !(to as usize + k).is_multiple_of(8) {
                byte(k);
                k += 1;
            }
            while k + 8 <= n {
                let word = AtomicU64::from_ptr(from.add(k).cast()).load(Relaxed);
                AtomicU64::from_ptr(to.add(k).cast()).store(word, Relaxed);
                k += 8;
            }
        }
        while k < n {
            byte(k);
            k += 1;
        }
    }
}

/// A number of bytes in words.
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// See [`Memory::describe`].
fn place(table: &Table, address: u64, bytes: u64) -> String {
    let name = |start: u64, block: &Block| match &block.origin {
        Origin::Host => format!("the {}-byte allocation at {start:#x}", block.bytes),
        Origin::Kernel => format!("the {}-byte allocation of the kernel's malloc at {start:#x}", block.bytes),
        Origin::Module(name) => format!("{name} ({} bytes at {start:#x})", block.bytes),
    };
    let mut text = String::new();
    if address < 1 << 16 {
        let _ = match address {
            0 => write!(text, "a null pointer"),
            n => write!(text, "{} from a null pointer", Bytes(n)),
        };
        return text;
    }
    let inside = |start: u64, block: &Block| address >= start && address - start < block.granules * GRANULE;
    if let Some((start, block)) = table.freed.iter().rev().find(|(start, block)| inside(*start, block)) {
        let _ = match (address - start).checked_sub(block.bytes) {
            None => {
                write!(text, "{} into {}, which has been freed", Bytes(address - start), name(*start, block))
            }
            Some(n) => {
                write!(text, "{} past the end of {}, which has been freed", Bytes(n), name(*start, block))
            }
        };
        return text;
    }
    let before = table.live.range(..=address).next_back();
    let after = table.live.range(address..).next();
    let past = before.map(|(start, block)| (address - start).saturating_sub(block.bytes));
    let ahead = after.map(|(start, _)| start - address);
    let near = 1 << 20;
    match (before, after) {
        (Some((start, block)), _) if past == Some(0) && address - start < block.bytes => {
            let over = (address - start + bytes).saturating_sub(block.bytes);
            let _ = write!(text, "{} into {}", Bytes(address - start), name(*start, block));
            if over > 0 {
                let _ = write!(text, ", {} past its end", Bytes(over));
            }
        }
        (Some((start, block)), _) if past.is_some_and(|n| n <= ahead.unwrap_or(u64::MAX) && n < near) => {
            let _ = match past {
                Some(0) | None => write!(text, "just past the end of {}", name(*start, block)),
                Some(n) => write!(text, "{} past the end of {}", Bytes(n), name(*start, block)),
            };
        }
        (_, Some((start, block))) if ahead.is_some_and(|n| n < near) => {
            let _ = write!(text, "{} before {}", Bytes(start - address), name(*start, block));
        }
        _ => text.push_str(NOWHERE),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(1 << 20).unwrap()
    }

    #[test]
    fn bounds_are_exact_to_the_byte() {
        let m = memory();
        let a = m.alloc(4000, Origin::Host).unwrap();
        assert_eq!(a % GRANULE, 0);
        assert!(m.allows(a, 8) && m.allows(a + 3996, 4) && m.allows(a + 3999, 1));
        assert!(!m.allows(a + 4000, 1) && !m.allows(a + 3997, 4) && !m.allows(a - 1, 1) && !m.allows(0, 1));
        assert!(m.allows_range(a, 4000) && m.allows_range(a + 10, 3990) && m.allows_range(a + 4000, 0));
        assert!(!m.allows_range(a, 4001) && !m.allows_range(a - 1, 2) && !m.allows_range(a, u64::MAX));
    }

    #[test]
    fn neighbours_are_separated() {
        let m = memory();
        let a = m.alloc(256, Origin::Host).unwrap();
        let b = m.alloc(256, Origin::Host).unwrap();
        assert!(a.abs_diff(b) >= 512);
        assert!(!m.allows_range(a.min(b), a.abs_diff(b) + 1));
    }

    #[test]
    fn freed_memory_is_closed_and_used_again_late() {
        let m = memory();
        let a = m.alloc(100, Origin::Host).unwrap();
        m.free(a).unwrap();
        assert!(!m.allows(a, 1));
        assert_ne!(m.alloc(100, Origin::Host).unwrap(), a);
        assert_eq!(m.free(a).unwrap_err(), format!("double free of {a:#x}"));
        assert!(
            m.free(a + 8)
                .unwrap_err()
                .starts_with(&format!("free of {:#x}, which was not allocated: 8 bytes into", a + 8))
        );
        assert_eq!(m.info().0, m.info().1 - 512);
    }

    #[test]
    fn everything_can_be_allocated_again_after_free() {
        let m = memory();
        for _ in 0..3 {
            let blocks: Vec<u64> = std::iter::from_fn(|| m.alloc(1000, Origin::Kernel)).collect();
            assert_eq!(blocks.len(), 4096 / 5);
            blocks.iter().for_each(|&a| m.free(a).unwrap());
            assert_eq!(m.info(), (1 << 20, 1 << 20));
            let all = m.alloc((1 << 20) - 256, Origin::Host).unwrap();
            m.free(all).unwrap();
        }
        assert_eq!(m.alloc(u64::MAX, Origin::Host), None);
    }

    #[test]
    fn fresh_memory_holds_the_pattern() {
        let m = memory();
        let a = m.alloc(10, Origin::Host).unwrap();
        let mut b = [0; 10];
        m.read(a, &mut b).unwrap();
        assert_eq!(b, [PATTERN; 10]);
    }

    #[test]
    fn copies_move_the_bytes_at_every_alignment() {
        let m = memory();
        let a = m.alloc(600, Origin::Host).unwrap();
        let bytes: Vec<u8> = (0..=255).collect();
        for shift in 0..9 {
            m.write(a + shift, &bytes).unwrap();
            m.copy(a + 300, a + shift, 256).unwrap();
            m.copy(a + 303, a + 300, 256).unwrap();
            let mut back = vec![0; 256];
            m.read(a + 303, &mut back).unwrap();
            assert_eq!(back, bytes);
        }
        let error = m.write(a + 599, &[0; 2]).unwrap_err();
        assert_eq!(error.kind, ReportKind::OutOfBounds);
        let place = format!("599 bytes into the 600-byte allocation at {a:#x}, 1 byte past its end");
        assert_eq!(
            error.message,
            format!("copy to the device of 2 bytes at device address {:#x}: {place}", a + 599)
        );
    }

    #[test]
    fn places_are_described() {
        let m = memory();
        let a = m.alloc(4000, Origin::Host).unwrap();
        assert_eq!(
            m.describe(a + 4004, 4),
            format!("4 bytes past the end of the 4000-byte allocation at {a:#x}")
        );
        assert_eq!(
            m.describe(a + 4000, 4),
            format!("just past the end of the 4000-byte allocation at {a:#x}")
        );
        assert_eq!(m.describe(a - 8, 4), format!("8 bytes before the 4000-byte allocation at {a:#x}"));
        assert_eq!(m.describe(8, 4), "8 bytes from a null pointer");
        assert_eq!(m.describe(1 << 60, 4), "not near any allocation");
        let of_host = m.describe(&raw const m as u64, 4);
        assert!(of_host.starts_with("a pointer of the host program, to "), "{of_host}");
        m.free(a).unwrap();
        assert_eq!(
            m.describe(a + 4, 4),
            format!("4 bytes into the 4000-byte allocation at {a:#x}, which has been freed")
        );
    }

    #[test]
    fn variables_of_a_module_are_named_and_cannot_be_freed() {
        let m = memory();
        let a = m.alloc(64, Origin::Module("the variables of the module".into())).unwrap();
        assert_eq!(
            m.describe(a + 64, 1),
            format!("just past the end of the variables of the module (64 bytes at {a:#x})")
        );
        assert!(m.free(a).is_err());
        m.free_module(a);
        assert!(!m.allows(a, 1));
    }
}
