//! Loops that are shared by threads or teams.

pub mod callback;
pub mod doacross;
pub mod dynamic;
pub mod league;
pub mod ordered;
pub mod schedule;
pub mod static_;

use crate::{arch, state, state::ThisThread};

/// Nanoseconds between two looks at a word that another thread will change.
const PAUSE: u32 = 32;

/// Forgets the loop of this thread's team that is handed out while it runs, when `cancel` has made threads leave it. No thread may be
/// in such a loop.
#[inline(always)]
pub fn forget(this: ThisThread) {
    dynamic::forget(this);
    doacross::forget(this);
}

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
        let (id, of) = state::this_thread().place_in_team();
        Self { id, of }
    }

    /// The teams of the league.
    #[inline(always)]
    pub fn teams() -> Self {
        Self { id: arch::ctaid(), of: arch::nctaid() }
    }
}
