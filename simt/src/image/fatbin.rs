//! Fat binaries: PTX and cubins for several architectures in one container.
//!
//! NVIDIA documents none of this; the layout is as nvcc's `fatbinary` of CUDA 11 to 13 writes it. A container is a header
//! of 16 bytes (magic, version, size of the header, bytes behind it) and entries, each with a header: kind (1 PTX, 2 ELF)
//! at 0, its own size at 4, padded bytes of the contents at 8, bytes when compressed at 16, architecture at 28, flags at
//! 40, bytes when not compressed at 56.

use super::{BUILD_WITH_PTX, Refusal, elf, invalid, no_code};
use std::io::Read;

/// How a container begins: `0xba55ed50`.
pub(super) const CONTAINER: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
/// How the structure in a program begins that points at a container: `0x466243b1`.
pub(super) const WRAPPER: [u8; 4] = 0x4662_43b1_u32.to_le_bytes();

const KIND_PTX: u16 = 1;
const KIND_ELF: u16 = 2;
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

/// More than any PTX text: a container that says so is wrong.
const MOST_TEXT: usize = 1 << 30;

/// Whether it is the structure that points at a container.
pub(super) fn is_wrapper(image: &[u8]) -> bool {
    image.starts_with(&WRAPPER)
}

/// Where the container of a wrapper is.
///
/// # Safety
/// A wrapper stands at `wrapper`: magic, version, pointer.
pub(super) unsafe fn wrapped(wrapper: *const u8) -> *const u8 {
    // SAFETY: by the contract.
    unsafe { wrapper.add(8).cast::<*const u8>().read_unaligned() }
}

/// Bytes of a container, as its header says.
///
/// # Safety
/// A container stands at `container`.
pub(super) unsafe fn bytes(container: *const u8) -> usize {
    // SAFETY: by the contract.
    let header = unsafe { std::slice::from_raw_parts(container, 16) };
    let size =
        u16_at(header, 6).zip(u64_at(header, 8)).map(|(header, rest)| u64::from(header).saturating_add(rest));
    size.map_or(16, |size| size as usize)
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    field(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    field(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    field(bytes, at).map(u64::from_le_bytes)
}

/// An image in a container.
struct Entry<'a> {
    kind: u16,
    architecture: u32,
    flags: u64,
    contents: &'a [u8],
    uncompressed: usize,
}

/// A container.
pub(super) struct Container<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Container<'a> {
    /// `None` for what does not begin as one.
    pub(super) fn parse(image: &'a [u8]) -> Option<Result<Self, Refusal>> {
        image.starts_with(&CONTAINER).then(|| match Self::entries(image) {
            Some(entries) => Ok(Self { entries }),
            None => invalid("the image is a fat binary that cannot be read: an entry is cut off"),
        })
    }

    fn entries(image: &'a [u8]) -> Option<Vec<Entry<'a>>> {
        let start = usize::from(u16_at(image, 6)?);
        let end = start.checked_add(usize::try_from(u64_at(image, 8)?).ok()?)?;
        let mut rest = image.get(start..end)?;
        let mut entries = vec![];
        while !rest.is_empty() {
            let header = u32_at(rest, 4)? as usize;
            let padded = usize::try_from(u64_at(rest, 8)?).ok()?;
            let flags = u64_at(rest, 40)?;
            let contents = rest.get(header..header.checked_add(padded)?)?;
            let contents = match u32_at(rest, 16)? as usize {
                bytes if flags & (LZ4 | ZSTD) != 0 => contents.get(..bytes)?,
                _ => contents,
            };
            entries.push(Entry {
                kind: u16_at(rest, 0)?,
                architecture: u32_at(rest, 28)?,
                flags,
                contents,
                uncompressed: usize::try_from(u64_at(rest, 56)?).ok()?,
            });
            // A header has more bytes than those that are read here, so this comes to an end.
            rest = rest.get(header.max(64).checked_add(padded)?..)?;
        }
        Some(entries)
    }
}

/// The PTX for the newest architecture up to `sm`, else for the oldest; else that of an ELF file which carries PTX.
pub(super) fn choose(container: &Container<'_>, sm: u32) -> Result<String, Refusal> {
    let of_kind = |kind| container.entries.iter().filter(move |entry| entry.kind == kind);
    let fit =
        of_kind(KIND_PTX).filter(|entry| entry.architecture <= sm).max_by_key(|entry| entry.architecture);
    if let Some(entry) = fit.or_else(|| of_kind(KIND_PTX).min_by_key(|entry| entry.architecture)) {
        let text = unpack(entry)?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        return match str::from_utf8(&text[..end]) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => invalid("the PTX in the fat binary is not text in UTF-8"),
        };
    }
    let mut cubins = vec![];
    for entry in of_kind(KIND_ELF) {
        match elf(&unpack(entry)?) {
            Ok(text) => return Ok(text),
            Err(_) => cubins.push(format!("sm_{}", entry.architecture)),
        }
    }
    let has =
        if cubins.is_empty() { "nothing".into() } else { format!("machine code for {}", cubins.join(", ")) };
    no_code(format!("the image is a fat binary with {has} and no PTX. {BUILD_WITH_PTX}"))
}

