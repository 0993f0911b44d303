//! The effect of map clauses on a device's table and memory, at the begin and end of a construct and at
//! `target update` (OpenMP 5.2, 5.8.3 and 13.9; LLVM: `targetDataBegin`, `targetDataEnd`, `targetDataUpdate`).
//!
//! Each walks over its maps under the table's lock and only plans the copies; [`Region::perform`] makes them when the lock
//! is free again. This file has the begin.

mod attach;
mod copies;
mod end;
mod update;

pub(crate) use end::Ends;

use crate::arrays::{Argument, Arrays, MapperFunction, OwnedArrays};
use crate::device::DevicePtr;
use crate::error::{Error, PresentOn, Result};
use crate::info::{self, InfoFlags};
use crate::location::MapName;
use crate::lock;
use crate::mapper;
use crate::queue::{Attachment, Known, Mapped, Use};
use crate::region::Region;
use crate::table::{Counts, Entry, Lookup, Shadows, Table};
use crate::tool::{self, Work};
use abi::map::MapType;
use std::ffi::CString;

const POINTER_SIZE: usize = size_of::<usize>();

/// A range to be found or made in the table.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    begin: usize,
    base: usize,
    size: usize,
    /// Bytes to allocate in front, so that the variable whose part it is keeps its alignment.
    padding: usize,
    kind: MapType,
    /// Copy to the device, when the mapping is new or the map says always.
    copy: bool,
    /// Add a use.
    count: bool,
    name: MapName<'a>,
}

/// Which walk over a construct's maps a mapper's parts go through. That at the end of a construct is in [`end`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Begin,
    Update,
}

