//! Undefined values: of shared, local and heap memory that nobody has written, and of shuffles that read a lane which
//! takes no part.
//!
//! Reading one is no mistake: compilers copy padding and load ahead. So undefined bytes are followed through registers and
//! memory, each byte of each lane on its own, and a mistake is to **use** one: to branch on it, to take it as address or
//! index, to update it atomically, or to store in device or shared memory what has been computed from it. Moves,
//! conversions, packing and selections are followed exactly, of other operations the result is undefined as soon as a
//! source is; a constant byte of 0 hides what it is combined with by `and`, of 255 by `or`. A value that is only copied
//! to device memory is not told of until it is used there. What predicates decide other than branches is not looked at.

mod flow;
mod memory;

use std::collections::HashMap;

use self::flow::{WORD, flow};
use self::memory::{Bytes, Undefined, WarpId};
use super::{Action, Finding, Findings};
use crate::code::{
    AtomOp, CallTarget, Inst, IntOp2, LANES, Op, Pred, PredOp, Reg, ShiftOp, Slot, Src, Width,
};
use crate::exec::memory::{Spot, spot};
use crate::exec::warpop::{mask_of, source_lane};
use crate::exec::{CtaState, Launch, lanes_of};
use crate::mem::Memory;
use crate::report::{Report, ReportKind};
use crate::watch::{At, HostEvent, MemoryAccess, Observer};

/// What is undefined in the lanes of a register.
#[derive(Clone, Copy)]
struct Value {
    /// Bytes of each lane, one bit each.
    bytes: [u8; LANES],
    /// Lanes that are more than a copy.
    computed: u32,
    /// Where it came from.
    origin: u32,
}

/// Nothing is undefined.
const DEFINED: Value = Value { bytes: [0; LANES], computed: 0, origin: 0 };

/// Registers and predicates with something undefined in them.
#[derive(Default)]
struct Frame {
    registers: HashMap<u32, Value>,
    predicates: HashMap<u32, (u32, u32)>,
}

/// Where undefined values come from.
struct Origin {
    check: &'static str,
    action: Action,
    object: Option<String>,
}

/// The checker.
pub struct Checker {
    findings: Findings,
    /// Memory is looked at.
    memory: bool,
    /// Shuffles are looked at.
    shuffles: bool,
    undefined: Undefined,
    frames: HashMap<(WarpId, u32), Frame>,
    origins: Vec<Origin>,
    /// Origins by function and instruction.
    known: HashMap<(u32, u32), u32>,
}

impl Checker {
    /// A checker for a device's memory: of values from memory, and of values from shuffles.
    ///
    /// # Errors
    /// The host has no address space for what it remembers.
    pub fn new(
        memory: &Memory,
        findings: Findings,
        from_memory: bool,
        from_shuffles: bool,
    ) -> Result<Self, Report> {
        let undefined = Undefined::new(memory).ok_or_else(|| {
            Report::new(
                ReportKind::OutOfMemory,
                "the checker of undefined values has no room for its map of device memory: give the device less \
                 memory (OMPTARGET_SIMT_MEMORY)",
            )
        })?;
        Ok(Self {
            findings,
            memory: from_memory,
            shuffles: from_shuffles,
            undefined,
            frames: HashMap::new(),
            origins: Vec::new(),
            known: HashMap::new(),
        })
    }
}

fn warp_of(at: &At<'_, '_>) -> WarpId {
    (at.cta.linear, at.warp.index)
}

/// The bytes of a width, one bit each.
fn all(width: Width) -> u8 {
    (u16::MAX >> (16 - width.bytes())) as u8
}

impl Frame {
    fn value(&self, src: Src) -> Option<&Value> {
        if src.0 < 0 { None } else { self.registers.get(&(src.0 as u32)) }
    }