fn unpack(entry: &Entry<'_>) -> Result<Vec<u8>, Refusal> {
    if entry.flags & (LZ4 | ZSTD) == 0 {
        return Ok(entry.contents.to_vec());
    }
    // A block of LZ4 grows at most to its 255-fold; zstd is read up to the size that the entry tells.
    let most = entry.contents.len().saturating_mul(255).min(MOST_TEXT);
    let size =
        if entry.flags & LZ4 != 0 { entry.uncompressed.min(most) } else { entry.uncompressed.min(MOST_TEXT) };
    let text = if entry.flags & LZ4 != 0 {
        lz4_flex::block::decompress(entry.contents, size).map_err(|error| error.to_string())
    } else {
        let mut text = vec![];
        ruzstd::decoding::StreamingDecoder::new(entry.contents)
            .map_err(|error| error.to_string())
            .and_then(|decoder| {
                decoder.take(size as u64 + 1).read_to_end(&mut text).map_err(|error| error.to_string())
            })
            .map(|_| text)
    };
    match text {
        Ok(text) if text.len() == entry.uncompressed => Ok(text),
        Ok(_) => invalid("an entry of the fat binary has another size than it says"),
        Err(error) => invalid(format!("an entry of the fat binary cannot be unpacked: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{at, ptx};
    use super::*;

    const PTX: &str = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

    fn entry(kind: u16, architecture: u32, flags: u64, contents: &[u8], uncompressed: usize) -> Vec<u8> {
        let padded = contents.len().next_multiple_of(8);
        let mut bytes = vec![0; 64 + padded];
        bytes[0..2].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&64_u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        bytes[16..20].copy_from_slice(&(contents.len() as u32).to_le_bytes());
        bytes[28..32].copy_from_slice(&architecture.to_le_bytes());
        bytes[40..48].copy_from_slice(&flags.to_le_bytes());
        bytes[56..64].copy_from_slice(&(uncompressed as u64).to_le_bytes());
        bytes[64..64 + contents.len()].copy_from_slice(contents);
        bytes
    }

    fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let entries = entries.concat();
        let size = (entries.len() as u64).to_le_bytes();
        [&CONTAINER[..], &[1, 0, 16, 0], &size, &entries].concat()
    }

    fn text(sm: u32) -> String {
        PTX.replace("80", &sm.to_string())
    }

    /// A frame of zstd with one block that is stored as it is (RFC 8878, 3.1.1).
    fn zstd(contents: &[u8]) -> Vec<u8> {
        let block = (contents.len() as u32) << 3 | 1;
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
        frame.extend((contents.len() as u32).to_le_bytes());
        frame.extend(&block.to_le_bytes()[..3]);
        frame.extend(contents);
        frame
    }

    /// A block of LZ4 with one sequence of literals.
    fn lz4(contents: &[u8]) -> Vec<u8> {
        let mut block = vec![0xf0];
        let mut rest = contents.len() - 15;
        while rest >= 255 {
            block.push(255);
            rest -= 255;
        }
        block.push(rest as u8);
        block.extend(contents);
        block
    }

    #[test]
    fn the_newest_text_that_fits_is_taken() {
        let plain = |sm| entry(KIND_PTX, sm, 0, text(sm).as_bytes(), 0);
        let all = container(&[plain(75), entry(KIND_ELF, 90, 0, b"\x7fELF", 0), plain(90), plain(120)]);
        for (sm, expected) in [(75, 75), (89, 75), (90, 90), (110, 90), (120, 120), (60, 75)] {
            assert_eq!(ptx(&all, sm).unwrap(), text(expected), "for sm_{sm}");
        }
    }

    #[test]
    fn compressed_text_is_unpacked() {
        for (flag, packed) in [(LZ4, lz4(PTX.as_bytes())), (ZSTD, zstd(PTX.as_bytes()))] {
            let good = container(&[entry(KIND_PTX, 80, flag, &packed, PTX.len())]);
            assert_eq!(ptx(&good, 90).unwrap(), PTX);
            for wrong_size in [PTX.len() - 1, PTX.len() + 1, usize::MAX] {
                let refusal =
                    ptx(&container(&[entry(KIND_PTX, 80, flag, &packed, wrong_size)]), 90).unwrap_err();
                assert!(!refusal.is_image, "{refusal}");
            }
            for length in 0..good.len() {
                assert!(length < 4 || ptx(&good[..length], 90).is_err(), "cut off at {length}");
            }
            for place in 0..good.len() {
                let mut broken = good.clone();
                broken[place] ^= 0xff;
                let _ = ptx(&broken, 90); // whatever it is, it does not panic
            }
        }
    }

    #[test]
    fn machine_code_alone_is_refused_by_its_architectures() {
        let cubins =
            container(&[entry(KIND_ELF, 80, 0, b"\x7fELF", 0), entry(KIND_ELF, 90, 0, b"\x7fELF", 0)]);
        let refusal = ptx(&cubins, 90).unwrap_err();
        assert!(refusal.is_image && refusal.message.contains("sm_80, sm_90"), "{refusal}");
        assert!(ptx(&container(&[]), 90).unwrap_err().is_image);
    }

    #[test]
    fn a_wrapper_leads_to_its_container() {
        let container = container(&[entry(KIND_PTX, 80, 0, PTX.as_bytes(), 0)]);
        let mut wrapper = WRAPPER.to_vec();
        wrapper.extend(1_u32.to_le_bytes());
        wrapper.extend((container.as_ptr().expose_provenance() as u64).to_le_bytes());
        // SAFETY: a wrapper and its container.
        assert_eq!(unsafe { at(wrapper.as_ptr()) }, container);
        assert!(!ptx(&wrapper, 90).unwrap_err().is_image, "in a file the address means nothing");
    }
}
