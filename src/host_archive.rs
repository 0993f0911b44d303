//! `libomptarget.devicertl.a`: the device runtime inside a host object, as LLVM up to 19 delivers it.
//!
//! LLVM 19 cannot read LLVM 22's bitcode. So the image in the object is the file that the stand-in `ptxas` makes of PTX,
//! for the architecture `generic`, which clang-linker-wrapper takes for all. Layouts: llvm/Object/OffloadBinary.h and
//! the common form of ar.

use anyhow::{Context, Result};
use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionFlags, SectionKind, elf};
use ptx_link::{Module, carrier};

/// `SHT_LLVM_OFFLOADING`
const SECTION_TYPE: u32 = 0x6fff_4c0b;

/// The archive with `ptx`.
///
/// # Errors
/// The text is not PTX.
pub fn write(ptx: &str) -> Result<Vec<u8>> {
    let module = Module::parse("the device runtime", ptx.to_owned())?;
    Ok(archive("devicertl.o", &host_object(&offload_binary(&carrier::write(&module, carrier::Use::Link)?))?))
}

/// The image with what clang-linker-wrapper asks about it.
fn offload_binary(image: &[u8]) -> Vec<u8> {
    const HEADER: u64 = 32;
    const ENTRY: u64 = 40;
    const CUBIN_AND_OPENMP: u64 = 3 | 1 << 16;
    let properties = ["arch", "generic", "triple", "nvptx64-nvidia-cuda"];
    let strings = HEADER + ENTRY;
    let mut text = vec![];
    let text_at = strings + 8 * properties.len() as u64;
    let places = properties.map(|word| {
        let place = text_at + text.len() as u64;
        text.extend([word.as_bytes(), &[0]].concat());
        place
    });
    let image_at = (text_at + text.len() as u64).next_multiple_of(8);
    let size = (image_at + image.len() as u64).next_multiple_of(8);

    let mut binary = vec![0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0];
    let number_of_strings = properties.len() as u64 / 2;
    let header = [size, HEADER, ENTRY];
    let entry = [CUBIN_AND_OPENMP, strings, number_of_strings, image_at, image.len() as u64];
    for word in header.iter().chain(&entry).chain(&places) {
        binary.extend(word.to_le_bytes());
    }
    binary.extend(text);
    binary.resize(image_at as usize, 0);
    binary.extend(image);
    binary.resize(size as usize, 0);
    binary
}

/// An object of this machine's architecture that the linker leaves out of programs.
fn host_object(binary: &[u8]) -> Result<Vec<u8>> {
    let machine = if cfg!(target_arch = "aarch64") { Architecture::Aarch64 } else { Architecture::X86_64 };
    let mut file = Object::new(BinaryFormat::Elf, machine, Endianness::Little);
    let section = file.add_section(vec![], b".llvm.offloading".to_vec(), SectionKind::Elf(SECTION_TYPE));
    file.section_mut(section).flags = SectionFlags::Elf { sh_flags: u64::from(elf::SHF_EXCLUDE) };
    file.append_section_data(section, binary, 8);
    file.write().context("the host object")
}

/// An archive of one member and an empty table of symbols, without which the linker refuses it.
fn archive(name: &str, member: &[u8]) -> Vec<u8> {
    let header =
        |name: &str, size: usize| format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
    let mut file = b"!<arch>\n".to_vec();
    for (name, contents) in [("/", &[0; 4][..]), (&format!("{name}/"), member)] {
        file.extend(header(name, contents.len()).as_bytes());
        file.extend(contents);
        file.resize(file.len().next_multiple_of(2), b'\n');
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::read::archive::ArchiveFile;
    use object::{Object as _, ObjectSection as _};

    #[test]
    fn the_image_comes_out_again() {
        let ptx = ".version 7.8\n.target sm_75\n.address_size 64\n.visible .func f() { ret; }\n";
        let file = write(ptx).unwrap();
        let archive = ArchiveFile::parse(&file[..]).unwrap();
        let members: Vec<_> = archive.members().map(Result::unwrap).collect();
        assert_eq!(members.len(), 1);
        assert_eq!(members[0].name(), b"devicertl.o");
        let member = members[0].data(&file[..]).unwrap();
        let object = object::File::parse(member).unwrap();
        let binary = object.section_by_name(".llvm.offloading").unwrap().data().unwrap();
        let word = |at: usize| u64::from_le_bytes(binary[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(word(8), binary.len());
        let string = |at: usize| binary[word(at)..].split(|byte| *byte == 0).next().unwrap();
        assert_eq!(
            [72, 80, 88, 96].map(string),
            [&b"arch"[..], b"generic", b"triple", b"nvptx64-nvidia-cuda"]
        );
        let image = &binary[word(56)..][..word(64)];
        assert_eq!(carrier::read(image).unwrap(), ptx);
    }
}
