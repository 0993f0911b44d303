//! What is told when a CTA cannot go on.

use super::Worker;
use crate::barrier::Refused;
use crate::code::LANES;
use crate::exec::fault::Fault;
use crate::exec::group::{Group, State};
use crate::exec::warp::Warp;
use crate::exec::{Launch, place};
use crate::report::{Report, ReportKind};

impl Worker {
    /// The report when no warp can go on.
    pub(super) fn stuck(&self, launch: &Launch<'_>) -> Report {
        let groups = || self.warps.iter().flat_map(|w| &w.groups);
        let split = groups().any(|g| matches!(g.state, State::Arriving { aligned: true, .. }));
        let (kind, message) = if split {
            let message = "deadlock: only some lanes of a warp have come to an aligned barrier (bar.sync), and the others \
                           wait for something else";
            (ReportKind::Barrier, message)
        } else {
            (ReportKind::Deadlock, "deadlock: every thread of the CTA waits or has exited")
        };
        self.everyone(launch, kind, message.to_owned())
    }

    /// A report with the state of every thread of the CTA.
    pub(super) fn everyone(&self, launch: &Launch<'_>, kind: ReportKind, message: String) -> Report {
        let report = place::of_cta(launch, &self.cta, kind, message);
        place::states(launch, &self.cta, &self.warps, report)
    }
}

/// The fault of a warp all of whose lanes wait at aligned barriers, but not at the same one.
pub(super) fn split_barrier(launch: &Launch<'_>, warp: &Warp, group: &Group, lanes: u32) -> Box<Fault> {
    let mut places: Vec<String> = warp
        .groups
        .iter()
        .map(|g| {
            let f = &launch.module.functions[warp.frames[g.frame as usize].function.0 as usize];
            format!("lanes {:#010x} in {}, PTX line {}", g.lanes, f.name, f.lines[g.pc as usize])
        })
        .collect();
    places.sort();
    let State::Arriving { id, .. } = group.state else {
        unreachable!("the group arrives at a barrier");
    };
    Fault::new(
        ReportKind::Barrier,
        format!(
            "the lanes of a warp wait at different aligned barriers (bar.sync): {:#010x} of {:#010x} at barrier {id}; {}",
            lanes,
            warp.live,
            places.join("; ")
        ),
    )
}

/// The fault of a group that the barrier refuses.
pub(super) fn refusal(refused: &Refused, id: u32, count: Option<u32>, warps: usize) -> Box<Fault> {
    let number = count.unwrap_or(0);
    let text = match refused {
        Refused::Id => format!("there is no barrier {id}: a CTA has the barriers 0 to 15"),
        Refused::Count => {
            format!("barrier {id} with a count of {number} threads, which is not a positive multiple of 32")
        }
        Refused::TooMany => format!(
            "barrier {id} with a count of {number} threads, but the CTA has only {} in {warps} warps",
            warps * LANES
        ),
        Refused::Mismatch(others) => {
            let name =
                |count: Option<u32>| count.map_or("all threads".to_owned(), |n| format!("{n} threads"));
            format!("barrier {id} for {}, where others wait for {}", name(count), name(*others))
        }
        Refused::Mixed => {
            format!("barrier {id} is used by bar.red and by bar.sync or bar.arrive at the same time")
        }
    };
    Fault::new(ReportKind::Barrier, text)
}
