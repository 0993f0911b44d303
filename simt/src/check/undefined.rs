//! Undefined values: of shared, local and heap memory that nobody has written, and of shuffles that read a lane which
//! takes no part.
//!
//! Reading one is no mistake: compilers copy padding and load ahead. So undefined bytes are followed through registers and
//! memory, each byte of each lane on its own, and a mistake is to **use** one: to branch on it, to take it as address or
//! index, to update it atomically, or to store in device or shared memory what has been computed from it. Moves,
//! conversions, packing and selections are followed exactly, of other operations the result is undefined as soon as a
//! source is; a constant byte of 0 hides what it is combined with by `and`, of 255 by `or`. A value that is only copied
//! to device memory is not told of until it is used there. What predicates decide other than branches is not looked at.

mod access;
mod compute;
mod flow;
mod memory;
mod shuffle;
mod value;

use std::collections::HashMap;

use self::flow::WORD;
use self::memory::{Undefined, WarpId};
use self::value::{DEFINED, Frame, Value, all};
use super::{Action, Finding, Findings};
use crate::code::{AtomOp, CallTarget, Inst, LANES, Op, Reg, Slot, Src, Width};
use crate::exec::{CtaState, Launch, lanes_of};
use crate::mem::Memory;
use crate::report::{Report, ReportKind};
use crate::watch::{At, HostEvent, MemoryAccess, Observer};

/// Where undefined values come from.
struct Origin {
    check: &'static str,
    action: Action,
    object: Option<String>,
}

/// Which undefined values are told of.
#[derive(Clone, Copy)]
pub struct Kinds {
    /// Those of memory.
    pub memory: bool,
    /// Those of shuffles.
    pub shuffles: bool,
    /// Those of variables of the device runtime.
    pub runtime: bool,
}

/// The checker.
pub struct Checker {
    findings: Findings,
    kinds: Kinds,
    undefined: Undefined,
    frames: HashMap<(WarpId, u32), Frame>,
    origins: Vec<Origin>,
    /// Origins by function and instruction.
    known: HashMap<(u32, u32), u32>,
}

impl Checker {
    /// A checker for a device's memory.
    ///
    /// # Errors
    /// The host has no address space for what it remembers.
    pub fn new(memory: &Memory, findings: Findings, kinds: Kinds) -> Result<Self, Report> {
        let undefined = Undefined::new(memory).ok_or_else(|| {
            Report::new(
                ReportKind::OutOfMemory,
                "the checker of undefined values has no room for its map of device memory: give the device less \
                 memory (OMPTARGET_SIMT_MEMORY)",
            )
        })?;
        Ok(Self {
            findings,
            kinds,
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

impl Observer for Checker {
    fn wants_instructions(&self) -> bool {
        true
    }

    fn launch_start(&mut self, _: &Launch<'_>) {
        self.known.clear();
        self.origins.clear();
    }

    fn cta_start(&mut self, _: &Launch<'_>, cta: &CtaState) {
        if self.kinds.memory {
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
                self.load(at, access, a, &[dst]);
            }
            Op::LoadVector { access: a, count, dst, address, .. } => {
                self.used(at, address, Width::W64, "an address");
                self.load(at, access, a, &dst[..count.into()]);
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
        if self.kinds.memory {
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
        let function = &at.launch.module.functions[frame.function.0 as usize];
        let first = function.param_words * WORD;
        for word in 0..words {
            let value = if function.return_words == 0 {
                let lane = at.lanes.trailing_zeros() as usize;
                let origin = self.origin(at, lane, "uninit", "return of a function without a value", || None);
                Value { bytes: [u8::MAX; LANES], computed: 0, origin }
            } else {
                let from = self.frames.get(&(warp, at.frame));
                let value = from.and_then(|frame| frame.registers.get(&(first + word * WORD))).copied();
                value.unwrap_or(DEFINED)
            };
            self.frames.entry((warp, outer)).or_default().put(Reg(offset + word * WORD), at.lanes, &value);
        }
    }

    fn malloc(&mut self, _: &At<'_, '_>, _: usize, address: u64, bytes: u64) {
        self.host(HostEvent::Alloc { address, bytes });
    }

    fn host(&mut self, event: HostEvent) {
        match event {
            HostEvent::Alloc { address, bytes } => {
                self.undefined.set_global(address, bytes, self.kinds.memory)
            }
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
        let actions = vec![super::action(at, "use".to_owned(), lane), origin.action.clone()];
        let of_runtime = super::is_of_runtime(origin.object.as_deref(), &actions);
        if of_runtime && !self.kinds.runtime {
            return;
        }
        self.findings.add(Finding {
            check: if of_runtime { "runtime" } else { origin.check },
            message: format!("{what} is undefined"),
            kernel: super::kernel_of(at.launch),
            object: origin.object.clone(),
            actions,
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
}
