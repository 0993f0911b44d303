//! Loops over chunks of one iteration, which clang makes of a `for` that is not part of a `distribute`, and of `schedule(static, 1)`.
//!
//! There are two: one over the chunks of a thread, and in it one over the iterations of a chunk, to the end of that or of the whole
//! loop. LLVM does not see that a chunk begins where it ends: both are moved on for themselves. So the end moves with the beginning
//! from now on, and the inner loop has one turn. LLVM makes one loop of it, in steps of the team's size.

use super::{StaticInit, static_operand};
use crate::Settings;
use crate::analysis::control::Cfg;
use crate::ir::{Block, Builder, Inst, Module, Opcode, Predicate, Value};
use crate::remark::{Remark, Remarks};
use abi::schedule;

/// Makes one turn of the loops over the iterations of such chunks.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) {
    if !settings.no_loop {
        return;
    }
    for function in module.functions() {
        let inits: Vec<StaticInit> = [StaticInit::OF_THREAD, StaticInit::OF_TEAM]
            .into_iter()
            .flat_map(|name| StaticInit::all(function, name))
            .filter(|init| is_of_one(*init))
            .collect();
        if inits.is_empty() {
            continue;
        }
        let cfg = Cfg::of(function);
        for (init, loops) in inits.into_iter().filter_map(|init| Some((init, Loops::of(&cfg, init)?))) {
            loops.join();
            remarks.give(Remark::ChunksJoined, init.0);
        }
    }
}

/// Whether chunks have one iteration.
fn is_of_one(init: StaticInit) -> bool {
    let schedules = [schedule::STATIC_CHUNK, schedule::DISTRIBUTE_STATIC_CHUNK];
    schedules.iter().any(|kind| init.has_schedule(*kind))
        && [static_operand::STEP, static_operand::CHUNK].iter().all(|index| init.number(*index) == Some(1))
}

/// The two loops.
struct Loops {
    /// Ends the outer loop if there is no further chunk, else goes to `inner`.
    outer: Block,
    /// Ends the inner loop at the end of the chunk.
    inner: Block,
    /// The iteration, there.
    iteration: Inst,
    /// The first iteration of a chunk, in the outer loop.
    begin: Value,
    /// The end of the chunk or of the whole loop, there.
    end: Value,
    /// The store that moves the end on.
    end_moves: Inst,
    /// The beginning of the next chunk.
    next: Value,
}

impl Loops {
    /// Those behind `init`, if they are as clang writes them: nothing but they and the runtime changes the bounds.
    fn of(cfg: &Cfg, init: StaticInit) -> Option<Self> {
        let [lower, upper, stride] = [static_operand::LOWER, static_operand::UPPER, static_operand::STRIDE]
            .map(|index| init.operand(index));
        let begins = changes(init, static_operand::LOWER)?;
        let ends = changes(init, static_operand::UPPER)?;
        let (&[begin_moves], true) = (begins.as_slice(), changes(init, static_operand::STRIDE)?.is_empty())
        else {
            return None;
        };
        let moves = |store: Inst, bound| {
            let sum = store.operand(0).as_inst().filter(|sum| sum.opcode() == Opcode::LLVMAdd)?;
            let here = [sum.operand(0), sum.operand(1)].into_iter().all(|part| is_in(part, store.block()));
            (here && is_load(sum.operand(0), bound) && is_load(sum.operand(1), stride)).then_some(sum)
        };
        let next = moves(begin_moves, lower)?;
        let (end_moves, limited) = match *ends.as_slice() {
            [one, other] if moves(one, upper).is_some() => (one, other),
            [one, other] if moves(other, upper).is_some() => (other, one),
            _ => return None,
        };
        let latch = end_moves.block();
        let dominators = cfg.dominators();
        let together = begin_moves.block() == latch && dominators.dominates_instruction(next, end_moves);

        let outer = limited.block();
        let end = limited.operand(0);
        let (begin, inner) = turn(outer, |bound| bound == end)?;
        let (iteration, _) = turn(inner, |bound| is_load(bound, upper) && is_in(bound, inner))?;
        let iteration = iteration.as_inst().filter(|phi| phi.is_phi() && phi.block() == inner)?;
        let goes_on = |(value, from): &(Value, Block)| {
            if *from == outer { *value == begin } else { is_one_more(*value, iteration) }
        };
        let bounded = is_load(begin, lower) && is_in(begin, outer) && is_limited(end, upper, outer);
        let one_turn = iteration.incoming().iter().all(goes_on) && cfg.predecessors(inner).contains(&outer);
        let leaves = latch.successors() == [outer] && dominators.dominates(inner, latch);
        (together && bounded && one_turn && leaves).then_some(Self {
            outer,
            inner,
            iteration,
            begin,
            end,
            end_moves,
            next: next.value(),
        })
    }

