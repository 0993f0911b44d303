//! Leaks of the device heap: what kernels allocate and nobody frees.
//!
//! Memory may live on from one kernel to the next. At the end of a kernel those of its blocks are told that no pointer in device
//! memory leads to ([`crate::mem::Memory::lost`]): the host has not seen one either, so nobody can free them any more. The
//! others are told at the end of the program.

use std::collections::{BTreeMap, BTreeSet};

use super::{Action, Finding, Findings};
use crate::exec::Launch;
use crate::watch::{At, HostEvent, Observer};

/// A live block.
struct Block {
    bytes: u64,
    /// Launch that allocated it.
    grid: u64,
    kernel: String,
    action: Action,
}

/// The checker.
pub struct Leaks {
    findings: Findings,
    /// By address.
    live: BTreeMap<u64, Block>,
    /// The first `malloc` that gave null.
    refused: Option<Finding>,
    /// Where the first block was allocated that has been told.
    leaked: Option<Action>,
}

impl Leaks {
    /// One that tells its findings there.
    pub fn new(findings: Findings) -> Self {
        Self { findings, live: BTreeMap::new(), refused: None, leaked: None }
    }

    fn tell(&mut self, block: Block, what: &str) {
        let what_leaked = format!("leaked: {}", block.action.what);
        self.leaked.get_or_insert(Action { what: what_leaked, ..block.action.clone() });
        self.findings.add(Finding {
            check: "leak",
            message: format!("{} bytes that the kernel allocated {what}", block.bytes),
            kernel: block.kernel,
            object: None,
            actions: vec![block.action],
        });
    }

    /// What leaked is not there for others: a full heap is told where there are leaks, and else is the program's own business.
    fn tell_refused(&mut self) {
        if let Some(leaked) = &self.leaked
            && let Some(mut finding) = self.refused.take()
        {
            finding.actions.push(leaked.clone());
            self.findings.add(finding);
        }
    }
}

impl Observer for Leaks {
    fn malloc(&mut self, at: &At<'_, '_>, lane: usize, address: u64, bytes: u64) {
        let kernel = super::kernel_of(at.launch);
        let action = super::action(at, format!("malloc of {bytes} bytes"), lane);
        if address != 0 {
            self.live.insert(address, Block { bytes, grid: at.launch.grid_id, kernel, action });
        } else if self.refused.is_none() {
            let message = format!("malloc gave null, with leaks: {} were in use", at.launch.memory.heap());
            let actions = vec![action];
            self.refused = Some(Finding { check: "leak", message, kernel, object: None, actions });
        }
    }

    fn free(&mut self, _: &At<'_, '_>, _: usize, address: u64) {
        self.live.remove(&address);
    }

    fn host(&mut self, event: HostEvent) {
        if let HostEvent::Free { address } = event {
            self.live.remove(&address);
        }
    }

    fn launch_end(&mut self, launch: &Launch<'_>, failed: bool) {
        let fresh = self.live.values().any(|block| block.grid == launch.grid_id);
        let lost = if fresh && !failed { launch.memory.lost() } else { BTreeSet::new() };
        for address in lost {
            if self.live.get(&address).is_some_and(|block| block.grid == launch.grid_id)
                && let Some(block) = self.live.remove(&address)
            {
                self.tell(block, "are lost when it ends: no pointer to them is left");
            }
        }
        self.tell_refused();
    }

    fn finish(&mut self) {
        for block in std::mem::take(&mut self.live).into_values() {
            self.tell(block, "are never freed");
        }
        self.tell_refused();
    }
}
