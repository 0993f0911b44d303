//! What strong writes leave at an address for those who read there.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::clock::{Clock, Tag, join};

/// What a strong write passes on.
pub struct Passed {
    /// What its thread knows.
    pub clock: Clock,
    /// A version that is part of it.
    pub over: Option<Tag>,
    /// Whether it is for the threads of the CTA alone.
    pub narrow: bool,
}

/// What has been released at an address.
#[derive(Clone, Default)]
pub struct Released {
    /// With the scope of the GPU or wider.
    wide: Option<Clock>,
    /// The CTA whose threads alone have released it.
    wide_slot: Option<u32>,
    /// With the scope of a CTA.
    narrow: Option<(u32, Clock)>,
}

/// Addresses with something released.
pub type Locations = HashMap<u64, Released, FixedState>;

/// Adds to what is released; the new version, if it is what has been passed and no more. `stamp` grows.
fn add(into: &mut Option<Clock>, passed: &Passed, stamp: &mut u64) -> Option<Clock> {
    let tag = into.as_ref().and_then(Clock::tag);
    if let Some(clock) = into
        && clock.supersedes(&passed.clock)
    {
        return None;
    }
    if tag.is_some() && passed.over == tag {
        *into = Some(passed.clock.clone());
    } else {
        join(into, &passed.clock);
    }
    *stamp += 1;
    let tag = tag.map_or(Tag::first(*stamp), |tag| tag.later(*stamp));
    *into = into.as_ref().map(|clock| clock.tagged(tag));
    into.clone().filter(|clock| clock.is(&passed.clock))
}

impl Released {
    /// A thread of CTA `slot` writes: an atomic update adds to what is there (a release sequence), a store replaces it.
    /// The version that is there now, if it is what has been passed and no more.
    pub fn write(
        &mut self,
        passed: Option<&Passed>,
        slot: u32,
        update: bool,
        stamp: &mut u64,
    ) -> Option<Clock> {
        if !update {
            *self = Self::default();
        }
        let passed = passed?;
        if passed.narrow {
            let mut clock = self.narrow.take().filter(|(owner, _)| *owner == slot).map(|(_, clock)| clock);
            let version = add(&mut clock, passed, stamp);
            self.narrow = clock.map(|clock| (slot, clock));
            version
        } else {
            let alone = self.wide.is_none() || self.wide_slot == Some(slot);
            self.wide_slot = alone.then_some(slot);
            add(&mut self.wide, passed, stamp)
        }
    }

    /// What a thread of CTA `slot` can take that reads with the scope of its CTA (`narrow`) or a wider one: each clock, and
    /// whether threads of that CTA alone have released it.
    pub fn taken(&self, slot: u32, narrow: bool) -> impl Iterator<Item = (&Clock, bool)> {
        let own = self.wide_slot == Some(slot);
        let near = self.narrow.as_ref().filter(|(owner, _)| *owner == slot).map(|(_, clock)| (clock, true));
        near.into_iter().chain(self.wide.as_ref().filter(|_| own || !narrow).map(|clock| (clock, own)))
    }

    /// Whether nothing is released.
    pub fn is_empty(&self) -> bool {
        self.wide.is_none() && self.narrow.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Node;
    use super::*;

    fn passed(warp: u32, narrow: bool) -> Passed {
        Passed { clock: Clock::default().with(&[(Node::warp(warp), 1)]), over: None, narrow }
    }

    /// The warps below 8 that a thread of a CTA learns of.
    fn learnt(released: &Released, slot: u32, narrow: bool) -> Vec<u32> {
        let knows = |warp: &u32| released.taken(slot, narrow).any(|(c, _)| c.get(Node::warp(*warp)) > 0);
        (0..8).filter(knows).collect()
    }

    #[test]
    fn updates_add_and_stores_replace() {
        let (mut released, mut stamp) = (Released::default(), 0);
        released.write(Some(&passed(1, false)), 0, true, &mut stamp);
        released.write(Some(&passed(2, false)), 0, true, &mut stamp);
        assert_eq!(learnt(&released, 9, false), [1, 2]);
        released.write(None, 0, true, &mut stamp);
        assert_eq!(learnt(&released, 9, false), [1, 2]);
        released.write(Some(&passed(3, false)), 0, false, &mut stamp);
        assert_eq!(learnt(&released, 9, false), [3]);
        released.write(None, 0, false, &mut stamp);
        assert!(released.is_empty());
    }

    #[test]
    fn a_scope_of_the_cta_is_for_its_threads() {
        let (mut released, mut stamp) = (Released::default(), 0);
        released.write(Some(&passed(1, true)), 4, true, &mut stamp);
        released.write(Some(&passed(2, false)), 4, true, &mut stamp);
        let all = [(4, true), (4, false), (5, true), (5, false)];
        assert_eq!(
            all.map(|(slot, narrow)| learnt(&released, slot, narrow)),
            [vec![1, 2], vec![1, 2], vec![], vec![2]]
        );
        // Another CTA's release makes the wide part foreign to both.
        released.write(Some(&passed(3, false)), 5, true, &mut stamp);
        assert_eq!(
            all.map(|(slot, narrow)| learnt(&released, slot, narrow)),
            [vec![1], vec![1, 2, 3], vec![], vec![2, 3]]
        );
    }

    #[test]
    fn who_adds_to_the_version_it_has_taken_replaces_it() {
        let (mut released, mut stamp) = (Released::default(), 0);
        let first = released.write(Some(&passed(1, false)), 0, true, &mut stamp).unwrap();
        let own = Passed { clock: first.with(&[(Node::warp(2), 1)]), over: first.tag(), narrow: false };
        let second = released.write(Some(&own), 0, true, &mut stamp).unwrap();
        assert!(second.is(&own.clock) && second.supersedes(&first));
        // The same again is known, and who comes late is joined with the others.
        let again = Passed { clock: second.clone(), over: None, narrow: false };
        assert!(released.write(Some(&again), 0, true, &mut stamp).is_none());
        let late = Passed { clock: first.with(&[(Node::warp(3), 1)]), over: first.tag(), narrow: false };
        assert!(released.write(Some(&late), 0, true, &mut stamp).is_none());
        assert_eq!(learnt(&released, 9, false), [1, 2, 3]);
        let (third, _) = released.taken(9, false).next().unwrap();
        assert!(third.supersedes(&second));
    }
}
