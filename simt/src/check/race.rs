//! Data races on shared and global memory.
//!
//! Two accesses to a byte by different threads race if one of them writes, nothing orders them, and they are not both
//! strong (atomic, ordered, volatile) with scopes that include each other and the same size (PTX, "Morally strong
//! operations"), or of a word or less. Of the word around a smaller type a loop of `cas` counts for the bytes that it
//! changes. Lanes of a warp are different threads: that they run in step orders nothing.
//!
//! **What orders**: barriers of the CTA, `bar.warp.sync`, release and acquire patterns, fences with strong accesses, the
//! start and end of a launch. Shuffles and votes do not: the manual gives memory ordering to `bar.warp.sync` alone.
//! ([`clock`], [`held`], [`order`], [`released`])
//!
//! **What is remembered** of each four bytes: the last write, and two reads (an access by many lanes of a warp to one
//! address is one). With more readers that nothing orders one is forgotten, and so is a strong access when another one
//! follows: then a race may be missed, but no order that exists is ever forgotten, so none is invented.
//! ([`event`], [`shadow`], [`row`]; the common cases go through [`block`] and [`quick`])
//!
//! **A store of the value that is there already** races with nothing, unless `same-value` asks for it: many a correct
//! program lets all threads write the same flag.

mod block;
mod cell;
mod clock;
mod code;
mod compare;
mod event;
mod held;
mod order;
mod quick;
mod released;
mod row;
mod shadow;
mod spread;
mod tell;
mod values;

use std::alloc::{Layout, handle_alloc_error};
use std::collections::HashMap;
use std::sync::Arc;

use self::cell::What;
use self::code::Code;
use self::compare::{Compare, Side};
use self::event::Events;
use self::order::Cta;
use self::quick::Memo;
use self::released::Locations;
use self::shadow::Shadow;
use self::tell::Teller;
use super::Findings;
use crate::code::{LANES, Op, Order, SHARED_WINDOW, Scope, Space};
use crate::exec::spaces::{Spot, spot};
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Launch, lanes_of};
use crate::mem::Memory;
use crate::report::{Report, ReportKind};
use crate::watch::{AccessKind, At, MemoryAccess, Observer};

/// CTAs of a launch that can be told apart.
const SLOTS: u64 = 1 << 27;

/// Bytes of shared memory that there is a shadow for from the start.
const SHARED_BYTES: u64 = 1 << 18;

/// The checker.
pub struct Race {
    same_value: bool,
    teller: Teller,
    events: Events,
    shadow: Shadow,
    /// First event of the launch.
    first: u32,
    /// The shadow of shared memory, for one CTA after the other.
    shared: Shadow,
    /// First event of the CTA.
    shared_first: u32,
    /// What is released in global memory.
    locations: Locations,
    /// Versions of what is released, so far.
    stamp: u64,
    /// The CTA that runs: of an observed launch that is one at a time.
    cta: Option<Cta>,
    /// The module of the launch.
    code: Arc<Code>,
    /// All modules so far, by number.
    codes: HashMap<u64, Arc<Code>>,
}

fn no_room() -> Report {
    Report::new(
        ReportKind::OutOfMemory,
        "the race checker has no room for its shadow of device memory: give the device less memory \
         (OMPTARGET_SIMT_MEMORY)",
    )
}

impl Race {
    /// A checker for a device's memory.
    ///
    /// # Errors
    /// The host has no address space for the shadow.
    pub fn new(memory: &Memory, findings: Findings, same_value: bool, runtime: bool) -> Result<Self, Report> {
        let (base, bytes) = memory.arena();
        Ok(Self {
            same_value,
            teller: Teller::new(findings, runtime),
            events: Events::new(),
            shadow: Shadow::new(base, bytes).ok_or_else(no_room)?,
            first: 1,
            shared: Shadow::new(0, SHARED_BYTES).ok_or_else(no_room)?,
            shared_first: 1,
            locations: Locations::default(),
            stamp: 0,
            cta: None,
            code: Arc::default(),
            codes: HashMap::new(),
        })
    }

