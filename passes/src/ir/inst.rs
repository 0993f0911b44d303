//! Instructions.

use super::sys::{
    LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex, LLVMFastMathApproxFunc, LLVMTailCallKind, core::*,
    debuginfo::*, prelude::*,
};
use super::{Block, Function, Opcode, Value, shim, text};

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Inst(pub(super) Value);

impl From<Inst> for Value {
    fn from(inst: Inst) -> Value {
        inst.0
    }
}

impl std::ops::Deref for Inst {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

/// Where an instruction comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The source file as the compiler was given it.
    pub file: String,
    /// The folder that this starts at, if it starts nowhere.
    pub directory: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl Location {
    /// Where the source file is, if it is still there.
    pub fn path(&self) -> std::path::PathBuf {
        std::path::Path::new(&self.directory).join(&self.file)
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Inst {
    /// It as a value.
    pub fn value(self) -> Value {
        self.0
    }

    /// What it does.
    pub fn opcode(self) -> Opcode {
        llvm!(LLVMGetInstructionOpcode(self.raw()))
    }

    /// What a comparison of integers asks.
    pub fn predicate(self) -> Option<super::Predicate> {
        (self.opcode() == Opcode::LLVMICmp).then(|| llvm!(LLVMGetICmpPredicate(self.raw())))
    }

    /// The block that it stands in.
    pub fn block(self) -> Block {
        Block::made(llvm!(LLVMGetInstructionParent(self.raw())))
    }

    /// The function that it stands in.
    pub fn function(self) -> Function {
        self.block().function()
    }

    /// The instruction behind it.
    pub fn next(self) -> Option<Inst> {
        Value::new(llvm!(LLVMGetNextInstruction(self.raw()))).map(Inst)
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        !llvm!(LLVMIsATerminatorInst(self.raw())).is_null()
    }

    /// Whether it merges values of the blocks before.
    pub fn is_phi(self) -> bool {
        self.opcode() == Opcode::LLVMPHI
    }

    /// Whether it calls a function: call, invoke or callbr.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    /// The called value.
    pub fn called(self) -> Option<Value> {
        self.is_call().then(|| Value::made(llvm!(LLVMGetCalledValue(self.raw()))))
    }

    /// The type of the function that it calls.
    pub fn called_type(self) -> super::Type {
        super::Type(llvm!(LLVMGetCalledFunctionType(self.raw())))
    }

    /// The function that it calls, when it names it.
    pub fn callee(self) -> Option<Function> {
        self.called()?.strip_casts().as_function()
    }

    /// The name of the function that it calls; empty if it names none.
    pub fn callee_name(self) -> String {
        self.callee().map(|function| function.name()).unwrap_or_default()
    }

    /// The arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        let count = llvm!(LLVMGetNumArgOperands(self.raw()));
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// Calls another function of the same type from now on.
    pub fn set_callee(self, function: Function) {
        let last = llvm!(LLVMGetNumOperands(self.raw())) - 1;
        self.set_operand(last as u32, function.value());
    }

    /// Sets operand `index`.
    pub fn set_operand(self, index: u32, value: Value) {
        llvm!(LLVMSetOperand(self.raw(), index, value.raw()));
    }

    /// Changes what is called, which is the last operand.
    pub fn set_called(self, value: Value) {
        self.set_operand(self.operands().len() as u32 - 1, value);
    }

    /// Replaces an operand wherever it stands.
    pub fn replace_operand(self, old: Value, new: Value) {
        let operands = self.operands();
        for (index, _) in operands.iter().enumerate().filter(|(_, operand)| **operand == old) {
            self.set_operand(index as u32, new);
        }
    }

    /// The values and blocks that a PHI merges.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        let count = llvm!(LLVMCountIncoming(self.raw()));
        (0..count)
            .map(|index| {
                let value = Value::made(llvm!(LLVMGetIncomingValue(self.raw(), index)));
                (value, Block::made(llvm!(LLVMGetIncomingBlock(self.raw(), index))))
            })
            .collect()
    }

    /// Adds a value and its block to a PHI.
    pub fn add_incoming(self, value: Value, block: Block) {
        let (mut value, mut block) = (value.raw(), block.raw());
        llvm!(LLVMAddIncoming(self.raw(), &mut value, &mut block, 1));
    }

    /// Takes the values that come from `block` out of a PHI.
    pub fn remove_incoming(self, block: Block) {
        while self.incoming().iter().any(|(_, from)| *from == block) {
            llvm!(shim::omptarget_ir_remove_incoming(self.raw(), block.raw()));
        }
    }

    /// Removes it. Nothing may use it any more, and its handle is dead.
    pub fn erase(self) {
        llvm!(LLVMInstructionEraseFromParent(self.raw()));
    }

    /// Puts a load, a computation and a store in the place of an atomic read and write; its handle is dead then. Whether it was one.
    pub fn lower_atomic(self) -> bool {
        llvm!(shim::omptarget_ir_lower_atomic(self.raw())) != 0
    }

    /// Does the same where its address is one of the thread's stack, and else what it did. The machine is asked; not where the type
    /// of the address says that it is none. Whether anything was changed.
    pub fn lower_atomic_if_own(self) -> bool {
        llvm!(shim::omptarget_ir_lower_atomic_if_own(self.raw())) != 0
    }

    /// Whether a fence or an atomic access orders what its own thread does alone.
    pub fn is_of_one_thread(self) -> bool {
        llvm!(LLVMIsAtomicSingleThread(self.raw())) != 0
    }

    /// Whether it is atomic for all threads there are, those of the host included.
    pub fn has_system_scope(self) -> bool {
        llvm!(shim::omptarget_ir_has_system_scope(self.raw())) != 0
    }

    /// Moves it before `position`.
    pub fn move_before(self, position: Inst) {
        llvm!(shim::omptarget_ir_move_before(self.raw(), position.raw()));
    }

    /// A copy of it before `position`.
    pub fn clone_before(self, position: Inst) -> Inst {
        Inst(Value::made(llvm!(shim::omptarget_ir_clone_instruction(self.raw(), position.raw()))))
    }

    /// Ends its block before it: the rest, itself first, becomes a new block, which is given.
    pub fn split_before(self, name: &str) -> Block {
        let name = super::c_string(name);
        Block::made(llvm!(shim::omptarget_ir_split_before(self.raw(), name.as_ptr())))
    }

    /// Puts the called function's body in the place of a call; whether that was possible.
    pub fn inline(self) -> bool {
        llvm!(shim::omptarget_ir_inline(self.raw())) != 0
    }

    /// Whether it may write memory or have another effect.
    pub fn may_write(self) -> bool {
        llvm!(shim::omptarget_ir_may_write(self.raw())) != 0
    }

    /// Whether it may read memory.
    pub fn may_read(self) -> bool {
        llvm!(shim::omptarget_ir_may_read(self.raw())) != 0
    }

    /// Whether it may be executed at any place where its operands are known: it touches no memory, cannot trap, returns.
    pub fn is_speculatable(self) -> bool {
        llvm!(shim::omptarget_ir_is_speculatable(self.raw())) != 0
    }

    /// Whether it divides integers, and must stay where it is: at another place the divisor may be 0.
    pub fn is_division_in_place(self) -> bool {
        use Opcode::{LLVMSDiv, LLVMSRem, LLVMUDiv, LLVMURem};
        matches!(self.opcode(), LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem) && !self.is_speculatable()
    }

    /// Whether this branch back to the start of a loop says that the loop ends, or does something that others see.
    pub fn must_progress(self) -> bool {
        llvm!(shim::omptarget_ir_must_progress(self.raw())) != 0
    }

    /// Whether it is a call of one of LLVM's intrinsic functions.
    pub fn is_intrinsic(self) -> bool {
        self.callee().is_some_and(Function::is_intrinsic)
    }

    /// Whether the call itself, or what it calls, has this attribute without a value.
    pub fn has_attribute(self, name: &str) -> bool {
        let kind = super::function::attribute_kind(name);
        let here = llvm!(LLVMGetCallSiteEnumAttribute(self.raw(), LLVMAttributeFunctionIndex, kind));
        !here.is_null() || self.callee().is_some_and(|function| function.has_attribute(name))
    }

    /// The text of a string attribute of the call, or of what it calls.
    pub fn string_attributes(self, name: &str) -> Vec<String> {
        let length = name.len() as u32;
        let here = llvm!(LLVMGetCallSiteStringAttribute(
            self.raw(),
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            length
        ));
        let here = super::function::attribute_text(here);
        here.into_iter().chain(self.callee().and_then(|function| function.string_attribute(name))).collect()
    }

    /// The type of argument `index` of a call if it is given by value, and the alignment in bytes that is asked for, or 0.
    pub fn by_value(self, index: u32) -> Option<(super::Type, u32)> {
        let attribute = |name: &str| {
            let kind = super::function::attribute_kind(name);
            let here = llvm!(LLVMGetCallSiteEnumAttribute(self.raw(), index + 1, kind));
            let of = |function: Function| function.parameter_attribute(index, name);
            let found = if here.is_null() { self.callee().map_or(here, of) } else { here };
            (!found.is_null()).then_some(found)
        };
        let ty = super::Type(llvm!(LLVMGetTypeAttributeValue(attribute("byval")?)));
        let alignment = attribute("align").map_or(0, |found| llvm!(LLVMGetEnumAttributeValue(found)));
        Some((ty, alignment as u32))
    }

    /// Takes away that argument `index` of a call is given by value, and what is said of the copy's alignment.
    pub fn give_by_reference(self, index: u32) {
        for name in super::function::BY_VALUE {
            let kind = super::function::attribute_kind(name);
            llvm!(LLVMRemoveCallSiteEnumAttribute(self.raw(), index + 1, kind));
        }
    }

    /// Lets a call promise no larger alignment of argument `index`, a pointer, than so many bytes; whether it did.
    pub fn limit_alignment(self, index: u32, bytes: u32) -> bool {
        let kind = super::function::attribute_kind("align");
        let promise = llvm!(LLVMGetCallSiteEnumAttribute(self.raw(), index + 1, kind));
        if promise.is_null() || llvm!(LLVMGetEnumAttributeValue(promise)) <= bytes.into() {
            return false;
        }
        llvm!(LLVMRemoveCallSiteEnumAttribute(self.raw(), index + 1, kind));
        llvm!(LLVMSetInstrParamAlignment(self.raw(), index + 1, bytes));
        true
    }

    /// Adds an attribute without a value to a call.
    pub fn add_attribute(self, name: &str) {
        let attribute = super::function::attribute(self.function().context(), name);
        llvm!(LLVMAddCallSiteAttribute(self.raw(), LLVMAttributeFunctionIndex, attribute));
    }

    /// Takes back that a call touches no variable of its caller's stack.
    pub(super) fn may_touch_the_stack(self) {
        if llvm!(LLVMGetTailCallKind(self.raw())) == LLVMTailCallKind::LLVMTailCallKindTail {
            llvm!(LLVMSetTailCallKind(self.raw(), LLVMTailCallKind::LLVMTailCallKindNone));
        }
    }

    /// Takes back what a call says about who keeps its arguments.
    pub fn may_keep_arguments(self) {
        let kind = super::function::attribute_kind(super::function::KEEPS_NOTHING);
        for index in 1..=self.arguments().len() as u32 {
            llvm!(LLVMRemoveCallSiteEnumAttribute(self.raw(), index, kind));
        }
    }

    /// Says of the pointer that a call gives that it is a multiple of so many bytes.
    pub fn promise_alignment(self, bytes: u32) {
        let kind = super::function::attribute_kind("align");
        let attribute = llvm!(LLVMCreateEnumAttribute(self.function().context(), kind, bytes.into()));
        llvm!(LLVMAddCallSiteAttribute(self.raw(), LLVMAttributeReturnIndex, attribute));
    }

    /// What is said of the pointer that a call gives: it is a multiple of so many bytes.
    pub fn promised_alignment(self) -> Option<u64> {
        let kind = super::function::attribute_kind("align");
        let call = self.is_call().then(|| self.raw())?;
        let attribute = llvm!(LLVMGetCallSiteEnumAttribute(call, LLVMAttributeReturnIndex, kind));
        (!attribute.is_null()).then(|| llvm!(LLVMGetEnumAttributeValue(attribute)))
    }

    /// Which part of a structure it takes out, if that is what it does.
    pub fn part_taken(self) -> Option<u32> {
        let one = self.opcode() == Opcode::LLVMExtractValue && llvm!(LLVMGetNumIndices(self.raw())) == 1;
        // SAFETY: it has an index.
        one.then(|| unsafe { *LLVMGetIndices(self.raw()) })
    }

    /// Whether a call of a floating-point function may give an approximation (`afn`).
    pub fn may_approximate(self) -> bool {
        llvm!(LLVMCanValueUseFastMathFlags(self.raw())) != 0
            && llvm!(LLVMGetFastMathFlags(self.raw())) & LLVMFastMathApproxFunc != 0
    }

    /// Whether a load or store is volatile.
    pub fn is_volatile(self) -> bool {
        llvm!(LLVMGetVolatile(self.raw())) != 0
    }

    /// Whether a load or store is volatile or atomic.
    pub fn is_ordered_access(self) -> bool {
        self.is_volatile()
            || llvm!(LLVMGetOrdering(self.raw()))
                != super::sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// Makes a store atomic, in no order with others.
    pub fn set_relaxed(self) {
        llvm!(LLVMSetOrdering(self.raw(), super::sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic));
    }

    /// The pointer of a load or store.
    pub fn pointer(self) -> Option<Value> {
        match self.opcode() {
            Opcode::LLVMLoad => Some(self.operand(0)),
            Opcode::LLVMStore => Some(self.operand(1)),
            _ => None,
        }
    }

    /// What a store stores.
    pub fn stored(self) -> Option<Value> {
        (self.opcode() == Opcode::LLVMStore).then(|| self.operand(0))
    }

    /// Whether a call does not keep a pointer that it gets.
    pub fn keeps_no_argument(self, pointer: Value) -> bool {
        let at: Vec<usize> =
            (0..).zip(self.arguments()).filter(|(_, value)| *value == pointer).map(|(n, _)| n).collect();
        at.into_iter().all(|index| llvm!(shim::omptarget_ir_does_not_capture(self.raw(), index as u32)) != 0)
    }

    /// Says how often a conditional branch takes its first way and its second.
    pub fn set_branch_weights(self, first: u32, second: u32) {
        let context = self.function().context();
        let weights = [first, second].map(|weight| {
            let number = llvm!(LLVMConstInt(LLVMInt32TypeInContext(context), weight.into(), 0));
            llvm!(LLVMValueAsMetadata(number))
        });
        let name = "branch_weights";
        let mut parts = vec![llvm!(LLVMMDStringInContext2(context, name.as_ptr().cast(), name.len()))];
        parts.extend(weights);
        let node = llvm!(LLVMMDNodeInContext2(context, parts.as_mut_ptr(), parts.len()));
        let kind = llvm!(LLVMGetMDKindIDInContext(context, c"prof".as_ptr(), 4));
        llvm!(LLVMSetMetadata(self.raw(), kind, LLVMMetadataAsValue(context, node)));
    }

    /// The type of the elements that a `getelementptr` steps over.
    pub fn element_type(self) -> super::Type {
        super::Type(llvm!(LLVMGetGEPSourceElementType(self.raw())))
    }

    /// The type of what a load or store reads or writes.
    pub fn accessed_type(self) -> Option<super::Type> {
        match self.opcode() {
            Opcode::LLVMLoad => Some(self.value().ty()),
            _ => self.stored().map(|value| value.ty()),
        }
    }

    /// Takes metadata of a kind from it; whether it had any.
    pub fn remove_metadata(self, kind: &str) -> bool {
        let context = self.function().context();
        let kind = llvm!(LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32));
        let any = !llvm!(LLVMGetMetadata(self.raw(), kind)).is_null();
        if any {
            llvm!(LLVMSetMetadata(self.raw(), kind, std::ptr::null_mut()));
        }
        any
    }

    /// The alignment of an alloca in bytes.
    pub fn alignment(self) -> u32 {
        llvm!(LLVMGetAlignment(self.raw()))
    }

    /// Gives an alloca, a load or a store an alignment in bytes.
    pub fn set_alignment(self, bytes: u32) {
        llvm!(LLVMSetAlignment(self.raw(), bytes));
    }

    /// The type of what an alloca reserves.
    pub fn allocated_type(self) -> super::Type {
        super::Type(llvm!(LLVMGetAllocatedType(self.raw())))
    }

    /// Where it comes from, when the compiler kept that.
    pub fn location(self) -> Option<Location> {
        let mut length = 0;
        let file = llvm!(LLVMGetDebugLocFilename(self.raw(), &mut length));
        let file = text(file, length as usize);
        let directory = llvm!(LLVMGetDebugLocDirectory(self.raw(), &mut length));
        (!file.is_empty()).then(|| Location {
            file,
            directory: text(directory, length as usize),
            line: llvm!(LLVMGetDebugLocLine(self.raw())),
            column: llvm!(LLVMGetDebugLocColumn(self.raw())),
        })
    }

    pub(super) fn debug_location(self) -> LLVMMetadataRef {
        llvm!(LLVMInstructionGetDebugLoc(self.raw()))
    }
}
