//! What `teams` reduces, in an SPMD kernel of one parallel region that does not only reduce it itself: `target teams reduction(+ : s)` around
//! `parallel`, in which `atomic` or `critical` adds to `s`.
//!
//! clang gives each thread the team's copy on its own stack, and the team hands in what thread 0 has: what others add is lost
//! (docs/upstream.md). So the region gets a variable that the team has in shared memory. All threads write there what they have, before the barrier
//! with which a region begins, and read it behind the one with which it ends.

use crate::analysis::callers::Callers;
use crate::analysis::control::Cfg;
use crate::analysis::reductions::{LEAGUE, TEAM, calls};
use crate::analysis::runtime::{THREAD_PARAMETERS, parallel, parallel_operand, region_code};
use crate::deglobalize::ALIGNMENT;
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode};
use abi::mode::ExecMode;

/// The argument of `LEAGUE` that is the list of the variables.
const LIST: usize = 4;
/// The most bytes of such a variable: it is static shared memory.
const MOST: u64 = 4 << 10;

/// Gives teams such variables; whether there were any.
pub fn run(module: Module) -> bool {
    let calls = calls(module, LEAGUE).into_iter();
    let found: Vec<Given> = calls.flat_map(|call| given_to_regions(module, call)).collect();
    if found.is_empty() {
        return false;
    }
    let callers = Callers::of(module, false);
    let mut changed = false;
    for given in found {
        let kernels = callers.kernels_of(given.region.function()).unwrap_or_default();
        if !kernels.is_empty() && kernels.iter().all(|kernel| kernel.mode() == ExecMode::SPMD) {
            given.share(module);
            changed = true;
        }
    }
    changed
}

/// A variable of a reduction over teams, whose address a region gets that does not reduce.
struct Given {
    variable: Inst,
    /// The store of its address where the region's arguments are.
    argument: Inst,
    region: Inst,
}

impl Given {
    fn share(&self, module: Module) {
        let bytes = module.size_of(self.variable.allocated_type());
        let global = module.add_shared_variable(module.bytes_type(bytes), "team_sum_shared");
        module.set_alignment(global, ALIGNMENT);
        let (own, of_team) = (self.variable.value(), module.generic_address(global));
        let (own, of_team) = ((own, self.variable.alignment()), (of_team, ALIGNMENT));
        Builder::before(self.argument).copy_aligned(of_team, own, bytes);
        self.argument.set_operand(0, of_team.0);
        let behind = self.region.next().expect("a call is no terminator");
        Builder::before(behind).copy_aligned(own, of_team, bytes);
    }
}

fn given_to_regions(module: Module, reduction: Inst) -> Vec<Given> {
    let Some(list) = reduction.arguments().get(LIST).and_then(|list| list.as_alloca()) else {
        return Vec::new();
    };
    let function = reduction.function();
    let regions: Vec<Inst> = function.instructions().filter(|inst| parallel(*inst).is_some()).collect();
    let region_of = |array: Inst| {
        let mut with = regions
            .iter()
            .filter(|region| region.operand(parallel_operand::ARGUMENTS).as_alloca() == Some(array));
        with.next().copied().filter(|_| with.next().is_none())
    };
    let mut found = Vec::new();
    for variable in function.instructions().filter_map(|inst| stored_in(module, inst, list)) {
        if module.size_of(variable.allocated_type()) > MOST
            || variable.operand(0).as_constant_int() != Some(1)
        {
            continue;
        }
        for argument in variable.value().using_instructions() {
            if argument.stored() != Some(variable.value()) {
                continue;
            }
            let (array, offset) = argument.operand(1).base_and_offset(module);
            let region = array.as_alloca().filter(|array| *array != list).and_then(region_of);
            if let Some(region) = region.filter(|region| !only_reduces(*region, offset)) {
                found.push(Given { variable, argument, region });
            }
        }
    }
    found
}

/// The variable whose address `inst` stores in `list`.
fn stored_in(module: Module, inst: Inst, list: Inst) -> Option<Inst> {
    let variable = inst.stored()?.as_alloca()?;
    (inst.pointer()?.base_and_offset(module).0 == list.value()).then_some(variable)
}

/// Whether a region does nothing with the variable whose address stands at `offset` of its arguments but to reduce into it.
fn only_reduces(region: Inst, offset: i64) -> bool {
    let parameter = usize::try_from(offset).ok().map(|offset| THREAD_PARAMETERS + offset / 8);
    let code = region_code(region).map(|(code, _)| code);
    code.zip(parameter).is_some_and(|(code, parameter)| reduces_alone(code, parameter, true))
}

/// Whether a function touches what a parameter points to only where the thread has the result of a reduction. `outer`: or the function that it
/// gives the parameter to, as clang writes it for debuggers.
fn reduces_alone(code: Function, parameter: usize, outer: bool) -> bool {
    let Some(given) = code.parameters().get(parameter).copied() else { return false };
    let cfg = Cfg::of(code);
    let (dominators, results) = (cfg.dominators(), with_result(&cfg));
    let has_result = |block| results.iter().any(|result| dominators.dominates(*result, block));
    // Where code that is not optimised keeps the address, and what it reads from there.
    let mut places = Vec::new();
    let mut addresses = vec![given];
    let mut at = 0;
    while let Some(address) = addresses.get(at).copied() {
        at += 1;
        for user in address.using_instructions() {
            let kept = if user.stored() == Some(address) { user.operand(1).as_alloca() } else { None };
            match kept {
                Some(place) if !places.contains(&place) => {
                    places.push(place);
                    let loads = place.value().using_instructions().into_iter();
                    addresses.extend(
                        loads.filter(|load| load.opcode() == Opcode::LLVMLoad).map(|load| load.value()),
                    );
                }
                Some(_) => {}
                None if has_result(user.block()) || user.opcode() == Opcode::LLVMPtrToInt => {}
                None if user.opcode() == Opcode::LLVMGetElementPtr => addresses.push(user.value()),
                None => {
                    let callee = user.callee().filter(|callee| outer && !callee.is_declaration());
                    let given_to = callee.and_then(|callee| {
                        let index = user.arguments().iter().position(|argument| *argument == address)?;
                        Some((callee, index))
                    });
                    if !given_to.is_some_and(|(callee, index)| reduces_alone(callee, index, false)) {
                        return false;
                    }
                }
            }
        }
    }
    true
}

/// The blocks that begin what only the thread does to which a reduction gave 1.
fn with_result(cfg: &Cfg) -> Vec<Block> {
    let result = |block: &Block| {
        let test = block.terminator().value().operands().first()?.as_inst()?;
        let call = test.operands().first().and_then(|call| call.as_inst())?;
        let result = block.successors().first().copied()?;
        let asks = test.opcode() == Opcode::LLVMICmp && call.callee_name() == TEAM;
        (asks && cfg.predecessors(result) == [*block]).then_some(result)
    };
    cfg.order.iter().filter_map(result).collect()
}
