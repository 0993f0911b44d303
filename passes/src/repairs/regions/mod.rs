//! The parallel regions of flang 22, which are not made for generic kernels, its kernels that start with all threads though they
//! have serial code, and its loops whose bodies the runtime calls (`docs/upstream.md`).
//!
//! 1. [`modes`]: such a kernel becomes generic, unless its serial code does nothing that others see.
//! 2. [`super::bounds`]: its blocks have room for workers.
//! 3. [`loops`]: LLVM sees the regions in the bodies of `distribute` loops, and the runtime the turns of `ordered` ones.
//! 4. [`sharing`]: the variables that a region of a generic kernel can reach move from the main thread's stack to memory that
//!    all threads reach, as clang has them, and the region gets the [`wrapper`] by which workers call it.

mod loops;
mod modes;
mod sharing;
mod wrapper;

pub use sharing::{move_variables, run as share_variables};

use super::bounds;
use crate::analysis::kernel::Kernel;
use crate::analysis::runtime::{calls_back, known, known_call, parallel};
use crate::ir::{Function, Inst, Module};
use abi::mode::ExecMode;
use std::collections::HashSet;

/// Repairs the kernels of a module of flang, and their loops; whether it was changed.
pub fn start(module: Module) -> bool {
    let ordered = loops::ordered(module);
    let modes = modes::run(module);
    let bounds = bounds::run(module);
    ordered | modes | bounds | loops::distribute(module, &Serial::code_of(roots(module)))
}

/// Where serial code starts: generic kernels, and functions that other files may call.
fn roots(module: Module) -> Vec<Function> {
    let is_root = |function: &Function| match Kernel::of(*function) {
        Some(kernel) => kernel.mode() == ExecMode::GENERIC,
        // A kernel that clang writes for debuggers calls the function that is one.
        None => {
            !function.is_declaration()
                && !function.is_local()
                && !function.is_kernel()
                && known(*function).is_none()
        }
    };
    module.functions().into_iter().filter(is_root).collect()
}

/// Serial code: functions that run outside of parallel regions.
#[derive(Default)]
struct Serial {
    functions: HashSet<Function>,
    /// The parallel regions that they start.
    regions: Vec<Inst>,
    /// Calls of functions that are not known, which may start others.
    unknown: Vec<Inst>,
}

impl Serial {
    /// What these functions call, themselves included. Tasks are not among it: their regions have one thread.
    fn code_of(roots: impl IntoIterator<Item = Function>) -> Self {
        let mut found = Self::default();
        let mut work: Vec<Function> = roots.into_iter().collect();
        while let Some(function) = work.pop() {
            if !found.functions.insert(function) {
                continue;
            }
            for call in function.instructions().filter(|inst| inst.is_call()) {
                if parallel(call).is_some() {
                    found.regions.push(call);
                } else if let Some(callee) = called(call) {
                    work.push(callee);
                } else if known_call(call).is_none() {
                    found.unknown.push(call);
                }
            }
        }
        found
    }

    /// Whether there may be parallel regions.
    fn has_regions(&self) -> bool {
        !self.regions.is_empty() || !self.unknown.is_empty()
    }
}

/// The function of the program that a call runs: the body of a loop, where the runtime calls it.
fn called(call: Inst) -> Option<Function> {
    let callee = call.callee()?;
    let name = callee.name();
    let found = if calls_back(&name) {
        call.arguments().get(1)?.strip_casts().as_function()?
    } else {
        Some(callee).filter(|_| known(callee).is_none())?
    };
    (!found.is_declaration() && !found.is_interposable()).then_some(found)
}