    /// Forgets all accesses, and begins to number them again.
    #[cold]
    fn forget(&mut self) {
        self.shadow.clear();
        self.shared.clear();
        self.events.restart();
        (self.first, self.shared_first) = (1, 1);
    }

    /// What a strong access takes and passes on: lane by lane, as they are done, but those that pass on nothing at once.
    /// `one_address`: of all lanes.
    fn strong(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess, one_address: bool) {
        let (acquires, releases) = semantics(access.order);
        let (warp, scope, kind) = (at.warp.index, access.scope, access.kind);
        let Some(cta) = &mut self.cta else { return };
        if self.locations.is_empty()
            && cta.locations.is_empty()
            && (kind == AccessKind::Load || !cta.passes_on(warp, at.lanes, releases))
        {
            return;
        }
        let mut own = std::mem::take(&mut cta.locations);
        let mut rest = at.lanes;
        while rest != 0 {
            let address = access.addresses[rest.trailing_zeros() as usize];
            let (key, shared) = match spot(access.space, address) {
                Spot::Global(a) => (a, false),
                Spot::Shared(a) => (a | SHARED_WINDOW, true),
                Spot::Local(_) => {
                    rest &= rest - 1;
                    continue;
                }
            };
            let together = |&lane: &usize| access.addresses[lane] == address;
            let lanes = match one_address {
                true => rest,
                false => lanes_of(rest).take_while(together).fold(0, |all, lane| all | 1 << lane),
            };
            rest &= !lanes;
            let locations = if shared { &mut own } else { &mut self.locations };
            let writers = match kind {
                AccessKind::Store => lanes,
                AccessKind::Atomic if cta.passes_on(warp, lanes, releases) => {
                    values::swaps(at, op, access, lanes)
                }
                AccessKind::Load | AccessKind::Atomic => 0,
            };
            // Lanes that have not yet read.
            let mut readers = if kind == AccessKind::Store { 0 } else { lanes };
            for lane in lanes_of(writers) {
                let until = readers & (u32::MAX >> (31 - lane));
                if until != 0
                    && let Some(released) = locations.get(&key)
                {
                    cta.acquire(released, warp, until, scope, acquires);
                }
                readers &= !until;
                let passed = cta.release(warp, lane, scope, releases);
                if passed.is_none() && !locations.contains_key(&key) {
                    continue;
                }
                let update = kind == AccessKind::Atomic;
                let released = locations.entry(key).or_default();
                if let Some(version) = released.write(passed.as_ref(), cta.slot, update, &mut self.stamp) {
                    cta.passed(warp, lane, &version);
                }
                if released.is_empty() {
                    locations.remove(&key);
                }
            }
            if readers != 0
                && let Some(released) = locations.get(&key)
            {
                cta.acquire(released, warp, readers, scope, acquires);
            }
        }
        cta.locations = own;
    }
}

/// Whether a strong operation acquires and releases.
fn semantics(order: Order) -> (bool, bool) {
    match order {
        Order::Acquire => (true, false),
        Order::Release => (false, true),
        Order::AcqRel | Order::SeqCst => (true, true),
        Order::Weak | Order::Volatile | Order::Relaxed => (false, false),
    }
}

impl Observer for Race {
    fn launch_start(&mut self, launch: &Launch<'_>) {
        if self.events.is_used() {
            self.forget();
        }
        self.events.forget();
        self.first = self.events.next();
        self.locations.clear();
        self.cta = None;
        self.teller.launch_start();
        let code =
            self.codes.entry(launch.module_number).or_insert_with(|| Arc::new(Code::new(launch.module)));
        self.code = Arc::clone(code);
    }

