//! Stores that not everybody sees yet: whose they are, and how they go on from a thread to its CTA and to memory.

use super::Bytes;
use super::lists::{List, Lists, Owner, Store};
use super::past::Past;
use super::wheel::Wheel;
use crate::schedule::Random;

/// Words that a thread has stores in at most.
const ROOM: usize = 32;
/// A store waits for up to this power of two of accesses of the CTA's warps before its CTA sees it.
const THREAD: u64 = 12;
/// The same before all see what a CTA sees.
const CTA: u64 = 15;

/// What a thread sees in a word.
pub struct Seen {
    /// The word.
    pub value: u64,
    /// Whether a store of its own that others do not see is in it.
    pub own: bool,
}

/// All stores that wait.
#[derive(Default)]
pub struct Pending {
    lists: Lists,
    /// When each goes on. It may be gone by then.
    queue: Wheel,
    /// Words with stores of each thread, in the order of the oldest one.
    threads: Vec<Vec<u64>>,
    /// Words that may have stores that the running CTA sees, each once.
    cta: Vec<u64>,
    /// How many they may become before those without such a store are forgotten.
    most: usize,
    /// Number of the next store.
    next: u64,
    /// Stores that are about to go on together, the newest first; empty in between.
    going: Vec<Store>,
}

impl Pending {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
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
            if let Some(list) = self.lists.get_mut(word) {
                list.stores.retain(|store| !store.shared);
                list.stores.iter_mut().for_each(|store| store.owner = Owner::Ended);
                list.listed = false;
                self.lists.tidy(word);
            }
        }
    }

    /// All that are left when the launch ends; their times are forgotten.
    pub fn all(&mut self) -> Vec<(u64, u64)> {
        self.queue.clear();
        self.lists.all().flat_map(|list| list.stores.iter().map(|store| (list.word, store.id))).collect()
    }

    /// The launch has ended, and so have all stores.
    pub fn clear(&mut self) {
        self.lists.clear();
    }

    /// One whose time has come. Each time has to be asked for until there is none.
    pub fn due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.queue.due(now).map(|(id, word)| (word, id))
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
        let stores = &self.lists.get(word)?.stores;
        stores.iter().find(|store| store.mask & mask != 0 && wanted(store.owner)).map(|store| store.id)
    }

    /// The words that may have stores that the CTA sees, for somebody who moves them all.
    pub fn take_words_of_cta(&mut self) -> Vec<u64> {
        let words = std::mem::take(&mut self.cta);
        for &word in &words {
            if let Some(list) = self.lists.get_mut(word) {
                list.listed = false;
                self.lists.tidy(word);
            }
        }
        words
    }

    /// What the CTA sees in a word where memory holds `memory`.
    pub fn seen_by_cta(&self, word: u64, memory: u64) -> u64 {
        self.lists.get(word).map_or(memory, |list| list.over(Owner::Cta, memory))
    }

    /// What a thread sees there.
    pub fn seen_by(&self, thread: u32, word: u64, memory: u64) -> Seen {
        let Some(list) = self.lists.get(word) else { return Seen { value: memory, own: false } };
        let owner = Owner::Thread(thread);
        Seen { value: list.over(owner, list.over(Owner::Cta, memory)), own: list.has(owner) }
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
        let list = self.lists.make(word);
        let owner = store.owner;
        let mut last = list.stores.iter_mut().rev().filter(|s| s.owner == owner && s.mask & store.mask != 0);
        if let Some(last) = last.next().filter(|last| last.mask == store.mask) {
            // It takes the place of the older one, which nobody else gets to see.
            last.value = store.value;
            return;
        }
        let power = match owner {
            Owner::Thread(thread) => {
                if !list.has(owner) {
                    self.threads[thread as usize].push(word);
                }
                THREAD
            }
            _ => {
                if !std::mem::replace(&mut list.listed, true) {
                    self.cta.push(word);
                }
                CTA
            }
        };
        store.id = self.next;
        self.next += 1;
        list.stores.push(store);
        // Short and long times are as likely.
        let power = random.below(power + 1);
        self.queue.add(now + 1 + random.below(1 << power), store.id, word);
        if self.cta.len() > self.most {
            self.unlist();
        }
    }

    /// Forgets the words in which the CTA has no store any more: most have gone on in their time.
    fn unlist(&mut self) {
        let mut words = std::mem::take(&mut self.cta);
        words.retain(|&word| {
            let Some(list) = self.lists.get_mut(word) else { return false };
            list.listed = list.has(Owner::Cta);
            let stays = list.listed;
            self.lists.tidy(word);
            stays
        });
        // Twice as many again, so that this is rare.
        self.most = 2 * words.len() + 1024;
        self.cta = words;
    }

    /// Moves a store to where it is seen next, if it is still there, behind the older ones of its owner that it overlaps.
    pub fn advance(&mut self, word: u64, id: u64, now: u64, random: &mut Random, past: &mut Past) {
        // SAFETY: the store was allowed, and the shared memory of a CTA lives until its stores are gone.
        let seen = |list: &List| unsafe { list.seen_by_cta() };
        let Some(list) = self.lists.get_mut(word) else { return };
        let Some(at) = list.stores.iter().position(|store| store.id == id) else { return };
        let before = seen(list);
        let (owner, mut mask) = (list.stores[at].owner, 0);
        let mut going = std::mem::take(&mut self.going);
        for k in (0..=at).rev() {
            let store = &list.stores[k];
            if k == at || store.owner == owner && store.mask & mask != 0 {
                mask |= store.mask;
                going.push(list.stores.remove(k));
            }
        }
        let left = list.has(owner);
        while let Some(mut store) = going.pop() {
            if matches!(owner, Owner::Thread(_)) && !store.shared {
                store.owner = Owner::Cta;
                self.add(word, store, now, random);
            } else {
                // SAFETY: as above.
                unsafe { store.write(word) };
            }
        }
        self.going = going;
        if self.lists.get(word).is_some_and(|list| seen(list) != before) {
            past.changed(word, before);
        }
        if let Owner::Thread(thread) = owner {
            past.seen(thread, Bytes { word, mask });
            let words = &mut self.threads[thread as usize];
            if !left && let Some(at) = words.iter().position(|&other| other == word) {
                words.remove(at);
            }
        }
        self.lists.tidy(word);
    }
}
