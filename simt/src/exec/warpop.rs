//! Warp operations: `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `elect.sync`, `bar.warp.sync` (PTX ISA 9.0,
//! 9.7.9.6, 9.7.13.2 and 9.7.13.9 to 9.7.13.14).
//!
//! An operation is done once all lanes of its member mask that have not exited have arrived at an operation of the same
//! kind with the same mask, be it at the same instruction or not. A lane that is not in its own mask is an error. A
//! shuffle that reads a lane outside of the mask, or one that has exited, gets [`UNDEFINED`]: hardware leaves the value
//! open, and correct programs read such values without using them.

use std::mem::discriminant;

use super::fault::Fault;
use super::group::{Group, State};
use super::lanes::{Lanes, lanes_of, uniform};
use super::memory::get_lane;
use super::soft;
use super::tier::Tier;
use super::warp::Warp;
use crate::code::{Float, Int, IntOp2, LANES, Module, Op, ReduxOp, ShflMode, Src, VoteMode, Width};
use crate::mem::PATTERN;
use crate::report::ReportKind;

/// What a shuffle gives where hardware defines nothing.
pub const UNDEFINED: u32 = u32::from_ne_bytes([PATTERN; 4]);

/// Lanes of one frame that take part in an operation.
struct Part {
    lanes: Lanes,
    op: Op,
}

/// The member mask operand of a warp operation.
pub fn mask_of(op: &Op) -> Option<Src> {
    match *op {
        Op::WarpBarrier { mask }
        | Op::Shfl { mask, .. }
        | Op::Vote { mask, .. }
        | Op::Ballot { mask, .. }
        | Op::Match { mask, .. }
        | Op::Redux { mask, .. }
        | Op::Elect { mask, .. } => Some(mask),
        _ => None,
    }
}

/// Whether two lanes meet in these operations.
fn same_kind(a: &Op, b: &Op) -> bool {
    match (a, b) {
        (Op::Shfl { mode: a, .. }, Op::Shfl { mode: b, .. }) => a == b,
        (Op::Vote { mode: a, .. }, Op::Vote { mode: b, .. }) => a == b,
        (Op::Match { all: a, width: v, .. }, Op::Match { all: b, width: w, .. }) => a == b && v == w,
        (Op::Redux { op: a, .. }, Op::Redux { op: b, .. }) => a == b,
        _ => discriminant(a) == discriminant(b),
    }
}

/// The lanes of `lanes` arrive at a warp operation. If all members are among them it is done, and true is returned;
/// else they have to wait, and `split` gets the lanes of each mask, with the mask. `seen` gets the lanes of each operation
/// that is about to be done.
///
/// # Errors
/// A lane that is not in its own mask.
///
/// # Safety
/// The operands belong to the frame that `l` points to, whose mask is not empty; the host has the tier.
pub unsafe fn arrive(
    l: &Lanes,
    op: &Op,
    tier: Tier,
    live: u32,
    mut seen: impl FnMut(u32),
    mut split: impl FnMut(u32, u32),
) -> Result<bool, Box<Fault>> {
    let Some(src) = mask_of(op) else { return Ok(true) };
    // SAFETY: by the caller's promise.
    let masks: [u32; LANES] = unsafe { l.get(src) };
    let mut rest = l.mask;
    let mut parts = Vec::new();
    if uniform(&masks, rest) {
        let mask = masks[rest.trailing_zeros() as usize & 31];
        check(rest, mask)?;
        if mask & live & !rest != 0 {
            split(rest, mask);
            return Ok(false);
        }
        seen(rest);
        match op {
            // SAFETY: by the caller's promise.
            Op::Shfl { .. } => unsafe { tier.shuffle(l, op, rest & mask) },
            _ => perform(&[Part { lanes: *l, op: *op }], mask),
        }
        return Ok(true);
    }
    // Lanes with different masks arrive together: each mask is an operation of its own.
    while rest != 0 {
        let mask = masks[rest.trailing_zeros() as usize];
        let lanes = lanes_of(rest).filter(|&i| masks[i] == mask).fold(0, |all, i| all | 1 << i);
        check(lanes, mask)?;
        parts.push((lanes, mask));
        rest &= !lanes;
    }
    if parts.iter().any(|(lanes, mask)| mask & live & !lanes != 0) {
        parts.into_iter().for_each(|(lanes, mask)| split(lanes, mask));
        return Ok(false);
    }
    for (lanes, mask) in parts {
        seen(lanes);
        perform(&[Part { lanes: Lanes { mask: lanes, ..*l }, op: *op }], mask);
    }
    Ok(true)
}

