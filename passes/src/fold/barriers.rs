//! Barriers that order nothing (OMP190).
//!
//! A barrier is not needed if the threads have met just before, or meet again right behind, and between the two each of them
//! works for itself: on values, on variables of its own, and on questions about itself.
//!
//! * A team meets in `__kmpc_barrier`. It also meets where a region that stands in serial code begins and ends.
//! * All threads of an SPMD kernel meet in `__kmpc_barrier_simple_spmd`, in `__kmpc_target_init`, and at the end of a
//!   region. At its begin, too, but before that they read what serial code may have set for it, and `__kmpc_target_deinit`
//!   does the same: a barrier before one of these stays.
//! * Once the runtime's code is in line, threads may read between the two what thread 0 told them through a variable of its own, if
//!   they meet again before it tells them the next value: as they do at the end of a region that begins at a condition.
//! * In the code of a construct that can be cancelled all barriers stay: at the one on the way out a thread is counted as
//!   one that left, and only this function knows which that is.

use crate::Settings;
use crate::analysis::callers::{Callers, calls_of_code, level};
use crate::analysis::capture::only_accesses;
use crate::analysis::control::{Cfg, reachable};
use crate::analysis::runtime::{Known, gives_share, known_call, parallel, parallel_operand};
use crate::ir::{Block, Function, Global, Inst, Module, Opcode, Value};
use crate::remark::{Remark, Remarks};
use std::collections::{HashMap, HashSet};
use std::ops::Deref;

const TEAM: &str = "__kmpc_barrier";
const ALL_THREADS: &str = "__kmpc_barrier_simple_spmd";
/// What both of these are once the runtime's code is in line; of all threads if it is the barrier 0.
const MACHINE: &str = "llvm.nvvm.barrier.cta.sync.aligned.all";
const CANCELS: [&str; 3] = ["__kmpc_cancel", "__kmpc_cancel_barrier", "__kmpc_cancellationpoint"];

/// Removes them.
pub fn run(
    module: Module,
    callers: &impl Deref<Target = Callers>,
    settings: &Settings,
    remarks: &mut Remarks,
) {
    let has = |name| module.function(name).is_some_and(|barrier| !barrier.value().users().is_empty());
    if settings.disable_barrier_elimination || !(has(TEAM) || has(ALL_THREADS)) {
        return;
    }
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        let calls = |barrier: &str| function.instructions().any(|inst| inst.callee_name() == barrier);
        let levels = callers.origin(function).levels;
        if calls(TEAM) && !CANCELS.into_iter().any(calls) {
            let at = |place| levels == level::ONE && is_at_region(function, place);
            Code::of(function, TEAM, at(Place::Start), at(Place::End)).remove(remarks);
        }
        if calls(ALL_THREADS) && levels == level::SERIAL && !has_tasks(function) {
            Code::of(function, ALL_THREADS, false, false).remove(remarks);
        }
    }
}

/// Removes them from an SPMD kernel whose calls of the runtime are in line; whether there were any. All threads meet at its
/// aligned barriers: LLVM moves none of them to where only some threads come. What the kernel's threads do they begin and
/// end together.
pub fn run_on_optimized(kernel: Function, settings: &Settings, remarks: &mut Remarks) -> bool {
    !settings.disable_barrier_elimination && Code::of(kernel, MACHINE, true, true).remove(remarks)
}

/// Whether serial code may stand in a task, whose regions are of one thread.
fn has_tasks(function: Function) -> bool {
    function.instructions().any(|inst| inst.callee_name().starts_with("__kmpc_omp_task"))
}

/// Where a function begins or returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    End,
}

/// Whether a region begins where a function does, or ends where it ends; or a barrier stands there in merged regions.
fn is_at_region(function: Function, place: Place) -> bool {
    let calls = calls_of_code(function);
    calls.is_some_and(|calls| calls.into_iter().all(|call| is_beside_barrier(call, place)))
}

fn is_beside_barrier(call: Inst, place: Place) -> bool {
    let caller = call.function();
    // Regions are merged in a tree: no function calls itself on this way.
    if calls_of_code(caller).is_none() || caller.blocks().len() != 1 {
        return false;
    }
    let code = Code::of(caller, TEAM, true, true);
    let instructions = call.block().instructions();
    let (before, behind) =
        instructions.split_at(instructions.iter().position(|inst| *inst == call).unwrap_or(0));
    let first_other = |inst: &&Inst| !code.is_for_itself(**inst);
    let other = match place {
        Place::Start => before.iter().rev().find(first_other),
        Place::End => behind[1..].iter().find(first_other),
    };
    match other {
        Some(other) => other.callee_name() == TEAM,
        None => is_at_region(caller, place),
    }
}

/// A function with barriers of one kind.
struct Code {
    function: Function,
    barrier: &'static str,
    /// Whether the threads meet where it begins, and where it returns.
    starts_together: bool,
    ends_together: bool,
    /// Variables that only their thread reaches.
    own: HashSet<Value>,
    /// Variables in shared memory that are read and written here as a whole, and nowhere else.
    told: HashSet<Value>,
}

