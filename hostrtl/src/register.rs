//! What compiled programs register: images and offload entries, in the old form and the new one.

use crate::device::Properties;
use crate::error::Error;
use crate::image::ImageKind;
use abi::entry::{
    BinaryDescriptor, DeviceImage, EntryFlags, OffloadEntry, OldOffloadEntry, REQUIRES_EVERYWHERE,
    REQUIRES_UNIFIED_SHARED_MEMORY,
};
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Kinds of entries in the new form (LLVM: `OffloadKind`): OpenMP, CUDA, HIP, SYCL.
const OFFLOAD_KINDS: [u16; 4] = [OffloadEntry::KIND_OPENMP, 2, 4, 8];

/// One offload entry, from either form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Host address of a global, or region id of a kernel.
    pub address: usize,
    /// Symbol in the image.
    pub name: CString,
    /// Bytes of a global, 0 for a kernel.
    pub size: usize,
    /// What it is.
    pub flags: EntryFlags,
    /// Value of a `requires` entry.
    pub data: u64,
}

/// One image. Its bytes belong to the program and stay until the library is unregistered.
#[derive(Clone, Debug)]
pub struct Image {
    bytes: &'static [u8],
    kind: ImageKind,
}

impl Image {
    /// The file.
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// What it is.
    pub fn kind(&self) -> &ImageKind {
        &self.kind
    }
}

/// A program or shared library with offload code.
#[derive(Clone, Debug)]
pub struct Library {
    key: usize,
    images: Vec<Image>,
    entries: Vec<Entry>,
    references: usize,
}

impl Library {
    /// Reads a descriptor.
    ///
    /// # Safety
    /// `descriptor` and all it points to are valid and stay so until the library is unregistered.
    unsafe fn read(descriptor: *const BinaryDescriptor) -> Self {
        // SAFETY: valid by the contract.
        let parts = unsafe { &*descriptor };
        let count = usize::try_from(parts.num_device_images).unwrap_or(0);
        let images: &[DeviceImage] = match parts.device_images.is_null() {
            true => &[],
            // SAFETY: the descriptor says how many images there are.
            false => unsafe { core::slice::from_raw_parts(parts.device_images, count) },
        };
        // SAFETY: bounds of the entry table, as the linker wrote them.
        let mut entries = unsafe { read_entries(parts.host_entries_begin, parts.host_entries_end) };
        if entries.is_empty()
            && let Some(image) = images.first()
        {
            // SAFETY: as above; clients that build descriptors by hand may fill only these bounds.
            entries = unsafe { read_entries(image.entries_begin, image.entries_end) };
        }
        let images = images
            .iter()
            .map(|image| {
                let size = (image.image_end as usize).saturating_sub(image.image_start as usize);
                let bytes: &'static [u8] = match image.image_start.is_null() {
                    true => &[],
                    // SAFETY: bounds of the image; the contract keeps it until `Registry::remove`.
                    false => unsafe { core::slice::from_raw_parts(image.image_start.cast(), size) },
                };
                Image { bytes, kind: ImageKind::of(bytes) }
            })
            .collect();
        Self { key: descriptor as usize, images, entries, references: 1 }
    }

    /// What tells libraries apart: the address of the descriptor.
    pub fn key(&self) -> usize {
        self.key
    }

    /// Its images.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// Globals of `declare target`, the reference pointers of `link` ones included.
    pub fn globals(&self) -> impl Iterator<Item = &Entry> {
        // Entries of functions that are called through pointers have a size too, but are not data.
        let functions = EntryFlags::INDIRECT | EntryFlags::INDIRECT_VTABLE;
        self.entries.iter().filter(move |entry| {
            entry.address != 0 && entry.size > 0 && !entry.flags.has(functions | EntryFlags::REQUIRES)
        })
    }

    /// Functions and virtual tables of `declare target indirect`.
    pub fn indirect(&self) -> impl Iterator<Item = &Entry> {
        let flags = EntryFlags::INDIRECT | EntryFlags::INDIRECT_VTABLE;
        self.entries.iter().filter(move |entry| entry.address != 0 && entry.flags.has(flags))
    }

    /// A library of these entries, without an image.
    #[cfg(test)]
    pub(crate) fn with_entries(entries: Vec<Entry>) -> Self {
        Self { key: 0, images: Vec::new(), entries, references: 1 }
    }

    /// Kernels.
    pub fn regions(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.address != 0 && entry.size == 0 && !entry.flags.has(EntryFlags::REQUIRES))
    }

    /// What its translation units require: the values of their `requires` entries. Kernels without such an entry require
    /// nothing.
    fn requirements(&self) -> impl Iterator<Item = u64> {
        let entries = || self.entries.iter().filter(|entry| entry.flags.has(EntryFlags::REQUIRES));
        let silent = entries().next().is_none() && self.regions().next().is_some();
        entries().map(|entry| entry.data).chain(silent.then_some(0))
    }

    /// Whether it requires that host and device share memory (OpenMP 5.2, 8.2.1.1).
    fn requires_unified_shared_memory(&self) -> bool {
        self.requirements().any(|required| required & REQUIRES_UNIFIED_SHARED_MEMORY != 0)
    }

    /// The best image for a device.
    pub fn image_for(&self, device: &Properties) -> Option<&Image> {
        let fitting = self.images.iter().filter(|image| image.kind.runs_on(device.arch, device.backend));
        fitting.max_by_key(|image| image.kind.preference())
    }

    /// Why no image runs on a device, and what to do.
    pub fn mismatch(&self, id: i32, device: &Properties) -> String {
        let Properties { name, arch, backend, .. } = device;
        let found: Vec<String> = self.images.iter().map(|image| image.kind.to_string()).collect();
        let advice = self.images.first().map_or_else(
            || format!("compile with --offload-arch={arch}"),
            |image| image.kind.advice(*arch, *backend),
        );
        format!(
            "no device image of the program runs on device {id}, {name} ({arch}, {backend}): found {}; {advice}",
            if found.is_empty() { "no image".to_owned() } else { found.join(", ") }
        )
    }
}

