//! Stores that wait, by the word of eight bytes that they are in: a list for each word that has any.
//!
//! Lists are used again, with the room that they have, and two stores are in the list itself (two elements of four bytes), so
//! that a store takes no memory from the allocator.

use smallvec::SmallVec;

use super::load;
use super::words::Words;
use crate::code::Width;
use crate::exec::bulk;

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
#[derive(Clone, Copy)]
pub struct Store {
    pub owner: Owner,
    /// Bytes of the word.
    pub mask: u8,
    /// Whether it is in shared memory, and needs no buffer of the CTA.
    pub shared: bool,
    /// The word, of which the bytes of the mask count.
    pub value: u64,
    pub id: u64,
}

impl Store {
    /// A word with this store in it.
    fn over(&self, word: u64) -> u64 {
        let bits = (u64::MAX >> (64 - 8 * self.mask.count_ones())) << (8 * self.mask.trailing_zeros());
        word & !bits | self.value & bits
    }

    /// # Safety
    /// The word lies in memory of the running CTA or of the device.
    pub unsafe fn write(&self, word: u64) {
        let width = match self.mask.count_ones() {
            1 => Width::W8,
            2 => Width::W16,
            4 => Width::W32,
            _ => Width::W64,
        };
        let first = self.mask.trailing_zeros();
        // SAFETY: by the caller's promise; a mask is that of an aligned element.
        unsafe { bulk::write((word + u64::from(first)) as *mut u8, width, self.value >> (8 * first)) }
    }
}

/// The stores of one word, the oldest first for each owner.
#[derive(Default)]
pub struct List {
    pub word: u64,
    pub stores: SmallVec<[Store; 2]>,
    /// The word is among those of the CTA ([`super::pending::Pending`]), whether or not the CTA still has stores in it.
    pub listed: bool,
}

impl List {
    /// Whether an owner has a store here.
    pub fn has(&self, owner: Owner) -> bool {
        self.stores.iter().any(|store| store.owner == owner)
    }

    /// A word that holds `word` without them, with the stores of an owner in it.
    pub fn over(&self, owner: Owner, word: u64) -> u64 {
        self.stores.iter().filter(|store| store.owner == owner).fold(word, |word, store| store.over(word))
    }

    /// What the CTA sees in the word now.
    ///
    /// # Safety
    /// The word lies in memory of the running CTA or of the device.
    pub unsafe fn seen_by_cta(&self) -> u64 {
        // SAFETY: by the caller's promise.
        self.over(Owner::Cta, unsafe { load(self.word) })
    }
}

/// The lists of all words.
#[derive(Default)]
pub struct Lists {
    /// The place of each word's list in `lists`, plus 1.
    places: Words,
    lists: Vec<List>,
    /// Places of lists without a word.
    free: Vec<u32>,
}

impl Lists {
    /// Whether no word has a list.
    pub fn is_empty(&self) -> bool {
        self.free.len() == self.lists.len()
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &List> {
        self.lists.iter()
    }

    /// The list of a word.
    pub fn get(&self, word: u64) -> Option<&List> {
        let place = self.places.get(word).checked_sub(1)?;
        Some(&self.lists[place as usize])
    }

    /// The list of a word.
    pub fn get_mut(&mut self, word: u64) -> Option<&mut List> {
        let place = self.places.get(word).checked_sub(1)?;
        Some(&mut self.lists[place as usize])
    }

    /// The list of a word, which gets one if it has none.
    pub fn make(&mut self, word: u64) -> &mut List {
        let place = self.places.get(word).checked_sub(1).unwrap_or_else(|| {
            let place = self.free.pop().unwrap_or_else(|| {
                self.lists.push(List::default());
                self.lists.len() as u32 - 1
            });
            self.places.set(word, place + 1);
            self.lists[place as usize].word = word;
            place
        });
        &mut self.lists[place as usize]
    }

    /// Takes the list of a word back if nobody needs it.
    pub fn tidy(&mut self, word: u64) {
        let Some(place) = self.places.get(word).checked_sub(1) else { return };
        let list = &self.lists[place as usize];
        if list.stores.is_empty() && !list.listed {
            self.free.push(place);
            self.places.set(word, 0);
        }
    }

    /// Gives the memory of a launch back.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
