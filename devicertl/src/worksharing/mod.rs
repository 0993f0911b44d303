//! Loops that are shared by threads or teams. Dynamic schedules are not here yet.

pub mod callback;
pub mod static_;

use crate::{arch, state};

/// Who shares the iterations, and which of them asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Number of the one that asks, below `of`.
    pub id: u32,
    /// How many there are.
    pub of: u32,
}

impl Share {
    /// The threads of the current team.
    #[inline(always)]
    pub fn threads() -> Self {
        Self { id: state::thread_num(), of: state::num_threads() }
    }

    /// The teams of the league.
    #[inline(always)]
    pub fn teams() -> Self {
        Self { id: arch::ctaid(), of: arch::nctaid() }
    }
}
