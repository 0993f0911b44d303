//! Which allocations of the kernels' heap no pointer leads to any more.

use std::collections::BTreeSet;

use super::table::Origin;
use super::{Memory, copy};

/// Bytes that are looked at together.
const STEP: usize = 64 << 10;

impl Memory {
    /// The blocks of the kernels' heap that no pointer leads to: neither a word of a variable, nor of an allocation of the host
    /// program, nor of a block of the heap that is reached itself. Every eight bytes, wherever they begin, may be a pointer, to
    /// any byte of a block or just past its end, so what is named here is lost unless a program hides its pointers.
    pub fn lost(&self) -> BTreeSet<u64> {
        let table = self.table();
        let is_heap = |origin: &Origin| matches!(origin, Origin::Kernel(_));
        let (heap, roots): (Vec<_>, Vec<_>) = table
            .live
            .iter()
            .map(|(start, block)| (*start, block.bytes, is_heap(&block.origin)))
            .partition(|(.., heap)| *heap);
        let mut lost: BTreeSet<u64> = heap.iter().map(|(start, ..)| *start).collect();
        let mut todo: Vec<(u64, u64)> = roots.into_iter().map(|(start, bytes, _)| (start, bytes)).collect();
        let mut window = vec![0; STEP + 8];
        while let Some((start, bytes)) = todo.pop() {
            if lost.is_empty() {
                break;
            }
            for at in (0..bytes).step_by(STEP) {
                let n = (bytes - at).min(STEP as u64 + 7) as usize;
                // SAFETY: the block is live while the table is locked, and lies in the arena.
                unsafe { copy(window.as_mut_ptr(), (start + at) as *const u8, n) };
                for word in window[..n].windows(8) {
                    let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
                    if word.wrapping_sub(self.base) >= self.bytes {
                        continue;
                    }
                    let before = heap.partition_point(|(start, ..)| *start <= word);
                    let Some(&(start, bytes, _)) = before.checked_sub(1).map(|k| &heap[k]) else { continue };
                    if word - start <= bytes && lost.remove(&start) {
                        todo.push((start, bytes));
                    }
                }
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::*;

    #[test]
    fn pointers_are_followed() {
        let m = Memory::new(1 << 20).unwrap();
        let event = || Event { place: "k".into(), cta: [0; 3], thread: [0; 3] };
        let [a, b, c, d, e, f] = [16, 24, 100_000, 16, 16, 16].map(|bytes| m.malloc(bytes, event()).unwrap());
        let root = m.alloc(200_000, Origin::Host).unwrap();
        let variable = m.alloc(8, Origin::Module("the variables".into())).unwrap();
        let put = |at: u64, pointer: u64| m.write(at, &pointer.to_le_bytes()).unwrap();
        // Far into the root, between two windows and not aligned; just past the end; in a block that is reached; a circle.
        put(root + STEP as u64 - 3, a + 5);
        put(variable, b + 24);
        put(b + 16, c);
        put(c + 99_992, d);
        put(e, f);
        put(f, e);
        assert_eq!(m.lost(), BTreeSet::from([e, f]));
        put(b + 16, 0);
        assert_eq!(m.lost(), BTreeSet::from([c, d, e, f]));
    }
}
