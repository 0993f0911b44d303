//! The scheduler: gives the warps of a CTA their turns, lets them meet at barriers, and sees when none can go on.
//!
//! Without a seed warps run round robin, each until it waits, or a budget of backward branches and calls is used up;
//! loops that look like waiting use it up fast. Behind a barrier for which all others had to wait it is the first one's turn
//! again, whoever came last: so what a clock of the first thread tells contains the work of all warps between two barriers.
//! At random the next warp, the length of each turn (down to single instructions) and now and then the group are drawn, by
//! a generator that depends on the seed, the number of the launch and the CTA alone. The third way, PCT, goes by priorities ([`crate::schedule`]).
//!
//! A CTA runs from start to end on one OS thread. With one OS thread CTAs run one after the other, so a CTA that waits
//! for a later one waits for ever; hardware does not promise to run them together either, unless they all fit.

mod stuck;

use self::stuck::{refusal, split_barrier};
use crate::barrier::{Arrival, Barriers, Complete, MAX_WARPS};
use crate::code::{BarrierKind, Chunk, LANES, Module, Op};
use crate::device::LaunchStats;
use crate::exec::control;
use crate::exec::fault::Fault;
use crate::exec::group::{Group, State};
use crate::exec::slice::{Outcome, Slice};
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Launch, place, warpop};
use crate::limit::Budget;
use crate::mem::PATTERN;
use crate::report::{Report, ReportKind};
use crate::schedule::{Pct, Random, Schedule};
use crate::watch::Watch;
use std::sync::atomic::Ordering;

/// What backward branches and calls may cost in a turn.
const TURN: i32 = 4000;

/// Who gets the next turn.
enum Order {
    Fair,
    Random(Random),
    Pct(Pct),
}

/// The state of a CTA, kept from one CTA to the next for its memory.
pub struct Worker {
    warps: Vec<Warp>,
    cta: CtaState,
    /// Warps that can run, one bit each.
    ready: u32,
    order: Order,
    /// Warp that ran last.
    last: usize,
    /// A barrier is complete without which no other warp could go on, and the turn of the warp that came last to it is over.
    over: bool,
}

impl Worker {
    /// A worker that has not run anything.
    pub fn new() -> Self {
        Self {
            warps: Vec::new(),
            cta: CtaState {
                id: [0; 3],
                linear: 0,
                shared: Vec::new(),
                shared_bytes: 0,
                barriers: Barriers::new(),
                live: 0,
                warp_instructions: 0,
                thread_instructions: 0,
            },
            ready: 0,
            order: Order::Fair,
            last: 0,
            over: false,
        }
    }

    /// Runs one CTA to its end and adds to `stats`; returns early if the launch is stopped.
    ///
    /// # Errors
    /// What the kernel did wrong.
    pub fn run<W: Watch>(
        &mut self,
        launch: &Launch<'_>,
        linear: u64,
        stats: &mut LaunchStats,
        watch: &mut W,
    ) -> Result<(), Report> {
        let result = self.start(launch, linear).and_then(|()| {
            watch.each(|o| o.cta_start(launch, &self.cta));
            let result = self.turns(launch, watch);
            watch.each(|o| o.cta_end(launch, &self.cta));
            result
        });
        if let Order::Pct(pct) = &self.order {
            launch.steps.fetch_max(pct.steps, Ordering::Relaxed);
        }
        stats.warp_instructions += self.cta.warp_instructions;
        stats.thread_instructions += self.cta.thread_instructions;
        stats.barriers += self.cta.barriers.completed;
        result
    }