fn check(lanes: u32, mask: u32) -> Result<(), Box<Fault>> {
    match lanes & !mask {
        0 => Ok(()),
        outside => Err(Fault::at_lane(
            ReportKind::WarpOperation,
            outside.trailing_zeros() as usize,
            format!("a warp operation with member mask {mask:#010x} by a lane that is not in it"),
        )),
    }
}

/// Does all operations of the warp whose members are all there, and lets them go on. `seen` gets each one, with the
/// lanes that have come, before it is done.
pub fn complete(warp: &mut Warp, module: &Module, mut seen: impl FnMut(&Warp, &Op, u32)) {
    let op_at = |warp: &Warp, g: &Group| {
        let function = warp.frames[g.frame as usize].function;
        module.functions[function.0 as usize].code[g.pc as usize].op
    };
    let mut k = 0;
    while k < warp.groups.len() {
        let State::WarpOperation { mask } = warp.groups[k].state else {
            k += 1;
            continue;
        };
        let op = op_at(warp, &warp.groups[k]);
        let takes_part = |warp: &Warp, g: &Group| {
            g.state == State::WarpOperation { mask } && same_kind(&op_at(warp, g), &op)
        };
        let members: Vec<Group> = warp.groups.iter().filter(|g| takes_part(warp, g)).copied().collect();
        let there = members.iter().fold(0, |all, g| all | g.lanes);
        if mask & warp.live & !there != 0 {
            k += 1;
            continue;
        }
        seen(warp, &op, there);
        let parts: Vec<Part> = members
            .iter()
            .map(|g| {
                let op = op_at(warp, g);
                let frame = &mut warp.frames[g.frame as usize];
                Part { lanes: frame.lanes(&module.functions[frame.function.0 as usize], g.lanes), op }
            })
            .collect();
        perform(&parts, mask);
        warp.release(|g| g.state == State::WarpOperation { mask } && g.lanes & there != 0);
        k = 0;
    }
}

/// Does an operation whose members are all there.
fn perform(parts: &[Part], mask: u32) {
    let all = parts.iter().fold(0, |all, part| all | part.lanes.mask);
    match parts[0].op {
        Op::Shfl { .. } => shuffle(parts, mask & all),
        Op::Vote { .. } | Op::Ballot { .. } => vote(parts, all),
        Op::Match { width, .. } => matching(parts, all, width),
        Op::Redux { op, .. } => redux(parts, op),
        // The same member each time: the lowest that has not exited.
        Op::Elect { .. } => elect(parts, all.trailing_zeros()),
        _ => {}
    }
}

/// `match.sync` (PTX ISA 9.0, 9.7.13.10).
fn matching(parts: &[Part], all: u32, width: Width) {
    let mut values = [0u64; LANES];
    for part in parts {
        let Op::Match { a, .. } = part.op else { continue };
        for i in lanes_of(part.lanes.mask) {
            // SAFETY: as in `shuffle`.
            values[i] = unsafe { get_lane(&part.lanes, width, a, i) };
        }
    }
    let like = |i: usize| lanes_of(all).filter(|&j| values[j] == values[i]).fold(0, |m, j| m | 1u32 << j);
    let one = like(all.trailing_zeros() as usize & 31) == all;
    for part in parts {
        let Op::Match { all: whole, dst, pred, .. } = part.op else { continue };
        let answer = |i: usize| match whole {
            true if one => all,
            true => 0,
            false if all >> i & 1 != 0 => like(i),
            false => 0,
        };
        // SAFETY: as in `shuffle`.
        unsafe {
            part.lanes.put(dst, std::array::from_fn::<u32, LANES, _>(answer));
            part.lanes.put_predicate(pred, if one { u32::MAX } else { 0 });
        }
    }
}

