//! Shuffles that read a lane which takes no part: one that is not in the member mask, or that has exited.
//!
//! The value is undefined (PTX, "shfl.sync": "if a thread executes with a source lane that is inactive or not in
//! membermask"); the device gives a pattern. Whether it is used is not looked at.

use super::{Action, Finding, Findings};
use crate::code::Inst;
use crate::code::{LANES, Op, Src};
use crate::exec::lanes_of;
use crate::exec::warpop::{mask_of, source_lane};
use crate::watch::{At, Observer};

/// The checker.
pub struct Partners(Findings);

impl Partners {
    /// One that tells its findings there.
    pub fn new(findings: Findings) -> Self {
        Self(findings)
    }
}

impl Observer for Partners {
    fn wants_instructions(&self) -> bool {
        true
    }

    fn instruction(&mut self, at: &At<'_, '_>, inst: &Inst, _: u32) {
        let Op::Shfl { mode, b, clamp, .. } = inst.op else { return };
        let Some(mask) = mask_of(&inst.op) else { return };
        // SAFETY: the operands belong to the function of the frame that the registers are of.
        let get = |src: Src| -> [u32; LANES] { unsafe { at.registers.get(src) } };
        let (masks, b, clamp) = (get(mask), get(b), get(clamp));
        for lane in lanes_of(at.lanes) {
            let (from, _) = source_lane(mode, lane as u32, b[lane], clamp[lane]);
            if masks[lane] & at.warp.live & 1 << from == 0 {
                let why =
                    if masks[lane] & 1 << from == 0 { "is not in its member mask" } else { "has exited" };
                self.0.add(Finding {
                    check: "warp",
                    message: format!("a shuffle reads lane {from}, which {why} ({:#010x})", masks[lane]),
                    kernel: super::kernel_of(at.launch),
                    object: None,
                    actions: vec![Action {
                        what: format!("shfl.sync in lane {lane}"),
                        team: at.cta.id,
                        thread: super::thread_of(at.launch, at.warp.index * LANES as u32 + lane as u32),
                        place: super::place_of(
                            at.launch,
                            at.warp.frames[at.frame as usize].function.0,
                            at.pc,
                        ),
                    }],
                });
                return;
            }
        }
    }
}
