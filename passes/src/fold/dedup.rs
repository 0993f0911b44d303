//! The same question asked twice by a function (OMP170): once is enough, if nothing between changes the answer.
//!
//! A question that stands before another one on every way answers it, too. Questions on different ways are asked once,
//! before the ways part, if that is in user code, and all threads may ask there.

use crate::analysis::control::{Cfg, Dominators};
use crate::analysis::guards::guarded_blocks;
use crate::analysis::runtime::{Known, known_call, parallel};
use crate::ir::{Block, Function, Inst, Module, Opcode, Value};
use crate::remark::{Remark, Remarks};
use std::collections::{HashMap, HashSet};

/// How long a thread gets the same answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasts {
    /// As long as the kernel runs.
    Kernel,
    /// As long as its implicit or explicit task: what starts another one is a function of its own, but for [`TASK_ENDS`].
    Task,
    /// Until it sets a control variable.
    Setting,
}

/// Between these the code of a function is in another task or region.
const TASK_ENDS: [&str; 4] = [
    "__kmpc_serialized_parallel",
    "__kmpc_end_serialized_parallel",
    "__kmpc_omp_task_begin_if0",
    "__kmpc_omp_task_complete_if0",
];

fn lasts(name: &str) -> Option<Lasts> {
    Some(match name {
        "__kmpc_get_hardware_num_threads_in_block"
        | "__kmpc_get_hardware_num_blocks"
        | "__kmpc_get_hardware_thread_id_in_block"
        | "__kmpc_get_warp_size"
        | "__kmpc_is_spmd_exec_mode"
        | "omp_get_cancellation"
        | "omp_get_device_num"
        | "omp_get_initial_device"
        | "omp_get_num_devices"
        | "omp_get_num_places"
        | "omp_get_num_procs"
        | "omp_get_num_teams"
        | "omp_get_partition_num_places"
        | "omp_get_place_num"
        | "omp_get_proc_bind"
        | "omp_get_supported_active_levels"
        | "omp_get_team_num"
        | "omp_get_thread_limit"
        | "omp_is_initial_device" => Lasts::Kernel,
        "__kmpc_global_thread_num"
        | "__kmpc_parallel_level"
        | "omp_get_active_level"
        | "omp_get_ancestor_thread_num"
        | "omp_get_level"
        | "omp_get_num_threads"
        | "omp_get_team_size"
        | "omp_get_thread_num"
        | "omp_in_explicit_task"
        | "omp_in_final"
        | "omp_in_parallel" => Lasts::Task,
        "omp_get_default_device" | "omp_get_max_active_levels" | "omp_get_max_threads" | "omp_get_nested" => {
            Lasts::Setting
        }
        _ => return None,
    })
}

/// Does so in all functions of a module. `runtime`: see [`super::runtime_code`].
pub fn run(module: Module, runtime: &HashSet<Function>, remarks: &mut Remarks) {
    let functions = module.functions();
    let questions: HashMap<Function, Lasts> =
        functions.iter().filter_map(|function| Some((*function, lasts(&function.name())?))).collect();
    for function in functions.into_iter().filter(|function| !function.is_declaration()) {
        let groups = groups(function, &questions);
        if groups.is_empty() {
            continue;
        }
        let asker = Asker::of(function, runtime.contains(&function));
        for (lasts, calls) in groups {
            if asker.keeps(lasts) {
                asker.merge(&calls, remarks);
            }
        }
    }
}

