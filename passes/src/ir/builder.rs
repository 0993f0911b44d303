//! Making new instructions.

use super::sys::{LLVMInlineAsmDialect, core::*, prelude::*};
use super::{Block, Function, Inst, Predicate, Type, Value, c_string};
use std::ptr::null_mut;

/// Makes instructions at one place after the other.
pub struct Builder(LLVMBuilderRef);

impl Drop for Builder {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.0));
    }
}

impl Builder {
    /// Before `position`, and as if it came from the same source line.
    pub fn before(position: Inst) -> Self {
        let builder = Self::at_end_of(position.block());
        llvm!(LLVMPositionBuilderBefore(builder.0, position.raw()));
        llvm!(LLVMSetCurrentDebugLocation2(builder.0, position.debug_location()));
        builder
    }

    /// At the end of `block`, from no source line.
    pub fn at_end_of(block: Block) -> Self {
        let builder = Self(llvm!(LLVMCreateBuilderInContext(block.function().context())));
        llvm!(LLVMPositionBuilderAtEnd(builder.0, block.raw()));
        builder
    }

    /// The same, from the source line of `like`.
    pub fn at_end_like(block: Block, like: Inst) -> Self {
        let builder = Self::at_end_of(block);
        llvm!(LLVMSetCurrentDebugLocation2(builder.0, like.debug_location()));
        builder
    }

    fn inst(raw: LLVMValueRef) -> Inst {
        Inst(Value::made(raw))
    }

    /// A call.
    pub fn call(&self, function: Function, arguments: &[Value], name: &str) -> Inst {
        let mut raw: Vec<_> = arguments.iter().map(|value| value.raw()).collect();
        let name = c_string(if function.return_type().is_void() { "" } else { name });
        let count = raw.len() as u32;
        let (ty, callee) = (function.ty().0, function.value().raw());
        Self::inst(llvm!(LLVMBuildCall2(self.0, ty, callee, raw.as_mut_ptr(), count, name.as_ptr())))
    }

    /// A call of whatever a pointer points to, a function of type `ty` that returns nothing.
    pub fn call_pointer(&self, ty: Type, callee: Value, arguments: &[Value]) -> Inst {
        let mut raw: Vec<_> = arguments.iter().map(|value| value.raw()).collect();
        let (count, callee) = (raw.len() as u32, callee.raw());
        Self::inst(llvm!(LLVMBuildCall2(self.0, ty.0, callee, raw.as_mut_ptr(), count, c"".as_ptr())))
    }

