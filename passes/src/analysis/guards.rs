//! Code that is left to thread 0, found by its form: a test of the thread's number, and the place where its ways meet.

use crate::ir::{Block, Function, Opcode, Predicate, Value};
use std::collections::HashSet;

/// The number of this thread in its team, asked for here.
pub fn is_thread_id(value: Value) -> bool {
    value.as_inst().is_some_and(|inst| inst.callee_name() == "__kmpc_get_hardware_thread_id_in_block")
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
    let mut found: Vec<Block> = [main].into_iter().filter(|main| *main != others).collect();
    let mut at = 0;
    while let Some(block) = found.get(at).copied() {
        for next in block.successors() {
            if next != others && !found.contains(&next) {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

/// The blocks that only thread 0 enters.
pub fn guarded_blocks(function: Function) -> HashSet<Block> {
    let ways = function.blocks().into_iter().filter_map(ways_of_main);
    ways.flat_map(|(main, others)| blocks_of_main(main, others)).collect()
}
