//! What an execution tells its observers: checkers and profile.
//!
//! The interpreter is generic over a [`Watch`]. With [`Off`] every hook is compiled away; with [`On`] each [`Observer`]
//! is called. Only the loop of [`crate::exec::control`] and the scheduler exist twice: the bodies of operations
//! ([`crate::exec::tier`]) know nothing of observers.
//!
//! In the weak memory mode ([`crate::weak`]) the accesses are not done by the interpreter but by the mode, which learns from
//! the same hooks what orders them.
//!
//! Observed launches run one at a time, and their CTAs on one OS thread, so observers need no locks and the same seed
//! gives the same findings. A race between CTAs shows all the same: the checkers ask for an order that the program
//! makes, not for one that happens.

use crate::code::{Access, Inst, LANES, Op, Order, Scope, Space, Src, Width};
use crate::exec::fault::Fault;
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Lanes, Launch, Spaces};
use crate::weak::Weak;

/// Where a hook is called from: the running lanes and their state.
pub struct At<'a, 'm> {
    /// Launch.
    pub launch: &'a Launch<'m>,
    /// CTA.
    pub cta: &'a CtaState,
    /// Warp.
    pub warp: &'a Warp,
    /// Frame, in [`Warp::frames`].
    pub frame: u32,
    /// Instruction.
    pub pc: u32,
    /// Lanes that execute it; never empty.
    pub lanes: u32,
    /// Registers of the frame.
    pub registers: &'a Lanes,
    /// Memory of the frame.
    pub spaces: &'a Spaces<'m>,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one step.
    Atomic,
}

/// A load, store or atomic operation of some lanes.
pub struct MemoryAccess {
    /// What it does.
    pub kind: AccessKind,
    /// Space of the addresses.
    pub space: Space,
    /// Address for each active lane.
    pub addresses: [u64; LANES],
    /// Bytes for each lane, all elements of a vector.
    pub bytes: u32,
    /// Bytes of an element.
    pub element: u32,
    /// Order; [`Order::Volatile`] is `.volatile`.
    pub order: Order,
    /// Scope of the order.
    pub scope: Scope,
}

impl MemoryAccess {
    /// The access that an operation is, if it is one.
    ///
    /// # Safety
    /// The operation belongs to the function of the frame that `l` points to.
    #[inline(always)]
    unsafe fn of(op: &Op, l: &Lanes) -> Option<Self> {
        let plain = |kind, access: Access, count: u8, address: Src, offset: i32| {
            let Access { space, element, order, scope, .. } = access;
            (kind, space, element.width, count.into(), order, scope, address, offset)
        };
        let (kind, space, element, count, order, scope, address, offset) = match *op {
            Op::Load { access, address, offset, .. } => plain(AccessKind::Load, access, 1, address, offset),
            Op::Store { access, address, offset, .. } => plain(AccessKind::Store, access, 1, address, offset),
            Op::LoadVector { access, count, address, offset, .. } => {
                plain(AccessKind::Load, access, count, address, offset)
            }
            Op::StoreVector { access, count, address, offset, .. } => {
                plain(AccessKind::Store, access, count, address, offset)
            }
            Op::Atom { op, space, order, scope, address, offset, .. } => {
                (AccessKind::Atomic, space, op.width(), 1, order, scope, address, offset)
            }
            Op::Cas { width, space, order, scope, address, offset, .. } => {
                (AccessKind::Atomic, space, width, 1, order, scope, address, offset)
            }
            Op::Atom128 { space, order, scope, address, offset, .. } => {
                (AccessKind::Atomic, space, Width::W64, 2, order, scope, address, offset)
            }
            _ => return None,
        };
        // SAFETY: by the caller's promise.
        let mut addresses = unsafe { l.get::<u64>(address) };
        for address in &mut addresses {
            *address = address.wrapping_add_signed(offset.into());
        }
        let element = element.bytes();
        Some(Self { kind, space, addresses, bytes: element * count, element, order, scope })
    }
}

/// What the host does with device memory.
#[derive(Clone, Copy, Debug)]
pub enum HostEvent {
    /// Memory is allocated: its contents are undefined.
    Alloc {
        /// Start.
        address: u64,
        /// Size.
        bytes: u64,
    },
    /// Memory is freed.
    Free {
        /// Start.
        address: u64,
    },
    /// Bytes are written.
    Write {
        /// Start.
        address: u64,
        /// Size.
        bytes: u64,
    },
    /// Bytes are copied inside device memory.
    Copy {
        /// Where to.
        to: u64,
        /// Where from.
        from: u64,
        /// Size.
        bytes: u64,
    },
}

