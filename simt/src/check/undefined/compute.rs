//! What operations on registers make of undefined sources.

use super::flow::flow;
use super::value::DEFINED;
use super::value::{Frame, Value, all};
use super::{Checker, warp_of};
use crate::code::{IntOp2, LANES, Op, PredOp, Reg, ShiftOp, Src, Width};
use crate::exec::{bits::permute, lanes_of};
use crate::watch::At;

impl Checker {
    /// What an operation on registers makes of undefined sources.
    pub fn compute(&mut self, at: &At<'_, '_>, op: &Op) {
        let Some(frame) = self.frames.get_mut(&(warp_of(at), at.frame)) else { return };
        if frame.registers.is_empty() && frame.predicates.is_empty() {
            return;
        }
        if let Some(exact) = exact(frame, at, op) {
            for (register, value) in exact {
                frame.put(register, at.lanes, &value.unwrap_or(DEFINED));
            }
            return;
        }
        let flow = flow(op);
        let mut undefined = 0;
        let mut origin = 0;
        for value in flow.sources.into_iter().flatten().filter_map(|src| frame.value(src)) {
            let lanes = (0..LANES).fold(0, |all, lane| all | u32::from(value.bytes[lane] != 0) << lane);
            if lanes & at.lanes != 0 {
                origin = value.origin;
                undefined |= lanes;
            }
        }
        match *op {
            Op::Pred { op, a, b, .. } => {
                // SAFETY: the predicates belong to the function of the frame that the registers are of.
                let (x, y) = unsafe { (at.registers.predicate(a), at.registers.predicate(b)) };
                let ((p, from), (q, other)) = (frame.test(a), frame.test(b));
                undefined = match op {
                    PredOp::And => p & q | p & y | q & x,
                    PredOp::Or => p & q | p & !y | q & !x,
                    PredOp::Xor => p | q,
                };
                origin = if p & at.lanes != 0 { from } else { other };
            }
            _ => {
                for (lanes, from) in flow.tests.into_iter().flatten().map(|test| frame.test(test)) {
                    if lanes & at.lanes != 0 {
                        origin = from;
                        undefined |= lanes;
                    }
                }
            }
        }
        if matches!(op, Op::Vote { .. } | Op::Ballot { .. } | Op::Redux { .. } | Op::Match { .. })
            && undefined & at.lanes != 0
        {
            // All get what one of them gave.
            undefined = u32::MAX;
        }
        let bytes = std::array::from_fn(|lane| if undefined >> lane & 1 != 0 { u8::MAX } else { 0 });
        for register in flow.registers.into_iter().flatten() {
            frame.put(register, at.lanes, &Value { bytes, computed: undefined, origin });
        }
        if let Some(predicate) = flow.predicate {
            frame.put_predicate(predicate, at.lanes, undefined, origin);
        }
    }
}

