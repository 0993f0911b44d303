//! What thread 0 tells all threads between two regions, if only the second region needs it: a variable that is private to
//! its threads and starts with a value of serial code, above all. In a merged region its threads read the slots.

use crate::analysis::runtime::parallel_operand;
use crate::ir::{Block, Builder, Inst, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// The size of a region's argument.
const WORD: i64 = 8;

/// The values behind the code of thread 0, as they are found in order.
#[derive(Default)]
pub struct Told {
    /// Barriers between the code and the loads, and behind them.
    pub barriers: Vec<Inst>,
    /// The loads from slots, and what is computed of them.
    values: Vec<Inst>,
    /// Where that is stored as an argument.
    stores: Vec<Inst>,
}

impl Told {
    /// Takes an instruction of the open code behind `blocks`, which thread 0 runs: whether it belongs here.
    pub fn takes(&mut self, inst: Inst, blocks: &[Block]) -> bool {
        let here = |value: Value| value.as_inst().is_some_and(|inst| self.values.contains(&inst));
        let uses = inst.operands().into_iter().any(here);
        match inst.opcode() {
            Opcode::LLVMCall if inst.callee_name() == "__kmpc_barrier_simple_spmd" => {
                self.barriers.push(inst)
            }
            Opcode::LLVMLoad if is_slot(inst, blocks) => self.values.push(inst),
            Opcode::LLVMStore if uses && !here(inst.operand(1)) => self.stores.push(inst),
            // Whether nothing else uses it is seen in the end.
            _ if uses && inst.is_speculatable() => {
                if !inst.operands().into_iter().all(|value| here(value) || value.is_constant()) {
                    return false;
                }
                self.values.push(inst);
            }
            _ => return false,
        }
        true
    }

    /// The numbers of the arguments of `second` that are told, if nothing else needs what is told. `others` are the stores
    /// of all threads behind the code.
    pub fn arguments(&self, module: Module, second: Inst, others: &[Inst]) -> Option<HashMap<usize, Value>> {
        let own: HashSet<Inst> = self.values.iter().chain(&self.stores).copied().collect();
        if self.values.iter().any(|value| value.using_instructions().iter().any(|user| !own.contains(user))) {
            return None;
        }
        let array = second.operand(parallel_operand::ARGUMENTS);
        let place = |store: &Inst| store.operand(1).base_and_offset(module);
        let count = second.operand(parallel_operand::COUNT).as_constant_int()?;
        let mut found = HashMap::new();
        for store in &self.stores {
            let (base, offset) = place(store);
            let index = usize::try_from(offset / WORD).ok().filter(|_| offset % WORD == 0)?;
            let value = store.operand(0);
            let is_word = module.size_of(value.ty()) == WORD as u64;
            if base != array || !is_word || index as u64 >= count || found.insert(index, value).is_some() {
                return None;
            }
            // The array is for this region alone, and each element stored once.
            if others
                .iter()
                .any(|other| other.operand(1).underlying_object() == array && place(other) == (base, offset))
            {
                return None;
            }
        }
        (self.stores.is_empty() || is_read_only_by(array, second)).then_some(found)
    }

    /// Computes the values before `position`, in another function.
    pub fn compute_before(&self, position: Inst) -> HashMap<Value, Value> {
        let mut copies: HashMap<Value, Value> = HashMap::new();
        for value in &self.values {
            let copy = value.clone_before(position);
            copies.iter().for_each(|(old, new)| copy.replace_operand(*old, *new));
            copies.insert(value.value(), copy.value());
        }
        copies
    }

    /// Removes everything from where it stands.
    pub fn erase(&self) {
        let all = self.stores.iter().chain(self.values.iter().rev()).chain(&self.barriers);
        all.for_each(|inst| inst.erase());
    }
}

/// Whether a load reads what these blocks tell all threads.
fn is_slot(load: Inst, blocks: &[Block]) -> bool {
    let Some(slot) = load.pointer().and_then(Value::as_global) else { return false };
    let plain = |user: &Inst| {
        user.pointer() == Some(slot.value())
            && (*user == load || user.opcode() == Opcode::LLVMStore && blocks.contains(&user.block()))
    };
    let users = slot.value().users();
    slot.is_local() && users.iter().all(|user| user.as_inst().as_ref().is_some_and(plain))
}

/// Whether an array of arguments is stored to, and given to one region only.
fn is_read_only_by(array: Value, region: Inst) -> bool {
    let mut work = vec![array];
    while let Some(pointer) = work.pop() {
        for user in pointer.using_instructions() {
            match user.opcode() {
                Opcode::LLVMStore if user.operand(0) != pointer => {}
                Opcode::LLVMGetElementPtr => work.push(user.value()),
                _ if user == region => {}
                _ => return false,
            }
        }
    }
    true
}

/// A word as a value of another type.
pub fn convert(value: Value, to: crate::ir::Type, variables: Inst, position: Inst) -> Value {
    if value.ty() == to {
        return value;
    }
    let word = Builder::before(variables).alloca(value.ty(), "word");
    let builder = Builder::before(position);
    builder.store(value, word.value());
    builder.load(to, word.value(), "").value()
}
