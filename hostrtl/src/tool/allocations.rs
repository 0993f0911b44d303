//! `OFFLOAD_TRACK_ALLOCATION_TRACES`: what `omp_target_alloc` and relatives gave, to say what a wrong address was.

use crate::lock;
use crate::sync::Mutex;
use std::collections::BTreeMap;
use std::sync::OnceLock;

static ALLOCATIONS: OnceLock<Mutex<Allocations>> = OnceLock::new();

/// Blocks by their address. Those that were freed stay until the address is given out again.
#[derive(Default)]
struct Allocations(BTreeMap<u64, Block>);

struct Block {
    bytes: usize,
    freed: bool,
}

/// Follows allocations from now on.
pub fn start() {
    ALLOCATIONS.get_or_init(Mutex::default);
}

/// A block was given out.
pub fn allocated(address: u64, bytes: usize) {
    if let Some(allocations) = ALLOCATIONS.get() {
        lock(allocations).0.insert(address, Block { bytes, freed: false });
    }
}

/// A block was taken back.
pub fn freed(address: u64) {
    let Some(allocations) = ALLOCATIONS.get() else { return };
    if let Some(block) = lock(allocations).0.get_mut(&address) {
        block.freed = true;
    }
}

/// What an address is that could not be freed.
pub fn explain(address: u64) -> String {
    match ALLOCATIONS.get() {
        Some(allocations) => format!("address {address:#x} {}", lock(allocations).explain(address)),
        None => {
            "Failed to deallocate device ptr. Set OFFLOAD_TRACK_ALLOCATION_TRACES=1 to track allocations."
                .into()
        }
    }
}

impl Allocations {
    fn explain(&self, address: u64) -> String {
        let before = self.0.range(..=address).next_back();
        match before {
            Some((begin, block)) if *begin == address && block.freed => {
                format!("has been freed before; it was an allocation of {} bytes", block.bytes)
            }
            Some((begin, block)) if address - begin < block.bytes as u64 => format!(
                "lies {} bytes inside of an allocation of {} bytes; only its begin, {begin:#x}, can be freed",
                address - begin,
                block.bytes
            ),
            _ => "was never allocated by this program".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_addresses() {
        let blocks = [(0x100, Block { bytes: 64, freed: true }), (0x200, Block { bytes: 64, freed: false })];
        let allocations = Allocations(blocks.into_iter().collect());
        assert_eq!(allocations.explain(0x100), "has been freed before; it was an allocation of 64 bytes");
        assert!(allocations.explain(0x210).starts_with("lies 16 bytes inside of an allocation of 64 bytes"));
        for elsewhere in [0x80, 0x140, 0x240] {
            assert_eq!(allocations.explain(elsewhere), "was never allocated by this program");
        }
    }
}
