//! The weak memory mode: what a thread stores becomes visible to others late and out of order, and what it loads may be
//! old, as far as the PTX memory model allows ("Memory Consistency Model" in the PTX ISA), so that a missing fence gives
//! wrong results.
//!
//! **Stores** wait in a buffer of their thread ([`pending`]). At a random time, or when something asks for it, they go on:
//! in shared memory to memory, in global memory first to a buffer of the CTA, whose threads then see them, and from there
//! to memory. Stores that overlap keep their order, others do not. So what is released with the scope of the CTA, or by a
//! barrier, may be late for other CTAs. Of one CTA the buffer outlives its threads: only the end of the launch makes
//! stores visible to all without a fence.
//!
//! **Loads** that are weak or relaxed may see what the location held before ([`past`]), but nothing that is older than
//! the thread's last synchronisation, than what it has read or written there before, or than the start of the CTA.
//!
//! **What drains.** A release or a fence of scope `.cta`, a barrier that the thread arrives at and its exit bring the
//! thread's stores to the CTA; one of a wider scope brings these and the buffer of the CTA to memory, for what a thread
//! releases includes what it has seen of others. A `fence.acq_rel` does so when the thread stores next, as it orders no
//! store before a load; `fence.sc` and `membar` do at once. Atomic operations act on memory, behind older stores of
//! the thread to the same bytes; relaxed ones leave all other stores where they are.
//!
//! **Never more than PTX allows**: memory is one for all, a store that one thread of another CTA sees is seen by every
//! one, and loads are not done ahead of what stands before them. So some behaviours that PTX allows do not show.
//!
//! CTAs run one after the other on one OS thread, and the same seed gives the same run.

mod hooks;
mod lists;
mod past;
mod pending;
mod wheel;
mod words;

use self::lists::Owner;
use self::past::Past;
use self::pending::Pending;
use crate::code::{LANES, Op, Order, Scope, Space, Src, Width};
use crate::exec::bulk;
use crate::exec::fault::Fault;
use crate::exec::memory;
use crate::exec::spaces::{Spot, spot};
use crate::exec::warp::Warp;
use crate::exec::{Lanes, lanes_of};
use crate::schedule::Random;
use crate::watch::{AccessKind, At, MemoryAccess};

/// How memory behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryModel {
    /// Every access is seen by all threads at once, in program order.
    #[default]
    Sequential,
    /// As weak as PTX allows, or nearly so.
    Weak,
}

/// What a thread of the running CTA has still to do, and has seen.
#[derive(Clone, Default)]
struct Thread {
    /// A `fence.acq_rel` that its next store waits for.
    fence: Option<Scope>,
    /// It may not see what was gone by then; a time of [`Past`].
    view: u64,
}

/// The memory of a device in weak mode.
pub struct Weak {
    seed: u64,
    random: Random,
    /// Accesses of warps in this launch.
    now: u64,
    /// Other observers look at memory: see [`Weak::show`].
    observed: bool,
    pending: Pending,
    past: Past,
    threads: Vec<Thread>,
}

/// Eight aligned bytes of the host, and which of them.
#[derive(Clone, Copy)]
struct Bytes {
    word: u64,
    mask: u8,
}

impl Bytes {
    /// Those of an element at an address that is aligned to it.
    fn of(address: u64, bytes: u32) -> Self {
        let mask = u8::MAX >> (8 - bytes.min(8));
        Self { word: address & !7, mask: mask << (address & 7) }
    }

    /// Bits of the first byte.
    fn shift(self) -> u32 {
        8 * self.mask.trailing_zeros()
    }
}

/// The word of memory at a host address.
///
/// # Safety
/// The address is a multiple of 8 inside of device memory or of the running CTA's shared memory.
unsafe fn load(word: u64) -> u64 {
    // SAFETY: by the caller's promise.
    unsafe { bulk::read(word as *mut u8, Width::W64) }
}

/// A thread of a CTA by its number.
fn thread_of(warp: &Warp, lane: usize) -> u32 {
    warp.index * LANES as u32 + lane as u32
}

impl Weak {
    /// For a device with a seed, or none.
    pub fn new(seed: Option<u64>) -> Self {
        let seed = seed.unwrap_or(0);
        Self {
            seed,
            random: Random::new(seed, 0),
            now: 0,
            observed: false,
            pending: Pending::default(),
            past: Past::default(),
            threads: Vec::new(),
        }
    }