/// The calls of a function that ask the same, in an order in which none stands before one that dominates it.
fn groups(function: Function, questions: &HashMap<Function, Lasts>) -> Vec<(Lasts, Vec<Inst>)> {
    let question = |inst: &Inst| {
        inst.opcode() == Opcode::LLVMCall
            && inst.callee().is_some_and(|callee| questions.contains_key(&callee))
    };
    if function.instructions().filter(question).nth(1).is_none() {
        return Vec::new();
    }
    let mut number: HashMap<(Function, Vec<Value>), usize> = HashMap::new();
    let mut groups: Vec<(Lasts, Vec<Inst>)> = Vec::new();
    for call in Cfg::of(function).order.into_iter().flat_map(Block::instructions).filter(question) {
        let Some(callee) = call.callee() else { continue };
        let group = *number.entry((callee, what(call))).or_insert_with(|| {
            groups.push((questions[&callee], Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(call);
    }
    groups.retain(|(_, calls)| calls.len() > 1);
    groups
}

/// What a call asks, but for the place in the source, and the number of the thread, that tell it only who asks.
fn what(call: Inst) -> Vec<Value> {
    match &*call.callee_name() {
        "__kmpc_global_thread_num" | "__kmpc_parallel_level" => Vec::new(),
        _ => call.arguments(),
    }
}

/// A function that asks.
struct Asker {
    /// Where user code comes from, in a kernel.
    init: Option<Block>,
    dominators: Dominators,
    guarded: HashSet<Block>,
    is_runtime: bool,
    changes_task: bool,
    changes_settings: bool,
}

impl Asker {
    fn of(function: Function, is_runtime: bool) -> Self {
        let cfg = Cfg::of(function);
        let calls: Vec<Inst> = function.instructions().filter(|inst| inst.is_call()).collect();
        let init = calls.iter().find(|call| call.callee_name() == "__kmpc_target_init");
        Self {
            init: init.map(|call| call.block()),
            dominators: cfg.dominators(),
            guarded: guarded_blocks(function),
            is_runtime,
            changes_task: is_runtime || calls.iter().any(|call| TASK_ENDS.contains(&&*call.callee_name())),
            changes_settings: is_runtime || calls.iter().any(|call| may_set(*call)),
        }
    }

    fn keeps(&self, lasts: Lasts) -> bool {
        match lasts {
            Lasts::Kernel => true,
            Lasts::Task => !self.changes_task,
            Lasts::Setting => !self.changes_task && !self.changes_settings,
        }
    }

    fn merge(&self, calls: &[Inst], remarks: &mut Remarks) {
        let mut first: Vec<Inst> = Vec::new();
        for &call in calls {
            match first.iter().find(|other| self.dominators.dominates(other.block(), call.block())) {
                Some(other) => self.replace(call, *other, remarks),
                None => first.push(call),
            }
        }
        let Some((&earliest, others)) = first.split_first().filter(|(_, others)| !others.is_empty()) else {
            return;
        };
        let common =
            first.iter().map(|call| call.block()).reduce(|one, other| self.dominators.common(one, other));
        if let Some(common) = common.filter(|common| self.may_ask(&first, *common)) {
            earliest.move_before(common.terminator());
            others.iter().for_each(|call| self.replace(*call, earliest, remarks));
        }
    }

    fn replace(&self, call: Inst, with: Inst, remarks: &mut Remarks) {
        if !self.is_runtime {
            remarks.give(Remark::Deduplicated(call.callee_name()), call);
        }
        call.replace_all_uses(with.value());
        call.erase();
    }

    /// Whether all these questions can be asked once at the end of `common`.
    fn may_ask(&self, calls: &[Inst], common: Block) -> bool {
        let is_user_code =
            self.init.is_none_or(|init| common != init && self.dominators.dominates(init, common));
        let is_for_all = matches!(known_call(calls[0]), Some(Known::Uniform | Known::ThreadNumber));
        let same_threads = self.guarded.is_empty() || is_for_all && !self.guarded.contains(&common);
        let is_known = |value: &Value| value.is_constant() || value.is_argument();
        is_user_code && same_threads && calls[0].arguments().iter().all(is_known)
    }
}

/// Whether a call may set a control variable of this thread.
fn may_set(call: Inst) -> bool {
    let asks = || lasts(&call.callee_name()).is_some();
    parallel(call).is_some()
        || !(asks()
            || matches!(known_call(call), Some(kind) if !matches!(kind, Known::SetsState | Known::Parallel)))
}
