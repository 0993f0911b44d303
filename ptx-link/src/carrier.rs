//! PTX text in an ELF file: what the stand-in for `ptxas` writes, and that for `nvlink` if the image is to be one.
//!
//! LLVM's tools take it for a cubin. They look at the machine and, to find out which members of an archive are needed,
//! at the global symbols; LLVM's libomptarget reads variables out of the image.

use crate::data;
use crate::module::{Linkage, Module, Sort};
use anyhow::{Context, Result};
use object::read::elf::{ElfFile64, FileHeader as _};
use object::write::StringId;
use object::write::elf::{FileHeader, SectionHeader, SectionIndex, Sym, Writer};
use object::{Endianness, LittleEndian, Object, ObjectSection, elf};
use std::collections::{BTreeMap, HashSet};

/// The section with the text.
pub const SECTION: &str = ".nv_ptx";
/// Sections of an image with variables, by the names that NVIDIA's tools give them.
const INITIALISED: &str = ".nv.global.init";
const ZERO: &str = ".nv.global";
/// Alignment of variables in their sections.
const ALIGNMENT: usize = 16;

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Input of a linker.
    Link,
    /// Image of a program, with the initial values of its variables.
    Load,
}

impl Use {
    /// Type, operating system, its version, and flags of the header. For the linker it is what CUDA 13 writes:
    /// ELFOSABI_CUDA, version 8, the architecture in bits 8 to 15 of the flags. For loading it is the form of CUDA 12, with
    /// the architecture in the low byte, which is the only one that LLVM 19's libomptarget knows.
    const fn header(self, architecture: u32) -> (u16, u8, u8, u32) {
        match self {
            Self::Link => (elf::ET_REL, 0x41, 8, 0x0600_0004 | architecture << 8),
            Self::Load => (elf::ET_EXEC, 0x33, 7, architecture << 16 | 0x500 | architecture),
        }
    }
}

/// A symbol of the table, as ELF writes it.
struct Entry {
    name: StringId,
    info: u8,
    /// Section, offset and size, if it is defined.
    place: Option<(SectionIndex, u64, u64)>,
}

/// The file that carries `module`.
///
/// # Errors
/// It would be larger than ELF allows.
pub fn write(module: &Module, purpose: Use) -> Result<Vec<u8>> {
    let mut file = vec![];
    let mut writer = Writer::new(Endianness::Little, true, &mut file);
    let text = module.text.as_bytes();
    let variables = Variables::of(module, purpose);

    writer.reserve_file_header();
    let text_at = writer.reserve(text.len(), 1);
    let bytes_at = writer.reserve(variables.bytes.len(), ALIGNMENT);
    writer.reserve_null_section_index();
    let section_name = writer.add_section_name(SECTION.as_bytes());
    let section = writer.reserve_section_index();
    let data = (purpose == Use::Load).then(|| {
        [INITIALISED, ZERO]
            .map(|name| (writer.add_section_name(name.as_bytes()), writer.reserve_section_index()))
    });
    let entries: Vec<Entry> = symbols(module)
        .into_iter()
        .map(|(name, (info, defined))| {
            let place = defined.then(|| match (&data, variables.places.get(name)) {
                (Some([initialised, zero]), Some(place)) => {
                    let section = if place.initialised { initialised.1 } else { zero.1 };
                    (section, place.at as u64, place.size)
                }
                _ => (section, 0, 0),
            });
            writer.reserve_symbol_index(place.map(|(section, ..)| section));
            Entry { name: writer.add_string(name.as_bytes()), info, place }
        })
        .collect();
    writer.reserve_symtab_section_index();
    writer.require_strtab();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();
    writer.reserve_symtab();
    writer.reserve_strtab();
    writer.reserve_shstrtab();
    writer.reserve_section_headers();

    let (e_type, os_abi, abi_version, e_flags) = purpose.header(module.target);
    writer
        .write_file_header(&FileHeader {
            os_abi,
            abi_version,
            e_type,
            e_machine: elf::EM_CUDA,
            e_entry: 0,
            e_flags,
        })
        .context("the header")?;
    writer.write(text);
    writer.write_align(ALIGNMENT);
    writer.write(&variables.bytes);
    writer.write_null_symbol();
    for Entry { name, info, place } in entries {
        writer.write_symbol(&Sym {
            name: Some(name),
            section: place.map(|(section, ..)| section),
            st_info: info,
            st_other: 0,
            st_shndx: elf::SHN_UNDEF,
            st_value: place.map_or(0, |(_, at, _)| at),
            st_size: place.map_or(0, |(.., size)| size),
        });
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    let plain = SectionHeader {
        name: Some(section_name),
        sh_type: elf::SHT_PROGBITS,
        sh_flags: 0,
        sh_addr: 0,
        sh_offset: text_at as u64,
        sh_size: text.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 1,
        sh_entsize: 0,
    };
    writer.write_section_header(&plain);
    if let Some([initialised, zero]) = data {
        let (sh_flags, sh_addralign) = (u64::from(elf::SHF_ALLOC | elf::SHF_WRITE), ALIGNMENT as u64);
        let header = SectionHeader { sh_flags, sh_addralign, sh_offset: bytes_at as u64, ..plain };
        let sh_size = variables.bytes.len() as u64;
        writer.write_section_header(&SectionHeader { name: Some(initialised.0), sh_size, ..header.clone() });
        let (name, sh_type) = (Some(zero.0), elf::SHT_NOBITS);
        writer.write_section_header(&SectionHeader { name, sh_type, sh_size: variables.zeros, ..header });
    }
    writer.write_symtab_section_header(1); // the null symbol alone is local
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(file)
}

/// Where a variable lies in its section.
struct Place {
    initialised: bool,
    at: usize,
    size: u64,
}

/// The variables of an image.
#[derive(Default)]
struct Variables<'a> {
    places: BTreeMap<&'a str, Place>,
    bytes: Vec<u8>,
    zeros: u64,
}

