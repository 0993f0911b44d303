//! Phases of barriers: threads of one warp that pass a barrier of the CTA together wait at one instruction.
//!
//! `barrier.sync` lets them come from different ones, and then one loop's barrier is another's: what the program means
//! as two phases is one. (With `bar.sync`, the aligned form, the device stops.) Different warps may well meet from
//! different instructions: worker and main threads of a generic kernel do.

use super::{Action, Finding, Findings};
use crate::code::LANES;
use crate::exec::group::{Group, State};
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Launch, lanes_of};
use crate::watch::Observer;

/// The checker.
pub struct Phases(Findings);

impl Phases {
    /// One that tells its findings there.
    pub fn new(findings: Findings) -> Self {
        Self(findings)
    }
}

impl Observer for Phases {
    fn barrier(&mut self, launch: &Launch<'_>, cta: &CtaState, warps: &[Warp], id: u32, _: &[u32]) {
        for warp in warps {
            let mut places = warp.groups.iter().filter(|g| g.state == State::Barrier { id });
            let at = |g: &Group| (warp.frames[g.frame as usize].function.0, g.pc);
            let Some(first) = places.next() else { continue };
            let Some(other) = places.find(|g| at(g) != at(first)) else { continue };
            let action = |g: &Group| {
                let lane = lanes_of(g.lanes).next().unwrap_or(0);
                let (function, pc) = at(g);
                Action {
                    what: format!("barrier {id}"),
                    team: cta.id,
                    thread: super::thread_of(launch, warp.index * LANES as u32 + lane as u32),
                    place: super::place_of(launch, function, pc),
                }
            };
            self.0.add(Finding {
                check: "barrier",
                message: format!("threads of one warp pass barrier {id} at different instructions"),
                kernel: super::kernel_of(launch),
                object: None,
                actions: vec![action(first), action(other)],
            });
        }
    }
}
