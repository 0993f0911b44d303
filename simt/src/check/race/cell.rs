//! Shadow memory: what is remembered of the last accesses to each four bytes.

use crate::mem::Mapping;

/// Bytes of memory that one row of cells stands for.
pub const GRAIN: u64 = 4;

/// An access by lanes of one warp; without lanes it is none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Cell {
    /// Number of the CTA (its slot), and below it five bits for the warp.
    pub who: u32,
    /// When, by the clock of the CTA.
    pub time: u32,
    /// Which lanes.
    pub lanes: u32,
    /// Bytes, kind and place.
    pub what: What,
}

/// What an access was: four bits for the bytes of the grain, flags, and the number of the instruction.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct What(pub u32);

impl What {
    /// It wrote.
    pub const WRITE: u32 = 1 << 4;
    /// It was atomic, ordered or volatile: a strong operation.
    pub const STRONG: u32 = 1 << 5;
    /// Its scope was the CTA.
    pub const CTA_SCOPE: u32 = 1 << 6;
    /// It was one of more than four bytes.
    pub const WIDE: u32 = 1 << 7;
    /// It wrote what was there already.
    pub const SAME_VALUE: u32 = 1 << 8;
    /// Everything but the place.
    pub const KIND: u32 = (1 << PLACE_SHIFT) - 1;

    /// The bytes of the grain, one bit each.
    pub fn bytes(self) -> u32 {
        self.0 & 15
    }
    /// Whether a flag is set.
    pub fn is(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
    /// Number of the instruction in the module; the largest number stands for all from there on.
    pub fn place(self) -> u32 {
        self.0 >> PLACE_SHIFT
    }
    /// With the number of an instruction.
    pub fn new(kind: u32, place: u32) -> Self {
        Self(kind | place.min(u32::MAX >> PLACE_SHIFT) << PLACE_SHIFT)
    }
}

const PLACE_SHIFT: u32 = 9;

/// What is remembered of a grain: the last write, and two accesses more, mostly reads.
pub type Row = [Cell; 3];

/// The rows of device memory. Its pages exist once they are touched.
pub struct Shadow {
    rows: Mapping,
    base: u64,
    bytes: u64,
}

impl Shadow {
    /// Shadow of `bytes` bytes from `base` on; `None` if the host has no address space for it.
    pub fn new(base: u64, bytes: u64) -> Option<Self> {
        let size = (bytes / GRAIN) as usize * size_of::<Row>();
        Some(Self { rows: Mapping::new(size, std::iter::empty())?, base, bytes })
    }

    /// The row of an address, which lies in the memory.
    pub fn row(&mut self, address: u64) -> Option<&mut Row> {
        let offset = address.wrapping_sub(self.base);
        // SAFETY: the mapping has a row for each grain of the memory, zero is a row, and only `self` refers to it.
        (offset < self.bytes)
            .then(|| unsafe { &mut *self.rows.start().cast::<Row>().add((offset / GRAIN) as usize) })
    }

    /// Forgets what is known of `bytes` bytes at `address`.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        for at in (address..address + bytes).step_by(GRAIN as usize) {
            if let Some(row) = self.row(at) {
                *row = Row::default();
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.rows.discard();
    }
}
