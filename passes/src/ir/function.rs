//! Functions and their attributes.

use super::sys::{LLVMAttributeFunctionIndex, LLVMCallConv, LLVMLinkage, core::*, prelude::*};
use super::{Block, Inst, Module, Type, Value, shim, text};

/// A function, declared or defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Function(pub(super) Value);

impl Function {
    /// The function of a handle that C++ gave.
    ///
    /// # Safety
    /// `raw` is a function that lives as long as the result is used, and no other thread touches its context.
    pub unsafe fn from_raw(raw: *mut std::ffi::c_void) -> Self {
        Self(Value::made(raw.cast()))
    }

    /// The module that it is part of.
    pub fn module(self) -> Module {
        Module::of_function(llvm!(LLVMGetGlobalParent(self.0.raw())))
    }

    /// It as a value: its address.
    pub fn value(self) -> Value {
        self.0
    }

    /// Its name.
    pub fn name(self) -> String {
        self.0.name()
    }

    pub(super) fn context(self) -> LLVMContextRef {
        llvm!(LLVMGetTypeContext(self.function_type()))
    }

    fn function_type(self) -> LLVMTypeRef {
        llvm!(LLVMGlobalGetValueType(self.0.raw()))
    }

    /// Its type: what it takes and returns.
    pub fn ty(self) -> Type {
        Type(self.function_type())
    }

    /// The type of what it returns.
    pub fn return_type(self) -> Type {
        Type(llvm!(LLVMGetReturnType(self.function_type())))
    }