impl Code {
    fn of(function: Function, barrier: &'static str, starts_together: bool, ends_together: bool) -> Self {
        let mut own: HashSet<Value> = function
            .instructions()
            .filter(|inst| inst.opcode() == Opcode::LLVMAlloca && is_own(*inst, barrier))
            .map(Inst::value)
            .collect();
        if barrier == TEAM && (starts_together || ends_together) {
            // The numbers of the thread, which the runtime keeps for the code of a region.
            own.extend(
                function.parameters().into_iter().take(2).filter(|parameter| parameter.ty().is_pointer()),
            );
        }
        let told = if barrier == MACHINE { told(function) } else { HashSet::new() };
        Self { function, barrier, starts_together, ends_together, own, told }
    }

    /// Removes what is redundant; whether there was any.
    fn remove(&self, remarks: &mut Remarks) -> bool {
        let mut removed = false;
        let mut erase = |barrier: Inst| {
            remarks.give(Remark::BarrierRemoved, barrier);
            barrier.erase();
            removed = true;
        };
        for redundant in [Self::behind_meeting, Self::before_meeting] {
            redundant(self).into_iter().for_each(&mut erase);
        }
        // One by one: the next barrier is what allows to remove this one.
        for barrier in self.behind_what_is_told() {
            if !self.tells_behind(barrier) {
                erase(barrier);
            }
        }
        removed
    }

    fn is_barrier(&self, inst: Inst) -> bool {
        let of_all = || self.barrier != MACHINE || inst.operand(0).as_constant_int() == Some(0);
        inst.opcode() == Opcode::LLVMCall && inst.callee_name() == self.barrier && of_all()
    }

    /// Whether all threads meet when they have executed this.
    fn meets(&self, inst: Inst) -> bool {
        let name = inst.callee_name();
        let at_end_of_region = || {
            let clause = parallel(inst).and_then(|region| region.if_clause.as_constant_int());
            name == "__kmpc_target_init" || clause.is_some_and(|clause| clause != 0)
        };
        self.is_barrier(inst) || self.barrier == ALL_THREADS && at_end_of_region()
    }

    /// Whether no other thread can notice this.
    fn is_for_itself(&self, inst: Inst) -> bool {
        let is_own = |pointer: Value| self.own.contains(&pointer.underlying_object());
        match inst.opcode() {
            Opcode::LLVMPHI | Opcode::LLVMAlloca | Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMRet => {
                true
            }
            Opcode::LLVMLoad | Opcode::LLVMStore => inst.pointer().is_some_and(is_own),
            Opcode::LLVMCall => {
                let name = inst.callee_name();
                matches!(known_call(inst), Some(Known::Uniform | Known::ThreadNumber | Known::Serial(_)))
                    || ABOUT_ITSELF.contains(&&*name)
                    || gives_share(inst)
                        && inst
                            .arguments()
                            .into_iter()
                            .skip(1)
                            .all(|value| !value.ty().is_pointer() || is_own(value))
                    || name.starts_with("llvm.lifetime.")
                    || name == "llvm.assume"
                    || inst.is_speculatable()
            }
            _ => inst.is_speculatable(),
        }
    }

    /// Whether the threads have met last, behind `inst`, if `met` says so for before it.
    fn behind(&self, met: bool, inst: Inst) -> bool {
        self.meets(inst) || met && self.is_for_itself(inst)
    }

    /// The same if they may also read what they are told, in between.
    fn behind_or_told(&self, met: bool, inst: Inst) -> bool {
        let reads = inst.opcode() == Opcode::LLVMLoad && self.told.contains(&inst.operand(0));
        self.behind(met, inst) || met && reads
    }

    /// Whether the threads meet next, before `inst`, if `meet` says so for behind it. What begins a region reads before
    /// it meets.
    fn before(&self, meet: bool, inst: Inst) -> bool {
        self.is_barrier(inst) || meet && self.is_for_itself(inst)
    }

    /// Barriers before which, on every way, the threads have met.
    fn behind_meeting(&self) -> Vec<Inst> {
        self.met_before(Self::behind)
    }

    /// The same of barriers before which the threads may also have read what they are told.
    fn behind_what_is_told(&self) -> Vec<Inst> {
        if self.told.is_empty() { Vec::new() } else { self.met_before(Self::behind_or_told) }
    }

    /// Whether a told variable may be written behind a barrier and before the next one.
    fn tells_behind(&self, barrier: Inst) -> bool {
        let tells = |inst: Inst| inst.opcode() == Opcode::LLVMStore && self.told.contains(&inst.operand(1));
        let first = |from: Option<Inst>| {
            std::iter::successors(from, |inst| inst.next())
                .find(|inst| self.is_barrier(*inst) || tells(*inst))
        };
        let first_of = |block: Block| first(block.instructions().first().copied());
        let ways = |block: Block| if first_of(block).is_some() { Vec::new() } else { block.successors() };
        match first(barrier.next()) {
            Some(inst) => tells(inst),
            None => reachable(barrier.block().successors(), ways).into_iter().filter_map(first_of).any(tells),
        }
    }

