//! Data races on shared and global memory.
//!
//! Two accesses to a byte by different threads race if one of them writes, nothing orders them, and they are not both
//! strong (atomic, ordered, volatile) with scopes that include each other and the same size (PTX, "Morally strong
//! operations"). Lanes of a warp are different threads: that they run in step orders nothing.
//!
//! **What orders**: barriers of the CTA, `bar.warp.sync`, release and acquire patterns, fences with strong accesses, the
//! start and end of a launch. Shuffles and votes do not: the manual gives memory ordering to `bar.warp.sync` alone.
//!
//! **What is remembered** of each four bytes: the last write, and two reads (an access by many lanes of a warp to one
//! address is one). With more readers that nothing orders one is forgotten, and so is a strong access when another one
//! follows: then a race may be missed, but no order that exists is ever forgotten, so none is invented.
//!
//! **A store of the value that is there already** races with nothing, unless `same-value` asks for it: many a correct
//! program lets all threads write the same flag.

mod cell;
mod clock;
mod order;

use std::collections::HashSet;

use self::cell::{Cell, GRAIN, Row, Shadow, What};
use self::order::{Cta, Locations};
use super::{Action, Finding, Findings};
use crate::code::{Inst, LANES, Op, Order, SHARED_WINDOW, Scope, Space, Width};
use crate::exec::memory::{Spot, spot};
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Launch, lanes_of};
use crate::mem::Memory;
use crate::report::{Report, ReportKind};
use crate::watch::{AccessKind, At, MemoryAccess, Observer};

/// CTAs that can be told apart.
const SLOTS: u64 = 1 << 27;

/// What names of variables of the device runtime begin with.
const RUNTIME: &str = "variable __devrtl_";

/// The checker.
pub struct Race {
    findings: Findings,
    same_value: bool,
    /// Tells of races on the runtime's own variables.
    runtime: bool,
    shadow: Shadow,
    /// What is released in global memory.
    locations: Locations,
    ctas: Vec<Cta>,
    /// Slot of the launch's first CTA.
    first: u32,
    /// Slot after its last one.
    next: u32,
    /// Number of each function's first instruction, in the module of the launch.
    starts: Vec<u32>,
    /// Plain loads in front of a compare-and-swap, by instruction.
    before_cas: HashSet<u32>,
    /// Pairs of places that have been told.
    told: HashSet<(u32, u32)>,
}

/// An access of one lane, or of several to one address, as it is compared and remembered.
#[derive(Clone, Copy)]
struct Step {
    warp: u32,
    lanes: u32,
    kind: u32,
    place: u32,
    /// The store writes what is there already.
    same: bool,
}

impl Race {
    /// A checker for a device's memory.
    ///
    /// # Errors
    /// The host has no address space for the shadow.
    pub fn new(memory: &Memory, findings: Findings, same_value: bool, runtime: bool) -> Result<Self, Report> {
        let (base, bytes) = memory.arena();
        let shadow = Shadow::new(base, bytes).ok_or_else(|| {
            Report::new(
                ReportKind::OutOfMemory,
                "the race checker has no room for its shadow of device memory: give the device less memory \
                 (OMPTARGET_SIMT_MEMORY)",
            )
        })?;
        Ok(Self {
            findings,
            same_value,
            runtime,
            shadow,
            locations: Locations::new(),
            ctas: Vec::new(),
            first: 1,
            next: 1,
            starts: Vec::new(),
            before_cas: HashSet::new(),
            told: HashSet::new(),
        })
    }

    fn cta(&mut self, linear: u64) -> Option<usize> {
        self.ctas.iter().rposition(|cta| cta.linear == linear)
    }
}

/// Instructions between a load and its compare-and-swap at most.
const CAS_DISTANCE: usize = 40;

