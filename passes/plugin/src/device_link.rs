//! What else a device link holds. The plugin sees one module: all that is bitcode. Objects of machine code, from files
//! compiled without device LTO or by flang, are linked to it later, and pointers may lead to functions in them.

use object::read::archive::ArchiveFile;
use object::{LittleEndian, elf, read::elf::FileHeader};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of `clang-nvlink-wrapper` whose value is a word of its own and no input.
const WITH_VALUE: [&str; 4] = ["-o", "-mllvm", "-plugin", "-arch"];

/// The first input of this process, by its command line, that holds machine code of a device.
pub fn machine_code() -> Option<PathBuf> {
    inputs(std::env::args_os().skip(1)).into_iter().find(|input| holds_machine_code(input))
}

/// The files on a command line, those behind `-l` among them.
fn inputs(arguments: impl IntoIterator<Item = OsString>) -> Vec<PathBuf> {
    let (mut files, mut libraries, mut folders) = (Vec::new(), Vec::new(), Vec::new());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let (list, value) = match text.get(..2) {
            Some("-L") => (&mut folders, &text[2..]),
            Some("-l") => (&mut libraries, &text[2..]),
            Some(option) if option.starts_with('-') => {
                if WITH_VALUE.contains(&&*text) {
                    arguments.next();
                }
                continue;
            }
            _ => {
                files.push(PathBuf::from(argument));
                continue;
            }
        };
        list.extend(match value {
            "" => arguments.next(),
            _ => Some(value.into()),
        });
    }
    for library in libraries {
        let name = format!("lib{}.a", library.to_string_lossy());
        files.extend(folders.iter().map(|folder| Path::new(folder).join(&name)).find(|file| file.is_file()));
    }
    files
}

/// Whether a file is an ELF file for NVIDIA's devices, or an archive with one. What cannot be read is the linker's to
/// complain about.
fn holds_machine_code(file: &Path) -> bool {
    let Ok(data) = fs::read(file) else { return false };
    match ArchiveFile::parse(&*data) {
        Ok(archive) => {
            archive.members().flatten().any(|member| member.data(&*data).is_ok_and(is_machine_code))
        }
        Err(_) => is_machine_code(&data),
    }
}

fn is_machine_code(data: &[u8]) -> bool {
    let header = elf::FileHeader64::<LittleEndian>::parse(data);
    header.is_ok_and(|header| header.e_machine.get(LittleEndian) == elf::EM_CUDA)
}
