//! A number for each word of eight bytes, in pages that are made when they are written to: words that lie together are
//! found together.

use std::cell::Cell;
use std::collections::HashMap;

use foldhash::fast::FixedState;

/// Words of a page.
const PAGE: usize = 512;

/// Numbers of words; 0 where none has been set.
#[derive(Clone, Default)]
pub struct Words {
    /// Where each page is in `contents`.
    pages: HashMap<u64, usize, FixedState>,
    contents: Vec<[u32; PAGE]>,
    /// The page that was asked for last, by its number plus 1, and where it is: the lanes of a warp ask for the same one.
    last: Cell<(u64, Option<usize>)>,
}

impl Words {
    /// The number of a word.
    pub fn get(&self, word: u64) -> u32 {
        let (page, index) = split(word);
        self.find(page).map_or(0, |at| self.contents[at][index])
    }

    /// Sets it.
    pub fn set(&mut self, word: u64, number: u32) {
        let (page, index) = split(word);
        let at = self.find(page).unwrap_or_else(|| {
            let at = self.contents.len();
            self.pages.insert(page, at);
            self.contents.push([0; PAGE]);
            self.last.set((page + 1, Some(at)));
            at
        });
        self.contents[at][index] = number;
    }

    /// All numbers are 0 again.
    pub fn clear(&mut self) {
        self.pages.clear();
        self.contents.clear();
        self.last.set((0, None));
    }

    fn find(&self, page: u64) -> Option<usize> {
        let (last, at) = self.last.get();
        if last == page + 1 {
            return at;
        }
        let at = self.pages.get(&page).copied();
        self.last.set((page + 1, at));
        at
    }
}

/// The page of a word, and the word in it.
const fn split(word: u64) -> (u64, usize) {
    let number = word / 8;
    (number / PAGE as u64, (number % PAGE as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_until_they_are_cleared() {
        let mut words = Words::default();
        let all = [0, 8, 4088, 4096, 1 << 40];
        for (number, word) in (1..).zip(all) {
            assert_eq!(words.get(word), 0, "{word}");
            words.set(word, number);
        }
        assert_eq!(all.map(|word| words.get(word)), [1, 2, 3, 4, 5]);
        words.set(8, 0);
        assert_eq!((words.get(8), words.get(16)), (0, 0));
        words.clear();
        assert_eq!(all.map(|word| words.get(word)), [0; 5]);
    }
}
