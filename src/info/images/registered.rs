//! The images that a linked program registers: its table of `__tgt_device_image`, found by what it must look like.
//!
//! An image there is four pointers: its begin and end, and those of the offload entries. The linker has left the pointers
//! in the file, or, where the program may be loaded anywhere, as the addends of dynamic relocations. Symbols are not
//! needed: a stripped program has the table too.

use core::ops::RangeInclusive;
use object::{Object, ObjectSection, RelocationTarget, SectionKind};
use std::collections::BTreeMap;

/// Sections of the offload entries, of LLVM 22 and of LLVM 19.
const ENTRIES: [&str; 2] = ["llvm_offload_entries", "omp_offloading_entries"];

/// Bytes of a pointer.
const WORD: u64 = 8;

/// The images among the bytes of the section at an address, in the order of the table.
pub(super) fn images<'d>(object: &object::File<'d>, address: u64, bytes: &'d [u8]) -> Vec<&'d [u8]> {
    let sections: Vec<_> = ENTRIES
        .iter()
        .filter_map(|name| object.section_by_name(name))
        .map(|section| bounds(&section))
        .collect();
    let entries = |pointer: u64| pointer == 0 || sections.iter().any(|section| section.contains(&pointer));
    let pointers = pointers(object, |pointer| {
        pointer != 0 && entries(pointer) || bounds_of(address, bytes.len()).contains(&pointer)
    });
    let word = |at: u64| pointers.get(&at).copied().unwrap_or(0);
    let image = |(&at, &begin): (&u64, &u64)| {
        let [end, first, last] = [1, 2, 3].map(|index| word(at + index * WORD));
        if first > last || !entries(first) || !entries(last) {
            return None;
        }
        let offset = |pointer: u64| usize::try_from(pointer.checked_sub(address)?).ok();
        bytes.get(offset(begin)?..offset(end)?).filter(|image| !image.is_empty())
    };
    pointers.iter().filter_map(image).collect()
}

fn bounds<'d>(section: &impl ObjectSection<'d>) -> RangeInclusive<u64> {
    section.address()..=section.address().saturating_add(section.size())
}

fn bounds_of(address: u64, size: usize) -> RangeInclusive<u64> {
    address..=address.saturating_add(size as u64)
}

/// The pointers of a program that are wanted, by where they stand.
fn pointers(object: &object::File<'_>, wanted: impl Fn(u64) -> bool) -> BTreeMap<u64, u64> {
    let mut pointers = BTreeMap::new();
    let data = [SectionKind::Data, SectionKind::ReadOnlyData, SectionKind::ReadOnlyDataWithRel];
    for section in object.sections().filter(|section| data.contains(&section.kind())) {
        let words = section.data().unwrap_or_default().as_chunks::<8>().0;
        let with_address = (section.address()..).step_by(WORD as usize).zip(words);
        let values = with_address.map(|(at, word)| (at, u64::from_le_bytes(*word)));
        pointers.extend(values.filter(|(_, value)| wanted(*value)));
    }
    for (at, relocation) in object.dynamic_relocations().into_iter().flatten() {
        let addend = relocation.addend() as u64;
        if relocation.target() == RelocationTarget::Absolute && wanted(addend) {
            pointers.insert(at, addend);
        }
    }
    pointers
}