    /// A comparison of integers or pointers. A constant, when both are constants.
    pub fn compare(&self, predicate: Predicate, left: Value, right: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildICmp(self.0, predicate, left.raw(), right.raw(), name.as_ptr())))
    }

    /// A way to another block.
    pub fn branch(&self, to: Block) -> Inst {
        Self::inst(llvm!(LLVMBuildBr(self.0, to.raw())))
    }

    /// One of two ways.
    pub fn branch_if(&self, condition: Value, then: Block, otherwise: Block) -> Inst {
        Self::inst(llvm!(LLVMBuildCondBr(self.0, condition.raw(), then.raw(), otherwise.raw())))
    }

    /// The end of a way that is never taken.
    pub fn unreachable(&self) -> Inst {
        Self::inst(llvm!(LLVMBuildUnreachable(self.0)))
    }

    /// A return without a value.
    pub fn return_void(&self) -> Inst {
        Self::inst(llvm!(LLVMBuildRetVoid(self.0)))
    }

    /// A PHI without values yet.
    pub fn phi(&self, ty: Type, name: &str) -> Inst {
        let name = c_string(name);
        Self::inst(llvm!(LLVMBuildPhi(self.0, ty.0, name.as_ptr())))
    }

    /// A store.
    pub fn store(&self, value: Value, to: Value) -> Inst {
        Self::inst(llvm!(LLVMBuildStore(self.0, value.raw(), to.raw())))
    }

    /// A load.
    pub fn load(&self, ty: Type, from: Value, name: &str) -> Inst {
        let name = c_string(name);
        Self::inst(llvm!(LLVMBuildLoad2(self.0, ty.0, from.raw(), name.as_ptr())))
    }

    /// A copy of `bytes` bytes to a variable, which has its alignment, from anywhere.
    pub fn copy(&self, to: Inst, from: Value, bytes: u64) -> Inst {
        self.copy_aligned((to.value(), to.alignment()), (from, 1), bytes)
    }

    /// A copy of `bytes` bytes between addresses with these alignments in bytes.
    pub fn copy_aligned(&self, to: (Value, u32), from: (Value, u32), bytes: u64) -> Inst {
        let (size, (to, to_alignment), (from, from_alignment)) = (self.long(bytes), to, from);
        let (to, from) = (to.raw(), from.raw());
        Self::inst(llvm!(LLVMBuildMemCpy(self.0, to, to_alignment, from, from_alignment, size.raw())))
    }

    /// An integer of 64 bits.
    pub fn long(&self, number: u64) -> Value {
        let block = llvm!(LLVMGetInsertBlock(self.0));
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block))));
        Type(llvm!(LLVMInt64TypeInContext(context))).constant(number)
    }

    /// A load of so many bytes, as an integer.
    pub fn load_bytes(&self, bytes: u64, from: Value, alignment: u32) -> Inst {
        let context = llvm!(LLVMGetTypeContext(from.ty().0));
        let load = self.load(Type(llvm!(LLVMIntTypeInContext(context, bytes as u32 * 8))), from, "");
        load.set_alignment(alignment);
        load
    }

    /// The address so many bytes behind another one, in the same object.
    pub fn byte_behind(&self, pointer: Value, offset: Value) -> Value {
        let mut indices = [offset.raw()];
        let byte = llvm!(LLVMInt8TypeInContext(LLVMGetTypeContext(offset.ty().0)));
        let name = c"".as_ptr();
        Value::made(llvm!(LLVMBuildInBoundsGEP2(self.0, byte, pointer.raw(), indices.as_mut_ptr(), 1, name)))
    }

    /// What `element` computes, a `getelementptr`, from another pointer.
    pub fn same_element(&self, element: Inst, pointer: Value) -> Value {
        let mut indices: Vec<_> = element.operands().iter().skip(1).map(|index| index.raw()).collect();
        let (ty, count) = (llvm!(LLVMGetGEPSourceElementType(element.raw())), indices.len() as u32);
        let flags = llvm!(LLVMGEPGetNoWrapFlags(element.raw()));
        let (pointer, indices, name) = (pointer.raw(), indices.as_mut_ptr(), c"".as_ptr());
        Value::made(llvm!(LLVMBuildGEPWithNoWrapFlags(self.0, ty, pointer, indices, count, name, flags)))
    }

    /// A variable on the stack of the thread. What LLVM has marked as `tail` touches no variable of its caller's stack, so calls that
    /// were there before lose the mark: they may get this one.
    pub fn alloca(&self, ty: Type, name: &str) -> Inst {
        let name = c_string(name);
        let variable = Self::inst(llvm!(LLVMBuildAlloca(self.0, ty.0, name.as_ptr())));
        variable.function().may_touch_the_stack();
        variable
    }

    /// The address of element `index` of an array of pointers.
    pub fn pointer_element(&self, array: Value, index: u64, pointer: Type) -> Value {
        let mut indices =
            [Type(llvm!(LLVMInt64TypeInContext(LLVMGetTypeContext(pointer.0)))).constant(index).raw()];
        Value::made(llvm!(LLVMBuildInBoundsGEP2(
            self.0,
            pointer.0,
            array.raw(),
            indices.as_mut_ptr(),
            1,
            c"".as_ptr()
        )))
    }

    /// An integer as one of another width: zeros are put before it, or its upper bits are dropped.
    pub fn resize(&self, value: Value, to: Type, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildIntCast2(self.0, value.raw(), to.0, 0, name.as_ptr())))
    }

    /// A floating-point number as one of another width, or as it is.
    pub fn resize_float(&self, value: Value, to: Type) -> Value {
        Value::made(llvm!(LLVMBuildFPCast(self.0, value.raw(), to.0, c"".as_ptr())))
    }

    /// A pointer as one of another address space, or as it is.
    pub fn cast_address(&self, pointer: Value, to: Type) -> Value {
        Value::made(llvm!(LLVMBuildAddrSpaceCast(self.0, pointer.raw(), to.0, c"".as_ptr())))
    }

    /// A pointer as an integer.
    pub fn pointer_to_int(&self, pointer: Value, to: Type) -> Value {
        Value::made(llvm!(LLVMBuildPtrToInt(self.0, pointer.raw(), to.0, c"".as_ptr())))
    }

    /// A special register of NVIDIA's, read at this place by assembly that may touch all memory: the compiler neither knows
    /// what it holds, nor that it holds the same elsewhere, nor what is in memory behind it.
    pub fn read_again(&self, register: &str, ty: Type, name: &str) -> Inst {
        let ty = llvm!(LLVMFunctionType(ty.0, null_mut(), 0, 0));
        self.assembly(ty, &format!("mov.u32 $0, %{register};"), "=r,~{memory}", true, &[], name)
    }

    /// The same value behind assembly without an instruction, so that the compiler does not know what it is. None if no
    /// register of NVIDIA's holds its type.
    pub fn hide(&self, value: Value) -> Option<Inst> {
        let constraints = format!("={},0", value.ty().register()?);
        let (ty, mut parameter) = (value.ty().0, value.ty().0);
        let ty = llvm!(LLVMFunctionType(ty, &mut parameter, 1, 0));
        let hidden = self.assembly(ty, "", &constraints, false, &[value], "");
        ["memory", "nounwind", "willreturn"].into_iter().for_each(|it| hidden.add_attribute(it));
        Some(hidden)
    }

    /// Assembly as a call of this type; `effects`: it may do more than to give a value.
    fn assembly(
        &self,
        ty: LLVMTypeRef,
        text: &str,
        constraints: &str,
        effects: bool,
        given: &[Value],
        name: &str,
    ) -> Inst {
        let asm = llvm!(LLVMGetInlineAsm(
            ty,
            text.as_ptr().cast(),
            text.len(),
            constraints.as_ptr().cast(),
            constraints.len(),
            effects.into(),
            0,
            LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
            0
        ));
        let (name, mut raw) = (c_string(name), given.iter().map(|value| value.raw()).collect::<Vec<_>>());
        let count = raw.len() as u32;
        Self::inst(llvm!(LLVMBuildCall2(self.0, ty, asm, raw.as_mut_ptr(), count, name.as_ptr())))
    }

    /// One of two values. A constant, when all are constants.
    pub fn select(&self, condition: Value, then: Value, otherwise: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildSelect(
            self.0,
            condition.raw(),
            then.raw(),
            otherwise.raw(),
            name.as_ptr()
        )))
    }

    /// A sum of integers that may wrap around. A constant, when both are constants.
    pub fn add(&self, left: Value, right: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildAdd(self.0, left.raw(), right.raw(), name.as_ptr())))
    }

    /// A product of integers that may wrap around. A constant, when both are constants.
    pub fn multiply(&self, left: Value, right: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildMul(self.0, left.raw(), right.raw(), name.as_ptr())))
    }

    /// The bits that both integers have. A constant, when both are constants.
    pub fn and(&self, left: Value, right: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildAnd(self.0, left.raw(), right.raw(), name.as_ptr())))
    }

    /// An integer without its last bits, with zeros before it. A constant, when both are constants.
    pub fn shift_right(&self, value: Value, bits: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildLShr(self.0, value.raw(), bits.raw(), name.as_ptr())))
    }

    /// A difference of integers. A constant, when both are constants.
    pub fn subtract(&self, left: Value, right: Value, name: &str) -> Value {
        let name = c_string(name);
        Value::made(llvm!(LLVMBuildSub(self.0, left.raw(), right.raw(), name.as_ptr())))
    }
}
