//! What orders accesses: the knowledge of the threads of a CTA, and what strong operations pass on.
//!
//! A release pattern (a release, or a fence and a strong write) leaves the writer's knowledge at the address; an acquire
//! pattern that reads there takes it (PTX, "Release and Acquire Patterns", "Synchronizes-With"). Scopes count: what is
//! released with CTA scope is there for the threads of the CTA only.

use super::cell::Cell;
use super::clock::{Clock, Node, Tag, join};
use super::held::Held;
use super::quick::Known;
use super::released::{Locations, Passed, Released};
use crate::barrier::{BARRIERS, MAX_WARPS};
use crate::code::{LANES, Scope};
use crate::exec::lanes_of;

/// Lanes that have arrived at a barrier, with what they know.
struct Arrived {
    warp: u32,
    lanes: u32,
    now: u32,
    extra: Option<Clock>,
}

/// When a thread could pass on what it knew: now, or at a fence.
#[derive(Clone, Copy)]
struct Moment {
    now: u32,
    known: u32,
    warp_known: u32,
}

/// What the lanes of a warp know beyond their warp and CTA, and what they pass on.
struct WarpState {
    extra: Held,
    /// What some lanes have taken last: the same again has nothing new.
    last: Option<(u32, Clock)>,
    /// What lanes have read by relaxed operations, and know once a fence follows: one of CTA scope, a wider one.
    pending: [Held; 2],
    /// Lanes whose strong writes pass on what they knew at a fence.
    fenced: u32,
    /// Those of them whose fence had CTA scope.
    narrow: u32,
    /// When that was.
    moments: [Moment; LANES],
    /// What they knew besides.
    ready: Held,
    /// All of it, once a strong write has come.
    passed: Held,
}

impl WarpState {
    fn new() -> Self {
        Self {
            extra: Held::default(),
            last: None,
            pending: Default::default(),
            fenced: 0,
            narrow: 0,
            moments: [Moment { now: 0, known: 0, warp_known: 0 }; LANES],
            ready: Held::default(),
            passed: Held::default(),
        }
    }
}

/// What the threads of a CTA know.
pub struct Cta {
    /// Number of the CTA among all of the process.
    pub slot: u32,
    /// Clock of the CTA; see [`super::clock`].
    pub now: u32,
    /// Stamps of the CTA below this are known to all its threads.
    known: u32,
    /// Stamps of a warp below this are known to all its threads.
    warp_known: [u32; MAX_WARPS],
    warps: Vec<WarpState>,
    /// Who has arrived at each barrier since it was complete.
    arrived: [Vec<Arrived>; BARRIERS],
    /// What is released in shared memory.
    pub locations: Locations,
}

impl Cta {
    /// A CTA at its start.
    pub fn new(slot: u32, warps: usize) -> Self {
        Self {
            slot,
            now: 1,
            known: 0,
            warp_known: [0; MAX_WARPS],
            warps: std::iter::repeat_with(WarpState::new).take(warps).collect(),
            arrived: std::array::from_fn(|_| Vec::new()),
            locations: Locations::default(),
        }
    }

    /// The name of a warp in cells.
    pub fn who(&self, warp: u32) -> u32 {
        self.slot << 5 | warp
    }

