//! What orders accesses: the knowledge of the threads of a CTA, and what strong operations pass on.
//!
//! A release pattern (a release, or a fence and a strong write) leaves the writer's knowledge at the address; an acquire
//! pattern that reads there takes it (PTX, "Release and Acquire Patterns", "Synchronizes-With"). Scopes count: what is
//! released with CTA scope is there for the threads of the CTA only.

use std::collections::HashMap;
use std::sync::Arc;

use super::cell::{Cell, Known, Row};
use super::clock::{Clock, Node, join};
use crate::barrier::{BARRIERS, MAX_WARPS};
use crate::code::{LANES, Scope};
use crate::exec::lanes_of;

/// What a fence has made ready to be passed on by the thread's strong writes; put together when one of them comes.
#[derive(Clone)]
struct Fenced {
    extra: Option<Arc<Clock>>,
    now: u32,
    known: u32,
    warp_known: u32,
    scope: Scope,
    clock: Option<Arc<Clock>>,
}

/// Lanes that have arrived at a barrier, with what they know.
struct Arrived {
    warp: u32,
    lanes: u32,
    now: u32,
    extra: Option<Arc<Clock>>,
}

/// What a thread knows beyond its warp and CTA.
#[derive(Clone, Default)]
struct Thread {
    extra: Option<Arc<Clock>>,
    /// What it took last: the same again has nothing new.
    last: Option<Arc<Clock>>,
    fenced: Option<Fenced>,
    /// Read by relaxed operations, and known once a fence follows: of CTA scope, of a wider one.
    pending: [Option<Arc<Clock>>; 2],
}

/// What has been released at an address.
#[derive(Clone, Default)]
pub struct Released {
    /// With the scope of the GPU or wider.
    wide: Option<Arc<Clock>>,
    /// The CTA whose threads alone have released it.
    wide_slot: Option<u32>,
    /// With the scope of a CTA.
    narrow: Option<(u32, Arc<Clock>)>,
}

/// Addresses with something released.
pub type Locations = HashMap<u64, Released>;

/// What the threads of a CTA know.
pub struct Cta {
    /// Number in the grid.
    pub linear: u64,
    /// Number of the CTA among all of the process.
    pub slot: u32,
    /// Clock of the CTA; see [`super::clock`].
    pub now: u32,
    /// Stamps of the CTA below this are known to all its threads.
    known: u32,
    /// Stamps of a warp below this are known to all its threads.
    warp_known: [u32; MAX_WARPS],
    threads: Vec<Thread>,
    /// Whether a thread knows anything else.
    any: bool,
    /// Who has arrived at each barrier since it was complete.
    arrived: [Vec<Arrived>; BARRIERS],
    /// Shadow of shared memory.
    pub shared: Vec<Row>,
    /// What is released in shared memory.
    pub locations: Locations,
}

impl Cta {
    /// A CTA at its start.
    pub fn new(linear: u64, slot: u32, warps: usize, shared_bytes: u64) -> Self {
        Self {
            linear,
            slot,
            now: 1,
            known: 0,
            warp_known: [0; MAX_WARPS],
            threads: vec![Thread::default(); warps * LANES],
            any: false,
            arrived: std::array::from_fn(|_| Vec::new()),
            shared: vec![Row::default(); shared_bytes.div_ceil(super::cell::GRAIN) as usize],
            locations: Locations::new(),
        }
    }

    /// The name of a warp in cells.
    pub fn who(&self, warp: u32) -> u32 {
        self.slot << 5 | warp
    }

    /// What orders most accesses.
    #[inline]
    pub fn quickly(&self, warp: u32, first: u32) -> Known {
        Known { who: self.who(warp), cta: self.known, warp: self.warp_known[warp as usize], first }
    }

    /// Whether all of an access is ordered before what a lane does now; `first` is the first CTA of the launch.
    #[inline]
    pub fn knows(&self, cell: &Cell, warp: u32, lane: usize, first: u32) -> bool {
        let slot = cell.who >> 5;
        if slot == self.slot {
            if cell.time < self.known {
                return true;
            }
            if cell.who & 31 == warp
                && (cell.time < self.warp_known[warp as usize] || cell.lanes & !(1 << lane) == 0)
            {
                return true;
            }
        } else if slot < first {
            return true;
        }
        self.any && self.knows_by_clock(cell, warp, lane)
    }

    #[cold]
    fn knows_by_clock(&self, cell: &Cell, warp: u32, lane: usize) -> bool {
        let Some(clock) = &self.threads[warp as usize * LANES + lane].extra else { return false };
        if clock.get(Node::cta(cell.who >> 5)) > cell.time || clock.get(Node::warp(cell.who)) > cell.time {
            return true;
        }
        let me = cell.who == self.who(warp);
        lanes_of(cell.lanes)
            .all(|other| me && other == lane || clock.get(Node::lane(cell.who, other)) > cell.time)
    }

