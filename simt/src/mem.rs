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

mod mapping;
mod scan;
mod table;

pub use mapping::Mapping;
pub use table::{Bytes, Event, Heap, Origin};

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::host_memory;
use crate::report::{Report, ReportKind};
use table::{Block, Table, heap_bytes};

/// Bytes of a granule, and the alignment of every allocation.
pub const GRANULE: u64 = 256;
/// Byte that fresh memory is filled with: large negative numbers in every type, so that using it shows.
pub const PATTERN: u8 = 0xcb;
/// Bytes at the start of an allocation that are filled with [`PATTERN`]; what lies behind is left as it is, so that
/// a large allocation costs no host memory before it is used.
const FILL_LIMIT: u64 = 64 << 20;
/// Where the mapping is put if nothing else is there, so that addresses are the same from run to run.
const PREFERRED_BASE: u64 = 0x2000_0000_0000;
/// Distance of the further places that are tried, for further devices.
const PREFERRED_STEP: u64 = 1 << 40;

/// The memory of one device.
pub struct Memory {
    arena: Mapping,
    valid: Mapping,
    base: u64,
    bytes: u64,
    table: Mutex<Table>,
    /// Texts of the places that allocations are made and freed at.
    places: Mutex<HashMap<PlaceKey, Arc<str>>>,
}

/// An instruction: number of the module, kernel, function, instruction.
pub type PlaceKey = (u64, u32, u32, u32);

/// Texts that are kept at most.
const PLACES: usize = 1 << 12;

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
        let base = arena.start() as u64;
        let table = Mutex::new(Table::new(base, granules));
        Ok(Self { arena, valid, base, bytes: size, table, places: Mutex::default() })
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
        unsafe { AtomicU16::from_ptr(self.valid.start().cast::<u16>().add(index as usize)) }
            .load(Relaxed)
            .into()
    }

    fn set_valid(&self, start: u64, bytes: u64, value: impl Fn(u64) -> u64) {
        let first = (start - self.base) / GRANULE;
        for k in 0..bytes.div_ceil(GRANULE) {
            let count = value((bytes - k * GRANULE).min(GRANULE)) as u16;
            // SAFETY: as in `valid_bytes`; the block lies in the arena.
            unsafe { AtomicU16::from_ptr(self.valid.start().cast::<u16>().add((first + k) as usize)) }
                .store(count, Relaxed);
        }
    }

    /// Allocates `bytes` bytes at an address that is a multiple of [`GRANULE`]; `None` if there is no room. An
    /// allocation of no bytes has an address of its own and no byte that may be accessed.
    pub fn alloc(&self, bytes: u64, origin: Origin) -> Option<u64> {
        let start = self.take(&mut self.table(), bytes, origin)?;
        self.open(start, bytes);
        Some(start)
    }

    /// Lets kernels access a block that has just been taken.
    fn open(&self, start: u64, bytes: u64) {
        let fill = bytes.min(FILL_LIMIT) as usize;
        // SAFETY: the block lies in the arena, and until the map says so below no kernel accesses it.
        unsafe { std::ptr::write_bytes(start as *mut u8, PATTERN, fill) };
        self.set_valid(start, bytes, |n| n);
    }

    /// The kernels' `malloc`, which the limit of the heap bounds as well.
    pub fn malloc(&self, bytes: u64, by: Event) -> Option<u64> {
        let start = {
            let mut table = self.table();
            let Heap { used, limit, .. } = table.heap;
            let used = used.checked_add(heap_bytes(bytes)).filter(|used| *used <= limit);
            let taken = used.and_then(|used| Some((self.take(&mut table, bytes, Origin::Kernel(by))?, used)));
            let heap = &mut table.heap;
            heap.touched = true;
            let Some((start, used)) = taken else {
                heap.refused += 1;
                return None;
            };
            heap.used = used;
            heap.peak = heap.peak.max(used);
            start
        };
        self.open(start, bytes);
        Some(start)
    }

    /// The kernels' heap.
    pub fn heap(&self) -> Heap {
        self.table().heap
    }

    /// Sets what `malloc` may have in use; not once it has been called.
    pub fn set_heap_limit(&self, bytes: u64) -> bool {
        let mut table = self.table();
        if !table.heap.touched {
            table.heap.limit = bytes;
        }
        !table.heap.touched
    }

    /// The text of a place, which is made once.
    pub fn place_text(&self, key: PlaceKey, text: impl FnOnce() -> String) -> Arc<str> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= PLACES && !places.contains_key(&key) {
            // Modules that come and go; whoever uses a text has it.
            places.clear();
        }
        Arc::clone(places.entry(key).or_insert_with(|| text().into()))
    }

    /// Takes a free range for a block.
    fn take(&self, table: &mut Table, bytes: u64, origin: Origin) -> Option<u64> {
        if bytes > self.bytes {
            return None;
        }
        let granules = bytes.div_ceil(GRANULE).max(1) + 1;
        let start = table.take(granules).or_else(|| {
            table.release(0);
            table.take(granules)
        })?;
        table.live.insert(start, Block { bytes, granules, origin, freed: None });
        table.used += granules;
        Some(start)
    }

    /// Frees the allocation that starts at `address`, for a thread of a kernel or the host program.
    ///
    /// # Errors
    /// It is not the start of a live allocation, or belongs to a module; the text says what is there.
    pub fn free(&self, address: u64, by: Option<Event>) -> Result<(), String> {
        let mut table = self.table();
        match table.live.get_mut(&address) {
            Some(Block { origin: Origin::Module(name), .. }) => {
                return Err(format!("free of {address:#x}, which holds {name}"));
            }
            Some(block) => block.freed = by,
            None => {
                let old = table.freed.iter().rev().find(|(start, _)| *start == address);
                return Err(match old {
                    Some((_, block)) => format!("double free of {address:#x}{}", block.history()),
                    None => {
                        let (place, _) = table.describe(address, 0);
                        format!("free of {address:#x}, which was not allocated: {place}")
                    }
                });
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
        table.heap.used -= block.heap_bytes();
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
        match offset < self.bytes {
            true => self.valid_bytes(offset / GRANULE) >= offset % GRANULE + bytes,
            false => host_memory::reaches(address, bytes),
        }
    }

    /// Whether `bytes` bytes at `address`, however many, lie in one live allocation.
    #[inline]
    pub fn allows_range(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        if offset >= self.bytes {
            return host_memory::reaches(address, bytes);
        }
        let Some(end) = offset.checked_add(bytes).filter(|end| *end <= self.bytes) else { return false };
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
        let (text, near) = self.table().describe(address, bytes);
        if near || self.contains(address) {
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
        address.wrapping_sub(self.arena.start() as u64) < self.bytes
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

#[cfg(test)]
mod tests;
