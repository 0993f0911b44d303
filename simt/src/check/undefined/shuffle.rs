//! Shuffles: they hand over what is undefined, and what they read from a lane that takes no part is.

use super::value::{DEFINED, all};
use super::{Checker, warp_of};
use crate::code::{LANES, Op, Src, Width};
use crate::exec::lanes_of;
use crate::exec::warpop::{mask_of, source_lane};
use crate::watch::At;

impl Checker {
    /// The lanes read from each other.
    pub fn shuffle(&mut self, at: &At<'_, '_>, op: &Op) {
        let Op::Shfl { mode, dst, in_range, a, b, clamp, .. } = *op else { return };
        let Some(mask) = mask_of(op) else { return };
        // SAFETY: the operands belong to the function of the frame that the registers are of.
        let get = |src: Src| -> [u32; LANES] { unsafe { at.registers.get(src) } };
        let (masks, b, clamp) = (get(mask), get(b), get(clamp));
        let source = self.frames.get(&(warp_of(at), at.frame)).and_then(|frame| frame.value(a)).copied();
        let mut value = source.unwrap_or(DEFINED);
        value.computed = 0;
        for lane in lanes_of(at.lanes) {
            let (from, _) = source_lane(mode, lane as u32, b[lane], clamp[lane]);
            let there = masks[lane] & at.warp.live & 1 << from != 0;
            value.bytes[lane] = 0;
            if !there && self.kinds.shuffles {
                let why = match masks[lane] >> from & 1 {
                    0 => "is not in its member mask",
                    _ => "has exited",
                };
                let what = format!("shuffle from lane {from}, which {why} ({:#010x}),", masks[lane]);
                value.bytes[lane] = all(Width::W32);
                value.computed |= 1 << lane;
                value.origin = self.origin(at, lane, "warp", &what, || None);
            } else if let Some(source) = source
                && there
                && at.lanes >> from & 1 != 0
            {
                value.bytes[lane] = source.bytes[from as usize];
                value.computed |= (source.computed >> from & 1) << lane;
            }
        }
        let frame = self.frames.entry((warp_of(at), at.frame)).or_default();
        frame.put(dst, at.lanes, &value);
        frame.put_predicate(in_range, at.lanes, 0, 0);
    }
}
