//! How long a group runs, and why it stops.

use crate::code::{Op, Order};

/// Why a group has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its slice is over; another group goes first.
    Preempted,
    /// It may not be its turn any more: it met or overtook another one, or came back from a call.
    Regroup,
    /// It waits; its state says for what.
    Blocked,
    /// Its lanes have exited.
    Exited,
}

/// How long a group may run.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// What backward branches may cost until it ends.
    pub jumps: i32,
    /// Instructions until it ends.
    pub instructions: u64,
    /// Accesses to memory until it ends, in front of the next one.
    pub accesses: u64,
    /// Where its lanes part, the scheduler says which of them go first.
    pub stops_at_splits: bool,
}

/// What a backward branch costs more in a loop that looks like waiting: it has done a volatile, ordered or atomic access
/// or slept since the last one. Other backward branches and calls cost 1.
const WAITING_JUMP: i32 = 64;

/// What an operation adds to the cost of the next backward branch.
#[inline(always)]
pub fn waiting_cost(op: &Op) -> i32 {
    match op {
        Op::Load { access, .. } if access.order != Order::Weak => WAITING_JUMP,
        Op::NanoSleep { .. } | Op::Atom { .. } | Op::Cas { .. } | Op::Atom128 { .. } => WAITING_JUMP,
        _ => 0,
    }
}
