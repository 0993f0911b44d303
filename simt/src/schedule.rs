//! In which order threads run: the choice of the user, the random numbers, and the priorities of PCT.
//!
//! **PCT** is the probabilistic concurrency testing of Burckhardt, Kothari, Musuvathi and Nagarakatte (ASPLOS 2010):
//! each thread gets a random priority, the highest that can run does, and at `depth - 1` random steps the running one falls
//! below all others. With `n` threads and `k` steps a run finds a bug of that depth with a probability of at least
//! `1 / (n k^(depth-1))`, however long an order must be kept up for it, which random turns hardly do.
//!
//! Here a thread of the paper is a warp in every second run and a lane in the others, a step is an access of a warp to
//! memory (in between nobody can tell who runs), and a thread that seems to wait, or has long run, falls below all as
//! well, so that a spin loop ends.

use crate::code::LANES;
use crate::exec::group::{Group, State};
use crate::exec::lanes_of;
use crate::exec::warp::Warp;

/// The order in which the warps of a CTA get their turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// Round robin.
    #[default]
    Fair,
    /// Any warp, for any time, by the seed.
    Random,
    /// By priorities that the seed gives.
    Pct {
        /// Ordering constraints that a bug needs to show: one more than there are changes of priority. At least 1.
        depth: u32,
        /// Accesses to memory that the warps of a CTA make together, about. Without it: as many as a CTA of the same
        /// kernel did before, and a random number for the first.
        steps: Option<u64>,
    },
}

impl Schedule {
    /// The depth without a choice of the user's.
    pub const DEPTH: u32 = 3;
}

/// xorshift64*: small, and good enough to shuffle warps.
pub struct Random(u64);

impl Random {
    /// The numbers of a CTA under a seed.
    pub fn new(seed: u64, cta: u64) -> Self {
        // The finaliser of splitmix64 makes neighbouring seeds and CTAs unlike.
        let mut x =
            seed.wrapping_add(cta.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((x ^ x >> 31) | 1)
    }

    /// The numbers of a CTA of a launch: another launch has others, so that a kernel that is launched again runs under another
    /// schedule. The first one has those of the seed.
    pub fn of_launch(seed: u64, grid_id: u64, cta: u64) -> Self {
        Self::new(seed.wrapping_add(grid_id.wrapping_mul(0xd1b5_4a32_d192_ed03)), cta)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number from 0 to `n - 1`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Priorities that threads start with lie above this, those of change points and of waiting below.
const STARTING: u64 = 1 << 40;
/// Those of change points lie above this.
const CHANGED: u64 = 1 << 39;

/// The priorities in one CTA.
pub struct Pct {
    /// Whether lanes are scheduled, or else whole warps.
    by_lane: bool,
    /// Of each lane of each warp.
    priorities: Vec<[u64; LANES]>,
    /// Steps at which the running threads fall to a priority, the next one last.
    changes: Vec<(u64, u64)>,
    /// Who waits falls below all others that did.
    lowest: u64,
    /// Steps so far.
    pub steps: u64,
}

impl Pct {
    /// For a CTA of `warps` warps, of which `steps` steps are expected if anything is known.
    pub fn new(mut random: Random, warps: usize, depth: u32, steps: Option<u64>) -> Self {
        let by_lane = random.below(2) == 1;
        let count = if by_lane { warps * LANES } else { warps };
        let mut order: Vec<u64> = (STARTING..STARTING + count as u64).collect();
        random.shuffle(&mut order);
        let priority = |warp, lane| if by_lane { order[warp * LANES + lane] } else { order[warp] };
        let priorities = (0..warps).map(|warp| std::array::from_fn(|lane| priority(warp, lane))).collect();
        let steps = steps.unwrap_or_else(|| 8 << random.below(12)).max(1);
        let mut changes: Vec<(u64, u64)> =
            (1..depth).map(|k| (random.below(steps), CHANGED + u64::from(k))).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Self { by_lane, priorities, changes, lowest: CHANGED, steps: 0 }
    }

    /// Whether a group stops where its lanes part.
    pub fn by_lane(&self) -> bool {
        self.by_lane
    }

    /// The priority of a group: that of its highest lane.
    fn priority(&self, warp: usize, group: &Group) -> u64 {
        lanes_of(group.lanes).map(|lane| self.priorities[warp][lane]).max().unwrap_or(0)
    }

    /// The warp, among those of the mask `ready`, in which the group with the highest priority can run.
    pub fn next_warp(&self, warps: &[Warp], ready: u32) -> Option<usize> {
        let best = |warp: usize| {
            let groups = warps[warp].groups.iter().filter(|g| g.state == State::Ready);
            groups.map(|g| self.priority(warp, g)).max()
        };
        lanes_of(ready).max_by_key(|&warp| best(warp))
    }

    /// Takes that group out of the warp.
    pub fn choose(&self, index: usize, warp: &mut Warp) -> Option<Group> {
        if self.by_lane { warp.choose_by(|group| self.priority(index, group)) } else { warp.choose() }
    }

    /// Steps until the next change.
    pub fn until_change(&self) -> u64 {
        self.changes.last().map_or(u64::MAX, |(at, _)| at.saturating_sub(self.steps))
    }

    /// The group of `lanes` has been stopped: at a change, or because it seems to wait.
    pub fn preempted(&mut self, warp: usize, lanes: u32) {
        let priority = match self.changes.pop_if(|(at, _)| *at <= self.steps) {
            Some((_, priority)) => priority,
            None => {
                self.lowest -= 1;
                self.lowest
            }
        };
        for lane in lanes_of(if self.by_lane { lanes } else { u32::MAX }) {
            self.priorities[warp][lane] = priority;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_depends_on_seed_and_cta() {
        let first = |seed, cta| Random::new(seed, cta).next();
        assert_eq!(first(1, 2), first(1, 2));
        let mut all: Vec<u64> = (0..10).flat_map(|s| (0..10).map(move |c| first(s, c))).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 100);
    }

    /// The priorities of a seed whose first number makes it schedule lanes, or warps.
    fn pct(by_lane: bool, depth: u32, steps: Option<u64>) -> Pct {
        let mut all = (0..).map(|seed| Pct::new(Random::new(seed, 0), 4, depth, steps));
        all.find(|p| p.by_lane == by_lane).unwrap()
    }

    #[test]
    fn every_thread_starts_with_a_priority_of_its_own() {
        for (by_lane, count) in [(true, 128), (false, 4)] {
            let mut all = pct(by_lane, 1, None).priorities.concat();
            all.sort_unstable();
            all.dedup();
            assert_eq!((all.len(), all[0]), (count, STARTING));
        }
    }

    #[test]
    fn changes_come_at_their_steps_and_put_threads_below_those_that_started() {
        let mut p = pct(true, 4, Some(1000));
        assert_eq!(p.changes.len(), 3);
        p.steps = p.until_change();
        assert!(p.steps < 1000 && p.changes.iter().all(|(at, _)| *at >= p.steps));
        p.preempted(1, 0b101);
        assert_eq!(p.changes.len(), 2);
        assert!((CHANGED..STARTING).contains(&p.priorities[1][0]) && p.priorities[1][1] >= STARTING);
        assert_eq!(p.priorities[1][0], p.priorities[1][2]);
    }

    #[test]
    fn who_waits_falls_below_all_others() {
        let mut p = pct(false, 1, None);
        p.preempted(2, 1);
        p.preempted(3, 1);
        let [of_2, of_3] = [2, 3].map(|warp| p.priorities[warp]);
        assert!(of_3[0] < of_2[0] && of_2[0] < CHANGED && of_3[31] == of_3[0]);
    }
}