    /// Replaces what is known of the lanes of a register.
    fn put(&mut self, register: Reg, lanes: u32, value: &Value) {
        let nothing = Value { origin: value.origin, ..DEFINED };
        let old = self.registers.entry(register.0).or_insert(nothing);
        let mut any = 0;
        for lane in 0..LANES {
            if lanes >> lane & 1 != 0 {
                old.bytes[lane] = value.bytes[lane];
            }
            any |= old.bytes[lane];
        }
        old.computed = old.computed & !lanes | value.computed & lanes;
        if lanes_of(lanes).any(|lane| value.bytes[lane] != 0) {
            old.origin = value.origin;
        }
        if any == 0 {
            self.registers.remove(&register.0);
        }
    }

    fn put_predicate(&mut self, predicate: Pred, lanes: u32, undefined: u32, origin: u32) {
        let (old, first) = self.predicates.get(&predicate.0).copied().unwrap_or_default();
        let new = old & !lanes | undefined & lanes;
        match new {
            0 => self.predicates.remove(&predicate.0),
            _ => self
                .predicates
                .insert(predicate.0, (new, if undefined & lanes != 0 { origin } else { first })),
        };
    }

    fn test(&self, predicate: Pred) -> (u32, u32) {
        self.predicates.get(&predicate.0).copied().unwrap_or_default()
    }

    /// What the bytes of the lanes become where one source is moved, byte by byte.
    fn moved(&self, src: Src, map: impl Fn(u8) -> u8) -> Option<Value> {
        let value = *self.value(src)?;
        Some(Value { bytes: value.bytes.map(map), ..value })
    }
}

impl Observer for Checker {
    fn wants_instructions(&self) -> bool {
        true
    }

    fn launch_start(&mut self, _: &Launch<'_>) {
        self.known.clear();
        self.origins.clear();
    }

    fn cta_start(&mut self, _: &Launch<'_>, cta: &CtaState) {
        if self.memory {
            self.undefined.shared.insert(cta.linear, vec![1; cta.shared_bytes as usize]);
        }
    }

    fn cta_end(&mut self, _: &Launch<'_>, cta: &CtaState) {
        self.undefined.end(cta.linear);
        self.frames.retain(|(warp, _), _| warp.0 != cta.linear);
    }

    fn skipped(&mut self, at: &At<'_, '_>, inst: &Inst) {
        self.guard(at, inst);
    }

    fn instruction(&mut self, at: &At<'_, '_>, inst: &Inst, _: u32) {
        self.guard(at, inst);
        match inst.op {
            Op::Shfl { .. } => self.shuffle(at, &inst.op),
            Op::SpillParam { param, local, bytes } => self.spill(at, param, local, bytes),
            Op::BranchTable { index, .. } => self.used(at, index, Width::W32, "an index of branches"),
            Op::Call { site } => {
                let function = at.warp.frames[at.frame as usize].function.0 as usize;
                if let CallTarget::Indirect(pointer) =
                    at.launch.module.functions[function].calls[site as usize].target
                {
                    self.used(at, pointer, Width::W64, "a pointer to a function");
                }
            }
            _ => self.compute(at, &inst.op),
        }
    }

    fn access(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess) {
        match *op {
            Op::Load { access: a, dst, address, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.load(at, access, a.element.width, &[dst]);
            }
            Op::LoadVector { access: a, count, dst, address, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.load(at, access, a.element.width, &dst[..count.into()]);
            }
            Op::Store { access: a, src, address, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.store(at, access, a.element.width, &[src]);
            }
            Op::StoreVector { access: a, count, src, address, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.store(at, access, a.element.width, &src[..count.into()]);
            }
            Op::Atom { op, address, value, dst, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.used(at, value, op.width(), "the operand of an atomic operation");
                self.update(at, access, !matches!(op, AtomOp::Exchange(_)), &[dst]);
            }
            Op::Cas { address, dst, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.update(at, access, true, &[dst]);
            }
            Op::Atom128 { address, compare, dst, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.update(at, access, compare.is_some(), &[dst, Reg(dst.0 + WORD)]);
            }
            _ => {}
        }
    }