    fn start(&mut self, launch: &Launch<'_>, linear: u64) -> Result<(), Report> {
        let [x, y, _] = launch.config.grid.map(u64::from);
        let threads = launch.config.block.iter().product::<u32>();
        let count = (threads as usize).div_ceil(LANES);
        let cta = &mut self.cta;
        cta.id = [linear % x, linear / x % y, linear / x / y].map(|n| n as u32);
        cta.linear = linear;
        let bytes = u64::from(launch.module.shared_bytes) + u64::from(launch.config.dynamic_shared);
        // The last word is whole, as in device memory.
        cta.shared_bytes = bytes.next_multiple_of(4);
        cta.shared.clear();
        cta.shared.resize(cta.shared_bytes.div_ceil(64) as usize, Chunk([PATTERN; 64]));
        cta.barriers = Barriers::new();
        cta.live = threads;
        cta.warp_instructions = 0;
        cta.thread_instructions = 0;
        if self.warps.len() != count {
            self.warps.resize_with(count, Warp::new);
        }
        for (index, warp) in self.warps.iter_mut().enumerate() {
            let started =
                warp.start(launch.module, launch.entry, launch.parameters, index as u32, launch.config.block);
            if let Err(overflow) = started {
                return Err(place::of_cta(
                    launch,
                    &self.cta,
                    ReportKind::OutOfMemory,
                    format!("the kernel needs {} bytes of local memory for a thread", overflow.bytes),
                ));
            }
        }
        self.ready = u32::MAX >> (MAX_WARPS - count);
        let random = || Random::of_launch(launch.seed.unwrap_or(0), launch.grid_id, linear);
        self.order = match launch.schedule {
            Schedule::Fair => Order::Fair,
            Schedule::Random => Order::Random(random()),
            Schedule::Pct { depth, steps } => {
                let known = Some(launch.steps.load(Ordering::Relaxed)).filter(|&steps| steps > 0);
                Order::Pct(Pct::new(random(), count, depth, steps.or(known)))
            }
        };
        self.last = count - 1;
        self.over = false;
        Ok(())
    }

    fn turns<W: Watch>(&mut self, launch: &Launch<'_>, watch: &mut W) -> Result<(), Report> {
        while self.cta.live > 0 {
            if launch.stop.load(Ordering::Relaxed) {
                let limit = launch.limits.as_ref().and_then(Budget::reached);
                return limit
                    .map_or(Ok(()), |message| Err(self.everyone(launch, ReportKind::Limit, message)));
            }
            let Some(next) = self.next_warp() else { return Err(self.stuck(launch)) };
            self.last = next;
            let before = self.cta.warp_instructions;
            self.turn(launch, next, watch)?;
            self.set_ready(next);
            if let Some(limits) = &launch.limits
                && let Some(message) = limits.exceeded(self.cta.warp_instructions - before)
            {
                return Err(self.everyone(launch, ReportKind::Limit, message));
            }
        }
        Ok(())
    }

    fn next_warp(&mut self) -> Option<usize> {
        if self.ready == 0 {
            return None;
        }
        match &mut self.order {
            Order::Fair => {
                // The next one after the last that can run.
                let after = (self.last + 1) % MAX_WARPS;
                Some((self.ready.rotate_right(after as u32).trailing_zeros() as usize + after) % MAX_WARPS)
            }
            Order::Random(random) => {
                let skip = random.below(self.ready.count_ones().into());
                crate::exec::lanes_of(self.ready).nth(skip as usize)
            }
            Order::Pct(pct) => pct.next_warp(&self.warps, self.ready),
        }
    }

    fn set_ready(&mut self, warp: usize) {
        let bit = 1 << warp;
        self.ready = if self.warps[warp].ready() { self.ready | bit } else { self.ready & !bit };
    }

    /// A slice, and the group of the warp that gets it; none if it is another warp's turn.
    fn choose(&mut self, index: usize) -> Option<(Group, Slice)> {
        let whole = Slice { jumps: TURN, instructions: u64::MAX, accesses: u64::MAX, stops_at_splits: false };
        match &mut self.order {
            Order::Fair => Some((self.warps[index].choose()?, whole)),
            Order::Random(random) => {
                let mut power = |limit| 1u64 << random.below(limit);
                let jumps = power(12) as i32;
                let slice = Slice { jumps, instructions: power(13) + power(4), ..whole };
                let warp = &mut self.warps[index];
                let group = match random.below(16) {
                    0 => warp.choose_nth(random.below(LANES as u64) as usize),
                    _ => warp.choose(),
                };
                Some((group?, slice))
            }
            Order::Pct(pct) => {
                let ready = self.ready & !(1 << index) | u32::from(self.warps[index].ready()) << index;
                if pct.next_warp(&self.warps, ready) != Some(index) {
                    return None;
                }
                let slice = Slice { accesses: pct.until_change(), stops_at_splits: pct.by_lane(), ..whole };
                Some((pct.choose(index, &mut self.warps[index])?, slice))
            }
        }
    }

