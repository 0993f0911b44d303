//! The device images of a program: what it registers, or, in files that are not linked, the records of LLVM's offload
//! binary format.
//!
//! Either way the bytes are in the section `.llvm.offloading`. clang-linker-wrapper puts records there, and
//! llvm-offload-wrapper the images as they are, so that only the program's own table tells where each begins and ends.

mod registered;

use anyhow::{Context, Result, bail};
use hostrtl::image::ImageKind;
use object::{Object, ObjectSection, ObjectSymbol};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

const SECTION: &str = ".llvm.offloading";
/// What ends the name of the variable beside each kernel.
const KERNEL_ENVIRONMENT: &str = "_kernel_environment";
/// First bytes of a record.
const MAGIC: &[u8] = b"\x10\xff\x10\xad";

/// One image.
#[derive(Serialize)]
pub struct Image {
    /// What it is, in words.
    pub kind: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its kernels, by their symbols.
    pub kernels: Vec<String>,
    /// Numbers of the devices that it runs on.
    pub runs_on: Vec<usize>,
    /// What to do when it runs on none.
    pub advice: Option<String>,
    #[serde(skip)]
    pub image: ImageKind,
}

/// The images of a program or library.
///
/// # Errors
/// The file cannot be read, is no ELF file, or has a broken record.
pub fn of_file(path: &Path) -> Result<Vec<Image>> {
    let file = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let object = object::File::parse(&*file).with_context(|| format!("{} is no program", path.display()))?;
    let Some(section) = object.section_by_name(SECTION) else { return Ok(Vec::new()) };
    let mut records = section.data().context("the images cannot be read")?;
    let registered = registered::images(&object, section.address(), records);
    if !registered.is_empty() {
        return Ok(registered.into_iter().map(describe).collect());
    }
    let mut images = Vec::new();
    // Records of several files follow each other, with zeros between.
    while let Some(at) = records.windows(MAGIC.len()).position(|window| window == MAGIC) {
        records = &records[at..];
        let (image, size) = record(records).with_context(|| format!("{}: broken image", path.display()))?;
        images.push(describe(image));
        records = &records[size..];
    }
    Ok(images)
}

/// The image of the record at the begin of `bytes`, and the size of the record.
fn record(bytes: &[u8]) -> Result<(&[u8], usize)> {
    let number = |at: usize| -> Result<usize> {
        let field = bytes.get(at..at.saturating_add(8)).context("the record ends early")?;
        Ok(usize::try_from(u64::from_le_bytes(field.try_into()?))?)
    };
    // Header: magic, version, size, offset of the entry. Entry: kinds and flags, strings, then offset and size.
    let (size, entry) = (number(8)?, number(16)?);
    let (offset, length) = (number(entry.saturating_add(24))?, number(entry.saturating_add(32))?);
    match (bytes.get(offset..offset.saturating_add(length)), bytes.get(..size)) {
        (Some(image), Some(_)) if size > 0 => Ok((image, size)),
        _ => bail!("the record names bytes that are not there"),
    }
}

fn describe(bytes: &[u8]) -> Image {
    let image = ImageKind::of(bytes);
    Image {
        kind: image.to_string(),
        bytes: bytes.len(),
        kernels: kernels(bytes),
        runs_on: Vec::new(),
        advice: None,
        image,
    }
}

/// The kernels of an image: what PTX calls an entry, or in ELF files the functions that a kernel environment stands
/// beside.
fn kernels(bytes: &[u8]) -> Vec<String> {
    let mut found = BTreeSet::new();
    if let Ok(object) = object::File::parse(bytes) {
        let names = object.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
        found.extend(names.filter_map(|name| name.strip_suffix(KERNEL_ENVIRONMENT).map(str::to_owned)));
    } else {
        for line in String::from_utf8_lossy(bytes).lines() {
            let Some((_, name)) = line.split_once(".entry ") else { continue };
            found.extend(name.split(['(', ' ']).next().filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(image: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(1_u32.to_le_bytes());
        let words = [72 + image.len() as u64, 32, 40, 1 << 16 | 1, 72, 0, 72, image.len() as u64];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(image);
        bytes
    }

    #[test]
    fn a_record() {
        let bytes = bytes_of(b"image");
        assert_eq!(record(&bytes).unwrap(), (&b"image"[..], bytes.len()));
        for end in 0..bytes.len() {
            assert!(record(&bytes[..end]).is_err(), "{end}");
        }
        let mut wild = bytes_of(b"");
        wild[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(record(&wild).is_err());
    }

    #[test]
    fn kernels_of_ptx() {
        let ptx =
            b".version 7.8\n.target sm_90\n.visible .entry a(\n.weak .entry b (.param .u64 x)\n.func c()\n";
        assert_eq!(kernels(ptx), ["a", "b"]);
        let image = describe(ptx);
        assert_eq!((image.kind.as_str(), image.bytes), ("PTX for sm_90", ptx.len()));
    }
}