    fn enter(&mut self, at: &At<'_, '_>, inner: u32) {
        let (warp, lanes) = (warp_of(at), at.lanes);
        let frame = &at.warp.frames[inner as usize];
        if self.memory {
            self.undefined.begin_local(warp, frame.local_base, frame.local_end, lanes);
        }
        let mut new = Frame::default();
        if let Some(outer) = self.frames.get(&(warp, at.frame))
            && let Some(site) = site(at, at.frame, at.pc)
        {
            let slots = site.args.iter().flat_map(|slot| (0..slot.words).map(|w| slot.offset + w * WORD));
            for (k, offset) in slots.enumerate() {
                if let Some(value) = outer.registers.get(&offset) {
                    new.put(Reg(k as u32 * WORD), lanes, value);
                }
            }
        }
        self.frames.insert((warp, inner), new);
    }

    fn leave(&mut self, at: &At<'_, '_>) {
        let warp = warp_of(at);
        let frame = &at.warp.frames[at.frame as usize];
        let Some(outer) = frame.parent else { return };
        let Some(Slot { offset, words }) = site(at, outer, frame.call).and_then(|site| site.ret) else {
            return;
        };
        let first = at.launch.module.functions[frame.function.0 as usize].param_words * WORD;
        for word in 0..words {
            let from = self.frames.get(&(warp, at.frame));
            let value = from.and_then(|frame| frame.registers.get(&(first + word * WORD))).copied();
            let value = value.unwrap_or(DEFINED);
            self.frames.entry((warp, outer)).or_default().put(Reg(offset + word * WORD), at.lanes, &value);
        }
    }

    fn malloc(&mut self, _: &At<'_, '_>, _: usize, address: u64, bytes: u64) {
        self.host(HostEvent::Alloc { address, bytes });
    }

    fn host(&mut self, event: HostEvent) {
        match event {
            HostEvent::Alloc { address, bytes } => self.undefined.set_global(address, bytes, self.memory),
            HostEvent::Write { address, bytes } => self.undefined.set_global(address, bytes, false),
            HostEvent::Copy { to, from, bytes } => self.undefined.copy_global(to, from, bytes),
            HostEvent::Free { .. } => {}
        }
    }
}

/// The call that a frame makes at an instruction.
fn site<'a>(at: &At<'a, '_>, frame: u32, pc: u32) -> Option<&'a crate::code::CallSite> {
    let function = &at.launch.module.functions[at.warp.frames[frame as usize].function.0 as usize];
    match function.code[pc as usize].op {
        Op::Call { site } => function.calls.get(site as usize),
        _ => None,
    }
}

impl Checker {
    /// Tells of the use of an undefined value.
    #[cold]
    fn tell(&self, at: &At<'_, '_>, lane: usize, what: &str, origin: u32) {
        let Some(origin) = self.origins.get(origin as usize) else { return };
        self.findings.add(Finding {
            check: origin.check,
            message: format!("{what} is undefined"),
            kernel: super::kernel_of(at.launch),
            object: origin.object.clone(),
            actions: vec![super::action(at, "use".to_owned(), lane), origin.action.clone()],
        });
    }

    /// The number of an origin at this instruction.
    fn origin(
        &mut self,
        at: &At<'_, '_>,
        lane: usize,
        check: &'static str,
        what: &str,
        object: impl FnOnce() -> Option<String>,
    ) -> u32 {
        let key = (at.warp.frames[at.frame as usize].function.0, at.pc);
        if let Some(&origin) = self.known.get(&key) {
            return origin;
        }
        self.origins.push(Origin {
            check,
            action: super::action(at, what.to_owned(), lane),
            object: object(),
        });
        let origin = self.origins.len() as u32 - 1;
        self.known.insert(key, origin);
        origin
    }

    /// The lanes use a source.
    fn used(&mut self, at: &At<'_, '_>, src: Src, width: Width, what: &str) {
        let Some(value) = self.frames.get(&(warp_of(at), at.frame)).and_then(|frame| frame.value(src)) else {
            return;
        };
        if let Some(lane) = lanes_of(at.lanes).find(|&lane| value.bytes[lane] & all(width) != 0) {
            self.tell(at, lane, what, value.origin);
        }
    }