    /// There are observers that compare what is stored with what memory holds.
    pub fn observe(&mut self) {
        self.observed = true;
    }

    /// Does an access of the lanes of `at`. Its hook has been called before.
    ///
    /// # Errors
    /// An access that is not allowed.
    ///
    /// # Safety
    /// The operation belongs to the function of the frame of `at`.
    pub unsafe fn perform(
        &mut self,
        at: &At<'_, '_>,
        op: &Op,
        access: &MemoryAccess,
    ) -> Result<(), Box<Fault>> {
        // SAFETY: by the caller's promise; the lanes are those of the registers or some of them.
        let perform = |lanes: u32| unsafe {
            at.launch.tier.access(&Lanes { mask: lanes, ..*at.registers }, at.spaces, op)
        };
        let private = private(access, at.lanes);
        match access.kind {
            _ if private == at.lanes => return perform(at.lanes),
            AccessKind::Load => {
                perform(at.lanes)?;
                self.look(at, op, access, at.lanes & !private);
            }
            AccessKind::Store => {
                if private != 0 {
                    perform(private)?;
                }
                self.store(at, op, access, at.lanes & !private)?;
            }
            AccessKind::Atomic => {
                let before = self.visible(at, access);
                perform(at.lanes)?;
                for (k, &(thread, bytes, old)) in before.iter().enumerate() {
                    let word = bytes.word;
                    let first = before[..k].iter().all(|(_, other, _)| other.word != word);
                    // SAFETY: the access was allowed.
                    if first && self.pending.seen_by_cta(word, unsafe { load(word) }) != old {
                        self.past.changed(word, old);
                    }
                    self.past.seen(thread, bytes);
                }
            }
        }
        if matches!(access.order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
            self.synchronised(at.warp, at.lanes);
        }
        Ok(())
    }

    /// Gives lanes that have loaded from memory what they see instead.
    fn look(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess, lanes: u32) {
        if self.pending.is_empty() && self.past.is_empty() {
            return;
        }
        let (format, destinations) = match op {
            Op::Load { access, dst, .. } => (access, std::slice::from_ref(dst)),
            Op::LoadVector { access, count, dst, .. } => (access, &dst[..usize::from(*count)]),
            _ => return,
        };
        for lane in lanes_of(lanes) {
            let thread = thread_of(at.warp, lane);
            for (k, &dst) in destinations.iter().enumerate() {
                let Some(bytes) = place(at, access, lane, k) else { continue };
                let Bytes { word, .. } = bytes;
                // SAFETY: the access was allowed.
                let memory = unsafe { load(word) };
                let seen = self.pending.seen_by(thread, word, memory);
                let mut value = seen.value;
                if seen.own {
                    self.past.seen(thread, bytes);
                } else if access.order != Order::Acquire {
                    let view = self.threads[thread as usize].view;
                    value = self.past.look(thread, bytes, view, &mut self.random).unwrap_or(value);
                }
                if value != memory {
                    // SAFETY: the destination is that of an operation of the frame.
                    unsafe { memory::put_element(at.registers, format, dst, lane, value >> bytes.shift()) };
                }
            }
        }
    }

    /// Puts what lanes store into their buffers.
    fn store(
        &mut self,
        at: &At<'_, '_>,
        op: &Op,
        access: &MemoryAccess,
        lanes: u32,
    ) -> Result<(), Box<Fault>> {
        let (register, sources): (Width, &[Src]) = match op {
            Op::Store { access, src, .. } => (access.register, std::slice::from_ref(src)),
            Op::StoreVector { access, count, src, .. } => (access.register, &src[..usize::from(*count)]),
            _ => return Ok(()),
        };
        for lane in lanes_of(lanes) {
            let thread = thread_of(at.warp, lane);
            let address = access.addresses[lane];
            if !address.is_multiple_of(access.bytes.into()) {
                return Err(at.spaces.explain("store", access.space, address, access.bytes.into(), lane));
            }
            self.before_write(thread, access);
            for (k, &src) in sources.iter().enumerate() {
                let Some(bytes) = place(at, access, lane, k) else {
                    let address = address + k as u64 * u64::from(access.element);
                    return Err(at.spaces.explain(
                        "store",
                        access.space,
                        address,
                        access.element.into(),
                        lane,
                    ));
                };
                // SAFETY: the operation belongs to the function of the frame.
                let value = unsafe { memory::get_lane(at.registers, register, src, lane) };
                let shared = !at.launch.memory.contains(bytes.word);
                self.pending.store(thread, bytes, value << bytes.shift(), shared, self.now, &mut self.random);
                self.make_room(thread);
            }
        }
        Ok(())
    }

