//! LLVM's IR as small copyable handles. The only place that calls LLVM.
//!
//! # Invariants
//! All calls into LLVM go through the macro `llvm!` and rest on these, which the passes keep:
//! - `LIVE`: a handle belongs to a module that is alive while the pass runs, and is not used after the thing was erased
//!   ([`Inst::erase`], [`Block::erase`]).
//! - `KIND`: a handle type says what its value is: it is made from LLVM's own answer to that question.
//! - `ALONE`: one thread works on a module and its context.

/// Calls LLVM. See the invariants above.
macro_rules! llvm {
    ($($call:tt)*) => {
        // SAFETY: LIVE, KIND and ALONE (see the documentation of the module `ir`).
        unsafe { $($call)* }
    };
}

mod block;
mod builder;
mod function;
mod inst;
mod module;
mod options;
mod shim;
mod value;

#[cfg(all(feature = "llvm19", not(feature = "llvm22")))]
use llvm_sys_191 as sys;
#[cfg(feature = "llvm22")]
use llvm_sys_221 as sys;

pub use block::Block;
pub use builder::Builder;
pub use function::Function;
pub use inst::{Inst, Location};
pub use module::{Context, Error, Module};
pub use options::{
    bool_option, exit_on_fatal_error, has_option, parse_options, set_bool_option, set_unsigned_option,
    unsigned_option,
};
pub use shim::{RemarkKind, emit_remark};
pub use sys::{LLVMIntPredicate as Predicate, LLVMLinkage as Linkage, LLVMOpcode as Opcode};
pub use value::{Global, Type, Value};

use std::ffi::CString;

/// A name for LLVM. Names with a zero byte cannot occur: they come from LLVM or from this crate.
fn c_string(name: &str) -> CString {
    CString::new(name.replace('\0', "")).unwrap_or_default()
}

/// The text behind a pointer and a length that LLVM gave.
fn text(pointer: *const std::ffi::c_char, length: usize) -> String {
    if pointer.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: LLVM gave this many bytes, which live as long as the value that they name.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(pointer.cast(), length) }).into_owned()
}
