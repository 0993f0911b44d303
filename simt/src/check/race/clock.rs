//! Clocks: what a thread knows to be over.
//!
//! Each CTA counts its synchronisation events in `now`, and an access is stamped with it. Knowing `(node, t)` means
//! that all accesses of the node with a stamp below `t` are ordered before whatever the knower does next. Nodes are
//! threads, warps and CTAs, so a barrier of a thousand threads is one number and not a thousand clocks.

use std::sync::Arc;

/// A node: its level above, its number below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node(u64);

impl Node {
    /// Lane `lane` of warp `who`.
    pub fn lane(who: u32, lane: usize) -> Self {
        Self(u64::from(who) << 5 | lane as u64)
    }
    /// Warp `who`.
    pub fn warp(who: u32) -> Self {
        Self(1 << 62 | u64::from(who))
    }
    /// CTA `slot`.
    pub fn cta(slot: u32) -> Self {
        Self(2 << 62 | u64::from(slot))
    }
}

/// What is known of nodes, by node.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Clock(Vec<(Node, u32)>);

impl Clock {
    /// Stamps below this are known of the node.
    pub fn get(&self, node: Node) -> u32 {
        self.0.binary_search_by_key(&node, |e| e.0).map_or(0, |k| self.0[k].1)
    }

    /// Learns about a node.
    pub fn learn(&mut self, node: Node, time: u32) {
        match self.0.binary_search_by_key(&node, |e| e.0) {
            Ok(k) => self.0[k].1 = self.0[k].1.max(time),
            Err(k) => self.0.insert(k, (node, time)),
        }
    }

    /// Whether it knows all that another clock knows.
    pub fn covers(&self, other: &Self) -> bool {
        let mut own = self.0.iter();
        other
            .0
            .iter()
            .all(|&(node, time)| own.find(|e| e.0 >= node).is_some_and(|e| e.0 == node && e.1 >= time))
    }

    /// Learns all that another clock knows; whether anything was new.
    pub fn join(&mut self, other: &Self) -> bool {
        if self.covers(other) {
            return false;
        }
        let mut merged = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 == y.0 => {
                    merged.push((x.0, x.1.max(y.1)));
                    a.next();
                    b.next();
                }
                (Some(&&x), Some(y)) if x.0 < y.0 => {
                    merged.push(x);
                    a.next();
                }
                (_, Some(&&y)) => {
                    merged.push(y);
                    b.next();
                }
                (Some(&&x), None) => {
                    merged.push(x);
                    a.next();
                }
                (None, None) => break,
            }
        }
        self.0 = merged;
        true
    }
}

/// Joins a clock into a shared one, which is copied only if it changes and others hold it.
pub fn join(into: &mut Option<Arc<Clock>>, from: &Arc<Clock>) {
    match into {
        None => *into = Some(Arc::clone(from)),
        Some(clock) if Arc::ptr_eq(clock, from) => {}
        Some(clock) => {
            if !clock.covers(from) {
                Arc::make_mut(clock).join(from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_take_the_later_time_of_each_node() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        for (node, time) in [(Node::lane(3, 1), 4), (Node::cta(0), 9)] {
            a.learn(node, time);
        }
        for (node, time) in [(Node::lane(3, 1), 7), (Node::warp(3), 2), (Node::cta(0), 1)] {
            b.learn(node, time);
        }
        assert!(a.join(&b));
        assert!(!a.join(&b));
        let known = [Node::lane(3, 1), Node::warp(3), Node::cta(0), Node::lane(3, 2)].map(|n| a.get(n));
        assert_eq!(known, [7, 2, 9, 0]);
    }

    #[test]
    fn shared_clocks_are_copied_only_when_they_change() {
        let mut one = Clock::default();
        one.learn(Node::warp(1), 5);
        let one = Arc::new(one);
        let mut mine = None;
        join(&mut mine, &one);
        join(&mut mine, &one);
        assert!(Arc::ptr_eq(mine.as_ref().unwrap(), &one));
        let mut two = Clock::default();
        two.learn(Node::warp(2), 5);
        join(&mut mine, &Arc::new(two));
        assert_eq!((one.get(Node::warp(2)), mine.unwrap().get(Node::warp(2))), (0, 5));
    }
}