    /// What a write of a thread releases, or a fence that waits for it.
    fn before_write(&mut self, thread: u32, access: &MemoryAccess) {
        if matches!(access.order, Order::Release | Order::AcqRel | Order::SeqCst) {
            self.release(thread, access.scope);
        } else if let Some(scope) = self.threads[thread as usize].fence {
            self.release(thread, scope);
        }
    }

    /// What the words hold that the lanes of an atomic operation are about to change.
    fn visible(&self, at: &At<'_, '_>, access: &MemoryAccess) -> Vec<(u32, Bytes, u64)> {
        let elements = access.bytes / access.element;
        let words = lanes_of(at.lanes).flat_map(|lane| (0..elements as usize).map(move |k| (lane, k)));
        words
            .filter_map(|(lane, k)| {
                let bytes = place(at, access, lane, k)?;
                // SAFETY: `place` has checked the address.
                let old = self.pending.seen_by_cta(bytes.word, unsafe { load(bytes.word) });
                Some((thread_of(at.warp, lane), bytes, old))
            })
            .collect()
    }

    /// Lanes have synchronised with others: they see what is visible now.
    fn synchronised(&mut self, warp: &Warp, lanes: u32) {
        let view = self.past.next();
        for lane in lanes_of(lanes) {
            self.threads[thread_of(warp, lane) as usize].view = view;
        }
    }

    /// Brings all stores of a thread to the CTA, and with a scope that is wider, its own or that of a fence that waits,
    /// what the CTA sees to memory.
    fn release(&mut self, thread: u32, scope: Scope) {
        let fence = self.threads[thread as usize].fence.take();
        while let Some((word, id)) = self.pending.first_of(thread) {
            self.advance(word, id);
        }
        if scope != Scope::Cta || fence.is_some_and(|fence| fence != Scope::Cta) {
            for word in self.pending.take_words_of_cta() {
                while let Some(id) = self.pending.find(word, u8::MAX, |owner| owner == Owner::Cta) {
                    self.advance(word, id);
                }
            }
        }
    }

    /// Lanes come to where others of their CTA see what they have stored.
    fn meet(&mut self, warp: &Warp, lanes: u32) {
        for lane in lanes_of(lanes) {
            self.release(thread_of(warp, lane), Scope::Cta);
        }
    }

    /// A buffer does not grow for ever.
    fn make_room(&mut self, thread: u32) {
        while self.pending.is_full(thread)
            && let Some((word, id)) = self.pending.first_of(thread)
        {
            self.advance(word, id);
        }
    }

    /// Moves a store to where it is seen next, behind older ones of the same owner that it overlaps.
    fn advance(&mut self, word: u64, id: u64) {
        self.pending.advance(word, id, self.now, &mut self.random, &mut self.past);
    }

    /// Brings what others and the thread itself have stored to these bytes to memory, for observers that look there.
    fn show(&mut self, bytes: Bytes) {
        while let Some(id) = self.pending.find(bytes.word, bytes.mask, |_| true) {
            self.advance(bytes.word, id);
        }
    }

    /// The same with what a thread sees: memory is the place of atomic operations.
    fn settle(&mut self, thread: u32, bytes: Bytes) {
        for owner in [Owner::Thread(thread), Owner::Cta] {
            while let Some(id) = self.pending.find(bytes.word, bytes.mask, |o| o == owner) {
                self.advance(bytes.word, id);
            }
        }
    }
}

/// The lanes whose addresses are those of memory that no other thread writes.
fn private(access: &MemoryAccess, lanes: u32) -> u32 {
    match access.space {
        Space::Local | Space::Const | Space::Param => lanes,
        Space::Shared | Space::Global => 0,
        Space::Generic => lanes_of(lanes)
            .filter(|&lane| matches!(spot(access.space, access.addresses[lane]), Spot::Local(_)))
            .fold(0, |all, lane| all | 1 << lane),
    }
}

/// The bytes of an element, if the access is allowed.
fn place(at: &At<'_, '_>, access: &MemoryAccess, lane: usize, element: usize) -> Option<Bytes> {
    let address = access.addresses[lane].wrapping_add(element as u64 * u64::from(access.element));
    let p = at.spaces.resolve(access.space, address, access.element.into(), lane)?;
    Some(Bytes::of(p as u64, access.element))
}
