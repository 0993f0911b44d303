//! Calls through pointers, of functions with parallel regions that are all known: `p()` becomes
//! `p == &f ? f() : g()`.

use crate::analysis::callers::is_runtime;
use crate::analysis::reach::Reaches;
use crate::ir::{Builder, Function, Inst, Predicate};
use std::collections::HashSet;

/// More functions than this are not worth a comparison each.
const MOST: usize = 8;

/// Rewrites such calls in the serial code that starts in `function`; whether there were any. The runtime, where it is linked,
/// calls regions of all kinds through pointers of one type: it stays as it is.
pub fn run(function: Function, reaches: &mut Reaches) -> bool {
    let mut changed = false;
    let mut seen = HashSet::from([function]);
    let mut work = vec![function];
    while let Some(function) = work.pop() {
        let calls: Vec<Inst> = function.instructions().filter(|inst| inst.is_call()).collect();
        for call in calls {
            let Some(callees) = reaches.callees(call) else { continue };
            if call.callee().is_none()
                && (1..=MOST).contains(&callees.len())
                && callees.iter().all(|callee| callee.ty() == call.called_type())
                && callees.iter().any(|callee| reaches.function(*callee).regions)
            {
                by_name(call, &callees);
                changed = true;
            }
            for callee in callees {
                let is_program = !callee.is_declaration() && !is_runtime(callee);
                if is_program && reaches.function(callee).regions && seen.insert(callee) {
                    work.push(callee);
                }
            }
        }
    }
    changed
}

/// Calls one of `callees`, which are all that the pointer can be.
fn by_name(call: Inst, callees: &[Function]) {
    let Some(pointer) = call.called() else { return };
    let before = call.block();
    let after = call.next().expect("a call is no terminator").split_before("call.done");
    let rest = call.split_before("call.by.name");
    let mut results = Vec::new();
    // The branch that the next comparison takes the place of.
    let mut left = before.terminator();
    for (number, callee) in callees.iter().enumerate() {
        let block = rest.new_before("call.of");
        let done = Builder::at_end_like(block, call).branch(after);
        let direct = call.clone_before(done);
        direct.set_callee(*callee);
        results.push((direct.value(), block));
        let builder = Builder::before(left);
        if number + 1 == callees.len() {
            builder.branch(block);
            left.erase();
        } else {
            let next = rest.new_before("call.is.not");
            let is_it = builder.compare(Predicate::LLVMIntEQ, pointer, callee.value(), "call.is");
            builder.branch_if(is_it, block, next);
            left.erase();
            left = Builder::at_end_like(next, call).branch(block);
        }
    }
    if !call.ty().is_void() {
        let result = Builder::before(after.first_non_phi()).phi(call.ty(), "call.result");
        results.iter().for_each(|(value, block)| result.add_incoming(*value, *block));
        call.replace_all_uses(result.value());
    }
    rest.erase();
}
