//! Execution of a kernel: what is common to a launch and to a CTA.
//!
//! The files below it, from the outside in: [`crate::sched`] runs a CTA, [`control`] a group of lanes until it stops,
//! and [`moves`], [`integer`], [`bits`],
//! [`float`], [`convert`], [`small`], [`video`], [`memory`], [`atomic`], [`warpop`], [`call`], [`stack`] and [`special`] single operations.

mod atomic;
pub(crate) mod bits;
pub mod bulk;
mod call;
pub mod control;
mod convert;
pub mod fault;
mod float;
pub mod group;
mod integer;
mod lanes;
pub mod memory;
mod moves;
pub mod place;
pub mod printf;
pub mod slice;
mod small;
mod soft;
pub mod spaces;
mod special;
mod stack;
mod steer;
#[cfg(test)]
pub mod testing;
pub mod tier;
pub mod verify;
mod video;
pub mod warp;
pub mod warpop;

pub use lanes::{Lanes, lanes_of};
pub use spaces::Spaces;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::barrier::Barriers;
use crate::code::{Chunk, FunctionId, Module};
use crate::device::LaunchConfig;
use crate::limit::Budget;
use crate::mem::Memory;
use crate::schedule::Schedule;

/// What is the same for all CTAs of a launch.
pub struct Launch<'a> {
    /// Module of the kernel.
    pub module: &'a Module,
    /// Which of the modules that have been loaded; no two have the same number.
    pub module_number: u64,
    /// Its PTX, if somebody wants to show it.
    pub text: Option<&'a str>,
    /// The kernel.
    pub entry: FunctionId,
    /// Grid, block, dynamic shared memory.
    pub config: LaunchConfig,
    /// The parameter block.
    pub parameters: &'a [u8],
    /// Device memory.
    pub memory: &'a Memory,
    /// Address of the module's variables; 0 if there are none.
    pub base: u64,
    /// Where `printf` writes.
    pub output: &'a (dyn Fn(&[u8]) + Sync),
    /// Seed of the scheduler.
    pub seed: Option<u64>,
    /// How it orders the warps.
    pub schedule: Schedule,
    /// Most accesses that a CTA of the kernel has made so far; for [`Schedule::Pct`], 0 if nobody knows.
    pub steps: &'a AtomicU64,
    /// What it may use.
    pub limits: Option<Budget>,
    /// How operations are executed.
    pub tier: tier::Tier,
    /// Number of the launch.
    pub grid_id: u64,
    /// Set when the launch ends early.
    pub stop: AtomicBool,
    /// When the launch began.
    pub clock: Clock,
}

/// Wall time.
#[derive(Clone, Copy)]
pub struct Clock {
    start: Instant,
    epoch: u64,
}

impl Clock {
    /// A clock that shows the time of day in nanoseconds.
    pub fn new() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: Instant::now(), epoch: epoch.as_nanos() as u64 }
    }
}

impl Launch<'_> {
    /// `%globaltimer`: wall time, or, when a seed asks for runs that can be repeated, one nanosecond for each
    /// instruction of the CTA's warps.
    fn nanoseconds(&self, instructions: u64) -> u64 {
        match self.seed {
            Some(_) => 1_000_000_000 + instructions,
            None => self.clock.epoch + self.clock.start.elapsed().as_nanos() as u64,
        }
    }
}

/// What the warps of a CTA share.
pub struct CtaState {
    /// `%ctaid`.
    pub id: [u32; 3],
    /// Number in the grid, x first.
    pub linear: u64,
    /// Shared memory, static and then dynamic.
    pub shared: Vec<Chunk>,
    /// Its size.
    pub shared_bytes: u64,
    /// The barriers.
    pub barriers: Barriers,
    /// Threads that have not exited.
    pub live: u32,
    /// Instructions executed by warps.
    pub warp_instructions: u64,
    /// The same, counted for each active lane.
    pub thread_instructions: u64,
}
