//! What a program registers, made of any bytes: a descriptor with its images and its table of entries. The cargo-fuzz target
//! `registration` and the test `hostrtl/tests/fuzz.rs` call the same function.

use abi::entry::{BinaryDescriptor, DeviceImage, OffloadEntry, OldOffloadEntry};
use core::ffi::c_void;
use core::ptr::null;
use hostrtl::constructors::{self, Phase};
use hostrtl::device::{Backend, DeviceError, Properties};
use hostrtl::diagnosis;
use hostrtl::image::{Arch, ImageKind};
use hostrtl::register::SharedRegistry;

/// Bits of an input's first byte; the two lowest ones are the number of images.
pub const NEW_FORM: u8 = 0x4;
/// The bounds of the entries stand in the images only, as REX's clients have it.
pub const ENTRIES_IN_IMAGES: u8 = 0x8;
/// The first image ends before it begins.
pub const REVERSED: u8 = 0x10;
/// The first image is null.
pub const NO_IMAGE: u8 = 0x20;
/// The number of images is below zero.
pub const NEGATIVE: u8 = 0x40;
/// There is no list of images, whatever their number.
pub const NO_LIST: u8 = 0x80;

/// Words of an entry in the two forms, and which of them is its name.
const NEW_WORDS: (usize, usize) = (size_of::<OffloadEntry>() / 8, 3);
const OLD_WORDS: (usize, usize) = (size_of::<OldOffloadEntry>() / 8, 1);

/// Names are C strings by contract, so an input only chooses among these. Their even addresses are no version of the new
/// form, where an old entry has its name.
#[repr(align(8))]
struct Name([u8; 8]);
static NAMES: [Name; 4] =
    [Name(*b"kernel\0\0"), Name([0; 8]), Name(*b"\xff\xfe_\0...."), Name(*b"g_ref\0\0\0")];

/// A first byte as above, the number of words and of further bytes of the table of entries, that table, and all images, of
/// equal length. It is registered twice, asked for everything, and unregistered.
pub fn registration(data: &[u8]) {
    let Some((&[flags, words, more], rest)) = data.split_first_chunk::<3>() else { return };
    let has = |bit| flags & bit != 0;
    let (table, rest) = rest.split_at(rest.len().min(usize::from(words) * 8));
    let table = table_of(table, has(NEW_FORM));
    // The reader takes whole entries, so it does not see what there is not.
    let bytes = size_of_val(&*table) + if has(NEW_FORM) { 0 } else { usize::from(more % 8) };
    let begin: *const c_void = table.as_ptr().cast();
    let (begin, end) = (begin, begin.wrapping_byte_add(bytes));

    let count = usize::from(flags & 3);
    let contents = rest.chunks(rest.len().div_ceil(count.max(1)).max(1)).take(count);
    let mut images: Vec<DeviceImage> = contents.map(|bytes| image(bytes, begin, end)).collect();
    if let Some(first) = images.first_mut() {
        if has(REVERSED) {
            core::mem::swap(&mut first.image_start, &mut first.image_end);
        }
        if has(NO_IMAGE) {
            first.image_start = null();
        }
    }
    let (begin, end) = if has(ENTRIES_IN_IMAGES) { (null(), null()) } else { (begin, end) };
    let descriptor = BinaryDescriptor {
        num_device_images: if has(NEGATIVE) { -1 } else { images.len() as i32 },
        device_images: if has(NO_LIST) { null() } else { images.as_ptr() },
        host_entries_begin: begin,
        host_entries_end: end,
    };

    let registry = SharedRegistry::default();
    // SAFETY: the bounds are those of lists that live to the end of this function, and the names are C strings.
    unsafe {
        registry.add(&descriptor);
        registry.add(&descriptor);
    }
    ask(&registry, bytes);
    assert!(registry.remove(&descriptor).is_none(), "it was registered twice");
    assert!(registry.remove(&descriptor).is_some());
    assert!(registry.remove(&descriptor).is_none());
}

/// A table of whole words, of whole entries in the new form, with names that are C strings.
fn table_of(bytes: &[u8], new_form: bool) -> Vec<u64> {
    let mut table: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (size, name) = if new_form { NEW_WORDS } else { OLD_WORDS };
    if new_form {
        table.truncate(table.len() / size * size);
        if let [first, second, ..] = &mut table[..] {
            // What makes it a table in this form: a version that there is or none, and one of four kinds.
            let version = (*second >> 2) % (u64::from(OffloadEntry::VERSION) + 1);
            (*first, *second) = (0, *second & !0xffff_ffff | 1 << (16 + *second % 4) | version);
        }
    }
    for word in table.iter_mut().skip(name).step_by(size) {
        let chosen = NAMES.get((*word % 8) as usize);
        *word = chosen.map_or(0, |name| name.0.as_ptr().expose_provenance() as u64);
    }
    table
}

fn image(bytes: &[u8], entries_begin: *const c_void, entries_end: *const c_void) -> DeviceImage {
    let range = bytes.as_ptr_range();
    let (image_start, image_end) = (range.start.cast(), range.end.cast());
    DeviceImage { image_start, image_end, entries_begin, entries_end }
}

/// What devices and constructs ask a registry for.
fn ask(registry: &SharedRegistry, table_bytes: usize) {
    let registry = registry.read();
    let devices = [
        (Arch::from_sm(75), Backend::Simt),
        (Arch::from_sm(90), Backend::Cuda { driver_version: 12080 }),
        (Arch::X86_64, Backend::X86),
    ];
    for library in registry.libraries() {
        let regions: Vec<_> = library.regions().collect();
        assert!(regions.len() * size_of::<OldOffloadEntry>() <= table_bytes, "more entries than there are");
        for region in regions {
            let found = registry.region(region.address).expect("a region is found by its address");
            assert_eq!(found.0, library.key());
        }
        let _ = (library.globals().count(), library.indirect().count());
        for (arch, backend) in devices {
            let device = Properties {
                name: "device".into(),
                backend,
                arch,
                max_threads: 1024,
                max_blocks: 1,
                hardware_parallelism: 1,
                shared_memory: 0,
            };
            assert!(!library.mismatch(0, &device).is_empty());
            if let Some(image) = library.image_for(&device) {
                assert!(image.kind().runs_on(arch, backend));
            }
        }
    }
    let _ = (registry.requires_unified_shared_memory(), registry.inconsistent_requirement());
    for image in registry.images() {
        let (bytes, kind) = (image.bytes(), image.kind());
        assert!(bytes.len() >= 4 || *kind == ImageKind::Unknown);
        for (arch, backend) in devices {
            let text = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION".to_owned();
            let cause = DeviceError { call: "cuModuleLoadDataEx".into(), text };
            let _ = (kind.advice(arch, backend), diagnosis::of_image(bytes, kind, backend, &cause));
        }
        for phase in [Phase::Init, Phase::Fini] {
            constructors::objects(bytes, phase);
        }
    }
}
