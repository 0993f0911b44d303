//! The shape of a compiler's function that copies between warps: what it copies.

use crate::analysis::control::Cfg;
use crate::ir::{Block, Builder, Function, Inst, Module, Opcode, Predicate, Value};

/// The shared memory that compilers use for it.
pub const STORAGE: &str = "__openmp_nvptx_data_transfer_temporary_storage";

const BARRIER: &str = "__kmpc_barrier";
const THREAD: &str = "__kmpc_get_hardware_thread_id_in_block";
const NUMBER: &str = "__kmpc_global_thread_num";

/// A variable of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The way to it from the list: the address of the next pointer is so many bytes behind the one before.
    way: Vec<i64>,
    /// Its size.
    pub bytes: u64,
    /// The alignment in bytes that the compiler counts on.
    pub alignment: u64,
}

impl Variable {
    /// Its address, for the thread with this list.
    pub fn address(&self, builder: &Builder, list: Value) -> Value {
        self.way.iter().fold(list, |pointer, &offset| {
            let place = builder.byte_behind(pointer, builder.long(offset as u64));
            builder.load(list.ty(), place, "variable").value()
        })
    }
}

/// A copy of `times` pieces in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    way: Vec<i64>,
    /// Bytes behind the start of the variable.
    offset: i64,
    bytes: u64,
    times: u64,
}

/// What the code does at one place.
#[derive(PartialEq, Eq, Debug)]
enum Step {
    Meet,
    Write(Piece),
    Read(Piece),
}

/// A call of the runtime that can be made elsewhere in the function.
#[derive(Clone, Copy)]
pub struct Known {
    /// The call.
    pub call: Inst,
    /// What it calls.
    pub callee: Function,
    /// Its first argument, a constant: what tools are told about the place.
    pub ident: Value,
}

impl Known {
    /// The first call of `name` in `code`, if it has so many arguments.
    fn of(code: Function, name: &str, arguments: usize) -> Option<Self> {
        let call = code.instructions().find(|inst| inst.callee_name() == name)?;
        let callee = call.callee().filter(|callee| callee.ty() == call.called_type())?;
        let given = call.arguments();
        let ident = given.first().copied().filter(|ident| ident.is_constant() && given.len() == arguments)?;
        Some(Self { call, callee, ident })
    }
}

/// What is known of such a function.
pub struct Shape {
    /// The list, and how many threads read.
    pub parameters: [Value; 2],
    /// The variables in order.
    pub variables: Vec<Variable>,
    /// The team's barrier.
    pub barrier: Known,
    /// What gives the number of the thread that the barrier gets.
    pub number: Known,
    /// The function that gives the number of the thread in its block.
    pub thread: Function,
    /// In how many pieces they are copied.
    pub pieces: u64,
}

impl Shape {
    /// That of `code`. None if it does anything else.
    pub fn of(module: Module, code: Function) -> Option<Self> {
        let [list, count] = code.parameters()[..] else { return None };
        if !list.ty().is_pointer() || count.ty().int_width() != Some(32) || !code.return_type().is_void() {
            return None;
        }
        let reader = Reader { module, list, count, cfg: Cfg::of(code) };
        let mut steps = Vec::new();
        for block in &reader.cfg.order {
            for inst in block.instructions() {
                steps.extend(reader.step(inst)?);
            }
        }
        let mut variables: Vec<Variable> = Vec::new();
        let mut pieces = 0_u64;
        let mut rounds = steps.chunks_exact(4);
        for round in &mut rounds {
            let [Step::Meet, Step::Write(piece), Step::Meet, Step::Read(read)] = round else { return None };
            if piece != read {
                return None;
            }
            add(&mut variables, piece)?;
            pieces = piece.times.checked_add(pieces)?;
        }
        if variables.is_empty() || !rounds.remainder().is_empty() {
            return None;
        }
        let thread = code.instructions().find(|inst| inst.callee_name() == THREAD)?;
        let thread = thread.callee().filter(|callee| {
            callee.ty() == thread.called_type() && callee.parameters().is_empty() && thread.ty() == count.ty()
        })?;
        let (barrier, number) = (Known::of(code, BARRIER, 2)?, Known::of(code, NUMBER, 1)?);
        let parameters = [list, count];
        (number.call.ty() == barrier.call.operand(1).ty()).then_some(())?;
        Some(Self { parameters, variables, barrier, number, thread, pieces })
    }
}

/// Adds a piece, which stands behind the one before. (clang 22 copies the first bytes of some variables once more in place of the last
/// ones, until they are repaired.)
fn add(variables: &mut Vec<Variable>, piece: &Piece) -> Option<()> {
    let bytes = piece.bytes.checked_mul(piece.times)?;
    let is_new = variables.last().is_none_or(|last| last.way != piece.way);
    if is_new {
        let is_first = piece.offset == 0 && variables.iter().all(|other| other.way != piece.way);
        variables.push(Variable { way: piece.way.clone(), bytes, alignment: piece.bytes });
        return is_first.then_some(());
    }
    let last = variables.last_mut()?;
    let is_behind = piece.offset == last.bytes as i64;
    last.bytes = last.bytes.checked_add(bytes)?;
    is_behind.then_some(())
}

struct Reader {
    module: Module,
    list: Value,
    count: Value,
    cfg: Cfg,
}

