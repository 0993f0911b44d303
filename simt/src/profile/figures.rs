//! What is counted for each instruction, and how accesses fall on sectors and banks.

use crate::code::LANES;
use crate::exec::lanes_of;

/// Bytes of a sector: what global memory is read and written in.
pub const SECTOR: u64 = 32;
/// Banks of shared memory, 4 bytes wide each.
pub const BANKS: usize = 32;

/// Counts of one instruction, or a sum of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Times that a warp executed it, those included in which its guard selected no lane.
    pub executions: u64,
    /// Lanes that executed it, all executions together.
    pub threads: u64,
    /// Conditional branches.
    pub branches: u64,
    /// Those of them that some lanes took and others did not.
    pub splits: u64,
    /// Accesses of a warp to global memory.
    pub global: u64,
    /// Bytes that its lanes asked for.
    pub global_bytes: u64,
    /// Sectors that it touched.
    pub sectors: u64,
    /// Sectors that its bytes would fill, each once.
    pub ideal: u64,
    /// Accesses of a warp to shared memory.
    pub shared: u64,
    /// Bytes that its lanes asked for.
    pub shared_bytes: u64,
    /// Passes that the banks needed.
    pub passes: u64,
    /// Passes without any conflict.
    pub ideal_passes: u64,
    /// Accesses of a warp to local memory.
    pub local: u64,
    /// Bytes that its lanes asked for.
    pub local_bytes: u64,
    /// Arrivals of a warp at a barrier.
    pub arrivals: u64,
    /// Instructions for which they waited there.
    pub wait: u64,
}

