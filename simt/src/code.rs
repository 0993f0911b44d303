//! Decoded PTX: what [`crate::ptx`] makes of a text and what the execution runs.
//!
//! # Frame
//! A function's **register file** is one block of [`Function::register_bytes`] bytes, aligned to 64. A virtual register
//! is an array of [`LANES`] lanes of 2, 4 or 8 bytes ([`Width`]; 8-bit registers take 2) at a byte offset that is a
//! multiple of 64: structure of arrays, so one instruction is one loop over 32 values. Lanes are little endian.
//! Predicates live in a file of their own, one `u32` mask each ([`Pred`]); entries 0 and 1 are the constants false and
//! true. The carry flag is one `u32` mask per frame. A register of 128 bits is two of 64 bits, the lower half first.
//!
//! **Parameters are registers.** The register file starts with [`Function::param_words`] registers of 64 bits that hold
//! the function's own parameters, then [`Function::return_words`] for its return value. Byte `b` of the parameter area
//! is byte `b % 8` of each lane of register `b / 8`. For an entry the area is the parameter block of the launch, each
//! word the same in all lanes; in other functions every parameter starts a new word. The slots of outgoing calls
//! (`.param` variables in the body) are 64-bit registers as well, so a call copies whole registers under its lane mask
//! ([`CallSite`]) and a return copies back.
//!
//! # Constants
//! A source operand ([`Src`]) is a register or, negative, an entry of the function's constant pool, which has the same
//! shape as a register: 32 equal lanes. The execution needs no case distinction beyond the choice of the base pointer.
//!
//! # Addresses
//! Address operands are always 64 bits wide. Addresses of a named space are offsets inside it (shared: inside the CTA's
//! shared memory, local: inside the lane's local memory), except global and const ones, which are device addresses;
//! generic addresses add the window of the space: [`SHARED_WINDOW`], [`LOCAL_WINDOW`]. Function pointers are
//! [`FUNCTION_WINDOW`] `+ (index << 4)`, with the index in [`Module::functions`].

mod access;
mod arithmetic;
mod inst;
mod module;
mod together;
mod types;
mod video;

pub use access::*;
pub use arithmetic::*;
pub use inst::*;
pub use module::*;
pub use together::*;
pub use types::*;
pub use video::*;

/// Threads of a warp.
pub const LANES: usize = 32;
/// Base of the shared window in the generic address space: top byte 1.
pub const SHARED_WINDOW: u64 = 1 << WINDOW_SHIFT;
/// Address of the first byte of a CTA's shared memory in its own space. GPUs since Ampere keep so many bytes before it for the
/// system, so no variable there has the address 0, with which LLVM compares such addresses when it looks for null.
pub const SHARED_START: u64 = 1 << 10;
/// Base of the local window in the generic address space: top byte 2.
pub const LOCAL_WINDOW: u64 = 2 << WINDOW_SHIFT;
/// Base of function pointers: top byte 3.
pub const FUNCTION_WINDOW: u64 = 3 << WINDOW_SHIFT;
/// A generic address shifted right by this many bits is the number of its window; 0 is global memory.
pub const WINDOW_SHIFT: u32 = 56;

/// The function pointer of function `index`.
pub fn function_pointer(index: FunctionId) -> u64 {
    FUNCTION_WINDOW + (u64::from(index.0) << 4)
}
