//! How a race is told.

use std::collections::HashSet;

use super::cell::{Cell, What};
use super::code::Code;
use crate::check::{
    Action, Finding, Findings, is_of_runtime, kernel_of, object, place_of, team_of, thread_of,
};
use crate::code::LANES;
use crate::exec::lanes_of;
use crate::exec::spaces::Spot;
use crate::watch::{At, MemoryAccess};

/// Two accesses that race.
pub struct Meeting {
    /// The later one.
    pub now: Cell,
    /// Its lane.
    pub lane: usize,
    /// The earlier one.
    pub before: Cell,
    /// The grain, in its own space.
    pub address: u64,
    /// Whether that is shared memory.
    pub shared: bool,
}

/// Tells of races, once for each pair of places.
pub struct Teller {
    findings: Findings,
    /// Tells of races on the runtime's own variables.
    runtime: bool,
    /// Pairs of places that have been told.
    told: HashSet<(u32, u32)>,
}

impl Teller {
    /// Tells `findings`.
    pub fn new(findings: Findings, runtime: bool) -> Self {
        Self { findings, runtime, told: HashSet::new() }
    }

    /// A launch begins: numbers of places are those of its module.
    pub fn launch_start(&mut self) {
        self.told.clear();
    }

    /// Tells of a race.
    #[cold]
    pub fn tell(&mut self, at: &At<'_, '_>, access: &MemoryAccess, code: &Code, meeting: &Meeting) {
        let Meeting { now, lane, before, address, shared } = meeting;
        let places = (before.what.place(), now.what.place());
        if !self.told.insert((places.0.min(places.1), places.0.max(places.1))) {
            return;
        }
        let launch = at.launch;
        let name = |what: What, bytes: &str| {
            let kind = match (what.is(What::WRITE), what.is(What::STRONG)) {
                (true, true) => "atomic or ordered write",
                (false, true) => "atomic or ordered read",
                (true, false) => "store",
                (false, false) => "load",
            };
            let scope = if what.is(What::CTA_SCOPE) { ", scope cta," } else { "" };
            format!("{kind}{bytes}{scope}")
        };
        let action = |what: String, linear: u64, cell: &Cell, lane: usize| {
            let (function, pc) = code.instruction(cell.what.place());
            Action {
                what,
                team: team_of(launch, linear),
                thread: thread_of(launch, (cell.who & 31) * LANES as u32 + lane as u32),
                place: place_of(launch, function, pc),
            }
        };
        let other = lanes_of(before.lanes).find(|l| before.who != now.who || l != lane).unwrap_or(0);
        let actions = vec![
            action(name(now.what, &format!(" of {} bytes", access.bytes)), at.cta.linear, now, *lane),
            action(format!("after {}", name(before.what, "")), before.slot().into(), before, other),
        ];
        let both_strong = now.what.is(What::STRONG) && before.what.is(What::STRONG);
        let why = match both_strong {
            true if !now.what.sizes_agree(before.what) => " (both are strong, but their sizes differ)",
            true => " (both are strong, but the scope of one does not include the other)",
            false => "",
        };
        let object = object(launch, if *shared { Spot::Shared(*address) } else { Spot::Global(*address) });
        let space = if *shared { "shared" } else { "global" };
        let own = is_of_runtime(Some(&object), &actions);
        if own && !self.runtime {
            return;
        }
        self.findings.add(Finding {
            check: if own { "runtime" } else { "race" },
            message: format!("data race on {space} memory{why}"),
            kernel: kernel_of(launch),
            object: Some(object),
            actions,
        });
    }
}