/// Whether the instruction is a plain load of what a compare-and-swap behind it expects. Compilers write atomic
/// operations that PTX does not have as a loop like that; the value counts only if the swap finds it again.
pub fn loads_for_cas(code: &[Inst], pc: usize) -> bool {
    let Op::Load { access, address, offset, .. } = code[pc].op else { return false };
    let place = (access.element.width, address, offset);
    code[pc + 1..].iter().take(CAS_DISTANCE).any(|inst| match inst.op {
        Op::Cas { width, address, offset, .. } => (width, address, offset) == place,
        _ => false,
    })
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

/// Whether two strong accesses of these kinds are morally strong: each scope includes the other, and the sizes agree.
fn morally_strong(cell: &Cell, kind: u32, same_cta: bool) -> bool {
    let both = cell.what.0 & kind;
    let either = cell.what.0 | kind;
    both & What::STRONG != 0
        && (same_cta || either & What::CTA_SCOPE == 0)
        && (cell.what.0 ^ kind) & (What::WIDE | 15) == 0
}

impl Observer for Race {
    fn launch_start(&mut self, launch: &Launch<'_>) {
        let ctas = launch.config.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        if u64::from(self.next) + ctas >= SLOTS {
            self.shadow.clear();
            self.next = 1;
        }
        self.first = self.next;
        // A grid of more CTAs than there are numbers: the last ones share one and are taken as one CTA.
        self.next = (u64::from(self.first) + ctas).min(SLOTS - 1) as u32;
        self.locations.clear();
        self.ctas.clear();
        self.told.clear();
        self.before_cas.clear();
        self.starts.clear();
        let mut start = 0;
        for function in &launch.module.functions {
            self.starts.push(start);
            let loads = (0..function.code.len()).filter(|&pc| loads_for_cas(&function.code, pc));
            self.before_cas.extend(loads.map(|pc| start + pc as u32));
            start += function.code.len() as u32;
        }
    }

    fn cta_start(&mut self, launch: &Launch<'_>, cta: &CtaState) {
        let slot = (u64::from(self.first) + cta.linear).min(SLOTS - 1) as u32;
        let warps = (launch.config.block.iter().product::<u32>() as usize).div_ceil(LANES);
        self.ctas.push(Cta::new(cta.linear, slot, warps, cta.shared_bytes));
    }

    fn cta_end(&mut self, _: &Launch<'_>, cta: &CtaState) {
        self.ctas.retain(|c| c.linear != cta.linear);
    }

    fn access(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess) {
        if matches!(access.space, Space::Local | Space::Const | Space::Param) {
            return;
        }
        let Some(index) = self.cta(at.cta.linear) else { return };
        let write = access.kind != AccessKind::Load;
        let function = at.warp.frames[at.frame as usize].function.0;
        let place = self.starts[function as usize] + at.pc;
        let strong = access.kind == AccessKind::Atomic
            || access.order != Order::Weak
            || !write && !self.before_cas.is_empty() && self.before_cas.contains(&place);
        let mut kind = 0;
        kind |= if write { What::WRITE } else { 0 };
        kind |= if strong { What::STRONG } else { 0 };
        kind |= if strong && access.scope == Scope::Cta { What::CTA_SCOPE } else { 0 };
        kind |= if access.element > 4 { What::WIDE } else { 0 };
        let step = Step { warp: at.warp.index, lanes: at.lanes, kind, place, same: false };
        let first = at.lanes.trailing_zeros() as usize;
        let uniform = lanes_of(at.lanes).all(|lane| access.addresses[lane] == access.addresses[first]);
        if uniform && at.lanes.count_ones() > 1 && (!write || access.kind == AccessKind::Atomic) {
            self.step(index, at, access, access.addresses[first], step);
        } else {
            let apart = ascending(access, at.lanes);
            for lane in lanes_of(at.lanes) {
                let same = access.kind == AccessKind::Store && stores_same(at, op, access, lane, apart);
                let step = Step { lanes: 1 << lane, same, ..step };
                self.step(index, at, access, access.addresses[lane], step);
            }
        }
        if strong {
            self.strong(index, at, op, access);
        }
    }

    fn fence(&mut self, at: &At<'_, '_>, _: Order, scope: Scope) {
        if let Some(index) = self.cta(at.cta.linear) {
            self.ctas[index].fence(at.warp.index, at.lanes, scope);
        }
    }

    fn arrive(&mut self, _: &Launch<'_>, cta: &CtaState, warp: &Warp, id: u32, lanes: u32) {
        if let Some(index) = self.cta(cta.linear) {
            self.ctas[index].arrive(warp.index, id, lanes);
        }
    }

    fn barrier(&mut self, _: &Launch<'_>, cta: &CtaState, warps: &[Warp], id: u32, waiting: &[u32]) {
        if let Some(index) = self.cta(cta.linear) {
            self.ctas[index].barrier(id, waiting, |warp| warps[warp].live);
        }
    }

    fn warp_operation(&mut self, _: &Launch<'_>, cta: &CtaState, warp: &Warp, op: &Op, lanes: u32) {
        if matches!(op, Op::WarpBarrier { .. })
            && let Some(index) = self.cta(cta.linear)
        {
            self.ctas[index].warp_barrier(warp.index, lanes, warp.live);
        }
    }

    fn malloc(&mut self, _: &At<'_, '_>, _: usize, address: u64, bytes: u64) {
        if address != 0 {
            self.shadow.forget(address, bytes);
        }
    }
}

/// The value of one element of a store, or none if the operation is no store.
fn stored(at: &At<'_, '_>, op: &Op, lane: usize, element: usize) -> Option<u64> {
    let (register, src) = match *op {
        Op::Store { access, src, .. } => (access.register, src),
        Op::StoreVector { access, src, .. } => (access.register, src[element]),
        _ => return None,
    };
    // SAFETY: the operation belongs to the function of the frame that the registers are of.
    Some(unsafe { crate::exec::memory::get_lane(at.registers, register, src, lane) })
}

/// Whether each lane's address is above that of the lane before it.
fn ascending(access: &MemoryAccess, lanes: u32) -> bool {
    let mut last = None;
    lanes_of(lanes).all(|lane| {
        let address = Some(access.addresses[lane]);
        std::mem::replace(&mut last, address) < address
    })
}

/// Whether a lane stores what memory holds, or what a lane before it stores there by the same instruction; `apart`: the
/// lanes' addresses differ.
fn stores_same(at: &At<'_, '_>, op: &Op, access: &MemoryAccess, lane: usize, apart: bool) -> bool {
    let (bytes, count) = (access.element, (access.bytes / access.element) as usize);
    let mask = u64::MAX >> (64 - 8 * bytes.min(8));
    let twin = |other: &usize| *other < lane && access.addresses[*other] == access.addresses[lane];
    if !apart && let Some(twin) = lanes_of(at.lanes).find(twin) {
        return (0..count).all(|k| {
            let [a, b] = [lane, twin].map(|lane| stored(at, op, lane, k).map(|value| value & mask));
            a == b
        });
    }
    let width = match bytes {
        1 => Width::W8,
        2 => Width::W16,
        4 => Width::W32,
        _ => Width::W64,
    };
    (0..count).all(|k| {
        let address = access.addresses[lane].wrapping_add(k as u64 * u64::from(bytes));
        let aligned = address.is_multiple_of(bytes.into());
        let p = match spot(access.space, address) {
            // Also what is not allocated can be read; the access itself tells of that.
            Spot::Global(a) if aligned && at.launch.memory.contains(a) => a as *mut u8,
            _ => match at.spaces.resolve(access.space, address, bytes.into(), lane) {
                Some(p) => p,
                None => return false,
            },
        };
        // SAFETY: the address lies in the arena or has been checked, and is aligned.
        let old = unsafe { crate::exec::memory::read(p, width) };
        stored(at, op, lane, k).is_some_and(|new| new & mask == old)
    })
}

/// Whether an operation writes: a compare-and-swap does not if memory holds something else, or if a lane before this
/// one has just swapped at the address.
fn swaps(at: &At<'_, '_>, op: &Op, access: &MemoryAccess, lane: usize, swapped: Option<u64>) -> bool {
    let Op::Cas { width, compare, .. } = *op else { return true };
    let address = access.addresses[lane];
    let Some(p) = at.spaces.resolve(access.space, address, access.bytes.into(), lane) else { return false };
    // SAFETY: `resolve` has checked the address; the operand belongs to the function of the frame.
    let (old, compare) = unsafe {
        (
            crate::exec::memory::read(p, width),
            crate::exec::memory::get_lane(at.registers, width, compare, lane),
        )
    };
    swapped != Some(address) && old == compare & u64::MAX >> (64 - width.bits())
}

impl Race {
    /// Compares an access of one lane, or of several to one address, with those before it, and remembers it.
    #[inline]
    fn step(&mut self, index: usize, at: &At<'_, '_>, access: &MemoryAccess, address: u64, step: Step) {
        let (start, shared) = match spot(access.space, address) {
            Spot::Global(a) => (a, false),
            Spot::Shared(a) => (a, true),
            Spot::Local(_) => return,
        };
        let bytes = u64::from(access.bytes);
        let (mut offset, one) = (0, step.lanes.is_power_of_two());
        while offset < bytes {
            let base = start.wrapping_add(offset);
            let inside = base % GRAIN;
            let count = (GRAIN - inside).min(bytes - offset);
            offset += count;
            let kind = step.kind | ((1 << count) - 1) << inside;
            let cta = &mut self.ctas[index];
            let new = Cell {
                who: cta.who(step.warp),
                time: cta.now,
                lanes: step.lanes,
                what: What::new(kind | if step.same { What::SAME_VALUE } else { 0 }, step.place),
            };
            let known = cta.quickly(step.warp, self.first);
            let conflict = if shared {
                let Some([write, read, third]) = cta.shared.get_mut((base / GRAIN) as usize) else { return };
                if one && known.quick(write, read, third.lanes != 0, &new) {
                    continue;
                }
                // Taken out and put back, as the CTA's knowledge is asked meanwhile.
                let mut rows = std::mem::take(&mut cta.shared);
                let conflict =
                    advance(&mut rows[(base / GRAIN) as usize], new, cta, self.first, self.same_value);
                cta.shared = rows;
                conflict
            } else {
                let Some([write, read]) = self.shadow.pair(base) else { return };
                if one && known.quick(write, read, read.what.is(What::MORE), &new) {
                    continue;
                }
                let same_value = self.same_value;
                let change = |row: &mut Row| advance(row, new, cta, self.first, same_value);
                self.shadow.with_row(base, change).flatten()
            };
            if let Some((other, lane)) = conflict {
                self.tell(index, at, access, base, &other, &Step { kind, ..step }, lane);
            }
        }
    }

    /// What a strong access takes and passes on.
    fn strong(&mut self, index: usize, at: &At<'_, '_>, op: &Op, access: &MemoryAccess) {
        let (acquires, releases) = semantics(access.order);
        let (warp, scope) = (at.warp.index, access.scope);
        let cta = &mut self.ctas[index];
        let mut swapped = None;
        for lane in lanes_of(at.lanes) {
            let address = access.addresses[lane];
            let (key, shared) = match spot(access.space, address) {
                Spot::Global(a) => (a, false),
                Spot::Shared(a) => (a | SHARED_WINDOW, true),
                Spot::Local(_) => continue,
            };
            let mut own = std::mem::take(&mut cta.locations);
            let locations = if shared { &mut own } else { &mut self.locations };
            if access.kind != AccessKind::Store
                && !locations.is_empty()
                && let Some(released) = locations.get(&key)
            {
                cta.acquire(released, warp, lane, scope, acquires);
            }
            if access.kind != AccessKind::Load && swaps(at, op, access, lane, swapped) {
                swapped = Some(address);
                let clock = cta.release(warp, lane, scope, releases);
                let update = access.kind == AccessKind::Atomic;
                if clock.is_some() || !update {
                    let slot = cta.slot;
                    let released = locations.entry(key).or_default();
                    released.write(clock, slot, update);
                    if released.is_empty() {
                        locations.remove(&key);
                    }
                }
            }
            cta.locations = own;
        }
    }

    /// Tells of a race.
    #[cold]
    #[expect(clippy::too_many_arguments, reason = "two accesses and where they met")]
    fn tell(
        &mut self,
        index: usize,
        at: &At<'_, '_>,
        access: &MemoryAccess,
        address: u64,
        other: &Cell,
        step: &Step,
        lane: usize,
    ) {
        let places = (other.what.place(), step.place);
        if !self.told.insert((places.0.min(places.1), places.0.max(places.1))) {
            return;
        }
        let launch = at.launch;
        let name = |what: What, bytes: &str| {
            let kind = match (what.is(What::WRITE), what.is(What::STRONG)) {
                (true, true) => "atomic or ordered write",
                (false, true) => "atomic or ordered read",
                (true, false) => "store",
                (false, false) => "load",
            };
            let scope = if what.is(What::CTA_SCOPE) { ", scope cta," } else { "" };
            format!("{kind}{bytes}{scope}")
        };
        let action = |what: String, linear: u64, warp: u32, lane: usize, place: u32| {
            let function = self.starts.partition_point(|&start| start <= place) - 1;
            Action {
                what,
                team: super::team_of(launch, linear),
                thread: super::thread_of(launch, warp * LANES as u32 + lane as u32),
                place: super::place_of(launch, function as u32, place - self.starts[function]),
            }
        };
        let cta = &self.ctas[index];
        let mine = other.who == cta.who(step.warp);
        let other_lane = lanes_of(other.lanes).find(|&l| !mine || l != lane).unwrap_or(0);
        let now = action(
            name(What(step.kind), &format!(" of {} bytes", access.bytes)),
            cta.linear,
            step.warp,
            lane,
            step.place,
        );
        let before = action(
            format!("after {}", name(other.what, "")),
            u64::from((other.who >> 5).saturating_sub(self.first)),
            other.who & 31,
            other_lane,
            other.what.place(),
        );
        let both_strong = What(step.kind).is(What::STRONG) && other.what.is(What::STRONG);
        let why = match both_strong {
            true if (step.kind ^ other.what.0) & (What::WIDE | 15) != 0 => {
                " (both are strong, but their sizes differ)"
            }
            true => " (both are strong, but the scope of one does not include the other)",
            false => "",
        };
        let shared = matches!(spot(access.space, access.addresses[lane]), Spot::Shared(_));
        // The address of the grain in its own space.
        let object = super::object(launch, if shared { Space::Shared } else { Space::Global }, address);
        let space = if shared { "shared" } else { "global" };
        let own = object.contains(RUNTIME);
        if own && !self.runtime {
            return;
        }
        self.findings.add(Finding {
            check: if own { "runtime" } else { "race" },
            message: format!("data race on {space} memory{why}"),
            kernel: super::kernel_of(launch),
            object: Some(object),
            actions: vec![now, before],
        });
    }
}

/// Compares an access with a row and remembers it there. If they race: the older one, and the lane of the new one.
fn advance(row: &mut Row, new: Cell, cta: &Cta, first: u32, same_value: bool) -> Option<(Cell, usize)> {
    let write = new.what.is(What::WRITE);
    let bytes = new.what.bytes();
    let kind = new.what.0 & What::KIND & !What::SAME_VALUE;
    let warp = new.who & 31;
    // What the same warp did in the same epoch needs no second look.
    let again = |cell: &Cell| {
        cell.who == new.who
            && cell.time == new.time
            && cell.lanes & new.lanes == new.lanes
            && cell.what.0 & What::KIND & !What::SAME_VALUE == kind
    };
    if if write { again(&row[0]) } else { again(&row[1]) || again(&row[2]) } {
        return None;
    }
    let quiet = |cell: &Cell| {
        !same_value && (write && new.what.is(What::SAME_VALUE) || cell.what.is(What::SAME_VALUE))
    };
    let mut conflict = None;
    // In shared memory cells of other CTAs are left from before.
    let ordered = |cell: &Cell| lanes_of(new.lanes).find(|&lane| !cta.knows(cell, warp, lane, first));
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
            && !morally_strong(cell, kind, cell.who >> 5 == new.who >> 5)
            && !quiet(cell)
        {
            conflict = Some((*cell, lane));
        }
    }
    let covers = |cell: &Cell| cell.what.bytes() & !bytes == 0;
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
                && (cell.what.0 & What::KIND) == (new.what.0 & What::KIND)
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
