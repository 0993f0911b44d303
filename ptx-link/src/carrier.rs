//! PTX text in a relocatable ELF file: what the stand-in for `ptxas` writes.
//!
//! LLVM's tools take it for a cubin. They look at the machine and, to find out which members of an archive are needed,
//! at the global symbols.

use crate::module::{Linkage, Module, Sort};
use anyhow::{Context, Result};
use object::read::elf::{ElfFile64, FileHeader as _};
use object::write::StringId;
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};
use object::{Endianness, LittleEndian, Object, ObjectSection, elf};
use std::collections::{BTreeMap, HashSet};

/// The section with the text.
pub const SECTION: &str = ".nv_ptx";

/// What CUDA 13 writes: ELFOSABI_CUDA, its version 8, the architecture in bits 8 to 15 of the flags.
const OS_ABI: u8 = 0x41;
const ABI_VERSION: u8 = 8;
const FLAGS: u32 = 0x0600_0004;

/// A symbol of the table, as ELF writes it.
struct Entry {
    name: StringId,
    info: u8,
    defined: bool,
}

/// The file that carries `module`.
///
/// # Errors
/// It would be larger than ELF allows.
pub fn write(module: &Module) -> Result<Vec<u8>> {
    let mut file = vec![];
    let mut writer = Writer::new(Endianness::Little, true, &mut file);
    let text = module.text.as_bytes();

    writer.reserve_file_header();
    let text_at = writer.reserve(text.len(), 1);
    writer.reserve_null_section_index();
    let section_name = writer.add_section_name(SECTION.as_bytes());
    let section = writer.reserve_section_index();
    let symbols = symbols(module);
    let entries: Vec<Entry> = symbols
        .iter()
        .map(|(name, &(info, defined))| {
            writer.reserve_symbol_index(defined.then_some(section));
            Entry { name: writer.add_string(name.as_bytes()), info, defined }
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

    writer
        .write_file_header(&FileHeader {
            os_abi: OS_ABI,
            abi_version: ABI_VERSION,
            e_type: elf::ET_REL,
            e_machine: elf::EM_CUDA,
            e_entry: 0,
            e_flags: FLAGS | module.target << 8,
        })
        .context("the header")?;
    writer.write(text);
    writer.write_null_symbol();
    for Entry { name, info, defined } in entries {
        writer.write_symbol(&Sym {
            name: Some(name),
            section: defined.then_some(section),
            st_info: info,
            st_other: 0,
            st_shndx: elf::SHN_UNDEF,
            st_value: 0,
            st_size: 0,
        });
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    writer.write_section_header(&SectionHeader {
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
    });
    writer.write_symtab_section_header(1); // the null symbol alone is local
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(file)
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