    /// All that a lane knows, itself included.
    fn knowledge(&self, warp: u32, lane: usize, fenced: &Fenced) -> Clock {
        let mut clock = fenced.extra.as_deref().cloned().unwrap_or_default();
        clock.learn(Node::lane(self.who(warp), lane), fenced.now + 1);
        if fenced.warp_known > fenced.known {
            clock.learn(Node::warp(self.who(warp)), fenced.warp_known);
        }
        if fenced.known > 0 {
            clock.learn(Node::cta(self.slot), fenced.known);
        }
        clock
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
    fn gathered(&self, lanes: &[u32]) -> Option<Arc<Clock>> {
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

    fn give(&mut self, lanes: &[u32], clock: &Option<Arc<Clock>>) {
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
            let clock = Arc::make_mut(all.get_or_insert_default());
            lanes_of(others).for_each(|lane| clock.learn(Node::lane(who, lane), now + 1));
            self.any = true;
        }
        if all_wait && lanes.iter().enumerate().all(|(warp, &lanes)| lanes == live(warp)) {
            self.known = self.now + 1;
            self.warp_known = [self.known; MAX_WARPS];
        } else {
            let clock = Arc::make_mut(all.get_or_insert_default());
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
            let clock = Arc::make_mut(all.get_or_insert_default());
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
        for lane in lanes_of(lanes) {
            let thread = &mut self.threads[warp as usize * LANES + lane];
            let [narrow, wide] = &mut thread.pending;
            let mut extra = thread.extra.take();
            if let Some(clock) = narrow.take() {
                join(&mut extra, &clock);
            }
            if scope != Scope::Cta
                && let Some(clock) = wide.take()
            {
                join(&mut extra, &clock);
            }
            self.any |= extra.is_some();
            thread.extra = extra;
            let fenced = self.ready(warp, lane, scope);
            self.threads[warp as usize * LANES + lane].fenced = Some(fenced);
        }
        self.now += 1;
    }

    /// A lane has read what was released at an address, by an operation of `scope` that acquires, or, if not, by one
    /// that a fence may follow.
    pub fn acquire(&mut self, released: &Released, warp: u32, lane: usize, scope: Scope, acquires: bool) {
        let thread = &mut self.threads[warp as usize * LANES + lane];
        let narrow = released.narrow.as_ref().filter(|(slot, _)| *slot == self.slot).map(|(_, clock)| clock);
        let own = released.wide_slot == Some(self.slot);
        let wide = released.wide.as_ref().filter(|_| own || scope != Scope::Cta);
        if acquires {
            for clock in narrow.into_iter().chain(wide) {
                if thread.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, clock)) {
                    continue;
                }
                join(&mut thread.extra, clock);
                thread.last = Some(Arc::clone(clock));
                self.any = true;
            }
            return;
        }
        if let Some(clock) = narrow {
            join(&mut thread.pending[0], clock);
        }
        if let Some(clock) = wide {
            join(&mut thread.pending[usize::from(!own)], clock);
        }
    }

    /// A lane writes to an address by a strong operation of `scope`: what it passes on, if anything.
    pub fn release(
        &mut self,
        warp: u32,
        lane: usize,
        scope: Scope,
        releases: bool,
    ) -> Option<(Arc<Clock>, bool)> {
        if releases {
            let clock = Arc::new(self.knowledge(warp, lane, &self.ready(warp, lane, scope)));
            self.now += 1;
            return Some((clock, scope == Scope::Cta));
        }
        let index = warp as usize * LANES + lane;
        let mut fenced = self.threads[index].fenced.take()?;
        let clock = match fenced.clock.take() {
            Some(clock) => clock,
            None => Arc::new(self.knowledge(warp, lane, &fenced)),
        };
        fenced.clock = Some(Arc::clone(&clock));
        let narrow = scope == Scope::Cta || fenced.scope == Scope::Cta;
        self.threads[index].fenced = Some(fenced);
        Some((clock, narrow))
    }
}

impl Released {
    /// A thread of CTA `slot` writes: an atomic update adds to what is there (a release sequence), a store replaces it.
    pub fn write(&mut self, clock: Option<(Arc<Clock>, bool)>, slot: u32, update: bool) {
        if !update {
            *self = Self::default();
        }
        match clock {
            None => {}
            Some((clock, true)) => match &mut self.narrow {
                Some((owner, all)) if *owner == slot => {
                    let mut joined = Some(Arc::clone(all));
                    join(&mut joined, &clock);
                    *all = joined.unwrap_or(clock);
                }
                narrow => *narrow = Some((slot, clock)),
            },
            Some((clock, false)) => {
                let alone = self.wide.is_none() || self.wide_slot == Some(slot);
                self.wide_slot = alone.then_some(slot);
                join(&mut self.wide, &clock);
            }
        }
    }

    /// Whether nothing is released.
    pub fn is_empty(&self) -> bool {
        self.wide.is_none() && self.narrow.is_none()
    }
}
