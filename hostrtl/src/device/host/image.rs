//! Images in this process: shared objects out of memory, one copy a device.

use super::{Shared, error, fault};
use crate::device::DeviceResult;
use crate::loaded;
use core::ffi::{CStr, c_int, c_void};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Range;
use core::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};

/// Asks `dladdr1` for the symbol (dlfcn.h; libc has it not).
const RTLD_DL_SYMENT: c_int = 1;

/// A loaded image.
pub struct Image {
    /// Where it is in memory.
    pub range: Range<usize>,
    code: &'static fault::Code,
    object: Object,
}

/// What the loader has of an image. Dropped, also by a load that fails later, it is unloaded, and its destructors run.
struct Object {
    handle: *mut c_void,
    /// The loader knows objects by their path, which has this file's number: it may be given to another file only when
    /// the object is gone.
    file: ManuallyDrop<File>,
}

// SAFETY: the loader's handles belong to no thread.
unsafe impl Send for Object {}

/// The loader's record of an object (`link_map`, link.h).
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const libc::c_char,
    dynamic: *const Dynamic,
}

/// `Elf64_Dyn`.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: usize,
}

/// `Elf64_Rela`.
#[repr(C)]
struct Relocation {
    offset: usize,
    /// Number of the symbol, and kind of the relocation.
    info: u64,
    addend: i64,
}

impl Image {
    /// Loads an image for a device.
    pub fn load(image: &[u8], device: &Shared) -> DeviceResult<Self> {
        let file = write(image).map_err(|cause| error("memfd_create", cause.to_string()))?;
        let path = path(&file);
        // SAFETY: a path that ends with NUL. Constructors of the image run; they are the program's own.
        let handle = unsafe { libc::dlopen(path.as_ptr().cast(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(error("dlopen", loader_error()));
        }
        let object = Object { handle, file: ManuallyDrop::new(file) };
        let mut map: *const LinkMap = core::ptr::null();
        // SAFETY: a handle of the loader and a place for the result.
        if unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) } != 0 {
            return Err(error("dlinfo", loader_error()));
        }
        // SAFETY: the record of an object that is loaded.
        let map = unsafe { &*map };
        // SAFETY: as above.
        unsafe { redirect(map, device.number)? };
        let range = map.base..map.base + extent(map.base);
        let code = fault::Code::add(range.start, range.end, device.number);
        Ok(Self { range, code, object })
    }

    /// What tells images apart.
    pub fn handle(&self) -> usize {
        self.object.handle as usize
    }

    /// Address and size of a symbol of the image itself: the loader would also look in libraries that the image needs.
    pub fn symbol(&self, name: &CStr) -> Option<(usize, usize)> {
        // SAFETY: a handle of `dlopen` and a C string.
        let address = unsafe { libc::dlsym(self.object.handle, name.as_ptr()) };
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        let mut symbol: *const libc::Elf64_Sym = core::ptr::null();
        // SAFETY: places for the results; null is the address of no object.
        let found =
            unsafe { libc::dladdr1(address, info.as_mut_ptr(), (&raw mut symbol).cast(), RTLD_DL_SYMENT) };
        // SAFETY: written by a successful call.
        let own = found != 0 && unsafe { info.assume_init_ref() }.dli_fbase as usize == self.range.start;
        // SAFETY: null, or an entry of the image's symbol table.
        let size = unsafe { symbol.as_ref() }.map_or(0, |symbol| symbol.st_size as usize);
        own.then_some((address as usize, size))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.code.remove();
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let path = path(&self.file);
        // SAFETY: a handle of `dlopen`, used no more; then the question whether the object is still there: some
        // may not be unloaded.
        let gone = unsafe {
            libc::dlclose(self.handle);
            libc::dlopen(path.as_ptr().cast(), libc::RTLD_LAZY | libc::RTLD_NOLOAD).is_null()
        };
        if gone {
            // SAFETY: dropped once.
            unsafe { ManuallyDrop::drop(&mut self.file) };
        }
    }
}

/// The path of an open file, with NUL.
fn path(file: &File) -> String {
    format!("/proc/self/fd/{}\0", file.as_raw_fd())
}