impl Region<'_> {
    /// Maps at the begin of a construct.
    pub fn begin(&mut self, maps: &mut Arrays<'_>) -> Result<()> {
        self.begin_and(maps, |_, _, _| Ok(()))
    }

    /// Maps at the begin of a construct, and does something more under the table's lock before the copies are made.
    pub(crate) fn begin_and(
        &mut self,
        maps: &mut Arrays<'_>,
        more: impl FnOnce(&mut Self, &Table, &Arrays<'_>) -> Result<()>,
    ) -> Result<()> {
        let _scope = tool::begin(self.device.id, || Work::Map);
        maps.check(self.location)?;
        let device = self.device;
        // A program that wants to see each change gets the long way.
        self.queue().simple = device.info.get() == InfoFlags::default();
        let mut table = lock(&device.table);
        self.begin_maps(&mut table, maps, false)?;
        self.attach_all(&mut table)?;
        more(self, &table, maps)?;
        drop(table);
        self.perform()
    }

    fn begin_maps(&mut self, table: &mut Table, maps: &mut Arrays<'_>, from_mapper: bool) -> Result<()> {
        for index in 0..maps.len() {
            let map = maps.get(index);
            let known = self.begin_map(table, maps, &map, index)?;
            if !from_mapper {
                self.queue().addresses.push(known);
            }
        }
        Ok(())
    }

    /// Maps one argument, of whatever kind.
    fn begin_map(
        &mut self,
        table: &mut Table,
        maps: &mut Arrays<'_>,
        map: &Argument<'_>,
        index: usize,
    ) -> Result<Known> {
        if map.kind.is_literal() || map.kind.is_private() {
            return Ok(Known::Unasked);
        }
        if let Some(mapper) = map.mapper {
            self.queue().simple = false;
            self.run_mapper(table, map, mapper, Walk::Begin)?;
            return Ok(Known::Unasked);
        }
        if map.kind.is_attach() {
            let always = map.kind.is_always() || self.device.attach_auto_as_always;
            let size = map.size.max(POINTER_SIZE);
            let attachment = Attachment { slot: map.base, pointee: map.begin, size, always };
            self.queue().attachments.push(attachment);
            return Ok(Known::Unasked);
        }
        let (known, base) = self.begin_one(table, map)?;
        if map.kind.is_return_param()
            && let Known::At(address) = known
        {
            maps.set_base(index, address.0.wrapping_sub(map.begin.wrapping_sub(base) as u64));
        }
        Ok(known)
    }

    /// Maps one argument that means memory; gives its address, and its base on the host.
    fn begin_one(&mut self, table: &mut Table, map: &Argument<'_>) -> Result<(Known, usize)> {
        let kind = map.kind;
        let mut base = map.base;
        // Members do not count: their parent does.
        let mut count = kind.parent().is_none();
        let mut pointer = None;
        if kind.is_ptr_and_obj() {
            let slot = Wanted {
                begin: map.base,
                base: map.base,
                size: POINTER_SIZE,
                padding: 0,
                kind,
                copy: false,
                count,
                name: MapName::default(),
            };
            pointer = self.acquire(table, &slot)?;
            if pointer.is_none() {
                let (name, location) = (map.name.name().to_owned(), self.location.to_string());
                return Err(Error::PointerNotMapped { slot: map.base, name, location });
            }
            base = read_pointer(map.base);
            count = true;
        }
        let ends_with_a_count = count && !kind.is_ptr_and_obj() && !kind.is_delete();
        if !ends_with_a_count || kind.is_from() && kind.is_always() {
            self.queue().simple = false;
        }
        let wanted = Wanted {
            begin: map.begin,
            base,
            size: map.size,
            padding: map.begin % alignment_of(base),
            kind,
            copy: kind.is_to(),
            count,
            name: map.name,
        };
        let address = self.acquire(table, &wanted)?;
        let speaks_for_itself = kind.parent().is_none() && !kind.is_implicit();
        if address.is_none() && speaks_for_itself && self.device.info.has(InfoFlags::EMPTY_MAPPING) {
            let text = format_args!("variable {} does not have a valid device counterpart", map.name.name());
            info::device_info(self.device.id, text);
        }
        if let Some(slot) = pointer {
            self.attach(table, map.base, slot, POINTER_SIZE, address.map(|address| (address, map.begin)))?;
        }
        Ok((address.map_or(Known::Absent, Known::At), base))
    }

    /// Device address of a range, which is allocated when it is not mapped. `None`: a range of size 0 that lies in no
    /// mapping.
    fn acquire(&mut self, table: &mut Table, wanted: &Wanted<'_>) -> Result<Option<DevicePtr>> {
        let Wanted { begin, size, kind, .. } = *wanted;
        let key = match table.lookup(begin, size) {
            Lookup::Contained(key) => key,
            Lookup::Overlaps(key) if kind.is_implicit() => key,
            Lookup::Overlaps(key) => return Err(explicit_extension(table, key, wanted)),
            // Host and device share the memory: there is nothing to map, and a kernel uses it where it is.
            Lookup::Absent if self.device.shares_memory() && !kind.is_close() => {
                self.queue().simple = false;
                if size > 0 && self.device.info.has(InfoFlags::MAPPING_CHANGED) {
                    let text = format_args!(
                        "Return HstPtrBegin {begin:#018x} Size={size} for unified shared memory"
                    );
                    info::device_info(self.device.id, text);
                }
                return Ok((size > 0).then_some(DevicePtr(begin as u64)));
            }
            Lookup::Absent if kind.is_present() => {
                return Err(Error::NotPresent { on: PresentOn::Begin, begin, size });
            }
            Lookup::Absent if size == 0 => return Ok(None),
            Lookup::Absent => return self.map_new(table, wanted).map(Some),
        };
        let Some(entry) = table.get_mut(key) else { return Ok(None) };
        if wanted.count {
            entry.counts.increment(kind.is_hold());
            let counts = entry.counts.clone();
            self.queue().uses.push(Use { key, counts, mapped: Mapped { begin, size, kind } });
        }
        let arrives = self.wait_for(entry)?;
        let address = entry.device_address(begin);
        if self.device.info.has(InfoFlags::MAPPING_EXISTS) {
            let action = if wanted.count { " (incremented)" } else { " (update suppressed)" };
            self.print_existing(entry, wanted, address, action);
        }
        // A member that this construct's parent has just allocated is as new as the parent, which most often was the last one to come.
        let mut is_new = || {
            let mut new = self.queue().new_ranges.iter().rev();
            !wanted.count && new.any(|(begin, _)| *begin == key)
        };
        if wanted.copy && size > 0 && (kind.is_always() || !arrives || is_new()) {
            self.plan_copy_to(table, key, begin, size)?;
        }
        Ok(Some(address))
    }

    fn map_new(&mut self, table: &mut Table, wanted: &Wanted<'_>) -> Result<DevicePtr> {
        let Wanted { begin, base, size, padding, kind, name, .. } = *wanted;
        let mut scope = tool::begin(self.device.id, || Work::Allocate { host: begin, bytes: padding + size });
        let allocation = self.device.memory.alloc(self.device.device.as_ref(), padding + size)?;
        scope.allocated(allocation);
        drop(scope);
        let device_begin = allocation.offset(padding);
        let counts = Counts::one(kind.is_hold());
        let entry = Entry {
            base,
            begin,
            end: begin + size,
            allocation,
            device_begin,
            counts: counts.clone(),
            shadows: Shadows::default(),
            users: 0,
            pending: None,
            is_locked: false,
            name: name.text().map(CString::from),
        };
        if self.device.info.has(InfoFlags::MAPPING_CHANGED) {
            let text = format_args!(
                "Creating new map entry with HstPtrBase={base:#018x}, HstPtrBegin={begin:#018x}, \
                 TgtAllocBegin={:#018x}, TgtPtrBegin={:#018x}, Size={size}, DynRefCount={}, HoldRefCount={}, Name={}",
                allocation.0,
                device_begin.0,
                entry.dynamic_count(),
                entry.hold_count(),
                name.name()
            );
            info::device_info(self.device.id, text);
        }
        let key = table.insert(entry);
        let queue = self.queue();
        queue.uses.push(Use { key, counts, mapped: Mapped { begin, size, kind } });
        queue.new_ranges.push((begin, begin + size));
        if let Some(entry) = table.get_mut(key) {
            self.device.lock_mapped(entry)?;
        }
        if wanted.copy {
            self.plan_copy_to(table, key, begin, size)?;
        }
        Ok(device_begin)
    }

    fn print_existing(&self, entry: &Entry, wanted: &Wanted<'_>, address: DevicePtr, action: &str) {
        let hold = wanted.kind.is_hold();
        let (dynamic_action, hold_action) = if hold { ("", action) } else { (action, "") };
        let text = format_args!(
            "Mapping exists{} with HstPtrBegin={:#018x}, TgtPtrBegin={:#018x}, Size={}, DynRefCount={}{dynamic_action}, \
             HoldRefCount={}{hold_action}, Name={}",
            if wanted.kind.is_implicit() { " (implicit)" } else { "" },
            wanted.begin,
            address.0,
            wanted.size,
            entry.dynamic_count(),
            entry.hold_count(),
            wanted.name.name()
        );
        info::device_info(self.device.id, text);
    }

    /// Asks a user-defined mapper for the parts of a map and maps or updates them instead (OpenMP 5.2, 5.8.8).
    fn run_mapper(
        &mut self,
        table: &mut Table,
        map: &Argument<'_>,
        mapper: MapperFunction,
        walk: Walk,
    ) -> Result<()> {
        // SAFETY: the program passed this function as the mapper of this map.
        let mut parts: OwnedArrays = unsafe { mapper::components(mapper, map) };
        // SAFETY: parts of a mapped object, as the program's mapper describes them.
        let mut maps = unsafe { parts.view() };
        match walk {
            Walk::Begin => {
                maps.check(self.location)?;
                self.begin_maps(table, &mut maps, true)
            }
            Walk::Update => self.update_maps(table, &maps),
        }
    }
}

/// Alignment that a variable at this address may have: that of the address, at most what compilers count on for their widest accesses, the
/// vectors of 512 bits of a CPU.
fn alignment_of(base: usize) -> usize {
    const MOST: usize = 64;
    MOST.min(1 << (base | MOST).trailing_zeros())
}

fn explicit_extension(table: &Table, key: usize, wanted: &Wanted<'_>) -> Error {
    let Wanted { begin, size, kind, .. } = *wanted;
    let (mapped_begin, mapped_size) =
        table.get(key).map_or((key, 0), |entry| (entry.begin, entry.end - entry.begin));
    Error::ExplicitExtension { begin, size, mapped_begin, mapped_size, present: kind.is_present() }
}

/// The pointer in mapped program memory.
fn read_pointer(slot: usize) -> usize {
    // SAFETY: maps of pointers name valid program memory (`RawArrays::view`); its alignment is not promised.
    unsafe { (slot as *const usize).read_unaligned() }
}

fn read_bytes(begin: usize, size: usize) -> Box<[u8]> {
    // SAFETY: mapped program memory (`RawArrays::view`).
    unsafe { core::slice::from_raw_parts(begin as *const u8, size) }.into()
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
