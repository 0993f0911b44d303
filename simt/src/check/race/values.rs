//! What an access is about to do to memory: whether a store changes it, and whether a compare-and-swap swaps.

#![allow(clippy::needless_range_loop, reason = "loops over lanes or grains index several arrays")]

use crate::code::{LANES, Op, Width};
use crate::exec::bulk::read;
use crate::exec::lanes_of;
use crate::exec::memory::get_lane;
use crate::exec::spaces::{Spot, spot};
use crate::watch::{At, MemoryAccess};

/// The value of one element of a store, or none if the operation is no store.
fn stored(at: &At<'_, '_>, op: &Op, lane: usize, element: usize) -> Option<u64> {
    let (register, src) = match *op {
        Op::Store { access, src, .. } => (access.register, src),
        Op::StoreVector { access, src, .. } => (access.register, src[element]),
        _ => return None,
    };
    // SAFETY: the operation belongs to the function of the frame that the registers are of.
    Some(unsafe { get_lane(at.registers, register, src, lane) })
}

/// Whether each lane's address is above that of the lane before it.
fn ascending(access: &MemoryAccess, lanes: u32) -> bool {
    let mut last = None;
    lanes_of(lanes).all(|lane| {
        let address = Some(access.addresses[lane]);
        std::mem::replace(&mut last, address) < address
    })
}

/// The lanes that store what memory holds, or what a lane before them stores there by the same instruction.
pub fn stores_same(at: &At<'_, '_>, op: &Op, access: &MemoryAccess) -> u32 {
    let apart = ascending(access, at.lanes);
    lanes_of(at.lanes).filter(|&lane| stores_same_at(at, op, access, lane, apart)).map(|lane| 1 << lane).sum()
}

/// The same for lanes that store one after the other.
pub fn row_stores_same(at: &At<'_, '_>, op: &Op, access: &MemoryAccess) -> u32 {
    let Op::Store { access: form, src, .. } = *op else { return stores_same(at, op, access) };
    let (first, last) = (at.lanes.trailing_zeros() as usize, LANES - 1 - at.lanes.leading_zeros() as usize);
    let (start, bytes) = (access.addresses[first], u64::from(access.bytes));
    let p = match spot(access.space, start) {
        Spot::Global(_)
            if at.spaces.memory.contains(start) && at.spaces.memory.contains(access.addresses[last]) =>
        {
            Some(start as *mut u8)
        }
        Spot::Global(_) | Spot::Local(_) => None,
        Spot::Shared(_) => at
            .spaces
            .resolve(access.space, access.addresses[last], bytes, last)
            .and_then(|_| at.spaces.resolve(access.space, start, bytes, first)),
    };
    let Some(p) = p.filter(|_| start.is_multiple_of(bytes) && form.register == form.element.width) else {
        return stores_same(at, op, access);
    };
    macro_rules! same {
        ($T:ty, $width:expr) => {{
            // SAFETY: the operation belongs to the function of the frame that the registers are of.
            let values = unsafe { at.registers.get::<$T>(src) };
            let mut same = 0;
            for lane in first..=last {
                let to = p.wrapping_add((lane - first) * size_of::<$T>());
                // SAFETY: all from the first to the last lane's element lies in the arena or in shared memory, and is
                // aligned to its size. What is not allocated can be read too; the access itself tells of that.
                let old = unsafe { read(to, $width) };
                same |= u32::from(old == u64::from(values[lane])) << lane;
            }
            same & at.lanes
        }};
    }
    match form.register {
        Width::W32 => same!(u32, Width::W32),
        Width::W64 => same!(u64, Width::W64),
        Width::W8 | Width::W16 => stores_same(at, op, access),
    }
}

