//! Looks at converted kernels with fresh eyes: is what the conversion promises true?
//!
//! Nothing is taken over from the conversion. In the code of a kernel, and of the functions that all its threads call:
//! 1. A branch goes the same way for all threads, or asks whether this is thread 0 and sends the others to where its two
//!    ways meet: what thread 0 does between is *guarded*.
//! 2. Everything that meets other threads stands outside of guarded code.
//! 3. Outside of guarded code nothing is written, and nothing read but what thread 0 has told everybody and variables of
//!    which each thread has a copy with the same content, or what a parameter leads to where a barrier stands between that and
//!    all that thread 0 may write there.
//!    (What the passes tell the runtime all threads write alike.)
//! 4. What thread 0 tells is stored at the end of guarded code, there is a barrier between store and load, and another
//!    one before it is stored again.

use crate::analysis::capture::is_own_variable;
use crate::analysis::control::reachable;
use crate::analysis::guards::{guarded_blocks, is_thread_id, ways_of_main};
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::readers::is_for_readers;
use crate::analysis::runtime::{Known, assumptions, known, known_call, parallel};
use crate::ir::{Block, Function, Global, Inst, Location, Module, Opcode, Value};
use abi::attribute::{LONE_BARRIERS, LONE_REGIONS};
use abi::mode::ExecMode;
use std::collections::{HashMap, HashSet};

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel}, function {function}{}: {what}: {text}", .location.as_ref().map(|at| format!(" ({at})")).unwrap_or_default())]
pub struct Fault {
    /// The kernel, as the host knows it.
    pub kernel: String,
    /// The function.
    pub function: String,
    /// The instruction.
    pub text: String,
    /// Where it comes from.
    pub location: Option<Location>,
    /// Which rule it breaks.
    pub what: &'static str,
}

/// The faults of all converted kernels of a module.
pub fn faults(module: Module) -> Vec<Fault> {
    let converted = Kernel::all(module).into_iter().filter(|kernel| kernel.mode() == ExecMode::GENERIC_SPMD);
    let reaches = Reaches::of(module, false);
    converted.flat_map(|kernel| of_kernel(&kernel, &reaches)).collect()
}

fn of_kernel(kernel: &Kernel, reaches: &Reaches) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([kernel.function]);
    let mut work = vec![kernel.function];
    while let Some(function) = work.pop() {
        let recursive = reaches.called_from(function).contains(&function);
        let code = Code::of(function, function != kernel.function, recursive);
        let breach = |(inst, what): (Inst, &'static str)| Fault {
            kernel: kernel.name(),
            function: function.name(),
            text: inst.text().trim().to_owned(),
            location: inst.location(),
            what,
        };
        found.extend(code.breaches().into_iter().map(breach));
        work.extend(code.called_by_all().filter(|callee| seen.insert(*callee)));
    }
    found
}

/// One function that all threads of a team run.
struct Code {
    function: Function,
    /// Whether it may be called again.
    called: bool,
    /// Whether that may be before it returns.
    recursive: bool,
    /// The blocks that only thread 0 enters.
    guarded: HashSet<Block>,
    /// Variables of which every thread has a copy with the same content.
    copies: HashSet<Value>,
    /// What is known to be the same for all threads.
    uniform: HashSet<Inst>,
}

/// Whether a store is of a variable by which the conversion speaks to the runtime.
fn is_for_the_runtime(store: Inst) -> bool {
    let name = store.pointer().and_then(Value::as_global).map(|global| global.value().name());
    name.is_some_and(|name| [LONE_BARRIERS, LONE_REGIONS].contains(&&*name))
}

/// Whether all threads of a team meet in this call, or in what it calls.
fn meets_others(inst: Inst) -> bool {
    if parallel(inst).is_some_and(|region| region.if_clause.as_constant_int() != Some(0)) {
        return true;
    }
    inst.is_call() && inst.callee_name() == "__kmpc_barrier_simple_spmd"
}

impl Code {
    fn of(function: Function, called: bool, recursive: bool) -> Self {
        let guarded = guarded_blocks(function);
        let (copies, uniform) = (HashSet::new(), HashSet::new());
        let mut code = Self { function, called, recursive, guarded, copies, uniform };
        code.copies = function
            .instructions()
            .filter(|inst| inst.opcode() == Opcode::LLVMAlloca && code.is_copy(*inst))
            .map(Inst::value)
            .collect();
        code.find_uniform();
        code
    }

    fn is_open(&self, inst: Inst) -> bool {
        !self.guarded.contains(&inst.block())
    }

