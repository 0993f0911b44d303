//! Stores that not everybody sees yet, by the word of eight bytes that they are in.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use foldhash::fast::FixedState;

use super::past::Past;
use super::{Bytes, load};
use crate::code::Width;
use crate::exec::memory;
use crate::schedule::Random;

/// Words that a thread has stores in at most.
const ROOM: usize = 32;
/// A store waits for up to this power of two of accesses of the CTA's warps before its CTA sees it.
const THREAD: u64 = 12;
/// The same before all see what a CTA sees.
const CTA: u64 = 15;

/// Who sees a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A thread of the running CTA.
    Thread(u32),
    /// The running CTA.
    Cta,
    /// A CTA that has ended: nobody.
    Ended,
}

/// One that waits.
struct Store {
    owner: Owner,
    /// Bytes of the word.
    mask: u8,
    /// Whether it is in shared memory, and needs no buffer of the CTA.
    shared: bool,
    /// The word, of which the bytes of the mask count.
    value: u64,
    id: u64,
}

impl Store {
    /// A word with this store in it.
    fn over(&self, word: u64) -> u64 {
        let bits = (u64::MAX >> (64 - 8 * self.mask.count_ones())) << (8 * self.mask.trailing_zeros());
        word & !bits | self.value & bits
    }

    /// # Safety
    /// The word lies in memory of the running CTA or of the device.
    unsafe fn write(&self, word: u64) {
        let width = match self.mask.count_ones() {
            1 => Width::W8,
            2 => Width::W16,
            4 => Width::W32,
            _ => Width::W64,
        };
        let first = self.mask.trailing_zeros();
        // SAFETY: by the caller's promise; a mask is that of an aligned element.
        unsafe { memory::write((word + u64::from(first)) as *mut u8, width, self.value >> (8 * first)) }
    }
}

/// What a thread sees in a word.
pub struct Seen {
    /// The word.
    pub value: u64,
    /// Whether a store of its own that others do not see is in it.
    pub own: bool,
}

/// All stores that wait; in each word the oldest first, for each owner.
#[derive(Default)]
pub struct Pending {
    words: HashMap<u64, Vec<Store>, FixedState>,
    /// When each goes on: time, number, word. It may be gone by then.
    queue: BinaryHeap<Reverse<(u64, u64, u64)>>,
    /// Words with stores of each thread, in the order of the oldest one.
    threads: Vec<Vec<u64>>,
    /// Words that may have stores that the running CTA sees.
    cta: Vec<u64>,
    /// Number of the next store.
    next: u64,
}

impl Pending {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// A CTA of so many threads begins.
    pub fn begin(&mut self, threads: usize) {
        self.threads.clear();
        self.threads.resize(threads, Vec::new());
    }

    /// The CTA ends, after its threads or by an error. Nobody sees its stores now, and its shared memory is gone.
    pub fn end(&mut self) {
        let words = std::mem::take(&mut self.cta);
        for word in self.threads.drain(..).flatten().chain(words) {
            if let Some(stores) = self.words.get_mut(&word) {
                stores.retain(|store| !store.shared);
                stores.iter_mut().for_each(|store| store.owner = Owner::Ended);
                if stores.is_empty() {
                    self.words.remove(&word);
                }
            }
        }
    }

    /// All that are left when the launch ends; their times are forgotten.
    pub fn all(&mut self) -> Vec<(u64, u64)> {
        self.queue.clear();
        self.words.iter().flat_map(|(&word, stores)| stores.iter().map(move |s| (word, s.id))).collect()
    }

    /// One whose time has come.
    pub fn due(&mut self, now: u64) -> Option<(u64, u64)> {
        let first = self.queue.peek_mut().filter(|first| first.0.0 <= now)?;
        let Reverse((_, id, word)) = PeekMut::pop(first);
        Some((word, id))
    }

    /// Whether a thread has no room for another one.
    pub fn is_full(&self, thread: u32) -> bool {
        self.threads[thread as usize].len() > ROOM
    }

    /// One of a thread.
    pub fn first_of(&self, thread: u32) -> Option<(u64, u64)> {
        let word = *self.threads[thread as usize].first()?;
        Some((word, self.find(word, u8::MAX, |owner| owner == Owner::Thread(thread))?))
    }