/// `redux.sync` (PTX ISA 9.0, 9.7.13.12).
fn redux(parts: &[Part], op: ReduxOp) {
    let values = parts.iter().flat_map(|part| {
        let Op::Redux { a, .. } = part.op else { unreachable!("operations of one kind meet") };
        // SAFETY: as in `shuffle`.
        let values: [u32; LANES] = unsafe { part.lanes.get(a) };
        lanes_of(part.lanes.mask).map(move |i| values[i])
    });
    let result = match op {
        ReduxOp::Int(op, Int { signed, .. }) => values.reduce(|a, b| match (op, signed) {
            (IntOp2::Add, _) => a.wrapping_add(b),
            (IntOp2::Min, false) => a.min(b),
            (IntOp2::Max, false) => a.max(b),
            (IntOp2::Min, true) => (a as i32).min(b as i32) as u32,
            (IntOp2::Max, true) => (a as i32).max(b as i32) as u32,
            (IntOp2::And, _) => a & b,
            (IntOp2::Or, _) => a | b,
            _ => a ^ b,
        }),
        ReduxOp::Float { max, abs, nan } => {
            let values = values.map(|bits| if abs { bits & !(1 << 31) } else { bits });
            // A lone NaN becomes the one of the GPU as well.
            let least = |a: u32, b: u32| soft::extremum(Float::F32, a.into(), b.into(), max, nan) as u32;
            values.reduce(least).map(|r| least(r, r))
        }
    };
    for part in parts {
        let Op::Redux { dst, .. } = part.op else { continue };
        // SAFETY: as in `shuffle`.
        unsafe { part.lanes.put(dst, [result.unwrap_or(0); LANES]) };
    }
}

/// `elect.sync` (PTX ISA 9.0, 9.7.13.14).
fn elect(parts: &[Part], chosen: u32) {
    for part in parts {
        let Op::Elect { dst, leader, .. } = part.op else { continue };
        // SAFETY: as in `shuffle`.
        unsafe {
            part.lanes.put(dst, [chosen; LANES]);
            part.lanes.put_predicate(leader, 1 << chosen);
        }
    }
}

/// The lane that lane `i` reads from, and whether it is in range (PTX ISA 9.0, 9.7.9.6).
#[inline(always)]
pub fn source_lane(mode: ShflMode, i: u32, b: u32, clamp: u32) -> (u32, bool) {
    let (b, segment, clamp) = (b & 31, clamp >> 8 & 31, clamp & 31);
    let lowest = i & segment;
    let bound = lowest | clamp & !segment;
    let (j, in_range) = match mode {
        ShflMode::Up => (i.wrapping_sub(b), i as i32 - b as i32 >= bound as i32),
        ShflMode::Down => (i + b, i + b <= bound),
        ShflMode::Bfly => (i ^ b, i ^ b <= bound),
        ShflMode::Idx => (lowest | b & !segment, lowest | b & !segment <= bound),
    };
    if in_range { (j & 31, true) } else { (i, false) }
}

/// A shuffle among lanes of one frame.
///
/// # Safety
/// The operands belong to the frame that `l` points to.
#[inline(always)]
pub unsafe fn shuffle_alone(l: &Lanes, op: &Op, members: u32) {
    let Op::Shfl { a, .. } = *op else { return };
    // SAFETY: by the caller's promise.
    unsafe {
        let mut values: [u32; LANES] = l.get(a);
        for (i, value) in values.iter_mut().enumerate() {
            *value = if members >> i & 1 != 0 { *value } else { UNDEFINED };
        }
        distribute(l, op, &values);
    }
}

