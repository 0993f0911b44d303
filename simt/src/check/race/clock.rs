//! Clocks: what a thread knows to be over.
//!
//! Each CTA counts its synchronisation events in `now`, and an access is stamped with it. Knowing `(node, t)` means
//! that all accesses of the node with a stamp below `t` are ordered before whatever the knower does next. Nodes are
//! threads, warps and CTAs, so a barrier of a thousand threads is one number and not a thousand clocks.
//!
//! Clocks are shared, and copied when they change. What is released at an address has a [`Tag`]: most threads that take
//! a lock know an earlier version of it and nothing else, and then the new one is theirs without a comparison.

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

/// A version of what is released at an address. Of one history, a later version knows all of an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    history: u64,
    version: u64,
}

impl Tag {
    /// The first version of a history of its own.
    pub fn first(stamp: u64) -> Self {
        Self { history: stamp, version: stamp }
    }
    /// A later version; stamps grow.
    pub fn later(self, stamp: u64) -> Self {
        Self { version: stamp, ..self }
    }
    /// Whether this is the same version or a later one.
    fn follows(self, other: Self) -> bool {
        self.history == other.history && self.version >= other.version
    }
}

/// What is known of nodes, by node.
#[derive(Clone, Default, Debug)]
pub struct Clock {
    known: Arc<Vec<(Node, u32)>>,
    /// If it is exactly that version.
    tag: Option<Tag>,
}

impl Clock {
    /// Stamps below this are known of the node.
    pub fn get(&self, node: Node) -> u32 {
        self.known.binary_search_by_key(&node, |e| e.0).map_or(0, |k| self.known[k].1)
    }

    /// Its version.
    pub fn tag(&self) -> Option<Tag> {
        self.tag
    }

    /// The same, as a version.
    pub fn tagged(&self, tag: Tag) -> Self {
        Self { known: Arc::clone(&self.known), tag: Some(tag) }
    }

    /// Whether both are one.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// Learns about a node.
    pub fn learn(&mut self, node: Node, time: u32) {
        let known = Arc::make_mut(&mut self.known);
        match known.binary_search_by_key(&node, |e| e.0) {
            Ok(k) => known[k].1 = known[k].1.max(time),
            Err(k) => known.insert(k, (node, time)),
        }
        self.tag = None;
    }

    /// A clock that knows more: of each of some nodes, in their order.
    pub fn with(&self, more: &[(Node, u32)]) -> Self {
        let mut known = Vec::with_capacity(self.known.len() + more.len());
        let mut rest = &self.known[..];
        for &(node, time) in more {
            let (before, after) = rest.split_at(rest.partition_point(|e| e.0 < node));
            known.extend_from_slice(before);
            let same = after.first().filter(|e| e.0 == node);
            known.push((node, same.map_or(time, |e| e.1.max(time))));
            rest = &after[usize::from(same.is_some())..];
        }
        known.extend_from_slice(rest);
        Self { known: Arc::new(known), tag: None }
    }

    /// Whether it knows all that another clock knows.
    fn covers(&self, other: &Self) -> bool {
        let mut own = self.known.iter();
        let finds = |&(node, time): &(Node, u32)| {
            own.find(|e| e.0 >= node).is_some_and(|e| e.0 == node && e.1 >= time)
        };
        self.known.len() >= other.known.len() && other.known.iter().all(finds)
    }

    /// Learns all that another clock knows.
    fn merge(&mut self, other: &Self) {
        let mut merged = Vec::with_capacity(self.known.len() + other.known.len());
        let (mut a, mut b) = (self.known.iter().peekable(), other.known.iter().peekable());
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
        *self = Self { known: Arc::new(merged), tag: None };
    }

    /// Whether all of `other` is known here, as far as their versions tell.
    pub fn supersedes(&self, other: &Self) -> bool {
        self.is(other) || self.tag.zip(other.tag).is_some_and(|(tag, other)| tag.follows(other))
    }
}

/// Joins a clock into another one: takes the one that knows all, or makes a new one.
pub fn join(into: &mut Option<Clock>, from: &Clock) {
    match into {
        Some(clock) if clock.supersedes(from) => {}
        Some(clock) if !from.supersedes(clock) && !from.covers(clock) => {
            if !clock.covers(from) {
                clock.merge(from);
            }
        }
        _ => *into = Some(from.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(nodes: &[(Node, u32)]) -> Clock {
        let mut clock = Clock::default();
        nodes.iter().for_each(|&(node, time)| clock.learn(node, time));
        clock
    }

    #[test]
    fn joins_take_the_later_time_of_each_node() {
        let mut a = Some(clock(&[(Node::lane(3, 1), 4), (Node::cta(0), 9)]));
        let b = clock(&[(Node::lane(3, 1), 7), (Node::warp(3), 2), (Node::cta(0), 1)]);
        join(&mut a, &b);
        let once = a.clone().unwrap();
        join(&mut a, &b);
        assert!(a.unwrap().is(&once), "nothing is new");
        let known = [Node::lane(3, 1), Node::warp(3), Node::cta(0), Node::lane(3, 2)].map(|n| once.get(n));
        assert_eq!(known, [7, 2, 9, 0]);
    }

    #[test]
    fn more_nodes_come_in_their_order() {
        let some = clock(&[(Node::lane(1, 1), 4), (Node::warp(1), 5), (Node::cta(7), 6)]);
        let more = [(Node::lane(0, 3), 1), (Node::lane(1, 1), 9), (Node::warp(1), 2), (Node::cta(9), 3)];
        let all = some.with(&more);
        let known = [Node::lane(0, 3), Node::lane(1, 1), Node::warp(1), Node::cta(7), Node::cta(9)];
        assert_eq!(known.map(|node| all.get(node)), [1, 9, 5, 6, 3]);
        assert!(all.covers(&some) && !some.covers(&all));
    }

    #[test]
    fn who_knows_all_of_the_other_is_taken_and_not_copied() {
        let small = clock(&[(Node::warp(1), 5)]);
        let large = clock(&[(Node::warp(1), 6), (Node::warp(2), 1)]);
        for (first, then) in [(&small, &large), (&large, &small), (&large, &large)] {
            let mut mine = None;
            join(&mut mine, first);
            join(&mut mine, then);
            assert!(mine.unwrap().is(&large));
        }
    }

    #[test]
    fn a_later_version_is_taken_unseen() {
        let tag = Tag::first(1);
        let old = clock(&[(Node::warp(1), 5)]).tagged(tag);
        // Not what a later version looks like: this shows that nobody looks.
        let new = clock(&[(Node::warp(2), 5)]).tagged(tag.later(2));
        let mut mine = Some(old.clone());
        join(&mut mine, &new);
        assert!(mine.as_ref().unwrap().is(&new));
        join(&mut mine, &old);
        assert!(mine.as_ref().unwrap().is(&new));
        join(&mut mine, &clock(&[(Node::warp(1), 5)]).tagged(Tag::first(3)));
        assert_eq!(mine.unwrap().get(Node::warp(1)), 5);
    }
}
