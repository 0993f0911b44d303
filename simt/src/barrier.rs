//! The sixteen barriers of a CTA: who has arrived and when that is enough. Bookkeeping only; the scheduler moves the
//! groups.
//!
//! A barrier **without a count** waits for all threads of the CTA that have not exited.
//!
//! A barrier **with a count** counts in warps, as the hardware does: a warp all of whose remaining threads have arrived
//! counts 32, however many threads it was made with or has left; a warp that has arrived in part counts its waiting lanes.

use crate::code::LANES;

/// Barriers of a CTA.
pub const BARRIERS: usize = 16;

/// Warps of a CTA at most: 1,024 threads.
pub const MAX_WARPS: usize = 1024 / LANES;

/// One barrier.
#[derive(Clone, Copy)]
struct Barrier {
    /// Waiting lanes of each warp.
    waiting: [u32; MAX_WARPS],
    /// Sum of the waiting lanes.
    lanes: u32,
    /// What counts against [`Barrier::count`].
    credit: u32,
    /// Threads that the arrivals so far named, or none.
    count: Option<u32>,
}

const FREE: Barrier = Barrier { waiting: [0; MAX_WARPS], lanes: 0, credit: 0, count: None };

/// The barriers of one CTA.
pub struct Barriers {
    barriers: [Barrier; BARRIERS],
    /// Barriers that somebody waits at, one bit each.
    used: u32,
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
}

/// What the lanes of a warp that wait count.
fn credit(waiting: u32, live: u32) -> u32 {
    if waiting != 0 && waiting == live { LANES as u32 } else { waiting.count_ones() }
}

impl Barriers {
    /// Barriers that nobody waits at.
    pub fn new() -> Self {
        Self { barriers: [FREE; BARRIERS], used: 0 }
    }

    /// Lanes of warp `warp`, whose remaining threads are `live`, arrive at barrier `id`. `warps` is the number of warps
    /// of the CTA.
    ///
    /// # Errors
    /// An arrival that hangs or is undefined on hardware.
    pub fn arrive(
        &mut self,
        id: u32,
        count: Option<u32>,
        warp: usize,
        lanes: u32,
        live: u32,
        warps: usize,
    ) -> Result<(), Refused> {
        let barrier = self.barriers.get_mut(id as usize).ok_or(Refused::Id)?;
        match count {
            Some(n) if n == 0 || n % LANES as u32 != 0 => return Err(Refused::Count),
            Some(n) if n > (warps * LANES) as u32 => return Err(Refused::TooMany),
            _ => {}
        }
        if barrier.lanes != 0 && barrier.count != count {
            return Err(Refused::Mismatch(barrier.count));
        }
        barrier.count = count;
        let waiting = &mut barrier.waiting[warp];
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
    pub fn take_complete(&mut self, live: u32) -> Option<u32> {
        for id in super::exec::lanes_of(self.used) {
            let barrier = &mut self.barriers[id];
            let complete = match barrier.count {
                Some(count) => barrier.credit >= count,
                None => barrier.lanes >= live,
            };
            if complete {
                *barrier = FREE;
                self.used &= !(1 << id);
                return Some(id as u32);
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

    #[test]
    fn without_a_count_it_waits_for_all_that_live() {
        let mut b = Barriers::new();
        b.arrive(0, None, 0, ALL, ALL, 2).unwrap();
        assert_eq!(b.take_complete(64), None);
        b.arrive(0, None, 1, 0xffff, ALL, 2).unwrap();
        assert_eq!(b.take_complete(64), None);
        b.exited(1, ALL, 0xffff);
        assert_eq!(b.take_complete(48), Some(0));
        assert_eq!(b.take_complete(48), None);
    }

    #[test]
    fn with_a_count_a_warp_counts_whole_when_all_its_threads_are_there() {
        let mut b = Barriers::new();
        // A warp of four threads.
        b.arrive(7, Some(64), 1, 0xf, 0xf, 2).unwrap();
        b.arrive(7, Some(64), 0, 0xffff, ALL, 2).unwrap();
        assert_eq!(b.take_complete(36), None);
        assert_eq!(b.describe(7, 36), "48 of 64 threads have arrived");
        b.arrive(7, Some(64), 0, !0xffff, ALL, 2).unwrap();
        assert_eq!(b.take_complete(36), Some(7));
    }

    #[test]
    fn exits_complete_the_credit_of_a_warp() {
        let mut b = Barriers::new();
        b.arrive(1, Some(32), 0, 0xff, ALL, 1).unwrap();
        b.exited(0, ALL, 0xff);
        assert_eq!(b.take_complete(8), Some(1));
    }

    #[test]
    fn arrivals_that_make_no_sense_are_refused() {
        let mut b = Barriers::new();
        assert_eq!(b.arrive(16, None, 0, ALL, ALL, 4), Err(Refused::Id));
        assert_eq!(b.arrive(1, Some(33), 0, ALL, ALL, 4), Err(Refused::Count));
        assert_eq!(b.arrive(1, Some(0), 0, ALL, ALL, 4), Err(Refused::Count));
        assert_eq!(b.arrive(1, Some(160), 0, ALL, ALL, 4), Err(Refused::TooMany));
        b.arrive(1, Some(64), 0, ALL, ALL, 4).unwrap();
        assert_eq!(b.arrive(1, None, 1, ALL, ALL, 4), Err(Refused::Mismatch(Some(64))));
        assert_eq!(b.arrive(1, Some(96), 1, ALL, ALL, 4), Err(Refused::Mismatch(Some(64))));
    }

    #[test]
    fn barriers_are_independent_and_reusable() {
        let mut b = Barriers::new();
        for _ in 0..3 {
            b.arrive(2, Some(32), 0, ALL, ALL, 2).unwrap();
            b.arrive(3, None, 1, ALL, ALL, 2).unwrap();
            assert_eq!(b.take_complete(64), Some(2));
            assert_eq!(b.take_complete(64), None);
            b.arrive(3, None, 0, ALL, ALL, 2).unwrap();
            assert_eq!(b.take_complete(64), Some(3));
        }
    }
}