macro_rules! fields {
    ($($field:ident)*) => {
        impl Figures {
            /// Their names, in the order of [`Figures::array`].
            pub const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// All of them.
            pub fn array(&self) -> Vec<u64> {
                vec![$(self.$field),*]
            }
        }

        impl std::ops::AddAssign<&Figures> for Figures {
            fn add_assign(&mut self, other: &Figures) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

fields!(executions threads branches splits global global_bytes sectors ideal shared shared_bytes passes ideal_passes
     local local_bytes arrivals wait);

impl Figures {
    /// Adds an access of `lanes` to global memory.
    pub fn add_global(&mut self, addresses: &[u64; LANES], lanes: u32, bytes: u32) {
        let bytes = u64::from(bytes);
        let distinct = Distinct::new(lanes_of(lanes).map(|lane| addresses[lane]));
        // A naturally aligned access of up to 16 bytes lies in one sector.
        let sectors = Distinct::new(lanes_of(lanes).map(|lane| addresses[lane] / SECTOR));
        self.global += 1;
        self.global_bytes += u64::from(lanes.count_ones()) * bytes;
        self.sectors += sectors.all().len() as u64;
        self.ideal += (distinct.all().len() as u64 * bytes).div_ceil(SECTOR);
    }

    /// Adds an access of `lanes` to shared memory.
    pub fn add_shared(&mut self, addresses: &[u64; LANES], lanes: u32, bytes: u32) {
        self.shared += 1;
        self.shared_bytes += u64::from(lanes.count_ones()) * u64::from(bytes);
        // With 8 bytes the halves of a warp go one after the other, with 16 the quarters.
        let together = LANES / (bytes as usize / 4).clamp(1, 4);
        for first in (0..LANES).step_by(together) {
            let part = lanes & (u32::MAX >> (LANES - together)) << first;
            if part == 0 {
                continue;
            }
            let words = (u64::from(bytes) / 4).max(1);
            let touched = lanes_of(part).flat_map(|lane| (0..words).map(move |k| addresses[lane] / 4 + k));
            let mut each_bank = [0u64; BANKS];
            for word in Distinct::new(touched).all() {
                each_bank[*word as usize % BANKS] += 1;
            }
            self.ideal_passes += 1;
            self.passes += each_bank.iter().copied().max().unwrap_or(0);
        }
    }

    /// Adds an access of `lanes` to local memory.
    pub fn add_local(&mut self, lanes: u32, bytes: u32) {
        self.local += 1;
        self.local_bytes += u64::from(lanes.count_ones()) * u64::from(bytes);
    }
}

/// The different ones of up to 128 numbers.
struct Distinct {
    numbers: [u64; 4 * LANES],
    count: usize,
}

impl Distinct {
    fn new(all: impl Iterator<Item = u64>) -> Self {
        let mut numbers = [0; 4 * LANES];
        let mut count = 0;
        for (place, number) in numbers.iter_mut().zip(all) {
            *place = number;
            count += 1;
        }
        let used = &mut numbers[..count];
        if !used.is_sorted() {
            used.sort_unstable();
        }
        let mut kept = 0;
        for k in 0..count {
            if k == 0 || numbers[k] != numbers[kept - 1] {
                numbers[kept] = numbers[k];
                kept += 1;
            }
        }
        Self { numbers, count: kept }
    }

    fn all(&self) -> &[u64] {
        &self.numbers[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(address: impl Fn(u64) -> u64, lanes: u32, bytes: u32) -> (u64, u64) {
        let mut f = Figures::default();
        f.add_global(&std::array::from_fn(|lane| address(lane as u64)), lanes, bytes);
        (f.sectors, f.ideal)
    }

    fn shared(address: impl Fn(u64) -> u64, lanes: u32, bytes: u32) -> (u64, u64) {
        let mut f = Figures::default();
        f.add_shared(&std::array::from_fn(|lane| address(lane as u64)), lanes, bytes);
        (f.passes, f.ideal_passes)
    }

    #[test]
    fn sectors_against_those_that_the_bytes_would_fill() {
        assert_eq!(global(|i| 0x1000 + 4 * i, u32::MAX, 4), (4, 4), "one after the other");
        assert_eq!(global(|i| 0x1000 + 128 * i, u32::MAX, 4), (32, 4), "one in each sector");
        assert_eq!(global(|i| 0x1004 + 4 * i, u32::MAX, 4), (5, 4), "not aligned to a sector");
        assert_eq!(global(|_| 0x1000, u32::MAX, 4), (1, 1), "all the same");
        assert_eq!(global(|i| 0x1000 + 8 * i, u32::MAX, 8), (8, 8), "eight bytes each");
        assert_eq!(global(|i| 0x1000 + 16 * i, u32::MAX, 16), (16, 16), "vectors");
        assert_eq!(global(|i| 0x1000 + 4 * (31 - i), u32::MAX, 4), (4, 4), "backwards");
        assert_eq!(global(|i| 0x1000 + 64 * i, 0b101, 4), (2, 1), "two lanes");
    }

    #[test]
    fn passes_of_the_banks() {
        assert_eq!(shared(|i| 4 * i, u32::MAX, 4), (1, 1), "a bank each");
        assert_eq!(shared(|i| 128 * i, u32::MAX, 4), (32, 1), "all in one bank");
        assert_eq!(shared(|i| 8 * i, u32::MAX, 4), (2, 1), "every second bank");
        assert_eq!(shared(|_| 64, u32::MAX, 4), (1, 1), "one word for all");
        assert_eq!(shared(|i| i, u32::MAX, 1), (1, 1), "four bytes of a word");
        assert_eq!(shared(|i| 132 * i, u32::MAX, 4), (1, 1), "padded rows");
        assert_eq!(shared(|i| 8 * i, u32::MAX, 8), (2, 2), "two halves");
        assert_eq!(shared(|i| 128 * i, u32::MAX, 8), (32, 2), "two halves, each of 16 in the same two banks");
        assert_eq!(shared(|i| 16 * i, u32::MAX, 16), (4, 4), "four quarters");
        assert_eq!(shared(|i| 8 * i, 0xffff, 8), (1, 1), "one half");
    }
}