    /// Lets a warp run until it has to wait or its turn is over.
    fn turn<W: Watch>(&mut self, launch: &Launch<'_>, index: usize, watch: &mut W) -> Result<(), Report> {
        let mut slice = None;
        loop {
            let Some((mut group, fresh)) = self.choose(index) else { return Ok(()) };
            let slice = slice.get_or_insert(fresh);
            let warp = &mut self.warps[index];
            let accesses = slice.accesses;
            let outcome = control::run(launch, &mut self.cta, warp, &mut group, slice, watch);
            if let Order::Pct(pct) = &mut self.order {
                pct.steps += accesses - slice.accesses;
            }
            let outcome = outcome.and_then(|outcome| {
                match outcome {
                    Outcome::Preempted | Outcome::Regroup => {
                        self.warps[index].add(group);
                    }
                    Outcome::Blocked => {
                        self.warps[index].groups.push(group);
                        self.blocked(launch, index, watch)?;
                    }
                    Outcome::Exited => self.exited(launch, index, &group, watch)?,
                }
                Ok(outcome)
            });
            match outcome {
                Ok(Outcome::Preempted) => {
                    let warp = &mut self.warps[index];
                    warp.fair = warp.groups.len() > 1;
                    if let Order::Pct(pct) = &mut self.order {
                        pct.preempted(index, group.lanes);
                    }
                    return Ok(());
                }
                Ok(_) if self.over => {
                    self.over = false;
                    self.last = self.warps.len() - 1;
                    return Ok(());
                }
                Ok(_) => {}
                Err(fault) => {
                    return Err(place::report(launch, &self.cta, &self.warps[index], &group, *fault));
                }
            }
        }
    }

    /// A group of the warp has begun to wait.
    fn blocked<W: Watch>(
        &mut self,
        launch: &Launch<'_>,
        index: usize,
        watch: &mut W,
    ) -> Result<(), Box<Fault>> {
        let cta = &self.cta;
        warpop::complete(&mut self.warps[index], launch.module, |warp, op, lanes| {
            watch.each(|o| o.warp_operation(launch, cta, warp, op, lanes));
        });
        self.arrive(launch, index, watch)?;
        self.release(launch, index, watch);
        Ok(())
    }

    fn exited<W: Watch>(
        &mut self,
        launch: &Launch<'_>,
        index: usize,
        group: &Group,
        watch: &mut W,
    ) -> Result<(), Box<Fault>> {
        let warp = &mut self.warps[index];
        watch.each(|o| o.exit(launch, &self.cta, warp, group.lanes));
        let before = warp.live;
        warp.exit(group.frame, group.lanes);
        self.cta.live -= group.lanes.count_ones();
        self.cta.barriers.exited(index, before, warp.live);
        self.blocked(launch, index, watch)
    }

