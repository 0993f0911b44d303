//! The sixteen barriers of a CTA (PTX ISA 9.0, 9.7.13.1): who has arrived and when that is enough. Bookkeeping only; the scheduler moves the
//! groups.
//!
//! A barrier **without a count** waits for all threads of the CTA that have not exited.
//!
//! A barrier **with a count** counts in warps, as the hardware does: a warp all of whose remaining threads have arrived
//! counts 32, however many threads it was made with or has left; a warp that has arrived in part counts the lanes that
//! have. Lanes may arrive without waiting (`.arrive`), and again before the barrier is complete.
//!
//! A barrier that reduces counts the arrivals whose predicate is true.

use crate::code::LANES;

/// Barriers of a CTA.
pub const BARRIERS: usize = 16;

/// Warps of a CTA at most: 1,024 threads.
pub const MAX_WARPS: usize = 1024 / LANES;

/// One barrier.
#[derive(Clone, Copy)]
struct Barrier {
    /// Lanes of each warp that have arrived.
    waiting: [u32; MAX_WARPS],
    /// Sum of these lanes.
    lanes: u32,
    /// What counts against [`Barrier::count`].
    credit: u32,
    /// Threads that the arrivals so far named, or none.
    count: Option<u32>,
    /// Whether they reduce.
    reduces: bool,
    /// Arrivals with a true predicate.
    votes: u32,
}

const FREE: Barrier =
    Barrier { waiting: [0; MAX_WARPS], lanes: 0, credit: 0, count: None, reduces: false, votes: 0 };

/// Lanes of a warp that come to a barrier.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Barrier.
    pub id: u32,
    /// Threads that the barrier is for; none: all of the CTA.
    pub count: Option<u32>,
    /// The warp.
    pub warp: usize,
    /// The lanes.
    pub lanes: u32,
    /// In a reduction, how many of them vote with true.
    pub votes: Option<u32>,
}

/// A barrier that all threads have come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Complete {
    /// Barrier.
    pub id: u32,
    /// Threads that have arrived.
    pub lanes: u32,
    /// In a reduction, those of them that voted with true.
    pub votes: Option<u32>,
}

/// The barriers of one CTA.
pub struct Barriers {
    barriers: [Barrier; BARRIERS],
    /// Barriers that somebody waits at, one bit each.
    used: u32,
    /// How often one was complete.
    pub completed: u64,
}

/// Why an arrival is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// The id is above 15.
    Id,
    /// The count is not a positive multiple of 32.
    Count,
    /// The count is more than the CTA has threads.
    TooMany,
    /// Others wait at the barrier with another count (none: for all threads).
    Mismatch(Option<u32>),
    /// Some of those that arrive reduce and others do not.
    Mixed,
}

/// What the lanes of a warp that have arrived count.
fn credit(arrived: u32, live: u32) -> u32 {
    if arrived != 0 && live & !arrived == 0 { LANES as u32 } else { arrived.count_ones() }
}

impl Barriers {
    /// Barriers that nobody waits at.
    pub fn new() -> Self {
        Self { barriers: [FREE; BARRIERS], used: 0, completed: 0 }
    }

    /// Lanes of a warp, whose remaining threads are `live`, arrive. `warps` is the number of warps of the CTA.
    ///
    /// # Errors
    /// An arrival that hangs or is undefined on hardware.
    pub fn arrive(&mut self, arrival: Arrival, live: u32, warps: usize) -> Result<(), Refused> {
        let Arrival { id, count, warp, lanes, votes } = arrival;
        let barrier = self.barriers.get_mut(id as usize).ok_or(Refused::Id)?;
        match count {
            Some(n) if n == 0 || n % LANES as u32 != 0 => return Err(Refused::Count),
            Some(n) if n > (warps * LANES) as u32 => return Err(Refused::TooMany),
            _ => {}
        }
        if barrier.lanes != 0 && barrier.count != count {
            return Err(Refused::Mismatch(barrier.count));
        }
        if barrier.lanes != 0 && barrier.reduces != votes.is_some() {
            return Err(Refused::Mixed);
        }
        barrier.count = count;
        barrier.reduces = votes.is_some();
        barrier.votes += votes.unwrap_or(0);
        let waiting = &mut barrier.waiting[warp];
        // Who has arrived already counts once more.
        barrier.credit += (*waiting & lanes).count_ones();
        barrier.credit -= credit(*waiting, live);
        *waiting |= lanes;
        barrier.credit += credit(*waiting, live);
        barrier.lanes += lanes.count_ones();
        self.used |= 1 << id;
        Ok(())
    }

    /// Threads of a warp have exited: `before` were alive, `after` are left.
    pub fn exited(&mut self, warp: usize, before: u32, after: u32) {
        for id in super::exec::lanes_of(self.used) {
            let barrier = &mut self.barriers[id];
            let waiting = barrier.waiting[warp];
            barrier.credit -= credit(waiting, before);
            barrier.credit += credit(waiting, after);
        }
    }

    /// Takes a barrier that is complete, when `live` threads of the CTA are left; it is free again.
    pub fn take_complete(&mut self, live: u32) -> Option<Complete> {
        for id in super::exec::lanes_of(self.used) {
            let barrier = &mut self.barriers[id];
            let complete = match barrier.count {
                Some(count) => barrier.credit >= count,
                None => barrier.lanes >= live,
            };
            if complete {
                let Barrier { lanes, votes, reduces, .. } = std::mem::replace(barrier, FREE);
                self.used &= !(1 << id);
                self.completed += 1;
                let votes = reduces.then_some(votes);
                return Some(Complete { id: id as u32, lanes, votes });
            }
        }
        None
    }

