//! Reductions: what goes from each warp of a team to the first one, in one step.
//!
//! clang and flang write a function for each reduction, which the runtime calls when each warp has reduced for itself. It
//! hands every variable over in pieces of four bytes, through a word of shared memory for each warp: a barrier, the first
//! lane of each warp writes its piece; a barrier, the first threads read one each. So a `double` costs four barriers. Here the
//! first lanes write all variables, each warp to a slot of its own that has room for them; one barrier; the first threads
//! read them (OMPR110).
//!
//! The barrier before the first piece keeps the words until the reduction before has read them. Nothing but a reduction uses
//! the slots, so it is left out where the team meets behind the reduction before another one can follow ([`reuse`]), and else
//! stands behind the reading.
//!
//! Slots are in variables that all reductions of a program share by their sizes, which are powers of two: 8 KiB
//! at most. There is one slot for each warp that the kernels can have.

mod reuse;
mod shape;

use crate::Settings;
use crate::analysis::callers::Callers;
use crate::analysis::kernel::{BLOCK, WARP};
use crate::analysis::reductions::{LEAGUE, TEAM};
use crate::ir::{Block, Builder, Function, Global, Inst, Module, Predicate, Value};
use crate::remark::{Remark, Remarks};
use shape::{Shape, Variable};

/// The operands of the runtime's functions that are the copy. A league need not use it.
const COPIES: [(&str, usize); 2] = [(TEAM, 4), (LEAGUE, 6)];

/// Bytes of a slot: more would be long code, and much memory.
const MOST_SLOT: u64 = 128;

/// Rewrites the copies of a module.
pub fn run(module: Module, settings: &Settings, remarks: &mut Remarks) {
    if !settings.reductions {
        return;
    }
    let copies: Vec<Copy> =
        module.functions().into_iter().filter_map(|code| Copy::of(module, code)).collect();
    if copies.is_empty() {
        return;
    }
    let callers = Callers::of(module, settings.whole_program);
    for copy in copies {
        let warps = copy.warps(&callers);
        let slot = Slot::of(&copy.shape.variables);
        let bytes = (warps * slot.bytes).next_power_of_two();
        if slot.bytes > MOST_SLOT || bytes > settings.shared_limit.into() {
            continue;
        }
        let is_settled = copy.calls.iter().all(|call| reuse::is_settled(*call));
        remarks.give(Remark::ReductionCopied(copy.shape.pieces), copy.calls[0]);
        let start = copy.code.entry();
        match warps {
            // Nobody calls it.
            1 => Builder::at_end_of(start.new_before("none")).return_void(),
            _ => copy.write(start, storage(module, bytes), &slot, is_settled),
        };
        copy.code.erase_blocks_from(start);
    }
    for global in module.globals() {
        if global.value().name() == shape::STORAGE && global.value().users().is_empty() {
            global.erase();
        }
    }
}

/// The variable for slots of so many bytes together.
fn storage(module: Module, bytes: u64) -> Global {
    let name = format!("__omptarget_reduction_slots_{bytes}");
    let known = module.globals().into_iter().find(|global| global.value().name() == name);
    known.unwrap_or_else(|| {
        let storage = module.add_weak_shared_variable(module.bytes_type(bytes), &name);
        module.set_alignment(storage, 16);
        storage
    })
}

/// A compiler's function that copies between warps.
struct Copy {
    code: Function,
    shape: Shape,
    /// The calls of the runtime that get it.
    calls: Vec<Inst>,
}

impl Copy {
    /// That of this function, if the runtime gets it, nobody else, and its code is a compiler's.
    fn of(module: Module, code: Function) -> Option<Self> {
        let address = code.value();
        if code.is_declaration() || !code.is_local() || address.users().is_empty() {
            return None;
        }
        let is_copy_of = |call: &Inst| {
            COPIES.iter().any(|(name, operand)| {
                let places = || (0..).zip(call.arguments()).filter(|(_, value)| *value == address);
                *name == call.callee_name() && places().map(|(place, _)| place).eq([*operand])
            })
        };
        let calls = address.users().into_iter().map(|user| user.as_inst().filter(is_copy_of));
        let calls = calls.collect::<Option<Vec<_>>>()?;
        Some(Self { code, shape: Shape::of(module, code)?, calls })
    }

