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
    /// In the second cell of a row: there is a third one.
    pub const MORE: u32 = 1 << 9;
    /// Everything but the place.
    pub const KIND: u32 = Self::MORE - 1;

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

const PLACE_SHIFT: u32 = 10;

/// What is remembered of a grain: the last write, and two accesses more, mostly reads.
pub type Row = [Cell; 3];

/// The rows of device memory, the third cell of each apart, as it is seldom used. Pages exist once they are touched.
pub struct Shadow {
    pairs: Mapping,
    thirds: Mapping,
    base: u64,
    bytes: u64,
}

impl Shadow {
    /// Shadow of `bytes` bytes from `base` on; `None` if the host has no address space for it.
    pub fn new(base: u64, bytes: u64) -> Option<Self> {
        let map = |cells: u64| {
            Mapping::new((bytes / GRAIN * cells) as usize * size_of::<Cell>(), std::iter::empty())
        };
        Some(Self { pairs: map(2)?, thirds: map(1)?, base, bytes })
    }

    /// The first two cells of an address.
    #[inline]
    pub fn pair(&mut self, address: u64) -> Option<&mut [Cell; 2]> {
        let offset = address.wrapping_sub(self.base);
        // SAFETY: the mapping has a pair for each grain of the memory, zero is a pair, and only `self` refers to it.
        (offset < self.bytes)
            .then(|| unsafe { &mut *self.pairs.start().cast::<[Cell; 2]>().add((offset / GRAIN) as usize) })
    }

    /// Does something with all cells of an address.
    pub fn with_row<R>(&mut self, address: u64, change: impl FnOnce(&mut Row) -> R) -> Option<R> {
        let index = (address.wrapping_sub(self.base) / GRAIN) as usize;
        let [first, mut second] = *self.pair(address)?;
        let more = second.what.is(What::MORE);
        second.what.0 &= !What::MORE;
        // SAFETY: `pair` has checked that the address lies in the memory; the mapping has a cell for each grain.
        let third = unsafe { &mut *self.thirds.start().cast::<Cell>().add(index) };
        let mut row = [first, second, if more { *third } else { Cell::default() }];
        let result = change(&mut row);
        let more = row[2].lanes != 0;
        if more {
            *third = row[2];
            row[1].what.0 |= What::MORE;
        }
        *self.pair(address)? = [row[0], row[1]];
        Some(result)
    }

    /// Forgets what is known of `bytes` bytes at `address`.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        for at in (address..address + bytes).step_by(GRAIN as usize) {
            if let Some(pair) = self.pair(at) {
                *pair = Default::default();
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.pairs.discard();
    }
}

/// What decides quickly that an access is ordered before what a lane does now.
#[derive(Clone, Copy)]
pub struct Known {
    /// The warp.
    pub who: u32,
    /// Stamps of its CTA below this.
    pub cta: u32,
    /// Stamps of the warp below this.
    pub warp: u32,
    /// First CTA of the launch.
    pub first: u32,
}

impl Known {
    /// Whether an access is ordered before what `lane` does now; if not, it may still be.
    #[inline(always)]
    fn orders(&self, cell: &Cell, lane: u32) -> bool {
        let own = cell.who == self.who && (cell.time < self.warp || cell.lanes == lane);
        let cta = cell.who >> 5 == self.who >> 5 && cell.time < self.cta;
        cell.lanes == 0 || own || cta || cell.who >> 5 < self.first
    }

    /// The common cases of an access by one lane: remembers it if nothing is in the way; else false.
    #[inline(always)]
    pub fn quick(&self, write: &mut Cell, read: &mut Cell, more: bool, new: &Cell) -> bool {
        const KIND: u32 = What::KIND & !What::SAME_VALUE;
        let again = |cell: &Cell| {
            cell.who == new.who
                && cell.time == new.time
                && cell.lanes & new.lanes != 0
                && (cell.what.0 ^ new.what.0) & KIND == 0
        };
        let covers = |cell: &Cell| cell.what.bytes() & !new.what.bytes() == 0;
        if new.what.is(What::WRITE) {
            if again(write) {
                return true;
            }
            if more
                || !self.orders(write, new.lanes)
                || !self.orders(read, new.lanes)
                || !covers(write)
                || !covers(read)
            {
                return false;
            }
            // See `advance`.
            if write.lanes == 0 || !new.what.is(What::SAME_VALUE) {
                *write = *new;
            }
            *read = Cell::default();
            return true;
        }
        if again(read) {
            return true;
        }
        let free = read.lanes == 0
            || self.orders(read, new.lanes)
                && covers(read)
                && !read.what.is(What::WRITE)
                && (!new.what.is(What::STRONG) || read.what.is(What::STRONG));
        if !free || !self.orders(write, new.lanes) {
            return false;
        }
        let flag = read.what.0 & What::MORE;
        *read = *new;
        read.what.0 |= flag;
        true
    }
}
