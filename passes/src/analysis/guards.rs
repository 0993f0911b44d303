//! Code that is left to thread 0: a test of the thread's number, and the place where its ways meet. Found by that form.

use super::control::reachable;
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Predicate, Value};
use std::collections::HashSet;

const THREAD_ID: &str = "__kmpc_get_hardware_thread_id_in_block";

/// Asks for the number of the thread in its team.
pub fn thread_id(module: Module, builder: &Builder, name: &str) -> Inst {
    let question = module.function_or_declare(THREAD_ID, module.int_type(32), &[], &["nounwind"]);
    builder.call(question, &[], name)
}

/// The number of the thread, and whether this is thread 0: the form of test that [`ways_of_main`] finds.
pub fn main_test(module: Module, builder: &Builder) -> (Value, Value) {
    let thread = thread_id(module, builder, "tid").value();
    let zero = module.int_type(32).constant(0);
    (thread, builder.compare(Predicate::LLVMIntEQ, thread, zero, "is.main"))
}

/// The number of this thread in its team, asked for here.
pub fn is_thread_id(value: Value) -> bool {
    value.as_inst().is_some_and(|inst| inst.callee_name() == THREAD_ID)
}

/// For a branch that parts thread 0 from the others: its way and theirs.
pub fn ways_of_main(block: Block) -> Option<(Block, Block)> {
    let end = block.terminator();
    let ways = block.successors();
    if end.opcode() != Opcode::LLVMBr || ways.len() != 2 {
        return None;
    }
    let test = end.operand(0).as_inst()?;
    if !is_thread_id(test.operand(0)) || test.operand(1).as_constant_int() != Some(0) {
        return None;
    }
    match test.predicate()? {
        Predicate::LLVMIntEQ => Some((ways[0], ways[1])),
        Predicate::LLVMIntNE => Some((ways[1], ways[0])),
        _ => None,
    }
}

/// The blocks between where thread 0 parts from the others and where they meet, the first one in front.
pub fn blocks_of_main(main: Block, others: Block) -> Vec<Block> {
    let inside = |blocks: Vec<Block>| blocks.into_iter().filter(|block| *block != others).collect();
    reachable(inside(vec![main]), |block| inside(block.successors()))
}

/// The blocks that only thread 0 enters.
pub fn guarded_blocks(function: Function) -> HashSet<Block> {
    let ways = function.blocks().into_iter().filter_map(ways_of_main);
    ways.flat_map(|(main, others)| blocks_of_main(main, others)).collect()
}
