//! What the operations that move a group ask of its lanes: `brx.idx` (PTX ISA 9.0, 9.7.12.5) and `barrier` (9.7.13.1).

use super::fault::Fault;
use super::lanes::{Lanes, lanes_of, uniform};
use crate::code::{LANES, Op, Src};
use crate::report::ReportKind;

/// Where each lane of the mask goes that branches to a target by its number.
///
/// # Errors
/// There is no such target.
///
/// # Safety
/// The operand belongs to the function of the frame.
pub unsafe fn branch_targets(l: &Lanes, targets: &[u32], index: Src) -> Result<[u32; LANES], Box<Fault>> {
    // SAFETY: by the caller's promise.
    let mut all: [u32; LANES] = unsafe { l.get(index) };
    for lane in lanes_of(l.mask) {
        all[lane] = *targets.get(all[lane] as usize).ok_or_else(|| {
            let message = format!("brx.idx with index {} of {} targets", all[lane], targets.len());
            Fault::at_lane(ReportKind::Execution, lane, message)
        })?;
    }
    Ok(all)
}

/// Whether lanes that an operation is not for part from the others: it takes the whole group elsewhere.
pub fn moves_group(op: &Op) -> bool {
    matches!(
        op,
        Op::BranchTable { .. }
            | Op::Call { .. }
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Breakpoint
            | Op::Barrier { .. }
    )
}

/// The operands of a barrier, which must be the same in all lanes.
///
/// # Safety
/// The operands belong to the function of the frame.
pub unsafe fn barrier_operands(
    l: &Lanes,
    id: Src,
    count: Option<Src>,
) -> Result<(u32, Option<u32>), Box<Fault>> {
    let value = |src: Src, what: &str| {
        // SAFETY: by the caller's promise.
        let lanes: [u32; LANES] = unsafe { l.get(src) };
        if uniform(&lanes, l.mask) {
            Ok(lanes[l.mask.trailing_zeros() as usize & 31])
        } else {
            Err(Fault::new(ReportKind::Barrier, format!("a barrier whose {what} differs among the lanes")))
        }
    };
    Ok((value(id, "number")?, count.map(|src| value(src, "thread count")).transpose()?))
}
