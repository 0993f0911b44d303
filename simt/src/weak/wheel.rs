//! What is to happen at a later time: a list for each time that may come up, as no time is far away.

/// More than the times ahead of now that are asked for.
const SPAN: u64 = 1 << 16;

/// Stores by the time at which they go on: number and word. Those of one time come out as they went in.
#[derive(Default)]
pub struct Wheel {
    /// The first and the last node of each time modulo [`SPAN`], by their places plus 1; none before the first use.
    times: Vec<(u32, u32)>,
    nodes: Vec<Node>,
    /// The first node without a time.
    free: u32,
}

/// One of a list.
struct Node {
    id: u64,
    word: u64,
    /// The place of the next one, plus 1.
    next: u32,
}

impl Wheel {
    /// Adds one for a time behind now, less than [`SPAN`] away.
    pub fn add(&mut self, time: u64, id: u64, word: u64) {
        if self.times.is_empty() {
            self.times.resize(SPAN as usize, (0, 0));
        }
        let node = Node { id, word, next: 0 };
        let place = match self.free.checked_sub(1) {
            Some(place) => {
                self.free = self.nodes[place as usize].next;
                self.nodes[place as usize] = node;
                place + 1
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32
            }
        };
        let (first, last) = &mut self.times[(time % SPAN) as usize];
        match last.checked_sub(1) {
            Some(last) => self.nodes[last as usize].next = place,
            None => *first = place,
        }
        *last = place;
    }

    /// The next one whose time is now. Each time has to be asked for until there is none.
    pub fn due(&mut self, now: u64) -> Option<(u64, u64)> {
        let (first, last) = self.times.get_mut((now % SPAN) as usize)?;
        let place = *first;
        let node = &mut self.nodes[place.checked_sub(1)? as usize];
        (*first, *last) = (node.next, if node.next == 0 { 0 } else { *last });
        node.next = core::mem::replace(&mut self.free, place);
        Some((node.id, node.word))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.times.fill((0, 0));
        self.nodes.clear();
        self.free = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_out_at_its_time_and_in_order() {
        let mut wheel = Wheel::default();
        assert_eq!(wheel.due(1), None);
        for (time, id) in [(3, 0), (2, 1), (3, 2), (SPAN, 3)] {
            wheel.add(time, id, 8 * id);
        }
        let mut out = vec![];
        for now in 2..=SPAN {
            while let Some((id, word)) = wheel.due(now) {
                out.push((now, id, word));
            }
        }
        assert_eq!(out, [(2, 1, 8), (3, 0, 0), (3, 2, 16), (SPAN, 3, 24)]);
    }

    #[test]
    fn nothing_is_left_behind_an_end() {
        let mut wheel = Wheel::default();
        wheel.add(5, 0, 0);
        wheel.add(5, 1, 0);
        assert!(wheel.due(5).is_some());
        wheel.clear();
        wheel.add(5, 2, 0);
        assert_eq!((wheel.due(5), wheel.due(5)), (Some((2, 0)), None));
    }
}
