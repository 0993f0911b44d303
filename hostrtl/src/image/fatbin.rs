//! What is in a fat binary: the driver chooses among its members, so here they are only listed.
//!
//! NVIDIA documents none of this; measured on files of `fatbinary` of CUDA 12 and 13. A header of 16 bytes (magic, version,
//! its own size at 6, bytes behind it at 8), then the members, each with a header: kind (1 PTX, 2 ELF) at 0, its own size
//! at 4, bytes of the contents at 8, architecture at 28.

use super::{Capability, ImageKind};

/// How a container begins: `0xba55ed50`.
pub const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

const PTX: u16 = 1;
const ELF: u16 = 2;

/// The members of a container, in their order; `None` when it is cut off.
pub fn members(image: &[u8]) -> Option<Vec<ImageKind>> {
    let start = usize::from(u16::from_le_bytes(field(image, 6)?));
    let size = usize::try_from(u64::from_le_bytes(field(image, 8)?)).ok()?;
    let mut rest = image.get(start..start.checked_add(size)?)?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let header = u32::from_le_bytes(field(rest, 4)?) as usize;
        let contents = usize::try_from(u64::from_le_bytes(field(rest, 8)?)).ok()?;
        let arch = Capability::from_sm(u32::from_le_bytes(field(rest, 28)?));
        members.push(match u16::from_le_bytes(field(rest, 0)?) {
            PTX => ImageKind::Ptx { arch, exact: false },
            ELF => ImageKind::Cubin { arch },
            _ => ImageKind::Unknown,
        });
        // A header is longer than what is read of it here, so this comes to an end.
        rest = rest.get(header.max(1).checked_add(contents)?..)?;
    }
    Some(members)
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(kind: u16, sm: u32, contents: usize) -> Vec<u8> {
        let mut bytes = vec![0; 64 + contents];
        bytes[..2].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&64_u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&(contents as u64).to_le_bytes());
        bytes[28..32].copy_from_slice(&sm.to_le_bytes());
        bytes
    }

    fn container(members: &[Vec<u8>]) -> Vec<u8> {
        let contents = members.concat();
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((contents.len() as u64).to_le_bytes());
        bytes.extend(contents);
        bytes
    }

    #[test]
    fn members_in_order() {
        let image = container(&[member(2, 80, 100), member(1, 90, 7), member(9, 90, 0)]);
        let arch = Capability::from_sm;
        let expected = [
            ImageKind::Cubin { arch: arch(80) },
            ImageKind::Ptx { arch: arch(90), exact: false },
            ImageKind::Unknown,
        ];
        assert_eq!(members(&image).unwrap(), expected);
        assert_eq!(ImageKind::of(&image), ImageKind::Fatbin(expected.into()));
        assert_eq!(members(&container(&[])), Some(vec![]));
    }

    #[test]
    fn every_cut_is_noticed() {
        let image = container(&[member(2, 80, 10), member(1, 90, 10)]);
        for size in 0..image.len() {
            assert_eq!(members(&image[..size]), None, "{size} bytes");
        }
    }

    #[test]
    fn a_header_that_claims_no_size_comes_to_an_end() {
        let mut empty = member(1, 90, 0);
        empty[4..8].fill(0);
        assert_eq!(members(&container(&[empty])), None);
    }
}