    /// Barriers at which the threads have met on every way, if `step` says what keeps it so.
    fn met_before(&self, step: impl Fn(&Self, bool, Inst) -> bool) -> Vec<Inst> {
        let cfg = Cfg::of(self.function);
        let across =
            |block: Block, met| block.instructions().into_iter().fold(met, |met, inst| step(self, met, inst));
        let met = settle(&cfg.order, across, |block, end| {
            (block != self.function.entry() || self.starts_together)
                && cfg.predecessors(block).iter().all(|before| end(*before))
        });
        let found = |block: &Block| self.redundant(block.instructions(), met[block], &step);
        cfg.order.iter().flat_map(found).collect()
    }

    /// Barriers behind which, on every way, they meet.
    fn before_meeting(&self) -> Vec<Inst> {
        let mut blocks = Cfg::of(self.function).order;
        blocks.reverse();
        let backwards = |block: Block| block.instructions().into_iter().rev();
        let across = |block: Block, meet| backwards(block).fold(meet, |meet, inst| self.before(meet, inst));
        let meet = settle(&blocks, across, |block, start| match &block.successors()[..] {
            [] => self.ends_together && block.terminator().opcode() == Opcode::LLVMRet,
            ways => ways.iter().all(|next| start(*next)),
        });
        let found = |block: &Block| self.redundant(backwards(*block).collect(), meet[block], Self::before);
        blocks.iter().flat_map(found).collect()
    }

    /// The barriers among `instructions` at which `met` holds, which `step` carries on.
    fn redundant(
        &self,
        instructions: Vec<Inst>,
        mut met: bool,
        step: impl Fn(&Self, bool, Inst) -> bool,
    ) -> Vec<Inst> {
        let mut found = Vec::new();
        for inst in instructions {
            if met && self.is_barrier(inst) {
                found.push(inst);
            }
            met = step(self, met, inst);
        }
        found
    }
}

/// The variables of which [`Code::told`] speaks.
fn told(function: Function) -> HashSet<Value> {
    let accesses = |inst: Inst, variable| {
        inst.function() == function && inst.pointer().is_some() && only_accesses(inst, variable)
    };
    let is_told = |variable: Value| {
        let mut users = variable.users().into_iter();
        users.all(|user| user.as_inst().is_some_and(|inst| accesses(inst, variable)))
    };
    let variables = function.instructions().filter_map(Inst::pointer).filter_map(Value::as_global);
    let shared = variables.filter(|variable| variable.is_shared() && variable.is_local());
    shared.map(Global::value).filter(|variable| is_told(*variable)).collect()
}

/// What is so where blocks are entered, in this order: starts with yes for all, and takes back what `holds` denies, until
/// nothing changes. `across` says what is then so at the other side of a block, which `holds` can ask for.
fn settle(
    blocks: &[Block],
    across: impl Fn(Block, bool) -> bool,
    holds: impl Fn(Block, &dyn Fn(Block) -> bool) -> bool,
) -> HashMap<Block, bool> {
    let sides: HashMap<Block, [bool; 2]> =
        blocks.iter().map(|block| (*block, [false, true].map(|met| across(*block, met)))).collect();
    let mut met: HashMap<Block, bool> = blocks.iter().map(|block| (*block, true)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for block in blocks {
            if met[block] && !holds(*block, &|other| sides[&other][usize::from(met[&other])]) {
                met.insert(*block, false);
                changed = true;
            }
        }
    }
    met
}

/// Questions of a thread about itself, and ends of constructs that need nothing.
const ABOUT_ITSELF: [&str; 9] = [
    "__kmpc_end_masked",
    "__kmpc_end_master",
    "__kmpc_end_single",
    "__kmpc_for_static_fini",
    "__kmpc_get_hardware_thread_id_in_block",
    "__kmpc_masked",
    "__kmpc_master",
    "__kmpc_parallel_level",
    "__kmpc_single",
];

/// Whether no other thread gets the address of a variable.
fn is_own(alloca: Inst, barrier: &str) -> bool {
    let mut work = vec![alloca.value()];
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            let fine = match user.opcode() {
                Opcode::LLVMLoad => true,
                Opcode::LLVMStore => user.operand(0) != pointer,
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                    work.push(user.value());
                    true
                }
                Opcode::LLVMCall => {
                    let name = user.callee_name();
                    // In serial code of an SPMD kernel each thread reads the arguments that it passes itself.
                    let passes = barrier == ALL_THREADS && parallel(user).is_some();
                    passes && user.operand(parallel_operand::ARGUMENTS) == pointer
                        || gives_share(user)
                        || name.starts_with("llvm.lifetime.")
                        || name.starts_with("llvm.mem")
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
