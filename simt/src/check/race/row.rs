//! What an access means for the grain that it touches: whether it races with what is remembered, and what is remembered
//! next.

use super::cell::{Cell, What};
use super::order::Cta;
use super::shadow::Row;
use crate::exec::lanes_of;

/// Compares an access with a row and remembers it there. If they race: the older one, and the lane of the new one.
pub fn advance(row: &mut Row, new: Cell, cta: &Cta, same_value: bool) -> Option<(Cell, usize)> {
    let write = new.what.is(What::WRITE);
    let bytes = new.what.bytes();
    let warp = new.who & 31;
    // What the same warp did in the same epoch needs no second look.
    let again = |cell: &Cell| {
        cell.who == new.who
            && cell.time == new.time
            && cell.lanes & new.lanes == new.lanes
            && (cell.what.same_kind(new.what) || What(cell.what.0 | What::SAME_VALUE).same_kind(new.what))
    };
    if if write { again(&row[0]) } else { again(&row[1]) || again(&row[2]) } {
        return None;
    }
    let quiet = |cell: &Cell| {
        !same_value && (write && new.what.is(What::SAME_VALUE) || cell.what.is(What::SAME_VALUE))
    };
    let mut conflict = None;
    let ordered = |cell: &Cell| lanes_of(new.lanes).find(|&lane| !cta.knows(cell, warp, lane));
    let mut unordered = [None; 3];
    for (k, cell) in row.iter().enumerate() {
        if cell.lanes == 0 {
            continue;
        }
        unordered[k] = ordered(cell);
        if let Some(lane) = unordered[k]
            && conflict.is_none()
            && cell.what.bytes() & bytes != 0
            && (write || cell.what.is(What::WRITE))
            && !cell.what.morally_strong(new.what, cell.slot() == new.slot())
            && !quiet(cell)
        {
            conflict = Some((*cell, lane));
        }
    }
    let covers = |cell: &Cell| new.what.covers(cell.what);
    if write {
        // A silent store keeps the write that it comes after in order: that one made the value.
        let keep =
            new.what.is(What::SAME_VALUE) && row[0].lanes != 0 && unordered[0].is_none() && covers(&row[0]);
        let old = row[0];
        if !keep {
            row[0] = new;
        }
        for k in 1..3 {
            if unordered[k].is_none() && covers(&row[k]) {
                row[k] = Cell::default();
            }
        }
        if !keep && old.lanes != 0 && !covers(&old) {
            // The write of the other bytes.
            let free = (1..3).find(|&k| row[k].lanes == 0).unwrap_or(2);
            row[free] = old;
        }
    } else {
        let strong = new.what.is(What::STRONG);
        let fits =
            |cell: &Cell| cell.who == new.who && cell.time == new.time && cell.what.same_kind(new.what);
        let replaceable = |k: usize, row: &Row| {
            row[k].lanes == 0
                || unordered[k].is_none()
                    && covers(&row[k])
                    && !row[k].what.is(What::WRITE)
                    && (!strong || row[k].what.is(What::STRONG))
        };
        if let Some(k) = (1..3).find(|&k| fits(&row[k])) {
            row[k].lanes |= new.lanes;
            row[k].what = new.what;
        } else if let Some(k) = (1..3).find(|&k| replaceable(k, row)) {
            row[k] = new;
        } else {
            // Too many readers: one of them is forgotten.
            row[1 + (new.time.wrapping_add(new.lanes.trailing_zeros()) & 1) as usize] = new;
        }
    }
    conflict
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: u32 = What::ALL_BYTES;
    const WRITE: u32 = What::WRITE | READ;
    const ATOMIC: u32 = What::STRONG | WRITE;
    const HALF: u32 = What::STRONG | What::WRITE | 3;

    fn cell(who: u32, lane: u32, kind: u32) -> Cell {
        Cell { who, time: 1, lanes: 1 << lane, what: What::new(kind, lane) }
    }

    /// Whether the last of some accesses by two warps of one CTA, or of others, races with those before it.
    fn races(accesses: &[(u32, u32, u32)], same_value: bool) -> bool {
        let mut row = Row::default();
        let mut last = None;
        for &(who, lane, kind) in accesses {
            last = advance(&mut row, cell(who, lane, kind), &Cta::new(who >> 5, 2), same_value);
        }
        last.is_some()
    }

    #[test]
    fn two_accesses_race_by_bytes_kind_and_scope() {
        let narrow = ATOMIC | What::CTA_SCOPE;
        for (name, first, second, expected) in [
            ("reads", (0, 0, READ), (1, 0, READ), false),
            ("a write and a read", (0, 0, WRITE), (1, 0, READ), true),
            ("a read and a write", (0, 0, READ), (1, 0, WRITE), true),
            ("two lanes", (0, 0, WRITE), (0, 1, WRITE), true),
            ("one lane", (0, 4, WRITE), (0, 4, READ), false),
            ("bytes apart", (0, 0, What::WRITE | 3), (1, 0, What::WRITE | 12), false),
            ("a byte of a word", (0, 0, What::WRITE | 8), (1, 0, READ), true),
            ("atomics", (0, 0, ATOMIC), (1, 0, ATOMIC), false),
            ("an atomic and a read", (0, 0, ATOMIC), (1, 0, READ), true),
            ("atomics of two sizes", (0, 0, ATOMIC), (1, 0, ATOMIC | What::WIDE), true),
            ("atomics of a word and of its half", (0, 0, ATOMIC), (1, 0, HALF), false),
            ("atomics of eight bytes and of two", (0, 0, ATOMIC | What::WIDE), (1, 0, HALF), true),
            ("an atomic of a word and a store to its half", (0, 0, ATOMIC), (1, 0, What::WRITE | 3), true),
            ("atomics of the CTA", (0, 0, narrow), (1, 0, narrow), false),
            ("and of two CTAs", (0, 0, narrow), (32, 0, ATOMIC), true),
        ] {
            assert_eq!(races(&[first, second], false), expected, "{name}");
        }
    }

    #[test]
    fn stores_of_what_is_there_race_only_if_asked_for() {
        let silent = WRITE | What::SAME_VALUE;
        for accesses in [&[(0, 0, READ), (1, 0, silent)][..], &[(0, 0, silent), (1, 0, READ)]] {
            assert_eq!([false, true].map(|same_value| races(accesses, same_value)), [false, true]);
        }
        // A store of something else after it counts, and so does the write that a silent one follows.
        for first in [[silent, WRITE], [WRITE, silent]] {
            assert!(races(&[(0, 0, first[0]), (0, 0, first[1]), (1, 0, READ)], false));
        }
    }

    #[test]
    fn a_write_of_other_bytes_is_kept_beside_the_last_one() {
        let [low, high] = [3, 12].map(|bytes| What::WRITE | bytes);
        assert!(races(&[(0, 0, low), (0, 1, high), (1, 0, 3)], false));
        assert!(races(&[(0, 0, low), (0, 1, high), (1, 0, 12)], false));
    }
}