    /// What orders most accesses of some lanes of a warp.
    #[inline]
    pub fn quickly(&self, warp: u32, lanes: u32) -> Known<'_> {
        let state = &self.warps[warp as usize];
        Known {
            who: self.who(warp),
            cta: self.known,
            warp: self.warp_known[warp as usize],
            extra: state.extra.common(lanes),
        }
    }

    /// Whether all of an access is ordered before what a lane does now.
    #[inline]
    pub fn knows(&self, cell: &Cell, warp: u32, lane: usize) -> bool {
        let cta = cell.slot() == self.slot && cell.time < self.known;
        let own = cell.who == self.who(warp)
            && (cell.time < self.warp_known[warp as usize] || cell.lanes & !(1 << lane) == 0);
        cta || own || self.knows_by_clock(cell, warp, lane)
    }

    #[cold]
    fn knows_by_clock(&self, cell: &Cell, warp: u32, lane: usize) -> bool {
        let Some(clock) = self.warps[warp as usize].extra.get(lane) else { return false };
        if clock.get(Node::cta(cell.slot())) > cell.time || clock.get(Node::warp(cell.who)) > cell.time {
            return true;
        }
        let me = cell.who == self.who(warp);
        lanes_of(cell.lanes)
            .all(|other| me && other == lane || clock.get(Node::lane(cell.who, other)) > cell.time)
    }

    /// All that a lane knew at a moment, itself included, and the version that is part of it.
    fn knowledge(&self, warp: u32, lane: usize, at: Moment, extra: Option<&Clock>) -> (Clock, Option<Tag>) {
        let who = self.who(warp);
        let own = [
            (Node::lane(who, lane), at.now + 1),
            (Node::warp(who), at.warp_known),
            (Node::cta(self.slot), at.known),
        ];
        let none = Clock::default();
        let extra = extra.unwrap_or(&none);
        // Knowing a warp up to 0 is knowing nothing, and what the CTA knows its warps know.
        let more = match (at.warp_known > at.known, at.known > 0) {
            (false, false) => extra.with(&own[..1]),
            (true, false) => extra.with(&own[..2]),
            (false, true) => extra.with(&[own[0], own[2]]),
            (true, true) => extra.with(&own),
        };
        (more, extra.tag())
    }

    fn moment(&self, warp: u32) -> Moment {
        Moment { now: self.now, known: self.known, warp_known: self.warp_known[warp as usize] }
    }

    /// The extra knowledge of some lanes of a warp, joined to that of others.
    fn gather(&self, all: &mut Option<Clock>, warp: usize, lanes: u32) {
        self.warps[warp].extra.of(lanes).for_each(|(_, clock)| join(all, clock));
    }

    /// Lanes of a warp arrive at a barrier. They need not wait for it.
    pub fn arrive(&mut self, warp: u32, id: u32, lanes: u32) {
        let mut extra = None;
        self.gather(&mut extra, warp as usize, lanes);
        if let Some(arrived) = self.arrived.get_mut(id as usize) {
            arrived.push(Arrived { warp, lanes, now: self.now, extra });
            self.now += 1;
        }
    }

    /// The lanes in `lanes`, by warp, meet at barrier `id`; `live` are those that have not exited. A barrier of all of
    /// them orders what exited threads did as well.
    pub fn barrier(&mut self, id: u32, lanes: &[u32], live: impl Fn(usize) -> u32) {
        let mut all = None;
        lanes
            .iter()
            .enumerate()
            .take(self.warps.len())
            .for_each(|(k, &lanes)| self.gather(&mut all, k, lanes));
        let mut all_wait = true;
        for Arrived { warp, lanes: others, now, extra } in std::mem::take(&mut self.arrived[id as usize]) {
            let others = others & !lanes[warp as usize];
            if others == 0 {
                continue;
            }
            all_wait = false;
            // They went on: what they knew and had done then.
            if let Some(extra) = &extra {
                join(&mut all, extra);
            }
            let who = self.who(warp);
            let clock = all.get_or_insert_default();
            lanes_of(others).for_each(|lane| clock.learn(Node::lane(who, lane), now + 1));
        }
        if all_wait && lanes.iter().enumerate().all(|(warp, &lanes)| lanes == live(warp)) {
            self.known = self.now + 1;
            self.warp_known = [self.known; MAX_WARPS];
        } else {
            let clock = all.get_or_insert_default();
            for (warp, &lanes) in lanes.iter().enumerate() {
                let who = self.slot << 5 | warp as u32;
                if lanes != 0 && lanes == live(warp) {
                    clock.learn(Node::warp(who), self.now + 1);
                } else {
                    lanes_of(lanes).for_each(|lane| clock.learn(Node::lane(who, lane), self.now + 1));
                    if lanes != 0 {
                        clock.learn(Node::warp(who), self.warp_known[warp]);
                    }
                }
            }
            if self.known > 0 {
                clock.learn(Node::cta(self.slot), self.known);
            }
        }
        for (state, &lanes) in self.warps.iter_mut().zip(lanes) {
            state.extra.set(lanes, all.as_ref());
        }
        self.now += 1;
    }

    /// Lanes of a warp meet at `bar.warp.sync`.
    pub fn warp_barrier(&mut self, warp: u32, lanes: u32, live: u32) {
        let mut all = None;
        self.gather(&mut all, warp as usize, lanes);
        if lanes == live {
            self.warp_known[warp as usize] = self.now + 1;
        } else {
            let who = self.who(warp);
            let clock = all.get_or_insert_default();
            lanes_of(lanes).for_each(|lane| clock.learn(Node::lane(who, lane), self.now + 1));
        }
        self.warps[warp as usize].extra.set(lanes, all.as_ref());
        self.now += 1;
    }

    /// A fence by some lanes of a warp.
    pub fn fence(&mut self, warp: u32, lanes: u32, scope: Scope) {
        let moment = self.moment(warp);
        let state = &mut self.warps[warp as usize];
        let wide = scope != Scope::Cta;
        for pending in &mut state.pending[..=usize::from(wide)] {
            pending.of(lanes).for_each(|(set, clock)| state.extra.join(set, clock));
            pending.clear(lanes);
        }
        state.fenced |= lanes;
        state.narrow = if wide { state.narrow & !lanes } else { state.narrow | lanes };
        if lanes == u32::MAX {
            state.moments = [moment; LANES];
        } else {
            lanes_of(lanes).for_each(|lane| state.moments[lane] = moment);
        }
        state.ready.copy(lanes, &state.extra);
        state.passed.clear(lanes);
        self.now += 1;
    }

    /// Lanes have read what was released at an address, by an operation of `scope` that acquires, or, if not, by one
    /// that a fence may follow.
    pub fn acquire(&mut self, released: &Released, warp: u32, lanes: u32, scope: Scope, acquires: bool) {
        let state = &mut self.warps[warp as usize];
        for (clock, narrow) in released.taken(self.slot, scope == Scope::Cta) {
            if !acquires {
                state.pending[usize::from(!narrow)].join(lanes, clock);
                continue;
            }
            match &mut state.last {
                Some((taken, last)) if last.is(clock) => {
                    let new = lanes & !*taken;
                    *taken |= lanes;
                    if new != 0 {
                        state.extra.join(new, clock);
                    }
                }
                last => {
                    *last = Some((lanes, clock.clone()));
                    state.extra.join(lanes, clock);
                }
            }
        }
    }

    /// Whether strong writes of some lanes pass on anything, by operations that release or do not.
    pub fn passes_on(&self, warp: u32, lanes: u32, releases: bool) -> bool {
        releases || self.warps[warp as usize].fenced & lanes != 0
    }

    /// A lane writes to an address by a strong operation of `scope`: what it passes on, if anything.
    pub fn release(&mut self, warp: u32, lane: usize, scope: Scope, releases: bool) -> Option<Passed> {
        let state = &self.warps[warp as usize];
        let narrow = scope == Scope::Cta;
        if releases {
            let (clock, over) = self.knowledge(warp, lane, self.moment(warp), state.extra.get(lane));
            self.now += 1;
            return Some(Passed { clock, over, narrow });
        }
        if state.fenced >> lane & 1 == 0 {
            return None;
        }
        let narrow = narrow || state.narrow >> lane & 1 != 0;
        if let Some(clock) = state.passed.get(lane) {
            return Some(Passed { clock: clock.clone(), over: None, narrow });
        }
        let (clock, over) = self.knowledge(warp, lane, state.moments[lane], state.ready.get(lane));
        self.warps[warp as usize].passed.set(1 << lane, Some(&clock));
        Some(Passed { clock, over, narrow })
    }

    /// What the lane has passed on by virtue of a fence is this version now.
    pub fn passed(&mut self, warp: u32, lane: usize, version: &Clock) {
        let passed = &mut self.warps[warp as usize].passed;
        if passed.get(lane).is_some_and(|clock| clock.is(version)) {
            passed.set(1 << lane, Some(version));
        }
    }
}
