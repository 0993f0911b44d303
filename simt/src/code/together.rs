//! What threads do together, and what they ask of themselves: warp operations, barriers, special registers (PTX ISA 9.0,
//! 9.7.9.6, 9.7.13, 10).

use super::{Int, IntOp2, Pred, Reg};

/// Lane that a shuffle reads from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShflMode {
    /// `lane - b`.
    Up,
    /// `lane + b`.
    Down,
    /// `lane ^ b`.
    Bfly,
    /// `b`.
    Idx,
}

/// What a vote over predicates answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VoteMode {
    /// All members true.
    All,
    /// Some member true.
    Any,
    /// All members equal.
    Uni,
}

/// What a barrier of the CTA does beside counting arrivals (PTX ISA 9.0, 9.7.13.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarrierKind {
    /// `.sync`: the threads wait.
    Sync,
    /// `.arrive`: they do not.
    Arrive,
    /// `.red.popc`: they wait, and all get the number of threads whose `a` is true.
    Popc {
        /// Result, 32 bits.
        dst: Reg,
        /// The thread's vote.
        a: Pred,
    },
    /// `.red.and`: whether `a` is true in all threads.
    And {
        /// Result.
        dst: Pred,
        /// The thread's vote.
        a: Pred,
    },
    /// `.red.or`: whether `a` is true in some thread.
    Or {
        /// Result.
        dst: Pred,
        /// The thread's vote.
        a: Pred,
    },
}

impl BarrierKind {
    /// The thread's vote in a reduction.
    pub const fn vote(self) -> Option<Pred> {
        match self {
            Self::Sync | Self::Arrive => None,
            Self::Popc { a, .. } | Self::And { a, .. } | Self::Or { a, .. } => Some(a),
        }
    }
}

/// Reduction over the members of a warp operation (`redux.sync`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReduxOp {
    /// On unsigned or signed numbers: addition, minimum or maximum; on bits: and, or, exclusive or.
    Int(IntOp2, Int),
    /// `.min.f32` or `.max.f32`, of the magnitudes with `abs`; a NaN is left out, or with `nan` the result.
    Float {
        /// `.max`.
        max: bool,
        /// `.abs`.
        abs: bool,
        /// `.NaN`.
        nan: bool,
    },
}

/// Special registers. `%tid` and the like carry the dimension, 0 to 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// `%tid.x|y|z`.
    Tid(u8),
    /// `%ntid.x|y|z`.
    Ntid(u8),
    /// `%ctaid.x|y|z`.
    Ctaid(u8),
    /// `%nctaid.x|y|z`.
    Nctaid(u8),
    /// `%laneid`.
    LaneId,
    /// `%warpid`.
    WarpId,
    /// `%nwarpid`.
    NWarpId,
    /// `%smid`.
    SmId,
    /// `%nsmid`.
    NSmId,
    /// `%gridid`.
    GridId,
    /// `%lanemask_eq`.
    LaneMaskEq,
    /// `%lanemask_le`.
    LaneMaskLe,
    /// `%lanemask_lt`.
    LaneMaskLt,
    /// `%lanemask_ge`.
    LaneMaskGe,
    /// `%lanemask_gt`.
    LaneMaskGt,
    /// `%clock` (32 bits) and `%clock64`: cycles.
    Clock,
    /// `%clock_hi`: upper half of `%clock64`.
    ClockHi,
    /// `%globaltimer`: nanoseconds.
    GlobalTimer,
    /// `%globaltimer_lo`.
    GlobalTimerLo,
    /// `%globaltimer_hi`.
    GlobalTimerHi,
    /// `%dynamic_smem_size`: bytes of dynamic shared memory.
    DynamicSharedSize,
    /// `%total_smem_size`: bytes of shared memory, static and dynamic.
    TotalSharedSize,
    /// A register that always has this value here, as there are no clusters, graphs and performance counters (a CTA is
    /// a cluster of its own).
    Fixed(u8),
}