/// Whether a lane stores what memory holds, or what a lane before it stores there by the same instruction; `apart`: the
/// lanes' addresses differ.
fn stores_same_at(at: &At<'_, '_>, op: &Op, access: &MemoryAccess, lane: usize, apart: bool) -> bool {
    let (bytes, count) = (access.element, (access.bytes / access.element) as usize);
    let mask = u64::MAX >> (64 - 8 * bytes.min(8));
    let twin = |other: &usize| *other < lane && access.addresses[*other] == access.addresses[lane];
    if !apart && let Some(twin) = lanes_of(at.lanes).find(twin) {
        return (0..count).all(|k| {
            let [a, b] = [lane, twin].map(|lane| stored(at, op, lane, k).map(|value| value & mask));
            a == b
        });
    }
    let width = match bytes {
        1 => Width::W8,
        2 => Width::W16,
        4 => Width::W32,
        _ => Width::W64,
    };
    (0..count).all(|k| {
        let address = access.addresses[lane].wrapping_add(k as u64 * u64::from(bytes));
        let aligned = address.is_multiple_of(bytes.into());
        let p = match spot(access.space, address) {
            // Also what is not allocated can be read; the access itself tells of that.
            Spot::Global(a) if aligned && at.launch.memory.contains(a) => a as *mut u8,
            _ => match at.spaces.resolve(access.space, address, bytes.into(), lane) {
                Some(p) => p,
                None => return false,
            },
        };
        // SAFETY: the address lies in the arena or has been checked, and is aligned.
        let old = unsafe { read(p, width) };
        stored(at, op, lane, k).is_some_and(|new| new & mask == old)
    })
}

/// Of a compare-and-swap of a word that has been loaded before, the lanes that may change it, and the smallest access that has all the
/// bytes they change; of that load no lanes, for its value counts only if the swap finds it again.
pub fn changed(at: &At<'_, '_>, op: &Op, access: &MemoryAccess) -> Option<(u32, MemoryAccess)> {
    let (compare, value) = match *op {
        Op::Cas { width: Width::W32, compare, value, of_load: true, .. } => (compare, value),
        Op::Load { access: form, .. } if form.for_cas && form.element.width <= Width::W32 => {
            return Some((0, MemoryAccess { ..*access }));
        }
        _ => return None,
    };
    // SAFETY: the operands belong to the function of the frame that the registers are of.
    let (expected, values) = unsafe { (at.registers.get::<u32>(compare), at.registers.get::<u32>(value)) };
    let (mut lanes, mut bytes, mut addresses) = (0, 1, access.addresses);
    for lane in lanes_of(at.lanes) {
        let differ = expected[lane] ^ values[lane];
        if differ == 0 {
            continue;
        }
        lanes |= 1 << lane;
        let (first, last) = (differ.trailing_zeros() / 8, 3 - differ.leading_zeros() / 8);
        bytes = bytes.max(match (first, last) {
            _ if first == last => 1,
            (0, 1) | (2, 3) => 2,
            _ => 4,
        });
        addresses[lane] += u64::from(first);
    }
    for address in &mut addresses {
        *address &= !u64::from(bytes - 1);
    }
    Some((lanes, MemoryAccess { addresses, bytes, element: bytes, ..*access }))
}

/// The lane of some with one address whose compare-and-swap finds what it expects: the first one, as the others then find
/// something else.
pub fn swaps(at: &At<'_, '_>, op: &Op, access: &MemoryAccess, lanes: u32) -> u32 {
    let Op::Cas { width, compare, .. } = *op else { return lanes };
    let first = lanes.trailing_zeros() as usize;
    let Some(p) = at.spaces.resolve(access.space, access.addresses[first], access.bytes.into(), first) else {
        return 0;
    };
    // SAFETY: `resolve` has checked the address.
    let old = unsafe { read(p, width) };
    let mask = u64::MAX >> (64 - width.bits());
    macro_rules! finds {
        ($T:ty) => {{
            // SAFETY: the operand belongs to the function of the frame.
            let expected = unsafe { at.registers.get::<$T>(compare) };
            let mut all = 0;
            for lane in 0..LANES {
                all |= u32::from(u64::from(expected[lane]) & mask == old) << lane;
            }
            all
        }};
    }
    let all = lanes
        & match width {
            Width::W8 | Width::W16 => finds!(u16),
            Width::W32 => finds!(u32),
            Width::W64 => finds!(u64),
        };
    all & all.wrapping_neg()
}
