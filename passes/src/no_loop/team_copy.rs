//! `lastprivate` of `distribute parallel for` where its two loops stay two: at `-O0`, and with schedules.
//!
//! clang gives each thread of an SPMD kernel a variable for the value that its team has last, and each thread copies its own out, though
//! only the thread with the last iteration has filled its own (docs/upstream.md). So the team gets one variable. The region ends with a barrier
//! behind which all threads read it, and no thread writes it again before the barrier with which the next region begins.

use super::last_private::ways_of_last;
use super::{StaticInit, static_operand};
use crate::analysis::callers::Callers;
use crate::analysis::kernel::Kernel;
use crate::deglobalize::ALIGNMENT;
use crate::ir::{Block, Inst, Module, Opcode};
use abi::mode::ExecMode;

/// The most bytes of such a variable: it is static shared memory.
const MOST: u64 = 4 << 10;

/// Gives teams such variables; whether there were any.
pub fn run(module: Module) -> bool {
    let mut copies = Vec::new();
    for function in module.functions() {
        for block in StaticInit::all(function, StaticInit::OF_TEAM).flat_map(blocks_of_last) {
            let objects = block.instructions().into_iter().flat_map(|inst| inst.value().operands());
            let variables = objects.filter_map(|operand| operand.underlying_object().as_inst());
            copies.extend(variables.filter_map(|variable| Copy::of(module, variable, block)));
        }
    }
    copies.sort_unstable_by_key(|copy: &Copy| copy.variable);
    copies.dedup_by_key(|copy| copy.variable);
    if copies.is_empty() {
        return false;
    }
    let callers = Callers::of(module, false);
    let is_spmd = |kernels: Vec<Kernel>| kernels.iter().all(|kernel| kernel.mode() == ExecMode::SPMD);
    copies.retain(|copy| callers.kernels_of(copy.variable.function()).is_some_and(is_spmd));
    copies.iter().for_each(|copy| copy.share(module));
    !copies.is_empty()
}

/// The blocks that a team with the last chunk executes, and nobody else.
fn blocks_of_last(init: StaticInit) -> Vec<Block> {
    let asked = init.loads(static_operand::LAST).unwrap_or_default();
    let copy = |flag: &Inst| {
        let test = flag.using_instructions().first().copied()?;
        let branch = test.using_instructions().first().copied()?;
        let (copy, behind) = ways_of_last(branch.block(), *flag)?;
        (copy.successors() == [behind]).then_some(copy)
    };
    asked.iter().filter_map(copy).collect()
}

/// A variable that each thread has for the value that its team has last.
struct Copy {
    variable: Inst,
    bytes: u64,
}

impl Copy {
    /// That of `variable`, if it is used but by a region, which gets its address, and by `block`, which copies it out.
    fn of(module: Module, variable: Inst, block: Block) -> Option<Self> {
        let bytes = match variable.opcode() {
            Opcode::LLVMAlloca => {
                variable.operand(0).as_constant_int()? * module.size_of(variable.allocated_type())
            }
            _ if variable.callee_name() == "__kmpc_alloc_shared" => variable.operand(0).as_constant_int()?,
            _ => return None,
        };
        let address = variable.value();
        let is_given = |user: &Inst| user.opcode() == Opcode::LLVMStore && user.operand(0) == address;
        let users = address.using_instructions();
        let known = |user: &Inst| is_given(user) || user.block() == block || is_end(*user);
        (bytes <= MOST && users.iter().any(is_given) && users.iter().all(known))
            .then_some(Self { variable, bytes })
    }

    fn share(&self, module: Module) {
        let global = module.add_shared_variable(module.bytes_type(self.bytes), "last_private_shared");
        module.set_alignment(global, ALIGNMENT);
        self.variable
            .value()
            .using_instructions()
            .into_iter()
            .filter(|user| is_end(*user))
            .for_each(Inst::erase);
        self.variable.value().replace_all_uses(module.generic_address(global));
        self.variable.erase();
    }
}

/// Whether an instruction says only how long a variable lives.
fn is_end(inst: Inst) -> bool {
    let name = inst.callee_name();
    name == "__kmpc_free_shared" || name.starts_with("llvm.lifetime.")
}