    fn guard(&mut self, at: &At<'_, '_>, inst: &Inst) {
        if !matches!(inst.op, Op::Branch { .. } | Op::BranchTable { .. }) {
            return;
        }
        let Some(frame) = self.frames.get(&(warp_of(at), at.frame)) else { return };
        let (undefined, origin) = frame.test(inst.guard.pred());
        if undefined & at.lanes != 0 {
            self.tell(
                at,
                (undefined & at.lanes).trailing_zeros() as usize,
                "what a branch depends on",
                origin,
            );
        }
    }

    fn load(&mut self, at: &At<'_, '_>, access: &MemoryAccess, width: Width, dst: &[Reg]) {
        let (warp, bytes) = (warp_of(at), width.bytes());
        for (k, &register) in dst.iter().enumerate() {
            let mut value = DEFINED;
            let mut first = None;
            for lane in lanes_of(at.lanes) {
                let address = access.addresses[lane].wrapping_add(k as u64 * u64::from(bytes));
                if at.spaces.resolve(access.space, address, bytes.into(), lane).is_none() {
                    continue;
                }
                let known = match spot(access.space, address) {
                    Spot::Global(a) => self.undefined.load_global(a, bytes),
                    Spot::Shared(a) => self.undefined.load_shared(at.cta.linear, a, bytes),
                    Spot::Local(_) if !self.memory => Bytes::default(),
                    Spot::Local(a) => self.undefined.load_local(warp, lane, a, bytes),
                };
                value.bytes[lane] = known.undefined;
                value.computed |= u32::from(known.computed) << lane;
                if value.bytes[lane] != 0 && first.is_none() {
                    first = Some((lane, address));
                }
            }
            let function = at.warp.frames[at.frame as usize].function.0 as usize;
            if first.is_some()
                && super::race::loads_for_cas(&at.launch.module.functions[function].code, at.pc as usize)
            {
                // Atomic operations on small types swap the word that they stand in; see `update`.
                value.bytes = [0; LANES];
                first = None;
            }
            if let Some((lane, address)) = first {
                let what = format!("load of {bytes} bytes that nobody has written");
                let object = || Some(super::object(at.launch, access.space, address));
                value.origin = self.origin(at, lane, "uninit", &what, object);
            } else if !self.frames.contains_key(&(warp, at.frame)) {
                continue;
            }
            self.frames.entry((warp, at.frame)).or_default().put(register, at.lanes, &value);
        }
    }

    fn store(&mut self, at: &At<'_, '_>, access: &MemoryAccess, width: Width, sources: &[Src]) {
        let (warp, bytes) = (warp_of(at), width.bytes());
        for (k, &src) in sources.iter().enumerate() {
            let value = self.frames.get(&(warp, at.frame)).and_then(|frame| frame.value(src)).copied();
            for lane in lanes_of(at.lanes) {
                let address = access.addresses[lane].wrapping_add(k as u64 * u64::from(bytes));
                if at.spaces.resolve(access.space, address, bytes.into(), lane).is_none() {
                    continue;
                }
                let undefined = value.map_or(0, |value| value.bytes[lane] & all(width));
                let spot = spot(access.space, address);
                if undefined != 0
                    && let Some(value) = value
                    && value.computed >> lane & 1 != 0
                    && !matches!(spot, Spot::Local(_))
                {
                    self.tell(at, lane, "a value that is stored for others", value.origin);
                }
                let computed = value.is_some_and(|value| value.computed >> lane & 1 != 0);
                let known = Bytes { undefined, computed };
                match spot {
                    Spot::Global(a) => self.undefined.store_global(a, bytes, known),
                    Spot::Shared(a) => self.undefined.store_shared(at.cta.linear, a, bytes, known),
                    Spot::Local(a) => self.undefined.store_local(warp, lane, a, bytes, known),
                }
            }
        }
    }

