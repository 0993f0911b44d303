//! Functions that device code calls through pointers of the host: the table that translates them.
//!
//! `declare target indirect` gives each function an entry with its host address and, in the image, a variable that
//! holds its device address. The device runtime finds the pairs through the device environment, sorted by host
//! address (`__llvm_omp_indirect_call_lookup`). A pointer that is itself an argument of a kernel is translated before the
//! launch: functions stand in the mapping table, too.

use crate::device::{AllocKind, DevicePtr, ImageHandle};
use crate::error::Result;
use crate::location::Location;
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::register::{Entry, Library};
use crate::table::{Lookup, Table};
use abi::entry::EntryFlags;

/// Bytes of a pointer, on both sides.
const POINTER: usize = 8;

/// The table of one image, in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndirectTable {
    /// Where it is.
    pub address: DevicePtr,
    /// Pairs in it.
    pub pairs: u64,
}

/// The functions and virtual tables of an image, each with its device address.
pub fn find<'l>(
    offload: &OffloadDevice,
    image: ImageHandle,
    library: &'l Library,
) -> Result<Vec<(&'l Entry, u64)>> {
    let mut found = Vec::new();
    for entry in library.indirect() {
        // A function that device LTO has removed cannot be called.
        let Some((variable, _)) = offload.device.global(image, &entry.name)? else { continue };
        let mut value = [0; POINTER];
        let mut region = Region::start(offload, Location::default())?;
        region.read(variable, &mut value)?;
        region.finish()?;
        found.push((entry, u64::from_le_bytes(value)));
    }
    Ok(found)
}

/// Adds the functions to the mapping table. Each is one byte long there: the next function may begin right behind it.
pub fn map(table: &mut Table, found: &[(&Entry, u64)]) {
    for (entry, device) in found.iter().filter(|(entry, _)| !entry.flags.has(EntryFlags::INDIRECT_VTABLE)) {
        if table.lookup(entry.address, 1) == Lookup::Absent {
            table.insert_global(entry.address, 1, DevicePtr(*device), &entry.name);
        }
    }
}

/// Makes the table of an image; most images need none.
pub fn make(offload: &OffloadDevice, found: &[(&Entry, u64)]) -> Result<Option<IndirectTable>> {
    let mut pairs: Vec<[u64; 2]> =
        found.iter().flat_map(|(entry, device)| pairs_of(entry, *device)).collect();
    if pairs.is_empty() {
        return Ok(None);
    }
    pairs.sort_unstable();
    let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let address = offload.device.alloc(bytes.len(), AllocKind::Device)?;
    let mut region = Region::start(offload, Location::default())?;
    region.submit_owned(address, bytes.into())?;
    region.finish()?;
    Ok(Some(IndirectTable { address, pairs: pairs.len() as u64 }))
}

/// The (host, device) pairs of an entry whose variable in the image holds `device`: one for a function, one for each
/// slot of a virtual table.
fn pairs_of(entry: &Entry, device: u64) -> impl Iterator<Item = [u64; 2]> {
    let slots = if entry.flags.has(EntryFlags::INDIRECT_VTABLE) { entry.size / POINTER } else { 1 };
    let host = entry.address as u64;
    (0..slots as u64).map(move |slot| slot * POINTER as u64).map(move |at| [host + at, device + at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::recorder::{Recorder, Symbol};
    use crate::env::Settings;
    use crate::testing::Fixture;
    use std::ffi::CString;

    fn entry(address: usize, name: &str, size: usize, flags: u32) -> Entry {
        let name = CString::new(name).unwrap();
        Entry { address, name, size, flags: EntryFlags(flags), data: 0 }
    }

    fn table(entries: Vec<Entry>) -> (Fixture, Option<IndirectTable>) {
        let global = |value: u64| Symbol::Global(value.to_le_bytes().to_vec());
        let recorder = Recorder::new()
            .with_symbol("f", global(0xf00))
            .with_symbol("g", global(0xa00))
            .with_symbol("v", global(0x5000));
        let fixture = Fixture::with(recorder, &Settings::default());
        let library = Library::with_entries(entries);
        let found = find(&fixture.offload, ImageHandle(1), &library).unwrap();
        map(&mut crate::lock(&fixture.offload.table), &found);
        let table = make(&fixture.offload, &found).unwrap();
        (fixture, table)
    }

    #[test]
    fn sorted_by_host_address() {
        let (fixture, table) = table(vec![
            entry(0x30, "f", 8, EntryFlags::INDIRECT),
            entry(0x40, "data", 8, 0),
            entry(0x20, "gone", 8, EntryFlags::INDIRECT),
            entry(0x10, "g", 8, EntryFlags::INDIRECT),
        ]);
        let table = table.unwrap();
        let word = |index: usize| fixture.recorder.read_u64(table.address.offset(8 * index));
        assert_eq!(table.pairs, 2);
        assert_eq!([word(0), word(1), word(2), word(3)], [0x10, 0xa00, 0x30, 0xf00]);
        let mapped = |host| fixture.offload.mapped_address(host).map(|address| address.0);
        assert_eq!([0x10, 0x11, 0x20, 0x30].map(mapped), [Some(0xa00), None, None, Some(0xf00)]);
    }

    #[test]
    fn a_virtual_table_has_a_pair_for_each_slot() {
        let (fixture, table) = table(vec![entry(0x1000, "v", 24, EntryFlags::INDIRECT_VTABLE)]);
        let table = table.unwrap();
        let word = |index: usize| fixture.recorder.read_u64(table.address.offset(8 * index));
        assert_eq!(table.pairs, 3);
        assert_eq!([word(0), word(1), word(4), word(5)], [0x1000, 0x5000, 0x1010, 0x5010]);
        assert_eq!(
            fixture.offload.mapped_address(0x1000),
            None,
            "objects hold pointers to it, arguments do not"
        );
    }

    #[test]
    fn without_entries_nothing_happens() {
        let (fixture, table) = table(vec![entry(0x40, "f", 8, 0)]);
        assert_eq!(table, None);
        assert!(fixture.recorder.take_calls().is_empty());
    }
}
