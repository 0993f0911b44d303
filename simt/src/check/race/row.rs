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
        let fits = |cell: &Cell| {
            cell.who == new.who
                && cell.time == new.time
                && cell.what.same_kind(new.what)
        };
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
