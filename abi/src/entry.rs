//! How a compiled program tells the host runtime what it holds: images and offload entries, in both forms.

use crate::assert_layout;
use core::ffi::{c_char, c_void};

/// An offload entry of LLVM 20 and newer (`llvm::offloading::EntryTy`), section `llvm_offload_entries`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OffloadEntry {
    /// 0; tells this form from [`OldOffloadEntry`].
    pub reserved: u64,
    /// 1.
    pub version: u16,
    /// [`OffloadEntry::KIND_OPENMP`].
    pub kind: u16,
    /// See [`EntryFlags`].
    pub flags: u32,
    /// Host address of the global, or the region id of a kernel.
    pub address: *mut c_void,
    /// Name of the symbol in the image.
    pub symbol_name: *const c_char,
    /// Bytes of a global, 0 for a kernel.
    pub size: u64,
    /// Meaning depends on the flags.
    pub data: u64,
    /// Meaning depends on the flags.
    pub aux_address: *mut c_void,
}
assert_layout!(
    OffloadEntry, size 56,
    reserved @ 0, version @ 8, kind @ 10, flags @ 12, address @ 16, symbol_name @ 24, size @ 32, data @ 40,
    aux_address @ 48,
);

impl OffloadEntry {
    /// The only version there is.
    pub const VERSION: u16 = 1;
    /// Entries of OpenMP; other kinds belong to other languages.
    pub const KIND_OPENMP: u16 = 1;
}

/// An offload entry of LLVM 19 and older (`__tgt_offload_entry`), section `omp_offloading_entries`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OldOffloadEntry {
    /// Host address of the global, or the region id of a kernel.
    pub address: *mut c_void,
    /// Name of the symbol in the image.
    pub name: *const c_char,
    /// Bytes of a global, 0 for a kernel.
    pub size: u64,
    /// See [`EntryFlags`].
    pub flags: i32,
    /// Meaning depends on the flags.
    pub data: i32,
}
assert_layout!(OldOffloadEntry, size 32, address @ 0, name @ 8, size @ 16, flags @ 24, data @ 28);

/// Flags of an offload entry.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntryFlags(pub u32);

impl EntryFlags {
    /// `declare target link`.
    pub const LINK: u32 = 0x1;
    /// A function that is called through pointers.
    pub const INDIRECT: u32 = 0x8;
    /// A `requires` directive; address null, value in `data`.
    pub const REQUIRES: u32 = 0x10;
    /// A vtable of functions that are called through pointers (LLVM 22).
    pub const INDIRECT_VTABLE: u32 = 0x20;

    /// Whether `bit` is set.
    pub const fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

/// Value of a `requires` entry: `unified_shared_memory`.
pub const REQUIRES_UNIFIED_SHARED_MEMORY: u64 = 0x8;

/// Bits of a `requires` entry that all translation units must agree about (OpenMP 5.2, 8.2), with their clauses.
pub const REQUIRES_EVERYWHERE: [(u64, &str); 4] = [
    (0x2, "reverse_offload"),
    (0x4, "unified_address"),
    (REQUIRES_UNIFIED_SHARED_MEMORY, "unified_shared_memory"),
    (0x10, "dynamic_allocators"),
];

/// One device image of a program (`__tgt_device_image`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceImage {
    /// First byte: a cubin, PTX text or an ELF shared object.
    pub image_start: *const c_void,
    /// Behind the last byte.
    pub image_end: *const c_void,
    /// First entry, in either form.
    pub entries_begin: *const c_void,
    /// Behind the last entry.
    pub entries_end: *const c_void,
}
assert_layout!(DeviceImage, size 32, image_start @ 0, image_end @ 8, entries_begin @ 16, entries_end @ 24);

/// All images of one program or library (`__tgt_bin_desc`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BinaryDescriptor {
    /// Elements of `device_images`.
    pub num_device_images: i32,
    /// The images.
    pub device_images: *const DeviceImage,
    /// First entry, in either form.
    pub host_entries_begin: *const c_void,
    /// Behind the last entry.
    pub host_entries_end: *const c_void,
}
assert_layout!(
    BinaryDescriptor, size 32,
    num_device_images @ 0, device_images @ 8, host_entries_begin @ 16, host_entries_end @ 24,
);
