//! What orders accesses: the knowledge of the threads of a CTA, and what strong operations pass on.
//!
//! A release pattern (a release, or a fence and a strong write) leaves the writer's knowledge at the address; an acquire
//! pattern that reads there takes it (PTX, "Release and Acquire Patterns", "Synchronizes-With"). Scopes count: what is
//! released with CTA scope is there for the threads of the CTA only.

use super::cell::Cell;
use super::clock::{Clock, Node, Tag, join};
use super::quick::Known;
use super::released::{Locations, Passed, Released};
use crate::barrier::{BARRIERS, MAX_WARPS};
use crate::code::{LANES, Scope};
use crate::exec::lanes_of;

/// What a fence has made ready to be passed on by the thread's strong writes; put together when one of them comes.
#[derive(Clone)]
struct Fenced {
    extra: Option<Clock>,
    now: u32,
    known: u32,
    warp_known: u32,
    scope: Scope,
    /// With the version that is part of it.
    clock: Option<(Clock, Option<Tag>)>,
}

/// Lanes that have arrived at a barrier, with what they know.
struct Arrived {
    warp: u32,
    lanes: u32,
    now: u32,
    extra: Option<Clock>,
}

/// What a thread knows beyond its warp and CTA.
#[derive(Clone, Default)]
struct Thread {
    extra: Option<Clock>,
    /// What it took last: the same again has nothing new.
    last: Option<Clock>,
    fenced: Option<Fenced>,
}