    /// An atomic update; `reads`: the old value decides the new one.
    fn update(&mut self, at: &At<'_, '_>, access: &MemoryAccess, reads: bool, dst: &[Reg]) {
        for lane in lanes_of(at.lanes) {
            let address = access.addresses[lane];
            if at.spaces.resolve(access.space, address, access.element.into(), lane).is_none() {
                continue;
            }
            let bytes = access.bytes.min(8);
            let undefined = match spot(access.space, address) {
                Spot::Global(a) => {
                    let old = self.undefined.load_global(a, bytes).undefined;
                    self.undefined.set_global(a, access.bytes.into(), false);
                    old
                }
                Spot::Shared(a) => {
                    let old = self.undefined.load_shared(at.cta.linear, a, bytes).undefined;
                    self.undefined.store_shared(at.cta.linear, a, bytes, Bytes::default());
                    old
                }
                Spot::Local(_) => 0,
            };
            // Some bytes of a word: those of a smaller type are swapped with their neighbours.
            if undefined == (u16::MAX >> (16 - bytes)) as u8 && reads {
                let object = || Some(super::object(at.launch, access.space, address));
                let origin = self.origin(
                    at,
                    lane,
                    "uninit",
                    "atomic operation on bytes that nobody has written",
                    object,
                );
                self.tell(at, lane, "what an atomic operation updates", origin);
            }
        }
        if let Some(frame) = self.frames.get_mut(&(warp_of(at), at.frame)) {
            dst.iter().for_each(|&register| frame.put(register, at.lanes, &DEFINED));
        }
    }

    fn spill(&mut self, at: &At<'_, '_>, param: u32, local: u32, bytes: u32) {
        if !self.memory {
            return;
        }
        let warp = warp_of(at);
        let base = u64::from(at.warp.frames[at.frame as usize].local_base + local);
        for k in 0..bytes {
            let from = param + k;
            let frame = self.frames.get(&(warp, at.frame));
            let value = frame.and_then(|frame| frame.registers.get(&(from / 8 * WORD))).copied();
            for lane in lanes_of(at.lanes) {
                let undefined = value.map_or(0, |value| value.bytes[lane] >> (from % 8) & 1);
                let computed = value.is_some_and(|value| value.computed >> lane & 1 != 0);
                let known = Bytes { undefined, computed };
                self.undefined.store_local(warp, lane, base + u64::from(k), 1, known);
            }
        }
    }

    fn shuffle(&mut self, at: &At<'_, '_>, op: &Op) {
        let Op::Shfl { mode, dst, in_range, a, b, clamp, .. } = *op else { return };
        let Some(mask) = mask_of(op) else { return };
        // SAFETY: the operands belong to the function of the frame that the registers are of.
        let get = |src: Src| -> [u32; LANES] { unsafe { at.registers.get(src) } };
        let (masks, b, clamp) = (get(mask), get(b), get(clamp));
        let source = self.frames.get(&(warp_of(at), at.frame)).and_then(|frame| frame.value(a)).copied();
        let mut value = source.unwrap_or(DEFINED);
        value.computed = 0;
        for lane in lanes_of(at.lanes) {
            let (from, _) = source_lane(mode, lane as u32, b[lane], clamp[lane]);
            let there = masks[lane] & at.warp.live & 1 << from != 0;
            value.bytes[lane] = 0;
            if !there && self.shuffles {
                let why = match masks[lane] >> from & 1 {
                    0 => "is not in its member mask",
                    _ => "has exited",
                };
                let what = format!("shuffle from lane {from}, which {why} ({:#010x}),", masks[lane]);
                value.bytes[lane] = all(Width::W32);
                value.computed |= 1 << lane;
                value.origin = self.origin(at, lane, "warp", &what, || None);
            } else if let Some(source) = source
                && there
                && at.lanes >> from & 1 != 0
            {
                value.bytes[lane] = source.bytes[from as usize];
                value.computed |= (source.computed >> from & 1) << lane;
            }
        }
        let frame = self.frames.entry((warp_of(at), at.frame)).or_default();
        frame.put(dst, at.lanes, &value);
        frame.put_predicate(in_range, at.lanes, 0, 0);
    }

    /// What an operation on registers makes of undefined sources.
    fn compute(&mut self, at: &At<'_, '_>, op: &Op) {
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