    /// In words: what barrier `id` has and waits for, when `live` threads of the CTA are left.
    pub fn describe(&self, id: u32, live: u32) -> String {
        let barrier = &self.barriers[id as usize];
        match barrier.count {
            Some(count) => format!("{} of {count} threads have arrived", barrier.credit),
            None => format!("{} of the {live} threads of the CTA have arrived", barrier.lanes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = u32::MAX;

    /// Lanes of a warp arrive at a barrier: `[barrier, warp, lanes]`.
    fn arrive(
        b: &mut Barriers,
        [id, warp, lanes]: [u32; 3],
        count: Option<u32>,
        live: u32,
        warps: usize,
    ) -> Result<(), Refused> {
        b.arrive(Arrival { id, count, warp: warp as usize, lanes, votes: None }, live, warps)
    }

    fn complete(b: &mut Barriers, live: u32) -> Option<u32> {
        b.take_complete(live).map(|done| done.id)
    }

    #[test]
    fn without_a_count_it_waits_for_all_that_live() {
        let mut b = Barriers::new();
        arrive(&mut b, [0, 0, ALL], None, ALL, 2).unwrap();
        assert_eq!(complete(&mut b, 64), None);
        arrive(&mut b, [0, 1, 0xffff], None, ALL, 2).unwrap();
        assert_eq!(complete(&mut b, 64), None);
        b.exited(1, ALL, 0xffff);
        assert_eq!(complete(&mut b, 48), Some(0));
        assert_eq!(complete(&mut b, 48), None);
    }

    #[test]
    fn with_a_count_a_warp_counts_whole_when_all_its_threads_are_there() {
        let mut b = Barriers::new();
        // A warp of four threads.
        arrive(&mut b, [7, 1, 0xf], Some(64), 0xf, 2).unwrap();
        arrive(&mut b, [7, 0, 0xffff], Some(64), ALL, 2).unwrap();
        assert_eq!(complete(&mut b, 36), None);
        assert_eq!(b.describe(7, 36), "48 of 64 threads have arrived");
        arrive(&mut b, [7, 0, !0xffff], Some(64), ALL, 2).unwrap();
        assert_eq!(complete(&mut b, 36), Some(7));
    }

    #[test]
    fn exits_complete_the_credit_of_a_warp() {
        let mut b = Barriers::new();
        arrive(&mut b, [1, 0, 0xff], Some(32), ALL, 1).unwrap();
        b.exited(0, ALL, 0xff);
        assert_eq!(complete(&mut b, 8), Some(1));
    }

    #[test]
    fn arrivals_that_make_no_sense_are_refused() {
        let mut b = Barriers::new();
        assert_eq!(arrive(&mut b, [16, 0, ALL], None, ALL, 4), Err(Refused::Id));
        assert_eq!(arrive(&mut b, [1, 0, ALL], Some(33), ALL, 4), Err(Refused::Count));
        assert_eq!(arrive(&mut b, [1, 0, ALL], Some(0), ALL, 4), Err(Refused::Count));
        assert_eq!(arrive(&mut b, [1, 0, ALL], Some(160), ALL, 4), Err(Refused::TooMany));
        arrive(&mut b, [1, 0, ALL], Some(64), ALL, 4).unwrap();
        assert_eq!(arrive(&mut b, [1, 1, ALL], None, ALL, 4), Err(Refused::Mismatch(Some(64))));
        assert_eq!(arrive(&mut b, [1, 1, ALL], Some(96), ALL, 4), Err(Refused::Mismatch(Some(64))));
    }

    #[test]
    fn barriers_are_independent_and_reusable() {
        let mut b = Barriers::new();
        for _ in 0..3 {
            arrive(&mut b, [2, 0, ALL], Some(32), ALL, 2).unwrap();
            arrive(&mut b, [3, 1, ALL], None, ALL, 2).unwrap();
            assert_eq!(complete(&mut b, 64), Some(2));
            assert_eq!(complete(&mut b, 64), None);
            arrive(&mut b, [3, 0, ALL], None, ALL, 2).unwrap();
            assert_eq!(complete(&mut b, 64), Some(3));
        }
    }

    #[test]
    fn arrivals_count_again_and_after_an_exit() {
        let mut b = Barriers::new();
        // A warp of four threads produces twice and ends.
        arrive(&mut b, [1, 0, 0xf], Some(96), 0xf, 3).unwrap();
        b.exited(0, 0xf, 0);
        assert_eq!(b.describe(1, 64), "32 of 96 threads have arrived");
        arrive(&mut b, [1, 1, ALL], Some(96), ALL, 3).unwrap();
        arrive(&mut b, [1, 1, ALL], Some(96), ALL, 3).unwrap();
        assert_eq!(complete(&mut b, 64), Some(1));
    }

    #[test]
    fn votes_are_counted_and_not_mixed_with_plain_arrivals() {
        let mut b = Barriers::new();
        let vote = |warp, votes| Arrival { id: 2, count: None, warp, lanes: ALL, votes };
        b.arrive(vote(0, Some(3)), ALL, 2).unwrap();
        assert_eq!(b.arrive(vote(1, None), ALL, 2), Err(Refused::Mixed));
        b.arrive(vote(1, Some(32)), ALL, 2).unwrap();
        assert_eq!(b.take_complete(64), Some(Complete { id: 2, lanes: 64, votes: Some(35) }));
    }
}