impl Reader {
    /// What an instruction does: None if it has no place in such a function.
    fn step(&self, inst: Inst) -> Option<Option<Step>> {
        use Opcode::*;
        let step = match inst.opcode() {
            LLVMCall => match &*inst.callee_name() {
                BARRIER => Some(Step::Meet),
                THREAD | NUMBER => None,
                _ => return None,
            },
            LLVMStore => {
                let value = inst.operand(0).as_inst().filter(|value| value.opcode() == LLVMLoad)?;
                let (from, to) = (value.operand(0), inst.operand(1));
                match (is_storage(from), is_storage(to)) {
                    (false, true) if self.is_first_lane(inst.block()) => {
                        Some(Step::Write(self.piece(value, from)?))
                    }
                    (true, false) if self.is_reader(inst.block()) => Some(Step::Read(self.piece(value, to)?)),
                    _ => return None,
                }
            }
            LLVMLoad | LLVMBr | LLVMRet | LLVMPHI | LLVMICmp | LLVMGetElementPtr | LLVMAnd | LLVMAdd
            | LLVMAShr | LLVMLShr | LLVMSExt | LLVMZExt => None,
            _ => return None,
        };
        Some(step)
    }

    /// The condition under which alone a block is reached.
    fn condition(&self, block: Block) -> Option<Inst> {
        let [before] = self.cfg.predecessors(block) else { return None };
        let ways = branch(*before)?;
        (ways.then == block && ways.otherwise != block).then_some(ways.condition)
    }

    /// Whether the first lanes of warps come here.
    fn is_first_lane(&self, block: Block) -> bool {
        self.condition(block).is_some_and(|condition| {
            let lane = condition.operand(0).as_inst();
            condition.predicate() == Some(Predicate::LLVMIntEQ)
                && condition.operand(1).as_constant_int() == Some(0)
                && lane.is_some_and(|lane| {
                    lane.opcode() == Opcode::LLVMAnd
                        && is_thread(lane.operand(0))
                        && lane.operand(1).as_constant_int() == Some(31)
                })
        })
    }

    /// Whether the first threads come here, as many as the runtime says.
    fn is_reader(&self, block: Block) -> bool {
        self.condition(block).is_some_and(|condition| {
            condition.predicate() == Some(Predicate::LLVMIntULT)
                && is_thread(condition.operand(0))
                && condition.operand(1) == self.count
        })
    }

    /// The piece of a variable at an address.
    fn piece(&self, value: Inst, address: Value) -> Option<Piece> {
        let bytes = u64::from(value.ty().int_width()?) / 8;
        let (base, offset) = address.base_and_offset(self.module);
        if let Some(way) = self.way(base) {
            return Some(Piece { way, offset, bytes, times: 1 });
        }
        let element =
            base.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMGetElementPtr && offset == 0)?;
        let [start, counter] = element.operands()[..] else { return None };
        let is_row = self.module.size_of(element.element_type()) == bytes;
        let way = self.way(start).filter(|_| is_row)?;
        Some(Piece { way, offset: 0, bytes, times: self.times(counter)? })
    }

    /// The way from the list to what a pointer points to.
    fn way(&self, pointer: Value) -> Option<Vec<i64>> {
        if pointer == self.list {
            return Some(Vec::new());
        }
        let load = pointer.as_inst().filter(|inst| inst.opcode() == Opcode::LLVMLoad)?;
        let (base, offset) = load.operand(0).base_and_offset(self.module);
        let mut way = self.way(base)?;
        way.push(offset);
        Some(way)
    }

    /// How often a loop runs whose counter this is, from 0 in steps of 1.
    fn times(&self, counter: Value) -> Option<u64> {
        let phi = counter.as_inst().filter(|inst| inst.is_phi())?;
        let [(one, _), (other, _)] = phi.incoming()[..] else { return None };
        let (start, next) = if one.as_constant_int().is_some() { (one, other) } else { (other, one) };
        let next = next.as_inst().filter(|next| next.opcode() == Opcode::LLVMAdd)?;
        let is_counted = start.as_constant_int() == Some(0)
            && next.operand(0) == counter
            && next.operand(1).as_constant_int() == Some(1);
        let goes_on =
            branch(phi.block()).map(|ways| ways.condition).filter(|inst| inst.operand(0) == counter)?;
        let is_below = goes_on.predicate() == Some(Predicate::LLVMIntULT);
        goes_on.operand(1).as_constant_int().filter(|_| is_counted && is_below)
    }
}

/// A comparison, and where it leads to.
struct Ways {
    condition: Inst,
    then: Block,
    otherwise: Block,
}

/// The end of a block that asks something.
fn branch(block: Block) -> Option<Ways> {
    let end = block.terminator();
    let [then, otherwise] = block.successors()[..] else { return None };
    let condition = (end.opcode() == Opcode::LLVMBr).then(|| end.operand(0).as_inst())?;
    Some(Ways { condition: condition.filter(|inst| inst.opcode() == Opcode::LLVMICmp)?, then, otherwise })
}

fn is_storage(pointer: Value) -> bool {
    pointer.underlying_object().as_global().is_some_and(|global| global.value().name() == STORAGE)
}

fn is_thread(value: Value) -> bool {
    value.as_inst().is_some_and(|inst| inst.callee_name() == THREAD)
}