/// What lanes of a warp have read by relaxed operations: known to each once a fence of it follows.
struct Pending {
    lanes: u32,
    clock: Clock,
    /// A fence of CTA scope is enough.
    narrow: bool,
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
    threads: Vec<Thread>,
    /// What the lanes of each warp have read and no fence has followed.
    pending: Vec<Vec<Pending>>,
    /// Lanes of each warp whose strong writes pass on what a fence has made ready.
    fenced: [u32; MAX_WARPS],
    /// Whether a thread knows anything else.
    any: bool,
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
            threads: vec![Thread::default(); warps * LANES],
            pending: std::iter::repeat_with(Vec::new).take(warps).collect(),
            fenced: [0; MAX_WARPS],
            any: false,
            arrived: std::array::from_fn(|_| Vec::new()),
            locations: Locations::new(),
        }
    }

    /// The name of a warp in cells.
    pub fn who(&self, warp: u32) -> u32 {
        self.slot << 5 | warp
    }

    /// What orders most accesses of some lanes of a warp.
    #[inline]
    pub fn quickly(&self, warp: u32, lanes: u32) -> Known<'_> {
        let extra = if self.any { self.common_extra(warp, lanes) } else { None };
        Known { who: self.who(warp), cta: self.known, warp: self.warp_known[warp as usize], extra }
    }

    /// What lanes know besides, if all know the same.
    fn common_extra(&self, warp: u32, lanes: u32) -> Option<&Clock> {
        let extra = |lane: usize| self.threads[warp as usize * LANES + lane].extra.as_ref();
        let first = extra(lanes.trailing_zeros() as usize)?;
        lanes_of(lanes).all(|lane| extra(lane).is_some_and(|clock| clock.is(first))).then_some(first)
    }

    /// Whether all of an access is ordered before what a lane does now.
    #[inline]
    pub fn knows(&self, cell: &Cell, warp: u32, lane: usize) -> bool {
        let cta = cell.slot() == self.slot && cell.time < self.known;
        let own = cell.who == self.who(warp)
            && (cell.time < self.warp_known[warp as usize] || cell.lanes & !(1 << lane) == 0);
        cta || own || self.any && self.knows_by_clock(cell, warp, lane)
    }

    #[cold]
    fn knows_by_clock(&self, cell: &Cell, warp: u32, lane: usize) -> bool {
        let Some(clock) = &self.threads[warp as usize * LANES + lane].extra else { return false };
        if clock.get(Node::cta(cell.slot())) > cell.time || clock.get(Node::warp(cell.who)) > cell.time {
            return true;
        }
        let me = cell.who == self.who(warp);
        lanes_of(cell.lanes)
            .all(|other| me && other == lane || clock.get(Node::lane(cell.who, other)) > cell.time)
    }

    /// All that a lane knows, itself included, and the version that is part of it.
    fn knowledge(&self, warp: u32, lane: usize, fenced: &Fenced) -> (Clock, Option<Tag>) {
        let who = self.who(warp);
        let own = [
            (Node::lane(who, lane), fenced.now + 1),
            (Node::warp(who), fenced.warp_known),
            (Node::cta(self.slot), fenced.known),
        ];
        let extra = fenced.extra.clone().unwrap_or_default();
        // Knowing a warp up to 0 is knowing nothing, and what the CTA knows its warps know.
        let more = match (fenced.warp_known > fenced.known, fenced.known > 0) {
            (false, false) => extra.with(&own[..1]),
            (true, false) => extra.with(&own[..2]),
            (false, true) => extra.with(&[own[0], own[2]]),
            (true, true) => extra.with(&own),
        };
        (more, extra.tag())
    }

    /// What a lane could pass on now.
    fn ready(&self, warp: u32, lane: usize, scope: Scope) -> Fenced {
        Fenced {
            extra: self.threads[warp as usize * LANES + lane].extra.clone(),
            now: self.now,
            known: self.known,
            warp_known: self.warp_known[warp as usize],
            scope,
            clock: None,
        }
    }

    /// The extra knowledge of some lanes of each warp, joined.
    fn gathered(&self, lanes: &[u32]) -> Option<Clock> {
        let mut all = None;
        for (warp, &lanes) in lanes.iter().enumerate() {
            for lane in lanes_of(lanes) {
                if let Some(extra) = &self.threads[warp * LANES + lane].extra {
                    join(&mut all, extra);
                }
            }
        }
        all
    }

    fn give(&mut self, lanes: &[u32], clock: &Option<Clock>) {
        for (warp, &lanes) in lanes.iter().enumerate() {
            for lane in lanes_of(lanes) {
                self.threads[warp * LANES + lane].extra.clone_from(clock);
            }
        }
    }

    /// Lanes of a warp arrive at a barrier. They need not wait for it.
    pub fn arrive(&mut self, warp: u32, id: u32, lanes: u32) {
        let mut by_warp = [0; MAX_WARPS];
        by_warp[warp as usize] = lanes;
        let extra = if self.any { self.gathered(&by_warp) } else { None };
        if let Some(arrived) = self.arrived.get_mut(id as usize) {
            arrived.push(Arrived { warp, lanes, now: self.now, extra });
            self.now += 1;
        }
    }

    /// The lanes in `lanes`, by warp, meet at barrier `id`; `live` are those that have not exited. A barrier of all of
    /// them orders what exited threads did as well.
    pub fn barrier(&mut self, id: u32, lanes: &[u32], live: impl Fn(usize) -> u32) {
        let mut all = if self.any { self.gathered(lanes) } else { None };
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
            self.any = true;
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
            self.any = true;
        }
        if self.any {
            self.give(lanes, &all);
        }
        self.now += 1;
    }

    /// Lanes of a warp meet at `bar.warp.sync`.
    pub fn warp_barrier(&mut self, warp: u32, lanes: u32, live: u32) {
        let mut by_warp = [0; MAX_WARPS];
        by_warp[warp as usize] = lanes;
        let mut all = if self.any { self.gathered(&by_warp) } else { None };
        if lanes == live {
            self.warp_known[warp as usize] = self.now + 1;
        } else {
            let who = self.who(warp);
            let clock = all.get_or_insert_default();
            lanes_of(lanes).for_each(|lane| clock.learn(Node::lane(who, lane), self.now + 1));
            self.any = true;
        }
        if self.any {
            self.give(&by_warp, &all);
        }
        self.now += 1;
    }

    /// A fence by some lanes of a warp.
    pub fn fence(&mut self, warp: u32, lanes: u32, scope: Scope) {
        self.pending[warp as usize].retain_mut(|read| {
            if read.narrow || scope != Scope::Cta {
                for lane in lanes_of(read.lanes & lanes) {
                    join(&mut self.threads[warp as usize * LANES + lane].extra, &read.clock);
                    self.any = true;
                }
                read.lanes &= !lanes;
            }
            read.lanes != 0
        });
        self.fenced[warp as usize] |= lanes;
        for lane in lanes_of(lanes) {
            let fenced = self.ready(warp, lane, scope);
            self.threads[warp as usize * LANES + lane].fenced = Some(fenced);
        }
        self.now += 1;
    }

    /// Lanes have read what was released at an address, by an operation of `scope` that acquires, or, if not, by one
    /// that a fence may follow.
    pub fn acquire(&mut self, released: &Released, warp: u32, lanes: u32, scope: Scope, acquires: bool) {
        for (clock, narrow) in released.taken(self.slot, scope == Scope::Cta) {
            if !acquires {
                pend(&mut self.pending[warp as usize], lanes, clock, narrow);
                continue;
            }
            self.any = true;
            for lane in lanes_of(lanes) {
                let thread = &mut self.threads[warp as usize * LANES + lane];
                if !thread.last.as_ref().is_some_and(|last| last.is(clock)) {
                    join(&mut thread.extra, clock);
                    thread.last = Some(clock.clone());
                }
            }
        }
    }

    /// Whether strong writes of some lanes pass on anything, by operations that release or do not.
    pub fn passes_on(&self, warp: u32, lanes: u32, releases: bool) -> bool {
        releases || self.fenced[warp as usize] & lanes != 0
    }

    /// A lane writes to an address by a strong operation of `scope`: what it passes on, if anything.
    pub fn release(&mut self, warp: u32, lane: usize, scope: Scope, releases: bool) -> Option<Passed> {
        if releases {
            let (clock, over) = self.knowledge(warp, lane, &self.ready(warp, lane, scope));
            self.now += 1;
            return Some(Passed { clock, over, narrow: scope == Scope::Cta });
        }
        let index = warp as usize * LANES + lane;
        let mut fenced = self.threads[index].fenced.take()?;
        let (clock, over) = fenced.clock.take().unwrap_or_else(|| self.knowledge(warp, lane, &fenced));
        let narrow = scope == Scope::Cta || fenced.scope == Scope::Cta;
        self.threads[index].fenced = Some(Fenced { clock: Some((clock.clone(), over)), ..fenced });
        Some(Passed { clock, over, narrow })
    }

    /// What the lane has passed on is this version now.
    pub fn passed(&mut self, warp: u32, lane: usize, version: Clock) {
        if let Some(fenced) = &mut self.threads[warp as usize * LANES + lane].fenced
            && let Some((clock, _)) = &mut fenced.clock
            && clock.is(&version)
        {
            *clock = version;
        }
    }
}

/// Notes what lanes have read; a later version takes the place of those before it.
fn pend(pending: &mut Vec<Pending>, lanes: u32, clock: &Clock, narrow: bool) {
    let mut noted = false;
    pending.retain_mut(|read| {
        if read.narrow == narrow {
            if read.clock.is(clock) {
                read.lanes |= lanes;
                noted = true;
            } else if clock.supersedes(&read.clock) {
                read.lanes &= !lanes;
            }
        }
        read.lanes != 0
    });
    if !noted {
        pending.push(Pending { lanes, clock: clock.clone(), narrow });
    }
}
