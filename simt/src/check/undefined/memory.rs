//! Which bytes of memory are undefined.

use std::collections::HashMap;

use crate::mem::{Mapping, Memory};

/// A warp: number of its CTA in the grid, and its own.
pub type WarpId = (u64, u32);

/// The byte is undefined.
const UNDEFINED: u8 = 1;
/// What is there has been computed from something undefined.
const COMPUTED: u8 = 2;

/// What is known of up to eight bytes.
#[derive(Clone, Copy, Default)]
pub struct Bytes {
    /// Undefined ones, one bit each.
    pub undefined: u8,
    /// Whether one of them is more than a copy.
    pub computed: bool,
}

/// Undefined bytes of all spaces.
pub struct Undefined {
    /// One byte for each of device memory; [`UNDEFINED`], with [`COMPUTED`] or without.
    global: Mapping,
    base: u64,
    bytes: u64,
    /// The same for shared memory, by CTA.
    pub shared: HashMap<u64, Vec<u8>>,
    /// For each byte of local memory, the lanes for which it is undefined, all of them beyond the end; and those for
    /// which it is computed.
    local: HashMap<WarpId, Vec<(u32, u32)>>,
}

impl Undefined {
    /// That of a device's memory, which counts as defined; `None` if the host has no address space for it.
    pub fn new(memory: &Memory) -> Option<Self> {
        let (base, bytes) = memory.arena();
        let global = Mapping::new(bytes as usize, std::iter::empty())?;
        Some(Self { global, base, bytes, shared: HashMap::new(), local: HashMap::new() })
    }

    fn global(&mut self, address: u64, bytes: u64) -> &mut [u8] {
        let offset = address.wrapping_sub(self.base);
        if offset >= self.bytes || bytes > self.bytes - offset {
            return &mut [];
        }
        // SAFETY: the range lies in the mapping, which only `self` refers to.
        unsafe { std::slice::from_raw_parts_mut(self.global.start().add(offset as usize), bytes as usize) }
    }

    /// Marks bytes of device memory.
    pub fn set_global(&mut self, address: u64, bytes: u64, undefined: bool) {
        self.global(address, bytes).fill(undefined.into());
    }

    /// Copies what is known of bytes of device memory.
    pub fn copy_global(&mut self, to: u64, from: u64, bytes: u64) {
        let known = self.global(from, bytes).to_vec();
        let to = self.global(to, bytes);
        if to.len() == known.len() {
            to.copy_from_slice(&known);
        }
    }

    /// Which of up to eight bytes of device memory are undefined, one bit each.
    pub fn load_global(&mut self, address: u64, bytes: u32) -> Bytes {
        bits(self.global(address, bytes.into()))
    }

    /// Marks up to eight bytes of device memory by one bit each.
    pub fn store_global(&mut self, address: u64, bytes: u32, known: Bytes) {
        put(self.global(address, bytes.into()), known);
    }

    fn shared(&mut self, cta: u64, offset: u64, bytes: u32) -> &mut [u8] {
        let range = offset as usize..offset as usize + bytes as usize;
        self.shared.get_mut(&cta).and_then(|shared| shared.get_mut(range)).unwrap_or_default()
    }

    /// As [`Undefined::load_global`], for shared memory.
    pub fn load_shared(&mut self, cta: u64, offset: u64, bytes: u32) -> Bytes {
        bits(self.shared(cta, offset, bytes))
    }

    /// As [`Undefined::store_global`], for shared memory.
    pub fn store_shared(&mut self, cta: u64, offset: u64, bytes: u32, known: Bytes) {
        put(self.shared(cta, offset, bytes), known);
    }

    fn local(&mut self, warp: WarpId, end: u64) -> &mut Vec<(u32, u32)> {
        let local = self.local.entry(warp).or_default();
        if local.len() < end as usize {
            local.resize(end as usize, (u32::MAX, 0));
        }
        local
    }

    /// Marks local memory of some lanes as undefined: a frame begins.
    pub fn begin_local(&mut self, warp: WarpId, start: u32, end: u32, lanes: u32) {
        let local = self.local(warp, end.into());
        local[start as usize..end as usize].iter_mut().for_each(|byte| {
            *byte = (byte.0 | lanes, byte.1 & !lanes);
        });
    }

    /// As [`Undefined::load_global`], for local memory of a lane.
    pub fn load_local(&mut self, warp: WarpId, lane: usize, at: u64, bytes: u32) -> Bytes {
        let local = self.local(warp, at + u64::from(bytes));
        let mut all = Bytes::default();
        for (k, (undefined, computed)) in local[at as usize..][..bytes as usize].iter().enumerate() {
            all.undefined |= ((undefined >> lane & 1) as u8) << k;
            all.computed |= computed >> lane & 1 != 0;
        }
        all
    }

    /// As [`Undefined::store_global`], for local memory of a lane.
    pub fn store_local(&mut self, warp: WarpId, lane: usize, at: u64, bytes: u32, known: Bytes) {
        let local = self.local(warp, at + u64::from(bytes));
        for (k, (undefined, computed)) in local[at as usize..][..bytes as usize].iter_mut().enumerate() {
            let bad = u32::from(known.undefined >> k & 1) << lane;
            *undefined = *undefined & !(1 << lane) | bad;
            *computed = *computed & !(1 << lane) | if known.computed { bad } else { 0 };
        }
    }

    /// Forgets what belongs to a CTA.
    pub fn end(&mut self, cta: u64) {
        self.shared.remove(&cta);
        self.local.retain(|warp, _| warp.0 != cta);
    }
}

fn bits(bytes: &[u8]) -> Bytes {
    let mut all = Bytes::default();
    for (k, byte) in bytes.iter().take(8).enumerate() {
        all.undefined |= (byte & UNDEFINED) << k;
        all.computed |= byte & COMPUTED != 0;
    }
    all
}

fn put(bytes: &mut [u8], known: Bytes) {
    let bad = if known.computed { UNDEFINED | COMPUTED } else { UNDEFINED };
    let state = |k: usize| if known.undefined >> k & 1 != 0 { bad } else { 0 };
    bytes.iter_mut().take(8).enumerate().for_each(|(k, byte)| *byte = state(k));
}
