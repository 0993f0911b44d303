//! Which functions reach parallel regions.

use super::runtime::{Assumptions, Known, assumptions, calls_back, is_openmp, known, parallel};
use crate::ir::{Function, Inst, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// What a call may do that serial code of a converted kernel must know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// A parallel region, of the function itself or of one that it calls.
    pub regions: bool,
    /// Code that is not known.
    pub unknown: bool,
    /// A function of the runtime that changes its state.
    pub sets_state: bool,
}

impl Reach {
    const UNKNOWN: Self = Self { regions: false, unknown: true, sets_state: true };

    fn join(self, other: Self) -> Self {
        Self {
            regions: self.regions || other.regions,
            unknown: self.unknown || other.unknown,
            sets_state: self.sets_state || other.sets_state,
        }
    }

    /// The same of a call of which something was promised.
    fn with(self, promised: Assumptions) -> Self {
        Self {
            regions: self.regions && !promised.no_parallelism,
            unknown: self.unknown && !promised.no_parallelism,
            sets_state: self.sets_state && !promised.no_openmp,
        }
    }

    /// Whether a call of it can be left to one thread.
    pub fn is_serial(self) -> bool {
        !self.regions && !self.unknown
    }
}

/// Whether a function may come to one of the OpenMP runtime.
pub fn may_ask_runtime(function: Function) -> bool {
    let mut seen = HashSet::from([function]);
    let mut work = vec![function];
    while let Some(function) = work.pop() {
        if is_openmp(&function.name()) {
            return true;
        }
        for call in function.instructions().filter(|inst| inst.is_call()) {
            match call.callee() {
                Some(callee) if seen.insert(callee) => work.push(callee),
                None if !call.called().is_some_and(Value::is_inline_asm) => return true,
                Some(_) | None => {}
            }
        }
    }
    false
}

/// The answers for a module, computed when asked for.
pub struct Reaches {
    /// Whether the module is all the code of the device: only then are the callees of pointers known.
    whole_program: bool,
    found: HashMap<Function, Reach>,
    /// What pointers may point at; of a whole program only.
    address_taken: Vec<Function>,
}

impl Reaches {
    /// For `module`, which is all the code of the device if `whole_program`.
    pub fn of(module: Module, whole_program: bool) -> Self {
        let mut address_taken = Vec::new();
        if whole_program {
            address_taken = module.functions();
            address_taken.retain(|function| is_address_taken(*function));
        }
        Self { whole_program, found: HashMap::new(), address_taken }
    }

    /// What calls of `function` reach.
    pub fn function(&mut self, function: Function) -> Reach {
        if let Some(found) = self.found.get(&function) {
            return *found;
        }
        // All functions of a cycle reach the same: walk the calls from here without the answers of others.
        let mut reach = Reach::default();
        let first = (function, Assumptions::default());
        let mut seen = HashSet::from([first]);
        let mut work = vec![first];
        while let Some((function, promised)) = work.pop() {
            if let Some(found) = self.found.get(&function) {
                reach = reach.join(found.with(promised));
                continue;
            }
            let own = match known(function) {
                Some(Known::Parallel) => Reach { regions: true, ..Reach::default() },
                Some(Known::SetsState) => Reach { sets_state: true, ..Reach::default() },
                Some(_) => Reach::default(),
                // The runtime's own code is not looked into where it is linked: it is not written to be converted.
                None if function.is_declaration()
                    || function.is_interposable()
                    || calls_back(&function.name()) =>
                {
                    Reach::UNKNOWN
                }
                None => {
                    let mut unknown = Reach::default();
                    for call in function.instructions().filter(|inst| inst.is_call()) {
                        let promised = promised.and(assumptions(call));
                        match self.callees(call) {
                            Some(callees) => work.extend(
                                callees
                                    .into_iter()
                                    .map(|callee| (callee, promised))
                                    .filter(|next| seen.insert(*next)),
                            ),
                            None => unknown = unknown.join(Reach::UNKNOWN.with(promised)),
                        }
                    }
                    unknown
                }
            };
            reach = reach.join(own.with(promised));
        }
        self.found.insert(function, reach);
        reach
    }

    /// What a call reaches.
    pub fn call(&mut self, call: Inst) -> Reach {
        let reach = match self.callees(call) {
            Some(callees) => {
                callees.into_iter().fold(Reach::default(), |reach, callee| reach.join(self.function(callee)))
            }
            None => Reach::UNKNOWN,
        };
        reach.with(assumptions(call))
    }

    /// The functions of the program that a call may call directly: the runtime, where it is linked, is not looked into.
    pub fn program_callees(&self, call: Inst) -> Vec<Function> {
        let callees = self.callees(call).unwrap_or_default();
        callees.into_iter().filter(|callee| known(*callee).is_none()).collect()
    }

    /// The functions of the program that are called from `function`, and those that they call; itself among them only if
    /// it may be called again before it returns.
    pub fn called_from(&self, function: Function) -> HashSet<Function> {
        let mut found = HashSet::new();
        let mut work = vec![function];
        while let Some(next) = work.pop() {
            for call in next.instructions().filter(|inst| inst.is_call()) {
                work.extend(self.program_callees(call).into_iter().filter(|callee| found.insert(*callee)));
            }
        }
        found
    }

    /// The functions of the program that run when `function` does: itself, those that are called, and the code of regions.
    pub fn run_by(&self, function: Function) -> HashSet<Function> {
        let mut found = HashSet::from([function]);
        let mut work = vec![function];
        while let Some(next) = work.pop() {
            for call in next.instructions().filter(|inst| inst.is_call()) {
                let code = parallel(call).and_then(|region| region.code.strip_casts().as_function());
                let run = self.program_callees(call).into_iter().chain(code);
                work.extend(run.filter(|function| found.insert(*function)));
            }
        }
        found
    }

    /// The functions that a call may call, other than inline assembly; none if that is not known, whatever was promised of them.
    pub fn callees(&self, call: Inst) -> Option<Vec<Function>> {
        let called = call.called()?.strip_casts();
        if called.is_inline_asm() {
            return Some(Vec::new());
        }
        let mut found = Vec::new();
        if possible_functions(called, &mut found, &mut HashSet::new()) {
            return Some(found);
        }
        let same_type = |function: &&Function| function.ty() == call.called_type();
        self.whole_program.then(|| self.address_taken.iter().filter(same_type).copied().collect())
    }
}

/// Adds the functions that `value` may be; false if it may be others.
fn possible_functions(value: Value, found: &mut Vec<Function>, seen: &mut HashSet<Value>) -> bool {
    if !seen.insert(value) {
        return true;
    }
    let value = value.strip_casts();
    if let Some(function) = value.as_function() {
        found.push(function);
        return true;
    }
    let Some(inst) = value.as_inst() else { return false };
    match inst.opcode() {
        Opcode::LLVMSelect => [1, 2].into_iter().all(|n| possible_functions(inst.operand(n), found, seen)),
        Opcode::LLVMPHI => {
            inst.incoming().into_iter().all(|(value, _)| possible_functions(value, found, seen))
        }
        _ => false,
    }
}

/// Whether something else is done with a function's address than calling it.
pub fn is_address_taken(function: Function) -> bool {
    function.value().users().into_iter().any(|user| match user.as_inst() {
        Some(call) if call.is_call() => call.arguments().contains(&function.value()),
        _ => true,
    })
}