    /// The oldest one in some bytes of a word whose owner is wanted.
    pub fn find(&self, word: u64, mask: u8, wanted: impl Fn(Owner) -> bool) -> Option<u64> {
        let stores = self.words.get(&word)?;
        stores.iter().find(|store| store.mask & mask != 0 && wanted(store.owner)).map(|store| store.id)
    }

    /// The words that may have stores that the CTA sees, for somebody who moves them all.
    pub fn take_words_of_cta(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.cta)
    }

    /// What the CTA sees in a word where memory holds `memory`.
    pub fn seen_by_cta(&self, word: u64, memory: u64) -> u64 {
        self.words.get(&word).map_or(memory, |stores| over(stores, Owner::Cta, memory))
    }

    /// What a thread sees there.
    pub fn seen_by(&self, thread: u32, word: u64, memory: u64) -> Seen {
        let Some(stores) = self.words.get(&word) else { return Seen { value: memory, own: false } };
        let owner = Owner::Thread(thread);
        let value = over(stores, owner, over(stores, Owner::Cta, memory));
        Seen { value, own: stores.iter().any(|store| store.owner == owner) }
    }

    /// A thread stores bytes of the word `value`.
    pub fn store(
        &mut self,
        thread: u32,
        bytes: Bytes,
        value: u64,
        shared: bool,
        now: u64,
        random: &mut Random,
    ) {
        let store = Store { owner: Owner::Thread(thread), mask: bytes.mask, shared, value, id: 0 };
        self.add(bytes.word, store, now, random);
    }

    /// Puts a store behind the others of its owner.
    fn add(&mut self, word: u64, mut store: Store, now: u64, random: &mut Random) {
        let stores = self.words.entry(word).or_default();
        let owner = store.owner;
        let mut last = stores.iter_mut().rev().filter(|s| s.owner == owner && s.mask & store.mask != 0);
        if let Some(last) = last.next().filter(|last| last.mask == store.mask) {
            // It takes the place of the older one, which nobody else gets to see.
            last.value = store.value;
            return;
        }
        let known = stores.iter().any(|s| s.owner == owner);
        let (list, power) = match owner {
            Owner::Thread(thread) => (&mut self.threads[thread as usize], THREAD),
            _ => (&mut self.cta, CTA),
        };
        if !known {
            list.push(word);
        }
        store.id = self.next;
        self.next += 1;
        // Short and long times are as likely.
        let power = random.below(power + 1);
        self.queue.push(Reverse((now + 1 + random.below(1 << power), store.id, word)));
        stores.push(store);
        if self.cta.len() > 2 * self.words.len() + 1024 {
            // Most of them have gone on in their time.
            self.cta.sort_unstable();
            self.cta.dedup();
            self.cta.retain(|word| self.words.contains_key(word));
        }
    }

    /// Moves a store to where it is seen next, if it is still there, behind the older ones of its owner that it overlaps.
    pub fn advance(&mut self, word: u64, id: u64, now: u64, random: &mut Random, past: &mut Past) {
        // SAFETY: the store was allowed, and the shared memory of a CTA lives until its stores are gone.
        let seen = |this: &Self| this.seen_by_cta(word, unsafe { load(word) });
        let before = seen(self);
        let Some(stores) = self.words.get_mut(&word) else { return };
        let Some(at) = stores.iter().position(|store| store.id == id) else { return };
        let (owner, mut mask) = (stores[at].owner, 0);
        let mut going = Vec::new();
        for k in (0..=at).rev() {
            let store = &stores[k];
            if k == at || store.owner == owner && store.mask & mask != 0 {
                mask |= store.mask;
                going.push(stores.remove(k));
            }
        }
        let left = stores.iter().any(|store| store.owner == owner);
        for mut store in going.into_iter().rev() {
            if matches!(owner, Owner::Thread(_)) && !store.shared {
                store.owner = Owner::Cta;
                self.add(word, store, now, random);
            } else {
                // SAFETY: as above.
                unsafe { store.write(word) };
            }
        }
        if seen(self) != before {
            past.changed(word, before);
        }
        if let Owner::Thread(thread) = owner {
            past.seen(thread, Bytes { word, mask });
            if !left {
                self.threads[thread as usize].retain(|&other| other != word);
            }
        }
        if self.words.get(&word).is_some_and(Vec::is_empty) {
            self.words.remove(&word);
        }
    }
}

/// A word with the stores of an owner in it.
fn over(stores: &[Store], owner: Owner, word: u64) -> u64 {
    stores.iter().filter(|store| store.owner == owner).fold(word, |word, store| store.over(word))
}
