//! Clocks of the lanes of a warp. Mostly many lanes have one, so they are kept by sets of lanes.

use super::clock::{Clock, join};

/// A clock for each lane, or none.
#[derive(Default, Debug)]
pub struct Held {
    /// Sets without a lane in common; none is empty.
    sets: Vec<(u32, Clock)>,
}

impl Held {
    /// The clock of a lane.
    pub fn get(&self, lane: usize) -> Option<&Clock> {
        self.common(1 << lane)
    }

    /// The clock of some lanes, if they have one together.
    #[inline]
    pub fn common(&self, lanes: u32) -> Option<&Clock> {
        self.sets.iter().find(|(set, _)| lanes & !set == 0).map(|(_, clock)| clock)
    }

    /// The clocks of some lanes, with those of the lanes that have it.
    pub fn of(&self, lanes: u32) -> impl Iterator<Item = (u32, &Clock)> {
        self.sets.iter().map(move |(set, clock)| (set & lanes, clock)).filter(|(set, _)| *set != 0)
    }

    /// Takes the clocks of some lanes away.
    pub fn clear(&mut self, lanes: u32) {
        self.sets.retain_mut(|(set, _)| {
            *set &= !lanes;
            *set != 0
        });
    }

    fn put(&mut self, lanes: u32, clock: Clock) {
        match self.sets.iter_mut().find(|(_, other)| other.is(&clock)) {
            Some((set, _)) => *set |= lanes,
            None => self.sets.push((lanes, clock)),
        }
    }

    /// Gives some lanes a clock.
    pub fn set(&mut self, lanes: u32, clock: Option<&Clock>) {
        self.clear(lanes);
        if let Some(clock) = clock
            && lanes != 0
        {
            self.put(lanes, clock.clone());
        }
    }

    /// Gives some lanes what they have in `from`.
    pub fn copy(&mut self, lanes: u32, from: &Self) {
        self.clear(lanes);
        from.of(lanes).for_each(|(set, clock)| self.put(set, clock.clone()));
    }

    /// Joins a clock into those of some lanes.
    pub fn join(&mut self, lanes: u32, from: &Clock) {
        if self.common(lanes).is_some_and(|clock| clock.supersedes(from)) {
            return;
        }
        let mut rest = lanes;
        let mut changed = Vec::new();
        for (set, clock) in self.of(lanes) {
            rest &= !set;
            let mut joined = Some(clock.clone());
            join(&mut joined, from);
            changed.extend(joined.filter(|joined| !joined.is(clock)).map(|joined| (set, joined)));
        }
        if rest != 0 {
            changed.push((rest, from.clone()));
        }
        for (set, clock) in changed {
            self.clear(set);
            self.put(set, clock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Node;
    use super::*;

    fn clock(warp: u32) -> Clock {
        Clock::default().with(&[(Node::warp(warp), 1)])
    }

    /// The warps below 8 that each of the first lanes knows of, as bits.
    fn known(held: &Held) -> [u32; 4] {
        let knows = |lane, warp: u32| held.get(lane).is_some_and(|clock| clock.get(Node::warp(warp)) > 0);
        [0, 1, 2, 3].map(|lane| (0..8).filter(|&warp| knows(lane, warp)).map(|warp| 1 << warp).sum())
    }

    #[test]
    fn each_lane_has_a_clock_of_its_own() {
        let mut held = Held::default();
        held.set(0b0011, Some(&clock(0)));
        held.join(0b0110, &clock(1));
        assert_eq!(known(&held), [1, 3, 2, 0]);
        assert!(held.common(0b11).is_none() && held.common(1).is_some());
        held.set(0b0001, None);
        assert_eq!(known(&held), [0, 3, 2, 0]);
        let mut other = Held::default();
        other.set(0b1111, Some(&clock(2)));
        other.copy(0b0011, &held);
        assert_eq!(known(&other), [0, 3, 4, 4]);
        other.clear(0b0100);
        assert_eq!(known(&other), [0, 3, 0, 4]);
    }

    #[test]
    fn lanes_with_one_clock_are_one_set() {
        let (mut held, one) = (Held::default(), clock(0));
        for lane in 0..32 {
            held.join(1 << lane, &one);
        }
        assert_eq!(held.sets.len(), 1);
        assert!(held.common(u32::MAX).is_some_and(|clock| clock.is(&one)));
        held.join(u32::MAX, &clock(1));
        assert_eq!(held.sets.len(), 1);
    }
}
