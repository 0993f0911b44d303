//! Leaks of the device heap: what kernels allocate and nobody frees before the program ends.
//!
//! Memory may live on from one kernel to the next, so nothing is told before the end of the program.

use std::collections::BTreeMap;

use super::{Action, Finding, Findings};
use crate::watch::{At, HostEvent, Observer};

/// The checker.
pub struct Leaks {
    findings: Findings,
    /// Live blocks by address: bytes, kernel, who allocated it.
    live: BTreeMap<u64, (u64, String, Action)>,
}

impl Leaks {
    /// One that tells its findings there.
    pub fn new(findings: Findings) -> Self {
        Self { findings, live: BTreeMap::new() }
    }
}

impl Observer for Leaks {
    fn malloc(&mut self, at: &At<'_, '_>, lane: usize, address: u64, bytes: u64) {
        if address == 0 {
            return;
        }
        let action = super::action(at, format!("malloc of {bytes} bytes"), lane);
        self.live.insert(address, (bytes, super::kernel_of(at.launch), action));
    }

    fn free(&mut self, _: &At<'_, '_>, _: usize, address: u64) {
        self.live.remove(&address);
    }

    fn host(&mut self, event: HostEvent) {
        if let HostEvent::Free { address } = event {
            self.live.remove(&address);
        }
    }

    fn finish(&mut self) {
        for (bytes, kernel, action) in std::mem::take(&mut self.live).into_values() {
            self.findings.add(Finding {
                check: "leak",
                message: format!("{bytes} bytes that the kernel allocated are never freed"),
                kernel,
                object: None,
                actions: vec![action],
            });
        }
    }
}