/// Gives the lanes of one frame what they ask for.
///
/// # Safety
/// The operands belong to the frame that `l` points to.
#[inline(always)]
unsafe fn distribute(l: &Lanes, op: &Op, values: &[u32; LANES]) {
    let Op::Shfl { mode, dst, in_range, b, clamp, .. } = *op else { return };
    // SAFETY: by the caller's promise.
    unsafe {
        let (b, clamp): ([u32; LANES], [u32; LANES]) = (l.get(b), l.get(clamp));
        let mut from = [0; LANES];
        let mut inside = 0;
        for i in 0..LANES {
            let (j, ok) = source_lane(mode, i as u32, b[i], clamp[i]);
            from[i] = j;
            inside |= u32::from(ok) << i;
        }
        l.put(dst, from.map(|j| values[j as usize & 31]));
        l.put_predicate(in_range, inside);
    }
}

/// A shuffle among lanes of several frames.
fn shuffle(parts: &[Part], members: u32) {
    let mut values = [UNDEFINED; LANES];
    for part in parts {
        let Op::Shfl { a, .. } = part.op else { continue };
        // SAFETY: a part's operation stands in the function of its frame, which nothing else uses now.
        let a: [u32; LANES] = unsafe { part.lanes.get(a) };
        for i in lanes_of(part.lanes.mask & members) {
            values[i] = a[i];
        }
    }
    for part in parts {
        // SAFETY: as above.
        unsafe { distribute(&part.lanes, &part.op, &values) };
    }
}

/// `vote.sync` (PTX ISA 9.0, 9.7.13.9).
fn vote(parts: &[Part], all: u32) {
    let mut votes = 0;
    for part in parts {
        let (Op::Vote { a, .. } | Op::Ballot { a, .. }) = part.op else { continue };
        // SAFETY: as in `shuffle`.
        votes |= unsafe { part.lanes.predicate(a) } & part.lanes.mask;
    }
    for part in parts {
        // SAFETY: as in `shuffle`.
        unsafe {
            match part.op {
                Op::Ballot { dst, .. } => part.lanes.put(dst, [votes; LANES]),
                Op::Vote { mode, dst, .. } => {
                    let answer = match mode {
                        VoteMode::All => votes == all,
                        VoteMode::Any => votes != 0,
                        VoteMode::Uni => votes == 0 || votes == all,
                    };
                    part.lanes.put_predicate(dst, if answer { u32::MAX } else { 0 });
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_lanes_of_whole_warps() {
        // Clamp operands as compilers write them: 31 for down, bfly and idx, 0 for up.
        assert_eq!(source_lane(ShflMode::Down, 3, 16, 31), (19, true));
        assert_eq!(source_lane(ShflMode::Down, 20, 16, 31), (20, false));
        assert_eq!(source_lane(ShflMode::Up, 3, 1, 0), (2, true));
        assert_eq!(source_lane(ShflMode::Up, 0, 1, 0), (0, false));
        assert_eq!(source_lane(ShflMode::Bfly, 3, 31, 31), (28, true));
        assert_eq!(source_lane(ShflMode::Idx, 3, 33, 31), (1, true));
    }

    #[test]
    fn source_lanes_of_segments() {
        // Width 8: segment mask 0x18.
        let clamp = 0x18 << 8 | 31;
        assert_eq!(source_lane(ShflMode::Down, 14, 1, clamp), (15, true));
        assert_eq!(source_lane(ShflMode::Down, 15, 1, clamp), (15, false));
        assert_eq!(source_lane(ShflMode::Idx, 13, 2, clamp), (10, true));
        assert_eq!(source_lane(ShflMode::Up, 8, 1, 0x18 << 8), (8, false));
        assert_eq!(source_lane(ShflMode::Bfly, 9, 4, clamp), (13, true));
        // A clamp below the segment's end.
        assert_eq!(source_lane(ShflMode::Down, 9, 4, 0x18 << 8 | 3), (9, false));
    }

    #[test]
    fn kinds_meet_with_their_like() {
        let vote =
            |mode| Op::Vote { mode, dst: crate::code::Pred(2), a: crate::code::Pred::TRUE, mask: Src(0) };
        assert!(same_kind(&vote(VoteMode::All), &vote(VoteMode::All)));
        assert!(!same_kind(&vote(VoteMode::All), &vote(VoteMode::Any)));
        assert!(!same_kind(&vote(VoteMode::All), &Op::WarpBarrier { mask: Src(0) }));
    }
}
