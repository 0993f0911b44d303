//! Basic blocks.

use super::sys::{core::*, prelude::*};
use super::{Function, Inst, Opcode, Value, shim, text};
use std::ptr::NonNull;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Block(NonNull<super::sys::LLVMBasicBlock>);

impl Block {
    pub(super) fn made(raw: LLVMBasicBlockRef) -> Self {
        Self(NonNull::new(raw).expect("LLVM gives a block"))
    }

    pub(super) fn new(raw: LLVMBasicBlockRef) -> Option<Self> {
        NonNull::new(raw).map(Self)
    }

    pub(super) fn raw(self) -> LLVMBasicBlockRef {
        self.0.as_ptr()
    }

    /// Its label; empty if it has none.
    pub fn name(self) -> String {
        let name = llvm!(LLVMGetBasicBlockName(self.raw()));
        if name.is_null() {
            return String::new();
        }
        // SAFETY: LLVM gave a string that ends with a zero.
        let length = unsafe { std::ffi::CStr::from_ptr(name) }.count_bytes();
        text(name, length)
    }

    /// Renames it; LLVM appends a number if the name is taken.
    pub fn set_name(self, name: &str) {
        Value::made(llvm!(LLVMBasicBlockAsValue(self.raw()))).set_name(name);
    }

    /// The function that it belongs to.
    pub fn function(self) -> Function {
        Function(Value::made(llvm!(LLVMGetBasicBlockParent(self.raw()))))
    }

    /// Its instructions in order.
    pub fn instructions(self) -> Vec<Inst> {
        let first = Value::new(llvm!(LLVMGetFirstInstruction(self.raw()))).map(Inst);
        std::iter::successors(first, |inst| inst.next()).collect()
    }

    /// The PHIs at its start.
    pub fn phis(self) -> Vec<Inst> {
        self.instructions().into_iter().take_while(|inst| inst.is_phi()).collect()
    }

    /// Its first instruction behind the PHIs. A block that is whole has one: its terminator.
    pub fn first_non_phi(self) -> Inst {
        self.instructions().into_iter().find(|inst| !inst.is_phi()).expect("a block ends with a terminator")
    }

    /// The first instruction of a function's entry behind those that reserve its variables at once.
    pub fn first_non_alloca(self) -> Inst {
        let is_other = |inst: &Inst| inst.opcode() != Opcode::LLVMAlloca;
        self.instructions().into_iter().find(is_other).expect("a block ends with a terminator")
    }

    /// The instruction that ends it. A block that is whole has one.
    pub fn terminator(self) -> Inst {
        Inst(Value::made(llvm!(LLVMGetBasicBlockTerminator(self.raw()))))
    }

    /// Whether it is whole.
    pub fn has_terminator(self) -> bool {
        !llvm!(LLVMGetBasicBlockTerminator(self.raw())).is_null()
    }

    /// Where its terminator may go to, an entry for each way.
    pub fn successors(self) -> Vec<Block> {
        let end = self.terminator();
        let count = llvm!(LLVMGetNumSuccessors(end.raw()));
        (0..count).map(|index| Block::made(llvm!(LLVMGetSuccessor(end.raw(), index)))).collect()
    }

    /// Makes the ways of its terminator that led to `old` lead to `new`. PHIs are not touched.
    pub fn redirect(self, old: Block, new: Block) {
        let end = self.terminator();
        for (index, _) in self.successors().iter().enumerate().filter(|(_, successor)| **successor == old) {
            llvm!(LLVMSetSuccessor(end.raw(), index as u32, new.raw()));
        }
    }

    /// In its PHIs, values that came from `old` come from `new`.
    pub fn replace_phi_block(self, old: Block, new: Block) {
        llvm!(shim::omptarget_ir_replace_phi_block(self.raw(), old.raw(), new.raw()));
    }

    /// A new empty block before it.
    pub fn new_before(self, name: &str) -> Block {
        let name = super::c_string(name);
        let context = self.function().context();
        Block::made(llvm!(LLVMInsertBasicBlockInContext(context, self.raw(), name.as_ptr())))
    }

    /// Moves it to the end of another function, without what debuggers know about variables in it.
    pub fn move_to(self, function: Function) {
        llvm!(shim::omptarget_ir_move_block(self.raw(), function.value().raw()));
    }

    /// The block behind it in the function's list.
    pub(super) fn next(self) -> Option<Block> {
        Block::new(llvm!(LLVMGetNextBasicBlock(self.raw())))
    }

    /// Removes it with all its instructions. Nothing may lead to it or use its values any more.
    pub fn erase(self) {
        llvm!(LLVMDeleteBasicBlock(self.raw()));
    }
}
