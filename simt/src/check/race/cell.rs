//! One access as the checker compares it.

/// Bytes of memory whose accesses are remembered together.
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

impl Cell {
    /// Slot of the CTA.
    pub fn slot(&self) -> u32 {
        self.who >> 5
    }
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
    /// All bytes of a grain.
    pub const ALL_BYTES: u32 = 15;
    /// Everything but the place.
    const KIND: u32 = (1 << PLACE_SHIFT) - 1;

    /// The bytes of the grain, one bit each.
    pub fn bytes(self) -> u32 {
        self.0 & Self::ALL_BYTES
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
    /// Whether another access differs in its place at most.
    pub fn same_kind(self, other: Self) -> bool {
        (self.0 ^ other.0) & Self::KIND == 0
    }
    /// Whether this one touches all bytes that another one touched.
    pub fn covers(self, other: Self) -> bool {
        other.bytes() & !self.bytes() == 0
    }
    /// Whether two strong accesses are morally strong: each scope includes the other, and the sizes agree.
    pub fn morally_strong(self, other: Self, same_cta: bool) -> bool {
        let (both, either) = (self.0 & other.0, self.0 | other.0);
        both & Self::STRONG != 0 && (same_cta || either & Self::CTA_SCOPE == 0) && self.sizes_agree(other)
    }
    /// Whether two accesses are both of more than a word, or neither. Those of a word may differ: of one or two bytes PTX has no atomic
    /// operations but `ld`, `st` and, of two, `cas`, so compilers mix these with a `cas` of the word.
    pub fn sizes_agree(self, other: Self) -> bool {
        (self.0 ^ other.0) & Self::WIDE == 0
    }
}

const PLACE_SHIFT: u32 = 9;