    /// Whether its body is not in this module.
    pub fn is_declaration(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0.raw())) != 0
    }

    /// Whether another definition may take its place when the program is linked.
    pub fn is_interposable(self) -> bool {
        use LLVMLinkage::*;
        matches!(
            llvm!(LLVMGetLinkage(self.0.raw())),
            LLVMWeakAnyLinkage | LLVMLinkOnceAnyLinkage | LLVMCommonLinkage | LLVMExternalWeakLinkage
        )
    }

    /// Whether only this module can name it.
    pub fn is_local(self) -> bool {
        use LLVMLinkage::*;
        matches!(llvm!(LLVMGetLinkage(self.0.raw())), LLVMInternalLinkage | LLVMPrivateLinkage)
    }

    /// How the linker joins it with others of its name.
    pub fn linkage(self) -> LLVMLinkage {
        llvm!(LLVMGetLinkage(self.0.raw()))
    }

    /// Changes that.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        llvm!(LLVMSetLinkage(self.0.raw(), linkage));
    }

    /// Whether hosts launch it.
    pub fn is_kernel(self) -> bool {
        llvm!(LLVMGetFunctionCallConv(self.0.raw())) == LLVMCallConv::LLVMPTXKernelCallConv as u32
    }

    /// Makes it local to this module.
    pub fn make_internal(self) {
        llvm!(LLVMSetLinkage(self.0.raw(), LLVMLinkage::LLVMInternalLinkage));
    }

    /// Makes it one that other files can name and a link keeps.
    pub fn make_protected(self) {
        llvm!(LLVMSetLinkage(self.0.raw(), LLVMLinkage::LLVMExternalLinkage));
        llvm!(LLVMSetVisibility(self.0.raw(), super::sys::LLVMVisibility::LLVMProtectedVisibility));
    }

    /// Whether it is one of LLVM's intrinsic functions.
    pub fn is_intrinsic(self) -> bool {
        llvm!(LLVMGetIntrinsicID(self.0.raw())) != 0
    }

    /// Its blocks, the entry first; none of a declaration.
    pub fn blocks(self) -> Vec<Block> {
        let first = Block::new(llvm!(LLVMGetFirstBasicBlock(self.0.raw())));
        std::iter::successors(first, |block| block.next()).collect()
    }

    /// The block that it starts with. Only for definitions.
    pub fn entry(self) -> Block {
        Block::made(llvm!(LLVMGetEntryBasicBlock(self.0.raw())))
    }

    /// All its instructions.
    pub fn instructions(self) -> impl Iterator<Item = Inst> {
        self.blocks().into_iter().flat_map(Block::instructions)
    }

    /// Its parameters.
    pub fn parameters(self) -> Vec<Value> {
        let count = llvm!(LLVMCountParams(self.0.raw()));
        (0..count).map(|index| Value::made(llvm!(LLVMGetParam(self.0.raw(), index)))).collect()
    }

    /// A copy with this name that only this module can name.
    pub fn clone_as(self, name: &str) -> Function {
        let name = super::c_string(name);
        Function(Value::made(llvm!(shim::omptarget_ir_clone_function(self.0.raw(), name.as_ptr()))))
    }

    /// Gives it lines, if `origin` has: its code is that of `origin`, or calls what `origin` called.
    pub fn take_lines_of(self, origin: Function) {
        llvm!(shim::omptarget_ir_take_lines(self.0.raw(), origin.0.raw()));
    }

    /// Gives calls without a line one, if it has lines itself; whether there were any.
    pub fn complete_calls(self) -> bool {
        llvm!(shim::omptarget_ir_complete_calls(self.0.raw())) != 0
    }

    /// Adds an empty block at its end.
    pub fn append_block(self, name: &str) -> Block {
        let name = super::c_string(name);
        Block::made(llvm!(LLVMAppendBasicBlockInContext(self.context(), self.0.raw(), name.as_ptr())))
    }

    /// Removes a block and all behind it in its list. Blocks before must not lead there or use values of theirs.
    pub fn erase_blocks_from(self, first: Block) {
        let old: Vec<Block> = self.blocks().into_iter().skip_while(|block| *block != first).collect();
        for inst in old.iter().flat_map(|block| block.instructions()) {
            if !inst.ty().is_void() {
                inst.replace_all_uses(inst.ty().poison());
            }
        }
        old.iter().flat_map(|block| block.instructions()).for_each(Inst::erase);
        old.into_iter().for_each(Block::erase);
    }

    /// The type of parameter `index` if it is given by value: its caller has made the copy that the pointer leads to.
    pub fn by_value(self, index: u32) -> Option<Type> {
        let found = self.parameter_attribute(index, "byval");
        (!found.is_null()).then(|| Type(llvm!(LLVMGetTypeAttributeValue(found))))
    }

    /// An attribute of parameter `index`, or null.
    pub(super) fn parameter_attribute(self, index: u32, name: &str) -> LLVMAttributeRef {
        llvm!(LLVMGetEnumAttributeAtIndex(self.0.raw(), index + 1, attribute_kind(name)))
    }

    /// Makes parameter `index`, which is given by value, one by reference, of any alignment.
    pub fn take_by_reference(self, index: u32) {
        for name in BY_VALUE {
            llvm!(LLVMRemoveEnumAttributeAtIndex(self.0.raw(), index + 1, attribute_kind(name)));
        }
    }

    /// Whether it has this attribute without a value.
    pub fn has_attribute(self, name: &str) -> bool {
        let found = llvm!(LLVMGetEnumAttributeAtIndex(
            self.0.raw(),
            LLVMAttributeFunctionIndex,
            attribute_kind(name)
        ));
        !found.is_null()
    }

    /// Adds an attribute without a value.
    pub fn add_attribute(self, name: &str) {
        let attribute = attribute(self.context(), name);
        llvm!(LLVMAddAttributeAtIndex(self.0.raw(), LLVMAttributeFunctionIndex, attribute));
    }

    /// Takes one away.
    pub fn remove_attribute(self, name: &str) {
        let kind = attribute_kind(name);
        llvm!(LLVMRemoveEnumAttributeAtIndex(self.0.raw(), LLVMAttributeFunctionIndex, kind));
    }

    /// The text of a string attribute.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let length = name.len() as u32;
        attribute_text(llvm!(LLVMGetStringAttributeAtIndex(
            self.0.raw(),
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            length
        )))
    }

    /// Gives it a string attribute, or another text for one that it has.
    pub fn set_string_attribute(self, name: &str, text: &str) {
        let attribute = llvm!(LLVMCreateStringAttribute(
            self.context(),
            name.as_ptr().cast(),
            name.len() as u32,
            text.as_ptr().cast(),
            text.len() as u32
        ));
        llvm!(LLVMAddAttributeAtIndex(self.0.raw(), LLVMAttributeFunctionIndex, attribute));
    }

    /// Takes a string attribute away; whether it had it.
    pub fn remove_string_attribute(self, name: &str) -> bool {
        let had = self.string_attribute(name).is_some();
        llvm!(LLVMRemoveStringAttributeAtIndex(
            self.0.raw(),
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            name.len() as u32
        ));
        had
    }

    /// Whether all memory that it accesses is what its arguments point to, says its attribute.
    pub fn accesses_arguments_alone(self) -> bool {
        llvm!(shim::omptarget_ir_accesses_arguments_alone(self.0.raw())) != 0
    }

    /// Takes back that calls in it touch no variable of its stack.
    pub fn may_touch_the_stack(self) {
        self.instructions().filter(|inst| inst.is_call()).for_each(Inst::may_touch_the_stack);
    }

    /// Takes back what is said about who keeps its arguments.
    pub fn may_keep_arguments(self) {
        let kind = attribute_kind(KEEPS_NOTHING);
        for index in 1..=self.parameters().len() as u32 {
            llvm!(LLVMRemoveEnumAttributeAtIndex(self.0.raw(), index, kind));
        }
    }

    /// Has it compiled for the target that `other` is compiled for: one that is not is not inlined there.
    pub fn take_target_of(self, other: Function) {
        self.copy_string_attributes(other, &["target-cpu", "target-features", "frame-pointer"]);
    }

    /// Gives it the string attributes of these names that `other` has.
    pub fn copy_string_attributes(self, other: Function, names: &[&str]) {
        for name in names {
            let Some(value) = other.string_attribute(name) else { continue };
            self.set_string_attribute(name, &value);
        }
    }

    /// The next one of its module.
    pub(super) fn next(self) -> Option<Function> {
        Value::new(llvm!(LLVMGetNextFunction(self.0.raw()))).map(Function)
    }

    /// Removes it. Nothing may use it any more.
    pub fn erase(self) {
        llvm!(LLVMDeleteFunction(self.0.raw()));
    }
}

/// The attribute of an argument of which the function keeps nothing.
pub(super) const KEEPS_NOTHING: &str = if cfg!(feature = "llvm22") { "captures" } else { "nocapture" };

/// The attributes of a parameter that is given by value.
pub(super) const BY_VALUE: [&str; 2] = ["byval", "align"];

pub(super) fn attribute_kind(name: &str) -> u32 {
    llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

pub(super) fn attribute(context: LLVMContextRef, name: &str) -> LLVMAttributeRef {
    let kind = attribute_kind(name);
    assert!(kind != 0, "LLVM knows the attribute {name}");
    llvm!(LLVMCreateEnumAttribute(context, kind, 0))
}

pub(super) fn attribute_text(attribute: LLVMAttributeRef) -> Option<String> {
    if attribute.is_null() {
        return None;
    }
    let mut length = 0;
    let value = llvm!(LLVMGetStringAttributeValue(attribute, &mut length));
    Some(text(value, length as usize))
}
