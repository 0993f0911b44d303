//! Functions that come to call themselves.
//!
//! `ptxas -c` (13.0) leaves the points out at which the lanes of a warp meet again from a function that calls itself: the lanes stay
//! apart until the next barrier. And it keeps values in registers of the warp all the same, as if they met, so that lanes get each
//! other's (docs/upstream.md). It knows recursion by calls that name the function. So one call of each circle gets the function's
//! address from where ptxas does not see it.

use crate::ir::{Builder, Function, Inst, Module};
use std::collections::HashSet;

/// Hides one call of each circle of calls; whether there were any.
pub fn run(module: Module) -> bool {
    let mut walk = Walk::default();
    module.functions().into_iter().for_each(|function| walk.enter(function));
    let mut any = false;
    for call in walk.closing {
        any |= hide(call);
    }
    any
}

/// A walk along calls, depth first.
#[derive(Default)]
struct Walk {
    /// The functions that it has come to.
    seen: HashSet<Function>,
    /// Those of them that it has not left: they lead to where it is.
    open: HashSet<Function>,
    /// The calls that lead back to one of those.
    closing: Vec<Inst>,
}

impl Walk {
    fn enter(&mut self, function: Function) {
        if !self.seen.insert(function) {
            return;
        }
        self.open.insert(function);
        for call in function.instructions().filter(|inst| inst.is_call()) {
            match call.callee() {
                Some(callee) if self.open.contains(&callee) => self.closing.push(call),
                Some(callee) => self.enter(callee),
                None => {}
            }
        }
        self.open.remove(&function);
    }
}

/// Hides which function a call is of; whether that can be.
fn hide(call: Inst) -> bool {
    let Some(called) = call.called() else { return false };
    let hidden = Builder::before(call).hide(called);
    hidden.inspect(|hidden| call.set_called(hidden.value())).is_some()
}
