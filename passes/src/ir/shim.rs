//! The functions of `cpp/`.

use super::sys::prelude::*;
use super::{Function, Inst, Value, c_string};
use std::ffi::{c_char, c_int, c_uint};

unsafe extern "C" {
    pub fn omptarget_ir_split_before(inst: LLVMValueRef, name: *const c_char) -> LLVMBasicBlockRef;
    pub fn omptarget_ir_move_before(inst: LLVMValueRef, position: LLVMValueRef);
    pub fn omptarget_ir_clone_instruction(inst: LLVMValueRef, position: LLVMValueRef) -> LLVMValueRef;
    pub fn omptarget_ir_replace_phi_block(
        of: LLVMBasicBlockRef,
        old: LLVMBasicBlockRef,
        new: LLVMBasicBlockRef,
    );
    pub fn omptarget_ir_move_block(block: LLVMBasicBlockRef, function: LLVMValueRef);
    pub fn omptarget_ir_remove_incoming(phi: LLVMValueRef, from: LLVMBasicBlockRef);
    pub fn omptarget_ir_clone_function(function: LLVMValueRef, name: *const c_char) -> LLVMValueRef;
    pub fn omptarget_ir_take_lines(function: LLVMValueRef, origin: LLVMValueRef);
    pub fn omptarget_ir_complete_calls(function: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_complete_lines(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_integers_for_halves(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_blocks_in_words(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_expand_gotos(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_take_structures_in_memory(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_break_rings(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_take_constants(module: LLVMModuleRef, path: *const c_char) -> c_int;
    pub fn omptarget_ir_drop_vector_hints(module: LLVMModuleRef) -> c_int;
    pub fn omptarget_ir_inline(call: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_does_not_capture(call: LLVMValueRef, argument: c_uint) -> c_int;
    pub fn omptarget_ir_accesses_arguments_alone(function: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_may_write(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_may_read(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_is_speculatable(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_must_progress(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_lower_atomic(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_lower_atomic_if_own(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_has_system_scope(inst: LLVMValueRef) -> c_int;
    pub fn omptarget_ir_underlying_object(pointer: LLVMValueRef) -> LLVMValueRef;
    pub fn omptarget_ir_constant_offset(
        module: LLVMModuleRef,
        pointer: LLVMValueRef,
        offset: *mut i64,
    ) -> LLVMValueRef;
    pub fn omptarget_ir_remark(kind: c_int, id: *const c_char, at: LLVMValueRef, message: *const c_char);
    pub fn omptarget_ir_parse_options(count: c_int, words: *const *const c_char) -> c_int;
    pub fn omptarget_ir_has_option(name: *const c_char) -> c_int;
    pub fn omptarget_ir_get_bool_option(name: *const c_char, value: *mut c_int) -> c_int;
    pub fn omptarget_ir_set_bool_option(name: *const c_char, value: c_int) -> c_int;
    pub fn omptarget_ir_set_unsigned_option(name: *const c_char, value: c_uint);
    pub fn omptarget_ir_get_unsigned_option(name: *const c_char, value: *mut c_uint) -> c_int;
}

/// The three kinds of remarks that compilers know (`-Rpass`, `-Rpass-missed`, `-Rpass-analysis`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemarkKind {
    /// Something was done.
    Passed,
    /// Something could not be done.
    Missed,
    /// Why.
    Analysis,
}

/// Gives a remark of the pass `openmp-opt` to the compiler, at an instruction or a function.
pub fn emit_remark(kind: RemarkKind, id: &str, at: Result<Inst, Function>, message: &str) {
    let at: Value = match at {
        Ok(inst) => inst.value(),
        Err(function) => function.value(),
    };
    let kind = match kind {
        RemarkKind::Passed => 0,
        RemarkKind::Missed => 1,
        RemarkKind::Analysis => 2,
    };
    let (id, message) = (c_string(id), c_string(message));
    llvm!(omptarget_ir_remark(kind, id.as_ptr(), at.raw(), message.as_ptr()));
}
