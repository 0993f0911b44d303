//! What stands between two parallel regions of a converted function.

use super::told::Told;
use crate::analysis::capture::is_on_stack;
use crate::analysis::control::Cfg;
use crate::analysis::guards;
use crate::analysis::reach::Reaches;
use crate::analysis::runtime::{Known, assumptions, known, known_call, parallel};
use crate::ir::{Block, Function, Inst, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// Code between two regions that only thread 0 executes.
pub struct Serial {
    /// Where thread 0 parts from the others.
    pub check: Block,
    /// The blocks of thread 0, the first one in front.
    pub blocks: Vec<Block>,
    /// Where all go on.
    pub join: Block,
    /// What the code uses that was computed before.
    pub inputs: Vec<Value>,
    /// What it tells the threads of the second region.
    pub told: Told,
    /// The values among that which are arguments of the second region, by their numbers.
    pub told_arguments: HashMap<usize, Value>,
}

/// The region that follows `first` in a straight line, and the code of thread 0 before it; none, if something stands
/// between that must stay outside of a merged region.
pub fn next_region(
    module: Module,
    cfg: &Cfg,
    first: Inst,
    reaches: &Reaches,
) -> Option<(Option<Serial>, Inst)> {
    let mut serial: Option<Serial> = None;
    // Stores behind the code of thread 0, which will run later than it does now.
    let mut stores: Vec<Inst> = Vec::new();
    let mut at = first.next()?;
    loop {
        if parallel(at).is_some() {
            if let Some(serial) = &mut serial {
                let written = |input: &Value| {
                    let object = input.underlying_object();
                    stores.iter().any(|store| store.operand(1).underlying_object() == object)
                };
                if serial.inputs.iter().any(written) {
                    return None;
                }
                serial.told_arguments = serial.told.arguments(module, at, &stores)?;
            }
            return Some((serial, at));
        }
        if !at.is_terminator() {
            let told = serial.as_mut().is_some_and(|serial| serial.told.takes(at, &serial.blocks));
            if !told && !is_harmless(at) {
                return None;
            }
            if !told && at.opcode() == Opcode::LLVMStore && serial.is_some() {
                stores.push(at);
            }
            at = at.next()?;
            continue;
        }
        let block = at.block();
        let next = match guards::ways_of_main(block) {
            Some((_, join)) if serial.is_none() => {
                serial = Some(Serial::of(module, cfg, block, reaches)?);
                join
            }
            Some(_) => return None,
            None => {
                let [next] = block.successors()[..] else { return None };
                (at.opcode() == Opcode::LLVMBr && cfg.predecessors(next).len() == 1).then_some(next)?
            }
        };
        at = next.instructions()[0];
    }
}

/// Whether it does nothing that another thread could see, and gives the same before the first region.
fn is_harmless(inst: Inst) -> bool {
    match inst.opcode() {
        Opcode::LLVMStore | Opcode::LLVMLoad => inst.pointer().is_some_and(is_on_stack),
        // Of one way: those where ways of thread 0 and others meet are no part of what is merged.
        Opcode::LLVMPHI => inst.incoming().len() == 1,
        Opcode::LLVMCall => {
            inst.is_speculatable() || matches!(known_call(inst), Some(Known::ThreadNumber | Known::Uniform))
        }
        _ => inst.is_speculatable(),
    }
}

impl Serial {
    /// The code of thread 0 behind the branch that ends `check`, if it can run inside of a region.
    fn of(module: Module, cfg: &Cfg, check: Block, reaches: &Reaches) -> Option<Self> {
        let (head, join) = guards::ways_of_main(check)?;
        let blocks = guards::blocks_of_main(head, join);
        let inside = |block: &Block| blocks.contains(block);
        let instructions = || blocks.iter().flat_map(|block| block.instructions());
        let entered = |block: &Block| {
            cfg.predecessors(*block).iter().any(|from| !inside(from) && (*from != check || *block != head))
        };
        let leaves_values = |inst: Inst| inst.using_instructions().iter().any(|user| !inside(&user.block()));
        let left: Vec<&Block> = cfg.predecessors(join).iter().filter(|from| **from != check).collect();
        let ends = left.len() == 1 && inside(left[0]);
        if !ends || blocks.iter().any(entered) || instructions().any(leaves_values) {
            return None;
        }
        if !instructions().all(|inst| is_portable(inst, reaches, &mut HashSet::new())) {
            return None;
        }
        let mut inputs: Vec<Value> = instructions().flat_map(|inst| inst.operands()).collect();
        inputs.retain(|value| {
            value.is_argument() || value.as_inst().is_some_and(|inst| !inside(&inst.block()))
        });
        let mut seen = HashSet::new();
        inputs.retain(|value| seen.insert(*value));
        let small = |value: &Value| value.ty().is_sized() && module.size_of(value.ty()) <= 8;
        inputs.iter().all(small).then(|| {
            let (told, told_arguments) = (Told::default(), HashMap::new());
            Self { check, blocks, join, inputs, told, told_arguments }
        })
    }
}

/// Whether an instruction of serial code does the same inside of a parallel region: it asks and tells the runtime nothing,
/// and does not meet other threads.
fn is_portable(inst: Inst, reaches: &Reaches, seen: &mut HashSet<Function>) -> bool {
    if inst.opcode() == Opcode::LLVMAlloca {
        return false;
    }
    if !inst.is_call() {
        return true;
    }
    let promised = assumptions(inst);
    if inst.opcode() != Opcode::LLVMCall || promised.no_parallelism || promised.spmd_amenable {
        return false;
    }
    let is_assembly = inst.called().is_some_and(Value::is_inline_asm);
    let Some(callees) = reaches.callees(inst).filter(|_| !is_assembly) else { return false };
    callees.into_iter().all(|callee| {
        let name = callee.name();
        match known(callee) {
            Some(Known::Uniform | Known::ThreadNumber) => true,
            Some(Known::Leaf) => {
                !(name.starts_with("__kmpc_") || callee.is_intrinsic() && callee.has_attribute("convergent"))
            }
            Some(_) => false,
            None if callee.is_declaration() || callee.is_interposable() => false,
            None => !seen.insert(callee) || body_is_portable(callee, reaches, seen),
        }
    })
}

/// The same for a function that is called; its variables go with it.
fn body_is_portable(function: Function, reaches: &Reaches, seen: &mut HashSet<Function>) -> bool {
    function
        .instructions()
        .all(|inst| inst.opcode() == Opcode::LLVMAlloca || is_portable(inst, reaches, seen))
}