impl<'a> Variables<'a> {
    /// Those in global and constant memory that others may see; none in a file for the linker.
    fn of(module: &'a Module, purpose: Use) -> Self {
        let mut all = Self::default();
        if purpose == Use::Link {
            return all;
        }
        for symbol in &module.symbols {
            let in_memory = module.word(symbol.tokens.start) != ".shared";
            let wanted =
                symbol.sort == Sort::Variable && symbol.defined && symbol.linkage != Linkage::Internal;
            let (true, Some(size)) = (in_memory && wanted, module.size_of(symbol)) else { continue };
            let initial = data::initial(module, symbol);
            let at = match &initial {
                Some(bytes) => {
                    all.bytes.resize(all.bytes.len().next_multiple_of(ALIGNMENT), 0);
                    all.bytes.extend(bytes);
                    all.bytes.len() - bytes.len()
                }
                None => {
                    let at = all.zeros.next_multiple_of(ALIGNMENT as u64);
                    all.zeros = at + size;
                    at as usize
                }
            };
            all.places.insert(&symbol.name, Place { initialised: initial.is_some(), at, size });
        }
        all
    }
}

/// Symbols that other files define or may see: `st_info`, and whether this one defines it.
fn symbols(module: &Module) -> BTreeMap<&str, (u8, bool)> {
    let words = |symbol: &crate::module::Symbol| symbol.tokens.clone();
    let defined = module.symbols.iter().filter(|symbol| symbol.defined);
    let used: HashSet<&str> = defined.flat_map(words).map(|token| module.word(token)).collect();
    let mut table = BTreeMap::new();
    for symbol in &module.symbols {
        let kind = match symbol.sort {
            Sort::Function | Sort::Kernel | Sort::Alias => elf::STT_FUNC,
            Sort::Variable => elf::STT_OBJECT,
            Sort::DynamicShared => continue,
        };
        let (binding, kind) = match symbol.linkage {
            Linkage::Visible if symbol.defined => (elf::STB_GLOBAL, kind),
            Linkage::Weak if symbol.defined => (elf::STB_WEAK, kind),
            Linkage::Extern if used.contains(symbol.name.as_str()) => (elf::STB_GLOBAL, elf::STT_NOTYPE),
            _ => continue,
        };
        table.insert(symbol.name.as_str(), (binding << 4 | kind, symbol.defined));
    }
    table
}

/// The text that a file carries, if it is one of [`write`].
pub fn read(file: &[u8]) -> Option<String> {
    let header = elf::FileHeader64::<LittleEndian>::parse(file).ok()?;
    if header.e_machine.get(LittleEndian) != elf::EM_CUDA {
        return None;
    }
    let section = ElfFile64::<LittleEndian>::parse(file).ok()?;
    let text = section.section_by_name(SECTION)?.data().ok()?.to_vec();
    String::from_utf8(text).ok()
}
