//! The module cache: a text that is loaded again is not read again.
//!
//! Programs load one image for each of their threads or contexts, or again and again; LLVM's libomptarget does. What is
//! kept is the decoded module before its variables have a place, so every load still gets variables of its own.

use crate::code::Module;
use crate::report::Report;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of PTX whose modules are kept at most, but always the last one. A decoded module takes some ten times as much.
const MOST_BYTES: usize = 16 << 20;

/// The modules that were read last.
#[derive(Default)]
pub struct Cache {
    /// The one that was used last comes last.
    kept: VecDeque<(Box<str>, Arc<Module>)>,
    bytes: usize,
    read: u64,
}

impl Cache {
    /// The module of a text, read by `read` unless it is known.
    ///
    /// # Errors
    /// Those of `read`; a text that cannot be read is read again the next time.
    pub fn get(
        &mut self,
        text: &str,
        read: impl FnOnce() -> Result<Module, Report>,
    ) -> Result<Arc<Module>, Report> {
        let known = self.kept.iter().position(|(other, _)| **other == *text);
        let entry = match known.and_then(|index| self.kept.remove(index)) {
            Some(entry) => entry,
            None => {
                self.read += 1;
                let module = Arc::new(read()?);
                self.bytes += text.len();
                (text.into(), module)
            }
        };
        let module = Arc::clone(&entry.1);
        self.kept.push_back(entry);
        while self.bytes > MOST_BYTES
            && self.kept.len() > 1
            && let Some((oldest, _)) = self.kept.pop_front()
        {
            self.bytes -= oldest.len();
        }
        Ok(module)
    }

    /// Texts that were read, those included that could not be.
    pub fn read(&self) -> u64 {
        self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ReportKind;

    fn get(cache: &mut Cache, text: &str) {
        cache.get(text, || Ok(Module::default())).unwrap();
    }

    #[test]
    fn a_known_text_is_not_read_again() {
        let mut cache = Cache::default();
        for text in ["a", "b", "a", "b", "a"] {
            get(&mut cache, text);
        }
        assert_eq!(cache.read(), 2);
        let refused = || Err(Report::new(ReportKind::InvalidPtx, "no"));
        assert!(cache.get("c", refused).is_err());
        get(&mut cache, "c");
        assert_eq!((cache.read(), cache.kept.len(), cache.bytes), (4, 3, 3));
    }

    #[test]
    fn the_texts_used_last_are_kept() {
        let mut cache = Cache::default();
        let texts = ["a", "b", "c"].map(|c| c.repeat(MOST_BYTES / 2));
        for text in [0, 1, 0, 2, 0] {
            get(&mut cache, &texts[text]);
        }
        assert_eq!((cache.read(), cache.bytes), (3, MOST_BYTES));
        get(&mut cache, &texts[1]);
        assert_eq!(cache.read(), 4);
        let large = "d".repeat(2 * MOST_BYTES);
        get(&mut cache, &large);
        get(&mut cache, &large);
        assert_eq!((cache.read(), cache.kept.len()), (5, 1));
    }
}
