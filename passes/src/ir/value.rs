//! Values, globals and types.

use super::sys::{LLVMTypeKind, core::*, prelude::*};
use super::{Function, Inst, c_string, shim, text};
use std::ptr::NonNull;

/// Anything that an instruction can use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(super) NonNull<super::sys::LLVMValue>);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(pub(super) LLVMTypeRef);

/// NVPTX's address space of shared memory.
pub(super) const SHARED: u32 = 3;
/// The same of the memory of one thread.
const LOCAL: u32 = 5;

/// A global variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Global(pub(super) Value);

impl Value {
    /// The handle of what LLVM gave, unless it gave nothing.
    pub(super) fn new(raw: LLVMValueRef) -> Option<Self> {
        NonNull::new(raw).map(Self)
    }

    /// The handle of what LLVM gave, where it always gives something.
    pub(super) fn made(raw: LLVMValueRef) -> Self {
        Self::new(raw).expect("LLVM makes a value")
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.0.as_ptr()
    }

    /// Its name; empty if it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        let name = llvm!(LLVMGetValueName2(self.raw(), &mut length));
        text(name, length)
    }

    /// Names it; LLVM appends a number if the name is taken.
    pub fn set_name(self, name: &str) {
        llvm!(LLVMSetValueName2(self.raw(), name.as_ptr().cast(), name.len()));
    }

    /// Its type.
    pub fn ty(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.raw())))
    }

    /// It as an instruction.
    pub fn as_inst(self) -> Option<Inst> {
        Self::new(llvm!(LLVMIsAInstruction(self.raw()))).map(Inst)
    }

    /// The alloca that it is, if it is one: a variable on the stack.
    pub fn as_alloca(self) -> Option<Inst> {
        self.as_inst().filter(|inst| inst.opcode() == super::Opcode::LLVMAlloca)
    }

    /// It as a function.
    pub fn as_function(self) -> Option<Function> {
        Self::new(llvm!(LLVMIsAFunction(self.raw()))).map(Function)
    }

    /// It as a global variable.
    pub fn as_global(self) -> Option<Global> {
        Self::new(llvm!(LLVMIsAGlobalVariable(self.raw()))).map(Global)
    }

    /// The number, if it is a constant integer of at most 64 bits.
    pub fn as_constant_int(self) -> Option<u64> {
        Self::new(llvm!(LLVMIsAConstantInt(self.raw())))?;
        (self.ty().int_width()? <= 64).then(|| llvm!(LLVMConstIntGetZExtValue(self.raw())))
    }

    /// Whether it is a constant of any kind, a global's address included.
    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.raw())) != 0
    }

    /// Whether it is a constant expression.
    pub fn is_constant_expression(self) -> bool {
        !llvm!(LLVMIsAConstantExpr(self.raw())).is_null()
    }

    /// What a constant expression does.
    pub fn constant_opcode(self) -> super::Opcode {
        llvm!(LLVMGetConstOpcode(self.raw()))
    }

    /// Whether it is a parameter of a function.
    pub fn is_argument(self) -> bool {
        !llvm!(LLVMIsAArgument(self.raw())).is_null()
    }

    /// Whether it is inline assembly.
    pub fn is_inline_asm(self) -> bool {
        !llvm!(LLVMIsAInlineAsm(self.raw())).is_null()
    }

    /// Element `index` of a constant aggregate.
    pub fn element(self, index: u32) -> Option<Value> {
        Self::new(llvm!(LLVMGetAggregateElement(self.raw(), index)))
    }

    /// Operand `index` of an instruction or a constant expression.
    pub fn operand(self, index: u32) -> Value {
        Self::made(llvm!(LLVMGetOperand(self.raw(), index)))
    }

    /// The operands of an instruction, a constant expression or a constant aggregate.
    pub fn operands(self) -> Vec<Value> {
        let user = !llvm!(LLVMIsAUser(self.raw())).is_null();
        let count = if user { llvm!(LLVMGetNumOperands(self.raw())) } else { 0 };
        (0..count.max(0))
            .filter_map(|index| Self::new(llvm!(LLVMGetOperand(self.raw(), index as u32))))
            .collect()
    }

    /// The operands of metadata.
    pub(super) fn metadata_operands(self) -> Vec<Value> {
        let count = llvm!(LLVMGetMDNodeNumOperands(self.raw())) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        if count > 0 {
            llvm!(LLVMGetMDNodeOperands(self.raw(), raw.as_mut_ptr()));
        }
        raw.into_iter().filter_map(Self::new).collect()
    }

    /// The text of metadata, if it is one.
    pub fn as_metadata_text(self) -> Option<String> {
        let mut length = 0;
        let text = llvm!(LLVMGetMDString(self.raw(), &mut length));
        (!text.is_null()).then(|| super::text(text, length as usize))
    }

    /// Who uses it: each user as often as it does.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut at = llvm!(LLVMGetFirstUse(self.raw()));
        while !at.is_null() {
            users.extend(Self::new(llvm!(LLVMGetUser(at))));
            at = llvm!(LLVMGetNextUse(at));
        }
        users
    }

    /// The instructions that use it, each once.
    pub fn using_instructions(self) -> Vec<Inst> {
        let mut users: Vec<Inst> = self.users().into_iter().filter_map(Value::as_inst).collect();
        users.sort_unstable();
        users.dedup();
        users
    }

    /// Replaces it everywhere.
    pub fn replace_all_uses(self, with: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.raw(), with.raw()));
    }

    /// Replaces it in the instructions for which `wanted` holds.
    pub fn replace_uses_in(self, with: Value, wanted: impl Fn(Inst) -> bool) {
        for user in self.using_instructions() {
            if wanted(user) {
                user.replace_operand(self, with);
            }
        }
    }

    /// The object that a pointer points into, as far as it can be seen.
    pub fn underlying_object(self) -> Value {
        Self::made(llvm!(shim::omptarget_ir_underlying_object(self.raw())))
    }

    /// The pointer that it stands a constant number of bytes behind, and that number: itself and 0, if there is none.
    pub fn base_and_offset(self, module: super::Module) -> (Value, i64) {
        let mut offset = 0;
        let base = llvm!(shim::omptarget_ir_constant_offset(module.raw(), self.raw(), &mut offset));
        (Self::made(base), offset)
    }

    /// It without casts: the global, function or other value behind constant expressions.
    pub fn strip_casts(self) -> Value {
        let mut value = self;
        loop {
            let cast = value.is_constant_expression()
                && matches!(
                    llvm!(LLVMGetConstOpcode(value.raw())),
                    super::Opcode::LLVMAddrSpaceCast | super::Opcode::LLVMBitCast
                );
            if !cast {
                return value;
            }
            value = value.operand(0);
        }
    }

    /// The bytes of a constant text, if it is one.
    pub fn as_text(self) -> Option<Vec<u8>> {
        let raw = llvm!(LLVMIsAConstantDataSequential(self.raw()));
        if raw.is_null() || llvm!(LLVMIsConstantString(raw)) == 0 {
            return None;
        }
        let mut length = 0;
        let bytes = llvm!(LLVMGetAsString(raw, &mut length));
        // SAFETY: LLVM gave so many bytes, which stay as long as the constant.
        Some(unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) }.to_vec())
    }

    /// Its text.
    pub fn text(self) -> String {
        let raw = llvm!(LLVMPrintValueToString(self.raw()));
        // SAFETY: LLVM gave a string that ends with a zero.
        let printed = unsafe { std::ffi::CStr::from_ptr(raw) }.to_string_lossy().into_owned();
        llvm!(LLVMDisposeMessage(raw));
        printed
    }
}