/// The registry of a process: libraries come and go while other threads look things up.
#[derive(Debug, Default)]
pub struct SharedRegistry {
    registry: RwLock<Registry>,
    generation: AtomicU64,
}

impl SharedRegistry {
    /// Changes whenever a library comes or goes; so that a launch need not lock to see that nothing did.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The libraries as they are now.
    pub fn read(&self) -> RwLockReadGuard<'_, Registry> {
        self.registry.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Registry::add`].
    ///
    /// # Safety
    /// As for [`Registry::add`].
    pub unsafe fn add(&self, descriptor: *const BinaryDescriptor) {
        // SAFETY: the contract of this function.
        self.change(|registry| unsafe { registry.add(descriptor) });
    }

    /// [`Registry::remove`].
    pub fn remove(&self, descriptor: *const BinaryDescriptor) -> Option<Library> {
        self.change(|registry| registry.remove(descriptor))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let mut registry = self.registry.write().unwrap_or_else(PoisonError::into_inner);
        let value = change(&mut registry);
        self.generation.fetch_add(1, Ordering::Release);
        value
    }
}

/// All libraries that are registered now.
#[derive(Debug, Default)]
pub struct Registry {
    libraries: Vec<Library>,
    /// Regions of libraries that were removed.
    gone: BTreeSet<usize>,
}

impl Registry {
    /// Registers a library; once more when it is registered already, which only counts.
    ///
    /// # Safety
    /// `descriptor` and all it points to are valid and stay so until it is removed as often as it was added.
    pub unsafe fn add(&mut self, descriptor: *const BinaryDescriptor) {
        match self.libraries.iter_mut().find(|library| library.key == descriptor as usize) {
            Some(library) => library.references += 1,
            None => {
                // SAFETY: the contract of this function.
                self.libraries.push(unsafe { Library::read(descriptor) });
            }
        }
    }

    /// Takes one registration back and gives the library when that was the last one.
    pub fn remove(&mut self, descriptor: *const BinaryDescriptor) -> Option<Library> {
        let index = self.libraries.iter().position(|library| library.key == descriptor as usize)?;
        self.libraries[index].references -= 1;
        if self.libraries[index].references > 0 {
            return None;
        }
        let library = self.libraries.remove(index);
        self.gone.extend(library.regions().map(|entry| entry.address));
        Some(library)
    }

    /// Why a region is not registered.
    pub fn why_unknown(&self, address: usize) -> Error {
        if self.gone.contains(&address) { Error::Unloaded } else { Error::UnknownRegion(address) }
    }

    /// Libraries in the order of their registration.
    pub fn libraries(&self) -> &[Library] {
        &self.libraries
    }

    /// Whether a library requires that host and device share memory.
    pub fn requires_unified_shared_memory(&self) -> bool {
        self.libraries.iter().any(Library::requires_unified_shared_memory)
    }

    /// A clause of `requires` that some translation units have and others have not.
    pub fn inconsistent_requirement(&self) -> Option<&'static str> {
        let mut required = self.libraries.iter().flat_map(Library::requirements);
        let first = required.next()?;
        required.find_map(|other| {
            let (_, clause) = REQUIRES_EVERYWHERE.iter().find(|(bit, _)| (first ^ other) & bit != 0)?;
            Some(*clause)
        })
    }

    /// All images.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.libraries.iter().flat_map(|library| &library.images)
    }

    /// Library and symbol of a region id.
    pub fn region(&self, address: usize) -> Option<(usize, CString)> {
        self.libraries.iter().find_map(|library| {
            let entry = library.regions().find(|entry| entry.address == address)?;
            Some((library.key, entry.name.clone()))
        })
    }
}

/// Reads a table of entries in either form.
///
/// The new form starts with 8 zero bytes. An old table whose first entry is a `requires` entry does so too, hence the
/// look at version and kind, which lie where an old entry has a name pointer. Clients that fill entries by hand leave the
/// version 0.
///
/// # Safety
/// `begin` and `end` are null or the bounds of a table of entries.
unsafe fn read_entries(begin: *const c_void, end: *const c_void) -> Vec<Entry> {
    let size = (end as usize).saturating_sub(begin as usize);
    if begin.is_null() || size < size_of::<OldOffloadEntry>() {
        return Vec::new();
    }
    // SAFETY: at least 32 bytes long; both forms have plain integers at these offsets.
    let (reserved, version, kind) = unsafe {
        (begin.cast::<u64>().read(), begin.cast::<u16>().add(4).read(), begin.cast::<u16>().add(5).read())
    };
    let new_form = size.is_multiple_of(size_of::<OffloadEntry>())
        && reserved == 0
        && version <= OffloadEntry::VERSION
        && OFFLOAD_KINDS.contains(&kind);
    if new_form {
        // SAFETY: the bounds of a table in the new form.
        let table = unsafe {
            core::slice::from_raw_parts(begin.cast::<OffloadEntry>(), size / size_of::<OffloadEntry>())
        };
        let openmp = table.iter().filter(|entry| entry.kind == OffloadEntry::KIND_OPENMP);
        return openmp
            .map(|entry| Entry {
                address: entry.address as usize,
                // SAFETY: names in entries are C strings.
                name: unsafe { owned_name(entry.symbol_name) },
                size: entry.size as usize,
                flags: EntryFlags(entry.flags),
                data: entry.data,
            })
            .collect();
    }
    // SAFETY: the bounds of a table in the old form.
    let table = unsafe {
        core::slice::from_raw_parts(begin.cast::<OldOffloadEntry>(), size / size_of::<OldOffloadEntry>())
    };
    table
        .iter()
        .map(|entry| Entry {
            address: entry.address as usize,
            // SAFETY: names in entries are C strings.
            name: unsafe { owned_name(entry.name) },
            size: entry.size as usize,
            flags: EntryFlags(entry.flags as u32),
            data: entry.data as u64,
        })
        .collect()
}

/// # Safety
/// `name` is null or a C string.
unsafe fn owned_name(name: *const c_char) -> CString {
    if name.is_null() {
        return CString::default();
    }
    // SAFETY: not null, so a C string by the contract.
    unsafe { CStr::from_ptr(name) }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Backend;
    use crate::image::Arch;
    use core::ptr::null_mut;

    fn new_entry(address: usize, name: &'static CStr, size: u64, flags: u32, kind: u16) -> OffloadEntry {
        OffloadEntry {
            reserved: 0,
            version: 1,
            kind,
            flags,
            address: address as *mut c_void,
            symbol_name: name.as_ptr(),
            size,
            data: if flags & EntryFlags::REQUIRES != 0 { 8 } else { 0 },
            aux_address: null_mut(),
        }
    }

    fn old_entry(address: usize, name: &'static CStr, size: u64, flags: i32, data: i32) -> OldOffloadEntry {
        OldOffloadEntry { address: address as *mut c_void, name: name.as_ptr(), size, flags, data }
    }

    fn read<T>(table: &[T]) -> Vec<Entry> {
        let range = table.as_ptr_range();
        // SAFETY: the bounds of a table.
        unsafe { read_entries(range.start.cast(), range.end.cast()) }
    }

    fn names(entries: &[Entry]) -> Vec<&str> {
        entries.iter().map(|entry| entry.name.to_str().unwrap()).collect()
    }

    #[test]
    fn new_form() {
        let entries = read(&[new_entry(0x10, c"kernel", 0, 0, 1), new_entry(0x20, c"g", 128, 0, 1)]);
        assert_eq!(names(&entries), ["kernel", "g"]);
        assert_eq!((entries[1].address, entries[1].size), (0x20, 128));
    }

    #[test]
    fn new_form_skips_other_languages() {
        let entries = read(&[new_entry(0x10, c"kernel", 0, 0, 1), new_entry(0x20, c"cuda", 0, 0, 2)]);
        assert_eq!(names(&entries), ["kernel"]);
        assert_eq!(read(&[new_entry(0x20, c"cuda", 0, 0, 2)]), []);
    }

    #[test]
    fn old_form() {
        let entries = read(&[old_entry(0x10, c"kernel", 0, 0, 0), old_entry(0x20, c"g", 128, 1, 0)]);
        assert_eq!(names(&entries), ["kernel", "g"]);
        assert!(entries[1].flags.has(EntryFlags::LINK));
    }

    #[test]
    fn old_form_that_starts_with_requires() {
        let table =
            [old_entry(0, c"", 0, EntryFlags::REQUIRES as i32, 8), old_entry(0x10, c"kernel", 0, 0, 0)];
        assert_eq!(names(&read(&table)), ["", "kernel"]);
    }

    /// 7 old entries are as long as 4 new ones, so the length alone cannot decide.
    #[test]
    fn old_form_as_long_as_a_new_one() {
        let mut table = vec![old_entry(0, c"", 0, EntryFlags::REQUIRES as i32, 8)];
        table.extend((1..7).map(|address| old_entry(address, c"kernel", 0, 0, 0)));
        assert_eq!(read(&table).len(), 7);
    }

    #[test]
    fn new_form_without_a_version() {
        let mut entry = new_entry(0, c"", 0, EntryFlags::REQUIRES, 1);
        entry.version = 0;
        assert_eq!(read(&[entry]).len(), 1);
    }

    #[test]
    fn requirements_are_the_same_everywhere() {
        let requires =
            |data| Entry { data, ..read(&[new_entry(0, c"", 0, EntryFlags::REQUIRES, 1)])[0].clone() };
        let kernel = || read(&[new_entry(0x10, c"kernel", 0, 0, 1)])[0].clone();
        let conflict = |libraries: Vec<Vec<Entry>>| {
            let libraries = libraries.into_iter().map(Library::with_entries).collect();
            Registry { libraries, ..Registry::default() }.inconsistent_requirement()
        };
        assert_eq!(conflict(vec![]), None);
        assert_eq!(conflict(vec![vec![requires(8), kernel()], vec![requires(8)], vec![]]), None);
        assert_eq!(conflict(vec![vec![requires(1), requires(1), kernel()], vec![kernel()]]), None);
        assert_eq!(conflict(vec![vec![requires(1), requires(2)]]), Some("reverse_offload"));
        assert_eq!(conflict(vec![vec![requires(0x10)], vec![kernel()]]), Some("dynamic_allocators"));
        assert_eq!(conflict(vec![vec![requires(8)], vec![requires(1)]]), Some("unified_shared_memory"));
    }

    #[test]
    fn every_change_shows() {
        let descriptor = BinaryDescriptor {
            num_device_images: 0,
            device_images: core::ptr::null(),
            host_entries_begin: core::ptr::null(),
            host_entries_end: core::ptr::null(),
        };
        let shared = SharedRegistry::default();
        let start = shared.generation();
        // SAFETY: lives until the end of the test.
        unsafe { shared.add(&descriptor) };
        let added = shared.generation();
        assert!(shared.remove(&descriptor).is_some());
        assert!(start != added && added != shared.generation());
    }

    /// Tables of any bytes, as long as their names are null or C strings: nothing but entries of the table comes out.
    #[test]
    fn tables_of_random_bytes() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let words = random.usize(..40);
            let word = |_| if random.bool() { 0 } else { random.u64(..) >> random.u32(..64) };
            let mut table: Vec<u64> = (0..words).map(word).collect();
            let new_form = words > 0 && words.is_multiple_of(7) && table[0] == 0 && random.bool();
            if new_form {
                table[1] = 1 | 1 << 16;
            }
            let reads_names_at = |at: usize| if new_form { at % 7 == 3 } else { at % 4 == 1 };
            for (at, word) in table.iter_mut().enumerate().filter(|(at, _)| reads_names_at(*at)) {
                *word = if at % 3 == 0 { 0 } else { c"name".as_ptr() as u64 };
            }
            if !new_form && table.first() == Some(&0) {
                table[0] = 1;
            }
            let entries = read(&table);
            assert!(entries.len() * size_of::<OldOffloadEntry>() <= words * 8, "{table:x?}");
            assert!(entries.iter().all(|entry| ["", "name"].contains(&entry.name.to_str().unwrap())));
        }
    }

    #[test]
    fn empty_tables() {
        assert_eq!(read::<OffloadEntry>(&[]), []);
        // SAFETY: null bounds are allowed.
        assert_eq!(unsafe { read_entries(core::ptr::null(), core::ptr::null()) }, []);
    }

    fn library(images: &[&'static [u8]]) -> Library {
        let images: Vec<DeviceImage> = images
            .iter()
            .map(|image| DeviceImage {
                image_start: image.as_ptr().cast(),
                image_end: image.as_ptr_range().end.cast(),
                entries_begin: core::ptr::null(),
                entries_end: core::ptr::null(),
            })
            .collect();
        let entries = [
            new_entry(0x10, c"kernel", 0, 0, 1),
            new_entry(0x20, c"g", 128, 0, 1),
            new_entry(0x30, c"f", 8, EntryFlags::INDIRECT, 1),
            new_entry(0, c"", 0, EntryFlags::REQUIRES, 1),
            new_entry(0x40, c"l_decl_tgt_ref_ptr", 8, EntryFlags::LINK, 1),
        ];
        let descriptor = BinaryDescriptor {
            num_device_images: images.len() as i32,
            device_images: images.as_ptr(),
            host_entries_begin: entries.as_ptr().cast(),
            host_entries_end: entries.as_ptr_range().end.cast(),
        };
        // SAFETY: valid during the call, which copies everything but the static images.
        unsafe { Library::read(&descriptor) }
    }

    const PTX_75: &[u8] = b".version 7.8\n.target sm_75\n";
    const PTX_90: &[u8] = b".version 7.8\n.target sm_90\n";

    fn device(sm: u32) -> Properties {
        Properties {
            name: "test".into(),
            backend: Backend::Simt,
            arch: Arch::from_sm(sm),
            max_threads: 1024,
            max_blocks: 1,
            hardware_parallelism: 1,
            shared_memory: 0,
        }
    }

    #[test]
    fn entries_by_what_they_are() {
        let library = library(&[]);
        let names = |entries: Vec<&Entry>| -> Vec<String> {
            entries.iter().map(|entry| entry.name.to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(library.regions().collect()), ["kernel"]);
        assert_eq!(names(library.globals().collect()), ["g", "l_decl_tgt_ref_ptr"]);
        assert_eq!(library.requirements().collect::<Vec<_>>(), [8]);
    }

    #[test]
    fn the_best_image_is_chosen() {
        let library = library(&[PTX_75, PTX_90]);
        let chosen = |sm| library.image_for(&device(sm)).map(|image| image.kind().to_string());
        assert_eq!(chosen(90).as_deref(), Some("PTX for sm_90"));
        assert_eq!(chosen(80).as_deref(), Some("PTX for sm_75"));
        assert_eq!(chosen(70), None);
    }

    #[test]
    fn mismatch_names_both_architectures_and_a_way_out() {
        assert_eq!(
            library(&[PTX_90])
                .mismatch(0, &Properties { backend: Backend::Cuda { driver_version: 13000 }, ..device(80) }),
            "no device image of the program runs on device 0, test (sm_80, CUDA driver 13.0): found PTX for sm_90; \
             recompile with --offload-arch=sm_80"
        );
    }

    #[test]
    fn registration_counts_and_several_libraries_live_side_by_side() {
        let entries = [new_entry(0x10, c"a", 0, 0, 1), new_entry(0x20, c"b", 0, 0, 1)];
        let descriptor = |range: core::ops::Range<usize>| BinaryDescriptor {
            num_device_images: 0,
            device_images: core::ptr::null(),
            host_entries_begin: entries[range.clone()].as_ptr().cast(),
            host_entries_end: entries[range].as_ptr_range().end.cast(),
        };
        let (first, second) = (descriptor(0..1), descriptor(1..2));
        let mut registry = Registry::default();
        // SAFETY: both live until the end of the test.
        unsafe {
            registry.add(&first);
            registry.add(&second);
            registry.add(&first);
        }
        assert_eq!(registry.libraries().len(), 2);
        assert_eq!(registry.region(0x20).unwrap().1.as_c_str(), c"b");
        assert!(registry.remove(&first).is_none());
        assert!(registry.region(0x10).is_some());
        assert!(registry.remove(&first).is_some());
        assert!(registry.region(0x10).is_none() && registry.region(0x20).is_some());
        assert!(registry.remove(&first).is_none(), "not registered any more");
    }
}
