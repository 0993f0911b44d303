//! Classes of instructions, for the mix.

use crate::code::{Float, Op};
use serde::Serialize;

/// What kind of work an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Integer arithmetic, bit operations.
    Integer,
    /// Floating point of 16 and 32 bits.
    Float,
    /// Floating point of 64 bits.
    Double,
    /// Moves, special registers, conversions, selections, parameters.
    Move,
    /// Comparisons and logic of predicates.
    Compare,
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Atomic operations.
    Atomic,
    /// Branches, calls, returns, exits.
    Control,
    /// Barriers and fences.
    Barrier,
    /// Shuffles, votes and the like.
    Warp,
}

impl Class {
    /// The class of an operation.
    pub fn of(op: &Op) -> Self {
        let of_type = |ty| if ty == Float::F64 { Self::Double } else { Self::Float };
        match *op {
            Op::Float1 { ty, .. } | Op::Float2 { ty, .. } | Op::Fma { ty, .. } => of_type(ty),
            Op::Int1 { .. }
            | Op::Count { .. }
            | Op::Int2 { .. }
            | Op::SatS32 { .. }
            | Op::Shift { .. }
            | Op::MulWide { .. }
            | Op::Mad { .. }
            | Op::MadWide { .. }
            | Op::Carry { .. }
            | Op::Bfe { .. }
            | Op::Bfi { .. }
            | Op::Prmt { .. }
            | Op::Funnel { .. }
            | Op::Lop3 { .. }
            | Op::BitMask { .. }
            | Op::Extend { .. }
            | Op::NthBit { .. }
            | Op::Dot { .. }
            | Op::VideoScalar { .. }
            | Op::VideoMad { .. }
            | Op::VideoSimd { .. } => Self::Integer,
            Op::CompareInt { .. } | Op::CompareFloat { .. } | Op::Pred { .. } | Op::IsSpace { .. } => {
                Self::Compare
            }
            Op::Load { .. } | Op::LoadVector { .. } => Self::Load,
            Op::Store { .. } | Op::StoreVector { .. } => Self::Store,
            Op::Atom { .. } | Op::Cas { .. } | Op::Atom128 { .. } => Self::Atomic,
            Op::Branch { .. }
            | Op::BranchTable { .. }
            | Op::Call { .. }
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Breakpoint
            | Op::NanoSleep { .. } => Self::Control,
            Op::Barrier { .. } | Op::Fence { .. } => Self::Barrier,
            Op::WarpBarrier { .. }
            | Op::Shfl { .. }
            | Op::Vote { .. }
            | Op::Ballot { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::Elect { .. }
            | Op::ActiveMask { .. } => Self::Warp,
            _ => Self::Move,
        }
    }
}