    fn join(self) {
        self.end_moves.set_operand(0, self.next);
        // LLVM does not see through "below the end and 1", which might be too large. clang counts no loop of so many iterations.
        let more = self.outer.terminator();
        let unsigned = more.operand(0).as_inst().and_then(Inst::predicate) == Some(Predicate::LLVMIntULT);
        if unsigned {
            let builder = Builder::before(more);
            more.set_operand(0, builder.compare(Predicate::LLVMIntULE, self.begin, self.end, "is_chunk"));
        }
        let branch = self.inner.terminator();
        let truth = branch.operand(0).ty();
        let first = Builder::before(self.iteration).phi(truth, "is_first");
        for (_, from) in self.iteration.incoming() {
            first.add_incoming(truth.constant(u64::from(from == self.outer)), from);
        }
        branch.set_operand(0, first.value());
    }
}

/// The stores to the bound at `index` behind `init`; none if something else may change it, or stores stand elsewhere than
/// in the loops.
fn changes(init: StaticInit, index: u32) -> Option<Vec<Inst>> {
    init.loads(index)?;
    let variable = init.operand(index);
    let stores = variable.using_instructions().into_iter().filter(|user| user.opcode() == Opcode::LLVMStore);
    let before: Vec<Inst> =
        init.0.block().instructions().into_iter().take_while(|inst| *inst != init.0).collect();
    let behind: Vec<Inst> = stores.filter(|store| !before.contains(store)).collect();
    behind.iter().all(|store| store.block() != init.0.block()).then_some(behind)
}

/// The number and the block of a block that goes on to that block if the number is not above a bound.
fn turn(block: Block, is_bound: impl Fn(Value) -> bool) -> Option<(Value, Block)> {
    let branch = block.terminator();
    let condition = branch.value().operand(0).as_inst()?;
    let inside = *block.successors().first().filter(|_| block.successors().len() == 2)?;
    let right = condition.value().operands().get(1).copied()?;
    let bounded = match condition.predicate()? {
        Predicate::LLVMIntSLE | Predicate::LLVMIntULE => is_bound(right),
        // clang's form for numbers without a sign.
        Predicate::LLVMIntULT => right.as_inst().is_some_and(|sum| {
            sum.opcode() == Opcode::LLVMAdd
                && sum.operand(1).as_constant_int() == Some(1)
                && is_bound(sum.operand(0))
        }),
        _ => false,
    };
    bounded.then(|| (condition.operand(0), inside))
}

/// Whether `value` is what is in `variable`, or less: the end of a chunk, or that of the whole loop.
fn is_limited(value: Value, variable: Value, block: Block) -> bool {
    let Some(choice) = value.as_inst().filter(|choice| choice.opcode() == Opcode::LLVMSelect) else {
        return false;
    };
    let [condition, then, otherwise] = [0, 1, 2].map(|index| choice.operand(index));
    let Some(compare) = condition.as_inst() else { return false };
    matches!(compare.predicate(), Some(Predicate::LLVMIntSGT | Predicate::LLVMIntUGT))
        && compare.operand(0) == otherwise
        && compare.operand(1) == then
        && is_load(otherwise, variable)
        && is_in(otherwise, block)
}

fn is_load(value: Value, variable: Value) -> bool {
    value.as_inst().is_some_and(|load| load.opcode() == Opcode::LLVMLoad && load.operand(0) == variable)
}

fn is_in(value: Value, block: Block) -> bool {
    value.as_inst().is_some_and(|inst| inst.block() == block)
}

fn is_one_more(value: Value, iteration: Inst) -> bool {
    value.as_inst().is_some_and(|sum| {
        sum.opcode() == Opcode::LLVMAdd
            && sum.operand(0) == iteration.value()
            && sum.operand(1).as_constant_int() == Some(1)
    })
}
