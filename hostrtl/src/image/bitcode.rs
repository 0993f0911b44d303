//! The target of LLVM bitcode: just enough of the bitstream format to find the triple's record.
//!
//! <https://llvm.org/docs/BitCodeFormat.html>. The writer puts the triple before everything in the module that needs an
//! abbreviation, so whole blocks are skipped and only unabbreviated records are read; a file that begins otherwise has no
//! target here.

/// How bitcode begins. (A wrapper, `0x0b17c0de`, is Apple's alone.)
pub const MAGIC: [u8; 4] = *b"BC\xc0\xde";

const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const UNABBREVIATED: u64 = 3;

/// Bits of an abbreviation's number outside of all blocks.
const TOP_LEVEL_WIDTH: u32 = 2;

const MODULE_BLOCK: u64 = 8;
/// Code of the record of a module that holds its triple, a letter an operand.
const TRIPLE: u64 = 2;

/// The architecture, `nvptx64` of `nvptx64-nvidia-cuda`.
pub fn target(image: &[u8]) -> Option<String> {
    let triple = triple(image)?;
    Some(triple.split('-').next()?.to_owned())
}

fn triple(image: &[u8]) -> Option<String> {
    let mut bits = Bits { bytes: image, position: 8 * MAGIC.len() };
    loop {
        if bits.take(TOP_LEVEL_WIDTH)? != ENTER_SUBBLOCK {
            return None;
        }
        let block = bits.enter()?;
        if block.id != MODULE_BLOCK {
            bits.position = block.end;
            continue;
        }
        loop {
            match bits.take(block.width)? {
                ENTER_SUBBLOCK => bits.position = bits.enter()?.end,
                UNABBREVIATED => {
                    let code = bits.variable(6)?;
                    let operands = bits.variable(6)?;
                    if code == TRIPLE {
                        return (0..operands).map(|_| char::from_u32(bits.variable(6)? as u32)).collect();
                    }
                    for _ in 0..operands {
                        bits.variable(6)?;
                    }
                }
                END_BLOCK | 2.. => return None,
            }
        }
    }
}

/// The head of a block.
struct Block {
    id: u64,
    /// Bits of an abbreviation's number inside.
    width: u32,
    /// Bit behind the block.
    end: usize,
}

struct Bits<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Bits<'_> {
    /// A number of at most 32 bits.
    fn take(&mut self, width: u32) -> Option<u64> {
        let mut value = 0;
        for bit in 0..width {
            let byte = self.bytes.get(self.position / 8)?;
            value |= u64::from(byte >> (self.position % 8) & 1) << bit;
            self.position += 1;
        }
        Some(value)
    }

    /// A number in pieces of `width` bits, of which the highest tells whether another piece follows.
    fn variable(&mut self, width: u32) -> Option<u64> {
        let more = 1 << (width - 1);
        let (mut value, mut shift) = (0, 0);
        loop {
            let piece = self.take(width)?;
            value |= (piece & (more - 1)).checked_shl(shift)?;
            if piece & more == 0 {
                return Some(value);
            }
            shift += width - 1;
        }
    }

    fn enter(&mut self) -> Option<Block> {
        let id = self.variable(8)?;
        let width = u32::try_from(self.variable(4)?).ok().filter(|width| *width <= 32)?;
        self.position = self.position.next_multiple_of(32);
        let words = self.take(32)? as usize;
        Some(Block { id, width, end: self.position + 32 * words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::ImageKind;

    #[test]
    fn what_is_no_bitcode_has_no_target() {
        for bytes in [&b"BC\xc0\xde"[..], b"BC\xc0\xde....", &[0xff; 64]] {
            assert_eq!(target(bytes), None);
        }
        assert_eq!(ImageKind::of(b"BC\xc0\xde...."), ImageKind::Unknown);
    }
}
