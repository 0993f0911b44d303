//! Loads, stores and atomic operations: what is undefined goes from memory to registers and back.

use super::flow::WORD;
use super::memory::Bytes;
use super::value::{DEFINED, all};
use super::{Checker, warp_of};
use crate::code::{Access, LANES, Reg, Src, Width};
use crate::exec::lanes_of;
use crate::exec::spaces::{Spot, spot};
use crate::watch::{At, MemoryAccess};

impl Checker {
    /// The lanes load `dst`, one register after the other.
    pub fn load(&mut self, at: &At<'_, '_>, access: &MemoryAccess, form: Access, dst: &[Reg]) {
        let (warp, bytes) = (warp_of(at), form.element.width.bytes());
        for (k, &register) in dst.iter().enumerate() {
            let mut value = DEFINED;
            let mut first = None;
            for lane in lanes_of(at.lanes) {
                let address = access.addresses[lane].wrapping_add(k as u64 * u64::from(bytes));
                if at.spaces.resolve(access.space, address, bytes.into(), lane).is_none() {
                    continue;
                }
                let known = match spot(access.space, address) {
                    Spot::Global(a) => self.undefined.load_global(a, bytes),
                    Spot::Shared(a) => self.undefined.load_shared(at.cta.linear, a, bytes),
                    Spot::Local(_) if !self.kinds.memory => Bytes::default(),
                    Spot::Local(a) => self.undefined.load_local(warp, lane, a, bytes),
                };
                value.bytes[lane] = known.undefined;
                value.computed |= u32::from(known.computed) << lane;
                if value.bytes[lane] != 0 && first.is_none() {
                    first = Some((lane, address));
                }
            }
            if form.for_cas {
                // Atomic operations on small types swap the word that they stand in; see `update`.
                value.bytes = [0; LANES];
                first = None;
            }
            if let Some((lane, address)) = first {
                let what = format!("load of {bytes} bytes that nobody has written");
                let object = || Some(super::super::object(at.launch, spot(access.space, address)));
                value.origin = self.origin(at, lane, "uninit", &what, object);
            } else if !self.frames.contains_key(&(warp, at.frame)) {
                continue;
            }
            self.frames.entry((warp, at.frame)).or_default().put(register, at.lanes, &value);
        }
    }

    /// The lanes store `sources`, one after the other.
    pub fn store(&mut self, at: &At<'_, '_>, access: &MemoryAccess, width: Width, sources: &[Src]) {
        let (warp, bytes) = (warp_of(at), width.bytes());
        for (k, &src) in sources.iter().enumerate() {
            let value = self.frames.get(&(warp, at.frame)).and_then(|frame| frame.value(src)).copied();
            for lane in lanes_of(at.lanes) {
                let address = access.addresses[lane].wrapping_add(k as u64 * u64::from(bytes));
                if at.spaces.resolve(access.space, address, bytes.into(), lane).is_none() {
                    continue;
                }
                let undefined = value.map_or(0, |value| value.bytes[lane] & all(width));
                let spot = spot(access.space, address);
                if undefined != 0
                    && let Some(value) = value
                    && value.computed >> lane & 1 != 0
                    && !matches!(spot, Spot::Local(_))
                {
                    self.tell(at, lane, "a value that is stored for others", value.origin);
                }
                let computed = value.is_some_and(|value| value.computed >> lane & 1 != 0);
                let known = Bytes { undefined, computed };
                match spot {
                    Spot::Global(a) => self.undefined.store_global(a, bytes, known),
                    Spot::Shared(a) => self.undefined.store_shared(at.cta.linear, a, bytes, known),
                    Spot::Local(a) => self.undefined.store_local(warp, lane, a, bytes, known),
                }
            }
        }
    }

    /// An atomic update; `reads`: the old value decides the new one.
    pub fn update(&mut self, at: &At<'_, '_>, access: &MemoryAccess, reads: bool, dst: &[Reg]) {
        for lane in lanes_of(at.lanes) {
            let address = access.addresses[lane];
            if at.spaces.resolve(access.space, address, access.element.into(), lane).is_none() {
                continue;
            }
            let bytes = access.bytes.min(8);
            let undefined = match spot(access.space, address) {
                Spot::Global(a) => {
                    let old = self.undefined.load_global(a, bytes).undefined;
                    self.undefined.set_global(a, access.bytes.into(), false);
                    old
                }
                Spot::Shared(a) => {
                    let old = self.undefined.load_shared(at.cta.linear, a, bytes).undefined;
                    self.undefined.store_shared(at.cta.linear, a, bytes, Bytes::default());
                    old
                }
                Spot::Local(_) => 0,
            };
            // Some bytes of a word: those of a smaller type are swapped with their neighbours.
            if undefined == (u16::MAX >> (16 - bytes)) as u8 && reads {
                let object = || Some(super::super::object(at.launch, spot(access.space, address)));
                let origin = self.origin(
                    at,
                    lane,
                    "uninit",
                    "atomic operation on bytes that nobody has written",
                    object,
                );
                self.tell(at, lane, "what an atomic operation updates", origin);
            }
        }
        if let Some(frame) = self.frames.get_mut(&(warp_of(at), at.frame)) {
            dst.iter().for_each(|&register| frame.put(register, at.lanes, &DEFINED));
        }
    }

    /// A parameter gets an address: it goes to local memory.
    pub fn spill(&mut self, at: &At<'_, '_>, param: u32, local: u32, bytes: u32) {
        if !self.kinds.memory {
            return;
        }
        let warp = warp_of(at);
        let base = u64::from(at.warp.frames[at.frame as usize].local_base + local);
        for k in 0..bytes {
            let from = param + k;
            let frame = self.frames.get(&(warp, at.frame));
            let value = frame.and_then(|frame| frame.registers.get(&(from / 8 * WORD))).copied();
            for lane in lanes_of(at.lanes) {
                let undefined = value.map_or(0, |value| value.bytes[lane] >> (from % 8) & 1);
                let computed = value.is_some_and(|value| value.computed >> lane & 1 != 0);
                let known = Bytes { undefined, computed };
                self.undefined.store_local(warp, lane, base + u64::from(k), 1, known);
            }
        }
    }
}
