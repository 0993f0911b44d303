//! What memory held before, for loads that see it late.
//!
//! Each change of a word that the threads of the running CTA see is an event with a time. A thread may load what the word
//! held before an event if it has not synchronised since, and has not seen or made a later value of that word. To
//! forget is always right: then the thread sees the newest value.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::Bytes;
use super::words::Words;
use crate::exec::lanes_of;
use crate::schedule::Random;

/// Old values of a word that are kept.
const DEPTH: usize = 4;
/// Words with old values.
const WORDS: usize = 1 << 16;

/// What a word was before its last changes.
#[derive(Clone, Default)]
struct Changes {
    /// When it changed, and what it was before; the latest event last.
    events: [(u64, u64); DEPTH],
    /// How many of them there are.
    count: usize,
}

impl Changes {
    fn all(&self) -> &[(u64, u64)] {
        &self.events[..self.count]
    }

    /// Adds one; the oldest makes room.
    fn push(&mut self, time: u64, old: u64) {
        if self.count == DEPTH {
            self.events.rotate_left(1);
        } else {
            self.count += 1;
        }
        self.events[self.count - 1] = (time, old);
    }
}

/// Old values of words.
#[derive(Clone, Default)]
pub struct Past {
    /// The place of each word in `changes`, plus 1.
    words: Words,
    changes: Vec<Changes>,
    /// The first event that a thread may not have seen yet, for each byte of words that it has looked at or written.
    floors: HashMap<(u32, u64), [u64; 8], FixedState>,
    /// Events so far.
    events: u64,
}

impl Past {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Time of the next event.
    pub fn next(&self) -> u64 {
        self.events + 1
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.words.clear();
            self.changes.clear();
            self.floors.clear();
        }
    }

    /// What a word was.
    fn changes(&self, word: u64) -> Option<&[(u64, u64)]> {
        let place = self.words.get(word).checked_sub(1)?;
        Some(self.changes[place as usize].all())
    }

    /// A word has changed; it was `old`.
    pub fn changed(&mut self, word: u64, old: u64) {
        self.events += 1;
        if self.changes.len() >= WORDS {
            self.clear();
        }
        let place = self.words.get(word).checked_sub(1).unwrap_or_else(|| {
            let place = self.changes.len() as u32;
            self.changes.push(Changes::default());
            self.words.set(word, place + 1);
            place
        });
        self.changes[place as usize].push(self.events, old);
    }

    /// A thread knows what some bytes of a word hold now.
    pub fn seen(&mut self, thread: u32, bytes: Bytes) {
        if self.changes(bytes.word).is_some() {
            self.raise(thread, bytes, self.next());
        }
    }

    /// A thread may see no event before `event` again.
    fn raise(&mut self, thread: u32, bytes: Bytes, event: u64) {
        let floors = self.floors.entry((thread, bytes.word)).or_default();
        lanes_of(bytes.mask.into()).for_each(|byte| floors[byte] = event);
    }

    /// The word, for a thread that loads these bytes of it and has to see all events before `view`; none: as it is now.
    pub fn look(&mut self, thread: u32, bytes: Bytes, view: u64, random: &mut Random) -> Option<u64> {
        let values = self.changes(bytes.word)?;
        let floors = self.floors.get(&(thread, bytes.word));
        let floor = floors.map_or(view, |floors| {
            lanes_of(bytes.mask.into()).fold(view, |highest, byte| highest.max(floors[byte]))
        });
        let old = values.iter().filter(|&&(time, _)| time >= floor).count() as u64;
        if old == 0 {
            return None;
        }
        // Now in half of the cases.
        let back = random.below(2 * old);
        let (next, value) = if back < old {
            let (time, value) = values[values.len() - 1 - back as usize];
            (time, Some(value))
        } else {
            (self.next(), None)
        };
        self.raise(thread, bytes, next);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Bytes = Bytes { word: 8, mask: u8::MAX };

    /// What a thread sees in a hundred loads, if it forgets in between what it has seen.
    fn values(past: &Past, view: u64) -> Vec<Option<u64>> {
        let mut random = Random::new(1, 1);
        let copy = || past.clone();
        let mut all: Vec<Option<u64>> = (0..100).map(|_| copy().look(0, ALL, view, &mut random)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn old_values_are_seen_until_the_thread_synchronises() {
        let mut past = Past::default();
        past.changed(8, 10);
        past.changed(8, 11);
        assert_eq!(values(&past, 0), [None, Some(10), Some(11)]);
        assert_eq!(values(&past, 2), [None, Some(11)]);
        assert_eq!(values(&past, past.next()), [None]);
    }

    #[test]
    fn a_thread_sees_no_older_value_than_before() {
        let mut past = Past::default();
        for old in 0..DEPTH as u64 {
            past.changed(8, old);
        }
        let mut random = Random::new(2, 2);
        for thread in 0..100 {
            let all: Vec<u64> =
                (0..8).map(|_| past.look(thread, ALL, 0, &mut random).unwrap_or(u64::MAX)).collect();
            assert!(all.is_sorted(), "{all:?}");
        }
        past.seen(0, ALL);
        assert_eq!(values(&past, 0), [None]);
    }

    #[test]
    fn bytes_of_a_word_are_seen_apart() {
        let mut past = Past::default();
        past.changed(8, 10);
        past.seen(0, Bytes { word: 8, mask: 0xf0 });
        let low = Bytes { word: 8, mask: 0x0f };
        let mut random = Random::new(3, 3);
        assert!((0..100).any(|_| past.look(0, low, 0, &mut random) == Some(10)));
        assert_eq!(values(&past, 0), [None]);
    }
}