    /// The most warps that a team with this reduction has.
    fn warps(&self, callers: &Callers) -> u64 {
        let threads = self.calls.iter().try_fold(0, |most, call| {
            let kernels = callers.kernels_of(call.function())?;
            kernels.iter().try_fold(most, |most, kernel| Some(kernel.most_threads()?.max(most)))
        });
        threads.unwrap_or(BLOCK).div_ceil(WARP).clamp(1, BLOCK / WARP)
    }

    /// Writes the new code before `old`.
    fn write(&self, old: Block, storage: Global, slot: &Slot, is_settled: bool) -> Inst {
        let [list, count] = self.shape.parameters;
        let Shape { barrier, thread, number, .. } = self.shape;
        let blocks = ["start", "write", "written", "read", "done"].map(|name| old.new_before(name));
        let [start, write, written, read, done] =
            blocks.map(|block| Builder::at_end_like(block, barrier.call));
        let word = count.ty();
        let thread = start.call(thread, &[], "thread");
        let number = start.call(number.callee, &[number.ident], "number");
        let meet = |at: &Builder| {
            at.call(barrier.callee, &[barrier.ident, number.value()], "");
        };
        let lane = start.and(thread.value(), word.constant(WARP - 1), "lane");
        let is_first = start.compare(Predicate::LLVMIntEQ, lane, word.constant(0), "first");
        start.branch_if(is_first, blocks[1], blocks[2]);

        let warp = write.shift_right(thread.value(), word.constant(WARP.ilog2().into()), "warp");
        slot.copy(&write, list, storage, warp, Direction::Write);
        write.branch(blocks[2]);

        meet(&written);
        let reads = written.compare(Predicate::LLVMIntULT, thread.value(), count, "reads");
        written.branch_if(reads, blocks[3], blocks[4]);

        slot.copy(&read, list, storage, thread.value(), Direction::Read);
        read.branch(blocks[4]);

        if !is_settled {
            meet(&done);
        }
        done.return_void()
    }
}

/// Which way variables are copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Write,
    Read,
}

/// A piece of a variable that is copied at once.
struct Piece<'a> {
    variable: &'a Variable,
    /// Where it is in the variable, and in the slot.
    from: u64,
    at: u64,
    bytes: u64,
}

/// Where a slot holds the variables.
struct Slot<'a> {
    pieces: Vec<Piece<'a>>,
    bytes: u64,
}

impl<'a> Slot<'a> {
    /// Pieces are as large as can be, and aligned.
    fn of(variables: &'a [Variable]) -> Self {
        let (mut pieces, mut end, mut alignment) = (Vec::new(), 0_u64, 1);
        for variable in variables {
            let mut from = 0;
            while from < variable.bytes && end <= MOST_SLOT {
                let left = variable.bytes - from;
                let bytes = 1 << left.min(8).ilog2();
                let at = end.next_multiple_of(bytes);
                pieces.push(Piece { variable, from, at, bytes });
                (from, end, alignment) = (from + bytes, at + bytes, alignment.max(bytes));
            }
        }
        Self { pieces, bytes: end.next_multiple_of(alignment) }
    }

    /// Copies between the variables of `list` and slot `number`.
    fn copy(&self, builder: &Builder, list: Value, storage: Global, number: Value, direction: Direction) {
        let offset = builder.multiply(number, number.ty().constant(self.bytes), "");
        let slot = builder.byte_behind(storage.value(), offset);
        let mut variable: Option<(&Variable, Value)> = None;
        for piece in &self.pieces {
            let address = match variable {
                Some((known, address)) if std::ptr::eq(known, piece.variable) => address,
                _ => piece.variable.address(builder, list),
            };
            variable = Some((piece.variable, address));
            let there = builder.byte_behind(address, number.ty().constant(piece.from));
            let here = builder.byte_behind(slot, number.ty().constant(piece.at));
            let (from, to) = if direction == Direction::Write { (there, here) } else { (here, there) };
            let alignment = piece.variable.alignment.min(piece.bytes) as u32;
            let alignments = [alignment, piece.bytes as u32];
            let value =
                builder.load_bytes(piece.bytes, from, alignments[usize::from(direction == Direction::Read)]);
            let stored = builder.store(value.value(), to);
            stored.set_alignment(alignments[usize::from(direction == Direction::Write)]);
        }
    }
}