    fn cta_start(&mut self, launch: &Launch<'_>, cta: &CtaState) {
        // A grid of more CTAs than there are slots: the last ones share one and are taken as one CTA.
        let slot = cta.linear.min(SLOTS - 1) as u32;
        let warps = (launch.config.block.iter().product::<u32>() as usize).div_ceil(LANES);
        self.cta = Some(Cta::new(slot, warps));
        if cta.shared_bytes > self.shared.bytes() {
            let bytes = cta.shared_bytes.next_power_of_two();
            self.shared =
                Shadow::new(0, bytes).unwrap_or_else(|| handle_alloc_error(Layout::new::<Shadow>()));
        }
        self.shared_first = self.events.next();
    }

    fn cta_end(&mut self, _: &Launch<'_>, _: &CtaState) {
        self.cta = None;
    }

    fn access(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess) {
        if matches!(access.space, Space::Local | Space::Const | Space::Param) {
            return;
        }
        if self.events.is_full() {
            self.forget();
        }
        let Some(cta) = &self.cta else { return };
        let write = access.kind != AccessKind::Load;
        let place = self.code.place(at.warp.frames[at.frame as usize].function.0, at.pc);
        let strong = access.kind == AccessKind::Atomic
            || access.order != Order::Weak
            || matches!(op, Op::Load { access, .. } if access.for_cas);
        let mut kind = 0;
        kind |= if write { What::WRITE } else { 0 };
        kind |= if strong { What::STRONG } else { 0 };
        kind |= if strong && access.scope == Scope::Cta { What::CTA_SCOPE } else { 0 };
        kind |= if access.element > 4 { What::WIDE } else { 0 };
        // Of the word around a smaller type an atomic operation reads more than it asks for, and swaps what it found.
        let changed = values::changed(at, op, access);
        let (lanes, part) = changed.as_ref().map_or((at.lanes, access), |(lanes, part)| (*lanes, part));
        let mut compare = Compare {
            at: &At { lanes, ..*at },
            access: part,
            what: What::new(kind, place),
            cta,
            known: cta.quickly(at.warp.index, lanes),
            events: &mut self.events,
            sides: [
                Side { shadow: &mut self.shadow, floor: self.first },
                Side { shadow: &mut self.shared, floor: self.shared_first },
            ],
            same_value: self.same_value,
            teller: &mut self.teller,
            code: &self.code,
            memo: Memo::default(),
            last: None,
        };
        // SAFETY: the launch has a tier of the host.
        let one_address = lanes != 0
            && unsafe {
                at.launch.tier.run(
                    #[inline(always)]
                    || compare.all(op),
                )
            };
        if strong {
            self.strong(at, op, access, one_address);
        }
    }

    fn fence(&mut self, at: &At<'_, '_>, _: Order, scope: Scope) {
        if let Some(cta) = &mut self.cta {
            cta.fence(at.warp.index, at.lanes, scope);
        }
    }

    fn arrive(&mut self, _: &Launch<'_>, _: &CtaState, warp: &Warp, id: u32, lanes: u32) {
        if let Some(cta) = &mut self.cta {
            cta.arrive(warp.index, id, lanes);
        }
    }

    fn barrier(&mut self, _: &Launch<'_>, _: &CtaState, warps: &[Warp], id: u32, waiting: &[u32]) {
        if let Some(cta) = &mut self.cta {
            cta.barrier(id, waiting, |warp| warps[warp].live);
        }
    }

    fn warp_operation(&mut self, _: &Launch<'_>, _: &CtaState, warp: &Warp, op: &Op, lanes: u32) {
        if matches!(op, Op::WarpBarrier { .. })
            && let Some(cta) = &mut self.cta
        {
            cta.warp_barrier(warp.index, lanes, warp.live);
        }
    }

    fn malloc(&mut self, _: &At<'_, '_>, _: usize, address: u64, bytes: u64) {
        if address != 0 {
            self.shadow.forget(address, bytes);
        }
    }
}
