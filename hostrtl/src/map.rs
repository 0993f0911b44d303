//! The effect of map clauses on a device's table and memory, at the begin and end of a construct and at
//! `target update` (OpenMP 5.2, 5.8.3 and 13.9; LLVM: `targetDataBegin`, `targetDataEnd`, `targetDataUpdate`).

use crate::arrays::{Argument, Arrays, MapperFunction, OwnedArrays};
use crate::device::DevicePtr;
use crate::error::{Error, Result};
use crate::info::{self, InfoFlags};
use crate::location::MapName;
use crate::mapper;
use crate::noncontiguous;
use crate::region::{Action, Attachment, Region};
use crate::table::{Count, Entry, Lookup, Table};
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
    /// Bytes to allocate in front, so that the parts of a struct keep their alignment.
    padding: usize,
    kind: MapType,
    /// Copy to the device, when the mapping is new or the map says always.
    copy: bool,
    /// Add a use.
    count: bool,
    name: MapName<'a>,
}

/// Which of the three walks over a construct's maps a mapper's parts go through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Begin,
    End,
    Update,
}

impl Region<'_> {
    /// Maps at the begin of a construct. The caller holds the lock of the table.
    pub fn begin(&mut self, table: &mut Table, maps: &mut Arrays<'_>) -> Result<()> {
        let _scope = tool::begin(self.device.id, || Work::Map);
        maps.check(self.location)?;
        self.begin_maps(table, maps, false)?;
        self.attach_all(table)?;
        Ok(self.publish_new(table)?)
    }

    fn begin_maps(&mut self, table: &mut Table, maps: &mut Arrays<'_>, from_mapper: bool) -> Result<()> {
        for index in 0..maps.len() {
            let map = maps.get(index);
            if map.kind.is_literal() || map.kind.is_private() {
                continue;
            }
            if let Some(mapper) = map.mapper {
                self.run_mapper(table, &map, mapper, Walk::Begin)?;
                continue;
            }
            if map.kind.is_attach() {
                let always = map.kind.is_always() || self.device.attach_auto_as_always;
                let attachment = Attachment {
                    slot: map.base,
                    pointee: map.begin,
                    size: map.size.max(POINTER_SIZE),
                    always,
                };
                self.queue().attachments.push(attachment);
                continue;
            }
            let is_parent = map.kind.parent().is_none()
                && index + 1 < maps.len()
                && maps.get(index + 1).kind.parent() == Some(index);
            let padding = if is_parent { map.begin % alignment_of(map.base) } else { 0 };
            if let Some(base) = self.begin_one(table, &map, padding, from_mapper && index == 0)? {
                maps.set_base(index, base);
            }
        }
        Ok(())
    }

    /// Maps one argument. Gives the device base where the program asks for it (`use_device_ptr`).
    fn begin_one(
        &mut self,
        table: &mut Table,
        map: &Argument<'_>,
        padding: usize,
        first_of_mapper: bool,
    ) -> Result<Option<u64>> {
        let kind = map.kind;
        let mut base = map.base;
        // Members do not count: their parent does. The first part of a mapper stands for the map that called it.
        let mut count = kind.parent().is_none() && !first_of_mapper;
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
            count = !first_of_mapper;
        }
        let wanted = Wanted {
            begin: map.begin,
            base,
            size: map.size,
            padding,
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
        let device_base = |address: DevicePtr| address.0.wrapping_sub(map.begin.wrapping_sub(base) as u64);
        Ok(address.filter(|_| kind.is_return_param()).map(device_base))
    }

    /// Device address of a range, which is allocated when it is not mapped. `None`: a range of size 0 that lies in no
    /// mapping.
    fn acquire(&mut self, table: &mut Table, wanted: &Wanted<'_>) -> Result<Option<DevicePtr>> {
        let Wanted { begin, size, kind, .. } = *wanted;
        let key = match table.lookup(begin, size) {
            Lookup::Contained(key) => key,
            Lookup::Overlaps(key) if kind.is_implicit() => key,
            Lookup::Overlaps(key) => return Err(explicit_extension(table, key, begin, size)),
            Lookup::Absent if kind.is_present() => {
                return Err(Error::NotPresent { modifier: "map type", begin, size });
            }
            Lookup::Absent if size == 0 => return Ok(None),
            Lookup::Absent => return self.map_new(table, wanted).map(Some),
        };
        let Some(entry) = table.get_mut(key) else { return Ok(None) };
        if wanted.count {
            entry.increment(kind.is_hold());
        }
        self.wait_for_copy(entry)?;
        let address = entry.device_address(begin);
        if self.device.info.has(InfoFlags::MAPPING_EXISTS) {
            let action = if wanted.count { " (incremented)" } else { " (update suppressed)" };
            self.print_existing(entry, wanted, address, action);
        }
        // A member that this construct's parent has just allocated is as new as the parent.
        let is_new = !wanted.count && entry.has_one_use();
        if wanted.copy && (is_new || kind.is_always()) && size > 0 {
            let key = entry.begin;
            self.copy_to(table, key, begin, size)?;
            self.queue().touched.push(key);
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
        let (dynamic_count, hold_count) =
            if kind.is_hold() { (Count::ZERO, Count::ONE) } else { (Count::ONE, Count::ZERO) };
        let entry = Entry {
            base,
            begin,
            end: begin + size,
            allocation,
            device_begin,
            dynamic_count,
            hold_count,
            shadows: Vec::new(),
            enders: 0,
            pending: None,
            name: name.text().map(CString::from),
        };
        if self.device.info.has(InfoFlags::MAPPING_CHANGED) {
            let text = format_args!(
                "Creating new map entry with HstPtrBase={base:#018x}, HstPtrBegin={begin:#018x}, \
                 TgtAllocBegin={:#018x}, TgtPtrBegin={:#018x}, Size={size}, DynRefCount={dynamic_count}, \
                 HoldRefCount={hold_count}, Name={}",
                allocation.0,
                device_begin.0,
                name.name()
            );
            info::device_info(self.device.id, text);
        }
        let key = table.insert(entry);
        self.queue().new_ranges.push((begin, begin + size));
        if wanted.copy {
            self.copy_to(table, key, begin, size)?;
            self.queue().touched.push(key);
        }
        Ok(device_begin)
    }

    /// Another queue may still copy the data of this entry: lets this one wait for it.
    fn wait_for_copy(&mut self, entry: &mut Entry) -> Result<()> {
        let Some(pending) = &entry.pending else { return Ok(()) };
        if pending.is_done() {
            entry.pending = None;
        } else if pending.queue != self.queue().handle {
            self.device.device.wait(self.work(), pending.event)?;
        }
        Ok(())
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
            entry.dynamic_count,
            entry.hold_count,
            wanted.name.name()
        );
        info::device_info(self.device.id, text);
    }

    /// Copies part of an entry to the device. Attached pointers in it keep their device value: it is sent again.
    fn copy_to(&mut self, table: &Table, key: usize, begin: usize, size: usize) -> Result<()> {
        let Some(entry) = table.get(key) else { return Ok(()) };
        // SAFETY: the program mapped these bytes: valid until the construct ends (`RawArrays::view`).
        unsafe { self.submit(entry.device_address(begin), begin, size, entry.map_name())? };
        for shadow in entry.shadows_in(begin, size) {
            self.submit_owned(entry.device_address(shadow.slot), shadow.contents.clone())?;
        }
        Ok(())
    }

    /// Copies part of an entry to the host. Attached pointers in it keep their host value: it is written back.
    fn copy_from(&mut self, table: &Table, key: usize, begin: usize, size: usize) -> Result<()> {
        let Some(entry) = table.get(key) else { return Ok(()) };
        for shadow in entry.shadows_in(begin, size) {
            // The host value of now, not of the time of the attachment: the program may have moved its pointer.
            let contents = read_bytes(shadow.slot, shadow.contents.len());
            self.queue().actions.push(Action::Restore { slot: shadow.slot, contents });
        }
        // SAFETY: the program mapped these bytes: valid until the construct ends (`RawArrays::view`).
        unsafe { self.retrieve(begin, entry.device_address(begin), size, entry.map_name())? };
        Ok(())
    }

    /// Performs the attachments of the construct (map type `ATTACH`): where the pointer or its pointee was mapped
    /// first by this construct, or always; only when both are mapped (OpenMP 6.0, attach modifier).
    fn attach_all(&mut self, table: &mut Table) -> Result<()> {
        let mut attachments = core::mem::take(&mut self.queue().attachments);
        for Attachment { slot, pointee, size, always } in attachments.drain(..) {
            let queue = self.queue();
            let is_new =
                |address| queue.new_ranges.iter().any(|(begin, end)| (*begin..*end).contains(&address));
            if !(always || is_new(slot) || is_new(pointee)) {
                continue;
            }
            let address = |table: &Table, begin, size| match table.lookup(begin, size) {
                Lookup::Contained(key) => table.get(key).map(|entry| entry.device_address(begin)),
                _ => None,
            };
            let Some(pointee_address) = address(table, pointee, 0) else { continue };
            self.device.print_found(table, pointee, 0);
            let Some(slot_address) = address(table, slot, size) else { continue };
            self.device.print_found(table, slot, size);
            self.attach(table, slot, slot_address, size, Some((pointee_address, pointee)))?;
        }
        self.queue().attachments = attachments;
        Ok(())
    }

    /// Lets the device copy of a pointer point to the device copy of its pointee; to null when there is none.
    fn attach(
        &mut self,
        table: &mut Table,
        slot: usize,
        slot_address: DevicePtr,
        size: usize,
        pointee: Option<(DevicePtr, usize)>,
    ) -> Result<()> {
        let mut contents = read_bytes(slot, size);
        let base = pointee.map_or(0, |(address, host)| {
            address.0.wrapping_sub(host.wrapping_sub(read_pointer(slot)) as u64)
        });
        contents[..POINTER_SIZE].copy_from_slice(&base.to_le_bytes());
        let Lookup::Contained(key) = table.lookup(slot, size) else { return Ok(()) };
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        if entry.set_shadow(slot, &contents) {
            let name = entry.map_name();
            self.submit_owned_as(slot_address, contents, name)?;
            self.queue().touched.push(key);
        }
        Ok(())
    }

    /// Unmaps at the end of a construct, last map first; what is no longer used goes when the queue is done.
    pub fn end(&mut self, table: &mut Table, maps: &Arrays<'_>) -> Result<()> {
        let _scope = tool::begin(self.device.id, || Work::Unmap);
        maps.check(self.location)?;
        self.end_maps(table, maps, false)
    }

    fn end_maps(&mut self, table: &mut Table, maps: &Arrays<'_>, from_mapper: bool) -> Result<()> {
        for index in (0..maps.len()).rev() {
            let map = maps.get(index);
            if map.kind.is_literal() || map.kind.is_private() {
                continue;
            }
            if let Some(mapper) = map.mapper {
                self.run_mapper(table, &map, mapper, Walk::End)?;
            } else if !map.kind.is_attach() {
                self.end_one(table, &map, from_mapper && index == 0)?;
            }
        }
        Ok(())
    }

    fn end_one(&mut self, table: &mut Table, map: &Argument<'_>, first_of_mapper: bool) -> Result<()> {
        let Argument { begin, size, kind, .. } = *map;
        let key = match table.lookup(begin, size) {
            Lookup::Contained(key) => key,
            Lookup::Overlaps(key) if kind.is_implicit() => key,
            _ if kind.is_present() => return Err(Error::NotPresent { modifier: "map type", begin, size }),
            // Not mapped: the map is ignored (OpenMP 5.2, 5.8.3).
            _ => return Ok(()),
        };
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        let hold = kind.is_hold();
        let counts = (kind.parent().is_none() || kind.is_ptr_and_obj()) && !first_of_mapper;
        let last = entry.is_last(hold, kind.is_delete());
        if kind.is_delete() {
            entry.reset(hold);
        }
        if counts {
            entry.decrement(hold);
        }
        entry.enders += 1;
        self.wait_for_copy(entry)?;
        if self.device.info.has(InfoFlags::MAPPING_EXISTS) {
            let action = match (counts, last, kind.is_delete()) {
                (false, ..) => " (update suppressed)",
                (true, true, true) => " (reset, delayed deletion)",
                (true, true, false) => " (decremented, delayed deletion)",
                (true, false, _) => " (decremented)",
            };
            self.device.print_lookup(entry, begin, size, hold, action);
        }
        if kind.is_from() && (last || kind.is_always()) && size > 0 {
            self.copy_from(table, key, begin, size)?;
        }
        // After the copy, whose pointers have to be restored before the entry goes.
        self.queue().actions.push(Action::EndEntry { key });
        Ok(())
    }

    /// `target update`.
    pub fn update(&mut self, table: &mut Table, maps: &Arrays<'_>) -> Result<()> {
        for index in 0..maps.len() {
            let map = maps.get(index);
            if map.kind.is_literal() || map.kind.is_private() {
                continue;
            }
            if let Some(mapper) = map.mapper {
                self.run_mapper(table, &map, mapper, Walk::Update)?;
            } else if map.kind.is_non_contiguous() {
                // SAFETY: a map of this type points to `size` dimensions.
                for (offset, size) in unsafe { noncontiguous::pieces(map.begin, map.size) } {
                    self.update_one(table, &map, map.base.wrapping_add(offset), size)?;
                }
            } else {
                self.update_one(table, &map, map.begin, map.size)?;
            }
        }
        Ok(())
    }

    fn update_one(&mut self, table: &mut Table, map: &Argument<'_>, begin: usize, size: usize) -> Result<()> {
        let Lookup::Contained(key) = table.lookup(begin, size) else {
            return match map.kind.is_present() {
                true => Err(Error::NotPresent { modifier: "motion", begin, size }),
                // Not mapped: nothing happens (OpenMP 5.2, 13.9).
                false => Ok(()),
            };
        };
        self.device.print_found(table, begin, size);
        if size == 0 {
            return Ok(());
        }
        if let Some(entry) = table.get_mut(key) {
            self.wait_for_copy(entry)?;
        }
        if map.kind.is_to() {
            self.copy_to(table, key, begin, size)?;
        }
        if map.kind.is_from() {
            self.copy_from(table, key, begin, size)?;
        }
        Ok(())
    }

    /// Asks a user-defined mapper for the parts of a map and walks over them instead (OpenMP 5.2, 5.8.8).
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
            Walk::End => self.end_maps(table, &maps, true),
            Walk::Update => self.update(table, &maps),
        }
    }
}

/// Alignment that a struct at this address may have: that of the address, at most 16.
fn alignment_of(base: usize) -> usize {
    match base {
        0 => 16,
        base => 1 << base.trailing_zeros().min(4),
    }
}

fn explicit_extension(table: &Table, key: usize, begin: usize, size: usize) -> Error {
    let (mapped_begin, mapped_size) =
        table.get(key).map_or((key, 0), |entry| (entry.begin, entry.end - entry.begin));
    Error::ExplicitExtension { begin, size, mapped_begin, mapped_size }
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
mod tests;