impl Type {
    /// Width in bits of an integer type.
    pub fn int_width(self) -> Option<u32> {
        (llvm!(LLVMGetTypeKind(self.0)) == LLVMTypeKind::LLVMIntegerTypeKind)
            .then(|| llvm!(LLVMGetIntTypeWidth(self.0)))
    }

    /// Whether it is one of integers or of floating-point numbers, and no vector.
    pub fn is_number(self) -> bool {
        let kind = llvm!(LLVMGetTypeKind(self.0));
        matches!(
            kind,
            LLVMTypeKind::LLVMIntegerTypeKind
                | LLVMTypeKind::LLVMHalfTypeKind
                | LLVMTypeKind::LLVMFloatTypeKind
                | LLVMTypeKind::LLVMDoubleTypeKind
        )
    }

    /// The letter by which assembly for NVIDIA's GPUs names registers for it; none if there are none.
    pub fn register(self) -> Option<char> {
        match llvm!(LLVMGetTypeKind(self.0)) {
            LLVMTypeKind::LLVMPointerTypeKind => Some('l'),
            LLVMTypeKind::LLVMFloatTypeKind => Some('f'),
            LLVMTypeKind::LLVMDoubleTypeKind => Some('d'),
            _ => match self.int_width()? {
                32 => Some('r'),
                64 => Some('l'),
                _ => None,
            },
        }
    }