    /// Counts the groups of the warp that have come to a barrier. At an aligned barrier that is when all lanes of the
    /// warp are there: that they come one after the other is the doing of the scheduler here.
    fn arrive<W: Watch>(
        &mut self,
        launch: &Launch<'_>,
        index: usize,
        watch: &mut W,
    ) -> Result<(), Box<Fault>> {
        let warps = self.warps.len();
        let warp = &mut self.warps[index];
        let mut k = 0;
        while k < warp.groups.len() {
            let group = warp.groups[k];
            let State::Arriving { id, count, aligned } = group.state else {
                k += 1;
                continue;
            };
            let here = |g: &Group| (warp.frames[g.frame as usize].function, g.pc);
            let mates: Vec<usize> = (0..warp.groups.len())
                .filter(|&j| warp.groups[j].state == group.state && here(&warp.groups[j]) == here(&group))
                .collect();
            let lanes = mates.iter().fold(0, |all, &j| all | warp.groups[j].lanes);
            if aligned && lanes != warp.live {
                let others = |g: &Group| matches!(g.state, State::Arriving { aligned: true, .. });
                let waiting = warp.groups.iter().filter(|g| others(g)).fold(0, |all, g| all | g.lanes);
                if waiting == warp.live {
                    return Err(split_barrier(launch, warp, &group, lanes));
                }
                k += 1;
                continue;
            }
            let Some(kind) = barrier_at(launch.module, warp, &group) else {
                unreachable!("the group arrives at a barrier");
            };
            let votes = kind.vote().map(|vote| {
                let groups: Vec<Group> = mates.iter().map(|&j| warp.groups[j]).collect();
                let votes = groups.iter().map(|g| warp.predicate(launch.module, g, vote).count_ones());
                votes.sum()
            });
            let arrival = Arrival { id, count, warp: index, lanes, votes };
            let arrived = self.cta.barriers.arrive(arrival, warp.live, warps);
            arrived.map_err(|refused| refusal(&refused, id, count, warps))?;
            for &j in &mates {
                warp.groups[j].state = State::Barrier { id };
            }
            watch.each(|o| o.arrive(launch, &self.cta, warp, id, lanes));
            if kind == BarrierKind::Arrive {
                warp.release(|g| g.state == State::Barrier { id } && g.lanes & lanes != 0);
                k = 0;
            }
        }
        Ok(())
    }

    /// Lets the threads go on that wait at complete barriers; the warp `last` has brought what was missing.
    fn release<W: Watch>(&mut self, launch: &Launch<'_>, last: usize, watch: &mut W) {
        // Else those who meet again and again would keep the others from running.
        let alone = matches!(self.order, Order::Fair) && self.ready & !(1 << last) == 0;
        while let Some(done) = self.cta.barriers.take_complete(self.cta.live) {
            let id = done.id;
            self.over = alone;
            if W::ON {
                let waits = |g: &&Group| g.state == State::Barrier { id };
                let lanes = |w: &Warp| w.groups.iter().filter(waits).fold(0, |all, g| all | g.lanes);
                let waiting: Vec<u32> = self.warps.iter().map(lanes).collect();
                watch.each(|o| o.barrier(launch, &self.cta, &self.warps, id, &waiting));
            }
            for index in 0..self.warps.len() {
                if let Some(votes) = done.votes {
                    reduce(launch.module, &mut self.warps[index], done, votes);
                }
                self.warps[index].release(|g| g.state == State::Barrier { id });
                self.set_ready(index);
            }
        }
    }
}

/// What the barrier does that a group stands at.
fn barrier_at(module: &Module, warp: &Warp, group: &Group) -> Option<BarrierKind> {
    let function = warp.frames[group.frame as usize].function;
    match module.functions[function.0 as usize].code[group.pc as usize].op {
        Op::Barrier { kind, .. } => Some(kind),
        _ => None,
    }
}

/// Gives the threads of a warp that wait at a complete barrier the result of its reduction.
fn reduce(module: &Module, warp: &mut Warp, done: Complete, votes: u32) {
    let waits = |g: &&Group| g.state == State::Barrier { id: done.id };
    for group in warp.groups.iter().filter(waits).copied().collect::<Vec<_>>() {
        match barrier_at(module, warp, &group) {
            Some(BarrierKind::Popc { dst, .. }) => warp.put(module, &group, dst, votes),
            Some(BarrierKind::And { dst, .. }) => {
                warp.put_predicate(module, &group, dst, votes == done.lanes);
            }
            Some(BarrierKind::Or { dst, .. }) => warp.put_predicate(module, &group, dst, votes != 0),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_robin_takes_the_next_warp_that_can_run() {
        let mut w = Worker::new();
        w.ready = 0b1011;
        let order: Vec<usize> = (0..6)
            .map(|_| {
                w.last = w.next_warp().unwrap();
                w.last
            })
            .collect();
        assert_eq!(order, [1, 3, 0, 1, 3, 0]);
        w.ready = 0;
        assert_eq!(w.next_warp(), None);
    }
}