/// A checker, or the profile. Every hook does nothing unless it is written.
#[expect(unused_variables, reason = "the parameters of hooks that do nothing")]
pub trait Observer: Send {
    /// Whether [`Observer::instruction`] is wanted.
    fn wants_instructions(&self) -> bool {
        false
    }
    /// A launch begins; everything before it is ordered before everything in it.
    fn launch_start(&mut self, launch: &Launch<'_>) {}
    /// A launch has ended, with an error if `failed`.
    fn launch_end(&mut self, launch: &Launch<'_>, failed: bool) {}
    /// A CTA begins.
    fn cta_start(&mut self, launch: &Launch<'_>, cta: &CtaState) {}
    /// A CTA has ended.
    fn cta_end(&mut self, launch: &Launch<'_>, cta: &CtaState) {}
    /// An instruction is about to be executed. `at.lanes` are the lanes that its guard selects, or those that come to it
    /// if it is a branch; `mask` all that come to it. An instruction that waits is told of once for each arrival.
    fn instruction(&mut self, at: &At<'_, '_>, inst: &Inst, mask: u32) {}
    /// An instruction whose guard selects none of the lanes that come to it, which are `at.lanes`.
    fn skipped(&mut self, at: &At<'_, '_>, inst: &Inst) {}
    /// An access is about to be made; it may still turn out not to be allowed.
    fn access(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess) {}
    /// An access has been made.
    fn accessed(&mut self, at: &At<'_, '_>, op: &Op, access: &MemoryAccess) {}
    /// A fence.
    fn fence(&mut self, at: &At<'_, '_>, order: Order, scope: Scope) {}
    /// Lanes arrive at a barrier of the CTA and wait there.
    fn arrive(&mut self, launch: &Launch<'_>, cta: &CtaState, warp: &Warp, id: u32, lanes: u32) {}
    /// A barrier of the CTA is complete; `waiting` are the lanes of each warp that go on.
    fn barrier(&mut self, launch: &Launch<'_>, cta: &CtaState, warps: &[Warp], id: u32, waiting: &[u32]) {}
    /// A warp operation is about to be done by `lanes`, all that have come of its member mask.
    fn warp_operation(&mut self, launch: &Launch<'_>, cta: &CtaState, warp: &Warp, op: &Op, lanes: u32) {}
    /// Lanes have called a function; `at` is the call, `inner` the frame of the callee.
    fn enter(&mut self, at: &At<'_, '_>, inner: u32) {}
    /// Lanes return from a frame; `at.pc` is the return.
    fn leave(&mut self, at: &At<'_, '_>) {}
    /// Lanes of a warp exit.
    fn exit(&mut self, launch: &Launch<'_>, cta: &CtaState, warp: &Warp, lanes: u32) {}
    /// Lanes call a function that the device supplies.
    fn serve(&mut self, at: &At<'_, '_>) {}
    /// A lane has allocated memory (0: there was none left).
    fn malloc(&mut self, at: &At<'_, '_>, lane: usize, address: u64, bytes: u64) {}
    /// A lane is about to free memory.
    fn free(&mut self, at: &At<'_, '_>, lane: usize, address: u64) {}
    /// The host does something with device memory.
    fn host(&mut self, event: HostEvent) {}
    /// The program is about to end.
    fn finish(&mut self) {}
}

/// Whether there are observers, known when the interpreter is compiled.
pub trait Watch {
    /// Whether there are any.
    const ON: bool;
    /// Whether one of them wants [`Observer::instruction`].
    fn instructions(&self) -> bool;
    /// Calls a hook of all of them.
    fn each(&mut self, hook: impl FnMut(&mut dyn Observer));
    /// What does the accesses in the weak memory mode.
    fn weak(&mut self) -> Option<&mut Weak>;
}

/// No observer.
pub struct Off;

impl Watch for Off {
    const ON: bool = false;
    #[inline(always)]
    fn instructions(&self) -> bool {
        false
    }
    #[inline(always)]
    fn each(&mut self, _: impl FnMut(&mut dyn Observer)) {}
    #[inline(always)]
    fn weak(&mut self) -> Option<&mut Weak> {
        None
    }
}

/// Some observers, and in the weak memory mode what stands between them and memory.
#[derive(Default)]
pub struct On {
    weak: Option<Box<Weak>>,
    observers: Vec<Box<dyn Observer>>,
    instructions: bool,
}

impl On {
    /// With the weak memory mode, if there is one, and without observers.
    pub fn new(weak: Option<Weak>) -> Self {
        Self { weak: weak.map(Box::new), ..Self::default() }
    }

    /// Adds an observer.
    pub fn add(&mut self, observer: Box<dyn Observer>) {
        self.instructions |= observer.wants_instructions();
        self.observers.push(observer);
        if let Some(weak) = &mut self.weak {
            weak.observe();
        }
    }
}

impl Watch for On {
    const ON: bool = true;
    fn instructions(&self) -> bool {
        self.instructions
    }
    fn each(&mut self, mut hook: impl FnMut(&mut dyn Observer)) {
        if let Some(weak) = &mut self.weak {
            hook(&mut **weak);
        }
        self.observers.iter_mut().for_each(|observer| hook(&mut **observer));
    }
    fn weak(&mut self) -> Option<&mut Weak> {
        self.weak.as_deref_mut()
    }
}

/// Tells the observers of an access, does it, and tells them again if it was allowed.
///
/// # Safety
/// The operation belongs to the function of the frame of `at`.
pub unsafe fn access<W: Watch>(
    watch: &mut W,
    at: &At<'_, '_>,
    op: &Op,
    perform: impl FnOnce() -> Result<(), Box<Fault>>,
) -> Result<(), Box<Fault>> {
    // SAFETY: by the caller's promise.
    let Some(access) = (unsafe { MemoryAccess::of(op, at.registers) }) else { return perform() };
    watch.each(|o| o.access(at, op, &access));
    match watch.weak() {
        // SAFETY: by the caller's promise.
        Some(weak) => unsafe { weak.perform(at, op, &access)? },
        None => perform()?,
    }
    watch.each(|o| o.accessed(at, op, &access));
    Ok(())
}