    /// Whether it is a pointer.
    pub fn is_pointer(self) -> bool {
        llvm!(LLVMGetTypeKind(self.0)) == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// Whether it is a pointer into shared memory.
    pub fn is_shared_pointer(self) -> bool {
        self.is_pointer() && llvm!(LLVMGetPointerAddressSpace(self.0)) == SHARED
    }

    /// Whether it is a pointer to the stack of a thread.
    pub fn is_local_pointer(self) -> bool {
        self.is_pointer() && llvm!(LLVMGetPointerAddressSpace(self.0)) == LOCAL
    }

    /// Whether it is `void`.
    pub fn is_void(self) -> bool {
        llvm!(LLVMGetTypeKind(self.0)) == LLVMTypeKind::LLVMVoidTypeKind
    }

    /// Whether values of it can be kept in memory: not tokens, labels or metadata.
    pub fn is_sized(self) -> bool {
        llvm!(LLVMTypeIsSized(self.0)) != 0
    }

    /// An integer constant.
    pub fn constant(self, number: u64) -> Value {
        Value::made(llvm!(LLVMConstInt(self.0, number, 0)))
    }

    /// The constant that stands for no value at all.
    pub fn poison(self) -> Value {
        Value::made(llvm!(LLVMGetPoison(self.0)))
    }

    /// The constant whose bits are any.
    pub fn undef(self) -> Value {
        Value::made(llvm!(LLVMGetUndef(self.0)))
    }

    /// The null pointer, 0 or an aggregate of them.
    pub fn null(self) -> Value {
        Value::made(llvm!(LLVMConstNull(self.0)))
    }

    /// Number of elements of a structure.
    pub fn element_count(self) -> Option<u32> {
        (llvm!(LLVMGetTypeKind(self.0)) == LLVMTypeKind::LLVMStructTypeKind)
            .then(|| llvm!(LLVMCountStructElementTypes(self.0)))
    }
}

impl Global {
    /// Whether nothing writes to it.
    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsGlobalConstant(self.0.raw())) != 0
    }

    /// The value it starts with, if this module says so.
    pub fn initializer(self) -> Option<Value> {
        Value::new(llvm!(LLVMGetInitializer(self.0.raw())))
    }

    /// Sets the value it starts with.
    pub fn set_initializer(self, value: Value) {
        llvm!(LLVMSetInitializer(self.0.raw(), value.raw()));
    }

    /// The type of its content.
    pub fn content_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0.raw())))
    }

    /// It as a value: its address.
    pub fn value(self) -> Value {
        self.0
    }

    /// Whether it is in shared memory, of which each team has its own.
    pub fn is_shared(self) -> bool {
        llvm!(LLVMGetPointerAddressSpace(LLVMTypeOf(self.0.raw()))) == SHARED
    }

    /// Whether only this module can name it.
    pub fn is_local(self) -> bool {
        use super::Linkage::*;
        matches!(llvm!(LLVMGetLinkage(self.0.raw())), LLVMInternalLinkage | LLVMPrivateLinkage)
    }

    /// Who can name it.
    pub fn set_linkage(self, linkage: super::Linkage) {
        llvm!(LLVMSetLinkage(self.0.raw(), linkage));
    }

    /// Puts it into a section of the object file.
    pub fn set_section(self, section: &str) {
        let section = super::c_string(section);
        llvm!(LLVMSetSection(self.0.raw(), section.as_ptr()));
    }

    /// The next one of its module.
    pub(super) fn next(self) -> Option<Global> {
        Value::new(llvm!(LLVMGetNextGlobal(self.0.raw()))).map(Global)
    }

    /// Removes it. Nothing may use it any more.
    pub fn erase(self) {
        llvm!(LLVMDeleteGlobal(self.0.raw()));
    }

    /// Replaces the element of its initial value, a structure of structures, at `path`.
    pub fn set_initial_element(self, path: &[u32], number: u64) -> Option<()> {
        let changed = with_element(self.initializer()?, path, number)?;
        self.set_initializer(changed);
        Some(())
    }

    /// The integer at `path` of its initial value, a structure of structures.
    pub fn initial_element(self, path: &[u32]) -> Option<u64> {
        path.iter().try_fold(self.initializer()?, |value, &index| value.element(index))?.as_constant_int()
    }
}

/// `aggregate` with the integer at `path` replaced.
fn with_element(aggregate: Value, path: &[u32], number: u64) -> Option<Value> {
    let Some((&index, rest)) = path.split_first() else { return Some(aggregate.ty().constant(number)) };
    let count = aggregate.ty().element_count()?;
    let mut elements = (0..count).map(|i| aggregate.element(i)).collect::<Option<Vec<_>>>()?;
    *elements.get_mut(index as usize)? = with_element(aggregate.element(index)?, rest, number)?;
    let mut raw: Vec<_> = elements.into_iter().map(Value::raw).collect();
    let ty = aggregate.ty().0;
    Some(Value::made(if llvm!(LLVMGetStructName(ty)).is_null() {
        let context = llvm!(LLVMGetTypeContext(ty));
        llvm!(LLVMConstStructInContext(context, raw.as_mut_ptr(), count, LLVMIsPackedStruct(ty)))
    } else {
        llvm!(LLVMConstNamedStruct(ty, raw.as_mut_ptr(), count))
    }))
}

/// Adds a variable of this type to a module; used by [`super::Module`].
pub(super) fn add_global(module: LLVMModuleRef, ty: Type, name: &str, address_space: u32) -> Global {
    let name = c_string(name);
    Global(Value::made(llvm!(LLVMAddGlobalInAddressSpace(module, ty.0, name.as_ptr(), address_space))))
}
