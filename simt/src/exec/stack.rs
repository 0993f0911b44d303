//! Memory that a function takes of its thread's stack while it runs: `alloca`, `stacksave`, `stackrestore`.

use super::fault::Fault;
use super::lanes::{Lanes, lanes_of};
use super::warp::{LEAST_FRAME, LOCAL_LIMIT, Warp};
use crate::code::{LANES, Op};
use crate::report::ReportKind;

impl Warp {
    /// `alloca`, `stacksave` and `stackrestore` (PTX ISA 9.0, 9.7.17.1 to 9.7.17.3), for the lanes of `l`. Each
    /// lane has a stack of its own; the frame's part of local memory ends where the longest one does.
    ///
    /// # Errors
    /// The stack is full, or is restored to where it never was.
    ///
    /// # Safety
    /// The operands belong to the function of the frame, whose registers `l` are.
    pub unsafe fn stack(&mut self, frame: u32, l: &Lanes, op: &Op) -> Result<(), Box<Fault>> {
        let f = &mut self.frames[frame as usize];
        let (first, depth) = (f.local_start, f.depth);
        let tops = f.tops.get_or_insert_with(|| Box::new([f.local_end; LANES]));
        for lane in lanes_of(l.mask) {
            let top = &mut tops[lane];
            match *op {
                // SAFETY: by the caller's promise.
                Op::StackAlloc { dst, size, align } => unsafe {
                    let at = u64::from(*top).next_multiple_of(u64::from(align.max(8)));
                    let end = at.saturating_add(l.lane::<u64>(size, lane)).checked_next_multiple_of(8);
                    let limit = LOCAL_LIMIT - (depth * LEAST_FRAME).min(LOCAL_LIMIT);
                    let Some(end) = end.filter(|&end| end <= limit.into()) else {
                        return Err(Fault::at_lane(
                            ReportKind::Execution,
                            lane,
                            format!(
                                "stack overflow: alloca of {} bytes, where {} of {LOCAL_LIMIT} are in use",
                                l.lane::<u64>(size, lane),
                                *top
                            ),
                        ));
                    };
                    *top = end as u32;
                    l.put_lane(dst, lane, at);
                },
                // SAFETY: as above.
                Op::StackSave { dst } => unsafe { l.put_lane(dst, lane, u64::from(*top)) },
                Op::StackRestore { a } => {
                    // SAFETY: as above.
                    let to = unsafe { l.lane::<u64>(a, lane) };
                    if to < first.into() || to > (*top).into() {
                        return Err(Fault::at_lane(
                            ReportKind::Execution,
                            lane,
                            format!("stackrestore to {to:#x}, where the stack of the function was not"),
                        ));
                    }
                    *top = to as u32;
                }
                // The caller gives nothing else.
                _ => {}
            }
        }
        let end = tops.iter().copied().max().unwrap_or(0);
        self.frames[frame as usize].local_end = end;
        self.reserve(end.into());
        Ok(())
    }
}
