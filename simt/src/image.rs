//! Images: what a driver is asked to load, and the PTX in it.
//!
//! Read are PTX text, ELF files that carry PTX (written by `ptx-link`, see [`ptx_link::carrier`]), and fat binaries, the
//! containers of the CUDA toolkit. Machine code of a GPU is refused.

mod fatbin;

use object::LittleEndian;
use object::elf::{EM_CUDA, FileHeader64, SHT_NOBITS};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use std::fmt;

/// Why an image cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Whether it is an image, but has nothing that this device can run.
    pub is_image: bool,
    /// What it is and what to do, in words.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

fn invalid<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { is_image: false, message: message.into() })
}

fn no_code<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { is_image: true, message: message.into() })
}

/// What to do about an image without PTX.
const BUILD_WITH_PTX: &str = "Build the program so that the image is PTX (`omptarget cc`, or clang with the --cuda-path \
                              of an installation), or run it on a GPU";

const ELF: &[u8] = b"\x7fELF";

/// The PTX of an image, for a device of the architecture `sm` (90 for `sm_90`): of several texts in a container the one
/// for the newest architecture that the device can run.
///
/// # Errors
/// It is no image, or has no PTX.
pub fn ptx(image: &[u8], sm: u32) -> Result<String, Refusal> {
    if image.starts_with(ELF) {
        return elf(image);
    }
    if let Some(container) = fatbin::Container::parse(image) {
        return fatbin::choose(&container?, sm);
    }
    if fatbin::is_wrapper(image) {
        return invalid(
            "the image is the wrapper of a fat binary, which says where in memory that is: not a file",
        );
    }
    let text = image.split(|&byte| byte == 0).next().unwrap_or(&[]);
    match str::from_utf8(text) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => invalid("the image is neither ELF, nor a fat binary, nor text in UTF-8"),
    }
}

fn elf(file: &[u8]) -> Result<String, Refusal> {
    let header = match FileHeader64::<LittleEndian>::parse(file) {
        Ok(header) => header,
        Err(error) => return invalid(format!("the image is an ELF file that cannot be read: {error}")),
    };
    if header.e_machine(LittleEndian) != EM_CUDA {
        return invalid("the image is an ELF file, but not for a GPU");
    }
    match ptx_link::carrier::read(file) {
        Some(text) => Ok(text),
        None => no_code(format!(
            "the image is a cubin: machine code of a GPU cannot run on the SIMT device. {BUILD_WITH_PTX}"
        )),
    }
}

/// The bytes of an image that is given by its address alone.
///
/// # Safety
/// `image` points at an image as `cuModuleLoadData` takes it, which lives for `'a`: an ELF file, a fat binary or its
/// wrapper, or terminated text.
pub(crate) unsafe fn at<'a>(image: *const u8) -> &'a [u8] {
    // Text may be shorter than a magic number: no byte is read before all bytes in front of it have matched.
    // SAFETY: a byte is read only if those before it are as in the magic number, which holds no terminator.
    let begins = |magic: &[u8]| magic.iter().enumerate().all(|(at, &byte)| unsafe { *image.add(at) } == byte);
    let bytes = if begins(ELF) {
        // SAFETY: an ELF file, by the contract.
        unsafe { elf_bytes(image) }
    } else if begins(&fatbin::WRAPPER) {
        // SAFETY: the wrapper of a container, by the contract.
        return unsafe { at(fatbin::wrapped(image)) };
    } else if begins(&fatbin::CONTAINER) {
        // SAFETY: a container, by the contract.
        unsafe { fatbin::bytes(image) }
    } else {
        // SAFETY: what is none of these is terminated text, by the contract.
        unsafe { std::ffi::CStr::from_ptr(image.cast()) }.count_bytes()
    };
    // SAFETY: as many bytes as the image says that it has.
    unsafe { std::slice::from_raw_parts(image, bytes) }
}

/// Bytes of an ELF file up to the end of its last section or table; those of the header if that is not one of 64 bits.
///
/// # Safety
/// An ELF file stands at `file`.
unsafe fn elf_bytes(file: *const u8) -> usize {
    const HEADER: usize = size_of::<FileHeader64<LittleEndian>>();
    // SAFETY: an ELF file has a header; those of 32 bits have 52 bytes and at least one table behind it.
    let start = unsafe { std::slice::from_raw_parts(file, HEADER) };
    let Ok(header) = FileHeader64::<LittleEndian>::parse(start) else { return HEADER };
    let table = |at: u64, entry: u16, count: u16| at.saturating_add(u64::from(entry) * u64::from(count));
    let little = LittleEndian;
    let tables = table(header.e_shoff(little), header.e_shentsize(little), header.e_shnum(little))
        .max(table(header.e_phoff(little), header.e_phentsize(little), header.e_phnum(little)))
        .max(HEADER as u64);
    // SAFETY: the file reaches at least to the ends of the tables that its header names.
    let to_tables = unsafe { std::slice::from_raw_parts(file, tables as usize) };
    let sections = header.section_headers(little, to_tables).unwrap_or_default();
    let ends = sections.iter().filter(|section| section.sh_type(little) != SHT_NOBITS);
    let ends = ends.map(|section| section.sh_offset(little).saturating_add(section.sh_size(little)));
    ends.fold(tables, u64::max) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_link::{Module, carrier};

    const PTX: &str = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

    fn carried(purpose: carrier::Use) -> Vec<u8> {
        carrier::write(&Module::parse("a", PTX.to_owned()).unwrap(), purpose).unwrap()
    }

    #[test]
    fn text_ends_at_its_terminator() {
        assert_eq!(ptx(PTX.as_bytes(), 90).unwrap(), PTX);
        assert_eq!(ptx(&[PTX.as_bytes(), b"\0rest"].concat(), 90).unwrap(), PTX);
        assert!(!ptx(b"\xff\xfe", 90).unwrap_err().is_image);
    }

    #[test]
    fn elf_files_with_and_without_ptx() {
        for purpose in [carrier::Use::Link, carrier::Use::Load] {
            let mut file = carried(purpose);
            assert_eq!(ptx(&file, 90).unwrap(), PTX);
            // SAFETY: an ELF file.
            assert_eq!(unsafe { at(file.as_ptr()) }, file, "its length is found");
            let name = file.windows(7).position(|bytes| bytes == b".nv_ptx").unwrap();
            file[name] = b'!';
            let refusal = ptx(&file, 90).unwrap_err();
            assert!(refusal.is_image && refusal.message.contains("cubin"), "{refusal}");
            file[18] = 62;
            assert!(!ptx(&file, 90).unwrap_err().is_image);
            for length in 0..file.len() {
                let _ = ptx(&file[..length], 90); // refused or read, but never a panic
            }
        }
    }
}