/// The bytes of operations that move bytes, register by register; none for other operations.
fn exact(frame: &Frame, at: &At<'_, '_>, op: &Op) -> Option<Vec<(Reg, Option<Value>)>> {
    // SAFETY: the operands belong to the function of the frame that the registers are of.
    let word = |src: Src, width: Width, lane: usize| unsafe {
        crate::exec::memory::get_lane(at.registers, width, src, lane)
    };
    let merge = |values: &[(Src, u32)], mask: u8| {
        let mut merged: Option<Value> = None;
        for &(src, shift) in values {
            let Some(value) = frame.moved(src, |bytes| (bytes & mask) << shift) else { continue };
            match &mut merged {
                None => merged = Some(value),
                Some(all) => {
                    all.computed |= value.computed;
                    (0..LANES).for_each(|lane| all.bytes[lane] |= value.bytes[lane]);
                }
            }
        }
        merged
    };
    Some(match *op {
        Op::Mov { width, dst, src } => vec![(dst, frame.moved(src, |bytes| bytes & all(width)))],
        Op::Pack { width, count, dst, parts } => {
            let part = width.bytes() / u32::from(count);
            let parts: Vec<(Src, u32)> =
                (0..u32::from(count)).map(|k| (parts[k as usize], k * part)).collect();
            vec![(dst, merge(&parts, (1 << part) - 1))]
        }
        Op::Unpack { width, count, parts, src } => {
            let part = width.bytes() / u32::from(count);
            let cut = |k: u32| frame.moved(src, |bytes| bytes >> (k * part) & ((1 << part) - 1));
            (0..u32::from(count)).map(|k| (parts[k as usize], cut(k))).collect()
        }
        Op::Extract { element, byte, dst, word, .. } => {
            vec![(dst, frame.moved(word, |bytes| bytes >> byte & all(element.width)))]
        }
        Op::Insert { element, byte, word, src, .. } => {
            let hole = !((u16::from(all(element)) << byte) as u8);
            let mut value = merge(&[(src, byte.into())], all(element));
            if let Some(old) = frame.moved(Src::reg(word), |bytes| bytes & hole) {
                let new = value.get_or_insert(Value { bytes: [0; LANES], ..old });
                (0..LANES).for_each(|lane| new.bytes[lane] |= old.bytes[lane]);
                new.computed |= old.computed;
            }
            vec![(word, value)]
        }
        Op::Select { width, dst, a, b, pred } if frame.test(pred).0 & at.lanes == 0 => {
            // SAFETY: as above.
            let chosen = unsafe { at.registers.predicate(pred) };
            let (x, y) = (frame.value(a), frame.value(b));
            let first = x.or(y).copied();
            let value = first.map(|first| {
                let side = |lane: usize| if chosen >> lane & 1 != 0 { x } else { y };
                let of = |lane: usize| side(lane).map_or(0, |value| value.bytes[lane] & all(width));
                let bytes: [u8; LANES] = std::array::from_fn(of);
                let computed = x.map_or(0, |v| v.computed & chosen) | y.map_or(0, |v| v.computed & !chosen);
                let from = lanes_of(at.lanes).find(|&lane| bytes[lane] != 0).and_then(side);
                Value { bytes, computed, origin: from.map_or(first.origin, |value| value.origin) }
            });
            vec![(dst, value)]
        }
        Op::ConvertInt { from, to, dst, src, sat: false, .. } if !from.signed && !to.signed => {
            vec![(dst, frame.moved(src, |bytes| bytes & all(from.width) & all(to.width)))]
        }
        Op::Int2 { op: op @ (IntOp2::And | IntOp2::Or), ty, dst, a, b } => {
            // A defined byte of 0, or 255, decides the result.
            let decides = if op == IntOp2::And { 0 } else { 0xff };
            let deciding = |src: Src, lane: usize| {
                let known = !frame.value(src).map_or(0, |value| value.bytes[lane]);
                let word = word(src, ty.width, lane).to_le_bytes();
                (0..8).fold(0, |all, k| all | u8::from(word[k] == decides) << k) & known
            };
            let mut value = merge(&[(a, 0), (b, 0)], all(ty.width));
            if let Some(value) = &mut value {
                for lane in lanes_of(at.lanes) {
                    value.bytes[lane] &= !(deciding(a, lane) | deciding(b, lane));
                }
            }
            vec![(dst, value)]
        }
        Op::Prmt { mode, dst, a, b, selector } if frame.value(selector).is_none() => {
            let mut value = merge(&[(a, 0), (b, 0)], u8::MAX);
            if let Some(value) = &mut value {
                // A byte of ones for an undefined one, which the operation repeats like any sign.
                let shadow = |src: Src, lane: usize| {
                    let bytes = frame.value(src).map_or(0, |value| value.bytes[lane]);
                    (0..4).fold(0, |word, k| word | (u32::from(bytes >> k & 1) * 0xff) << (8 * k))
                };
                for lane in lanes_of(at.lanes) {
                    let (x, y) = (shadow(a, lane), shadow(b, lane));
                    let moved = permute(mode, x, y, word(selector, Width::W32, lane) as u32).to_le_bytes();
                    value.bytes[lane] = (0..4).fold(0, |all, k| all | u8::from(moved[k] != 0) << k);
                }
            }
            vec![(dst, value)]
        }
        Op::Shift { op: op @ (ShiftOp::Left | ShiftOp::RightLogical), width, dst, a, b }
            if frame.value(b).is_none()
                && lanes_of(at.lanes).all(|lane| word(b, Width::W32, lane) % 8 == 0) =>
        {
            let mut value = frame.moved(a, |bytes| bytes & all(width));
            if let Some(value) = &mut value {
                for lane in lanes_of(at.lanes) {
                    let by = (word(b, Width::W32, lane) / 8).min(8) as u32;
                    let bytes = u16::from(value.bytes[lane]);
                    let moved = if op == ShiftOp::Left { bytes << by } else { bytes >> by };
                    value.bytes[lane] = moved as u8 & all(width);
                }
            }
            vec![(dst, value)]
        }
        _ => return None,
    })
}