    /// Whether serial code outside of guards is all that writes a variable, by plain stores.
    fn is_copy(&self, alloca: Inst) -> bool {
        let mut work = vec![alloca.value()];
        while let Some(pointer) = work.pop() {
            for user in pointer.using_instructions() {
                let fine = match user.opcode() {
                    Opcode::LLVMLoad => true,
                    Opcode::LLVMStore if user.operand(0) == pointer => {
                        is_for_readers(alloca.function().module(), user)
                    }
                    Opcode::LLVMStore => self.is_open(user),
                    Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                        work.push(user.value());
                        true
                    }
                    Opcode::LLVMCall => {
                        parallel(user).is_some() || known_call(user) == Some(Known::TeamShare)
                    }
                    _ => false,
                };
                if !fine {
                    return false;
                }
            }
        }
        true
    }

    fn accesses_copy(&self, inst: Inst) -> bool {
        inst.pointer().is_some_and(|pointer| self.copies.contains(&pointer.underlying_object()))
    }

    /// The variable through which thread 0 tells others a value, and only that.
    fn slot(&self, load: Inst) -> Option<Global> {
        let slot = load.pointer()?.as_global()?;
        let plain = |user: &Inst| {
            matches!(user.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore)
                && user.pointer() == Some(slot.value())
        };
        let users = slot.value().users();
        let all_plain = users.iter().all(|user| user.as_inst().as_ref().is_some_and(plain));
        (all_plain && slot.is_local()).then_some(slot)
    }

    /// Starts with everything and takes out what cannot be the same, until nothing changes.
    fn find_uniform(&mut self) {
        self.uniform = self.function.instructions().filter(|inst| !inst.ty().is_void()).collect();
        loop {
            let wrong: Vec<Inst> =
                self.uniform.iter().copied().filter(|inst| !self.stays_uniform(*inst)).collect();
            if wrong.is_empty() {
                return;
            }
            wrong.iter().for_each(|inst| {
                self.uniform.remove(inst);
            });
        }
    }

    fn is_uniform(&self, value: Value) -> bool {
        value.as_inst().is_none_or(|inst| self.uniform.contains(&inst))
    }

    fn stays_uniform(&self, inst: Inst) -> bool {
        if !self.is_open(inst) {
            return false;
        }
        let operands_uniform = || inst.operands().into_iter().all(|value| self.is_uniform(value));
        match inst.opcode() {
            Opcode::LLVMAlloca => true,
            Opcode::LLVMPHI => {
                let incoming = inst.incoming();
                let parted = incoming.iter().any(|(_, from)| self.guarded.contains(from));
                let first = incoming[0].0;
                incoming.iter().all(|(value, _)| self.is_uniform(*value))
                    && (!parted || incoming.iter().all(|(value, _)| *value == first))
            }
            Opcode::LLVMLoad => {
                self.slot(inst).is_some()
                    || self.accesses_copy(inst) && self.copy_is_uniform(inst)
                    || self.is_undisturbed(inst) && operands_uniform()
            }
            Opcode::LLVMCall => match known_call(inst) {
                Some(Known::Uniform | Known::Init) => true,
                Some(Known::ThreadNumber) => false,
                Some(_) => inst.is_speculatable() && operands_uniform() && !is_thread_id(inst.value()),
                // A function that all call gives all the same: looked at there.
                None => true,
            },
            _ => (inst.is_speculatable() || inst.is_division_in_place()) && operands_uniform(),
        }
    }

    /// Whether only values that are the same for all are stored in the variable that is loaded.
    fn copy_is_uniform(&self, load: Inst) -> bool {
        let Some(variable) = load.pointer().map(Value::underlying_object) else { return false };
        self.is_uniform(load.operand(0))
            && self
                .function
                .instructions()
                .filter(|inst| inst.opcode() == Opcode::LLVMStore)
                .filter(|store| store.pointer().map(Value::underlying_object) == Some(variable))
                .all(|store| store.operands().into_iter().all(|value| self.is_uniform(value)))
    }

    /// The functions that all threads call.
    fn called_by_all(&self) -> impl Iterator<Item = Function> {
        self.function
            .instructions()
            .filter(|inst| inst.is_call() && self.is_open(*inst))
            .filter_map(Inst::callee)
            .filter(|callee| !callee.is_declaration() && known(*callee).is_none())
    }

    fn breaches(&self) -> Vec<(Inst, &'static str)> {
        let mut found = Vec::new();
        for block in self.function.blocks() {
            let end = block.terminator();
            let open = self.is_open(end);
            if open && ways_of_main(block).is_none() {
                let steered = block.successors().len() > 1 || end.opcode() == Opcode::LLVMRet;
                if steered && !end.operands().into_iter().all(|value| self.is_uniform(value)) {
                    found.push((end, "threads may differ in what this branch or return depends on"));
                }
            }
            for inst in block.instructions() {
                if !open && meets_others(inst) {
                    found.push((inst, "only thread 0 comes here, but all threads meet"));
                }
                if open && let Some(what) = self.open_breach(inst) {
                    found.push((inst, what));
                }
            }
        }
        found.extend(self.slot_breaches());
        found
    }

    /// What is wrong with an instruction that all threads execute.
    fn open_breach(&self, inst: Inst) -> Option<&'static str> {
        let operands_uniform =
            |from: usize| inst.operands().into_iter().skip(from).all(|value| self.is_uniform(value));
        match inst.opcode() {
            Opcode::LLVMLoad if self.slot(inst).is_some() || self.accesses_copy(inst) => None,
            Opcode::LLVMLoad if self.is_undisturbed(inst) => None,
            Opcode::LLVMLoad => Some("all threads read memory that thread 0 may write"),
            Opcode::LLVMStore if self.accesses_copy(inst) || is_for_the_runtime(inst) => None,
            Opcode::LLVMCall => match known_call(inst) {
                // The numbers of the threads differ.
                Some(Known::Parallel) => (!operands_uniform(2))
                    .then_some("threads may differ in the clauses or arguments of a region"),
                Some(
                    Known::Init | Known::Deinit | Known::ThreadNumber | Known::Uniform | Known::TeamShare,
                ) => None,
                Some(_) if meets_others(inst) || inst.is_speculatable() || is_thread_id(inst.value()) => None,
                None if assumptions(inst).spmd_amenable => None,
                None if inst.callee().is_some_and(|callee| !callee.is_declaration()) => {
                    (!operands_uniform(0))
                        .then_some("threads may differ in the arguments of a function that all call")
                }
                _ => Some("all threads do what only one may do"),
            },
            _ if inst.is_division_in_place() => {
                (!operands_uniform(0)).then_some("threads may differ in what they divide by each other")
            }
            _ if inst.may_write() && !inst.is_terminator() => Some("all threads do what only one may do"),
            _ => None,
        }
    }

    fn slot_breaches(&self) -> Vec<(Inst, &'static str)> {
        let mut found = Vec::new();
        let mut stores: HashMap<Value, Vec<Inst>> = HashMap::new();
        for store in self.function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMStore) {
            stores.entry(store.operand(1)).or_default().push(store);
        }
        for load in self.function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMLoad) {
            let Some(slot) = self.slot(load).filter(|_| self.is_open(load)) else { continue };
            let Some([store]) = stores.get(&slot.value()).map(Vec::as_slice) else {
                found.push((load, "what thread 0 tells is not stored at one place of this function"));
                continue;
            };
            if !self.is_stored_before(*store, load) {
                found.push((load, "thread 0 may not have stored this, or no barrier stands between"));
            }
            if self.leads_to(load, *store) {
                found.push((load, "thread 0 may store the next value before all have read this one"));
            }
        }
        found
    }

    /// Whether the guarded code that leads to the block of `load` stores on every way, and a barrier stands behind.
    fn is_stored_before(&self, store: Inst, load: Inst) -> bool {
        let block = load.block();
        let before = |inst: &Inst| *inst != load;
        let meets = block.instructions().into_iter().take_while(before).any(meets_others);
        let ways = self.function.blocks().into_iter().filter(|from| from.successors().contains(&block));
        meets
            && ways.into_iter().all(|from| {
                from == store.block() || ways_of_main(from).is_some_and(|(_, others)| others == block)
            })
    }

    /// Whether nobody writes what a load reads of a parameter's memory, from the barrier before it to the one behind.
    fn is_undisturbed(&self, load: Inst) -> bool {
        let of_parameter = load.operand(0).underlying_object().is_argument();
        let alone = of_parameter && !load.is_ordered_access() && !self.called && !self.recursive;
        let own = |inst: Inst| {
            inst.opcode() == Opcode::LLVMStore
                && (is_own_variable(inst.operand(1)) || self.slot(inst).is_some())
        };
        let may_write = |inst: &Inst| {
            inst.may_write() && !inst.is_terminator() && !meets_others(*inst) && !self.accesses_copy(*inst)
        };
        // What the runtime does for all threads touches only what is theirs.
        let of_runtime = |inst: Inst| self.is_open(inst) && known_call(inst).is_some();
        let mut writes = self.function.instructions().filter(may_write);
        alone
            && writes.all(|inst| {
                own(inst) || of_runtime(inst) || !self.leads_to(load, inst) && !self.leads_to(inst, load)
            })
    }

    /// Whether a way leads from one instruction to another without a barrier. A function that is called again goes on at
    /// its start.
    fn leads_to(&self, from: Inst, to: Inst) -> bool {
        let mut reached = false;
        let mut follow = |instructions: &[Inst]| {
            let first = instructions.iter().position(|inst| *inst == to || meets_others(*inst));
            reached |= first.is_some_and(|first| instructions[first] == to);
            let mut next = match (first, instructions.last()) {
                (None, Some(end)) => end.block().successors(),
                _ => vec![],
            };
            let calls = |inst: &Inst| self.recursive && inst.callee().is_some_and(|to| !to.is_declaration());
            let leaves = first.is_none() && next.is_empty() && self.called;
            if leaves || instructions[..first.unwrap_or(instructions.len())].iter().any(calls) {
                next.push(self.function.entry());
            }
            next
        };
        let instructions = from.block().instructions();
        let behind = instructions.iter().skip_while(|inst| **inst != from).skip(1).copied();
        let start = follow(&behind.collect::<Vec<_>>());
        reachable(start, |block| follow(&block.instructions()));
        reached
    }
}