/// A file in memory.
fn write(image: &[u8]) -> std::io::Result<File> {
    // SAFETY: a C string.
    let descriptor = unsafe { libc::memfd_create(c"device image".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that nobody else has.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(image)?;
    Ok(file)
}

fn loader_error() -> String {
    // SAFETY: null or a C string that stays until this thread's next call of the loader.
    unsafe {
        let text = libc::dlerror();
        match text.is_null() {
            true => "no reason given".to_owned(),
            false => CStr::from_ptr(text).to_string_lossy().into_owned(),
        }
    }
}

/// Bytes that the object at `base` takes in memory.
fn extent(base: usize) -> usize {
    let end = |header: &libc::Elf64_Phdr| (header.p_vaddr + header.p_memsz) as usize;
    let loaded = |header: &&libc::Elf64_Phdr| header.p_type == libc::PT_LOAD;
    let of = |headers: &[libc::Elf64_Phdr]| headers.iter().filter(loaded).map(end).max();
    loaded::find(|other, headers| (other == base).then(|| of(headers)).flatten()).unwrap_or(0)
}

/// `omp_is_initial_device` of device code.
extern "C" fn is_initial_device() -> c_int {
    0
}

/// `omp_get_device_num` of each device.
macro_rules! device_numbers {
    ($($number:literal)*) => {
        [$({
            extern "C" fn device_number() -> c_int {
                $number
            }
            device_number as extern "C" fn() -> c_int
        }),*]
    };
}
const DEVICE_NUMBERS: [extern "C" fn() -> c_int; 32] =
    device_numbers!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// Points the image's references to functions that libomp answers for the host at answers for the device.
///
/// # Safety
/// An object that is loaded and whose code does not run yet.
unsafe fn redirect(map: &LinkMap, device: i32) -> DeviceResult<()> {
    const DT_NULL: i64 = 0;
    const DT_PLTRELSZ: i64 = 2;
    const DT_STRTAB: i64 = 5;
    const DT_SYMTAB: i64 = 6;
    const DT_RELA: i64 = 7;
    const DT_RELASZ: i64 = 8;
    const DT_JMPREL: i64 = 23;

    let number = usize::try_from(device).ok().and_then(|number| DEVICE_NUMBERS.get(number));
    let number = *number.ok_or_else(|| error("load", format!("device number {device} is too large")))?;
    let answers = [
        (c"omp_get_device_num", number),
        (c"omp_get_device_num_", number),
        (c"omp_is_initial_device", is_initial_device as extern "C" fn() -> c_int),
        (c"omp_is_initial_device_", is_initial_device),
    ];

    let value = |wanted: i64| {
        // SAFETY: the dynamic section of a loaded object ends with DT_NULL.
        let entries = (0..).map(|index| unsafe { &*map.dynamic.add(index) });
        let mut entries = entries.take_while(|entry| entry.tag != DT_NULL);
        entries.find(|entry| entry.tag == wanted).map_or(0, |entry| entry.value)
    };
    // The loader has made these addresses.
    let symbols: *const libc::Elf64_Sym = with_exposed_provenance(value(DT_SYMTAB));
    let strings: *const libc::c_char = with_exposed_provenance(value(DT_STRTAB));
    for (table, bytes) in [(value(DT_JMPREL), value(DT_PLTRELSZ)), (value(DT_RELA), value(DT_RELASZ))] {
        let count = bytes / size_of::<Relocation>();
        for index in 0..count {
            // SAFETY: a table of this many relocations, whose symbols and names are those of the same object.
            let (relocation, name) = unsafe {
                let relocation = &*with_exposed_provenance::<Relocation>(table).add(index);
                let symbol = &*symbols.add((relocation.info >> 32) as usize);
                (relocation, CStr::from_ptr(strings.add(symbol.st_name as usize)))
            };
            if let Some((_, answer)) = answers.iter().find(|(wanted, _)| *wanted == name) {
                // SAFETY: a slot for the address of a function, by its relocation.
                unsafe { set(map.base + relocation.offset, *answer)? };
            }
        }
    }
    Ok(())
}

/// Writes a slot that the loader may have made read-only.
///
/// # Safety
/// `slot` is an aligned slot for the address of a function.
unsafe fn set(slot: usize, answer: extern "C" fn() -> c_int) -> DeviceResult<()> {
    // SAFETY: a plain question.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let start = with_exposed_provenance_mut::<c_void>(slot / page * page);
    // SAFETY: the page of the slot, which no code is in.
    if unsafe { libc::mprotect(start, page, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
        return Err(error("mprotect", std::io::Error::last_os_error().to_string()));
    }
    let slot: *mut Option<extern "C" fn() -> c_int> = with_exposed_provenance_mut(slot);
    debug_assert_ne!(slot, null_mut());
    // SAFETY: by the contract, and writable now.
    unsafe { slot.write(Some(answer)) };
    Ok(())
}
