//! What the weak memory mode learns from the hooks of observers: time goes on, CTAs come and go, and something orders
//! accesses.

use super::{Thread, Weak, place, private, thread_of};
use crate::code::{LANES, Op, Order, Scope};
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Launch, lanes_of};
use crate::schedule::Random;
use crate::watch::{AccessKind, At, MemoryAccess, Observer};

impl Observer for Weak {
    fn launch_start(&mut self, launch: &Launch<'_>) {
        // Other numbers than those of the scheduler.
        self.random = Random::new(!self.seed, launch.grid_id);
        self.now = 0;
    }

    fn launch_end(&mut self, _: &Launch<'_>, _: bool) {
        for (word, id) in self.pending.all() {
            self.advance(word, id);
        }
        self.pending.clear();
        self.past.clear();
    }

    fn cta_start(&mut self, launch: &Launch<'_>, _: &CtaState) {
        let threads = launch.config.block.iter().product::<u32>().next_multiple_of(LANES as u32);
        self.threads.clear();
        self.threads.resize(threads as usize, Thread::default());
        self.pending.begin(threads as usize);
        self.past.clear();
    }

    fn cta_end(&mut self, _: &Launch<'_>, _: &CtaState) {
        self.pending.end();
    }

    fn access(&mut self, at: &At<'_, '_>, _: &Op, access: &MemoryAccess) {
        self.now += 1;
        while let Some((word, id)) = self.pending.due(self.now) {
            self.advance(word, id);
        }
        let atomic = access.kind == AccessKind::Atomic;
        if !(atomic || self.observed && access.kind == AccessKind::Store) {
            return;
        }
        let elements = (access.bytes / access.element) as usize;
        for lane in lanes_of(at.lanes & !private(access, at.lanes)) {
            let thread = thread_of(at.warp, lane);
            if atomic {
                self.before_write(thread, access);
            }
            for bytes in (0..elements).filter_map(|k| place(at, access, lane, k)) {
                if atomic {
                    self.settle(thread, bytes);
                } else {
                    self.show(bytes);
                }
            }
        }
    }

    fn fence(&mut self, at: &At<'_, '_>, order: Order, scope: Scope) {
        for lane in lanes_of(at.lanes) {
            let thread = thread_of(at.warp, lane);
            let waiting = &mut self.threads[thread as usize].fence;
            match order {
                Order::SeqCst => self.release(thread, scope),
                Order::Acquire => {}
                // The wider one of two.
                _ if waiting.is_none_or(|other| other == Scope::Cta) => *waiting = Some(scope),
                _ => {}
            }
        }
        self.synchronised(at.warp, at.lanes);
    }

    fn arrive(&mut self, _: &Launch<'_>, _: &CtaState, warp: &Warp, _: u32, lanes: u32) {
        self.meet(warp, lanes);
    }

    fn barrier(&mut self, _: &Launch<'_>, _: &CtaState, warps: &[Warp], _: u32, waiting: &[u32]) {
        if warps.iter().zip(waiting).all(|(warp, &lanes)| warp.live == lanes) {
            // Nobody may look back behind this.
            self.past.clear();
        }
        for (warp, &lanes) in warps.iter().zip(waiting) {
            self.synchronised(warp, lanes);
        }
    }

    fn warp_operation(&mut self, _: &Launch<'_>, _: &CtaState, warp: &Warp, op: &Op, lanes: u32) {
        if matches!(op, Op::WarpBarrier { .. }) {
            self.meet(warp, lanes);
            self.synchronised(warp, lanes);
        }
    }

    fn exit(&mut self, _: &Launch<'_>, _: &CtaState, warp: &Warp, lanes: u32) {
        self.meet(warp, lanes);
    }

    fn serve(&mut self, at: &At<'_, '_>) {
        for lane in lanes_of(at.lanes) {
            self.release(thread_of(at.warp, lane), Scope::Sys);
        }
        self.synchronised(at.warp, at.lanes);
    }
}
