//! One loop in the place of two, and no parallel region around it.
//!
//! clang makes two loops of `distribute parallel for`: one over the chunks of a team, with a parallel region in it, and in
//! the region one over the iterations of a thread. With its own schedules a thread has one iteration of a chunk, so the two
//! are one loop in steps of the whole league's threads.
//!
//! 1. [`fuse`]: the team meets its region once, with its whole share of the loop. What is `lastprivate` in it is copied out
//!    once, too ([`last_private`]).
//! 2. [`direct`]: where the kernel does nothing but this loop and its code asks the runtime nothing, the threads run the
//!    code at once. What is left is one induction variable, and nothing is kept in registers from one iteration to the next.
//!    Such a kernel gets mode 6: the host launches a thread for each iteration. The loop is still there, for a league that
//!    has fewer threads, so that the kernel is right with any (`min_teams` of its environment is 1).
//!
//! Where two loops stay two, [`share_last`] makes `lastprivate` right.
//!
//! A `for` that is not part of a `distribute` is two loops, too, over chunks and in a chunk. [`join_chunks`] makes one of them.
//!
//! A kernel that reduces over its teams keeps its region. Its `min_teams` is 1, too: where the loop is short the host launches
//! fewer teams than it has work for, since each of them costs a result to be added.

mod chunks;
mod direct;
mod fuse;
mod last_private;
mod team_copy;

pub use chunks::run as join_chunks;
pub use team_copy::run as share_last;

use crate::Settings;
use crate::analysis::kernel::Kernel;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::parallel;
use crate::ir::{Function, Inst, Module, Opcode, Value};
use crate::remark::{Remark, Remarks};
use abi::mode::ExecMode;

/// Makes one loop of two.
pub fn fuse(module: Module, settings: &Settings, remarks: &mut Remarks) {
    if !settings.no_loop {
        return;
    }
    let regions: Vec<Inst> = module
        .functions()
        .into_iter()
        .flat_map(|function| function.instructions().filter(|inst| parallel(*inst).is_some()))
        .collect();
    for region in regions {
        if let Some(loops) = fuse::find(module, region) {
            fuse::run(&loops);
            remarks.give(Remark::LoopsFused, region);
        }
    }
}

/// Takes the region away from kernels that are one loop.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) {
    if !settings.no_loop {
        return;
    }
    let mut reaches = Reaches::of(module, settings.whole_program);
    for kernel in Kernel::all(module) {
        if let Some(whole) = direct::find(module, kernel, &mut reaches) {
            remarks.give(Remark::NoLoop, whole.region);
            direct::run(module, kernel, &whole);
        } else if kernel.mode() == ExecMode::SPMD && kernel.reduces_over_teams() && !kernel.knows_teams() {
            // Any number of teams does for its loop, and each hands in a result that has to be added.
            kernel.set_min_teams(1);
        }
    }
}

/// The call of `__kmpc_for_static_init_*` or `__kmpc_distribute_static_init_*` of a loop.
#[derive(Clone, Copy)]
struct StaticInit(Inst);

/// Operand numbers of these calls.
mod static_operand {
    pub const SCHEDULE: u32 = 2;
    pub const LAST: u32 = 3;
    pub const LOWER: u32 = 4;
    pub const UPPER: u32 = 5;
    pub const STRIDE: u32 = 6;
    pub const STEP: u32 = 7;
    pub const CHUNK: u32 = 8;
}

impl StaticInit {
    /// How the names for the threads of a team start.
    const OF_THREAD: &str = "__kmpc_for_static_init_";
    /// How those for teams do.
    const OF_TEAM: &str = "__kmpc_distribute_static_init_";

    /// A call of a function whose name starts like this.
    fn of(call: Inst, name: &str) -> Option<Self> {
        (call.callee_name().starts_with(name) && call.arguments().len() == 9).then_some(Self(call))
    }

    /// Those of a function.
    fn all(function: Function, name: &str) -> impl Iterator<Item = Self> {
        function.instructions().filter_map(move |inst| Self::of(inst, name))
    }

    /// The only one of a function.
    fn only(function: Function, name: &str) -> Option<Self> {
        let mut calls = function.instructions().filter(|inst| inst.callee_name().starts_with(name));
        let only = calls.next().and_then(|call| Self::of(call, name))?;
        calls.next().is_none().then_some(only)
    }

    /// The size and sign of the loop's variable, as the runtime's names end.
    fn kind(self) -> String {
        self.0.callee_name().rsplit('_').next().unwrap_or_default().to_owned()
    }

    fn operand(self, index: u32) -> Value {
        self.0.operand(index)
    }

    fn number(self, index: u32) -> Option<u64> {
        self.operand(index).as_constant_int()
    }

    fn has_schedule(self, schedule: i32) -> bool {
        self.number(static_operand::SCHEDULE) == u64::try_from(schedule).ok()
    }

    /// The loads from the variable at `index`, which are all that is done with it but stores and the call; none if
    /// something else is done with it.
    fn loads(self, index: u32) -> Option<Vec<Inst>> {
        let variable = self.operand(index);
        variable.as_alloca()?;
        let mut loads = Vec::new();
        for user in variable.using_instructions() {
            match user.opcode() {
                Opcode::LLVMLoad if is_dead(user) => {}
                Opcode::LLVMLoad => loads.push(user),
                Opcode::LLVMStore if user.operand(0) != variable => {}
                Opcode::LLVMCall if user == self.0 || user.callee_name().starts_with("llvm.lifetime.") => {}
                _ => return None,
            }
        }
        Some(loads)
    }
}

/// Whether nothing comes of what an instruction computes. clang asks whether a `simd` loop's last iteration is here, and the
/// stock passes before these take away what it would do then, but not the question.
fn is_dead(inst: Inst) -> bool {
    let removable = match inst.opcode() {
        Opcode::LLVMLoad => !inst.is_ordered_access(),
        _ => !inst.is_terminator() && inst.is_speculatable(),
    };
    removable && inst.using_instructions().into_iter().all(is_dead)
}
